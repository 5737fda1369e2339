//! Motions of robots against dense samples of them: what is reported free has no sample that collides, and nothing collides before a
//! first contact.

use clearance::descent::Workspace;
use clearance::math::DVec3;
use clearance::query::DistanceRequest;
use clearance::shape::{Ball, Cuboid, HalfSpace};
use clearance::tree::{Geometry, Solid, Unbounded};
use clearance::{Pose, TriMesh};
use clearance_robot::{
    CheckOptions, Checker, Find, GapOptions, JointSpec, LinkGeometry, LinkShape, MotionChecker, MotionContact,
    MotionRequest, MotionVerdict, Object, Obstacle, Placement, RobotBuilder, Scene,
};
use std::sync::Arc;

#[path = "../../clearance/src/random.rs"]
#[allow(dead_code)]
mod random;
use random::Random;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// A column with two arms of three links (a mesh, a box, a capsule); the second arm's hand follows its elbow.
fn checker(options: &CheckOptions) -> Checker {
    let corners = [[0.0, 0.0, -0.05], [0.6, 0.05, 0.0], [0.0, 0.1, 0.05], [0.3, -0.1, 0.0]].map(DVec3::from_array);
    let mesh = Arc::new(TriMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]).unwrap());
    let upper = || LinkGeometry::new(Pose::IDENTITY, LinkShape::Mesh(mesh.clone()));
    let lower = || LinkGeometry::new(at(0.3, 0.0, 0.0), LinkShape::Box { size: DVec3::new(0.5, 0.08, 0.08) });
    let hand = || LinkGeometry::new(at(0.1, 0.0, 0.0), LinkShape::Capsule { radius: 0.04, length: 0.15 });
    let column = LinkGeometry::new(at(0.0, 0.0, 0.3), LinkShape::Cylinder { radius: 0.05, length: 0.6 });
    let mut builder = RobotBuilder::new("r").link("column", [column]).link("turn", []);
    builder = builder.joint(JointSpec::revolute("turn", "column", "turn", DVec3::Z, [-2.0, 2.0]));
    for (side, y) in [("l", 0.2), ("r", -0.2)] {
        let name = |part: &str| format!("{side}_{part}");
        let limits = [-2.5, 2.5];
        let shoulder = JointSpec::revolute(name("upper"), "turn", name("upper"), DVec3::Y, limits).at(at(0.0, y, 0.5));
        let elbow =
            JointSpec::revolute(name("lower"), name("upper"), name("lower"), DVec3::Z, limits).at(at(0.65, 0.0, 0.0));
        let wrist = JointSpec::prismatic(name("hand"), name("lower"), name("hand"), DVec3::X, [-0.1, 0.2])
            .at(at(0.6, 0.0, 0.0));
        let wrist = if side == "r" { wrist.mimic("r_lower", 0.05, 0.02) } else { wrist };
        builder = builder.link(name("upper"), [upper()]).link(name("lower"), [lower()]).link(name("hand"), [hand()]);
        builder = builder.joint(shoulder).joint(elbow).joint(wrist);
    }
    Checker::new(Arc::new(builder.build().unwrap()), options).unwrap()
}

fn scene(random: &mut Random, floor: bool) -> Scene {
    let mut scene = Scene::default();
    for i in 0..6 {
        let geometry: Arc<dyn Geometry> = match i % 2 {
            0 => Arc::new(Solid::new(Ball::new(random.between(0.02, 0.2)).unwrap())),
            _ => {
                let half = DVec3::new(random.between(0.01, 0.3), 0.005, random.between(0.01, 0.3));
                Arc::new(Solid::new(Cuboid::new(half).unwrap()))
            }
        };
        let pose = at(random.between(-1.2, 1.2), random.between(-1.2, 1.2), random.between(0.0, 1.2));
        scene.add(Object { name: format!("{i}"), geometry, pose }).unwrap();
    }
    if floor {
        let geometry = Arc::new(Unbounded::new(HalfSpace::new(DVec3::Z, -0.4).unwrap()));
        scene.add(Object { name: "floor".into(), geometry, pose: Pose::IDENTITY }).unwrap();
    }
    scene
}

fn configuration(checker: &Checker, random: &mut Random) -> Vec<f64> {
    let limits = checker.robot().variables().iter().filter_map(|variable| variable.limits);
    limits.map(|limits| random.between(limits.lower, limits.upper)).collect()
}

fn between(from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(a, b)| a + (b - a) * t).collect()
}

/// Whether anything collides, and the distance of what a contact is about.
fn collides(checker: &Checker, scene: &Scene, placement: &Placement, workspace: &mut Workspace) -> bool {
    checker.self_collision(placement, workspace, None).unwrap().is_some()
        || checker.scene_collision(placement, scene, workspace, None).unwrap().is_some()
}

fn nearest(checker: &Checker, scene: &Scene, placement: &Placement, workspace: &mut Workspace) -> f64 {
    let request = DistanceRequest::default();
    let own = checker.self_distance(placement, &request, workspace, None).unwrap().upper;
    own.min(checker.scene_distance(placement, scene, &request, workspace, None).unwrap().upper)
}

#[test]
fn random_motions_are_what_dense_samples_say() {
    let mut random = Random(81);
    let (mut free, mut hits) = (0, 0);
    for round in 0..8 {
        let options = CheckOptions { padding: if round % 2 == 0 { 0.0 } else { 0.01 }, ..CheckOptions::default() };
        let mut checker = checker(&options);
        if round % 4 > 1 {
            checker.prove(&GapOptions { evaluations: 200, ..GapOptions::default() }).unwrap();
        }
        let scene = scene(&mut random, round % 3 == 0);
        let (mut motions, mut workspace) = (MotionChecker::new(&checker, Some(&scene)).unwrap(), Workspace::default());
        let mut placement = checker.placement().unwrap();
        let base = at(0.1, -0.05, 0.02);
        for case in 0..60 {
            let from = configuration(&checker, &mut random);
            let reach = [1.0, 0.2, 0.01][case % 3];
            let to = between(&from, &configuration(&checker, &mut random), reach);
            let first = motions.segment(&base, &from, &to, &MotionRequest::default()).unwrap();
            let any = MotionRequest { find: Find::Any, ..MotionRequest::default() };
            let any = motions.segment(&base, &from, &to, &any).unwrap();
            let is_free = |verdict: &MotionVerdict| matches!(verdict, MotionVerdict::Free { .. });
            assert_eq!(is_free(&first), is_free(&any), "round {round} case {case}: {first:?} {any:?}");
            let mut place = |t: f64| {
                checker.place(&mut placement, &base, &between(&from, &to, t)).unwrap();
                placement.clone()
            };
            let free_until = if let MotionVerdict::Contact(contact) = first { contact.t_lower } else { 2.0 };
            for i in 0..=400 {
                let t = f64::from(i) / 400.0;
                let placed = place(t);
                if t < free_until {
                    assert!(
                        !collides(&checker, &scene, &placed, &mut workspace),
                        "round {round} case {case}: at {t} {first:?}"
                    );
                }
                if let MotionVerdict::Free { margin } = first
                    && i % 8 == 0
                {
                    assert!(margin > 0.0 && nearest(&checker, &scene, &placed, &mut workspace) >= margin - 1e-9);
                }
            }
            for (verdict, narrow) in [(first, true), (any, false)] {
                let MotionVerdict::Contact(contact) = verdict else { continue };
                let near = nearest(&checker, &scene, &place(contact.t_upper), &mut workspace);
                assert!(near <= contact.gap + 1e-9 && contact.gap <= 1.1e-5, "{contact:?} {near}");
                assert!(0.0 <= contact.t_lower && contact.t_lower <= contact.t_upper && contact.t_upper <= 1.0);
                assert!(!narrow || contact.gap > 0.0 || contact.t_upper - contact.t_lower < 0.05, "{contact:?}");
            }
            if is_free(&first) { free += 1 } else { hits += 1 }
        }
    }
    assert!(free > 60 && hits > 60, "{free} {hits}");
}

#[test]
fn a_motion_that_starts_in_contact_touches_at_once_and_one_that_stands_still_is_what_its_configuration_is() {
    let checker = checker(&CheckOptions::default());
    let geometry = Arc::new(Solid::new(Ball::new(0.1).unwrap()));
    let mut scene = Scene::default();
    scene.add(Object { name: "ball".into(), geometry, pose: at(0.9, 0.2, 0.5) }).unwrap();
    let mut motions = MotionChecker::new(&checker, Some(&scene)).unwrap();
    let zero = vec![0.0; checker.robot().variables().len()];
    let mut away = zero.clone();
    away[0] = 1.5;
    let mut ask =
        |from: &[f64], to: &[f64]| motions.segment(&Pose::IDENTITY, from, to, &MotionRequest::default()).unwrap();
    let MotionVerdict::Contact(MotionContact { t_lower, t_upper, gap, part, other }) = ask(&zero, &away) else {
        panic!("it starts inside of the ball")
    };
    assert!(t_lower == 0.0 && t_upper < 1e-4 && gap == 0.0, "{t_lower} {t_upper} {gap}");
    assert_eq!((checker.name(part), other), ("l_lower", Obstacle::Scene(0)));
    assert!(matches!(ask(&zero, &zero), MotionVerdict::Contact(contact) if contact.t_lower == 0.0));
    assert!(matches!(ask(&away, &away), MotionVerdict::Free { margin } if margin > 0.0));
}

#[test]
fn motions_that_make_no_sense_are_refused() {
    let checker = checker(&CheckOptions::default());
    let mut motions = MotionChecker::new(&checker, None).unwrap();
    let zero = vec![0.0; checker.robot().variables().len()];
    let request = MotionRequest::default();
    assert!(motions.segment(&Pose::IDENTITY, &zero[1..], &zero, &request).is_err());
    let mut wrong = zero.clone();
    wrong[0] = f64::NAN;
    assert!(motions.segment(&Pose::IDENTITY, &zero, &wrong, &request).is_err());
    let floating = RobotBuilder::new("f")
        .link("world", [])
        .link("body", [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })])
        .joint(JointSpec::floating("free", "world", "body"))
        .build()
        .unwrap();
    let checker = Checker::new(Arc::new(floating), &CheckOptions::default()).unwrap();
    let mut motions = MotionChecker::new(&checker, None).unwrap();
    let (here, there) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let turned = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    assert!(motions.segment(&Pose::IDENTITY, &here, &there, &request).is_ok());
    assert!(motions.segment(&Pose::IDENTITY, &here, &turned, &request).is_err());
}
