//! Motions between configurations.

use super::{Answer, CheckerValue, asked, clearance_checker};
use crate::border::{Failure, OutArray, Outcome, array, clearance_status, entry, out, out_array, product};
use crate::pair::clearance_verdict;
use crate::types::clearance_against;
use clearance::robot::EdgeClearance;
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

/// How near the robot comes to anything along a straight motion.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_edge_clearance {
    /// At most the clearance at any time.
    pub lower: f64,
    /// The clearance at `t`, or more.
    pub upper: f64,
    /// When `a` and `b` are so near, from 0 to 1.
    pub t: f64,
    /// The link of the robot, or the object that it carries.
    pub a: *const c_char,
    /// The other link, attached object or object of the scene.
    pub b: *const c_char,
    /// Which of these `b` is.
    pub against: clearance_against,
}

/// How near the robot comes to anything along the straight motion between two configurations, within
/// `rel_err`, which is at least 1e-6. `found` is false, and nothing else is written, where nothing is
/// checked.
///
/// # Safety
/// `checker` is a handle; `from` and `to` have `dof` numbers; `clearance` and `found` can be written.
/// Names belong to the checker and live until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_edge_clearance(
    checker: *mut clearance_checker,
    from: *const f64,
    to: *const f64,
    dof: usize,
    rel_err: f64,
    clearance: *mut clearance_edge_clearance,
    found: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, from, to, clearance, found) = unsafe {
            let outs = (out(clearance, "clearance")?, out(found, "found")?);
            (asked(checker)?, array(from, dof, "from")?, array(to, dof, "to")?, outs.0, outs.1)
        };
        let CheckerValue { checker, answer } = &mut *checker;
        answer.clear();
        let nearest = checker.edge_clearance(from, to, &MotionRequest::default(), rel_err)?;
        found.set(nearest.is_some());
        if let Some(EdgeClearance { lower, upper, t, a, b, against }) = nearest {
            let (a, b, against) = (answer.name(&a), answer.name(&b), against.into());
            clearance.set(clearance_edge_clearance { lower, upper, t, a, b, against });
        }
        Ok(())
    })
}

/// Waypoints as rows, and where what becomes of the motions between them goes.
///
/// # Safety
/// `waypoints` has `count·dof` numbers; `edges` has `count - 1` elements.
unsafe fn waypoints_of<'a>(
    waypoints: *const f64,
    count: usize,
    dof: usize,
    edges: *mut clearance_edge,
) -> Outcome<(Vec<&'a [f64]>, OutArray<'a, clearance_edge>)> {
    // SAFETY: as this function demands.
    let (numbers, edges) = unsafe {
        let numbers = array(waypoints, product(count, dof, "waypoints")?, "waypoints")?;
        (numbers, out_array(edges, count.saturating_sub(1), "edges")?)
    };
    if count < 2 {
        return Err(Failure::value("a motion has at least two waypoints"));
    }
    Ok((rows(numbers, count, dof)?, edges))
}

/// What becomes of the straight motions between `count` waypoints, which are rows of `dof` numbers, one
/// after the other. An error for less than two.
///
/// # Safety
/// `checker` is a handle; `waypoints` has `count·dof` numbers; `edges` has `count - 1` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_path(
    checker: *mut clearance_checker,
    waypoints: *const f64,
    count: usize,
    dof: usize,
    edges: *mut clearance_edge,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, (rows, edges)) = unsafe { (asked(checker)?, waypoints_of(waypoints, count, dof, edges)?) };
        let CheckerValue { checker, answer } = &mut *checker;
        answer.clear();
        let found = checker.path(&rows)?;
        edges.set_all(found.iter().map(|edge| clearance_edge::of(edge, answer)));
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
        let (mut checker, (rows, edges)) = unsafe { (asked(checker)?, waypoints_of(waypoints, count, dof, edges)?) };
        let CheckerValue { checker, answer } = &mut *checker;
        answer.clear();
        let found = checker.spline(&rows)?;
        edges.set_all(found.iter().map(|edge| clearance_edge::of(edge, answer)));
        Ok(())
    })
}

/// Rows of numbers; a robot without joints has as many empty ones.
pub(super) fn rows(numbers: &[f64], count: usize, dof: usize) -> Outcome<Vec<&[f64]>> {
    if dof == 0 {
        return Err(Failure::value("rows have at least one joint variable"));
    }
    let rows: Vec<&[f64]> = numbers.chunks_exact(dof).collect();
    debug_assert_eq!(rows.len(), count);
    Ok(rows)
}
