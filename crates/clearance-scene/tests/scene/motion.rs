//! The recorded motion: within limits, smooth, free of collisions, and near enough to things to be
//! worth a check.

use crate::support::link_solids;
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_robot::Robot;
use clearance_scene::{FLOOR, humanoid, kitchen, motion};
use std::collections::HashSet;

/// A distance, between what, and at which configuration.
type Nearest = (f64, String, usize);

fn poses_along_the_motion(robot: &Robot) -> Vec<Vec<Pose>> {
    let poses = |configuration: &[f64; 23]| {
        let mut poses = Vec::new();
        robot.link_poses(&Pose::IDENTITY, configuration, &mut poses).unwrap();
        poses
    };
    motion().iter().map(poses).collect()
}

/// Looks no further than this.
fn request() -> DistanceRequest {
    DistanceRequest { max_d: 0.3, ..DistanceRequest::default() }
}

#[test]
fn every_configuration_lies_within_the_limits_and_no_step_is_large() {
    let (robot, motion) = (humanoid().unwrap().robot, motion());
    assert!((300..600).contains(&motion.len()), "{}", motion.len());
    for configuration in &motion {
        assert_eq!(robot.outside_limits(configuration).count(), 0, "{configuration:?}");
    }
    for (i, pair) in motion.windows(2).enumerate() {
        let step = pair[0].iter().zip(&pair[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(step < 0.1, "step {i} is {step}");
    }
}

#[test]
fn nothing_in_the_kitchen_is_touched_but_the_hands_come_within_centimetres() {
    let (robot, kitchen) = (humanoid().unwrap().robot, kitchen().unwrap());
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let links = link_solids(&robot);
    let path = poses_along_the_motion(&robot);
    let mut nearest: Vec<Nearest> = Vec::new();
    let mut to_floor = f64::INFINITY;
    for object in &kitchen {
        let mesh: Mesh = Mesh::new(object.mesh.clone()).unwrap().into_solid().unwrap();
        for (link, link_mesh) in &links {
            let plan = dispatcher.plan(&mesh, link_mesh).unwrap();
            for (i, poses) in path.iter().enumerate() {
                let object_from_link = object.pose.inverse().then(&poses[*link]);
                let distance = plan.distance(&object_from_link, &request(), &mut workspace, None).unwrap();
                let name = format!("{} – {}", robot.links()[*link].name(), object.name);
                assert!(distance.lower > 0.0, "{name} at {i}");
                if object.name == FLOOR {
                    to_floor = to_floor.min(distance.lower);
                } else if distance.upper < 0.05 {
                    nearest.push((distance.lower, name, i));
                }
            }
        }
    }
    // The nearest approach of each pair, nearest first.
    nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut seen = HashSet::new();
    nearest.retain(|near| seen.insert(near.1.clone()));
    let pairs: Vec<&str> = nearest.iter().map(|near| near.1.as_str()).collect();
    assert_eq!(pairs[..2], ["right_hand – counter cup 1", "left_hand – counter bowl"], "{nearest:?}");
    assert!(nearest[0].0 > 0.01 && nearest[1].0 < 0.015, "{nearest:?}");
    assert!(pairs.contains(&"left_hand – shelf 1") && pairs.contains(&"right_hand – worktop right"), "{nearest:?}");
    assert!(to_floor > 0.001 && to_floor < 0.01, "{to_floor}");
}

#[test]
fn no_link_touches_another() {
    let robot = humanoid().unwrap().robot;
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let links = link_solids(&robot);
    let path = poses_along_the_motion(&robot);
    let mut least: Nearest = (f64::INFINITY, String::new(), 0);
    for (k, (b, mesh_b)) in links.iter().enumerate() {
        for (a, mesh_a) in &links[..k] {
            let neighbours = robot.parent_link(*b) == Some(*a);
            let plan = dispatcher.plan(mesh_a, mesh_b).unwrap();
            let name = [*a, *b].map(|link| robot.links()[link].name()).join(" – ");
            for (i, poses) in path.iter().enumerate() {
                let a_from_b = poses[*a].inverse().then(&poses[*b]);
                let distance = plan.distance(&a_from_b, &request(), &mut workspace, None).unwrap();
                assert!(distance.lower > 0.0, "{name} at {i}");
                if !neighbours && distance.lower < least.0 {
                    least = (distance.lower, name.clone(), i);
                }
            }
        }
    }
    assert!(least.0 > 0.03, "{least:?}");
}
