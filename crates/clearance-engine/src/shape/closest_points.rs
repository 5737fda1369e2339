//! The answer to "how far apart are these two, and where?".

use crate::math::DVec3;

/// A certified distance: `lower ≤ true distance ≤ upper`.
///
/// Two things that overlap have `lower = upper = 0` and twice the same point; all others have
/// `upper > 0`. Solids of which no gap beyond rounding is found count as overlapping too where
/// points of both are within 1e-6 of the smaller one's size, and within 1e-9 of their sizes and
/// distance together. Where bodies differ so much in size that rounding is more than that, it stays
/// open whether they touch: then `lower < 0 < upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoints {
    /// Not above the true distance; negative where it is not known whether they touch.
    pub lower: f64,
    /// Not below the true distance, or zero where they count as overlapping; the distance of the
    /// two points up to their rounding, which is relative to the sizes and the distance of both
    /// shapes.
    pub upper: f64,
    /// The point of the first shape, rounded.
    pub point_a: DVec3,
    /// The point of the second shape, rounded.
    pub point_b: DVec3,
}

impl ClosestPoints {
    /// The answer for two things that share `point`.
    #[inline]
    pub fn overlapping(point: DVec3) -> Self {
        Self { lower: 0.0, upper: 0.0, point_a: point, point_b: point }
    }

    /// Whether the two share a point, or count as if they did.
    #[inline]
    pub fn is_overlapping(&self) -> bool {
        self.upper == 0.0
    }

    /// The answer with the roles exchanged.
    #[inline]
    pub fn swapped(self) -> Self {
        Self { point_a: self.point_b, point_b: self.point_a, ..self }
    }
}
