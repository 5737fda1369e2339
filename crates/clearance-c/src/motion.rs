//! How bodies move, for the time of impact.

use crate::border::{Failure, array, clearance_status, entry, free, handle, maybe_out, out, read, shared, vector};
use crate::geometry::points;
use crate::types::{clearance_pose, poses};
use clearance::Motion;

/// How a body moves, from time 0 to its duration. It never changes, so that threads share it.
pub struct clearance_motion {
    _private: (),
}

handle_kind!(clearance_motion, Motion, b"motion__", Shared);

/// Frees a motion; NULL is nothing to free.
///
/// # Safety
/// `motion` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_free(motion: *mut clearance_motion) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(motion) }
}

/// A body at rest.
///
/// # Safety
/// `pose` can be read, `motion` can be written. The caller frees `*motion`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_still(
    pose: *const clearance_pose,
    motion: *mut *mut clearance_motion,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (pose, motion) = unsafe { (read(pose, "pose")?, out(motion, "motion")?) };
        motion.set(handle(Motion::still(&pose.get()?)));
        Ok(())
    })
}

/// Interpolates two poses: the origin along a straight line, the rotation at a constant rate.
///
/// # Safety
/// `start` and `end` can be read, `motion` can be written. The caller frees `*motion`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_between(
    start: *const clearance_pose,
    end: *const clearance_pose,
    duration: f64,
    motion: *mut *mut clearance_motion,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (start, end, motion) = unsafe { (read(start, "start")?, read(end, "end")?, out(motion, "motion")?) };
        motion.set(handle(Motion::between(&start.get()?, &end.get()?, duration)?));
        Ok(())
    })
}

/// A steady motion: the point `center` of the body, in its coordinates, moves along a straight line,
/// and the body rotates about it. Velocities are in the world.
///
/// # Safety
/// `start` can be read, the vectors have 3 numbers, `motion` can be written. The caller frees
/// `*motion`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_moving(
    start: *const clearance_pose,
    center: *const f64,
    linear: *const f64,
    angular: *const f64,
    duration: f64,
    motion: *mut *mut clearance_motion,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (start, [center, linear, angular], motion) = unsafe {
            let vectors = [vector(center, "center")?, vector(linear, "linear")?, vector(angular, "angular")?];
            (read(start, "start")?, vectors, out(motion, "motion")?)
        };
        let made = Motion::moving(&start.get()?, center.into(), linear.into(), angular.into(), duration)?;
        motion.set(handle(made));
        Ok(())
    })
}

/// A screw motion: the body rotates with `angular` about the axis along it through `point` of the
/// world, and slides along it with the speed `sliding`.
///
/// # Safety
/// `start` can be read, the vectors have 3 numbers, `motion` can be written. The caller frees
/// `*motion`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_screw(
    start: *const clearance_pose,
    point: *const f64,
    angular: *const f64,
    sliding: f64,
    duration: f64,
    motion: *mut *mut clearance_motion,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (start, [point, angular], motion) = unsafe {
            (read(start, "start")?, [vector(point, "point")?, vector(angular, "angular")?], out(motion, "motion")?)
        };
        motion.set(handle(Motion::screw(&start.get()?, point.into(), angular.into(), sliding, duration)?));
        Ok(())
    })
}

/// A thrown body: its point `center` has a velocity at the start and a constant acceleration, and the
/// body rotates about it.
///
/// # Safety
/// `start` can be read, the vectors have 3 numbers, `motion` can be written. The caller frees
/// `*motion`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_thrown(
    start: *const clearance_pose,
    center: *const f64,
    velocity: *const f64,
    acceleration: *const f64,
    angular: *const f64,
    duration: f64,
    motion: *mut *mut clearance_motion,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (start, [center, angular], rates, motion) = unsafe {
            let turn = [vector(center, "center")?, vector(angular, "angular")?];
            let rates = [vector(velocity, "velocity")?, vector(acceleration, "acceleration")?];
            (read(start, "start")?, turn, rates, out(motion, "motion")?)
        };
        let made = Motion::thrown(&start.get()?, center.into(), rates.map(Into::into), angular.into(), duration)?;
        motion.set(handle(made));
        Ok(())
    })
}

/// A polynomial motion: the point `center` of the body moves by the sum of `coefficients[k]·tᵏ⁺¹` from
/// its start, and the body rotates about it.
///
/// # Safety
/// `start` can be read, `center` and `angular` have 3 numbers, `coefficients` has `3·count`; `motion`
/// can be written. The caller frees `*motion`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_polynomial(
    start: *const clearance_pose,
    center: *const f64,
    coefficients: *const f64,
    count: usize,
    angular: *const f64,
    duration: f64,
    motion: *mut *mut clearance_motion,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (start, [center, angular], coefficients, motion) = unsafe {
            let turn = [vector(center, "center")?, vector(angular, "angular")?];
            let coefficients = points(coefficients, count, "coefficients")?;
            (read(start, "start")?, turn, coefficients, out(motion, "motion")?)
        };
        let made = Motion::polynomial(&start.get()?, center.into(), &coefficients, angular.into(), duration)?;
        motion.set(handle(made));
        Ok(())
    })
}

/// One motion, and then another one that starts where it ends.
///
/// # Safety
/// `first` and `second` are handles; `motion` can be written. The caller frees `*motion`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_then(
    first: *const clearance_motion,
    second: *const clearance_motion,
    motion: *mut *mut clearance_motion,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (first, second, motion) = unsafe { (shared(first)?, shared(second)?, out(motion, "motion")?) };
        motion.set(handle(first.clone().then(second.clone())?));
        Ok(())
    })
}

/// Interpolates poses at ascending times, the first of which is 0.
///
/// # Safety
/// `times` and `poses` have `count` elements, `motion` can be written. The caller frees `*motion`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_through(
    times: *const f64,
    poses: *const clearance_pose,
    count: usize,
    motion: *mut *mut clearance_motion,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (times, places, motion) =
            unsafe { (array(times, count, "times")?, array(poses, count, "poses")?, out(motion, "motion")?) };
        let waypoints: Vec<_> = times.iter().copied().zip(self::poses(places, "poses")?).collect();
        motion.set(handle(Motion::through(&waypoints)?));
        Ok(())
    })
}

/// The pose of a motion at a time, and the time at which it ends.
///
/// # Safety
/// `motion` is a handle; `pose` and `duration` can be written, or are NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_motion_at(
    motion: *const clearance_motion,
    t: f64,
    pose: *mut clearance_pose,
    duration: *mut f64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (motion, pose, duration) =
            unsafe { (shared(motion)?, maybe_out(pose, "pose")?, maybe_out(duration, "duration")?) };
        if !t.is_finite() {
            return Err(Failure::value(format!("t is {t}; expected a time")));
        }
        pose.into_iter().for_each(|out| out.set(clearance_pose::of(&motion.pose(t))));
        duration.into_iter().for_each(|out| out.set(motion.duration()));
        Ok(())
    })
}
