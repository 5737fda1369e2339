//! Building, refitting, saving and reading back hierarchies.

mod support;

use clearance_engine::ErrorKind;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{BuildOptions, Bvh8, BvhKind, Geometry, Hierarchy, Mesh, Saved};
use clearance_engine::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, ObbSphere, Rss, Sphere, Volume};
use support::{Random, brute_force, dispatcher, tolerance};
use twox_hash::XxHash3_64;

/// Runs a generic check for every volume.
macro_rules! for_every_volume {
    ($check:ident) => {
        $check::<Bvh8>();
        $check::<Sphere>();
        $check::<Aabb>();
        $check::<Obb>();
        $check::<Rss>();
        $check::<Kdop16>();
        $check::<Kdop18>();
        $check::<Kdop24>();
        $check::<KIos>();
    };
}

#[test]
fn a_refitted_hierarchy_gives_the_distances_of_a_rebuilt_one() {
    fn check<K: BvhKind>() {
        let mut random = Random(1);
        let dispatcher = dispatcher();
        let mut workspace = Workspace::default();
        let mut mesh: Mesh<K> = Mesh::new(random.tri_mesh(120, 1.0, DVec3::ZERO)).unwrap();
        let other: Mesh<K> = Mesh::new(random.tri_mesh(80, 1.0, DVec3::ZERO)).unwrap();
        for step in 0..5 {
            let size = 10.0_f64.powi(step);
            let moved: Vec<DVec3> =
                mesh.tri_mesh().vertices().iter().map(|&v| v * size + random.vector() * 0.3).collect();
            mesh.refit(moved.clone()).unwrap();
            mesh.validate().unwrap();
            let rebuilt: Mesh<K> = Mesh::new(mesh.tri_mesh().with_vertices(moved).unwrap()).unwrap();
            for _ in 0..10 {
                let pose = random.pose(3.0 * size);
                let [refitted, rebuilt] = [&mesh, &rebuilt].map(|mesh| {
                    let plan = dispatcher.plan(mesh, &other).unwrap();
                    plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap().upper
                });
                assert!((refitted - rebuilt).abs() <= 1e-12 * size, "{}: {refitted} {rebuilt}", mesh.kind());
            }
        }
    }
    for_every_volume!(check);
}

#[test]
fn a_saved_hierarchy_comes_back_and_a_damaged_one_is_refused() {
    fn check<K: BvhKind<Hierarchy: Saved>>() {
        let mut random = Random(2);
        let tri_mesh = random.tri_mesh(90, 1.0, DVec3::ZERO);
        let mesh: Mesh<K> = Mesh::new(tri_mesh.clone()).unwrap();
        let bytes = mesh.save_hierarchy();
        let loaded: Mesh<K> = Mesh::from_saved(tri_mesh.clone(), &bytes).unwrap();
        loaded.validate().unwrap();
        assert_eq!(loaded.save_hierarchy(), bytes);
        let refused = |tri_mesh: &clearance_engine::TriMesh, bytes: &[u8]| {
            let error = Mesh::<K>::from_saved(tri_mesh.clone(), bytes).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::BadData, "{error}");
        };
        for length in 0..bytes.len() {
            if length % 97 == 0 || length < 40 {
                refused(&tri_mesh, &bytes[..length]);
            }
        }
        for _ in 0..50 {
            let mut damaged = bytes.clone();
            let at = random.below(bytes.len());
            damaged[at] ^= 1 << random.below(8);
            refused(&tri_mesh, &damaged);
        }
        refused(&random.tri_mesh(90, 1.0, DVec3::ZERO), &bytes);
    }
    for_every_volume!(check);
    let mut random = Random(3);
    let tri_mesh = random.tri_mesh(20, 1.0, DVec3::ZERO);
    let bytes = Mesh::<Obb>::new(tri_mesh.clone()).unwrap().save_hierarchy();
    let error = Mesh::<Rss>::from_saved(tri_mesh, &bytes).unwrap_err();
    assert!(error.to_string().contains("obb"), "{error}");
}

#[test]
fn every_arity_and_leaf_size_makes_a_valid_hierarchy() {
    let mut random = Random(4);
    for count in [1, 2, 3, 9, 100] {
        let tri_mesh = random.tri_mesh(count, 1.0, DVec3::ZERO);
        for arity in 2..=8 {
            for leaf in [1, 2, 8] {
                let options = BuildOptions { arity, leaf, ..Default::default() };
                let mesh = Mesh::<Aabb>::build(tri_mesh.clone(), &options, None).unwrap();
                mesh.validate().unwrap();
            }
        }
    }
    let tri_mesh = random.tri_mesh(5, 1.0, DVec3::ZERO);
    for options in [BuildOptions { arity: 1, ..Default::default() }, BuildOptions { arity: 9, ..Default::default() }] {
        assert_eq!(Mesh::<Aabb>::build(tri_mesh.clone(), &options, None).unwrap_err().kind(), ErrorKind::BadRequest);
    }
}

#[test]
fn triangles_at_one_place_do_not_stop_the_build() {
    let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let vertices: Vec<DVec3> = triangle.into_iter().cycle().take(3000).collect();
    let triangles = (0..1000).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh: Mesh<Obb> = Mesh::new(clearance_engine::TriMesh::new(vertices, triangles).unwrap()).unwrap();
    mesh.validate().unwrap();
}

#[cfg(feature = "parallel")]
#[test]
fn a_hierarchy_built_on_many_threads_is_the_same() {
    let tri_mesh = Random(5).tri_mesh(5000, 1.0, DVec3::ZERO);
    let alone: Mesh<Obb> = Mesh::new(tri_mesh.clone()).unwrap();
    let options = BuildOptions { parallel: true, ..Default::default() };
    let together = Mesh::<Obb>::build(tri_mesh, &options, None).unwrap();
    assert_eq!(alone.save_hierarchy(), together.save_hierarchy());
}

#[test]
fn reading_a_saved_hierarchy_is_faster_than_building_it() {
    let tri_mesh = Random(6).tri_mesh(20_000, 1.0, DVec3::ZERO);
    let start = std::time::Instant::now();
    let mesh: Mesh = Mesh::new(tri_mesh.clone()).unwrap();
    let built = start.elapsed();
    let bytes = mesh.save_hierarchy();
    let start = std::time::Instant::now();
    let loaded: Mesh = Mesh::from_saved(tri_mesh, &bytes).unwrap();
    let read = start.elapsed();
    assert_eq!(loaded.save_hierarchy(), bytes);
    eprintln!("20,000 triangles: built in {built:?}, read in {read:?}, {} bytes", bytes.len());
    assert!(read < built / 4, "built in {built:?}, read in {read:?}");
}

#[test]
fn a_plain_hierarchy_with_large_leaves_is_refused_as_a_wide_one() {
    let tri_mesh = Random(7).tri_mesh(100, 1.0, DVec3::ZERO);
    let options = BuildOptions { leaf: 16, ..BuildOptions::default() };
    let plain = Mesh::<ObbSphere>::build(tri_mesh.clone(), &options, None).unwrap();
    let error = Mesh::<Bvh8>::from_saved(tri_mesh, &plain.save_hierarchy()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadData, "{error}");
}

#[test]
fn what_is_accepted_as_a_wide_hierarchy_answers_and_what_is_not_is_refused() {
    let (dispatcher, mut workspace, mut refused) = (dispatcher(), Workspace::default(), 0);
    let shapes = [(12, 2, 8), (20, 4, 8), (70, 8, 8), (5, 2, 1), (9, 2, 4)];
    for (seed, (count, arity, leaf)) in (0..40).flat_map(|seed| shapes.map(|shape| (seed, shape))) {
        let tri_mesh = Random(seed).tri_mesh(count, 1.0, DVec3::ZERO);
        let options = BuildOptions { arity, leaf, ..BuildOptions::default() };
        let plain = Mesh::<ObbSphere>::build(tri_mesh.clone(), &options, None).unwrap();
        let Ok(wide) = Mesh::<Bvh8>::from_saved(tri_mesh.clone(), &plain.save_hierarchy()) else {
            refused += 1;
            continue;
        };
        let pose = Random(seed + 1000).pose(2.0);
        let plan = dispatcher.plan(&wide, &wide).unwrap();
        let found = plan.distance(&pose, &DistanceRequest::default(), &mut workspace, None).unwrap().upper;
        let truth = brute_force(&tri_mesh, &tri_mesh, &pose).upper;
        assert!((found - truth).abs() <= tolerance(truth, 4.0), "{seed} {count} {arity} {leaf}: {found} {truth}");
    }
    // Halves of unequal depth mostly, and leaves beside inner nodes.
    assert!((40..160).contains(&refused), "{refused} of 200 refused");
}

#[test]
fn a_plain_hierarchy_with_leaves_among_its_inner_nodes_is_refused_as_a_wide_one() {
    let tri_mesh = Random(7).tri_mesh(70, 1.0, DVec3::ZERO);
    let options = BuildOptions { arity: 8, leaf: 8, ..BuildOptions::default() };
    let plain = Mesh::<ObbSphere>::build(tri_mesh.clone(), &options, None).unwrap();
    let error = Mesh::<Bvh8>::from_saved(tri_mesh, &plain.save_hierarchy()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadData, "{error}");
    assert!(error.to_string().contains("come after"), "{error}");
}

/// What is wrong with a hierarchy of which some bytes were changed and the hash was made right
/// again.
fn forged<K: BvhKind<Hierarchy: Saved>>(mesh: &Mesh<K>, change: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut bytes = mesh.save_hierarchy();
    bytes.truncate(bytes.len() - 8);
    change(&mut bytes);
    let hash = XxHash3_64::oneshot(&bytes);
    bytes.extend(hash.to_le_bytes());
    let error = Mesh::<K>::from_saved(mesh.tri_mesh().clone(), &bytes).expect_err("a forged hierarchy");
    assert_eq!(error.kind(), ErrorKind::BadData, "{error}");
    error.to_string()
}

/// Where the frame begins in a saved hierarchy; its kind's name comes before. The nodes follow 36
/// bytes later.
fn frame_offset<K: BvhKind>(mesh: &Mesh<K>) -> usize {
    24 + mesh.kind().len()
}

#[test]
fn a_forged_frame_is_refused() {
    let mesh: Mesh = Mesh::new(Random(8).tri_mesh(100, 1.0, DVec3::ZERO)).unwrap();
    let frame = frame_offset(&mesh);
    for (entry, value) in [(0, f64::NAN), (1, 1e300), (2, 1e-3), (3, 0.0), (3, -1.0), (3, f64::INFINITY)] {
        let error = forged(&mesh, |bytes| bytes[frame + 8 * entry..][..8].copy_from_slice(&value.to_le_bytes()));
        assert!(error.contains("frame"), "{error}");
    }
}

#[test]
fn a_node_before_its_parent_is_refused() {
    let mesh: Mesh = Mesh::new(Random(9).tri_mesh(17, 1.0, DVec3::ZERO)).unwrap();
    assert_eq!(mesh.hierarchy().bvh().node_count(), 4);
    let nodes = frame_offset(&mesh) + 36;
    // The root a leaf, the next node its own child, with counts that only overflow can make
    // consistent.
    let words = [[0, 17, 0, 0], [0, u32::MAX, 1, 3], [u32::MAX, 1, 0, 0], [u32::MAX, 1, 0, 0]];
    let error = forged(&mesh, |bytes| {
        for (word, slot) in words.as_flattened().iter().zip(bytes[nodes..].chunks_exact_mut(4)) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
    });
    assert!(error.contains("node 1 has no parent"), "{error}");
}

#[test]
fn forged_numbers_of_volumes_are_refused() {
    fn check<K: BvhKind<Hierarchy: Saved>>() {
        let mut random = Random(10);
        let mesh: Mesh<K> = Mesh::new(random.tri_mesh(40, 1.0, DVec3::ZERO)).unwrap();
        let nodes = mesh.hierarchy().bvh().node_count();
        let floats = <<K as BvhKind>::Hierarchy as Hierarchy>::Volume::FLOATS;
        let volumes = frame_offset(&mesh) + 36 + 16 * nodes;
        for value in [f32::NAN, f32::INFINITY, -1e30, 1e30, 40.0] {
            let at = volumes + 4 * random.below(nodes * floats);
            let error = forged(&mesh, |bytes| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes()));
            assert!(error.contains("volume"), "{error}");
        }
        // A negative extent or radius; the one number that every volume but a polytope has at or
        // near its end.
        let last = volumes + 4 * (floats - if mesh.kind() == "kios" { 2 } else { 1 });
        let error = forged(&mesh, |bytes| bytes[last..last + 4].copy_from_slice(&(-3.0_f32).to_le_bytes()));
        assert!(error.contains("volume 0"), "{error}");
    }
    for_every_volume!(check);
}

#[test]
fn forged_axes_that_are_not_orthonormal_are_refused() {
    fn check<K: BvhKind<Hierarchy: Saved>>() {
        let mesh: Mesh<K> = Mesh::new(Random(11).tri_mesh(40, 1.0, DVec3::ZERO)).unwrap();
        let axes = frame_offset(&mesh) + 36 + 16 * mesh.hierarchy().bvh().node_count() + 12;
        for change in [1.0 + 1e-6, 0.0, 2.0] {
            let error = forged(&mesh, |bytes| {
                for slot in bytes[axes..axes + 12].chunks_exact_mut(4) {
                    let old = f32::from_le_bytes(slot.try_into().unwrap());
                    slot.copy_from_slice(&(old * change).to_le_bytes());
                }
            });
            assert!(error.contains("volume 0"), "{error}");
        }
    }
    check::<Bvh8>();
    check::<Obb>();
    check::<Rss>();
}

#[test]
fn a_forged_kind_is_named_in_one_short_line() {
    let mesh: Mesh = Mesh::new(Random(12).tri_mesh(100, 1.0, DVec3::ZERO)).unwrap();
    let error = forged(&mesh, |bytes| {
        bytes[12..16].copy_from_slice(&500_u32.to_le_bytes());
        bytes[16..18].copy_from_slice(b"\n\0");
    });
    assert!(error.contains("\\n\\x00"), "{error}");
    assert!(error.len() < 200 && !error.contains(char::is_control), "{error:?}");
}
