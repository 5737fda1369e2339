//! Sensor updates: rays from one origin clear what they cross and mark what they hit.
//!
//! A scan is taken as a whole: of the rays that end in one cell only the first counts, a cell is measured once however many rays
//! cross it, and a cell that a ray ends in is hit, whatever crosses it (as OctoMap does: Hornung et al., "OctoMap: an efficient
//! probabilistic 3D mapping framework based on octrees", 2013). So rays are first marked, 64 cells to a brick, and then
//! each brick is updated once. The cell of the origin counts as crossed.
//!
//! Cost: per ray its walk (`ray.rs`); per brick touched some 100 ns.

use super::evidence::{Rules, SensorModel};
use super::grid::Grid;
use super::map::VoxelMap;
use super::node::{Key, aligned, key_of, lane_of, same_block};
use super::ray::Walk;
use crate::math::{DVec3, IVec3};
use crate::{Error, ErrorKind, Result};

/// A ray may cross this many cells; longer ones have to be cut by [`SensorModel::max_range`].
const MOST_STEPS: u64 = 1 << 20;

/// What a scan did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanReport {
    /// Rays that were followed: of those that end in one cell, one.
    pub rays: usize,
    /// Cells that were hit.
    pub hits: usize,
    /// Cells that were crossed and not hit.
    pub misses: usize,
}

/// What the rays of a scan do to the cells of a brick.
#[derive(Debug, Clone, Copy)]
struct Mark {
    key: Key,
    /// Cells in which a ray ends.
    hit: u64,
    /// Cells in which a ray is cut.
    cut: u64,
    crossed: u64,
}

/// The marks of a scan, found by the brick's key: a table of places in `marks`, plus one, with linear probing.
#[derive(Debug, Default)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    table: Vec<u32>,
}

impl Marks {
    fn clear(&mut self) {
        self.marks.clear();
        self.table.fill(0);
    }

    /// The place of the mark of the brick that contains `key`.
    #[inline]
    fn place(&mut self, key: Key) -> usize {
        if 2 * self.marks.len() >= self.table.len() {
            self.grow();
        }
        let mask = self.table.len() - 1;
        let key = aligned(key, 0);
        let mut slot = hash(key) as usize & mask;
        loop {
            match self.table[slot] {
                0 => break,
                place if self.marks[place as usize - 1].key == key => return place as usize - 1,
                _ => slot = (slot + 1) & mask,
            }
        }
        self.marks.push(Mark { key, hit: 0, cut: 0, crossed: 0 });
        self.table[slot] = self.marks.len() as u32;
        self.marks.len() - 1
    }

    #[cold]
    fn grow(&mut self) {
        let size = (2 * self.table.len()).max(1024);
        self.table.clear();
        self.table.resize(size, 0);
        for (place, mark) in self.marks.iter().enumerate() {
            let mut slot = hash(mark.key) as usize & (size - 1);
            while self.table[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = place as u32 + 1;
        }
    }
}

/// Spreads neighbouring bricks over a table: odd factors, of which the high bits are taken.
#[inline(always)]
fn hash([x, y, z]: Key) -> u32 {
    let [x, y, z] = [x >> 2, y >> 2, z >> 2].map(u64::from);
    let mixed = x.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ y.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ z.wrapping_mul(0x1656_67b1_9e37_79f9);
    (mixed >> 32) as u32
}

/// Rays from one origin on their way into the marks.
pub(super) struct Scan<'a> {
    grid: Grid,
    marks: &'a mut Marks,
    origin: DVec3,
    /// The origin in units of cells, and its cell.
    from: DVec3,
    first: Key,
    max_range: f64,
    /// The cell of the ray before, and whether that was cut.
    last: Option<(IVec3, bool)>,
    rays: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(grid: Grid, marks: &'a mut Marks, origin: DVec3, sensor: &SensorModel) -> Result<Self> {
        let first = key_of(grid.cell_at(origin)?);
        marks.clear();
        let from = grid.lattice(origin);
        Ok(Self { grid, marks, origin, from, first, max_range: sensor.max_range, last: None, rays: 0 })
    }

    /// A ray to `point`, unless one to the same cell has been; an error where that cell does not exist.
    #[inline]
    pub(super) fn add(&mut self, point: DVec3) -> Result<()> {
        let ray = point - self.origin;
        let length = ray.length_squared();
        if length > self.max_range * self.max_range {
            let end = self.origin + ray * (self.max_range / length.sqrt());
            // Where the square overflows.
            return self.end(if end.is_finite() { end } else { point }, true);
        }
        self.end(point, false)
    }

    /// A ray that is cut, or ends in what it hits, at `end`.
    #[inline]
    pub(super) fn end(&mut self, end: DVec3, cut: bool) -> Result<()> {
        let to = self.grid.lattice(end);
        let cell = match self.grid.cell_near(end, to) {
            Some(cell) => cell,
            None => self.grid.cell_at(end)?,
        };
        if self.last == Some((cell, cut)) {
            return Ok(());
        }
        self.last = Some((cell, cut));
        let key = key_of(cell);
        let place = self.marks.place(key);
        let mark = &mut self.marks.marks[place];
        let bit = 1 << lane_of(key, 0);
        let before = if cut { &mut mark.cut } else { &mut mark.hit };
        if *before & bit != 0 {
            return Ok(());
        }
        *before |= bit;
        self.rays += 1;
        self.walk(key, to)
    }

    /// Marks what the ray to `to`, in the cell `last`, crosses before that.
    fn walk(&mut self, last: Key, to: DVec3) -> Result<()> {
        let mut walk = Walk::new(self.first, last, key_of(IVec3::ZERO), self.from, to);
        if walk.left > MOST_STEPS {
            let message = format!("a ray crosses {} cells, more than 2^20: cut it by `max_range`", walk.left);
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        while walk.left > 0 {
            let brick = walk.at;
            let mut crossed = 0_u64;
            while walk.left > 0 && same_block(walk.at, brick, 0) {
                crossed |= 1 << lane_of(walk.at, 0);
                walk.advance();
            }
            let place = self.marks.place(brick);
            self.marks.marks[place].crossed |= crossed;
        }
        Ok(())
    }
}

impl VoxelMap {
    /// Takes rays from `origin` to the points that they hit, in the map's frame: what they cross becomes free, what they hit becomes an
    /// obstacle, each by one measurement. Nothing is changed where a point is not finite or too far away.
    ///
    /// ```
    /// use clearance::{math::{DVec3, IVec3}, tree::voxel_map::{Cell, SensorModel, VoxelMap, VoxelOptions}};
    /// let mut map = VoxelMap::with_options(&VoxelOptions { background: Cell::Unknown, ..VoxelOptions::new(0.1) })?;
    /// let report = map.insert_rays(DVec3::splat(0.05), &[DVec3::new(1.05, 0.05, 0.05)], &SensorModel::default())?;
    /// assert_eq!((report.rays, report.hits, report.misses), (1, 1, 10));
    /// assert_eq!(map.cell(IVec3::new(10, 0, 0)), Cell::Obstacle);
    /// assert_eq!(map.cell(IVec3::new(9, 0, 0)), Cell::Free);
    /// assert_eq!(map.cell(IVec3::new(11, 0, 0)), Cell::Unknown);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn insert_rays(&mut self, origin: DVec3, points: &[DVec3], sensor: &SensorModel) -> Result<ScanReport> {
        let mut scan = Scan::new(self.tree.grid, &mut self.marks, origin, sensor.checked()?)?;
        for (i, &point) in points.iter().enumerate() {
            scan.add(point).map_err(|error| Error::new(error.kind(), format!("point {i}: {error}")))?;
        }
        let rays = scan.rays();
        self.apply(rays, sensor)
    }

    /// Updates the cells that a scan marked.
    pub(super) fn apply(&mut self, rays: usize, sensor: &SensorModel) -> Result<ScanReport> {
        let rules = Rules::new(sensor, &self.tree.thresholds);
        let mut report = ScanReport { rays, ..ScanReport::default() };
        for mark in &self.marks.marks {
            let misses = (mark.crossed | mark.cut) & !mark.hit;
            report.hits += mark.hit.count_ones() as usize;
            report.misses += misses.count_ones() as usize;
            self.tree.measure(mark.key, mark.hit, misses, &rules)?;
        }
        Ok(report)
    }
}

impl Scan<'_> {
    /// How many rays were followed.
    pub(super) fn rays(&self) -> usize {
        self.rays
    }
}
