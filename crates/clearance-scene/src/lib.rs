//! The built-in scene of `clearance`: a humanoid in a kitchen and a recorded motion of it,
//! generated in code, and pictures.
//!
//! Nothing is read from files and nothing is left to chance, so every call gives the same scene.
//! World frame: z up, metres, the floor at z = 0.
//!
//! ```
//! let humanoid = clearance_scene::humanoid()?;
//! assert_eq!(humanoid.robot.joints().len(), clearance_scene::motion()[0].len());
//! # Ok::<(), clearance_scene::Error>(())
//! ```
//!
//! * [`humanoid`]: 23 joints, 16,440 triangles
//! * [`kitchen`]: more than 95,000 triangles in named objects
//! * [`motion`]: configurations of the humanoid at the counter
//! * [`explore`]: the humanoid finds its way through a room that it does not know; [`planner`]: how
//!   it plans
//! * [`picture`]: a small rasteriser; [`solid`]: the building blocks of the meshes

mod error;
pub mod explore;
mod humanoid;
mod kitchen;
mod motion;
pub mod picture;
pub mod solid;

pub use clearance_plan as planner;
pub use error::{Error, Result};
pub use humanoid::{Humanoid, SUBSYSTEMS, humanoid};
pub use kitchen::{FLOOR, Object, kitchen};
pub use motion::{RATE, motion};
