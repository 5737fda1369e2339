//! A robot in its scene: collisions, distances, near pairs, motions.

mod batches;
mod motions;
mod proofs;
mod robots;
mod setup;

use crate::border::{
    Exclusive, Failure, Lock, Outcome, array, clearance_status, entry, lock, maybe_out, out, out_array, read, text_of,
};
use crate::pair::request;
use crate::types::{
    clearance_against, clearance_distance_request, clearance_end, clearance_pose, clearance_ray, clearance_ray_hit,
    clearance_truth,
};
use clearance::robot::Placed;
use clearance::{Checker, Hit, NearPair, RobotDistance};
use std::ffi::{CString, c_char};

/// A robot in its scene, with the scratch memory and the warm starts of one thread: clone one for each.
///
/// A configuration is `dof` numbers in the order of `clearance_robot_joint_name`. Where it is NULL,
/// `dof` must be 0, and the question is about the robot where it was placed last: by another question
/// that takes NULL too, or by `clearance_checker_place_links`. Batches, edges, splines and
/// `clearance_checker_is_free` place nothing.
pub struct clearance_checker {
    _private: (),
}

handle_kind!(clearance_checker, CheckerValue, b"checker_", Exclusive);

/// A checker, and its last answer as C reads it.
pub(crate) struct CheckerValue {
    pub(crate) checker: Checker,
    answer: Answer,
}

/// What lives until the next call.
#[derive(Default)]
struct Answer {
    names: Vec<CString>,
    numbers: Vec<Vec<f64>>,
    hits: Vec<clearance_hit>,
    near: Vec<clearance_near_pair>,
}

impl Answer {
    fn clear(&mut self) {
        self.names.clear();
        self.numbers.clear();
        self.hits.clear();
        self.near.clear();
    }

    /// Keeps a name; it is on the heap, and stays where it is while the list grows.
    fn name(&mut self, name: &str) -> *const c_char {
        self.names.push(text_of(name));
        self.names.last().map_or(std::ptr::null(), |name| name.as_ptr())
    }

    /// Keeps numbers, likewise.
    fn numbers(&mut self, numbers: Vec<f64>) -> (*const f64, usize) {
        self.numbers.push(numbers);
        self.numbers.last().map_or((std::ptr::null(), 0), |numbers| (numbers.as_ptr(), numbers.len()))
    }

    fn hit(&mut self, hit: &Hit) -> clearance_hit {
        clearance_hit { a: self.name(&hit.a), b: self.name(&hit.b), against: hit.against.into() }
    }
}

impl CheckerValue {
    fn new(checker: Checker) -> Self {
        Self { checker, answer: Answer::default() }
    }

    /// The robot in a configuration, or where it is, and the memory of the answer.
    fn at(&mut self, configuration: Option<&[f64]>) -> Outcome<(Placed<'_>, &mut Answer)> {
        self.answer.clear();
        let placed = match configuration {
            Some(configuration) => self.checker.at(configuration)?,
            None => self.checker.placed_last(),
        };
        Ok((placed, &mut self.answer))
    }
}

/// A flag for what questions are about: the robot against itself.
pub const CLEARANCE_SELF: u32 = 1;
/// A flag for what questions are about: the robot against the scene.
pub const CLEARANCE_SCENE: u32 = 2;
/// What most questions are about: the robot against itself and the scene.
pub const CLEARANCE_ALL: u32 = 3;

/// What a question is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    Own,
    Scene,
    All,
}

fn which(flags: u32) -> Outcome<Which> {
    match flags {
        CLEARANCE_SELF => Ok(Which::Own),
        CLEARANCE_SCENE => Ok(Which::Scene),
        CLEARANCE_ALL => Ok(Which::All),
        _ => Err(Failure::value(format!("which is {flags}; expected CLEARANCE_SELF, _SCENE or _ALL"))),
    }
}

/// The configuration of a question; none where the pointer is NULL.
///
/// # Safety
/// NULL, or `dof` readable numbers.
#[inline(always)]
unsafe fn configuration<'a>(pointer: *const f64, dof: usize) -> Outcome<Option<&'a [f64]>> {
    if pointer.is_null() && dof == 0 {
        return Ok(None);
    }
    // SAFETY: as this function demands.
    unsafe { array(pointer, dof, "configuration") }.map(Some)
}

/// A checker that a question is put to.
///
/// # Safety
/// As [`lock`].
#[inline(always)]
unsafe fn asked<'a>(checker: *mut clearance_checker) -> Outcome<Lock<'a, CheckerValue>>
where
    clearance_checker: Exclusive,
{
    // SAFETY: as this function demands.
    unsafe { lock(checker) }
}

/// Two things that touch, by their names, which belong to the checker and live until its next call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_hit {
    /// The link of the robot, or the object that it carries.
    pub a: *const c_char,
    /// The other link, attached object or object of the scene.
    pub b: *const c_char,
    /// Which of these `b` is.
    pub against: clearance_against,
}

/// The distance of the nearest two things. Names and gradients belong to the checker and live until
/// its next call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_robot_distance {
    /// At most the distance, paddings and margins taken off.
    pub lower: f64,
    /// At least the distance.
    pub upper: f64,
    /// The link of the robot, or the object that it carries.
    pub a: *const c_char,
    /// The other link, attached object or object of the scene.
    pub b: *const c_char,
    /// Which of these `b` is.
    pub against: clearance_against,
    /// Why the search ended.
    pub end: clearance_end,
    /// On `a`, in the world.
    pub point_a: [f64; 3],
    /// On `b`, in the world.
    pub point_b: [f64; 3],
    /// Of unit length, from `a` to `b`.
    pub normal: [f64; 3],
    /// The derivative of the distance by each joint variable.
    pub gradient: *const f64,
    /// How many numbers it has; 0 where the links were placed one by one.
    pub gradient_count: usize,
    /// The same by the variables of the other robot.
    pub gradient_b: *const f64,
    /// How many numbers it has; 0 where there is no other robot.
    pub gradient_b_count: usize,
}

impl clearance_robot_distance {
    fn of(found: RobotDistance, answer: &mut Answer) -> Self {
        let (gradient, gradient_count) = answer.numbers(found.gradient);
        let (gradient_b, gradient_b_count) = answer.numbers(found.gradient_b);
        Self {
            lower: found.lower,
            upper: found.upper,
            a: answer.name(&found.a),
            b: answer.name(&found.b),
            against: found.against.into(),
            end: found.status.into(),
            point_a: found.point_a.to_array(),
            point_b: found.point_b.to_array(),
            normal: found.normal.to_array(),
            gradient,
            gradient_count,
            gradient_b,
            gradient_b_count,
        }
    }
}

/// Two things that are near to each other or overlap, with their signed distance. Names and gradients
/// belong to the checker and live until its next call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_near_pair {
    /// The link of the robot, or the object that it carries.
    pub a: *const c_char,
    /// The other link, attached object or object of the scene.
    pub b: *const c_char,
    /// Which of these `b` is.
    pub against: clearance_against,
    /// Why the search ended.
    pub end: clearance_end,
    /// Negative by the depth where they overlap; paddings and margins are taken off.
    pub signed_distance: f64,
    /// At most the signed distance.
    pub lower: f64,
    /// At least the signed distance.
    pub upper: f64,
    /// On `a`, in the world: nearest to `b`, or deepest in it.
    pub point_a: [f64; 3],
    /// On `b`, in the world.
    pub point_b: [f64; 3],
    /// Of unit length, from `a` to `b`: moved this way, `b` gets farther from `a`.
    pub normal: [f64; 3],
    /// The derivative of the signed distance by each joint variable.
    pub gradient: *const f64,
    /// How many numbers it has; 0 where the links were placed one by one.
    pub gradient_count: usize,
    /// The same by the variables of the other robot.
    pub gradient_b: *const f64,
    /// How many numbers it has; 0 where there is no other robot.
    pub gradient_b_count: usize,
    /// Whether the nearest points are the only ones, so that the gradient is a derivative.
    pub unique: clearance_truth,
}

impl clearance_near_pair {
    fn of(found: NearPair, answer: &mut Answer) -> Self {
        let (gradient, gradient_count) = answer.numbers(found.gradient);
        let (gradient_b, gradient_b_count) = answer.numbers(found.gradient_b);
        Self {
            a: answer.name(&found.a),
            b: answer.name(&found.b),
            against: found.against.into(),
            end: found.status.into(),
            signed_distance: found.signed,
            lower: found.lower,
            upper: found.upper,
            point_a: found.point_a.to_array(),
            point_b: found.point_b.to_array(),
            normal: found.normal.to_array(),
            gradient,
            gradient_count,
            gradient_b,
            gradient_b_count,
            unique: found.unique.into(),
        }
    }
}

/// Keeps near pairs, and says where they are.
fn keep_near(found: Vec<NearPair>, answer: &mut Answer) -> (*const clearance_near_pair, usize) {
    for pair in found {
        let pair = clearance_near_pair::of(pair, answer);
        answer.near.push(pair);
    }
    (answer.near.as_ptr(), answer.near.len())
}

/// Whether the robot touches itself or the scene.
///
/// # Safety
/// `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `colliding` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_collides(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    colliding: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, q, colliding) =
            unsafe { (asked(checker)?, self::configuration(configuration, dof)?, out(colliding, "colliding")?) };
        colliding.set(checker.at(q)?.0.collides()?);
        Ok(())
    })
}

/// Whether nothing touches: the opposite of `clearance_checker_collides`, and several times as fast
/// after `clearance_checker_prepare_for_planning`.
///
/// # Safety
/// `checker` is a handle; `configuration` has `dof` numbers; `is_free` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_is_free(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    is_free: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, q, is_free) =
            unsafe { (asked(checker)?, array(configuration, dof, "configuration")?, out(is_free, "is_free")?) };
        is_free.set(checker.checker.is_free(q)?);
        Ok(())
    })
}

/// Two things that touch, if there are any; `which` is a sum of `CLEARANCE_SELF` and
/// `CLEARANCE_SCENE`. Where `colliding` is false, `hit` is not written.
///
/// # Safety
/// `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `colliding` can be written;
/// `hit` can be written, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_collision(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    which: u32,
    colliding: *mut bool,
    hit: *mut clearance_hit,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, q, colliding, hit) = unsafe {
            let outs = (out(colliding, "colliding")?, maybe_out(hit, "hit")?);
            (asked(checker)?, self::configuration(configuration, dof)?, outs.0, outs.1)
        };
        let which = self::which(which)?;
        let (mut placed, answer) = checker.at(q)?;
        let found = match which {
            Which::Own => placed.self_collision(),
            Which::Scene => placed.scene_collision(),
            Which::All => placed.collision(),
        }?;
        colliding.set(found.is_some());
        if let (Some(hit), Some(found)) = (hit, found) {
            hit.set(answer.hit(&found));
        }
        Ok(())
    })
}

/// All pairs that touch; `which` is a sum of `CLEARANCE_SELF` and `CLEARANCE_SCENE`.
///
/// # Safety
/// `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `hits` and `count` can be
/// written. `*hits` belongs to the checker and lives until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_collisions(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    which: u32,
    hits: *mut *const clearance_hit,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, q, hits, count) = unsafe {
            let outs = (out(hits, "hits")?, out(count, "count")?);
            (asked(checker)?, self::configuration(configuration, dof)?, outs.0, outs.1)
        };
        let which = self::which(which)?;
        let (mut placed, answer) = checker.at(q)?;
        let found = match which {
            Which::Own => placed.self_collisions(),
            Which::Scene => placed.scene_collisions(),
            Which::All => placed.collisions(),
        }?;
        for hit in &found {
            let hit = answer.hit(hit);
            answer.hits.push(hit);
        }
        hits.set(answer.hits.as_ptr());
        count.set(answer.hits.len());
        Ok(())
    })
}

/// The distance of the nearest two things; `which` is a sum of `CLEARANCE_SELF` and
/// `CLEARANCE_SCENE`. `found` is false, and nothing else is written, where nothing is checked or near
/// enough for the request.
///
/// # Safety
/// `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `request` can be read, or is
/// NULL for the exact distance; `distance` and `found` can be written. Names and gradients belong to
/// the checker and live until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_distance(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    which: u32,
    request: *const clearance_distance_request,
    distance: *mut clearance_robot_distance,
    found: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, q, request, distance, found) = unsafe {
            let outs = (out(distance, "distance")?, out(found, "found")?);
            (asked(checker)?, self::configuration(configuration, dof)?, self::request(request)?, outs.0, outs.1)
        };
        let which = self::which(which)?;
        let (mut placed, answer) = checker.at(q)?;
        let nearest = match which {
            Which::Own => placed.self_distance(&request),
            Which::Scene => placed.scene_distance(&request),
            Which::All => placed.distance(&request),
        }?;
        found.set(nearest.is_some());
        nearest.into_iter().for_each(|nearest| distance.set(clearance_robot_distance::of(nearest, answer)));
        Ok(())
    })
}

/// All pairs nearer than `max_distance`, and those that overlap, with signed distances, points,
/// normals and gradients: rows for an optimiser, contacts with their depths for a planning framework.
/// `which` is a sum of `CLEARANCE_SELF` and `CLEARANCE_SCENE`.
///
/// # Safety
/// `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `pairs` and `count` can be
/// written. `*pairs`, with names and gradients, belongs to the checker and lives until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_near(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    which: u32,
    max_distance: f64,
    pairs: *mut *const clearance_near_pair,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, q, pairs, count) = unsafe {
            let outs = (out(pairs, "pairs")?, out(count, "count")?);
            (asked(checker)?, self::configuration(configuration, dof)?, outs.0, outs.1)
        };
        let which = self::which(which)?;
        let (mut placed, answer) = checker.at(q)?;
        let found = match which {
            Which::Own => placed.self_near(max_distance),
            Which::Scene => placed.scene_near(max_distance),
            Which::All => placed.near(max_distance),
        }?;
        let (first, length) = keep_near(found, answer);
        pairs.set(first);
        count.set(length);
        Ok(())
    })
}

/// Where a ray of the world first meets the robot or the scene, and the name of what it meets; `name`
/// is NULL where that is nothing.
///
/// # Safety
/// `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `ray` can be read; `hit` and
/// `name` can be written. `*name` belongs to the checker and lives until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_ray(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    ray: *const clearance_ray,
    hit: *mut clearance_ray_hit,
    name: *mut *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, q, ray, hit, name) = unsafe {
            let outs = (out(hit, "hit")?, out(name, "name")?);
            (asked(checker)?, self::configuration(configuration, dof)?, read(ray, "ray")?, outs.0, outs.1)
        };
        let (mut placed, answer) = checker.at(q)?;
        let (found, met) = placed.ray(&ray.get()?)?.map(|(name, hit)| (hit, name)).unzip();
        name.set(met.map_or(std::ptr::null(), |met: String| answer.name(&met)));
        hit.set(found.into());
        Ok(())
    })
}

/// Puts every link at a pose of its own in the world, in the order of `clearance_robot_link_name`: for
/// hosts that compute the kinematics themselves. Questions about a configuration of NULL are about the
/// robot as it is placed so; they have no gradients.
///
/// # Safety
/// `checker` is a handle; `world_from_links` has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_place_links(
    checker: *mut clearance_checker,
    world_from_links: *const clearance_pose,
    count: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, poses) = unsafe { (asked(checker)?, array(world_from_links, count, "world_from_links")?) };
        checker.answer.clear();
        checker.checker.place_links(&crate::types::poses(poses, "world_from_links")?)?;
        Ok(())
    })
}

/// The poses of all links in the world, in the order of `clearance_robot_link_name`.
///
/// # Safety
/// `checker` is a handle; `configuration` has `dof` numbers, or is NULL; `poses` has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_checker_link_poses(
    checker: *mut clearance_checker,
    configuration: *const f64,
    dof: usize,
    poses: *mut clearance_pose,
    count: usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut checker, q, poses) =
            unsafe { (asked(checker)?, self::configuration(configuration, dof)?, out_array(poses, count, "poses")?) };
        let (placed, _) = checker.at(q)?;
        let found = placed.link_poses();
        if found.len() != count {
            let message = format!("there is room for {count} poses; the robot has {} links", found.len());
            return Err(Failure::value(message));
        }
        poses.set_all(found.iter().map(clearance_pose::of));
        Ok(())
    })
}
