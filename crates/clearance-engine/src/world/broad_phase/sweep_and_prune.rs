//! Sweep and prune (sort and sweep): the end points of all boxes, sorted on three axes and kept
//! sorted.
//!
//! From one update to the next little changes, so insertion sort takes expected linear time (Cohen,
//! Lin, Manocha and Ponamgi, *I-COLLIDE*, 1995; survey 4.3). Where a lower end moves below an upper
//! one, two intervals begin to overlap. Each two end points change places at most once, so the
//! search tests a pair once an axis at most. I-COLLIDE counts the axes on which a pair overlaps.
//! Here the boxes decide, and a pair belongs to the first axis on which its former boxes were
//! apart.
//!
//! Where coherence fails (many new bodies, or more exchanges than sorting would take) the update
//! sorts the axes from scratch and sweeps once.
//!
//! Invariant: each axis is sorted by value, at equal values lower ends first, so that boxes that
//! touch overlap. Cost: one pass over all end points and one exchange for each two that changed
//! their order.

use super::{BroadPhase, Tracked};
use crate::world::WorldBox;

/// An end of an interval: its value in a form whose order is that of integers (32 bits), whether it
/// is the upper end (1), the body (31).
type End = u64;

const UPPER: u64 = 1 << 31;

/// Exchanges for each end point beyond which sorting from scratch is faster.
const MAX_EXCHANGES: usize = 40;

#[inline]
fn end(value: f32, upper: bool, body: u32) -> End {
    let bits = value.to_bits();
    // Negative numbers run backwards.
    let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
    u64::from(ordered) << 32 | if upper { UPPER } else { 0 } | u64::from(body)
}

#[inline]
fn body(end: End) -> u32 {
    (end & (UPPER - 1)) as u32
}

#[inline]
fn is_upper(end: End) -> bool {
    end & UPPER != 0
}

/// A broad phase by sweep and prune: sorted end points on three axes.
#[derive(Default)]
pub struct SweepAndPrune {
    axes: [Vec<End>; 3],
    /// The bodies whose interval has begun and not ended, during a sweep.
    open: Vec<u32>,
}

impl BroadPhase for SweepAndPrune {
    fn update(&mut self, tracked: &Tracked, changed: &[u32], found: &mut Vec<[u32; 2]>) {
        if changed.is_empty() {
            return;
        }
        let fresh = |&&body: &&u32| tracked.before[body as usize].is_empty() && !tracked.now[body as usize].is_empty();
        let come = changed.iter().filter(fresh).count();
        for (axis, ends) in self.axes.iter_mut().enumerate() {
            refresh(ends, tracked, axis);
            for &body in changed.iter().filter(fresh) {
                let new = &tracked.now[body as usize];
                ends.extend([end(new.low[axis], false, body), end(new.high[axis], true, body)]);
            }
        }
        let (known, total) = (found.len(), self.axes[0].len());
        let mut max_exchanges = total * MAX_EXCHANGES;
        let coherent = come * 64 <= total + 1024
            && (0..3).all(|axis| keep_sorted(&mut self.axes[axis], axis, tracked, &mut max_exchanges, found));
        if !coherent {
            found.truncate(known);
            self.axes.iter_mut().for_each(|ends| ends.sort_unstable());
            self.sweep(tracked, found);
        }
    }

    fn overlapping(&self, tracked: &Tracked, region: &WorldBox, found: &mut Vec<u32>) {
        let last = end(region.high.x, true, 0);
        let begun = self.axes[0].iter().take_while(|&&end| end < last).filter(|&&end| !is_upper(end));
        found.extend(begun.map(|&end| body(end)).filter(|&body| tracked.now[body as usize].overlaps(region)));
    }
}

/// Updates all end points to their present values, and drops those of removed bodies.
fn refresh(ends: &mut Vec<End>, tracked: &Tracked, axis: usize) {
    ends.retain_mut(|old| {
        let (body, upper) = (body(*old), is_upper(*old));
        if tracked.changed[body as usize] {
            let (now, before) = (&tracked.now[body as usize], &tracked.before[body as usize]);
            // A box that was empty before is among the new ones: a slot that was removed and
            // inserted again.
            if now.is_empty() || before.is_empty() {
                return false;
            }
            *old = end(if upper { now.high[axis] } else { now.low[axis] }, upper, body);
        }
        true
    });
}

/// Insertion sort; returns false if it takes more exchanges than `max_exchanges`, from which it
/// subtracts its own.
fn keep_sorted(
    ends: &mut [End],
    axis: usize,
    tracked: &Tracked,
    max_exchanges: &mut usize,
    found: &mut Vec<[u32; 2]>,
) -> bool {
    for i in 1..ends.len() {
        let moving = ends[i];
        let mut to = i;
        while to > 0 && ends[to - 1] > moving {
            let passed = ends[to - 1];
            ends[to] = passed;
            to -= 1;
            if is_upper(passed) && !is_upper(moving) {
                let (a, b) = (body(moving), body(passed));
                if tracked.is_new(a, b) && first_apart(tracked, a, b) == axis {
                    found.push([a, b]);
                }
            }
        }
        if to < i {
            ends[to] = moving;
            let Some(left) = max_exchanges.checked_sub(i - to) else { return false };
            *max_exchanges = left;
        }
    }
    true
}

/// The first axis on which the former boxes of two bodies were apart.
fn first_apart(tracked: &Tracked, a: u32, b: u32) -> usize {
    let (a, b) = (&tracked.before[a as usize], &tracked.before[b as usize]);
    (0..3).find(|&axis| a.low[axis] > b.high[axis] || b.low[axis] > a.high[axis]).unwrap_or(0)
}

impl SweepAndPrune {
    /// Finds all new pairs from sorted end points: along the axis on which the fewest intervals are
    /// open at once.
    fn sweep(&mut self, tracked: &Tracked, found: &mut Vec<[u32; 2]>) {
        let crowd = |ends: &[End]| {
            let mut open = 0_usize;
            let add = |sum: usize, &end: &End| match is_upper(end) {
                true => (open = open.saturating_sub(1), sum).1,
                false => (open += 1, sum + open).1,
            };
            ends.iter().fold(0, add)
        };
        let Some(ends) = self.axes.iter().min_by_key(|ends| crowd(ends)) else { return };
        self.open.clear();
        for &end in ends {
            let one = body(end);
            if is_upper(end) {
                if let Some(at) = self.open.iter().position(|&other| other == one) {
                    self.open.swap_remove(at);
                }
                continue;
            }
            found.extend(self.open.iter().filter(|&&other| tracked.is_new(one, other)).map(|&other| [one, other]));
            self.open.push(one);
        }
    }
}
