//! The distance of two triangles as a certified interval.
//!
//! Upper bound: the distance of two points that are convex combinations of the vertices, best of
//! the nearest vertex over each face and of the nine pairs of edges. Lower bound: the *support
//! gap*, `(min n·a − max n·b) / |n|` over the vertices, which is at most the distance for ANY
//! direction n; so a direction that is slightly wrong costs tightness, never truth. It is taken
//! along the normal that the closest features define (face normal, cross product of edges,
//! difference of the points made orthogonal to an edge), where only second-order errors are left.
//! If the two bounds do not meet (nearly parallel edges or needles almost in touch),
//! [`super::precise`] repeats both with 106 bits; if no plane separates the triangles,
//! [`super::overlap`] decides exactly whether they touch.
//!
//! # Rounding
//! Vertices are moved so that a's first one is the origin: each difference is wrong by at most u =
//! 2⁻⁵³ relative to itself, whatever the offset. Let R be the largest local coordinate; every local
//! vertex has length at most ρ = √3·R, edges 2ρ.
//! - Gap: a dot product of three terms is wrong by 3u|n|ρ, its vertex by u|n|ρ: 8.1u|n|ρ for the
//!   two sides. The difference (at most 2|n|ρ) adds 2u|n|ρ, division by the computed length
//!   (relative error 3.5u) 7uρ, and the last subtraction 2uρ: together less than 20uρ < 35uR.
//! - Points: `p + s·e` with s in [0, 1] differs from a point of the true edge by u(ρ + 2ρ + 2ρ + ρ)
//!   (vertex, edge, product, sum), a face point `p + v·e + w·f` by at most 9uρ; their difference
//!   and its length add 8uρ for the two: together less than 20uρ < 35uR.
//!
//! Both are charged 40uR. Coordinates so small or large that R⁴ would leave the range of `f64` are
//! first scaled by a power of two.
//!
//! Cost: 160–190 ns, 500 ns on overlap, 20 µs where 106 bits are needed; 25–60 ns where
//! [`triangle_distance_below`] sees early that the pair is too far.

use super::contact::common_point;
use super::overlap::{Intersection, intersection};
use super::precise;
use crate::Triangle;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::pair::shape::ClosestPoints;
use crate::pair::shape::predicates::{Vertices, each};

/// Rounding of one bound relative to the largest local coordinate; derived in the head of this
/// file.
const ERROR: f64 = 40.0 * UNIT_ROUNDOFF;
/// The bounds are close enough when they differ by this much of the distance …
const RELATIVE_WIDTH: f64 = 5e-11;
/// … plus this much of the largest local coordinate.
const ABSOLUTE_WIDTH: f64 = 5e-14;
/// Between these sizes no intermediate result overflows or underflows.
const SIZES: std::ops::RangeInclusive<f64> = 1e-36..=1e36;

/// The distance of two closed triangles, certified, with the points where it is reached.
///
/// The bounds differ by no more than 1e-10 of the distance plus 1e-13 of the largest coordinate
/// difference between the vertices of both. Degenerate triangles are the segments or points that
/// they are.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, pair::shape::triangle_distance};
/// let a = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
/// let b = a.map(|v| v + DVec3::new(0.25, 0.25, 0.5));
/// let closest = triangle_distance(&a, &b);
/// assert!(closest.lower <= 0.5 && closest.upper >= 0.5 && closest.upper - closest.lower < 1e-13);
/// ```
pub fn triangle_distance(a: &Triangle, b: &Triangle) -> ClosestPoints {
    let pair = LocalPair::new(a, b);
    if !SIZES.contains(&pair.extent) {
        return Rescaled::new(a, b).distance();
    }
    pair.closest(&Heights::new(&pair), a, b)
}

/// As [`triangle_distance`], but `None` where that is known early or late to be at least `limit`.
///
/// `None` is returned only if the true distance is certainly not below `limit`.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, pair::shape::triangle_distance_below};
/// let a = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
/// let b = a.map(|v| v + DVec3::new(0.25, 0.25, 0.5));
/// assert!(triangle_distance_below(&a, &b, 0.4).is_none());
/// assert!(triangle_distance_below(&a, &b, 0.6).is_some());
/// ```
pub fn triangle_distance_below(a: &Triangle, b: &Triangle, limit: f64) -> Option<ClosestPoints> {
    let pair = LocalPair::new(a, b);
    if !SIZES.contains(&pair.extent) {
        return unless_beyond(limit, Rescaled::new(a, b).distance());
    }
    if pair.support_gap(pair.between_centroids()) >= limit {
        return None;
    }
    let heights = Heights::new(&pair);
    if heights.keep_apart(limit, &pair) {
        return None;
    }
    unless_beyond(limit, pair.closest(&heights, a, b))
}

/// At most the distance: how far apart the triangles' projections on `direction` are, which leads
/// from a to b.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, pair::shape::triangle_gap_along};
/// let a = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
/// let b = a.map(|v| v + DVec3::new(0.25, 0.25, 0.5));
/// assert!((triangle_gap_along(&a, &b, DVec3::Z) - 0.5).abs() < 1e-14);
/// assert_eq!(triangle_gap_along(&a, &b, DVec3::ZERO), f64::NEG_INFINITY);
/// ```
pub fn triangle_gap_along(a: &Triangle, b: &Triangle, direction: DVec3) -> f64 {
    let pair = LocalPair::new(a, b);
    if SIZES.contains(&pair.extent) { pair.support_gap(-direction) } else { f64::NEG_INFINITY }
}

#[inline]
fn unless_beyond(limit: f64, closest: ClosestPoints) -> Option<ClosestPoints> {
    if closest.lower >= limit { None } else { Some(closest) }
}

/// Two triangles relative to the first vertex of a.
struct LocalPair {
    origin: DVec3,
    a: Vertices,
    b: Vertices,
    /// The largest coordinate, R.
    extent: f64,
}

/// Each triangle's scaled normal, and the other's vertices along it.
struct Heights {
    normal_a: DVec3,
    normal_b: DVec3,
    b_over_a: [f64; 3],
    a_over_b: [f64; 3],
}

/// The best bounds so far; points are local.
struct Bounds {
    lower: f64,
    upper: f64,
    point_a: DVec3,
    point_b: DVec3,
}

/// The closest points of two edges.
struct EdgePair {
    edge_a: DVec3,
    edge_b: DVec3,
    /// Whether the point of a, and that of b, is inside of its edge.
    inside: [bool; 2],
    point_a: DVec3,
    point_b: DVec3,
}

impl LocalPair {
    #[inline]
    fn new(a: &Triangle, b: &Triangle) -> Self {
        let origin = a.0[0];
        let a = [DVec3::ZERO, a.0[1] - origin, a.0[2] - origin];
        let b = each(|i| b.0[i] - origin);
        let extent = a[1].abs().max(a[2].abs()).max(b[0].abs()).max(b[1].abs()).max(b[2].abs()).max_element();
        Self { origin, a, b, extent }
    }

    /// Three times the vector from b's centroid to a's.
    #[inline]
    fn between_centroids(&self) -> DVec3 {
        (self.a[1] + self.a[2]) - (self.b[0] + self.b[1] + self.b[2])
    }

    /// At most the distance; `direction` points from b to a. Negative infinity where it is too
    /// short to be used.
    #[inline]
    fn support_gap(&self, direction: DVec3) -> f64 {
        let [x, y, z] = each(|i| direction.dot(self.a[i]));
        let nearest_a = lesser(lesser(x, y), z);
        let [x, y, z] = each(|i| direction.dot(self.b[i]));
        let farthest_b = greater(greater(x, y), z);
        let difference = nearest_a - farthest_b;
        // Shorter directions might have lost bits to underflow.
        const SHORTEST_SQUARED: f64 = 1e-200;
        let squared = direction.length_squared();
        if squared > SHORTEST_SQUARED { difference / squared.sqrt() - ERROR * self.extent } else { f64::NEG_INFINITY }
    }

    /// The distance; `a` and `b` are what this pair was made of.
    #[inline]
    fn closest(&self, heights: &Heights, a: &Triangle, b: &Triangle) -> ClosestPoints {
        let mut bounds = Bounds::unknown();
        if let Some((vertex, foot)) = vertex_over_face(&self.b, &self.a, heights.normal_a, &heights.b_over_a) {
            bounds.offer(foot, vertex, self);
            bounds.certify(heights.normal_a, self);
            if bounds.prove_apart(self) {
                return bounds.finish(self);
            }
        }
        if let Some((vertex, foot)) = vertex_over_face(&self.a, &self.b, heights.normal_b, &heights.a_over_b) {
            bounds.offer(vertex, foot, self);
            bounds.certify(heights.normal_b, self);
            if bounds.prove_apart(self) {
                return bounds.finish(self);
            }
        }
        let edges = self.closest_edges();
        bounds.offer(edges.point_a, edges.point_b, self);
        for direction in edges.directions() {
            bounds.certify(direction, self);
            if bounds.prove_apart(self) {
                return bounds.finish(self);
            }
        }
        self.closest_of_hard_pair(bounds, heights, a, b)
    }

    /// What is left: overlap, near touch, and pairs for which 53 bits are not enough.
    #[cold]
    fn closest_of_hard_pair(&self, mut bounds: Bounds, heights: &Heights, a: &Triangle, b: &Triangle) -> ClosestPoints {
        if bounds.lower <= 0.0 {
            match intersection(a, b) {
                Intersection::Apart => {}
                met => {
                    if let Some(point) = common_point(a, b, met) {
                        return ClosestPoints::overlapping(point);
                    }
                }
            }
            bounds.lower = 0.0;
        }
        for direction in [heights.normal_a, heights.normal_b] {
            bounds.certify(direction, self);
        }
        if !bounds.are_tight(self) {
            let precise = precise::distance(a, b, self.extent);
            bounds.lower = bounds.lower.max(precise.lower);
            if precise.upper < bounds.upper {
                bounds = Bounds { lower: bounds.lower, ..precise.into() };
            }
        }
        bounds.finish(self)
    }

    /// The closest of the nine pairs of edges.
    #[inline]
    fn closest_edges(&self) -> EdgePair {
        let edges_a = each(|i| self.a[(i + 1) % 3] - self.a[i]);
        let edges_b = each(|i| self.b[(i + 1) % 3] - self.b[i]);
        let squared_a = each(|i| edges_a[i].length_squared());
        let squared_b = each(|i| edges_b[i].length_squared());
        let inverse_a = each(|i| inverse_or_zero(squared_a[i]));
        let inverse_b = each(|i| inverse_or_zero(squared_b[i]));
        let (mut on_a, mut on_b, mut squared) = ([0.0; 9], [0.0; 9], [0.0; 9]);
        for i in 0..3 {
            for j in 0..3 {
                let between = self.a[i] - self.b[j];
                let parallel = edges_a[i].dot(edges_b[j]);
                let along_a = edges_a[i].dot(between);
                let along_b = edges_b[j].dot(between);
                // Minimise |between + s·edge_a − t·edge_b|² over the unit square: the lines'
                // closest points, then each parameter again for the other one clamped. Parallel
                // edges (zero) start from a vertex: equally good.
                let determinant = squared_a[i] * squared_b[j] - parallel * parallel;
                let s = (parallel * along_b - along_a * squared_b[j]) * inverse_or_zero(determinant);
                let t = unit((parallel * unit(s) + along_b) * inverse_b[j]);
                let s = unit((parallel * t - along_a) * inverse_a[i]);
                on_a[3 * i + j] = s;
                on_b[3 * i + j] = t;
                squared[3 * i + j] = (between + edges_a[i] * s - edges_b[j] * t).length_squared();
            }
        }
        // In two steps, so that neither waits for a branch that nobody can predict.
        let best = index_of_least(&squared);
        let (i, j, s, t) = (best / 3, best % 3, on_a[best], on_b[best]);
        EdgePair {
            edge_a: edges_a[i],
            edge_b: edges_b[j],
            inside: [s > 0.0 && s < 1.0, t > 0.0 && t < 1.0],
            point_a: self.a[i] + edges_a[i] * s,
            point_b: self.b[j] + edges_b[j] * t,
        }
    }
}

impl EdgePair {
    /// Directions that may separate the triangles, the likeliest first.
    #[inline]
    fn directions(&self) -> [DVec3; 2] {
        let between = self.point_a - self.point_b;
        let off = |edge: DVec3| between - edge * (between.dot(edge) * inverse_or_zero(edge.length_squared()));
        match self.inside {
            [true, true] => [self.edge_a.cross(self.edge_b), off(self.edge_a)],
            [true, false] => [off(self.edge_a), between],
            [false, true] => [off(self.edge_b), between],
            [false, false] => [between, between],
        }
    }
}

impl Heights {
    #[inline]
    fn new(pair: &LocalPair) -> Self {
        let [_, a1, a2] = pair.a;
        let [b0, b1, b2] = pair.b;
        let normal_a = a1.cross(a2);
        let normal_b = (b1 - b0).cross(b2 - b0);
        Self {
            normal_a,
            normal_b,
            b_over_a: each(|i| normal_a.dot(pair.b[i])),
            a_over_b: each(|i| normal_b.dot(pair.a[i] - b0)),
        }
    }

    /// Whether a face's plane keeps the triangles `limit` apart.
    #[inline]
    fn keep_apart(&self, limit: f64, pair: &LocalPair) -> bool {
        // The cheap estimate ignores that the face's own vertices are off the plane by rounding.
        let beyond = |heights: &[f64; 3], normal: DVec3| {
            one_side(heights).is_some_and(|nearest| heights[nearest].powi(2) >= limit * limit * normal.length_squared())
        };
        (beyond(&self.b_over_a, self.normal_a) && pair.support_gap(away(self.normal_a, -self.b_over_a[0])) >= limit)
            || (beyond(&self.a_over_b, self.normal_b)
                && pair.support_gap(away(self.normal_b, self.a_over_b[0])) >= limit)
    }
}

impl Bounds {
    #[inline]
    fn unknown() -> Self {
        Self { lower: f64::NEG_INFINITY, upper: f64::INFINITY, point_a: DVec3::ZERO, point_b: DVec3::ZERO }
    }

    /// Takes two points of the triangles if they are closer than the last ones.
    #[inline]
    fn offer(&mut self, point_a: DVec3, point_b: DVec3, pair: &LocalPair) {
        let upper = point_a.distance(point_b) + ERROR * pair.extent;
        if upper < self.upper {
            *self = Self { lower: self.lower, upper, point_a, point_b };
        }
    }

    /// Takes the support gap along a direction, pointed from b's point to a's.
    #[inline]
    fn certify(&mut self, direction: DVec3, pair: &LocalPair) {
        let direction = away(direction, direction.dot(self.point_a - self.point_b));
        self.lower = self.lower.max(pair.support_gap(direction));
    }

    /// Whether the triangles are apart by a distance that is known well enough.
    #[inline]
    fn prove_apart(&self, pair: &LocalPair) -> bool {
        self.lower > 0.0 && self.are_tight(pair)
    }

    #[inline]
    fn are_tight(&self, pair: &LocalPair) -> bool {
        self.upper - self.lower.max(0.0) <= RELATIVE_WIDTH * self.upper + ABSOLUTE_WIDTH * pair.extent
    }

    #[inline]
    fn finish(&self, pair: &LocalPair) -> ClosestPoints {
        ClosestPoints {
            lower: self.lower.max(0.0),
            upper: self.upper,
            point_a: pair.origin + self.point_a,
            point_b: pair.origin + self.point_b,
        }
    }
}

impl From<precise::Distance> for Bounds {
    fn from(distance: precise::Distance) -> Self {
        let precise::Distance { lower, upper, point_a, point_b } = distance;
        Self { lower, upper, point_a, point_b }
    }
}

/// A vertex that is alone nearest to a face's plane, if its foot lies in the face; the foot is a
/// convex combination of the vertices.
#[inline]
fn vertex_over_face(vertices: &Vertices, face: &Vertices, normal: DVec3, heights: &[f64; 3]) -> Option<(DVec3, DVec3)> {
    let vertex = vertices[one_side(heights)?];
    let weights = each(|i| normal.dot((face[(i + 1) % 3] - face[i]).cross(vertex - face[i])));
    if !(weights[0] >= 0.0 && weights[1] >= 0.0 && weights[2] >= 0.0) {
        return None;
    }
    // The weight of vertex 2 belongs to edge 0–1, that of vertex 1 to edge 2–0.
    let inverse = inverse_or_zero(normal.length_squared());
    let second = unit(weights[2] * inverse);
    let third = (weights[0] * inverse).min(1.0 - second);
    Some((vertex, face[0] + (face[1] - face[0]) * second + (face[2] - face[0]) * third))
}

/// The vertex nearest to the plane, if all are on one side.
#[inline]
fn one_side(heights: &[f64; 3]) -> Option<usize> {
    let [x, y, z] = *heights;
    if !((x > 0.0 && y > 0.0 && z > 0.0) || (x < 0.0 && y < 0.0 && z < 0.0)) {
        return None;
    }
    let nearest = if x.abs() <= y.abs() { 0 } else { 1 };
    Some(if heights[nearest].abs() <= z.abs() { nearest } else { 2 })
}

/// The direction, turned around where `sign` is negative.
#[inline]
fn away(direction: DVec3, sign: f64) -> DVec3 {
    if sign < 0.0 { -direction } else { direction }
}

/// `1/x`, or zero where `x` is not positive.
#[inline]
fn inverse_or_zero(x: f64) -> f64 {
    if x > 0.0 { 1.0 / x } else { 0.0 }
}

// One instruction each; the library's versions take care of NaN, which cannot occur here.

#[inline]
fn lesser(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

#[inline]
fn greater(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// The nearest number of [0, 1].
#[inline]
fn unit(x: f64) -> f64 {
    lesser(greater(x, 0.0), 1.0)
}

#[inline]
fn index_of_least(values: &[f64; 9]) -> usize {
    let (mut index, mut least) = (0, values[0]);
    for (i, &value) in values.iter().enumerate().skip(1) {
        index = if value < least { i } else { index };
        least = lesser(value, least);
    }
    index
}

/// A pair multiplied by a power of two so that its coordinates are around 1.
struct Rescaled {
    a: Triangle,
    b: Triangle,
    factor: f64,
}

impl Rescaled {
    #[cold]
    fn new(a: &Triangle, b: &Triangle) -> Self {
        let size = a.0.iter().chain(&b.0).fold(0.0_f64, |size, vertex| size.max(vertex.abs().max_element()));
        let exponent = (size.to_bits() >> 52).min(2045);
        let factor = f64::from_bits((2046 - exponent) << 52);
        Self { a: a.map(|vertex| vertex * factor), b: b.map(|vertex| vertex * factor), factor }
    }

    /// The distance at the original scale.
    #[cold]
    fn distance(&self) -> ClosestPoints {
        let (a, b) = (&self.a, &self.b);
        let pair = LocalPair::new(a, b);
        let inverse = 1.0 / self.factor;
        // A difference of unequal numbers of size 1 is at least 2⁻⁵³, so all six vertices are equal
        // or the pair is in range.
        if pair.extent == 0.0 {
            return ClosestPoints::overlapping(a.0[0] * inverse);
        }
        let scaled = pair.closest(&Heights::new(&pair), a, b);
        let (lower, upper) = (scaled.lower * inverse, scaled.upper * inverse);
        ClosestPoints {
            lower: if lower * self.factor > scaled.lower { lower.next_down() } else { lower },
            upper: if upper * self.factor < scaled.upper { upper.next_up() } else { upper },
            point_a: scaled.point_a * inverse,
            point_b: scaled.point_b * inverse,
        }
    }
}
