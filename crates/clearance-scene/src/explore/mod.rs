//! A humanoid explores a room that it does not know: it looks around, classifies cells, plans,
//! walks, and looks again.
//!
//! After section V of Himmelstein et al., *Efficient Architecture for Collision Detection between
//! Heterogeneous Data Structures* (`hetero`): planning heeds OBSTACLE cells only; the path is then
//! walked up to the border of what is UNKNOWN. The cells are a voxel map, the robot is meshes, and
//! the engine's queries answer both questions.
//!
//! ```text
//! room       what is there: meshes that only the camera sees             body      the humanoid, its metric, its space to plan in
//! sensor     depth images, how the robot evaluations around                    barrier   a proof that there is no way
//! belief     what the robot knows: the voxel map                         run       the loop
//! recording  the run as it can be stored                                 draw      pictures of it
//! ```
//! Invariant: everything depends on the seed alone, times excepted; no configuration that the robot
//! takes touches a cell that is not known to be free (`tests/scene/explore.rs` checks all of them
//! against the true room). Cost: about half a second for each iteration, most of it for the plan.

mod barrier;
mod belief;
mod body;
mod draw;
mod recording;
mod room;
mod run;
mod sensor;

pub use belief::{ABOVE_FLOOR, Counts};
pub use body::{Among, Body, MARGIN, MotionTest};
pub use draw::draw;
pub use recording::{Cell3, Iteration, Outcome, Recording, Stop};
pub use room::{HALF, HEIGHT, Room};
pub use run::{ExploreOptions, explore};
