//! What bounds a node of an assembly: a ball, and a box along the axes of the common frame.
//!
//! Balls are cheap to turn and tight where bodies are round; boxes are tight around floors, walls and tables.

use crate::Pose;
use crate::math::{DMat3, DVec3, UNIT_ROUNDOFF};
use crate::tree::Geometry;
use crate::volume::BoundingBall;

/// What the arithmetic of boxes may lose, relative to the coordinates in it.
const SLACK: f64 = 32.0 * UNIT_ROUNDOFF;

/// A ball and a box around the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) ball: BoundingBall,
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    pub(super) fn of(geometry: &dyn Geometry) -> Self {
        let (low, high) = geometry.bounding_box();
        Self { ball: geometry.ball(), low, high }
    }

    /// The bounds after a rigid motion.
    #[inline]
    pub(super) fn moved(&self, pose: &Pose) -> Self {
        let (center, half) = ((self.low + self.high) * 0.5, (self.high - self.low) * 0.5);
        let (moved, turned) = (pose.transform_point(center), absolute(pose.rotation()) * half);
        let rounding = SLACK * (moved.abs() + turned + center.abs().element_sum());
        let reach = turned + rounding;
        Self { ball: self.ball.moved(pose), low: moved - reach, high: moved + reach }
    }

    /// Bounds around both.
    #[inline]
    pub(super) fn with(&self, other: &Self) -> Self {
        Self { ball: self.ball.with(&other.ball), low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// At most the distance between the contents of two bounds.
    #[inline]
    pub(super) fn gap(&self, other: &Self) -> f64 {
        let apart = (self.low - other.high).max(other.low - self.high);
        let boxes = apart.max(DVec3::ZERO).length() * (1.0 - 8.0 * UNIT_ROUNDOFF);
        boxes.max(self.ball.gap(&other.ball))
    }
}

#[inline]
fn absolute(m: &DMat3) -> DMat3 {
    DMat3::from_cols(m.x_axis.abs(), m.y_axis.abs(), m.z_axis.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriMesh;
    use crate::tree::Mesh;
    use crate::volume::samples::Random;

    #[test]
    fn moved_and_joined_bounds_contain_their_vertices_and_gaps_are_not_above_distances() {
        let mut random = Random(17);
        for case in 0..300 {
            let scale = 10.0_f64.powi(case % 9 - 4);
            let mut body = || {
                let corners: Vec<DVec3> = (0..12).map(|_| random.vector() * scale).collect();
                let soup = TriMesh::new(corners.clone(), vec![[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]).unwrap();
                let mesh: Mesh = Mesh::new(soup).unwrap();
                let pose = Pose::from_matrix(random.rotation(), random.vector() * 3.0 * scale).unwrap();
                let corners: Vec<DVec3> = corners.iter().map(|&corner| pose.transform_point(corner)).collect();
                (Bounds::of(&mesh).moved(&pose), corners)
            };
            let ((a, corners_a), (b, corners_b)) = (body(), body());
            let both = a.with(&b);
            for (bounds, corner) in corners_a.iter().map(|p| (&a, p)).chain(corners_b.iter().map(|p| (&b, p))) {
                for bounds in [bounds, &both] {
                    assert!(bounds.low.cmple(*corner).all() && bounds.high.cmpge(*corner).all(), "{bounds:?} {corner}");
                    assert!(bounds.ball.center.distance(*corner) <= bounds.ball.radius);
                }
            }
            let pairs = corners_a.iter().flat_map(|p| corners_b.iter().map(|q| p.distance(*q)));
            assert!(a.gap(&b) <= pairs.fold(f64::INFINITY, f64::min));
        }
    }
}
