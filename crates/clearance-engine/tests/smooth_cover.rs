//! Strictly convex covers: they contain, their gap and distance are bounds, their gradient is
//! continuous.

mod support;

use clearance_engine::convex::SmoothCover;
use clearance_engine::dispatch::Pair;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Convex, ConvexPolyhedron, Cuboid, SphereIntersection};
use clearance_engine::tree::{Mesh, Solid};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;
use support::Random;

/// A hull of random points: round, a plate, a rod, or small and far away.
fn body(random: &mut Random, which: usize) -> TriMesh {
    let stretch = [DVec3::ONE, DVec3::new(1.0, 0.8, 0.05), DVec3::new(1.0, 0.1, 0.15), DVec3::splat(1e-3)][which % 4];
    let far = DVec3::new(0.5, -3.0, 1.0) * if which % 4 == 3 { 1.0 } else { 0.0 };
    let count = [8, 40][which / 4 % 2];
    let points: Vec<DVec3> = (0..count).map(|_| random.vector() * stretch + far).collect();
    match ConvexPolyhedron::hull_of(&points) {
        Ok(hull) => hull.surface().unwrap(),
        Err(_) => body(random, which),
    }
}

fn cuboid(size: DVec3) -> TriMesh {
    let half = size * 0.5;
    let sign = |i: usize, k: usize| if i >> k & 1 == 1 { 1.0 } else { -1.0 };
    let points: Vec<DVec3> = (0..8).map(|i| half * DVec3::new(sign(i, 0), sign(i, 1), sign(i, 2))).collect();
    ConvexPolyhedron::hull_of(&points).unwrap().surface().unwrap()
}

fn height(mesh: &TriMesh, n: DVec3) -> f64 {
    mesh.vertices().iter().map(|v| v.dot(n)).fold(f64::NEG_INFINITY, f64::max)
}

fn in_all(shape: &SphereIntersection, point: DVec3, slack: f64) -> bool {
    shape.centers().all(|center| point.distance(center) <= shape.sphere_radius() + slack)
}

#[test]
fn covers_contain_their_bodies_and_stick_out_by_no_more_than_the_gap() {
    let mut random = Random(3);
    for case in 0..40 {
        let mesh = body(&mut random, case);
        let flatness = [3.0, 10.0, 100.0][case % 3];
        let cover = SmoothCover::around(&mesh, flatness).unwrap();
        let size = mesh.bounding_box().1.distance(mesh.bounding_box().0);
        for vertex in mesh.vertices() {
            assert!(in_all(cover.shape(), *vertex, 0.0), "case {case}");
        }
        let mut most = 0.0_f64;
        for _ in 0..2000 {
            let n = random.vector().normalize();
            let top = cover.shape().center() + cover.shape().support(n);
            assert!(in_all(cover.shape(), top, 1e-15 * (cover.shape().sphere_radius() + 4.0)), "case {case}");
            let out = top.dot(n) - height(&mesh, n);
            assert!(
                (-1e-12 * cover.shape().sphere_radius()..=cover.gap()).contains(&out),
                "case {case}: {out} {}",
                cover.gap()
            );
            most = most.max(out);
        }
        assert!(most > 0.6 * cover.gap(), "case {case}: {most} of {}", cover.gap());
        assert!(cover.gap() < (0.5 / flatness + 0.08) * size, "case {case}: {} of {size}, {flatness}", cover.gap());
    }
}

/// The distance by alternating projections onto single spheres (Dykstra's algorithm): slow and
/// independent.
fn projected(shape: &SphereIntersection, point: DVec3) -> DVec3 {
    let centers: Vec<DVec3> = shape.centers().collect();
    let (mut at, mut rests) = (point, vec![DVec3::ZERO; centers.len()]);
    for _ in 0..3000 {
        for (center, rest) in centers.iter().zip(&mut rests) {
            let from = at + *rest;
            let offset = from - center;
            let length = offset.length();
            let to =
                if length > shape.sphere_radius() { center + offset * (shape.sphere_radius() / length) } else { from };
            (*rest, at) = (from - to, to);
        }
    }
    at
}

fn apart(random: &mut Random, a: &TriMesh, b: &TriMesh) -> Pose {
    let sizes = [a, b].map(|mesh| mesh.bounding_box()).map(|(low, high)| (high - low).length());
    let turn = DQuat::from_axis_angle(random.vector().normalize(), 3.0 * random.unit());
    let middle = |mesh: &TriMesh| mesh.bounding_box().0.midpoint(mesh.bounding_box().1);
    let away = random.vector().normalize() * (sizes[0] + sizes[1]) * random.between(0.7, 1.5);
    Pose::new(turn, middle(a) + away - turn * middle(b)).unwrap()
}

#[test]
fn distances_of_covers_are_certified_and_within_the_gaps_of_the_bodies() {
    let mut random = Random(5);
    let mut widest = 0.0_f64;
    for case in 0..60 {
        let (a, b) = (body(&mut random, case), body(&mut random, case / 3));
        let [cover_a, cover_b] = [&a, &b].map(|mesh| SmoothCover::around(mesh, 10.0).unwrap());
        let pose = apart(&mut random, &a, &b);
        let found = cover_a.distance(&cover_b, &pose);
        let size = pose.translation().length() + 1.0;
        let gaps = [cover_a.gap(), cover_b.gap()];
        let label = format!("case {case}: {found:?}, gaps {gaps:?}");
        assert!(found.lower <= found.upper, "{label}");
        widest = widest.max((found.upper - found.lower) / size);
        let moved = cover_b.shape().transformed(&pose);
        assert!(
            in_all(cover_a.shape(), found.point_a, 1e-14 * size) && in_all(&moved, found.point_b, 1e-14 * size),
            "{label}"
        );
        for _ in 0..300 {
            let (n, m) = (random.vector(), random.vector());
            let [p, q] = [(cover_a.shape(), n), (&moved, m)].map(|(shape, n)| shape.center() + shape.support(n));
            assert!(p.distance(q) >= found.lower, "{label}");
        }
        let (mesh_a, mesh_b): (Mesh, Mesh) = (Mesh::new(a).unwrap(), Mesh::new(b).unwrap());
        let bodies = Pair::new(mesh_a, mesh_b).unwrap().distance(pose);
        assert!(found.lower <= bodies.upper, "{label}: {bodies:?}");
        assert!(bodies.lower <= found.upper + cover_a.gap() + cover_b.gap(), "{label}: {bodies:?}");
        // The nearest point of A to B's is A's, and the other way around. Far from tiny spheres the
        // projections take too long.
        if case % 4 == 3 || case / 3 % 4 == 3 {
            continue;
        }
        assert!(projected(cover_a.shape(), found.point_b).distance(found.point_a) < 1e-5 * size, "{label}");
        assert!(projected(&moved, found.point_a).distance(found.point_b) < 1e-5 * size, "{label}");
    }
    assert!(widest < 1e-9, "{widest}");
}

/// A pose moved by a small twist: translation, and rotation about the origin of B's frame.
fn moved(pose: &Pose, by: [f64; 6]) -> Pose {
    let [x, y, z, u, v, w] = by;
    let turn = DQuat::from_scaled_axis(DVec3::new(u, v, w));
    let rotation = turn * DQuat::from_mat3(pose.rotation());
    Pose::new(rotation.normalize(), pose.translation() + DVec3::new(x, y, z)).unwrap()
}

#[test]
fn gradients_are_those_of_central_differences() {
    let mut random = Random(7);
    let mut worst = 0.0_f64;
    for case in 0..60 {
        let (a, b) = (body(&mut random, case % 3), body(&mut random, case / 3 % 3));
        let [cover_a, cover_b] = [&a, &b].map(|mesh| SmoothCover::around(mesh, 10.0).unwrap());
        let pose = apart(&mut random, &a, &b);
        let gradient = cover_a.distance(&cover_b, &pose).gradient(pose.translation());
        for k in 0..6 {
            let step = 1e-5;
            let mut by = [0.0; 6];
            by[k] = step;
            let ahead = cover_a.distance(&cover_b, &moved(&pose, by));
            by[k] = -step;
            let behind = cover_a.distance(&cover_b, &moved(&pose, by));
            let difference = (ahead.upper - behind.upper) / (2.0 * step);
            worst = worst.max((difference - gradient[k]).abs());
        }
    }
    // Where the surface's curvature jumps, the difference itself errs by the step times that.
    assert!(worst < 1e-6, "{worst}");
}

/// One box rocks above another: the bodies' nearest points jump from one edge to the other when
/// their sides are parallel, those of the covers slide.
#[test]
fn the_gradient_of_covers_is_continuous_where_that_of_the_bodies_jumps() {
    let mesh = cuboid(DVec3::new(2.0, 1.0, 0.5));
    let cover = SmoothCover::around(&mesh, 10.0).unwrap();
    let solid = Arc::new(Solid::new(Cuboid::new(2.0, 1.0, 0.5).unwrap()));
    let rocked = |angle: f64| Pose::new(DQuat::from_rotation_y(angle), DVec3::new(0.0, 0.0, 1.5)).unwrap();
    let turning = |angle: f64| cover.distance(&cover, &rocked(angle)).gradient(rocked(angle).translation())[4];
    let body_turning = |angle: f64| {
        let found = Pair::new(&solid, &solid).unwrap().distance(rocked(angle)).witness.unwrap();
        let away = found.point_b - found.point_a;
        (found.point_b - rocked(angle).translation()).cross(away.normalize()).y
    };
    // The bodies: a lever of 1 to either side.
    assert!((body_turning(1e-6) - body_turning(-1e-6)).abs() > 1.5);
    let jumps = [1e-2, 1e-3, 1e-4].map(|step| {
        let angles: Vec<f64> = (-50..=50).map(|i| f64::from(i) * step).collect();
        angles.windows(2).map(|pair| (turning(pair[0]) - turning(pair[1])).abs()).fold(0.0, f64::max)
    });
    // Steps a tenth as large, changes a tenth as large, or nearly.
    assert!(jumps[1] < 0.2 * jumps[0].max(0.1) && jumps[2] < 0.15 * jumps[1] && jumps[2] < 0.01, "{jumps:?}");
}

#[test]
fn bad_requests_are_errors() {
    let mesh = cuboid(DVec3::ONE);
    for flatness in [0.0, 1.0, f64::NAN, 1e6] {
        assert!(SmoothCover::around(&mesh, flatness).is_err());
    }
    let point = TriMesh::new(vec![DVec3::ONE], vec![[0, 0, 0]]).unwrap();
    assert!(SmoothCover::around(&point, 10.0).unwrap_err().to_string().contains("single point"));
    assert!(SphereIntersection::new(&[DVec3::ZERO], 1.0).is_err());
    assert!(SphereIntersection::new(&[DVec3::X, DVec3::NEG_X], 0.5).is_err());
    assert!(SphereIntersection::new(&[DVec3::X, DVec3::NAN], 5.0).is_err());
    let large = mesh.with_vertices(mesh.vertices().iter().map(|v| *v * 1e70).collect()).unwrap();
    assert!(SmoothCover::around(&large, 10.0).unwrap_err().to_string().contains("1e60"));
    // A flat body has a cover too.
    let flat = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    assert!(SmoothCover::around(&flat, 10.0).unwrap().gap() < 0.2);
}
