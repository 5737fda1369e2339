//! Questions about placed robots: self-collision, surroundings, other robots.
//!
//! A [`CollisionModel`] is what does not depend on the configuration: hierarchies of all parts, which
//! pairs are looked at and with what padding, what was proven about pairs. A [`Placement`] is the
//! robot in one configuration: poses and a small tree of spheres refitted to it, R and M nodes of
//! Steinbach et al. (bodies and whole branches). A [`Scene`] is what stands around. A
//! [`MotionChecker`] proves motions between configurations, straight or along a [`JointCurve`].

mod batch;
mod checker;
mod collision_model;
mod curve;
mod distances;
mod edges;
mod motion;
mod motion_bound;
mod near;
mod parts;
mod placed;
mod proofs;
mod reach;
mod rules;
mod scene;
mod scene_file;
mod scene_save;
mod screen;
mod self_collision_pruning;
mod sensing;

pub use batch::{Stream, WarmStarts};
pub use checker::{Against, Checker, Hit};
pub use collision_model::{CollisionModel, Placement};
pub use curve::JointCurve;
pub use distances::RobotDistance;
pub use edges::{Edge, EdgeClearance};
pub use motion::{Find, MotionChecker, MotionClearance, MotionContact, MotionRequest, MotionVerdict, Obstacle};
pub use near::NearPair;
pub use parts::Part;
pub use placed::Placed;
pub use reach::Reach;
pub use rules::{Attachment, CheckOptions};
pub use scene::{Object, Scene};
pub use scene_file::SceneOptions;
pub use screen::{PlanningOptions, PlanningTally};
