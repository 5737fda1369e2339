//! Simple solids against meshes of every kind and against each other, through the dispatcher: every
//! goal agrees with a look at every triangle by the shapes' own arithmetic, which
//! `primitive_pairs.rs` judges.

mod support;

use clearance_engine::math::{DMat3, DVec3, SimdLevel};
use clearance_engine::pair::shape::Proximity;
use clearance_engine::query::{ContactsRequest, DistanceRequest, Status};
use clearance_engine::shape::{Capsule, Cone, Cuboid, Cylinder, Ellipsoid, Primitive, Sphere};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::{BuildOptions, Geometry, Mesh, Solid};
use clearance_engine::volume::{Aabb, KIos};
use clearance_engine::{Pose, TriMesh};
use support::oracle::{Body, SOLIDS};
use support::{Random, all_volumes, dispatcher, tolerance};

/// What looking at every triangle yields.
struct Truth {
    lower: f64,
    upper: f64,
    overlapping: Vec<(u32, u32)>,
}

fn truth(mesh: &TriMesh, solid: &Primitive, pose: &Pose) -> Truth {
    let moved = solid.transformed(pose);
    let mut found = Truth { lower: f64::INFINITY, upper: f64::INFINITY, overlapping: Vec::new() };
    for id in 0..mesh.len() as u32 {
        let triangle = mesh.triangle(id);
        let closest = triangle.closest_below(&moved, f64::INFINITY).unwrap();
        found.lower = found.lower.min(closest.lower);
        found.upper = found.upper.min(closest.upper);
        if triangle.overlaps(&moved) {
            found.overlapping.push((id, 0));
        }
    }
    found
}

#[test]
fn every_goal_agrees_with_every_triangle_for_every_kind_of_mesh() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let mut hits = 0;
    for seed in 0..60 {
        let mut random = Random(100 + seed);
        let scale = 10.0_f64.powi([0, 0, -6, 6][seed as usize / 5 % 4]);
        let offset = if seed % 5 == 0 { random.vector() * 1e6 * scale } else { DVec3::ZERO };
        let tri_mesh = random.tri_mesh(120, scale, offset);
        let shape = random.solid(seed as usize, scale);
        let apart = [0.5, 1.5, 2.5, 40.0][random.below(4)] * scale;
        let near = random.pose(apart);
        let pose = Pose::from_matrix(*near.rotation(), near.translation() + offset).unwrap();
        let truth = truth(&tri_mesh, &shape, &pose);
        // Far from the origin a coordinate is rounded by 1e-16 of it, a moved one by 24 times that.
        let size = 4.0 * (apart + scale) + 1e-2 * offset.length();
        let colliding = !truth.overlapping.is_empty();
        hits += usize::from(colliding);
        let b = Solid::new(shape);
        let options = BuildOptions { arity: 2 + random.below(7), leaf: 1 + random.below(5), ..Default::default() };
        for a in all_volumes(tri_mesh.clone(), &options) {
            let label = format!("seed {seed}, {} against {}", a.kind(), b.kind());
            let plan = dispatcher.plan(&*a, &b).unwrap();
            let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
            assert!(answer.lower <= truth.upper && truth.lower <= answer.upper, "{label}: {answer:?} {}", truth.upper);
            assert!(
                (answer.upper - truth.upper).abs() <= tolerance(truth.upper, size),
                "{label}: {answer:?} {}",
                truth.upper
            );
            assert!(answer.upper - answer.lower <= tolerance(truth.upper, 100.0 * size), "{label}: {answer:?}");
            assert_eq!(answer.colliding(), Some(colliding), "{label}");
            let collision = plan.collide(&pose, &mut workspace, None);
            assert_eq!(collision.colliding, colliding, "{label}");
            assert!(collision.leaves.is_none_or(|leaves| truth.overlapping.contains(&leaves)), "{label}");
            let contacts = plan.contacts(&pose, &ContactsRequest::default(), &mut workspace).unwrap();
            let mut pairs: Vec<_> = contacts.contacts.iter().map(|c| (c.leaf_a, c.leaf_b)).collect();
            pairs.sort_unstable();
            assert_eq!(pairs, truth.overlapping, "{label}");
            for contact in &contacts.contacts {
                assert!((contact.normal.length() - 1.0).abs() < 1e-9 && contact.points[0].is_finite(), "{label}");
            }
            for (factor, expected) in [(0.99, colliding), (1.01, true), (3.0, true)] {
                let (within, _) = plan.within(&pose, factor * truth.upper, &mut workspace).unwrap();
                assert_eq!(within, expected, "{label}");
            }
            let mirrored = dispatcher.plan(&b, &*a).unwrap();
            let swapped =
                mirrored.distance(&pose.inverse(), &DistanceRequest::default(), &mut workspace, None).unwrap();
            assert!((swapped.upper - answer.upper).abs() <= tolerance(truth.upper, 10.0 * size), "{label}");
        }
    }
    assert!((10..50).contains(&hits), "{hits} of 60 seeds collide: the test must see both");
}

#[test]
fn ranges_tolerances_and_margins_are_obeyed() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    for seed in 0..24 {
        let mut random = Random(300 + seed);
        let tri_mesh = random.tri_mesh(80, 1.0, DVec3::ZERO);
        let b = Solid::new(random.solid(seed as usize, 1.0));
        let apart = [2.0, 3.0][random.below(2)];
        let pose = random.pose(apart);
        let truth = truth(&tri_mesh, b.shape(), &pose);
        let d = truth.upper;
        if d == 0.0 {
            continue;
        }
        for a in all_volumes(tri_mesh.clone(), &BuildOptions::default()) {
            let plan = dispatcher.plan(&*a, &b).unwrap();
            let mut ask = |request: DistanceRequest| plan.distance(&pose, &request, &mut workspace, None).unwrap();
            for (rel_err, abs_err) in [(0.1, 0.0), (0.5, 0.0), (0.0, 0.2)] {
                let answer = ask(DistanceRequest { rel_err, abs_err, ..Default::default() });
                assert!(answer.lower <= d && d <= answer.upper + 1e-12, "{answer:?} {d}");
                assert!(answer.upper - answer.lower <= abs_err.max(rel_err * answer.upper) + 1e-11, "{answer:?}");
                assert_eq!(answer.status, Status::Tolerance);
            }
            let beyond = ask(DistanceRequest { max_d: 0.9 * d, ..Default::default() });
            assert_eq!((beyond.status, beyond.witness), (Status::BeyondMax, None));
            let inside = ask(DistanceRequest { max_d: 1.1 * d, ..Default::default() });
            assert!((inside.upper - d).abs() <= 1e-9 * d && inside.status == Status::Exact);
            let near = ask(DistanceRequest { min_d: 1.1 * d, ..Default::default() });
            assert!(near.status == Status::BelowMin && near.upper <= 1.1 * d && near.lower <= d, "{near:?} {d}");
            let margin = 1.2 * d;
            let request = ContactsRequest { margin, ..Default::default() };
            let contacts = plan.contacts(&pose, &request, &mut workspace).unwrap().contacts;
            let moved = b.shape().transformed(&pose);
            let within =
                |id: &u32| tri_mesh.triangle(*id).closest_below(&moved, 10.0).is_some_and(|c| c.upper <= margin);
            assert_eq!(contacts.len(), (0..tri_mesh.len() as u32).filter(within).count());
            assert!(contacts.iter().all(|contact| contact.distance >= d * (1.0 - 1e-9)));
        }
    }
}

#[test]
fn every_simd_level_gives_the_same_answer() {
    let dispatcher = dispatcher();
    for seed in 0..40 {
        let mut random = Random(350 + seed);
        let mesh: Mesh = Mesh::new(random.tri_mesh(200, 1.0, DVec3::ZERO)).unwrap();
        let b = Solid::new(random.solid(seed as usize, 1.0));
        let apart = [0.5, 1.5, 3.0][random.below(3)];
        let pose = random.pose(apart);
        let truth = truth(mesh.tri_mesh(), b.shape(), &pose);
        let plan = dispatcher.plan(&mesh, &b).unwrap();
        for level in SimdLevel::available() {
            let mut workspace = Workspace::default();
            workspace.simd_level = level;
            let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
            assert!((answer.upper - truth.upper).abs() <= tolerance(truth.upper, 10.0), "{level:?} {answer:?}");
            let colliding = plan.collide(&pose, &mut workspace, None).colliding;
            assert_eq!(colliding, !truth.overlapping.is_empty(), "{level:?}");
        }
    }
}

#[test]
fn a_cache_changes_no_answer_along_a_path() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    for seed in 0..8 {
        let mut random = Random(400 + seed);
        let tri_mesh = random.tri_mesh(150, 1.0, DVec3::ZERO);
        let b = Solid::new(random.solid(seed as usize, 1.0));
        let (turn, direction) = (random.pose(0.0), random.vector());
        for a in all_volumes(tri_mesh, &BuildOptions::default()) {
            let plan = dispatcher.plan(&*a, &b).unwrap();
            let (mut warm_start, mut collide_warm_start) = (WarmStart::default(), WarmStart::default());
            for step in 0..40 {
                let place = direction * (4.0 - 0.15 * f64::from(step));
                let pose = Pose::from_matrix(*turn.rotation(), place).unwrap();
                let request = DistanceRequest::default();
                let cold = plan.distance(&pose, &request, &mut workspace, None).unwrap();
                let warm = plan.distance(&pose, &request, &mut workspace, Some(&mut warm_start)).unwrap();
                assert!((cold.upper - warm.upper).abs() <= 1e-11 * (1.0 + cold.upper), "{cold:?} {warm:?}");
                assert_eq!(cold.colliding(), warm.colliding());
                let cold = plan.collide(&pose, &mut workspace, None).colliding;
                assert_eq!(cold, plan.collide(&pose, &mut workspace, Some(&mut collide_warm_start)).colliding);
            }
        }
    }
}

/// A closed cube of the given half edge.
fn cube(half: f64) -> TriMesh {
    let vertex = |i: u32| {
        let pick = |bit: u32| if i >> bit & 1 == 1 { half } else { -half };
        DVec3::new(pick(0), pick(1), pick(2))
    };
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new((0..8).map(vertex).collect(), triangles).unwrap()
}

#[test]
fn a_solid_inside_of_a_surface_is_free_and_inside_of_a_solid_mesh_is_not() {
    fn check(surface: &dyn Geometry, solid_mesh: &dyn Geometry) {
        let dispatcher = dispatcher();
        let mut workspace = Workspace::default();
        let pose = Pose::from_translation(DVec3::new(0.1, 0.2, -0.1)).unwrap();
        let mut random = Random(500);
        for which in 0..SOLIDS {
            let small = Solid::new(random.solid(which, 0.5));
            for (mesh, expected) in [(surface, false), (solid_mesh, true)] {
                let plan = dispatcher.plan(mesh, &small).unwrap();
                let collision = plan.collide(&pose, &mut workspace, None);
                assert_eq!((collision.colliding, collision.leaves), (expected, None), "{}", small.kind());
                let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
                assert_eq!((answer.colliding(), answer.upper == 0.0), (Some(expected), expected));
                let contacts = plan.contacts(&pose, &ContactsRequest::default(), &mut workspace).unwrap();
                assert!(contacts.contacts.is_empty() && contacts.contained.is_some() == expected);
                assert_eq!(plan.within(&pose, 0.0, &mut workspace).unwrap().0, expected);
                let mirrored = dispatcher.plan(&small, mesh).unwrap();
                assert_eq!(mirrored.collide(&pose.inverse(), &mut workspace, None).colliding, expected);
            }
            // A solid around the whole mesh collides with either.
            let large = Solid::new(random.solid(which, 100.0));
            for mesh in [surface, solid_mesh] {
                assert!(dispatcher.plan(mesh, &large).unwrap().collide(&pose, &mut workspace, None).colliding);
            }
        }
    }
    check(&Mesh::<KIos>::new(cube(1.0)).unwrap(), &Mesh::<Aabb>::new(cube(1.0)).unwrap().into_solid().unwrap());
    let (surface, solid): (Mesh, Mesh) = (Mesh::new(cube(1.0)).unwrap(), Mesh::new(cube(1.0)).unwrap());
    check(&surface, &solid.into_solid().unwrap());
}

#[test]
fn two_solids_have_every_answer_that_meshes_have() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let mut random = Random(600);
    let mut hits = 0;
    for case in 0..800 {
        let a = Body { kind: random.kind(case % SOLIDS), rotation: DMat3::IDENTITY, place: DVec3::ZERO };
        let b =
            Body { kind: random.kind(case / SOLIDS % SOLIDS), rotation: random.turn(), place: random.vector() * 1.2 };
        let pose = b.pose();
        let closest = a.unmoved().unwrap().closest_below(&b.primitive().unwrap(), f64::INFINITY).unwrap();
        let d = closest.upper;
        hits += usize::from(d == 0.0);
        let (solid_a, solid_b) = (Solid::new(a.unmoved().unwrap()), Solid::new(b.unmoved().unwrap()));
        let plan = dispatcher.plan(&solid_a, &solid_b).unwrap();
        let mut ask = |request: DistanceRequest| plan.distance(&pose, &request, &mut workspace, None).unwrap();
        let answer = ask(DistanceRequest::default());
        assert!((answer.upper - d).abs() < 1e-12 && answer.lower <= closest.upper && answer.upper >= closest.lower);
        assert_eq!(answer.colliding(), Some(d == 0.0));
        if d > 1e-9 {
            assert_eq!(ask(DistanceRequest { max_d: 0.9 * d, ..Default::default() }).status, Status::BeyondMax);
            assert_eq!(ask(DistanceRequest { min_d: 1.1 * d, ..Default::default() }).status, Status::BelowMin);
            assert!(!plan.within(&pose, 0.99 * d, &mut workspace).unwrap().0);
            assert!(plan.within(&pose, 1.01 * d, &mut workspace).unwrap().0);
            let request = ContactsRequest { margin: 2.0 * d, ..Default::default() };
            let contacts = plan.contacts(&pose, &request, &mut workspace).unwrap().contacts;
            assert!(contacts.len() == 1 && contacts[0].distance <= d * (1.0 + 1e-9));
        }
        assert_eq!(plan.collide(&pose, &mut workspace, None).colliding, d == 0.0);
        let contacts = plan.contacts(&pose, &ContactsRequest::default(), &mut workspace).unwrap().contacts;
        assert_eq!(contacts.len(), usize::from(d == 0.0));
    }
    assert!((100..700).contains(&hits), "{hits}");
}

#[test]
fn sizes_and_distances_that_f32_cannot_hold_are_searched_all_the_same() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let mut random = Random(700);
    for exponent in [-12, -7, 7, 12, 30] {
        for case in 0..2 * SOLIDS {
            let tri_mesh = random.tri_mesh(40, 1.0, DVec3::ZERO);
            let ratio = 10.0_f64.powi(exponent);
            let b = Solid::new(random.solid(case, ratio));
            // A face of the solid, or its far place, near the mesh.
            let pose = random.pose(if case < SOLIDS { 0.8 * ratio.max(1.0) } else { 1e3 * ratio.max(1.0) });
            let truth = truth(&tri_mesh, b.shape(), &pose);
            for a in all_volumes(tri_mesh, &BuildOptions::default()) {
                let plan = dispatcher.plan(&*a, &b).unwrap();
                let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
                let size = ratio.max(1.0) * 1e3;
                assert!((answer.upper - truth.upper).abs() <= tolerance(truth.upper, size), "{exponent} {answer:?}");
                assert!(answer.lower <= truth.upper && truth.lower <= answer.upper, "{exponent} {answer:?}");
                let colliding = plan.collide(&pose, &mut workspace, None).colliding;
                assert_eq!(colliding, !truth.overlapping.is_empty(), "{exponent} {}", a.kind());
            }
        }
    }
}

#[test]
fn sizes_that_are_negative_or_not_finite_are_refused() {
    assert!(
        Cone::from_half_length(0.0, 1.0).is_err()
            && Cone::from_half_length(1.0, 0.0).is_err()
            && Ellipsoid::new(DVec3::X).is_err()
    );
    assert!(Cone::between(DVec3::ONE, DVec3::ONE, 1.0).is_err());
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e101] {
        assert!(Cone::from_half_length(bad, 1.0).is_err() && Cone::from_half_length(1.0, bad).is_err());
        assert!(Ellipsoid::new(DVec3::new(1.0, bad, 1.0)).is_err());
        assert!(Sphere::new(bad).is_err());
        assert!(Capsule::from_half_length(bad, 1.0).is_err() && Capsule::from_half_length(1.0, bad).is_err());
        assert!(Cuboid::from_half_extents(DVec3::new(1.0, bad, 1.0)).is_err());
        assert!(Cylinder::from_half_length(bad, 1.0).is_err() && Cylinder::from_half_length(1.0, bad).is_err());
    }
    let nan = DVec3::new(0.0, f64::NAN, 0.0);
    assert!(Capsule::between(nan, DVec3::ONE, 1.0).is_err() && Cylinder::between(DVec3::ONE, nan, 1.0).is_err());
    assert!(Cylinder::between(DVec3::ONE, DVec3::ONE, 0.0).is_ok());
}
