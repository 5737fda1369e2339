//! The humanoid's numbers, and where its links are with respect to each other.

use clearance::bank::Bank;
use clearance::descent::Workspace;
use clearance::shape::check_closed;
use clearance::tree::Mesh;
use clearance::{Pose, TriMesh};
use clearance_robot::{LinkShape, Robot};
use clearance_scene::{SUBSYSTEMS, humanoid};
use std::sync::Arc;

#[path = "../../clearance/src/random.rs"]
#[allow(dead_code)]
mod random;
use random::Random;

fn meshes(robot: &Robot) -> Vec<(usize, Arc<TriMesh>)> {
    let mesh = |shape: &LinkShape| match shape {
        LinkShape::Mesh(mesh) => Arc::clone(mesh),
        other => panic!("{other:?}"),
    };
    let links = robot.links().iter().enumerate();
    links.flat_map(|(i, link)| link.geometries().iter().map(move |geometry| (i, mesh(&geometry.shape)))).collect()
}

#[test]
fn it_has_23_joints_in_five_subsystems_and_16440_triangles() {
    let humanoid = humanoid().unwrap();
    let meshes = meshes(&humanoid.robot);
    for (link, mesh) in &meshes {
        println!("{} {}", humanoid.robot.links()[*link].name(), mesh.len());
    }
    assert_eq!(meshes.iter().map(|(_, mesh)| mesh.len()).sum::<usize>(), 16_440);
    assert_eq!(meshes.len(), 21);
    let named: Vec<&str> = SUBSYSTEMS.iter().flat_map(|(_, joints)| joints.iter().copied()).collect();
    assert_eq!(humanoid.robot.joints().len(), 23);
    assert_eq!(humanoid.robot.variables().len(), 23);
    assert!(named.len() == 23 && named.iter().all(|name| humanoid.robot.joint_index(name).is_some()));
}

#[test]
fn every_link_is_closed_without_degenerate_or_repeated_triangles_and_fully_coloured() {
    let humanoid = humanoid().unwrap();
    for (link, mesh) in meshes(&humanoid.robot) {
        let name = humanoid.robot.links()[link].name();
        check_closed(&mesh).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((mesh.degenerate_count(), mesh.unreferenced_count()), (0, 0), "{name}");
        assert_eq!(humanoid.colors[link].len(), mesh.len(), "{name}");
        let places = |i| mesh.triangle(i).0.map(|corner| corner.to_array().map(f64::to_bits));
        let mut corners: Vec<_> = (0..mesh.len() as u32).map(places).collect();
        corners.iter_mut().for_each(|corners| corners.sort_unstable());
        corners.sort_unstable();
        assert!(corners.windows(2).all(|pair| pair[0] != pair[1]), "{name}: a triangle stands there twice");
    }
}

#[test]
fn neighbours_do_not_touch_within_the_limits() {
    let robot = humanoid().unwrap().robot;
    let meshes: Vec<(usize, Mesh)> =
        meshes(&robot).into_iter().map(|(i, mesh)| (i, Mesh::new(mesh).unwrap().into_solid().unwrap())).collect();
    let (bank, mut workspace, mut poses) = (Bank::standard(), Workspace::default(), Vec::new());
    let mut random = Random(7);
    for sample in 0..400 {
        // Corners of the limits are where neighbours come nearest; every other sample lies between them.
        let value = |random: &mut Random, limits: [f64; 2]| match sample % 2 {
            0 => limits[random.below(2)],
            _ => random.between(limits[0], limits[1]),
        };
        let configuration: Vec<f64> = robot
            .variables()
            .iter()
            .map(|variable| {
                value(&mut random, variable.limits.map_or([-3.0, 3.0], |limits| [limits.lower, limits.upper]))
            })
            .collect();
        robot.link_poses(&Pose::IDENTITY, &configuration, &mut poses).unwrap();
        for (b, mesh_b) in &meshes {
            let Some((a, mesh_a)) = meshes.iter().find(|(a, _)| robot.parent_link(*b) == Some(*a)) else { continue };
            let a_from_b = poses[*a].inverse().then(&poses[*b]);
            let hit = bank.plan(mesh_a, mesh_b).unwrap().collide(&a_from_b, &mut workspace, None);
            let names = [*a, *b].map(|link| robot.links()[link].name());
            assert!(!hit.colliding, "{names:?} at {configuration:?}");
        }
    }
}
