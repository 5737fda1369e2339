//! Whether two geometries share a point, and the first pair of shapes found to do so.

use super::{CONTACT, Change, Composite, Defer, Goal, LeafPair};
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::traversal::{Order, Stack, Stats};
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// The answer of a collision query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collision {
    /// Whether they touch or overlap, at places that are rounded to `f64`. Bodies nearer to contact
    /// than that rounding may be called either, and a distance has 0 as its lower bound there.
    /// Solids that no search tells apart count as colliding.
    pub colliding: bool,
    /// Two shapes that do; none where one solid contains the other, or volumes inside of both told.
    pub leaves: Option<(u32, u32)>,
    /// What it took.
    pub stats: Stats,
}

/// The running state of a collision query; `O` is the order of its traversals.
#[derive(Debug, Default)]
pub struct CollideGoal<O = Stack> {
    colliding: bool,
    leaves: Option<(u32, u32)>,
    stats: Stats,
    order: PhantomData<O>,
}

impl<O> CollideGoal<O> {
    /// The answer.
    pub fn finish(self) -> Collision {
        Collision { colliding: self.colliding, leaves: self.leaves, stats: self.stats }
    }
}

impl<O: Order> Goal for CollideGoal<O> {
    type Order = O;
    const OVERLAP_ONLY: bool = true;

    #[inline]
    fn limit(&self) -> f64 {
        CONTACT
    }

    #[inline]
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }

    #[inline]
    fn meet<A: Proximity<B>, B>(&mut self, pair: LeafPair, a: &A, b: &B) -> ControlFlow<()> {
        self.stats.leaf_tests += 1;
        if !a.overlaps(b) {
            return ControlFlow::Continue(());
        }
        self.colliding = true;
        self.leaves = Some((pair.a, pair.b));
        ControlFlow::Break(())
    }

    fn accept(&mut self) -> ControlFlow<()> {
        self.colliding = true;
        ControlFlow::Break(())
    }

    fn contain(&mut self, _point: DVec3) {
        self.colliding = true;
    }

    fn overlaps(&self) -> bool {
        self.colliding
    }

    fn remembered(&self) -> Option<(u32, u32)> {
        self.leaves
    }
}

impl<O: Order> Defer for CollideGoal<O> {}

impl<O: Order> Composite for CollideGoal<O> {
    type Mark = bool;

    fn mark(&self) -> bool {
        self.colliding
    }

    fn rewrite(&mut self, was_colliding: bool, change: &Change) {
        if !was_colliding {
            self.leaves = self.leaves.map(|leaves| change.leaves(leaves));
        }
    }

    fn is_done(&self) -> bool {
        self.colliding
    }

    #[inline]
    fn recall(&mut self, overlapping: impl FnOnce() -> Option<bool>) -> bool {
        let Some(overlapping) = overlapping() else { return false };
        if overlapping {
            // Only of two solids overlaps are recalled: each is one shape.
            (self.colliding, self.leaves) = (true, Some((0, 0)));
        }
        true
    }
}
