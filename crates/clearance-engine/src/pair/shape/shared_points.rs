//! The answer to "where do these two meet?".

use crate::math::DVec3;
use smallvec::SmallVec;

/// Where two shapes meet, and the direction in which they would best be parted.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedPoints {
    /// Points of both shapes, rounded, at least one. Of two triangles, the vertices of the
    /// intersection: one point, the two ends of a segment, or, for triangles in one plane, the
    /// three to six vertices of a convex polygon in order. Of solids: one point.
    pub points: SmallVec<[DVec3; 6]>,
    /// A unit vector from a to b. Of two triangles: of the face normals and the cross products of
    /// edges, the direction along which b has to move least to leave a, up to rounding. For
    /// triangles in one plane it is their normal, pointed out of a's front where the two face each
    /// other. Exchanging the triangles turns it around, except when they are equal. Of solids: the
    /// shortest way out, up to a local optimum.
    pub normal: DVec3,
}
