//! A solid box with any orientation.

use super::convex::{Convex, Directions};
use super::primitive::checked_length;
use crate::math::{DMat3, DVec3, Frame};
use crate::{Pose, Result};

/// A solid box with any orientation. Half-extents may be zero, which makes it a plate, a segment or
/// a point.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::{Convex, Cuboid}};
/// let crate_on_floor = Cuboid::from_half_extents(DVec3::splat(0.5))?.transformed(&Pose::from_translation(DVec3::Z * 0.5)?);
/// assert_eq!(crate_on_floor.center() + crate_on_floor.support(DVec3::NEG_Z), DVec3::new(0.5, 0.5, 0.0));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cuboid {
    center: DVec3,
    /// Columns of unit length, orthogonal, both up to rounding.
    axes: DMat3,
    half: DVec3,
}

impl Cuboid {
    /// Creates a box about the origin along the coordinate axes, with these full edge lengths.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, shape::Cuboid};
    /// assert_eq!(Cuboid::new(1.2, 0.8, 0.05)?.half(), DVec3::new(0.6, 0.4, 0.025));
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn new(x: f64, y: f64, z: f64) -> Result<Self> {
        for length in [x, y, z] {
            checked_length("edge length of a box", length)?;
        }
        Self::from_half_extents(DVec3::new(x, y, z) * 0.5)
    }

    /// Creates a box about the origin along the coordinate axes from its half-extents.
    pub fn from_half_extents(half: DVec3) -> Result<Self> {
        for extent in half.to_array() {
            checked_length("half extent of a box", extent)?;
        }
        Ok(Self { center: DVec3::ZERO, axes: DMat3::IDENTITY, half })
    }

    /// A box about a point along the coordinate axes; the caller has checked both.
    pub(crate) fn about(center: DVec3, half: DVec3) -> Self {
        Self { center, axes: DMat3::IDENTITY, half }
    }

    /// The half-extents: half of the edge lengths.
    pub fn half(&self) -> DVec3 {
        self.half
    }

    /// The directions of the edges, as columns.
    pub fn axes(&self) -> &DMat3 {
        &self.axes
    }

    /// The box after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self { center: pose.transform_point(self.center), axes: *pose.rotation() * self.axes, ..*self }
    }

    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        Self { center: frame.store(self.center), half: self.half * frame.scale, ..*self }
    }
}

impl Convex for Cuboid {
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.half.length()
    }

    fn inner(&self) -> f64 {
        self.half.min_element()
    }

    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        self.axes * self.half.copysign(self.axes.transpose() * direction)
    }

    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        self.axes * (self.axes.transpose() * offset).clamp(-self.half, self.half)
    }

    fn face_normals(&self, _towards: DVec3) -> Directions {
        Directions::from_slice(&[self.axes.x_axis, self.axes.y_axis, self.axes.z_axis])
    }

    fn edge_directions(&self, towards: DVec3) -> Directions {
        self.face_normals(towards)
    }
}
