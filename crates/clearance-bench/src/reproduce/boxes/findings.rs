//! What the paper found, and whether it is found here.

use super::measure::{Decided, Sample};
use super::meshes::MeshSample;
use crate::reproduce::Finding;

/// One sentence per finding.
pub(super) fn all(decided: &[Decided], samples: &[Sample], meshes: &[MeshSample]) -> Vec<Finding> {
    vec![
        most_by_inner(decided),
        faster_than_faces(decided),
        cubes(decided),
        rivals(samples),
        today(samples),
        congested(meshes),
    ]
}

fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers
        .filter(|x| !x.is_nan())
        .fold((f64::INFINITY, 0.0), |(least, largest), x| (least.min(x), f64::max(largest, x)))
}

fn most_by_inner(decided: &[Decided]) -> Finding {
    let (least, largest) = range(decided.iter().map(Decided::inner_share));
    Finding::tried(
        "Boxes inside of both bodies decide more collisions than polygon faces do (63 to 100 %).",
        least > 0.5,
        format!("they decide {:.0} to {:.0} %.", least * 100.0, largest * 100.0),
    )
}

fn faster_than_faces(decided: &[Decided]) -> Finding {
    let (least, largest) = range(decided.iter().map(|sample| sample.faces_us / sample.inner_us));
    Finding::tried(
        "A collision that inner boxes decide takes much less time than one that faces decide (3 to 98 times less).",
        least > 3.0,
        format!("{least:.1} to {largest:.1} times less."),
    )
}

fn cubes(decided: &[Decided]) -> Finding {
    let cubes = decided.iter().filter(|sample| sample.pair == "cube – cube");
    let others: f64 = cubes.clone().map(|sample| sample.by_faces + sample.by_containment).sum();
    let all: f64 = cubes.map(|sample| sample.by_inner).sum();
    Finding::tried(
        "Inner boxes decide all collisions of cubes, which are their own inner boxes.",
        others <= 1e-3 * all,
        format!("{others:.0} of {:.0} take a look at faces.", all + others),
    )
}

/// The samples of a pair and space, the paper's detector first.
fn groups(samples: &[Sample]) -> impl Iterator<Item = &[Sample]> {
    samples.chunk_by(|p, q| p.pair == q.pair && p.space == q.space)
}

/// The time of the best of some detectors by that of inner boxes, colliding and apart, over pairs and spaces.
fn ratios(samples: &[Sample], of: impl Fn(&Sample) -> bool) -> [Vec<f64>; 2] {
    let ratio = |time: fn(&Sample) -> f64| {
        let best =
            |group: &[Sample]| group[1..].iter().filter(|sample| of(sample)).map(time).fold(f64::INFINITY, f64::min);
        groups(samples).map(|group| best(group) / time(&group[0])).collect()
    };
    [ratio(|sample| sample.colliding_us), ratio(|sample| sample.apart_us)]
}

fn rivals(samples: &[Sample]) -> Finding {
    let is_tree = |sample: &Sample| sample.name.ends_with(" tree");
    let of = |trees: bool| ratios(samples, move |sample| sample.printed.is_some() && is_tree(sample) == trees);
    let [[tree, tree_apart], [gjk, gjk_apart]] = [true, false].map(|trees| of(trees).map(|all| range(all.into_iter())));
    Finding::tried(
        "Inner boxes beat the five rivals wherever bodies collide (the best one takes 3.1 to 6 times as long), and on one pair of two \
         where they do not.",
        tree.0 > 1.0 && gjk.0 > 1.0,
        format!(
            "where bodies collide the best of the three trees takes {:.2} to {:.2} times as long, the better one of GJK and closest features {:.2} to {:.2} times, where they \
             do not {:.2} to {:.2} and {:.2} to {:.2} times.",
            tree.0, tree.1, gjk.0, gjk.1, tree_apart.0, tree_apart.1, gjk_apart.0, gjk_apart.1
        ),
    )
}

fn today(samples: &[Sample]) -> Finding {
    let [with, _] = ratios(samples, |sample| sample.name.starts_with("the same"));
    let [live, live_apart] = ratios(samples, |sample| sample.printed.is_none() && !sample.name.contains("inner"));
    let ((gain, most), (least, largest)) = (range(with.into_iter()), range(live.into_iter()));
    let (least_apart, largest_apart) = range(live_apart.into_iter());
    Finding::tried(
        "Inner boxes are what makes the detector fast, so that the double hierarchy is the method of choice for convex polyhedra.",
        gain > 1.0 && least > 1.0 && least_apart > 1.0,
        format!(
            "without its inner boxes the same hierarchy takes {gain:.1} to {most:.1} times as long where bodies collide; the best that there \
             is today (our polyhedra and default tree, parry) takes {least:.2} to {largest:.2} times as long as inner boxes where they collide \
             and {least_apart:.2} to {largest_apart:.2} times where they do not."
        ),
    )
}

fn congested(meshes: &[MeshSample]) -> Finding {
    let deep = |sample: &&MeshSample| sample.share < 0.3 && sample.colliding > 0.0;
    let shallow = |sample: &&MeshSample| sample.share > 0.9;
    let gain = |sample: &MeshSample| sample.us[2] / sample.us[0].min(sample.us[1]);
    let (least, largest) = range(meshes.iter().filter(deep).map(gain));
    let (worst, best) = range(meshes.iter().filter(shallow).map(gain));
    let (least_default, largest_default) =
        range(meshes.iter().filter(deep).map(|sample| sample.us[3] / sample.us[0].min(sample.us[1])));
    Finding::tried(
        "What inner volumes gain grows with congestion: the deeper bodies overlap, the more of them are accepted early.",
        least > best.min(1.0),
        format!(
            "beyond the paper, for closed meshes that are not convex: deep overlaps take {least:.1} to {largest:.1} times as long without \
             inner volumes, shallow ones and bodies just apart {worst:.2} to {best:.2} times; the default tree takes \
             {least_default:.1} to {largest_default:.1} times as long for deep ones."
        ),
    )
}
