//! The distance of a point from a triangle, as an interval.
//!
//! A point of the triangle gives the upper end, the plane across the way to it the lower one: it
//! holds whatever point of the triangle that is. u = 2⁻⁵³, S is the largest coordinate of the
//! point's offsets from the vertices, C that of all coordinates.
//! * The point of the triangle is a combination of edges whose weights are in [0, 1], each rounded,
//!   so that it is within 12u·S of the triangle; as a length and with the root, 24u·S.
//! * A height `(p − v)·w/|w|` takes 3 differences, 3 products, 2 sums, a root and a quotient:
//!   below 16u·S.
//! * Squares of lengths below 1e-150 lose digits to underflow; [`TINY`] covers them.

use crate::Triangle;
use crate::math::{DVec3, UNIT_ROUNDOFF, unit};
use crate::shape::Convex;

/// Lengths below this one count as zero: their squares underflow.
const TINY: f64 = 1e-150;

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
    let mut height = if distance > TINY { height([a, b, c], way) } else { 0.0 };
    if height + error < distance {
        height = height.max(height_across(triangle, [a, b, c]));
    }
    NearestPoint { way, distance, lower: (height - error).max(0.0), upper: distance + error + TINY }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::Random;
    use num_bigint::BigInt;
    use num_rational::BigRational;

    /// The exact square of the distance of a point from a triangle.
    fn exact_squared(triangle: &Triangle, point: DVec3) -> BigRational {
        let exact = |v: DVec3| v.to_array().map(|x| BigRational::from_float(x).unwrap());
        type Vector = [BigRational; 3];
        let less = |p: &Vector, q: &Vector| -> Vector { [0, 1, 2].map(|i| &p[i] - &q[i]) };
        let dot = |p: &Vector, q: &Vector| -> BigRational { &p[0] * &q[0] + &p[1] * &q[1] + &p[2] * &q[2] };
        let zero = || BigRational::from_integer(BigInt::from(0));
        let one = || BigRational::from_integer(BigInt::from(1));
        let (p, vertices) = (exact(point), triangle.0.map(exact));
        let mut best: Option<BigRational> = None;
        let mut take = |squared: BigRational| {
            if best.as_ref().is_none_or(|best| squared < *best) {
                best = Some(squared);
            }
        };
        for k in 0..3 {
            let (edge, offset) = (less(&vertices[(k + 1) % 3], &vertices[k]), less(&p, &vertices[k]));
            let squared = dot(&edge, &edge);
            let share = if squared == zero() { zero() } else { dot(&edge, &offset) / squared };
            let share = share.max(zero()).min(one());
            let rest = [0, 1, 2].map(|i| &offset[i] - &edge[i] * &share);
            take(dot(&rest, &rest));
        }
        let (e, f) = (less(&vertices[1], &vertices[0]), less(&vertices[2], &vertices[0]));
        let offset = less(&p, &vertices[0]);
        let (ee, ef, ff) = (dot(&e, &e), dot(&e, &f), dot(&f, &f));
        let det = &ee * &ff - &ef * &ef;
        if det != zero() {
            let (oe, of) = (dot(&offset, &e), dot(&offset, &f));
            let at_e = (&oe * &ff - &of * &ef) / &det;
            let at_f = (&of * &ee - &oe * &ef) / &det;
            if at_e >= zero() && at_f >= zero() && &at_e + &at_f <= one() {
                let rest = [0, 1, 2].map(|i| &offset[i] - &e[i] * &at_e - &f[i] * &at_f);
                take(dot(&rest, &rest));
            }
        }
        best.unwrap()
    }

    /// Slivers, points on edges, points far away and points a rounding off the plane.
    #[test]
    fn bounds_of_a_triangle_hold_against_rational_numbers() {
        let mut random = Random(23);
        let squared = |x: f64| {
            let x = BigRational::from_float(x).unwrap();
            &x * &x
        };
        for case in 0..2000 {
            let far = random.vector() * [0.0, 1.0, 1e6][case % 3];
            let p = far + random.vector();
            let q = far + random.vector();
            let r = match case % 5 {
                0 => p + (q - p) * random.unit() + random.vector() * 1e-14,
                1 => p + random.vector() * 1e-9,
                _ => far + random.vector(),
            };
            let triangle = Triangle([p, q, r]);
            let on = p + (q - p) * random.unit() * 0.5 + (r - p) * random.unit() * 0.5;
            let point = on + random.vector() * [0.0, 1e-15, 1e-8, 1.0, 1e3][case / 5 % 5];
            let found = point_triangle(point, &triangle);
            let truth = exact_squared(&triangle, point);
            assert!(squared(found.lower) <= truth && truth <= squared(found.upper), "case {case}: {found:?}");
            // Weights of slivers are rounded away: their bounds hold, and may be far apart.
            let size = far.length() + point.distance(p) + 1.0;
            let is_sliver = case % 5 < 2;
            assert!(is_sliver || found.upper - found.lower < 1e-7 * size, "case {case}: {found:?}");
        }
    }
}
