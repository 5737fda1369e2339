//! Gaps are never too large, and large enough where the answer is known.

use crate::random::Random;
use crate::support::{Referee, at, checked_pairs, made_robots, mobile, parts, random_configuration, sphere, two_arms};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_robot::{BodyPart, ErrorKind, GapOptions, Gaps, JointSpec, Robot, RobotBuilder, Tables, Verdict};

/// An arm of two links in a plane, the tip a sphere, and a sphere on the base at (x, 0, 0).
fn reacher(x: f64, limits: [f64; 2]) -> Robot {
    RobotBuilder::new("reacher")
        .link("base", [sphere(at(x, 0.0, 0.0), 0.1)])
        .link("upper", [])
        .link("lower", [sphere(at(0.7, 0.0, 0.0), 0.05)])
        .joint(JointSpec::revolute("shoulder", "base", "upper", DVec3::Z, limits))
        .joint(JointSpec::revolute("elbow", "upper", "lower", DVec3::Z, [-2.0, 2.0]).at(at(1.0, 0.0, 0.0)))
        .build()
        .unwrap()
}

fn prove(robot: &Robot) -> Gaps {
    Gaps::prove(robot, &parts(robot), &checked_pairs(robot), &GapOptions::default()).unwrap()
}

#[test]
fn a_gap_that_is_known_is_proven_to_within_its_tightness() {
    // Stretched out the tip is at 1.7, folded it is no nearer to the shoulder than with the elbow
    // at ±2.
    let inner = (1.0 + 0.49 + 1.4 * 2.0_f64.cos()).sqrt();
    for (x, limits, expected) in
        [(2.0, [-1.0, 1.0], 2.0 - 1.7 - 0.15), (1.86, [-3.0, 3.0], 0.01), (0.0, [-1.0, 1.0], inner - 0.15)]
    {
        let robot = reacher(x, limits);
        let options = GapOptions { refinements: 3000, ..GapOptions::default() };
        let gaps = Gaps::prove(&robot, &parts(&robot), &[[0, 2]], &options).unwrap();
        let gap = gaps.gap(0, 2);
        assert!(gap <= expected && gap >= 0.9 * expected, "{x}: {gap} instead of {expected}, {:?}", gaps.pair(2, 0));
        let Verdict::Never { gap: stated, nearest } = gaps.pair(2, 0).unwrap().verdict else { panic!("{gaps:?}") };
        assert!(stated == gap && nearest >= expected - 1e-12);
    }
}

#[test]
fn more_effort_proves_more_of_a_known_gap() {
    let robot = reacher(2.0, [-1.0, 1.0]);
    let expected = 2.0 - 1.7 - 0.15;
    let options = GapOptions { tightness: 0.01, refinements: 20_000, ..GapOptions::default() };
    let gap = Gaps::prove(&robot, &parts(&robot), &[[0, 2]], &options).unwrap().gap(0, 2);
    assert!(gap <= expected && gap >= 0.99 * expected, "{gap}");
}

#[test]
fn a_pair_that_can_collide_is_not_called_never_and_its_witness_collides() {
    for (x, limits) in [(1.8, [-1.0, 1.0]), (1.84, [-3.0, 3.0]), (1.0, [0.5, 1.0]), (1.8499, [-1.0, 1.0])] {
        let robot = reacher(x, limits);
        let gaps = prove(&robot);
        assert_eq!(gaps.gap(0, 2), 0.0);
        let Verdict::Sometimes { configuration } = &gaps.pair(0, 2).unwrap().verdict else {
            panic!("{x}: {:?}", gaps.pair(0, 2))
        };
        assert_eq!(robot.outside_limits(configuration).count(), 0);
        let (mut poses, parts) = (Vec::new(), parts(&robot));
        robot.link_poses(&Pose::IDENTITY, configuration, &mut poses).unwrap();
        let [a, b] = [0, 2].map(|body| (&parts[body][..], robot.body_pose(&poses, body)));
        assert_eq!(Referee::new().distance(a, b, f64::INFINITY), Some(0.0));
    }
}

/// No random configuration is closer than the gaps; gives how many pairs have one.
pub fn never_closer(robot: &Robot, gaps: &Gaps, count: usize) -> usize {
    let (parts, mut random, mut referee, mut poses) = (parts(robot), Random(3), Referee::new(), Vec::new());
    for _ in 0..count {
        let configuration = random_configuration(robot, &mut random);
        robot.link_poses(&Pose::IDENTITY, &configuration, &mut poses).unwrap();
        for pair in gaps.pairs().iter().filter(|pair| pair.gap > 0.0) {
            let [a, b] = pair.bodies.map(|body| (&parts[body][..], robot.body_pose(&poses, body)));
            let nearer = referee.distance(a, b, pair.gap);
            assert_eq!(nearer, None, "{}: {pair:?} at {configuration:?}", robot.name());
        }
    }
    gaps.pairs().iter().filter(|pair| pair.gap > 0.0).count()
}

#[test]
fn no_random_configuration_is_closer_than_a_gap() {
    for robot in made_robots() {
        let gaps = prove(&robot);
        let proven = never_closer(&robot, &gaps, 20_000);
        eprintln!("{}: {proven} of {} pairs have a gap", robot.name(), gaps.pairs().len());
        assert!(proven > 0, "{}", robot.name());
    }
}

#[test]
fn nothing_is_proven_across_a_joint_without_bounds_and_all_of_a_body_without_geometry() {
    let robot = mobile();
    let body = |name| robot.body_of(robot.link_index(name).unwrap());
    let gaps = Gaps::prove(&robot, &parts(&robot), &[[body("hand"), body("camera")]], &GapOptions::default()).unwrap();
    assert_eq!(gaps.gap(body("camera"), body("hand")), 0.0);
    assert!(matches!(gaps.pairs()[0].verdict, Verdict::Undecided { .. }));
    let mut without = parts(&robot);
    without[body("camera")].clear();
    let gaps = Gaps::prove(&robot, &without, &[[body("hand"), body("camera")]], &GapOptions::default()).unwrap();
    assert_eq!(gaps.gap(body("hand"), body("camera")), f64::INFINITY);
}

#[test]
fn bodies_that_overlap_whatever_happens_collide_always() {
    // The inner sphere stays in the outer one.
    let robot = RobotBuilder::new("r")
        .link("a", [sphere(Pose::IDENTITY, 1.0)])
        .link("b", [])
        .link("c", [sphere(Pose::IDENTITY, 0.3)])
        .joint(JointSpec::prismatic("p", "a", "b", DVec3::X, [-0.1, 0.1]))
        .joint(JointSpec::continuous("r", "b", "c", DVec3::Y))
        .build()
        .unwrap();
    assert!(matches!(prove(&robot).pairs()[0].verdict, Verdict::Always { proven: false, samples: 256 }));
    let still = RobotBuilder::new("r")
        .link("a", [sphere(Pose::IDENTITY, 1.0)])
        .link("b", [sphere(at(1.2, 0.0, 0.0), 0.3)])
        .link("c", [sphere(at(0.0, 1.4, 0.0), 0.3)])
        .joint(JointSpec::revolute("q", "a", "b", DVec3::Z, [0.5, 0.5]))
        .joint(JointSpec::revolute("s", "a", "c", DVec3::Z, [0.5, 0.5]))
        .build()
        .unwrap();
    let gaps = Gaps::prove(&still, &parts(&still), &[[0, 1], [0, 2]], &GapOptions::default()).unwrap();
    assert_eq!(gaps.pairs()[0].verdict, Verdict::Always { proven: true, samples: 1 });
    assert!((gaps.gap(0, 2) - 0.1).abs() < 1e-9 && gaps.gap(0, 2) < 0.1, "{gaps:?}");
}

#[test]
fn a_joint_that_turns_for_ever_and_its_followers_are_searched_all_around() {
    // The follower turns by half the angle: only after more than one turn of the leader it faces
    // the sphere behind.
    let build = |multiplier: f64| {
        RobotBuilder::new("r")
            .link("base", [sphere(at(-1.0, 0.0, 0.0), 0.2)])
            .link("middle", [])
            .link("leader", [])
            .link("follower", [sphere(at(1.0, 0.0, 0.0), 0.2)])
            .joint(JointSpec::continuous("lead", "base", "leader", DVec3::X))
            .joint(JointSpec::fixed("mount", "base", "middle"))
            .joint(JointSpec::continuous("follow", "middle", "follower", DVec3::Z).mimic("lead", multiplier, 0.0))
            .build()
            .unwrap()
    };
    for multiplier in [0.5, 1.0, -3.0] {
        let robot = build(multiplier);
        let body = robot.body_of(robot.link_index("follower").unwrap());
        let gaps = Gaps::prove(&robot, &parts(&robot), &[[0, body]], &GapOptions::default()).unwrap();
        assert!(matches!(gaps.pairs()[0].verdict, Verdict::Sometimes { .. }), "{multiplier}: {gaps:?}");
    }
    let robot = build(0.0);
    let gaps = Gaps::prove(&robot, &parts(&robot), &[[0, 2]], &GapOptions::default()).unwrap();
    assert!((gaps.gap(0, 2) - 1.6).abs() < 0.2, "{gaps:?}");
}

#[test]
fn tables_are_minima_over_all_pairs_below_their_nodes() {
    let robot = two_arms(4, true);
    let gaps = prove(&robot);
    let tables = Tables::new(&robot, &gaps).unwrap();
    let base = |a: usize, b: usize| gaps.pair(a, b).map_or(f64::INFINITY, |pair| pair.gap);
    let count = robot.bodies().len();
    let least =
        |pairs: &mut dyn Iterator<Item = (usize, usize)>| pairs.map(|(a, b)| base(a, b)).fold(f64::INFINITY, f64::min);
    for i in 0..count {
        let below = robot.body_subtree(i);
        assert_eq!(tables.self_gap(i), least(&mut below.clone().flat_map(|a| below.clone().map(move |b| (a, b)))));
        for k in 0..count {
            assert_eq!(tables.base(i, k), base(i, k));
            assert_eq!(tables.rigid(i, k), least(&mut robot.body_subtree(k).map(|b| (i, b))));
            let all = below.clone().flat_map(|a| robot.body_subtree(k).map(move |b| (a, b)));
            assert_eq!(tables.motion(i, k), least(&mut all.collect::<Vec<_>>().into_iter()));
        }
    }
    assert!((1..count).any(|i| tables.self_gap(i) > 0.0 && tables.self_gap(i) < f64::INFINITY));
}

/// A geometry that no dispatcher knows.
struct Unknown;

impl clearance_engine::tree::Geometry for Unknown {
    fn kind(&self) -> &'static str {
        "unknown"
    }

    fn revision(&self) -> u64 {
        0
    }

    fn sphere(&self) -> clearance_engine::volume::BoundingSphere {
        clearance_engine::volume::BoundingSphere { center: DVec3::ZERO, radius: 0.1 }
    }
}

#[test]
fn a_geometry_without_a_test_is_an_error_however_far_away_it_is() {
    let robot = reacher(1.0, [-1.0, 1.0]);
    let mut bodies = parts(&robot);
    bodies[2].push(BodyPart::new(std::sync::Arc::new(Unknown), at(100.0, 0.0, 0.0)));
    let error = Gaps::prove(&robot, &bodies, &[[0, 2]], &GapOptions::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
}

#[test]
fn wrong_pairs_and_options_are_errors() {
    let robot = reacher(1.0, [-1.0, 1.0]);
    let bodies = parts(&robot);
    let default = GapOptions::default();
    for (bodies, pairs, options) in [
        (&bodies[..2], [0, 1], default),
        (&bodies[..], [0, 3], default),
        (&bodies[..], [1, 1], default),
        (&bodies[..], [0, 2], GapOptions { tightness: f64::NAN, ..default }),
    ] {
        let error = Gaps::prove(&robot, bodies, &[pairs], &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfRange, "{error}");
    }
}

#[cfg(feature = "parallel")]
#[test]
fn any_number_of_threads_gives_the_same_gaps() {
    let robot = crate::support::many_joints();
    let (parts, pairs) = (parts(&robot), checked_pairs(&robot));
    let with = |threads| Gaps::prove(&robot, &parts, &pairs, &GapOptions { threads, ..GapOptions::default() }).unwrap();
    assert_eq!(with(1).pairs(), with(2).pairs());
    assert_eq!(with(1).pairs(), with(0).pairs());
}

#[test]
fn an_observer_hears_of_every_pair_once() {
    let robot = crate::support::many_joints();
    let (parts, pairs) = (parts(&robot), checked_pairs(&robot));
    let dispatcher = clearance_engine::dispatch::Dispatcher::standard();
    for threads in [1, 2] {
        let heard = std::sync::Mutex::new(Vec::new());
        let observe = |decided, all| heard.lock().unwrap().push((decided, all));
        let options = GapOptions { evaluations: 100, threads, ..GapOptions::default() };
        let gaps = Gaps::prove_observed(&dispatcher, &robot, &parts, &pairs, &options, &observe).unwrap();
        let mut heard = heard.into_inner().unwrap();
        heard.sort_unstable();
        let expected: Vec<_> = (1..=gaps.pairs().len()).map(|decided| (decided, pairs.len())).collect();
        assert_eq!(heard, expected, "{threads} threads");
    }
}
