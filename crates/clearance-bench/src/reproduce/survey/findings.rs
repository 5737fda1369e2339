//! What the survey states, and whether it is so here.

use super::Measured;
use super::bodies::Ordered;
use super::growth::{Growth, Sizes};
use super::hierarchies::Kind;
use super::steps::POLYTOPES;
use crate::reproduce::{Finding, Verdict};
use crate::table::short;
use clearance_engine::world::Order;

/// One sentence per statement.
pub(super) fn all(measured: &Measured) -> Vec<Finding> {
    vec![
        culling(measured),
        applicability(measured),
        sweep(measured),
        awareness(measured),
        trapezoids(measured),
        directional(measured),
        tracking(measured),
        hierarchy(measured),
        programme(measured),
        sizes(measured),
        clutter(measured),
        dops(measured),
        deforming(measured),
        haptics(measured),
    ]
}

/// The factor and the power of the line through points on logarithmic scales: least squares.
pub(super) fn power_law(points: &[(f64, f64)]) -> (f64, f64) {
    let count = points.len() as f64;
    let logs = points.iter().map(|&(x, y)| (x.ln(), y.ln()));
    let (x, y) = logs.clone().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / count, sum.1 + y / count));
    let (over, under) = logs.fold((0.0, 0.0), |sum, (a, b)| (sum.0 + (a - x) * (b - y), sum.1 + (a - x) * (a - x)));
    let power = over / under;
    ((y - power * x).exp(), power)
}

/// The least and the largest of some numbers.
fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, largest), x| (least.min(x), largest.max(x)))
}

fn culling(measured: &Measured) -> Finding {
    let (least, largest) = range(measured.fronts.iter().map(|row| row.kept));
    let tests = range(measured.fronts.iter().map(|row| row.tests[1] / row.tests[0]));
    let different: usize = measured.fronts.iter().map(|row| row.different).sum();
    Finding::tried(
        "Back-face culling by relative motion leaves half of the faces on average (50 %).",
        (0.45..=0.55).contains(&least) && (0.45..=0.55).contains(&largest) && different == 0,
        format!(
            "{:.1} to {:.1} % of the faces are left, and the first contact is another one in {different} cases; under hierarchies, which leave \
             out what is far, that saves less: {:.2} to {:.2} of the tests remain.",
            100.0 * least,
            100.0 * largest,
            tests.0,
            tests.1
        ),
    )
}

fn applicability(measured: &Measured) -> Finding {
    let points = |tests: fn(&super::filters::Pairs) -> f64| -> Vec<(f64, f64)> {
        measured.pairs.iter().map(|row| (row.edges, tests(row))).collect()
    };
    let (_, power) = power_law(&points(|row| row.applicable));
    let constants = range(measured.pairs.iter().map(|row| row.applicable / row.edges));
    let both = range(measured.pairs.iter().map(|row| row.both / row.edges));
    let (_, unfiltered) = power_law(&points(|row| row.all));
    let near_one = |(least, largest): (f64, f64)| least > 0.5 && largest < 2.0;
    Finding::tried(
        "With applicability constraints the number of tests is linear in the number of edges, with a constant close to 1.",
        (power - 1.0).abs() < 0.1 && near_one(constants),
        format!(
            "tests grow with the power {power:.3} of the number of edges (without filters {unfiltered:.2}), {:.2} to {:.2} tests an edge; with \
             back-face culling {:.2} to {:.2}.",
            constants.0, constants.1, both.0, both.1
        ),
    )
}

fn sweep(measured: &Measured) -> Finding {
    let points: Vec<(f64, f64)> = measured.sweeps.iter().map(|row| (row.boxes as f64, row.us)).collect();
    let (_, power) = power_law(&points);
    let mut each = measured.sweeps.iter().map(|row| 1e3 * row.us / row.boxes as f64);
    let (first, last) = (each.clone().next().unwrap_or(f64::NAN), each.next_back().unwrap_or(f64::NAN));
    let linear = power < 1.1;
    // At constant density n boxes have n^(2/3) others beside them along an axis. Counted
    // (docs/notebook.md): exchanges a box grow with that power, overlaps do not, and an exchange
    // takes the same time whatever the number of boxes.
    let why = if linear {
        ""
    } else {
        ": the more boxes there are, the more of them pass each other along an axis in a tick, though no more of them overlap"
    };
    Finding::tried(
        "Under temporal coherence overlaps are found in expected linear time by sorting intervals.",
        linear,
        format!(
            "time grows with the power {power:.2} of the number of boxes, from {first:.0} to {last:.0} ns a box{why}."
        ),
    )
}

/// What an order found with a budget.
fn found(rows: &[Ordered], order: Order, budget: usize) -> Option<&Ordered> {
    rows.iter().find(|row| row.order == order && row.budget == budget)
}

fn awareness(measured: &Measured) -> Finding {
    let claim = "Pairs ordered by the earliest time at which they can meet, by awareness or in a heap, need fewer checks than all in turn.";
    let (rows, pairs) = (&measured.orders, measured.all_pairs);
    let enough = found(rows, Order::Earliest, pairs);
    let budgets: Vec<usize> = rows.iter().filter(|row| row.order == Order::RoundRobin).map(|row| row.budget).collect();
    let each = |order: Order| -> Vec<f64> {
        budgets.iter().filter_map(|&budget| found(rows, order, budget)).map(|row| row.spent.found).collect()
    };
    let [earliest, aware, robin] = [Order::Earliest, Order::Awareness, Order::RoundRobin].map(each);
    let not_worse = |better: &[f64]| better.iter().zip(&robin).all(|(better, robin)| better >= robin);
    let spent = enough.map_or(f64::NAN, |row| row.spent.checks);
    let complete = enough.is_some_and(|row| row.spent.found == 1.0 && row.spent.late == 0.0);
    let percent =
        |shares: &[f64]| shares.iter().map(|share| format!("{:.0}", 100.0 * share)).collect::<Vec<_>>().join(", ");
    Finding::tried(
        claim,
        complete && spent < pairs as f64 && not_worse(&aware) && not_worse(&earliest),
        format!(
            "all contacts are found at once with {spent:.0} checks a tick instead of {pairs}; with budgets of {budgets:?} checks the heap finds \
             {} %, awareness {} %, all in turn {} % of the contacts while they last.",
            percent(&earliest),
            percent(&aware),
            percent(&robin)
        ),
    )
}

fn trapezoids(measured: &Measured) -> Finding {
    let at = |ticks: f64| measured.trapezoids.iter().filter(move |row| row.ticks == ticks);
    let largest = |ticks: f64| at(ticks).next_back().map_or(f64::NAN, |row| 100.0 * row.share);
    let nearest = measured.trapezoids.iter().min_by(|a, b| {
        let off = |share: f64| (share / super::PRINTED_SHARE).ln().abs();
        off(a.share).total_cmp(&off(b.share))
    });
    let falls = at(10.0).count() > 1 && at(10.0).zip(at(10.0).skip(1)).all(|(few, many)| many.share < few.share);
    let boxes = measured.trapezoids.last().map_or(0, |row| row.boxes);
    // At one density each box meets as many others, however many there are: the share says how many
    // there are, not how good the test is.
    let claim = "Of all pairs of hyper-trapezoids few overlap: 0.07 % on average.";
    let each = range(at(10.0).map(|row| 2.0 * row.pairs as f64 / row.boxes as f64));
    Finding {
        claim,
        verdict: if falls { Verdict::Depends } else { Verdict::Fails },
        here: format!(
            "on the density, and on how many bodies there are: a box meets {:.2} to {:.2} others over 10 ticks, however many there are; {:.3} % of the pairs of {boxes} boxes over one tick, {:.3} % over 10, {:.2} % over 50; the share {} with the number of boxes{}.",
            each.0,
            each.1,
            largest(1.0),
            largest(10.0),
            largest(50.0),
            if falls { "falls" } else { "does not fall" },
            nearest.map_or(String::new(), |row| format!(
                "; nearest to print is {:.3} %, of {} boxes and {} ticks",
                100.0 * row.share,
                row.boxes,
                row.ticks
            ))
        ),
    }
}

fn directional(measured: &Measured) -> Finding {
    let of = |polytopes: bool| measured.steps.iter().filter(move |row| (row.bodies == POLYTOPES) == polytopes);
    let (least, largest) = range(of(true).map(|row| row.steps[0] / row.steps[1]));
    let others = range(of(false).map(|row| row.steps[0] / row.steps[1]));
    let different: usize = measured.steps.iter().map(|row| row.different).sum();
    let mean = |side: usize| {
        let count: usize = of(true).map(|row| row.count).sum();
        of(true).map(|row| row.steps[side] * row.count as f64).sum::<f64>() / count as f64
    };
    Finding::tried(
        "For convex polytopes directional information (projections on the line between the closest points) allows longer steps than distance alone.",
        mean(0) > 1.1 * mean(1) && different == 0,
        format!(
            "{:.1} steps a motion by distance alone, {:.1} with the direction, {least:.2} to {largest:.2} times as many by kind of motion; \
             tori, which are not convex, {:.2} to {:.2} times; both disagree on {different} motions.",
            mean(0),
            mean(1),
            others.0,
            others.1
        ),
    )
}

/// The power with which something grows with the number of vertices.
fn power(measured: &Measured, of: fn(&Growth) -> f64) -> f64 {
    let points: Vec<(f64, f64)> = measured.growth.iter().map(|row| (row.vertices as f64, of(row))).collect();
    power_law(&points).1
}

/// From the smallest to the largest bodies: what `of` is for both, and how many vertices they have.
fn ends(measured: &Measured, unit: &str, of: fn(&Growth) -> f64) -> String {
    let end = |row: Option<&Growth>| row.map_or((0, f64::NAN), |row| (row.vertices, of(row)));
    let ((few, first), (many, last)) = (end(measured.growth.first()), end(measured.growth.last()));
    format!("{}{unit} for {few} vertices, {}{unit} for {many}", short(first), short(last))
}

fn tracking(measured: &Measured) -> Finding {
    let (steps, ns) = (power(measured, |row| row.tracked[0]), power(measured, |row| row.tracked[1]));
    let most = measured.growth.iter().map(|row| row.tracked[0]).fold(0.0, f64::max);
    Finding::tried(
        "With the closest features of the last step at hand, the distance of convex polyhedra takes expected constant time.",
        // Features get smaller with n^(-1/2): so many more of them could a step cross.
        steps < 0.34 && most < 8.0,
        format!(
            "pairs of features looked at in a step of a hundredth of the radius grow with the power {steps:.2} of the number of vertices ({}), \
             as a step crosses more of smaller features; time grows with the power {ns:.2}.",
            ends(measured, "", |row| row.tracked[0])
        ),
    )
}

fn hierarchy(measured: &Measured) -> Finding {
    let power = power(measured, |row| row.hierarchy);
    let logarithm = |row: Option<&Growth>| row.map_or(f64::NAN, |row| (row.vertices as f64).log2().powi(2));
    let printed = logarithm(measured.growth.last()) / logarithm(measured.growth.first());
    let grown = measured.growth.last().map_or(f64::NAN, |row| row.hierarchy)
        / measured.growth.first().map_or(f64::NAN, |row| row.hierarchy);
    Finding::tried(
        "Over Dobkin and Kirkpatrick's hierarchy the distance of convex polyhedra takes O(log n log m).",
        grown < 1.5 * printed,
        format!(
            "{}: {grown:.1} times as long, where the squares of the logarithms are {printed:.1} times as large; the power of the number of \
             vertices is {power:.2}.",
            ends(measured, " ns", |row| row.hierarchy)
        ),
    )
}

fn programme(measured: &Measured) -> Finding {
    let power = power(measured, |row| row.plane);
    Finding::tried(
        "Whether convex polyhedra overlap is decided in linear time, as a linear programme in three variables.",
        power < 1.1,
        format!("{}: the power {power:.2} of the number of vertices.", ends(measured, " ns", |row| row.plane)),
    )
}

fn sizes(measured: &Measured) -> Finding {
    // As many boxes of ever wider ranges, and ever more boxes of one range.
    let few = measured.sizes.first().map_or(0, |row| row.boxes);
    let wider = || measured.sizes.iter().filter(move |row| row.boxes == few);
    let factor = |row: &Sizes| row.ns / (1.0 + row.ratio.log2());
    let (least, most) = range(wider().map(factor));
    let first = wider().next().map_or(f64::NAN, factor);
    let one = wider()
        .map(|row| row.ratio)
        .filter(|ratio| measured.sizes.iter().filter(|row| row.ratio == *ratio).count() > 1);
    let one = one.fold(f64::NAN, |_, ratio| ratio);
    let more: Vec<(f64, f64)> = measured
        .sizes
        .iter()
        .filter(|row| row.ratio == one)
        .map(|row| (row.boxes as f64, row.ns * row.boxes as f64))
        .collect();
    let (_, power) = power_law(&more);
    Finding::tried(
        "Overlaps of n boxes are found in O(n(1 + log R)), R being the ratio of the largest to the smallest box.",
        most <= 1.5 * first && power < 1.15,
        format!(
            "the grid of all scales here takes {least:.0} to {most:.0} ns a box and 1 + log₂ R, {first:.0} where all boxes are alike; time grows with \
             the power {power:.2} of the number of boxes."
        ),
    )
}

fn kind<'m>(measured: &'m Measured, name: &str) -> Option<&'m Kind> {
    measured.kinds.iter().find(|kind| kind.name == name)
}

/// What `of` is of spheres, axis-aligned boxes, oriented boxes and k-DOPs.
fn of_kinds(measured: &Measured, of: fn(&Kind) -> f64) -> [f64; 4] {
    ["sphere", "aabb", "obb", "kdop18"].map(|name| kind(measured, name).map_or(f64::NAN, of))
}

fn clutter(measured: &Measured) -> Finding {
    let [sphere, aabb, obb, _] = of_kinds(measured, |kind| kind.volume_tests);
    let us = of_kinds(measured, |kind| kind.us);
    Finding::tried(
        "In cluttered environments oriented boxes perform better than axis-aligned ones or spheres: fewer overlaps of volumes are reported.",
        obb < aabb && obb < sphere,
        format!(
            "{obb:.0} tests of volumes a query with oriented boxes, {aabb:.0} with axis-aligned ones, {sphere:.0} with spheres; {}, {} and {} µs.",
            short(us[2]),
            short(us[1]),
            short(us[0])
        ),
    )
}

fn dops(measured: &Measured) -> Finding {
    let [_, _, obb, dop] = of_kinds(measured, |kind| kind.us);
    let [_, _, obb_tests, dop_tests] = of_kinds(measured, |kind| kind.volume_tests);
    Finding::tried(
        "k-DOPs compare favourably with oriented boxes.",
        dop < obb,
        format!(
            "{} µs a query with 18-DOPs, {} with oriented boxes, whose {obb_tests:.0} tests of volumes are {:.2} times theirs; bodies that turn against \
             each other are included.",
            short(dop),
            short(obb),
            obb_tests / dop_tests
        ),
    )
}

fn deforming(measured: &Measured) -> Finding {
    let [_, aabb, obb, _] = of_kinds(measured, |kind| kind.refit);
    let [_, aabb_build, obb_build, _] = of_kinds(measured, |kind| kind.build);
    let [_, aabb_floats, obb_floats, _] = of_kinds(measured, |kind| kind.floats as f64);
    Finding::tried(
        "Trees of axis-aligned boxes need less memory than those of oriented ones, are faster to build, and faster yet to update when a body \
         deforms.",
        aabb_floats < obb_floats && aabb_build < obb_build && aabb < aabb_build && aabb < obb_build,
        format!(
            "{aabb_floats:.0} floats a box instead of {obb_floats:.0}, built in {} ms instead of {}; to refit them takes {} ms, {:.1} times less \
             than to build oriented ones again, and {:.1} times less than to refit those.",
            short(aabb_build),
            short(obb_build),
            short(aabb),
            obb_build / aabb,
            obb / aabb
        ),
    )
}

fn haptics(measured: &Measured) -> Finding {
    let [apart, in_contact] = measured.haptics;
    Finding::tried(
        "Haptic interfaces need one kHz, and algorithms reach that for a probe point, not for one body in contact with another.",
        in_contact > 1000.0,
        format!(
            "99 % of the steps of a tool of 5,120 triangles at a model take up to {} µs apart and {} in contact, signed distance and direction \
             included.",
            short(apart),
            short(in_contact)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_again() {
        let points: Vec<(f64, f64)> = (1..9).map(|i| f64::from(i * i)).map(|x| (x, 0.7 * x.powf(1.3))).collect();
        let (factor, power) = power_law(&points);
        assert!((factor - 0.7).abs() < 1e-12 && (power - 1.3).abs() < 1e-12, "{factor} {power}");
    }
}
