//! What all geometries share, and geometries that are made of others.

use crate::arrays::{points, points_array, pose, pose_array};
use crate::errors::OrRaise;
use crate::mesh::Mesh;
use crate::run::detached;
use crate::sensing::{Points, Rays};
use crate::voxels::VoxelMap;
use clearance::Vec3;
use clearance::engine::dispatch::in_runs;
use numpy::PyArray2;
use pyo3::basic::CompareOp;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use std::sync::Arc;

/// What queries are about: the base class of meshes, primitives, point clouds and the others.
///
/// Geometries are immutable and can be shared between pairs, scenes, checkers and threads.
#[pyclass(frozen, subclass, weakref, module = "clearance")]
pub struct Geometry {
    inner: Arc<dyn clearance::Geometry>,
    /// Makes what `__reduce__` of a plain geometry needs: an OctoMap file of a voxel map's cells.
    saved: Option<Box<dyn Fn() -> clearance::Result<Vec<u8>> + Send + Sync>>,
}

impl Geometry {
    pub fn new(inner: impl clearance::IntoGeometry) -> Self {
        Self { inner: inner.into_geometry(), saved: None }
    }

    pub fn of_cells(
        inner: Arc<dyn clearance::Geometry>,
        saved: impl Fn() -> clearance::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Self { inner, saved: Some(Box::new(saved)) }
    }

    pub fn inner(&self) -> &Arc<dyn clearance::Geometry> {
        &self.inner
    }
}

#[pymethods]
impl Geometry {
    /// The kind of geometry, in the engine's words.
    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind()
    }

    /// The lowest and the highest coordinates, shape `(2, 3)`; infinite where it has no bounds.
    #[getter]
    fn bounding_box<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let (low, high) = self.inner.bounding_box();
        points_array(py, [low, high])
    }

    /// The first points in which rays meet the surface, in the geometry's own frame: `RayHits`.
    ///
    /// Args:
    ///     origins: `(n, 3)`, or `(3,)` for all rays.
    ///     directions: `(n, 3)`, of any length but zero.
    ///     max_t: rays end at `origin + max_t * direction`.
    ///     threads: how many to use, 0 for all.
    ///
    /// >>> import clearance
    /// >>> clearance.Sphere(1).rays([-3, 0, 0], [[1, 0, 0], [0, 1, 0]]).t
    /// array([ 2., inf])
    #[pyo3(signature = (origins, directions, *, max_t = f64::INFINITY, threads = 1))]
    fn rays<'py>(
        &self,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        max_t: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rays = Rays::new(origins, directions, max_t)?;
        rays.cast(origins.py(), threads, |ray| Ok(self.inner.ray(ray)?.map(|hit| (hit, None))))
    }

    /// The signed distances of points `(n, 3)` in the geometry's own frame, negative inside, with
    /// gradients: `PointDistances`.
    ///
    /// >>> import clearance
    /// >>> clearance.Sphere(1).signed_distance([[3, 0, 0], [0.5, 0, 0]]).distance.round(12)
    /// array([ 2. , -0.5])
    #[pyo3(signature = (points, *, threads = 1))]
    fn signed_distance<'py>(&self, points: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let found = Points::new(points)?;
        found.measure(points.py(), threads, |point| Ok((self.inner.signed_distance(point)?, None)))
    }

    /// The engine alone: the signed distances of all points on one thread. It is what
    /// `clearance.bench` compares with.
    fn _engine(&self, points: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = points.py();
        let points = self::points("points", points)?;
        let measured = detached(py, || {
            let run = |(): &mut (), run: &[Vec3]| run.iter().map(|&point| self.inner.signed_distance(point)).collect();
            in_runs(&points, 1, || (), run).map(std::hint::black_box).map(drop)
        })?;
        measured.or_raise(py)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let Some(saved) = &slf.get().saved else {
            return Err(PyTypeError::new_err(format!("a {} cannot be pickled", slf.get().kind())));
        };
        let bytes = pyo3::types::PyBytes::new(py, &saved().or_raise(py)?);
        let make = py.import("clearance._clearance")?.getattr("VoxelMap")?.getattr("_cells")?;
        Ok((make, (bytes,).into_pyobject(py)?))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::pictures::framed(slf.as_any())
    }

    fn _repr_png_<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::pictures::shown(slf.as_any())
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __deepcopy__<'py>(slf: &Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf.clone()
    }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        same_content(slf.as_any(), other, op)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        slf.py().import("clearance._arrays")?.call_method1("content_hash", (slf,))?.extract()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.py().import("clearance._arrays")?.call_method1("describe", (slf,))?.extract()
    }
}

/// `==` and `!=` by what `__reduce__` says.
pub fn same_content<'py>(a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
    let py = a.py();
    if !matches!(op, CompareOp::Eq | CompareOp::Ne) || !a.get_type().is(b.get_type()) {
        return Ok(py.NotImplemented());
    }
    let same = a.is(b) || py.import("clearance._arrays")?.call_method1("same_content", (a, b))?.extract::<bool>()?;
    Ok((same == matches!(op, CompareOp::Eq)).into_pyobject(py)?.to_owned().into_any().unbind())
}

/// The geometry that an object is or becomes: a voxel map's obstacles, a mesh of `vertices` and
/// `faces` (such as `trimesh.Trimesh`).
pub fn geometry_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Geometry>> {
    if let Ok(geometry) = object.cast::<Geometry>() {
        return Ok(geometry.clone());
    }
    if let Ok(map) = object.cast::<VoxelMap>() {
        return VoxelMap::obstacles(map);
    }
    if object.hasattr("vertices")? && object.hasattr("faces")? {
        return Ok(Mesh::of_object(object)?.into_super());
    }
    let kind = object.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "expected a clearance geometry, a VoxelMap or a mesh with vertices and faces, not {kind}"
    )))
}

/// Whether a depth or a list of contacts may take longer than a tick: of all geometries that have
/// many parts.
pub fn may_take_long(geometry: &Bound<'_, Geometry>) -> bool {
    match geometry.cast::<Mesh>() {
        Ok(mesh) => mesh.get().inner.triangles().len() > 500,
        Err(_) => {
            let geometry = geometry.get();
            geometry.saved.is_some() || ["assembly", "height field", "point cloud"].contains(&geometry.kind())
        }
    }
}

/// Several placed geometries as one.
///
/// Args:
///     parts: geometries, or pairs `(geometry, pose)`.
///
/// >>> import clearance, numpy as np
/// >>> aside = np.eye(4); aside[0, 3] = 2
/// >>> both = clearance.Compound([clearance.Sphere(0.5), (clearance.Sphere(0.5), aside)])
/// >>> clearance.Pair(both, clearance.Sphere(0.1)).collides(aside)
/// True
#[pyclass(frozen, extends = Geometry, module = "clearance")]
pub struct Compound {
    parts: Vec<(Py<Geometry>, clearance::Pose)>,
}

#[pymethods]
impl Compound {
    #[new]
    fn new(parts: &Bound<'_, PyAny>) -> PyResult<PyClassInitializer<Self>> {
        let py = parts.py();
        let mut scene = clearance::Scene::new();
        let mut kept = Vec::new();
        for (i, part) in parts.try_iter()?.enumerate() {
            let part = part?;
            let (geometry, place) = match part.cast::<PyTuple>() {
                Ok(pair) if pair.len() == 2 => (pair.get_item(0)?, Some(pair.get_item(1)?)),
                _ => (part, None),
            };
            let (geometry, place) = (geometry_of(&geometry)?, pose("pose", place.as_ref(), "xyzw")?);
            scene.add(i.to_string(), geometry.get().inner(), place).or_raise(py)?;
            kept.push((geometry.unbind(), place));
        }
        let geometry = Geometry::new(scene.assembly().clone());
        Ok(PyClassInitializer::from(geometry).add_subclass(Self { parts: kept }))
    }

    /// The parts as pairs of a geometry and its pose.
    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.parts.iter().map(|(geometry, pose)| (geometry.bind(py).clone(), pose_array(py, pose))))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        Ok((slf.get_type().into_any(), (slf.get().parts(slf.py())?,)))
    }
}
