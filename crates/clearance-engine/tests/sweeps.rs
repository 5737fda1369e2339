//! First times of contact of two meshes: the approaches that sweep nodes, against those that step,
//! dense samples and what can be worked out by hand. (`motions.rs` holds all approaches against
//! exact times of translations.)

mod support;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::motion::{
    Approach, Impact, ImpactAnswer, ImpactRequest, Motion, TimeOfImpact, deforming_triangles_impact, time_of_impact,
};
use clearance_engine::pair::shape::{triangle_distance, triangles_overlap};
use clearance_engine::shape::Sphere;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::volume::Rss;
use clearance_engine::{Pose, TriMesh, Triangle};
use support::{Random, cut_cube};

const APPROACHES: [Approach; 4] = [Approach::Swept, Approach::Trajectory, Approach::Directional, Approach::Distance];
const SWEEPING: [Approach; 2] = [Approach::Swept, Approach::Trajectory];

type Bodies<'b> = [(&'b Mesh, &'b Motion); 2];

struct Judge {
    dispatcher: Dispatcher,
    workspace: Workspace,
}

impl Judge {
    fn new() -> Self {
        Self { dispatcher: Dispatcher::standard(), workspace: Workspace::default() }
    }

    fn ask(&mut self, [a, b]: Bodies<'_>, request: &ImpactRequest) -> ImpactAnswer {
        time_of_impact(&self.dispatcher, [(a.0, a.1), (b.0, b.1)], request, &mut self.workspace).unwrap()
    }

    fn with(&mut self, bodies: Bodies<'_>, approach: Approach) -> ImpactAnswer {
        self.ask(bodies, &ImpactRequest { approach, ..ImpactRequest::default() })
    }

    /// Whether the meshes overlap at a time.
    fn collides(&mut self, [(a, motion_a), (b, motion_b)]: Bodies<'_>, t: f64) -> bool {
        let a_from_b = motion_a.pose(t).inverse().then(&motion_b.pose(t));
        let plan = self.dispatcher.plan(a, b).unwrap();
        plan.collide(&a_from_b, &mut self.workspace, None).colliding
    }
}

fn touch(answer: &ImpactAnswer) -> Impact {
    match answer.first {
        TimeOfImpact::Contact(touch) => touch,
        _ => panic!("no contact: {answer:?}"),
    }
}

fn is_free(answer: &ImpactAnswer) -> bool {
    matches!(answer.first, TimeOfImpact::Free { margin } if margin > 0.0)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn straight(from: Pose, velocity: DVec3) -> Motion {
    Motion::moving(&from, DVec3::ZERO, velocity, DVec3::ZERO, 1.0).unwrap()
}

fn spinning(from: Pose, angular: DVec3) -> Motion {
    Motion::moving(&from, DVec3::ZERO, DVec3::ZERO, angular, 1.0).unwrap()
}

fn still() -> Motion {
    Motion::still(&Pose::IDENTITY)
}

/// A box around the origin, each face in `cuts`² squares.
fn cuboid(half: DVec3, cuts: u32) -> Mesh {
    Mesh::new(cut_cube(cuts, |vertex| vertex * half)).unwrap()
}

/// Two triangles in the plane z = 0.
fn sheet(half: f64) -> Mesh {
    let vertices = [(-half, -half), (half, -half), (half, half), (-half, half)].map(|(x, y)| DVec3::new(x, y, 0.0));
    Mesh::new(TriMesh::new(vertices.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()).unwrap()
}

#[test]
fn nothing_passes_through_a_sheet_at_any_speed_whether_it_turns_or_not() {
    let (sheet, bullet) = (sheet(1.0), cuboid(DVec3::splat(1e-3), 2));
    let mut judge = Judge::new();
    for speed in [1.0, 1e3, 1e6, 1e9] {
        for angular in [DVec3::ZERO, DVec3::new(3.0, 200.0, 1.0)] {
            let start = at(0.2, 0.1, 0.25 * speed);
            let falling = Motion::moving(&start, DVec3::ZERO, DVec3::Z * -speed, angular, 1.0).unwrap();
            for approach in SWEEPING {
                let answer = judge.with([(&sheet, &still()), (&bullet, &falling)], approach);
                let touch = touch(&answer);
                // Somewhere between its inscribed and its circumscribed sphere.
                let [early, late] = [3.0_f64.sqrt(), 1.0].map(|part| 0.25 - part * 1e-3 / speed);
                let width = 1e-6_f64.max(1e-12 * speed) / speed;
                assert!(
                    touch.t_lower >= early - 3.0 * width && touch.t_upper <= late + 3.0 * width,
                    "{speed}: {touch:?}"
                );
                assert!(touch.t_upper - touch.t_lower <= 8.0 * width && touch.gap == 0.0, "{speed}: {touch:?}");
                if angular == DVec3::ZERO {
                    assert!(touch.t_lower <= late && late <= touch.t_upper * (1.0 + 1e-14), "{speed}: {touch:?}");
                }
            }
        }
    }
}

#[test]
fn bodies_that_touch_at_the_start_touch_at_zero_also_when_they_leave() {
    let cube = cuboid(DVec3::splat(0.5), 4);
    let mut judge = Judge::new();
    for approach in SWEEPING {
        for start in [at(0.25, 0.125, 1.0), at(0.3, 0.2, 0.1)] {
            for motion in [straight(start, DVec3::Z), spinning(start, DVec3::X), straight(start, DVec3::X * 1e-9)] {
                let touch = touch(&judge.with([(&cube, &still()), (&cube, &motion)], approach));
                // Those that merely touch are not proven to: rounding might have brought them
                // together.
                assert!(touch.t_lower == 0.0 && touch.gap < 1e-13, "{touch:?}");
                assert!(touch.t_upper < 1e-6, "{touch:?}");
            }
        }
    }
}

#[test]
fn solids_that_contain_each_other_touch_at_zero_and_surfaces_do_not() {
    let (outer, inner) = (cuboid(DVec3::ONE, 3), cuboid(DVec3::splat(0.1), 2));
    let mut judge = Judge::new();
    let moving = straight(at(0.0, 0.0, 0.0), DVec3::X * 0.5);
    for approach in SWEEPING {
        assert!(is_free(&judge.with([(&outer, &still()), (&inner, &moving)], approach)));
    }
    let solid = |half: f64| -> Mesh {
        let sign = |i: u32, bit: u32| if i >> bit & 1 == 1 { half } else { -half };
        let vertices = (0..8).map(|i| DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
        let faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]];
        let triangles = faces.iter().flat_map(|f| [[f[0], f[2], f[1]], [f[0], f[3], f[2]]]).collect();
        Mesh::new(TriMesh::new(vertices, triangles).unwrap()).unwrap().into_solid().unwrap()
    };
    let (outer, inner) = (solid(1.0), solid(0.1));
    for approach in SWEEPING {
        let touch = touch(&judge.with([(&outer, &still()), (&inner, &moving)], approach));
        assert_eq!((touch.t_lower, touch.t_upper), (0.0, 0.0));
    }
}

#[test]
fn bodies_that_stand_still_are_free_or_touch_from_the_start() {
    let cube = cuboid(DVec3::splat(0.5), 3);
    let mut judge = Judge::new();
    for approach in SWEEPING {
        for resting in [Motion::still(&at(1.1, 0.0, 0.0)), straight(at(1.1, 0.0, 0.0), DVec3::ZERO)] {
            assert!(is_free(&judge.with([(&cube, &still()), (&cube, &resting)], approach)));
        }
        for resting in [Motion::still(&at(0.9, 0.0, 0.0)), straight(at(0.9, 0.0, 0.0), DVec3::ZERO)] {
            let touch = touch(&judge.with([(&cube, &still()), (&cube, &resting)], approach));
            assert_eq!((touch.t_lower, touch.t_upper), (0.0, 0.0));
        }
    }
}

#[test]
fn a_cube_that_slides_past_another_is_free_by_as_little_as_it_is() {
    let (table, cube) = (cuboid(DVec3::new(5.0, 5.0, 0.5), 6), cuboid(DVec3::splat(0.5), 3));
    let mut judge = Judge::new();
    for approach in SWEEPING {
        for (gap, free) in [(1e-3, true), (1e-5, true), (1e-9, false), (-1e-3, false)] {
            let sliding = straight(at(-7.0, 0.3, 1.0 + gap), DVec3::X * 14.0);
            let answer = judge.with([(&table, &still()), (&cube, &sliding)], approach);
            assert_eq!(is_free(&answer), free, "{gap} {approach:?}: {answer:?}");
            if !free {
                // From -7 to where the front of the cube meets the edge of the table, less a
                // tolerance.
                let touch = touch(&answer);
                assert!((touch.t_lower - 1.5 / 14.0).abs() < 2e-7 && touch.gap <= 1e-6, "{gap}: {touch:?}");
            }
        }
    }
}

#[test]
fn a_vertex_that_grazes_an_edge_is_free_or_within_the_tolerance() {
    // A cube on its edge passes over another edge, at right angles.
    let cube = cuboid(DVec3::splat(0.5), 4);
    let upright = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_4), DVec3::ZERO).unwrap();
    let high = 0.5_f64.sqrt();
    let mut judge = Judge::new();
    for approach in SWEEPING {
        for (miss, free) in [(1e-4, true), (1e-8, false), (-1e-4, false)] {
            let turned = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_4);
            let start = Pose::new(turned, DVec3::new(0.1, -2.0, 2.0 * high + miss)).unwrap();
            let answer =
                judge.with([(&cube, &Motion::still(&upright)), (&cube, &straight(start, DVec3::Y * 4.0))], approach);
            assert_eq!(is_free(&answer), free, "{miss} {approach:?}: {answer:?}");
        }
    }
}

#[test]
fn a_spinning_needle_hits_what_only_its_tip_reaches() {
    let (needle, peg) = (cuboid(DVec3::new(1e-3, 1e-3, 1.0), 5), cuboid(DVec3::splat(0.01), 1));
    let there = Motion::still(&at(0.9, 0.0, 0.0));
    let mut judge = Judge::new();
    for approach in SWEEPING {
        let spin = spinning(Pose::IDENTITY, DVec3::Y * 3000.0);
        let hit = touch(&judge.with([(&needle, &spin), (&peg, &there)], approach));
        // The needle's front face meets the upper inner edge or vertex of the peg: at a height of
        // 0.01 and 0.89 to 0.91 out.
        let angle = |out: f64| std::f64::consts::FRAC_PI_2 - (0.01_f64 / out).atan() - (1e-3 / out.hypot(0.01)).asin();
        let (early, late) = (angle(0.89) / 3000.0, angle(0.91) / 3000.0);
        assert!(hit.t_lower >= early - 1e-8 && hit.t_lower <= late && hit.t_upper >= early, "{hit:?} {early} {late}");
        assert!(hit.t_upper <= late + 1e-8 && hit.t_upper - hit.t_lower < 1e-8, "{hit:?} {early} {late}");
        let twirl = spinning(Pose::IDENTITY, DVec3::Z * 3000.0);
        assert!(is_free(&judge.with([(&needle, &twirl), (&peg, &there)], approach)));
    }
}

#[test]
fn a_sheet_is_not_passed_by_the_rounding_of_late_times() {
    let (wall, mut judge) = (sheet(1.0), Judge::new());
    for (rest, speed, tolerance) in [(1e5, 10.0, 0.0), (1e6, 1e6, 1e-6)] {
        for case in 0..40 {
            let begin = at(0.0, 0.0, 1.0 + 0.013 * f64::from(case));
            let through = Pose::from_translation(begin.translation() - DVec3::Z * 2.0).unwrap();
            let flight = Motion::through(&[(0.0, begin), (rest, begin), (rest + 2.0 / speed, through)]).unwrap();
            for approach in SWEEPING {
                let request = ImpactRequest { approach, tolerance, ..ImpactRequest::default() };
                let answer = judge.ask([(&wall, &still()), (&wall, &flight)], &request);
                assert!(!matches!(answer.first, TimeOfImpact::Free { .. }), "{approach:?} {case} {answer:?}");
            }
        }
    }
}

#[test]
fn directions_without_a_length_to_measure_by_prove_nothing() {
    let b = Triangle([[9.0, -0.93, 0.94], [9.0, 1.07, -1.06], [13.0, 0.07, -0.06]].map(DVec3::from_array));
    let moved = b.map(|vertex| vertex - DVec3::X * 10.0);
    for width in [2e-323, 1e-200, 1e-170] {
        let a = Triangle([DVec3::ZERO, DVec3::X * width, DVec3::new(0.0, 0.06, 0.06)]);
        let found = deforming_triangles_impact([a, a], [b, moved], 1e-9).unwrap();
        assert!(found.is_some(), "{width:e}");
    }
}

#[test]
fn answers_name_the_approach_that_gave_them() {
    let tri_mesh = || Random(83).tri_mesh(20, 0.4, DVec3::ZERO);
    let default: Mesh = Mesh::new(tri_mesh()).unwrap();
    let (other, sphere) = (Mesh::<Rss>::new(tri_mesh()).unwrap(), Solid::new(Sphere::new(0.2).unwrap()));
    let moving = Motion::moving(&at(-3.0, 0.0, 0.0), DVec3::ZERO, DVec3::X * 3.0, DVec3::Z, 1.0).unwrap();
    let bodies: [&dyn Geometry; 3] = [&default, &other, &sphere];
    let asked = [Approach::Best].into_iter().chain(APPROACHES);
    for (approach, (i, body)) in asked.flat_map(|approach| bodies.iter().enumerate().map(move |body| (approach, body)))
    {
        let request = ImpactRequest { approach, ..ImpactRequest::default() };
        let pair = [(&default as _, &still()), (*body, &moving)];
        let answer = time_of_impact(&Dispatcher::standard(), pair, &request, &mut Workspace::default()).unwrap();
        let expected = match approach {
            Approach::Best if i == 0 => Approach::Trajectory,
            Approach::Distance => Approach::Distance,
            _ if i == 0 => approach,
            _ => Approach::Directional,
        };
        assert_eq!(answer.approach, expected, "{approach:?} of body {i}");
        assert!(matches!(answer.first, TimeOfImpact::Contact(_)), "{answer:?}");
    }
}

#[test]
fn a_search_that_runs_out_of_steps_says_how_far_it_came() {
    let cube = cuboid(DVec3::splat(0.5), 4);
    let moving = Motion::moving(&at(-4.0, 0.6, 0.0), DVec3::ZERO, DVec3::X * 8.0, DVec3::Z * 20.0, 1.0).unwrap();
    let request = ImpactRequest { max_evaluations: 20, approach: Approach::Swept, ..ImpactRequest::default() };
    let mut judge = Judge::new();
    let answer = judge.ask([(&cube, &still()), (&cube, &moving)], &request);
    let truth = touch(&judge.with([(&cube, &still()), (&cube, &moving)], Approach::Directional));
    assert!(matches!(answer.first, TimeOfImpact::Undecided { t_lower } if t_lower <= truth.t_upper), "{answer:?}");
}

/// A motion of one of five kinds, towards and past the origin.
fn random_motion(random: &mut Random) -> Motion {
    let (start, center) = (random.pose(0.9), random.vector() * 0.3);
    let linear = -start.translation() * random.between(0.0, 2.0) + random.vector() * 0.3;
    let angular = random.vector() * random.between(0.0, 6.0);
    match random.below(5) {
        0 => Motion::between(&start, &random.pose(0.9), 1.0),
        1 => Motion::thrown(&start, center, [linear, random.vector()], angular, 1.0),
        2 => Motion::thrown(&start, center, [linear, random.vector()], DVec3::ZERO, 0.8),
        3 => Motion::through(&[(0.0, start), (0.5, random.pose(0.9)), (1.0, random.pose(0.9))]),
        _ => Motion::moving(&start, center, linear, if random.below(2) == 0 { angular } else { DVec3::ZERO }, 1.0),
    }
    .unwrap()
}

/// Random motions of random triangle meshes: all approaches tell the same, and samples do not
/// contradict them. The number that hit.
fn agree(seed: u64, cases: usize, samples: usize) -> usize {
    let mut random = Random(seed);
    let mut judge = Judge::new();
    let mut hits = 0;
    for case in 0..cases {
        let mut mesh = || {
            let count = [1, 6, 30, 90][random.below(4)];
            Mesh::new(random.tri_mesh(count, 0.4, DVec3::ZERO)).unwrap()
        };
        let (a, b): (Mesh, Mesh) = (mesh(), mesh());
        let (motion_a, motion_b) = (random_motion(&mut random), random_motion(&mut random));
        let bodies: Bodies<'_> = [(&a, &motion_a), (&b, &motion_b)];
        let distance = if case % 4 == 0 { 0.03 } else { 0.0 };
        let answers = APPROACHES
            .map(|approach| judge.ask(bodies, &ImpactRequest { approach, distance, ..ImpactRequest::default() }));
        let free_until = answers.iter().fold(0.0_f64, |most, answer| most.max(answer.free_until()));
        for (answer, approach) in answers.iter().zip(APPROACHES) {
            let case = format!("seed {seed} case {case} {approach:?}: {answers:?}");
            match answer.first {
                TimeOfImpact::Free { margin } => assert!(margin > 0.0, "{case}"),
                TimeOfImpact::Undecided { .. } => panic!("{case}"),
                TimeOfImpact::Contact(touch) => {
                    assert!(touch.t_lower <= touch.t_upper && touch.gap <= 1e-6, "{case}");
                    // What one approach proved free another one does not find touching.
                    assert!(touch.gap > 0.0 || free_until <= touch.t_upper, "{case}");
                    hits += usize::from(approach == Approach::Swept && touch.gap == 0.0);
                }
            }
        }
        if distance == 0.0 {
            for i in 0..samples {
                let t = free_until * (i as f64 + random.unit()) / samples as f64;
                assert!(t >= free_until || !judge.collides(bodies, t), "seed {seed} case {case}: {t} {answers:?}");
            }
        }
    }
    hits
}

#[test]
fn all_approaches_agree_on_random_motions_and_samples_do_not_contradict() {
    let hits = agree(81, 2000, 40);
    assert!(hits > 600 && hits < 1900, "{hits}");
}

#[test]
#[ignore = "half an hour: cargo test --release -p clearance-engine --test sweeps -- --ignored a_million; CLEARANCE_SEEDS=1000..1100 is a part of it"]
fn a_million_random_motions_are_agreed_on() {
    let seeds = std::env::var("CLEARANCE_SEEDS").unwrap_or_else(|_| "1000..1100".into());
    let ends: Vec<u64> = seeds.split("..").map(|end| end.parse().expect("CLEARANCE_SEEDS is FROM..TO")).collect();
    for seed in ends[0]..ends[1] {
        let hits = agree(seed, 10_000, 10);
        assert!(hits > 3000, "{hits}");
    }
}

#[test]
fn two_triangles_that_turn_into_each_other_double_the_digits_with_a_step_along_their_paths() {
    let (mut random, mut judge) = (Random(82), Judge::new());
    let (mut steps, mut hits) = ([[0; 3]; 2], 0_u32);
    while hits < 200 {
        let [a, b]: [Mesh; 2] = [(); 2].map(|()| Mesh::new(random.tri_mesh(1, 0.4, DVec3::ZERO)).unwrap());
        let start = random.pose(0.9);
        let (linear, angular) = (-start.translation() * 1.5, random.vector() * 4.0);
        let motions = [still(), Motion::moving(&start, DVec3::ZERO, linear, angular, 1.0).unwrap()];
        let bodies: Bodies<'_> = [(&a, &motions[0]), (&b, &motions[1])];
        if !matches!(judge.with(bodies, Approach::Distance).first, TimeOfImpact::Contact(Impact { gap: 0.0, .. })) {
            continue;
        }
        hits += 1;
        for (approach, steps) in SWEEPING.into_iter().zip(&mut steps) {
            for (tolerance, steps) in [1e-3, 1e-6, 1e-12].into_iter().zip(steps) {
                let request = ImpactRequest { approach, tolerance, ..ImpactRequest::default() };
                let answer = judge.ask(bodies, &request);
                assert!(touch(&answer).t_upper - touch(&answer).t_lower < 1e3 * tolerance, "{answer:?}");
                *steps += answer.steps;
            }
        }
    }
    // Six more digits: 39 steps of distances, 1.2 along paths (7 if directions kept still).
    let more = |steps: [usize; 3]| (steps[2] - steps[1]) as f64 / f64::from(hits);
    assert!(more(steps[1]) < 2.0 && more(steps[1]) < 0.06 * more(steps[0]), "{steps:?}");
}

#[test]
fn vertices_on_straight_lines_touch_when_dense_samples_say_and_not_before() {
    let mut random = Random(82);
    let (mut hits, mut misses) = (0, 0);
    for case in 0..3000 {
        let mut triangle = |away: DVec3| {
            // Small integers make for coplanar triangles, parallel edges and grazing vertices.
            let mut vertex = || if case % 3 == 0 { (random.vector() * 2.0).round() * 0.5 } else { random.vector() };
            Triangle([vertex() + away, vertex() + away, vertex() + away])
        };
        let (above, below) = (DVec3::Z * 1.5, -DVec3::Z);
        let (a, b) = ([triangle(DVec3::ZERO), triangle(DVec3::ZERO)], [triangle(above), triangle(below)]);
        let at =
            |[from, to]: &[Triangle; 2], t: f64| Triangle([0, 1, 2].map(|k| from.0[k] + (to.0[k] - from.0[k]) * t));
        let found = deforming_triangles_impact(a, b, 1e-9).unwrap();
        let end = found.map_or(1.0, |touch| touch.t_lower);
        for i in 0..200 {
            let t = f64::from(i) / 200.0;
            assert!(t >= end || !triangles_overlap(&at(&a, t), &at(&b, t)), "case {case} at {t}: {found:?}");
        }
        match found {
            None => misses += 1,
            Some(touch) => {
                let distance = triangle_distance(&at(&a, touch.t_upper), &at(&b, touch.t_upper));
                assert!(distance.lower <= touch.gap + 1e-14 && touch.gap <= 1e-9, "case {case}: {touch:?}");
                assert!(touch.t_lower <= touch.t_upper && touch.t_upper <= 1.0, "case {case}: {touch:?}");
                hits += 1;
            }
        }
    }
    assert!(hits > 500 && misses > 500, "{hits} {misses}");
}

#[test]
fn vertices_that_are_no_numbers_and_tolerances_that_make_no_sense_are_refused() {
    let triangle = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
    let broken = Triangle([DVec3::ZERO, DVec3::NAN, DVec3::Y]);
    assert!(deforming_triangles_impact([triangle, broken], [triangle, triangle], 1e-9).is_err());
    assert!(deforming_triangles_impact([triangle, triangle], [triangle, triangle], f64::NAN).is_err());
    assert!(deforming_triangles_impact([triangle, triangle], [triangle, triangle], -1.0).is_err());
}

/// A vertex at rest and a face that passes it in its own plane, and misses it by 1e-17 in exact
/// arithmetic; rounded places of both touch.
#[test]
fn a_contact_of_rounded_places_is_not_called_proven() {
    let point = |x: f64, y: f64, z: f64| DVec3::new(x, y, z);
    let vertex = Triangle([point(1.0, 0.5, 0.0); 3]);
    let from = Triangle([
        point(1.0, 1.514365180756892, 0.9999999999999999),
        point(1.0, 0.5143651807568919, -6.353118010718282e-17),
        point(1.0, 1.514365180756892, -5.523683601951412e-17),
    ]);
    let to = Triangle([
        point(1.0, 1.2776264037844383, 0.9999999999999999),
        point(1.0000000000000002, 0.27762640378443815, 6.156780777665674e-17),
        point(0.9999999999999998, 1.2776264037844383, -3.2489181972637187e-16),
    ]);
    for tolerance in [0.0, 1e-12, 1e-9] {
        for [a, b] in [[[vertex; 2], [from, to]], [[from, to], [vertex; 2]]] {
            let touch = deforming_triangles_impact(a, b, tolerance).unwrap().expect("they come within rounding");
            assert!(touch.gap > 0.0 && touch.gap < 1e-13_f64.max(tolerance), "{touch:?}");
        }
    }
    // Into the face, and onto it at the very end: both are proven.
    let floor = Triangle([point(-1.0, -1.0, 0.0), point(2.0, -1.0, 0.0), point(0.3, 2.0, 0.0)]);
    let tip = |z: f64| Triangle([point(0.1, 0.2, z), point(0.3, 0.1, z + 1.0), point(0.1, 0.7, z + 1.1)]);
    for (end, tolerance) in [(-0.7, 0.0), (-0.7, 1e-9), (0.0, 0.0), (0.0, 1e-9)] {
        let touch = deforming_triangles_impact([floor; 2], [tip(0.4), tip(end)], tolerance).unwrap().unwrap();
        let truth = 0.4 / (0.4 - end);
        assert!(touch.gap == 0.0 && touch.t_lower <= truth && truth <= touch.t_upper, "{end} {tolerance}: {touch:?}");
        assert!(touch.t_upper - touch.t_lower < 1e-11_f64.max(10.0 * tolerance), "{end} {tolerance}: {touch:?}");
    }
}

/// Faces that slide along each other touch but for rounding at most: no approach calls that proven.
#[test]
fn surfaces_that_merely_touch_on_their_way_have_a_positive_gap() {
    let (cube, mut judge) = (cuboid(DVec3::splat(0.5), 2), Judge::new());
    for approach in APPROACHES {
        for rise in [0.0, 1e-17, -1e-17] {
            let sliding = straight(at(-3.0, 0.1, 1.0), DVec3::new(6.0, 0.0, rise));
            let found = touch(&judge.with([(&cube, &still()), (&cube, &sliding)], approach));
            assert!(found.gap > 0.0 && found.gap < 2e-6, "{approach:?} {rise}: {found:?}");
        }
        let falling = straight(at(0.1, 0.1, 3.0), DVec3::Z * -6.0);
        let found = touch(&judge.with([(&cube, &still()), (&cube, &falling)], approach));
        assert!(found.gap < 1e-6, "{approach:?}: {found:?}");
    }
}
