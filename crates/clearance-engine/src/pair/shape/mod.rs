//! Exact answers between two shapes in one frame: `<a>_<b>.rs`.

mod fields;
mod half_spaces;
pub(crate) mod point_lanes;
mod point_primitive;
mod point_triangle;
mod predicates;
mod primitives;
mod ray_hit;
pub(crate) mod ray_lanes;
mod ray_primitive;
mod ray_triangle;
mod shared_points;
pub(crate) mod swept_lanes;
pub(crate) mod triangle_boxes;
pub(crate) mod triangle_lanes;
mod triangle_triangle;

pub use crate::shape::ClosestPoints;
pub(crate) use point_primitive::point_primitive;
pub(crate) use point_triangle::point_triangle;
pub use ray_hit::ray_hit;
pub(crate) use ray_primitive::cast_at_primitive;
pub use ray_triangle::{ray_crossing, winding_number};
pub use shared_points::SharedPoints;
pub use triangle_triangle::{
    triangle_contact, triangle_distance, triangle_distance_below, triangle_gap_along, triangles_overlap,
};

use crate::Pose;
use crate::math::DVec3;

/// What a leaf of a tree is made of: something that can be moved.
pub trait Shape: Clone {
    /// The shape after a rigid motion, rounded.
    fn transformed(&self, pose: &Pose) -> Self;
}

/// How a shape meets a shape of kind `B` in the same frame.
pub trait Proximity<B> {
    /// Whether the two share a point.
    fn overlaps(&self, b: &B) -> bool;

    /// Their closest points, or `None` only if they are certainly `limit` or more apart. A limit
    /// that is NaN is none.
    fn closest_below(&self, b: &B, limit: f64) -> Option<ClosestPoints>;

    /// At most their distance: the gap between their projections on `direction`, which leads from
    /// this shape to `b`. Cheap, or negative infinity, which is always right.
    fn gap_along(&self, b: &B, direction: DVec3) -> f64 {
        let _ = (b, direction);
        f64::NEG_INFINITY
    }

    /// The points that they share, or `None` if they share none.
    fn shared_points(&self, b: &B) -> Option<SharedPoints>;
}
