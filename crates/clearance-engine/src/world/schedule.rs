//! A schedule of checks: the pairs that can collide soonest come first.
//!
//! Each pair has a time until which it provably does not collide, from a certified distance and
//! bounds on speed and acceleration ([`Closing`]). A heap orders pairs by that time (Mirtich and
//! Canny, *Impulse-based dynamic simulation*, 1994): its first one bounds the time until which
//! nothing can have been missed. The levels of a binary heap are also the buckets of Foisy, Hayward
//! and Aubry (*The use of awareness in collision prediction*, 1990; survey 4.3): 1, 2, 4, 8 …
//! pairs, of which each tick updates one a bucket, and between which pairs percolate as their times
//! change. So one array serves both orders.
//!
//! Invariant: no pair is before its parent; no pair collides before its time.
//! Cost: the logarithm of the number of pairs for each check.

use super::pair_finder::BodyPair;
use crate::math::UNIT_ROUNDOFF;
use crate::{Error, ErrorKind, Result};
use std::collections::HashMap;

/// Upper bounds of the speed and acceleration at which any two points of two bodies approach each
/// other.
///
/// ```
/// use clearance_engine::world::Closing;
/// let fall = Closing { speed: 1.0, acceleration: 10.0 };
/// assert!((fall.safe_time(6.0) - 1.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closing {
    /// The sum of both bodies' speeds: now, or at any time without an acceleration.
    pub speed: f64,
    /// The sum of both bodies' accelerations, at any time.
    pub acceleration: f64,
}

impl Closing {
    /// The time in which two bodies cannot come nearer by `distance`; rounded down, and 0 for
    /// bounds that are NaN or negative.
    pub fn safe_time(&self, distance: f64) -> f64 {
        let Self { speed, acceleration } = *self;
        if !(distance > 0.0 && speed >= 0.0 && acceleration >= 0.0) {
            return 0.0;
        }
        // The positive root of `speed·t + acceleration·t²/2 = distance`, in the form that does not
        // cancel; a sum of two that are infinite, or a square that is, makes it 0.
        let time = 2.0 * distance / (speed + (speed * speed + 2.0 * acceleration * distance).sqrt());
        if time.is_nan() { 0.0 } else { time * (1.0 - 8.0 * UNIT_ROUNDOFF) }
    }
}

/// The order in which a tick spends its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Order {
    /// The pairs that can collide soonest, and only those that can before the end of the tick.
    #[default]
    Earliest,
    /// One pair of each bucket in turn, buckets of 1, 2, 4, 8 … pairs, sooner ones in smaller
    /// buckets, until the budget is spent.
    Awareness,
    /// One after the other, whatever their times: for comparison.
    #[cfg(feature = "lab")]
    RoundRobin,
}

/// The result of a tick.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Checks {
    /// The number of checked pairs.
    pub checked: usize,
    /// The least time of all pairs: before it no pair collides but those that checks found.
    pub guaranteed_until: f64,
}

struct Entry {
    pair: BodyPair,
    safe_until: f64,
    /// Its place in the heap.
    at: usize,
    /// The tick of its last check.
    tick: u64,
}

/// A priority queue of pairs by the time at which they can first collide.
///
/// ```
/// use clearance_engine::{math::DVec3, world::{FinderOptions, Groups, Order, PairFinder, Schedule}};
/// let mut finder = PairFinder::new(FinderOptions::default())?;
/// let [a, b, c] = [0.0, 1.0, 2.0].map(|x| finder.insert(DVec3::X * x, DVec3::X * x, Groups::default()).unwrap());
/// let mut schedule = Schedule::default();
/// schedule.insert([a, b], 0.0);
/// schedule.insert([b, c], 0.0);
/// // Both are due; the first can meet at 5, the second at 3.
/// let checks = schedule.tick(1.0, 10, Order::Earliest, |pair| Ok(if pair == [a, b] { 5.0 } else { 3.0 }))?;
/// assert_eq!((checks.checked, checks.guaranteed_until), (2, 3.0));
/// assert_eq!(schedule.tick(2.0, 10, Order::Earliest, |_| Ok(9.0))?.checked, 0);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Default)]
pub struct Schedule {
    entries: Vec<Entry>,
    free: Vec<u32>,
    index: HashMap<BodyPair, u32>,
    /// Numbers of entries; each is not before that at `(i − 1) / 2`.
    heap: Vec<u32>,
    /// The next one of each level.
    cursors: Vec<usize>,
    /// The next one for `Order::RoundRobin`.
    #[cfg(feature = "lab")]
    next: usize,
    ticks: u64,
    chosen: Vec<u32>,
}

impl Schedule {
    /// Inserts a pair that provably does not collide before `safe_until`, or updates its time.
    pub fn insert(&mut self, pair: BodyPair, safe_until: f64) {
        // Without a proof a collision may happen at once.
        let safe_until = if safe_until.is_nan() { f64::NEG_INFINITY } else { safe_until };
        if let Some(&number) = self.index.get(&pair) {
            return self.set(number, safe_until);
        }
        let entry = Entry { pair, safe_until, at: self.heap.len(), tick: 0 };
        let number = match self.free.pop() {
            Some(number) => {
                self.entries[number as usize] = entry;
                number
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        self.index.insert(pair, number);
        self.heap.push(number);
        self.sift_up(self.heap.len() - 1);
    }

    /// Removes a pair; returns whether it existed.
    pub fn remove(&mut self, pair: BodyPair) -> bool {
        let Some(number) = self.index.remove(&pair) else { return false };
        let at = self.entries[number as usize].at;
        self.heap.swap_remove(at);
        self.free.push(number);
        if let Some(&moved) = self.heap.get(at) {
            self.entries[moved as usize].at = at;
            self.sift_up(at);
            self.sift_down(self.entries[moved as usize].at);
        }
        true
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Whether the schedule has no pairs.
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// The time until which a pair provably does not collide.
    pub fn safe_until(&self, pair: BodyPair) -> Option<f64> {
        self.index.get(&pair).map(|&number| self.entries[number as usize].safe_until)
    }

    /// The time before which no pair collides; infinite for an empty schedule.
    pub fn guaranteed_until(&self) -> f64 {
        self.heap.first().map_or(f64::INFINITY, |&first| self.entries[first as usize].safe_until)
    }

    /// Checks up to `budget` pairs, each at most once. `check` returns the time until which a pair
    /// provably does not collide; for a colliding pair that is the present.
    ///
    /// If the answer's `guaranteed_until` is at least `until`, only the collisions that checks
    /// found can happen before `until`. If the budget was too small for that, the same holds before
    /// `guaranteed_until`. An error of a check ends the tick and leaves its pair unchanged.
    pub fn tick(
        &mut self,
        until: f64,
        budget: usize,
        order: Order,
        mut check: impl FnMut(BodyPair) -> Result<f64>,
    ) -> Result<Checks> {
        self.ticks += 1;
        let budget = budget.min(self.heap.len());
        let mut checked = 0;
        match order {
            Order::Earliest => self.choose_due(until, budget),
            Order::Awareness => self.choose_by_bucket(budget),
            #[cfg(feature = "lab")]
            Order::RoundRobin => self.choose_in_turn(budget),
        }
        let chosen = std::mem::take(&mut self.chosen);
        for &number in &chosen {
            let safe_until = check(self.entries[number as usize].pair)?;
            if safe_until.is_nan() {
                return Err(Error::new(
                    ErrorKind::NotFinite,
                    "a check answered NaN as the time until which a pair is safe",
                ));
            }
            checked += 1;
            self.set(number, safe_until);
        }
        self.chosen = chosen;
        Ok(Checks { checked, guaranteed_until: self.guaranteed_until() })
    }

    /// Chooses the earliest pairs with a time before `until`.
    fn choose_due(&mut self, until: f64, budget: usize) {
        self.chosen.clear();
        // Places of the heap with chosen parents: the next one is the earliest of them.
        let key = |schedule: &Self, at: usize| schedule.entries[schedule.heap[at] as usize].safe_until;
        let mut open = std::collections::BinaryHeap::new();
        if !self.heap.is_empty() {
            open.push(Soonest(key(self, 0), 0));
        }
        while let Some(Soonest(time, at)) = open.pop() {
            if self.chosen.len() == budget || time >= until {
                break;
            }
            self.chosen.push(self.heap[at]);
            let below = [2 * at + 1, 2 * at + 2].into_iter().filter(|&child| child < self.heap.len());
            open.extend(below.map(|child| Soonest(key(self, child), child)));
        }
    }

    /// Chooses one pair of each level of the heap in turn, from the top; then again, while there is
    /// budget.
    fn choose_by_bucket(&mut self, budget: usize) {
        self.chosen.clear();
        let levels = (usize::BITS - self.heap.len().leading_zeros()) as usize;
        self.cursors.resize(levels, 0);
        while self.chosen.len() < budget {
            for level in 0..levels {
                let first = (1 << level) - 1;
                let size = (self.heap.len() - first).min(1 << level);
                let at = first + self.cursors[level] % size;
                self.cursors[level] = (self.cursors[level] + 1) % size;
                let number = self.heap[at];
                let looked_at = std::mem::replace(&mut self.entries[number as usize].tick, self.ticks) == self.ticks;
                if !looked_at && self.chosen.len() < budget {
                    self.chosen.push(number);
                }
            }
        }
    }

    #[cfg(feature = "lab")]
    fn choose_in_turn(&mut self, budget: usize) {
        self.chosen.clear();
        let turn = (0..budget).map(|i| self.heap[(self.next + i) % self.heap.len()]);
        self.chosen.extend(turn);
        self.next = (self.next + budget) % self.heap.len().max(1);
    }

    fn set(&mut self, number: u32, safe_until: f64) {
        let entry = &mut self.entries[number as usize];
        entry.safe_until = safe_until;
        let at = entry.at;
        self.sift_up(at);
        self.sift_down(self.entries[number as usize].at);
    }

    fn time(&self, at: usize) -> f64 {
        self.entries[self.heap[at] as usize].safe_until
    }

    fn exchange(&mut self, a: usize, b: usize) {
        self.heap.swap(a, b);
        self.entries[self.heap[a] as usize].at = a;
        self.entries[self.heap[b] as usize].at = b;
    }

    fn sift_up(&mut self, mut at: usize) {
        while at > 0 && self.time(at) < self.time((at - 1) / 2) {
            self.exchange(at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    }

    fn sift_down(&mut self, mut at: usize) {
        loop {
            let below = [2 * at + 1, 2 * at + 2].into_iter().filter(|&child| child < self.heap.len());
            let Some(least) = below.min_by(|&a, &b| self.time(a).total_cmp(&self.time(b))) else { return };
            if self.time(least) >= self.time(at) {
                return;
            }
            self.exchange(at, least);
            at = least;
        }
    }
}

/// A place in the heap by its time, the least one first.
#[derive(PartialEq)]
struct Soonest(f64, usize);

impl Eq for Soonest {}

impl PartialOrd for Soonest {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Soonest {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.total_cmp(&self.0).then(other.1.cmp(&self.1))
    }
}
