//! The simple solids under one name, and the checks that their constructors share.

use super::convex::{Convex, Directions};
use super::{Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Sphere};
use crate::math::{DMat3, DVec3, Frame, LARGEST_COORDINATE};
use crate::{Error, ErrorKind, Pose, Readable, Result};

/// A simple solid. A surface that reaches into it touches it, and so does one that lies inside.
///
/// ```
/// use clearance_engine::shape::{Sphere, Primitive};
/// let sphere: Primitive = Sphere::new(1.0)?.into();
/// assert_eq!(sphere.name(), "sphere");
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Primitive {
    /// All that is within a radius of a point.
    Sphere(Sphere),
    /// All that is within a radius of a segment.
    Capsule(Capsule),
    /// A box.
    Cuboid(Cuboid),
    /// A cylinder with flat ends.
    Cylinder(Cylinder),
    /// A cone with a flat base.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// The hull of points.
    ConvexPolyhedron(ConvexPolyhedron),
}

/// Does the same with whatever a primitive is.
macro_rules! whatever {
    ($primitive:expr, $shape:ident => $result:expr) => {
        match $primitive {
            Primitive::Sphere($shape) => $result,
            Primitive::Capsule($shape) => $result,
            Primitive::Cuboid($shape) => $result,
            Primitive::Cylinder($shape) => $result,
            Primitive::Cone($shape) => $result,
            Primitive::Ellipsoid($shape) => $result,
            Primitive::ConvexPolyhedron($shape) => $result,
        }
    };
}

impl Primitive {
    /// What it is called in messages and scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "ball",
            Self::Capsule(_) => "capsule",
            Self::Cuboid(_) => "cuboid",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Ellipsoid(_) => "ellipsoid",
            Self::ConvexPolyhedron(_) => "polyhedron",
        }
    }

    /// The solid after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        whatever!(self, shape => shape.transformed(pose).into())
    }

    /// The solid in the stored coordinates of a hierarchy.
    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        whatever!(self, shape => shape.stored(frame).into())
    }
}

/// Each simple solid is a [`Primitive`].
macro_rules! primitives {
    ($($shape:ident)*) => {
        $(impl From<$shape> for Primitive {
            fn from(shape: $shape) -> Self {
                Self::$shape(shape)
            }
        })*
    };
}

primitives!(Sphere Capsule Cuboid Cylinder Cone Ellipsoid ConvexPolyhedron);

impl Convex for Primitive {
    #[inline]
    fn center(&self) -> DVec3 {
        whatever!(self, shape => shape.center())
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        whatever!(self, shape => shape.bounding_radius())
    }

    #[inline]
    fn radius(&self) -> f64 {
        whatever!(self, shape => Convex::radius(shape))
    }

    fn inner(&self) -> f64 {
        whatever!(self, shape => shape.inner())
    }

    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        whatever!(self, shape => shape.support(direction))
    }

    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        whatever!(self, shape => shape.nearest(offset))
    }

    #[inline]
    fn knows_nearest(&self) -> bool {
        whatever!(self, shape => shape.knows_nearest())
    }

    fn surely_nearest(&self, offset: DVec3) -> DVec3 {
        whatever!(self, shape => shape.surely_nearest(offset))
    }

    fn face_normals(&self, towards: DVec3) -> Directions {
        whatever!(self, shape => shape.face_normals(towards))
    }

    fn each_face_normal(&self, visit: &mut dyn FnMut(DVec3)) {
        whatever!(self, shape => shape.each_face_normal(visit))
    }

    fn edge_directions(&self, towards: DVec3) -> Directions {
        whatever!(self, shape => shape.edge_directions(towards))
    }

    #[inline]
    fn is_curved(&self) -> bool {
        whatever!(self, shape => shape.is_curved())
    }

    #[inline]
    fn turning(&self, direction: DVec3) -> DMat3 {
        whatever!(self, shape => shape.turning(direction))
    }

    fn edges_at(&self, offset: DVec3) -> Directions {
        whatever!(self, shape => shape.edges_at(offset))
    }
}

/// A length that is finite, not negative and not beyond what predicates can take.
pub(super) fn checked_length(what: &str, length: f64) -> Result<f64> {
    if !length.is_finite() {
        return Err(Error::new(ErrorKind::NotFinite, format!("the {what} is not finite: {}", Readable(length))));
    }
    if !(0.0..=LARGEST_COORDINATE).contains(&length) {
        return Err(Error::new(
            ErrorKind::OutOfRange,
            format!("the {what} is negative or beyond 1e100: {}", Readable(length)),
        ));
    }
    Ok(length)
}

/// A length as [`checked_length`] has it that is not zero either.
pub(super) fn checked_size(what: &str, length: f64) -> Result<f64> {
    if length == 0.0 {
        return Err(Error::new(ErrorKind::OutOfRange, format!("the {what} is zero")));
    }
    checked_length(what, length)
}

/// A number of either sign that is finite and not beyond what predicates can take.
pub(super) fn checked_signed(what: &str, number: f64) -> Result<f64> {
    checked_length(what, number.abs()).map(|size| size.copysign(number))
}

/// A point that is finite and not beyond what predicates can take.
pub(super) fn checked_point(what: &str, point: DVec3) -> Result<DVec3> {
    for coordinate in point.abs().to_array() {
        checked_length(&format!("coordinate of the {what}"), coordinate)?;
    }
    Ok(point)
}
