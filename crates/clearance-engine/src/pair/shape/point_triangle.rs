//! The distance of a point from a triangle, as an interval.
//!
//! A point of the triangle gives the upper end, the plane across the way to it the lower one: it
//! holds whatever point of the triangle that is. u = 2⁻⁵³, S is the largest coordinate of the
//! point's offsets from the vertices, C that of all coordinates.
//! * The point of the triangle is a combination of edges whose weights are in [0, 1], each rounded,
//!   so that it is within 12u·S of the triangle; as a length and with the root, 24u·S.
//! * A height `(p − v)·w/|w|` takes 3 differences, 3 products, 2 sums, a root and a quotient:
//!   below 16u·S.

use crate::Triangle;
use crate::math::{DVec3, UNIT_ROUNDOFF, unit};
use crate::shape::Convex;

/// A triangle's nearest point and what is proven about the distance.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NearestPoint {
    /// From the nearest point of the triangle to the point.
    pub way: DVec3,
    /// The length of the way.
    pub distance: f64,
    pub lower: f64,
    pub upper: f64,
}

#[inline]
pub(crate) fn point_triangle(point: DVec3, triangle: &Triangle) -> NearestPoint {
    let [p, q, r] = triangle.0;
    let (a, b, c) = (point - p, point - q, point - r);
    let way = a - triangle.nearest(a);
    let distance = way.length();
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    let error = 32.0 * UNIT_ROUNDOFF * size;
    let mut height = if distance > 0.0 { height([a, b, c], way) } else { 0.0 };
    if height + error < distance {
        height = height.max(height_across(triangle, [a, b, c]));
    }
    NearestPoint { way, distance, lower: (height - error).max(0.0), upper: distance + error }
}

/// How far the point is from the plane across a direction that touches the triangle.
#[inline]
fn height([a, b, c]: [DVec3; 3], direction: DVec3) -> f64 {
    a.dot(direction).min(b.dot(direction)).min(c.dot(direction)) / direction.length()
}

/// The same along the normal and across the edges: near to the triangle the way is short, and so
/// its direction is rounded by much. These directions are across the triangle or an edge whatever
/// the way is.
#[cold]
fn height_across(triangle: &Triangle, offsets: [DVec3; 3]) -> f64 {
    let [p, q, r] = triangle.0;
    let [a, b, _] = offsets;
    // Of unit length before each product, so that none of them is subnormal for tiny triangles. An
    // edge or offset of no length has no direction, which counts for nothing.
    let cross = |a: Option<DVec3>, b: Option<DVec3>| a.zip(b).and_then(|(a, b)| unit(a.cross(b)));
    let normal = cross(unit(q - p), unit(r - p));
    let across = |offset: DVec3, edge: DVec3| cross(unit(edge), cross(unit(offset), unit(edge)));
    let directions = [normal, normal.map(|normal| -normal), across(a, q - p), across(b, r - q), across(a, p - r)];
    directions.into_iter().flatten().map(|direction| height(offsets, direction)).fold(0.0, f64::max)
}
