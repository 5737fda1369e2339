//! Broad phase by hashed grids (spatial hashing), one for each size of boxes.
//!
//! A body is in the grid whose cells are the power of four next above its longest edge, in the up
//! to eight cells that its box touches. A search visits every grid in use, so that R, the ratio of
//! the largest box to the smallest, costs a factor of `1 + log R` (survey 4.3, after Overmars).
//! Cells are lists in a table of buckets by a hash of level and coordinates. A pair belongs to the
//! cell of its common box's low corner, so that the search reports it once.
//!
//! Invariant: a body has an entry for each cell that `cell_of` of its corners span. `cell_of` is
//! monotone, so boxes that overlap share the cell of their common low corner, also where
//! coordinates are so large that cells wrap around: then the search tests more, and misses nothing.
//! Cost: the cells of each changed box, twice, and their contents.

use super::{BroadPhase, Tracked};
use crate::world::WorldBox;

const NONE: u32 = u32::MAX;

/// The maximum number of cells of a search; beyond it the search tests all bodies of a grid
/// instead, if they are fewer.
const FEW_CELLS: i64 = 27;

/// Bits of a coordinate in a key.
const COORDINATE: u32 = 18;

/// One body in one cell.
#[derive(Clone, Copy)]
struct Entry {
    cell: u64,
    body: u32,
    next: u32,
}

/// A range of cells, both ends included.
#[derive(Clone, Copy, PartialEq)]
struct Cells {
    low: [i64; 3],
    high: [i64; 3],
}

impl Cells {
    fn count(&self) -> i64 {
        (0..3)
            .fold(1, |product: i64, axis| product.saturating_mul((self.high[axis] - self.low[axis]).saturating_add(1)))
    }

    /// Calls `visit` with the key of each.
    #[inline]
    fn each(&self, exponent: i32, mut visit: impl FnMut(u64)) {
        for x in self.low[0]..=self.high[0] {
            for y in self.low[1]..=self.high[1] {
                for z in self.low[2]..=self.high[2] {
                    visit(key(exponent, [x, y, z]));
                }
            }
        }
    }
}

/// A grid in use, and the bodies in it.
struct Level {
    /// Cells are this power of two wide.
    exponent: i32,
    bodies: Vec<u32>,
}

/// The home of a body.
#[derive(Clone, Copy, PartialEq)]
enum Home {
    Nowhere,
    /// Too large for any grid.
    Large,
    In {
        exponent: i32,
        cells: Cells,
    },
}

/// A broad phase by hashed grids (spatial hashing), one for each size of boxes.
pub struct Grid {
    /// The first entry of each bucket; their number is a power of two.
    buckets: Vec<u32>,
    entries: Vec<Entry>,
    free: Vec<u32>,
    used: usize,
    levels: Vec<Level>,
    homes: Vec<Home>,
    /// The place of each body in the list of its level.
    places: Vec<u32>,
    large: Vec<u32>,
}

impl Default for Grid {
    fn default() -> Self {
        let buckets = vec![NONE; 64];
        Self {
            buckets,
            entries: vec![],
            free: vec![],
            used: 0,
            levels: vec![],
            homes: vec![],
            places: vec![],
            large: vec![],
        }
    }
}

/// The exponent of a box's grid: even, and its cells at least as wide as the box.
fn exponent_of(bounds: &WorldBox) -> i32 {
    let bits = bounds.longest().max(f32::MIN_POSITIVE).to_bits();
    // One above the exponent of a number is the power of two above it; then up to an even one.
    let above = (bits >> 23) as i32 - 127 + 1;
    above + (above & 1)
}

#[inline]
fn cell_of(coordinate: f32, per_length: f64) -> i64 {
    // A power of two scales exactly, so that this is monotone. Numbers that are too large end at
    // the largest integer, whose half leaves room for differences.
    (f64::from(coordinate) * per_length).floor().clamp(-4e18, 4e18) as i64
}

fn per_length(exponent: i32) -> f64 {
    (-f64::from(exponent)).exp2()
}

#[inline]
fn key(exponent: i32, cell: [i64; 3]) -> u64 {
    let part = |x: i64| x as u64 & ((1 << COORDINATE) - 1);
    let [x, y, z] = cell.map(part);
    ((exponent + 256) as u64) << (3 * COORDINATE) | x << (2 * COORDINATE) | y << COORDINATE | z
}

fn cells_of(bounds: &WorldBox, exponent: i32) -> Cells {
    let scale = per_length(exponent);
    let corner = |corner: [f32; 3]| corner.map(|x| cell_of(x, scale));
    let (low, high) = bounds.ends();
    Cells { low: corner(low), high: corner(high) }
}

/// The cell that a pair of boxes belongs to.
#[inline]
fn shared_cell(a: &WorldBox, b: &WorldBox, exponent: i32, scale: f64) -> u64 {
    key(exponent, a.low.max(b.low).to_array().map(|x| cell_of(x, scale)))
}

impl BroadPhase for Grid {
    fn update(&mut self, tracked: &Tracked, changed: &[u32], found: &mut Vec<[u32; 2]>) {
        self.homes.resize(tracked.now.len(), Home::Nowhere);
        self.places.resize(tracked.now.len(), NONE);
        for &body in changed {
            self.place(body, &tracked.now[body as usize]);
        }
        for &body in changed {
            let bounds = &tracked.now[body as usize];
            if !bounds.is_empty() {
                self.search(tracked, bounds, |other| {
                    if tracked.is_new_from(body, other) {
                        found.push([body, other]);
                    }
                });
            }
        }
    }

    fn overlapping(&self, tracked: &Tracked, region: &WorldBox, found: &mut Vec<u32>) {
        self.search(tracked, region, |body| found.push(body));
    }
}

impl Grid {
    fn bucket(&self, cell: u64) -> usize {
        // Fibonacci hashing (Knuth): the high bits of a product depend on all bits of the key.
        let spread = cell.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (spread >> (64 - self.buckets.len().trailing_zeros())) as usize
    }

    /// Reports every body whose box overlaps `region`, once.
    fn search(&self, tracked: &Tracked, region: &WorldBox, mut hit: impl FnMut(u32)) {
        let mut look = |body: u32| {
            if tracked.now[body as usize].overlaps(region) {
                hit(body);
            }
        };
        self.large.iter().for_each(|&body| look(body));
        for level in &self.levels {
            // An unbounded region has no cells.
            let cells = if region.is_large() { None } else { Some(cells_of(region, level.exponent)) };
            let few = FEW_CELLS.max(level.bodies.len() as i64).min(1 << COORDINATE);
            match cells.filter(|cells| cells.count() <= few) {
                None => level.bodies.iter().for_each(|&body| look(body)),
                Some(cells) => {
                    let scale = per_length(level.exponent);
                    cells.each(level.exponent, |cell| {
                        let mut at = self.buckets[self.bucket(cell)];
                        while let Some(&Entry { cell: in_cell, body, next }) = self.entries.get(at as usize) {
                            at = next;
                            let bounds = &tracked.now[body as usize];
                            if in_cell == cell && shared_cell(bounds, region, level.exponent, scale) == cell {
                                look(body);
                            }
                        }
                    });
                }
            }
        }
    }

    fn place(&mut self, body: u32, bounds: &WorldBox) {
        let home = match bounds {
            bounds if bounds.is_empty() => Home::Nowhere,
            bounds if bounds.is_large() => Home::Large,
            bounds => {
                let exponent = exponent_of(bounds);
                Home::In { exponent, cells: cells_of(bounds, exponent) }
            }
        };
        let old = std::mem::replace(&mut self.homes[body as usize], home);
        if old == home {
            return;
        }
        let level = |home: &Home| if let Home::In { exponent, .. } = home { Some(*exponent) } else { None };
        let moves = level(&old) != level(&home);
        match old {
            Home::Nowhere => {}
            Home::Large => self.large.retain(|&other| other != body),
            Home::In { exponent, cells } => {
                cells.each(exponent, |cell| self.drop_entry(cell, body));
                if moves {
                    self.leave(exponent, body);
                }
            }
        }
        match home {
            Home::Nowhere => {}
            Home::Large => self.large.push(body),
            Home::In { exponent, cells } => {
                cells.each(exponent, |cell| self.add_entry(cell, body));
                if moves {
                    self.join(exponent, body);
                }
            }
        }
    }

    fn join(&mut self, exponent: i32, body: u32) {
        let known = self.levels.iter().position(|level| level.exponent == exponent);
        let at = known.unwrap_or_else(|| {
            self.levels.push(Level { exponent, bodies: Vec::new() });
            self.levels.len() - 1
        });
        self.places[body as usize] = self.levels[at].bodies.len() as u32;
        self.levels[at].bodies.push(body);
    }

    fn leave(&mut self, exponent: i32, body: u32) {
        let Some(at) = self.levels.iter().position(|level| level.exponent == exponent) else { return };
        let (bodies, place) = (&mut self.levels[at].bodies, self.places[body as usize]);
        bodies.swap_remove(place as usize);
        if let Some(&moved) = bodies.get(place as usize) {
            self.places[moved as usize] = place;
        }
        if bodies.is_empty() {
            self.levels.swap_remove(at);
        }
    }

    fn add_entry(&mut self, cell: u64, body: u32) {
        if self.used >= self.buckets.len() {
            self.spread();
        }
        self.used += 1;
        let bucket = self.bucket(cell);
        let entry = Entry { cell, body, next: self.buckets[bucket] };
        let at = match self.free.pop() {
            Some(at) => {
                self.entries[at as usize] = entry;
                at
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        self.buckets[bucket] = at;
    }

    fn drop_entry(&mut self, cell: u64, body: u32) {
        let bucket = self.bucket(cell);
        let (mut before, mut at) = (NONE, self.buckets[bucket]);
        while let Some(&entry) = self.entries.get(at as usize) {
            if entry.cell == cell && entry.body == body {
                match self.entries.get_mut(before as usize) {
                    Some(before) => before.next = entry.next,
                    None => self.buckets[bucket] = entry.next,
                }
                self.free.push(at);
                self.used -= 1;
                return;
            }
            (before, at) = (at, entry.next);
        }
    }

    /// Doubles the number of buckets.
    fn spread(&mut self) {
        let old = std::mem::take(&mut self.buckets);
        self.buckets = vec![NONE; 2 * old.len()];
        for first in old {
            let mut at = first;
            while let Some(&Entry { cell, next, .. }) = self.entries.get(at as usize) {
                let bucket = self.bucket(cell);
                self.entries[at as usize].next = std::mem::replace(&mut self.buckets[bucket], at);
                at = next;
            }
        }
    }
}
