//! One triangle against eight boxes along the axes of their frame, in `f32` lanes: a filter before
//! anything is decided in `f64`.
//!
//! The bound is the larger one of two: the gaps along the coordinate axes, and the support gap
//! along a direction that leads from a point of the box to one of the triangle. That direction
//! comes from two projections in turn: the point of the triangle that is nearest to the box's
//! centre, the point of the box nearest to that, and once more. For a box that is a point the first
//! is all. As in [`super::triangle_lanes`] any direction proves what it proves, however poor the
//! arithmetic that it comes from.
//!
//! # The margin
//! That of boxes ([`crate::pair::volume::obb_sphere_block::margin`]): the triangle's vertices are
//! moved as its centres are, differences, products with a direction and a sum of half extents round
//! less than there.

use super::triangle_lanes::{T8, along, clamped, inverse, least};
use crate::math::lanes::{F8, Lanes8, V8};
use crate::pair::volume::obb_sphere_block::SHORTEST;
use crate::volume::BoxBlock;
use fearless_simd::prelude::*;

/// The squared gaps, up to the margin, between a triangle (the same in all lanes) and eight boxes.
///
/// Boxes that are all but points take half the time.
#[inline(never)]
pub(crate) fn triangle_box_keys<S: Lanes8>(simd: S, t: &T8<S>, boxes: &BoxBlock) -> F8<S> {
    /// What a point is rounded by, in stored coordinates, twice.
    const POINT: f32 = 1.0 / 8_388_608.0;
    simd.vectorize(
        #[inline(always)]
        || {
            // Of trees of points the first is as all others; the bound holds in any case.
            if boxes.half[0][0] <= POINT && boxes.half[1][0] <= POINT && boxes.half[2][0] <= POINT {
                triangle_box_keys_here::<S, true>(simd, t, boxes)
            } else {
                triangle_box_keys_here::<S, false>(simd, t, boxes)
            }
        },
    )
}

#[inline(always)]
fn triangle_box_keys_here<S: Lanes8, const POINTS: bool>(simd: S, t: &T8<S>, boxes: &BoxBlock) -> F8<S> {
    let zero = F8::splat(simd, 0.0);
    let center = V8::load(simd, &boxes.center);
    let half = V8::load(simd, &boxes.half);
    let local = [t[0] - center, t[1] - center, t[2] - center];
    let edges = [t[1] - t[0], t[2] - t[1], t[0] - t[2]];
    let mut nearest = nearest_point(simd, &local, &edges);
    let mut key = zero;
    if !POINTS {
        for i in 0..3 {
            let x = [local[0].0[i], local[1].0[i], local[2].0[i]];
            let (low, high) = (least(x), x[0].max(x[1]).max(x[2]));
            let gap = (low.max(-high) - half.0[i]).max(zero);
            key = gap.mul_add(gap, key);
        }
        let on_box = clamp(nearest, half);
        let seen = [local[0] - on_box, local[1] - on_box, local[2] - on_box];
        nearest = nearest_point(simd, &seen, &edges) + on_box;
        nearest = nearest - clamp(nearest, half);
    }
    let n = nearest;
    let gap = (least(along(n, &local)) - n.abs().dot(half)).max(zero);
    let nn = n.dot(n);
    let proven = nn.simd_gt(F8::splat(simd, SHORTEST));
    // Not the square over the square, which could overflow where the key does not.
    let along_n = proven.select(gap / nn * gap, zero);
    key.max(along_n).max_precise(zero).min(F8::splat(simd, f32::MAX))
}

/// The point of a box about the origin that is nearest to another.
#[inline(always)]
fn clamp<S: Lanes8>(point: V8<S>, half: V8<S>) -> V8<S> {
    let [x, y, z] = point.0;
    let [a, b, c] = half.0;
    V8([x.max(-a).min(a), y.max(-b).min(b), z.max(-c).min(c)])
}

/// The point of a triangle that is about nearest to the origin: on an edge, or on the face if the
/// origin is above it.
#[inline(always)]
fn nearest_point<S: Lanes8>(simd: S, t: &T8<S>, edges: &T8<S>) -> V8<S> {
    let mut best = t[0];
    let mut squared = F8::splat(simd, f32::MAX);
    for k in 0..3 {
        let e = edges[k];
        let s = clamped(simd, -e.dot(t[k]) * inverse(simd, e.dot(e)));
        let point = t[k].plus_scaled(e, s);
        let distance = point.dot(point);
        let nearer = distance.simd_lt(squared);
        best = point.or(nearer, best);
        squared = nearer.select(distance, squared);
    }
    let n = edges[0].cross(edges[1]);
    // The origin is on the inner side of an edge where (n × e)·(0 − t) is not negative.
    let inner = [n.cross(edges[0]).dot(t[0]), n.cross(edges[1]).dot(t[1]), n.cross(edges[2]).dot(t[2])];
    let nn = n.dot(n);
    // Triangles without an area have no face.
    let above =
        inner[0].max(inner[1]).max(inner[2]).simd_le(F8::splat(simd, 0.0)) & nn.simd_gt(F8::splat(simd, SHORTEST));
    let foot = n.scaled(n.dot(t[0]) * inverse(simd, nn));
    foot.or(above, best)
}
