//! Where a ray hits a triangle, decided exactly.
//!
//! The ray is o + s·d with s ≥ 0, for d the direction scaled by a power of two, and a, b, c are the
//! vertices relative to o. The line meets the triangle in the point with the weights
//! `d·(b × c)`, `d·(c × a)`, `d·(a × b)`, which must have one sign (Segura and Feito, "Algorithms to
//! test ray-triangle intersection", 2001); their sum is `d·n` for the triangle's normal n, and
//! `s = (n·a)/(n·d)`. Weights depend on an edge alone, up to the sign: two triangles that share an
//! edge see the ray on opposite sides of it, or both on it. With exact signs no ray passes between
//! them (Woop, Benthin and Wald, "Watertight ray/triangle intersection", 2013).
//!
//! # What is exact
//! * *Whether* the ray hits: the closed triangle, which may be degenerate, and the ray have a point
//!   in common. Rays in the triangle's plane count, and so does an origin on the triangle.
//! * *Where*: `s` errs by less than 2⁻⁴⁰ of itself.
//!
//! # Errors
//! u = 2⁻⁵³. Each of the six terms of a determinant of differences passes through at most 8
//! roundings (3 differences, 2 products, 3 sums), so that it errs by less than 8.1u times the sum
//! of the terms' sizes, itself computed to 9u ([`FILTER`], 10u). That sum is at most
//! `2·|d|₁·max|b|·max|c|` for weights. Where a sign or a size is in doubt, double-double
//! arithmetic decides (each of 8 operations to 5u², differences exactly: 41u², [`FILTER_DOUBLE`] is
//! 64u²), and where that leaves a doubt, an exact sum.
//!
//! As for all predicates, coordinates are zero or between 1e-91 and 1e100 in size.

use crate::Triangle;
use crate::math::double_double::{DoubleDouble, PreciseVec3};
use crate::math::expansion::Expansion;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::Ray;

/// The error of a determinant in `f64`, relative to the sum of its terms' sizes.
const FILTER: f64 = 10.0 * UNIT_ROUNDOFF;
/// The same in double-double arithmetic.
const FILTER_DOUBLE: f64 = 64.0 * UNIT_ROUNDOFF * UNIT_ROUNDOFF;
/// The relative error that numerator and denominator of `s` may have: 2⁻⁴².
const PRECISE: f64 = 1.0 / 4_398_046_511_104.0;

/// Where the ray first meets the closed triangle: `t` of [`Ray::at`], or `None` if it does not.
///
/// The answer is exact, `t` errs by less than 1e-12 of itself; see the head of this file. The end
/// of the ray ([`Ray::max_t`]) does not matter here.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, pair::shape::ray_hit, shape::Ray};
/// let triangle = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
/// let down = |x, y| Ray::new(DVec3::new(x, y, 2.0), DVec3::NEG_Z);
/// assert_eq!(ray_hit(&down(0.5, 0.5)?, &triangle), Some(2.0));
/// assert_eq!(ray_hit(&down(0.5, 0.5000000001)?, &triangle), None);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[inline]
pub fn ray_hit(ray: &Ray, triangle: &Triangle) -> Option<f64> {
    let (origin, d) = (ray.origin(), ray.scaled());
    let [p, q, r] = triangle.0;
    let (a, b, c) = (p - origin, q - origin, r - origin);
    let weights = [d.dot(b.cross(c)), d.dot(c.cross(a)), d.dot(a.cross(b))];
    let size = a.abs().max(b.abs()).max(c.abs()).max_element();
    // The sum of a weight's terms is below 2·|d|₁·size², and |d|₁ below 3.
    let doubt = 6.0 * FILTER * size * size;
    let positive = weights.map(|weight| weight > doubt);
    let negative = weights.map(|weight| weight < -doubt);
    let any = |signs: [bool; 3]| signs[0] | signs[1] | signs[2];
    if any(positive) & any(negative) {
        return None;
    }
    let sure = (positive[0] & positive[1] & positive[2]) | (negative[0] & negative[1] & negative[2]);
    let facing = if sure { if positive[0] { 1.0 } else { -1.0 } } else { facing(ray, triangle)? };
    if facing == 0.0 {
        return in_plane(ray, triangle).map(|s| s * ray.scale());
    }
    // The line passes through the triangle: is it ahead, and where?
    let (e, f) = (q - p, r - p);
    let n = e.cross(f);
    let (e, f) = (e.abs(), f.abs());
    let terms = DVec3::new(e.y * f.z + e.z * f.y, e.z * f.x + e.x * f.z, e.x * f.y + e.y * f.x);
    let (height, fall) = (n.dot(a), n.dot(d));
    let (height_doubt, fall_doubt) = (FILTER * terms.dot(a.abs()), FILTER * terms.dot(d.abs()));
    if height * facing < -height_doubt {
        return None;
    }
    if height_doubt <= PRECISE * height.abs() && fall_doubt <= PRECISE * fall.abs() {
        return Some((height / fall).abs() * ray.scale());
    }
    precise_parameter(ray, triangle, [terms.dot(a.abs()), terms.dot(d.abs())], facing).map(|s| s * ray.scale())
}

/// The differences of two points, exactly.
fn exact(p: DVec3, q: DVec3) -> PreciseVec3 {
    PreciseVec3::difference(p, q)
}

/// The sign that all weights have which are not zero, 0 if all are; `None` if they have both signs.
#[cold]
fn facing(ray: &Ray, triangle: &Triangle) -> Option<f64> {
    let d = exact(ray.scaled(), DVec3::ZERO);
    let vertices = triangle.0.map(|vertex| exact(vertex, ray.origin()));
    let mut facing = 0.0;
    for k in 0..3 {
        let (b, c) = (vertices[(k + 1) % 3], vertices[(k + 2) % 3]);
        let size = b.max_abs().nearest().max(c.max_abs().nearest());
        let weight = determinant(d, b, c, 6.0 * size * size * (1.0 + 1e-9), 0.0);
        if weight != 0.0 {
            if facing * weight < 0.0 {
                return None;
            }
            facing = weight.signum();
        }
    }
    Some(facing)
}

/// The determinant `x·(y × z)`. Its sign is exact, and its relative error below `accuracy` and
/// 2⁻⁵⁰, if `accuracy` is not zero. `terms` is at least the sum of its terms' sizes, up to 1e-9.
fn determinant(x: PreciseVec3, y: PreciseVec3, z: PreciseVec3, terms: f64, accuracy: f64) -> f64 {
    let rounded = x.dot(y.cross(z)).nearest();
    let doubt = 2.0 * FILTER_DOUBLE * terms;
    if rounded.abs() > doubt && (accuracy == 0.0 || doubt <= accuracy * rounded.abs()) {
        return rounded;
    }
    let mut sum = Expansion::default();
    let [x, y, z] = [x, y, z].map(|v| [v.x.parts(), v.y.parts(), v.z.parts()]);
    for (i, x) in x.into_iter().enumerate() {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        add_products(&mut sum, 1.0, x, y[j], z[k]);
        add_products(&mut sum, -1.0, x, y[k], z[j]);
    }
    sum.nearest()
}

/// Adds the product of three numbers of two parts each, with a sign.
fn add_products(sum: &mut Expansion, sign: f64, x: (f64, f64), y: (f64, f64), z: (f64, f64)) {
    for x in [x.0, x.1].into_iter().filter(|&x| x != 0.0) {
        for y in [y.0, y.1].into_iter().filter(|&y| y != 0.0) {
            for z in [z.0, z.1].into_iter().filter(|&z| z != 0.0) {
                sum.add_product(sign * x, y, z);
            }
        }
    }
}

/// The parameter `s` of a line that passes through the triangle, if it is not negative.
#[cold]
fn precise_parameter(ray: &Ray, triangle: &Triangle, terms: [f64; 2], facing: f64) -> Option<f64> {
    let [p, q, r] = triangle.0;
    let (e, f) = (exact(q, p), exact(r, p));
    let height = determinant(exact(p, ray.origin()), e, f, terms[0], PRECISE);
    if height * facing < 0.0 {
        return None;
    }
    let fall = determinant(exact(ray.scaled(), DVec3::ZERO), e, f, terms[1], PRECISE);
    Some((height / fall).abs())
}

/// The parameter `s` of a ray that lies in the triangle's plane, or of one whose line meets a
/// degenerate triangle: the first common point, if there is one.
///
/// All is exact but the quotient. In a projection along an axis in which ray and triangle do not
/// collapse, the line meets vertices that it runs through and edges whose ends are on two sides.
#[cold]
fn in_plane(ray: &Ray, triangle: &Triangle) -> Option<f64> {
    let d = ray.scaled();
    let coordinates = |v: PreciseVec3| [v.x, v.y, v.z];
    let v = triangle.0.map(|vertex| coordinates(exact(vertex, ray.origin())));
    let d_exact = coordinates(exact(d, DVec3::ZERO));
    let along = if d.x.abs() >= 0.5 { 0 } else { 1 + usize::from(d.y.abs() < 0.5) };
    let cross = |x: &[DoubleDouble; 3], y: &[DoubleDouble; 3], axis: usize| {
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut sum = Expansion::default();
        let one = DoubleDouble::ONE.parts();
        add_products(&mut sum, 1.0, x[j].parts(), y[k].parts(), one);
        add_products(&mut sum, -1.0, x[k].parts(), y[j].parts(), one);
        sum
    };
    let sides_along = |axis: usize| [0, 1, 2].map(|i| cross(&d_exact, &v[i], axis).nearest());
    let (axis, sides) = (0..3)
        .map(|axis| (axis, sides_along(axis)))
        .find(|(_, sides)| sides.iter().any(|&side| side != 0.0))
        .unwrap_or((0, [0.0; 3]));
    let (mut first, mut last) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut meet = |s: f64| (first, last) = (first.min(s), last.max(s));
    for i in 0..3 {
        let j = (i + 1) % 3;
        if sides[i] == 0.0 {
            let (high, low) = v[i][along].parts();
            meet((high + low) / d[along]);
        } else if (sides[i] < 0.0) != (sides[j] < 0.0) && sides[j] != 0.0 {
            let edge = [0, 1, 2].map(|k| DoubleDouble::difference(triangle.0[j][k], triangle.0[i][k]));
            meet(cross(&v[i], &v[j], axis).nearest() / cross(&d_exact, &edge, axis).nearest());
        }
    }
    (last >= 0.0).then(|| first.max(0.0))
}
