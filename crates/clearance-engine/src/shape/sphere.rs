//! A solid sphere.

use super::convex::{Convex, Directions};
use super::primitive::checked_length;
use crate::math::{DVec3, Frame};
use crate::{Pose, Result};

/// A solid sphere; its radius may be zero.
///
/// ```
/// use clearance_engine::shape::Sphere;
/// assert_eq!(Sphere::new(0.5)?.radius(), 0.5);
/// assert!(Sphere::new(-1.0).is_err() && Sphere::new(f64::NAN).is_err());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    center: DVec3,
    radius: f64,
}

impl Sphere {
    /// Creates a sphere about the origin.
    pub fn new(radius: f64) -> Result<Self> {
        Ok(Self { center: DVec3::ZERO, radius: checked_length("radius of a sphere", radius)? })
    }

    /// A sphere about a point; the caller has checked both.
    #[inline]
    pub(crate) fn about(center: DVec3, radius: f64) -> Self {
        Self { center, radius }
    }

    /// The distance from the centre to the surface.
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The sphere after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self { center: pose.transform_point(self.center), ..*self }
    }

    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        Self { center: frame.store(self.center), radius: self.radius * frame.scale }
    }
}

impl Convex for Sphere {
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        0.0
    }

    #[inline]
    fn radius(&self) -> f64 {
        self.radius
    }

    #[inline]
    fn support(&self, _direction: DVec3) -> DVec3 {
        DVec3::ZERO
    }

    #[inline]
    fn nearest(&self, _offset: DVec3) -> DVec3 {
        DVec3::ZERO
    }

    fn face_normals(&self, _towards: DVec3) -> Directions {
        Directions::new()
    }

    fn edge_directions(&self, _towards: DVec3) -> Directions {
        Directions::new()
    }
}
