//! Axis-aligned bounding boxes (AABB), along the axes of the stored frame.
//!
//! Invariant: `|p − center| ≤ half` holds exactly, axis by axis, for every vertex and the stored
//! `f32` values. Cost: one pass over the vertices.

use super::fit::{extents, narrow, restored, support_rounding, vertices, widen};
use super::{Axes, Volume};
use crate::Triangle;
use crate::math::{DMat3, DVec3, f32_above};

/// An axis-aligned bounding box (AABB) in a hierarchy's stored frame.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{Aabb, Volume}};
/// let aabb = Aabb::fit(&[Triangle([DVec3::ZERO, DVec3::X, DVec3::Y * 0.5])], &());
/// assert_eq!(aabb.half(), DVec3::new(0.5, 0.25, 0.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    center: [f32; 3],
    half: [f32; 3],
}

impl Aabb {
    /// The smallest `f32` box around an `f64` one: it contains all points within `half` of
    /// `center`.
    pub fn around(center: DVec3, half: DVec3) -> Self {
        let stored = narrow(center);
        // A number less the nearest `f32` is exact.
        let off = (center - widen(stored)).abs();
        let above = |i: usize| f32_above(if off[i] == 0.0 { half[i] } else { (half[i] + off[i]).next_up() });
        Self { center: stored, half: std::array::from_fn(above) }
    }

    /// The stored centre and half-extents.
    #[inline(always)]
    pub(crate) fn parts(&self) -> (&[f32; 3], &[f32; 3]) {
        (&self.center, &self.half)
    }

    /// A box from its stored centre and half-extents.
    #[inline(always)]
    pub(crate) fn from_parts(center: [f32; 3], half: [f32; 3]) -> Self {
        Self { center, half }
    }

    /// The half-extents.
    #[inline]
    pub fn half(&self) -> DVec3 {
        widen(self.half)
    }
}

impl Volume for Aabb {
    const NAME: &'static str = "aabb";
    const FLOATS: usize = 6;
    type Fit = ();

    fn fit(triangles: &[Triangle], _options: &()) -> Self {
        let (low, high) = extents(vertices(triangles), &DMat3::IDENTITY);
        let center = narrow(low + (high - low) * 0.5);
        let middle = widen(center);
        let half = |i: usize| difference_above(high[i], middle[i]).max(difference_above(middle[i], low[i]));
        Self { center, half: std::array::from_fn(half) }
    }

    fn support(&self, direction: DVec3) -> f64 {
        direction.dot(self.center()) + direction.abs().dot(self.half()) + support_rounding(direction)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        widen(self.center)
    }

    #[inline]
    fn size(&self) -> f64 {
        self.half().length()
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.half().length() * (1.0 + 8.0 * crate::math::UNIT_ROUNDOFF)
    }

    fn axes(&self) -> Axes {
        Axes::from_slice(&DVec3::AXES)
    }

    fn store(&self, out: &mut Vec<f32>) {
        out.extend(self.center);
        out.extend(self.half);
    }

    fn restore(floats: &[f32]) -> Option<Self> {
        let aabb = Self { center: restored(floats, 0), half: restored(floats, 3) };
        (aabb.half().min_element() >= 0.0).then_some(aabb)
    }
}

/// The smallest `f32` that is not below the exact `a − b`.
fn difference_above(a: f64, b: f64) -> f32 {
    let difference = a - b;
    // Knuth's two-sum gives the exact rounding error.
    let b_seen = a - difference;
    let lost = (a - (difference + b_seen)) + (b_seen - b);
    f32_above(if lost > 0.0 { difference.next_up() } else { difference })
}
