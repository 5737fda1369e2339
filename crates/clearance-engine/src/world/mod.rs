//! Many moving bodies: broad phase, pair management, and a schedule of checks.
//!
//! A [`World`] holds bodies: a geometry, a pose, and collision groups. Each [`World::step`] updates
//! the pairs whose boxes are within a margin of each other, and those that began or ended since the
//! step before. It stands on a [`PairFinder`], which has boxes only and leaves the search to a
//! [`BroadPhase`]: sweep and prune, a dynamic AABB tree, or a hashed grid, all with the same pairs.
//! A [`Schedule`] then spends a budget of checks on the pairs that can collide soonest, and bounds
//! the time until which it can have missed nothing.
//!
//! Bodies may also follow motions: [`World::advance`] goes from one contact to the next and misses
//! none, whatever the speed.
//!
//! Invariant: a pair that may collide and whose bodies are within the margin is among the pairs.
//! Boxes are in `f32`, rounded outward.
//!
//! Sources: Jiménez, Thomas and Torras, *3D collision detection: a survey* (2001), section 4.3;
//! Cohen, Lin, Manocha and Ponamgi, *I-COLLIDE* (1995) for sweep and prune under coherence.

mod body;
mod broad_phase;
mod continuous;
mod pair_finder;
mod schedule;
mod space_time;
mod world_box;

pub use body::{Neighbor, World};
pub use broad_phase::{BroadPhase, BroadPhaseKind, Grid, SweepAndPrune, Tracked, TreeOfBoxes};
pub use continuous::Event;
pub use pair_finder::{BodyId, BodyPair, FinderOptions, Groups, PairFinder};
pub use schedule::{Checks, Closing, Order, Schedule};
pub use space_time::SpaceTimeBox;
pub use world_box::WorldBox;
