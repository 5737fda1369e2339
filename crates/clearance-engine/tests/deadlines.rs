//! Queries with a budget of steps: their intervals contain the exact answer, are nested, and do not
//! depend on threads.

mod support;

use clearance_engine::convex::PenetrationRequest;
use clearance_engine::dispatch::Pair;
use clearance_engine::math::DVec3;
use clearance_engine::motion::{Approach, ImpactRequest, Motion, TimeOfImpact};
use clearance_engine::query::{CollideRequest, ContactsRequest, Distance, DistanceRequest, Status};
use clearance_engine::shape::{Capsule, Cuboid, HalfSpace};
use clearance_engine::tree::{Assembly, Geometry, HeightField, IntoGeometry, Mesh, PointCloud};
use clearance_engine::volume::{Aabb, Obb};
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;
use support::{Random, cut_cube};

/// A bumpy body of some size.
fn bumpy(cuts: u32, size: f64) -> TriMesh {
    cut_cube(cuts, |p| p.normalize() * size * (1.0 + 0.1 * (7.0 * p.x).sin() * (5.0 * p.y).cos()))
}

fn mesh(mesh: TriMesh) -> Arc<Mesh> {
    Arc::new(Mesh::<_>::new(mesh).unwrap())
}

/// One pair for each way of queries through the engine, by name.
fn pairs() -> Vec<(&'static str, Pair)> {
    let mut random = Random(5);
    let points: Vec<DVec3> = (0..600).map(|_| random.vector().normalize_or(DVec3::X)).collect();
    let cloud = Arc::new(PointCloud::new(points, 0.02).unwrap());
    let heights: Vec<f64> = (0..900).map(|_| random.between(0.0, 0.3)).collect();
    let ground = Arc::new(HeightField::new(30, 30, [0.1; 2], heights).unwrap());
    let mut parts = Assembly::default();
    for _ in 0..12 {
        let pose = random.pose(0.8);
        parts.insert(mesh(bumpy(4, 0.2)) as Arc<dyn Geometry>, pose);
    }
    let parts = Arc::new(parts);
    let default = mesh(bumpy(14, 1.0));
    let solid = Arc::new(Mesh::<_>::new(bumpy(14, 1.0)).unwrap().into_solid().unwrap()) as Arc<Mesh>;
    let obb: Arc<Mesh<Obb>> = Arc::new(Mesh::new(bumpy(10, 1.0)).unwrap());
    let aabb: Arc<Mesh<Aabb>> = Arc::new(Mesh::new(bumpy(10, 1.0)).unwrap());
    let capsule = Capsule::new(0.3, 0.8).unwrap();
    let pair = |a: Arc<dyn Geometry>, b: Arc<dyn Geometry>| Pair::new(a, b).unwrap();
    vec![
        ("default meshes", pair(default.clone(), mesh(bumpy(12, 0.7)))),
        ("solid meshes", pair(solid.clone(), solid.clone())),
        ("OBB meshes", pair(obb.clone(), obb.clone())),
        ("OBB and AABB", pair(obb, aabb)),
        ("mesh and capsule", pair(default.clone(), capsule.into_geometry())),
        ("mesh and half-space", pair(default.clone(), HalfSpace::new(DVec3::Z, -2.0).unwrap().into_geometry())),
        ("mesh and cloud", pair(default.clone(), cloud.clone())),
        ("cloud and box", pair(cloud.clone(), Cuboid::new(0.5, 0.7, 0.9).unwrap().into_geometry())),
        ("two clouds", pair(cloud.clone(), cloud)),
        ("mesh and ground", pair(default.clone(), ground)),
        ("parts and mesh", pair(parts.clone(), default)),
        ("parts and parts", pair(parts.clone(), parts)),
    ]
}

const BUDGETS: [usize; 9] = [0, 1, 3, 10, 30, 100, 300, 1_000, 30_000];

fn with_steps(max_steps: usize) -> DistanceRequest {
    DistanceRequest { max_steps: Some(max_steps), ..DistanceRequest::default() }
}

/// Whether an interval lies in another one: bounds of leaves that are looked at are rounded, others
/// are not.
fn is_nested(inner: &Distance, outer: &Distance) -> bool {
    let rounding = 1e-9 * (1.0 + inner.upper.min(10.0));
    outer.lower <= inner.lower + rounding && inner.upper <= outer.upper + rounding
}

#[test]
fn distances_are_nested_contain_the_exact_one_and_have_witnesses() {
    let mut random = Random(11);
    for (name, pair) in pairs() {
        let mut cut = 0;
        for case in 0..12 {
            let pose = random.pose(if case % 3 == 0 { 1.2 } else { 2.6 });
            let exact = pair.clone().distance(pose);
            let mut last: Option<Distance> = None;
            for steps in BUDGETS {
                let ask = || pair.clone().distance_with(pose, &with_steps(steps)).unwrap();
                let found = ask();
                let case = format!("{name}, case {case}, {steps} steps: {found:?}, exact {exact:?}");
                assert_eq!(found, ask(), "{case}");
                assert!(found.lower <= exact.upper && exact.lower <= found.upper, "{case}");
                assert!(found.lower <= found.upper && found.upper.is_finite() && found.witness.is_some(), "{case}");
                assert!(last.is_none_or(|last| is_nested(&found, &last)), "{case}, before {last:?}");
                let witness = found.witness.unwrap();
                assert!(witness.point_a.distance(witness.point_b) <= found.upper + 1e-9, "{case}");
                if found.status == Status::Budget {
                    cut += 1;
                } else {
                    assert_eq!((found.status, found.upper), (exact.status, exact.upper), "{case}");
                }
                last = Some(found);
            }
            assert!(last.is_some_and(|last| last.status != Status::Budget), "{name}: 30,000 steps are enough");
        }
        assert!(cut >= 12, "{name}: only {cut} searches were cut short");
    }
}

#[test]
fn a_range_and_a_budget_together_leave_what_is_certain() {
    let mut random = Random(12);
    for (name, pair) in pairs() {
        for _ in 0..12 {
            let pose = random.pose(2.4);
            let exact = pair.clone().distance(pose);
            for (steps, part) in BUDGETS.into_iter().flat_map(|steps| [(steps, 0.9), (steps, 1.1)]) {
                let max_d = exact.upper * part;
                let request = DistanceRequest { max_d, ..with_steps(steps) };
                let found = pair.clone().distance_with(pose, &request).unwrap();
                let case = format!("{name}, {steps} steps up to {max_d}: {found:?}, exact {exact:?}");
                assert!(found.lower <= exact.upper && exact.lower <= found.upper, "{case}");
                assert!(found.lower <= max_d && found.upper.is_infinite() == found.witness.is_none(), "{case}");
                assert!(found.status != Status::BeyondMax || exact.upper >= max_d, "{case}");
            }
        }
    }
}

#[test]
fn collisions_and_contacts_that_a_budget_left_open_say_so() {
    let mut random = Random(13);
    for (name, pair) in pairs() {
        let mut open = 0;
        for case in 0..12 {
            let pose = random.pose(if case % 2 == 0 { 1.3 } else { 2.2 });
            let exact = pair.clone().contacts(pose);
            let mut was_decided = false;
            for steps in BUDGETS {
                let request = CollideRequest { max_steps: Some(steps) };
                let found = pair.clone().collide_with(pose, &request);
                let is_open = found.status == Status::Budget;
                assert!(is_open && found.colliding || found.colliding == exact.colliding, "{name}, {steps}: {found:?}");
                assert!(!(was_decided && is_open), "{name}: more steps decide less");
                was_decided = !is_open;
                open += usize::from(is_open);
                let request = ContactsRequest { max_steps: Some(steps), ..ContactsRequest::default() };
                let some = pair.clone().contacts_with(pose, &request).unwrap();
                assert!(some.contacts.iter().all(|contact| exact.contacts.contains(contact)), "{name}, {steps}");
                match some.status {
                    Status::Budget => assert!(some.truncated && some.colliding, "{name}, {steps}: {some:?}"),
                    _ => assert_eq!(some.contacts, exact.contacts, "{name}, {steps}"),
                }
            }
            assert!(was_decided, "{name}");
        }
        assert!(open > 0, "{name}");
    }
}

#[test]
fn the_same_budget_gives_the_same_answers_on_any_number_of_threads() {
    let mut random = Random(14);
    let (_, pair) = &pairs()[1];
    let poses: Vec<Pose> = (0..400).map(|_| random.pose(2.2)).collect();
    let query = pair.query();
    let one = query.distances(&poses, &with_steps(40), 1).unwrap();
    assert!(one.iter().filter(|found| found.status == Status::Budget).count() > 100);
    for threads in [2, 5] {
        assert_eq!(query.distances(&poses, &with_steps(40), threads).unwrap(), one);
    }
}

#[test]
fn a_first_contact_is_never_before_the_time_that_a_budget_proves() {
    let mut random = Random(15);
    for (name, pair) in pairs() {
        let mut open = 0;
        for case in 0..6 {
            let (from, to) = (random.pose(3.0), random.pose(1.0));
            let motion = Motion::between(&from, &to, 1.0).unwrap();
            let still = Motion::still(&Pose::IDENTITY);
            let approach = [Approach::Best, Approach::Directional, Approach::Swept][case % 3];
            let ask = |max_steps: Option<usize>| {
                let request = ImpactRequest { approach, max_steps, ..ImpactRequest::default() };
                pair.clone().time_of_impact_with(&still, &motion, &request).unwrap()
            };
            let exact = ask(None);
            let latest = match exact.first {
                TimeOfImpact::Contact(impact) => impact.t_upper,
                _ => 1.0,
            };
            for steps in BUDGETS {
                let found = ask(Some(steps));
                assert!(found.free_until() <= latest, "{name}, {steps}: {found:?}, {exact:?}");
                assert_eq!(found, ask(Some(steps)), "{name}");
                open += usize::from(matches!(found.first, TimeOfImpact::Undecided { .. }));
            }
        }
        assert!(open > 0, "{name}");
    }
}

#[test]
fn signed_distances_with_a_budget_contain_the_exact_one() {
    let mut random = Random(16);
    let solid = |cuts| Arc::new(Mesh::<_>::new(bumpy(cuts, 1.0)).unwrap().into_solid().unwrap()) as Arc<Mesh>;
    let mut pair = Pair::new(solid(12), solid(9)).unwrap();
    let mut kinds = [0; 3];
    for _ in 0..40 {
        let length = random.between(1.2, 2.6);
        let pose = random.pose(length);
        let exact = pair.signed_distance(pose).unwrap();
        for steps in [0, 8, 40, 200, 2_000, 20_000] {
            let request = PenetrationRequest { rel_err: 0.005, max_steps: Some(steps), ..Default::default() };
            let found = pair.signed_distance_with(pose, &request).unwrap();
            let case = format!("{steps}: {found:?}, {exact:?}");
            assert!(found.lower <= found.signed && found.signed <= found.upper && found.lower.is_finite(), "{case}");
            assert!(found.lower <= exact.upper && exact.lower <= found.upper, "{case}");
            if found.status == Status::Budget {
                // Undecided, in overlap, apart.
                kinds[usize::from(found.lower >= 0.0 || found.upper <= 0.0) + usize::from(found.lower >= 0.0)] += 1;
            }
        }
    }
    assert!(kinds.iter().all(|&count| count > 5), "{kinds:?}");
}
