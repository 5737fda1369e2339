//! Bodies in motion: where they are at a time, how far they can have moved, and when two of them
//! first touch.
//!
//! A [`Motion`] is a value. It bounds, rounded up, how far any point of a sphere that moves with
//! the body gets in a time interval ([`Motion::displacement`]), and how far along a direction
//! ([`Motion::advance`]). [`time_of_impact`] steps through time by what these bounds and the
//! certified distance allow, or sweeps the nodes of two meshes, so that nothing is stepped over: a
//! motion that is reported free is free.
//!
//! Sources: Jiménez, Thomas and Torras, *3D collision detection: a survey* (2001), section 2:
//! Culley and Kempf (1986) for steps from distance and speed, Gilbert and Hong (1989) for steps
//! along the closest direction, Foisy and Hayward (1993) for swept volumes, and the parameterised
//! trajectories of vertices and edges; the heads of `swept.rs`, `trajectory.rs` and `turning.rs`
//! say what they take.

mod clock;
mod conservative_advancement;
mod path;
mod piece;
mod rotating;
mod swept;
#[cfg(test)]
mod tests;
mod time_of_impact;
mod trajectory;

pub use path::Motion;
pub use time_of_impact::{Approach, Impact, ImpactAnswer, ImpactRequest, TimeOfImpact, time_of_impact};
pub use trajectory::{TriangleImpact, deforming_triangles_impact};
