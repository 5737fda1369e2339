//! Cells of a voxel map, selections of cells, and the probabilities behind a cell.

use crate::{Error, ErrorKind, Readable, Result};
use std::ops::BitOr;

/// The state of a voxel: free, unknown or obstacle, after `hetero` (Himmelstein et al., section
/// V.A).
///
/// ```
/// use clearance_engine::{math::DVec3, tree::voxel_map::{Cell, VoxelMap}};
/// let mut map = VoxelMap::new(0.1)?;
/// map.set_at(DVec3::ZERO, Cell::Obstacle)?;
/// assert_eq!((map.cell_at(DVec3::ZERO)?, map.cell_at(DVec3::ONE)?), (Cell::Obstacle, Cell::Free));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// The cell is empty.
    Free,
    /// The sensor did not observe the cell, or not well enough.
    Unknown,
    /// The cell is occupied.
    Obstacle,
}

/// The set of cells that a query includes: obstacles, unknown ones, or both.
///
/// ```
/// use clearance_engine::tree::voxel_map::{Cell, Cells};
/// let both = Cells::OBSTACLE | Cells::UNKNOWN;
/// assert!(both.contains(Cell::Obstacle) && both.contains(Cell::Unknown) && !both.contains(Cell::Free));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cells(u8);

impl Cells {
    /// The cells that are [`Cell::Obstacle`].
    pub const OBSTACLE: Self = Self(1);
    /// The cells that are [`Cell::Unknown`].
    pub const UNKNOWN: Self = Self(2);
    /// Both.
    pub const NOT_FREE: Self = Self(3);

    /// Whether the set includes cells of this kind.
    pub fn contains(self, cell: Cell) -> bool {
        match cell {
            Cell::Free => false,
            Cell::Obstacle => self.0 & Self::OBSTACLE.0 != 0,
            Cell::Unknown => self.0 & Self::UNKNOWN.0 != 0,
        }
    }
}

impl BitOr for Cells {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The occupancy probabilities of a cell: obstacle, free and undetermined add up to 1.
///
/// ```
/// use clearance_engine::tree::voxel_map::Probabilities;
/// let seen_twice = Probabilities::new(0.6, 0.1)?;
/// assert!((seen_twice.unknown() - 0.3).abs() < 1e-6);
/// assert!(Probabilities::new(0.6, 0.5).is_err());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Probabilities {
    obstacle: f32,
    free: f32,
}

impl Probabilities {
    /// No measurement: all is undetermined.
    pub const UNDETERMINED: Self = Self { obstacle: 0.0, free: 0.0 };

    /// Creates probabilities of obstacle and free; the rest to 1 is undetermined. Together they may
    /// exceed 1 by 1e-6, as rounded ones do.
    pub fn new(obstacle: f32, free: f32) -> Result<Self> {
        if !(obstacle.is_finite() && free.is_finite()) {
            let message = format!(
                "the probabilities of a cell are not finite: obstacle {}, free {}",
                Readable(obstacle),
                Readable(free)
            );
            return Err(Error::new(ErrorKind::NotFinite, message));
        }
        if obstacle < 0.0 || free < 0.0 || obstacle + free > 1.0 + 1e-6 {
            let message = format!(
                "the probabilities of a cell are negative or exceed 1: obstacle {}, free {}",
                Readable(obstacle),
                Readable(free)
            );
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        let obstacle = obstacle.min(1.0);
        Ok(Self { obstacle, free: free.min(1.0 - obstacle).max(0.0) })
    }

    /// The probabilities of a cell that was set without any.
    pub fn certain(cell: Cell) -> Self {
        match cell {
            Cell::Free => Self { obstacle: 0.0, free: 1.0 },
            Cell::Unknown => Self::UNDETERMINED,
            Cell::Obstacle => Self { obstacle: 1.0, free: 0.0 },
        }
    }

    /// The probability that the cell holds an obstacle.
    pub fn obstacle(&self) -> f32 {
        self.obstacle
    }

    /// The probability that the cell is free.
    pub fn free(&self) -> f32 {
        self.free
    }

    /// The probability that is undetermined.
    pub fn unknown(&self) -> f32 {
        (1.0 - self.obstacle - self.free).max(0.0)
    }

    /// The stored form: 16 bits each, which never exceed 1 together: one half twice is rounded up
    /// once.
    pub(super) fn stored(&self) -> [u16; 2] {
        let [obstacle, free] =
            [self.obstacle, self.free].map(|probability| (probability * f32::from(u16::MAX) + 0.5) as u16);
        [obstacle, free.min(u16::MAX - obstacle)]
    }

    pub(super) fn from_stored([obstacle, free]: [u16; 2]) -> Self {
        let obstacle = f32::from(obstacle) / f32::from(u16::MAX);
        let free = f32::from(free) / f32::from(u16::MAX);
        Self { obstacle, free: free.min(1.0 - obstacle) }
    }
}

/// The least probabilities of [`Cell::Obstacle`] and [`Cell::Free`]. A cell below both is unknown,
/// and one above both is an obstacle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    /// The least probability of an obstacle.
    pub obstacle: f32,
    /// The least probability of free space.
    pub free: f32,
}

impl Default for Thresholds {
    /// One half for both.
    fn default() -> Self {
        Self { obstacle: 0.5, free: 0.5 }
    }
}

impl Thresholds {
    /// The kind of a cell with these probabilities.
    pub fn classify(&self, probabilities: &Probabilities) -> Cell {
        self.classify_stored(probabilities.stored())
    }

    pub(super) fn classify_stored(&self, [obstacle, free]: [u16; 2]) -> Cell {
        let [at_obstacle, at_free] = self.stored();
        match () {
            () if obstacle >= at_obstacle => Cell::Obstacle,
            () if free >= at_free => Cell::Free,
            () => Cell::Unknown,
        }
    }

    pub(super) fn checked(self) -> Result<Self> {
        for (what, threshold) in [("obstacles", self.obstacle), ("free space", self.free)] {
            if !(threshold > 0.0 && threshold <= 1.0) {
                let message = format!("the threshold of {what} is not a probability above 0: {}", Readable(threshold));
                return Err(Error::new(ErrorKind::BadRequest, message));
            }
        }
        Ok(self)
    }

    /// The thresholds in the units of stored probabilities; at least one unit, so that an
    /// unobserved cell passes neither.
    pub(super) fn stored(&self) -> [u16; 2] {
        [self.obstacle, self.free].map(|threshold| ((threshold * f32::from(u16::MAX)) as u16).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_classified_by_thresholds_and_obstacles_win_ties() {
        let thresholds = Thresholds { obstacle: 0.4, free: 0.5 };
        let cell = |obstacle, free| thresholds.classify(&Probabilities::new(obstacle, free).unwrap());
        assert_eq!(cell(0.0, 0.0), Cell::Unknown);
        assert_eq!(cell(0.39, 0.49), Cell::Unknown);
        assert_eq!(cell(0.4, 0.6), Cell::Obstacle);
        assert_eq!(cell(0.39, 0.5), Cell::Free);
        for cell in [Cell::Free, Cell::Unknown, Cell::Obstacle] {
            assert_eq!(Thresholds::default().classify(&Probabilities::certain(cell)), cell);
        }
    }

    #[test]
    fn stored_probabilities_never_exceed_one_together() {
        for obstacle in 0..=1000_u16 {
            let first = f32::from(obstacle) / 1000.0;
            let stored = Probabilities::new(first, 1.0 - first).unwrap().stored();
            assert!(stored[0].checked_add(stored[1]).is_some(), "{first}: {stored:?}");
            let again = Probabilities::from_stored(stored);
            assert!(again.obstacle() + again.free() <= 1.0 && again.unknown() >= 0.0);
            assert!((again.obstacle() - first).abs() < 1e-5);
        }
    }
}
