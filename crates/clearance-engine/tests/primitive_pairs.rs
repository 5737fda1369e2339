//! Solids and triangles in one frame, every pair, judged by an oracle that shares no code with the
//! search: an upper bound is right because its points are in the bodies, a lower one because no
//! traversal from anywhere gets below it.

mod support;

use clearance_engine::Pose;
use clearance_engine::convex::PenetrationRequest;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::pair::shape::{ClosestPoints, Proximity};
use clearance_engine::query::{DistanceRequest, Status};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Solid};
use support::Random;
use support::oracle::{Body, BvhKind, SOLIDS, half_space_distance, traversed};

/// The engine's answer for any two bodies of which at most one is a triangle.
fn answer(a: &Body, b: &Body, limit: f64) -> (Option<ClosestPoints>, bool) {
    match (a.triangle(), a.primitive(), b.triangle(), b.primitive()) {
        (_, Some(a), _, Some(b)) => (a.closest_below(&b, limit), a.overlaps(&b)),
        (Some(a), _, _, Some(b)) => (a.closest_below(&b, limit), a.overlaps(&b)),
        (_, Some(a), Some(b), _) => (a.closest_below(&b, limit), a.overlaps(&b)),
        _ => unreachable!("triangles meet solids here"),
    }
}

/// Checks all that an answer promises; `size` is about the bodies' size and distance.
fn check(a: &Body, b: &Body, label: &str) -> ClosestPoints {
    let size = a.bounding_radius() + b.bounding_radius() + a.place.distance(b.place);
    // What moving bodies to their places rounds, for the engine and for the oracle.
    let rounding = 1e-15 * (size + a.place.length() + b.place.length());
    let (closest, overlapping) = answer(a, b, f64::INFINITY);
    let closest = closest.expect("nothing is infinitely far");
    let label = format!("{label}: {closest:?} {a:?} {b:?}");
    assert!(closest.lower.is_finite() && closest.upper.is_finite(), "{label}");
    assert!(closest.point_a.is_finite() && closest.point_b.is_finite(), "{label}");
    assert_eq!(overlapping, closest.is_overlapping(), "{label}");
    assert!(0.0 <= closest.lower && closest.lower <= closest.upper, "{label}");
    let curved = a.kind.is_curved() || b.kind.is_curved();
    let width = if curved { 1e-11 } else { 1e-13 };
    assert!(closest.upper - closest.lower <= 1e-10 * closest.upper + width * size, "{label}");
    let realised = closest.point_a.distance(closest.point_b);
    assert!((realised - closest.upper).abs() <= 1e-13 * size + 8.0 * rounding, "{realised} {label}");
    // Where curved shapes merely touch, the point of both is found to the width of their bounds.
    let off = if overlapping { width } else { 1e-13 };
    for (body, point) in [(a, closest.point_a), (b, closest.point_b)] {
        assert!(body.outside(point) <= off * size + 8.0 * rounding, "{} {label}", body.outside(point));
    }
    for start in [closest.point_a, closest.point_b, a.place, b.place] {
        let feasible = traversed(a, b, start, 60);
        assert!(closest.lower <= feasible + 1e-14 * size + 8.0 * rounding, "{feasible} {label}");
    }
    if let Some((lower, upper)) = half_space_distance(a, b) {
        let slack = 2e-13 * size + 8.0 * rounding;
        assert!(closest.lower <= upper + slack && closest.upper >= lower - slack, "{lower} {upper} {label}");
    }
    closest
}

#[test]
fn every_pair_has_a_certified_distance_at_random_places() {
    let mut random = Random(1);
    let mut hits = 0;
    for case in 0..8400 {
        let (i, j) = (case % (SOLIDS + 1), case / (SOLIDS + 1) % SOLIDS);
        let scale = 10.0_f64.powi([0, 0, -6, 6][case / 56 % 4]);
        let far = if case % 5 == 0 { random.vector() * 1e6 * scale } else { DVec3::ZERO };
        let apart = [0.0, 0.5, 1.0, 2.0, 10.0][random.below(5)];
        let mut body = |which: usize, place: DVec3| {
            let kind = random.kind(which).scaled(scale);
            Body { kind, rotation: random.turn(), place: far + place * scale }
        };
        let a = body(i, DVec3::ZERO);
        let b = body(j, DVec3::ZERO);
        let b = Body { place: far + random.vector() * apart * scale, ..b };
        hits += usize::from(check(&a, &b, &format!("case {case}")).is_overlapping());
        hits += usize::from(check(&b, &a, &format!("case {case} swapped")).is_overlapping());
    }
    assert!((1000..13_000).contains(&hits), "{hits} of 14400 overlap: the test must see both");
}

fn octahedron() -> BvhKind {
    BvhKind::hull_of(DVec3::AXES.iter().flat_map(|&axis| [axis * 0.75, -axis * 0.75]).collect())
}

fn vertex_of_box(i: usize, half: DVec3) -> DVec3 {
    let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
    half * DVec3::new(sign(0), sign(1), sign(2))
}

/// Bodies along the coordinate axes, one above the other along an axis on which both have a flat or
/// round top in the middle.
#[test]
fn bodies_on_top_of_each_other_touch_and_do_not_a_hair_above() {
    let mut random = Random(2);
    let kinds = [
        BvhKind::Sphere(0.5),
        BvhKind::Capsule(0.25, 0.5),
        BvhKind::Cuboid(DVec3::new(0.5, 1.0, 0.25)),
        BvhKind::Cylinder(0.5, 0.75),
        BvhKind::Ellipsoid(DVec3::new(0.25, 0.5, 1.0)),
        octahedron(),
        BvhKind::hull_of((0..8).map(|i| vertex_of_box(i, DVec3::new(0.5, 1.0, 0.25))).collect()),
    ];
    let quarter = |k: usize| {
        let turn = DMat3::from_axis_angle(DVec3::AXES[k], std::f64::consts::FRAC_PI_2);
        DMat3::from_cols(turn.x_axis.round(), turn.y_axis.round(), turn.z_axis.round())
    };
    let height = |kind: &BvhKind, axis: DVec3| match *kind {
        BvhKind::Sphere(r) => r,
        BvhKind::Capsule(r, h) => r + h * axis.z.abs(),
        BvhKind::Cuboid(half) | BvhKind::Ellipsoid(half) => half.dot(axis.abs()),
        BvhKind::Cylinder(r, h) => {
            if axis.z.abs() == 1.0 {
                h
            } else {
                r
            }
        }
        BvhKind::Hull(hull) => hull.points.iter().fold(0.0, |high: f64, point| high.max(axis.dot(*point))),
        BvhKind::Cone(..) | BvhKind::Triangle(_) => unreachable!("no top in the middle"),
    };
    for a in &kinds {
        for b in &kinds {
            for (turn_a, turn_b) in [(3, 3), (0, 3), (3, 0), (0, 1), (1, 0), (1, 1)] {
                let rotation = |k: usize| if k == 3 { DMat3::IDENTITY } else { quarter(k) };
                let (rotation_a, rotation_b) = (rotation(turn_a), rotation(turn_b));
                for axis in DVec3::AXES {
                    let touching = height(a, rotation_a.transpose() * axis) + height(b, rotation_b.transpose() * axis);
                    for off in [0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-4, -1e-4, 0.5] {
                        let place = axis * (touching + off);
                        let body_a = Body { kind: *a, rotation: rotation_a, place: DVec3::ZERO };
                        let body_b = Body { kind: *b, rotation: rotation_b, place };
                        let closest = check(&body_a, &body_b, "touching");
                        let label = format!("{off} {axis} {body_a:?} {body_b:?} {closest:?}");
                        assert_eq!(closest.is_overlapping(), off <= 0.0, "{label}");
                        assert!((closest.upper - off.max(0.0)).abs() < 2e-13, "{label}");
                        // The same, anywhere else.
                        let turn = DMat3::from_quat(random.rotation());
                        let shift = random.vector() * 3.0;
                        let moved = |body: Body| Body {
                            rotation: turn * body.rotation,
                            place: turn * body.place + shift,
                            ..body
                        };
                        let closest = check(&moved(body_a), &moved(body_b), "touching, moved");
                        assert!((closest.upper - off.max(0.0)).abs() < 2e-13, "{label} {closest:?}");
                        assert!(off == 0.0 || closest.is_overlapping() == (off < 0.0), "{label} {closest:?}");
                    }
                }
            }
        }
    }
}

/// A cone standing on its base or its apex, under or on top of something with a top or bottom in
/// the middle.
#[test]
fn cones_touch_with_their_apex_and_their_base() {
    let others = [
        (BvhKind::Sphere(0.5), 0.5),
        (BvhKind::Capsule(0.25, 0.5), 0.75),
        (BvhKind::Cuboid(DVec3::new(0.5, 1.0, 0.25)), 0.25),
        (BvhKind::Cylinder(0.5, 0.75), 0.75),
        (BvhKind::Cone(0.3, 0.7), 0.7),
        (BvhKind::Ellipsoid(DVec3::new(0.25, 0.5, 1.0)), 1.0),
        (BvhKind::Triangle([DVec3::X, DVec3::NEG_X, DVec3::Y]), 0.0),
    ];
    let mut random = Random(6);
    for (other, height) in others {
        for side in [1.0, -1.0] {
            for off in [0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-4, -1e-4, 0.5] {
                let cone = Body { kind: BvhKind::Cone(0.5, 0.75), rotation: DMat3::IDENTITY, place: DVec3::ZERO };
                let place = DVec3::Z * (side * (0.75 + height + off));
                let body = Body { kind: other, rotation: DMat3::IDENTITY, place };
                let closest = check(&cone, &body, "cone");
                assert_eq!(closest.is_overlapping(), off <= 0.0, "{other:?} {off} {closest:?}");
                let turn = DMat3::from_quat(random.rotation());
                let moved = |body: Body| Body { rotation: turn * body.rotation, place: turn * body.place, ..body };
                let closest = check(&moved(body), &moved(cone), "cone, moved");
                assert!((closest.upper - off.max(0.0)).abs() < 2e-13, "{off} {closest:?}");
            }
        }
    }
}

#[test]
fn needles_and_discs_of_one_to_a_million_have_tight_bounds() {
    let mut random = Random(7);
    let thin = [DVec3::new(1e-6, 1e-6, 1.0), DVec3::new(1.0, 1.0, 1e-6), DVec3::new(1.0, 1e-3, 1e-6)];
    for case in 0..600 {
        let a = Body { kind: BvhKind::Ellipsoid(thin[case % 3]), rotation: random.turn(), place: DVec3::ZERO };
        let kind = match case / 3 % 5 {
            0 => BvhKind::Ellipsoid(thin[random.below(3)]),
            1 => BvhKind::Cone(1e-6, 1.0),
            2 => BvhKind::Cone(1.0, 1e-6),
            _ => random.kind(case % SOLIDS),
        };
        let apart = [0.0, 1e-5, 0.1, 1.0, 10.0][random.below(5)];
        let b = Body { kind, rotation: random.turn(), place: random.vector() * apart };
        check(&a, &b, "thin");
        check(&b, &a, "thin, swapped");
    }
}

#[test]
fn a_triangle_inside_of_a_solid_touches_it() {
    let triangle = BvhKind::Triangle([DVec3::ZERO, DVec3::X * 0.1, DVec3::Y * 0.1]);
    let hull = BvhKind::hull_of((0..8).map(|i| vertex_of_box(i, DVec3::ONE)).collect());
    for kind in [
        BvhKind::Sphere(1.0),
        BvhKind::Capsule(1.0, 1.0),
        BvhKind::Cuboid(DVec3::ONE),
        BvhKind::Cylinder(1.0, 1.0),
        BvhKind::Cone(1.5, 1.0),
        BvhKind::Ellipsoid(DVec3::new(1.0, 1.5, 1.2)),
        hull,
    ] {
        for place in [DVec3::ZERO, DVec3::splat(0.2), DVec3::new(0.0, 0.3, -0.5)] {
            let solid = Body { kind, rotation: DMat3::IDENTITY, place: DVec3::ZERO };
            let inside = Body { kind: triangle, rotation: DMat3::IDENTITY, place };
            assert!(check(&solid, &inside, "inside").is_overlapping());
        }
    }
}

#[test]
fn bodies_without_extent_are_the_points_and_segments_that_they_are() {
    let point = |kind| Body { kind, rotation: DMat3::IDENTITY, place: DVec3::ZERO };
    let points =
        [BvhKind::Sphere(0.0), BvhKind::Capsule(0.0, 0.0), BvhKind::Cuboid(DVec3::ZERO), BvhKind::Cylinder(0.0, 0.0)];
    for a in points {
        for b in points {
            assert!(check(&point(a), &point(b), "same point").is_overlapping());
            let off = Body { place: DVec3::new(1.0, 2.0, 2.0), ..point(b) };
            let closest = check(&point(a), &off, "two points");
            assert!((closest.upper - 3.0).abs() < 1e-13, "{closest:?}");
        }
    }
    // Two plates of one plane, a disc and a segment of it.
    let plate = point(BvhKind::Cuboid(DVec3::new(1.0, 1.0, 0.0)));
    for kind in [BvhKind::Cuboid(DVec3::new(1.0, 0.5, 0.0)), BvhKind::Cylinder(1.0, 0.0), BvhKind::Cuboid(DVec3::X)] {
        for (x, expected) in [(2.5, 0.5), (2.0, 0.0), (1.0, 0.0)] {
            let other = Body { place: DVec3::X * x, ..point(kind) };
            let closest = check(&plate, &other, "one plane");
            assert!((closest.upper - expected).abs() < 1e-13, "{closest:?}");
        }
    }
}

#[test]
fn a_limit_hides_nothing_that_is_nearer() {
    let mut random = Random(3);
    for case in 0..3000 {
        let (i, j) = (case % (SOLIDS + 1), case / (SOLIDS + 1) % SOLIDS);
        let a = Body { kind: random.kind(i), rotation: random.turn(), place: DVec3::ZERO };
        let b = Body { kind: random.kind(j), rotation: random.turn(), place: random.vector() * 2.0 };
        let full = answer(&a, &b, f64::INFINITY).0.unwrap();
        for factor in [0.5, 0.99, 1.0, 1.01, 2.0] {
            let limit = full.upper * factor;
            match answer(&a, &b, limit).0 {
                None => assert!(full.upper >= limit, "{full:?} {limit}"),
                Some(found) => {
                    assert!(factor >= 0.99 || full.is_overlapping(), "{full:?} {limit}");
                    assert!((found.upper - full.upper).abs() <= 1e-10 * full.upper + 1e-13, "{full:?} {found:?}");
                }
            }
        }
    }
}

#[test]
fn a_gap_along_any_direction_is_at_most_the_distance() {
    let mut random = Random(4);
    for case in 0..4000 {
        let (i, j) = (case % SOLIDS, case / SOLIDS % SOLIDS);
        let a = Body { kind: random.kind(i), rotation: random.turn(), place: DVec3::ZERO };
        let b = Body { kind: random.kind(j), rotation: random.turn(), place: random.vector() * 3.0 };
        let (a, b) = (a.primitive().unwrap(), b.primitive().unwrap());
        let closest = a.closest_below(&b, f64::INFINITY).unwrap();
        let best = closest.point_b - closest.point_a;
        for direction in [best, random.vector(), DVec3::X, DVec3::ZERO] {
            assert!(a.gap_along(&b, direction) <= closest.upper, "{direction} {closest:?}");
        }
        // Of faces that are nearly parallel the points, and so their direction, are known to the
        // root of a rounding only.
        assert!(closest.upper < 1e-3 || a.gap_along(&b, best) >= closest.upper - 1e-6, "{closest:?}");
    }
}

#[test]
fn the_normal_of_an_overlap_leads_out_of_it() {
    let mut random = Random(5);
    let mut seen = 0;
    // How many without a centre of symmetry, and how many of these would come free sooner by the
    // opposite way.
    let mut asymmetric = (0, 0);
    for case in 0..3000 {
        let (i, j) = (case % SOLIDS, case / SOLIDS % SOLIDS);
        let a = Body { kind: random.kind(i), rotation: random.turn(), place: DVec3::ZERO };
        let b = Body { kind: random.kind(j), rotation: random.turn(), place: random.vector() };
        let (solid_a, solid_b) = (a.primitive().unwrap(), b.primitive().unwrap());
        let Some(shared) = solid_a.shared_points(&solid_b) else {
            assert!(!solid_a.overlaps(&solid_b));
            continue;
        };
        seen += 1;
        assert!((shared.normal.length() - 1.0).abs() < 1e-12);
        for &point in &shared.points {
            assert!(a.outside(point) < 1e-12 && b.outside(point) < 1e-12, "{a:?} {b:?} {shared:?}");
        }
        // Far enough along the normal they are apart, and never were nearer to that by the other
        // way.
        let depth = |normal: DVec3| {
            let moved = |by: f64| Body { place: b.place + normal * by, ..b }.primitive().unwrap();
            let (mut low, mut high) = (0.0, 8.0);
            for _ in 0..50 {
                let middle = 0.5 * (low + high);
                if solid_a.overlaps(&moved(middle)) { low = middle } else { high = middle }
            }
            high
        };
        let shorter_back = depth(-shared.normal) < depth(shared.normal) - 1e-9;
        let symmetric = ![a, b].iter().any(|body| matches!(body.kind, BvhKind::Hull(_)));
        assert!(!(symmetric && shorter_back), "{a:?} {b:?} {shared:?}");
        if !symmetric {
            // The best among its neighbours, and not worse than its opposite: without symmetry that
            // does not make it the best of all.
            let [there, back] = [1.0, -1.0].map(|sign| solid_a.gap_along(&solid_b, shared.normal * sign));
            assert!(there >= back - 1e-9, "{a:?} {b:?} {shared:?}");
            asymmetric.0 += 1;
            asymmetric.1 += usize::from(shorter_back);
        }
    }
    assert!(seen > 500, "{seen}");
    assert!(asymmetric.0 > 200 && asymmetric.1 * 50 < asymmetric.0, "{asymmetric:?}");
}

/// Two solids of sizes from 1e-16 to 1e14, one beside the other: at a distance that suits either,
/// both, or rounding.
fn pair_of_any_scales(random: &mut Random, case: usize) -> [Body; 2] {
    let mut body = |which: usize| {
        let scale = 10.0_f64.powf(random.between(-16.0, 14.0));
        Body { kind: random.kind(which).scaled(scale), rotation: random.turn(), place: DVec3::ZERO }
    };
    let (a, b) = (body(case % SOLIDS), body(case / SOLIDS % SOLIDS));
    let (small, large) = (a.bounding_radius().min(b.bounding_radius()), a.bounding_radius().max(b.bounding_radius()));
    let gap = [small, large, 1.0, 1e-15 * large][random.below(4)] * random.unit();
    let direction = random.vector().try_normalize().unwrap_or(DVec3::X);
    let place = direction * (a.bounding_radius() + b.bounding_radius() + gap) * [1.0, 1.0, 0.5][random.below(3)];
    [a, Body { place, ..b }]
}

#[test]
fn solids_whose_sizes_differ_by_1e30_have_certified_distances_in_both_orders() {
    let mut random = Random(21);
    let (mut open, mut apart, mut overlapping) = (0, 0, 0);
    for case in 0..10_000 {
        let [a, b] = pair_of_any_scales(&mut random, case);
        let size = a.bounding_radius() + b.bounding_radius() + a.place.distance(b.place);
        let (one, other) = (answer(&a, &b, f64::INFINITY), answer(&b, &a, f64::INFINITY));
        let label = format!("case {case}: {one:?} {other:?} {a:?} {b:?}");
        for (found, collides) in [&one, &other] {
            let found = found.expect("nothing is infinitely far");
            assert!(found.lower.is_finite() && found.upper.is_finite() && found.lower <= found.upper, "{label}");
            // Whatever is not proven apart collides, and nothing else.
            assert_eq!(*collides, found.is_overlapping() || found.lower < 0.0, "{label}");
            let realised = found.point_a.distance(found.point_b);
            assert!((realised - found.upper).abs() <= 1e-13 * size, "{realised} {label}");
            let feasible = traversed(&a, &b, found.point_a, 60).min(traversed(&a, &b, found.point_b, 60));
            assert!(found.lower <= feasible + 1e-13 * size, "{feasible} {label}");
            *(if found.is_overlapping() {
                &mut overlapping
            } else if found.lower < 0.0 {
                &mut open
            } else {
                &mut apart
            }) += 1;
        }
        let (Some(one), Some(other)) = (one.0, other.0) else { panic!("{label}") };
        assert!(one.lower <= other.upper && other.lower <= one.upper, "{label}");
    }
    assert!(open > 200 && apart > 2000 && overlapping > 500, "{open} {apart} {overlapping}");
}

#[test]
fn an_exact_distance_is_as_narrow_as_its_status_says_and_a_wide_one_is_not_called_exact() {
    let (dispatcher, mut workspace, mut random) = (Dispatcher::standard(), Workspace::default(), Random(22));
    let (mut exact, mut inexact, mut wide_depths) = (0, 0, 0);
    let requests = [(0.0, 0.0), (1e-3, 0.0), (1e-9, 0.0), (0.0, 1e-6)];
    let requests = requests.map(|(rel_err, abs_err)| DistanceRequest { rel_err, abs_err, ..Default::default() });
    for case in 0..6000 {
        let [a, b] = pair_of_any_scales(&mut random, case);
        if a.bounding_radius().min(b.bounding_radius()) == 0.0 {
            continue;
        }
        // Every fourth pair has sizes that go together.
        let b = if case % 4 == 0 {
            let scale = a.bounding_radius() / b.bounding_radius();
            Body {
                kind: b.kind.scaled(scale),
                place: b.place.normalize() * a.bounding_radius() * 2.5 * random.unit(),
                ..b
            }
        } else {
            b
        };
        let [a, b] = [&a, &b].map(|body| Solid::new(body.primitive().expect("all are solids")));
        let size = a.sphere().radius.min(b.sphere().radius);
        let plan = dispatcher.plan(&a, &b).unwrap();
        let turn = Pose::from_matrix(random.turn(), DVec3::ZERO).unwrap();
        for (request, pose) in requests.iter().flat_map(|request| [(request, &Pose::IDENTITY), (request, &turn)]) {
            let found = plan.distance(pose, request, &mut workspace, None).unwrap();
            let (width, label) = (found.upper - found.lower, format!("case {case}: {found:?} {request:?}"));
            let narrow = width <= (1e-6 * found.upper).max(1e-9 * size);
            let allowed = request.abs_err.max(request.rel_err * found.upper);
            match found.status {
                Status::Exact => assert!(narrow, "{label}"),
                Status::Tolerance => assert!(width <= allowed * (1.0 + 1e-9) + 1e-15 * found.upper, "{label}"),
                Status::Inexact => assert!(width > allowed && (!narrow || found.lower == 0.0), "{label}"),
                _ => panic!("{label}"),
            }
            exact += usize::from(found.status == Status::Exact);
            inexact += usize::from(found.status == Status::Inexact);
            // Open is open, whatever the bounds.
            assert!(
                found.status != Status::Inexact || found.colliding() == (found.lower > 0.0).then_some(false),
                "{label}"
            );
        }
        for rel_err in [1e-6, 0.1, 0.0] {
            let request = PenetrationRequest { rel_err, ..PenetrationRequest::default() };
            let Some(depth) = plan.penetration(&turn, &request).unwrap() else { continue };
            let (width, label) = (depth.upper - depth.lower, format!("case {case}: {depth:?} {request:?}"));
            let asked = width <= rel_err * depth.upper;
            match depth.status {
                Status::Tolerance => assert!(asked, "{label}"),
                Status::Exact => assert!(width <= (1e-6 * depth.upper).max(1e-9 * size), "{label}"),
                Status::Inexact => assert!(!asked, "{label}"),
                _ => panic!("{label}"),
            }
            wide_depths += usize::from(depth.status == Status::Inexact);
        }
    }
    assert!(exact > 5000 && inexact > 500 && wide_depths > 100, "{exact} {inexact} {wide_depths}");
}
