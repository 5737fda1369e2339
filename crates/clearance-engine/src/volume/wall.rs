//! Walls: what bounds a convex region.

use crate::math::DVec3;

/// All points with `normal · x ≤ offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    /// Outward, of unit length.
    pub normal: DVec3,
    /// Where the wall is along its normal.
    pub offset: f64,
}
