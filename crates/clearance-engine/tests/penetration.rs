//! Penetration depth of solids that are not convex, against exact oracles.

mod support;


use clearance_engine::convex::{Penetration, PenetrationRequest};
use clearance_engine::dispatch::Pair;
use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::tree::Mesh;
use clearance_engine::{Pose, TriMesh};
use support::polycubes::{PARTS, Polycube, squared_depth};
use std::sync::Arc;
use support::{Random, brute_force};

fn solid(mesh: TriMesh) -> Arc<Mesh> {
    let mesh: Mesh = Mesh::new(mesh).unwrap();
    Arc::new(mesh.into_solid().unwrap())
}

/// Whether solid meshes are apart, by all pairs of triangles and one point of each.
fn are_apart(a: &TriMesh, b: &TriMesh, pose: &Pose) -> bool {
    use clearance_engine::pair::shape::winding_number;
    let all = |mesh: &TriMesh| (0..mesh.len() as u32).map(|i| mesh.triangle(i)).collect::<Vec<_>>();
    let in_a = |p: DVec3| winding_number(p, all(a)) != 0;
    let in_b = |p: DVec3| winding_number(p, all(b)) != 0;
    brute_force(a, b, pose).overlapping.is_empty()
        && !in_a(pose.transform_point(b.vertices()[0]))
        && !in_b(pose.inverse().transform_point(a.vertices()[0]))
}

fn check_shape_of(found: &Penetration, case: &str) {
    assert!(0.0 <= found.lower && found.lower <= found.upper && found.upper.is_finite(), "{case}: {found:?}");
    assert!((found.normal.length() - 1.0).abs() < 1e-12, "{case}: {found:?}");
    let between = found.point_a - found.point_b - found.normal * found.upper;
    assert!(between.length() < (found.upper - found.lower) * 1.001 + 1e-9, "{case}: {between} {found:?}");
}

/// Random pairs of polycubes in a common frame, turned or not, some with other hierarchies.
fn polycubes_lie_in_the_interval(seed: u64, bodies: usize, cases: usize) {
    let mut random = Random(seed);
    let frames: Vec<DMat3> = (0..4).map(|i| if i == 0 { DMat3::IDENTITY } else { DMat3::from_quat(random.rotation()) }).collect();
    let pool: Vec<(Polycube, Vec<Arc<Mesh>>)> = (0..bodies)
        .map(|i| {
            let cube = Polycube::random(&mut random, [1, 2, 3, 5, 8, 20][i % 6]);
            let meshes = frames.iter().map(|frame| solid(cube.mesh(|p| *frame * p))).collect();
            (cube, meshes)
        })
        .collect();
    let (mut deep, mut apart, mut widths) = (0, 0, Vec::new());
    for case in 0..cases {
        let (a, b) = (&pool[random.below(bodies)], &pool[random.below(bodies)]);
        let frame = case % frames.len();
        let parts = [0; 3].map(|_| random.below(5 * PARTS as usize) as i64 - 5 * PARTS / 2);
        let translation = frames[frame] * DVec3::from_array(parts.map(|x| x as f64 / PARTS as f64));
        let pose = Pose::from_translation(translation).unwrap();
        let truth = (squared_depth(&a.0, &b.0, parts) as f64).sqrt() / PARTS as f64;
        let budget = [500, 5_000, 50_000][case % 3];
        let request = PenetrationRequest { rel_err: 0.005, max_steps: Some(budget), ..PenetrationRequest::default() };
        let mut pair = Pair::new(a.1[frame].clone(), b.1[frame].clone()).unwrap();
        let name = format!("seed {seed}, case {case}: {:?} {:?} {parts:?}, depth {truth}", a.0, b.0);
        let Some(found) = pair.penetration_with(pose, &request).unwrap() else {
            assert!(truth < 1e-12, "{name}");
            apart += 1;
            continue;
        };
        check_shape_of(&found, &name);
        // Rounded vertices of turned bodies move the depth by rounding; others are exact.
        let rounding = if frame == 0 { 1e-13 * truth } else { 1e-13 };
        assert!(found.lower <= truth + rounding && truth - rounding <= found.upper, "{name}: {found:?}");
        let moved = found.separated(&pose).unwrap();
        assert!(!pair.collides(moved), "{name}: {found:?}");
        if case % 8 == 0 {
            let (a, b) = (a.1[frame].tri_mesh(), b.1[frame].tri_mesh());
            assert!(are_apart(a, b, &moved), "{name}: {found:?}");
        }
        if truth > 0.0 {
            deep += 1;
            widths.push((found.upper - found.lower) / found.upper);
        }
    }
    widths.sort_by(f64::total_cmp);
    assert!(deep * 3 > cases && apart * 100 > cases, "{deep} {apart}");
    assert!(widths[widths.len() / 2] < 0.05, "median width {}", widths[widths.len() / 2]);
}

#[test]
fn polycubes_have_their_exact_depth_in_the_interval() {
    polycubes_lie_in_the_interval(1, 6, 240);
}

#[test]
#[ignore = "100,000 cases: cargo test --release -p clearance-engine --test penetration -- --ignored"]
fn very_many_polycubes_have_their_exact_depth_in_the_interval() {
    for seed in 2..102 {
        polycubes_lie_in_the_interval(seed, 6, 1000);
    }
}
