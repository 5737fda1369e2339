//! Every volume, order, cache and range against the oracle that looks at every pair of triangles.

mod support;

use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::{ContactsRequest, DistanceGoal, DistanceRequest, Status, traverse_trees};
use clearance_engine::traversal::{NearestFirst, Stack, WarmStart, Workspace};
use clearance_engine::tree::{BuildOptions, Mesh};
use clearance_engine::volume::Obb;
use support::{Random, all_volumes, brute_force, cut_cube, dispatcher, tolerance};

/// Sizes, offsets from the origin, and distances between the bodies' middles in units of their
/// size.
const SCALES: [(f64, f64); 6] = [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1.0, 1e6), (1e-6, 1.0), (3.7e3, 1e3)];

fn options(random: &mut Random) -> BuildOptions {
    BuildOptions { arity: 2 + random.below(7), leaf: 1 + random.below(5), ..BuildOptions::default() }
}

#[test]
fn every_volume_gives_the_distance_and_the_boolean_of_brute_force() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let mut hits = 0;
    for seed in 0..60 {
        let mut random = Random(seed);
        let (scale, offset) = SCALES[random.below(SCALES.len())];
        let offset_a = random.vector() * offset;
        let (a, b) = (random.tri_mesh(70, scale, offset_a), random.tri_mesh(50, scale, DVec3::ZERO));
        let apart = [0.0, 0.3, 2.2, 5.0][random.below(4)] * scale;
        let local = random.pose(apart);
        let pose = Pose::from_matrix(*local.rotation(), local.translation() + offset_a).unwrap();
        let truth = brute_force(&a, &b, &pose);
        let size = offset + 8.0 * scale;
        hits += usize::from(!truth.overlapping.is_empty());
        let how = options(&mut random);
        let (a, b) = (all_volumes(a, &how), all_volumes(b, &how));
        for (i, a) in a.iter().enumerate() {
            // The diagonal always, and one other volume for each.
            for j in [i, random.below(b.len())] {
                let plan = dispatcher.plan(&**a, &*b[j]).unwrap();
                let label = format!("seed {seed}, {} against {}", a.kind(), b[j].kind());
                let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
                assert!(answer.lower <= truth.upper && truth.lower <= answer.upper, "{label}: {answer:?}");
                assert!(
                    (answer.upper - truth.upper).abs() <= tolerance(truth.upper, size),
                    "{label}: {answer:?} {}",
                    truth.upper
                );
                assert!(answer.upper - answer.lower <= tolerance(truth.upper, size), "{label}: {answer:?}");
                assert_eq!(answer.colliding(), Some(!truth.overlapping.is_empty()), "{label}");
                let witness = answer.witness.unwrap();
                let realised = witness.point_a.distance(witness.point_b);
                assert!(
                    (realised - answer.upper).abs() <= tolerance(realised, size),
                    "{label}: {realised} {}",
                    answer.upper
                );
                let collision = plan.collide(&pose, &mut workspace, None);
                assert_eq!(collision.colliding, !truth.overlapping.is_empty(), "{label}");
                assert_eq!(collision.leaves.is_some(), collision.colliding, "{label}");
                if let Some(leaves) = collision.leaves {
                    assert!(truth.overlapping.contains(&leaves), "{label}: {leaves:?}");
                }
            }
        }
    }
    assert!((10..50).contains(&hits), "{hits} of 60 seeds collide: the test must see both");
}

#[test]
fn contacts_are_all_overlapping_pairs_and_the_margin_adds_all_near_ones() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    for seed in 0..20 {
        let mut random = Random(1000 + seed);
        let (a, b) = (random.tri_mesh(60, 1.0, DVec3::ZERO), random.tri_mesh(50, 1.0, DVec3::ZERO));
        let pose = random.pose(0.3);
        let truth = brute_force(&a, &b, &pose);
        let margin = 0.05;
        let mut near = Vec::new();
        for i in 0..a.len() as u32 {
            for j in 0..b.len() as u32 {
                use clearance_engine::pair::shape::Proximity;
                let closest = a.triangle(i).closest_below(&b.triangle(j).transformed(&pose), f64::INFINITY).unwrap();
                if closest.upper <= margin {
                    near.push((i, j));
                }
            }
        }
        let how = options(&mut random);
        for (a, b) in all_volumes(a, &how).iter().zip(&all_volumes(b, &how)) {
            let plan = dispatcher.plan(&**a, &**b).unwrap();
            let pairs = |request: &ContactsRequest, workspace: &mut Workspace| {
                let answer = plan.contacts(&pose, request, workspace).unwrap();
                let mut pairs: Vec<_> =
                    answer.contacts.iter().map(|contact| (contact.leaf_a, contact.leaf_b)).collect();
                pairs.sort_unstable();
                for contact in &answer.contacts {
                    assert!((contact.normal.length() - 1.0).abs() < 1e-9 && !contact.points.is_empty());
                    assert!(contact.points.iter().all(|point| point.is_finite()));
                }
                pairs
            };
            assert_eq!(
                pairs(&ContactsRequest::default(), &mut workspace),
                truth.overlapping,
                "seed {seed}, {}",
                a.kind()
            );
            assert_eq!(pairs(&ContactsRequest { margin, ..Default::default() }, &mut workspace), near, "seed {seed}");
            let few = ContactsRequest { max_contacts: 3, ..Default::default() };
            let cut = plan.contacts(&pose, &few, &mut workspace).unwrap();
            assert_eq!(cut.contacts.len(), truth.overlapping.len().min(3));
            assert_eq!(cut.truncated, truth.overlapping.len() > 3);
        }
    }
}

#[test]
fn the_range_and_the_tolerances_are_obeyed() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    for seed in 0..40 {
        let mut random = Random(2000 + seed);
        let (a, b) = (random.tri_mesh(80, 1.0, DVec3::ZERO), random.tri_mesh(80, 1.0, DVec3::ZERO));
        let apart = [1.5, 2.5, 4.0][random.below(3)];
        let pose = random.pose(apart);
        let exact = brute_force(&a, &b, &pose);
        let d = exact.upper;
        let how = options(&mut random);
        for (a, b) in all_volumes(a, &how).iter().zip(&all_volumes(b, &how)) {
            let plan = dispatcher.plan(&**a, &**b).unwrap();
            let mut ask = |request: DistanceRequest| plan.distance(&pose, &request, &mut workspace, None).unwrap();
            for (rel_err, abs_err) in [(0.1, 0.0), (0.5, 0.0), (0.0, 0.2), (0.05, 0.01)] {
                let answer = ask(DistanceRequest { rel_err, abs_err, ..Default::default() });
                assert!(answer.lower <= d + 1e-12 && d <= answer.upper + 1e-12, "{answer:?} {d}");
                assert!(answer.upper - answer.lower <= abs_err.max(rel_err * answer.upper) + 1e-12, "{answer:?}");
                assert!(d == 0.0 || answer.status == Status::Tolerance);
            }
            if d > 0.0 {
                let beyond = ask(DistanceRequest { max_d: 0.9 * d, ..Default::default() });
                assert_eq!((beyond.status, beyond.witness), (Status::BeyondMax, None));
                assert!(beyond.lower >= 0.9 * d && beyond.colliding() == Some(false));
                let inside = ask(DistanceRequest { max_d: 1.1 * d, ..Default::default() });
                assert!((inside.upper - d).abs() <= 1e-9 * d && inside.status == Status::Exact);
                let near = ask(DistanceRequest { min_d: 1.1 * d, ..Default::default() });
                assert!(near.status == Status::BelowMin && near.upper <= 1.1 * d && near.lower <= d, "{near:?} {d}");
                let far = ask(DistanceRequest { min_d: 0.9 * d, ..Default::default() });
                assert!((far.upper - d).abs() <= 1e-9 * d && far.status == Status::Exact);
                for (limit, expected) in [(0.99 * d, false), (1.01 * d, true), (3.0 * d, true), (0.0, false)] {
                    assert_eq!(plan.within(&pose, limit, &mut workspace).unwrap().0, expected);
                }
            } else {
                assert!(plan.within(&pose, 0.0, &mut workspace).unwrap().0);
            }
        }
    }
}

#[test]
fn swapping_the_bodies_and_moving_both_changes_no_answer() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    for seed in 0..30 {
        let mut random = Random(3000 + seed);
        let (a, b) = (random.tri_mesh(50, 1.0, DVec3::ZERO), random.tri_mesh(50, 1.0, DVec3::ZERO));
        let pose = random.pose(2.0);
        let common = random.pose(3.0);
        let moved_a = a.with_vertices(a.vertices().iter().map(|&v| common.transform_point(v)).collect()).unwrap();
        let [a, b, moved_a]: [Mesh<Obb>; 3] = [a, b, moved_a].map(|tri_mesh| Mesh::new(tri_mesh).unwrap());
        let request = DistanceRequest::default();
        let forward = dispatcher.plan(&a, &b).unwrap().distance(&pose, &request, &mut workspace, None).unwrap();
        let backward =
            dispatcher.plan(&b, &a).unwrap().distance(&pose.inverse(), &request, &mut workspace, None).unwrap();
        let moved = dispatcher
            .plan(&moved_a, &b)
            .unwrap()
            .distance(&common.then(&pose), &request, &mut workspace, None)
            .unwrap();
        for other in [backward, moved] {
            assert!((forward.upper - other.upper).abs() < 1e-11, "{forward:?} {other:?}");
            assert_eq!(forward.colliding(), other.colliding());
        }
    }
}

#[test]
fn a_cache_changes_no_answer_along_a_coherent_path() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    for seed in 0..6 {
        let mut random = Random(4000 + seed);
        let (a, b) = (random.tri_mesh(150, 1.0, DVec3::ZERO), random.tri_mesh(150, 1.0, DVec3::ZERO));
        let start = random.pose(0.0);
        let direction = random.vector();
        let how = options(&mut random);
        for (a, b) in all_volumes(a, &how).iter().zip(&all_volumes(b, &how)) {
            let plan = dispatcher.plan(&**a, &**b).unwrap();
            let (mut warm_start, mut collide_warm_start) = (WarmStart::default(), WarmStart::default());
            for step in 0..40 {
                let pose = Pose::from_matrix(*start.rotation(), direction * (4.0 - 0.15 * f64::from(step))).unwrap();
                let request = DistanceRequest::default();
                let cold = plan.distance(&pose, &request, &mut workspace, None).unwrap();
                let warm = plan.distance(&pose, &request, &mut workspace, Some(&mut warm_start)).unwrap();
                assert!((cold.upper - warm.upper).abs() <= 1e-12 * cold.upper, "{cold:?} {warm:?}");
                assert_eq!(cold.colliding(), warm.colliding());
                let cold = plan.collide(&pose, &mut workspace, None);
                let warm = plan.collide(&pose, &mut workspace, Some(&mut collide_warm_start));
                assert_eq!(cold.colliding, warm.colliding, "{} step {step}", a.kind());
            }
        }
    }
}

#[test]
fn a_cache_of_an_unrelated_pose_does_not_spoil_a_search_with_a_tolerance() {
    let dispatcher = dispatcher();
    let (mut workspace, mut warm_start, mut random) = (Workspace::default(), WarmStart::default(), Random(5100));
    let sphere = cut_cube(30, |vertex| vertex.normalize());
    let (a, b): (Mesh, Mesh) = (Mesh::new(sphere.clone()).unwrap(), Mesh::new(sphere).unwrap());
    let plan = dispatcher.plan(&a, &b).unwrap();
    let request = DistanceRequest { rel_err: 0.1, ..DistanceRequest::default() };
    let (mut opened_cold, mut opened_warm) = (0, 0);
    for _ in 0..50 {
        let pose = random.pose(4.0);
        let exact = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap().upper;
        let cold = plan.distance(&pose, &request, &mut workspace, None).unwrap();
        let warm = plan.distance(&pose, &request, &mut workspace, Some(&mut warm_start)).unwrap();
        for answer in [&cold, &warm] {
            assert!(answer.lower <= exact && exact <= answer.upper, "{answer:?} {exact}");
            assert!(answer.upper - answer.lower <= 0.1 * answer.upper + tolerance(answer.upper, 4.0), "{answer:?}");
        }
        opened_cold += cold.stats.opened;
        opened_warm += warm.stats.opened;
    }
    assert!(opened_warm < 2 * opened_cold, "{opened_warm} nodes opened with a cache, {opened_cold} without");
}

#[test]
fn bodies_in_spheres_that_are_apart_are_not_opened_and_those_in_spheres_that_touch_are() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let sphere = cut_cube(8, |vertex| vertex.normalize());
    let (a, b): (Mesh, Mesh) = (Mesh::new(sphere.clone()).unwrap(), Mesh::new(sphere).unwrap());
    let plan = dispatcher.plan(&a, &b).unwrap();
    // The spheres meet along x, where both have a vertex.
    for (x, opened, max_d) in
        [(1.999, true, 0.0), (2.0, true, 0.0), (2.001, false, 0.0), (2.5, false, 0.4), (2.5, true, 0.6)]
    {
        let pose = Pose::new(DQuat::IDENTITY, DVec3::X * x).unwrap();
        let request = DistanceRequest { max_d, ..DistanceRequest::default() };
        let distance = plan.distance(&pose, &request, &mut workspace, None).unwrap();
        assert_eq!(distance.stats.opened > 0, opened, "{x} {max_d}: {distance:?}");
        assert_eq!(distance.status == Status::BeyondMax, !opened, "{x} {max_d}: {distance:?}");
        assert!(distance.lower <= (x - 2.0).max(0.0) && distance.lower >= (x - 2.0).clamp(0.0, max_d) - 1e-12);
        let collision = plan.collide(&pose, &mut workspace, None);
        assert_eq!((collision.colliding, collision.stats.opened > 0), (x <= 2.0, x <= 2.0), "{x}: {collision:?}");
    }
}

#[test]
fn a_cache_of_another_revision_is_ignored() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let mut random = Random(5000);
    let mut a: Mesh<Obb> = Mesh::new(random.tri_mesh(200, 1.0, DVec3::ZERO)).unwrap();
    let b: Mesh<Obb> = Mesh::new(random.tri_mesh(200, 1.0, DVec3::ZERO)).unwrap();
    let pose = random.pose(4.0);
    let mut warm_start = WarmStart::default();
    assert!(!dispatcher.plan(&a, &b).unwrap().collide(&pose, &mut workspace, Some(&mut warm_start)).colliding);
    // The front of the last query says that everything is apart; A now moves onto B.
    let moved = a.tri_mesh().vertices().iter().map(|&v| v + pose.translation()).collect();
    a.refit(moved).unwrap();
    let plan = dispatcher.plan(&a, &b).unwrap();
    let cold = plan.collide(&pose, &mut workspace, None);
    assert!(cold.colliding);
    assert!(plan.collide(&pose, &mut workspace, Some(&mut warm_start)).colliding);
}

#[test]
fn every_order_finds_the_same_distance() {
    let mut workspace = Workspace::default();
    for seed in 0..10 {
        let mut random = Random(6000 + seed);
        let (a, b) = (random.tri_mesh(100, 1.0, DVec3::ZERO), random.tri_mesh(100, 1.0, DVec3::ZERO));
        let pose = random.pose(2.5);
        let truth = brute_force(&a, &b, &pose).upper;
        let (a, b): (Mesh<Obb>, Mesh<Obb>) = (Mesh::new(a).unwrap(), Mesh::new(b).unwrap());
        let request = DistanceRequest::default();
        let mut nearest = DistanceGoal::<NearestFirst>::new(&request);
        traverse_trees(&a, &b, &pose, &mut nearest, &mut workspace, None);
        let mut stack = DistanceGoal::<Stack>::new(&request);
        traverse_trees(&a, &b, &pose, &mut stack, &mut workspace, None);
        let mut best = <DistanceGoal>::new(&request);
        traverse_trees(&a, &b, &pose, &mut best, &mut workspace, None);
        for answer in [nearest.finish(), stack.finish(), best.finish()] {
            assert!((answer.upper - truth).abs() <= 1e-12, "{answer:?} {truth}");
        }
    }
}

#[test]
fn bodies_extremely_far_apart_have_a_finite_certified_distance() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    let mut random = Random(7000);
    for exponent in [5, 7, 9, 10, 12, 16, 19, 20, 25, 30, 50] {
        for (size, ratio) in [(1.0, 1.0), (1e-6, 1.0), (1e3, 1e-6), (1e-9, 1e9)] {
            let (a, b) = (random.tri_mesh(40, size, DVec3::ZERO), random.tri_mesh(40, size * ratio, DVec3::ZERO));
            let far = 10.0_f64.powi(exponent) * size * ratio.max(1.0);
            let pose = random.pose(far);
            let truth = brute_force(&a, &b, &pose).upper;
            let how = options(&mut random);
            for (a, b) in all_volumes(a, &how).iter().zip(&all_volumes(b, &how)) {
                let plan = dispatcher.plan(&**a, &**b).unwrap();
                let label = format!("{} of {size:e} and {ratio:e} times that, 1e{exponent} apart", a.kind());
                for request in [DistanceRequest::default(), DistanceRequest { rel_err: 0.1, ..Default::default() }] {
                    let answer = plan.distance(&pose, &request, &mut workspace, None).unwrap();
                    assert!(answer.lower <= truth && answer.lower >= (1.0 - request.rel_err - 1e-9) * truth, "{label}");
                    assert!(answer.upper >= truth && answer.upper <= (1.0 + 1e-3) * truth, "{label}: {answer:?}");
                    assert!(request.rel_err > 0.0 || answer.upper <= (1.0 + 1e-9) * truth, "{label}: {answer:?}");
                    let witness = answer.witness.unwrap();
                    assert!(witness.point_a.is_finite() && witness.point_b.is_finite(), "{label}: {answer:?}");
                }
                assert!(!plan.collide(&pose, &mut workspace, None).colliding, "{label}");
                assert!(!plan.within(&pose, 0.99 * far, &mut workspace).unwrap().0, "{label}");
                assert!(plan.within(&pose, 1.01 * far, &mut workspace).unwrap().0, "{label}");
            }
        }
    }
}

#[test]
fn bodies_of_extremely_different_sizes_collide_where_brute_force_says_so() {
    let dispatcher = dispatcher();
    let mut workspace = Workspace::default();
    for exponent in -14..=14 {
        let mut random = Random(8000);
        let mut hits = 0;
        for case in 0..30 {
            let ratio = 10.0_f64.powi(exponent);
            let (small, large) = (ratio.min(1.0), ratio.max(1.0));
            let (a, b) = (random.tri_mesh(40, 1.0, DVec3::ZERO), random.tri_mesh(40, ratio, DVec3::ZERO));
            // A vertex of one on a vertex of the other, or a little off.
            let turn = random.rotation();
            let (vertex_a, vertex_b) = (a.vertices()[3 * (case % 40)], b.vertices()[3 * (case % 40)]);
            let pose = Pose::new(turn, vertex_a - turn * vertex_b + random.vector() * 0.3 * small).unwrap();
            let truth = brute_force(&a, &b, &pose);
            hits += usize::from(!truth.overlapping.is_empty());
            let [a, b]: [Mesh; 2] = [a, b].map(|tri_mesh| Mesh::new(tri_mesh).unwrap());
            let plan = dispatcher.plan(&a, &b).unwrap();
            let label = format!("case {case}, ratio 1e{exponent}");
            let colliding = plan.collide(&pose, &mut workspace, None).colliding;
            assert_eq!(colliding, !truth.overlapping.is_empty(), "{label}");
            let answer = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap();
            assert!((answer.upper - truth.upper).abs() <= tolerance(truth.upper, 8.0 * large), "{label}: {answer:?}");
            assert!(answer.lower <= truth.upper && truth.lower <= answer.upper, "{label}: {answer:?}");
        }
        assert!((1..30).contains(&hits), "{hits} of 30 collide at 1e{exponent}: the test must see both");
    }
}

#[test]
fn nothing_is_called_beyond_a_distance_that_it_is_perhaps_nearer_than() {
    let dispatcher = dispatcher();
    let tri_mesh = || clearance_engine::TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
    let [a, b]: [Mesh; 2] = [tri_mesh(), tri_mesh()].map(|tri_mesh| Mesh::new(tri_mesh).unwrap());
    let (plan, mut workspace) = (dispatcher.plan(&a, &b).unwrap(), Workspace::default());
    // One apart, and known up to rounding only.
    let pose = Pose::from_translation(DVec3::Z).unwrap();
    let mut ask = |max_d: f64| {
        plan.distance(&pose, &DistanceRequest { max_d, ..Default::default() }, &mut workspace, None).unwrap()
    };
    let known = ask(f64::INFINITY);
    assert!(known.lower < 1.0 && known.upper > 1.0, "{known:?}");
    let steps = (0..=20).map(|i| known.lower + (known.upper - known.lower) * f64::from(i) / 20.0);
    for max_d in steps.chain([0.5, 2.0, 1.0_f64.next_up()]) {
        let answer = ask(max_d);
        assert!(answer.lower <= 1.0, "{max_d}: {answer:?}");
        assert!(answer.status != Status::BeyondMax || answer.lower == max_d && answer.witness.is_none(), "{answer:?}");
    }
}
