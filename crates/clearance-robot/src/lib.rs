//! Robots for the `clearance` engine: what they consist of, where their links are, which pairs of links may collide.
//!
//! [`load_urdf`] reads a URDF file and [`RobotBuilder`] makes a robot in code; both give a [`Robot`], checked in one place.
//! [`Srdf`] adds which pairs need no check, and [`Robot::link_poses`] is the forward kinematics.
//!
//! Modules stand in dependency order: `error` → `model` → `builder` → `kinematics` → `bodies` → `xml` → `package` →
//! `urdf`, `srdf`, `configs`.

mod bodies;
mod builder;
mod checks;
mod error;
mod kinematics;
mod model;
mod tree;

pub use bodies::Body;
pub use builder::{JointSpec, RobotBuilder};
pub use error::{Error, ErrorKind, Result};
pub use kinematics::Variable;
pub use model::{Joint, JointKind, Limits, Link, LinkGeometry, LinkShape, Mimic, Robot};
