//! Primitives, convex hulls, point clouds and height fields.

use crate::arrays::{floats, point_array, points, points_array, reshaped, vector, wrong_shape};
use crate::errors::{OrRaise, file_error};
use crate::geometry::Geometry;
use crate::mesh::{Mesh, with_base};
use crate::run::{detached, in_background};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use std::path::PathBuf;

/// A class of one primitive with its numbers; `__reduce__` gives the constructor's arguments.
macro_rules! primitive {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident),* } $make:expr) => {
        $(#[$doc])*
        #[pyclass(frozen, extends = Geometry, module = "clearance")]
        pub struct $name {
            $($(#[$field_doc])* #[pyo3(get)] pub $field: f64,)*
        }

        #[pymethods]
        impl $name {
            #[new]
            fn new(py: Python<'_>, $($field: f64),*) -> PyResult<PyClassInitializer<Self>> {
                let shape = $make($($field),*).or_raise(py)?;
                Ok(PyClassInitializer::from(Geometry::new(shape)).add_subclass(Self { $($field),* }))
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, ($(primitive!(@number $field),)*)) {
                (slf.get_type().into_any(), ($(slf.get().$field,)*))
            }
        }
    };
    (@number $field:ident) => { f64 };
}

primitive! {
    /// A sphere around the origin.
    ///
    /// >>> import clearance
    /// >>> clearance.Sphere(0.5).radius
    /// 0.5
    Sphere {
        /// Its radius.
        radius
    } clearance::Sphere::new
}

primitive! {
    /// A cylinder along z, around the origin.
    ///
    /// >>> import clearance
    /// >>> clearance.Cylinder(0.1, 2).length
    /// 2.0
    Cylinder {
        /// Its radius.
        radius,
        /// From end to end.
        length
    } clearance::Cylinder::new
}

primitive! {
    /// A cylinder along z with half a sphere on either end, around the origin.
    ///
    /// >>> import clearance
    /// >>> clearance.Capsule(0.1, 2)
    /// Capsule(0.1, 2.0)
    Capsule {
        /// Of the cylinder and the half spheres.
        radius,
        /// Of the cylinder, without the half spheres.
        length
    } clearance::Capsule::new
}

primitive! {
    /// A cone along z; the origin is half way between the base and the apex, which is up.
    ///
    /// >>> import clearance
    /// >>> clearance.Cone(0.2, 0.5)
    /// Cone(0.2, 0.5)
    Cone {
        /// Of the base.
        radius,
        /// From the base to the apex.
        length
    } clearance::Cone::new
}

/// A class of one primitive that is made of three numbers.
macro_rules! of_vector {
    ($(#[$doc:meta])* $name:ident, $(#[$field_doc:meta])* $field:ident, $make:expr) => {
        $(#[$doc])*
        #[pyclass(frozen, extends = Geometry, module = "clearance")]
        pub struct $name {
            pub $field: clearance::Vec3,
        }

        #[pymethods]
        impl $name {
            #[new]
            fn new($field: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
                let (py, $field) = ($field.py(), vector(stringify!($field), $field)?);
                let shape = ($make)($field).or_raise(py)?;
                Ok(PyClassInitializer::from(Geometry::new(shape)).add_subclass(Self { $field }))
            }

            $(#[$field_doc])*
            #[getter]
            fn $field<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                point_array(py, self.$field)
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, ([f64; 3],)) {
                (slf.get_type().into_any(), (slf.get().$field.to_array(),))
            }
        }
    };
}

of_vector! {
    /// A box around the origin.
    ///
    /// >>> import clearance
    /// >>> clearance.Box([1.2, 0.8, 0.05]).size
    /// array([1.2 , 0.8 , 0.05])
    Box,
    /// The full edge lengths along x, y and z.
    size,
    |size: clearance::Vec3| clearance::Cuboid::new(size.x, size.y, size.z)
}

of_vector! {
    /// An ellipsoid around the origin.
    ///
    /// >>> import clearance
    /// >>> clearance.Ellipsoid([0.1, 0.2, 0.3])
    /// Ellipsoid([0.1, 0.2, 0.3])
    Ellipsoid,
    /// The half axes along x, y and z.
    half_axes,
    clearance::Ellipsoid::new
}

/// A class of a plane or of what lies behind it.
macro_rules! flat {
    ($(#[$doc:meta])* $name:ident, $make:expr) => {
        $(#[$doc])*
        #[pyclass(frozen, extends = Geometry, module = "clearance")]
        pub struct $name {
            normal: clearance::Vec3,
            #[pyo3(get)]
            /// The offset that was given.
            offset: f64,
        }

        #[pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (normal, offset = 0.0))]
            fn new(normal: &Bound<'_, PyAny>, offset: f64) -> PyResult<PyClassInitializer<Self>> {
                let (py, normal) = (normal.py(), vector("normal", normal)?);
                let shape = $make(normal, offset).or_raise(py)?;
                Ok(PyClassInitializer::from(Geometry::new(shape)).add_subclass(Self { normal, offset }))
            }

            /// The normal that was given.
            #[getter]
            fn normal<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
                point_array(py, self.normal)
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, ([f64; 3], f64)) {
                (slf.get_type().into_any(), (slf.get().normal.to_array(), slf.get().offset))
            }
        }
    };
}

flat! {
    /// All points with `normal · x ≤ offset`: a floor, a wall.
    ///
    /// >>> import clearance
    /// >>> floor = clearance.HalfSpace([0, 0, 1])
    /// >>> clearance.Pair(floor, clearance.Sphere(1)).collides([0, 0, 0.5, 0, 0, 0, 1])
    /// True
    HalfSpace, clearance::HalfSpace::new
}

flat! {
    /// All points with `normal · x = offset`: a sheet without bounds.
    ///
    /// >>> import clearance
    /// >>> clearance.Plane([0, 0, 1], 0.5)
    /// Plane([0.0, 0.0, 1.0], 0.5)
    Plane, clearance::Plane::new
}

/// Hulls of more points are made on a thread of their own, so that Ctrl-C works.
const FEW_POINTS: usize = 2_000;

/// A convex polyhedron: the hull of points.
///
/// Args:
///     points: `(n, 3)` coordinates that do not lie in one plane.
///
/// >>> import clearance
/// >>> hull = clearance.Convex([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]])
/// >>> len(hull.vertices)
/// 4
#[pyclass(frozen, extends = Geometry, module = "clearance")]
pub struct Convex {
    pub inner: clearance::ConvexPolyhedron,
}

impl Convex {
    /// A Python object of a hull.
    pub fn bound(py: Python<'_>, inner: clearance::ConvexPolyhedron) -> PyResult<Bound<'_, Self>> {
        Bound::new(py, Self::with_base(inner))
    }

    fn with_base(inner: clearance::ConvexPolyhedron) -> PyClassInitializer<Self> {
        PyClassInitializer::from(Geometry::new(&inner)).add_subclass(Self { inner })
    }
}

#[pymethods]
impl Convex {
    #[new]
    fn new(points: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let (py, points) = (points.py(), self::points("points", points)?);
        let hull = if points.len() <= FEW_POINTS {
            detached(py, || clearance::ConvexPolyhedron::hull_of(&points))?
        } else {
            in_background(py, "convex hull", move |_| clearance::ConvexPolyhedron::hull_of(&points))?
        };
        Ok(Self::with_base(hull.or_raise(py)?))
    }

    /// The vertices of the hull, `(n, 3)`.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        points_array(py, self.inner.vertices())
    }

    /// The surface as a mesh of triangles.
    fn surface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Mesh>> {
        let mesh = clearance::Mesh::try_from(self.inner.surface().or_raise(py)?).or_raise(py)?;
        Bound::new(py, with_base(mesh))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Bound<'py, PyArray2<f64>>,)) {
        (slf.get_type().into_any(), (slf.get().vertices(slf.py()),))
    }
}

/// Points that are spheres of one radius.
///
/// Args:
///     points: `(n, 3)` coordinates.
///     radius: of each sphere; half the spacing of the points closes the gaps between them.
///
/// >>> import clearance, numpy as np
/// >>> cloud = clearance.PointCloud(np.zeros((1, 3)), 0.01)
/// >>> found = clearance.Pair(cloud, clearance.Sphere(1)).distance([2, 0, 0, 0, 0, 0, 1])
/// >>> round(found.upper, 12)
/// 0.99
#[pyclass(frozen, extends = Geometry, module = "clearance")]
pub struct PointCloud {
    points: Vec<clearance::Vec3>,
    #[pyo3(get)]
    /// The radius of each point.
    radius: f64,
}

fn cloud(py: Python<'_>, points: Vec<clearance::Vec3>, radius: f64) -> PyResult<PyClassInitializer<PointCloud>> {
    let given = points.clone();
    let built = in_background(py, "point cloud", move |_| clearance::PointCloud::new(given, radius))?.or_raise(py)?;
    Ok(PyClassInitializer::from(Geometry::new(built)).add_subclass(PointCloud { points, radius }))
}

#[pymethods]
impl PointCloud {
    #[new]
    fn new(points: &Bound<'_, PyAny>, radius: f64) -> PyResult<PyClassInitializer<Self>> {
        cloud(points.py(), self::points("points", points)?, radius)
    }

    /// Reads an XYZ, PLY or PCD file.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf, radius: f64) -> PyResult<Bound<'_, Self>> {
        let read = in_background(py, "points", move |_| clearance::io::load_points(&path))?;
        let points = read.map_err(|error| file_error(py, error.into()))?.points;
        Bound::new(py, cloud(py, points, radius)?)
    }

    /// The points, `(n, 3)`; a copy.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        points_array(py, self.points.iter().copied())
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (Bound<'py, PyArray2<f64>>, f64)) {
        (slf.get_type().into_any(), (slf.get().points(slf.py()), slf.get().radius))
    }
}

/// The surface through the heights of a grid, or the ground below it.
///
/// Args:
///     heights: `(rows, columns)`; `heights[r, c]` stands at `(c * spacing, r * spacing)`.
///     spacing: of the grid along x and y, one number or two.
///     base: fills the ground down to this height; without it the field is a surface.
///
/// >>> import clearance, numpy as np
/// >>> field = clearance.HeightField(np.zeros((3, 4)), 0.5, base=-1)
/// >>> clearance.Pair(field, clearance.Sphere(0.1)).collides([0.7, 0.7, -0.5, 0, 0, 0, 1])
/// True
#[pyclass(frozen, extends = Geometry, module = "clearance")]
pub struct HeightField {
    inner: clearance::HeightField,
    #[pyo3(get)]
    /// The spacing of the grid along x and y.
    spacing: (f64, f64),
    #[pyo3(get)]
    /// The height of the ground; None of a surface.
    base: Option<f64>,
}

#[pymethods]
impl HeightField {
    #[new]
    #[pyo3(signature = (heights, spacing, base = None))]
    fn new(
        heights: &Bound<'_, PyAny>,
        spacing: &Bound<'_, PyAny>,
        base: Option<f64>,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = heights.py();
        let array = floats("heights", heights)?;
        let &[rows, columns] = array.shape() else {
            return Err(wrong_shape(py, "heights", array.shape(), "(rows, columns)"));
        };
        let spacing = match spacing.extract::<f64>() {
            Ok(spacing) => (spacing, spacing),
            Err(_) => spacing.extract::<(f64, f64)>()?,
        };
        let (numbers, steps) = (array.data().to_vec(), [spacing.0, spacing.1]);
        let made = in_background(py, "height field", move |_| -> clearance::Result<_> {
            let field = clearance::HeightField::new(columns, rows, steps, numbers)?;
            Ok(match base {
                Some(base) => field.into_solid(base)?,
                None => field,
            })
        })?;
        let inner = made.or_raise(py)?;
        let geometry = Geometry::new(inner.clone());
        Ok(PyClassInitializer::from(geometry).add_subclass(Self { inner, spacing, base }))
    }

    /// The heights, `(rows, columns)`; a copy.
    #[getter]
    fn heights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let (columns, rows) = self.inner.size();
        reshaped(PyArray1::from_slice(py, self.inner.heights()), [rows, columns])
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyAny>, (Bound<'py, PyArray2<f64>>, (f64, f64), Option<f64>)) {
        let field = slf.get();
        (slf.get_type().into_any(), (field.heights(slf.py()), field.spacing, field.base))
    }
}
