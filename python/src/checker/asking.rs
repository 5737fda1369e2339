//! How a checker asks: in its scene, one by one, in runs, about two robots.

use super::{Checker, State};
use crate::arrays::{Configurations, reshaped, result};
use crate::errors::{OrRaise, bad_value};
use crate::mesh::threads_of;
use crate::results::{Columns, Distance, Hit};
use crate::run::{FIRST_CHUNK, batch_from, caught, in_background, in_runs, lock};
use clearance::{Edge, MotionRequest};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList};
use std::ops::Range;

/// Motions that need more evaluations than this go on on a thread of their own, so that Ctrl-C
/// works; these take some 50 ms.
const FEW_EVALUATIONS: usize = 2_000;
/// What the progress bar calls motions.
const MOTIONS: &str = "edges";

/// A checker with the shared scene inside; gives it back at the end, whatever happens.
struct InScene<'a> {
    checker: &'a mut clearance::Checker,
    scene: &'a mut clearance::Scene,
}

impl<'a> InScene<'a> {
    fn new(checker: &'a mut clearance::Checker, scene: &'a mut clearance::Scene) -> Self {
        std::mem::swap(checker.scene_mut(), scene);
        Self { checker, scene }
    }
}

impl Drop for InScene<'_> {
    fn drop(&mut self) {
        std::mem::swap(self.checker.scene_mut(), self.scene);
    }
}

impl Checker {
    /// Asks the checker in its scene, and keeps the interpreter: for calls of microseconds.
    #[inline]
    pub(super) fn ask<T>(&self, py: Python<'_>, ask: impl FnOnce(&mut clearance::Checker) -> T) -> PyResult<T> {
        let mut state = lock(py, &self.state)?;
        state.place_last(py)?;
        let State { checker, scene, .. } = &mut *state;
        let mut around = lock(py, &scene.get().state)?;
        let inside = InScene::new(checker, &mut around.scene);
        caught(py, || ask(&mut *inside.checker))
    }

    /// Asks in chunks, without the interpreter's lock.
    pub(super) fn ask_many(
        &self,
        py: Python<'_>,
        label: &'static str,
        count: usize,
        threads: usize,
        mut ask: impl FnMut(&mut clearance::Checker, Range<usize>) -> clearance::Result<()> + Send,
    ) -> PyResult<()> {
        let mut state = lock(py, &self.state)?;
        state.place_last(py)?;
        let State { checker, scene, .. } = &mut *state;
        let mut around = lock(py, &scene.get().state)?;
        let inside = InScene::new(checker, &mut around.scene);
        inside.checker.set_threads(threads_of(threads));
        // A motion may take as long as a thousand configurations.
        let first = if label == MOTIONS { 1 } else { FIRST_CHUNK };
        batch_from(py, label, count, first, |range| ask(&mut *inside.checker, range))
    }

    /// A checker of its own with the present scene.
    pub fn own(&self, py: Python<'_>) -> PyResult<clearance::Checker> {
        self.ask(py, |checker| checker.clone())
    }

    pub(super) fn dof(&self) -> usize {
        self.robot.get().inner.variables().len()
    }

    pub(super) fn configurations<'py>(&self, what: &str, q: &Bound<'py, PyAny>) -> PyResult<Configurations<'py>> {
        Configurations::new(what, q, self.dof())
    }

    /// Verdicts about one configuration or many; `says` turns "free" into the answer.
    pub(super) fn verdicts<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        threads: usize,
        says: impl Fn(bool) -> bool + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        if let Some(q) = rows.one() {
            let mut state = lock(py, &self.state)?;
            let State { checker, scene, attached, last, .. } = &mut *state;
            let mut around = lock(py, &scene.get().state)?;
            let inside = InScene::new(checker, &mut around.scene);
            let free = caught(py, || inside.checker.is_free(q))?.or_raise(py)?;
            if !attached.is_empty() {
                last.clear();
                last.extend_from_slice(q);
            }
            return Ok(PyBool::new(py, says(free)).to_owned().into_any());
        }
        let (data, count, mut answers) = (rows.rows(), rows.len(), Vec::with_capacity(rows.len()));
        let mut is_first = true;
        self.ask_many(py, "collisions", count, threads, |checker, range| {
            if std::mem::take(&mut is_first) {
                // It looks at the scene, which batches cannot remember.
                checker.is_free(data.row(range.start))?;
            }
            answers.extend(checker.are_free(&data.range(range))?.into_iter().map(&says));
            Ok(())
        })?;
        Ok(PyArray1::from_vec(py, answers).into_any())
    }

    /// One hit, or a list of them for many configurations.
    pub(super) fn hits<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        mut ask: impl FnMut(&mut clearance::Checker, &[f64]) -> clearance::Result<Option<clearance::Hit>> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        if let Some(q) = rows.one() {
            let hit = self.ask(py, |checker| ask(checker, q))?.or_raise(py)?;
            return Ok(hit.map(Hit::from).into_pyobject(py)?.into_any());
        }
        let (data, mut found) = (rows.rows(), Vec::with_capacity(rows.len()));
        self.ask_many(py, "collisions", rows.len(), 1, |checker, range| {
            for i in range {
                found.push(ask(checker, data.row(i))?.map(Hit::from));
            }
            Ok(())
        })?;
        Ok(PyList::new(py, found)?.into_any())
    }

    /// One distance, or many.
    pub(super) fn measured<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        threads: usize,
        ask: impl Fn(&mut clearance::Checker, &[f64]) -> clearance::Result<Option<clearance::RobotDistance>> + Sync + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        if let Some(q) = rows.one() {
            let found = self.ask(py, |checker| ask(checker, q))?.or_raise(py)?;
            return Ok(Bound::new(py, Distance::of_robot(found))?.into_any());
        }
        let (data, mut columns) = (rows.rows(), Columns::new(self.dof(), true));
        self.ask_many(py, "distances", rows.len(), threads, |checker, range| {
            let found = in_runs(checker, &data.range(range), threads, |checker, q| ask(checker, q))?;
            found.into_iter().for_each(|found| columns.push(Distance::of_robot(found)));
            Ok(())
        })?;
        columns.into_python(py)
    }

    /// Whether straight motions are free, by what planning was prepared with.
    pub(super) fn screened(
        &self,
        py: Python<'_>,
        from: &Configurations<'_>,
        to: &Configurations<'_>,
        threads: usize,
    ) -> PyResult<Vec<bool>> {
        as_many(py, from, to)?;
        let (starts, ends, mut free) = (from.rows(), to.rows(), Vec::with_capacity(from.len()));
        self.ask_many(py, MOTIONS, from.len(), threads, |checker, range| {
            if let [i] = *range.clone().collect::<Vec<_>>() {
                free.push(checker.is_edge_free(starts.row(i), ends.row(i))?);
                return Ok(());
            }
            let edges: Vec<_> = range.map(|i| (starts.row(i), ends.row(i))).collect();
            free.extend(checker.are_edges_free(&edges)?);
            Ok(())
        })?;
        Ok(free)
    }

    /// What becomes of motions. Hard ones go on on a thread of their own.
    pub(super) fn motions(
        &self,
        py: Python<'_>,
        from: &Configurations<'_>,
        to: &Configurations<'_>,
        threads: usize,
        request: MotionRequest,
    ) -> PyResult<Vec<Edge>> {
        let count = from.len();
        as_many(py, from, to)?;
        request.check().or_raise(py)?;
        let short = MotionRequest { max_evaluations: request.max_evaluations.min(FEW_EVALUATIONS), ..request };
        let (starts, ends, mut edges) = (from.rows(), to.rows(), Vec::with_capacity(count));
        self.ask_many(py, MOTIONS, count, 1, |checker, range| {
            let numbers: Vec<usize> = range.collect();
            edges.extend(in_runs(checker, &numbers, threads, |checker, &i| {
                Ok(checker.edge_with(starts.row(i), ends.row(i), &short)?)
            })?);
            Ok(())
        })?;
        for (i, edge) in edges.iter_mut().enumerate() {
            if matches!(edge, Edge::Undecided { .. }) && short != request {
                let (mut checker, from, to) = (self.own(py)?, starts.row(i).to_vec(), ends.row(i).to_vec());
                *edge = in_background(py, "edge", move |_| checker.edge_with(&from, &to, &request))?.or_raise(py)?;
            }
        }
        Ok(edges)
    }

    pub(super) fn edges_result<'py>(py: Python<'py>, edges: &[Edge]) -> PyResult<Bound<'py, PyAny>> {
        let mut rows: Vec<(&str, [f64; 2], f64, Option<&str>, Option<&str>)> = Vec::with_capacity(edges.len());
        for edge in edges {
            rows.push(match edge {
                Edge::Free { clearance } => ("free", [1.0, 1.0], *clearance, None, None),
                Edge::Contact { t, a, b, .. } => ("contact", *t, 0.0, Some(a), Some(b)),
                Edge::Undecided { t, .. } => ("undecided", [*t, 1.0], 0.0, None, None),
            });
        }
        let fields = PyDict::new(py);
        fields.set_item("status", rows.iter().map(|row| row.0).collect::<Vec<_>>())?;
        fields.set_item("free", PyArray1::from_iter(py, edges.iter().map(Edge::is_free)))?;
        let t: Vec<f64> = rows.iter().flat_map(|row| row.1).collect();
        fields.set_item("t", reshaped(PyArray1::from_vec(py, t), [rows.len(), 2]))?;
        fields.set_item("clearance", PyArray1::from_iter(py, rows.iter().map(|row| row.2)))?;
        fields.set_item("a", rows.iter().map(|row| row.3).collect::<Vec<_>>())?;
        fields.set_item("b", rows.iter().map(|row| row.4).collect::<Vec<_>>())?;
        result(py, "Edges", &fields)
    }
}

fn as_many(py: Python<'_>, from: &Configurations<'_>, to: &Configurations<'_>) -> PyResult<()> {
    if to.len() == from.len() {
        return Ok(());
    }
    Err(bad_value(py, format!("q0 has {} rows and q1 has {}; expected as many", from.len(), to.len())))
}

/// Asks two checkers about their robots. Locks are taken in one order, whoever asks.
pub(super) fn two<'py, T>(
    a: &Bound<'py, Checker>,
    q: &Bound<'py, PyAny>,
    b: &Bound<'py, Checker>,
    p: &Bound<'py, PyAny>,
    ask: impl FnOnce(&mut clearance::Checker, &[f64], &mut clearance::Checker, &[f64]) -> clearance::Result<T>,
) -> PyResult<T> {
    let py = a.py();
    if a.is(b) {
        return Err(bad_value(py, "the other robot needs a checker of its own: copy.copy(checker)"));
    }
    let (q, p) = (a.get().configurations("q", q)?, b.get().configurations("other_q", p)?);
    let (Some(q), Some(p)) = (q.one(), p.one()) else {
        return Err(bad_value(py, "q or other_q is a batch; expected one configuration each"));
    };
    let (first, second) = if a.as_ptr() < b.as_ptr() { (a, b) } else { (b, a) };
    let (mut one, mut two) = (lock(py, &first.get().state)?, lock(py, &second.get().state)?);
    let (x, y) = if first.is(a) { (&mut one, &mut two) } else { (&mut two, &mut one) };
    caught(py, || ask(&mut x.checker, q, &mut y.checker, p))?.or_raise(py)
}
