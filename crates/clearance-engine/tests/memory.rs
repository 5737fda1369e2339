//! The memory that a hierarchy takes, counted by the allocator.

mod support;

use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::tree::voxel_map::{Cell, VoxelMap};
use clearance_engine::tree::{Bvh8, BvhKind, Hierarchy, Mesh, Saved};
use clearance_engine::volume::{KIos, Obb};
use std::sync::Arc;
use support::Random;

/// The bytes that stay allocated for what `make` makes, and that.
fn kept<T>(make: impl FnOnce() -> T) -> (usize, T) {
    let mut made = None;
    let counted = allocation_counter::measure(|| made = Some(make()));
    (counted.bytes_current as usize, made.expect("just made"))
}

#[test]
fn the_default_hierarchy_takes_at_most_64_bytes_a_triangle() {
    for count in [20_000, 20_481, 33_000, 100_000] {
        let tri_mesh = Arc::new(Random(1).tri_mesh(count, 1.0, DVec3::ZERO));
        let (built, mesh) = kept(|| Mesh::<Bvh8>::new(tri_mesh.clone()).unwrap());
        let saved = mesh.save_hierarchy();
        let (read, _loaded) = kept(|| Mesh::<Bvh8>::from_saved(tri_mesh.clone(), &saved).unwrap());
        for (how, bytes) in [("built", built), ("read", read)] {
            let each = bytes as f64 / count as f64;
            eprintln!("{count} triangles, {how}: {each:.1} bytes each");
            assert!(each <= 64.0, "{count} triangles, {how}: {each} bytes each");
        }
    }
}

#[test]
fn the_memory_that_is_told_is_all_that_is_allocated() {
    fn check<K: BvhKind<Hierarchy: Saved>>() {
        let mut random = Random(2);
        for count in [1, 9, 1000, 5003] {
            let tri_mesh = Arc::new(random.tri_mesh(count, 1.0, DVec3::ZERO));
            let (built, mesh) = kept(|| Mesh::<K>::new(tri_mesh.clone()).unwrap());
            assert_eq!(mesh.hierarchy().memory(), built, "{mesh:?}, built");
            let saved = mesh.save_hierarchy();
            let (read, loaded) = kept(|| Mesh::<K>::from_saved(tri_mesh.clone(), &saved).unwrap());
            assert_eq!(loaded.hierarchy().memory(), read, "{mesh:?}, read");
        }
    }
    check::<Bvh8>();
    check::<Obb>();
    check::<KIos>();
}

/// As many as in `hetero`'s first iteration (147 obstacles and 2,332 unknown cells of 20 cm in
/// 6×6×1 m), scattered: in rooms they cling together.
#[test]
fn the_2479_cells_of_the_paper_take_at_most_8_bytes_each() {
    let mut random = Random(7);
    let mut cells = Vec::new();
    while cells.len() < 2479 {
        let at = IVec3::new(random.below(30) as i32 - 15, random.below(30) as i32 - 15, random.below(5) as i32);
        if !cells.contains(&at) {
            cells.push(at);
        }
    }
    let (bytes, map) = kept(|| {
        let mut map = VoxelMap::new(0.2).unwrap();
        let kind = |i: usize| if i < 147 { Cell::Obstacle } else { Cell::Unknown };
        map.set_all(cells.iter().enumerate().map(|(i, &at)| (at, kind(i)))).unwrap();
        map
    });
    eprintln!(
        "{bytes} bytes = {:.1} a cell, beside {} for the map itself",
        bytes as f64 / 2479.0,
        size_of::<VoxelMap>()
    );
    assert!(bytes <= 8 * 2479, "{bytes} bytes");
    assert_eq!(map.memory(), bytes);
}
