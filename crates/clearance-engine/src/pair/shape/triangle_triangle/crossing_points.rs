//! Where an edge meets a plane or another edge, once an exact predicate has said that it does.
//!
//! The point divides the edge in the ratio of two determinants. Rounded determinants will do for
//! most edges; those nearly parallel to what they meet take exact ones, so that the ratio is always
//! right to 2⁻⁴⁴ and the point lies on both things up to rounding, however close they are to
//! degenerate.

use crate::math::double_double::DoubleDouble;
use crate::math::expansion::Expansion;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::pair::shape::predicates::{Plane, Vertices};

/// How wrong a weight from `f64` determinants may be.
const WEIGHT_ERROR: f64 = 1.0 / (1_u64 << 44) as f64;

/// The point of edge `p q` in the plane of a triangle, whose different sides (or plane) the ends
/// are on.
pub(super) fn piercing(p: DVec3, q: DVec3, triangle: &Vertices) -> DVec3 {
    let [r, s, t] = *triangle;
    let (u, v) = (s - r, t - r);
    let normal = u.cross(v);
    let (height_p, height_q) = (normal.dot(p - r), normal.dot(q - r));
    // As in `predicates::sides`; the sum of magnitudes is at most twice the product of lengths.
    let error = 17.0 * UNIT_ROUNDOFF * u.length() * v.length() * (p - r).length().max((q - r).length());
    if error < WEIGHT_ERROR * (height_p - height_q).abs() {
        divided(p, q, height_p, height_q)
    } else {
        divided(p, q, exact_volume(triangle, p), exact_volume(triangle, q))
    }
}

/// The point where two edges of one plane cross, seen in a projection that keeps them apart.
pub(super) fn edge_crossing(plane: Plane, [p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> DVec3 {
    let ((px, py), (qx, qy)) = (plane.project(p - r), plane.project(q - r));
    let (x, y) = plane.project(s - r);
    let (area_p, area_q) = (x * py - y * px, x * qy - y * qx);
    // Two differences, a product and a sum: four roundings of each term.
    let magnitude = (x.abs() + y.abs()) * px.abs().max(py.abs()).max(qx.abs()).max(qy.abs());
    if 5.0 * UNIT_ROUNDOFF * magnitude < WEIGHT_ERROR * (area_p - area_q).abs() {
        divided(p, q, area_p, area_q)
    } else {
        divided(p, q, exact_area(plane, r, s, p), exact_area(plane, r, s, q))
    }
}

/// The point that divides `p q` in the ratio of the magnitudes of two determinants, computed from
/// the nearer end.
fn divided(p: DVec3, q: DVec3, of_p: f64, of_q: f64) -> DVec3 {
    let (of_p, of_q) = (of_p.abs(), of_q.abs());
    let whole = of_p + of_q;
    if whole == 0.0 {
        p
    } else if of_p <= of_q {
        p + (q - p) * (of_p / whole)
    } else {
        q + (p - q) * (of_q / whole)
    }
}

/// Six times the volume of a triangle and a point, rounded once.
fn exact_volume([p, q, r]: &Vertices, s: DVec3) -> f64 {
    let edge = |vertex: DVec3| [0, 1, 2].map(|i| exact_difference(vertex[i], p[i]));
    let [u, v, w] = [edge(*q), edge(*r), edge(s)];
    let mut sum = Expansion::default();
    for [i, j, k] in [[0, 1, 2], [1, 2, 0], [2, 0, 1]] {
        for x in u[i] {
            for part in 0..4 {
                sum.add_product(x, v[j][part / 2], w[k][part % 2]);
                sum.add_product(-x, v[k][part / 2], w[j][part % 2]);
            }
        }
    }
    sum.nearest()
}

/// Twice the area of three points in a projection, rounded once.
fn exact_area(plane: Plane, p: DVec3, q: DVec3, r: DVec3) -> f64 {
    let ((px, py), (qx, qy), (rx, ry)) = (plane.project(p), plane.project(q), plane.project(r));
    let [u, v] =
        [[exact_difference(qx, px), exact_difference(qy, py)], [exact_difference(rx, px), exact_difference(ry, py)]];
    let mut sum = Expansion::default();
    for part in 0..4 {
        sum.add_product(1.0, u[0][part / 2], v[1][part % 2]);
        sum.add_product(-1.0, u[1][part / 2], v[0][part % 2]);
    }
    sum.nearest()
}

/// `x − y` as two numbers.
fn exact_difference(x: f64, y: f64) -> [f64; 2] {
    DoubleDouble::difference(x, y).parts().into()
}
