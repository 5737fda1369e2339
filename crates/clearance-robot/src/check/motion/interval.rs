//! Parts of a motion, and what is known about pairs over them.

/// A pair that is not proven over an interval.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    pub(super) pair: u32,
    /// A look is worth while over intervals of this half length or less.
    pub(super) half: f64,
    /// It is proven between these times.
    proven: [f64; 2],
}

impl Open {
    pub(super) fn new(pair: usize) -> Self {
        Self { pair: pair as u32, half: 1.0, proven: [0.0; 2] }
    }

    /// Whether it is proven over all of an interval.
    pub(super) fn is_done(&self, interval: &Interval) -> bool {
        self.proven[0] <= interval.begin() && interval.end() <= self.proven[1]
    }

    /// Whether a look over an interval is worth while: short enough, and more than a half of it
    /// open.
    pub(super) fn is_due(&self, interval: &Interval) -> bool {
        let covers = |begin: f64, end: f64| self.proven[0] <= begin && end <= self.proven[1];
        let half_done = covers(interval.begin(), interval.middle) || covers(interval.middle, interval.end());
        self.half >= interval.half && !half_done
    }

    /// The same after a look that proved `half` about a time, to be taken up again over intervals
    /// of half length `next`.
    pub(super) fn after(&self, middle: f64, half: f64, next: f64) -> Self {
        let (new, old) = ([middle - half, middle + half], self.proven);
        let joined = new[0] <= old[1] && old[0] <= new[1];
        let both = [new[0].min(old[0]), new[1].max(old[1])];
        let longer = if new[1] - new[0] > old[1] - old[0] { new } else { old };
        Self { pair: self.pair, half: next, proven: if joined { both } else { longer } }
    }
}

/// A part of the motion, and where its open pairs are listed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Interval {
    pub(super) middle: f64,
    pub(super) half: f64,
    pub(super) list: [usize; 2],
}

impl Interval {
    pub(super) fn begin(&self) -> f64 {
        self.middle - self.half
    }

    pub(super) fn end(&self) -> f64 {
        self.middle + self.half
    }
}

/// What a look at a pair over an interval yields.
pub(super) enum Seen {
    /// It keeps so much more than it needs.
    Clear(f64),
    /// It keeps `by` more than it needs within a part of the interval about its middle, and is to
    /// be looked at again over intervals that are so much shorter.
    Again { proven: f64, by: f64, shorter: f64 },
    /// So near in the middle, and the interval is too short to be halved again.
    Near(f64),
    /// It touches in the middle; `last`: and the interval is as short as that.
    Touches { last: bool },
}

/// A time at which a pair is within `gap` of touching.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) t: f64,
    pub(super) pair: usize,
    pub(super) gap: f64,
}

/// What goes on over one interval, for all of its pairs.
pub(super) struct Now {
    pub(super) rounding: f64,
    /// By how much more than nothing pairs must be apart to be proven.
    pub(super) clearance: f64,
    pub(super) tolerance: f64,
    pub(super) proofs_hold: bool,
}
