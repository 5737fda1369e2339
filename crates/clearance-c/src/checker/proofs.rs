//! What is proven for all configurations: pairs that never touch, reach; what a planner prepares.

use super::{asked, clearance_checker};
use crate::border::{clearance_status, entry, maybe_text, out, path, text, threads};
use crate::geometry::{clearance_geometry, geometry_handle};
use crate::robot::is_checked;
use clearance::robot::{GapOptions, PlanningOptions, Verdict};
use std::ffi::c_char;

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

/// Writes what `clearance_checker_prepare_for_planning` made to a file.
///
/// # Safety
/// `checker` is a handle, `file` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_save_planning(
    checker: *mut clearance_checker,
    file: *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, file) = unsafe { (asked(checker)?, path(file, "file")?) };
        Ok(checker.checker.save_planning(file)?)
    })
}

/// Makes the checker ready for a planner by what `clearance_checker_save_planning` wrote for the same
/// robot and options. Any other file is refused. Read only what trusted users wrote.
///
/// # Safety
/// `checker` is a handle, `file` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_load_planning(
    checker: *mut clearance_checker,
    file: *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, file) = unsafe { (asked(checker)?, path(file, "file")?) };
        Ok(checker.checker.load_planning(file, &PlanningOptions::default())?)
    })
}

/// What is known of two things over all configurations within the joint limits.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_touch {
    /// They never come closer than `gap`.
    Never = 0,
    /// They collide in some configuration.
    Sometimes = 1,
    /// They collided in every configuration that was tried.
    Always = 2,
    /// It is not known: nothing was proven, or the evaluations did not suffice.
    Undecided = 3,
    /// Nothing checks them: they are neighbours, or the pair is disabled.
    Unchecked = 4,
}

/// What is known of two things over all configurations within the joint limits.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_gap {
    /// Whether they can touch.
    pub touch: clearance_touch,
    /// Never: a proven bound of their distance, infinite where one has no geometry. Others: 0.
    pub gap: f64,
    /// Never, undecided: the smallest distance met; infinite if none was looked at. Others: 0.
    pub nearest: f64,
}

impl clearance_gap {
    fn of(verdict: &Verdict) -> Self {
        let (touch, gap, nearest) = match *verdict {
            Verdict::Never { gap, nearest } => (clearance_touch::Never, gap, nearest),
            Verdict::Sometimes { .. } => (clearance_touch::Sometimes, 0.0, 0.0),
            Verdict::Always { .. } => (clearance_touch::Always, 0.0, 0.0),
            Verdict::Undecided { nearest, .. } => (clearance_touch::Undecided, 0.0, nearest),
        };
        Self { touch, gap, nearest }
    }
}

/// What `clearance_checker_prove` found about two links. Where one of them is fixed to others it asks
/// about these two alone, within so many `evaluations`; 0 are the default.
///
/// # Safety
/// `checker` is a handle, `link_a` and `link_b` are texts; `gap` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_link_gap(
    checker: *mut clearance_checker,
    link_a: *const c_char,
    link_b: *const c_char,
    evaluations: usize,
    gap: *mut clearance_gap,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, a, b, gap) =
            unsafe { (asked(checker)?, text(link_a, "link_a")?, text(link_b, "link_b")?, out(gap, "gap")?) };
        let known = checker.checker.link_verdict(a, b, &effort(1, evaluations))?;
        gap.set(match known {
            Some(verdict) => clearance_gap::of(&verdict),
            None => {
                let robot = checker.checker.robot();
                let indices = robot.link_index(a).zip(robot.link_index(b));
                let checked = indices.is_some_and(|(a, b)| is_checked(robot, a, b))
                    && !checker.checker.options().disabled.contains(a, b);
                if checked {
                    clearance_gap { touch: clearance_touch::Undecided, gap: 0.0, nearest: f64::INFINITY }
                } else {
                    clearance_gap { touch: clearance_touch::Unchecked, gap: 0.0, nearest: 0.0 }
                }
            }
        });
        Ok(())
    })
}

/// Whether a link, or what it carries, can ever touch an object of the scene, within so many
/// `evaluations`; 0 are the default. Paddings and margins do not count.
///
/// # Safety
/// `checker` is a handle, `link` and `object` are texts; `gap` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_can_touch(
    checker: *mut clearance_checker,
    link: *const c_char,
    object: *const c_char,
    evaluations: usize,
    gap: *mut clearance_gap,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, link, object, gap) =
            unsafe { (asked(checker)?, text(link, "link")?, text(object, "object")?, out(gap, "gap")?) };
        gap.set(clearance_gap::of(&checker.checker.can_touch(link, object, &effort(1, evaluations))?));
        Ok(())
    })
}

/// Spheres, as one geometry in the world, that a link never leaves while all joints stay within their
/// limits; a `link` of NULL is the whole robot. An error where it has no end.
///
/// # Safety
/// `checker` is a handle, `link` is a text or NULL; `reach` can be written. The caller frees `*reach`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_reach(
    checker: *mut clearance_checker,
    link: *const c_char,
    reach: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (checker, link, reach) = unsafe { (asked(checker)?, maybe_text(link, "link")?, out(reach, "reach")?) };
        let found = match link {
            Some(link) => checker.checker.reach(link)?,
            None => checker.checker.robot_reach()?,
        };
        reach.set(geometry_handle(&found));
        Ok(())
    })
}
