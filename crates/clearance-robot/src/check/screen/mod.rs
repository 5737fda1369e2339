//! Checks at the pace of a sampling planner: most configurations and edges are decided in SIMD lanes
//! by spheres, the rest by the exact engine, pair by pair.
//!
//! Verdicts are those of the exact checks. Spheres around the parts prove that pairs are apart,
//! spheres inside of them that they touch; every bound is derived (heads of `forward`, `cover`,
//! `model`, `obstacles`) and lies on the safe side of `f32`'s rounding. A configuration outside of
//! the joint limits, or anything else that the bounds do not speak of, goes to the exact checks as a
//! whole.
//!
//! * [`forward`]: kinematics of eight configurations; * [`cover`]: spheres around and inside of
//!   geometries; * [`model`]: a robot's spheres and pairs; * [`table`]: pairs with two joints between
//!   them; * [`obstacles`]: a scene; * [`field`]: distances from meshes, clouds and maps; * [`kernel`]: the passes over a block; * [`exact`]: what they
//!   leave; * [`edge`]: straight motions; * [`planning`]: what users call;
//!   [`saved`]: in files.
//!
//! Sphere hierarchies in front of exact checks, and bounds on how far links move between two samples,
//! are those of Steinbach, Kuffner, Asfour and Dillmann (2006); configurations in SIMD lanes those of
//! Thomason, Kingston and Kavraki (*Motions in microseconds via vectorized sampling-based planning*,
//! 2024).

mod cover;
mod edge;
mod exact;
mod field;
mod forward;
mod kernel;
mod model;
mod obstacles;
mod planning;
mod saved;
mod table;
mod tally;
#[cfg(test)]
mod tests;

pub(super) use planning::Planning;
pub use planning::PlanningOptions;
pub use tally::PlanningTally;
