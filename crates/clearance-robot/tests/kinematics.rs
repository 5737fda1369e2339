//! What joints do with their numbers.

use clearance_engine::Pose;
use clearance_engine::math::{DMat3, DQuat, DVec3};
use clearance_robot::{ErrorKind, JointSpec, Robot, RobotBuilder};

fn pose(turn: DQuat, x: f64, y: f64, z: f64) -> Pose {
    Pose::new(turn, DVec3::new(x, y, z)).unwrap()
}

fn assert_close(a: &Pose, b: &Pose) {
    let turn = (*a.rotation() - *b.rotation()).to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(turn.max(a.translation().distance(b.translation())) < 1e-14, "{a:?} instead of {b:?}");
}

/// A chain with a joint of every kind, each of them placed by `origin()`.
fn chain() -> Robot {
    let joints = [
        JointSpec::revolute("revolute", "a", "b", DVec3::new(1.0, 2.0, -2.0), [-1.0, 2.0]),
        JointSpec::continuous("continuous", "b", "c", DVec3::Y),
        JointSpec::prismatic("prismatic", "c", "d", DVec3::new(0.0, 3.0, 4.0), [0.5, 1.0]),
        JointSpec::fixed("fixed", "d", "e"),
        JointSpec::planar("planar", "e", "f", DVec3::X),
        JointSpec::floating("floating", "f", "g"),
    ];
    let links = ["a", "b", "c", "d", "e", "f", "g"];
    let builder = links.into_iter().fold(RobotBuilder::new("chain"), |builder, name| builder.link(name, []));
    joints.into_iter().fold(builder, |builder, joint| builder.joint(joint.at(origin()))).build().unwrap()
}

fn origin() -> Pose {
    pose(DQuat::from_rotation_z(0.3) * DQuat::from_rotation_x(-1.1), 0.1, -0.2, 0.3)
}

#[test]
fn robots_are_shared_between_threads() {
    fn shared<T: Send + Sync>(_: &T) {}
    shared(&chain());
}

#[test]
fn variables_are_named_as_columns_and_stand_in_the_order_of_the_joints() {
    let names: Vec<String> = chain().variables().iter().map(|variable| variable.name.clone()).collect();
    let expected = "revolute continuous prismatic planar.x planar.y planar.theta floating.x floating.y floating.z floating.qw \
                    floating.qx floating.qy floating.qz";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn defaults_are_zero_or_the_nearest_limit_or_the_quaternion_of_no_rotation() {
    let expected = [0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    assert_eq!(chain().default_configuration(), expected);
}

#[test]
fn every_kind_of_joint_moves_as_defined() {
    let robot = chain();
    let turn = DQuat::from_xyzw(0.1, -0.7, 0.1, 0.7);
    let turn = turn / turn.length();
    let q = [0.7, -2.0, 0.8, 0.1, 0.2, 0.4, 1.0, 2.0, 3.0, turn.w, turn.x, turn.y, turn.z];
    let base = pose(DQuat::from_rotation_y(0.2), 1.0, 1.0, 1.0);
    let mut poses = Vec::new();
    robot.link_poses(&base, &q, &mut poses).unwrap();
    // The plane across x: z turned to x takes x to -z and leaves y.
    let motions = [
        pose(DQuat::from_axis_angle(DVec3::new(1.0, 2.0, -2.0) / 3.0, 0.7), 0.0, 0.0, 0.0),
        pose(DQuat::from_rotation_y(-2.0), 0.0, 0.0, 0.0),
        pose(DQuat::IDENTITY, 0.0, 0.8 * 0.6, 0.8 * 0.8),
        Pose::IDENTITY,
        pose(DQuat::from_rotation_x(0.4), 0.0, 0.2, -0.1),
        pose(turn, 1.0, 2.0, 3.0),
    ];
    let mut expected = base;
    assert_eq!(poses[0], base);
    for (link, motion) in motions.iter().enumerate() {
        let local = origin().then(motion);
        let own = &q[robot.joints()[link].variables()];
        assert_close(&robot.joint_pose(link, own).unwrap(), &local);
        expected = expected.then(&local);
        assert_close(&poses[link + 1], &expected);
    }
}

#[test]
fn a_chain_of_thousands_of_joints_stays_rigid() {
    const JOINTS: usize = 3000;
    let name = |i: usize| format!("l{i}");
    let mut builder = RobotBuilder::new("snake").link(name(0), []);
    for i in 0..JOINTS {
        let axis = DVec3::new(1.0, (i % 7) as f64, (i % 5) as f64 - 2.0);
        let joint = JointSpec::continuous(format!("j{i}"), name(i), name(i + 1), axis).at(origin());
        builder = builder.link(name(i + 1), []).joint(joint);
    }
    let robot = builder.build().unwrap();
    let q: Vec<f64> = (0..JOINTS).map(|i| (i as f64 * 0.7).sin() * 3.0).collect();
    let mut poses = Vec::new();
    robot.link_poses(&Pose::IDENTITY, &q, &mut poses).unwrap();
    let mut chained = Pose::IDENTITY;
    for (i, found) in poses.iter().skip(1).enumerate() {
        chained = chained.then(&robot.joint_pose(i, &q[i..=i]).unwrap());
        let off = found.rotation().transpose() * *found.rotation() - DMat3::IDENTITY;
        assert!(off.to_cols_array().iter().all(|x| x.abs() < 1e-14), "{i}: {off}");
        assert!(found.translation().distance(chained.translation()) < 1e-9, "{i}");
    }
}

#[test]
fn a_chain_of_mimic_joints_is_one_rule() {
    let joint = |name, child| JointSpec::prismatic(name, "root", child, DVec3::X, [-9.0, 9.0]);
    let robot = RobotBuilder::new("r")
        .link("root", [])
        .link("a", [])
        .link("b", [])
        .link("c", [])
        // The follower comes before the joint it follows.
        .joint(joint("third", "c").mimic("second", -1.0, 0.5))
        .joint(joint("second", "b").mimic("first", 2.0, 1.0))
        .joint(joint("first", "a"))
        .build()
        .unwrap();
    assert_eq!(robot.variables().len(), 1);
    assert_eq!(robot.mimic_rule(robot.joint_index("third").unwrap()), Some((0, -2.0, -0.5)));
    let mut poses = Vec::new();
    robot.link_poses(&Pose::IDENTITY, &[3.0], &mut poses).unwrap();
    let x = |name| poses[robot.link_index(name).unwrap()].translation().x;
    assert_eq!([x("a"), x("b"), x("c")], [3.0, 7.0, -6.5]);
}

#[test]
fn links_stand_depth_first_and_subtrees_are_ranges() {
    let joint = |parent: &str, child: &str| JointSpec::fixed(format!("{parent}{child}"), parent, child);
    let robot = RobotBuilder::new("r")
        .link("d", [])
        .link("b", [])
        .link("a", [])
        .link("c", [])
        .link("e", [])
        .joint(joint("b", "d"))
        .joint(joint("a", "b"))
        .joint(joint("a", "c"))
        .joint(joint("b", "e"))
        .build()
        .unwrap();
    let names: Vec<&str> = robot.links().iter().map(|link| link.name()).collect();
    assert_eq!(names, ["a", "b", "d", "e", "c"]);
    let joints: Vec<&str> = robot.joints().iter().map(|joint| joint.name()).collect();
    assert_eq!(joints, ["ab", "bd", "be", "ac"]);
    assert_eq!([0, 1, 2, 4].map(|link| robot.subtree(link)), [0..5, 1..4, 2..3, 4..5]);
    assert_eq!(robot.bodies().len(), 1);
}

#[test]
fn a_wrong_configuration_is_an_error_that_names_the_joint() {
    let robot = chain();
    let mut poses = Vec::new();
    let error = robot.link_poses(&Pose::IDENTITY, &[0.0], &mut poses).unwrap_err();
    assert_eq!(error.to_string(), "the configuration has 1 numbers, but the robot 'chain' has 13 variables");
    for (variable, value, label) in [
        (0, f64::NAN, "joint 'revolute'"),
        (1, f64::INFINITY, "joint 'continuous'"),
        (2, 1e200, "joint 'prismatic'"),
        (9, 1.1, "joint 'floating'"),
    ] {
        let mut q = robot.default_configuration();
        q[variable] = value;
        let error = robot.link_poses(&Pose::IDENTITY, &q, &mut poses).unwrap_err();
        assert_eq!((error.kind(), error.element()), (ErrorKind::BadConfiguration, Some(label)), "{error}");
    }
    assert_eq!(
        robot.joint_pose(4, &[0.0]).unwrap_err().to_string(),
        "joint 'planar': 1 numbers given for a joint that has 3"
    );
}

#[test]
fn forward_kinematics_does_not_allocate_after_warm_up() {
    let robot = chain();
    let (q, mut poses) = (robot.default_configuration(), Vec::new());
    robot.link_poses(&Pose::IDENTITY, &q, &mut poses).unwrap();
    let counted = allocation_counter::measure(|| robot.link_poses(&Pose::IDENTITY, &q, &mut poses).unwrap());
    assert_eq!(counted.count_total, 0);
}
