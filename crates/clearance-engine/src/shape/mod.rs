//! Shapes: triangles, triangle meshes, convex primitives, convex polyhedra, half-spaces and planes.

mod capsule;
mod closest_points;
mod cone;
mod convex;
mod cuboid;
mod cylinder;
mod ellipsoid;
mod facing;
mod half_space;
mod point_distance;
mod polygon;
mod polyhedron;
mod primitive;
mod ray;
mod sphere;
mod sphere_intersection;
mod topology;
mod tri_mesh;
mod triangle;

pub use capsule::Capsule;
pub use closest_points::ClosestPoints;
pub use cone::Cone;
pub use convex::{Convex, Directions};
pub use cuboid::Cuboid;
pub use cylinder::Cylinder;
pub use ellipsoid::Ellipsoid;
pub use facing::front_faces;
pub(crate) use facing::{encloses_volume, is_front};
pub use half_space::{HalfSpace, HalfSpaceOrPlane, Plane};
pub use point_distance::{PointDistance, Sign};
pub(crate) use polygon::{crossing, cut_polygon};
pub use polyhedron::ConvexPolyhedron;
#[cfg(any(test, feature = "lab"))]
pub(crate) use polyhedron::polygon_normal;
pub(crate) use polyhedron::{BodyKey, Local, hull_volume};
pub use primitive::Primitive;
pub use ray::{Ray, RayGoal, RayHit};
pub use sphere::Sphere;
pub use sphere_intersection::SphereIntersection;
pub use topology::{check_closed, component_points};
pub(crate) use topology::{components, edge_neighbors, is_one_surface, welded};
pub use tri_mesh::TriMesh;
pub(crate) use tri_mesh::check_points;
pub use triangle::Triangle;
