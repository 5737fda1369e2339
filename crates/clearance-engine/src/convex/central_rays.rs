//! Whether two convex polyhedra overlap between their centres: how far rays from there to each
//! other go before they leave.
//!
//! Most overlaps that spheres do not show are seen so, where both have few faces, in half the time
//! that a search for four vertices around the origin takes.
//!
//! # Rounding
//! The point after t of the way d from a's centre to b's, with t from 0 to 1, is in a where t times
//! a's slope along d is no more than 1 (`shape/polyhedron/slopes.rs`), and in b where 1 − t times
//! b's slope along −d is no more than 1 either. The way, seen by either, and slopes along it are
//! off by less than two errors of [`Differences`], times the steepest slope: far more is charged,
//! as it costs nothing.

use super::gjk_vertices::Differences;
use super::placed_polyhedra::Places;
use crate::math::SimdLevel;
use crate::math::lanes::{Lanes8, Simd, Vectorized, vectorized};
use std::ops::Range;

/// Bodies that differ more in size are left to a search: products of lengths, in units of either,
/// might leave the range of numbers.
const RATIOS: Range<f64> = 1e-30..1e30;
/// What is charged, in errors.
const CHARGE: f64 = 64.0;
/// More than a few roundings, as a part of what is compared.
const BEYOND_ROUNDING: f64 = 1e-12;

impl Differences<'_> {
    /// Whether the polyhedra certainly share a point between their centres; only asked where these
    /// are so near to each other that it is likely.
    #[inline]
    pub(super) fn overlap_between_centers(&self) -> bool {
        let Places { a, b, .. } = self.places;
        a.has_slopes() && b.has_slopes() && self.places.are_near() && vectorized(SimdLevel::Best, Rays(self))
    }

    #[inline(always)]
    fn rays_meet<S: Simd>(&self, simd: S) -> bool {
        let Places { a, b, .. } = self.places;
        // In b's coordinates the way back is that much longer: by a power of two.
        let units = a.scale / b.scale;
        if !(RATIOS.contains(&units) && self.is_in_range()) {
            return false;
        }
        let slope_a = a.slope_along(simd, self.shift);
        let slope_b = b.slope_along(simd, self.towards_a(self.shift) * (units * units));
        let max_a = 1.0 - CHARGE * self.error * a.steepest();
        let max_b = 1.0 - CHARGE * self.error * units * b.steepest();
        // That is 1 < max_a / slope_a + max_b / slope_b without a division.
        max_a > 0.0 && max_b > 0.0 && slope_a * slope_b < (max_a * slope_b + max_b * slope_a) * (1.0 - BEYOND_ROUNDING)
    }
}

/// With all instructions that the processor has.
struct Rays<'r, 'p>(&'r Differences<'p>);

impl Vectorized for Rays<'_, '_> {
    type Output = bool;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> bool {
        self.0.rays_meet(simd)
    }
}
