//! The distance of any two convex shapes, certified, from their farthest points alone.
//!
//! [`core_distance`] measures the *cores* of two [`Convex`](crate::shape::Convex) shapes; who calls
//! it subtracts the radii. Whatever the search does, its answer is an interval: the upper end is
//! the distance of two points of the cores, the lower one the gap between their projections on a
//! direction, which is at most the distance for ANY direction.
//!
//! For two [`ConvexPolyhedron`](crate::shape::ConvexPolyhedron)s there are other methods, by their
//! features: [`ClosestFeatures`] and [`SeparatingVector`] remember their last answer and suit
//! motions in small steps; [`Method`] names all of them. Their answers are intervals in the same
//! way, and where one cannot prove its own, [`core_distance`] answers.
//!
//! Who does not care for distances from some `limit` on says so, and gets `None` sooner: that the
//! shapes are certainly that far apart, or farther. A limit that is NaN is none, as is infinity.
//!
//! [`penetration`] does the same for how deep two solids overlap.

#[cfg(test)]
mod agreement;
mod applicability;
mod basic_contacts;
mod central_rays;
mod comparison;
mod epa;
mod gjk;
mod gjk_double_double;
mod gjk_vertices;
mod method;
mod newton;
mod penetration;
#[cfg(test)]
mod penetration_tests;
mod penetration_vertices;
mod placed_polyhedra;
mod polyhedron_polyhedron;
mod radii;
mod separating_vector;
mod separation;
mod simplex;
mod sphere_bounds;
mod status;
#[cfg(test)]
mod tests;
mod vclip;
mod vertex_simplex;

pub use applicability::{ContactFilters, ContactPair, contact_pairs};
#[cfg(test)]
pub(crate) use basic_contacts::edge_meets_face_by;
pub use basic_contacts::{EdgeMeetsFace, edge_beside_edge, edge_meets_face, edge_meets_polygon, vertex_above_face};
pub use comparison::{hierarchical_distance, quadratic_distance, separating_plane};
pub use method::{Method, MethodMemory, decide_by, distance_by};
pub(crate) use method::{overlap_after, rough_distance_after};
pub(crate) use penetration::penetration_after;
pub use penetration::{Penetration, PenetrationRequest, penetration, polyhedron_penetration};
pub use polyhedron_polyhedron::polyhedron_distance;
pub(crate) use polyhedron_polyhedron::rough_distance_once;
pub(crate) use radii::Radii;
pub(crate) use separating_vector::decide_once;
pub use separating_vector::{Decision, SeparatingVector};
pub use separation::{Separation, core_distance, core_gap_along, core_parting};
pub(crate) use separation::{TOUCHING, counts_as_touching};
pub(crate) use sphere_bounds::SphereBounds;
pub use status::Status;
pub use vclip::{ClosestFeatures, Feature};
