//! The distance of any two convex shapes, certified, from their support points alone.
//!
//! [`core_distance`] measures the *cores* of two [`Convex`](crate::shape::Convex) shapes; who calls
//! it subtracts the radii. Whatever the search does, its answer is an interval: the upper end is
//! the distance of two points of the cores, the lower one the gap between their projections on a
//! direction, which is at most the distance for ANY direction.
//!
//! Two [`ConvexPolyhedron`](crate::shape::ConvexPolyhedron)s are searched faster, over numbers of
//! their vertices, and [`SeparatingVector`] remembers the last answer, for motions in small steps.
//! Their answers are intervals in the same way, and where one cannot prove its own,
//! [`core_distance`] answers. The feature `lab` has other methods, to be compared with.
//!
//! Who does not care for distances from some `limit` on says so, and gets `None` sooner: that the
//! shapes are certainly that far apart, or farther. A limit that is NaN is none, as is infinity.
//!
//! [`penetration`] does the same for how deep two solids overlap.

mod central_rays;
mod epa;
mod gjk;
mod gjk_double_double;
mod gjk_vertices;
#[cfg(any(test, feature = "lab"))]
pub mod lab;
mod moved_polyhedra;
mod newton;
mod penetration;
#[cfg(test)]
mod penetration_tests;
mod penetration_vertices;
mod placed_polyhedra;
mod polyhedron_polyhedron;
mod radii;
mod separated;
mod separating_vector;
mod separation;
mod simplex;
mod smooth_cover;
mod sphere_bounds;
mod status;
#[cfg(test)]
mod tests;
mod vertex_simplex;

pub(crate) use moved_polyhedra::{PolyhedronWarmStart, overlap_after, rough_distance_after};
pub(crate) use penetration::penetration_after;
pub use penetration::{Penetration, PenetrationRequest, penetration, polyhedron_penetration};
pub use polyhedron_polyhedron::polyhedron_distance;
pub(crate) use polyhedron_polyhedron::rough_distance_once;
pub(crate) use radii::Radii;
pub use separated::{Separated, SeparatingAxis};
pub use separating_vector::SeparatingVector;
pub(crate) use separating_vector::decide_once;
pub use separation::{Separation, core_distance, core_gap_along, core_parting};
pub(crate) use separation::{TOUCHING, counts_as_touching};
pub use smooth_cover::{SmoothCover, SmoothDistance};
pub(crate) use sphere_bounds::SphereBounds;
pub use status::Status;
