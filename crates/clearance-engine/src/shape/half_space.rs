//! Half-spaces and planes: shapes without bounds.

use super::primitive::{checked_point, checked_signed};
use crate::math::DVec3;
use crate::{Error, ErrorKind, Pose, Result};

/// An infinite plane: all points `x` with `normal·x = offset`. Bodies on either side can touch it.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::Plane};
/// let sheet = Plane::new(DVec3::new(0.0, 0.0, 2.0), 3.0)?;
/// assert_eq!((sheet.normal(), sheet.offset()), (DVec3::Z, 1.5));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plane {
    /// Unit length, up to rounding.
    normal: DVec3,
    /// The signed distance from the origin.
    offset: f64,
}

impl Plane {
    /// Creates the plane `normal·x = offset`. The normal may have any length but zero; normalising
    /// it divides the offset too.
    pub fn new(normal: DVec3, offset: f64) -> Result<Self> {
        let size = checked_point("normal of a plane", normal)?.abs().max_element();
        if size < f64::MIN_POSITIVE {
            return Err(Error::new(ErrorKind::OutOfRange, "the normal of a plane is zero"));
        }
        // Squares of tiny or huge numbers would lose digits.
        let scaled = normal / size;
        let length = scaled.length();
        let offset = checked_signed("offset of a plane", offset / size / length)?;
        Ok(Self { normal: scaled / length, offset })
    }

    /// Creates the plane through a point.
    pub fn through(point: DVec3, normal: DVec3) -> Result<Self> {
        let plane = Self::new(normal, 0.0)?;
        let offset = plane.normal.dot(checked_point("point of a plane", point)?);
        Ok(Self { offset, ..plane })
    }

    /// The normal, of unit length up to rounding.
    pub fn normal(&self) -> DVec3 {
        self.normal
    }

    /// The signed distance of the plane from the origin, along the normal.
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// The plane after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let normal = pose.transform_vector(self.normal);
        Self { normal, offset: self.offset + normal.dot(pose.translation()) }
    }
}

/// A half-space, such as a floor: all points `x` on one side of a plane, `normal·x ≤ offset`.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::HalfSpace};
/// let floor = HalfSpace::new(DVec3::Z, 0.0)?;
/// assert_eq!(floor.boundary().normal(), DVec3::Z);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HalfSpace(Plane);

impl HalfSpace {
    /// Creates the half-space `normal·x ≤ offset`; the normal points out of it. See [`Plane::new`].
    pub fn new(normal: DVec3, offset: f64) -> Result<Self> {
        Plane::new(normal, offset).map(Self)
    }

    /// Creates the half-space behind a plane.
    pub fn behind(boundary: Plane) -> Self {
        Self(boundary)
    }

    /// The boundary plane.
    pub fn boundary(&self) -> &Plane {
        &self.0
    }
}

/// A shape without bounds: a half-space or a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum HalfSpaceOrPlane {
    /// All points on one side of a plane.
    HalfSpace(HalfSpace),
    /// The plane alone.
    Plane(Plane),
}

impl HalfSpaceOrPlane {
    /// The name in messages and scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::HalfSpace(_) => "half-space",
            Self::Plane(_) => "plane",
        }
    }

    /// The plane itself, or the boundary of the half-space.
    #[inline]
    pub fn plane(&self) -> &Plane {
        match self {
            Self::HalfSpace(half_space) => half_space.boundary(),
            Self::Plane(plane) => plane,
        }
    }

    /// Whether it is a half-space, which contains all points below its plane.
    #[inline]
    pub fn is_solid(&self) -> bool {
        matches!(self, Self::HalfSpace(_))
    }

    /// The shape after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let plane = self.plane().transformed(pose);
        if self.is_solid() { Self::HalfSpace(HalfSpace(plane)) } else { Self::Plane(plane) }
    }
}

impl From<HalfSpace> for HalfSpaceOrPlane {
    fn from(half_space: HalfSpace) -> Self {
        Self::HalfSpace(half_space)
    }
}

impl From<Plane> for HalfSpaceOrPlane {
    fn from(plane: Plane) -> Self {
        Self::Plane(plane)
    }
}
