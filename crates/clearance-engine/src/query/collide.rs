//! Whether two geometries share a point, and the first pair of shapes found to do so.

use super::goal::max_steps;
use super::{CONTACT, Change, Composite, Defer, Goal, LeafPair, Status};
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::traversal::{Order, Stack, Stats};
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// What to ask: how long to search.
///
/// ```
/// use clearance_engine::query::CollideRequest;
/// let request = CollideRequest { max_steps: Some(1_000) };
/// assert_eq!(CollideRequest::default().max_steps, None);
/// # assert_ne!(request, CollideRequest::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollideRequest {
    /// The budget: [steps of the traversal](Stats::steps) after which the search ends undecided, with
    /// [`Status::Budget`]; none by default.
    pub max_steps: Option<usize>,
}

/// The answer of a collision query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collision {
    /// Whether they touch or overlap, at places that are rounded to `f64`. Bodies nearer to contact
    /// than that rounding may be called either, and a distance has 0 as its lower bound there.
    /// Solids that no search tells apart count as colliding, and so does what a budget left open.
    pub colliding: bool,
    /// Two shapes that do; none where one solid contains the other, or volumes inside of both told.
    pub leaves: Option<(u32, u32)>,
    /// [`Status::Budget`] where the budget ended the search before that was decided, else
    /// [`Status::Exact`].
    pub status: Status,
    /// What it took.
    pub stats: Stats,
}

/// The running state of a collision query; `O` is the order of its traversals.
#[derive(Debug)]
pub struct CollideGoal<O = Stack> {
    colliding: bool,
    leaves: Option<(u32, u32)>,
    /// The budget, and whether it ended a traversal.
    max_steps: u64,
    exhausted: bool,
    stats: Stats,
    order: PhantomData<O>,
}

impl<O> Default for CollideGoal<O> {
    fn default() -> Self {
        Self::new(&CollideRequest::default())
    }
}

impl<O> CollideGoal<O> {
    /// A goal that has found nothing yet.
    #[inline]
    pub fn new(request: &CollideRequest) -> Self {
        Self {
            colliding: false,
            leaves: None,
            max_steps: max_steps(request.max_steps),
            exhausted: false,
            stats: Stats::default(),
            order: PhantomData,
        }
    }

    /// The answer.
    pub fn finish(self) -> Collision {
        let Self { colliding, leaves, exhausted, stats, .. } = self;
        let open = exhausted && !colliding;
        let status = if open { Status::Budget } else { Status::Exact };
        Collision { colliding: colliding || open, leaves, status, stats }
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

    #[inline(always)]
    fn is_spent(&self) -> bool {
        self.stats.steps() >= self.max_steps
    }

    fn exhausted(&mut self, _floor: f64) {
        self.exhausted = true;
    }

    fn is_exhausted(&self) -> bool {
        self.exhausted
    }
}

impl<O: Order> Defer for CollideGoal<O> {}

impl<O: Order> Composite for CollideGoal<O> {
    type Mark = bool;

    fn mark(&mut self, _change: &Change) -> bool {
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
