//! Ray casts: how each geometry finds the hits of a ray.
//!
//! [`Geometry::cast_ray`](super::Geometry::cast_ray) is the seam: a geometry offers its hits to a
//! [`RayGoal`], which keeps the first, any or all of them. One goal runs through all parts of an
//! assembly, so that what one part found shortens the ray for the next.

mod assembly;
mod boxes;
mod bvh8;
mod primitives;

pub(super) use assembly::cast_at_assembly;
pub(super) use boxes::cast_at_triangles;
pub(super) use bvh8::{cast_at_bvh8, first_hits_at_bvh8};
pub use primitives::cast_at_primitives;
