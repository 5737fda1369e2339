//! The hierarchy itself, as it is read: by maps and snapshots alike.

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

/// The cells of a map under their hierarchy: what [`VoxelMap`](super::VoxelMap) and
/// [`VoxelSnapshot`](super::VoxelSnapshot) are read through.
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
    /// The numbers of the bricks, so that changes need not go down from the root; snapshots do
    /// without.
    pub(super) table: Table,
    pub(super) revision: OnceLock<u64>,
}

/// What was found where a brick would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Brick(u32),
    /// What a lane of a fork is all over, and the number of the fork.
    Lane(Cell, u32),
    /// Background, of which nothing was measured.
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

    /// Where the cells lie.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// What cells are that nobody touched; they take no memory.
    pub fn background(&self) -> Cell {
        self.background
    }

    /// From which probabilities on a cell is an obstacle, or free.
    pub fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    /// Whether every cell is background and nothing was measured.
    pub fn is_empty(&self) -> bool {
        self.root == Link::uniform(self.background)
    }

    /// A number that no other state of this or any other geometry has.
    pub fn revision(&self) -> u64 {
        *self.revision.get_or_init(next_revision)
    }

    /// What a cell is.
    #[inline]
    pub fn cell(&self, cell: IVec3) -> Cell {
        let key = key_of(cell);
        match self.find(key) {
            Spot::Nothing => self.background,
            Spot::Lane(cell, _) => cell,
            Spot::Brick(number) => self.bricks[number].masks.cell(lane_of(key, 0)),
        }
    }

    /// What the cell is that contains a point of the map's frame.
    pub fn cell_at(&self, point: DVec3) -> Result<Cell> {
        Ok(self.cell(self.grid.cell_at(point)?))
    }

    /// The probabilities behind a cell: what was measured or set, or else what its kind means.
    pub fn probabilities(&self, cell: IVec3) -> Probabilities {
        let Content { cell, measured } = self.content(key_of(cell));
        measured.map_or_else(|| Probabilities::certain(cell), Probabilities::from_stored)
    }

    /// What a cell is, and what was measured of it.
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

    /// What a uniform lane of a fork is, and what was measured of it.
    pub(super) fn lane_content(&self, fork: u32, lane: usize) -> Content {
        let fork = &self.forks[fork];
        let measured = self.evidence_of(fork.evidence).and_then(|evidence| evidence.stored(lane));
        Content { cell: fork.masks.cell(lane), measured }
    }

    /// What all cells of a fork have in common, if they do.
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

    /// The tree of the chosen cells, for queries and walks; an error where the background is among
    /// them, as that has no end.
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

    /// The bytes that the cells take, those that snapshots have in common with the map included.
    pub fn memory(&self) -> usize {
        self.bricks.memory() + self.forks.memory() + self.evidence.memory() + self.table.memory()
    }

    /// How many bricks of 4×4×4 cells, inner nodes, and of both those with probabilities there are.
    pub fn node_counts(&self) -> [usize; 3] {
        [self.bricks.len(), self.forks.len(), self.evidence.len()]
    }

    /// The brick of a cell, or what is there instead of one.
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

    /// Says what is wrong with the hierarchy, if anything is: every node must be there for a
    /// reason, and every mask must be true. For tests; it looks at every node.
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

    /// Says what is wrong with the evidence of a node: it must be of something, of the lanes of
    /// `within` alone, and agree with `masks`.
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

    /// Whether there are obstacles and unknown cells in a lane of a fork of that level, where
    /// `link` stands: a node that does not fill the lane has background beside it.
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
