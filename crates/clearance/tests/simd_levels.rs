//! Every SIMD level of this processor, and the scalar twin, give the answers of brute force.

mod support;

use clearance::Pose;
use clearance::descent::{PairCache, Workspace};
use clearance::math::{DVec3, SimdLevel};
use clearance::query::{ContactsRequest, DistanceRequest};
use clearance::tree::{BuildOptions, Mesh, Quality};
use support::{Random, bank, brute_force, tolerance};

#[test]
fn the_wide_tree_agrees_with_brute_force_at_every_simd_level() {
    let bank = bank();
    let mut hits = 0;
    let mut cases = 0;
    for seed in 0..60 {
        let mut random = Random(9000 + seed);
        let (scale, offset) = [(1.0, 0.0), (1e-6, 0.0), (1e6, 0.0), (1.0, 1e6), (1e-6, 1.0)][random.below(5)];
        let ratio = [1.0, 1.0, 1e-3, 1e4][random.below(4)];
        let offset_a = random.vector() * offset;
        let (a, b) = (random.soup(90, scale, offset_a), random.soup(70, scale * ratio, DVec3::ZERO));
        let apart = [0.0, 0.5, 2.2, 5.0][random.below(4)] * scale.max(scale * ratio);
        let local = random.pose(apart);
        let pose = Pose::from_matrix(*local.rotation(), local.translation() + offset_a).unwrap();
        let truth = brute_force(&a, &b, &pose);
        let size = offset + 8.0 * scale.max(scale * ratio);
        let quality = [Quality::Fast, Quality::Default, Quality::Best][random.below(3)];
        let options = BuildOptions { quality, ..BuildOptions::default() };
        let [a, b]: [Mesh; 2] = [a, b].map(|soup| Mesh::build(soup, &options, None).unwrap());
        let plan = bank.plan(&a, &b).unwrap();
        let colliding = !truth.overlapping.is_empty();
        hits += usize::from(colliding);
        cases += 1;
        for level in SimdLevel::available() {
            let mut workspace = Workspace::default();
            workspace.simd_level = level;
            let mut cache = PairCache::default();
            for _ in 0..2 {
                let answer =
                    plan.distance(&pose, &DistanceRequest::default(), &mut workspace, Some(&mut cache)).unwrap();
                let label = format!("seed {seed}, {level:?}: {answer:?}, not {}", truth.upper);
                assert!((answer.upper - truth.upper).abs() <= tolerance(truth.upper, size), "{label}");
                assert!(answer.lower <= truth.upper && truth.lower <= answer.upper, "{label}");
                assert!(answer.upper - answer.lower <= tolerance(truth.upper, size), "{label}");
                assert_eq!(answer.colliding(), Some(colliding), "{label}");
                assert_eq!(plan.collide(&pose, &mut workspace, Some(&mut cache)).colliding, colliding, "{label}");
            }
            let contacts = plan.contacts(&pose, &ContactsRequest::default(), &mut workspace).unwrap();
            let mut pairs: Vec<_> = contacts.contacts.iter().map(|contact| (contact.leaf_a, contact.leaf_b)).collect();
            pairs.sort_unstable();
            assert_eq!(pairs, truth.overlapping, "seed {seed}, {level:?}");
            for (factor, expected) in [(0.99, false), (1.01, true)] {
                let (near, _) = plan.within(&pose, factor * truth.upper, &mut workspace).unwrap();
                assert_eq!(near, expected || colliding, "seed {seed}, {level:?}, {factor}");
            }
        }
    }
    assert!(hits > 5 && hits < cases - 5, "{hits} of {cases} collide: the test must see both");
}
