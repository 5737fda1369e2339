//! A point against eight triangles in `f32` lanes: which of them may be nearest?
//!
//! For each triangle the lanes find a point of it that is nearly the nearest (the nearest of its
//! three edges and, where the foot of the perpendicular is inside, its plane). The squared distance
//! from that point is an upper bound; the gap between the given point and the triangle along the
//! way to it a lower one, for any way.
//!
//! # The margin
//! As in [`crate::pair::volume::point_block`] the given point has coordinates up to P, and is
//! rounded by εP a coordinate, vertices by ε. Differences err by ε(2P + 2.1), 3.5ε(P + 1.1) as
//! vectors of length up to 1.74(P + 1). A height `n·(p − v)/|n|` is a convex function of exact
//! products with an error of 3ε|p − v|, its quotient and root 4ε of itself: below
//! ε(3.5P + 4 + 12.2(P + 1)) < ε(16P + 17). Points on edges take weights in [0, 1] whatever their
//! arithmetic: two products and sums more, ε(3.5P + 4 + 6·1.74(P + 1)). The margin of boxes,
//! ε(96P + 128), has room for both.

use crate::math::lanes::{F8, Lanes8, V8};
use crate::pair::shape::triangle_lanes::{T8, clamped, inverse};
use crate::pair::volume::obb_sphere_block::SHORTEST;
use fearless_simd::prelude::*;

/// Bounds of the distance from a point.
pub(crate) struct PointBounds<S: Lanes8> {
    /// The squared distance of a point of the triangle.
    pub upper: F8<S>,
    /// A lower bound of the distance, up to the margin; may be negative.
    pub lower: F8<S>,
}

/// Bounds for eight triangles.
#[inline(always)]
pub(crate) fn point_bounds<S: Lanes8>(simd: S, t: &T8<S>, point: V8<S>) -> PointBounds<S> {
    let zero = F8::splat(simd, 0.0);
    let (a, b, c) = (point - t[0], point - t[1], point - t[2]);
    let (e, f) = (t[1] - t[0], t[2] - t[0]);
    let g = f - e;
    let edge = nearest_on(simd, a, e);
    let other = nearest_on(simd, a, f);
    let third = nearest_on(simd, b, g);
    let (mut way, mut squared) = (edge, edge.dot(edge));
    for candidate in [other, third] {
        let length = candidate.dot(candidate);
        let nearer = length.simd_lt(squared);
        squared = nearer.select(length, squared);
        way = candidate.or(nearer, way);
    }
    let upper = squared;
    // The foot on the plane, where it is inside of the three edges.
    let n = e.cross(f);
    let inside = n.cross(e).dot(a).min(f.cross(n).dot(a)).min(n.cross(g).dot(b)).simd_ge(zero);
    let weight = n.dot(a) * inverse(simd, n.dot(n));
    let foot = n.scaled(weight);
    let use_foot = inside & n.dot(n).simd_gt(F8::splat(simd, SHORTEST));
    way = foot.or(use_foot, way);
    let length = way.dot(way);
    let height = way.dot(a).min(way.dot(b)).min(way.dot(c)) / length.sqrt();
    let lower = length.simd_gt(F8::splat(simd, SHORTEST)).select(height, zero);
    PointBounds { upper, lower }
}

/// From the nearest point of an edge to the point: `a` starts at the edge's start.
#[inline(always)]
fn nearest_on<S: Lanes8>(simd: S, a: V8<S>, edge: V8<S>) -> V8<S> {
    let at = clamped(simd, edge.dot(a) * inverse(simd, edge.dot(edge)));
    a.plus_scaled(edge, -at)
}
