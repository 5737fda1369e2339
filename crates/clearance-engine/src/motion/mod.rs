//! Continuous collision detection: motions of bodies, and the time of impact of two of them.
//!
//! A [`Motion`] is a value. It is a motion bound too: it bounds, rounded up, how far any point of a
//! sphere that moves with the body gets in a time interval ([`Motion::displacement`]), and how far
//! along a direction ([`Motion::advance`]). [`time_of_impact()`] finds the first contact. It steps
//! through time by conservative advancement, or sweeps the nodes of two meshes, and misses no
//! contact: a motion that it reports free is collision-free.
//!
//! Sources: Jiménez, Thomas and Torras, *3D collision detection: a survey* (2001), section 2:
//! Culley and Kempf (1986) for steps from distance and speed, Gilbert and Hong (1989) for steps
//! along the closest direction, Foisy and Hayward (1993) for swept volumes, and the parameterised
//! trajectories of vertices and edges. The heads of `swept.rs`, `trajectory.rs` and `rotating.rs`
//! name their own sources.

mod conservative_advancement;
mod deforming;
mod path;
mod piece;
mod rotating;
mod swept;
mod swept_volume;
#[cfg(test)]
mod tests;
mod time_intervals;
mod time_of_impact;
mod trajectory;

pub use deforming::{DeformingImpact, DeformingMesh, TouchingFeatures, self_intersections};
pub use path::Motion;
pub use swept_volume::{SweptBody, SweptVolume};
pub(crate) use time_of_impact::clearance_at_start;
pub use time_of_impact::{Approach, Impact, ImpactAnswer, ImpactRequest, TimeOfImpact, time_of_impact};
pub use trajectory::{TriangleImpact, deforming_triangles_impact};
