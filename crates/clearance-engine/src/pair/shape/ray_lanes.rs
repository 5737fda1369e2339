//! A ray against eight triangles in `f32` lanes: which of them may it hit?
//!
//! Vertices are sheared so that the ray becomes the third axis: with k the ray's largest
//! coordinate, z = p_k − o_k, and x, y are those of p − o − z·d/d_k (Woop, Benthin and Wald,
//! "Watertight ray/triangle intersection", 2013). Edge functions of x and y then have the signs of
//! the weights in [`ray_hit`](super::ray_hit). Lanes that are not ruled out go there.
//!
//! # The error
//! ε = 2⁻²⁴, coordinates of vertices are up to 1, those of the origin up to 1.01 (see
//! [`StoredRay`]). Vertex and origin are rounded by ε and 1.01ε, their difference by 2.01ε: z errs
//! by 4.1ε, and so does p − o along the other axes. The slope, at most 1, is a quotient of rounded
//! numbers and errs by 4ε, so that the product errs by 8.1ε + 4.1ε + 2.01ε, the sum by 4.1ε at most:
//! x and y err by δ = 23ε + 2·error for the ray's own error. Where they are at most R in size, an edge function
//! `x₁y₂ − y₁x₂` errs by `4Rδ + 2δ²` for its arguments and `2·2εR²` of its own. R is the largest of
//! a triangle's x and y as they are computed, plus δ.

use crate::math::lanes::{F8, Lanes8};
use crate::pair::volume::ray_block::StoredRay;
use fearless_simd::prelude::*;

/// The unit roundoff of `f32`.
const EPSILON: f32 = 1.0 / 16_777_216.0;

/// A [`StoredRay`] as the third axis of sheared coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shear {
    /// The axes in cyclic order; the last one is along the ray.
    axes: [usize; 3],
    origin: [f32; 3],
    slopes: [f32; 2],
    /// Parameter of the ray per unit of z.
    inverse: f32,
    error: f32,
}

impl Shear {
    #[inline(always)]
    pub(crate) fn new(ray: &StoredRay) -> Self {
        const CYCLES: [[usize; 3]; 3] = [[1, 2, 0], [2, 0, 1], [0, 1, 2]];
        let d = ray.direction;
        let (x, y, z) = (d[0].abs(), d[1].abs(), d[2].abs());
        // By numbers: nobody foresees a branch on the direction.
        let last = usize::from(z >= x.max(y));
        let axes = CYCLES[2 * last + (1 - last) * usize::from(y >= x)];
        let [i, j, k] = axes;
        let inverse = 1.0 / d[k];
        Self {
            axes,
            origin: [ray.origin[i], ray.origin[j], ray.origin[k]],
            slopes: [d[i] * inverse, d[j] * inverse],
            inverse,
            error: 26.0 * EPSILON + 2.0 * ray.error,
        }
    }

    /// The lanes whose triangles the ray may hit at a parameter in [0, `limit`].
    #[inline(always)]
    pub(crate) fn may_hit<S: Lanes8>(&self, simd: S, triangles: &[[[f32; 8]; 3]; 3], limit: f32) -> u64 {
        let (ax, ay, az) = self.sheared(simd, &triangles[0]);
        let (bx, by, bz) = self.sheared(simd, &triangles[1]);
        let (cx, cy, cz) = self.sheared(simd, &triangles[2]);
        let u = cx.mul_sub(by, cy * bx);
        let v = ax.mul_sub(cy, ay * cx);
        let w = bx.mul_sub(ay, by * ax);
        let error = F8::splat(simd, self.error);
        let across = ax.abs().max(ay.abs()).max(bx.abs()).max(by.abs()).max(cx.abs()).max(cy.abs());
        let reach = across + error;
        // Half as much again, for the roundings of these lines: 6Rδ + 3δ² + 6εR².
        let doubt = reach.mul_add(F8::splat(simd, 6.0 * EPSILON).mul_add(reach, error * 6.0), error * error * 3.0);
        let outside = u.min(v).min(w).simd_lt(-doubt) & u.max(v).max(w).simd_gt(doubt);
        // The ends of the triangle along the ray; the slack is more than z and the quotient err.
        let slack = F8::splat(simd, 4.0 * self.error);
        let inverse = F8::splat(simd, self.inverse);
        let (x, y, z) = (az * inverse, bz * inverse, cz * inverse);
        let ahead = x.max(y).max(z).simd_ge(-slack);
        let near = (x.min(y).min(z) - slack).simd_le(F8::splat(simd, limit));
        !outside.to_bitmask() & ahead.to_bitmask() & near.to_bitmask() & 0xff
    }

    /// Eight points, about the ray.
    #[inline(always)]
    fn sheared<S: Lanes8>(&self, simd: S, p: &[[f32; 8]; 3]) -> (F8<S>, F8<S>, F8<S>) {
        let [i, j, k] = self.axes;
        let (x, y, z): (F8<S>, F8<S>, F8<S>) = (p[i].simd_into(simd), p[j].simd_into(simd), p[k].simd_into(simd));
        let z = z - F8::splat(simd, self.origin[2]);
        let x = x - F8::splat(simd, self.origin[0]);
        let y = y - F8::splat(simd, self.origin[1]);
        let along = -z;
        (F8::splat(simd, self.slopes[0]).mul_add(along, x), F8::splat(simd, self.slopes[1]).mul_add(along, y), z)
    }
}
