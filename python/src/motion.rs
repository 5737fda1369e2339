//! Motions of one body.

use crate::arrays::{Poses, floats, pose, pose_array, poses, vector, wrong_shape};
use crate::errors::{OrRaise, bad_value};
use crate::geometry::same_content;
use clearance::Vec3;
use numpy::PyArray2;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// How a body moves, from time 0 to its duration.
///
/// >>> import clearance
/// >>> fall = clearance.Motion.thrown(clearance.pose([0, 0, 5]), [0, 0, 0], [0, 0, -9.81], duration=1)
/// >>> round(float(fall.pose(1.0)[2, 3]), 3)
/// 0.095
/// >>> pair = clearance.Pair(clearance.HalfSpace([0, 0, 1]), clearance.Sphere(0.5))
/// >>> round(pair.time_of_impact(fall).t[1], 4)
/// 0.9578
#[pyclass(frozen, weakref, module = "clearance")]
pub struct Motion {
    pub inner: clearance::Motion,
    /// The constructor and its arguments, for pickles.
    recipe: (&'static str, Py<PyTuple>),
}

fn made<'py, A: IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>>(
    py: Python<'py>,
    inner: Result<clearance::Motion, impl Into<clearance::Error>>,
    name: &'static str,
    arguments: A,
) -> PyResult<Motion> {
    let inner = inner.map_err(Into::into).or_raise(py)?;
    Ok(Motion { inner, recipe: (name, arguments.into_pyobject(py)?.unbind()) })
}

/// Three numbers, or none.
pub fn optional(what: &str, given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec3> {
    given.map_or(Ok(Vec3::ZERO), |given| vector(what, given))
}

#[pymethods]
impl Motion {
    /// A body at rest.
    #[staticmethod]
    #[pyo3(signature = (pose = None))]
    fn still(py: Python<'_>, pose: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let place = self::pose("pose", pose, "xyzw")?;
        made(py, Ok::<_, clearance::Error>(clearance::Motion::still(&place)), "still", (pose_array(py, &place),))
    }

    /// Interpolates two poses: the origin along a straight line, the rotation at a constant rate.
    #[staticmethod]
    #[pyo3(signature = (start, end, duration = 1.0))]
    fn between(start: &Bound<'_, PyAny>, end: &Bound<'_, PyAny>, duration: f64) -> PyResult<Self> {
        let (py, from, to) = (start.py(), pose("start", Some(start), "xyzw")?, pose("end", Some(end), "xyzw")?);
        let arguments = (pose_array(py, &from), pose_array(py, &to), duration);
        made(py, clearance::Motion::between(&from, &to, duration), "between", arguments)
    }

    /// A steady motion: the point `center` of the body, in its coordinates, moves along a straight
    /// line, and the body rotates about it. Velocities are in the world.
    #[staticmethod]
    #[pyo3(signature = (start, linear = None, angular = None, duration = 1.0, center = None))]
    fn moving(
        start: &Bound<'_, PyAny>,
        linear: Option<&Bound<'_, PyAny>>,
        angular: Option<&Bound<'_, PyAny>>,
        duration: f64,
        center: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (py, from) = (start.py(), pose("start", Some(start), "xyzw")?);
        let (line, turn) = (optional("linear", linear)?, optional("angular", angular)?);
        let middle = optional("center", center)?;
        let arguments = (pose_array(py, &from), line.to_array(), turn.to_array(), duration, middle.to_array());
        made(py, clearance::Motion::moving(&from, middle, line, turn, duration), "moving", arguments)
    }

    /// A thrown body: its point `center` has a velocity at the start and a constant acceleration,
    /// and the body rotates about it.
    #[staticmethod]
    #[pyo3(signature = (start, velocity, acceleration, angular = None, duration = 1.0, center = None))]
    fn thrown(
        start: &Bound<'_, PyAny>,
        velocity: &Bound<'_, PyAny>,
        acceleration: &Bound<'_, PyAny>,
        angular: Option<&Bound<'_, PyAny>>,
        duration: f64,
        center: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let (py, from) = (start.py(), pose("start", Some(start), "xyzw")?);
        let rates = [vector("velocity", velocity)?, vector("acceleration", acceleration)?];
        let (turn, middle) = (optional("angular", angular)?, optional("center", center)?);
        let [v, a] = rates.map(|rate| rate.to_array());
        let arguments = (pose_array(py, &from), v, a, turn.to_array(), duration, middle.to_array());
        made(py, clearance::Motion::thrown(&from, middle, rates, turn, duration), "thrown", arguments)
    }

    /// A screw motion: the body rotates with `angular` about the axis along it through `point` of
    /// the world, and slides along it with the speed `sliding`.
    #[staticmethod]
    #[pyo3(signature = (start, point, angular, sliding = 0.0, duration = 1.0))]
    fn screw(
        start: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
        angular: &Bound<'_, PyAny>,
        sliding: f64,
        duration: f64,
    ) -> PyResult<Self> {
        let (py, from) = (start.py(), pose("start", Some(start), "xyzw")?);
        let (point, turn) = (vector("point", point)?, vector("angular", angular)?);
        let arguments = (pose_array(py, &from), point.to_array(), turn.to_array(), sliding, duration);
        made(py, clearance::Motion::screw(&from, point, turn, sliding, duration), "screw", arguments)
    }

    /// Interpolates poses `(n, 4, 4)` or `(n, 7)` at ascending times `(n,)`; the first must be 0.
    #[staticmethod]
    fn through(times: &Bound<'_, PyAny>, poses: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = times.py();
        let Poses::Many(places) = self::poses("poses", poses, "xyzw")? else {
            return Err(bad_value(py, "poses is one pose; expected as many as times"));
        };
        let numbers = floats("times", times)?;
        if numbers.shape() != [places.len()] {
            return Err(wrong_shape(py, "times", numbers.shape(), &format!("({},), one for each pose", places.len())));
        }
        let waypoints: Vec<_> = numbers.data().iter().copied().zip(places.iter().copied()).collect();
        let arguments = (numbers.data().to_vec(), crate::arrays::poses_array(py, &places));
        made(py, clearance::Motion::through(&waypoints), "through", arguments)
    }

    /// The time at which the motion ends.
    #[getter]
    fn duration(&self) -> f64 {
        self.inner.duration()
    }

    /// The pose at a time, as a 4×4 matrix.
    fn pose<'py>(&self, py: Python<'py>, t: f64) -> PyResult<Bound<'py, PyArray2<f64>>> {
        if !t.is_finite() {
            return Err(bad_value(py, format!("t is {t}; expected a time")));
        }
        Ok(pose_array(py, &self.inner.pose(t)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Py<PyTuple>)> {
        let (name, arguments) = &slf.get().recipe;
        Ok((slf.get_type().getattr(*name)?, arguments.clone_ref(slf.py())))
    }

    fn __richcmp__<'py>(slf: &Bound<'py, Self>, other: &Bound<'py, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        same_content(slf.as_any(), other, op)
    }

    fn __hash__(slf: &Bound<'_, Self>) -> PyResult<isize> {
        slf.py().import("clearance._arrays")?.call_method1("content_hash", (slf,))?.extract()
    }

    fn __repr__(&self) -> String {
        format!("<Motion '{}' of {} s>", self.recipe.0, self.inner.duration())
    }
}
