//! Many moving bodies: which pairs of them to look at, and in what order.
//!
//! A [`World`] holds bodies: a geometry, a pose, and the groups that say which others it can meet.
//! After each [`World::step`] it says which pairs have boxes within a margin of each other, and
//! which of them began or ended since the step before. It stands on a [`PairFinder`], which knows
//! boxes only and leaves the search to a [`BroadPhase`]: sorted end points, a tree, or a hashed
//! grid, all with the same pairs. A [`Schedule`] then spends a budget of checks on the pairs that
//! can meet soonest, and says until when nothing can have been missed.
//!
//! Invariant: a pair that may meet and whose bodies are within the margin is among the pairs. Boxes
//! are in `f32`, rounded outward.
//!
//! Sources: Jiménez, Thomas and Torras, *3D collision detection: a survey* (2001), section 4.3;
//! Cohen, Lin, Manocha and Ponamgi, *I-COLLIDE* (1995) for sweep and prune under coherence.

mod body;
mod bounds;
mod broad_phase;
mod finder;
mod schedule;
mod space_time;

pub use body::{Neighbor, World};
pub use bounds::WorldBox;
pub use broad_phase::{BroadPhase, BroadPhaseKind, Grid, SweepAndPrune, Tracked, TreeOfBoxes};
pub use finder::{BodyId, BodyPair, FinderOptions, Groups, PairFinder};
pub use schedule::{Checks, Closing, Order, Schedule};
pub use space_time::SpaceTimeBox;
