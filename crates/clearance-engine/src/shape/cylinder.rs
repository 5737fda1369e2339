//! A solid cylinder with flat ends.

use super::cone::turning_of_rim;
use super::convex::{Convex, Directions};
use super::primitive::{checked_length, checked_point};
use crate::math::{DMat3, DVec3, Frame};
use crate::{Pose, Result};
use smallvec::smallvec;

/// A solid cylinder with flat ends. Radius and length may be zero, which makes it a segment, a disc
/// or a point.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Convex, Cylinder}};
/// let along_z = Cylinder::from_half_length(0.5, 2.0)?;
/// assert_eq!(along_z.support(DVec3::new(3.0, 0.0, -1.0)), DVec3::new(0.5, 0.0, -2.0));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cylinder {
    center: DVec3,
    /// Columns of unit length, orthogonal, both up to rounding; the last one is the axis. With two
    /// directions across the axis no arithmetic can bring a point of an end off its plane, which
    /// projecting along the axis would.
    axes: DMat3,
    radius: f64,
    half_length: f64,
}

impl Cylinder {
    /// Creates a cylinder about the origin along z; `length` is the full length.
    pub fn new(radius: f64, length: f64) -> Result<Self> {
        Self::from_half_length(radius, 0.5 * length)
    }

    /// Creates a cylinder as [`new`](Self::new) does, from half of the length.
    pub fn from_half_length(radius: f64, half_length: f64) -> Result<Self> {
        Ok(Self {
            center: DVec3::ZERO,
            axes: DMat3::IDENTITY,
            radius: checked_length("radius of a cylinder", radius)?,
            half_length: checked_length("half length of a cylinder", half_length)?,
        })
    }

    /// Creates a cylinder from the centres of its ends, `start` and `end`; along z where these are
    /// equal.
    pub fn between(start: DVec3, end: DVec3, radius: f64) -> Result<Self> {
        let start = checked_point("start of a cylinder", start)?;
        let half = (checked_point("end of a cylinder", end)? - start) * 0.5;
        let axis = half.try_normalize().unwrap_or(DVec3::Z);
        let (u, v) = axis.any_orthonormal_pair();
        Ok(Self {
            center: start + half,
            axes: DMat3::from_cols(u, v, axis),
            ..Self::from_half_length(radius, half.length())?
        })
    }

    /// The distance from the axis to the side.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Half of the distance between the two ends.
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// The unit direction of the axis.
    pub fn axis(&self) -> DVec3 {
        self.axes.z_axis
    }

    /// The cylinder after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self { center: pose.transform_point(self.center), axes: *pose.rotation() * self.axes, ..*self }
    }

    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        Self {
            center: frame.store(self.center),
            radius: self.radius * frame.scale,
            half_length: self.half_length * frame.scale,
            ..*self
        }
    }
}

/// The shortest part of a direction that matters: those of directions that prove something are
/// longer than 1e-100.
pub(super) const SHORTEST: f64 = 1e-145;

impl Convex for Cylinder {
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.radius.hypot(self.half_length)
    }

    fn inner(&self) -> f64 {
        self.radius.min(self.half_length)
    }

    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        let local = self.axes.transpose() * direction;
        let across = (local.x * local.x + local.y * local.y).sqrt();
        // Along the axis, the centre of the end is as far as its rim. Squares of shorter vectors
        // have lost their digits.
        let factor = if across > SHORTEST { self.radius / across } else { 0.0 };
        self.axes * DVec3::new(local.x * factor, local.y * factor, self.half_length.copysign(local.z))
    }

    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let local = self.axes.transpose() * offset;
        let across = (local.x * local.x + local.y * local.y).sqrt();
        let factor = if across > self.radius { self.radius / across } else { 1.0 };
        let along = local.z.clamp(-self.half_length, self.half_length);
        self.axes * DVec3::new(local.x * factor, local.y * factor, along)
    }

    fn face_normals(&self, _towards: DVec3) -> Directions {
        smallvec![self.axes.z_axis]
    }

    fn edge_directions(&self, _towards: DVec3) -> Directions {
        smallvec![self.axes.z_axis]
    }

    /// The axis and the tangent of the rim.
    fn edges_at(&self, offset: DVec3) -> Directions {
        let local = self.axes.transpose() * offset;
        smallvec![self.axes.z_axis, self.axes.y_axis * local.x - self.axes.x_axis * local.y]
    }

    #[inline]
    fn is_curved(&self) -> bool {
        true
    }

    fn turning(&self, direction: DVec3) -> DMat3 {
        let local = self.axes.transpose() * direction;
        let across = (local.x * local.x + local.y * local.y).sqrt();
        turning_of_rim(&self.axes, local, across, self.radius)
    }
}
