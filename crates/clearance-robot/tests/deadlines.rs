//! Queries of a checker with a budget of steps: intervals contain the exact answers, and no near
//! pair is missing.

use clearance_engine::assembly::NearRequest;
use clearance_engine::math::DVec3;
use clearance_engine::query::{DistanceRequest, Status};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
use std::sync::Arc;

#[path = "../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;
use random::Random;

/// A closed net of triangles around the origin.
fn pebble(random: &mut Random, size: f64) -> TriMesh {
    const ROWS: u32 = 16;
    let place = |i: u32, j: u32, bump: f64| {
        let (polar, turn) = (f64::from(i) / f64::from(ROWS), f64::from(j) / f64::from(ROWS));
        let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
        let ring = (std::f64::consts::PI * polar).sin();
        DVec3::new(ring * cos, ring * sin, (std::f64::consts::PI * polar).cos()) * size * (1.0 + 0.1 * bump)
    };
    let vertices = (0..=ROWS * ROWS + ROWS).map(|n| place(n / ROWS, n % ROWS, random.signed())).collect();
    let quad = |i: u32, j: u32| {
        let at = |i: u32, j: u32| i * ROWS + j % ROWS;
        [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]]
    };
    TriMesh::new(vertices, (0..ROWS * ROWS).flat_map(|n| quad(n / ROWS, n % ROWS)).collect()).unwrap()
}

fn checker(random: &mut Random) -> Checker {
    let link = |mesh: TriMesh, x: f64| {
        let pose = Pose::from_xyz(x, 0.0, 0.0).unwrap();
        LinkGeometry::new(pose, LinkShape::Mesh(Arc::new(mesh)))
    };
    let limits = [-3.0, 3.0];
    let builder = RobotBuilder::new("arm")
        .link("base", [link(pebble(random, 0.3), 0.0)])
        .link("upper", [link(pebble(random, 0.2), 0.7)])
        .link("lower", [link(pebble(random, 0.2), 0.7)])
        .joint(JointSpec::revolute("one", "base", "upper", DVec3::Z, limits))
        .joint(JointSpec::revolute("two", "upper", "lower", DVec3::Y, limits));
    let mut checker = Checker::new(builder.build().unwrap()).unwrap();
    for number in 0..4 {
        let at = Pose::from_xyz(1.2 * random.signed(), 1.2 * random.signed(), random.signed()).unwrap();
        checker
            .scene_mut()
            .add(
                format!("stone {number}"),
                clearance_engine::tree::Mesh::<clearance_engine::tree::Bvh8>::new(pebble(random, 0.25)).unwrap(),
                at,
            )
            .unwrap();
    }
    checker
}

#[test]
fn a_budget_leaves_an_interval_around_the_distance() {
    let mut random = Random(1);
    let mut checker = checker(&mut random);
    let mut cut = 0;
    for _ in 0..60 {
        let configuration = [3.0 * random.signed(), 3.0 * random.signed()];
        let exact = checker.distance(&configuration).unwrap().expect("there are pairs");
        for steps in [0, 5, 20, 80, 100_000] {
            let request = DistanceRequest { max_steps: Some(steps), ..DistanceRequest::default() };
            let found = checker.distance_with(&configuration, &request).unwrap().expect("there are pairs");
            let case = format!("{steps} steps: {found:?}, {exact:?}");
            assert!(found.lower <= exact.upper && exact.lower <= found.upper, "{case}");
            assert!(steps < 100_000 || (found.status, found.upper) == (exact.status, exact.upper), "{case}");
            cut += usize::from(found.status == Status::Budget);
        }
    }
    assert!(cut > 60, "{cut}");
}

#[test]
fn no_near_pair_is_missing_within_a_budget() {
    let mut random = Random(2);
    let mut checker = checker(&mut random);
    let (mut cut, mut pairs) = (0, 0);
    for _ in 0..40 {
        let configuration = [3.0 * random.signed(), 3.0 * random.signed()];
        let exact = checker.near(&configuration, 0.5).unwrap();
        for steps in [0, 10, 100, 100_000] {
            let request = NearRequest { max_steps: Some(steps), ..NearRequest::within(0.5) };
            let found = checker.near_with(&configuration, &request).unwrap();
            for near in &exact {
                let same = found.iter().find(|found| (&found.a, &found.b) == (&near.a, &near.b));
                let same = same.unwrap_or_else(|| panic!("{steps} steps: {near:?} is not in {found:?}"));
                assert!(same.lower <= near.upper && near.lower <= same.upper, "{steps} steps: {same:?}, {near:?}");
                cut += usize::from(same.status == Status::Budget);
                pairs += 1;
            }
        }
    }
    assert!(cut > 40 && pairs > 200, "{cut} {pairs}");
}

#[test]
fn a_budget_never_makes_something_near_look_out_of_range() {
    let mut random = Random(8);
    let mut checker = checker(&mut random);
    let (other, mut cut, mut beyond) = (checker.clone(), 0, 0);
    for _ in 0..60 {
        let [q, p] = [0; 2].map(|_| [3.0 * random.signed(), 3.0 * random.signed()]);
        for steps in [0, 1, 3, 10, 30] {
            for max_d in [0.02, 0.1, 0.3, 1.0] {
                let request = DistanceRequest { max_d, max_steps: Some(steps), ..DistanceRequest::default() };
                let asked = [
                    (checker.distance_with(&q, &request), checker.distance(&q)),
                    (checker.self_distance_with(&q, &request), checker.self_distance(&q)),
                    (checker.scene_distance_with(&q, &request), checker.scene_distance(&q)),
                    (checker.robot_distance_with(&q, &other, &p, &request), checker.robot_distance(&q, &other, &p)),
                ];
                for (found, exact) in asked {
                    let (found, exact) = (found.unwrap(), exact.unwrap().expect("there are pairs"));
                    let Some(found) = found else {
                        assert!(exact.upper >= max_d, "{steps} steps: nothing within {max_d}, but {exact:?}");
                        beyond += 1;
                        continue;
                    };
                    assert!(found.lower <= exact.upper && exact.lower <= found.upper, "{found:?}, {exact:?}");
                    cut += usize::from(found.upper > max_d);
                }
            }
        }
    }
    assert!(cut > 20 && beyond > 20, "{cut}, {beyond}");
}
