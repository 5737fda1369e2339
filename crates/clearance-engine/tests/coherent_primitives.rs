//! What is remembered of two convex polyhedra, or other solids, makes their next answer faster and
//! changes none: along sequences in steps of a degree and a percent of the size, and of steps ten
//! times as small and as large, through contact and back, for few and many vertices, however the
//! solids lie in their own frames.

mod support;

use clearance_engine::Pose;
use clearance_engine::dispatch::{Dispatcher, PairQuery, PairTest, Primitives, Session};
use clearance_engine::math::{DMat3, DQuat, DVec3};
use clearance_engine::query::{CollideGoal, Distance, DistanceGoal, DistanceRequest, VisitGoal, WithinGoal};
use clearance_engine::shape::{Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Sphere};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::Solid;
use support::Random;

/// A cube, hulls of points on a sphere that is not quite one, and two thin ones; of size 1.
fn bodies(random: &mut Random) -> Vec<ConvexPolyhedron> {
    let cube: Vec<DVec3> =
        (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) - 0.5).collect();
    let mut all = vec![ConvexPolyhedron::hull_of(&cube).unwrap()];
    for (count, thickness) in
        [(6, 0.45), (12, 0.45), (30, 0.45), (33, 0.45), (300, 0.45), (1500, 0.45), (20, 1e-6), (60, 1e-6)]
    {
        let stretch = DVec3::new(0.5, 0.4, thickness);
        let points: Vec<DVec3> = (0..count).map(|_| random.rotation() * DVec3::Z * stretch).collect();
        all.push(ConvexPolyhedron::hull_of(&points).unwrap());
    }
    all
}

/// Poses in a row, by angle and length of a step, that stay near contact.
fn sequence(random: &mut Random, step: f64, count: usize) -> Vec<Pose> {
    let (mut turn, mut place) = (DMat3::from_quat(random.rotation()), random.vector());
    let (axis, mut heading) = (random.vector().normalize(), random.vector().normalize());
    let turning = DMat3::from_quat(DQuat::from_axis_angle(axis, 1.75 * step));
    let mut poses = Vec::new();
    for _ in 0..count {
        poses.push(Pose::from_matrix(turn, place).unwrap());
        heading = (heading + random.vector() * 0.2).normalize();
        let next = place + heading * step;
        if next.length() > 1.3 {
            heading = -next.normalize();
        }
        place += heading * step;
        turn = turning * turn;
    }
    poses
}

/// Whether a point is in a solid, up to 1e-12.
fn has(solid: &Solid, dispatcher: &Dispatcher, point: DVec3) -> bool {
    let near = Solid::new(Sphere::new(1e-12).unwrap());
    let pose = Pose::from_translation(point).unwrap();
    dispatcher.plan(solid, &near).unwrap().collide(&pose, &mut Workspace::default(), None).colliding
}

fn assert_same(cold: &Distance, warm: &Distance, what: &str) {
    assert_eq!(cold.colliding(), warm.colliding(), "{what}: {cold:?} {warm:?}");
    assert!(cold.lower <= warm.upper && warm.lower <= cold.upper, "{what}: {cold:?} {warm:?}");
    assert!(warm.upper - warm.lower <= 1e-12, "{what}: {warm:?}");
    assert_eq!((cold.status, cold.stats), (warm.status, warm.stats), "{what}");
    let witness = warm.witness.expect("something is closest");
    let apart = witness.point_a.distance(witness.point_b);
    assert!((apart - warm.upper).abs() <= 1e-12, "{what}: {warm:?}");
}

/// Asks about each pose with and without a memory; how many collide.
fn compare(plan: &PairQuery<'_>, [a, b]: [&Solid; 2], dispatcher: &Dispatcher, poses: &[Pose], what: &str) -> usize {
    let (mut workspace, request) = (Workspace::default(), DistanceRequest::default());
    let (mut for_distances, mut for_collisions) = (WarmStart::default(), WarmStart::default());
    let mut hits = 0;
    for (i, pose) in poses.iter().enumerate() {
        let what = format!("{what}, step {i}");
        let cold = plan.distance(pose, &request, &mut workspace, None).unwrap();
        let warm = plan.distance(pose, &request, &mut workspace, Some(&mut for_distances)).unwrap();
        assert_same(&cold, &warm, &what);
        let points = warm.witness.unwrap();
        assert!(has(a, dispatcher, points.point_a), "{what}: {warm:?}");
        assert!(has(b, dispatcher, pose.inverse().transform_point(points.point_b)), "{what}: {warm:?}");
        let cold = plan.collide(pose, &mut workspace, None);
        let warm = plan.collide(pose, &mut workspace, Some(&mut for_collisions));
        assert_eq!((cold.colliding, cold.leaves), (warm.colliding, warm.leaves), "{what}");
        hits += usize::from(cold.colliding);
    }
    hits
}

#[test]
fn answers_along_a_sequence_are_the_same_with_a_memory() {
    let (mut random, dispatcher) = (Random(41), Dispatcher::standard());
    let (mut hits, mut misses) = (0, 0);
    for (number, body) in bodies(&mut random).iter().enumerate() {
        let lying = Pose::new(random.rotation(), random.vector() * 0.1).unwrap();
        let (upright, turned) = (Solid::new(body.clone()), Solid::new(body.transformed(&lying)));
        for (a, b) in [(&upright, &upright), (&upright, &turned), (&turned, &upright), (&turned, &turned)] {
            let plan = dispatcher.plan(a, b).unwrap();
            for step in [0.001, 0.01, 0.1] {
                let mut poses = sequence(&mut random, step, 120);
                // What is remembered may be of anywhere.
                poses.extend((0..40).map(|_| Pose::new(random.rotation(), random.vector()).unwrap()));
                let found = compare(&plan, [a, b], &dispatcher, &poses, &format!("body {number}, steps of {step}"));
                (hits, misses) = (hits + found, misses + poses.len() - found);
            }
        }
    }
    assert!(hits > 1000 && misses > 1000, "{hits} {misses}");
}

#[test]
fn a_memory_of_other_bodies_changes_no_answer() {
    let (mut random, dispatcher, mut workspace) = (Random(42), Dispatcher::standard(), Workspace::default());
    let solids: Vec<Solid> = bodies(&mut random).into_iter().map(Solid::new).collect();
    let (mut warm_start, request) = (WarmStart::default(), DistanceRequest::default());
    for round in 0..400 {
        let (a, b) = (&solids[random.below(solids.len())], &solids[random.below(solids.len())]);
        let plan = dispatcher.plan(a, b).unwrap();
        let pose = Pose::new(random.rotation(), random.vector()).unwrap();
        let cold = plan.distance(&pose, &request, &mut workspace, None).unwrap();
        let warm = plan.distance(&pose, &request, &mut workspace, Some(&mut warm_start)).unwrap();
        assert_same(&cold, &warm, &format!("round {round}"));
        // What is remembered stays when an answer is beyond a limit.
        for part in [0.5, 1.0, 2.0] {
            let limited = DistanceRequest { max_d: part * cold.upper, ..request };
            let beyond = plan.distance(&pose, &limited, &mut workspace, Some(&mut warm_start)).unwrap();
            if beyond.witness.is_none() {
                assert!(limited.max_d <= cold.upper && beyond.lower == limited.max_d, "round {round}: {beyond:?}");
            } else {
                assert!(part > 0.5 || cold.upper == 0.0, "round {round}: {beyond:?}");
                assert_same(&cold, &beyond, &format!("round {round}, limit {}", limited.max_d));
            }
            let again = plan.distance(&pose, &request, &mut workspace, Some(&mut warm_start)).unwrap();
            assert_same(&cold, &again, &format!("round {round} after a limit of {}", limited.max_d));
        }
        let cold = plan.collide(&pose, &mut workspace, None);
        for again in ["", ", again"] {
            let warm = plan.collide(&pose, &mut workspace, Some(&mut warm_start));
            assert_eq!((cold.colliding, cold.leaves), (warm.colliding, warm.leaves), "round {round}{again}");
        }
    }
}

#[test]
fn decisions_about_other_solids_are_the_same_with_a_memory() {
    let (mut random, dispatcher, mut workspace) = (Random(43), Dispatcher::standard(), Workspace::default());
    let half = DVec3::new(0.5, 0.4, 0.3);
    let mut solids = vec![
        Solid::new(Sphere::new(0.5).unwrap()),
        Solid::new(Capsule::from_half_length(0.3, 0.3).unwrap()),
        Solid::new(Cuboid::from_half_extents(half).unwrap()),
        Solid::new(Cylinder::from_half_length(0.4, 0.3).unwrap()),
        Solid::new(Cone::from_half_length(0.4, 0.5).unwrap()),
        Solid::new(Ellipsoid::new(half).unwrap()),
        Solid::new(bodies(&mut random).swap_remove(3)),
    ];
    let lying = Pose::new(random.rotation(), random.vector() * 0.1).unwrap();
    solids.extend(solids.clone().iter().map(|solid| Solid::new(solid.shape().transformed(&lying))));
    let (mut hits, mut untested) = ([0; 2], [0; 2]);
    for (a, b) in solids.iter().flat_map(|a| solids.iter().map(move |b| (a, b))) {
        let (plan, mut warm_start) = (dispatcher.plan(a, b).unwrap(), WarmStart::default());
        for (step, pose) in sequence(&mut random, 0.02, 100).iter().enumerate() {
            let cold = plan.collide(pose, &mut workspace, None);
            let warm = plan.collide(pose, &mut workspace, Some(&mut warm_start));
            let what = format!("{:?} {:?} step {step}", a.shape(), b.shape());
            assert_eq!((cold.colliding, cold.leaves), (warm.colliding, warm.leaves), "{what}");
            hits[usize::from(cold.colliding)] += 1;
            untested[usize::from(cold.colliding)] += usize::from(warm.stats.leaf_tests == 0);
        }
    }
    // What spheres tell is not looked at.
    assert!(
        hits.iter().zip(untested).all(|(all, untested)| untested > all / 5 && untested < *all),
        "{hits:?} {untested:?}"
    );
}

/// Solids collide where they are nearer than 0.5: a test of a user's own, by the built-in one with
/// b moved.
struct Nearer;

/// Half a unit towards the origin.
fn nearer(a_from_b: &Pose) -> Pose {
    let place = a_from_b.translation();
    Pose::from_matrix(*a_from_b.rotation(), place - place.normalize() * 0.5).unwrap()
}

macro_rules! as_solids_but_nearer {
    ($($question:ident $goal:ty),*) => {
        $(fn $question(&self, a: &Solid, b: &Solid, a_from_b: &Pose, goal: &mut $goal, session: &mut Session<'_>) {
            PairTest::<Solid, Solid>::$question(&Primitives, a, b, &nearer(a_from_b), goal, session);
        })*
    };
}

impl PairTest<Solid, Solid> for Nearer {
    as_solids_but_nearer!(distance DistanceGoal, collide CollideGoal, visit VisitGoal<'_>, within WithinGoal);
}

#[test]
fn what_a_memory_knows_of_solids_does_not_answer_for_tests_of_other_kinds() {
    let mut dispatcher = Dispatcher::standard();
    let sphere = Solid::new(Sphere::new(1.0).unwrap());
    let (mut workspace, mut warm_start) = (Workspace::default(), WarmStart::default());
    let pose = Pose::from_translation(DVec3::X * 2.3).unwrap();
    let mut colliding = |dispatcher: &Dispatcher| {
        dispatcher.plan(&sphere, &sphere).unwrap().collide(&pose, &mut workspace, Some(&mut warm_start)).colliding
    };
    assert_eq!([colliding(&dispatcher), colliding(&dispatcher)], [false; 2]);
    dispatcher.register::<Solid, Solid>("nearer", Nearer);
    assert_eq!([colliding(&dispatcher), colliding(&dispatcher)], [true; 2]);
    dispatcher.remove::<Solid, Solid>("nearer").unwrap();
    assert_eq!([colliding(&dispatcher), colliding(&dispatcher)], [false; 2]);
}
