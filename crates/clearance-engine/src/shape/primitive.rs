//! Any convex primitive under one name, and the checks that the constructors share.

use super::convex::{Convex, Directions};
use super::{Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Sphere};
use crate::math::{DMat3, DVec3, Frame, LARGEST_COORDINATE};
use crate::{Error, ErrorKind, Pose, Readable, Result};

/// A solid convex primitive: sphere, capsule, box, cylinder, cone, ellipsoid or convex polyhedron.
///
/// It is solid: a surface inside of it collides with it.
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
    /// All points within a radius of a point.
    Sphere(Sphere),
    /// All points within a radius of a segment.
    Capsule(Capsule),
    /// A box with any orientation.
    Cuboid(Cuboid),
    /// A cylinder with flat ends.
    Cylinder(Cylinder),
    /// A cone with a flat base.
    Cone(Cone),
    /// An ellipsoid.
    Ellipsoid(Ellipsoid),
    /// The convex hull of points.
    ConvexPolyhedron(ConvexPolyhedron),
}

/// Applies an expression to the shape inside of a primitive.
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
    /// The name in messages and scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "sphere",
            Self::Capsule(_) => "capsule",
            Self::Cuboid(_) => "cuboid",
            Self::Cylinder(_) => "cylinder",
            Self::Cone(_) => "cone",
            Self::Ellipsoid(_) => "ellipsoid",
            Self::ConvexPolyhedron(_) => "polyhedron",
        }
    }

    /// The primitive after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        whatever!(self, shape => shape.transformed(pose).into())
    }

    /// The primitive in the stored coordinates of a hierarchy.
    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        whatever!(self, shape => shape.stored(frame).into())
    }
}

/// Conversions of each shape into a [`Primitive`].
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

/// Checks that a length is finite, not negative and not beyond the range of predicates.
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

/// Checks a length as [`checked_length`] does, and that it is not zero.
pub(super) fn checked_size(what: &str, length: f64) -> Result<f64> {
    if length == 0.0 {
        return Err(Error::new(ErrorKind::OutOfRange, format!("the {what} is zero")));
    }
    checked_length(what, length)
}

/// Checks that a number of either sign is finite and not beyond the range of predicates.
pub(super) fn checked_signed(what: &str, number: f64) -> Result<f64> {
    checked_length(what, number.abs()).map(|size| size.copysign(number))
}

/// Checks that a point is finite and not beyond the range of predicates.
pub(super) fn checked_point(what: &str, point: DVec3) -> Result<DVec3> {
    for coordinate in point.abs().to_array() {
        checked_length(&format!("coordinate of the {what}"), coordinate)?;
    }
    Ok(point)
}
