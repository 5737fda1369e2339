//! The distance of any two convex shapes, certified, from their farthest points alone.
//!
//! [`core_distance`] measures the *cores* of two [`Convex`](crate::shape::Convex) shapes; who calls it subtracts the radii.
//! Whatever the search does, its answer is an interval: the upper end is the distance of two points of the cores, the lower
//! one the gap between their projections on a direction, which is at most the distance for ANY direction.
//! [`penetration`] does the same for how deep two solids overlap.

mod expanding;
mod gjk;
mod penetration;
#[cfg(test)]
mod penetration_tests;
mod radii;
mod separation;
mod simplex;
#[cfg(test)]
mod tests;
mod turning;

pub use penetration::{Penetration, PenetrationRequest, penetration};
pub(crate) use radii::Radii;
pub use separation::{Parting, core_distance, core_gap_along, core_parting};
