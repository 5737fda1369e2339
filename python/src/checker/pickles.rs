//! Copies of a checker, and what its pickles hold: the robot, the scene, options, attached objects, proofs.

use super::proofs::{effort, in_a_file, proof_bytes};
use super::{Checker, State};
use crate::arrays::pose_array;
use crate::errors::OrRaise;
use crate::robot::Robot;
use crate::run::lock;
use crate::scene::Scene;
use parking_lot::Mutex;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

/// The arguments of [`checker`].
pub(super) fn content<'py>(slf: &Bound<'py, Checker>) -> PyResult<Bound<'py, PyTuple>> {
    let (py, checker) = (slf.py(), slf.get());
    let (options, base) = (checker.options(py)?, checker.base(py)?);
    let state = lock(py, &checker.state)?;
    let attached = PyList::empty(py);
    for object in &state.checker.options().attached {
        let geometry = state.attached[&object.name].clone_ref(py);
        let place = pose_array(py, &object.link_from_object);
        attached.append((&object.name, geometry, &object.link, place, &object.touch_links))?;
    }
    let proofs = match state.checker.model().proofs() {
        None => None,
        Some(_) => Some((PyBytes::new(py, &proof_bytes(&state.checker).or_raise(py)?), state.evaluations)),
    };
    let scene = state.scene.clone_ref(py);
    (checker.robot.clone_ref(py), scene, options, base, attached, proofs).into_pyobject(py)
}

/// The checker of a pickle.
pub(super) fn checker<'py>(
    robot: &Bound<'py, Robot>,
    scene: &Bound<'py, Scene>,
    options: &Bound<'py, PyDict>,
    base: &Bound<'py, PyAny>,
    attached: &Bound<'py, PyList>,
    proofs: Option<(Bound<'py, PyBytes>, usize)>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = robot.py();
    let named = options.copy()?;
    named.set_item("base", base)?;
    let made = py.get_type::<Checker>().call((robot, scene), Some(&named))?;
    for object in attached {
        made.call_method1("attach", object.cast_into::<PyTuple>()?)?;
    }
    if let Some((proofs, evaluations)) = proofs {
        let mut state = lock(py, &made.cast::<Checker>()?.get().state)?;
        in_a_file(|path| {
            std::fs::write(path, proofs.as_bytes())?;
            state.checker.load_proofs(path, &effort(1, Some(evaluations)))?;
            Ok(())
        })
        .or_raise(py)?;
        state.evaluations = evaluations;
    }
    Ok(made)
}

/// Another checker of the same scene.
pub(super) fn copy(py: Python<'_>, checker: &Checker) -> PyResult<Checker> {
    let state = lock(py, &checker.state)?;
    let attached = state.attached.iter().map(|(name, geometry)| (name.clone(), geometry.clone_ref(py))).collect();
    let copy = State {
        checker: state.checker.clone(),
        scene: state.scene.clone_ref(py),
        base: state.base,
        attached,
        evaluations: state.evaluations,
        prepared: state.prepared,
        last: state.last.clone(),
    };
    Ok(Checker { state: Mutex::new(copy), robot: checker.robot.clone_ref(py) })
}
