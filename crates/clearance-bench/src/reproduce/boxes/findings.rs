//! What the paper found, and whether it is found here.

use super::measure::{Decided, Sample};
use super::meshes::MeshSample;
use super::peers::{self, PeerTime};
use crate::reproduce::{Finding, Verdict};

/// One sentence per finding; times of peers count as those of today.
pub(super) fn all(decided: &[Decided], samples: &[Sample], meshes: &[MeshSample], peers: &[PeerTime]) -> Vec<Finding> {
    vec![
        finding(
            "Boxes inside of both bodies decide more collisions than polygon faces do (63 to 100 %).",
            most_by_inner(decided),
        ),
        finding(
            "A collision that inner boxes decide takes at most a third of the time of one that faces decide (3 to 98 times less).",
            faster_than_faces(decided),
        ),
        finding("Inner boxes decide all collisions of cubes, which are their own inner boxes.", cubes(decided)),
        finding(
            "Inner boxes beat the five rivals wherever bodies collide (the best one takes 3.1 to 6 times as long), and on one pair of two \
             where they do not.",
            rivals(samples),
        ),
        finding(
            "Inner boxes are what makes the detector fast, so that the double hierarchy is the method of choice for convex polyhedra.",
            today(samples, peers),
        ),
        finding(
            "What inner volumes gain grows with congestion: deep overlaps gain more than shallow ones, and more of them are accepted early.",
            congested(meshes),
        ),
    ]
}

/// Whether a claim holds with the numbers found; not tested where a group of them is empty, as can
/// be with very few placements.
fn finding(claim: &'static str, found: Option<(bool, String)>) -> Finding {
    match found {
        Some((holds, here)) => Finding::tried(claim, holds, here),
        None => Finding { claim, verdict: Verdict::Untested, here: "too little was measured to tell.".into() },
    }
}

/// The least and the largest number; none where there is none.
fn range(numbers: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let wider = |(least, largest): (f64, f64), x: f64| (least.min(x), largest.max(x));
    numbers.into_iter().filter(|x| x.is_finite()).map(|x| (x, x)).reduce(|range, (x, _)| wider(range, x))
}

fn most_by_inner(decided: &[Decided]) -> Option<(bool, String)> {
    let (least, largest) = range(decided.iter().map(Decided::inner_share))?;
    let collide = decided.iter().filter(|sample| sample.inner_share().is_finite());
    let holds = collide.into_iter().all(|sample| sample.by_inner > sample.by_faces);
    Some((holds, format!("they decide {:.0} to {:.0} %.", least * 100.0, largest * 100.0)))
}

fn faster_than_faces(decided: &[Decided]) -> Option<(bool, String)> {
    let (least, largest) = range(decided.iter().map(|sample| sample.faces_us / sample.inner_us))?;
    Some((least >= 3.0, format!("{least:.1} to {largest:.1} times less.")))
}

fn cubes(decided: &[Decided]) -> Option<(bool, String)> {
    let cubes = || decided.iter().filter(|sample| sample.pair == "cube – cube");
    let others: f64 = cubes().map(|sample| sample.by_faces + sample.by_containment).sum();
    let all = others + cubes().map(|sample| sample.by_inner).sum::<f64>();
    // Of boxes that hardly overlap the search for a common point gives up on some.
    (all > 0.0).then(|| (others == 0.0, format!("all but {others:.0} of {all:.0}, which take a look at faces.")))
}

/// How many times as long as inner boxes the best of some detectors takes at a pair and space; none
/// where none of them was measured.
struct Ratio<'s> {
    pair: &'s str,
    colliding: Option<f64>,
    apart: Option<f64>,
}

/// The ratios at all pairs and spaces, of detectors and of peers.
fn ratios<'s>(samples: &'s [Sample], peers: &[PeerTime], of: impl Fn(&Sample) -> bool) -> Vec<Ratio<'s>> {
    let ratio = |group: &'s [Sample]| {
        // The paper's detector is the first.
        let (own, others) = group.split_first()?;
        let chosen = others.iter().filter(|sample| of(sample));
        let mut times: Vec<[f64; 2]> = chosen.map(|sample| [sample.colliding_us, sample.apart_us]).collect();
        times.extend(peers::times_at(peers, &own.pair, own.space));
        let best = |kind: usize| range(times.iter().map(|times| times[kind])).map(|(best, _)| best);
        let by = |own: f64| move |best: f64| Some(best / own).filter(|ratio| ratio.is_finite());
        let (colliding, apart) = (best(0).and_then(by(own.colliding_us)), best(1).and_then(by(own.apart_us)));
        Some(Ratio { pair: &own.pair, colliding, apart })
    };
    samples.chunk_by(|p, q| p.pair == q.pair && p.space == q.space).filter_map(ratio).collect()
}

fn colliding(ratios: &[Ratio<'_>]) -> Option<(f64, f64)> {
    range(ratios.iter().filter_map(|ratio| ratio.colliding))
}

fn apart(ratios: &[Ratio<'_>]) -> Option<(f64, f64)> {
    range(ratios.iter().filter_map(|ratio| ratio.apart))
}

fn rivals(samples: &[Sample]) -> Option<(bool, String)> {
    let is_tree = |sample: &Sample| sample.name.ends_with(" tree");
    let of =
        |wanted: &dyn Fn(&Sample) -> bool| ratios(samples, &[], |sample| sample.printed.is_some() && wanted(sample));
    let (trees, others, all) = (of(&is_tree), of(&|sample| !is_tree(sample)), of(&|_| true));
    let beaten_apart = |pair: &[Ratio<'_>]| apart(pair).is_some_and(|(least, _)| least > 1.0);
    let holds = colliding(&all)?.0 > 1.0 && all.chunk_by(|p, q| p.pair == q.pair).any(beaten_apart);
    let [tree, other, tree_apart, other_apart] =
        [colliding(&trees)?, colliding(&others)?, apart(&trees)?, apart(&others)?];
    let here = format!(
        "where bodies collide the best of the three trees takes {:.2} to {:.2} times as long, the better one of GJK and closest features {:.2} to {:.2} times, where they \
         do not {:.2} to {:.2} and {:.2} to {:.2} times.",
        tree.0, tree.1, other.0, other.1, tree_apart.0, tree_apart.1, other_apart.0, other_apart.1
    );
    Some((holds, here))
}

fn today(samples: &[Sample], peers: &[PeerTime]) -> Option<(bool, String)> {
    let is_live = |sample: &Sample| sample.printed.is_none() && !sample.name.contains("inner");
    let (gain, most) = colliding(&ratios(samples, &[], |sample| sample.name.starts_with("the same")))?;
    let live = ratios(samples, peers, is_live);
    let ((least, largest), (least_apart, largest_apart)) = (colliding(&live)?, apart(&live)?);
    let mut names: Vec<&str> = Vec::new();
    for name in samples.iter().filter(|sample| is_live(sample)).map(|sample| sample.name).chain(peers::names(peers)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let here = format!(
        "without its inner boxes the same hierarchy takes {gain:.1} to {most:.1} times as long where bodies collide; the best that there \
         is today (of {}) takes {least:.2} to {largest:.2} times as long as inner boxes where they collide and {least_apart:.2} to \
         {largest_apart:.2} times where they do not.",
        names.join("; ")
    );
    Some((gain > 1.0 && least > 1.0 && least_apart > 1.0, here))
}

fn congested(meshes: &[MeshSample]) -> Option<(bool, String)> {
    let is_deep = |sample: &&MeshSample| sample.share < 0.3 && sample.colliding > 0.0;
    let is_shallow = |sample: &&MeshSample| sample.share > 0.9 && sample.share < 1.0 && sample.colliding > 0.0;
    let best = |sample: &MeshSample| sample.us[0].min(sample.us[1]);
    let gain = |sample: &MeshSample| sample.us[2] / best(sample);
    let early = |sample: &MeshSample| sample.decided[0].max(sample.decided[1]);
    let mut pairs = Vec::new();
    for of_mesh in meshes.chunk_by(|p, q| p.mesh == q.mesh) {
        pairs.extend(of_mesh.iter().find(is_deep).zip(of_mesh.iter().find(is_shallow)));
    }
    let grows =
        |(deep, shallow): &(&MeshSample, &MeshSample)| gain(deep) > gain(shallow) && early(deep) > early(shallow);
    let deep = || pairs.iter().map(|(deep, _)| *deep);
    let shallow = || pairs.iter().map(|(_, shallow)| *shallow);
    let (least, largest) = range(deep().map(gain))?;
    let (worst, most) = range(shallow().map(gain))?;
    let (fewest, all) = range(deep().map(early))?;
    let (fewest_shallow, all_shallow) = range(shallow().map(early))?;
    let (least_default, largest_default) = range(deep().map(|sample| sample.us[3] / best(sample)))?;
    let percent = |share: f64| share * 100.0;
    let here = format!(
        "beyond the paper, for closed meshes that are not convex, each of them: deep overlaps take {least:.1} to {largest:.1} times as long without \
         inner volumes, which decide {:.0} to {:.0} % of them, shallow ones {worst:.2} to {most:.2} times, of which they decide {:.0} to {:.0} %; \
         the default tree takes {least_default:.1} to {largest_default:.1} times as long for deep ones.",
        percent(fewest),
        percent(all),
        percent(fewest_shallow),
        percent(all_shallow)
    );
    Some((pairs.iter().all(grows), here))
}

#[cfg(test)]
mod tests {
    use super::super::peer_times;
    use super::*;

    /// Table 3 with the paper's detector, its plain hierarchy, a tree, GJK and polyhedra: µs where
    /// bodies collide, and where they do not.
    fn samples(apart: [f64; 2]) -> Vec<Sample> {
        let mut samples = Vec::new();
        for (pair, apart) in ["icosahedron – octahedron", "cube – antiprism"].into_iter().zip(apart) {
            for space in [0.25, 0.75] {
                let mut add = |name, printed, colliding_us, apart_us| {
                    samples.push(Sample { pair: pair.into(), space, name, printed, colliding_us, apart_us });
                };
                add("inner boxes", Some("PROPUESTO"), 1.0, 1.0);
                add("the same without inner", None, 2.0, 1.0);
                add("obb tree", Some("RAPID"), 3.0, apart);
                add("closest features", Some("I-COLLIDE"), 4.0, 2.0 * apart);
                add("polyhedra", None, 5.0, 6.0);
            }
        }
        samples
    }

    #[test]
    fn rivals_are_beaten_if_they_are_slower_on_one_pair_that_is_apart_too() {
        assert!(rivals(&samples([0.5, 2.0])).unwrap().0);
        assert!(!rivals(&samples([0.5, 0.9])).unwrap().0);
        let mut faster = samples([2.0, 2.0]);
        faster[2].colliding_us = 0.9;
        assert!(!rivals(&faster).unwrap().0);
    }

    #[test]
    fn a_peer_that_is_faster_than_inner_boxes_counts_as_todays_best() {
        assert!(today(&samples([2.0; 2]), &[]).unwrap().0);
        let line = r#"{"scene":"boxes-cube-antiprism-75-separated","query":"collide","engine":"coal","us":0.5,"n":9}"#;
        let (holds, here) = today(&samples([2.0; 2]), &peer_times(line).unwrap()).unwrap();
        assert!(!holds && here.contains("(of polyhedra; coal)") && here.contains("0.50 to 6.00 times"), "{here}");
    }

    fn mesh_sample(share: f64, decided: f64, us: f64) -> MeshSample {
        let us = [us, 2.0 * us, 8.0, 4.0];
        MeshSample {
            mesh: "torus",
            triangles: 9,
            share,
            colliding: 1.0,
            decided: [decided, 0.0],
            us,
            build_ms: [0.0; 4],
        }
    }

    #[test]
    fn congestion_pays_if_deep_overlaps_gain_more_and_are_decided_more_often_than_shallow_ones() {
        let meshes = |deep: (f64, f64)| [mesh_sample(0.2, deep.0, deep.1), mesh_sample(0.95, 0.5, 4.0)];
        assert!(congested(&meshes((0.9, 1.0))).unwrap().0);
        // Both gain, the deep ones less; or they are decided less often.
        assert!(!congested(&meshes((0.9, 5.0))).unwrap().0);
        assert!(!congested(&meshes((0.4, 1.0))).unwrap().0);
    }

    #[test]
    fn cubes_that_faces_decide_are_not_decided_by_inner_boxes() {
        let by = |by_faces| Decided {
            pair: "cube – cube".into(),
            space: 0.25,
            by_inner: 20_000.0,
            inner_us: 1.0,
            by_faces,
            faces_us: f64::NAN,
            by_containment: 0.0,
        };
        assert!(cubes(&[by(0.0)]).unwrap().0 && !cubes(&[by(1.0)]).unwrap().0);
        // No other pair, and no collision by faces: that group is empty.
        assert!(faster_than_faces(&[by(0.0)]).is_none());
    }

    #[test]
    fn what_was_not_measured_is_not_tested_and_has_no_numbers() {
        for Finding { verdict, here, .. } in all(&[], &[], &[], &[]) {
            assert_eq!((verdict, &*here), (Verdict::Untested, "too little was measured to tell."));
        }
    }
}
