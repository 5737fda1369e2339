//! The distance to test bounds against: that of feasible points of the triangles (edges, vertices,
//! faces and piercing edges), in `f64`. Any feasible pair is at least as far apart as the sets are,
//! so a bound above it is wrong whatever the referee misses.

use crate::Triangle;
use crate::math::DVec3;

/// The distance between the triangles, never below the true one.
pub(crate) fn feasible_distance(a: &[Triangle], b: &[Triangle]) -> f64 {
    a.iter().flat_map(|a| b.iter().map(|b| pair_distance(a, b))).fold(f64::INFINITY, f64::min)
}

fn pair_distance(a: &Triangle, b: &Triangle) -> f64 {
    let mut best = f64::INFINITY;
    let edges = |t: &Triangle| [[t.0[0], t.0[1]], [t.0[1], t.0[2]], [t.0[2], t.0[0]]];
    for e in edges(a) {
        best = best.min(edge_face(e, b));
        for f in edges(b) {
            best = best.min(edge_edge(e, f));
        }
    }
    for f in edges(b) {
        best = best.min(edge_face(f, a));
    }
    best
}

/// Alternating projections between two segments, from both ends and the unconstrained optimum:
/// always feasible.
fn edge_edge([p, p1]: [DVec3; 2], [q, q1]: [DVec3; 2]) -> f64 {
    let (d, e) = (p1 - p, q1 - q);
    let on = |x: DVec3, origin: DVec3, along: DVec3| {
        let s = (x - origin).dot(along) / along.length_squared();
        if s.is_finite() { s.clamp(0.0, 1.0) } else { 0.0 }
    };
    let normal = d.cross(e);
    let crossing = (q - p).cross(e).dot(normal) / normal.length_squared();
    let starts = [0.0, 1.0, if crossing.is_finite() { crossing.clamp(0.0, 1.0) } else { 0.5 }];
    starts.into_iter().fold(f64::INFINITY, |best, start| {
        let mut s = start;
        let mut t = 0.0;
        for _ in 0..3 {
            t = on(p + d * s, q, e);
            s = on(q + e * t, p, d);
        }
        best.min((p + d * s).distance(q + e * t))
    })
}

/// From the ends of an edge, and from where it meets the face's plane, to the face.
fn edge_face(edge: [DVec3; 2], face: &Triangle) -> f64 {
    let [o, u, v] = [face.0[0], face.0[1] - face.0[0], face.0[2] - face.0[0]];
    let n = u.cross(v);
    let to_face = |x: DVec3| {
        let w = x - o;
        let (s, t) = (w.cross(v).dot(n) / n.length_squared(), u.cross(w).dot(n) / n.length_squared());
        let inside = s >= 0.0 && t >= 0.0 && s + t <= 1.0;
        if inside { x.distance(o + u * s + v * t) } else { f64::INFINITY }
    };
    let along = edge[1] - edge[0];
    let meets = n.dot(o - edge[0]) / n.dot(along);
    let piercing = if (0.0..=1.0).contains(&meets) { to_face(edge[0] + along * meets) } else { f64::INFINITY };
    to_face(edge[0]).min(to_face(edge[1])).min(piercing)
}
