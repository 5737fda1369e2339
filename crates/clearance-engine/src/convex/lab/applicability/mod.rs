//! Which features of two convex polyhedra can touch first when one moves straight past the other.
//!
//! Two polyhedra touch first with a vertex on a face or with an edge on an edge. As long as neither
//! turns, most such pairs never do, wherever the bodies are (Donald, *A search algorithm for motion
//! planning with six degrees of freedom*, 1987; Jiménez, Thomas and Torras, *3D collision
//! detection: a survey*, 2001, section 4.2.2):
//! * a vertex and a face are *applicable* iff all edges lead from the vertex to above the face: the
//!   vertex is the lowest along the face's normal;
//! * two edges are applicable iff a plane along both has one body on either side: their arcs on the
//!   sphere of normals cross, one of them negated.
//!
//! With a velocity v of A relative to B, *back faces* go too: A's features without a face n·v > 0,
//! B's without one n·v < 0, edges whose separating normal is turned away.
//!
//! Why nothing is lost: at the first contact the normals of planes that separate the bodies in a
//! common point form a pointed cone, the intersection of A's and B's normal cones there, and one of
//! its extreme rays m has m·v > 0. An extreme ray is a face's normal that is in the normal cone of
//! the other body's feature, or the crossing of two edges' arcs. In the second case these edges
//! touch. In the first the other feature is in the plane of the face, so a vertex of it is on the
//! face, or one of its edges crosses a side of the face, and that pair is applicable by the same m.
//! All conditions hold with equality too, so parallel edges are never needed for themselves.
//!
//! Rounding: with u = 2⁻⁵³, vertices relative to a body's centre are off by 9u of its reach,
//! differences of them by less than 32u, a face's normal (Newell's sum, one cross product for each
//! vertex but two) by less than 256u of the squared reach for each product. Conditions are relaxed
//! by what that can change, so a pair goes only if it surely is not applicable. Cost: linear in
//! features and pairs; those of a face and of an edge are found by walking over the other body from
//! the vertex that is farthest against the normal.

mod features;
mod touching;

use crate::math::DVec3;
use crate::shape::ConvexPolyhedron;
use features::{Features, Walk, meeting_normals};

/// A feature of A and one of B that may touch: by their numbers in [`ConvexPolyhedron`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ContactPair {
    /// A vertex of A and a face of B.
    VertexFace {
        /// Of A.
        vertex: u32,
        /// Of B.
        face: u32,
    },
    /// A face of A and a vertex of B.
    FaceVertex {
        /// Of A.
        face: u32,
        /// Of B.
        vertex: u32,
    },
    /// Two edges, by the vertices at their ends, the lower number first.
    EdgeEdge {
        /// Of A.
        edge_a: [u32; 2],
        /// Of B.
        edge_b: [u32; 2],
    },
}

/// Which pairs are left out; the first contact is the same whatever is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ContactFilters {
    /// Features that are turned away from the motion.
    pub back_faces: bool,
    /// Pairs that are not applicable, wherever the bodies are.
    pub applicability: bool,
}

impl ContactFilters {
    /// Both filters.
    pub const ALL: Self = Self { back_faces: true, applicability: true };
}

/// The pairs of features that can touch first when `a` moves along `velocity` relative to `b`,
/// neither turns, and they are apart at the start.
///
/// Without filters these are all vertices with all faces and all edges with all edges. Where only
/// the applicable pairs are asked for, the velocity does not matter, and the answer serves for all
/// translations. A velocity that is zero or not finite turns nothing away.
///
/// ```
/// use clearance_engine::{Pose, math::{DQuat, DVec3}, shape::ConvexPolyhedron};
/// use clearance_engine::convex::lab::{ContactFilters, contact_pairs};
/// let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
/// let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>())?;
/// let turned = cube.transformed(&Pose::new(DQuat::from_rotation_x(0.4) * DQuat::from_rotation_y(0.7), DVec3::X * 5.0)?);
/// // A cube that comes from the left: 240 pairs of features, of which 21 can touch first.
/// let velocity = DVec3::new(1.0, 0.1, 0.2);
/// let all = contact_pairs(&cube, &turned, velocity, &ContactFilters::default());
/// let few = contact_pairs(&cube, &turned, velocity, &ContactFilters::ALL);
/// assert_eq!((all.len(), few.len()), (240, 21));
/// let first = |pairs: &[clearance_engine::convex::lab::ContactPair]| {
///     pairs.iter().filter_map(|pair| pair.touching_time(&cube, &turned, velocity)).min_by(f64::total_cmp).unwrap()
/// };
/// assert_eq!(first(&all), first(&few));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn contact_pairs(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    velocity: DVec3,
    filters: &ContactFilters,
) -> Vec<ContactPair> {
    let largest = velocity.abs().max_element();
    let usable = filters.back_faces && velocity.is_finite() && largest > 0.0;
    // In its own units, as its square may be out of range.
    let velocity = if usable { velocity / largest } else { DVec3::ZERO };
    let (a, b) = (Features::new(a, velocity), Features::new(b, -velocity));
    if filters.applicability { applicable(&a, &b, velocity) } else { all_of_fronts(&a, &b) }
}

/// All pairs of features that are not turned away.
fn all_of_fronts(a: &Features<'_>, b: &Features<'_>) -> Vec<ContactPair> {
    let mut pairs = Vec::new();
    for vertex in a.front_vertices() {
        pairs.extend(b.front_faces().map(|face| ContactPair::VertexFace { vertex, face }));
    }
    for face in a.front_faces() {
        pairs.extend(b.front_vertices().map(|vertex| ContactPair::FaceVertex { face, vertex }));
    }
    for edge in a.front_edges() {
        pairs.extend(b.front_edges().map(|other| ContactPair::EdgeEdge { edge_a: edge.ends, edge_b: other.ends }));
    }
    pairs
}

/// The applicable pairs of features that are not turned away.
fn applicable(a: &Features<'_>, b: &Features<'_>, velocity: DVec3) -> Vec<ContactPair> {
    let mut pairs = Vec::new();
    let mut walk = Walk::new(a);
    for face in b.front_faces() {
        pairs.extend(walk.lowest(a, b.face(face)).iter().map(|&vertex| ContactPair::VertexFace { vertex, face }));
    }
    let mut walk = Walk::new(b);
    // Vertices of B that each face of A can touch: where the walks along A's edges begin.
    let mut below = vec![Vec::new(); a.face_count()];
    for (face, below) in (0..).zip(&mut below) {
        below.extend_from_slice(walk.lowest(b, a.face(face)));
        if a.is_front(face) {
            pairs.extend(below.iter().map(|&vertex| ContactPair::FaceVertex { face, vertex }));
        }
    }
    for edge in a.front_edges() {
        let seeds = edge.faces.iter().flat_map(|&face| below[face as usize].iter().copied());
        walk.edges_that_meet(b, seeds, |other| {
            let normals = meeting_normals((a, edge), (b, other));
            if normals.any() && other.is_front && normals.lead_along(velocity) {
                pairs.push(ContactPair::EdgeEdge { edge_a: edge.ends, edge_b: other.ends });
            }
            normals.any()
        });
    }
    pairs
}
