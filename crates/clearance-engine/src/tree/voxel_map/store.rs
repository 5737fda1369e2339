//! The storage of a voxel map's hierarchy, with the read access of maps and snapshots.

use super::cell::{Cell, Cells, Probabilities, Thresholds};
use super::evidence::{Content, Evidence};
use super::grid::Grid;
use super::node::{
    Brick, Fork, Key, Link, Masks, NO_EVIDENCE, TOP, Target, aligned, key_of, lane_key, lane_of, same_block,
};
use super::paged::Paged;
use super::table::Table;
use super::view::VoxelView;
use crate::math::{DVec3, IVec3};
use crate::tree::next_revision;
use crate::{Error, ErrorKind, Result};
use std::sync::OnceLock;

/// The cells of a voxel map under their hierarchy: the read access of [`VoxelMap`](super::VoxelMap)
/// and [`VoxelSnapshot`](super::VoxelSnapshot).
///
/// Two are equal if their cells, hierarchies and probabilities are; the numbers of nodes do not
/// count.
#[derive(Debug)]
pub struct VoxelTree {
    pub(super) grid: Grid,
    pub(super) background: Cell,
    pub(super) thresholds: Thresholds,
    pub(super) root: Link,
    pub(super) bricks: Paged<Brick>,
    pub(super) forks: Paged<Fork>,
    pub(super) evidence: Paged<Evidence>,
    /// The numbers of the bricks, so that edits need not descend from the root; snapshots have no
    /// table.
    pub(super) table: Table,
    pub(super) revision: OnceLock<u64>,
}

/// The result of a lookup of a brick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Brick(u32),
    /// A uniform lane of a fork: its cell, and the number of the fork.
    Lane(Cell, u32),
    /// Background without a measurement.
    Nothing,
}

impl VoxelTree {
    pub(super) fn new(grid: Grid, background: Cell, thresholds: Thresholds) -> Self {
        Self {
            grid,
            background,
            thresholds,
            root: Link::uniform(background),
            bricks: Paged::new(),
            forks: Paged::new(),
            evidence: Paged::new(),
            table: Table::default(),
            revision: OnceLock::new(),
        }
    }

    /// The grid of the cells.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The kind of untouched cells; they take no memory.
    pub fn background(&self) -> Cell {
        self.background
    }

    /// The thresholds that classify probabilities.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// Whether every cell is background without a measurement.
    pub fn is_empty(&self) -> bool {
        self.root == Link::uniform(self.background)
    }

    /// A number that no other state of this or any other geometry has.
    pub fn revision(&self) -> u64 {
        *self.revision.get_or_init(next_revision)
    }

    /// The kind of a cell.
    #[inline]
    pub fn cell(&self, cell: IVec3) -> Cell {
        let key = key_of(cell);
        match self.find(key) {
            Spot::Nothing => self.background,
            Spot::Lane(cell, _) => cell,
            Spot::Brick(number) => self.bricks[number].masks.cell(lane_of(key, 0)),
        }
    }

    /// The kind of the cell that contains a point of the map's frame.
    pub fn cell_at(&self, point: DVec3) -> Result<Cell> {
        Ok(self.cell(self.grid.cell_at(point)?))
    }

    /// The probabilities behind a cell: measured or set ones, or else those that its kind stands
    /// for.
    pub fn probabilities(&self, cell: IVec3) -> Probabilities {
        let Content { cell, measured } = self.content(key_of(cell));
        measured.map_or_else(|| Probabilities::certain(cell), Probabilities::from_stored)
    }

    /// The kind of a cell and its measurement.
    pub(super) fn content(&self, key: Key) -> Content {
        match self.find(key) {
            Spot::Nothing => self.background.into(),
            Spot::Lane(_, number) => self.lane_content(number, lane_of(key, self.forks[number].level)),
            Spot::Brick(number) => {
                let (brick, lane) = (&self.bricks[number], lane_of(key, 0));
                let measured = self.evidence_of(brick.evidence).and_then(|evidence| evidence.stored(lane));
                Content { cell: brick.masks.cell(lane), measured }
            }
        }
    }

    /// The kind of a uniform lane of a fork and its measurement.
    pub(super) fn lane_content(&self, fork: u32, lane: usize) -> Content {
        let fork = &self.forks[fork];
        let measured = self.evidence_of(fork.evidence).and_then(|evidence| evidence.stored(lane));
        Content { cell: fork.masks.cell(lane), measured }
    }

    /// The common content of all cells of a fork, if they are equal.
    pub(super) fn fork_content(&self, fork: &Fork) -> Option<Content> {
        if fork.uniform != u64::MAX {
            return None;
        }
        Content::common(&fork.masks, self.evidence_of(fork.evidence))
    }

    /// The evidence of a brick or fork, if there is any.
    #[inline]
    pub(super) fn evidence_of(&self, number: u32) -> Option<&Evidence> {
        (number != NO_EVIDENCE).then(|| &self.evidence[number])
    }

    /// The tree of the chosen cells, for queries and iteration; an error if the infinite background
    /// is among them.
    ///
    /// ```
    /// use clearance_engine::{math::IVec3, tree::voxel_map::{Cell, Cells, VoxelMap}};
    /// let mut map = VoxelMap::new(0.1)?;
    /// map.set(IVec3::new(1, 2, 3), Cell::Obstacle)?;
    /// map.set(IVec3::new(1, 2, 4), Cell::Unknown)?;
    /// assert_eq!(map.view(Cells::OBSTACLE)?.leaves().count(), 1);
    /// assert_eq!(map.view(Cells::OBSTACLE | Cells::UNKNOWN)?.leaves().count(), 2);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn view(&self, cells: Cells) -> Result<VoxelView<'_>> {
        if cells.contains(self.background) {
            let message = "the unknown cells of a map whose background is unknown have no end: set those that count in a map whose background is free";
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        Ok(VoxelView::new(self, cells))
    }

    /// The memory of the cells in bytes, including pages that snapshots share with the map.
    pub fn memory(&self) -> usize {
        self.bricks.memory() + self.forks.memory() + self.evidence.memory() + self.table.memory()
    }

    /// The numbers of bricks of 4×4×4 cells, of inner nodes, and of nodes of both kinds with
    /// probabilities.
    pub fn node_counts(&self) -> [usize; 3] {
        [self.bricks.len(), self.forks.len(), self.evidence.len()]
    }

    /// The brick of a cell, or the content in its place.
    #[inline(always)]
    pub(super) fn find(&self, key: Key) -> Spot {
        let (mut link, mut above) = (self.root, None);
        loop {
            match link.target() {
                Target::Fork(number) => {
                    let fork = &self.forks[number];
                    if !same_block(key, fork.key, fork.level) {
                        return Spot::Nothing;
                    }
                    above = Some(number);
                    link = fork.children[lane_of(key, fork.level)];
                }
                Target::Brick(number) => {
                    let is_it = same_block(key, self.bricks[number].key, 0);
                    return if is_it { Spot::Brick(number) } else { Spot::Nothing };
                }
                Target::Uniform(cell) => return above.map_or(Spot::Nothing, |fork| Spot::Lane(cell, fork)),
            }
        }
    }

    /// Checks the hierarchy, for tests: every node must have a reason, and every mask must be true.
    /// The error says what is wrong. It visits every node.
    pub fn check(&self) -> std::result::Result<(), String> {
        let mut found = [0; 3];
        if self.root != Link::uniform(self.background) {
            if let Target::Uniform(cell) = self.root.target() {
                return Err(format!("the root is {cell:?} all over"));
            }
            self.check_node(self.root, &mut found)?;
        }
        if found != self.node_counts() {
            return Err(format!("{found:?} nodes are reached of {:?}", self.node_counts()));
        }
        Ok(())
    }

    fn check_node(&self, link: Link, found: &mut [usize; 3]) -> std::result::Result<(), String> {
        match link.target() {
            Target::Uniform(_) => Ok(()),
            Target::Brick(number) => {
                let brick = &self.bricks[number];
                found[0] += 1;
                self.check_evidence(brick.evidence, &brick.masks, u64::MAX, found)
                    .map_err(|what| format!("{brick:?} {what}"))?;
                if Content::common(&brick.masks, self.evidence_of(brick.evidence)).is_some() {
                    return Err(format!("{brick:?} is the same all over"));
                }
                if brick.masks.obstacle & brick.masks.unknown != 0 || brick.key != aligned(brick.key, 0) {
                    return Err(format!("{brick:?} contradicts itself"));
                }
                Ok(())
            }
            Target::Fork(number) => {
                found[1] += 1;
                self.check_fork(&self.forks[number], found)
            }
        }
    }

    /// Checks the evidence of a node: it must not be empty, concern the lanes of `within` alone,
    /// and agree with `masks`.
    fn check_evidence(
        &self,
        number: u32,
        masks: &Masks,
        within: u64,
        found: &mut [usize; 3],
    ) -> std::result::Result<(), String> {
        let Some(evidence) = self.evidence_of(number) else { return Ok(()) };
        found[2] += 1;
        if evidence.measured == 0 || evidence.measured & !within != 0 {
            return Err(format!("has evidence of {:x} and may have it of {within:x}", evidence.measured));
        }
        for lane in 0..64 {
            let agrees = match evidence.stored(lane) {
                Some(stored) => self.thresholds.classify_stored(stored) == masks.cell(lane),
                None => evidence.is_zero(lane),
            };
            if !agrees {
                return Err(format!("has evidence that contradicts lane {lane}"));
            }
        }
        Ok(())
    }

    fn check_fork(&self, fork: &Fork, found: &mut [usize; 3]) -> std::result::Result<(), String> {
        let place = format!("the fork of level {} at {:?}", fork.level, fork.key);
        let alone = fork.present.count_ones() < 2 && fork.uniform == 0;
        let full = self.fork_content(fork).is_some() && fork.level < TOP;
        self.check_evidence(fork.evidence, &fork.masks, fork.uniform, found)
            .map_err(|what| format!("{place} {what}"))?;
        if alone || full || !(1..=TOP).contains(&fork.level) || fork.key != aligned(fork.key, fork.level) {
            return Err(format!("{place} should not exist"));
        }
        for (lane, &child) in fork.children.iter().enumerate() {
            let at = lane_key(fork.key, fork.level, lane);
            let (present, uniform, level, key) = match child.target() {
                Target::Uniform(cell) => {
                    let measured =
                        self.evidence_of(fork.evidence).is_some_and(|evidence| evidence.stored(lane).is_some());
                    let present = measured || cell != self.background;
                    (present, present, fork.level - 1, at)
                }
                Target::Brick(number) => (true, false, 0, self.bricks[number].key),
                Target::Fork(number) => (true, false, self.forks[number].level, self.forks[number].key),
            };
            let bit = |mask: u64| mask >> lane & 1 != 0;
            let any = self.any_in_lane(child, fork.level);
            if (bit(fork.present), bit(fork.uniform)) != (present, uniform)
                || (bit(fork.masks.obstacle), bit(fork.masks.unknown)) != any
                || level >= fork.level
                || !same_block(key, at, fork.level - 1)
            {
                return Err(format!("lane {lane} of {place} is not as the fork says"));
            }
            self.check_node(child, found)?;
        }
        Ok(())
    }

    /// Whether there are obstacles and unknown cells in a lane of a fork of that level that holds
    /// `link`: a node that does not fill the lane has background beside it.
    pub(super) fn any_in_lane(&self, link: Link, level: u32) -> (bool, bool) {
        let (filled, (obstacle, unknown)) = match link.target() {
            Target::Uniform(cell) => (true, Masks::all(cell).any()),
            Target::Brick(number) => (level == 1, self.bricks[number].masks.any()),
            Target::Fork(number) => (level == self.forks[number].level + 1, self.forks[number].masks.any()),
        };
        let beside = |cell: Cell| !filled && self.background == cell;
        (obstacle || beside(Cell::Obstacle), unknown || beside(Cell::Unknown))
    }

    fn same(&self, a: Link, other: &Self, b: Link) -> bool {
        match (a.target(), b.target()) {
            (Target::Uniform(a), Target::Uniform(b)) => a == b,
            (Target::Brick(a), Target::Brick(b)) => {
                let (a, b) = (&self.bricks[a], &other.bricks[b]);
                (a.masks, a.key) == (b.masks, b.key) && self.evidence_of(a.evidence) == other.evidence_of(b.evidence)
            }
            (Target::Fork(a), Target::Fork(b)) => {
                let (a, b) = (&self.forks[a], &other.forks[b]);
                (a.masks, a.present, a.uniform, a.key, a.level) == (b.masks, b.present, b.uniform, b.key, b.level)
                    && self.evidence_of(a.evidence) == other.evidence_of(b.evidence)
                    && a.children.iter().zip(&b.children).all(|(&a, &b)| self.same(a, other, b))
            }
            _ => false,
        }
    }
}

impl PartialEq for VoxelTree {
    fn eq(&self, other: &Self) -> bool {
        (self.grid, self.background, self.thresholds) == (other.grid, other.background, other.thresholds)
            && self.same(self.root, other, other.root)
    }
}
