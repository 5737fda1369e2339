//! The voxel map as its owner holds it, and snapshots of it.

use super::cell::{Cell, Probabilities, Thresholds};
use super::evidence::Content;
use super::grid::Grid;
use super::leaves::Leaves;
use super::node::{key_of, lane_of, same_block};
use super::order::by_blocks;
use super::scan::Marks;
use super::store::VoxelTree;
use super::table::Table;
use super::view::VoxelLeaf;
use crate::math::{DVec3, IVec3};
use crate::{Error, ErrorKind, Result};
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// Options of a voxel map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelOptions {
    /// The edge length of a cell.
    pub resolution: f64,
    /// The low corner of cell (0, 0, 0) in the map's frame.
    pub origin: DVec3,
    /// The kind of untouched cells.
    ///
    /// With [`Cell::Unknown`], as in OctoMap, unknown cells have no end, and queries cannot include
    /// them. With [`Cell::Free`], as in `hetero`, a cell set free is the same as an untouched one.
    pub background: Cell,
    /// The thresholds that turn probabilities into obstacles and free cells.
    pub thresholds: Thresholds,
}

impl VoxelOptions {
    /// Options with cells of that size from the origin on and a free background.
    pub fn new(resolution: f64) -> Self {
        Self { resolution, origin: DVec3::ZERO, background: Cell::Free, thresholds: Thresholds::default() }
    }
}

/// A voxel map (occupancy grid) that changes; the [module](super) describes its structure.
///
/// It dereferences to [`VoxelTree`], which has the methods for reading.
///
/// ```
/// use clearance_engine::{math::{DVec3, IVec3}, tree::voxel_map::{Cell, Cells, VoxelMap}};
/// let mut map = VoxelMap::new(0.05)?;
/// map.set(IVec3::new(10, 0, -3), Cell::Obstacle)?;
/// map.fill(IVec3::new(20, 20, 20), IVec3::new(99, 99, 99), Cell::Unknown)?;
/// let planner = map.snapshot();
/// map.set(IVec3::new(10, 0, -3), Cell::Free)?;
/// assert!(map.view(Cells::OBSTACLE)?.is_empty());
/// assert_eq!(planner.cell_at(DVec3::new(0.51, 0.01, -0.14))?, Cell::Obstacle);
/// assert_eq!(planner.view(Cells::UNKNOWN)?.count(), 80 * 80 * 80);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug)]
pub struct VoxelMap {
    pub(super) tree: VoxelTree,
    /// Scratch memory for scans.
    pub(super) marks: Marks,
}

/// A snapshot of a map: immutable, cheap to clone and to send to other threads.
#[derive(Debug, Clone)]
pub struct VoxelSnapshot(Arc<VoxelTree>);

impl VoxelMap {
    /// Creates an empty map with cells of that size; see [`VoxelOptions::new`].
    pub fn new(resolution: f64) -> Result<Self> {
        Self::with_options(&VoxelOptions::new(resolution))
    }

    /// Creates an empty map; an error if the options contradict each other or are not finite.
    pub fn with_options(options: &VoxelOptions) -> Result<Self> {
        let grid = Grid::new(options.origin, options.resolution)?;
        let tree = VoxelTree::new(grid, options.background, options.thresholds.checked()?);
        Ok(Self { tree, marks: Marks::default() })
    }

    /// Sets one cell and discards its measurements. The only error is a full map (2²⁴ bricks).
    #[inline]
    pub fn set(&mut self, at: IVec3, cell: Cell) -> Result<()> {
        let key = key_of(at);
        self.tree.paint(key, 1 << lane_of(key, 0), cell)
    }

    /// Sets the cell that contains a point of the map's frame, as [`set`](Self::set) does; also an
    /// error if the point has no cell.
    pub fn set_at(&mut self, point: DVec3, cell: Cell) -> Result<()> {
        let at = self.tree.grid.cell_at(point)?;
        self.set(at, cell)
    }

    /// Resets a cell to the untouched background.
    pub fn remove(&mut self, at: IVec3) -> Result<()> {
        self.set(at, self.tree.background)
    }

    /// Sets many cells; for repeated cells the last value counts.
    ///
    /// Cells in the order of bricks or rows are set as they come. If they jump about, the map sorts
    /// the rest of them first.
    pub fn set_all(&mut self, cells: impl IntoIterator<Item = (IVec3, Cell)>) -> Result<()> {
        let mut cells = cells.into_iter();
        if self.set_in_order(&mut cells, true)? {
            self.set_in_order(&mut by_blocks(cells.collect()).into_iter(), false)?;
        }
        Ok(())
    }

    /// Sets cells one after the other. If `stops`, it stops early and returns true where most of
    /// them are in other bricks than those before.
    fn set_in_order(&mut self, cells: &mut impl Iterator<Item = (IVec3, Cell)>, stops: bool) -> Result<bool> {
        /// The number of cells between checks, and how many of them may be in another brick than
        /// the one before.
        const LOOK: (usize, usize) = (1024, 512);
        let (mut last, mut count, mut jumps) = (None, 0, 0);
        for (at, cell) in cells {
            let key = key_of(at);
            let mask = 1 << lane_of(key, 0);
            let number = match last {
                Some((block, number)) if same_block(block, key, 0) => Some(number),
                _ => {
                    jumps += 1;
                    self.tree.locate(key)
                }
            };
            last = match number {
                Some(number) => self.tree.paint_brick(number, key, mask, cell).then_some((key, number)),
                None => {
                    self.tree.paint(key, mask, cell)?;
                    None
                }
            };
            count += 1;
            if count == LOOK.0 {
                if stops && jumps > LOOK.1 {
                    return Ok(true);
                }
                (count, jumps) = (0, 0);
            }
        }
        Ok(false)
    }

    /// Fills all cells from `low` to `high`, both included, with `cell`; large blocks at once. An
    /// error if `low` is beyond `high`.
    pub fn fill(&mut self, low: IVec3, high: IVec3, cell: Cell) -> Result<()> {
        self.fill_with(low, high, cell.into())
    }

    fn fill_with(&mut self, low: IVec3, high: IVec3, content: Content) -> Result<()> {
        if low.cmpgt(high).any() {
            let message = format!("the first cell {low} to be filled is beyond the last one, {high}");
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        self.tree.fill_range(key_of(low), key_of(high), content)
    }

    /// Sets the probabilities behind a cell, which make it an obstacle, free or unknown.
    ///
    /// ```
    /// use clearance_engine::{math::IVec3, tree::voxel_map::{Cell, Probabilities, VoxelMap}};
    /// let mut map = VoxelMap::new(0.2)?;
    /// map.set_probabilities(IVec3::ZERO, &Probabilities::new(0.3, 0.3)?)?;
    /// assert_eq!(map.cell(IVec3::ZERO), Cell::Unknown);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn set_probabilities(&mut self, at: IVec3, probabilities: &Probabilities) -> Result<()> {
        let key = key_of(at);
        self.tree.put_cells(key, 1 << lane_of(key, 0), Content::of(probabilities, &self.tree.thresholds))
    }

    /// Sets the same probabilities behind all cells from `low` to `high`, both included. Large
    /// blocks stay whole until a change within them splits them. An error if `low` is beyond
    /// `high`.
    ///
    /// ```
    /// use clearance_engine::{math::IVec3, tree::voxel_map::{Cell, Probabilities, VoxelMap}};
    /// let mut map = VoxelMap::new(0.2)?;
    /// map.fill_probabilities(IVec3::splat(-4096), IVec3::splat(4095), &Probabilities::new(0.8, 0.1)?)?;
    /// assert_eq!(map.cell(IVec3::splat(1234)), Cell::Obstacle);
    /// assert!((map.probabilities(IVec3::splat(-77)).obstacle() - 0.8).abs() < 1e-4);
    /// assert!(map.memory() < 100_000);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn fill_probabilities(&mut self, low: IVec3, high: IVec3, probabilities: &Probabilities) -> Result<()> {
        if low == high {
            return self.set_probabilities(low, probabilities);
        }
        self.fill_with(low, high, Content::of(probabilities, &self.tree.thresholds))
    }

    /// Resets all cells to background.
    pub fn clear(&mut self) {
        self.tree = VoxelTree::new(self.tree.grid, self.tree.background, self.tree.thresholds);
    }

    /// Takes a snapshot of the map for other threads: the two share their pages until the map
    /// changes them.
    ///
    /// Cost: a reference count for each page (four kilobytes); changes afterwards copy each page
    /// once.
    pub fn snapshot(&mut self) -> VoxelSnapshot {
        let revision = OnceLock::from(self.tree.revision());
        let tree = &mut self.tree;
        VoxelSnapshot(Arc::new(VoxelTree {
            grid: tree.grid,
            background: tree.background,
            thresholds: tree.thresholds,
            root: tree.root,
            bricks: tree.bricks.share(),
            forks: tree.forks.share(),
            evidence: tree.evidence.share(),
            table: Table::default(),
            revision,
        }))
    }
}

impl VoxelTree {
    /// All stored contents, in an order that the cells alone determine.
    ///
    /// They are cubes of equal cells that are not background, and cubes of cells with the same
    /// measurement, with their probabilities: single cells, or blocks of 4^k of them along each
    /// axis.
    pub fn contents(&self) -> impl Iterator<Item = (VoxelLeaf, Option<Probabilities>)> + '_ {
        Leaves::new(self, None)
    }
}

impl Deref for VoxelMap {
    type Target = VoxelTree;

    fn deref(&self) -> &VoxelTree {
        &self.tree
    }
}

impl Deref for VoxelSnapshot {
    type Target = VoxelTree;

    fn deref(&self) -> &VoxelTree {
        &self.0
    }
}
