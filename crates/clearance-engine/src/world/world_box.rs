//! Axis-aligned boxes (AABBs) of the world, in `f32`.
//!
//! Invariant: a box contains its source, if its sides at the largest number count as infinitely far
//! away; no coordinate is NaN, and zero has one sign, so that numbers and their bits compare alike.
//! Only the empty box has infinite coordinates, so that it overlaps none.

use crate::math::{DVec3, Vec3A};
use crate::{Error, ErrorKind, Readable, Result};

/// Coordinates beyond this are too large for areas in `f32`.
const LARGE: f32 = 1e18;

/// An axis-aligned box (AABB) of the world, closed; perhaps unbounded in some directions, or empty.
///
/// ```
/// use clearance_engine::{math::DVec3, world::WorldBox};
/// let (a, b) = (WorldBox::new(DVec3::ZERO, DVec3::ONE, 0.0)?, WorldBox::new(DVec3::splat(1.1), DVec3::splat(2.0), 0.0)?);
/// assert!(!a.overlaps(&b) && a.grown(0.2).overlaps(&b));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldBox {
    pub(super) low: Vec3A,
    pub(super) high: Vec3A,
}

impl WorldBox {
    /// The box that overlaps nothing.
    pub const EMPTY: Self = Self { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    /// Creates a box around all points within `margin` of an `f64` box, axis by axis; larger than
    /// necessary by two roundings at most.
    #[inline]
    pub fn new(low: DVec3, high: DVec3, margin: f64) -> Result<Self> {
        // Rejects NaN too.
        if !(low.cmple(high).all() && margin >= 0.0) {
            return Err(Error::new(
                ErrorKind::BadRequest,
                format!("no box from {} to {} with a margin of {}", Readable(low), Readable(high), Readable(margin)),
            ));
        }
        Ok(Self::around(low, high, margin))
    }

    /// As [`new`](WorldBox::new), for ends in order.
    #[inline]
    pub(super) fn around(low: DVec3, high: DVec3, margin: f64) -> Self {
        let (low, high) = if margin > 0.0 { grown(low, high, margin) } else { (low, high) };
        let (low, high) = (narrow(low), narrow(high));
        // The nearest number is away by half a unit in the last place at most: no branches, which
        // would be mispredicted every other time. Adding zero turns -0 into 0.
        let outward = |corner: Vec3A| corner.abs() * f32::EPSILON + f32::MIN_POSITIVE;
        let (low, high) = (low - outward(low) + Vec3A::ZERO, high + outward(high) + Vec3A::ZERO);
        Self { low, high }.ended()
    }

    /// The box with no side beyond the largest number; the empty one stays as it is.
    #[inline]
    fn ended(self) -> Self {
        Self { low: self.low.max(Vec3A::splat(-f32::MAX)), high: self.high.min(Vec3A::splat(f32::MAX)) }
    }

    /// The low and high ends; a coordinate of ±`f32::MAX` means that the box is unbounded on that
    /// side.
    pub fn ends(&self) -> ([f32; 3], [f32; 3]) {
        (self.low.to_array(), self.high.to_array())
    }

    /// Whether the box is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    /// Whether two boxes have a point in common.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        (self.low.cmple(other.high) & other.low.cmple(self.high)).all()
    }

    /// Whether the other box is inside of this one.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        (self.low.cmple(other.low) & other.high.cmple(self.high)).all()
    }

    /// The box with more room on all sides: about `by`, never less than none.
    #[inline]
    pub fn grown(&self, by: f32) -> Self {
        let by = Vec3A::splat(by.max(0.0));
        let (low, high) = ((self.low - by).min(self.low), (self.high + by).max(self.high));
        Self { low: low + Vec3A::ZERO, high: high + Vec3A::ZERO }.ended()
    }

    /// The box swept along a straight way.
    #[inline]
    pub(super) fn swept(&self, way: Vec3A) -> Self {
        Self { low: self.low + way.min(Vec3A::ZERO), high: self.high + way.max(Vec3A::ZERO) }.ended()
    }

    /// The smallest box around both.
    #[inline]
    pub(super) fn with(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Half of the surface, rounded either way.
    #[inline]
    pub(super) fn half_area(&self) -> f32 {
        let size = self.high - self.low;
        size.x * size.y + size.y * size.z + size.z * size.x
    }

    /// The longest edge.
    #[inline]
    pub(super) fn longest(&self) -> f32 {
        (self.high - self.low).max_element()
    }

    /// Whether the box is so large, or so far away, that areas and numbers of cells would not be
    /// finite.
    #[inline]
    pub(super) fn is_large(&self) -> bool {
        self.low.abs().max(self.high.abs()).max_element() > LARGE
    }
}

/// The nearest numbers in `f32`, clamped to its range.
#[inline]
fn narrow(corner: DVec3) -> Vec3A {
    let end = Vec3A::splat(f32::MAX);
    corner.as_vec3a().clamp(-end, end)
}

/// The corners with a margin, rounded outward.
fn grown(low: DVec3, high: DVec3, margin: f64) -> (DVec3, DVec3) {
    let out = |corner: DVec3, by: f64, to: fn(f64) -> f64| DVec3::from_array(corner.to_array().map(|x| to(x + by)));
    (out(low, -margin, f64::next_down), out(high, margin, f64::next_up))
}
