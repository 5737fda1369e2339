//! Views walk exactly the chosen cells, under boxes that contain them.

use crate::random::Random;
use crate::{KINDS, cube, map_with};
use clearance_engine::ErrorKind;
use clearance_engine::math::IVec3;
use clearance_engine::tree::voxel_map::{Cell, Cells, Probabilities, VoxelMap, VoxelView};
use clearance_engine::tree::{MAX_CHILDREN, Node, Tree};
use std::collections::HashMap;

fn random_map(seed: u64) -> VoxelMap {
    let mut random = Random(seed);
    let mut map = map_with(Cell::Free);
    for round in 0..30 {
        let (a, b) = (random.cell(40), random.cell(40));
        map.fill(a.min(b), a.max(b), KINDS[round % 3]).unwrap();
    }
    for _ in 0..5000 {
        map.set(random.cell(60), KINDS[random.below(3)]).unwrap();
        let (obstacle, free) = (random.unit() as f32 / 2.0, random.unit() as f32 / 2.0);
        map.set_probabilities(random.cell(12), &Probabilities::new(obstacle, free).unwrap()).unwrap();
    }
    map
}

/// Visits everything below a node; the cells of leaves go into `cells`.
fn walk(view: &VoxelView<'_>, node: Node, cells: &mut HashMap<IVec3, Cell>) {
    let (low, high) = view.ends(node);
    let size = (high - low).max_element();
    assert!((f64::from(view.size(node)) - size).abs() <= 1e-6 * size);
    if view.is_leaf(node) {
        let leaf = view.leaf(node).unwrap();
        let grid = view.tree().grid();
        let first = leaf.low.to_array().map(i64::from);
        assert_eq!(low, grid.low_end(first));
        assert_eq!(high, grid.low_end(first.map(|index| index + i64::from(leaf.side))));
        for z in 0..leaf.side as i32 {
            for y in 0..leaf.side as i32 {
                for x in 0..leaf.side as i32 {
                    assert_eq!(cells.insert(leaf.low + IVec3::new(x, y, z), leaf.cell), None, "a cell in two leaves");
                }
            }
        }
        return;
    }
    assert!(view.leaf(node).is_none());
    let children = view.open(node);
    assert!((1..=MAX_CHILDREN).contains(&children.nodes.len()));
    for (lane, (&child, space)) in children.nodes.iter().zip(&children.boxes).enumerate() {
        assert_eq!(view.child(node, lane), child);
        let (child_low, child_high) = view.ends(child);
        assert!(low.cmple(child_low).all() && child_high.cmple(high).all(), "a child leaves its parent");
        assert!(
            (space.center - space.half).cmple(child_low).all() && child_high.cmple(space.center + space.half).all()
        );
        walk(view, child, cells);
    }
}

#[test]
fn a_view_reaches_each_chosen_cell_once_and_no_other() {
    for seed in 0..3 {
        let map = random_map(seed);
        for cells in [Cells::OBSTACLE, Cells::UNKNOWN, Cells::NOT_FREE] {
            let view = map.view(cells).unwrap();
            let mut reached = HashMap::new();
            walk(&view, view.root(), &mut reached);
            for at in cube(35) {
                let cell = map.cell(at);
                assert_eq!(reached.get(&at).copied(), cells.contains(cell).then_some(cell), "{at}");
            }
            assert_eq!(view.count(), reached.len() as u128);
            let low = reached.keys().fold(IVec3::MAX, |low, &at| low.min(at));
            let high = reached.keys().fold(IVec3::MIN, |high, &at| high.max(at));
            assert_eq!(view.extent(), Some((low, high)));
            let listed: u128 = view.leaves().map(|leaf| u128::from(leaf.side).pow(3)).sum();
            assert_eq!(listed, reached.len() as u128);
            for leaf in view.leaves() {
                assert_eq!(reached.get(&leaf.low), Some(&leaf.cell));
            }
        }
    }
}

#[test]
fn the_order_of_leaves_does_not_depend_on_history() {
    let map = random_map(9);
    let mut again = map_with(Cell::Free);
    let mut contents: Vec<_> = map.contents().collect();
    contents.reverse();
    for (leaf, measured) in contents {
        match measured {
            Some(probabilities) => again.set_probabilities(leaf.low, &probabilities).unwrap(),
            None => again.fill(leaf.low, leaf.low + IVec3::splat(leaf.side as i32 - 1), leaf.cell).unwrap(),
        }
    }
    let view = |map: &VoxelMap| map.view(Cells::NOT_FREE).unwrap().leaves().collect::<Vec<_>>();
    assert_eq!(view(&map), view(&again));
}

#[test]
fn a_view_without_cells_is_empty_and_the_background_cannot_be_viewed() {
    let mut map = map_with(Cell::Unknown);
    assert_eq!(map.view(Cells::UNKNOWN).unwrap_err().kind(), ErrorKind::BadRequest);
    let view = map.view(Cells::OBSTACLE).unwrap();
    assert!(view.is_empty() && view.open(view.root()).nodes.is_empty() && !view.is_leaf(view.root()));
    assert_eq!((view.count(), view.extent()), (0, None));
    map.set(IVec3::ONE, Cell::Free).unwrap();
    assert!(map.view(Cells::OBSTACLE).unwrap().is_empty());
    map.set(IVec3::ONE, Cell::Obstacle).unwrap();
    let view = map.view(Cells::OBSTACLE).unwrap();
    assert_eq!(view.extent(), Some((IVec3::ONE, IVec3::ONE)));
}
