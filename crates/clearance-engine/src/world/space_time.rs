//! Space-time bounds: boxes that move and grow, around all places of a body over a stretch of time.
//!
//! The velocity of a body and a bound on its acceleration bound its place at each time: its box,
//! moved by `v·t`, grown by `½·a·t²`. Up to a time T that is within a trapezoid with straight
//! sides, as `t² ≤ T·t` (Hubbard, *Collision detection for interactive graphics applications*,
//! 1995; survey 4.3). Two trapezoids are in contact at a time iff they are on every axis, which is
//! a linear inequality each.
//!
//! Invariant: the interval of an overlap is rounded outward; no overlap is missed.

use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::{Error, ErrorKind, Readable, Result};

/// A space-time bound (Hubbard's four-dimensional trapezoid): an AABB of the world whose sides move
/// at constant speeds, from time 0 on.
///
/// ```
/// use clearance_engine::{math::DVec3, world::SpaceTimeBox};
/// let a = SpaceTimeBox::new(DVec3::ZERO, DVec3::ONE, DVec3::X, 0.0, 10.0)?;
/// let b = SpaceTimeBox::new(DVec3::X * 5.0, DVec3::X * 6.0, DVec3::ZERO, 0.0, 10.0)?;
/// let [begin, end] = a.meets(&b).unwrap();
/// assert!((begin - 4.0).abs() < 1e-12 && (end - 6.0).abs() < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SpaceTimeBox {
    low: DVec3,
    high: DVec3,
    low_rate: DVec3,
    high_rate: DVec3,
    duration: f64,
}

impl SpaceTimeBox {
    /// Creates the bound of a box with a velocity now, and an acceleration of at most
    /// `acceleration` until `duration`.
    pub fn new(low: DVec3, high: DVec3, velocity: DVec3, acceleration: f64, duration: f64) -> Result<Self> {
        let valid = |x: f64| x.is_finite() && x >= 0.0;
        if !(low.cmple(high).all() && velocity.is_finite() && valid(acceleration) && valid(duration)) {
            let message = format!(
                "no moving box from {} to {}, {}, {}, {}",
                Readable(low),
                Readable(high),
                Readable(velocity),
                Readable(acceleration),
                Readable(duration)
            );
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        let spread = DVec3::splat(0.5 * acceleration * duration);
        Ok(Self { low, high, low_rate: velocity - spread, high_rate: velocity + spread, duration })
    }

    /// The bound of a box whose sides move at speeds between these, until `duration`. Sides may be
    /// infinitely far away; rates are finite, or those sides are.
    pub(super) fn of_sides([low, high]: [DVec3; 2], [low_rate, high_rate]: [DVec3; 2], duration: f64) -> Self {
        Self { low, high, low_rate, high_rate, duration }
    }

    /// The same bound, from a later time on, rounded outward.
    pub(super) fn later(&self, by: f64) -> Self {
        let side = |side: DVec3, rate: DVec3, out: f64| {
            let way = rate * by;
            side + way + (side.abs() + way.abs()) * (out * 4.0 * UNIT_ROUNDOFF)
        };
        let (low, high) = (side(self.low, self.low_rate, -1.0), side(self.high, self.high_rate, 1.0));
        Self { low, high, duration: (self.duration - by).max(0.0), ..*self }
    }

    /// The box around all of it.
    pub(super) fn hull(&self) -> (DVec3, DVec3) {
        let end = self.later(self.duration);
        (self.low.min(end.low), self.high.max(end.high))
    }

    /// The bound with more room on all sides.
    pub(super) fn grown(&self, by: f64) -> Self {
        Self { low: self.low - by, high: self.high + by, ..*self }
    }

    /// The first and last time at which two such boxes can be in contact; `None` if they cannot
    /// until the shorter duration ends.
    pub fn meets(&self, other: &Self) -> Option<[f64; 2]> {
        let mut times = [0.0, self.duration.min(other.duration)];
        for axis in 0..3 {
            for (a, b) in [(self, other), (other, self)] {
                // a's lower side is not above b's upper one.
                let ends = (a.low[axis], b.high[axis]);
                let rates = (a.low_rate[axis], b.high_rate[axis]);
                times = when_below(ends, rates, times)?;
            }
        }
        Some(times)
    }
}

/// The part of an interval in which `low + low_rate·t ≤ high + high_rate·t`, rounded outward.
fn when_below((low, high): (f64, f64), (low_rate, high_rate): (f64, f64), [begin, end]: [f64; 2]) -> Option<[f64; 2]> {
    let size = low.abs() + high.abs() + (low_rate.abs() + high_rate.abs()) * end;
    if size == f64::INFINITY {
        // Sides infinitely far away are below and above all, or leave the contact open.
        return Some([begin, end]);
    }
    let (gap, rate) = (low - high - 8.0 * UNIT_ROUNDOFF * size, low_rate - high_rate);
    let at = |t: f64| gap + rate * t;
    match (at(begin) <= 0.0, at(end) <= 0.0) {
        (true, true) => Some([begin, end]),
        (false, false) => None,
        // The sides pass each other in between, at a rate that is not 0.
        (false, true) => Some([(-gap / rate * (1.0 - 4.0 * UNIT_ROUNDOFF)).clamp(begin, end), end]),
        (true, false) => Some([begin, (-gap / rate * (1.0 + 4.0 * UNIT_ROUNDOFF)).clamp(begin, end)]),
    }
}
