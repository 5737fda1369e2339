//! The exploration: the robot arrives, touches nothing of the true room, and knows when there is no
//! way.

use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::shape::Cuboid;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Mesh, Solid};
use clearance_robot::{CheckOptions, CollisionModel, Object, Scene};
use clearance_scene::FLOOR;
use clearance_scene::explore::{Body, ExploreOptions, Outcome, Recording, Room, Stop, explore};
use clearance_scene::planner::between;
use std::sync::Arc;

fn run(room: &Room, options: &ExploreOptions) -> Recording {
    explore(&Body::new().unwrap(), room, options, &mut |_| ()).unwrap()
}

/// Panics where a configuration that the robot took touches the room or itself.
fn assert_nothing_is_touched(room: &Room, recording: &Recording) {
    let robot = Arc::new(clearance_scene::humanoid().unwrap().robot);
    let allowed = vec![["platform".to_owned(), FLOOR.to_owned()]];
    let checker = CollisionModel::new(robot, &CheckOptions { allowed, ..CheckOptions::default() }).unwrap();
    let mut scene = Scene::default();
    for object in &room.objects {
        let mesh: Mesh = Mesh::new(object.mesh.clone()).unwrap();
        scene.insert(Object { name: object.name.clone(), geometry: Arc::new(mesh), pose: object.pose }).unwrap();
    }
    let (mut placement, mut workspace) = (checker.placement().unwrap(), Workspace::default());
    let mut assert_free = |configuration: &[f64]| {
        checker.place(&mut placement, &Pose::IDENTITY, configuration).unwrap();
        let hit = checker.scene_collision(&placement, &scene, &mut workspace, None).unwrap();
        let hit = hit.map(|(link, object)| (checker.name(link).to_owned(), scene.name(object).to_owned()));
        assert_eq!(hit, None, "{configuration:?}");
        assert_eq!(checker.self_collision(&placement, &mut workspace, None).unwrap(), None, "{configuration:?}");
    };
    for iteration in &recording.iterations {
        iteration.postures.iter().for_each(|posture| assert_free(posture));
        for pair in iteration.walked.windows(2) {
            (0..=50).for_each(|step| assert_free(&between(&pair[0], &pair[1], f64::from(step) / 50.0)));
        }
    }
}

/// Panics where a cell that counts as an obstacle is farther than a cell from everything in the
/// room.
fn assert_obstacles_are_real(room: &Room, recording: &Recording) {
    let (dispatcher, edge) = (Dispatcher::standard(), recording.resolution);
    let meshes: Vec<Mesh> = room.objects.iter().map(|object| Mesh::new(object.mesh.clone()).unwrap()).collect();
    let cube = Solid::new(Cuboid::from_half_extents(DVec3::splat(0.5 * edge)).unwrap());
    for iteration in &recording.iterations {
        assert!(iteration.obstacles.len() > 100);
        for cell in &iteration.obstacles {
            let middle = DVec3::from_array(recording.origin) + (DVec3::from_array(cell.map(f64::from)) + 0.5) * edge;
            let at = Pose::from_translation(middle).unwrap();
            let near = |mesh: &Mesh| {
                dispatcher.plan(mesh, &cube).unwrap().within(&at, edge, &mut Workspace::default()).unwrap().0
            };
            assert!(meshes.iter().any(near), "nothing is near to {cell:?}");
        }
    }
}

/// Panics where the parts of a recording do not fit together.
fn assert_consistent(recording: &Recording) {
    let cells = recording.iterations.iter().map(|iteration| iteration.counts).collect::<Vec<_>>();
    let all = |edge: f64| {
        let cells = |length: f64| (length / edge - 1e-9).ceil();
        (cells(6.0).powi(2) * cells(1.0)) as u64
    };
    for (iteration, counts) in recording.iterations.iter().zip(&cells) {
        assert_eq!(counts.obstacle + counts.unknown + counts.free, all(recording.resolution));
        assert_eq!(iteration.obstacles.len() as u64, counts.obstacle);
        assert_eq!(iteration.unknown.len() as u64, counts.unknown);
        assert!(iteration.images >= 21);
    }
    let mut stands = recording.start.clone();
    for iteration in &recording.iterations {
        if let (Some(first), Some(last)) = (iteration.walked.first(), iteration.walked.last()) {
            assert_eq!(*first, stands);
            stands.clone_from(last);
        }
    }
    assert_eq!(stands == recording.goal, recording.outcome == Outcome::Reached);
}

#[test]
fn the_goal_is_reached_after_a_few_evaluations_and_nothing_is_touched_on_the_way() {
    let room = Room::with_passage().unwrap();
    let recording = run(&room, &ExploreOptions::default());
    assert_eq!(recording.outcome, Outcome::Reached);
    assert!((2..=5).contains(&recording.iterations.len()), "{}", recording.iterations.len());
    let (last, before) = recording.iterations.split_last().unwrap();
    assert_eq!(last.stop, Stop::Goal);
    assert!(before.iter().all(|iteration| iteration.stop == Stop::Unknown && iteration.walked_m > 0.1));
    assert_consistent(&recording);
    assert_nothing_is_touched(&room, &recording);
    assert_obstacles_are_real(&room, &recording);
}

#[test]
fn walls_are_seen_also_where_cells_do_not_divide_the_room() {
    let room = Room::with_passage().unwrap();
    let last = (6.0_f64 / 0.35).ceil() as i32 - 1;
    let mut seen = [false; 2];
    // Which walls come into view depends on the way that the planner takes.
    for seed in 0..6 {
        let recording = run(&room, &ExploreOptions { resolution: 0.35, seed, ..ExploreOptions::default() });
        assert_consistent(&recording);
        assert_nothing_is_touched(&room, &recording);
        let cells = || recording.iterations.iter().flat_map(|iteration| &iteration.obstacles);
        seen = [0, 1].map(|axis| seen[axis] || cells().any(|cell| cell[axis] == last));
    }
    assert_eq!(seen, [true; 2]);
}

#[test]
fn other_seeds_and_smaller_cells_get_there_too() {
    let room = Room::with_passage().unwrap();
    for (seed, resolution) in [(1, 0.2), (3, 0.1)] {
        let recording = run(&room, &ExploreOptions { seed, resolution, ..ExploreOptions::default() });
        assert_eq!(recording.outcome, Outcome::Reached, "seed {seed}");
        assert_consistent(&recording);
        assert_nothing_is_touched(&room, &recording);
    }
}

#[test]
fn a_wall_without_a_gap_is_reported_and_not_walked_along_for_ever() {
    let room = Room::divided().unwrap();
    let recording = run(&room, &ExploreOptions::default());
    assert_eq!(recording.outcome, Outcome::Unreachable);
    assert!(recording.iterations.len() <= 6);
    assert_consistent(&recording);
    assert_nothing_is_touched(&room, &recording);
}

#[test]
fn equal_seeds_give_equal_runs_and_a_recording_is_the_same_after_reading() {
    let room = Room::with_passage().unwrap();
    let untimed = || {
        let mut recording = run(&room, &ExploreOptions::default());
        for iteration in &mut recording.iterations {
            (iteration.look_ms, iteration.set_up_ms, iteration.plan_ms) = (0.0, 0.0, 0.0);
        }
        recording
    };
    let recording = untimed();
    assert_eq!(recording, untimed());
    let text = serde_json::to_string(&recording).unwrap();
    assert_eq!(serde_json::from_str::<Recording>(&text).unwrap(), recording);
}
