//! Survey 4.3: many bodies, on the boxes of `clearance bench world`.

use super::Effort;
use crate::many::{Spent, overlapping_trapezoids, spend, sweep_us};
use crate::{Error, Result};
use clearance_engine::world::Order;

/// Boxes and the microseconds a tick that sweep and prune takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sweep {
    pub(super) boxes: usize,
    pub(super) us: f64,
}

/// Ever more boxes in a cube of constant density, the best of some rounds.
pub(super) fn sweeps(effort: &Effort) -> Result<Vec<Sweep>> {
    let (largest, ticks) = if effort.stride > 10 { (1000, 10) } else { (16_000, 100) };
    let sizes = std::iter::successors(Some(250), |&size| (size < largest).then_some(2 * size));
    let one = |boxes: usize| {
        let rounds = (0..effort.rounds.max(1)).map(|_| sweep_us(boxes, ticks));
        let best = rounds.reduce(|a, b| Ok::<_, Error>(a?.min(b?))).unwrap_or(Ok(f64::NAN))?;
        Ok(Sweep { boxes, us: best })
    };
    sizes.map(one).collect()
}

/// The share of pairs whose hyper-trapezoids overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Trapezoids {
    pub(super) boxes: usize,
    pub(super) ticks: f64,
    pub(super) pairs: usize,
    pub(super) share: f64,
}

/// Some numbers of boxes over some numbers of ticks.
pub(super) fn trapezoids(effort: &Effort) -> Result<Vec<Trapezoids>> {
    let sizes: &[usize] = if effort.stride > 10 { &[250, 500] } else { &[500, 1000, 2000, 4000] };
    let mut rows = Vec::new();
    for &boxes in sizes {
        for ticks in [1.0, 10.0, 50.0] {
            let (pairs, share) = overlapping_trapezoids(boxes, ticks)?;
            rows.push(Trapezoids { boxes, ticks, pairs, share });
        }
    }
    Ok(rows)
}

/// What an order of pairs finds with a budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ordered {
    pub(super) order: Order,
    pub(super) budget: usize,
    pub(super) spent: Spent,
}

/// All orders with some budgets, and how many pairs there are.
pub(super) fn orders(effort: &Effort) -> Result<(Vec<Ordered>, usize)> {
    let (boxes, ticks) = if effort.stride > 10 { (60, 60) } else { (300, 300) };
    let pairs = boxes * (boxes - 1) / 2;
    let mut rows = Vec::new();
    for part in [64, 16, 4] {
        for order in [Order::Earliest, Order::Awareness, Order::RoundRobin] {
            let budget = pairs / part;
            rows.push(Ordered { order, budget, spent: spend(boxes, ticks, order, budget)? });
        }
    }
    // As many as there are: what is looked at is what has to be.
    rows.push(Ordered { order: Order::Earliest, budget: pairs, spent: spend(boxes, ticks, Order::Earliest, pairs)? });
    Ok((rows, pairs))
}
