//! Evidence: the probabilities behind the cells of a brick or the uniform blocks of a fork, and
//! their update by measurements.
//!
//! Source: the triplet is `hetero`'s (section V.A); Dempster's rule combines measurements (Shafer,
//! *A Mathematical Theory of Evidence*, 1976). A hit supports *obstacle* to a degree h, a miss
//! supports *free* to a degree m, and the rest of each says nothing:
//!
//! > hit: O ← O + U·h, F ← F·(1 − h), U ← U·(1 − h); miss: the same with O and F exchanged; then
//! > divided by their sum.
//!
//! The undetermined part never falls below a small floor (O and F are scaled down before a
//! measurement), so a map follows a world that changes: from free, seen a thousand times, three
//! hits of 0.7 make an obstacle.
//!
//! Cost: 4 bytes a lane where anything was measured, for 64 lanes at once; some 80 ns to update all
//! 64. A lane is a cell of a brick, or a uniform block of a fork: however large a block is, its
//! measurement takes 4 bytes until a change splits it.

use super::cell::{Cell, Probabilities, Thresholds};
use super::node::Masks;
use crate::{Error, ErrorKind, Readable, Result};

/// A sensor model: the weight of one hit and one miss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SensorModel {
    /// The degree to which a hit supports that its cell is an obstacle.
    pub hit: f32,
    /// The degree to which a ray that crosses a cell supports that it is free.
    pub miss: f32,
    /// The least probability that stays undetermined after any number of measurements.
    pub least_unknown: f32,
    /// The maximum range: longer rays are cut there. They clear the cells that they cross, and hit
    /// nothing. Infinite for no limit.
    pub max_range: f64,
}

impl Default for SensorModel {
    /// A hit of 0.7 and a miss of 0.5: one of them decides about an unobserved cell, three hits or
    /// six misses overturn a certain one. 0.03 stays undetermined; any range.
    fn default() -> Self {
        Self { hit: 0.7, miss: 0.5, least_unknown: 0.03, max_range: f64::INFINITY }
    }
}

impl SensorModel {
    pub(super) fn checked(&self) -> Result<&Self> {
        let parts = [("hit", self.hit), ("miss", self.miss), ("least_unknown", self.least_unknown)];
        for (what, part) in parts {
            if !(part > 0.0 && part < 1.0) {
                let message = format!("`{what}` of a sensor must be between 0 and 1, and is {}", Readable(part));
                return Err(Error::new(ErrorKind::BadRequest, message));
            }
        }
        if self.max_range.is_nan() || self.max_range <= 0.0 {
            let message = format!("`max_range` of a sensor must be positive, and is {}", Readable(self.max_range));
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        Ok(self)
    }
}

/// The content of a uniform block: its cell, and the measurement behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Content {
    pub cell: Cell,
    /// The probabilities as stored; `None` without a measurement.
    pub measured: Option<[u16; 2]>,
}

impl From<Cell> for Content {
    fn from(cell: Cell) -> Self {
        Self { cell, measured: None }
    }
}

impl Content {
    /// A cell with these probabilities.
    pub(super) fn of(probabilities: &Probabilities, thresholds: &Thresholds) -> Self {
        Self { cell: thresholds.classify(probabilities), measured: Some(probabilities.stored()) }
    }

    /// The common content of all lanes of `masks`, if they have the same cell and the same
    /// measurement.
    pub(super) fn common(masks: &Masks, evidence: Option<&Evidence>) -> Option<Self> {
        let cell = masks.uniform(u64::MAX)?;
        match evidence {
            None => Some(cell.into()),
            Some(evidence) => Some(Self { cell, measured: Some(evidence.common()?) }),
        }
    }
}

/// The measurements of the 4×4×4 lanes of a node: cells of a brick, uniform blocks of a fork.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Evidence {
    /// The lanes with a measurement. The numbers of all others are zero.
    pub measured: u64,
    obstacle: [u16; 64],
    free: [u16; 64],
}

impl Default for Evidence {
    fn default() -> Self {
        Self { measured: 0, obstacle: [0; 64], free: [0; 64] }
    }
}

impl Evidence {
    pub(super) fn get(&self, lane: usize) -> Option<Probabilities> {
        self.stored(lane).map(Probabilities::from_stored)
    }

    pub(super) fn stored(&self, lane: usize) -> Option<[u16; 2]> {
        (self.measured >> lane & 1 != 0).then(|| [self.obstacle[lane], self.free[lane]])
    }

    /// Whether the numbers of a lane are zero: equal evidence has equal numbers.
    pub(super) fn is_zero(&self, lane: usize) -> bool {
        [self.obstacle[lane], self.free[lane]] == [0; 2]
    }

    /// The same measurement for all lanes.
    pub(super) fn filled([obstacle, free]: [u16; 2]) -> Self {
        Self { measured: u64::MAX, obstacle: [obstacle; 64], free: [free; 64] }
    }

    /// Stores one measurement for the lanes of `mask`, or discards theirs.
    pub(super) fn put(&mut self, mask: u64, measured: Option<[u16; 2]>) {
        self.measured = if measured.is_some() { self.measured | mask } else { self.measured & !mask };
        for lane in lanes(mask) {
            [self.obstacle[lane], self.free[lane]] = measured.unwrap_or_default();
        }
    }

    /// The common measurement of all lanes, if they have one.
    #[inline]
    pub(super) fn common(&self) -> Option<[u16; 2]> {
        let [obstacle, free] = [self.obstacle[0], self.free[0]];
        // The last lanes reveal most differences.
        let differ = self.measured != u64::MAX || [self.obstacle[63], self.free[63]] != [obstacle, free];
        if differ || self.obstacle.iter().any(|&o| o != obstacle) || self.free.iter().any(|&f| f != free) {
            return None;
        }
        Some([obstacle, free])
    }

    /// Stores the probabilities of the lanes of `mask` before their first measurement: they were
    /// set, unless they are background.
    fn begin(&mut self, mask: u64, masks: &Masks, background: Cell) {
        for lane in lanes(mask & !self.measured) {
            let cell = masks.cell(lane);
            let prior = if cell == background { Probabilities::UNDETERMINED } else { Probabilities::certain(cell) };
            self.put(1 << lane, Some(prior.stored()));
        }
    }

    /// Combines a hit for the lanes of `hit` and a miss for those of `miss`, which are disjoint,
    /// and classifies them anew.
    pub(super) fn update(&mut self, hit: u64, miss: u64, masks: &mut Masks, background: Cell, rules: &Rules) {
        let touched = hit | miss;
        self.begin(touched, masks, background);
        let (mut obstacles, mut frees) = (0_u64, 0_u64);
        for octant in 0..8 {
            if touched >> (8 * octant) & 0xff == 0 {
                continue;
            }
            let (o, f) = (&self.obstacle[8 * octant..][..8], &self.free[8 * octant..][..8]);
            let changed: [[u16; 2]; 8] = std::array::from_fn(|k| {
                let bit = 8 * octant + k;
                let hit = (hit >> bit & 1) as u32 as f32 * rules.hit;
                let miss = (miss >> bit & 1) as u32 as f32 * rules.miss;
                rules.combined(o[k], f[k], hit, miss)
            });
            for (k, [obstacle, free]) in changed.into_iter().enumerate() {
                let bit = 8 * octant + k;
                if touched >> bit & 1 != 0 {
                    self.obstacle[bit] = obstacle;
                    self.free[bit] = free;
                }
                obstacles |= u64::from(self.obstacle[bit] >= rules.thresholds[0]) << bit;
                frees |= u64::from(self.free[bit] >= rules.thresholds[1]) << bit;
            }
        }
        masks.paint(touched & obstacles, Cell::Obstacle);
        masks.paint(touched & !obstacles & frees, Cell::Free);
        masks.paint(touched & !obstacles & !frees, Cell::Unknown);
    }
}

/// The prepared numbers of a sensor model.
pub(super) struct Rules {
    hit: f32,
    miss: f32,
    max_cached: f32,
    thresholds: [u16; 2],
}

impl Rules {
    pub(super) fn new(sensor: &SensorModel, thresholds: &Thresholds) -> Self {
        let max_cached = (1.0 - sensor.least_unknown) * f32::from(u16::MAX);
        Self { hit: sensor.hit, miss: sensor.miss, max_cached, thresholds: thresholds.stored() }
    }

    /// Dempster's rule for one cell, in units of stored probabilities. A cell with neither hit nor
    /// miss may change here.
    #[inline(always)]
    fn combined(&self, obstacle: u16, free: u16, hit: f32, miss: f32) -> [u16; 2] {
        const ALL: f32 = u16::MAX as f32;
        let (o, f) = (f32::from(obstacle), f32::from(free));
        let known = o + f;
        let scale = if known > self.max_cached { self.max_cached / known } else { 1.0 };
        let (o, f) = (o * scale, f * scale);
        let u = ALL - o - f;
        let o = o * (1.0 - miss) + u * hit;
        let f = f * (1.0 - hit) + u * miss;
        let u = u * (1.0 - hit - miss);
        let scale = ALL / (o + f + u);
        [o, f].map(|part| (part * scale + 0.5) as i32 as u16)
    }
}

/// The lanes of a mask, in order.
#[inline]
pub(super) fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            lane
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(background: Cell, start: Cell, measurements: &[(bool, usize)]) -> (Cell, Probabilities) {
        let rules = Rules::new(&SensorModel::default(), &Thresholds::default());
        let mut evidence = Evidence::default();
        let mut masks = Masks::all(start);
        for &(hit, count) in measurements {
            for _ in 0..count {
                let (hit, miss) = if hit { (1 << 9, 0) } else { (0, 1 << 9) };
                evidence.update(hit, miss, &mut masks, background, &rules);
            }
        }
        assert_eq!(evidence.measured, 1 << 9);
        assert_eq!(masks.cell(8), start, "a cell that was not measured");
        (masks.cell(9), evidence.get(9).unwrap())
    }

    #[test]
    fn one_measurement_decides_about_a_cell_never_seen() {
        for background in [Cell::Free, Cell::Unknown] {
            let (cell, hit) = after(background, background, &[(true, 1)]);
            assert_eq!(cell, Cell::Obstacle);
            assert!((hit.obstacle() - 0.7).abs() < 1e-4 && hit.free() == 0.0);
            let (cell, miss) = after(background, background, &[(false, 1)]);
            assert_eq!(cell, Cell::Free);
            assert!((miss.free() - 0.5).abs() < 1e-4 && miss.obstacle() == 0.0);
        }
    }

    #[test]
    fn three_hits_or_six_misses_overturn_what_was_certain() {
        assert_eq!(after(Cell::Unknown, Cell::Unknown, &[(false, 1000), (true, 2)]).0, Cell::Free);
        assert_eq!(after(Cell::Unknown, Cell::Unknown, &[(false, 1000), (true, 3)]).0, Cell::Obstacle);
        assert_ne!(after(Cell::Unknown, Cell::Unknown, &[(true, 1000), (false, 5)]).0, Cell::Free);
        assert_eq!(after(Cell::Unknown, Cell::Unknown, &[(true, 1000), (false, 6)]).0, Cell::Free);
        assert_eq!(after(Cell::Free, Cell::Obstacle, &[(false, 6)]).0, Cell::Free, "set, not measured");
    }

    #[test]
    fn the_rule_is_dempsters() {
        // Two independent supports of 0.7 and 0.5 in conflict, by hand: O : F : U = 0.35 : 0.15 :
        // 0.15.
        let (_, both) = after(Cell::Unknown, Cell::Unknown, &[(true, 1), (false, 1)]);
        assert!((both.obstacle() - 0.35 / 0.65).abs() < 1e-4, "{both:?}");
        assert!((both.free() - 0.15 / 0.65).abs() < 1e-4, "{both:?}");
    }
}
