//! A solid cone with a flat base.

use super::convex::{Convex, Directions};
use super::cylinder::SHORTEST;
use super::primitive::{checked_point, checked_size};
use crate::math::{DMat3, DVec3, Frame};
use crate::{Pose, Result};
use smallvec::smallvec;

/// A solid cone: the convex hull of a disc, its base, and a point, the apex, above the disc's
/// centre.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Cone, Convex}};
/// let up = Cone::from_half_length(0.5, 2.0)?;
/// assert_eq!(up.support(DVec3::new(0.1, 0.0, 1.0)), DVec3::new(0.0, 0.0, 2.0));
/// assert_eq!(up.support(DVec3::new(3.0, 0.0, -1.0)), DVec3::new(0.5, 0.0, -2.0));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cone {
    /// The point half way between the base and the apex.
    center: DVec3,
    /// Columns of unit length, orthogonal, both up to rounding; the last one points to the apex.
    axes: DMat3,
    radius: f64,
    half_length: f64,
}

impl Cone {
    /// Creates a cone along z, of this full length: its base is at `-length / 2`, its apex at
    /// `length / 2`. Both sizes must be positive.
    pub fn new(radius: f64, length: f64) -> Result<Self> {
        Self::from_half_length(radius, 0.5 * length)
    }

    /// Creates a cone as [`new`](Self::new) does, from half of the length.
    pub fn from_half_length(radius: f64, half_length: f64) -> Result<Self> {
        Ok(Self {
            center: DVec3::ZERO,
            axes: DMat3::IDENTITY,
            radius: checked_size("radius of a cone", radius)?,
            half_length: checked_size("half length of a cone", half_length)?,
        })
    }

    /// Creates a cone from the centre of its base, its apex and the radius of the base.
    pub fn between(base: DVec3, apex: DVec3, radius: f64) -> Result<Self> {
        let base = checked_point("base of a cone", base)?;
        let half = (checked_point("apex of a cone", apex)? - base) * 0.5;
        // Squares of tiny or huge numbers would lose digits.
        let size = half.abs().max_element();
        let length = if size > 0.0 { (half / size).length() } else { 0.0 };
        let cone = Self::from_half_length(radius, size * length)?;
        let axis = half / size / length;
        let (u, v) = axis.any_orthonormal_pair();
        Ok(Self { center: base + half, axes: DMat3::from_cols(u, v, axis), ..cone })
    }

    /// The radius of the base.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Half of the distance from the base to the apex.
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// The unit direction from the base to the apex.
    pub fn axis(&self) -> DVec3 {
        self.axes.z_axis
    }

    /// The cone after a rigid motion, rounded.
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

    /// A direction in the cone's own axes, its length across the axis, and whether the apex is the
    /// support point along it.
    #[inline]
    fn seen_along(&self, direction: DVec3) -> (DVec3, f64, bool) {
        let local = self.axes.transpose() * direction;
        let across = (local.x * local.x + local.y * local.y).sqrt();
        (local, across, local.z * (2.0 * self.half_length) >= across * self.radius)
    }
}

impl Convex for Cone {
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.radius.hypot(self.half_length)
    }

    fn inner(&self) -> f64 {
        // The distance to its side, beside the centre, where it is half as wide as its base. The
        // base is farther away.
        self.half_length * (self.radius / self.radius.hypot(2.0 * self.half_length))
    }

    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        let (local, across, apex) = self.seen_along(direction);
        if apex {
            return self.axes.z_axis * self.half_length;
        }
        // Along the axis, the centre of the base is as far as its rim. Squares of shorter vectors
        // have lost their digits.
        let factor = if across > SHORTEST { self.radius / across } else { 0.0 };
        self.axes * DVec3::new(local.x * factor, local.y * factor, -self.half_length)
    }

    /// In the half plane through the axis and the point, the cone is a triangle: its base and its
    /// slant decide.
    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let local = self.axes.transpose() * offset;
        let across = (local.x * local.x + local.y * local.y).sqrt();
        let (radius, half) = (self.radius, self.half_length);
        // The place of the nearest point along the slant, from the rim (0) to the apex (1); lengths
        // may be tiny or huge.
        let size = radius.max(half);
        let (r, h) = (radius / size, 2.0 * half / size);
        let (out, up) = ((across - radius) / size, (local.z + half) / size);
        let at = ((up * h - out * r) / (r * r + h * h)).clamp(0.0, 1.0);
        let (nearest, along) = if out * h + up * r <= 0.0 {
            // Below the slant: inside, or nearest to the base.
            (across.min(radius), local.z.max(-half))
        } else {
            (radius * (1.0 - at), half * (2.0 * at - 1.0))
        };
        let factor = if across > nearest { nearest / across } else { 1.0 };
        self.axes * DVec3::new(local.x * factor, local.y * factor, along)
    }

    fn face_normals(&self, _towards: DVec3) -> Directions {
        smallvec![self.axes.z_axis]
    }

    fn edge_directions(&self, _towards: DVec3) -> Directions {
        Directions::new()
    }

    /// The slant next to the point and the tangent of the rim.
    fn edges_at(&self, offset: DVec3) -> Directions {
        let local = self.axes.transpose() * offset;
        let out = DVec3::new(local.x, local.y, 0.0).try_normalize().unwrap_or(DVec3::X);
        let slant = DVec3::new(self.radius * out.x, self.radius * out.y, -2.0 * self.half_length);
        smallvec![self.axes * slant, self.axes * DVec3::new(-out.y, out.x, 0.0)]
    }

    #[inline]
    fn is_curved(&self) -> bool {
        true
    }

    fn turning(&self, direction: DVec3) -> DMat3 {
        let (local, across, apex) = self.seen_along(direction);
        if apex { DMat3::ZERO } else { turning_of_rim(&self.axes, local, across, self.radius) }
    }
}

/// The derivative of the support point of a circle about the last axis: it moves along the circle
/// as the direction turns about the axis.
pub(super) fn turning_of_rim(axes: &DMat3, local: DVec3, across: f64, radius: f64) -> DMat3 {
    if across == 0.0 {
        return DMat3::ZERO;
    }
    let along = (axes.y_axis * local.x - axes.x_axis * local.y) / across;
    outer(along, along) * (radius / across)
}

/// The matrix `a·bᵀ`.
pub(super) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}
