//! A plane between two polyhedra, as a linear programme (the survey of Jiménez, Thomas and Torras,
//! 2001, section 3.1).
//!
//! A plane that separates does not pass through a's centre, which is inside of a: relative to it
//! the plane is n·x = 1, three numbers, with n·p ≤ 1 for the vertices p of a. To stay clear of b by
//! as much as possible, t is maximised with n·q ≥ t for the vertices q of b: four variables, a
//! constraint for each vertex. The plane separates if t > 1, which is then certified by the gap
//! along n; where it is not, the search over simplices decides. Cost: linear in the number of
//! vertices: 0.5 to 2 µs for each.

use super::super::Separated;
use super::super::gjk::Bounds;
use super::super::polyhedron_polyhedron::Polyhedra;
use super::linear_programme::{Constraint, maximise};
use crate::math::DVec3;
use crate::shape::{Convex, ConvexPolyhedron};

/// No variable is larger: a is as large as 1 here, so that only bodies thinner than this come near
/// it.
const BOUND: f64 = 1e9;

/// Whether two polyhedra overlap, with the normal of a plane between them where they do not.
///
/// ```
/// use clearance_engine::{Pose, convex::{Separated, lab::separating_plane}, math::DVec3, shape::ConvexPolyhedron};
/// let tetrahedron = ConvexPolyhedron::hull_of(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let moved = tetrahedron.transformed(&Pose::from_translation(DVec3::splat(0.4))?);
/// let Separated::Apart(axis) = separating_plane(&tetrahedron, &moved) else { panic!("they do not overlap") };
/// assert!(axis.gap > 0.0 && axis.normal.min_element() > 0.0);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn separating_plane(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Separated {
    let polyhedra = Polyhedra::new(a, b);
    let mut bounds = Bounds::UNKNOWN;
    if let Some(normal) = plane(&polyhedra) {
        polyhedra.pair.certify(normal, &mut bounds);
    }
    polyhedra.decide(bounds)
}

/// The normal of the best plane.
fn plane(polyhedra: &Polyhedra<'_>) -> Option<DVec3> {
    // Units in which a is as large as 1, and b no farther away than that: rows of one size.
    let unit = 1.0 / (polyhedra.a.bounding_radius() * polyhedra.pair.factor);
    let vertices_a = (0..polyhedra.a.vertex_count() as u32).map(|i| polyhedra.vertex_a(i) * unit);
    let vertices_b = (0..polyhedra.b.vertex_count() as u32).map(|i| polyhedra.vertex_b(i) * unit);
    let mut constraints: Vec<Constraint> =
        vertices_a.map(|p| Constraint { row: [p.x, p.y, p.z, 0.0], most: 1.0 }).collect();
    constraints.extend(vertices_b.map(|q| Constraint { row: [-q.x, -q.y, -q.z, 1.0], most: 0.0 }));
    let [x, y, z, _] = maximise(&[0.0, 0.0, 0.0, 1.0], &constraints, 4, BOUND)?;
    Some(DVec3::new(x, y, z)).filter(|normal| normal.is_finite() && normal.length_squared() > 0.0)
}
