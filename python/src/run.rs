//! How queries run: without the interpreter's lock, interruptible, and without a panic that reaches
//! Python.

use crate::errors::{OrRaise, error};
use parking_lot::{Mutex, MutexGuard};
use pyo3::prelude::*;
use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The interpreter looks for Ctrl-C this often; 0.2 s are promised.
const TICK: Duration = Duration::from_millis(25);
/// Long calls show their progress after this time.
const PATIENCE: Duration = Duration::from_secs(1);
/// Batches start with so many items: as many as share a warm start in the engine.
pub const FIRST_CHUNK: usize = 64;

/// Runs `f`; a panic is a Python error. For calls of microseconds, which keep the interpreter.
#[inline]
pub fn caught<T>(py: Python<'_>, f: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|panic| internal(py, &*panic))
}

/// Runs `f` without the interpreter's lock; a panic is a Python error.
pub fn detached<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(f))).map_err(|panic| internal(py, &*panic))
}

fn internal(py: Python<'_>, panic: &(dyn Any + Send)) -> PyErr {
    let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    error(py, "InternalError", format!("a bug in clearance, please report it: {}", words.unwrap_or("unknown")))
}

/// Locks `mutex`. While another thread has it, the interpreter goes on and Ctrl-C works.
#[inline]
pub fn lock<'m, T: Send>(py: Python<'_>, mutex: &'m Mutex<T>) -> PyResult<MutexGuard<'m, T>> {
    match mutex.try_lock() {
        Some(guard) => Ok(guard),
        None => wait_for(py, mutex),
    }
}

#[cold]
fn wait_for<'m, T: Send>(py: Python<'_>, mutex: &'m Mutex<T>) -> PyResult<MutexGuard<'m, T>> {
    loop {
        if let Some(guard) = py.detach(|| mutex.try_lock_for(TICK)) {
            return Ok(guard);
        }
        py.check_signals()?;
    }
}

/// Calls `step` with ranges that make up `0..total`, in order and without the interpreter's lock.
/// Between them Ctrl-C works, and a bar shows the progress of what takes long.
pub fn batch(
    py: Python<'_>,
    label: &'static str,
    total: usize,
    step: impl FnMut(Range<usize>) -> clearance::Result<()> + Send,
) -> PyResult<()> {
    batch_from(py, label, total, FIRST_CHUNK, step)
}

/// As [`batch`], with another number of items in the first range: few where each may take long.
pub fn batch_from(
    py: Python<'_>,
    label: &'static str,
    total: usize,
    first: usize,
    mut step: impl FnMut(Range<usize>) -> clearance::Result<()> + Send,
) -> PyResult<()> {
    chunks(py, label, total, first, |py, range| detached(py, || step(range))?.or_raise(py))
}

fn chunks(
    py: Python<'_>,
    label: &'static str,
    total: usize,
    first: usize,
    mut step: impl FnMut(Python<'_>, Range<usize>) -> PyResult<()>,
) -> PyResult<()> {
    let (mut done, mut size) = (0, first);
    let mut progress = Progress::new(label);
    while done < total {
        let (from, end) = (Instant::now(), total.min(done + size));
        step(py, done..end)?;
        done = end;
        py.check_signals()?;
        progress.show(py, done, total)?;
        // Chunks last about a tick: threads are started for each. Multiples of the first keep the
        // engine's runs whole.
        let share = TICK.as_secs_f64() / from.elapsed().as_secs_f64().max(1e-9);
        let next = (size as f64 * share.clamp(0.02, 16.0)) as usize;
        size = if next > FIRST_CHUNK { next / FIRST_CHUNK * FIRST_CHUNK } else { next.max(1) };
    }
    progress.close(py)
}

/// What `ask` says about every item, in order. Each run of neighbours has a clone of `source`, and
/// so a warm start of its own: the answers do not depend on the number of threads.
pub fn in_runs<C: Clone + Send, T: Sync, R: Send>(
    source: &C,
    items: &[T],
    threads: usize,
    ask: impl Fn(&mut C, &T) -> clearance::Result<R> + Sync + Send,
) -> clearance::Result<Vec<R>> {
    // A clone is made by one thread at a time: checkers are not shared.
    let source = Mutex::new(source.clone());
    let run = |own: &mut C, items: &[T]| -> Vec<clearance::Result<R>> {
        let mut own = own.clone();
        items.iter().map(|item| ask(&mut own, item)).collect()
    };
    clearance::engine::dispatch::in_runs(items, threads, || source.lock().clone(), run)?.into_iter().collect()
}

/// Ends the work of a thread whose answer nobody waits for.
struct Abandoned;

/// Runs `f`, which owns what it needs, on a thread of its own. Ctrl-C leaves that thread behind:
/// it ends with the next news of its progress, or when `f` does, and its answer is dropped.
pub fn in_background<T: Send + 'static>(
    py: Python<'_>,
    label: &'static str,
    f: impl FnOnce(&(dyn Fn(usize, usize) + Sync)) -> T + Send + 'static,
) -> PyResult<T> {
    let (sender, receiver) = channel();
    let (report, reports) = channel::<(usize, usize)>();
    let report = std::sync::Mutex::new(report);
    std::thread::spawn(move || {
        let observer = move |done: usize, total: usize| {
            // Nobody listens after Ctrl-C.
            let heard = report.lock().is_ok_and(|report| report.send((done, total)).is_ok());
            if !heard {
                // No message: this is no bug, and `catch_unwind` below is its end.
                std::panic::resume_unwind(Box::new(Abandoned));
            }
        };
        let _ = sender.send(catch_unwind(AssertUnwindSafe(|| f(&observer))));
    });
    let mut progress = Progress::new(label);
    let receiver = std::sync::Mutex::new(receiver);
    loop {
        let received = py.detach(|| match receiver.lock() {
            Ok(receiver) => receiver.recv_timeout(TICK),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        });
        match received {
            Ok(answer) => {
                progress.close(py)?;
                return answer.map_err(|panic| internal(py, &*panic));
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(internal(py, &"a thread ended")),
        }
        if let Some((done, total)) = reports.try_iter().last() {
            progress.show(py, done, total)?;
        }
    }
}

/// Runs `f` with `own` on a thread of its own, for single questions that may take long. After Ctrl-C
/// a clone is in its place.
pub fn lent<S: Clone + Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    label: &'static str,
    own: &mut S,
    f: impl FnOnce(&mut S) -> T + Send + 'static,
) -> PyResult<T> {
    let spare = own.clone();
    let mut lent = std::mem::replace(own, spare);
    let (back, answer) = in_background(py, label, move |_| {
        let answer = f(&mut lent);
        (lent, answer)
    })?;
    *own = back;
    Ok(answer)
}

/// As [`batch_from`] for items that may take long each: every chunk runs on a thread of its own.
/// `take` copies the items of a range, `step` answers them.
pub fn lent_batch<S: Clone + Send + 'static, I: Send + 'static, R: Send + 'static>(
    py: Python<'_>,
    label: &'static str,
    total: usize,
    own: &mut S,
    mut take: impl FnMut(Range<usize>) -> I,
    step: impl Fn(&mut S, I) -> clearance::Result<Vec<R>> + Clone + Send + 'static,
) -> PyResult<Vec<R>> {
    let mut answers = Vec::with_capacity(total);
    chunks(py, label, total, 1, |py, range| {
        let (items, step) = (take(range), step.clone());
        let found = lent(py, label, own, move |own| step(own, items))?;
        answers.extend(found.or_raise(py)?);
        Ok(())
    })?;
    Ok(answers)
}

/// The bar of a long call, drawn by `clearance._progress`.
struct Progress {
    label: &'static str,
    start: Instant,
    bar: Option<Py<PyAny>>,
}

impl Progress {
    fn new(label: &'static str) -> Self {
        Self { label, start: Instant::now(), bar: None }
    }

    fn show(&mut self, py: Python<'_>, done: usize, total: usize) -> PyResult<()> {
        if self.start.elapsed() < PATIENCE {
            return Ok(());
        }
        let bar = match &self.bar {
            Some(bar) => bar,
            none => {
                let made = py.import("clearance._progress")?.getattr("Bar")?.call1((self.label,))?;
                debug_assert!(none.is_none());
                self.bar.insert(made.unbind())
            }
        };
        bar.call_method1(py, "update", (done, total)).map(drop)
    }

    fn close(self, py: Python<'_>) -> PyResult<()> {
        self.bar.map_or(Ok(()), |bar| bar.call_method0(py, "close").map(drop))
    }
}
