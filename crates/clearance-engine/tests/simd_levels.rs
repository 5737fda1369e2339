//! Every SIMD level of this processor, and the scalar twin, give the answers of brute force.

mod support;

use clearance_engine::Pose;
use clearance_engine::math::{DVec3, SimdLevel};
use clearance_engine::query::{ContactsRequest, DistanceRequest};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::{BuildOptions, Mesh, Quality};
use support::{Random, brute_force, dispatcher, tolerance};

/// Asks about two triangle meshes at one pose, cold and warm, at every given level; how many
/// questions that made, and whether they collide.
fn compare_with_brute_force(seed: u64, sizes: [usize; 2], levels: &[SimdLevel]) -> (u64, bool) {
    let dispatcher = dispatcher();
    let mut random = Random(seed);
    let (scale, offset) = [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1.0, 1e6), (1e-6, 1.0)][random.below(5)];
    let ratio = [1.0, 1.0, 1e-3, 1e4][random.below(4)];
    let offset_a = random.vector() * offset;
    let (a, b) = (random.tri_mesh(sizes[0], scale, offset_a), random.tri_mesh(sizes[1], scale * ratio, DVec3::ZERO));
    let apart = [0.0, 0.5, 2.2, 5.0][random.below(4)] * scale.max(scale * ratio);
    let local = random.pose(apart);
    let pose = Pose::from_matrix(*local.rotation(), local.translation() + offset_a).unwrap();
    let truth = brute_force(&a, &b, &pose);
    let size = offset + 8.0 * scale.max(scale * ratio);
    let quality = [Quality::Fast, Quality::Default, Quality::Best][random.below(3)];
    let options = BuildOptions { quality, ..BuildOptions::default() };
    let [a, b]: [Mesh; 2] = [a, b].map(|tri_mesh| Mesh::build(tri_mesh, &options, None).unwrap());
    let plan = dispatcher.plan(&a, &b).unwrap();
    let colliding = !truth.overlapping.is_empty();
    let mut asked = 0;
    for &level in levels {
        let mut workspace = Workspace::default();
        workspace.simd_level = level;
        let mut warm_start = WarmStart::default();
        for _ in 0..2 {
            let answer =
                plan.distance(&pose, &DistanceRequest::default(), &mut workspace, Some(&mut warm_start)).unwrap();
            let label = format!("seed {seed}, {level:?}: {answer:?}, not {}", truth.upper);
            assert!((answer.upper - truth.upper).abs() <= tolerance(truth.upper, size), "{label}");
            assert!(answer.lower <= truth.upper && truth.lower <= answer.upper, "{label}");
            assert!(answer.upper - answer.lower <= tolerance(truth.upper, size), "{label}");
            assert_eq!(answer.colliding(), Some(colliding), "{label}");
            assert_eq!(plan.collide(&pose, &mut workspace, Some(&mut warm_start)).colliding, colliding, "{label}");
        }
        let contacts = plan.contacts(&pose, &ContactsRequest::default(), &mut workspace).unwrap();
        let mut pairs: Vec<_> = contacts.contacts.iter().map(|contact| (contact.leaf_a, contact.leaf_b)).collect();
        pairs.sort_unstable();
        assert_eq!(pairs, truth.overlapping, "seed {seed}, {level:?}");
        for (factor, expected) in [(0.99, false), (1.01, true)] {
            let (near, _) = plan.within(&pose, factor * truth.upper, &mut workspace).unwrap();
            assert_eq!(near, expected || colliding, "seed {seed}, {level:?}, {factor}");
        }
        let request = DistanceRequest { rel_err: 0.1, ..DistanceRequest::default() };
        let answer = plan.distance(&pose, &request, &mut workspace, None).unwrap();
        assert!(answer.lower <= truth.upper && truth.lower <= answer.upper, "seed {seed}, {level:?}: {answer:?}");
        assert!(answer.upper - answer.lower <= 0.1 * answer.upper + tolerance(truth.upper, size), "seed {seed}");
        asked += 8;
    }
    (asked, colliding)
}

#[test]
fn the_wide_tree_agrees_with_brute_force_at_every_simd_level() {
    let levels = SimdLevel::available();
    let cases = 60;
    let hits = (0..cases).filter(|seed| compare_with_brute_force(9000 + seed, [90, 70], &levels).1).count();
    assert!((6..cases as usize - 5).contains(&hits), "{hits} of {cases} collide: the test must see both");
}

/// Some minutes on two cores.
#[test]
#[ignore = "a million queries take minutes: cargo test --release -p clearance-engine --test simd_levels million -- --ignored"]
fn a_million_queries_of_the_wide_tree_agree_with_brute_force() {
    let run = |first: u64| {
        let (mut asked, mut seed) = (0, first);
        while asked < 500_000 {
            asked += compare_with_brute_force(seed, [40, 30], &[SimdLevel::Best]).0;
            seed += 1;
        }
        asked
    };
    let threads = [1_000_000, 2_000_000].map(|first| std::thread::spawn(move || run(first)));
    let asked: u64 = threads.into_iter().map(|thread| thread.join().expect("a wrong answer")).sum();
    assert!(asked >= 1_000_000, "{asked}");
}

#[test]
fn a_mesh_that_is_tiny_beside_the_other_is_where_it_is() {
    support::check_tiny_beside_a_triangle(&support::dispatcher(), |scale| {
        let mesh: Mesh = Mesh::new(Random(23).tri_mesh(40, scale, DVec3::ZERO)).unwrap();
        Box::new(mesh)
    });
}
