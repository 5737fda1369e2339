//! Certified proximity queries: collision detection, distance, penetration depth, contacts and time
//! of impact.
//!
//! The engine answers three questions about two geometries at a pose: do they collide, how far
//! apart are they, and where. Every distance is an interval that contains the true one.
//!
//! Programs use the crate `clearance`. This one is for those who add a geometry, a volume, a
//! hierarchy or a query.
//!
//! ```
//! use clearance_engine::{Pose, dispatch::Pair, shape::{Cuboid, Sphere}};
//! let mut pair = Pair::new(Cuboid::new(1.0, 1.0, 1.0)?, Sphere::new(0.5)?)?;
//! let found = pair.distance(Pose::from_xyz(2.0, 0.0, 0.0)?);
//! assert!(found.lower <= 1.0 && 1.0 <= found.upper);
//! # Ok::<(), clearance_engine::Error>(())
//! ```
//!
//! A query runs in the usual two phases. The broad phase ([`world`], [`tree`]) prunes with bounding
//! volume hierarchies (BVH) and sweep and prune. The narrow phase ([`convex`], [`pair`]) runs GJK,
//! EPA and exact triangle tests on the remaining pairs.
//!
//! Modules stand in dependency order, and each uses only those before it:
//!
//! - [`math`]: poses, directed rounding, SIMD lanes;
//! - [`shape`]: triangles, triangle meshes, primitives, convex polyhedra;
//! - [`volume`]: bounding volumes (sphere, AABB, OBB, RSS, k-DOP, k-IOS);
//! - [`convex`]: distance and penetration depth of two convex shapes;
//! - [`pair`]: tests between two volumes, a volume and a shape, or two shapes;
//! - [`tree`]: meshes, point clouds, height fields and voxel maps under a BVH;
//! - [`traversal`]: the one loop over two hierarchies;
//! - [`query`]: collision, contacts, distance and tolerance verification;
//! - [`dispatch`]: the table that picks the test for two geometries;
//! - [`assembly`]: queries between groups of placed parts;
//! - [`motion`]: continuous collision detection and time of impact;
//! - [`penetration`]: penetration depth and signed distance of solids of any form;
//! - [`world`]: many moving bodies, broad phase and pair management;
//! - [`decompose`]: approximate convex decomposition with a certified error.

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
pub mod penetration;
pub mod query;
#[cfg(test)]
mod random;
mod saved;
pub mod shape;
pub mod traversal;
pub mod tree;
pub mod volume;
pub mod world;

pub use error::{Error, ErrorKind, Readable, Result};
pub use math::Pose;
pub use shape::{TriMesh, Triangle};
