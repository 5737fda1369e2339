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
