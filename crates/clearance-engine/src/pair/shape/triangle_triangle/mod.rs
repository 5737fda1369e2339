//! Everything between two triangles, degenerate ones included: overlap ([`triangles_overlap`],
//! exact), distance ([`triangle_distance`], certified) and contact ([`triangle_contact`]).
//!
//! The two triangles are given in the same frame; their coordinates are taken as exact numbers.
//! They must be finite and at most 1e100 in magnitude, which [`crate::TriMesh`] ensures. Exact
//! signs are lost where coordinates below 1e-91 meet ones of ordinary size: triangles may then be
//! said to touch across a gap of that order.

mod contact;
mod crossing_points;
mod distance;
mod overlap;
mod precise;

#[cfg(test)]
mod tests;

pub use contact::triangle_contact;
pub use distance::{triangle_distance, triangle_distance_below, triangle_gap_along};
pub use overlap::triangles_overlap;

use super::{ClosestPoints, Proximity, Shape, SharedPoints};
use crate::math::DVec3;
use crate::{Pose, Triangle};

impl Shape for Triangle {
    #[inline]
    fn transformed(&self, pose: &Pose) -> Self {
        Triangle::transformed(self, pose)
    }
}

impl Proximity<Triangle> for Triangle {
    #[inline]
    fn overlaps(&self, b: &Triangle) -> bool {
        triangles_overlap(self, b)
    }

    #[inline]
    fn closest_below(&self, b: &Triangle, limit: f64) -> Option<ClosestPoints> {
        triangle_distance_below(self, b, limit)
    }

    #[inline]
    fn gap_along(&self, b: &Triangle, direction: DVec3) -> f64 {
        triangle_gap_along(self, b, direction)
    }

    #[inline]
    fn shared_points(&self, b: &Triangle) -> Option<SharedPoints> {
        triangle_contact(self, b)
    }
}
