//! The bank: registration at run time, choice among several tests, and pairs that are not supported.

mod support;

use clearance::bank::{Bank, Meshes, PairTest, Session};
use clearance::descent::Workspace;
use clearance::math::DVec3;
use clearance::query::{CollideGoal, ContactsGoal, DistanceGoal, DistanceRequest, WithinGoal};
use clearance::tree::{Geometry, Mesh};
use clearance::volume::{Aabb, Obb};
use clearance::{ErrorKind, Pose};
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
