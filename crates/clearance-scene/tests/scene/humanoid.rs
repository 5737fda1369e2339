//! The humanoid's numbers, and where its links are with respect to each other.

use crate::support::{link_meshes, link_solids};
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_scene::{SUBSYSTEMS, humanoid};

use crate::random::Random;

#[test]
fn it_has_23_joints_in_five_subsystems_and_16440_triangles() {
    let humanoid = humanoid().unwrap();
    let meshes = link_meshes(&humanoid.robot);
    assert_eq!(meshes.iter().map(|(_, mesh)| mesh.len()).sum::<usize>(), 16_440);
    assert_eq!(meshes.len(), 21);
    let named: Vec<&str> = SUBSYSTEMS.iter().flat_map(|(_, joints)| joints.iter().copied()).collect();
    assert_eq!(humanoid.robot.joints().len(), 23);
    // The order of a configuration, which the recorded motion relies on.
    let variables: Vec<&str> = humanoid.robot.variables().iter().map(|variable| variable.name.as_str()).collect();
    assert_eq!(variables, named);
}

#[test]
fn every_link_is_a_clean_solid_and_fully_coloured() {
    let humanoid = humanoid().unwrap();
    for (link, mesh) in link_meshes(&humanoid.robot) {
        let name = humanoid.robot.links()[link].name();
        crate::support::assert_clean_solid(&mesh, name);
        assert_eq!(humanoid.colors[link].len(), mesh.len(), "{name}");
    }
}

#[test]
fn neighbours_keep_their_3_mm_within_the_limits() {
    let robot = humanoid().unwrap().robot;
    let meshes = link_solids(&robot);
    let (dispatcher, mut workspace, mut poses) = (Dispatcher::standard(), Workspace::default(), Vec::new());
    let mut random = Random(7);
    for sample in 0..200 {
        // Vertices of the limits are where neighbours come nearest; every other sample lies between
        // them.
        let mut value = |[low, high]: [f64; 2]| match sample % 2 {
            0 => [low, high][random.below(2)],
            _ => random.between(low, high),
        };
        let limits =
            robot.variables().iter().map(|v| v.limits.map_or([-3.0, 3.0], |limits| [limits.lower, limits.upper]));
        let configuration: Vec<f64> = limits.map(&mut value).collect();
        robot.link_poses(&Pose::IDENTITY, &configuration, &mut poses).unwrap();
        for (b, mesh_b) in &meshes {
            let Some((a, mesh_a)) = meshes.iter().find(|(a, _)| robot.parent_link(*b) == Some(*a)) else { continue };
            let a_from_b = poses[*a].inverse().then(&poses[*b]);
            let plan = dispatcher.plan(mesh_a, mesh_b).unwrap();
            let distance = plan.distance(&a_from_b, &DistanceRequest::default(), &mut workspace, None).unwrap();
            let names = [*a, *b].map(|link| robot.links()[link].name());
            assert!(distance.lower > 0.003 - 1e-9, "{names:?}: {} at {configuration:?}", distance.lower);
        }
    }
}

#[test]
fn at_the_default_posture_no_link_touches_another() {
    let robot = humanoid().unwrap().robot;
    let meshes = link_solids(&robot);
    let (dispatcher, mut workspace, mut poses) = (Dispatcher::standard(), Workspace::default(), Vec::new());
    robot.link_poses(&Pose::IDENTITY, &robot.default_configuration(), &mut poses).unwrap();
    for (i, (a, mesh_a)) in meshes.iter().enumerate() {
        for (b, mesh_b) in &meshes[..i] {
            let a_from_b = poses[*a].inverse().then(&poses[*b]);
            let hit = dispatcher.plan(mesh_a, mesh_b).unwrap().collide(&a_from_b, &mut workspace, None);
            assert!(!hit.colliding, "{:?}", [*a, *b].map(|link| robot.links()[link].name()));
        }
    }
}
