//! Many bodies that move.

use crate::arrays::{pose, pose_array};
use crate::errors::{OrRaise, error};
use crate::geometry::{Geometry, geometry_of, same_content};
use crate::results::Distance;
use crate::run::{detached, lock};
use clearance::engine::world::{BodyId, FinderOptions};
use clearance::{Dispatcher, DistanceRequest};
use numpy::PyArray2;
use parking_lot::Mutex;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::collections::{BTreeSet, HashMap};

/// Many named bodies that move, with the pairs that are near each other (broad phase).
///
/// Args:
///     margin: boxes that are this near on every axis are a pair.
///
/// >>> import clearance
/// >>> world = clearance.World()
/// >>> world.add("a", clearance.Sphere(0.5))
/// >>> world.add("b", clearance.Sphere(0.5), [3, 0, 0, 0, 0, 0, 1])
/// >>> world.step()
/// >>> world.pairs
/// []
/// >>> world.move("b", [0.9, 0, 0, 0, 0, 0, 1])
/// >>> world.step()
/// >>> world.began
/// [('a', 'b')]
/// >>> round(world.distance("a", "b").upper, 12)
/// 0.0
#[pyclass(frozen, weakref, subclass, module = "clearance")]
pub struct World {
    state: Mutex<State>,
}

struct State {
    world: clearance::World,
    margin: f64,
    /// The pairs that may touch, names in order.
    excluded: BTreeSet<(String, String)>,
    bodies: HashMap<String, (BodyId, Py<Geometry>)>,
    /// Also of removed bodies, until the step that ends their pairs.
    names: HashMap<BodyId, String>,
    removed: Vec<BodyId>,
}

impl State {
    fn body(&self, py: Python<'_>, name: &str) -> PyResult<BodyId> {
        let found = self.bodies.get(name).map(|(body, _)| *body);
        found.ok_or_else(|| error(py, "NamingError", format!("the world has no body '{name}'")))
    }

    fn named(&self, pairs: impl Iterator<Item = [BodyId; 2]>) -> Vec<(String, String)> {
        let name = |body: &BodyId| self.names.get(body).cloned().unwrap_or_default();
        let mut pairs: Vec<_> = pairs.map(|[a, b]| (name(&a), name(&b))).collect();
        pairs.sort_unstable();
        pairs
    }
}

#[pymethods]
impl World {
    #[new]
    #[pyo3(signature = (*, margin = 0.0))]
    fn new(py: Python<'_>, margin: f64) -> PyResult<Self> {
        let options = FinderOptions { margin, ..FinderOptions::default() };
        let world = clearance::World::new(options).or_raise(py)?;
        let (bodies, names, removed, excluded) = (HashMap::new(), HashMap::new(), Vec::new(), BTreeSet::new());
        Ok(Self { state: Mutex::new(State { world, margin, excluded, bodies, names, removed }) })
    }

    /// Adds a body; it has no pairs before the next step.
    #[pyo3(signature = (name, geometry, pose = None, *, quat = "xyzw"))]
    fn add(
        &self,
        name: &str,
        geometry: &Bound<'_, PyAny>,
        pose: Option<&Bound<'_, PyAny>>,
        quat: &str,
    ) -> PyResult<()> {
        let (py, geometry) = (geometry.py(), geometry_of(geometry)?);
        let place = self::pose("pose", pose, quat)?;
        let mut state = lock(py, &self.state)?;
        if state.bodies.contains_key(name) {
            return Err(error(py, "NamingError", format!("the world has a body '{name}' already")));
        }
        let body = state.world.add(geometry.get().inner(), place).or_raise(py)?;
        state.bodies.insert(name.to_owned(), (body, geometry.unbind()));
        state.names.insert(body, name.to_owned());
        Ok(())
    }

    /// Moves a body; pairs follow with the next step.
    #[pyo3(name = "move", signature = (name, pose, *, quat = "xyzw"))]
    fn move_to(&self, name: &str, pose: &Bound<'_, PyAny>, quat: &str) -> PyResult<()> {
        let (py, place) = (pose.py(), self::pose("pose", Some(pose), quat)?);
        let mut state = lock(py, &self.state)?;
        let body = state.body(py, name)?;
        state.world.set_pose(body, &place).or_raise(py)
    }

    /// Removes a body; its pairs end with the next step.
    fn remove(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        let mut state = lock(py, &self.state)?;
        let body = state.body(py, name)?;
        state.world.remove(body).or_raise(py)?;
        state.bodies.remove(name);
        state.excluded.retain(|(a, b)| a != name && b != name);
        state.removed.push(body);
        Ok(())
    }

    /// Lets two bodies touch, or not any more.
    #[pyo3(signature = (a, b, excluded = true))]
    fn exclude(&self, py: Python<'_>, a: &str, b: &str, excluded: bool) -> PyResult<()> {
        let mut state = lock(py, &self.state)?;
        let (body_a, body_b) = (state.body(py, a)?, state.body(py, b)?);
        state.world.exclude(body_a, body_b, excluded).or_raise(py)?;
        let pair = (a.min(b).to_owned(), a.max(b).to_owned());
        if excluded {
            state.excluded.insert(pair);
        } else {
            state.excluded.remove(&pair);
        }
        Ok(())
    }

    /// Updates the pairs.
    fn step(&self, py: Python<'_>) -> PyResult<()> {
        let mut state = lock(py, &self.state)?;
        // The pairs that they had are listed as ended until now.
        let State { world, names, removed, .. } = &mut *state;
        let gone = std::mem::take(removed);
        detached(py, || world.step())?;
        let ended = world.finder().ended();
        for body in gone {
            if ended.iter().flatten().any(|other| *other == body) {
                removed.push(body);
            } else {
                names.remove(&body);
            }
        }
        Ok(())
    }

    /// The pairs of bodies whose boxes overlap, as of the last step.
    #[getter]
    fn pairs(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let state = lock(py, &self.state)?;
        Ok(state.named(state.world.finder().pairs()))
    }

    /// The pairs that are new in the last step.
    #[getter]
    fn began(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let state = lock(py, &self.state)?;
        Ok(state.named(state.world.finder().began()))
    }

    /// The pairs that ended with the last step, those of removed bodies too.
    #[getter]
    fn ended(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        let state = lock(py, &self.state)?;
        Ok(state.named(state.world.finder().ended().iter().copied()))
    }

    /// The certified distance of two bodies (narrow phase); its points and its gradient are in the
    /// first one's frame.
    #[pyo3(signature = (a, b, *, max_distance = f64::INFINITY))]
    fn distance(&self, py: Python<'_>, a: &str, b: &str, max_distance: f64) -> PyResult<Distance> {
        let state = lock(py, &self.state)?;
        let pair = [state.body(py, a)?, state.body(py, b)?];
        let request = DistanceRequest { max_d: max_distance, ..DistanceRequest::default() };
        let (world, table) = (&state.world, Dispatcher::standard());
        let found = detached(py, || world.distance(&table, pair, &request, &mut Default::default(), None))?;
        let [from, to] = pair.map(|body| world.pose(body));
        let a_from_b = from.or_raise(py)?.inverse().then(&to.or_raise(py)?);
        Ok(Distance::of_pair(&found.or_raise(py)?, &a_from_b))
    }

    /// The `count` nearest bodies that may touch a body: names with lower and upper bounds of the
    /// distances, nearest first. Call `step` after the last change.
    #[pyo3(signature = (name, count = 1, *, max_distance = f64::INFINITY))]
    fn nearest(
        &self,
        py: Python<'_>,
        name: &str,
        count: usize,
        max_distance: f64,
    ) -> PyResult<Vec<(String, f64, f64)>> {
        let state = lock(py, &self.state)?;
        let (body, world, table) = (state.body(py, name)?, &state.world, Dispatcher::standard());
        let found = detached(py, || world.nearest(&table, body, count, max_distance, &mut Default::default()))?;
        let named = found.or_raise(py)?.into_iter();
        Ok(named.map(|near| (state.names[&near.body].clone(), near.lower, near.upper)).collect())
    }

    /// The names of all bodies.
    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let mut names: Vec<_> = lock(py, &self.state)?.bodies.keys().cloned().collect();
        names.sort_unstable();
        Ok(names)
    }

    /// The pose of a body.
    fn pose<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let state = lock(py, &self.state)?;
        let place = state.world.pose(state.body(py, name)?).or_raise(py)?;
        Ok(pose_array(py, &place))
    }

    /// The geometry of a body.
    fn geometry(&self, py: Python<'_>, name: &str) -> PyResult<Py<Geometry>> {
        let state = lock(py, &self.state)?;
        state.body(py, name)?;
        Ok(state.bodies[name].1.clone_ref(py))
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(lock(py, &self.state)?.bodies.len())
    }

    /// Pickles hold bodies, margin and exclusions; pairs come with the next step.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let (py, world) = (slf.py(), slf.get());
        let mut bodies = Vec::new();
        for name in world.names(py)? {
            bodies.push((world.geometry(py, &name)?, world.pose(py, &name)?, name));
        }
        let state = lock(py, &world.state)?;
        let content = (state.margin, bodies, state.excluded.iter().cloned().collect::<Vec<_>>());
        Ok((slf.get_type().getattr("_of")?, content.into_pyobject(py)?))
    }

    /// The world of a pickle.
    #[staticmethod]
    fn _of(
        py: Python<'_>,
        margin: f64,
        bodies: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>, String)>,
        excluded: Vec<(String, String)>,
    ) -> PyResult<Self> {
        let world = Self::new(py, margin)?;
        for (geometry, place, name) in bodies {
            world.add(&name, &geometry, Some(&place), "xyzw")?;
        }
        for (a, b) in excluded {
            world.exclude(py, &a, &b, true)?;
        }
        Ok(world)
    }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        same_content(slf.as_any(), other, op)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<World of {} bodies>", self.__len__(py)?))
    }
}
