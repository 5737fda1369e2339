//! The dynamic voxel map against plain tables of cells, brute force and itself.

mod blocks;
mod hierarchy;
mod pairs;
mod rasters;
mod sensing;
mod snapshots;
mod views;

#[path = "../../src/random.rs"]
mod random;

use clearance_engine::math::IVec3;
use clearance_engine::tree::voxel_map::{Cell, VoxelMap, VoxelOptions};
use random::Random;

const KINDS: [Cell; 3] = [Cell::Free, Cell::Unknown, Cell::Obstacle];

fn map_with(background: Cell) -> VoxelMap {
    VoxelMap::with_options(&VoxelOptions { background, ..VoxelOptions::new(0.1) }).unwrap()
}

impl Random {
    /// A cell of a cube of that many cells along each axis, about the origin.
    fn cell(&mut self, side: i32) -> IVec3 {
        let mut index = || self.below(side as usize) as i32 - side / 2;
        IVec3::new(index(), index(), index())
    }
}

/// All cells of a cube from `-half` to `half`, the latter excluded.
fn cube(half: i32) -> impl Iterator<Item = IVec3> {
    let range = move || -half..half;
    range().flat_map(move |z| range().flat_map(move |y| range().map(move |x| IVec3::new(x, y, z))))
}
