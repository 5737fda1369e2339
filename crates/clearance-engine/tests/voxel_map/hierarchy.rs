//! The hierarchy depends on the cells alone.

use crate::random::Random;
use crate::{KINDS, cube, map_with};
use clearance_engine::ErrorKind;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::tree::Tree;
use clearance_engine::tree::voxel_map::{Cell, Cells, Probabilities, VoxelMap, VoxelOptions};
use std::collections::HashMap;

/// The same cells, set once each, in another order.
fn built_afresh(cells: &HashMap<IVec3, Cell>, background: Cell) -> VoxelMap {
    let mut map = map_with(background);
    let mut sorted: Vec<(IVec3, Cell)> = cells.iter().map(|(&at, &cell)| (at, cell)).collect();
    sorted.sort_by_key(|(at, _)| (at.z, at.x, at.y));
    map.set_all(sorted).unwrap();
    map
}

#[test]
fn a_million_random_insertions_and_removals_leave_the_hierarchy_of_a_map_built_afresh() {
    for (seed, background) in [(1, Cell::Free), (2, Cell::Unknown)] {
        let mut random = Random(seed);
        let mut map = map_with(background);
        let mut cells = HashMap::new();
        for i in 0..500_000 {
            // A small cube, so that bricks and larger blocks become full and empty; and a few far
            // away.
            let at = if i % 50 == 0 { random.cell(1_000_000) } else { random.cell(20) };
            // Long stretches with one favourite make blocks of it.
            let cell = if random.below(100) < 97 { KINDS[i / 40_000 % 3] } else { KINDS[random.below(3)] };
            map.set(at, cell).unwrap();
            cells.insert(at, cell);
            if i % 100_000 == 0 {
                map.check().unwrap();
            }
        }
        map.check().unwrap();
        for (&at, &cell) in &cells {
            assert_eq!(map.cell(at), cell);
        }
        let afresh = built_afresh(&cells, background);
        assert!(*map == *afresh, "background {background:?}");
        for at in cells.keys() {
            map.remove(*at).unwrap();
        }
        map.check().unwrap();
        assert!(map.is_empty() && map.node_counts() == [0; 3]);
    }
}

#[test]
fn filled_boxes_are_the_same_as_their_cells_one_by_one() {
    let mut random = Random(5);
    for background in [Cell::Free, Cell::Unknown] {
        let mut filled = map_with(background);
        let mut one_by_one = map_with(background);
        for round in 0..60 {
            let (a, b) = (random.cell(50), random.cell(50));
            let (low, high) = (a.min(b), a.max(b));
            let cell = KINDS[round % 3];
            filled.fill(low, high, cell).unwrap();
            for z in low.z..=high.z {
                for y in low.y..=high.y {
                    one_by_one.set_all((low.x..=high.x).map(|x| (IVec3::new(x, y, z), cell))).unwrap();
                }
            }
            filled.check().unwrap();
            assert!(*filled == *one_by_one, "round {round}");
        }
    }
}

#[test]
fn large_full_blocks_take_a_few_nodes_and_all_cells_there_are_can_be_filled() {
    let mut map = map_with(Cell::Free);
    map.fill(IVec3::splat(-1024), IVec3::splat(1023), Cell::Obstacle).unwrap();
    assert_eq!(map.view(Cells::OBSTACLE).unwrap().count(), 1 << 33);
    assert!(map.node_counts()[1] < 20, "{:?}", map.node_counts());
    map.fill(IVec3::MIN, IVec3::MAX, Cell::Unknown).unwrap();
    assert_eq!(map.view(Cells::UNKNOWN).unwrap().count(), 1 << 96);
    assert_eq!(map.view(Cells::UNKNOWN).unwrap().extent(), Some((IVec3::MIN, IVec3::MAX)));
    let view = map.view(Cells::UNKNOWN).unwrap();
    assert!(view.leaf(view.root()).is_none(), "no number has room for its side");
    assert!((0..8).all(|lane| view.leaf(view.child(view.root(), lane)).is_some_and(|leaf| leaf.side == 1 << 31)));
    map.check().unwrap();
    map.set(IVec3::ZERO, Cell::Free).unwrap();
    assert_eq!(map.view(Cells::UNKNOWN).unwrap().count(), (1 << 96) - 1);
    map.check().unwrap();
    map.fill(IVec3::MIN, IVec3::MAX, Cell::Free).unwrap();
    assert!(map.is_empty());
    map.check().unwrap();
}

#[test]
fn a_cell_set_within_the_only_block_leaves_no_level_with_one_child() {
    for level in 1..5 {
        let side = 1 << (2 * level);
        let mut map = map_with(Cell::Free);
        map.fill(IVec3::ZERO, IVec3::splat(side - 1), Cell::Obstacle).unwrap();
        map.set(IVec3::splat(side / 2), Cell::Free).unwrap();
        map.check().unwrap();
        map.fill(IVec3::ZERO, IVec3::splat(side / 4 - 1), Cell::Free).unwrap();
        map.check().unwrap();
        map.fill(IVec3::ZERO, IVec3::splat(side - 1), Cell::Obstacle).unwrap();
        map.check().unwrap();
        assert_eq!(map.node_counts(), [0, 1, 0]);
    }
}

#[test]
fn cells_at_the_ends_of_the_index_range_are_like_others() {
    let mut map = map_with(Cell::Free);
    for at in [IVec3::MIN, IVec3::MAX, IVec3::new(i32::MIN, 0, i32::MAX), IVec3::ZERO, IVec3::NEG_ONE] {
        map.set(at, Cell::Obstacle).unwrap();
        assert_eq!(map.cell(at), Cell::Obstacle);
        map.check().unwrap();
    }
    assert_eq!(map.view(Cells::OBSTACLE).unwrap().count(), 5);
    assert_eq!(map.set_at(DVec3::X * 1e9, Cell::Obstacle).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert_eq!(map.set_at(DVec3::Y * f64::NAN, Cell::Obstacle).unwrap_err().kind(), ErrorKind::NotFinite);
    assert_eq!(map.fill(IVec3::ONE, IVec3::ZERO, Cell::Free).unwrap_err().kind(), ErrorKind::BadRequest);
}

#[test]
fn probabilities_are_kept_until_a_cell_is_set_and_vanish_with_it() {
    let mut random = Random(8);
    for background in [Cell::Free, Cell::Unknown] {
        let mut map = map_with(background);
        let mut expected = HashMap::new();
        for _ in 0..40_000 {
            let at = random.cell(12);
            if random.below(3) == 0 {
                let cell = KINDS[random.below(3)];
                map.set(at, cell).unwrap();
                expected.insert(at, Probabilities::certain(cell));
            } else {
                let obstacle = random.unit() as f32;
                let free = random.unit() as f32 * (1.0 - obstacle);
                let probabilities = Probabilities::new(obstacle, free).unwrap();
                map.set_probabilities(at, &probabilities).unwrap();
                expected.insert(at, probabilities);
            }
        }
        map.check().unwrap();
        for (&at, expected) in &expected {
            let found = map.probabilities(at);
            assert!(
                (found.obstacle() - expected.obstacle()).abs() < 1e-5 && (found.free() - expected.free()).abs() < 1e-5
            );
            assert_eq!(map.cell(at), map.thresholds().classify(expected));
        }
        let mut again = map_with(background);
        for (leaf, measured) in map.contents() {
            let high = leaf.low + IVec3::splat(leaf.side as i32 - 1);
            match measured {
                Some(probabilities) => again.fill_probabilities(leaf.low, high, &probabilities).unwrap(),
                None => again.fill(leaf.low, high, leaf.cell).unwrap(),
            }
        }
        assert!(*again == *map, "a map made of another's contents");
        for at in cube(6) {
            map.remove(at).unwrap();
        }
        map.check().unwrap();
        assert!(map.is_empty() && map.node_counts() == [0; 3]);
    }
}

#[test]
fn revisions_change_with_the_cells_and_only_then() {
    let mut map = map_with(Cell::Free);
    let empty = map.revision();
    map.set(IVec3::ZERO, Cell::Obstacle).unwrap();
    let one = map.revision();
    assert_ne!(empty, one);
    let snapshot = map.snapshot();
    map.set(IVec3::ZERO, Cell::Obstacle).unwrap();
    assert_eq!((map.revision(), snapshot.revision()), (one, one));
    map.set(IVec3::ONE, Cell::Unknown).unwrap();
    assert_ne!(map.revision(), one);
    assert_eq!(snapshot.revision(), one);
    let two = map.revision();
    map.set_probabilities(IVec3::ZERO, &Probabilities::certain(Cell::Obstacle)).unwrap();
    assert_ne!(map.revision(), two);
    let three = map.revision();
    map.clear();
    assert_ne!(map.revision(), three);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let mut options = VoxelOptions::new(0.1);
    options.thresholds.free = 0.0;
    assert_eq!(VoxelMap::with_options(&options).unwrap_err().kind(), ErrorKind::BadRequest);
    assert_eq!(VoxelMap::new(f64::NAN).unwrap_err().kind(), ErrorKind::NotFinite);
    assert!(VoxelMap::new(-1.0).is_err());
}
