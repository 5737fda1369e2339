//! The shapes that leaves are made of: triangles, and simple solids.

mod ball;
mod capsule;
mod convex;
mod cuboid;
mod cylinder;
mod polyhedron;
mod primitive;
mod soup;
mod topology;
mod triangle;

pub use ball::Ball;
pub use capsule::Capsule;
pub use convex::{Convex, Directions};
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use polyhedron::ConvexPolyhedron;
pub use primitive::Primitive;
pub use soup::TriMesh;
pub(crate) use soup::check_points;
pub use topology::{check_closed, component_points};
pub use triangle::Triangle;
