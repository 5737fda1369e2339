//! Robots of very many links: set-up takes time by pairs of links, not by more.

use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_robot::{CheckOptions, CollisionModel, JointSpec, LinkGeometry, LinkShape, MotionChecker, RobotBuilder};
use std::sync::Arc;
use std::time::{Duration, Instant};

fn at(x: f64) -> Pose {
    Pose::from_translation(DVec3::X * x).unwrap()
}

/// A chain of turning links of 0.1 m.
fn chain(count: usize) -> CollisionModel {
    let limb = || LinkGeometry::new(at(0.05), LinkShape::Box { size: DVec3::new(0.08, 0.02, 0.02) });
    let mut builder = RobotBuilder::new("chain").link("l0", [limb()]);
    for i in 1..count {
        let joint = JointSpec::revolute(format!("j{i}"), format!("l{}", i - 1), format!("l{i}"), DVec3::Z, [-1.0, 1.0]);
        builder = builder.link(format!("l{i}"), [limb()]).joint(joint.at(at(0.1)));
    }
    CollisionModel::new(Arc::new(builder.build().unwrap()), &CheckOptions::default()).unwrap()
}

/// 400 links took 11 s, by the fourth power of their number; in a release build 3,000 take a third
/// of a second now.
#[test]
fn three_thousand_links_are_set_up_and_asked_about_in_seconds() {
    let start = Instant::now();
    let checker = chain(3000);
    let (mut placement, mut workspace) = (checker.placement().unwrap(), Workspace::default());
    let straight = checker.self_distance(&placement, &DistanceRequest::default(), &mut workspace, None).unwrap();
    assert!((straight.upper - 0.12).abs() < 1e-9, "{straight:?}");
    // Wound up to a circle of 20 links, many of which lie on others.
    checker.place(&mut placement, &Pose::IDENTITY, &vec![std::f64::consts::TAU / 20.0; 2999]).unwrap();
    assert!(checker.self_collision(&placement, &mut workspace, None).unwrap().is_some());
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn a_long_chain_moves() {
    let checker = chain(200);
    let mut motions = MotionChecker::new(&checker, None).unwrap();
    let verdict = motions.segment(&Pose::IDENTITY, &[0.0; 199], &[1e-3; 199], &Default::default()).unwrap();
    assert!(matches!(verdict, clearance_robot::MotionVerdict::Free { .. }), "{verdict:?}");
}
