//! Certified proximity queries: do these collide, how far apart are they, where.
//!
//! Modules stand in dependency order, each may use only those above it: [`math`] → [`shape`] →
//! [`volume`] → [`convex`] → [`pair`] → [`tree`] → [`traversal`] → [`query`] → [`dispatch`] →
//! [`assembly`] → [`motion`] → [`world`] → [`decompose`].

pub mod assembly;
pub mod convex;
pub mod decompose;
pub mod dispatch;
mod error;
pub mod math;
pub mod motion;
#[cfg(test)]
mod oracle;
pub mod pair;
pub mod query;
#[cfg(test)]
mod random;
pub mod shape;
pub mod traversal;
pub mod tree;
pub mod volume;
pub mod world;

pub use error::{Error, ErrorKind, Readable, Result};
pub use math::Pose;
pub use shape::{TriMesh, Triangle};
