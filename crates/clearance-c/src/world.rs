//! Many bodies that move, with the pairs that are near each other.

use crate::border::{Failure, Outcome, clearance_status, entry, free, handle, lock, out, out_array, read, shared};
use crate::geometry::clearance_geometry;
use crate::pair::request;
use crate::types::{clearance_distance, clearance_distance_request, clearance_pose};
use clearance::engine::traversal::Workspace;
use clearance::engine::world::{BodyId, FinderOptions, Groups};
use clearance::{Dispatcher, World};
use std::collections::HashMap;

/// Bodies that move, with the pairs that are near each other (broad phase).
pub struct clearance_world {
    _private: (),
}

handle_kind!(clearance_world, WorldValue, b"world___", Exclusive);

/// A world; bodies are known to C by numbers that are given out once.
pub(crate) struct WorldValue {
    world: World,
    bodies: HashMap<u64, BodyId>,
    /// Also of removed bodies, until the step that ends their pairs.
    numbers: HashMap<BodyId, u64>,
    removed: Vec<BodyId>,
    next: u64,
    dispatcher: Dispatcher,
    workspace: Workspace,
}

impl WorldValue {
    fn body(&self, number: u64) -> Outcome<BodyId> {
        let unknown = || Failure::new(clearance_status::Name, format!("the world has no body {number}"));
        self.bodies.get(&number).copied().ok_or_else(unknown)
    }
}

/// Two bodies.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct clearance_body_pair {
    /// That with the lower number.
    pub a: u64,
    /// That with the higher number.
    pub b: u64,
}

/// A body near another one: the distance is between the bounds.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_neighbor {
    /// The number of the body.
    pub body: u64,
    /// At most the distance.
    pub lower: f64,
    /// At least the distance.
    pub upper: f64,
}

/// A world without bodies. Bodies whose boxes are within `margin` of each other on every axis are a
/// pair.
///
/// # Safety
/// `world` can be written. The caller frees `*world`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_new(margin: f64, world: *mut *mut clearance_world) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let place = unsafe { out(world, "world") }?;
        let world = World::new(FinderOptions { margin, ..FinderOptions::default() })?;
        place.set(handle(WorldValue {
            world,
            bodies: HashMap::new(),
            numbers: HashMap::new(),
            removed: Vec::new(),
            next: 0,
            dispatcher: Dispatcher::standard(),
            workspace: Workspace::default(),
        }));
        Ok(())
    })
}

/// Frees a world; NULL is nothing to free.
///
/// # Safety
/// `world` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_free(world: *mut clearance_world) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(world) }
}

/// Adds a body, and says its number, which no other body of the world ever has; it has no pairs before
/// the next step.
///
/// # Safety
/// `world` and `geometry` are handles; `pose` can be read; `body` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_add(
    world: *mut clearance_world,
    geometry: *const clearance_geometry,
    pose: *const clearance_pose,
    body: *mut u64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut world, shape, pose, body) =
            unsafe { (lock(world)?, shared(geometry)?, read(pose, "pose")?, out(body, "body")?) };
        let id = world.world.add(&shape.geometry, pose.get()?)?;
        let number = world.next;
        world.next += 1;
        world.bodies.insert(number, id);
        world.numbers.insert(id, number);
        body.set(number);
        Ok(())
    })
}

/// Moves a body; pairs follow with the next step.
///
/// # Safety
/// `world` is a handle; `pose` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_move(
    world: *mut clearance_world,
    body: u64,
    pose: *const clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut world, pose) = unsafe { (lock(world)?, read(pose, "pose")?) };
        let id = world.body(body)?;
        Ok(world.world.set_pose(id, &pose.get()?)?)
    })
}

/// The pose of a body.
///
/// # Safety
/// `world` is a handle; `pose` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_pose(
    world: *mut clearance_world,
    body: u64,
    pose: *mut clearance_pose,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (world, pose) = unsafe { (lock(world)?, out(pose, "pose")?) };
        pose.set(clearance_pose::of(&world.world.pose(world.body(body)?)?));
        Ok(())
    })
}

/// Removes a body; its pairs end with the next step.
///
/// # Safety
/// `world` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_remove(world: *mut clearance_world, body: u64) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let mut world = unsafe { lock(world) }?;
        let id = world.body(body)?;
        world.world.remove(id)?;
        world.bodies.remove(&body);
        world.removed.push(id);
        Ok(())
    })
}

/// Lets two bodies touch, or not any more.
///
/// # Safety
/// `world` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_exclude(
    world: *mut clearance_world,
    a: u64,
    b: u64,
    excluded: bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let mut world = unsafe { lock(world) }?;
        let (a, b) = (world.body(a)?, world.body(b)?);
        Ok(world.world.exclude(a, b, excluded)?)
    })
}

/// Says which groups a body belongs to and which it meets, a bit for each: two bodies are a pair only
/// if each meets a group of the other. At first a body is in the first group and meets all.
///
/// # Safety
/// `world` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_set_groups(
    world: *mut clearance_world,
    body: u64,
    member: u32,
    meets: u32,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let mut world = unsafe { lock(world) }?;
        let id = world.body(body)?;
        Ok(world.world.set_groups(id, Groups { member, meets })?)
    })
}

/// Updates the pairs.
///
/// # Safety
/// `world` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_step(world: *mut clearance_world) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let mut world = unsafe { lock(world) }?;
        let WorldValue { world, numbers, removed, .. } = &mut *world;
        // Their pairs are listed as ended until now.
        let gone = std::mem::take(removed);
        world.step();
        let ended = world.finder().ended();
        for body in gone {
            if ended.iter().flatten().any(|other| *other == body) {
                removed.push(body);
            } else {
                numbers.remove(&body);
            }
        }
        Ok(())
    })
}

/// Which pairs of the last step `clearance_world_pairs` lists.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_pairs {
    /// All whose boxes overlap.
    All = 0,
    /// Those that are new.
    Began = 1,
    /// Those that ended.
    Ended = 2,
}

/// The pairs of the last step, in ascending order; `which` is one of `clearance_pairs`. `capacity` of
/// them are written, and `count` is how many there are.
///
/// # Safety
/// `world` is a handle; `pairs` has `capacity` elements; `count` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_pairs(
    world: *mut clearance_world,
    which: i32,
    pairs: *mut clearance_body_pair,
    capacity: usize,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (world, pairs, count) =
            unsafe { (lock(world)?, out_array(pairs, capacity, "pairs")?, out(count, "count")?) };
        let finder = world.world.finder();
        let listed: Vec<[BodyId; 2]> = match which {
            _ if which == clearance_pairs::All as i32 => finder.pairs().collect(),
            _ if which == clearance_pairs::Began as i32 => finder.began().collect(),
            _ if which == clearance_pairs::Ended as i32 => finder.ended().to_vec(),
            _ => return Err(Failure::value(format!("which is {which}; expected one of clearance_pairs"))),
        };
        let number = |id: &BodyId| world.numbers.get(id).copied().unwrap_or(u64::MAX);
        let numbered = |[a, b]: &[BodyId; 2]| {
            let (a, b) = (number(a), number(b));
            clearance_body_pair { a: a.min(b), b: a.max(b) }
        };
        let mut found: Vec<_> = listed.iter().map(numbered).collect();
        found.sort_unstable();
        count.set(found.len());
        pairs.set_all(found);
        Ok(())
    })
}

/// The certified distance of two bodies; its points are in the first one's frame.
///
/// # Safety
/// `world` is a handle; `request` can be read, or is NULL for the exact distance; `distance` can be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_distance(
    world: *mut clearance_world,
    a: u64,
    b: u64,
    request: *const clearance_distance_request,
    distance: *mut clearance_distance,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut world, request, distance) =
            unsafe { (lock(world)?, self::request(request)?, out(distance, "distance")?) };
        let bodies = [world.body(a)?, world.body(b)?];
        let WorldValue { world, dispatcher, workspace, .. } = &mut *world;
        distance.set((&world.distance(dispatcher, bodies, &request, workspace, None)?).into());
        Ok(())
    })
}

/// The nearest bodies that may touch a body, up to `max_distance`, nearest first: at most `capacity`,
/// and `count` is how many. Call `clearance_world_step` after the last change.
///
/// # Safety
/// `world` is a handle; `neighbors` has `capacity` elements; `count` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_world_nearest(
    world: *mut clearance_world,
    body: u64,
    max_distance: f64,
    neighbors: *mut clearance_neighbor,
    capacity: usize,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut world, neighbors, count) =
            unsafe { (lock(world)?, out_array(neighbors, capacity, "neighbors")?, out(count, "count")?) };
        let id = world.body(body)?;
        let WorldValue { world, numbers, dispatcher, workspace, .. } = &mut *world;
        let found = world.nearest(dispatcher, id, capacity, max_distance, workspace)?;
        count.set(found.len());
        neighbors.set_all(found.iter().map(|near| clearance_neighbor {
            body: numbers.get(&near.body).copied().unwrap_or(u64::MAX),
            lower: near.lower,
            upper: near.upper,
        }));
        Ok(())
    })
}
