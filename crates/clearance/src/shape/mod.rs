//! The shapes that leaves are made of: triangles, simple solids, and what has no bounds.

mod ball;
mod capsule;
mod closest_points;
mod cone;
mod convex;
mod cuboid;
mod cylinder;
mod ellipsoid;
mod facing;
mod flat;
mod polygon;
mod polyhedron;
mod primitive;
mod soup;
mod topology;
mod triangle;

pub use ball::Ball;
pub use capsule::Capsule;
pub use closest_points::ClosestPoints;
pub use cone::Cone;
pub use convex::{Convex, Directions};
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use facing::front_faces;
pub(crate) use facing::{encloses_volume, is_front};
pub use flat::{Flat, HalfSpace, Plane};
pub(crate) use polygon::{crossing, cut_polygon};
pub use polyhedron::ConvexPolyhedron;
pub(crate) use polyhedron::{BodyKey, Local, hull_volume, polygon_normal};
pub use primitive::Primitive;
pub use soup::TriMesh;
pub(crate) use soup::check_points;
pub(crate) use topology::is_one_surface;
pub use topology::{check_closed, component_points};
pub use triangle::Triangle;
