//! Edits of a voxel map's hierarchy.
//!
//! Invariant, after every change: the hierarchy is the one that the cells alone determine
//! ([`VoxelTree::check`]), whatever the history. That is:
//! * a brick exists where cells, or the measurements behind them, differ from each other;
//! * the largest aligned blocks (4^k cells wide) that are uniform, and not background, are tags in
//!   the fork that contains them, and so are blocks of one measurement: the fork's evidence has it;
//! * a fork exists where it has two lanes that are not uniform background, or a tag; other levels
//!   do not exist.
//!
//! Cost: finding a brick is one step per level that exists, some three to five. An edit visits
//! ancestors only where a brick gains or loses its first or last obstacle or unknown cell, or
//! becomes uniform.

use super::cell::Cell;
use super::evidence::{Content, Evidence, Rules};
use super::node::{
    Brick, Fork, Key, Link, Masks, NO_EVIDENCE, TOP, Target, aligned, block_edges, blocks_over, common_level,
    first_edge, lane_key, lane_of, same_block,
};
use super::paged::Paged;
use super::store::VoxelTree;
use crate::{Error, ErrorKind, Result};
use smallvec::SmallVec;

/// The forks from the root down, and the lane taken in each.
type Path = SmallVec<[(u32, u8); 16]>;

impl VoxelTree {
    /// Sets the cells of `mask` in the brick of `key`, and discards their measurements.
    #[inline]
    pub(super) fn paint(&mut self, key: Key, mask: u64, cell: Cell) -> Result<()> {
        match self.locate(key) {
            Some(number) => {
                self.paint_brick(number, key, mask, cell);
                Ok(())
            }
            None => self.paint_anew(key, mask, cell.into()),
        }
    }

    /// The number of the brick of `key`, if there is one.
    #[inline(always)]
    pub(super) fn locate(&self, key: Key) -> Option<u32> {
        self.table.get(key, |number| same_block(self.bricks[number].key, key, 0))
    }

    /// [`paint`](Self::paint) for a brick by its number; returns whether it still exists.
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
            self.put_evidence(number, mask, None);
        }
        if masks.any() != before.any() || masks.uniform(u64::MAX).is_some() {
            self.settle(key);
            return false;
        }
        true
    }

    /// [`paint`](Self::paint) where there is no brick, with the measurements of the cells.
    #[inline(never)]
    fn paint_anew(&mut self, key: Key, mask: u64, content: Content) -> Result<()> {
        let there = self.content(key);
        if there == content {
            return Ok(());
        }
        let mut masks = Masks::all(there.cell);
        masks.paint(mask, content.cell);
        let evidence = (there.measured.is_some() || content.measured.is_some()).then(|| {
            let mut evidence = there.measured.map_or_else(Evidence::default, Evidence::filled);
            evidence.put(mask, content.measured);
            evidence
        });
        self.add_brick(key, masks, evidence)
    }

    /// Sets the cells of `mask` in the brick of `key` to `content`.
    pub(super) fn put_cells(&mut self, key: Key, mask: u64, content: Content) -> Result<()> {
        if content.measured.is_none() {
            return self.paint(key, mask, content.cell);
        }
        let Some(number) = self.locate(key) else { return self.paint_anew(key, mask, content) };
        if self.evidence.room() == 0 {
            return Err(full());
        }
        self.revision.take();
        self.bricks.get_mut(number).masks.paint(mask, content.cell);
        self.put_evidence(number, mask, content.measured);
        self.settle(key);
        Ok(())
    }

    /// Stores a measurement for the cells of `mask` in a brick, or discards theirs.
    fn put_evidence(&mut self, brick: u32, mask: u64, measured: Option<[u16; 2]>) {
        let before = self.bricks[brick].evidence;
        let evidence = put_evidence(&mut self.evidence, before, mask, measured);
        if evidence != before {
            self.bricks.get_mut(brick).evidence = evidence;
        }
    }

    /// Combines a hit for the cells of `hit` in the brick of `key`, and a miss for those of `miss`.
    /// The masks are disjoint.
    pub(super) fn measure(&mut self, key: Key, hit: u64, miss: u64, rules: &Rules) -> Result<()> {
        if hit | miss == 0 {
            return Ok(());
        }
        let Some(number) = self.locate(key) else { return self.measure_anew(key, hit, miss, rules) };
        if self.evidence.room() == 0 {
            return Err(full());
        }
        self.revision.take();
        let brick = self.bricks.get_mut(number);
        if brick.evidence == NO_EVIDENCE {
            brick.evidence = self.evidence.insert(Evidence::default());
        }
        let before = brick.masks.any();
        let evidence = self.evidence.get_mut(brick.evidence);
        evidence.update(hit, miss, &mut brick.masks, self.background, rules);
        if brick.masks.any() != before || evidence.common().is_some() {
            self.settle(key);
        }
        Ok(())
    }

    /// [`measure`](Self::measure) where there is no brick. A block whose content does not change
    /// stays whole.
    fn measure_anew(&mut self, key: Key, hit: u64, miss: u64, rules: &Rules) -> Result<()> {
        let there = self.content(key);
        let mut masks = Masks::all(there.cell);
        let mut evidence = there.measured.map_or_else(Evidence::default, Evidence::filled);
        evidence.update(hit, miss, &mut masks, self.background, rules);
        if Content::common(&masks, Some(&evidence)) == Some(there) {
            return Ok(());
        }
        self.add_brick(key, masks, Some(evidence))
    }

    /// Adds a brick where there is none, or a uniform block if its cells are equal.
    fn add_brick(&mut self, key: Key, masks: Masks, evidence: Option<Evidence>) -> Result<()> {
        if let Some(content) = Content::common(&masks, evidence.as_ref()) {
            return self.fill_block(key, 1, content);
        }
        if self.bricks.room() == 0 {
            return Err(full());
        }
        self.revision.take();
        let mut path = self.path_to(key, 0)?;
        let key = aligned(key, 0);
        let evidence = evidence.map_or(NO_EVIDENCE, |evidence| self.evidence.insert(evidence));
        let number = self.bricks.insert(Brick { masks, key, evidence });
        self.table.insert(key, number);
        self.put(&path, Link::brick(number));
        self.tidy(&mut path);
        Ok(())
    }

    /// Makes the block of 4^level cells (level 1 to 15) that contains `key` uniform.
    pub(super) fn fill_block(&mut self, key: Key, level: u32, content: impl Into<Content>) -> Result<()> {
        self.revision.take();
        let mut path = self.path_to(key, level)?;
        let (number, lane) = path[path.len() - 1];
        let there = self.forks[number].children[usize::from(lane)];
        self.release(there);
        self.put_lane(number, lane, content.into());
        self.tidy(&mut path);
        Ok(())
    }

    /// Fills all cells from `low` to `high`, both included, with one content.
    pub(super) fn fill_range(&mut self, low: Key, high: Key, content: Content) -> Result<()> {
        let range = (first_edge(low), first_edge(high).map(|edge| edge + 1));
        blocks_over(low, high).try_for_each(|(key, level)| self.fill_part(key, level, range, content))
    }

    /// Fills the part of the block of 4^level cells at `key` within `range`.
    fn fill_part(&mut self, key: Key, level: u32, range: ([i64; 3], [i64; 3]), content: Content) -> Result<()> {
        let (low, high) = block_edges(key, 1 << (2 * level));
        if (0..3).any(|axis| low[axis] >= range.1[axis] || range.0[axis] >= high[axis]) {
            return Ok(());
        }
        if (0..3).all(|axis| range.0[axis] <= low[axis] && high[axis] <= range.1[axis]) {
            return self.fill_block(key, level, content);
        }
        if level > 1 {
            let part = |lane| lane_key(key, level - 1, lane);
            return (0..64).try_for_each(|lane| self.fill_part(part(lane), level - 1, range, content));
        }
        let inside = |lane: &usize| {
            let edge = first_edge(lane_key(key, 0, *lane));
            (0..3).all(|axis| range.0[axis] <= edge[axis] && edge[axis] < range.1[axis])
        };
        let mask = (0..64).filter(inside).fold(0, |mask, lane| mask | 1 << lane);
        self.put_cells(key, mask, content)
    }

    /// Restores the invariant after a change of the brick of `key`.
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
        match Content::common(&brick.masks, self.evidence_of(brick.evidence)) {
            // A map without room for one more fork keeps the brick.
            Some(content) if content == self.background.into() || self.forks.room() > 0 => {
                self.remove_brick(number);
                self.put_uniform(&mut path, key, 1, content);
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
                self.remove_fork(number);
                self.put_uniform(path, key, level + 1, self.background.into());
            } else if let Some(content) = self.fork_content(fork).filter(|_| level < TOP) {
                self.remove_fork(number);
                self.put_uniform(path, key, level + 1, content);
            } else if fork.present.is_power_of_two() && fork.uniform == 0 {
                let only = fork.children[fork.present.trailing_zeros() as usize];
                self.remove_fork(number);
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
        let evidence = put_evidence(&mut self.evidence, self.forks[number].evidence, 1 << lane, None);
        let fork = self.forks.get_mut(number);
        fork.evidence = evidence;
        fork.put_node(usize::from(lane), link, any);
    }

    /// Puts a uniform block into a lane of a fork.
    fn put_lane(&mut self, fork: u32, lane: u8, content: Content) {
        let present = content != self.background.into();
        let evidence = put_evidence(&mut self.evidence, self.forks[fork].evidence, 1 << lane, content.measured);
        let fork = self.forks.get_mut(fork);
        fork.evidence = evidence;
        fork.put_uniform(usize::from(lane), content.cell, present);
    }

    /// Puts a uniform block of 4^level cells at the end of the path, in a fork of its own where
    /// there is none.
    fn put_uniform(&mut self, path: &mut Path, key: Key, level: u32, content: Content) {
        let background = self.background;
        let fits = |tree: &Self, &(number, _): &(u32, u8)| tree.forks[number].level == level;
        if content != background.into() && !path.last().is_some_and(|last| fits(self, last)) {
            // The removal of the former content made room for this one.
            let number = self.forks.insert(Fork::filled(background, key, level, false));
            self.put(path, Link::fork(number));
            path.push((number, lane_of(key, level) as u8));
        }
        match path.last() {
            Some(&(number, lane)) => self.put_lane(number, lane, content),
            None => self.root = Link::uniform(background),
        }
    }

    /// Makes the path to a fork of that level that contains `key` or, for level 0, to the place of
    /// the brick of `key`. The invariant may not hold until [`tidy`](Self::tidy) has gone up.
    fn path_to(&mut self, key: Key, level: u32) -> Result<Path> {
        // All levels, one for `put_uniform`, and of evidence one more for the brick.
        if self.forks.room() <= TOP + 1 || self.evidence.room() <= TOP + 2 {
            return Err(full());
        }
        let mut path = Path::new();
        let mut link = self.root;
        loop {
            let (at, size) = match link.target() {
                Target::Fork(number) => (self.forks[number].key, self.forks[number].level),
                Target::Brick(number) => (self.bricks[number].key, 0),
                Target::Uniform(cell) => {
                    let (parent, content) = path.last().map_or((level + 1, cell.into()), |&(number, lane)| {
                        (self.forks[number].level, self.lane_content(number, usize::from(lane)))
                    });
                    let present = content != self.background.into();
                    if level == 0 && (!present || parent == 1) {
                        return Ok(path);
                    }
                    let mut fork = Fork::filled(cell, key, if present { parent - 1 } else { level }, present);
                    if let Some(stored) = content.measured {
                        fork.evidence = self.evidence.insert(Evidence::filled(stored));
                    }
                    // A fork whose only block is split would have one child: it gives way to that.
                    let alone = |number: u32| present && self.forks[number].present.is_power_of_two();
                    if let Some((number, _)) = path.last().copied().filter(|&(number, _)| alone(number)) {
                        path.pop();
                        self.remove_fork(number);
                    }
                    link = self.grow(&path, fork);
                    continue;
                }
            };
            if !same_block(key, at, size) || size < level {
                let above = common_level(key, at).max(level);
                let mut fork = Fork::filled(self.background, key, above, false);
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
        let brick = &self.bricks[number];
        if brick.evidence != NO_EVIDENCE {
            self.evidence.remove(brick.evidence);
        }
        self.table.remove(brick.key, number);
        self.bricks.remove(number);
    }

    fn remove_fork(&mut self, number: u32) {
        let evidence = self.forks[number].evidence;
        if evidence != NO_EVIDENCE {
            self.evidence.remove(evidence);
        }
        self.forks.remove(number);
    }

    /// Gives back all nodes from `link` down.
    fn release(&mut self, link: Link) {
        match link.target() {
            Target::Uniform(_) => {}
            Target::Brick(number) => self.remove_brick(number),
            Target::Fork(number) => {
                for lane in 0..64 {
                    self.release(self.forks[number].children[lane]);
                }
                self.remove_fork(number);
            }
        }
    }
}

/// Stores a measurement for the lanes of `mask` of a node whose evidence has that number, or
/// discards theirs; returns the new number.
fn put_evidence(evidence: &mut Paged<Evidence>, number: u32, mask: u64, measured: Option<[u16; 2]>) -> u32 {
    if number == NO_EVIDENCE {
        return measured.map_or(NO_EVIDENCE, |_| {
            let mut first = Evidence::default();
            first.put(mask, measured);
            evidence.insert(first)
        });
    }
    // Nothing to discard: the page stays shared with snapshots.
    if measured.is_none() && evidence[number].measured & mask == 0 {
        return number;
    }
    let changed = evidence.get_mut(number);
    changed.put(mask, measured);
    if changed.measured == 0 {
        evidence.remove(number);
        return NO_EVIDENCE;
    }
    number
}

#[cold]
fn full() -> Error {
    Error::new(
        ErrorKind::OutOfRange,
        "the voxel map is full: it has 2^24 blocks of 4×4×4 cells or blocks that are not the same all over",
    )
}
