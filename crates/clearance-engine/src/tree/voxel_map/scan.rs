//! Sensor scans: a set of rays that clear the cells they cross and hit the cells they end in.
//!
//! A map takes a scan as a whole. Of the rays that end in one cell only the first counts. A cell
//! has one measurement however many rays cross it, and a cell in which a ray ends is a hit,
//! whatever crosses it (as OctoMap does: Hornung et al., "OctoMap: an efficient probabilistic 3D
//! mapping framework based on octrees", 2013). So the scan first marks rays, 64 cells to a brick,
//! and then updates each brick once. The cell of the origin counts as crossed.
//!
//! Cost: per ray its walk (`ray.rs`); per brick touched some 100 ns.

use super::evidence::{Rules, SensorModel};
use super::grid::Grid;
use super::map::VoxelMap;
use super::node::{Key, aligned, key_of, lane_of};
use super::ray::{MAX_STEPS, Walk, from_rows};
use super::table::Table;
use crate::math::DVec3;
use crate::{Error, ErrorKind, Result};

/// The counts of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ScanReport {
    /// The number of traced rays: of those that end in one cell, one.
    pub rays: usize,
    /// The number of hit cells.
    pub hits: usize,
    /// The number of cells that rays cross and do not hit.
    pub misses: usize,
}

/// The marks of a scan in one brick.
#[derive(Debug, Clone, Copy)]
struct Mark {
    key: Key,
    /// Cells in which a ray ends.
    hit: u64,
    /// Cells in which the range limit cuts a ray.
    cut: u64,
    /// Cells that a ray crosses, in rows: see [`Walk::lane`].
    crossed: u64,
}

/// The marks of a scan.
#[derive(Debug, Default)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    table: Table,
}

impl Marks {
    fn clear(&mut self) {
        self.marks.clear();
        self.table.clear();
    }

    /// The mark of the brick that contains `key`.
    #[inline]
    fn of(&mut self, key: Key) -> &mut Mark {
        let key = aligned(key, 0);
        let marks = &self.marks;
        let place = match self.table.get(key, |place| marks[place as usize].key == key) {
            Some(place) => place as usize,
            None => {
                self.table.insert(key, self.marks.len() as u32);
                self.marks.push(Mark { key, hit: 0, cut: 0, crossed: 0 });
                self.marks.len() - 1
            }
        };
        &mut self.marks[place]
    }
}

/// A scan in progress: rays from one origin, and their marks.
pub(super) struct Scan<'a> {
    grid: Grid,
    marks: &'a mut Marks,
    origin: DVec3,
    /// The origin in units of cells, and its cell.
    from: DVec3,
    first: Key,
    max_range: f64,
    /// The centre of the last ray's cell, in units of cells, and whether that ray was cut.
    last: (DVec3, bool),
    rays: usize,
}

impl<'a> Scan<'a> {
    pub(super) fn new(grid: Grid, marks: &'a mut Marks, origin: DVec3, sensor: &SensorModel) -> Result<Self> {
        let first = key_of(grid.cell_at(origin)?);
        marks.clear();
        let from = grid.lattice(origin);
        Ok(Self {
            grid,
            marks,
            origin,
            from,
            first,
            max_range: sensor.max_range,
            last: (DVec3::INFINITY, false),
            rays: 0,
        })
    }

    /// Adds a ray to `point`, unless one to the same cell came before; an error if that cell does
    /// not exist.
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

    /// Adds a ray that is cut, or hits, at `end`.
    #[inline]
    pub(super) fn end(&mut self, end: DVec3, cut: bool) -> Result<()> {
        let to = self.grid.lattice(end);
        // Most rays of an image end in the cell of the one before; only beside its edges a lookup
        // is necessary.
        if (to - self.last.0).abs().cmplt(DVec3::splat(0.4999)).all() && self.last.1 == cut {
            return Ok(());
        }
        let cell = match self.grid.cell_near(end, to) {
            Some(cell) => cell,
            None => self.grid.cell_at(end)?,
        };
        self.last = (cell.as_dvec3() + 0.5, cut);
        let key = key_of(cell);
        let mark = self.marks.of(key);
        let bit = 1 << lane_of(key, 0);
        let before = if cut { &mut mark.cut } else { &mut mark.hit };
        if *before & bit != 0 {
            return Ok(());
        }
        *before |= bit;
        self.rays += 1;
        self.walk(key, to)
    }

    /// Marks the cells that the ray to `to`, in the cell `last`, crosses before that.
    fn walk(&mut self, last: Key, to: DVec3) -> Result<()> {
        let steps = (0..3).map(|axis| u64::from(last[axis].abs_diff(self.first[axis]))).sum::<u64>();
        if steps > MAX_STEPS {
            let message = format!("a ray crosses {steps} cells, more than 2^20: cut it by `max_range`");
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        let mut walk = Walk::new(self.first, last, self.from, to);
        while walk.left > 0 {
            let brick = walk.brick();
            let key = walk.key();
            let mut crossed = 0_u64;
            while walk.left > 0 && walk.brick() == brick {
                crossed |= 1 << walk.lane();
                walk.advance();
            }
            self.marks.of(key).crossed |= crossed;
        }
        Ok(())
    }

    /// The number of traced rays.
    pub(super) fn rays(&self) -> usize {
        self.rays
    }
}

impl VoxelMap {
    /// Inserts a scan: rays from `origin` to the points that they hit, in the map's frame.
    ///
    /// Each cell gets one measurement: free if rays cross it, obstacle if one hits it. The map
    /// stays unchanged if a point is not finite or too far away.
    ///
    /// ```
    /// use clearance_engine::{math::{DVec3, IVec3}, tree::voxel_map::{Cell, SensorModel, VoxelMap, VoxelOptions}};
    /// let mut map = VoxelMap::with_options(&VoxelOptions { background: Cell::Unknown, ..VoxelOptions::new(0.1) })?;
    /// let report = map.insert_rays(DVec3::splat(0.05), &[DVec3::new(1.05, 0.05, 0.05)], &SensorModel::default())?;
    /// assert_eq!((report.rays, report.hits, report.misses), (1, 1, 10));
    /// assert_eq!(map.cell(IVec3::new(10, 0, 0)), Cell::Obstacle);
    /// assert_eq!(map.cell(IVec3::new(9, 0, 0)), Cell::Free);
    /// assert_eq!(map.cell(IVec3::new(11, 0, 0)), Cell::Unknown);
    /// # Ok::<(), clearance_engine::Error>(())
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
            let misses = (from_rows(mark.crossed) | mark.cut) & !mark.hit;
            report.hits += mark.hit.count_ones() as usize;
            report.misses += misses.count_ones() as usize;
            self.tree.measure(mark.key, mark.hit, misses, &rules)?;
        }
        Ok(report)
    }
}
