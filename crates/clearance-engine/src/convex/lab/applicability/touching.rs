//! When two features touch on a straight way: linear in time, as neither turns.
//!
//! This is what the survey compares its filters by: one rounded time for one pair of features,
//! polygons included. What motions are proven by is another thing: `motion/trajectory.rs` bounds,
//! for two triangles that turn, until when certainly nothing touches, by polynomials, and has no
//! time of contact to give.

use super::ContactPair;
use crate::math::DVec3;
use crate::shape::ConvexPolyhedron;

/// How far beyond the border of a face, or the end of an edge, still counts as on it, relative to
/// its size.
const BORDER: f64 = 1e-12;

impl ContactPair {
    /// The time, not negative, at which both features touch when `a` moves along `velocity`
    /// relative to `b`; none if they do not, or slide along each other from the start.
    ///
    /// Rounded: the certified interval is [`time_of_impact`](crate::motion::time_of_impact)'s.
    /// Borders count as 1e-12 of their size wider, so that no contact falls between two features.
    /// Panics if there are no such features.
    pub fn touching_time(&self, a: &ConvexPolyhedron, b: &ConvexPolyhedron, velocity: DVec3) -> Option<f64> {
        let time = match *self {
            Self::VertexFace { vertex, face } => vertex_on_face(a.vertex(vertex), velocity, (b, face)),
            Self::FaceVertex { face, vertex } => vertex_on_face(b.vertex(vertex), -velocity, (a, face)),
            Self::EdgeEdge { edge_a, edge_b } => {
                edge_on_edge(edge_a.map(|i| a.vertex(i)), edge_b.map(|i| b.vertex(i)), velocity)
            }
        };
        time.filter(|time| *time >= 0.0 && time.is_finite())
    }
}

/// When a moving point comes through a face.
fn vertex_on_face(point: DVec3, velocity: DVec3, (body, face): (&ConvexPolyhedron, u32)) -> Option<f64> {
    let (vertices, normal) = (body.face(face), body.face_normal(face));
    let time = normal.dot(body.vertex(vertices[0]) - point) / normal.dot(velocity);
    let place = point + velocity * time;
    let inside = vertices.iter().zip(vertices.iter().cycle().skip(1)).all(|(&from, &to)| {
        let (from, side) = (body.vertex(from), body.vertex(to) - body.vertex(from));
        let reach = (place - from).length();
        side.cross(place - from).dot(normal) >= -BORDER * side.length() * (reach + side.length())
    });
    inside.then_some(time)
}

/// When the first, moving edge meets the second.
fn edge_on_edge([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2], velocity: DVec3) -> Option<f64> {
    let (e, f) = (p_end - p, q_end - q);
    let cross = e.cross(f);
    let time = cross.dot(q - p) / cross.dot(velocity);
    let apart = q - p - velocity * time;
    let parts = [f, e].map(|other| apart.cross(other).dot(cross) / cross.length_squared());
    parts.iter().all(|part| (-BORDER..=1.0 + BORDER).contains(part)).then_some(time)
}
