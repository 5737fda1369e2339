//! The result of a distance query between two shapes: a certified distance and the closest points.

use crate::math::DVec3;

/// A certified distance with witness points: `lower ≤ true distance ≤ upper`.
///
/// Two shapes that overlap have `lower = upper = 0` and the same point twice. All others have
/// `upper > 0`.
///
/// Solids without a provable gap count as overlapping too, if points of both are within 1e-6 of the
/// smaller one's size, and within 1e-9 of their sizes and distance together. Bodies of very
/// different sizes may have a rounding error beyond that. The query cannot decide then whether they
/// touch, and returns `lower < 0 < upper`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClosestPoints {
    /// A lower bound of the true distance; negative where the query cannot decide whether the
    /// shapes touch.
    pub lower: f64,
    /// An upper bound of the true distance, or zero where the shapes count as overlapping.
    ///
    /// It is the distance of the two points up to their rounding, which is relative to the sizes
    /// and the distance of both shapes.
    pub upper: f64,
    /// The witness point on the first shape, rounded.
    pub point_a: DVec3,
    /// The witness point on the second shape, rounded.
    pub point_b: DVec3,
}

impl ClosestPoints {
    /// The result for two shapes that share `point`.
    #[inline]
    pub fn overlapping(point: DVec3) -> Self {
        Self { lower: 0.0, upper: 0.0, point_a: point, point_b: point }
    }

    /// Whether the two overlap, or count as overlapping.
    #[inline]
    pub fn is_overlapping(&self) -> bool {
        self.upper == 0.0
    }

    /// The result with the roles exchanged.
    #[inline]
    pub fn swapped(self) -> Self {
        Self { point_a: self.point_b, point_b: self.point_a, ..self }
    }
}
