//! Conversion of shapes and geometries into shared geometries.

use super::{Geometry, HalfSpaceGeometry, Solid};
use crate::shape::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, HalfSpace, HalfSpaceOrPlane, Plane, Primitive, Sphere,
};
use std::sync::Arc;

/// A conversion into a shared [`Geometry`]: of a geometry, a shared one, or a plain shape.
///
/// Functions that keep a geometry take `impl IntoGeometry`: a box needs no wrapper, and objects that
/// share a mesh do not copy it.
///
/// ```
/// use clearance_engine::{shape::Cuboid, tree::{Geometry, IntoGeometry}};
/// let table = Cuboid::new(1.2, 0.8, 0.05)?.into_geometry();
/// assert_eq!(table.kind(), "cuboid");
/// assert_eq!(table.clone().into_geometry().revision(), table.revision());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub trait IntoGeometry {
    /// Converts into a shared geometry.
    fn into_geometry(self) -> Arc<dyn Geometry>;
}

impl<T: Geometry> IntoGeometry for T {
    fn into_geometry(self) -> Arc<dyn Geometry> {
        Arc::new(self)
    }
}

impl<T: Geometry> IntoGeometry for Arc<T> {
    fn into_geometry(self) -> Arc<dyn Geometry> {
        self
    }
}

impl<T: Geometry> IntoGeometry for &Arc<T> {
    fn into_geometry(self) -> Arc<dyn Geometry> {
        self.clone()
    }
}

impl IntoGeometry for Arc<dyn Geometry> {
    fn into_geometry(self) -> Self {
        self
    }
}

impl IntoGeometry for &Arc<dyn Geometry> {
    fn into_geometry(self) -> Arc<dyn Geometry> {
        self.clone()
    }
}

/// Plain shapes, by value or by reference.
macro_rules! shapes {
    ($geometry:ident: $($shape:ty),*) => {$(
        impl IntoGeometry for $shape {
            fn into_geometry(self) -> Arc<dyn Geometry> {
                Arc::new($geometry::new(self))
            }
        }

        impl IntoGeometry for &$shape {
            fn into_geometry(self) -> Arc<dyn Geometry> {
                self.clone().into_geometry()
            }
        }
    )*};
}
shapes!(Solid: Sphere, Capsule, Cuboid, Cylinder, Cone, Ellipsoid, ConvexPolyhedron, Primitive);
shapes!(HalfSpaceGeometry: HalfSpace, Plane, HalfSpaceOrPlane);
