//! Sets without bounds that a plane makes: the half-space below it, and the plane itself.

use super::primitive::{checked_point, checked_signed};
use crate::math::DVec3;
use crate::{Error, ErrorKind, Pose, Result};

/// All points `x` with `normal·x = offset`: a surface that both sides can touch.
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
    /// The plane `normal·x = offset`; the normal may have any length but zero, by which the offset
    /// is divided too.
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

    /// The plane through a point.
    pub fn through(point: DVec3, normal: DVec3) -> Result<Self> {
        let plane = Self::new(normal, 0.0)?;
        let offset = plane.normal.dot(checked_point("point of a plane", point)?);
        Ok(Self { offset, ..plane })
    }

    /// Across the plane, of unit length up to rounding.
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

/// All points on one side of a plane, `normal·x ≤ offset`: a solid without end, such as a floor.
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
    /// The half-space `normal·x ≤ offset`: the normal leads out of it. See [`Plane::new`].
    pub fn new(normal: DVec3, offset: f64) -> Result<Self> {
        Plane::new(normal, offset).map(Self)
    }

    /// The half-space behind a plane.
    pub fn behind(boundary: Plane) -> Self {
        Self(boundary)
    }

    /// The plane that bounds it.
    pub fn boundary(&self) -> &Plane {
        &self.0
    }
}

/// A half-space or a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum HalfSpaceOrPlane {
    /// All points on one side of a plane.
    HalfSpace(HalfSpace),
    /// The plane alone.
    Plane(Plane),
}

impl HalfSpaceOrPlane {
    /// What it is called in messages and scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::HalfSpace(_) => "half-space",
            Self::Plane(_) => "plane",
        }
    }

    /// The plane, or the one that bounds the half-space.
    #[inline]
    pub fn plane(&self) -> &Plane {
        match self {
            Self::HalfSpace(half_space) => half_space.boundary(),
            Self::Plane(plane) => plane,
        }
    }

    /// Whether all that is below the plane belongs to it.
    #[inline]
    pub fn is_solid(&self) -> bool {
        matches!(self, Self::HalfSpace(_))
    }

    /// The same after a rigid motion, rounded.
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
