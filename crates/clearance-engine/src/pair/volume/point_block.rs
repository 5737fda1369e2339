//! A point against a block of eight boxes, in `f32` lanes: bounds of the distance from below, and
//! the boxes that a ray along +x meets.
//!
//! # The margin
//! ε = 2⁻²⁴; the point's stored coordinates are up to P. The point is rounded by εP a coordinate,
//! its difference d to a centre by ε(P + 1.84): together 3.5ε(P + 1) as a vector; |d| is below
//! 1.74P + 1.84. A product with an axis errs by 3ε|d|, with the third, a cross product here and a
//! rounded one in the box's definition, by 8.7ε|d| more; half-extents are below 2.1 and their sums
//! are rounded: 4ε(|d| + 2.1). Gaps along three axes err by √3 as much as a vector, their root by
//! 6ε of itself, and axes stretch by 3ε: in all below ε(3.5(P + 1) + √3·16|d| + 9|d| + 9) <
//! ε(69P + 82). [`margin`] has ε(96P + 128), and the rounding of the point's `f64` coordinates.
//!
//! Along the coordinates a box reaches `Σ|aᵢ|hᵢ` from its centre (the parallelepiped of
//! [`crate::volume::Obb`]); sums of three products of numbers below 2.1 err by 30ε with the third
//! axis, the comparison by 4ε(P + 4): the same margin serves.

use crate::math::lanes::{F8, Lanes8, V8};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::volume::ObbSphereBlock;
use fearless_simd::prelude::*;

/// What rounding may add to a bound of the distance from a point, in stored units.
pub(crate) fn margin(stored: DVec3) -> f64 {
    const EPSILON: f64 = 1.0 / 16_777_216.0;
    let far = stored.abs().max_element();
    (96.0 * EPSILON + 8.0 * UNIT_ROUNDOFF) * far + 128.0 * EPSILON
}

/// Squared lower bounds of the distance of a point from eight boxes, the margin not subtracted, and
/// upper bounds of the distance of what they contain, the margin not added.
#[inline(always)]
pub(crate) fn squared_gaps<S: Lanes8>(simd: S, block: &ObbSphereBlock, point: V8<S>) -> (F8<S>, F8<S>) {
    let zero = F8::splat(simd, 0.0);
    let (u, v) = (V8::load(simd, &block.u), V8::load(simd, &block.v));
    let half = V8::load(simd, &block.half);
    let d = point - V8::load(simd, &block.center);
    let x = (u.dot(d).abs() - half.0[0]).max(zero);
    let y = (v.dot(d).abs() - half.0[1]).max(zero);
    let z = (u.cross(v).dot(d).abs() - half.0[2]).max(zero);
    let radius: F8<S> = block.radius.simd_into(simd);
    let center = d.dot(d).sqrt();
    let sphere = (center - radius).max(zero);
    // A triangle of each box has a point in the box's sphere.
    (x.mul_add(x, y.mul_add(y, z * z)).max(sphere * sphere), center + radius)
}

/// The lanes whose boxes a ray from a point along +x may meet.
#[inline(always)]
pub(crate) fn ahead<S: Lanes8>(simd: S, block: &ObbSphereBlock, point: V8<S>, margin: F8<S>) -> u64 {
    let (u, v) = (V8::load(simd, &block.u), V8::load(simd, &block.v));
    let w = u.cross(v).abs();
    let (u, v) = (u.abs(), v.abs());
    let half = V8::load(simd, &block.half);
    let d = point - V8::load(simd, &block.center);
    let reach = w.scaled(half.0[2]).plus_scaled(v, half.0[1]).plus_scaled(u, half.0[0]);
    let beyond = (d.0[0] - reach.0[0]).max(d.0[1].abs() - reach.0[1]).max(d.0[2].abs() - reach.0[2]);
    beyond.simd_le(margin).to_bitmask() & (0xff >> (8 - block.count))
}
