//! Triangle meshes.

use crate::arrays::{faces, points, points_array, reshaped, result, vector};
use crate::errors::{OrRaise, file_error};
use crate::geometry::Geometry;
use crate::run::{detached, in_background};
use crate::shapes::Convex;
use clearance::{MeshOptions, Threads, Vec3};
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::PathBuf;

/// Larger meshes are built on a thread of their own, so that Ctrl-C works.
const SMALL: usize = 20_000;

/// A triangle mesh: a surface, or a solid if `solid` is true.
///
/// Args:
///     vertices: `(n, 3)` coordinates.
///     faces: `(m, 3)` numbers of vertices.
///     solid: what lies inside of the mesh belongs to it; an error if the mesh is not closed.
///     threads: how many threads build the hierarchy, 0 for all.
///
/// >>> import clearance
/// >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
/// >>> mesh = clearance.Mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], solid=True)
/// >>> mesh
/// Mesh(<4 vertices>, <4 faces>, solid=True)
#[pyclass(frozen, extends = Geometry, module = "clearance")]
pub struct Mesh {
    pub inner: clearance::Mesh,
}

/// The number of threads as Python has it: 0 for all.
pub fn threads_of(threads: usize) -> Threads {
    match threads {
        0 => Threads::All,
        1 => Threads::One,
        count => Threads::Count(count),
    }
}

/// Where the mesh and its base class come together.
pub fn with_base(inner: clearance::Mesh) -> PyClassInitializer<Mesh> {
    PyClassInitializer::from(Geometry::new(&inner)).add_subclass(Mesh { inner })
}

fn build(py: Python<'_>, vertices: Vec<Vec3>, faces: Vec<[u32; 3]>, options: MeshOptions) -> PyResult<clearance::Mesh> {
    if faces.len() <= SMALL {
        return detached(py, || clearance::Mesh::with_options(vertices, faces, &options))?.or_raise(py);
    }
    in_background(py, "mesh", move |_| clearance::Mesh::with_options(vertices, faces, &options))?.or_raise(py)
}

impl Mesh {
    /// A surface of anything that has `vertices` and `faces`.
    pub fn of_object<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let made = Self::new(&object.getattr("vertices")?, &object.getattr("faces")?, false, 1)?;
        Bound::new(object.py(), made)
    }
}

#[pymethods]
impl Mesh {
    #[new]
    #[pyo3(signature = (vertices, faces, solid = false, *, threads = 1))]
    fn new(
        vertices: &Bound<'_, PyAny>,
        faces: &Bound<'_, PyAny>,
        solid: bool,
        threads: usize,
    ) -> PyResult<PyClassInitializer<Self>> {
        let py = vertices.py();
        let vertices = points("vertices", vertices)?;
        let faces = self::faces(faces, vertices.len())?;
        let options = MeshOptions { solid, threads: threads_of(threads), ..MeshOptions::default() };
        build(py, vertices, faces, options).map(with_base)
    }

    /// Reads a mesh file: STL, OBJ, PLY, Collada, OFF, glTF, GLB or TRIS.
    ///
    /// Args:
    ///     path: the file.
    ///     solid: what lies inside of the mesh belongs to it.
    ///     scale: multiplies coordinates; one number or three.
    ///     threads: how many threads build the hierarchy, 0 for all.
    #[staticmethod]
    #[pyo3(signature = (path, solid = false, *, scale = None, threads = 1))]
    fn load<'py>(
        py: Python<'py>,
        path: PathBuf,
        solid: bool,
        scale: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> PyResult<Bound<'py, Self>> {
        let scale = match scale {
            None => Vec3::ONE,
            Some(one) => match one.extract::<f64>() {
                Ok(factor) => Vec3::splat(factor),
                Err(_) => vector("scale", one)?,
            },
        };
        let options = MeshOptions { solid, scale, threads: threads_of(threads), ..MeshOptions::default() };
        let loaded = in_background(py, "mesh", move |_| clearance::Mesh::load_with(path, &options))?;
        Bound::new(py, with_base(loaded.map_err(|error| file_error(py, error))?))
    }

    /// The coordinates of the vertices, `(n, 3)`; a copy.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        points_array(py, self.inner.vertices().iter().copied())
    }

    /// The vertices of each triangle, `(m, 3)`; a copy. Answers name triangles by their rows.
    #[getter]
    fn faces<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u32>> {
        let triangles = self.inner.triangles();
        reshaped(PyArray1::from_slice(py, triangles.as_flattened()), [triangles.len(), 3])
    }

    /// Whether what lies inside of it belongs to it.
    #[getter]
    fn is_solid(&self) -> bool {
        self.inner.is_solid()
    }

    /// The same mesh as a solid; an error names an open edge if it is not closed.
    fn solid<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Self>> {
        let mesh = self.inner.clone();
        let solid = in_background(py, "solid", move |_| mesh.solid())?.or_raise(py)?;
        Bound::new(py, with_base(solid))
    }

    /// The convex hull of the vertices.
    fn convex_hull<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Convex>> {
        let mesh = self.inner.clone();
        let hull = in_background(py, "convex hull", move |_| mesh.convex_hull())?.or_raise(py)?;
        Convex::bound(py, hull)
    }

    /// Convex parts of a closed mesh that differ from it by at most `error`, which is certified.
    ///
    /// Returns a `Decomposition` with `parts`, `error`, `gap`, `status` and `geometry()`.
    fn decompose<'py>(&self, py: Python<'py>, error: f64) -> PyResult<Bound<'py, PyAny>> {
        let mesh = self.inner.clone();
        let made = in_background(py, "decomposition", move |_| mesh.decompose(error))?.or_raise(py)?;
        let fields = PyDict::new(py);
        fields.set_item("status", format!("{:?}", made.status))?;
        fields.set_item("error", made.error)?;
        fields.set_item("gap", made.gap)?;
        let parts = made.parts.into_iter().map(|part| Convex::bound(py, part)).collect::<PyResult<Vec<_>>>()?;
        fields.set_item("parts", PyTuple::new(py, parts)?)?;
        result(py, "Decomposition", &fields)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> (Bound<'py, PyAny>, (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<u32>>, bool)) {
        let (py, mesh) = (slf.py(), slf.get());
        (slf.get_type().into_any(), (mesh.vertices(py), mesh.faces(py), mesh.is_solid()))
    }
}
