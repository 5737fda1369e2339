//! The regular grid of a voxel map's cells.
//!
//! The edge between cells i − 1 and i is, by definition, the `f64` nearest to
//! `origin + fl(i·resolution)`: monotone in i, so that cells tile space without gaps, whatever
//! rounding does. Cell i is `[edge(i), edge(i + 1))` for lookups of points and the closed box for
//! collisions. A box given as centre and half size is rounded outward: it contains the edges it
//! stands for.

use crate::math::{DVec3, IVec3, LARGEST_COORDINATE};
use crate::{Error, ErrorKind, Readable, Result};

/// The number of cells on either side of the origin: an `i32` numbers them along each axis.
const REACH: f64 = 2_147_483_648.0;
/// The maximum distance of the origin from zero, in cells; farther away the edges would be too
/// uneven.
const FARTHEST_ORIGIN: f64 = 1_099_511_627_776.0;

/// An axis-aligned box in the map's frame, rounded outward.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VoxelBox {
    /// The centre.
    pub center: DVec3,
    /// The half-extents.
    pub half: DVec3,
}

/// The regular grid of a voxel map: origin and resolution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    origin: DVec3,
    resolution: f64,
    /// Cells per unit length, rounded.
    density: f64,
}

impl Grid {
    pub(super) fn new(origin: DVec3, resolution: f64) -> Result<Self> {
        if !(resolution.is_finite() && origin.is_finite()) {
            let message = format!(
                "a voxel map's resolution {} or origin {} is not finite",
                Readable(resolution),
                Readable(origin)
            );
            return Err(Error::new(ErrorKind::NotFinite, message));
        }
        let far = origin.abs().max_element() > FARTHEST_ORIGIN * resolution;
        if resolution < 1.0 / LARGEST_COORDINATE || resolution * REACH > LARGEST_COORDINATE || far {
            let message = format!(
                "a voxel map cannot have cells of {} with the origin at {}",
                Readable(resolution),
                Readable(origin)
            );
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        Ok(Self { origin, resolution, density: 1.0 / resolution })
    }

    /// The edge length of a cell.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// The low end of cell (0, 0, 0).
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The low end of the cell with these indices, which may be one beyond the last.
    #[inline]
    pub fn low_end(&self, cell: [i64; 3]) -> DVec3 {
        let [x, y, z] = cell.map(|index| index as f64 * self.resolution);
        self.origin + DVec3::new(x, y, z)
    }

    /// The low and high ends of the cells from `low` to `high`, the latter excluded.
    #[inline]
    pub(super) fn ends(&self, low: [i64; 3], high: [i64; 3]) -> (DVec3, DVec3) {
        (self.low_end(low), self.low_end(high))
    }

    #[inline]
    pub(super) fn enclosing(&self, low: [i64; 3], high: [i64; 3]) -> VoxelBox {
        let (low, high) = self.ends(low, high);
        let center = (low + high) * 0.5;
        let half = (high - center).max(center - low);
        // Each difference is within half a unit in the last place of the true one.
        let [x, y, z] = half.to_array().map(f64::next_up);
        VoxelBox { center, half: DVec3::new(x, y, z) }
    }

    /// The centre of a cell, rounded.
    pub fn center(&self, cell: IVec3) -> DVec3 {
        let low = cell.to_array().map(i64::from);
        let (low, high) = self.ends(low, low.map(|index| index + 1));
        (low + high) * 0.5
    }

    /// The box of a cell.
    pub fn cell_box(&self, cell: IVec3) -> VoxelBox {
        let low = cell.to_array().map(i64::from);
        self.enclosing(low, low.map(|index| index + 1))
    }

    /// The cell that contains `point`; an error if the point is not finite or has no cell.
    ///
    /// ```
    /// use clearance_engine::{math::{DVec3, IVec3}, tree::voxel_map::VoxelMap};
    /// let map = VoxelMap::new(0.1)?;
    /// assert_eq!(map.grid().cell_at(DVec3::new(0.25, -0.05, 0.0))?, IVec3::new(2, -1, 0));
    /// assert!(map.grid().cell_at(DVec3::X * 1e12).is_err());
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    #[inline]
    pub fn cell_at(&self, point: DVec3) -> Result<IVec3> {
        let at = self.lattice(point);
        match self.cell_near(point, at) {
            Some(cell) => Ok(cell),
            None => Err(self.no_cell(point)),
        }
    }

    /// A point in units of cells, rounded.
    #[inline]
    pub(super) fn lattice(&self, point: DVec3) -> DVec3 {
        (point - self.origin) * self.density
    }

    /// The cell of a point whose lattice coordinates are `at`, up to rounding.
    #[inline]
    pub(super) fn cell_near(&self, point: DVec3, at: DVec3) -> Option<IVec3> {
        // False for NaN.
        if !at.abs().cmplt(DVec3::splat(REACH - 1.0)).all() {
            return None;
        }
        let cell = |axis: usize| {
            let at = at[axis];
            let truncated = at as i32;
            let below = truncated - i32::from(f64::from(truncated) > at);
            let within = at - f64::from(below);
            // Next to an edge the rounded quotient may be on the wrong side of it.
            if (1e-4..=1.0 - 1e-4).contains(&within) { below } else { self.beside_edge(point[axis], axis, below) }
        };
        Some(IVec3::new(cell(0), cell(1), cell(2)))
    }

    #[cold]
    fn beside_edge(&self, coordinate: f64, axis: usize, guess: i32) -> i32 {
        let edge = |index: i32| self.origin[axis] + f64::from(index) * self.resolution;
        if coordinate < edge(guess) {
            guess - 1
        } else if coordinate >= edge(guess + 1) {
            guess + 1
        } else {
            guess
        }
    }

    #[cold]
    fn no_cell(&self, point: DVec3) -> Error {
        if !point.is_finite() {
            return Error::new(
                ErrorKind::NotFinite,
                format!("a point of a voxel map is not finite: {}", Readable(point)),
            );
        }
        let message = format!(
            "{} is more than 2^31 cells of {} away from {}",
            Readable(point),
            Readable(self.resolution),
            Readable(self.origin)
        );
        Error::new(ErrorKind::OutOfRange, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_point_on_an_edge_or_a_rounding_beside_it_is_in_the_cell_whose_edges_enclose_it() {
        let grid = Grid::new(DVec3::new(0.3, -7.1, 1e5), 0.1).unwrap();
        let mut random = Random(3);
        for _ in 0..20_000 {
            let index = [0; 3].map(|_| random.below(2_000_001) as i64 - 1_000_000);
            let corner = grid.low_end(index);
            for point in [corner, corner.map(f64::next_up), corner.map(f64::next_down)] {
                let cell = grid.cell_at(point).unwrap().to_array().map(i64::from);
                let (low, high) = grid.ends(cell, cell.map(|i| i + 1));
                assert!(low.cmple(point).all() && point.cmplt(high).all(), "{point} in {low} to {high}");
            }
        }
    }

    #[test]
    fn boxes_contain_the_edges_they_stand_for() {
        let grid = Grid::new(DVec3::new(0.3, -7.1, 1e9), 0.1).unwrap();
        let mut random = Random(4);
        for _ in 0..10_000 {
            let low = [0; 3].map(|_| (random.bits() as i32).into());
            let high = low.map(|index: i64| index + 1 + random.below(100) as i64);
            let enclosing = grid.enclosing(low, high);
            let (low, high) = grid.ends(low, high);
            // Exact where it matters: the sum of two `f64` is compared through its rounding error.
            let above = |a: f64, b: f64, bound: f64| {
                let sum = a + b;
                let error = (a - (sum - (sum - a))) + (b - (sum - a));
                sum > bound || (sum == bound && error >= 0.0)
            };
            for axis in 0..3 {
                assert!(above(enclosing.center[axis], enclosing.half[axis], high[axis]));
                assert!(above(-enclosing.center[axis], enclosing.half[axis], -low[axis]));
            }
        }
    }

    #[test]
    fn lattices_without_room_for_their_cells_are_refused() {
        for (origin, resolution) in
            [(0.0, 0.0), (0.0, -1.0), (0.0, f64::NAN), (1e20, 1.0), (f64::INFINITY, 1.0), (0.0, 1e99)]
        {
            assert!(Grid::new(DVec3::splat(origin), resolution).is_err(), "{origin} {resolution}");
        }
    }
}
