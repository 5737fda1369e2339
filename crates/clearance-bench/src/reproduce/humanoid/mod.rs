//! Steinbach, Kuffner, Asfour and Dillmann, *Efficient Collision and Self-Collision Detection for
//! Humanoids Based on Sphere Trees Hierarchies* (2006): Figs. 4, 9a, 9b, 10a and 10b, caching of
//! moved centres, the order of an articulated node's children; and the articulated runs of the
//! k-IOS paper (Zhang and Kim, 2012, section V), which [`super::kios`] leaves out.
//!
//! The figures' numbers are not in print, so each is compared with what the text says of it. ARMAR
//! and its kitchen are not to be had: the built-in humanoid has as many joints and triangles as
//! ARMAR, the built-in kitchen as many triangles as theirs. Fig. 9a is of two cubes, as in the
//! paper. Everything on the scene is measured twice: under the paper's compact sphere trees, by
//! which it is judged, and under the engine's default tree. Every query is from scratch (the paper
//! keeps nothing between queries but the bounds that it is given), except where a table says
//! otherwise.

mod caching;
mod duets;
mod findings;
mod order;
mod plots;
mod range;
mod robots;
mod spheres;
mod stage;
mod tables;

use super::{Effort, Report};
use crate::Result;
use clearance_engine::math::DVec3;
use stage::{Act, Moment, Stage, Target};
use std::ops::Range;

/// By how much the motion is shifted, in metres, so that the right hand comes within the margin of
/// a cup: the recorded one keeps 10.6 mm, more than the paper's margin of 10.
const APPROACH: DVec3 = DVec3::new(0.0, 0.012, 0.0);
/// The seconds of the motion in which it comes near: the right hand to a cup, the left one to a
/// bowl.
const NEAR: Range<f64> = 8.0..13.5;

/// All of the motion.
const WHOLE: Range<f64> = 0.0..f64::INFINITY;

/// How large the bodies are that everything is measured with.
struct Size {
    /// Cuts along the edges of cubes.
    cuts: u32,
    /// The same for the L.
    l_cuts: u32,
    /// Poses of the cubes at each gap.
    poses: usize,
    /// Points around a casing of the generated robots.
    around: usize,
    /// Which objects the kitchen has.
    wanted: fn(&str) -> bool,
}

/// As in the paper, or of the same order.
const FULL: Size = Size { cuts: 16, l_cuts: 6, poses: 8, around: 16, wanted: |_| true };

/// Configurations of two robots, at a stride of 1.
const CONFIGURATIONS: usize = 72;
/// Sphere trees are asked at one of so many moments that the default tree is asked at: they take a
/// hundred times as long.
const SPARSER: usize = 4;

/// The experiments on the scene under one kind of tree.
struct OnStage {
    tree: String,
    seconds: Vec<f64>,
    max_d: Vec<range::Sample>,
    tolerance: Vec<range::Sample>,
    /// Distances to itself, by tolerance and moment.
    own: Vec<Vec<Moment>>,
    approach: range::Approach,
}

/// Everything that was measured.
struct Measured {
    levels: Vec<spheres::Level>,
    cubes: Vec<spheres::Cubes>,
    /// The paper's trees first.
    stages: Vec<OnStage>,
    caching: Vec<caching::Sample>,
    order: Vec<order::Sample>,
    duets: Vec<duets::Sample>,
}

/// Measures and compares.
pub fn run(effort: &Effort, progress: &mut dyn FnMut(f64)) -> Result<Report> {
    report(&measure(&FULL, effort, progress)?, effort)
}

fn report(measured: &Measured, effort: &Effort) -> Result<Report> {
    let findings = findings::all(measured);
    let mut json = tables::json(measured);
    json.extend(findings.iter().map(|finding| finding.json("humanoid")));
    Ok(Report { notes: vec![note(effort)], tables: tables::all(measured), findings, plots: plots::all(measured), json })
}

fn note(effort: &Effort) -> String {
    format!(
        "Sphere trees for humanoids (Steinbach, Kuffner, Asfour and Dillmann, 2006). One moment in {} of the built-in motion ({} for\n\
         sphere trees), one core, nothing remembered between queries but along coherent configurations of two robots.",
        effort.stride,
        effort.stride.saturating_mul(SPARSER)
    )
}

fn repeats(effort: &Effort) -> usize {
    effort.rounds.max(1) + 1
}

fn measure(size: &Size, effort: &Effort, progress: &mut dyn FnMut(f64)) -> Result<Measured> {
    let levels = spheres::levels(size.l_cuts)?;
    let cubes = spheres::cubes(size.cuts, size.poses, effort, &mut |share| progress(0.3 * share))?;
    let act = Act::new(size.wanted)?;
    let [spheres, default] = stage::trees();
    let mut stage = Stage::build(&act, &spheres)?;
    stage.place(&act, effort.stride.max(1).saturating_mul(SPARSER), WHOLE, DVec3::ZERO)?;
    progress(0.5);
    let caching = caching::measure(&stage, size.cuts, effort.least, effort.rounds)?;
    let on_spheres = on_stage(&act, &mut stage, effort)?;
    progress(0.7);
    let mut stage = Stage::build(&act, &default)?;
    stage.place(&act, effort.stride, WHOLE, DVec3::ZERO)?;
    let order = order::measure(&stage, &act, repeats(effort))?;
    let stages = vec![on_spheres, on_stage(&act, &mut stage, effort)?];
    let mut report = |share| progress(0.75 + 0.25 * share);
    let count = CONFIGURATIONS / effort.stride.max(1);
    let duets = duets::measure(&robots::duets(size.around)?, count.max(2), effort, &mut report)?;
    Ok(Measured { levels, cubes, stages, caching, order, duets })
}

/// All experiments at the moments that `stage` has, then those near the kitchen.
fn on_stage(act: &Act, stage: &mut Stage, effort: &Effort) -> Result<OnStage> {
    let repeats = repeats(effort);
    let (mut tolerance, own) = range::tolerance(stage, Target::Own, repeats)?;
    tolerance.extend(range::tolerance(stage, Target::Room, repeats)?.0);
    let max_d = range::max_d(stage, repeats)?;
    let (tree, seconds) = (stage.tree.clone(), stage.seconds.clone());
    stage.place(act, effort.stride, NEAR, APPROACH)?;
    let approach = range::Approach::measure(stage, repeats)?;
    Ok(OnStage { tree, seconds, max_d, tolerance, own, approach })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;
    use std::time::Duration;

    /// The objects that the hands come near to.
    const NEAREST: [&str; 2] = ["counter cup 1", "counter bowl"];
    const TINY: Size = Size { cuts: 4, l_cuts: 2, poses: 2, around: 8, wanted: |name| NEAREST.contains(&name) };

    const EFFORT: Effort = Effort { stride: 12, rounds: 1, least: Duration::ZERO };
    static MEASURED: LazyLock<Measured> = LazyLock::new(|| measure(&TINY, &EFFORT, &mut |_| ()).unwrap());

    fn total(moments: &[Moment]) -> f64 {
        moments.iter().map(tables::tests).sum()
    }

    #[test]
    fn all_variants_of_every_experiment_agree_and_save_what_they_are_for() {
        let measured = &*MEASURED;
        for sample in &measured.cubes {
            let allowed = if sample.rel_err == 0.0 { 1e-9 } else { sample.rel_err / (1.0 - sample.rel_err) };
            assert!(sample.spread <= allowed * 1.02, "{sample:?}");
        }
        for level in &measured.levels {
            assert!(level.volumes[spheres::COMPACT] <= level.volumes[spheres::GREEDY] * 1.00001, "{level:?}");
        }
        for direction in spheres::DIRECTIONS {
            let root = measured.levels.iter().find(|level| level.direction == direction.1).unwrap();
            assert!(root.volumes[spheres::COMPACT] < 0.6 * root.volumes[spheres::GREEDY], "{root:?}");
        }
        assert!(measured.caching.iter().all(|sample| sample.agree && sample.pairs > 0), "{:?}", measured.caching);
        let distances = |i: usize| &measured.order[i].distances;
        for i in 1..measured.order.len() {
            let equal = distances(0).iter().zip(distances(i)).all(|(x, y)| (x - y).abs() <= 1e-9);
            assert!(equal && !distances(0).is_empty(), "{:?}", measured.order);
        }
        for trees in measured.duets.chunks(3) {
            for other in &trees[1..] {
                assert_eq!(other.distances.len(), trees[0].distances.len());
                let largest =
                    trees[0].distances.iter().zip(&other.distances).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(largest <= 1e-9, "{}: {} and {} differ by {largest}", other.robots, other.tree, trees[0].tree);
            }
        }
        let report = report(measured, &EFFORT).unwrap();
        assert!(report.tables.iter().all(|table| table.rows.iter().all(|row| row.len() == table.head.len())));
        assert_eq!(report.plots.len(), 6);
        let empty = |plot: &crate::plot::Plot| plot.panels.iter().any(|panel| panel.extent().is_none());
        assert!(!report.plots.iter().any(empty));
        let unmeasured = report.findings.iter().find(|found| found.here.contains("NaN") || found.here.contains("inf"));
        assert_eq!(unmeasured, None);
    }

    #[test]
    fn a_narrower_range_and_a_tolerance_take_fewer_tests_and_keep_their_promises() {
        let measured = &*MEASURED;
        for stage in &measured.stages {
            for samples in stage.tolerance.chunks(range::TOLERANCES.len()) {
                assert!(samples.iter().all(|sample| sample.error <= sample.value + 1e-12), "{samples:?}");
                assert!(samples[4].volume_tests < samples[0].volume_tests, "{samples:?}");
            }
            for samples in stage.max_d.chunks(range::MAX_D.len()) {
                let tests = |value: f64| samples.iter().find(|sample| sample.value == value).unwrap().volume_tests;
                assert!(tests(0.5) < tests(f64::INFINITY), "{samples:?}");
            }
            let [exact, within] = [0, 2].map(|variant| stage.approach.of(variant, true));
            assert!(!exact.is_empty(), "{}: never within the margin, so min_d shows nothing", stage.tree);
            assert!(total(&within) < total(&exact), "{}: {} {}", stage.tree, total(&within), total(&exact));
            assert!(within.iter().all(|moment| moment.answer.upper <= range::MARGIN));
        }
    }
}
