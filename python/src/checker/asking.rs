//! How a checker asks: in its scene, one by one, in runs, about two robots.

use super::{Checker, State};
use crate::arrays::{Configurations, reshaped, result};
use crate::errors::{OrRaise, bad_value};
use crate::mesh::threads_of;
use crate::results::{Columns, Distance, Hit, against_name};
use crate::run::{FIRST_CHUNK, batch_from, caught, in_background, in_runs, lent_batch, lock};
use crate::sensing::{Rays, ray_hits};
use clearance::robot::EdgeClearance;
use clearance::{DistanceRequest, Edge, MotionRequest, RobotDistance, Threads};
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

    /// What rays hit, the robot in one configuration or the scene.
    pub(super) fn cast<'py>(&self, q: &Bound<'py, PyAny>, rays: &Rays) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        let Some(q) = rows.one() else { return Err(bad_value(py, "q is a batch; expected one configuration")) };
        let mut hits = Vec::with_capacity(rays.len());
        self.ask_many(py, "rays", rays.len(), 1, |checker, range| {
            for i in range {
                hits.push(checker.ray(q, &rays.ray(i)?)?.map(|(name, hit)| (hit, Some(name))));
            }
            Ok(())
        })?;
        ray_hits(py, hits)
    }

    /// All hits in one configuration.
    pub(super) fn all_hits(
        &self,
        q: &Bound<'_, PyAny>,
        ask: impl FnOnce(&mut clearance::Checker, &[f64]) -> clearance::Result<Vec<clearance::Hit>>,
    ) -> PyResult<Vec<Hit>> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        let Some(q) = rows.one() else { return Err(bad_value(py, "q is a batch; expected one configuration")) };
        let hits = self.ask(py, |checker| ask(checker, q))?.or_raise(py)?;
        Ok(hits.into_iter().map(Hit::from).collect())
    }

    /// One distance, or many.
    pub(super) fn measured<'py>(
        &self,
        q: &Bound<'py, PyAny>,
        threads: usize,
        request: DistanceRequest,
        gradients: bool,
        ask: fn(&mut clearance::Checker, &[f64], &DistanceRequest) -> clearance::robot::Result<Option<RobotDistance>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        let ask = |checker: &mut clearance::Checker, q: &[f64]| -> clearance::Result<Distance> {
            checker.set_gradients(gradients);
            let found = ask(checker, q, &request);
            checker.set_gradients(true);
            Ok(Distance::of_robot(found?, request.max_d))
        };
        if let Some(q) = rows.one() {
            let found = self.ask(py, |checker| ask(checker, q))?.or_raise(py)?;
            return Ok(Bound::new(py, found)?.into_any());
        }
        let (data, mut columns) = (rows.rows(), Columns::new(self.dof(), true));
        self.ask_many(py, "distances", rows.len(), threads, |checker, range| {
            let found = in_runs(checker, &data.range(range), threads, |checker, q| ask(checker, q))?;
            found.into_iter().for_each(|row| columns.push(row));
            Ok(())
        })?;
        columns.into_python(py)
    }

    /// Lists of each configuration, with its number. Many configurations are answered on a thread of
    /// their own: a first depth of large meshes takes a second.
    pub(super) fn listed<R: Send + 'static>(
        &self,
        q: &Bound<'_, PyAny>,
        threads: usize,
        ask: impl Fn(&mut clearance::Checker, &[f64]) -> clearance::Result<Vec<R>> + Clone + Send + Sync + 'static,
    ) -> PyResult<Vec<(usize, R)>> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        if let Some(q) = rows.one() {
            let found = self.ask(py, |checker| ask(checker, q))?.or_raise(py)?;
            return Ok(found.into_iter().map(|one| (0, one)).collect());
        }
        let data = rows.rows();
        let take = |range: Range<usize>| range.map(|i| data.row(i).to_vec()).collect::<Vec<_>>();
        let step = move |checker: &mut clearance::Checker, rows: Vec<Vec<f64>>| {
            in_runs(checker, &rows, threads, |checker, q| ask(checker, q))
        };
        let lists = lent_batch(py, "near pairs", rows.len(), &mut self.own(py)?, take, step)?;
        Ok(lists.into_iter().enumerate().flat_map(|(row, list)| list.into_iter().map(move |one| (row, one))).collect())
    }

    /// Decides all rows one by one, or as a batch on one thread, and drops the answers.
    pub(super) fn decide(&self, q: &Bound<'_, PyAny>, batch: bool) -> PyResult<()> {
        let (py, rows) = (q.py(), self.configurations("q", q)?);
        let (count, rows) = (rows.len(), rows.rows());
        let all = rows.range(0..count);
        self.ask(py, |checker| -> clearance::Result<()> {
            checker.set_threads(Threads::One);
            if batch {
                std::hint::black_box(checker.are_free(&all)?);
            } else {
                for q in all {
                    std::hint::black_box(checker.is_free(q)?);
                }
            }
            Ok(())
        })?
        .or_raise(py)
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
        if let (Some(from), Some(to)) = (from.one(), to.one()) {
            let free = self.ask(py, |checker| checker.is_edge_free(from, to))?.or_raise(py)?;
            return Ok(vec![free]);
        }
        let (starts, ends, mut own) = (from.rows(), to.rows(), self.own(py)?);
        own.set_threads(threads_of(threads));
        let take = |range: Range<usize>| range.map(|i| (starts.row(i).to_vec(), ends.row(i).to_vec())).collect();
        let step =
            |checker: &mut clearance::Checker, edges: Vec<(Vec<f64>, Vec<f64>)>| Ok(checker.are_edges_free(&edges)?);
        lent_batch(py, MOTIONS, from.len(), &mut own, take, step)
    }

    /// How near motions come to anything; no row's answer is `None` where there is nothing near.
    pub(super) fn clearances(
        &self,
        py: Python<'_>,
        from: &Configurations<'_>,
        to: &Configurations<'_>,
        threads: usize,
        request: MotionRequest,
        rel_err: f64,
    ) -> PyResult<Vec<Option<EdgeClearance>>> {
        as_many(py, from, to)?;
        let (starts, ends) = (from.rows(), to.rows());
        let take = |range: Range<usize>| range.map(|i| (starts.row(i).to_vec(), ends.row(i).to_vec())).collect();
        let step = move |checker: &mut clearance::Checker, edges: Vec<(Vec<f64>, Vec<f64>)>| {
            in_runs(checker, &edges, threads, |checker, (from, to)| {
                Ok(checker.edge_clearance(from, to, &request, rel_err)?)
            })
        };
        lent_batch(py, MOTIONS, from.len(), &mut self.own(py)?, take, step)
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

    pub(super) fn clearances_result<'py>(
        py: Python<'py>,
        found: &[Option<EdgeClearance>],
    ) -> PyResult<Bound<'py, PyAny>> {
        let fields = PyDict::new(py);
        let number = |take: fn(&EdgeClearance) -> f64, none: f64| {
            PyArray1::from_iter(py, found.iter().map(|one| one.as_ref().map_or(none, take)))
        };
        fields.set_item("lower", number(|one| one.lower, f64::INFINITY))?;
        fields.set_item("upper", number(|one| one.upper, f64::INFINITY))?;
        fields.set_item("t", number(|one| one.t, f64::NAN))?;
        let word =
            |take: fn(&EdgeClearance) -> &str| found.iter().map(|one| one.as_ref().map(take)).collect::<Vec<_>>();
        fields.set_item("a", word(|one| &one.a))?;
        fields.set_item("b", word(|one| &one.b))?;
        fields.set_item("against", word(|one| against_name(one.against)))?;
        result(py, "Clearances", &fields)
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
