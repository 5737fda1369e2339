//! The distance of two disjoint triangles with 106 bits, for the pairs that 53 bits do not certify.
//!
//! As in [`super::distance`]: points from all nine pairs of edges and all six vertices over faces,
//! then the best support gap along every normal that two features define. Nothing is skipped: with
//! features that are nearly parallel or nearly degenerate any of them may be the one that counts,
//! and errors in the points leave the directions of cross products untouched.
//!
//! # Rounding
//! Vertices relative to a's first one are exact here. With v = u² = 2⁻¹⁰⁶ and the error bounds of
//! [`DoubleDouble`], a dot product is wrong by 12v|n|ρ, the quotient by 30v relative to at most 2ρ:
//! less than 100vρ for the gap. Points are wrong by at most 30vρ each, their distance by 34vρ more:
//! less than 100vρ. With ρ = √3·R both are below 256vR. Directions are scaled to about 1, so
//! underflow stays far below that.

use crate::Triangle;
use crate::math::DVec3;
use crate::math::double_double::{DoubleDouble, PreciseVec3};
use crate::pair::shape::predicates::EDGES;

/// 256·2⁻¹⁰⁶.
const ERROR: f64 = f64::EPSILON * f64::EPSILON * 64.0;

/// A certified distance; points are relative to a's first vertex.
pub(super) struct Distance {
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) point_a: DVec3,
    pub(super) point_b: DVec3,
}

struct Precise {
    a: [PreciseVec3; 3],
    b: [PreciseVec3; 3],
}

/// The closest points so far.
struct Closest {
    squared: DoubleDouble,
    point_a: PreciseVec3,
    point_b: PreciseVec3,
}

/// The distance of two triangles that do not overlap; `extent` is the largest coordinate relative
/// to a's first vertex.
pub(super) fn distance(a: &Triangle, b: &Triangle, extent: f64) -> Distance {
    let origin = a.0[0];
    let pair = Precise {
        a: a.0.map(|vertex| PreciseVec3::difference(vertex, origin)),
        b: b.0.map(|vertex| PreciseVec3::difference(vertex, origin)),
    };
    let error = DoubleDouble::from(extent * ERROR);
    let Closest { squared, point_a, point_b } = pair.closest_points();
    let mut lower = DoubleDouble::ZERO;
    for direction in pair.directions(point_a - point_b) {
        lower = lower.max(pair.support_gap(direction) - error);
    }
    Distance {
        lower: lower.below(),
        upper: (squared.sqrt() + error).above(),
        point_a: point_a.nearest(),
        point_b: point_b.nearest(),
    }
}

impl Precise {
    fn closest_points(&self) -> Closest {
        let mut best = Closest {
            squared: DoubleDouble::from(f64::INFINITY),
            point_a: PreciseVec3::ZERO,
            point_b: PreciseVec3::ZERO,
        };
        for [i, j, _] in EDGES {
            for [k, l, _] in EDGES {
                let (point_a, point_b) = closest_on_segments(self.a[i], self.a[j], self.b[k], self.b[l]);
                best.offer(point_a, point_b);
            }
        }
        for i in 0..3 {
            if let Some(foot) = foot_in_face(self.a[i], &self.b) {
                best.offer(self.a[i], foot);
            }
            if let Some(foot) = foot_in_face(self.b[i], &self.a) {
                best.offer(foot, self.b[i]);
            }
        }
        best
    }

    /// Everything that may be the normal of a separating plane, pointed along `between`.
    fn directions(&self, between: PreciseVec3) -> impl Iterator<Item = PreciseVec3> {
        let (edges_a, edges_b) = (edges(&self.a), edges(&self.b));
        let normals = [face_normal(&edges_a), face_normal(&edges_b)];
        let off = move |edge: PreciseVec3| between - edge * between.dot(edge).over(edge.dot(edge));
        let crosses = edges_a.into_iter().flat_map(move |edge_a| edges_b.map(|edge_b| edge_a.cross(edge_b)));
        let offs = edges_a.into_iter().chain(edges_b).map(off);
        let all = std::iter::once(between).chain(normals).chain(offs).chain(crosses);
        all.map(move |normal| if normal.dot(between) < DoubleDouble::ZERO { -normal } else { normal })
    }

    /// At most the distance, up to rounding; `direction` points from b to a.
    fn support_gap(&self, direction: PreciseVec3) -> DoubleDouble {
        let size = direction.max_abs();
        if size.nearest() < f64::MIN_POSITIVE {
            return DoubleDouble::ZERO;
        }
        let direction = direction * DoubleDouble::ONE.over(size);
        let [x, y, z] = self.a.map(|vertex| direction.dot(vertex));
        let nearest_a = x.min(y).min(z);
        let [x, y, z] = self.b.map(|vertex| direction.dot(vertex));
        let farthest_b = x.max(y).max(z);
        (nearest_a - farthest_b).over(direction.dot(direction).sqrt())
    }
}

impl Closest {
    fn offer(&mut self, point_a: PreciseVec3, point_b: PreciseVec3) {
        let between = point_a - point_b;
        let squared = between.dot(between);
        if squared < self.squared {
            *self = Self { squared, point_a, point_b };
        }
    }
}

/// The closest points of segments `p q` and `r s`, either of which may be a point.
fn closest_on_segments(p: PreciseVec3, q: PreciseVec3, r: PreciseVec3, s: PreciseVec3) -> (PreciseVec3, PreciseVec3) {
    let (edge_a, edge_b, between) = (q - p, s - r, p - r);
    let (squared_a, squared_b, parallel) = (edge_a.dot(edge_a), edge_b.dot(edge_b), edge_a.dot(edge_b));
    let (along_a, along_b) = (edge_a.dot(between), edge_b.dot(between));
    // Cross products lose fewer bits to cancellation than squared_a·squared_b − parallel² and its
    // numerator would.
    let normal = edge_a.cross(edge_b);
    let first = edge_b.cross(between).dot(normal).over(normal.dot(normal)).clamp_to_unit();
    let on_b = (parallel * first + along_b).over(squared_b).clamp_to_unit();
    let on_a = (parallel * on_b - along_a).over(squared_a).clamp_to_unit();
    (p + edge_a * on_a, r + edge_b * on_b)
}

/// The foot of a point on a triangle's plane if it lies in the triangle.
fn foot_in_face(point: PreciseVec3, face: &[PreciseVec3; 3]) -> Option<PreciseVec3> {
    let edges = edges(face);
    let normal = face_normal(&edges);
    let weights = [0, 1, 2].map(|i| normal.dot(edges[i].cross(point - face[i])));
    if weights.iter().any(|&weight| weight < DoubleDouble::ZERO) {
        return None;
    }
    let squared = normal.dot(normal);
    let second = weights[2].over(squared).clamp_to_unit();
    let third = weights[0].over(squared).min(DoubleDouble::ONE - second);
    Some(face[0] + edges[0] * second - edges[2] * third)
}

fn edges(vertices: &[PreciseVec3; 3]) -> [PreciseVec3; 3] {
    EDGES.map(|[i, j, _]| vertices[j] - vertices[i])
}

/// The scaled normal from the two shorter edges, which leaves needles most of their bits.
fn face_normal(edges: &[PreciseVec3; 3]) -> PreciseVec3 {
    let [x, y, z] = edges.map(|edge| edge.dot(edge));
    if z >= x && z >= y {
        edges[0].cross(edges[1])
    } else if x >= y {
        edges[1].cross(edges[2])
    } else {
        edges[2].cross(edges[0])
    }
}
