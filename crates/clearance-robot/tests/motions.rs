//! Motions of robots against dense samples of them: what is reported free has no sample that
//! collides, and nothing collides before a first contact.

use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Cuboid, HalfSpace, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Solid};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{
    CheckOptions, CollisionModel, Find, GapOptions, JointCurve, JointSpec, LinkGeometry, LinkShape, MotionChecker,
    MotionContact, MotionRequest, MotionVerdict, Object, Obstacle, Placement, RobotBuilder, Scene,
};
use std::sync::Arc;

#[path = "../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;
use random::Random;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

/// A column with two arms of three links (a mesh, a box, a capsule); the second arm's hand follows
/// its elbow.
fn checker(options: &CheckOptions) -> CollisionModel {
    let vertices = [[0.0, 0.0, -0.05], [0.6, 0.05, 0.0], [0.0, 0.1, 0.05], [0.3, -0.1, 0.0]].map(DVec3::from_array);
    let mesh = Arc::new(TriMesh::new(vertices.to_vec(), vec![[0, 1, 2], [0, 3, 1], [1, 3, 2], [0, 2, 3]]).unwrap());
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
    CollisionModel::new(Arc::new(builder.build().unwrap()), options).unwrap()
}

fn scene(random: &mut Random, floor: bool) -> Scene {
    let mut scene = Scene::default();
    for i in 0..6 {
        let geometry: Arc<dyn Geometry> = match i % 2 {
            0 => Arc::new(Solid::new(Sphere::new(random.between(0.02, 0.2)).unwrap())),
            _ => {
                let half = DVec3::new(random.between(0.01, 0.3), 0.005, random.between(0.01, 0.3));
                Arc::new(Solid::new(Cuboid::from_half_extents(half).unwrap()))
            }
        };
        let pose = at(random.between(-1.2, 1.2), random.between(-1.2, 1.2), random.between(0.0, 1.2));
        scene.insert(Object { name: format!("{i}"), geometry, pose }).unwrap();
    }
    if floor {
        let geometry = Arc::new(HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, -0.4).unwrap()));
        scene.insert(Object { name: "floor".into(), geometry, pose: Pose::IDENTITY }).unwrap();
    }
    scene
}

fn configuration(checker: &CollisionModel, random: &mut Random) -> Vec<f64> {
    let limits = checker.robot().variables().iter().filter_map(|variable| variable.limits);
    limits.map(|limits| random.between(limits.lower, limits.upper)).collect()
}

fn between(from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
    from.iter().zip(to).map(|(a, b)| a + (b - a) * t).collect()
}

/// Whether anything collides, and the distance of what a contact is about.
fn collides(checker: &CollisionModel, scene: &Scene, placement: &Placement, workspace: &mut Workspace) -> bool {
    checker.self_collision(placement, workspace, None).unwrap().is_some()
        || checker.scene_collision(placement, scene, workspace, None).unwrap().is_some()
}

fn nearest(checker: &CollisionModel, scene: &Scene, placement: &Placement, workspace: &mut Workspace) -> f64 {
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
    let geometry = Arc::new(Solid::new(Sphere::new(0.1).unwrap()));
    let mut scene = Scene::default();
    scene.insert(Object { name: "ball".into(), geometry, pose: at(0.9, 0.2, 0.5) }).unwrap();
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
    assert_eq!((checker.name(part).unwrap(), other), ("l_lower", Obstacle::Scene(scene.part("ball").unwrap())));
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
    let checker = CollisionModel::new(Arc::new(floating), &CheckOptions::default()).unwrap();
    let mut motions = MotionChecker::new(&checker, None).unwrap();
    let (here, there) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let turned = [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    assert!(motions.segment(&Pose::IDENTITY, &here, &there, &request).is_ok());
    assert!(motions.segment(&Pose::IDENTITY, &here, &turned, &request).is_ok());
    let none = [0.0; 7];
    assert!(
        motions.segment(&Pose::IDENTITY, &here, &none, &request).is_err(),
        "no turn leads to a quaternion of zeros"
    );
    let curve = |to: &[f64]| JointCurve::hermite([&here, to], [&none, &none]).unwrap();
    assert!(motions.curve(&Pose::IDENTITY, &curve(&there), &request).is_ok());
    assert!(
        motions.curve(&Pose::IDENTITY, &curve(&turned), &request).is_err(),
        "quaternions along a curve are no turn"
    );
    assert!(JointCurve::hermite([&here, &there[1..]], [&none, &none]).is_err());
    assert!(JointCurve::hermite([&here, &there], [&none, &[f64::NAN; 7]]).is_err());
    let short = JointCurve::hermite([&[0.0], &[1.0]], [&[0.0], &[0.0]]).unwrap();
    assert!(motions.curve(&Pose::IDENTITY, &short, &request).is_err());
}

#[test]
fn no_curve_is_faster_than_its_bound_and_the_bound_is_of_use() {
    let mut random = Random(82);
    let mut tightest = 0.0_f64;
    for case in 0..2000 {
        let scale = 10.0_f64.powf(random.between(-6.0, 6.0));
        let mut number = || [scale * random.signed()];
        let (ends, velocities) = ([number(), number()], [number(), number()]);
        let curve = JointCurve::hermite([&ends[0], &ends[1]], [&velocities[0], &velocities[1]]).unwrap();
        let (from, length) = (0.9 * random.unit(), 10.0_f64.powf(random.between(-4.0, -1.0)));
        let (to, at) = (from + length, |t: f64| curve.at(t)[0]);
        let bound = curve.speed(0, from, to);
        for _ in 0..20 {
            let (a, b) = (random.between(from, to), random.between(from, to));
            let way = (at(a) - at(b)).abs();
            assert!(way <= bound * (a - b).abs() + 1e-14 * scale, "case {case}: {way} in {}", (a - b).abs());
            tightest = tightest.max(way / (bound * (a - b).abs()));
        }
        assert_eq!([at(0.0), at(1.0)], [ends[0][0], ends[1][0]]);
    }
    assert!(tightest > 0.99, "{tightest}");
}

#[test]
fn a_spline_through_equal_steps_on_a_line_is_that_line() {
    let mut random = Random(83);
    let checker = checker(&CheckOptions::default());
    let scene = scene(&mut random, true);
    let mut motions = MotionChecker::new(&checker, Some(&scene)).unwrap();
    let (mut free, mut hits) = (0, 0);
    for case in 0..40 {
        let (from, to) = (configuration(&checker, &mut random), configuration(&checker, &mut random));
        let stops: Vec<Vec<f64>> = (0..=4).map(|i| between(&from, &to, 0.05 * f64::from(i))).collect();
        let stops: Vec<&[f64]> = stops.iter().map(Vec::as_slice).collect();
        for (pair, curve) in stops.windows(2).zip(JointCurve::through(&stops).unwrap()) {
            for t in [0.0, 0.2, 0.7, 1.0] {
                for (x, y) in curve.at(t).iter().zip(between(pair[0], pair[1], t)) {
                    assert!((x - y).abs() < 1e-14, "case {case}: {x} {y} at {t}");
                }
            }
            let request = MotionRequest::default();
            let straight = motions.segment(&Pose::IDENTITY, pair[0], pair[1], &request).unwrap();
            let curved = motions.curve(&Pose::IDENTITY, &curve, &request).unwrap();
            match (straight, curved) {
                (MotionVerdict::Free { margin: a }, MotionVerdict::Free { margin: b }) => {
                    assert!((a - b).abs() <= 1e-9, "case {case}: {a} {b}");
                    free += 1;
                }
                (MotionVerdict::Contact(a), MotionVerdict::Contact(b)) => {
                    assert!(a.t_lower <= b.t_upper && b.t_lower <= a.t_upper, "case {case}: {a:?} {b:?}");
                    hits += 1;
                }
                other => panic!("case {case}: {other:?}"),
            }
        }
    }
    assert!(free > 20 && hits > 10, "{free} {hits}");
}

#[test]
fn random_splines_are_what_dense_samples_say() {
    let mut random = Random(84);
    let (mut free, mut hits) = (0, 0);
    for round in 0..4 {
        let checker = checker(&CheckOptions::default());
        let scene = scene(&mut random, round % 2 == 0);
        let (mut motions, mut workspace) = (MotionChecker::new(&checker, Some(&scene)).unwrap(), Workspace::default());
        let mut placement = checker.placement().unwrap();
        for case in 0..15 {
            let first = configuration(&checker, &mut random);
            let reach = [0.6, 0.2, 0.05][case % 3];
            let mut near = || between(&first, &configuration(&checker, &mut random), reach);
            let stops = [first.clone(), near(), near(), near()];
            let stops: Vec<&[f64]> = stops.iter().map(Vec::as_slice).collect();
            for curve in JointCurve::through(&stops).unwrap() {
                let verdict = motions.curve(&Pose::IDENTITY, &curve, &MotionRequest::default()).unwrap();
                let free_until = if let MotionVerdict::Contact(contact) = verdict { contact.t_lower } else { 2.0 };
                for i in 0..=200 {
                    let t = f64::from(i) / 200.0;
                    checker.place(&mut placement, &Pose::IDENTITY, &curve.at(t)).unwrap();
                    let collides = collides(&checker, &scene, &placement, &mut workspace);
                    assert!(t >= free_until || !collides, "round {round} case {case}: at {t} {verdict:?}");
                }
                if let MotionVerdict::Contact(contact) = verdict {
                    checker.place(&mut placement, &Pose::IDENTITY, &curve.at(contact.t_upper)).unwrap();
                    let near = nearest(&checker, &scene, &placement, &mut workspace);
                    assert!(near <= contact.gap + 1e-9, "{contact:?} {near}");
                    hits += 1;
                } else {
                    free += 1;
                }
            }
        }
    }
    assert!(free > 20 && hits > 20, "{free} {hits}");
}

#[test]
fn a_floating_body_turns_by_the_shorter_way_and_nothing_tunnels_through_it() {
    let mut random = Random(85);
    let long = LinkGeometry::new(at(0.4, 0.0, 0.0), LinkShape::Box { size: DVec3::new(1.0, 0.02, 0.02) });
    let robot = RobotBuilder::new("f")
        .link("world", [])
        .link("bar", [long])
        .joint(JointSpec::floating("free", "world", "bar"))
        .build()
        .unwrap();
    let checker = CollisionModel::new(Arc::new(robot), &CheckOptions::default()).unwrap();
    let mut workspace = Workspace::default();
    let (mut free, mut hits) = (0, 0);
    for case in 0..60 {
        let scene = scene(&mut random, false);
        let mut motions = MotionChecker::new(&checker, Some(&scene)).unwrap();
        let mut end = || {
            let place = [0, 1, 2].map(|_| random.signed());
            let turn = DVec3::new(random.signed(), random.signed(), random.signed()) * 2.0;
            let turn = clearance_engine::math::DQuat::from_scaled_axis(turn);
            ([place[0], place[1], place[2], turn.w, turn.x, turn.y, turn.z], turn)
        };
        let ((from, first), (mut to, last)) = (end(), end());
        if case % 2 == 0 {
            // The same turn by another sign.
            to[3..].iter_mut().for_each(|x| *x = -*x);
        }
        let verdict = motions.segment(&Pose::IDENTITY, &from, &to, &MotionRequest::default()).unwrap();
        let free_until = if let MotionVerdict::Contact(contact) = verdict { contact.t_lower } else { 2.0 };
        let mut placement = checker.placement().unwrap();
        for i in 0..=300 {
            let t = f64::from(i) / 300.0;
            let turn = first.slerp(last, t);
            let mut configuration = between(&from, &to, t);
            configuration[3..].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
            checker.place(&mut placement, &Pose::IDENTITY, &configuration).unwrap();
            let collides = collides(&checker, &scene, &placement, &mut workspace);
            assert!(t >= free_until || !collides, "case {case}: at {t} {verdict:?}");
        }
        if free_until > 1.0 { free += 1 } else { hits += 1 }
    }
    assert!(free > 5 && hits > 5, "{free} {hits}");
}

/// A blade on a continuous joint, on one that lifts it.
fn fan() -> CollisionModel {
    let blade = LinkGeometry::new(at(0.5, 0.0, 0.0), LinkShape::Box { size: DVec3::new(1.0, 0.01, 0.01) });
    let mut builder = RobotBuilder::new("fan").link("foot", []).link("lift", []).link("blade", [blade]);
    builder = builder.joint(JointSpec::prismatic("lift", "foot", "lift", DVec3::Z, [-1.0, 1.0]));
    builder = builder.joint(JointSpec::continuous("hub", "lift", "blade", DVec3::Z));
    CollisionModel::new(Arc::new(builder.build().unwrap()), &CheckOptions::default()).unwrap()
}

/// A wire at a place, upright.
fn wire(x: f64, y: f64) -> Scene {
    let mut scene = Scene::default();
    let geometry = Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::new(1e-3, 1e-3, 2.0)).unwrap()));
    scene.insert(Object { name: "wire".into(), geometry, pose: at(x, y, 0.0) }).unwrap();
    scene
}

#[test]
fn many_turns_of_one_joint_are_decided_by_the_first() {
    let (checker, request) = (fan(), MotionRequest::default());
    for (place, free) in [(1.02, true), (0.9, false)] {
        let scene = wire(0.0, place);
        let mut motions = MotionChecker::new(&checker, Some(&scene)).unwrap();
        for turned in [12.0, -12.0, 1e9] {
            let verdict = motions.segment(&Pose::IDENTITY, &[0.0, 0.0], &[0.0, turned], &request).unwrap();
            match verdict {
                MotionVerdict::Free { margin } => assert!(free && margin > 0.0, "{turned}"),
                MotionVerdict::Contact(contact) => {
                    // The blade reaches the wire a little before a quarter turn, or after three of
                    // them.
                    let quarter = if turned > 0.0 { 0.25 } else { 0.75 } * std::f64::consts::TAU;
                    let angle = [contact.t_lower, contact.t_upper].map(|t| t * turned.abs());
                    assert!(!free && angle[0] <= quarter && angle[1] > quarter - 0.05, "{turned}: {angle:?}");
                    assert!(angle[1] - angle[0] < 1e-3, "{turned}: {angle:?}");
                }
                MotionVerdict::Undecided { .. } => panic!("{turned} is undecided"),
            }
        }
        assert!(motions.evaluations[0] < 2000, "{:?}", motions.evaluations);
    }
}

#[test]
fn any_contact_is_found_by_discrete_checks_before_anything_is_proven() {
    let (checker, request) = (fan(), MotionRequest { find: Find::Any, ..MotionRequest::default() });
    // At the end, in the middle, and after a quarter of the way; what is passed by them all is
    // proven.
    for (angle, most) in [(2.0_f64, 1), (1.0, 2), (0.5, 3), (1.93, 100)] {
        let scene = wire(0.9 * angle.cos(), 0.9 * angle.sin());
        let mut motions = MotionChecker::new(&checker, Some(&scene)).unwrap();
        let verdict = motions.segment(&Pose::IDENTITY, &[0.0, 0.0], &[0.0, 2.0], &request).unwrap();
        let MotionVerdict::Contact(contact) = verdict else { panic!("it went through the wire at {angle}") };
        assert!(contact.gap <= 1.1e-5 && (2.0 * contact.t_upper - angle).abs() < 0.01, "{angle}: {contact:?}");
        let found_by_checks = motions.evaluations[0] <= most && motions.evaluations[1] == 0;
        assert!(found_by_checks || most == 100 && motions.evaluations[1] > 0, "{angle}: {:?}", motions.evaluations);
    }
}

#[test]
fn a_search_that_gives_up_says_what_it_has_proven() {
    let (checker, scene) = (fan(), wire(0.0, 1.02));
    let mut motions = MotionChecker::new(&checker, Some(&scene)).unwrap();
    // It also rises a little, so that turns are not the same.
    let (from, to) = ([0.0, 0.0], [0.1, 1e9]);
    let mut last = 0.0;
    for max_evaluations in [0, 100, 10_000] {
        for find in [Find::First, Find::Any] {
            let request = MotionRequest { max_evaluations, find, ..MotionRequest::default() };
            let looked = motions.evaluations[0] + motions.evaluations[1];
            let verdict = motions.segment(&Pose::IDENTITY, &from, &to, &request).unwrap();
            let MotionVerdict::Undecided { t_lower, proven } = verdict else { panic!("{verdict:?}") };
            assert!((0.0..1e-3).contains(&t_lower) && (0.0..1e-3).contains(&proven), "{t_lower} {proven}");
            if find == Find::First {
                assert!(
                    t_lower >= last && (max_evaluations == 100 || (t_lower > 0.0) == (max_evaluations > 0)),
                    "{t_lower}"
                );
                last = t_lower;
            }
            assert!(motions.evaluations[0] + motions.evaluations[1] - looked <= max_evaluations + 8);
        }
    }
    // Ten turns are few enough.
    let (to, request) = ([0.1, 60.0], MotionRequest::default());
    let verdict = motions.segment(&Pose::IDENTITY, &from, &to, &request).unwrap();
    assert!(matches!(verdict, MotionVerdict::Free { margin } if margin > 0.0), "{verdict:?}");
}

#[test]
fn a_clearance_holds_all_samples_and_is_met_where_it_says() {
    let mut random = Random(77);
    let options = CheckOptions { padding: 0.003, margin: 0.002, ..CheckOptions::default() };
    let (mut plain, mut proven) = (checker(&options), checker(&options));
    proven.prove(&GapOptions { evaluations: 2000, ..GapOptions::default() }).unwrap();
    let (mut free, mut workspace) = (0, Workspace::default());
    for i in 0..24 {
        let scene = scene(&mut random, i % 2 == 0);
        let with_proofs = i % 3 == 0;
        let checker = if with_proofs { &mut proven } else { &mut plain };
        let mut motions = MotionChecker::new(checker, Some(&scene)).unwrap();
        let ends = [configuration(checker, &mut random), configuration(checker, &mut random)];
        let to = between(&ends[0], &ends[1], 0.5);
        let (from, base, request) = (&ends[0], at(0.1, -0.2, 0.3), MotionRequest::default());
        let curve = JointCurve::hermite([from, &to], [&vec![0.3; from.len()], &vec![-0.2; from.len()]]).unwrap();
        for curved in [false, true] {
            let place = |t: f64| if curved { curve.at(t) } else { between(from, &to, t) };
            let (verdict, found) = if curved {
                (motions.curve(&base, &curve, &request), motions.curve_clearance(&base, &curve, &request, 0.02))
            } else {
                let verdict = motions.segment(&base, from, &to, &request);
                (verdict, motions.segment_clearance(&base, from, &to, &request, 0.02))
            };
            let (verdict, found) = (verdict.unwrap(), found.unwrap().unwrap());
            let mut placement = checker.placement().unwrap();
            let mut least = |t: f64| {
                checker.place(&mut placement, &base, &place(t)).unwrap();
                let request = DistanceRequest::default();
                let own = checker.self_distance(&placement, &request, &mut workspace, None).unwrap();
                let around = checker.scene_distance(&placement, &scene, &request, &mut workspace, None).unwrap();
                own.upper.min(around.upper)
            };
            assert!(found.lower >= 0.0 && found.upper - found.lower <= 0.02 * found.upper + 1.2e-5, "{found:?}");
            assert!((least(found.t) - found.upper).abs() <= 0.01 * found.upper + 1e-5, "{found:?}");
            for step in 0..=200 {
                let sampled = least(f64::from(step) / 200.0);
                assert!(sampled >= found.lower - 1e-12, "{i}: {sampled} at step {step}, {found:?}");
            }
            match verdict {
                MotionVerdict::Free { margin } => {
                    free += 1;
                    assert!(margin <= found.upper && found.upper > 0.0, "{margin} {found:?}");
                }
                MotionVerdict::Contact(contact) => assert!(found.lower <= contact.gap + 1e-5, "{found:?}"),
                MotionVerdict::Undecided { .. } => panic!("undecided"),
            }
        }
    }
    assert!((8..40).contains(&free), "{free} of 48");
}

#[test]
fn a_clearance_has_nothing_to_come_near_to_or_no_time_to_be_found() {
    let checker = checker(&CheckOptions::default());
    let scene = Scene::default();
    let mut motions = MotionChecker::new(&checker, Some(&scene)).unwrap();
    let (from, to) = (vec![0.0; 6], vec![0.5; 6]);
    let around = MotionRequest { own: false, ..MotionRequest::default() };
    assert_eq!(motions.segment_clearance(&Pose::IDENTITY, &from, &to, &around, 0.01).unwrap(), None);
    let request = MotionRequest { max_evaluations: 1, ..MotionRequest::default() };
    let found = motions.segment_clearance(&Pose::IDENTITY, &from, &to, &request, 0.01).unwrap().unwrap();
    assert!(found.lower == 0.0 && found.upper > 0.0, "{found:?}");
    for rel_err in [-0.1, 1.0, f64::NAN] {
        assert!(motions.segment_clearance(&Pose::IDENTITY, &from, &to, &around, rel_err).is_err());
    }
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let request = MotionRequest { tolerance, ..MotionRequest::default() };
        assert!(motions.segment(&Pose::IDENTITY, &from, &to, &request).is_err(), "{tolerance}");
    }
}
