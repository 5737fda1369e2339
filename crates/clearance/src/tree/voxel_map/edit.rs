//! Changes of the hierarchy.
//!
//! Invariant, after every change: the hierarchy is the one that the cells alone determine ([`VoxelTree::check`]), whatever the
//! history. That is:
//! * a brick exists where cells differ from each other, or something was measured;
//! * the largest aligned blocks (4^k cells wide) that are the same all over, and not background, are tags in the fork that contains them;
//! * a fork exists where it has two lanes that are not background all over, or a tag; other levels are left out.
//!
//! Cost: finding a brick is one step per level that exists, some three to five; ancestors are looked at only where a brick gains
//! or loses its first or last obstacle or unknown cell, or becomes the same all over.

use super::cell::{Cell, Probabilities};
use super::evidence::{Evidence, Rules};
use super::node::{
    Brick, Fork, Key, Link, Masks, NO_EVIDENCE, TOP, Target, aligned, block_corners, blocks_over, common_level,
    first_edge, lane_key, lane_of, same_block,
};
use super::store::{Spot, VoxelTree};
use crate::{Error, ErrorKind, Result};
use smallvec::SmallVec;

/// The forks from the root down, and the lane taken in each.
type Path = SmallVec<[(u32, u8); 16]>;

impl VoxelTree {
    /// Makes the cells of `mask` in the brick of `key` `cell`, and forgets what was measured of them.
    #[inline]
    pub(super) fn paint(&mut self, key: Key, mask: u64, cell: Cell) -> Result<()> {
        match self.locate(key) {
            Some(number) => {
                self.paint_brick(number, key, mask, cell);
                Ok(())
            }
            None => self.paint_anew(key, mask, cell),
        }
    }

    /// The number of the brick of `key`, if there is one.
    #[inline(always)]
    pub(super) fn locate(&self, key: Key) -> Option<u32> {
        self.table.get(key, |number| same_block(self.bricks[number].key, key, 0))
    }

    /// [`paint`](Self::paint) of a brick whose number is known; whether it still exists.
    #[inline]
    pub(super) fn paint_brick(&mut self, number: u32, key: Key, mask: u64, cell: Cell) -> bool {
        let brick = &self.bricks[number];
        let before = brick.masks;
        let mut masks = before;
        masks.paint(mask, cell);
        let measured = brick.evidence != NO_EVIDENCE;
        if masks == before && !measured {
            return true;
        }
        self.bricks.get_mut(number).masks = masks;
        self.revision.take();
        if measured {
            self.forget(number, mask);
        }
        if masks.any() != before.any() || masks.uniform(u64::MAX).is_some() {
            self.settle(key);
            return false;
        }
        true
    }

    /// What all cells around `key` are, where there is no brick.
    fn around(&self, key: Key) -> Cell {
        match self.find(key) {
            Spot::Uniform(cell) => cell,
            Spot::Brick(number) => self.bricks[number].masks.cell(lane_of(key, 0)),
        }
    }

    /// [`paint`](Self::paint) where there is no brick.
    #[inline(never)]
    fn paint_anew(&mut self, key: Key, mask: u64, cell: Cell) -> Result<()> {
        let there = self.around(key);
        if there == cell {
            return Ok(());
        }
        let mut masks = Masks::all(there);
        masks.paint(mask, cell);
        if masks.uniform(u64::MAX).is_some() {
            return self.fill_block(key, 1, cell);
        }
        let (mut path, _) = self.add_brick(key, masks)?;
        self.tidy(&mut path);
        Ok(())
    }

    #[cold]
    fn forget(&mut self, brick: u32, mask: u64) {
        let number = self.bricks[brick].evidence;
        let evidence = self.evidence.get_mut(number);
        evidence.forget(mask);
        if evidence.measured == 0 {
            self.evidence.remove(number);
            self.bricks.get_mut(brick).evidence = NO_EVIDENCE;
        }
    }

    /// Sets what is known of one cell.
    pub(super) fn set_probabilities(&mut self, key: Key, probabilities: &Probabilities) -> Result<()> {
        let cell = self.thresholds.classify(probabilities);
        let (number, _) = self.evident_brick(key)?;
        let lane = lane_of(key, 0);
        let brick = self.bricks.get_mut(number);
        brick.masks.paint(1 << lane, cell);
        self.evidence.get_mut(brick.evidence).set(lane, probabilities);
        self.settle(key);
        Ok(())
    }

    /// Takes a hit for the cells of `hit` in the brick of `key`, and a miss for those of `miss`, which have none in common.
    pub(super) fn measure(&mut self, key: Key, hit: u64, miss: u64, rules: &Rules) -> Result<()> {
        let (number, is_new) = self.evident_brick(key)?;
        let brick = self.bricks.get_mut(number);
        let before = brick.masks.any();
        self.evidence.get_mut(brick.evidence).update(hit, miss, &mut brick.masks, self.background, rules);
        if is_new || brick.masks.any() != before {
            self.settle(key);
        }
        Ok(())
    }

    /// The brick of `key` with room for evidence, and whether it was made now: then the hierarchy is not in order until
    /// [`settle`](Self::settle).
    fn evident_brick(&mut self, key: Key) -> Result<(u32, bool)> {
        if self.evidence.room() == 0 {
            return Err(full());
        }
        self.revision.take();
        let found = self.locate(key);
        let number = match found {
            Some(number) => number,
            None => self.add_brick(key, Masks::all(self.around(key)))?.1,
        };
        if self.bricks[number].evidence == NO_EVIDENCE {
            self.bricks.get_mut(number).evidence = self.evidence.insert(Evidence::default());
        }
        Ok((number, found.is_none()))
    }

    /// A new brick where there is none, and the path to it, which [`tidy`](Self::tidy) has to go up.
    fn add_brick(&mut self, key: Key, masks: Masks) -> Result<(Path, u32)> {
        if self.bricks.room() == 0 {
            return Err(full());
        }
        self.revision.take();
        let path = self.reach(key, 0)?;
        let key = aligned(key, 0);
        let number = self.bricks.insert(Brick { masks, key, evidence: NO_EVIDENCE });
        self.table.insert(key, number);
        self.put(&path, Link::brick(number));
        Ok((path, number))
    }

    /// Makes the block of 4^level cells (level 1 to 15) that contains `key` the same all over.
    pub(super) fn fill_block(&mut self, key: Key, level: u32, cell: Cell) -> Result<()> {
        self.revision.take();
        let mut path = self.reach(key, level)?;
        let (number, lane) = path[path.len() - 1];
        let there = self.forks[number].children[usize::from(lane)];
        self.release(there);
        self.forks.get_mut(number).put_uniform(usize::from(lane), cell, self.background);
        self.tidy(&mut path);
        Ok(())
    }

    /// Makes all cells from `low` to `high`, both included, the same.
    pub(super) fn fill_range(&mut self, low: Key, high: Key, cell: Cell) -> Result<()> {
        let range = (first_edge(low), first_edge(high).map(|edge| edge + 1));
        blocks_over(low, high).try_for_each(|(key, level)| self.fill_part(key, level, range, cell))
    }

    /// Of the block of 4^level cells at `key`, what is within `range`.
    fn fill_part(&mut self, key: Key, level: u32, range: ([i64; 3], [i64; 3]), cell: Cell) -> Result<()> {
        let (low, high) = block_corners(key, 1 << (2 * level));
        if (0..3).any(|axis| low[axis] >= range.1[axis] || range.0[axis] >= high[axis]) {
            return Ok(());
        }
        if (0..3).all(|axis| range.0[axis] <= low[axis] && high[axis] <= range.1[axis]) {
            return self.fill_block(key, level, cell);
        }
        if level > 1 {
            return (0..64).try_for_each(|lane| self.fill_part(lane_key(key, level - 1, lane), level - 1, range, cell));
        }
        let inside = |lane: &usize| {
            let edge = first_edge(lane_key(key, 0, *lane));
            (0..3).all(|axis| range.0[axis] <= edge[axis] && edge[axis] < range.1[axis])
        };
        let mask = (0..64).filter(inside).fold(0, |mask, lane| mask | 1 << lane);
        self.paint(key, mask, cell)
    }

    /// Puts the hierarchy in order after a change of the brick of `key`.
    pub(super) fn settle(&mut self, key: Key) {
        let mut path = Path::new();
        let mut link = self.root;
        while let Target::Fork(number) = link.target() {
            let fork = &self.forks[number];
            let lane = lane_of(key, fork.level);
            path.push((number, lane as u8));
            link = fork.children[lane];
        }
        let Target::Brick(number) = link.target() else { return };
        let brick = &self.bricks[number];
        match brick.masks.uniform(u64::MAX) {
            // A map without room for one more fork keeps the brick.
            Some(cell) if brick.evidence == NO_EVIDENCE && (cell == self.background || self.forks.room() > 0) => {
                self.remove_brick(number);
                self.put_uniform(&mut path, key, 1, cell);
            }
            _ => self.put(&path, link),
        }
        self.tidy(&mut path);
    }

    /// Goes up a path whose last fork has changed, and removes, merges and marks forks as needed.
    fn tidy(&mut self, path: &mut Path) {
        while let Some((number, _)) = path.pop() {
            let fork = &self.forks[number];
            let (key, level) = (fork.key, fork.level);
            if fork.present == 0 {
                self.forks.remove(number);
                self.put_uniform(path, key, level + 1, self.background);
            } else if let Some(cell) = fork.all().filter(|_| level < TOP) {
                self.forks.remove(number);
                self.put_uniform(path, key, level + 1, cell);
            } else if fork.present.is_power_of_two() && fork.uniform == 0 {
                let only = fork.children[fork.present.trailing_zeros() as usize];
                self.forks.remove(number);
                self.put(path, only);
            } else if let Some(&(parent, lane)) = path.last() {
                let any = self.any_in_lane(Link::fork(number), self.forks[parent].level);
                let before = &self.forks[parent].masks;
                if (before.obstacle >> lane & 1 != 0, before.unknown >> lane & 1 != 0) == any {
                    return;
                }
                self.forks.get_mut(parent).mark(usize::from(lane), any);
            }
        }
    }

    /// Puts a node where the path ends.
    fn put(&mut self, path: &Path, link: Link) {
        let Some(&(number, lane)) = path.last() else {
            self.root = link;
            return;
        };
        let any = self.any_in_lane(link, self.forks[number].level);
        self.forks.get_mut(number).put_node(usize::from(lane), link, any);
    }

    /// Puts a block of 4^level cells that is the same all over where the path ends, in a fork of its own where there is none.
    fn put_uniform(&mut self, path: &mut Path, key: Key, level: u32, cell: Cell) {
        let background = self.background;
        let fits = |tree: &Self, &(number, _): &(u32, u8)| tree.forks[number].level == level;
        if cell != background && !path.last().is_some_and(|last| fits(self, last)) {
            // Removing what was here before made room for this one.
            let number = self.forks.insert(Fork::filled(background, key, level, background));
            self.put(path, Link::fork(number));
            path.push((number, lane_of(key, level) as u8));
        }
        match path.last() {
            Some(&(number, lane)) => self.forks.get_mut(number).put_uniform(usize::from(lane), cell, background),
            None => self.root = Link::uniform(background),
        }
    }

    /// The path to a fork of that level that contains `key`, made where there is none, or, for level 0, to where the brick of `key` is or
    /// belongs: then the hierarchy is not in order until [`tidy`](Self::tidy) has gone up.
    fn reach(&mut self, key: Key, level: u32) -> Result<Path> {
        // All levels, and one for `put_uniform`.
        if self.forks.room() <= TOP + 1 {
            return Err(full());
        }
        let mut path = Path::new();
        let mut link = self.root;
        loop {
            let (at, size) = match link.target() {
                Target::Fork(number) => (self.forks[number].key, self.forks[number].level),
                Target::Brick(number) => (self.bricks[number].key, 0),
                Target::Uniform(cell) => {
                    let parent = path.last().map_or(level + 1, |&(number, _)| self.forks[number].level);
                    if level == 0 && (cell == self.background || parent == 1) {
                        return Ok(path);
                    }
                    let size = if cell == self.background { level } else { parent - 1 };
                    link = self.grow(&path, Fork::filled(cell, key, size, self.background));
                    continue;
                }
            };
            if !same_block(key, at, size) || size < level {
                let above = common_level(key, at).max(level);
                let mut fork = Fork::filled(self.background, key, above, self.background);
                fork.put_node(lane_of(at, above), link, self.any_in_lane(link, above));
                link = self.grow(&path, fork);
                continue;
            }
            let Target::Fork(number) = link.target() else { return Ok(path) };
            let lane = lane_of(key, size);
            path.push((number, lane as u8));
            if size == level {
                return Ok(path);
            }
            link = self.forks[number].children[lane];
        }
    }

    fn grow(&mut self, path: &Path, fork: Fork) -> Link {
        let link = Link::fork(self.forks.insert(fork));
        self.put(path, link);
        link
    }

    fn remove_brick(&mut self, number: u32) {
        self.table.remove(self.bricks[number].key, number);
        self.bricks.remove(number);
    }

    /// Gives back all nodes from `link` down.
    fn release(&mut self, link: Link) {
        match link.target() {
            Target::Uniform(_) => {}
            Target::Brick(number) => {
                let evidence = self.bricks[number].evidence;
                if evidence != NO_EVIDENCE {
                    self.evidence.remove(evidence);
                }
                self.remove_brick(number);
            }
            Target::Fork(number) => {
                for lane in 0..64 {
                    self.release(self.forks[number].children[lane]);
                }
                self.forks.remove(number);
            }
        }
    }
}

#[cold]
fn full() -> Error {
    Error::new(
        ErrorKind::OutOfRange,
        "the voxel map is full: it has 2^24 blocks of 4×4×4 cells or blocks that are not the same all over",
    )
}
