//! Octrees to voxel maps and back.

use super::{DEPTH, FREE, OCCUPIED, OctoLeaf, OctoMap};
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::Readable;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::tree::voxel_map::{Cell, Probabilities, VoxelMap, VoxelOptions, VoxelTree};

/// OctoMap's cells are numbered from here.
const ZERO: i32 = 32768;

/// What of an octree or a map goes over into the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keep {
    /// Whether a cell is an obstacle, free or unknown.
    Kinds,
    /// That and the probabilities: the odds of an obstacle, where undetermined counts half for
    /// either. A voxel map rounds them to 16 bits; a large leaf stays large in it.
    Probabilities,
}

impl OctoMap {
    /// A voxel map with the same cells. Cells of no leaf are `background`: [`Cell::Unknown`] is
    /// what OctoMap means, [`Cell::Free`] makes a map of which only obstacles are kept (with
    /// [`Keep::Kinds`]).
    pub fn to_voxel_map(&self, background: Cell, keep: Keep) -> Result<VoxelMap> {
        let broken =
            |error: clearance_engine::Error| Error::new(ErrorKind::OutOfRange, Place::Whole, error.to_string());
        let options = VoxelOptions { background, ..VoxelOptions::new(self.resolution) };
        let mut map = VoxelMap::with_options(&options).map_err(broken)?;
        for leaf in &self.leaves {
            let low = IVec3::from_array(leaf.key.map(|key| i32::from(key) - ZERO));
            let high = low + IVec3::splat(leaf.side() as i32 - 1);
            let filled = match keep {
                Keep::Kinds => map.fill(low, high, if leaf.is_occupied() { Cell::Obstacle } else { Cell::Free }),
                Keep::Probabilities => measure(&mut map, low, high, leaf.log_odds),
            };
            filled.map_err(broken)?;
        }
        Ok(map)
    }

    /// The octree of a voxel map whose origin is zero and whose cells are within 2¹⁵ of it; unknown
    /// cells are in no leaf, unless [`Keep::Probabilities`] finds that they were measured. Eight
    /// equal leaves that make up a larger one become that.
    ///
    /// ```
    /// use clearance_engine::{math::IVec3, tree::voxel_map::{Cell, VoxelMap}};
    /// use clearance_io::{Keep, OctoFormat, OctoMap, read_octomap, write_octomap};
    /// let mut map = VoxelMap::new(0.1)?;
    /// map.fill(IVec3::splat(-8), IVec3::splat(-1), Cell::Obstacle)?;
    /// let octomap = OctoMap::from_voxel_map(&map, Keep::Kinds)?;
    /// assert_eq!(octomap.leaves().len(), 1);
    /// assert_eq!(read_octomap(&write_octomap(&octomap, OctoFormat::Binary))?, octomap);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_voxel_map(map: &VoxelTree, keep: Keep) -> Result<Self> {
        if map.grid().origin() != DVec3::ZERO {
            let reason = format!("an octree begins at zero, and the map at {}", Readable(map.grid().origin()));
            return Err(Error::new(ErrorKind::Unsupported, Place::Whole, reason));
        }
        let mut leaves = Vec::new();
        for (leaf, measured) in map.contents() {
            let log_odds = match (leaf.cell, measured) {
                (_, Some(probabilities)) if keep == Keep::Probabilities => log_odds(&probabilities),
                (Cell::Unknown, _) => continue,
                (Cell::Obstacle, _) => OCCUPIED,
                (Cell::Free, _) => FREE,
            };
            let end = leaf.low.to_array().map(|index| i64::from(index) + i64::from(leaf.side));
            if leaf.low.cmplt(IVec3::splat(-ZERO)).any() || end.iter().any(|&end| end > i64::from(ZERO)) {
                let reason = format!("cell {} is not within the 2^16 cells of an octree", leaf.low);
                return Err(Error::new(ErrorKind::OutOfRange, Place::Whole, reason));
            }
            let key = leaf.low.to_array().map(|index| (index + ZERO) as u16);
            let depth = DEPTH - leaf.side.trailing_zeros() as u8;
            push_pruned(&mut leaves, OctoLeaf { key, depth, log_odds });
        }
        Ok(Self { resolution: map.grid().resolution(), leaves })
    }
}

fn measure(map: &mut VoxelMap, low: IVec3, high: IVec3, log_odds: f32) -> clearance_engine::Result<()> {
    let obstacle = 1.0 / (1.0 + (-log_odds).exp());
    map.fill_probabilities(low, high, &Probabilities::new(obstacle, 1.0 - obstacle)?)
}

fn log_odds(probabilities: &Probabilities) -> f32 {
    // What is stored in 16 bits is never surer than this.
    const SURE: f32 = 12.0;
    let half = 0.5 * probabilities.unknown();
    ((probabilities.obstacle() + half) / (probabilities.free() + half)).ln().clamp(-SURE, SURE)
}

/// Adds a leaf to those before it in Morton order; eight equal ones that make up a node become one.
fn push_pruned(leaves: &mut Vec<OctoLeaf>, leaf: OctoLeaf) {
    leaves.push(leaf);
    while let [.., first, _, _, _, _, _, _, last] = leaves.as_slice() {
        let (first, last) = (*first, *last);
        let equal = |other: &OctoLeaf| (other.depth, other.log_odds) == (last.depth, last.log_odds);
        let side = last.side();
        // The first of a node's children begins where the node does, and the eighth is one step
        // further along every axis.
        let family = (0..3).all(|axis| {
            let (from, to) = (u32::from(first.key[axis]), u32::from(last.key[axis]));
            from.is_multiple_of(2 * side) && to == from + side
        });
        if last.depth == 0 || !family || !leaves[leaves.len() - 8..].iter().all(equal) {
            return;
        }
        leaves.truncate(leaves.len() - 8);
        leaves.push(OctoLeaf { depth: last.depth - 1, ..first });
    }
}
