//! Gradients by the pose of either body against central differences of certified distances, and the
//! list of near parts against each pair.

mod support;

use clearance_engine::assembly::{Assembly, AssemblyPair, Everything, NearParts, NearRequest};
use clearance_engine::convex::PenetrationRequest;
use clearance_engine::dispatch::Pair;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::Status;
use clearance_engine::shape::{Capsule, Cuboid, Cylinder, HalfSpace, Plane, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, IntoGeometry, Mesh, Solid};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;
use support::Random;

/// As in the tests of robots: the truncation error is `STEP²` times the third derivative.
const STEP: f64 = 1e-5;

/// B after a small twist: a translation, or a rotation about its own origin, in A's frame.
fn nudged(pose: &Pose, number: usize, step: f64) -> Pose {
    let axis = DVec3::AXES[number % 3] * step;
    if number < 3 {
        return Pose::from_matrix(*pose.rotation(), pose.translation() + axis).unwrap();
    }
    let turned = DQuat::from_scaled_axis(axis) * DQuat::from_mat3(pose.rotation());
    Pose::new(turned, pose.translation()).unwrap()
}

/// The derivatives by the pose of B of what lies in an interval, and what its width lets them be
/// off by; `None` where there is a kink.
fn differences(pose: &Pose, mut interval: impl FnMut(Pose) -> [f64; 2]) -> Option<([f64; 6], f64)> {
    let mut widest = 0.0_f64;
    let mut value = |pose: Pose| {
        let [lower, upper] = interval(pose);
        widest = widest.max(upper - lower);
        upper
    };
    let here = value(*pose);
    let one = |number| {
        let mut slope_and_bend = |step: f64| {
            let [above, below] = [step, -step].map(|step| value(nudged(pose, number, step)));
            ((above - below) / (2.0 * step), ((above - here) - (here - below)) / step)
        };
        let ((slope, bend), (_, half_bend)) = (slope_and_bend(STEP), slope_and_bend(0.5 * STEP));
        // The slope of a smooth function changes by half as much within half of the step.
        ((bend - 2.0 * half_bend).abs() < 1e-6).then_some(slope)
    };
    let all: Option<Vec<f64>> = (0..6).map(one).collect();
    Some((all?.try_into().ok()?, widest / STEP))
}

fn worst(x: [f64; 6], y: [f64; 6]) -> f64 {
    x.iter().zip(y).fold(0.0, |worst, (x, y)| worst.max((x - y).abs()))
}

/// Of the same change seen from B: moving B by a twist is moving A by its inverse. A twist of B
/// about its origin is in A's frame; of A, in B's.
fn seen_from_b(gradient_by_a: [f64; 6], b_from_a: &Pose) -> [f64; 6] {
    let [x, y, z, u, v, w] = gradient_by_a;
    let turn = |x, y, z| b_from_a.transform_vector(DVec3::new(x, y, z)).to_array();
    let ([x, y, z], [u, v, w]) = (turn(x, y, z), turn(u, v, w));
    [x, y, z, u, v, w]
}

fn geometry(random: &mut Random, kind: usize) -> Arc<dyn Geometry> {
    match kind {
        7 => Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(random.tri_mesh(60, 0.5, DVec3::ZERO)).unwrap()),
        8 => HalfSpace::new(random.vector(), -1.5).unwrap().into_geometry(),
        kind => Solid::new(random.solid(kind, 1.0)).into_geometry(),
    }
}

#[test]
fn gradients_of_distances_are_derivatives_by_both_poses() {
    let mut random = Random(3);
    let (mut smooth, mut kinks, mut proven, mut sure) = (0, 0, 0, 0);
    for case in 0..900 {
        let kinds = [case % 9, case / 9 % 9];
        if kinds == [8, 8] {
            continue;
        }
        let [a, b] = kinds.map(|kind| geometry(&mut random, kind));
        let distance = random.between(1.0, 3.0);
        let pose = random.pose(distance);
        let (mut pair, mut swapped) = (Pair::new(&a, &b).unwrap(), Pair::new(&b, &a).unwrap());
        let distance = pair.distance(pose);
        let Some(gradient) = pair.gradient(pose, &distance) else {
            assert!(distance.lower <= 0.0, "{distance:?}");
            continue;
        };
        if distance.upper < 0.05 {
            continue;
        }
        proven += usize::from(gradient.unique == Some(true));
        let interval = |pair: &mut Pair, pose| {
            let distance = pair.distance(pose);
            [distance.lower, distance.upper]
        };
        let Some((expected, off)) = differences(&pose, |pose| interval(&mut pair, pose)) else {
            assert_ne!(gradient.unique, Some(true), "{kinds:?} {distance:?}");
            kinks += 1;
            continue;
        };
        smooth += 1;
        let error = worst(gradient.by_b, expected);
        sure += usize::from(off < 1e-6);
        assert!(error < 1e-6 + off, "{kinds:?} {error:e}: {gradient:?} {expected:?} {distance:?}");
        let inverse = pose.inverse();
        let (by_a, off) = differences(&inverse, |pose| interval(&mut swapped, pose)).unwrap();
        let error = worst(seen_from_b(gradient.by_a, &inverse), by_a);
        assert!(error < 1e-6 + off, "{kinds:?} {error:e}: {gradient:?} {by_a:?}");
    }
    assert!(smooth > 400 && proven > 200 && kinks * 10 < smooth, "{smooth} {kinks} {proven}");
    assert!(sure * 10 > smooth * 9, "{sure} of {smooth}");
}

#[test]
fn gradients_of_depths_are_derivatives() {
    let mut random = Random(4);
    let request = PenetrationRequest { rel_err: 0.0, ..PenetrationRequest::default() };
    let (mut smooth, mut kinks) = (0, 0);
    for case in 0..400 {
        // Spheres, capsules, boxes and hulls: those whose depth the search finds to rounding.
        let kinds = [[0, 1, 2, 6][case % 4], [0, 1, 2, 6][case / 4 % 4]];
        let [a, b] = kinds.map(|kind| Solid::new(random.solid(kind, 1.0)));
        let pose = random.pose(0.3);
        let depth = |pose: Pose| clearance_engine::query::penetration(&a, &b, &pose, &request).unwrap();
        let Some(found) = depth(pose) else { continue };
        let interval = |pose| depth(pose).map_or([f64::NAN; 2], |found| [-found.upper, -found.lower]);
        match differences(&pose, interval) {
            Some((_, off)) if off > 1e-6 => {}
            Some((expected, off)) => {
                let (error, gradient) = (worst(found.gradient(&pose).by_b, expected), found.gradient(&pose));
                assert!(error < 1e-6 + off, "{kinds:?} {error:e}: {gradient:?} {expected:?} {found:?}");
                smooth += 1;
            }
            None => kinks += 1,
        }
    }
    assert!(smooth > 150 && kinks * 10 < smooth, "{smooth} {kinks}");
}

/// A box as triangles.
fn box_mesh(size: DVec3) -> Mesh {
    let hull: Vec<DVec3> = (0..8)
        .map(|i| size * 0.5 * DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - size * 0.5)
        .collect();
    let polyhedron = clearance_engine::shape::ConvexPolyhedron::hull_of(&hull).unwrap();
    Mesh::new(polyhedron.surface().unwrap()).unwrap()
}

#[test]
fn parallel_faces_and_edges_are_not_unique_and_points_are() {
    let cube = || Cuboid::new(1.0, 1.0, 1.0).unwrap();
    let tilted = |x: f64, y: f64| {
        Pose::new(DQuat::from_rotation_x(x) * DQuat::from_rotation_y(y), DVec3::new(0.1, 0.2, 2.0)).unwrap()
    };
    let upright = Pose::from_xyz(0.1, 0.2, 2.0).unwrap();
    let unique = |a: Arc<dyn Geometry>, b: Arc<dyn Geometry>, pose: Pose| {
        let mut pair = Pair::new(&a, &b).unwrap();
        let distance = pair.distance(pose);
        pair.gradient(pose, &distance).expect("they are apart").unique
    };
    let mesh = || Arc::new(box_mesh(DVec3::ONE)) as Arc<dyn Geometry>;
    // Face and face, face and edge, edge and parallel edge.
    let crossed = Pose::new(DQuat::from_rotation_x(0.785), DVec3::new(0.0, 0.3, 2.0)).unwrap();
    for pose in [upright, tilted(0.3, 0.0), crossed] {
        assert_eq!(unique(cube().into_geometry(), cube().into_geometry(), pose), Some(false));
        assert_eq!(unique(mesh(), mesh(), pose), Some(false));
        assert_eq!(unique(mesh(), cube().into_geometry(), pose), Some(false));
    }
    // A vertex above a face; and two of them.
    assert_eq!(unique(cube().into_geometry(), cube().into_geometry(), tilted(0.3, 0.4)), Some(true));
    assert_eq!(unique(mesh(), mesh(), tilted(0.3, 0.4)), Some(true));
    let legs = TriMesh::new(
        [-0.3, 0.3]
            .into_iter()
            .flat_map(|x| [[x, 0.0, -0.5], [x, 0.1, 0.5], [x, -0.1, 0.5]])
            .map(DVec3::from)
            .collect(),
        vec![[0, 1, 2], [3, 4, 5]],
    );
    let legs: Arc<dyn Geometry> = Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(legs.unwrap()).unwrap());
    assert_eq!(unique(cube().into_geometry(), legs.clone(), upright), Some(false));
    assert_eq!(unique(cube().into_geometry(), legs, tilted(0.0, 0.4)), Some(true));
    let (rod, can) = (Capsule::new(0.1, 1.0).unwrap(), Cylinder::new(0.1, 1.0).unwrap());
    let lying = Pose::new(DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DVec3::Z * 2.0).unwrap();
    for round in [rod.into_geometry(), can.into_geometry()] {
        assert_eq!(unique(cube().into_geometry(), round.clone(), lying), Some(false));
        assert_eq!(unique(round.clone(), cube().into_geometry(), lying.inverse()), Some(false));
        assert_eq!(unique(cube().into_geometry(), round, tilted(0.3, 0.4)), Some(true));
    }
    // A can that stands has a round face.
    assert_eq!(unique(cube().into_geometry(), can.into_geometry(), upright), Some(false));
    let floor = HalfSpace::new(DVec3::Z, -1.0).unwrap();
    assert_eq!(unique(floor.into_geometry(), cube().into_geometry(), upright), Some(false));
    assert_eq!(unique(floor.into_geometry(), cube().into_geometry(), tilted(0.3, 0.4)), Some(true));
    // Two crossing edges: bars turned by 45° about their own length, one across the other.
    let bar = || Cuboid::new(3.0, 0.5, 0.5).unwrap().into_geometry();
    let (eighth, quarter) = (std::f64::consts::FRAC_PI_4, std::f64::consts::FRAC_PI_2);
    let half_turned = DQuat::from_rotation_x(eighth);
    let across = DQuat::from_rotation_z(quarter) * half_turned;
    let a_from_b = Pose::new(half_turned.inverse() * across, half_turned.inverse() * (DVec3::Z * 2.0)).unwrap();
    assert_eq!(unique(bar(), bar(), a_from_b), Some(true));
}

#[test]
fn touching_bodies_have_no_gradient() {
    let mut pair = Pair::new(Sphere::new(1.0).unwrap(), Sphere::new(1.0).unwrap()).unwrap();
    let inside = Pose::from_xyz(0.5, 0.0, 0.0).unwrap();
    let distance = pair.distance(inside);
    assert_eq!((distance.upper, pair.gradient(inside, &distance)), (0.0, None));
}

fn alone(a: &Arc<dyn Geometry>, b: &Arc<dyn Geometry>, pose: Pose) -> NearParts {
    let (mut first, mut second) = (Assembly::default(), Assembly::default());
    let (part_a, part_b) = (first.insert(a.clone(), Pose::IDENTITY), second.insert(b.clone(), pose));
    let dispatcher = support::dispatcher();
    let pair = AssemblyPair::new(&dispatcher, &first, &second, &Everything);
    pair.pair_near((part_a, part_b), &mut Workspace::default()).unwrap().expect("they are there")
}

/// Where no depth is known, the shift is still proven: a little more of it, for the test's own
/// rounding, and they are apart.
#[test]
fn overlapping_meshes_are_apart_after_the_shift() {
    let mut random = Random(5);
    let unbounded = |random: &mut Random, case: usize| -> Arc<dyn Geometry> {
        let offset = if case.is_multiple_of(4) { 100.0 } else { random.signed() };
        match case % 3 {
            0 => HalfSpace::new(random.vector(), offset).unwrap().into_geometry(),
            _ => Plane::new(random.vector(), random.signed() * 0.2).unwrap().into_geometry(),
        }
    };
    let mut overlapping = 0;
    for case in 0..300 {
        let mesh = |random: &mut Random| -> Arc<dyn Geometry> {
            let scale = random.between(0.2, 1.0);
            Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(random.tri_mesh(40, scale, DVec3::X * 0.3)).unwrap())
        };
        let a = mesh(&mut random);
        let b = if case % 2 == 0 { mesh(&mut random) } else { unbounded(&mut random, case / 2) };
        let (a, b) = if case % 5 == 0 { (b, a) } else { (a, b) };
        let distance = random.between(0.0, 1.0);
        let pose = random.pose(distance);
        let near = alone(&a, &b, pose);
        let mut pair = Pair::new(&a, &b).unwrap();
        assert_eq!(near.signed < 0.0, pair.collides(pose), "case {case}: {near:?}");
        if near.signed >= 0.0 {
            continue;
        }
        overlapping += 1;
        let is_bounded = a.sphere().radius.max(b.sphere().radius) < f64::INFINITY;
        assert!(near.lower.is_finite() && near.upper < 1e-9, "{near:?}");
        // A plane leaves scattered triangles through the nearest gap.
        assert_eq!(near.status != Status::Inexact, !is_bounded, "half-spaces and planes have a depth: {near:?}");
        let shift = near.normal * -near.lower * (1.0 + 1e-12);
        let moved = Pose::from_matrix(*pose.rotation(), pose.translation() + shift).unwrap();
        assert!(pair.distance(moved).upper > 0.0 || !pair.collides(moved), "case {case}: {near:?}");
    }
    assert!(overlapping > 150, "{overlapping}");
}

/// Two half-spaces overlap after any shift: nothing finite is claimed.
#[test]
fn two_half_spaces_have_no_finite_depth() {
    let floor: Arc<dyn Geometry> = HalfSpace::new(DVec3::Z, 0.0).unwrap().into_geometry();
    let wall: Arc<dyn Geometry> = HalfSpace::new(DVec3::X, 0.0).unwrap().into_geometry();
    let near = alone(&floor, &wall, Pose::IDENTITY);
    assert!(near.lower == f64::NEG_INFINITY && near.upper >= 0.0 && near.normal.is_finite(), "{near:?}");
}

#[test]
fn solid_meshes_have_their_depth() {
    let solid = |size| -> Arc<dyn Geometry> { Arc::new(box_mesh(DVec3::splat(size)).into_solid().unwrap()) };
    let near = alone(&solid(1.0), &solid(0.5), Pose::from_xyz(0.1, 0.05, 0.65).unwrap());
    assert!(near.lower <= -0.1 && -0.1 <= near.upper && near.upper - near.lower < 0.01, "{near:?}");
    assert!(near.normal.z > 0.99, "{near:?}");
}

#[test]
fn a_group_has_its_least_pair() {
    let ball = || Sphere::new(0.5).unwrap().into_geometry();
    let (mut a, mut b) = (Assembly::default(), Assembly::default());
    a.insert(ball(), Pose::IDENTITY);
    a.insert(ball(), Pose::from_xyz(0.0, 3.0, 0.0).unwrap());
    for x in [4.0, 1.25, 0.75, 2.0] {
        b.insert(ball(), Pose::from_xyz(x, 0.0, 0.0).unwrap());
    }
    let dispatcher = support::dispatcher();
    let pair = AssemblyPair::new(&dispatcher, &a, &b, &Everything);
    let near = pair.near(&NearRequest::within(1.5), |_, _| (0, 0), &mut Workspace::default()).unwrap();
    assert!(near.len() == 1 && (near[0].signed + 0.25).abs() < 1e-12 && near[0].part_b.number() == 2, "{near:?}");
    let each = pair.near(&NearRequest::within(1.5), |a, b| (a, b), &mut Workspace::default()).unwrap();
    assert_eq!(each.len(), 3);
    // Two balls as near as each other: neither is the only one.
    b.insert(ball(), Pose::from_xyz(0.0, 0.0, 0.75).unwrap());
    let pair = AssemblyPair::new(&dispatcher, &a, &b, &Everything);
    let tie = pair.near(&NearRequest::within(1.5), |_, _| (0, 0), &mut Workspace::default()).unwrap();
    assert!(tie.len() == 1 && (tie[0].signed + 0.25).abs() < 1e-12 && tie[0].unique.is_none(), "{tie:?}");
    let mut c = Assembly::default();
    for place in [DVec3::X, DVec3::Y, DVec3::X * 1.5] {
        c.insert(ball(), Pose::from_translation(place * 1.25).unwrap());
    }
    let pair = AssemblyPair::new(&dispatcher, &a, &c, &Everything);
    let tie = pair.near(&NearRequest::within(1.5), |_, _| (0, 0), &mut Workspace::default()).unwrap();
    assert!((tie[0].signed - 0.25).abs() < 1e-12 && tie[0].unique.is_none(), "{tie:?}");
    let swapped = near[0].swapped();
    assert!(swapped.normal == -near[0].normal && swapped.swapped() == near[0]);
}

#[test]
fn an_empty_mesh_of_contacts_is_no_reason_to_panic() {
    // A flat mesh on a plane: they touch everywhere, and no direction shows.
    let flat = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let flat: Arc<dyn Geometry> = Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(flat).unwrap());
    let near = alone(&flat, &flat, Pose::IDENTITY);
    assert!(near.signed <= 0.0 && near.normal.is_normalized() && near.lower.is_finite(), "{near:?}");
}
