//! This robot and another one.

use super::{
    Answer, CheckerValue, asked, clearance_checker, clearance_hit, clearance_near_pair, clearance_robot_distance,
    keep_near,
};
use crate::border::{Outcome, array, clearance_status, entry, maybe_out, out};
use clearance::Checker;

/// Asks about two robots, each in a configuration.
///
/// # Safety
/// The checkers are handles; the configurations have so many numbers.
unsafe fn two<T>(
    (checker, configuration, dof): (*mut clearance_checker, *const f64, usize),
    (other, other_configuration, other_dof): (*mut clearance_checker, *const f64, usize),
    ask: impl FnOnce(&mut Checker, &[f64], &Checker, &[f64]) -> clearance::robot::Result<T>,
    answer: impl FnOnce(T, &mut Answer),
) -> Outcome {
    // SAFETY: as this function demands. A checker that is asked about itself is in use already: an
    // error, and no second reference.
    let (mut checker, other, q, other_q) = unsafe {
        let configurations = (
            array(configuration, dof, "configuration")?,
            array(other_configuration, other_dof, "other_configuration")?,
        );
        (asked(checker)?, asked(other)?, configurations.0, configurations.1)
    };
    let CheckerValue { checker, answer: kept } = &mut *checker;
    kept.clear();
    answer(ask(checker, q, &other.checker, other_q)?, kept);
    Ok(())
}

/// A part of this robot and one of another that touch, if there are any; `hit` is written where
/// `colliding` is true.
///
/// # Safety
/// The checkers are handles of two checkers; the configurations have so many numbers; `colliding` can
/// be written; `hit` can be written, or is NULL. Names belong to the first checker and live until its
/// next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_robot_collision(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    other: *mut clearance_checker,
    other_configuration: *const f64,
    other_dof: usize,
    colliding: *mut bool,
    hit: *mut clearance_hit,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (colliding, hit) = unsafe { (out(colliding, "colliding")?, maybe_out(hit, "hit")?) };
        let (this, other) = ((checker, configuration, dof), (other, other_configuration, other_dof));
        // SAFETY: as this function demands.
        unsafe {
            two(this, other, Checker::robot_collision, |found, answer| {
                colliding.set(found.is_some());
                if let (Some(hit), Some(found)) = (hit, found) {
                    hit.set(answer.hit(&found));
                }
            })
        }
    })
}

/// The distance of the nearest parts of this robot and another; `found` is false where nothing is
/// checked.
///
/// # Safety
/// The checkers are handles of two checkers; the configurations have so many numbers; `distance` and
/// `found` can be written. Names and gradients belong to the first checker and live until its next
/// call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_robot_distance(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    other: *mut clearance_checker,
    other_configuration: *const f64,
    other_dof: usize,
    distance: *mut clearance_robot_distance,
    found: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (distance, found) = unsafe { (out(distance, "distance")?, out(found, "found")?) };
        let (this, other) = ((checker, configuration, dof), (other, other_configuration, other_dof));
        // SAFETY: as this function demands.
        unsafe {
            two(this, other, Checker::robot_distance, |nearest, answer| {
                found.set(nearest.is_some());
                nearest.into_iter().for_each(|nearest| distance.set(clearance_robot_distance::of(nearest, answer)));
            })
        }
    })
}

/// All pairs of this robot and another that are nearer than `max_distance` or overlap, with gradients
/// by the joints of both.
///
/// # Safety
/// The checkers are handles of two checkers; the configurations have so many numbers; `pairs` and
/// `count` can be written. `*pairs`, with names and gradients, belongs to the first checker and lives
/// until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_robot_near(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    other: *mut clearance_checker,
    other_configuration: *const f64,
    other_dof: usize,
    max_distance: f64,
    pairs: *mut *const clearance_near_pair,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (pairs, count) = unsafe { (out(pairs, "pairs")?, out(count, "count")?) };
        let (this, other) = ((checker, configuration, dof), (other, other_configuration, other_dof));
        let ask = |a: &mut Checker, q: &[f64], b: &Checker, p: &[f64]| a.robot_near(q, b, p, max_distance);
        // SAFETY: as this function demands.
        unsafe {
            two(this, other, ask, |found, answer| {
                let (first, length) = keep_near(found, answer);
                pairs.set(first);
                count.set(length);
            })
        }
    })
}
