//! Exact yes-or-no questions about points, segments and triangles, any of which may be degenerate.
//!
//! Every answer is the sign of a determinant of the coordinates as given, computed by Shewchuk's
//! adaptive predicates ("Adaptive precision floating-point arithmetic and fast robust geometric
//! predicates", 1997): the usual case costs one rounded determinant (some 5 ns), only signs too
//! close to call are expanded to full precision. Dropping a coordinate is exact, so planar
//! questions are answered in a coordinate plane.
//!
//! Exact means: as long as no product of three coordinate differences overflows or loses bits to
//! underflow, which holds when each coordinate is zero or has a magnitude between 1e-91 and 1e100.

pub(super) use crate::math::volume;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use robust::Coord;

/// A segment's or triangle's vertices.
pub(super) type Vertices = [DVec3; 3];

/// The vertices that edge `i` of a triangle joins, and the one opposite.
pub(super) const EDGES: [[usize; 3]; 3] = [[0, 1, 2], [1, 2, 0], [2, 0, 1]];

/// `[f(0), f(1), f(2)]`: unlike `array::map`, always compiled to straight code.
#[inline(always)]
pub(super) fn each<T>(f: impl Fn(usize) -> T) -> [T; 3] {
    [f(0), f(1), f(2)]
}

/// The coordinate planes, by the coordinate that is dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Plane {
    Yz,
    Zx,
    Xy,
}

impl Plane {
    const ALL: [Self; 3] = [Self::Yz, Self::Zx, Self::Xy];

    /// The two coordinates that stay, in cyclic order.
    #[inline]
    pub(super) fn project(self, p: DVec3) -> (f64, f64) {
        match self {
            Self::Yz => (p.y, p.z),
            Self::Zx => (p.z, p.x),
            Self::Xy => (p.x, p.y),
        }
    }

    /// Has the sign of the projected area of `p, q, r`: positive when they turn left.
    #[inline]
    pub(super) fn turn(self, p: DVec3, q: DVec3, r: DVec3) -> f64 {
        let coordinates = |point| {
            let (x, y) = self.project(point);
            Coord { x, y }
        };
        robust::orient2d(coordinates(p), coordinates(q), coordinates(r))
    }

    /// A plane in which `p, q, r` do not become collinear; none exactly if they are collinear.
    pub(super) fn spanned_by(p: DVec3, q: DVec3, r: DVec3) -> Option<Self> {
        Self::ALL.into_iter().find(|plane| plane.turn(p, q, r) != 0.0)
    }
}

/// Have the signs of [`volume`] of the triangle and each of three points.
///
/// The three share a rounded normal. With `h = (e₁ × e₂)·w`, every term of `h` has passed through
/// at most 8 roundings (3 differences, 2 products, 3 sums), so `|error| ≤ 8.1u·Σ|terms|`; the sum
/// of magnitudes is itself computed with relative error below 9u. Where `|h|` exceeds `9u` times
/// that sum its sign is right, elsewhere the exact one is taken.
#[inline]
pub(super) fn sides(triangle: &Vertices, points: &Vertices) -> [f64; 3] {
    const ERROR: f64 = 9.0 * UNIT_ROUNDOFF;
    let [p, q, r] = *triangle;
    let (u, v) = (q - p, r - p);
    let normal = u.cross(v);
    let (u, v) = (u.abs(), v.abs());
    let magnitude = DVec3::new(u.y * v.z + u.z * v.y, u.z * v.x + u.x * v.z, u.x * v.y + u.y * v.x);
    each(|i| {
        let w = points[i] - p;
        let height = normal.dot(w);
        if height.abs() > ERROR * magnitude.dot(w.abs()) { height } else { volume(p, q, r, points[i]) }
    })
}

/// Whether a triangle is a segment or a point.
pub(super) fn is_degenerate(triangle: &Vertices) -> bool {
    Plane::spanned_by(triangle[0], triangle[1], triangle[2]).is_none()
}

/// Whether `p` lies on the closed segment `q r`, which may be a point.
pub(super) fn on_segment(p: DVec3, q: DVec3, r: DVec3) -> bool {
    // On a common line, being between is being between in each coordinate.
    p.cmpge(q.min(r)).all() && p.cmple(q.max(r)).all() && Plane::spanned_by(p, q, r).is_none()
}

/// Whether `p` lies in the closed triangle, which may be degenerate.
pub(super) fn in_triangle(p: DVec3, triangle: &Vertices) -> bool {
    let [q, r, s] = *triangle;
    match Plane::spanned_by(q, r, s) {
        Some(plane) => volume(q, r, s, p) == 0.0 && in_projected_triangle(plane, p, triangle),
        None => EDGES.iter().any(|&[i, j, _]| on_segment(p, triangle[i], triangle[j])),
    }
}

/// Whether `p` lies in the closed triangle after projection; the projected triangle must not be
/// degenerate.
pub(super) fn in_projected_triangle(plane: Plane, p: DVec3, triangle: &Vertices) -> bool {
    let turns = EDGES.map(|[i, j, _]| plane.turn(triangle[i], triangle[j], p));
    turns.iter().all(|&turn| turn >= 0.0) || turns.iter().all(|&turn| turn <= 0.0)
}

/// Whether two segments cross in the projection at a point that is inside of both, no three ends
/// being collinear.
pub(super) fn cross_in_projection(plane: Plane, [p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> bool {
    differ(plane.turn(p, q, r), plane.turn(p, q, s)) && differ(plane.turn(r, s, p), plane.turn(r, s, q))
}

/// The plane in which two segments can be seen to cross at a point that is inside of both; none if
/// they do not.
pub(super) fn crossing_plane([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> Option<Plane> {
    if volume(p, q, r, s) != 0.0 {
        return None;
    }
    // Four coplanar points keep their crossings in any projection that keeps three of them apart.
    let plane = Plane::spanned_by(p, q, r)?;
    cross_in_projection(plane, [p, q], [r, s]).then_some(plane)
}

/// Whether segment `p q` passes through the triangle's interior from one side to the other.
pub(super) fn pierces(p: DVec3, q: DVec3, triangle: &Vertices) -> bool {
    let [r, s, t] = *triangle;
    if !differ(volume(r, s, t, p), volume(r, s, t, q)) {
        return false;
    }
    let turns = EDGES.map(|[i, j, _]| volume(p, q, triangle[i], triangle[j]));
    turns.iter().all(|&turn| turn > 0.0) || turns.iter().all(|&turn| turn < 0.0)
}

/// Whether one sign is positive and the other negative.
#[inline]
fn differ(x: f64, y: f64) -> bool {
    (x < 0.0 && y > 0.0) || (x > 0.0 && y < 0.0)
}
