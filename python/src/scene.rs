//! What stands around: named geometries at poses.

use crate::arrays::{pose, pose_array, reshaped};
use crate::errors::{OrRaise, file_error};
use crate::geometry::{Geometry, geometry_of, same_content};
use crate::mesh::threads_of;
use crate::run::{in_background, lock};
use crate::sensing::{Points, Rays};
use crate::voxels::depth_camera;
use numpy::{PyArray1, PyArray2};
use parking_lot::Mutex;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyList, PyTuple};
use std::collections::HashMap;
use std::path::PathBuf;

/// Named objects that come, go and move.
///
/// A scene is mutable and shared: checkers that were given it see every change. It may be used from
/// several threads; a change waits until queries that run have ended.
///
/// >>> import clearance, numpy as np
/// >>> scene = clearance.Scene()
/// >>> scene.add("table", clearance.Box([1.2, 0.8, 0.05]), [0.6, 0, 0.4, 0, 0, 0, 1])
/// >>> scene.move("table", [0.7, 0, 0.4, 0, 0, 0, 1])
/// >>> scene.names, scene.pose("table")[0, 3]
/// (['table'], np.float64(0.7))
/// >>> scene.remove("table")
/// (Box([1.2, 0.8, 0.05]), array([[1. , 0. , 0. , 0.7],
///        [0. , 1. , 0. , 0. ],
///        [0. , 0. , 1. , 0.4],
///        [0. , 0. , 0. , 1. ]]))
#[pyclass(frozen, weakref, subclass, module = "clearance")]
pub struct Scene {
    pub state: Mutex<State>,
}

/// What the lock of a scene guards.
#[derive(Default)]
pub struct State {
    /// Elsewhere, in a checker, while that has the lock.
    pub scene: clearance::Scene,
    geometries: HashMap<String, Py<Geometry>>,
}

type Object<'py> = (Bound<'py, Geometry>, Bound<'py, PyArray2<f64>>);

impl State {
    fn add(&mut self, name: &str, geometry: &Bound<'_, Geometry>, place: clearance::Pose) -> PyResult<()> {
        self.scene.add(name, geometry.get().inner(), place).or_raise(geometry.py())?;
        self.geometries.insert(name.to_owned(), geometry.clone().unbind());
        Ok(())
    }

    fn object<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Object<'py>> {
        let place = self.scene.pose(name).or_raise(py)?;
        Ok((self.geometries[name].bind(py).clone(), pose_array(py, &place)))
    }
}

#[pymethods]
impl Scene {
    #[new]
    fn new() -> Self {
        Self { state: Mutex::default() }
    }

    /// Reads a scene file: JSON, or a mesh file as one object.
    #[staticmethod]
    fn load<'py>(py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyAny>> {
        py.import("clearance._scene_files")?.call_method1("load", (path,))
    }

    /// Reads a scene file for its mistakes alone.
    #[staticmethod]
    fn _check(py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let read = in_background(py, "scene", move |_| clearance::Scene::load(path).map(drop))?;
        read.map_err(|error| file_error(py, error.into()))
    }

    /// Writes a scene file as JSON. Meshes, clouds and maps become files beside it.
    fn save(slf: &Bound<'_, Self>, path: PathBuf) -> PyResult<()> {
        slf.py().import("clearance._scene_files")?.call_method1("save", (slf, path)).map(drop)
    }

    /// Adds an object at a pose in the world, the origin by default; an error if the name is taken.
    #[pyo3(signature = (name, geometry, pose = None, *, quat = "xyzw"))]
    fn add(
        &self,
        name: &str,
        geometry: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        quat: &str,
    ) -> PyResult<()> {
        let (geometry, place) = (geometry_of(geometry)?, self::pose("pose", pose, quat)?);
        lock(geometry.py(), &self.state)?.add(name, &geometry, place)
    }

    /// Gives an object another geometry at the same pose, or adds it at the origin.
    fn replace(&self, name: &str, geometry: &Bound<'_, PyAny>) -> PyResult<()> {
        let geometry = geometry_of(geometry)?;
        let mut state = lock(geometry.py(), &self.state)?;
        state.scene.replace(name, geometry.get().inner()).or_raise(geometry.py())?;
        state.geometries.insert(name.to_owned(), geometry.unbind());
        Ok(())
    }

    /// Moves an object to another pose in the world.
    #[pyo3(name = "move", signature = (name, pose, *, quat = "xyzw"))]
    fn move_to(&self, name: &str, pose: &Bound<'_, PyAny>, quat: &str) -> PyResult<()> {
        let (py, place) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        lock(py, &self.state)?.scene.set_pose(name, place).or_raise(py)
    }

    /// Takes an object out; returns its geometry and pose.
    fn remove<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Object<'py>> {
        let mut state = lock(py, &self.state)?;
        let object = state.object(py, name)?;
        state.scene.remove(name).or_raise(py)?;
        state.geometries.remove(name);
        Ok(object)
    }

    /// Where rays of the world meet the scene first, with the names of the objects: `RayHits`.
    ///
    /// >>> import clearance
    /// >>> scene = clearance.Scene()
    /// >>> scene.add("wall", clearance.Box([0.2, 4, 4]), clearance.pose([2, 0, 0]))
    /// >>> hits = scene.rays([0, 0, 0], [[1, 0, 0], [0, 1, 0]])
    /// >>> hits.t, hits.name
    /// (array([1.9, inf]), array(['wall', None], dtype=object))
    #[pyo3(signature = (origins, directions, *, max_t = f64::INFINITY, threads = 1))]
    fn rays<'py>(
        &self,
        origins: &Bound<'py, PyAny>,
        directions: &Bound<'py, PyAny>,
        max_t: f64,
        threads: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, rays) = (origins.py(), Rays::new(origins, directions, max_t)?);
        let state = lock(py, &self.state)?;
        let scene = &state.scene;
        rays.cast(py, threads, |ray| Ok(scene.ray(ray)?.map(|(name, hit)| (hit, Some(name.to_owned())))))
    }

    /// The signed distances of points `(n, 3)` of the world from the nearest object, with its name:
    /// `PointDistances`. An error where the scene is empty.
    #[pyo3(signature = (points, *, threads = 1))]
    fn signed_distance<'py>(&self, points: &Bound<'py, PyAny>, threads: usize) -> PyResult<Bound<'py, PyAny>> {
        let (py, found) = (points.py(), Points::new(points)?);
        let state = lock(py, &self.state)?;
        let scene = &state.scene;
        let ask = |point| scene.signed_distance(point).map(|(name, found)| (found, Some(name.to_owned())));
        found.measure(py, threads, |point| Ok(ask(point)?))
    }

    /// A simulated depth image `(height, width)`, as `VoxelMap.integrate_depth` takes it: depths
    /// along the optical axis, infinite where nothing is seen.
    ///
    /// Args:
    ///     size: `(height, width)` in pixels.
    ///     intrinsics: `(fx, fy, cx, cy)` in pixels, or the 3×3 camera matrix.
    ///     pose: `world_from_camera`; x to the right, y down, z along the optical axis.
    #[pyo3(signature = (size, intrinsics, pose = None, *, quat = "xyzw", threads = 1))]
    fn depth_image<'py>(
        &self,
        size: (usize, usize),
        intrinsics: &Bound<'py, PyAny>,
        pose: Option<&Bound<'py, PyAny>>,
        quat: &str,
        threads: usize,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let (py, place) = (intrinsics.py(), self::pose("pose", pose, quat)?);
        let camera = depth_camera(size, intrinsics)?;
        let scene = lock(py, &self.state)?.scene.clone();
        let ask = move |_: &(dyn Fn(usize, usize) + Sync)| scene.depth_image(&camera, &place, threads_of(threads));
        let image = in_background(py, "depth image", ask)?.or_raise(py)?;
        Ok(reshaped(PyArray1::from_vec(py, image), [size.0, size.1]))
    }

    /// The names of all objects, in the order in which they were added.
    #[getter]
    pub fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(lock(py, &self.state)?.scene.names().map(str::to_owned).collect())
    }

    /// The pose of an object in the world.
    fn pose<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let place = lock(py, &self.state)?.scene.pose(name).or_raise(py)?;
        Ok(pose_array(py, &place))
    }

    /// The geometry and the pose of an object.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Object<'py>> {
        lock(py, &self.state)?.object(py, name)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::pictures::framed(slf.as_any())
    }

    fn _repr_png_<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        crate::pictures::shown(slf.as_any())
    }

    fn __contains__(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        Ok(lock(py, &self.state)?.geometries.contains_key(name))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(lock(py, &self.state)?.geometries.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        PyList::new(py, self.names(py)?)?.try_iter()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyList>,))> {
        let py = slf.py();
        let state = lock(py, &slf.get().state)?;
        let object = |name: &str| state.object(py, name).map(|(geometry, place)| (name.to_owned(), geometry, place));
        let objects = state.scene.names().map(object).collect::<PyResult<Vec<_>>>()?;
        Ok((slf.get_type().getattr("_of")?, (PyList::new(py, objects)?,)))
    }

    /// A scene of triples: name, geometry, pose.
    #[staticmethod]
    fn _of(objects: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut state = State::default();
        for object in objects {
            let object = object.cast_into::<PyTuple>()?;
            let place = pose("pose", Some(&object.get_item(2)?), "xyzw")?;
            state.add(&object.get_item(0)?.extract::<String>()?, &geometry_of(&object.get_item(1)?)?, place)?;
        }
        Ok(Self { state: Mutex::new(state) })
    }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        same_content(slf.as_any(), other, op)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Scene of {:?}>", self.names(py)?))
    }
}

/// The built-in kitchen: a scene of more than 95,000 triangles.
#[pyfunction(name = "kitchen")]
pub fn built_in_kitchen(py: Python<'_>) -> PyResult<Scene> {
    let mut state = State::default();
    let mut shared: Vec<(usize, Bound<'_, crate::mesh::Mesh>)> = Vec::new();
    for object in clearance::scene::kitchen().or_raise(py)? {
        let key = std::sync::Arc::as_ptr(&object.mesh) as usize;
        let mesh = match shared.iter().find(|(other, _)| *other == key) {
            Some((_, mesh)) => mesh.clone(),
            None => {
                let made = clearance::Mesh::try_from((*object.mesh).clone()).or_raise(py)?;
                let mesh = Bound::new(py, crate::mesh::with_base(made))?;
                shared.push((key, mesh.clone()));
                mesh
            }
        };
        state.add(&object.name, &mesh.into_super(), object.pose)?;
    }
    Ok(Scene { state: Mutex::new(state) })
}
