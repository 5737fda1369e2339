//! Depths against analytic answers, and against all directions that a polytope's depth can have.

use super::lab::agreement::brute_force_depth;
use super::{Penetration, PenetrationRequest, core_gap_along, penetration, polyhedron_penetration};
use crate::Pose;
use crate::math::{DMat3, DQuat, DVec3};
use crate::random::Random;
use crate::shape::{
    Capsule, Cone, Convex, ConvexPolyhedron, Cuboid, Cylinder, Directions, Ellipsoid, Primitive, Sphere,
};

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

fn turn(random: &mut Random) -> DMat3 {
    let quaternion = DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), random.signed());
    DMat3::from_quat(quaternion.normalize())
}

fn at(place: DVec3) -> Pose {
    Pose::from_translation(place).unwrap()
}

/// What every answer promises; `size` is about the solids' size and distance.
fn check(a: &Primitive, b: &Primitive, found: &Penetration, size: f64, label: &str) {
    let label = format!("{label}: {found:?} {a:?} {b:?}");
    assert!(found.lower.is_finite() && found.upper.is_finite() && found.normal.is_finite(), "{label}");
    assert!(found.point_a.is_finite() && found.point_b.is_finite(), "{label}");
    assert!(0.0 <= found.lower && found.lower <= found.upper, "{label}");
    assert!((found.normal.length() - 1.0).abs() < 1e-15 * 4.0, "{label}");
    let gap = core_gap_along(a, b, found.normal) - a.radius() - b.radius();
    assert!(-gap <= found.upper + 1e-13 * size, "{gap} {label}");
    let (apart, width) = (found.point_a - found.point_b, found.upper - found.lower);
    assert!((apart.length() - found.upper).abs() <= 2.0 * width + 1e-12 * size, "{:e} {label}", apart.length());
    // A direction that is off by x costs x²/2 of the depth.
    let off = apart.distance(found.normal * found.upper);
    assert!(off <= 2.0 * (width * found.upper).sqrt() + 1e-6 * size, "{off:e} {label}");
}

fn depth(a: impl Into<Primitive>, b: impl Into<Primitive>) -> Penetration {
    let (a, b) = (a.into(), b.into());
    let found = penetration(&a, &b, &PenetrationRequest::default()).expect("they overlap or touch");
    let size = a.bounding_radius() + b.bounding_radius() + a.radius() + b.radius() + a.center().distance(b.center());
    check(&a, &b, &found, size, "");
    let swapped = penetration(&b, &a, &PenetrationRequest::default()).expect("they overlap or touch");
    check(&b, &a, &swapped, size, "swapped");
    assert!(swapped.lower <= found.upper && found.lower <= swapped.upper, "{found:?} {swapped:?}");
    found
}

/// Two bounds are 128 roundings of the solids' size and distance apart, which is at most 8 times
/// what depths are given in here.
const ROUNDING: f64 = 1.2e-13;

fn assert_depth(found: &Penetration, expected: f64, width: f64) {
    assert!(found.lower <= expected && expected <= found.upper, "{expected} {found:?}");
    assert!(found.upper - found.lower <= width, "{expected} {found:?}");
}

#[test]
fn boxes_spheres_and_capsules_have_their_analytic_depths_at_any_size() {
    for scale in [1e-6, 1e-3, 1.0, 1e3, 1e6] {
        let cube = Cuboid::from_half_extents(DVec3::splat(scale)).unwrap();
        let sphere = Sphere::new(scale).unwrap();
        let capsule = Capsule::from_half_length(0.5 * scale, scale).unwrap();
        for (place, expected, normal) in [
            (DVec3::new(1.5, 0.1, 0.0), 0.5, DVec3::X),
            (DVec3::new(0.1, -1.75, 0.2), 0.25, DVec3::NEG_Y),
            (DVec3::new(0.0, 0.0, 1.0), 1.0, DVec3::Z),
        ] {
            let found = depth(cube, cube.transformed(&at(place * scale)));
            assert_depth(&found, expected * scale, ROUNDING * scale);
            assert!(found.normal.distance(normal) < 1e-12, "{found:?}");
            // A sphere whose centre is in the box leaves it by the nearest face.
            let found = depth(cube, sphere.transformed(&at(place * 0.5 * scale)));
            assert_depth(&found, (2.0 - place.abs().max_element() * 0.5) * scale, ROUNDING * scale);
            let found = depth(sphere, sphere.transformed(&at(place * scale)));
            assert_depth(&found, (2.0 - place.length()) * scale, ROUNDING * scale);
            assert!(found.normal.distance(place.normalize()) < 1e-12, "{found:?}");
        }
        assert_depth(
            &depth(capsule, capsule.transformed(&at(DVec3::X * 0.75 * scale))),
            0.25 * scale,
            ROUNDING * scale,
        );
        // Crossing axes: the set of differences of the cores is flat, and the shortest way out is
        // across both.
        let across = capsule.transformed(&Pose::new(DQuat::from_rotation_x(1.0), DVec3::ZERO).unwrap());
        let found = depth(capsule, across);
        assert_depth(&found, scale, ROUNDING * scale);
        assert!(found.normal.x.abs() > 1.0 - 1e-12, "{found:?}");
    }
}

#[test]
fn solids_about_one_centre_have_the_depth_of_their_smallest_width() {
    let cube = Cuboid::from_half_extents(DVec3::new(1.0, 2.0, 3.0)).unwrap();
    assert_depth(&depth(cube, cube), 2.0, ROUNDING);
    let sphere = Sphere::new(1.0).unwrap();
    assert_depth(&depth(sphere, sphere), 2.0, ROUNDING);
    assert_depth(&depth(sphere, cube), 2.0, ROUNDING);
    let can = Cylinder::from_half_length(3.0, 1.0).unwrap();
    assert_depth(&depth(can, can), 2.0, 1e-5);
    assert_depth(&depth(can, cube), 4.0, 1e-5);
    let capsule = Capsule::from_half_length(0.5, 1.0).unwrap();
    assert_depth(&depth(capsule, capsule), 1.0, ROUNDING);
    let octahedron: Vec<DVec3> = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]).collect();
    let octahedron = ConvexPolyhedron::hull_of(&octahedron).unwrap();
    assert_depth(&depth(octahedron.clone(), octahedron.clone()), 2.0 / 3.0_f64.sqrt(), ROUNDING);
    assert_depth(&depth(octahedron, sphere), 1.0 / 3.0_f64.sqrt() + 1.0, ROUNDING);
}

#[test]
fn solids_that_touch_have_no_depth_to_speak_of() {
    let cube = Cuboid::from_half_extents(DVec3::ONE).unwrap();
    let can = Cylinder::from_half_length(1.0, 1.0).unwrap();
    let sphere = Sphere::new(1.0).unwrap();
    let cone = Cone::from_half_length(1.0, 1.0).unwrap();
    let plate = Cuboid::from_half_extents(DVec3::new(1.0, 1.0, 0.0)).unwrap();
    let egg = Ellipsoid::new(DVec3::new(1.0, 2.0, 1.0)).unwrap();
    let pairs: [(Primitive, Primitive, DVec3); 11] = [
        (cube.into(), cube.into(), DVec3::new(2.0, 0.0, 0.0)),
        (cube.into(), cube.into(), DVec3::new(2.0, 2.0, 0.3)),
        (cube.into(), cube.into(), DVec3::new(2.0, 2.0, -2.0)),
        (cube.into(), can.into(), DVec3::new(0.3, 0.2, 2.0)),
        (can.into(), can.into(), DVec3::new(0.3, 0.2, 2.0)),
        (can.into(), can.into(), DVec3::new(2.0, 0.0, 0.5)),
        (sphere.into(), sphere.into(), DVec3::X * 2.0),
        (cone.into(), cube.into(), DVec3::Z * 2.0),
        (plate.into(), plate.into(), DVec3::new(0.5, 0.5, 0.0)),
        (plate.into(), cube.into(), DVec3::new(0.5, 0.5, 1.0)),
        (egg.into(), egg.into(), DVec3::X * 2.0),
    ];
    for (a, b, place) in pairs {
        let found = depth(a, b.transformed(&at(place)));
        assert!(found.lower == 0.0 || found.lower < 1e-13, "{found:?}");
        assert!(found.upper < 1e-10, "{found:?}");
    }
}

/// Points of which hulls of all shapes come: round, boxes, flat and long ones.
fn hull(random: &mut Random, count: usize, stretch: DVec3) -> ConvexPolyhedron {
    loop {
        let points: Vec<DVec3> = (0..count)
            .map(|_| if random.below(4) == 0 { vector(random).round() } else { vector(random) } * stretch)
            .collect();
        if let Ok(hull) = ConvexPolyhedron::hull_of(&points) {
            return hull.transformed(&Pose::from_matrix(turn(random), DVec3::ZERO).unwrap());
        }
    }
}

#[test]
fn depths_of_polyhedra_are_those_of_all_face_normals_and_products_of_edges() {
    let mut random = Random(91);
    let (mut deep, mut wide) = (0, 0);
    for case in 0..10_000 {
        let scale = 10.0_f64.powi([0, -6, 6][case % 3]);
        let stretch = [DVec3::ONE, DVec3::ONE, DVec3::new(1.0, 1.0, 1e-4), DVec3::new(1.0, 1e-4, 1e-4)][case / 3 % 4];
        let counts = (4 + random.below(9), 4 + random.below(9));
        let (a, b) = (hull(&mut random, counts.0, stretch * scale), hull(&mut random, counts.1, DVec3::splat(scale)));
        let b = b.transformed(&at(vector(&mut random) * random.unit() * scale));
        let search = if case % 2 == 0 { polyhedron_penetration } else { penetration };
        let found = search(&a, &b, &PenetrationRequest::default());
        let truth = brute_force_depth(&a, &b).0;
        let size = a.bounding_radius() + b.bounding_radius() + a.center().distance(b.center());
        let Some(found) = found else {
            assert!(truth < 1e-12 * size, "{case}: {truth}");
            continue;
        };
        assert!(found.lower <= truth + 1e-14 * size, "{case}: {truth:e} {found:?}");
        assert!(found.upper >= truth - 1e-12 * size, "{case}: {truth:e} {found:?}");
        deep += 1;
        wide += usize::from(found.upper - found.lower > 1e-6 * found.upper + 1e-12 * size);
        check(&a.into(), &b.into(), &found, size, "random");
    }
    assert!(deep > 4000, "{deep}");
    assert!(wide == 0, "{wide} of {deep} are wide");
}

/// The search over numbers of vertices and the general one prove intervals of the same number.
#[test]
fn depths_found_over_numbers_of_vertices_agree_with_those_of_the_general_search() {
    let mut random = Random(77);
    let mut overlapping = 0;
    for round in 0..600 {
        let (count, scale) = ([5, 8, 20, 33, 120][round % 5], [1.0, 1e-5, 1e4][round % 3]);
        let a = hull(&mut random, count, DVec3::splat(scale));
        let b = hull(&mut random, count + round % 7, DVec3::new(1.0, 1.0, 0.3) * scale);
        let pose = Pose::from_matrix(turn(&mut random), vector(&mut random) * 0.8 * scale).unwrap();
        let b = b.transformed(&pose);
        let request = PenetrationRequest::default();
        let (found, general) = (polyhedron_penetration(&a, &b, &request), penetration(&a, &b, &request));
        assert_eq!(found.is_some(), general.is_some(), "{round}");
        let (Some(found), Some(general)) = (found, general) else { continue };
        overlapping += 1;
        let size = a.bounding_radius() + b.bounding_radius() + a.center().distance(b.center());
        check(&a.clone().into(), &b.clone().into(), &found, size, "vertices");
        assert!(found.lower <= general.upper && general.lower <= found.upper, "{round}: {found:?} {general:?}");
        assert!(found.upper - found.lower <= 1.01e-6 * found.upper + ROUNDING * size, "{round}: {found:?}");
    }
    assert!(overlapping > 200, "{overlapping}");
}

/// Nothing leads from one centre to the other, and most vertices come to be hidden by others.
#[test]
fn polyhedra_whose_centres_coincide_have_depths_as_narrow_as_others() {
    let mut random = Random(94);
    let mut coincide = 0;
    for round in 0..300 {
        let count = [5, 12, 20, 60][round % 4];
        let (a, b) = (hull(&mut random, count, DVec3::ONE), hull(&mut random, count, DVec3::ONE));
        let b = b.transformed(&at(a.center() - b.center()));
        coincide += usize::from(a.center() == b.center());
        for search in [polyhedron_penetration, penetration] {
            let found = search(&a, &b, &PenetrationRequest::default()).unwrap();
            let size = a.bounding_radius() + b.bounding_radius();
            assert!(found.upper - found.lower <= 1.01e-6 * found.upper + ROUNDING * size, "{round}: {found:?}");
            if count <= 20 {
                let truth = brute_force_depth(&a, &b).0;
                assert!(
                    found.lower <= truth + 1e-13 * size && truth <= found.upper + 1e-13 * size,
                    "{round}: {found:?}"
                );
            }
        }
    }
    assert!(coincide > 20, "{coincide}");
}

/// A globe of meridians and parallels.
fn globe(parallels: u32) -> ConvexPolyhedron {
    let angle = |i: u32| std::f64::consts::PI * f64::from(i) / f64::from(parallels);
    let rings = (1..parallels).flat_map(|i| (0..2 * parallels).map(move |j| (i, j)));
    let vertex = |(i, j)| {
        let ((height, radius), (x, y)) = ((angle(i).cos(), angle(i).sin()), (angle(j).cos(), angle(j).sin()));
        DVec3::new(radius * x, radius * y, height)
    };
    let vertices: Vec<DVec3> = rings.map(vertex).chain([DVec3::Z, DVec3::NEG_Z]).collect();
    ConvexPolyhedron::hull_of(&vertices).unwrap()
}

/// All faces are almost as near as the nearest one, so that it takes as many steps as there are
/// vertices; where none is turned, many differences of vertices are in one plane.
#[test]
fn round_hulls_about_nearly_one_centre_have_narrow_depths() {
    let mut random = Random(95);
    let a = globe(20);
    for shift in [0.0, 1e-9, 1e-3, 0.05] {
        for turned in [false, false, true] {
            let turn = if turned { turn(&mut random) } else { DMat3::IDENTITY };
            let place = vector(&mut random).normalize() * shift;
            let b = a.transformed(&Pose::from_matrix(turn, place).unwrap());
            let found = polyhedron_penetration(&a, &b, &PenetrationRequest::default()).unwrap();
            check(&a.clone().into(), &b.clone().into(), &found, 4.0, "round");
            assert!(found.upper - found.lower <= 1.01e-6 * found.upper, "{shift} {turned} {found:?}");
            // Both are spheres, less what their faces cut off.
            assert!(found.upper < 2.0 && found.lower > 1.96 - shift, "{shift} {turned} {found:?}");
            let few = PenetrationRequest { max_steps: Some(256), ..PenetrationRequest::default() };
            let rough = polyhedron_penetration(&a, &b, &few).unwrap();
            assert!(rough.lower <= found.upper && found.lower <= rough.upper, "{rough:?} {found:?}");
        }
    }
}

/// A prism over a polygon of 64 vertices.
fn prism() -> ConvexPolyhedron {
    let vertex = |k: u32| DQuat::from_rotation_z(std::f64::consts::PI / 32.0 * f64::from(k)) * DVec3::X;
    let vertices: Vec<DVec3> = (0..64).flat_map(|k| [vertex(k) + DVec3::Z * 3.0, vertex(k) - DVec3::Z * 3.0]).collect();
    ConvexPolyhedron::hull_of(&vertices).unwrap()
}

/// Many faces of their differences are in one plane, and a vertex may see some of them in several
/// places, up to rounding.
#[test]
fn prisms_that_are_turned_alike_have_narrow_depths() {
    let mut random = Random(96);
    for round in 0..40 {
        let pose = Pose::from_matrix(turn(&mut random), vector(&mut random)).unwrap();
        let a = prism().transformed(&pose);
        let b = a.transformed(&at(vector(&mut random) * [1e-3, 1e-6, 0.1][round % 3]));
        for search in [polyhedron_penetration, penetration] {
            let found = search(&a, &b, &PenetrationRequest::default()).unwrap();
            check(&a.clone().into(), &b.clone().into(), &found, 8.0, "prisms");
            assert!(found.upper - found.lower <= 1.01e-6 * found.upper, "{round}: {found:?}");
        }
    }
}

/// A solid that counts how often it is asked for a support point.
struct Counted<'s>(&'s Primitive, &'s std::cell::Cell<usize>);

impl Convex for Counted<'_> {
    fn center(&self) -> DVec3 {
        self.0.center()
    }

    fn bounding_radius(&self) -> f64 {
        self.0.bounding_radius()
    }

    fn support(&self, direction: DVec3) -> DVec3 {
        self.1.set(self.1.get() + 1);
        self.0.support(direction)
    }

    fn nearest(&self, offset: DVec3) -> DVec3 {
        self.0.nearest(offset)
    }

    fn face_normals(&self, towards: DVec3) -> Directions {
        self.0.face_normals(towards)
    }

    fn edge_directions(&self, towards: DVec3) -> Directions {
        self.0.edge_directions(towards)
    }
}

/// Vertices of thin faces hide each other in turn, up to rounding.
#[test]
fn long_boxes_that_hardly_touch_do_not_take_all_steps() {
    let mut random = Random(97);
    let most = std::cell::Cell::new(0);
    for round in 0..200 {
        let half = [DVec3::new(1000.0, 1.0, 1.0), DVec3::new(100.0, 1.0, 1.0), DVec3::new(1e4, 1.0, 1.0)][round % 3];
        let a: Primitive = Cuboid::from_half_extents(half).unwrap().into();
        let place = if round == 0 {
            DVec3::new(-417.0, 0.211, 2.0 * (1.0 - 1e-9))
        } else {
            DVec3::new(
                half.x * random.signed(),
                random.signed(),
                2.0 * (1.0 - 10_f64.powf(random.between(-13.0, -6.0))),
            )
        };
        let b = a.transformed(&at(place));
        let asked = std::cell::Cell::new(0);
        let found = penetration(&Counted(&a, &asked), &Counted(&b, &asked), &PenetrationRequest::default());
        check(&a, &b, &found.unwrap(), 2.0 * half.x, "long");
        most.set(most.get().max(asked.get()));
    }
    assert!(most.get() < 400, "{} farthest points", most.get());
}

fn any_primitive(random: &mut Random, which: usize) -> Primitive {
    let mut length = || 0.05 + random.unit();
    let solid: Primitive = match which {
        0 => Sphere::new(length()).unwrap().into(),
        1 => Capsule::from_half_length(length(), length()).unwrap().into(),
        2 => Cuboid::from_half_extents(DVec3::new(length(), length(), length())).unwrap().into(),
        3 => Cylinder::from_half_length(length(), length()).unwrap().into(),
        4 => Cone::from_half_length(length(), length()).unwrap().into(),
        5 => Ellipsoid::new(DVec3::new(length(), length(), length())).unwrap().into(),
        _ => hull(random, 12, DVec3::ONE).into(),
    };
    solid.transformed(&Pose::from_matrix(turn(random), vector(random)).unwrap())
}

#[test]
fn no_direction_shows_a_smaller_depth_than_the_lower_bound_for_any_two_solids() {
    let mut random = Random(92);
    let mut wide = 0;
    for case in 0..2000 {
        let (a, b) = (any_primitive(&mut random, case % 7), any_primitive(&mut random, case / 7 % 7));
        let Some(found) = penetration(&a, &b, &PenetrationRequest::default()) else { continue };
        let size =
            a.bounding_radius() + b.bounding_radius() + a.radius() + b.radius() + a.center().distance(b.center());
        check(&a, &b, &found, size, "any");
        for _ in 0..100 {
            let near = found.normal + vector(&mut random) * 10.0_f64.powf(random.between(-6.0, 1.0));
            let gap = core_gap_along(&a, &b, near) - a.radius() - b.radius();
            assert!(found.lower <= -gap + 1e-13 * size, "{case}: {gap} {found:?} {a:?} {b:?}");
        }
        // Moved by that much they are apart, up to rounding; by less in the best direction they are
        // not.
        let moved = b.transformed(&at(found.normal * (found.upper + 1e-12 * size)));
        assert!(core_gap_along(&a, &moved, found.normal) - a.radius() - b.radius() >= -1e-13 * size, "{case}");
        wide += usize::from(found.upper - found.lower > 1e-5 * found.upper + 1e-10 * size);
    }
    assert!(wide < 100, "{wide} are wide");
}

#[test]
fn few_steps_give_a_wider_interval_that_holds() {
    let mut random = Random(93);
    for case in 0..500 {
        let (a, b) = (any_primitive(&mut random, case % 7), any_primitive(&mut random, case / 7 % 7));
        let exact = penetration(&a, &b, &PenetrationRequest::default());
        for max_steps in [0, 1, 3, 10] {
            let found = penetration(
                &a,
                &b,
                &PenetrationRequest { max_steps: Some(max_steps), ..PenetrationRequest::default() },
            );
            let (Some(found), Some(exact)) = (found, exact) else { continue };
            assert!(found.lower <= exact.upper && exact.lower <= found.upper, "{case} {found:?} {exact:?}");
        }
    }
}

#[test]
fn a_search_that_may_take_no_step_says_something_finite_all_the_same() {
    let cube = |place: DVec3| {
        let vertices: Vec<DVec3> =
            (0..8).map(|k| DVec3::from_array([0, 1, 2].map(|i| f64::from(k >> i & 1)))).collect();
        ConvexPolyhedron::hull_of(&vertices).unwrap().transformed(&at(place))
    };
    let request = PenetrationRequest { max_steps: Some(0), ..PenetrationRequest::default() };
    for shift in [0.0, 3.2e-162, 6e-162, 1e-3, 0.5] {
        let (a, b) = (cube(DVec3::ZERO), cube(DVec3::X * shift));
        let found = polyhedron_penetration(&a, &b, &request).unwrap();
        assert!(found.upper.is_finite() && found.lower <= 1.0 - shift + 1e-12, "{shift} {found:?}");
        assert!(found.upper >= 1.0 - shift - 1e-12, "{shift} {found:?}");
    }
}
