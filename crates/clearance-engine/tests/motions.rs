//! First times of contact. Referees: exact integers for triangles that translate, dense samples of
//! the engine's own answers for all else.
//!
//! What must hold: a motion reported free has no sample that collides or is nearer than its margin;
//! nothing collides before `t_lower`; at `t_upper` the bodies are as near as `gap` says; and the
//! exact time of contact is between both.

mod support;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::motion::{Approach, ImpactAnswer, ImpactRequest, Motion, TimeOfImpact, time_of_impact};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Capsule, Cuboid, HalfSpace, Plane, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{
    Bvh8, Geometry, HalfSpaceGeometry, HeightField, Mesh, NestedTree, PointCloud, Solid, SphereTree,
};
use clearance_engine::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere as SphereVolume};
use clearance_engine::{Pose, TriMesh};
use support::Random;

const APPROACHES: [Approach; 4] = [Approach::Distance, Approach::Directional, Approach::Swept, Approach::Trajectory];

type Body<'b> = (&'b dyn Geometry, &'b Motion);

fn ask(bodies: [Body<'_>; 2], request: &ImpactRequest) -> ImpactAnswer {
    time_of_impact(&Dispatcher::standard(), bodies, request, &mut Workspace::default()).unwrap()
}

fn with(approach: Approach) -> ImpactRequest {
    ImpactRequest { approach, ..ImpactRequest::default() }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn straight(from: Pose, velocity: DVec3) -> Motion {
    Motion::moving(&from, DVec3::ZERO, velocity, DVec3::ZERO, 1.0).unwrap()
}

fn still() -> Motion {
    Motion::still(&Pose::IDENTITY)
}

/// The distance at a time.
fn distance(
    [(a, motion_a), (b, motion_b)]: [Body<'_>; 2],
    t: f64,
    dispatcher: &Dispatcher,
    workspace: &mut Workspace,
) -> [f64; 2] {
    let a_from_b = motion_a.pose(t).inverse().then(&motion_b.pose(t));
    let found =
        dispatcher.plan(a, b).unwrap().distance(&a_from_b, &DistanceRequest::default(), workspace, None).unwrap();
    [found.lower, found.upper]
}

/// Holds an answer against samples.
fn judge(bodies: [Body<'_>; 2], request: &ImpactRequest, samples: usize, case: &str) -> ImpactAnswer {
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let answer = time_of_impact(&dispatcher, bodies, request, &mut workspace).unwrap();
    let wanted = request.distance;
    let free_until = answer.free_until();
    for i in 0..=samples {
        let t = answer.duration * i as f64 / samples as f64;
        let [_, upper] = distance(bodies, t, &dispatcher, &mut workspace);
        match answer.first {
            TimeOfImpact::Free { margin } => {
                assert!(margin > 0.0 && upper >= wanted + margin - 1e-12, "{case}: {upper} at {t}: {answer:?}");
            }
            _ => assert!(t >= free_until || upper > wanted, "{case}: {upper} at {t}: {answer:?}"),
        }
    }
    if let TimeOfImpact::Contact(touch) = answer.first {
        assert!(0.0 <= touch.t_lower && touch.t_lower <= touch.t_upper && touch.t_upper <= answer.duration, "{case}");
        let [lower, _] = distance(bodies, touch.t_upper, &dispatcher, &mut workspace);
        assert!(touch.gap <= request.tolerance && lower <= wanted + touch.gap + 1e-12, "{case}: {lower} {answer:?}");
    }
    answer
}

#[test]
fn a_sphere_of_any_speed_does_not_pass_through_a_thin_sheet() {
    let vertices = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let sheet: Mesh = Mesh::new(TriMesh::new(vertices.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()).unwrap();
    let (sphere, plane) =
        (Solid::new(Sphere::new(1e-3).unwrap()), HalfSpaceGeometry::new(Plane::new(DVec3::Z, 0.0).unwrap()));
    for speed in [1.0, 1e3, 1e6, 1e9] {
        for approach in APPROACHES {
            let falling = straight(at(0.2, 0.1, 0.25 * speed), DVec3::Z * -speed);
            for obstacle in [&sheet as &dyn Geometry, &plane] {
                let answer = ask([(&sphere, &falling), (obstacle, &still())], &with(approach));
                let TimeOfImpact::Contact(touch) = answer.first else { panic!("{speed} {approach:?}: {answer:?}") };
                let truth = (0.25 * speed - 1e-3) / speed;
                // The tolerance, or what rounding of coordinates of this size takes.
                let width = 1e-6_f64.max(1e-12 * speed) / speed;
                assert!(touch.gap == 0.0 && touch.t_lower <= truth, "{speed}: {touch:?}");
                assert!(
                    truth <= touch.t_upper * (1.0 + 1e-14) && touch.t_upper - touch.t_lower <= 3.0 * width,
                    "{touch:?} {truth}"
                );
                assert!(touch.normal.is_some_and(|normal| normal.distance(-DVec3::Z) < 1e-6), "{touch:?}");
            }
        }
    }
}

#[test]
fn bodies_that_touch_from_the_start_touch_at_zero_and_still_ones_are_as_free_as_they_are_apart() {
    let (cube, sphere) =
        (Solid::new(Cuboid::from_half_extents(DVec3::ONE).unwrap()), Solid::new(Sphere::new(0.5).unwrap()));
    for approach in APPROACHES {
        for start in [at(0.0, 0.0, 1.5), at(0.3, 0.2, 0.1)] {
            let leaving = straight(start, DVec3::Z);
            let answer = ask([(&cube, &still()), (&sphere, &leaving)], &with(approach));
            let TimeOfImpact::Contact(touch) = answer.first else { panic!("{answer:?}") };
            assert_eq!((touch.t_lower, touch.t_upper), (0.0, 0.0));
        }
        let answer = ask([(&cube, &still()), (&sphere, &Motion::still(&at(0.0, 0.0, 2.0)))], &with(approach));
        let TimeOfImpact::Free { margin } = answer.first else { panic!("{answer:?}") };
        // Nothing can happen, and nothing farther than that is looked for.
        assert!(margin > 0.0 && margin <= 0.5 && answer.steps == 1, "{answer:?}");
    }
}

#[test]
fn a_body_that_slides_along_a_plane_is_free_in_a_few_steps_where_directions_count() {
    let floor = HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0).unwrap());
    let table = Solid::new(Cuboid::from_half_extents(DVec3::new(50.0, 50.0, 1.0)).unwrap());
    let cube = Solid::new(Cuboid::from_half_extents(DVec3::splat(0.5)).unwrap());
    for (under, height) in [(&floor as &dyn Geometry, 0.0), (&table, 1.0)] {
        let sliding = straight(at(-20.0, 0.0, height + 0.501), DVec3::X * 40.0);
        let bodies: [Body<'_>; 2] = [(under, &still()), (&cube, &sliding)];
        let plain = judge(bodies, &with(Approach::Distance), 50, "sliding");
        let directed = judge(bodies, &with(Approach::Directional), 50, "sliding");
        assert!(
            matches!(plain.first, TimeOfImpact::Free { .. }) && matches!(directed.first, TimeOfImpact::Free { .. })
        );
        assert!(directed.steps <= 3 && plain.steps > 1000, "{} {}", directed.steps, plain.steps);
        // Down by a little more than the gap on the way: it touches before the end.
        let sinking = straight(at(-20.0, 0.0, height + 0.501), DVec3::new(40.0, 0.0, -0.002));
        let answer = judge([(under, &still()), (&cube, &sinking)], &with(Approach::Directional), 50, "sinking");
        let TimeOfImpact::Contact(touch) = answer.first else { panic!("{answer:?}") };
        assert!(touch.t_lower <= 0.5 && touch.t_lower > 0.499, "{touch:?}");
    }
}

#[test]
fn a_grazing_pass_is_free_or_within_the_tolerance_by_what_it_is_in_truth() {
    let sphere = Solid::new(Sphere::new(0.5).unwrap());
    for (miss, expected) in [(1e-3, true), (1e-5, true), (1e-8, false), (-1e-8, false), (-1e-3, false)] {
        for approach in APPROACHES {
            let passing = straight(at(-2.0, 1.0 + miss, 0.0), DVec3::X * 4.0);
            let answer = judge([(&sphere, &still()), (&sphere, &passing)], &with(approach), 400, "grazing");
            assert_eq!(matches!(answer.first, TimeOfImpact::Free { .. }), expected, "{miss} {approach:?}: {answer:?}");
            if let TimeOfImpact::Contact(touch) = answer.first {
                // Where the centres are 1 and a tolerance apart: a chord of the circle.
                assert!((touch.t_lower - 0.5).abs() < 0.02 && (miss > -1e-4 || touch.gap == 0.0), "{touch:?}");
            }
        }
    }
}

#[test]
fn a_spinning_needle_hits_a_peg_that_only_its_tip_reaches() {
    let needle = Solid::new(Capsule::from_half_length(1e-3, 1.0).unwrap());
    let peg = Solid::new(Sphere::new(0.01).unwrap());
    let peg_motion = Motion::still(&at(0.9, 0.0, 0.0));
    // From the z axis a quarter turn about y to the peg, at 500 turns; and about its own axis,
    // where it stays.
    let spin = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::Y * 3000.0, 1.0).unwrap();
    for approach in APPROACHES {
        let answer = judge([(&needle, &spin), (&peg, &peg_motion)], &with(approach), 100, "needle");
        let TimeOfImpact::Contact(touch) = answer.first else { panic!("{answer:?}") };
        let truth = (std::f64::consts::FRAC_PI_2 - (0.011_f64 / 0.9).asin()) / 3000.0;
        assert!(
            touch.t_lower <= truth && truth <= touch.t_upper && touch.t_upper - touch.t_lower < 1e-8,
            "{touch:?} {truth}"
        );
        let twirl = Motion::moving(&Pose::IDENTITY, DVec3::ZERO, DVec3::ZERO, DVec3::Z * 3000.0, 1.0).unwrap();
        let answer = judge([(&needle, &twirl), (&peg, &peg_motion)], &with(approach), 100, "twirling needle");
        assert!(matches!(answer.first, TimeOfImpact::Free { .. }), "{answer:?}");
    }
}

#[test]
fn a_clearance_is_lost_when_it_is_lost_and_a_thrown_sphere_lands_when_it_lands() {
    let (sphere, floor) =
        (Solid::new(Sphere::new(0.1).unwrap()), HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0).unwrap()));
    let (up, gravity) = (DVec3::new(1.0, 0.0, 3.0), DVec3::Z * -9.81);
    let thrown = Motion::thrown(&at(0.0, 0.0, 1.0), DVec3::ZERO, [up, gravity], DVec3::Y * 5.0, 3.0).unwrap();
    for distance in [0.0, 0.25] {
        for approach in APPROACHES {
            let request = ImpactRequest { distance, ..with(approach) };
            let answer = judge([(&floor, &still()), (&sphere, &thrown)], &request, 300, "thrown");
            let TimeOfImpact::Contact(touch) = answer.first else { panic!("{answer:?}") };
            let fall = 1.0 - 0.1 - distance;
            let truth = (3.0 + (9.0 + 2.0 * 9.81 * fall).sqrt()) / 9.81;
            assert!(touch.t_lower <= truth && truth <= touch.t_upper + 1e-12, "{touch:?} {truth}");
            assert!(touch.t_upper - touch.t_lower < 1e-5, "{touch:?}");
        }
    }
}

#[test]
fn a_search_that_runs_out_of_steps_says_how_far_it_came() {
    let cube = Solid::new(Cuboid::from_half_extents(DVec3::ONE).unwrap());
    let sliding = straight(at(-10.0, 0.0, 2.001), DVec3::X * 20.0);
    let request = ImpactRequest { max_evaluations: 50, ..with(Approach::Distance) };
    let answer = judge([(&cube, &still()), (&cube, &sliding)], &request, 200, "budget");
    assert!(
        matches!(answer.first, TimeOfImpact::Undecided { t_lower } if t_lower > 0.3 && t_lower < 0.6),
        "{answer:?}"
    );
}

#[test]
fn requests_and_pairs_that_make_no_sense_are_refused() {
    let (cube, floor) = (
        Solid::new(Cuboid::from_half_extents(DVec3::ONE).unwrap()),
        HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.0).unwrap()),
    );
    let (dispatcher, mut workspace, still) = (Dispatcher::standard(), Workspace::default(), still());
    for request in [
        ImpactRequest { distance: -1.0, ..ImpactRequest::default() },
        ImpactRequest { tolerance: f64::NAN, ..ImpactRequest::default() },
        ImpactRequest { keep: 0.95, ..ImpactRequest::default() },
    ] {
        assert!(time_of_impact(&dispatcher, [(&cube, &still), (&cube, &still)], &request, &mut workspace).is_err());
    }
    let request = ImpactRequest::default();
    assert!(time_of_impact(&dispatcher, [(&floor, &still), (&floor, &still)], &request, &mut workspace).is_err());
}

#[test]
fn random_motions_of_all_kinds_of_geometries_are_what_dense_samples_say() {
    let mut random = Random(71);
    let (mut free, mut hits, mut steps) = (0, 0, [0; 4]);
    for case in 0..400 {
        let mut geometry = |unbounded: bool| -> Box<dyn Geometry> {
            match random.below(if unbounded { 6 } else { 4 }) {
                0 => Box::new(Mesh::<Obb>::new(random.tri_mesh(20, 0.3, DVec3::ZERO)).unwrap()),
                1 => Box::new(<Mesh>::new(random.tri_mesh(60, 0.3, DVec3::ZERO)).unwrap()),
                2 => Box::new(PointCloud::new((0..30).map(|_| random.vector() * 0.3).collect(), 0.02).unwrap()),
                3 => {
                    let which = random.below(7);
                    Box::new(Solid::new(random.solid(which, 0.6)))
                }
                4 => Box::new(HalfSpaceGeometry::new(HalfSpace::new(random.vector(), -0.2).unwrap())),
                _ => Box::new(HalfSpaceGeometry::new(Plane::new(random.vector(), 0.3).unwrap())),
            }
        };
        let (a, b) = (geometry(true), geometry(false));
        let mut motion = || {
            let (start, center) = (random.pose(0.9), random.vector() * 0.3);
            let linear = -start.translation() * random.between(0.0, 2.0) + random.vector() * 0.3;
            let angular = random.vector() * random.between(0.0, 6.0);
            match random.below(4) {
                0 => Motion::between(&start, &random.pose(0.9), 1.0),
                1 => Motion::thrown(&start, center, [linear, random.vector()], angular, 1.0),
                2 => Motion::through(&[(0.0, start), (0.5, random.pose(0.9)), (1.0, random.pose(0.9))]),
                _ => Motion::moving(&start, center, linear, angular, 1.0),
            }
            .unwrap()
        };
        let (motion_a, motion_b) = (motion(), motion());
        let distance = if case % 4 == 0 { 0.03 } else { 0.0 };
        for (approach, steps) in APPROACHES.into_iter().zip(&mut steps) {
            let request = ImpactRequest { distance, ..with(approach) };
            let answer =
                judge([(&*a, &motion_a), (&*b, &motion_b)], &request, 300, &format!("case {case} {approach:?}"));
            *steps += answer.steps;
            match answer.first {
                TimeOfImpact::Free { .. } => free += 1,
                TimeOfImpact::Contact(_) => hits += 1,
                TimeOfImpact::Undecided { .. } => panic!("case {case}: {answer:?}"),
            }
        }
    }
    assert!(free > 100 && hits > 200 && steps[1] < steps[0], "{free} {hits} {steps:?}");
}

/// When two triangles with integer vertices, one translating by `velocity` in unit time, first
/// touch; exact up to one division.
///
/// They touch at t iff t·velocity is in the convex set of all `a − b`, so iff
/// `t·n·velocity ≤ max n·(a − b)` for all normals of its faces, which are among the triangles'
/// normals, the products of their edges, and for flat sets those of normals and edges.
fn exact_time(a: &[[i64; 3]; 3], b: &[[i64; 3]; 3], velocity: [i64; 3]) -> Option<f64> {
    let minus = |p: [i64; 3], q: [i64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
    let cross =
        |p: [i64; 3], q: [i64; 3]| [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    let dot = |p: [i64; 3], q: [i64; 3]| {
        i128::from(p[0]) * i128::from(q[0]) + i128::from(p[1]) * i128::from(q[1]) + i128::from(p[2]) * i128::from(q[2])
    };
    let edges = |t: &[[i64; 3]; 3]| [minus(t[1], t[0]), minus(t[2], t[1]), minus(t[0], t[2])];
    let (edges_a, edges_b) = (edges(a), edges(b));
    let faces = [cross(edges_a[0], edges_a[1]), cross(edges_b[0], edges_b[1])];
    let products = edges_a.iter().flat_map(|&e| edges_b.map(|f| cross(e, f)));
    let sideways = edges_a.iter().chain(&edges_b).flat_map(|&e| faces.map(|n| cross(n, e)));
    // t as fractions: the latest begin and the earliest end, which starts at 1.
    let (mut begin, mut end) = ((0_i128, 1_i128), (1_i128, 1_i128));
    for normal in faces.into_iter().chain(products).chain(sideways) {
        for normal in [normal, normal.map(|x| -x)] {
            let most = a.iter().flat_map(|&p| b.iter().map(move |&q| dot(normal, minus(p, q)))).max()?;
            let speed = dot(normal, velocity);
            if speed > 0 && most * end.1 < end.0 * speed {
                end = (most, speed);
            } else if speed < 0 && most * begin.1 < begin.0 * speed {
                // t ≥ most / speed, both negative or the bound is below 0.
                begin = (-most, -speed);
            } else if speed == 0 && most < 0 {
                return None;
            }
        }
    }
    (begin.0 * end.1 <= end.0 * begin.1).then(|| begin.0 as f64 / begin.1 as f64)
}

#[test]
fn triangles_that_translate_touch_at_the_exact_time() {
    let mut random = Random(72);
    let (mut hits, mut misses, mut proven) = (0, 0, [0; 2]);
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    for case in 0..3000 {
        // Small numbers make for parallel edges, shared planes and grazing vertices.
        let size = [3, 20, 400][case % 3];
        let mut number = |size: i64| random.below(2 * size as usize + 1) as i64 - size;
        let mut triangle = |away: i64| [(); 3].map(|()| [number(size) + away, number(size), number(size)]);
        let (tri_mesh_a, tri_mesh_b) = ([triangle(0), triangle(0)], [triangle(3 * size), triangle(3 * size)]);
        let velocity = [-number(size).abs() * 3 - size, number(size), number(size)];
        let tri_mesh = |tri_mesh: &[[[i64; 3]; 3]]| {
            let vertices: Vec<DVec3> =
                tri_mesh.iter().flatten().map(|p| DVec3::from_array(p.map(|x| x as f64))).collect();
            let triangles = (0..tri_mesh.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            TriMesh::new(vertices, triangles).unwrap()
        };
        // Every second case under other volumes than the default.
        let kind = if case % 2 == 0 { 0 } else { 1 + case / 2 % 10 };
        let [a, b] = [&tri_mesh_a, &tri_mesh_b].map(|all| under_all_volumes(&tri_mesh(all)).swap_remove(kind));
        let moving = straight(Pose::IDENTITY, DVec3::from_array(velocity.map(|x| x as f64)));
        let times = tri_mesh_a.iter().flat_map(|p| tri_mesh_b.iter().filter_map(move |q| exact_time(p, q, velocity)));
        let truth = times.fold(f64::INFINITY, f64::min);
        for approach in APPROACHES {
            let request = ImpactRequest { tolerance: 1e-7, ..with(approach) };
            let answer =
                time_of_impact(&dispatcher, [(&*a, &still()), (&*b, &moving)], &request, &mut workspace).unwrap();
            match answer.first {
                TimeOfImpact::Free { .. } => {
                    assert_eq!(truth, f64::INFINITY, "case {case}: {tri_mesh_a:?} {tri_mesh_b:?} {velocity:?}");
                    misses += 1;
                }
                TimeOfImpact::Contact(touch) => {
                    assert!(touch.t_lower <= truth + 1e-15, "case {case}: {touch:?} {truth}");
                    if touch.gap == 0.0 {
                        assert!(truth <= touch.t_upper + 1e-13, "case {case}: {touch:?} {truth}");
                        proven[usize::from(kind > 0)] += 1;
                    }
                    hits += usize::from(truth < f64::INFINITY);
                }
                TimeOfImpact::Undecided { .. } => panic!("case {case}: {answer:?}"),
            }
        }
    }
    assert!(hits > 500 && misses > 500, "{hits} {misses}");
    assert!(proven.iter().all(|count| 10 * count > 4 * hits), "{proven:?} of {hits}");
}

/// A mesh under every kind of hierarchy.
fn under_all_volumes(tri_mesh: &TriMesh) -> Vec<Box<dyn Geometry>> {
    macro_rules! meshes {
        ($($kind:ident),*) => { vec![$(Box::new(Mesh::<$kind>::new(tri_mesh.clone()).unwrap()) as Box<dyn Geometry>),*] };
    }
    meshes![Bvh8, SphereVolume, SphereTree, NestedTree, Aabb, Obb, Rss, Kdop16, Kdop18, Kdop24, KIos]
}

/// A tetrahedron whose tip points down and to the left: no point of it is below or to the left of
/// the origin.
fn spike() -> TriMesh {
    let vertices = [(0.0, 0.0, 0.0), (0.0, 0.5, 1.0), (0.0, -0.5, 1.0), (1.0, 0.0, 1.0)];
    let vertices = vertices.map(|(x, y, z)| DVec3::new(x, y, z)).to_vec();
    TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).unwrap()
}

/// The rectangle from −1 to 1 along x and −2 to 2 along y, as a mesh under every volume and as a
/// height field with what moves that there.
fn plates() -> Vec<(Box<dyn Geometry>, Pose)> {
    let vertices = [(-1.0, -2.0), (1.0, -2.0), (1.0, 2.0), (-1.0, 2.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let tri_mesh = TriMesh::new(vertices.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
    let field = HeightField::new(2, 2, [2.0, 4.0], vec![0.0; 4]).unwrap();
    let meshes = under_all_volumes(&tri_mesh).into_iter().map(|mesh| (mesh, Pose::IDENTITY));
    meshes.chain([(Box::new(field) as Box<dyn Geometry>, at(-1.0, -2.0, 0.0))]).collect()
}

#[test]
fn triangles_under_all_volumes_that_cross_each_other_are_proven_to_touch() {
    let sphere = Solid::new(Sphere::new(0.25).unwrap());
    for approach in APPROACHES {
        for (plate, place) in plates() {
            let resting = Motion::still(&place);
            let spikes = under_all_volumes(&spike()).into_iter().map(|spike| (spike, 0.0));
            for (body, radius) in spikes.chain([(Box::new(sphere.clone()) as Box<dyn Geometry>, 0.25)]) {
                let falling = straight(at(0.3, 0.4, 1.0), DVec3::new(0.25, -0.5, -3.0));
                for bodies in [[(&*plate, &resting), (&*body, &falling)], [(&*body, &falling), (&*plate, &resting)]] {
                    let answer = ask(bodies, &with(approach));
                    let case = format!("{} and {}, {approach:?}", bodies[0].0.kind(), bodies[1].0.kind());
                    let TimeOfImpact::Contact(touch) = answer.first else { panic!("{case}: {answer:?}") };
                    let truth = (1.0 - radius) / 3.0;
                    assert!(touch.gap == 0.0, "{case}: {touch:?}");
                    assert!(touch.t_lower <= truth && truth <= touch.t_upper + 1e-15, "{case}: {touch:?}");
                    assert!(touch.t_upper - touch.t_lower < 3e-6, "{case}: {touch:?}");
                }
            }
        }
    }
}

#[test]
fn triangles_under_all_volumes_that_pass_within_rounding_are_not_said_to_touch() {
    // Past the plate's edge at x = 1, which the way down leaves the spike's tip by so much; at 0
    // they meet in a point and no more.
    for past in [1e-7, 1e-12, 1e-15, 2.0_f64.powi(-52), 0.0] {
        for approach in [Approach::Distance, Approach::Directional] {
            for (plate, place) in plates() {
                // In the world, and with both bodies turned about its axes: then all of the places
                // are rounded.
                for world in
                    [Pose::IDENTITY, Pose::new(DQuat::from_rotation_y(0.7), DVec3::new(0.1, 0.3, -0.7)).unwrap()]
                {
                    let resting = Motion::still(&world.then(&place));
                    let ends = [1.0, -2.0].map(|z| world.then(&at(1.0 + past, 0.4, z)));
                    let falling = Motion::between(&ends[0], &ends[1], 1.0).unwrap();
                    for spike in under_all_volumes(&spike()) {
                        let answer = ask([(&*plate, &resting), (&*spike, &falling)], &with(approach));
                        let case = format!("{} and {}, {approach:?}, {past}", plate.kind(), spike.kind());
                        let TimeOfImpact::Contact(touch) = answer.first else { panic!("{case}: {answer:?}") };
                        assert!(touch.gap > 0.0 && touch.gap <= 1e-6, "{case}: {touch:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn swapping_the_bodies_or_moving_the_world_changes_only_what_rounding_does() {
    let mut random = Random(73);
    for case in 0..60 {
        let (a, b) = (Solid::new(random.solid(case, 0.6)), Solid::new(random.solid(case / 7, 0.6)));
        let (from, to) = (random.pose(1.5), random.pose(0.3));
        let world = Pose::new(DQuat::from_rotation_x(1.0), DVec3::new(3.0, -2.0, 1.0)).unwrap();
        let (moving, resting) = (Motion::between(&from, &to, 1.0).unwrap(), still());
        let there = Motion::between(&world.then(&from), &world.then(&to), 1.0).unwrap();
        let request = ImpactRequest::default();
        let one = ask([(&a, &resting), (&b, &moving)], &request);
        let swapped = ask([(&b, &moving), (&a, &resting)], &request);
        let elsewhere = ask([(&a, &Motion::still(&world)), (&b, &there)], &request);
        for other in [swapped, elsewhere] {
            assert!((one.free_until() - other.free_until()).abs() < 1e-5, "case {case}: {one:?} {other:?}");
        }
    }
}
