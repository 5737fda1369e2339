//! A ray against a block of eight boxes, in `f32` lanes.
//!
//! # The ray in `f32`
//! In the tree's stored frame all contents lie in [-1, 1]³. The direction is scaled so that its
//! largest component is in [1/2, 1); it is shorter than 1.74 then. A ray is cut in `f64`: it starts
//! where it enters that cube, or at its origin if that is inside ([`StoredRay`]). So the origin has
//! coordinates up to 1.01, and parameters lie in [0, 4.1].
//!
//! # The margin
//! ε = 2⁻²⁴. In a box with centre c, axis a and half-extent h, a point of the ray at x satisfies
//! `|e + x·f| ≤ h` with `e = a·(o − c)`, `f = a·d`. With or without fused operations:
//! * o is rounded to `f32` by 1.01ε a coordinate, o − c by 2.85ε more: 6.7ε as a vector; |o − c| is
//!   below 3.6 (centres lie within 1.84 of the frame's origin), so that the product errs by
//!   3ε·3.6. The third axis is a cross product here and a rounded one in the box's definition, 5ε a
//!   coordinate, 8.7ε as a vector, 31.3ε times |o − c|. Together e errs by less than 49ε;
//! * d is rounded by ε a coordinate, 1.8ε as a vector; the product by 3ε·1.74, the third axis by
//!   8.7ε·1.74: f errs by less than 23ε, [`LEAST`] included, and x·f by 95ε;
//! * so `|e + x·f| ≤ h + 144ε` for the computed e and f. The ends `−e/f ∓ h/|f|` are computed by
//!   one division, two products and a sum, of numbers up to `(3.6 + 2.1)/|f|` (half-extents are
//!   below 2.1): they err by 4ε·5.7/|f| < 23ε/|f|, which is what 23ε more of half-extent are worth.
//!
//! [`MARGIN`] is 192ε. An origin far away errs by 2⁻⁵³ of its distance for each rounding: cutting
//! the ray takes fewer than 16, which the ray's own [`error`](StoredRay::error) has.

use crate::math::lanes::{F8, Lanes8, V8};
use crate::math::{DVec3, Frame, UNIT_ROUNDOFF, f32_above};
use crate::shape::Ray;
use crate::volume::ObbSphereBlock;
use fearless_simd::prelude::*;

/// The unit roundoff of `f32`.
const EPSILON: f32 = 1.0 / 16_777_216.0;
/// By how much boxes grow for the rounding of the kernel.
pub(crate) const MARGIN: f32 = 192.0 * EPSILON;
/// The least component of a direction along an axis; a smaller one counts as this much.
const LEAST: f32 = 1e-12;

/// A ray in the stored frame of a tree, cut to the part that can meet its contents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredRay {
    /// The start of the part.
    pub origin: [f32; 3],
    /// Its largest component is in [1/2, 1).
    pub direction: [f32; 3],
    /// By how much the part may be off, beyond the rounding of `f32`.
    pub error: f32,
    /// The largest parameter of the part.
    pub length: f32,
    /// The parameter at which the part starts on the ray.
    start: f64,
    /// Parameters per unit of `t`.
    unit: f64,
}

impl StoredRay {
    /// The part of a ray in the cube that contains a tree; `None` if the ray misses the cube.
    #[inline(always)]
    pub(crate) fn new(ray: &Ray, frame: &Frame, max_t: f64) -> Option<Self> {
        let (origin, direction) = (frame.store(ray.origin()), ray.scaled());
        let far = origin.abs().max_element();
        let mut cut = Self {
            origin: origin.as_vec3().to_array(),
            direction: direction.as_vec3().to_array(),
            error: 1e-14,
            length: 4.1,
            start: 0.0,
            unit: frame.scale / ray.scale(),
        };
        if far > 1.0 {
            cut.enter(origin, direction, far)?;
        }
        cut.length = cut.length.min(cut.parameter(max_t));
        (cut.length >= 0.0).then_some(cut)
    }

    /// Moves an origin that is `far` from that of the frame to the surface of the cube.
    #[inline(always)]
    fn enter(&mut self, origin: DVec3, direction: DVec3, far: f64) -> Option<()> {
        // The cube grows by what the cut rounds.
        let error = 64.0 * UNIT_ROUNDOFF * (far + 4.0);
        let half = DVec3::splat(1.0 + error);
        let inverse = direction.recip();
        let (one, other) = ((-half - origin) * inverse, (half - origin) * inverse);
        // A component of zero makes both infinite: with one sign where the ray is outside, else
        // with two. Beside a face of the cube 0·∞ is NaN, which `min` and `max` of glam leave out
        // on one side only, so that zeros are told apart.
        let parallel = direction.cmpeq(DVec3::ZERO);
        if (parallel & origin.abs().cmpgt(half)).any() {
            return None;
        }
        let low = DVec3::select(parallel, DVec3::NEG_INFINITY, one.min(other));
        let high = DVec3::select(parallel, DVec3::INFINITY, one.max(other));
        let (start, end) = (low.max_element().max(0.0), high.min_element());
        // Both are a few roundings of the distance off, as much as the cube grew.
        if start > end {
            return None;
        }
        let at = origin + direction * start;
        self.start = start;
        self.length = f32_above(end - start + error);
        // Beyond the range that is thought of, nothing is ruled out.
        self.error = if error < 0.005 { f32_above(error) } else { f32::INFINITY };
        self.origin = at.clamp(DVec3::splat(-1.01), DVec3::splat(1.01)).as_vec3().to_array();
        Some(())
    }

    /// The parameter of the part that `t` of the ray is not beyond.
    #[inline]
    pub(crate) fn parameter(&self, t: f64) -> f32 {
        let along = t * self.unit;
        f32_above(along - self.start + 16.0 * UNIT_ROUNDOFF * (along.abs() + self.start))
    }
}

/// A [`StoredRay`] in all lanes.
#[derive(Clone, Copy)]
pub(crate) struct RayLanes<S: Lanes8> {
    origin: V8<S>,
    direction: V8<S>,
    margin: F8<S>,
}

impl<S: Lanes8> RayLanes<S> {
    #[inline(always)]
    pub(crate) fn new(simd: S, ray: &StoredRay) -> Self {
        Self {
            origin: V8::splat(simd, ray.origin),
            direction: V8::splat(simd, ray.direction),
            margin: F8::splat(simd, MARGIN + 4.0 * ray.error),
        }
    }

    /// The lanes whose boxes the ray may meet at a parameter up to `limit`, and from which
    /// parameter on, at the earliest.
    #[inline(always)]
    pub(crate) fn enters(&self, simd: S, block: &ObbSphereBlock, limit: f32) -> (u64, F8<S>) {
        let (u, v) = (V8::load(simd, &block.u), V8::load(simd, &block.v));
        let half = V8::load(simd, &block.half);
        let d = V8::load(simd, &block.center) - self.origin;
        let slabs = [
            self.slab(simd, u, d, half.0[0]),
            self.slab(simd, v, d, half.0[1]),
            self.slab(simd, u.cross(v), d, half.0[2]),
        ];
        let near = slabs[0].0.max(slabs[1].0).max(slabs[2].0).max(F8::splat(simd, 0.0));
        let far = slabs[0].1.min(slabs[1].1).min(slabs[2].1).min(F8::splat(simd, limit));
        let lanes = near.simd_le(far).to_bitmask() & (0xff >> (8 - block.count));
        (lanes, near)
    }

    /// Where the ray enters and leaves the boxes along one axis.
    #[inline(always)]
    fn slab(&self, simd: S, axis: V8<S>, d: V8<S>, half: F8<S>) -> (F8<S>, F8<S>) {
        let along = axis.dot(self.direction);
        let least = F8::splat(simd, LEAST);
        let inverse = F8::splat(simd, 1.0) / along.abs().simd_lt(least).select(least, along);
        let middle = axis.dot(d) * inverse;
        let reach = (half + self.margin) * inverse.abs();
        (middle - reach, middle + reach)
    }
}
