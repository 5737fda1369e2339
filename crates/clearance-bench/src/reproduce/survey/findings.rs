//! What the survey states, and whether it is so here.

use super::Measured;
use super::bodies::Ordered;
use super::steps::POLYTOPES;
use crate::reproduce::Finding;
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
    Finding::tried(
        "Of all pairs of hyper-trapezoids few overlap: 0.07 % on average.",
        falls && largest(10.0) < 1.0,
        format!(
            "{:.3} % of the pairs of {boxes} boxes over one tick, {:.3} % over 10, {:.2} % over 50; the share {} with the number of boxes{}.",
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
    )
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
