//! What the search promises beyond the pairs that `tests/primitive_pairs.rs` judges: steps,
//! tightness, extreme sizes.

use super::lab::agreement::outside;
use super::lab::{Method, MethodMemory, distance_by};
use super::simplex::{Simplex, Vertex};
use super::{core_distance, core_gap_along, core_parting};
use crate::Pose;
use crate::math::double_double::{DoubleDouble, PreciseVec3};
use crate::math::{DQuat, DVec3, UNIT_ROUNDOFF};
use crate::random::Random;
use crate::shape::{Cone, Convex, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Primitive};

fn somewhere(random: &mut Random) -> Pose {
    let turn = DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), random.signed()).normalize();
    Pose::new(turn, DVec3::new(random.signed(), random.signed(), random.signed())).unwrap()
}

fn ellipsoid(random: &mut Random, thinnest: f64) -> Primitive {
    let mut half = || random.unit().max(1e-3) * if random.below(3) == 0 { thinnest } else { 1.0 };
    Ellipsoid::new(DVec3::new(half(), half(), half())).unwrap().transformed(&somewhere(random)).into()
}

fn cylinder(random: &mut Random) -> Primitive {
    let (radius, half_length) = (random.unit(), random.unit());
    Cylinder::from_half_length(radius, half_length).unwrap().transformed(&somewhere(random)).into()
}

#[test]
fn two_cylinders_have_bounds_within_1e_11_of_their_size() {
    let mut random = Random(77);
    let mut apart = 0;
    for _ in 0..20_000 {
        let (a, b) = (cylinder(&mut random), cylinder(&mut random));
        let found = core_distance(&a, &b, f64::INFINITY).unwrap();
        assert!(found.upper == 0.0 || found.upper - found.lower < 1e-11 * 4.0, "{a:?} {b:?} {found:?}");
        apart += usize::from(found.upper > 0.0);
    }
    assert!(apart > 5000, "{apart}");
}

#[test]
fn two_ellipsoids_have_bounds_within_1e_11_of_their_size_be_they_as_thin_as_a_millionth() {
    let mut random = Random(80);
    let mut apart = 0;
    for case in 0..10_000 {
        let thinnest = [1.0, 1e-3, 1e-6][case % 3];
        let (a, b) = (ellipsoid(&mut random, thinnest), ellipsoid(&mut random, thinnest));
        let found = core_distance(&a, &b, f64::INFINITY).unwrap();
        assert!(found.upper == 0.0 || found.upper - found.lower < 1e-11 * 4.0, "{a:?} {b:?} {found:?}");
        apart += usize::from(found.upper > 0.0);
    }
    assert!(apart > 2500, "{apart}");
}

/// Bounds that are infinite are not tight, or no push would ever be searched: here the first
/// direction out is not the best.
#[test]
fn a_cone_is_left_along_its_slant_though_its_base_is_tried_first() {
    let a = Ellipsoid::new(DVec3::new(0.454, 0.135, 0.238)).unwrap();
    let place = Pose::from_translation(DVec3::new(0.259, 0.506, 0.0256)).unwrap();
    let b = Cone::from_half_length(0.993, 0.1066).unwrap().transformed(&place);
    let parting = core_parting(&a, &b);
    assert!(parting.lower > -0.25 && parting.lower > core_gap_along(&a, &b, DVec3::Z) + 0.05, "{parting:?}");
}

#[test]
fn the_size_of_shapes_does_not_matter_up_to_the_ends_of_the_range() {
    let mut random = Random(78);
    for exponent in [-80, -50, -20, 20, 50, 90] {
        let scale = 10.0_f64.powi(exponent);
        for case in 0..200 {
            let half = DVec3::new(random.unit(), random.unit(), random.unit());
            let (pose, far) = (somewhere(&mut random), somewhere(&mut random));
            let (cone, egg) = (random.unit().max(0.1), DVec3::new(1.0, random.unit().max(1e-6), 0.5));
            let shapes = |scale: f64| {
                let scaled = |pose: &Pose| Pose::from_matrix(*pose.rotation(), pose.translation() * scale).unwrap();
                let first: Primitive = match case % 2 {
                    0 => Cuboid::from_half_extents(half * scale).unwrap().transformed(&scaled(&pose)).into(),
                    _ => Ellipsoid::new(egg * scale).unwrap().transformed(&scaled(&pose)).into(),
                };
                let second: Primitive = match case / 2 % 2 {
                    0 => {
                        Cylinder::from_half_length(0.3 * scale, 0.2 * scale).unwrap().transformed(&scaled(&far)).into()
                    }
                    _ => Cone::from_half_length(cone * scale, 0.2 * scale).unwrap().transformed(&scaled(&far)).into(),
                };
                (first, second)
            };
            let ((a, b), (scaled_a, scaled_b)) = (shapes(1.0), shapes(scale));
            let expected = core_distance(&a, &b, f64::INFINITY).unwrap();
            let found = core_distance(&scaled_a, &scaled_b, f64::INFINITY).unwrap();
            assert!((found.upper / scale - expected.upper).abs() < 1e-10, "{exponent} {found:?} {expected:?}");
            assert!(found.lower <= found.upper && found.normal.is_finite(), "{found:?}");
        }
    }
}

#[test]
fn a_box_leaves_a_box_by_the_nearest_face() {
    let a = Cuboid::from_half_extents(DVec3::ONE).unwrap();
    for (place, normal, depth) in [
        (DVec3::new(1.5, 0.1, 0.0), DVec3::X, 0.5),
        (DVec3::new(0.1, -1.75, 0.2), DVec3::NEG_Y, 0.25),
        (DVec3::new(0.5, 0.25, 1.999), DVec3::Z, 0.001),
    ] {
        let b = a.transformed(&Pose::from_translation(place).unwrap());
        let parting = core_parting(&a, &b);
        assert!(parting.normal.distance(normal) < 1e-9, "{parting:?}");
        assert!((parting.lower + depth).abs() < 1e-12, "{parting:?}");
        assert!(core_gap_along(&a, &b, normal) < 0.0);
    }
}

#[test]
fn farthest_and_nearest_points_are_what_sampling_says() {
    let mut random = Random(79);
    for case in 0..200 {
        let shape = match case % 4 {
            0 => cylinder(&mut random),
            1 => ellipsoid(&mut random, 1e-3),
            2 => Cone::from_half_length(random.unit().max(1e-3), random.unit().max(1e-3))
                .unwrap()
                .transformed(&somewhere(&mut random))
                .into(),
            _ => Cuboid::from_half_extents(DVec3::new(random.unit(), random.unit(), random.unit()))
                .unwrap()
                .transformed(&somewhere(&mut random))
                .into(),
        };
        let direction = DVec3::new(random.signed(), random.signed(), random.signed());
        let (farthest, nearest) = (shape.support(direction), shape.nearest(direction));
        for _ in 0..200 {
            let any = shape.nearest(DVec3::new(random.signed(), random.signed(), random.signed()) * 3.0);
            assert!(direction.dot(any) <= direction.dot(farthest) + 1e-14, "{shape:?}");
            assert!(direction.distance(any) >= direction.distance(nearest) - 1e-14, "{shape:?}");
            assert!(any.length() <= shape.bounding_radius() + 1e-14, "{shape:?}");
        }
    }
}

/// A box or a cylinder, neither much thinner than long, about the origin.
fn turned(random: &mut Random) -> Primitive {
    let mut length = || 0.03 + random.unit();
    let shape: Primitive = match length() > 0.4 {
        true => Cylinder::from_half_length(length(), length()).unwrap().into(),
        false => Cuboid::from_half_extents(DVec3::new(length(), length(), length())).unwrap().into(),
    };
    shape.transformed(&Pose::from_matrix(*somewhere(random).rotation(), DVec3::ZERO).unwrap())
}

#[test]
fn shapes_on_both_sides_of_a_plane_are_seen_to_be_apart() {
    let mut random = Random(80);
    for case in 0..20_000 {
        let (a, b) = (turned(&mut random), turned(&mut random));
        let normal = DVec3::new(random.signed(), random.signed(), random.signed()).normalize();
        let gap = 2e-12 * (a.bounding_radius() + b.bounding_radius()) * 10.0_f64.powi(case % 5);
        let place = a.support(normal) + normal * gap - b.support(-normal);
        let b = b.transformed(&Pose::from_translation(place).unwrap());
        let found = core_distance(&a, &b, f64::INFINITY).unwrap();
        assert!(found.lower > 0.0 && found.upper >= 0.999 * gap, "{case}: {gap:e} {found:?} {a:?} {b:?}");
    }
}

#[test]
fn the_farthest_point_of_a_cylinder_is_one_of_it_however_small_parts_of_the_direction_are() {
    let cylinder = Cylinder::from_half_length(1.0, 1.0).unwrap();
    for x in [1.0, 1e-100, 1e-154, 1e-158, 2.7e-162, 1e-170, 5e-324] {
        for direction in [DVec3::new(x, 0.0, 1.0), DVec3::new(x, -x, -1.0)] {
            let point = cylinder.support(direction);
            assert!(point.x.hypot(point.y) <= 1.0 + 1e-15 && point.z.abs() == 1.0, "{direction} {point}");
        }
    }
}

#[test]
fn the_nearest_point_of_a_thin_simplex_is_one_of_it() {
    let mut random = Random(82);
    for case in 0..100_000 {
        let (thin, near) = (10.0_f64.powf(random.between(-14.0, 0.0)), 10.0_f64.powf(random.between(-14.0, -5.0)));
        let turn = *somewhere(&mut random).rotation();
        let mut vertex = || {
            let difference = turn * DVec3::new(random.signed(), thin * random.signed(), near * (0.5 + random.unit()));
            // Points of a that are all the same tell whether weights sum to one.
            Vertex { difference, a: DVec3::X, b: DVec3::X + difference }
        };
        let mut simplex = Simplex::new(vertex());
        for _ in 0..3 {
            let nearest = simplex.add(vertex(), 0.0);
            let (point_a, _) = simplex.points();
            assert!(nearest.inside || point_a.distance(DVec3::X) < 1e-15 * 8.0, "{case}: {nearest:?} {point_a}");
        }
    }
}

#[test]
fn the_shared_point_of_needles_that_cross_is_one_of_both_from_nothing_and_from_the_last_place() {
    let needle = |length: f64, width: f64| {
        let vertices = [[-1.0, 0.3, 0.1], [1.0, -0.2, 0.4], [0.1, 1.0, -1.0], [-0.2, -1.0, -0.7], [0.05, 0.1, 1.0]];
        let vertex = |[x, y, z]: [f64; 3]| DVec3::new(x * length, y * width, z * width);
        ConvexPolyhedron::hull_of(&vertices.map(vertex)).unwrap()
    };
    let mut random = Random(71);
    let (mut overlaps, mut vector) = (0, move || DVec3::new(random.signed(), random.signed(), random.signed()));
    for (of_a, of_b) in [([1.0, 1e-7], [4e3, 1e-6]), ([1.0, 1e-6], [1e3, 1e-4]), ([1.0, 1e-3], [1.0, 1e-3])] {
        let (a, b) = (needle(of_a[0], of_a[1]), needle(of_b[0], of_b[1]));
        for _ in 0..500 {
            let axis = vector().normalize();
            let turn = |angle: f64| DQuat::from_axis_angle(axis, angle);
            let (angle, place) = (vector().x * 3.0, a.center() + vector() * of_a[1] * 0.3);
            let mut memory = MethodMemory::default();
            for step in 0..4 {
                let turn = turn(angle + 1e-9 * f64::from(step));
                let moved = b.transformed(&Pose::new(turn, place - turn * b.center()).unwrap());
                for method in [Method::Default, Method::Coherent] {
                    let found = distance_by(method, &a, &moved, f64::INFINITY, &mut memory).unwrap();
                    if found.upper > 0.0 {
                        continue;
                    }
                    overlaps += 1;
                    let off = outside(&a, found.point_a).max(outside(&moved, found.point_b));
                    assert!(
                        off <= 1e-9 * (a.bounding_radius() + b.bounding_radius()),
                        "{of_a:?} {of_b:?} {turn} {place}: {off:e}"
                    );
                }
            }
        }
    }
    assert!(overlaps > 9000, "{overlaps}");
}

/// As [`Parting`](super::Parting) says: what is known of a gap that is taken for none is a bound of
/// it along one direction.
#[test]
fn what_counts_as_overlapping_is_apart_by_rounding_or_by_1e_9_of_the_size_if_curved() {
    let mut random = Random(5);
    let mut taken = [0; 2];
    for _ in 0..40_000 {
        let mut solid = || -> Primitive {
            let mut length = || random.unit() + 1e-3;
            match (length() * 5.0) as u32 {
                0 => Cuboid::from_half_extents(DVec3::new(length(), length(), length())).unwrap().into(),
                1 => Cone::from_half_length(length(), length()).unwrap().into(),
                2 => cylinder(&mut random),
                3 => ellipsoid(&mut random, 1e-3),
                _ => {
                    let vertices: Vec<DVec3> = (0..9).map(|_| DVec3::new(length(), length(), length())).collect();
                    ConvexPolyhedron::hull_of(&vertices).unwrap().into()
                }
            }
        };
        let (a, b) = (solid(), solid());
        let b = b.transformed(&somewhere(&mut random));
        let far = b.transformed(&Pose::from_translation(somewhere(&mut random).translation() * 4.0).unwrap());
        let Some(found) = core_distance(&a, &far, f64::INFINITY).filter(|found| found.lower > 0.0) else { continue };
        let gap = 10.0_f64.powf(random.between(-17.0, -8.0)) * (a.bounding_radius() + b.bounding_radius());
        let near_by = found.normal * (gap - 0.5 * (found.lower + found.upper));
        let near = far.transformed(&Pose::from_translation(near_by).unwrap());
        let size = a.center().distance(near.center()) + a.bounding_radius() + b.bounding_radius();
        if core_distance(&a, &near, f64::INFINITY).is_some_and(|found| found.upper == 0.0) {
            let curved = a.is_curved() || b.is_curved();
            taken[usize::from(curved)] += 1;
            // 64 roundings are taken off already.
            let most = if curved { 1e-9 } else { 192.0 * UNIT_ROUNDOFF };
            let least = core_gap_along(&a, &near, found.normal);
            assert!(least <= most * size, "{:e} {a:?} {near:?}", least / size);
        }
    }
    assert!(taken[0] > 10 && taken[1] > 100, "{taken:?}");
}

#[test]
fn a_limit_that_is_not_a_number_is_none() {
    let mut random = Random(79);
    for case in 0..60 {
        let mut hull = || {
            let vertices: Vec<DVec3> = (0..if case % 2 == 0 { 12 } else { 50 })
                .map(|_| somewhere(&mut random).transform_vector(DVec3::Z))
                .collect();
            ConvexPolyhedron::hull_of(&vertices).unwrap().transformed(&somewhere(&mut random))
        };
        let (a, b) = (hull(), hull());
        let b = b.transformed(&Pose::from_translation(DVec3::X * (case % 3 * 2) as f64).unwrap());
        for method in Method::ALL {
            let [asked, all] =
                [f64::NAN, f64::INFINITY].map(|limit| distance_by(method, &a, &b, limit, &mut MethodMemory::default()));
            assert!(asked.is_some() && asked == all, "{case} {method:?} {asked:?} {all:?}");
        }
        let (can, cube) = (cylinder(&mut random), Cuboid::from_half_extents(DVec3::ONE).unwrap().into());
        for (a, b) in [(&can, &cube), (&cube, &can)] {
            let [asked, all] = [f64::NAN, f64::INFINITY].map(|limit| core_distance(a, b, limit));
            assert!(asked.is_some() && asked == all, "{case} {asked:?} {all:?}");
        }
    }
}

/// The distance of a point from a cylinder about the origin, along z, with 106 bits.
fn precisely_from_cylinder(point: PreciseVec3, radius: f64, half_length: f64) -> DoubleDouble {
    let across = (point.x * point.x + point.y * point.y).sqrt() - DoubleDouble::from(radius);
    let along = point.z.abs() - DoubleDouble::from(half_length);
    let (across, along) = (across.max(DoubleDouble::ZERO), along.max(DoubleDouble::ZERO));
    (across * across + along * along).sqrt()
}

/// A disc of 1e10 to 1e14 and a box of anything from 1e-16 to 1e3, some 1e-3 to 10 beside it. With
/// 106 bits the distance is at most that of the nearest vertex, and at least the gap along the
/// direction from there.
#[test]
fn a_huge_disc_and_a_tiny_box_are_measured_in_both_orders_and_do_not_collide_unless_they_are_as_one() {
    let mut random = Random(113);
    let (mut open, mut apart, mut orders) = (0, 0, 0);
    for case in 0..20_000 {
        let mut magnitude = |low: f64, high: f64| 10.0_f64.powf(random.between(low, high));
        let (radius, half_length, half) = match case % 4 {
            0 => (6.9e13, 4.9e-16, DVec3::new(1.2e-15, 1.0, 2.3e-3)),
            _ => {
                let half = DVec3::new(magnitude(-16.0, 3.0), magnitude(-16.0, 3.0), magnitude(-16.0, 3.0));
                (magnitude(10.0, 14.0), magnitude(-16.0, 1.0), half)
            }
        };
        let gap = if case % 4 == 0 { 0.578 } else { magnitude(-3.0, 1.0) };
        let disc = Cylinder::from_half_length(radius, half_length).unwrap();
        let (sin, cos) = random.between(0.0, 7.0).sin_cos();
        let rim = DVec3::new(cos, sin, 0.0);
        let (from, normal) = match case % 3 {
            0 => (rim * radius, (rim + DVec3::Z * random.signed()).normalize()),
            1 => (rim * (radius * random.unit()), DVec3::Z),
            _ => (rim * radius, rim),
        };
        let turned = Cuboid::from_half_extents(half).unwrap().transformed(&somewhere(&mut random));
        let place = from + normal * gap - turned.support(-normal) - turned.center();
        let cuboid = turned.transformed(&Pose::from_translation(place).unwrap());
        let exactly = |v: DVec3| PreciseVec3::difference(v, DVec3::ZERO);
        let vertices = [(); 8].map(|()| cuboid.center()).map(exactly);
        let vertices: Vec<PreciseVec3> = (0..8)
            .zip(vertices)
            .map(|(i, center)| {
                (0..3).fold(center, |at, k| {
                    let sign = if i >> k & 1 == 1 { 1.0 } else { -1.0 };
                    at + exactly(cuboid.axes().col(k)) * DoubleDouble::from(sign * half[k])
                })
            })
            .collect();
        let from_disc = |&vertex: &PreciseVec3| precisely_from_cylinder(vertex, radius, half_length);
        let nearest = vertices.iter().min_by(|p, q| from_disc(p).nearest().total_cmp(&from_disc(q).nearest())).unwrap();
        let most = from_disc(nearest).nearest() * (1.0 + 1e-12);
        // The gap along a direction from the disc to that vertex, of any length.
        let across = (nearest.x * nearest.x + nearest.y * nearest.y).sqrt();
        let beyond = across - DoubleDouble::from(radius);
        let part = if beyond > DoubleDouble::ZERO { beyond.over(across) } else { DoubleDouble::ZERO };
        let above = (nearest.z.abs() - DoubleDouble::from(half_length)).max(DoubleDouble::ZERO);
        let above = if nearest.z < DoubleDouble::ZERO { -above } else { above };
        let n = PreciseVec3 { x: nearest.x * part, y: nearest.y * part, z: above };
        let length = n.dot(n).sqrt();
        let disc_reaches =
            (n.x * n.x + n.y * n.y).sqrt() * DoubleDouble::from(radius) + n.z.abs() * DoubleDouble::from(half_length);
        let least = vertices.iter().map(|vertex| (n.dot(*vertex) - disc_reaches).over(length).nearest());
        let least = least.fold(f64::INFINITY, f64::min) * (1.0 - 1e-12);
        let least = if least > 0.0 { least } else { 0.0 };
        let (one, other) = (core_distance(&disc, &cuboid, f64::INFINITY), core_distance(&cuboid, &disc, f64::INFINITY));
        let (one, other) = (one.unwrap(), other.unwrap());
        let label = || format!("case {case}: [{least}, {most}] {one:?} {other:?}");
        let size = cuboid.center().length() + disc.bounding_radius() + cuboid.bounding_radius();
        for found in [&one, &other] {
            assert!(found.lower <= most, "{}", label());
            assert!(
                if found.upper > 0.0 { found.upper >= least } else { least <= 1e-6 * cuboid.bounding_radius() },
                "{}",
                label()
            );
            // Realised by two points, up to what their places far away from the origin are rounded
            // by.
            let realised = found.point_a.distance(found.point_b);
            assert!((realised - found.upper).abs() <= 256.0 * UNIT_ROUNDOFF * size, "{}", label());
            open += usize::from(found.lower <= 0.0 && found.upper > 0.0);
            apart += usize::from(found.lower > 0.0);
        }
        assert!(one.lower <= other.upper && other.lower <= one.upper || least == 0.0, "{}", label());
        orders += usize::from((one.lower > 0.0) != (other.lower > 0.0));
    }
    assert!(open > 1000 && apart > 1000 && orders == 0, "{open} {apart} {orders}");
}
