//! Questions about placed robots: self-collision, surroundings, other robots.
//!
//! A [`Checker`] is what does not depend on the configuration: hierarchies of all parts, which pairs are looked at and with what
//! padding, what was proven about pairs. A [`Placement`] is the robot in one configuration: poses and a small tree of balls
//! refitted to it, R and M nodes of Steinbach et al. (bodies and whole branches). A [`Scene`] is what stands around.

mod batch;
mod checker;
mod parts;
mod rules;
mod scene;
mod scene_file;

pub use batch::Caches;
pub use checker::{Checker, Placement};
pub use parts::Part;
pub use rules::{Attachment, CheckOptions};
pub use scene::{Object, Scene};
