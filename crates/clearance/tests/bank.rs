//! The bank: registration at run time, choice among several tests, and pairs that are not supported.

mod support;

use clearance::bank::{Bank, Meshes, PairTest, Session, SolidsBy};
use clearance::convex::{Method, Penetration, PenetrationRequest};
use clearance::descent::{PairCache, Workspace};
use clearance::math::{DQuat, DVec3};
use clearance::query::{self, CollideGoal, ContactsGoal, DistanceGoal, DistanceRequest, Status, WithinGoal};
use clearance::shape::ConvexPolyhedron;
use clearance::tree::{Geometry, Mesh, Solid};
use clearance::volume::{Aabb, Obb};
use clearance::{ErrorKind, Pose, Result};
use support::{Cloud, Random};

/// Says that everything touches.
struct AlwaysTouching;

impl<A: Geometry, B: Geometry> PairTest<A, B> for AlwaysTouching {
    fn distance(&self, _: &A, _: &B, _: &Pose, goal: &mut DistanceGoal, _: &mut Session<'_>) {
        clearance::query::Goal::contain(goal, DVec3::ZERO);
    }

    fn collide(&self, _: &A, _: &B, _: &Pose, goal: &mut CollideGoal, _: &mut Session<'_>) {
        clearance::query::Goal::contain(goal, DVec3::ZERO);
    }

    fn contacts(&self, _: &A, _: &B, _: &Pose, goal: &mut ContactsGoal, _: &mut Session<'_>) {
        clearance::query::Goal::contain(goal, DVec3::ZERO);
    }

    fn within(&self, _: &A, _: &B, _: &Pose, goal: &mut WithinGoal, _: &mut Session<'_>) {
        clearance::query::Goal::contain(goal, DVec3::ZERO);
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
    let bank = Bank::standard();
    let mesh: Mesh<Obb> = Mesh::new(Random(1).soup(5, 1.0, DVec3::ZERO)).unwrap();
    let cloud = Cloud::default();
    for (a, b) in [(&mesh as &dyn Geometry, &cloud as &dyn Geometry), (&cloud, &mesh), (&cloud, &cloud)] {
        let Err(error) = bank.plan(a, b) else { panic!("planned") };
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains("cloud"), "{error}");
    }
}

#[test]
fn tests_are_registered_replaced_chosen_and_removed_at_run_time() {
    let mut bank = Bank::standard();
    let mesh: Mesh<Obb> = Mesh::new(Random(2).soup(5, 1.0, DVec3::ZERO)).unwrap();
    let far = Pose::from_translation(DVec3::X * 100.0).unwrap();
    let touching = |bank: &Bank| {
        let plan = bank.plan(&mesh, &mesh).unwrap();
        plan.collide(&far, &mut Workspace::default(), None).colliding
    };
    assert!(!touching(&bank));
    bank.register::<Mesh<Obb>, Mesh<Obb>>("sticky", AlwaysTouching);
    assert!(touching(&bank));
    bank.choose::<Mesh<Obb>, Mesh<Obb>>("same").unwrap();
    assert!(!touching(&bank));
    bank.choose::<Mesh<Obb>, Mesh<Obb>>("sticky").unwrap();
    assert!(touching(&bank));
    bank.register::<Mesh<Obb>, Mesh<Obb>>("sticky", Meshes);
    assert!(!touching(&bank), "a test of the same name is replaced");
    bank.register::<Mesh<Obb>, Mesh<Obb>>("sticky", AlwaysTouching);
    bank.remove::<Mesh<Obb>, Mesh<Obb>>("sticky").unwrap();
    assert!(!touching(&bank));
    assert_eq!(bank.remove::<Mesh<Obb>, Mesh<Obb>>("sticky").unwrap_err().kind(), ErrorKind::Unsupported);
    assert!(bank.choose::<Mesh<Obb>, Mesh<Obb>>("sticky").is_err());
    bank.remove::<Mesh<Obb>, Mesh<Obb>>("same").unwrap();
    assert!(bank.plan(&mesh, &mesh).is_err());
}

#[test]
fn a_test_of_one_order_serves_the_other() {
    let mut bank = Bank::empty();
    bank.register::<Cloud, Mesh<Obb>>("sticky", AlwaysTouching);
    let mesh: Mesh<Obb> = Mesh::new(Random(3).soup(5, 1.0, DVec3::ZERO)).unwrap();
    let cloud = Cloud::default();
    let pose = Pose::from_translation(DVec3::X).unwrap();
    let mut workspace = Workspace::default();
    for (a, b, expected) in [(&cloud as &dyn Geometry, &mesh as &dyn Geometry, DVec3::ZERO), (&mesh, &cloud, DVec3::X)]
    {
        let answer =
            bank.plan(a, b).unwrap().distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
        assert_eq!(answer.witness.unwrap().point_a, expected);
    }
}

#[test]
fn the_standard_bank_knows_every_pair_of_geometries_once() {
    let bank = Bank::standard();
    assert_eq!(bank.pairs().len(), 17 * 18 / 2);
    let (boxes, obbs): (Mesh<Aabb>, Mesh<Obb>) = {
        let soup = Random(4).soup(5, 1.0, DVec3::ZERO);
        (Mesh::new(soup.clone()).unwrap(), Mesh::new(soup).unwrap())
    };
    assert!(bank.plan(&boxes, &obbs).is_ok() && bank.plan(&obbs, &boxes).is_ok());
}

#[test]
fn depths_are_those_of_solids_and_an_error_for_who_has_none() {
    let mut random = Random(4);
    let bank = Bank::standard();
    let request = PenetrationRequest::default();
    let mut overlaps = 0;
    for (a, b) in [(hull(&mut random), hull(&mut random)), (hull(&mut random), hull(&mut random))] {
        for pose in poses(&mut random, 50) {
            let found = bank.plan(&a, &b).unwrap().penetration(&pose, &request).unwrap();
            assert_eq!(found, query::penetration(&a, &b, &pose, &request).unwrap());
            overlaps += u32::from(found.is_some());
        }
    }
    assert!((20..90).contains(&overlaps), "{overlaps}");
    let mesh: Mesh = Mesh::new(random.soup(5, 1.0, DVec3::ZERO)).unwrap();
    let error = bank.plan(&mesh, &hull(&mut random)).unwrap().penetration(&Pose::IDENTITY, &request).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("wide against polyhedron does not find how deep"), "{error}");
    let senseless = PenetrationRequest { rel_err: -1.0, ..request };
    let refused = bank.plan(&mesh, &mesh).unwrap().penetration(&Pose::IDENTITY, &senseless).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::BadRequest);
}

#[test]
fn a_depth_found_in_the_other_order_is_turned_around() {
    let mut bank = Bank::empty();
    bank.register::<Solid, Mesh<Obb>>("sticky", AlwaysTouching);
    let mesh: Mesh<Obb> = Mesh::new(Random(5).soup(5, 1.0, DVec3::ZERO)).unwrap();
    let pose = Pose::new(DQuat::from_rotation_z(std::f64::consts::FRAC_PI_2), DVec3::X * 10.0).unwrap();
    let solid = hull(&mut Random(6));
    let plan = bank.plan(&mesh, &solid).unwrap();
    let found = plan.penetration(&pose, &PenetrationRequest::default()).unwrap().unwrap();
    assert_eq!((found.lower, found.upper), (1.0, 2.0));
    assert!(found.normal.distance(-DVec3::Y) < 1e-15, "{found:?}");
    // What was a point of the first is now one of the second, in the first one's frame.
    assert!(found.point_a.distance(DVec3::new(10.0, 0.0, 1.0)) < 1e-14, "{found:?}");
    assert!(found.point_b.distance(DVec3::new(9.0, 0.0, 0.0)) < 1e-14, "{found:?}");
}

#[test]
fn every_method_for_convex_polyhedra_gives_the_same_answers_in_the_bank() {
    let mut random = Random(7);
    let (a, b) = (hull(&mut random), hull(&mut random));
    let places = poses(&mut random, 200);
    let standard = Bank::standard();
    let usual = standard.plan(&a, &b).unwrap();
    let mut overlaps = 0;
    for method in Method::ALL {
        let mut bank = Bank::standard();
        bank.register::<Solid, Solid>(method.name(), SolidsBy(method));
        let plan = bank.plan(&a, &b).unwrap();
        let (mut workspace, mut cache) = (Workspace::default(), PairCache::default());
        for pose in &places {
            let expected = usual.distance(pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
            overlaps += u32::from(expected.upper == 0.0);
            for cache in [None, Some(&mut cache)] {
                let mut cache = cache;
                let found =
                    plan.distance(pose, &DistanceRequest::default(), &mut workspace, cache.as_deref_mut()).unwrap();
                let name = method.name();
                assert!(found.lower <= expected.upper && expected.lower <= found.upper, "{name}: {found:?}");
                assert!(found.upper - found.lower < 1e-11, "{name}: {found:?}");
                assert_eq!(plan.collide(pose, &mut workspace, cache).colliding, expected.upper == 0.0, "{name}");
            }
            let request = PenetrationRequest::default();
            assert_eq!(plan.penetration(pose, &request).unwrap(), usual.penetration(pose, &request).unwrap());
        }
    }
    assert!((300..1300).contains(&overlaps), "{overlaps}");
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
