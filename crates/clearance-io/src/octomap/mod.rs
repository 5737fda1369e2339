//! OctoMap's files: `.bt` (which leaves are occupied and which are free) and `.ot` (the log-odds of
//! every leaf).
//!
//! Source: Hornung et al., "OctoMap: an efficient probabilistic 3D mapping framework based on
//! octrees", 2013, and the files themselves. Both begin with lines of text (`id OcTree`, `size`,
//! `res`, `data`); the nodes follow, each before its children, children in the order x + 2y + 4z:
//! * `.bt`: two bytes for a node with children, two bits for each child from the lowest on: 0
//!   unknown, 1 a free leaf, 2 an occupied one, 3 a node with children;
//! * `.ot`: the log-odds as a little-endian `f32`, then a byte whose bits say which children there
//!   are.
//!
//! Cost: one pass; memory in proportion to the file.

mod convert;
mod read;
mod write;

pub use convert::Keep;

use crate::{Error, Result};
use clearance_engine::math::DVec3;
use std::path::Path;

/// The levels of an octree below its root; a leaf of this depth is one cell.
pub(crate) const DEPTH: u8 = 16;
/// The log-odds that stand for an occupied leaf without any: OctoMap's upper limit.
const OCCUPIED: f32 = 3.5;
/// The same for a free one: OctoMap's lower limit.
const FREE: f32 = -2.0;

/// Which of the two formats is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OctoFormat {
    /// `.bt`: occupied, free or unknown.
    Binary,
    /// `.ot`: log-odds.
    Full,
}

/// A leaf of an octree: a cube of cells with one value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OctoLeaf {
    /// Its first cell along every axis; cell 32768 begins at the origin.
    pub key: [u16; 3],
    /// How many levels it is below the root, 0 to 16: it has 2^(16 − depth) cells along every axis.
    pub depth: u8,
    /// The logarithm of the odds that it is occupied; not negative means occupied.
    pub log_odds: f32,
}

impl OctoLeaf {
    /// Whether it is occupied; free otherwise.
    pub fn is_occupied(&self) -> bool {
        self.log_odds >= 0.0
    }

    /// How many cells it has along every axis.
    pub fn side(&self) -> u32 {
        1 << (DEPTH - self.depth)
    }
}

/// An octree as OctoMap has it: leaves that are occupied or free; what is in none of them is
/// unknown.
///
/// Its leaves stand in the order of the files, of which each is one of a kind: reading what was
/// written gives the same.
#[derive(Debug, Clone, PartialEq)]
pub struct OctoMap {
    resolution: f64,
    leaves: Vec<OctoLeaf>,
}

impl OctoMap {
    /// The edge length of a cell.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// All leaves.
    pub fn leaves(&self) -> &[OctoLeaf] {
        &self.leaves
    }

    /// The occupied ones.
    pub fn occupied(&self) -> impl Iterator<Item = &OctoLeaf> {
        self.leaves.iter().filter(|leaf| leaf.is_occupied())
    }

    /// The middle of a leaf.
    pub fn center(&self, leaf: &OctoLeaf) -> DVec3 {
        let [x, y, z] = leaf.key.map(|key| (f64::from(key) - 32768.0 + 0.5 * f64::from(leaf.side())) * self.resolution);
        DVec3::new(x, y, z)
    }

    /// The edge length of a leaf.
    pub fn size(&self, leaf: &OctoLeaf) -> f64 {
        f64::from(leaf.side()) * self.resolution
    }
}

/// Reads the OctoMap file at `path`; its first line says whether it is a `.bt` or an `.ot`.
///
/// ```no_run
/// use clearance_engine::tree::voxel_map::Cell;
/// use clearance_io::{Keep, load_octomap};
/// let octomap = load_octomap("room.bt".as_ref())?;
/// println!("{} occupied leaves", octomap.occupied().count());
/// let map = octomap.to_voxel_map(Cell::Free, Keep::Kinds)?;
/// # Ok::<(), clearance_io::Error>(())
/// ```
pub fn load_octomap(path: &Path) -> Result<OctoMap> {
    let bytes = crate::mesh::read_file(path)?;
    read_octomap(&bytes).map_err(|error| error.in_file(path))
}

/// Reads an octree from the bytes of a `.bt` or `.ot` file.
pub fn read_octomap(bytes: &[u8]) -> Result<OctoMap> {
    read::read(bytes)
}

/// Writes an octree to a file.
pub fn save_octomap(path: &Path, map: &OctoMap, format: OctoFormat) -> Result<()> {
    std::fs::write(path, write_octomap(map, format)).map_err(|error| Error::io(path, &error))
}

/// The bytes of a file that [`read_octomap`] reads back: to the last bit as [`OctoFormat::Full`],
/// as occupied and free leaves else.
pub fn write_octomap(map: &OctoMap, format: OctoFormat) -> Vec<u8> {
    write::write(map, format)
}
