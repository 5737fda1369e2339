//! Robots for the `clearance` engine: what they consist of, where their links are, which pairs of
//! links may collide.
//!
//! [`load_urdf`] reads a URDF file and [`RobotBuilder`] makes a robot in code; both give a
//! [`Robot`], checked in one place. [`Srdf`] adds which pairs need no check, and
//! [`Robot::link_poses`] is the forward kinematics. A [`Checker`] answers questions about a robot
//! in its [`Scene`].
//!
//! ```
//! use clearance_engine::{Pose, math::DVec3, shape::Sphere};
//! use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
//! let hand = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
//! let lift = JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0]);
//! let robot = RobotBuilder::new("lift").link("base", []).link("hand", [hand]).joint(lift);
//! let mut checker = Checker::new(robot.build()?)?;
//! checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
//! assert_eq!(checker.are_free(&[[0.2], [0.8]])?, [true, false]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The model (`model`, with `bodies` and `kinematics`) knows no files; `builder` is the only way to
//! a robot; the readers (`urdf`, `srdf`, `configs`) and what can be reached (`reach`) and the
//! queries (`check`) stand on top.

mod bodies;
mod builder;
mod check;
mod checks;
mod configs;
mod error;
mod jacobian;
mod kinematics;
mod meshes;
mod model;
mod package;
mod range_of_motion;
mod scale;
mod srdf;
mod tree;
mod urdf;
mod xml;

pub use bodies::{Body, DisabledPairs};
pub use builder::{JointSpec, RobotBuilder};
pub use check::{
    Against, Attachment, CheckOptions, Checker, CollisionModel, Edge, EdgeClearance, Find, Hit, JointCurve,
    MotionChecker, MotionClearance, MotionContact, MotionRequest, MotionVerdict, NearPair, Object, Obstacle, Part,
    Placed, Placement, PlanningOptions, PlanningTally, Reach, RobotDistance, Scene, SceneOptions, Stream, WarmStarts,
};
pub use configs::{ConfigurationReader, Configurations};
pub use error::{Error, ErrorKind, Result};
pub use kinematics::Variable;
pub use model::{Joint, JointKind, Limits, Link, LinkGeometry, LinkShape, Mimic, Robot};
pub use range_of_motion::{BodyPart, GapOptions, Gaps, Hull, Hulls, PairGap, Tables, Verdict};
pub use srdf::{DisableReason, Group, GroupMembers, Srdf, VirtualJoint, VirtualJointKind};
pub use urdf::{GeometrySource, HullLinks, UrdfOptions, load_urdf, read_urdf};
