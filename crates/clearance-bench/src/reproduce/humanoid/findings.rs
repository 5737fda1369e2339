//! What the papers found, and whether it is found here.

use super::super::{Finding, Verdict};
use super::duets::{self, KIOS, RSS, Sequence};
use super::order::{NEAREST_FIRST, RIGID_FIRST};
use super::range::Sample;
use super::spheres::{COMPACT, Cubes, GREEDY, WAYS};
use super::stage::{DEFAULT, Target, mean};
use super::{Measured, OnStage, tables};

/// Times closer than this are called equal.
const NOISE: f64 = 1.05;
/// Gaps of the cubes, in edges, from which on they are called far, and up to which near.
const FAR: f64 = 1.0;
const NEAR: f64 = 0.03;

/// One sentence per finding.
pub(super) fn all(measured: &Measured) -> Vec<Finding> {
    let mut findings = vec![
        compact_levels(measured),
        compact_faster(measured),
        tolerance_favours_compact(measured),
        alike_when_near(measured),
    ];
    if let [paper, default, ..] = &measured.stages[..] {
        let stages = [paper, default];
        findings.extend([
            max_d_below(stages),
            max_d_above(stages),
            min_d(stages),
            tolerance(stages),
            tolerance_itself(stages),
        ]);
    }
    findings.extend([caching(measured), rigid_first(measured)]);
    findings.push(robots(
        measured,
        "arms",
        "On two arms k-IOS takes 9.6 ms and PQP 20 (2.1 times), at best 4 times as fast.",
    ));
    let claim = "On two small humanoids k-IOS takes 98 ms and PQP 215 (2.2 times), at best 2.8 times as fast.";
    findings.push(robots(measured, "humanoids", claim));
    findings.push(Finding {
        claim: "Range-of-motion hulls and lookup tables avoid tests of links against each other.",
        verdict: Verdict::Untested,
        here: "the robot's own search uses them (proven gaps instead of booleans); it is not taken apart here."
            .to_owned(),
    });
    findings
}

fn compact_levels(measured: &Measured) -> Finding {
    let ratio = |level: &super::spheres::Level| level.volumes[COMPACT] / level.volumes[GREEDY];
    let inner = || measured.levels.iter().filter(|level| level.depth > 0);
    let best = inner().map(ratio).fold(f64::INFINITY, f64::min);
    let worst = measured.levels.iter().map(ratio).fold(0.0, f64::max);
    let roots: Vec<String> =
        measured.levels.iter().filter(|level| level.depth == 0).map(|level| format!("{:.2}", ratio(level))).collect();
    Finding::tried(
        "Each level of a compact tree holds an L more compactly than the greedy tree's (Fig. 4).",
        worst <= 1.0 + 1e-6,
        format!(
            "the compact spheres have {best:.2} to {worst:.2} times the volume of the greedy ones over all levels, the roots {} \
             times (grouped from the bottom and from the top).",
            roots.join(" and ")
        ),
    )
}

/// The part by which greedy trees take more, over the cubes' samples of the paper's way: the
/// geometric mean of the ratios, as single ones are a hundred times the others.
fn over_cubes(measured: &Measured, wanted: impl Fn(&Cubes) -> bool, extra: fn(&Cubes) -> f64) -> f64 {
    let chosen = measured.cubes.iter().filter(|sample| sample.way == WAYS[0] && wanted(sample));
    let logarithms: Vec<f64> = chosen.map(|sample| extra(sample).ln_1p()).collect();
    (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp_m1()
}

fn compact_faster(measured: &Measured) -> Finding {
    let time = over_cubes(measured, |sample| sample.rel_err == 0.0, Cubes::extra_time);
    let tests = over_cubes(measured, |sample| sample.rel_err == 0.0, Cubes::extra_tests);
    Finding::tried(
        "Compact trees answer faster than greedy ones (Fig. 9a, two cubes).",
        time > NOISE - 1.0,
        format!(
            "greedy ones take {:.0} % more time and {:.0} % more tests, over gaps from 0.01 to 10 edges without tolerance.",
            time * 100.0,
            tests * 100.0
        ),
    )
}

fn tolerance_favours_compact(measured: &Measured) -> Finding {
    let extra =
        |rel_err: f64| over_cubes(measured, |s| s.rel_err == rel_err && s.gap >= FAR, Cubes::extra_time) * 100.0;
    let (exact, rough) = (extra(0.0), extra(0.3));
    Finding::tried(
        "A tolerance of 30 % widens the lead of compact trees (Fig. 9a).",
        rough > exact,
        format!("from a gap of one edge on, greedy takes {exact:.0} % more time at 0 % and {rough:.0} % more at 30 %."),
    )
}

fn alike_when_near(measured: &Measured) -> Finding {
    let extra = |near: bool, rel_err: f64| {
        let wanted = |s: &Cubes| s.rel_err == rel_err && if near { s.gap <= NEAR } else { s.gap >= FAR };
        over_cubes(measured, wanted, Cubes::extra_time) * 100.0
    };
    let (exact, rough) = (extra(true, 0.0), extra(true, 0.3));
    Finding::tried(
        "At small distances both take about the same time (Fig. 9a).",
        exact.abs() < 10.0 && rough.abs() < 10.0,
        format!(
            "up to {NEAR} edges greedy takes {exact:.0} % more at 0 % and {rough:.0} % more at 30 %, from {FAR} edge on {:.0} % and \
             {:.0} %.",
            extra(false, 0.0),
            extra(false, 0.3)
        ),
    )
}

/// The µs of the sample with a value.
fn us(samples: &[Sample], target: Target, value: f64) -> f64 {
    let found = samples.iter().find(|sample| sample.target == target && sample.value == value);
    found.map_or(f64::NAN, |sample| sample.us)
}

/// By how many percent a value of `max_d` shortens the time of none.
fn saved(stage: &OnStage, target: Target, value: f64) -> f64 {
    (1.0 - us(&stage.max_d, target, value) / us(&stage.max_d, target, f64::INFINITY)) * 100.0
}

fn max_d_below([paper, default]: [&OnStage; 2]) -> Finding {
    let of = |stage| [saved(stage, Target::Own, 0.5), saved(stage, Target::Room, 0.5)];
    let ([own, room], [own_default, room_default]) = (of(paper), of(default));
    Finding::tried(
        "A max_d below the distance saves time, to itself (Fig. 9b) and to the kitchen.",
        own > 5.0 && room > 5.0,
        format!(
            "half of the distance saves {own:.0} % to itself and {room:.0} % to the kitchen with compact spheres, {own_default:.0} % \
             and {room_default:.0} % with the {DEFAULT}."
        ),
    )
}

fn max_d_above([paper, default]: [&OnStage; 2]) -> Finding {
    let of = |stage, value| [saved(stage, Target::Own, value), saved(stage, Target::Room, value)];
    let ([near, near_room], [far, far_room]) = (of(paper, 1.1), of(paper, 4.0));
    let [own_default, room_default] = of(default, 1.1);
    Finding::tried(
        "A max_d above the distance saves time too.",
        near > 5.0 && near_room > 5.0,
        format!(
            "1.1 times the distance saves {near:.0} % to itself and {near_room:.0} % to the kitchen with compact spheres, 4 times \
             {far:.0} % and {far_room:.0} %; with the {DEFAULT} 1.1 times saves {own_default:.0} % and {room_default:.0} %."
        ),
    )
}

fn min_d([paper, default]: [&OnStage; 2]) -> Finding {
    let of = |stage: &OnStage| {
        let [without, with] = [0, 2].map(|variant| stage.approach.of(variant, true));
        (
            without.len(),
            mean(&without, |m| m.us),
            mean(&with, |m| m.us),
            mean(&without, tables::tests),
            mean(&with, tables::tests),
        )
    };
    let ((moments, us, us_min, tests, tests_min), (more, d, d_min, ..)) = (of(paper), of(default));
    let claim = "Within the margin, a min_d of 10 mm ends the search much sooner (Fig. 10a).";
    if moments.min(more) == 0 {
        let here = "no moment that was asked about is within the margin.".to_owned();
        return Finding { claim, verdict: Verdict::Untested, here };
    }
    Finding::tried(
        claim,
        us_min * NOISE < us,
        format!(
            "at {moments} moments nearer than that it takes {us_min:.0} µs instead of {us:.0} ({tests_min:.0} instead of {tests:.0} \
             tests) with compact spheres, {d_min:.0} instead of {d:.0} µs with the {DEFAULT}."
        ),
    )
}

/// How many times as fast a tolerance makes a distance.
fn gain(stage: &OnStage, target: Target, rel_err: f64) -> f64 {
    us(&stage.tolerance, target, 0.0) / us(&stage.tolerance, target, rel_err)
}

fn tolerance([paper, default]: [&OnStage; 2]) -> Finding {
    let room = gain(paper, Target::Room, 0.3);
    let made =
        paper.tolerance.iter().filter(|sample| sample.value == 0.3).map(|sample| sample.error).fold(0.0, f64::max);
    Finding::tried(
        "A tolerance speeds up the distance to the kitchen considerably (Fig. 10a).",
        room > 1.2,
        format!(
            "30 % make it {room:.2} times as fast with compact spheres and {:.2} times with the {DEFAULT}; the largest error made is \
             {:.0} %.",
            gain(default, Target::Room, 0.3),
            made * 100.0
        ),
    )
}

fn tolerance_itself([paper, default]: [&OnStage; 2]) -> Finding {
    let (own, room) = (gain(paper, Target::Own, 0.3), gain(paper, Target::Room, 0.3));
    Finding::tried(
        "It does so most for the distance to itself (Fig. 10b).",
        own > room && own > 1.2,
        format!(
            "30 % make it {own:.2} times as fast with compact spheres (the kitchen's {room:.2} times) and {:.2} times with the {DEFAULT}.",
            gain(default, Target::Own, 0.3)
        ),
    )
}

fn caching(measured: &Measured) -> Finding {
    let saved: Vec<f64> = measured.caching.iter().map(|sample| (1.0 - sample.us[2] / sample.us[0]) * 100.0).collect();
    let least = saved.iter().copied().fold(f64::INFINITY, f64::min);
    let each: Vec<String> = measured
        .caching
        .iter()
        .zip(&saved)
        .map(|(sample, saved)| format!("{saved:.0} % on {}", sample.bodies))
        .collect();
    Finding::tried(
        "Keeping moved centres makes queries about 30 % faster (section II-C).",
        least > 15.0,
        format!("it saves {}: moving a centre is a small part of a test here.", each.join(", ")),
    )
}

fn rigid_first(measured: &Measured) -> Finding {
    let of = |order: &str| {
        let found = measured.order.iter().find(|sample| sample.order == order);
        found.map_or((f64::NAN, f64::NAN), |sample| (sample.us, sample.met))
    };
    let ((rigid, met), (nearest, nearest_met)) = (of(RIGID_FIRST), of(NEAREST_FIRST));
    Finding::tried(
        "Children of an articulated node need not be sorted by distance: the rigid part first will do (section III-B).",
        rigid < nearest * NOISE,
        format!(
            "rigid first takes {rigid:.0} µs and {met:.1} pairs of parts, nearest first {nearest:.0} µs and {nearest_met:.1} pairs \
             ({DEFAULT}, the same depth-first search)."
        ),
    )
}

fn robots(measured: &Measured, kind: &str, claim: &'static str) -> Finding {
    let find = |sequence: Sequence, tree: &str| {
        let wanted = |s: &&duets::Sample| s.robots.contains(kind) && s.sequence == sequence && s.tree == tree;
        measured.duets.iter().find(wanted)
    };
    let us = |sequence, tree| find(sequence, tree).map_or(f64::NAN, |sample| sample.us);
    let tests = |tree| find(Sequence::Coherent, tree).map_or(f64::NAN, |sample| sample.volume_tests);
    let gain = |sequence| us(sequence, RSS) / us(sequence, KIOS);
    let (coherent, random) = (gain(Sequence::Coherent), gain(Sequence::Random));
    Finding::tried(
        claim,
        coherent > NOISE,
        format!(
            "k-IOS takes {:.2} ms and rss {:.2} in a motion: {coherent:.2} times as fast, at best {:.1} times, with {:.2} times the tests; \
             {random:.2} times in random configurations; the {DEFAULT} takes {:.2} ms.",
            us(Sequence::Coherent, KIOS) * 1e-3,
            us(Sequence::Coherent, RSS) * 1e-3,
            find(Sequence::Coherent, KIOS).map_or(f64::NAN, |sample| sample.best_gain),
            tests(KIOS) / tests(RSS),
            us(Sequence::Coherent, DEFAULT) * 1e-3
        ),
    )
}
