//! Whether two geometries are a given distance apart or nearer: stops at the first pair that is, or
//! at nodes that must be.

use super::{Change, Composite, Defer, Goal, LeafPair};
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::traversal::{Stack, Stats};
use std::ops::ControlFlow;

/// The running state of the question "is the distance `d` or less?".
#[derive(Debug)]
pub struct WithinGoal {
    d: f64,
    found: bool,
    stats: Stats,
}

impl WithinGoal {
    /// Asks for a distance of `d` or less.
    pub fn new(d: f64) -> Self {
        Self { d, found: false, stats: Stats::default() }
    }

    /// The answer, and what it took.
    pub fn finish(self) -> (bool, Stats) {
        (self.found, self.stats)
    }

    fn found(&mut self) -> ControlFlow<()> {
        self.found = true;
        ControlFlow::Break(())
    }
}

impl Goal for WithinGoal {
    type Order = Stack;
    const OVERLAP_ONLY: bool = false;

    #[inline]
    fn limit(&self) -> f64 {
        self.d.next_up()
    }

    #[inline]
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }

    fn meet<A: Proximity<B>, B>(&mut self, _pair: LeafPair, a: &A, b: &B) -> ControlFlow<()> {
        self.stats.leaf_tests += 1;
        match a.closest_below(b, self.limit()) {
            Some(closest) if closest.upper <= self.d => self.found(),
            _ => ControlFlow::Continue(()),
        }
    }

    fn contain(&mut self, _point: DVec3) {
        self.found = true;
    }

    fn overlaps(&self) -> bool {
        self.found
    }

    fn accepts_within(&self) -> f64 {
        self.d
    }

    fn accept(&mut self) -> ControlFlow<()> {
        self.found()
    }
}

impl Defer for WithinGoal {}

impl Composite for WithinGoal {
    type Mark = ();

    fn mark(&mut self, _change: &Change) {}

    fn rewrite(&mut self, (): (), _change: &Change) {}

    fn is_done(&self) -> bool {
        self.found
    }
}
