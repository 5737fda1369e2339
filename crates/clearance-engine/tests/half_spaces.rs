//! Half-spaces and planes against meshes of every kind, solids and each other: judged by the
//! heights of vertices, and by formulas for how far each solid extends along a direction.

mod support;

use clearance_engine::assembly::{Assembly, AssemblyPair, Everything, PartId};
use clearance_engine::dispatch::PairQuery;
use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::query::{ContactsRequest, Distance, DistanceRequest, Status};
use clearance_engine::shape::{HalfSpace, HalfSpaceOrPlane, Plane, Sphere};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::{BuildOptions, Geometry, HalfSpaceGeometry, Mesh, Solid};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;
use support::oracle::{Body, SOLIDS};
use support::{Random, all_volumes, dispatcher};

/// A half-space or a plane, by turns.
fn flat(which: usize, normal: DVec3, offset: f64) -> HalfSpaceGeometry {
    if which.is_multiple_of(2) {
        HalfSpaceGeometry::new(HalfSpace::new(normal, offset).unwrap())
    } else {
        HalfSpaceGeometry::new(Plane::new(normal, offset).unwrap())
    }
}

/// The distance of what reaches from `low` to `high` above the plane.
fn distance_of(flat: &HalfSpaceGeometry, low: f64, high: f64) -> f64 {
    if flat.shape().is_solid() { low.max(0.0) } else { low.max(-high).max(0.0) }
}

/// How high a point is above the plane of a flat at a pose.
fn height(flat: &HalfSpaceGeometry, pose: &Pose, point: DVec3) -> f64 {
    let plane = flat.shape().plane();
    plane.normal().dot(pose.inverse().transform_point(point)) - plane.offset()
}

fn asked(plan: &PairQuery<'_>, pose: &Pose) -> Distance {
    plan.distance(pose, &DistanceRequest::default(), &mut Workspace::default(), None).unwrap()
}

/// Checks every answer about a flat against something at a known distance.
fn check(plan: &PairQuery<'_>, pose: &Pose, expected: f64, slack: f64, label: &str) {
    let mut workspace = Workspace::default();
    let answer = asked(plan, pose);
    assert!(answer.lower <= expected + slack && expected - slack <= answer.upper, "{label}: {answer:?} {expected}");
    assert!(answer.upper - answer.lower <= 1e-12 * expected + slack, "{label}: {answer:?} {expected}");
    let witness = answer.witness.unwrap();
    assert!((witness.point_a.distance(witness.point_b) - answer.upper).abs() <= slack, "{label}: {answer:?}");
    let collision = plan.collide(pose, &mut workspace, None);
    assert_eq!(Some(collision.colliding), answer.colliding(), "{label}");
    let contacts = plan.contacts(pose, &ContactsRequest::default(), &mut workspace).unwrap();
    assert_eq!(contacts.contacts.is_empty(), !collision.colliding, "{label}");
    assert!(contacts.contained.is_none(), "{label}");
    for contact in &contacts.contacts {
        assert!((contact.normal.length() - 1.0).abs() < 1e-12 && !contact.points.is_empty(), "{label}");
    }
    if expected > 10.0 * slack {
        assert!(!collision.colliding, "{label}");
        let mut ask = |request: DistanceRequest| plan.distance(pose, &request, &mut workspace, None).unwrap();
        assert_eq!(ask(DistanceRequest { max_d: 0.9 * expected, ..Default::default() }).status, Status::BeyondMax);
        assert_eq!(ask(DistanceRequest { min_d: 1.1 * expected, ..Default::default() }).status, Status::BelowMin);
        let loose = ask(DistanceRequest { rel_err: 0.2, ..Default::default() });
        assert!(
            loose.lower <= expected + slack && loose.upper >= expected - slack && loose.lower >= 0.79 * loose.upper
        );
        assert!(!plan.within(pose, 0.99 * expected, &mut workspace).unwrap().0, "{label}");
        let request = ContactsRequest { margin: 1.5 * expected, ..Default::default() };
        let near = plan.contacts(pose, &request, &mut workspace).unwrap().contacts;
        assert!(!near.is_empty() && near.iter().all(|contact| contact.distance <= 1.5 * expected), "{label}");
    }
    assert!(plan.within(pose, 1.01 * expected + slack, &mut workspace).unwrap().0, "{label}");
}

#[test]
fn every_goal_agrees_with_every_vertex_for_every_kind_of_mesh() {
    let dispatcher = dispatcher();
    let mut hits = 0;
    for seed in 0..80 {
        let mut random = Random(100 + seed);
        let scale = 10.0_f64.powi([0, 0, -6, 6][seed as usize / 2 % 4]);
        let shift = if seed % 5 == 0 { random.vector() * 1e4 * scale } else { DVec3::ZERO };
        let tri_mesh = random.tri_mesh(150, scale, shift);
        let b = flat(seed as usize, random.vector(), random.signed() * scale);
        let apart = [0.3, 1.0, 3.0, 40.0][random.below(4)] * scale;
        let near = random.pose(apart);
        let pose = Pose::from_matrix(*near.rotation(), near.translation() + shift).unwrap();
        let heights = tri_mesh.vertices().iter().map(|vertex| height(&b, &pose, *vertex));
        let heights: Vec<f64> = heights.collect();
        let (low, high) = heights.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |b, h| (b.0.min(*h), b.1.max(*h)));
        // A plane between triangles of a triangle mesh touches only those that it crosses.
        let of_triangle = |ids: &[u32; 3]| {
            let [p, q, r] = ids.map(|id| heights[id as usize]);
            distance_of(&b, p.min(q).min(r), p.max(q).max(r))
        };
        let expected = tri_mesh.triangles().iter().map(of_triangle).fold(f64::INFINITY, f64::min);
        assert!(expected <= distance_of(&b, low, high) || !b.shape().is_solid());
        hits += usize::from(expected == 0.0);
        let slack = 1e-13 * (apart + scale + shift.length());
        for a in all_volumes(tri_mesh.clone(), &BuildOptions::default()) {
            let label = format!("seed {seed}, {} against {}", a.kind(), b.kind());
            check(&dispatcher.plan(&*a, &b).unwrap(), &pose, expected, slack, &label);
            let swapped = asked(&dispatcher.plan(&b, &*a).unwrap(), &pose.inverse());
            assert!((swapped.upper - expected).abs() <= 2.0 * slack, "{label}: {swapped:?} {expected}");
        }
    }
    assert!((20..70).contains(&hits), "{hits} of 80 seeds collide: the test must see both");
}

#[test]
fn every_solid_is_as_far_as_it_extends_along_the_normal() {
    let dispatcher = dispatcher();
    let mut random = Random(7);
    let mut hits = 0;
    for case in 0..3000 {
        let scale = 10.0_f64.powi([0, 0, -6, 6][case / SOLIDS % 4]);
        let kind = random.kind(case % SOLIDS).scaled(scale);
        let body = Body { kind, rotation: DMat3::IDENTITY, place: DVec3::ZERO };
        let b = flat(case / 2, random.vector(), random.signed() * scale);
        let apart = [0.0, 0.5, 2.0, 1e4][random.below(4)] * scale;
        let pose = random.pose(apart);
        // In the flat's frame.
        let seen = pose.inverse();
        let body = Body { rotation: *seen.rotation(), place: seen.translation(), ..body };
        let (n, d) = (b.shape().plane().normal(), b.shape().plane().offset());
        let expected = distance_of(&b, -body.support(-n) - d, body.support(n) - d);
        hits += usize::from(expected == 0.0);
        let solid = Solid::new(body.unmoved().unwrap());
        let label = format!("{case} {body:?} {b:?}");
        check(&dispatcher.plan(&solid, &b).unwrap(), &pose, expected, 1e-13 * (apart + scale), &label);
    }
    assert!((500..2500).contains(&hits), "{hits}");
}

#[test]
fn a_plane_touches_what_it_just_reaches_and_not_a_hair_below() {
    let dispatcher = dispatcher();
    let vertices = [DVec3::new(0.25, 0.5, 0.5), DVec3::new(2.0, 0.0, 1.0), DVec3::new(0.0, 3.0, 2.0)];
    let mesh: Mesh = Mesh::new(TriMesh::new(vertices.to_vec(), vec![[0, 1, 2]]).unwrap()).unwrap();
    let sphere = Solid::new(Sphere::new(0.5).unwrap().transformed(&Pose::from_translation(DVec3::Z).unwrap()));
    for which in 0..2 {
        for a in [&mesh as &dyn Geometry, &sphere] {
            for (off, touches) in [(0.0, true), (1e-9, false), (-1e-9, true), (1e-12, false), (-1e-12, true)] {
                let b = flat(which, DVec3::Z * 4.0, 4.0 * (0.5 - off));
                let plan = dispatcher.plan(a, &b).unwrap();
                let colliding = plan.collide(&Pose::IDENTITY, &mut Workspace::default(), None).colliding;
                assert_eq!(colliding, touches, "{off} {} {}", a.kind(), b.kind());
                let answer = asked(&plan, &Pose::IDENTITY);
                assert!((answer.upper - off.max(0.0)).abs() < 1e-13, "{off} {answer:?}");
            }
            // Below a plane is as good as above; below the surface of a half-space it is inside.
            let b = flat(which, DVec3::Z, 5.0);
            let answer = asked(&dispatcher.plan(a, &b).unwrap(), &Pose::IDENTITY);
            assert_eq!(answer.upper == 0.0, b.shape().is_solid(), "{answer:?}");
        }
    }
    // Where a plane crosses a triangle, both ends of the cut are points of both.
    let sheet = HalfSpaceGeometry::new(Plane::new(DVec3::Z, 1.5).unwrap());
    let plan = dispatcher.plan(&mesh, &sheet).unwrap();
    let contacts = plan.contacts(&Pose::IDENTITY, &ContactsRequest::default(), &mut Workspace::default()).unwrap();
    let points = &contacts.contacts[0].points;
    assert_eq!(points.len(), 2);
    assert!(points.iter().all(|point| (point.z - 1.5).abs() < 1e-12), "{points:?}");
}

#[test]
fn parallel_flats_have_a_distance_and_others_meet() {
    let dispatcher = dispatcher();
    let mut random = Random(9);
    let half_space = |n: DVec3, d: f64| HalfSpaceGeometry::new(HalfSpace::new(n, d).unwrap());
    let plane = |n: DVec3, d: f64| HalfSpaceGeometry::new(Plane::new(n, d).unwrap());
    let (up, down) = (DVec3::Z, DVec3::NEG_Z);
    for (a, b, expected) in [
        (half_space(up, 1.0), half_space(down, -3.0), 2.0),
        (half_space(up, 1.0), half_space(down, -1.0), 0.0),
        (half_space(up, 1.0), half_space(down, 3.0), 0.0),
        (half_space(up, 1.0), half_space(up, -30.0), 0.0),
        (half_space(up, 1.0), plane(up, 3.0), 2.0),
        (half_space(up, 1.0), plane(down, -3.0), 2.0),
        (half_space(up, 1.0), plane(up, -3.0), 0.0),
        (plane(up, 1.0), plane(down, -3.0), 2.0),
        (plane(up, 1.0), plane(up, -3.0), 4.0),
        (plane(up, 1.0), plane(up, 1.0), 0.0),
        (plane(up, 1.0), plane(DVec3::X, 1.0), 0.0),
        (half_space(up, 1.0), half_space(DVec3::new(0.0, 1e-6, -1.0), -7.0), 0.0),
        (plane(up, 1.0), half_space(DVec3::Y, -7.0), 0.0),
    ] {
        for _ in 0..20 {
            // The same two from elsewhere: b moved along, then both turned, which rounds the
            // normals.
            let world = random.pose(3.0);
            let slide = Pose::from_translation(DVec3::new(random.signed(), random.signed(), 0.0) * 5.0).unwrap();
            let label = format!("{a:?} {b:?}");
            check(&dispatcher.plan(&a, &b).unwrap(), &slide, expected, 1e-13, &label);
            let turned = HalfSpaceGeometry::new(b.shape().transformed(&world));
            check(&dispatcher.plan(&a, &turned).unwrap(), &world.inverse(), expected, 1e-13, &label);
            check(&dispatcher.plan(&b, &a).unwrap(), &slide.inverse(), expected, 1e-13, &label);
        }
        let answer = asked(&dispatcher.plan(&a, &b).unwrap(), &Pose::IDENTITY);
        let witness = answer.witness.unwrap();
        for (flat, point) in [(&a, witness.point_a), (&b, witness.point_b)] {
            let above = height(flat, &Pose::IDENTITY, point);
            let off = if flat.shape().is_solid() { above.max(0.0) } else { above.abs() };
            // Planes that are almost parallel meet far away, where a rounding is as much more.
            assert!(off <= 1e-15 * (1.0 + point.length()), "{off} {point} {a:?} {b:?}");
        }
    }
}

#[test]
fn a_large_mesh_is_not_scanned() {
    let dispatcher = dispatcher();
    let mut random = Random(11);
    let mesh: Mesh = Mesh::new(random.tri_mesh(20_000, 1.0, DVec3::ZERO)).unwrap();
    let floor = HalfSpaceGeometry::new(HalfSpace::new(DVec3::new(0.1, 0.2, 1.0), -3.0).unwrap());
    let plan = dispatcher.plan(&mesh, &floor).unwrap();
    let mut warm_start = WarmStart::default();
    for step in 0..20 {
        let pose = Pose::from_translation(DVec3::Z * (0.05 * f64::from(step))).unwrap();
        let answer = asked(&plan, &pose);
        assert!(answer.stats.volume_tests < 2000 && answer.stats.leaf_tests < 200, "{:?}", answer.stats);
        let warm = plan
            .distance(&pose, &DistanceRequest::default(), &mut Workspace::default(), Some(&mut warm_start))
            .unwrap();
        assert!((warm.upper - answer.upper).abs() < 1e-13 && warm.stats.leaf_tests <= answer.stats.leaf_tests + 1);
    }
}

#[test]
fn scenes_may_have_floors_walls_and_sheets() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    for seed in 0..40 {
        let mut random = Random(200 + seed);
        let (mut robot, mut scene) = (Assembly::default(), Assembly::default());
        for which in 0..12 {
            robot.insert(Arc::new(Solid::new(random.solid(which, 0.5))), random.pose(1.0));
        }
        let parts: Vec<PartId> = (0..30)
            .map(|which: usize| {
                let (normal, offset, far) = (random.vector(), random.between(-9.0, -4.0), random.pose(6.0));
                let floor = Pose::from_translation(random.vector()).unwrap();
                match which % 6 {
                    2 => scene.insert(Arc::new(flat(which / 6, DVec3::AXES[which / 6 % 3], offset)), floor),
                    4 => scene.insert(Arc::new(flat(which / 6, normal, offset)), random.pose(1.0)),
                    _ => scene.insert(Arc::new(Solid::new(random.solid(which, 0.5))), far),
                }
            })
            .collect();
        for round in 0..3 {
            let mut least = f64::INFINITY;
            let mut hits = Vec::new();
            for a in robot.parts() {
                for &b in parts.iter().filter(|part| scene.contains(**part)) {
                    let plan = dispatcher.plan(&**robot.geometry(a.number()), &**scene.geometry(b.number())).unwrap();
                    let answer = asked(&plan, &robot.pose(a.number()).inverse().then(scene.pose(b.number())));
                    least = least.min(answer.upper);
                    if answer.upper == 0.0 {
                        hits.push((a, b));
                    }
                }
            }
            let meet = AssemblyPair::new(&dispatcher, &robot, &scene, &Everything);
            let found = meet.distance(&DistanceRequest::default(), &mut workspace, None).unwrap();
            assert!((found.upper - least).abs() < 1e-12, "{seed} {round}: {found:?} {least}");
            assert_eq!(meet.collisions(&mut workspace).unwrap().0, hits, "{seed} {round}");
            let unbounded = AssemblyPair::new(&dispatcher, &scene, &scene, &Everything);
            assert!(unbounded.collide(&mut workspace, None).unwrap().0.is_some());
            scene.remove(parts[random.below(30)]);
            scene.set_pose(parts[2], random.pose(2.0));
        }
    }
}

#[test]
fn the_distance_of_a_part_from_a_floor_is_known_from_below_too() {
    let (floor, sphere) =
        (HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, 0.5).unwrap()), Solid::new(Sphere::new(1.0).unwrap()));
    let (mut ground, mut things) = (Assembly::default(), Assembly::default());
    ground.insert(Arc::new(floor), Pose::from_translation(DVec3::new(7.0, 8.0, 0.25)).unwrap());
    things.insert(Arc::new(sphere), Pose::from_translation(DVec3::new(1.0, -2.0, 3.0)).unwrap());
    let dispatcher = dispatcher();
    let found = AssemblyPair::new(&dispatcher, &things, &ground, &Everything)
        .distance(&DistanceRequest::default(), &mut Workspace::default(), None)
        .unwrap();
    assert!(found.lower <= 1.25 && 1.25 <= found.upper && found.upper - found.lower < 1e-12, "{found:?}");
}

#[test]
fn normals_without_length_and_numbers_that_are_none_are_refused() {
    for bad in [DVec3::ZERO, DVec3::new(f64::NAN, 0.0, 1.0), DVec3::new(f64::INFINITY, 0.0, 1.0), DVec3::X * 1e101] {
        assert!(Plane::new(bad, 0.0).is_err() && HalfSpace::new(bad, 0.0).is_err());
        assert!(Plane::through(DVec3::ZERO, bad).is_err());
    }
    for bad in [f64::NAN, f64::INFINITY, -1e101] {
        assert!(Plane::new(DVec3::Z, bad).is_err() && HalfSpace::new(DVec3::Z, bad).is_err());
    }
    assert!(Plane::new(DVec3::Z * 1e-80, 1e30).is_err());
    let plane = Plane::through(DVec3::new(7.0, 8.0, 9.0), DVec3::Z * 1e-90).unwrap();
    assert_eq!((plane.normal(), plane.offset()), (DVec3::Z, 9.0));
    assert!(matches!(HalfSpaceOrPlane::from(HalfSpace::behind(plane)), HalfSpaceOrPlane::HalfSpace(_)));
}
