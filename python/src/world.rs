//! Many bodies that move.

use crate::arrays::{pose, pose_array};
use crate::errors::{OrRaise, error};
use crate::geometry::{Geometry, geometry_of};
use crate::run::{detached, lock};
use clearance::details::{BodyId, FinderOptions};
use numpy::PyArray2;
use parking_lot::Mutex;
use pyo3::prelude::*;
use std::collections::HashMap;

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
#[pyclass(frozen, weakref, subclass, module = "clearance")]
pub struct World {
    state: Mutex<State>,
}

struct State {
    world: clearance::World,
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
        let (bodies, names, removed) = (HashMap::new(), HashMap::new(), Vec::new());
        Ok(Self { state: Mutex::new(State { world, bodies, names, removed }) })
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
        state.removed.push(body);
        Ok(())
    }

    /// Lets two bodies touch, or not any more.
    #[pyo3(signature = (a, b, excluded = true))]
    fn exclude(&self, py: Python<'_>, a: &str, b: &str, excluded: bool) -> PyResult<()> {
        let mut state = lock(py, &self.state)?;
        let (a, b) = (state.body(py, a)?, state.body(py, b)?);
        state.world.exclude(a, b, excluded).or_raise(py)
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
        let place = *state.world.pose(state.body(py, name)?).or_raise(py)?;
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

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<World of {} bodies>", self.__len__(py)?))
    }
}
