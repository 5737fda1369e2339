//! Gradients by the joints against central differences: joints of all kinds, mimic rules, attached
//! objects, paddings, two robots; the robots of `CLEARANCE_DATA`.

mod differences;
#[path = "../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;
mod robots;

use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Capsule, Cuboid, Sphere};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{
    Against, CheckOptions, Checker, JointSpec, LinkGeometry, LinkShape, NearPair, Robot, RobotBuilder, Scene,
};
use differences::{Counts, compare_own};
use random::Random;
use std::sync::Arc;

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

fn pose(random: &mut Random, reach: f64) -> Pose {
    Pose::new(DQuat::from_scaled_axis(vector(random) * 3.0), vector(random) * reach).unwrap()
}

/// Four random triangles on four vertices.
fn tetrahedron(random: &mut Random, size: f64) -> TriMesh {
    let vertices = (0..4).map(|_| vector(random) * size).collect();
    TriMesh::new(vertices, vec![[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]).unwrap()
}

fn shape(random: &mut Random) -> LinkShape {
    let length = random.between(0.1, 0.4);
    match (random.between(0.0, 5.0)) as usize {
        0 => LinkShape::Sphere { radius: length * 0.5 },
        1 => LinkShape::Capsule { radius: length * 0.3, length },
        2 => LinkShape::Box { size: DVec3::splat(0.1) + vector(random).abs() * length },
        3 => LinkShape::Cylinder { radius: length * 0.4, length },
        _ => LinkShape::Mesh(Arc::new(tetrahedron(random, length))),
    }
}

/// A random tree of ten links with a joint of each kind; the seventh joint follows the first, and
/// the ninth the seventh.
fn robot(random: &mut Random) -> Robot {
    let mut builder = RobotBuilder::new("tree");
    for link in 0..10 {
        let count = 1 + link % 2;
        let shapes: Vec<LinkGeometry> =
            (0..count).map(|_| LinkGeometry::new(pose(random, 0.1), shape(random))).collect();
        builder = builder.link(format!("l{link}"), shapes);
    }
    for child in 1..10_usize {
        let parent = random.between(0.0, child as f64) as usize;
        let (name, parent, child_name) = (format!("j{child}"), format!("l{parent}"), format!("l{child}"));
        let axis = vector(random);
        let joint = match child {
            1 | 7 => JointSpec::revolute(name, parent, child_name, axis, [-3.0, 3.0]),
            2 | 9 => JointSpec::prismatic(name, parent, child_name, axis, [-3.0, 3.0]),
            3 => JointSpec::continuous(name, parent, child_name, axis),
            4 => JointSpec::planar(name, parent, child_name, axis),
            5 => JointSpec::floating(name, parent, child_name),
            6 => JointSpec::fixed(name, parent, child_name),
            _ => JointSpec::revolute(name, parent, child_name, axis, [-3.0, 3.0]),
        };
        let joint = match child {
            7 => joint.mimic("j1", -0.7, 0.3),
            9 => joint.mimic("j7", 0.4, 0.1),
            _ => joint,
        };
        builder = builder.joint(joint.at(pose(random, 0.4)));
    }
    builder.build().unwrap()
}

/// Random numbers; quaternions at unit length, or a little off.
fn configuration(robot: &Robot, random: &mut Random) -> Vec<f64> {
    let mut q: Vec<f64> = robot.variables().iter().map(|_| random.between(-0.8, 0.8)).collect();
    for (i, variable) in robot.variables().iter().enumerate() {
        if variable.name.ends_with(".qw") {
            let turn = DQuat::from_scaled_axis(vector(random) * 3.0) * random.between(0.9995, 1.0005);
            q[i..i + 4].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
        }
    }
    q
}

fn scene(random: &mut Random) -> Scene {
    let mut scene = Scene::new();
    for i in 0..3 {
        let size = DVec3::splat(0.1) + vector(random).abs() * 0.4;
        scene.add(format!("box {i}"), Cuboid::from_half_extents(size).unwrap(), pose(random, 1.0)).unwrap();
        scene.add(format!("ball {i}"), Sphere::new(size.x).unwrap(), pose(random, 1.0)).unwrap();
    }
    scene
}

#[test]
fn rows_are_derivatives_for_joints_of_all_kinds() {
    let mut random = Random(5);
    let mut counts = Counts::default();
    for case in 0..40 {
        let robot = robot(&mut random);
        let mut options = CheckOptions::default();
        if case % 2 == 1 {
            (options.padding, options.margin) = (0.02, 0.01);
            options.paddings.insert("l3".into(), 0.05);
        }
        let mut checker = Checker::with_options(robot, options).unwrap();
        checker.set_base(pose(&mut random, 0.3)).unwrap();
        checker.set_scene(scene(&mut random));
        checker.attach("cup", Capsule::new(0.1, 0.3).unwrap(), "l8", pose(&mut random, 0.3), &["l7"]).unwrap();
        let q = configuration(&checker.robot().clone(), &mut random);
        compare_own(&mut counts, &mut checker, &q, 0.3);
    }
    eprintln!("{counts:?}");
    assert!(counts.smooth > 300 && counts.unique > 100 && counts.overlapping > 50, "{counts:?}");
    assert!(counts.kinks * 5 < counts.smooth, "{counts:?}");
}

#[test]
fn both_robots_have_rows() {
    let mut random = Random(6);
    let mut counts = [Counts::default(), Counts::default()];
    for _ in 0..20 {
        let mut checkers = [0, 1].map(|_| Checker::new(robot(&mut random)).unwrap());
        checkers[1].set_base(pose(&mut random, 0.6)).unwrap();
        let q = [0, 1].map(|i| configuration(&checkers[i].robot().clone(), &mut random));
        let [own, other] = &mut checkers;
        counts[0].compare(&q[0], |pair| &pair.gradient, |p| own.robot_near(p, other, &q[1], 0.3).unwrap());
        counts[1].compare(&q[1], |pair| &pair.gradient_b, |p| own.robot_near(&q[0], other, p, 0.3).unwrap());
        // The robot against a copy of itself: names and parts are the same, and only one moves.
        let (mut copy, base) = (own.clone(), pose(&mut random, 0.6));
        copy.set_base(base).unwrap();
        counts[0].compare(&q[0], |pair| &pair.gradient, |p| own.robot_near(p, &copy, &q[0], 0.3).unwrap());
    }
    eprintln!("{counts:?}");
    assert!(counts.iter().all(|counts| counts.smooth > 200 && counts.kinks * 5 < counts.smooth), "{counts:?}");
}

#[test]
fn the_nearest_pair_has_the_row_that_it_has_in_the_list() {
    let mut random = Random(7);
    let (mut apart, mut touching) = (0, 0);
    for _ in 0..60 {
        let mut checker = Checker::new(robot(&mut random)).unwrap();
        checker.set_scene(scene(&mut random));
        let mut other = checker.clone();
        other.set_base(pose(&mut random, 1.0)).unwrap();
        let q = configuration(&checker.robot().clone(), &mut random);
        let (distance, near) = (checker.distance(&q).unwrap().unwrap(), checker.near(&q, 10.0).unwrap());
        let robots = checker.robot_distance(&q, &other, &q).unwrap().unwrap();
        let near_robots = checker.robot_near(&q, &other, &q, 10.0).unwrap();
        let mut plain = checker.clone();
        plain.set_gradients(false);
        let without = [plain.distance(&q).unwrap().unwrap(), plain.robot_distance(&q, &other, &q).unwrap().unwrap()];
        for ((distance, near), without) in [(distance, near), (robots, near_robots)].into_iter().zip(without) {
            // Warm starts may round otherwise, and of several pairs that touch any may be named.
            assert!(without.lower <= distance.upper && distance.lower <= without.upper, "{without:?} {distance:?}");
            assert!(without.normal == DVec3::ZERO && without.gradient.is_empty() && without.gradient_b.is_empty());
            // A pair of one robot may have its names in either order.
            let named = |pair: &&NearPair| {
                let names = [&distance.a, &distance.b];
                let reversed = pair.against == Against::Itself && names == [&pair.b, &pair.a];
                pair.against == distance.against && (names == [&pair.a, &pair.b] || reversed)
            };
            let pair = near.iter().find(named).unwrap();
            assert!(distance.gradient.len() == q.len() && distance.gradient_b.len() == pair.gradient_b.len());
            if distance.upper == 0.0 {
                touching += 1;
                assert!(pair.signed <= 1e-12, "{pair:?}");
                continue;
            }
            apart += 1;
            assert!((pair.signed - distance.upper).abs() < 1e-12, "{distance:?} {pair:?}");
            for (x, y) in distance.gradient.iter().zip(&pair.gradient) {
                assert!((x - y).abs() < 1e-6, "{distance:?} {pair:?}");
            }
        }
    }
    assert!(apart > 20 && touching > 20, "{apart} {touching}");
}

#[test]
fn rows_of_real_robots_are_derivatives() {
    let Some(data) = robots::data_folder("gradients of real robots") else { return };
    for (name, step) in [("panda", 7), ("ur5", 7), ("talos", 29)] {
        let reference = robots::reference(&data, data.join("ref").join(name));
        let rows: ndarray::Array2<f64> = ndarray_npy::read_npy(reference.folder.join("q.npy")).unwrap();
        let mut checker = Checker::new(reference.robot.clone()).unwrap();
        let mut random = Random(8);
        for i in 0..4 {
            let half = DVec3::splat(0.05) + vector(&mut random).abs() * 0.2;
            let place = pose(&mut random, 0.6);
            checker.scene_mut().add(format!("box {i}"), Cuboid::from_half_extents(half).unwrap(), place).unwrap();
        }
        let mut counts = Counts::default();
        for row in rows.rows().into_iter().step_by(step).take(12) {
            let q = robots::configuration(&reference, row.as_slice().unwrap());
            compare_own(&mut counts, &mut checker, &q, 0.1);
        }
        eprintln!("{name}: {counts:?}");
        assert!(counts.smooth > 20 && counts.kinks * 5 <= counts.smooth, "{name}: {counts:?}");
    }
}

#[test]
fn a_distance_that_makes_no_sense_is_refused() {
    let mut random = Random(9);
    let mut checker = Checker::new(robot(&mut random)).unwrap();
    let q = checker.robot().default_configuration();
    for max_distance in [f64::NAN, -0.1, f64::NEG_INFINITY] {
        assert!(checker.near(&q, max_distance).is_err());
    }
    assert!(checker.near(&q[1..], 0.1).is_err());
}
