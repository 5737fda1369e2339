//! Motions between configurations, proofs, planning.

use super::{Answer, CheckerValue, asked, clearance_checker};
use crate::border::{Failure, Outcome, array, clearance_status, entry, out, out_array, path, product, threads};
use crate::pair::clearance_verdict;
use crate::types::clearance_against;
use clearance::robot::{GapOptions, PlanningOptions};
use clearance::{Edge, MotionRequest};
use std::ffi::c_char;

/// What becomes of a motion; times go from 0 to 1. What a verdict does not have is NaN, or NULL. Names
/// belong to the checker and live until its next call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_edge {
    /// What becomes of the motion.
    pub verdict: clearance_verdict,
    /// Contact: what `b` is.
    pub against: clearance_against,
    /// Free: everything is farther apart than this at every time.
    pub clearance: f64,
    /// Contact: the first contact is not before this time … Undecided: free until here.
    pub t_lower: f64,
    /// … and at this time the two are within `gap`.
    pub t_upper: f64,
    /// Contact: how near they are at `t_upper`; 0 if and only if contact is proven.
    pub gap: f64,
    /// Undecided: the part of the motion that is proven free.
    pub proven: f64,
    /// Contact: the link of the robot, or the object that it carries.
    pub a: *const c_char,
    /// Contact: the other link, attached object or object of the scene.
    pub b: *const c_char,
}

impl clearance_edge {
    fn of(edge: &Edge, answer: &mut Answer) -> Self {
        let none = Self {
            verdict: clearance_verdict::Free,
            against: clearance_against::Itself,
            clearance: f64::NAN,
            t_lower: f64::NAN,
            t_upper: f64::NAN,
            gap: f64::NAN,
            proven: f64::NAN,
            a: std::ptr::null(),
            b: std::ptr::null(),
        };
        match edge {
            Edge::Free { clearance } => Self { clearance: *clearance, ..none },
            Edge::Undecided { t, proven } => {
                Self { verdict: clearance_verdict::Undecided, t_lower: *t, proven: *proven, ..none }
            }
            Edge::Contact { t: [t_lower, t_upper], a, b, against, gap } => Self {
                verdict: clearance_verdict::Contact,
                against: (*against).into(),
                t_lower: *t_lower,
                t_upper: *t_upper,
                gap: *gap,
                a: answer.name(a),
                b: answer.name(b),
                ..none
            },
        }
    }
}

/// What becomes of the straight motion between two configurations, proven at every time: free, or the
/// first contact, or undecided after `max_evaluations`. A `tolerance` of 0 is 1e-5, and 0 evaluations
/// are the default of a million.
///
/// # Safety
/// `checker` is a handle; `from` and `to` have `dof` numbers; `edge` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_edge(
    checker: *mut clearance_checker,
    from: *const f64,
    to: *const f64,
    dof: usize,
    tolerance: f64,
    max_evaluations: usize,
    edge: *mut clearance_edge,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, from, to, edge) =
            unsafe { (asked(checker)?, array(from, dof, "from")?, array(to, dof, "to")?, out(edge, "edge")?) };
        let mut request = MotionRequest::default();
        if tolerance != 0.0 {
            request.tolerance = tolerance;
        }
        if max_evaluations != 0 {
            request.max_evaluations = max_evaluations;
        }
        let CheckerValue { checker, answer } = &mut *checker;
        answer.clear();
        edge.set(clearance_edge::of(&checker.edge_with(from, to, &request)?, answer));
        Ok(())
    })
}

/// Whether the straight motion between two configurations is proven free; several times as fast after
/// `clearance_checker_prepare_for_planning`.
///
/// # Safety
/// `checker` is a handle; `from` and `to` have `dof` numbers; `is_free` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_is_edge_free(
    checker: *mut clearance_checker,
    from: *const f64,
    to: *const f64,
    dof: usize,
    is_free: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, from, to, is_free) =
            unsafe { (asked(checker)?, array(from, dof, "from")?, array(to, dof, "to")?, out(is_free, "is_free")?) };
        is_free.set(checker.checker.is_edge_free(from, to)?);
        Ok(())
    })
}

/// What becomes of a smooth spline through `count` waypoints, which are rows of `dof` numbers, part by
/// part. An error for less than two.
///
/// # Safety
/// `checker` is a handle; `waypoints` has `count·dof` numbers; `edges` has `count - 1` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_spline(
    checker: *mut clearance_checker,
    waypoints: *const f64,
    count: usize,
    dof: usize,
    edges: *mut clearance_edge,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, numbers, edges) = unsafe {
            let numbers = array(waypoints, product(count, dof, "waypoints")?, "waypoints")?;
            (asked(checker)?, numbers, out_array(edges, count.saturating_sub(1), "edges")?)
        };
        if dof == 0 {
            return Err(Failure::value("a spline has at least one joint variable"));
        }
        if count < 2 {
            return Err(Failure::value("a spline has at least two waypoints"));
        }
        let rows: Vec<&[f64]> = numbers.chunks_exact(dof).collect();
        let CheckerValue { checker, answer } = &mut *checker;
        answer.clear();
        let found = checker.spline(&rows)?;
        edges.set_all(found.iter().map(|edge| clearance_edge::of(edge, answer)));
        Ok(())
    })
}

/// The effort of proofs; 0 evaluations are the default.
fn effort(threads: u32, evaluations: usize) -> GapOptions {
    let mut options = GapOptions { threads: self::threads(threads).count(), ..GapOptions::default() };
    if evaluations != 0 {
        options.evaluations = evaluations;
    }
    options
}

/// Proves which pairs of links never touch within the joint limits, so that questions skip them;
/// changes no answer. `threads` 0 is all of the machine, 0 `evaluations` for each pair are the default.
///
/// # Safety
/// `checker` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_prove(
    checker: *mut clearance_checker,
    threads: u32,
    evaluations: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let mut checker = unsafe { asked(checker) }?;
        checker.checker.prove(&effort(threads, evaluations))?;
        Ok(())
    })
}

/// Writes what `clearance_checker_prove` found to a file.
///
/// # Safety
/// `checker` is a handle, `file` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_save_proofs(
    checker: *mut clearance_checker,
    file: *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, file) = unsafe { (asked(checker)?, path(file, "file")?) };
        Ok(checker.checker.save_proofs(file)?)
    })
}

/// Reads what `clearance_checker_save_proofs` wrote for the same robot, options and `evaluations`.
///
/// # Safety
/// `checker` is a handle, `file` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_load_proofs(
    checker: *mut clearance_checker,
    file: *const c_char,
    evaluations: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, file) = unsafe { (asked(checker)?, path(file, "file")?) };
        checker.checker.load_proofs(file, &effort(1, evaluations))?;
        Ok(())
    })
}

/// Makes the checker ready for a planner: `clearance_checker_is_free`, `_are_free`, `_is_edge_free` and
/// `_are_edges_free` then decide most questions in SIMD lanes, with the same verdicts. It takes
/// seconds, and lasts through changes of the scene, of options and of attached objects; clones have it
/// too. `prove` is whether to prove first which links never touch, if nothing is proven yet.
///
/// # Safety
/// `checker` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_prepare_for_planning(
    checker: *mut clearance_checker,
    threads: u32,
    prove: bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let mut checker = unsafe { asked(checker) }?;
        let proofs = prove.then(|| effort(threads, 0));
        let threads = self::threads(threads).count();
        let options = PlanningOptions { prove: proofs, threads, ..PlanningOptions::default() };
        Ok(checker.checker.prepare_for_planning(&options)?)
    })
}

/// Rows of numbers; a robot without joints has as many empty ones.
pub(super) fn rows(numbers: &[f64], count: usize, dof: usize) -> Outcome<Vec<&[f64]>> {
    if dof == 0 {
        return Err(Failure::value("the robot of a batch has at least one joint variable"));
    }
    let rows: Vec<&[f64]> = numbers.chunks_exact(dof).collect();
    debug_assert_eq!(rows.len(), count);
    Ok(rows)
}
