//! What the readers of robots owe their caller: a robot that keeps its promises and can move, or a
//! one-line error.

use crate::{bounded, check_message};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_io::read_table;
use clearance_robot::{
    Configurations, DisabledPairs, JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder, Scene, Srdf, UrdfOptions,
    read_urdf,
};
use std::collections::HashSet;
use std::sync::OnceLock;

/// Reads `bytes` as a URDF and panics if the answer breaks a promise.
pub fn check_urdf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match bounded(bytes, || read_urdf(&text, &UrdfOptions::default())) {
        Ok(robot) => check_robot(&robot),
        Err(error) => {
            assert!(error.line().is_some());
            check_message(&error.to_string());
        }
    }
}

fn check_robot(robot: &Robot) {
    robot.notes().iter().for_each(|note| check_message(note));
    let count = robot.links().len();
    assert_eq!(robot.joints().len() + 1, count);
    for (number, joint) in robot.joints().iter().enumerate() {
        assert!(joint.parent() <= number && joint.child() == number + 1);
        assert!(robot.subtree(joint.parent()).contains(&joint.child()));
        assert_eq!(robot.joint_index(joint.name()), Some(number));
    }
    assert_eq!(robot.bodies().iter().map(|body| body.links().len()).sum::<usize>(), count);
    for [a, b] in robot.checked_link_pairs(&DisabledPairs::default()) {
        assert!(a < b && robot.body_of(a) != robot.body_of(b));
    }
    let q = robot.default_configuration();
    assert_eq!(robot.outside_limits(&q).count(), 0);
    let mut poses = Vec::new();
    match robot.link_poses(&Pose::IDENTITY, &q, &mut poses) {
        Ok(()) => assert_eq!(poses.len(), count),
        // Origins, limits and mimic rules may add up beyond all numbers.
        Err(error) => check_message(&error.to_string()),
    }
}

/// Reads `bytes` as an SRDF and panics if the answer breaks a promise.
pub fn check_srdf(bytes: &[u8]) {
    let robot = small_robot();
    let text = String::from_utf8_lossy(bytes);
    let srdf = match bounded(bytes, || Srdf::read(&text)) {
        Ok(srdf) => srdf,
        Err(error) => return check_message(&error.to_string()),
    };
    let disabled = srdf.disabled_pairs(robot);
    disabled.notes.iter().chain(srdf.notes()).for_each(|note| check_message(note));
    assert!(disabled.pairs().all(|[a, b]| a < b && [a, b].iter().all(|name| robot.link_index(name).is_some())));
    for group in srdf.groups() {
        match srdf.group_members(robot, &group.name) {
            Ok(members) => {
                assert!(members.links.is_sorted() && members.joints.is_sorted());
                assert!(members.joints.iter().all(|&joint| members.links.contains(&robot.joints()[joint].child())));
            }
            Err(error) => check_message(&error.to_string()),
        }
    }
}

/// Reads `bytes` as a table of numbers, and as configurations; panics if the answers break a
/// promise.
pub fn check_table(bytes: &[u8]) {
    let table = match bounded(bytes, || read_table(bytes)) {
        Ok(table) => table,
        Err(error) => return check_message(&error.to_string()),
    };
    let columns = table.columns();
    assert!(!columns.is_empty() && columns.iter().collect::<HashSet<_>>().len() == columns.len());
    let mut last = 0;
    for (line, row) in table.rows() {
        assert!(line > last && row.len() == columns.len() && row.iter().all(|value| value.is_finite()));
        last = line;
    }
    match bounded(bytes, || Configurations::new(&table, small_robot())) {
        Ok(read) => {
            assert_eq!(read.len(), table.rows().len());
            read.notes().iter().for_each(|note| check_message(note));
        }
        Err(error) => check_message(&error.to_string()),
    }
}

/// Reads `bytes` as a scene whose folder has no files; panics if the answer breaks a promise.
pub fn check_scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match bounded(bytes, || Scene::read(text, "/nowhere".as_ref())) {
        Ok(scene) => assert!(scene.names().count() <= bytes.len()),
        Err(error) => check_message(&error.to_string()),
    }
}

/// `a – b – c` and `a – d`.
pub(crate) fn small_robot() -> &'static Robot {
    static ROBOT: OnceLock<Robot> = OnceLock::new();
    ROBOT.get_or_init(make_small_robot)
}

fn make_small_robot() -> Robot {
    let sphere = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    let links = ["a", "b", "c", "d"].into_iter().fold(RobotBuilder::new("r"), |robot, name| robot.link(name, sphere()));
    let joints = [("i", "a", "b"), ("j", "b", "c"), ("k", "a", "d")];
    let joints = joints.map(|(name, parent, child)| JointSpec::continuous(name, parent, child, DVec3::Z));
    joints.into_iter().fold(links, RobotBuilder::joint).build().expect("the robot is right")
}
