//! The dispatcher: registration at run time, choice among several tests, and pairs that are not
//! supported.

mod support;

use clearance_engine::convex::{Penetration, PenetrationRequest};
use clearance_engine::dispatch::{Dispatcher, Meshes, PairTest, Session};
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::{self, CollideGoal, DistanceGoal, DistanceRequest, Status, VisitGoal, WithinGoal};
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::volume::{Aabb, Obb};
use clearance_engine::{ErrorKind, Pose, Result};
use support::{Cloud, Random};

/// Says that everything touches.
struct AlwaysTouching;

impl<A: Geometry, B: Geometry> PairTest<A, B> for AlwaysTouching {
    fn distance(&self, _: &A, _: &B, _: &Pose, goal: &mut DistanceGoal, _: &mut Session<'_>) {
        clearance_engine::query::Goal::contain(goal, DVec3::ZERO);
    }

    fn collide(&self, _: &A, _: &B, _: &Pose, goal: &mut CollideGoal, _: &mut Session<'_>) {
        clearance_engine::query::Goal::contain(goal, DVec3::ZERO);
    }

    fn visit(&self, _: &A, _: &B, _: &Pose, goal: &mut VisitGoal<'_>, _: &mut Session<'_>) {
        clearance_engine::query::Goal::contain(goal, DVec3::ZERO);
    }

    fn within(&self, _: &A, _: &B, _: &Pose, goal: &mut WithinGoal, _: &mut Session<'_>) {
        clearance_engine::query::Goal::contain(goal, DVec3::ZERO);
    }

    fn penetration(&self, _: &A, _: &B, _: &Pose, _: &PenetrationRequest) -> Result<Option<Penetration>> {
        Ok(Some(Penetration {
            lower: 1.0,
            upper: 2.0,
            normal: DVec3::X,
            point_a: DVec3::Y,
            point_b: DVec3::Z,
            status: Status::Exact,
        }))
    }
}

#[test]
fn an_unsupported_pair_is_an_error_at_planning_that_names_both() {
    let dispatcher = Dispatcher::standard();
    let mesh: Mesh<Obb> = Mesh::new(Random(1).tri_mesh(5, 1.0, DVec3::ZERO)).unwrap();
    let cloud = Cloud::default();
    for (a, b) in [(&mesh as &dyn Geometry, &cloud as &dyn Geometry), (&cloud, &mesh), (&cloud, &cloud)] {
        let Err(error) = dispatcher.plan(a, b) else { panic!("planned") };
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("cloud"), "{error}");
    }
}

#[test]
fn tests_are_registered_replaced_chosen_and_removed_at_run_time() {
    let mut dispatcher = Dispatcher::standard();
    let mesh: Mesh<Obb> = Mesh::new(Random(2).tri_mesh(5, 1.0, DVec3::ZERO)).unwrap();
    let far = Pose::from_translation(DVec3::X * 100.0).unwrap();
    let touching = |dispatcher: &Dispatcher| {
        let plan = dispatcher.plan(&mesh, &mesh).unwrap();
        plan.collide(&far, &mut Workspace::default(), None).colliding
    };
    assert!(!touching(&dispatcher));
    dispatcher.register::<Mesh<Obb>, Mesh<Obb>>("sticky", AlwaysTouching);
    assert!(touching(&dispatcher));
    dispatcher.choose::<Mesh<Obb>, Mesh<Obb>>("same").unwrap();
    assert!(!touching(&dispatcher));
    dispatcher.choose::<Mesh<Obb>, Mesh<Obb>>("sticky").unwrap();
    assert!(touching(&dispatcher));
    dispatcher.register::<Mesh<Obb>, Mesh<Obb>>("sticky", Meshes);
    assert!(!touching(&dispatcher), "a test of the same name is replaced");
    dispatcher.register::<Mesh<Obb>, Mesh<Obb>>("sticky", AlwaysTouching);
    dispatcher.remove::<Mesh<Obb>, Mesh<Obb>>("sticky").unwrap();
    assert!(!touching(&dispatcher));
    assert_eq!(dispatcher.remove::<Mesh<Obb>, Mesh<Obb>>("sticky").unwrap_err().kind(), ErrorKind::Unsupported);
    assert!(dispatcher.choose::<Mesh<Obb>, Mesh<Obb>>("sticky").is_err());
    dispatcher.remove::<Mesh<Obb>, Mesh<Obb>>("same").unwrap();
    assert!(dispatcher.plan(&mesh, &mesh).is_err());
}

#[test]
fn a_test_of_one_order_serves_the_other() {
    let mut dispatcher = Dispatcher::empty();
    dispatcher.register::<Cloud, Mesh<Obb>>("sticky", AlwaysTouching);
    let mesh: Mesh<Obb> = Mesh::new(Random(3).tri_mesh(5, 1.0, DVec3::ZERO)).unwrap();
    let cloud = Cloud::default();
    let pose = Pose::from_translation(DVec3::X).unwrap();
    let mut workspace = Workspace::default();
    for (a, b, expected) in [(&cloud as &dyn Geometry, &mesh as &dyn Geometry, DVec3::ZERO), (&mesh, &cloud, DVec3::X)]
    {
        let answer =
            dispatcher.plan(a, b).unwrap().distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
        assert_eq!(answer.witness.unwrap().point_a, expected);
    }
}

#[test]
fn the_standard_dispatcher_knows_every_pair_of_geometries_once() {
    let dispatcher = Dispatcher::standard();
    assert_eq!(dispatcher.pairs().len(), 18 * 19 / 2);
    let (boxes, obbs): (Mesh<Aabb>, Mesh<Obb>) = {
        let tri_mesh = Random(4).tri_mesh(5, 1.0, DVec3::ZERO);
        (Mesh::new(tri_mesh.clone()).unwrap(), Mesh::new(tri_mesh).unwrap())
    };
    assert!(dispatcher.plan(&boxes, &obbs).is_ok() && dispatcher.plan(&obbs, &boxes).is_ok());
}

#[test]
fn depths_are_those_of_solids_and_an_error_for_who_has_none() {
    let mut random = Random(4);
    let dispatcher = Dispatcher::standard();
    let request = PenetrationRequest::default();
    let mut overlaps = 0;
    for (a, b) in [(hull(&mut random), hull(&mut random)), (hull(&mut random), hull(&mut random))] {
        for pose in poses(&mut random, 50) {
            let found = dispatcher.plan(&a, &b).unwrap().penetration(&pose, &request).unwrap();
            assert_eq!(found, query::penetration(&a, &b, &pose, &request).unwrap());
            overlaps += u32::from(found.is_some());
        }
    }
    assert!((20..90).contains(&overlaps), "{overlaps}");
    let mesh: Mesh = Mesh::new(random.tri_mesh(5, 1.0, DVec3::ZERO)).unwrap();
    let error = dispatcher.plan(&mesh, &hull(&mut random)).unwrap().penetration(&Pose::IDENTITY, &request).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("wide against polyhedron does not find how deep"), "{error}");
    let senseless = PenetrationRequest { rel_err: -1.0, ..request };
    let refused = dispatcher.plan(&mesh, &mesh).unwrap().penetration(&Pose::IDENTITY, &senseless).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::BadRequest);
}

#[test]
fn a_depth_found_in_the_other_order_is_turned_around() {
    let mut dispatcher = Dispatcher::empty();
    dispatcher.register::<Solid, Mesh<Obb>>("sticky", AlwaysTouching);
    let mesh: Mesh<Obb> = Mesh::new(Random(5).tri_mesh(5, 1.0, DVec3::ZERO)).unwrap();
    let pose = Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::X * 10.0).unwrap();
    let solid = hull(&mut Random(6));
    let plan = dispatcher.plan(&mesh, &solid).unwrap();
    let found = plan.penetration(&pose, &PenetrationRequest::default()).unwrap().unwrap();
    assert_eq!((found.lower, found.upper), (1.0, 2.0));
    assert!(found.normal.distance(-DVec3::Y) < 1e-15, "{found:?}");
    // What was a point of the first is now one of the second, in the first one's frame.
    assert!(found.point_a.distance(DVec3::new(10.0, 0.0, 1.0)) < 1e-14, "{found:?}");
    assert!(found.point_b.distance(DVec3::new(9.0, 0.0, 0.0)) < 1e-14, "{found:?}");
}

/// A hull of a few points within 1 of the origin.
fn hull(random: &mut Random) -> Solid {
    let points: Vec<DVec3> = (0..12).map(|_| random.vector()).collect();
    Solid::new(ConvexPolyhedron::hull_of(&points).unwrap())
}

/// Places within 1.5 of the origin, turned anyhow.
fn poses(random: &mut Random, count: usize) -> Vec<Pose> {
    (0..count).map(|_| Pose::new(random.rotation(), random.vector() * 1.5).unwrap()).collect()
}
