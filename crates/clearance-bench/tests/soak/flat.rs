//! A million changes to each long-lived object: as much memory and time at the end as at the start.

use super::{DISPATCHER, Random, arm, at, checker, geometries, pose, vector};
use clearance_bench::thread_time;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::voxel_map::{Cell, Cells, SensorModel, VoxelMap};
use clearance_engine::world::{BodyId, FinderOptions, Groups, World};
use clearance_robot::{Object, Scene, WarmStarts};
use std::time::Duration;

/// Runs `changes` changes in twenty parts after one to warm up. None may leave more than `slack`
/// bytes allocated, and the last five may not take more than twice the time of the first five, by
/// medians.
fn stays_flat(name: &str, changes: usize, slack: i64, mut change: impl FnMut(usize)) {
    const PARTS: usize = 20;
    let part = changes / PARTS;
    let mut numbers = 0..;
    let mut run = |count: usize| {
        let start = thread_time();
        let counted = allocation_counter::measure(|| numbers.by_ref().take(count).for_each(&mut change));
        (counted.bytes_current, thread_time() - start)
    };
    run(part);
    let parts: Vec<(i64, Duration)> = (0..PARTS).map(|_| run(part)).collect();
    let grown: i64 = parts.iter().map(|part| part.0).sum();
    let median = |parts: &[(i64, Duration)]| {
        let mut times: Vec<Duration> = parts.iter().map(|part| part.1).collect();
        times.sort_unstable();
        times[times.len() / 2]
    };
    let (first, last) = (median(&parts[..5]), median(&parts[PARTS - 5..]));
    eprintln!("{name}: {changes} changes, {grown} bytes more, {first:?} a part first, {last:?} last");
    assert!(grown <= slack, "{name} grew by {grown} bytes in {changes} changes");
    assert!(last < first * 2 + Duration::from_millis(5), "{name}: {first:?} a part first, {last:?} last");
}

#[test]
fn a_scene_with_a_conveyor_stays_flat() {
    let (robot, kinds) = (arm(), geometries());
    let checker = checker(&robot, None);
    let (placement, mut workspace, mut caches) =
        (checker.placement().unwrap(), Workspace::default(), WarmStarts::default());
    let (mut scene, mut random) = (Scene::default(), Random(2));
    let mut on_belt = std::collections::VecDeque::new();
    stays_flat("scene", 1_000_000, 1 << 16, |i| match i % 4 {
        0 => {
            let (name, geometry) = (format!("parcel {i}"), kinds[random.below(kinds.len())].clone());
            scene.insert(Object { name: name.clone(), geometry, pose: at(-5.0, 0.3, 0.1) }).unwrap();
            on_belt.push_back((name, -5.0));
            if on_belt.len() > 40 {
                let (name, _) = on_belt.pop_front().unwrap();
                scene.remove(&name).unwrap();
            }
        }
        1 | 2 => {
            let which = random.below(on_belt.len());
            let (name, x) = &mut on_belt[which];
            *x += 0.25;
            scene.set_pose(name, at(*x, 0.3, 0.1)).unwrap();
        }
        _ if i % 40 == 3 => {
            let hit = checker.scene_collision(&placement, &scene, &mut workspace, Some(&mut caches.scene)).unwrap();
            assert!(hit.is_none_or(|(_, object)| scene.name(object).is_ok()));
            assert_eq!(scene.names().count(), on_belt.len());
        }
        _ => {}
    });
}

/// What a scene held is dropped with it, and when it is removed.
#[test]
fn removed_and_dropped_objects_leave_no_geometry_alive() {
    let (kinds, mut scene) = (geometries(), Scene::default());
    let add = |scene: &mut Scene, name: &str| {
        scene.insert(Object { name: name.into(), geometry: kinds[3].clone(), pose: at(0.0, 0.0, 0.0) }).unwrap();
    };
    let alive = || std::sync::Arc::strong_count(&kinds[3]) - 1;
    add(&mut scene, "one");
    add(&mut scene, "two");
    assert_eq!(alive(), 2);
    drop(scene.remove("one").unwrap());
    assert_eq!(alive(), 1);
    let copy = scene.clone();
    drop(scene);
    assert_eq!(alive(), 1);
    drop(copy);
    assert_eq!(alive(), 0);
    let mut world = World::new(FinderOptions::default()).unwrap();
    let body = world.insert(kinds[3].clone(), at(0.0, 0.0, 0.0), Groups::default()).unwrap();
    assert_eq!(alive(), 1);
    world.remove(body).unwrap();
    assert_eq!(alive(), 0);
}

#[test]
fn a_world_stays_flat() {
    let kinds = geometries();
    let (mut world, mut random) = (World::new(FinderOptions::default()).unwrap(), Random(3));
    let mut bodies: Vec<BodyId> = Vec::new();
    let (mut workspace, mut warm_start) = (Workspace::default(), WarmStart::default());
    stays_flat("world", 1_000_000, 1 << 16, |i| {
        match i % 5 {
            0 => {
                let geometry = kinds[random.below(kinds.len())].clone();
                bodies.push(world.insert(geometry, pose(&mut random, 2.0), Groups::default()).unwrap());
            }
            1 if bodies.len() > 60 => world.remove(bodies.swap_remove(random.below(bodies.len()))).unwrap(),
            _ => world.set_pose(bodies[random.below(bodies.len())], &pose(&mut random, 2.0)).unwrap(),
        }
        if i % 25 == 24 {
            world.step();
            if let Some(pair) = world.finder().pairs().next() {
                let request = DistanceRequest::default();
                world.distance(&DISPATCHER, pair, &request, &mut workspace, Some(&mut warm_start)).unwrap();
            }
        }
    });
}

#[test]
fn a_voxel_map_stays_flat() {
    let (mut map, mut random) = (VoxelMap::new(0.05).unwrap(), Random(4));
    let kinds = geometries();
    let (mut workspace, sensor) = (Workspace::default(), SensorModel::default());
    let mut last = map.snapshot();
    stays_flat("voxel map", 1_000_000, 1 << 20, |i| {
        let cell = IVec3::from([0, 1, 2].map(|_| random.below(40) as i32 - 20));
        match i % 10 {
            0..=3 => map.set(cell, Cell::Obstacle).unwrap(),
            4..=6 => map.remove(cell).unwrap(),
            7 => map.fill(cell, cell + 3, if random.below(2) == 0 { Cell::Free } else { Cell::Unknown }).unwrap(),
            8 if i % 100 == 8 => {
                let points: Vec<DVec3> = (0..4).map(|_| vector(&mut random, 0.9)).collect();
                map.insert_rays(DVec3::ZERO, &points, &sensor).unwrap();
            }
            9 if i % 500 == 9 => {
                last = map.snapshot();
                if let Ok(cells) = last.geometry(Cells::OBSTACLE) {
                    let plan = DISPATCHER.plan(&cells, &*kinds[i / 500 % kinds.len()]).unwrap();
                    plan.collide(&pose(&mut random, 1.0), &mut workspace, None);
                }
            }
            _ => {}
        }
        if i % 20_000 == 19_999 {
            map.clear();
        }
    });
    assert!(last.check().is_ok());
}

#[test]
fn caches_and_scratch_memory_stay_flat() {
    let (kinds, mut random) = (geometries(), Random(5));
    let (mut workspace, mut warm_start) = (Workspace::default(), WarmStart::default());
    stays_flat("caches", 400_000, 1 << 16, |_| {
        let [a, b] = [random.below(kinds.len()), random.below(kinds.len())];
        let plan = DISPATCHER.plan(&*kinds[a], &*kinds[b]).unwrap();
        let place = pose(&mut random, 0.4);
        plan.collide(&place, &mut workspace, Some(&mut warm_start));
        plan.distance(&place, &DistanceRequest::default(), &mut workspace, Some(&mut warm_start)).unwrap();
    });
}

#[test]
fn attaching_and_detaching_stays_flat() {
    let (robot, kinds, mut random) = (arm(), geometries(), Random(6));
    let (mut workspace, mut caches) = (Workspace::default(), WarmStarts::default());
    stays_flat("attach", 20_000, 1 << 16, |_| {
        let held = (random.below(3) > 0).then(|| &kinds[random.below(5)]);
        let checker = checker(&robot, held);
        let mut placement = checker.placement().unwrap();
        let q = [0, 1, 2].map(|_| random.between(-2.5, 2.5));
        checker.place(&mut placement, &at(0.0, 0.0, 0.0), &q).unwrap();
        checker.self_collision(&placement, &mut workspace, Some(&mut caches.own)).unwrap();
    });
}
