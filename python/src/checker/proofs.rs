//! What is proven of all configurations, and prepared: which pairs never touch, what links reach.

use super::State;
use crate::arrays::{points_array, result};
use crate::errors::OrRaise;
use crate::run::in_background;
use crate::voxels::VoxelMap;
use clearance::robot::{GapOptions, PlanningOptions, Verdict};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How much effort goes into the proof of a pair.
pub(super) fn effort(threads: usize, evaluations: Option<usize>) -> GapOptions {
    let plain = GapOptions::default();
    GapOptions { threads, evaluations: evaluations.unwrap_or(plain.evaluations), ..plain }
}

/// A verdict as Python's.
pub(super) fn verdict(py: Python<'_>, found: Verdict) -> PyResult<Bound<'_, PyAny>> {
    let (status, gap, nearest, configuration) = match found {
        Verdict::Never { gap, nearest } => ("never", gap, nearest, None),
        Verdict::Sometimes { configuration } => ("sometimes", 0.0, 0.0, Some(configuration)),
        Verdict::Always { proven: true, .. } => ("always", 0.0, 0.0, None),
        // It touched wherever it was looked at, which says nothing of other configurations.
        Verdict::Always { proven: false, .. } => ("undecided", 0.0, 0.0, None),
        Verdict::Undecided { nearest, configuration } => ("undecided", 0.0, nearest, Some(configuration)),
    };
    let fields = PyDict::new(py);
    fields.set_item("status", status)?;
    fields.set_item("gap", gap)?;
    fields.set_item("nearest", nearest)?;
    fields.set_item("q", configuration.map(|q| PyArray1::from_vec(py, q)))?;
    result(py, "Verdict", &fields)
}

/// The file of the proofs, as bytes.
pub(super) fn proof_bytes(checker: &clearance::Checker) -> clearance::Result<Vec<u8>> {
    in_a_file(|path| {
        checker.save_proofs(path)?;
        Ok(std::fs::read(path)?)
    })
}

/// Calls `f` with the path of a file that is there only meanwhile.
pub(super) fn in_a_file<T>(f: impl FnOnce(&std::path::Path) -> clearance::Result<T>) -> clearance::Result<T> {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("clearance-proofs-{}-{number}", std::process::id()));
    let answer = f(&path);
    // It may be missing where `f` failed.
    let _ = std::fs::remove_file(&path);
    answer
}

/// The pairs of links whose bodies are proven never to touch, by the first links of the bodies.
pub(super) fn never(checker: &clearance::Checker) -> Vec<(String, String, f64)> {
    let Some(proofs) = checker.model().proofs() else { return Vec::new() };
    let robot = checker.robot();
    let name = |body: usize| {
        let links = robot.bodies()[body].links();
        let with_shapes = links.iter().find(|&&link| !robot.links()[link].geometries().is_empty());
        with_shapes.or(links.first()).map_or_else(String::new, |&link| robot.links()[link].name().to_owned())
    };
    let never = proofs.pairs().iter().filter(|pair| matches!(pair.verdict, Verdict::Never { .. }));
    never.map(|pair| (name(pair.bodies[0]), name(pair.bodies[1]), pair.gap)).collect()
}

/// Proves which pairs never touch. The checker stays locked, so that no change of others is lost.
pub(super) fn prove(py: Python<'_>, state: &mut State, options: GapOptions) -> PyResult<Vec<(String, String, f64)>> {
    let mut own = state.checker.clone();
    let proven =
        in_background(py, "proofs", move |observer| own.prove_observed(&options, observer).map(drop).map(|()| own))?;
    state.checker = proven.or_raise(py)?;
    state.evaluations = options.evaluations;
    Ok(never(&state.checker))
}

/// Prepares for planning; `gaps` says how to prove which pairs never touch, if nothing is proven yet.
pub(super) fn prepare(
    py: Python<'_>,
    state: &mut State,
    gaps: Option<GapOptions>,
    table_cells: Option<usize>,
    threads: usize,
) -> PyResult<()> {
    let plain = PlanningOptions::default();
    let options =
        PlanningOptions { prove: gaps, table_cells: table_cells.unwrap_or(plain.table_cells), threads, ..plain };
    let mut own = state.checker.clone();
    let was_proven = own.model().proofs().is_some();
    let ready = in_background(py, "planning", move |observer| {
        own.prepare_for_planning_observed(&options, observer).map(|()| own)
    })?;
    state.checker = ready.or_raise(py)?;
    state.prepared = true;
    if let (Some(gaps), false) = (gaps, was_proven) {
        state.evaluations = gaps.evaluations;
    }
    Ok(())
}

/// Prepares for planning by a file.
pub(super) fn load_planning(
    py: Python<'_>,
    state: &mut State,
    path: std::path::PathBuf,
    table_cells: Option<usize>,
) -> PyResult<()> {
    let plain = PlanningOptions::default();
    let options = PlanningOptions { table_cells: table_cells.unwrap_or(plain.table_cells), ..plain };
    let read = state.checker.load_planning(path, &options);
    read.map_err(|error| crate::errors::file_error(py, error.into()))?;
    state.prepared = true;
    Ok(())
}

/// Where a link can be, or the whole robot, and a voxel map of that.
pub(super) fn reach(
    py: Python<'_>,
    checker: clearance::Checker,
    link: Option<String>,
    resolution: Option<f64>,
) -> PyResult<Bound<'_, PyAny>> {
    let found = in_background(py, "reach", move |_| -> clearance::Result<_> {
        let reach = match &link {
            Some(link) => checker.reach(link)?,
            None => checker.robot_reach()?,
        };
        let map = resolution.map(|resolution| reach.voxel_map(resolution)).transpose()?;
        Ok((reach, map))
    })?;
    let (reach, map) = found.or_raise(py)?;
    let fields = PyDict::new(py);
    fields.set_item("centers", points_array(py, reach.spheres().iter().map(|sphere| sphere.center)))?;
    fields.set_item("radii", PyArray1::from_iter(py, reach.spheres().iter().map(|sphere| sphere.radius)))?;
    fields.set_item("voxels", map.map(|map| Py::new(py, VoxelMap::of(map))).transpose()?)?;
    result(py, "Reach", &fields)
}
