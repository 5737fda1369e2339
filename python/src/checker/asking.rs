//! How a checker asks: in its scene, one by one, in runs, about two robots.

use super::{Checker, State};
use crate::arrays::{Configurations, reshaped, result};
use crate::errors::{OrRaise, bad_value};
use crate::mesh::threads_of;
use crate::results::{Columns, Distance, Hit};
use crate::run::{FIRST_CHUNK, batch_from, caught, in_background, lock};
use clearance::{Edge, MotionRequest, Threads};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
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
        let State { checker, scene, .. } = &mut *state;
        let mut around = lock(py, &scene.get().state)?;
        let inside = InScene::new(checker, &mut around.scene);
        inside.checker.set_threads(threads_of(threads));
        // A motion may take as long as a thousand configurations.
        let first = if label == MOTIONS { 1 } else { FIRST_CHUNK };
        batch_from(py, label, count, first, |range| ask(&mut *inside.checker, range))
    }

    /// A checker of its own with the present scene.
    pub(super) fn own(&self, py: Python<'_>) -> PyResult<clearance::Checker> {
        self.ask(py, |checker| checker.clone())
    }

    pub(super) fn dof(&self) -> usize {
        self.robot.get().inner.variables().len()
    }

    pub(super) fn configurations<'py>(&self, what: &str, q: &Bound<'py, PyAny>) -> PyResult<Configurations<'py>> {
        Configurations::new(what, q, self.dof())
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

    /// One distance, or many one after the other.
    pub(super) fn measured<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        mut ask: impl FnMut(&mut clearance::Checker, &[f64]) -> clearance::Result<Option<clearance::RobotDistance>> + Send,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        if let Some(q) = rows.one() {
            let found = self.ask(py, |checker| ask(checker, q))?.or_raise(py)?;
            return Ok(Bound::new(py, Distance::of_robot(found))?.into_any());
        }
        let (data, mut columns) = (rows.rows(), Columns::default());
        self.ask_many(py, "distances", rows.len(), 1, |checker, range| {
            for i in range {
                columns.push(Distance::of_robot(ask(checker, data.row(i))?));
            }
            Ok(())
        })?;
        columns.into_python(py, true)
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
        if to.len() != count {
            let message = format!("q0 has {count} rows and q1 has {}; expected as many", to.len());
            return Err(bad_value(py, message));
        }
        request.check().or_raise(py)?;
        let short = MotionRequest { max_evaluations: request.max_evaluations.min(FEW_EVALUATIONS), ..request };
        let (starts, ends, mut edges) = (from.rows(), to.rows(), Vec::with_capacity(count));
        self.ask_many(py, MOTIONS, count, 1, |checker, range| {
            edges.extend(in_runs(checker, range, threads_of(threads), |checker, i| {
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

/// Numbers that one clone of a checker, and so one warm start, works off.
const RUN: usize = 64;

/// What `ask` says about each number of a range, in order. Every run of neighbours has a clone of
/// the checker, so that the answers do not depend on the number of threads.
pub(super) fn in_runs<T: Send>(
    checker: &mut clearance::Checker,
    range: Range<usize>,
    threads: Threads,
    ask: impl Fn(&mut clearance::Checker, usize) -> clearance::Result<T> + Sync,
) -> clearance::Result<Vec<T>> {
    let starts: Vec<usize> = range.clone().step_by(RUN).collect();
    let run = |mut checker: clearance::Checker, start: usize| -> clearance::Result<Vec<T>> {
        (start..range.end.min(start + RUN)).map(|i| ask(&mut checker, i)).collect()
    };
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    let count = if threads == Threads::All { all() } else { threads.count() }.min(starts.len()).min(1024);
    if count <= 1 {
        let runs = starts.iter().map(|&start| run(checker.clone(), start));
        return Ok(runs.collect::<clearance::Result<Vec<_>>>()?.into_iter().flatten().collect());
    }
    // A clone is made by one thread at a time: a checker is not shared.
    let source = std::sync::Mutex::new((checker.clone(), starts.iter()));
    let next = || match source.lock() {
        Ok(mut source) => source.1.next().map(|&start| (source.0.clone(), start)),
        Err(_) => None,
    };
    let work = || {
        let mut found = Vec::new();
        while let Some((checker, start)) = next() {
            found.push((start, run(checker, start)?));
        }
        Ok(found)
    };
    let parts: Vec<clearance::Result<Vec<(usize, Vec<T>)>>> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let joined = |handle: std::thread::ScopedJoinHandle<'_, _>| match handle.join() {
            Ok(part) => part,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        handles.into_iter().map(joined).collect()
    });
    let mut runs: Vec<(usize, Vec<T>)> =
        parts.into_iter().collect::<clearance::Result<Vec<_>>>()?.into_iter().flatten().collect();
    runs.sort_unstable_by_key(|(start, _)| *start);
    Ok(runs.into_iter().flat_map(|(_, found)| found).collect())
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
