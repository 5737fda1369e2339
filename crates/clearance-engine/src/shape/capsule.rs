//! A solid capsule: all points within a radius of a segment.

use super::convex::{Convex, Directions};
use super::primitive::{checked_length, checked_point};
use crate::math::{DVec3, Frame};
use crate::{Pose, Result};
use smallvec::smallvec;

/// A solid capsule (a swept sphere): all points within a radius of a segment. Radius and length may
/// be zero.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::Capsule};
/// let along_z = Capsule::from_half_length(0.1, 0.4)?;
/// assert_eq!(along_z, Capsule::between(DVec3::Z * -0.4, DVec3::Z * 0.4, 0.1)?);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capsule {
    center: DVec3,
    /// The vector from the centre to one end of the segment.
    half: DVec3,
    radius: f64,
}

impl Capsule {
    /// Creates a capsule about the origin along z; `length` is that of the segment, without the
    /// round ends.
    pub fn new(radius: f64, length: f64) -> Result<Self> {
        Self::from_half_length(radius, 0.5 * length)
    }

    /// Creates a capsule as [`new`](Self::new) does, from half of the segment's length.
    pub fn from_half_length(radius: f64, half_length: f64) -> Result<Self> {
        let radius = checked_length("radius of a capsule", radius)?;
        let half = DVec3::Z * checked_length("half length of a capsule", half_length)?;
        Ok(Self { center: DVec3::ZERO, half, radius })
    }

    /// Creates the capsule of all points within `radius` of the segment from `start` to `end`.
    pub fn between(start: DVec3, end: DVec3, radius: f64) -> Result<Self> {
        let radius = checked_length("radius of a capsule", radius)?;
        let start = checked_point("start of a capsule", start)?;
        let half = (checked_point("end of a capsule", end)? - start) * 0.5;
        Ok(Self { center: start + half, half, radius })
    }

    /// The distance from the segment to the surface.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The vector from the centre to one end of the segment.
    pub fn half(&self) -> DVec3 {
        self.half
    }

    /// The capsule after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self { center: pose.transform_point(self.center), half: pose.transform_vector(self.half), ..*self }
    }

    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        Self { center: frame.store(self.center), half: self.half * frame.scale, radius: self.radius * frame.scale }
    }
}

impl Convex for Capsule {
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.half.length()
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }

    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        if direction.dot(self.half) < 0.0 { -self.half } else { self.half }
    }

    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let squared = self.half.length_squared();
        if squared > 0.0 { self.half * (offset.dot(self.half) / squared).clamp(-1.0, 1.0) } else { DVec3::ZERO }
    }

    fn face_normals(&self, _towards: DVec3) -> Directions {
        Directions::new()
    }

    fn edge_directions(&self, _towards: DVec3) -> Directions {
        smallvec![self.half]
    }
}
