//! The dual traversal of two trees, after Himmelstein et al.: one loop ([`traverse`]) for every
//! pair of trees and every query.
//!
//! The loop opens one side of a pair of nodes and bounds the whole block of that side's children
//! against the other node in one call. What is specific comes in through [`Query`]: bounds, what a
//! pair of leaves does, the limit beyond which nothing matters, and the order in which pairs are
//! taken.

mod main_loop;
mod order;
mod stats;
mod warm_start;
mod workspace;

pub use main_loop::traverse;
pub(crate) use main_loop::{Driver, InLanes, Placed, Search};
pub use order::{BestFirst, Block, NearestFirst, Order, Stack};
pub use stats::Stats;
pub use warm_start::WarmStart;
pub(crate) use workspace::{Candidate, MetShapes, PairLanes};
pub use workspace::{Scratch, Workspace};

use crate::tree::{MAX_CHILDREN, Node, Tree};
use std::ops::ControlFlow;

/// A pair of nodes that is still to be looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NodePair {
    /// A certified lower bound of what the pair can yield, never below its parents'; in the query's
    /// own measure.
    pub key: f32,
    /// Node of the first tree.
    pub a: Node,
    /// Node of the second tree.
    pub b: Node,
    /// For the query: a time interval, a pose; handed down to the pairs that come out of this one.
    pub tag: u32,
}

impl NodePair {
    /// The pair of two nodes, about which nothing is known.
    pub fn new(a: Node, b: Node) -> Self {
        Self { key: 0.0, a, b, tag: 0 }
    }
}

/// Bounds of one block of children against one node.
pub trait Lanes {
    /// The lanes whose lower bound is not `limit` or more, as bits; a lane that is not a number
    /// counts as below.
    fn below(&self, limit: f32) -> u64;

    /// The lower bounds; those of lanes that are not in use mean nothing.
    fn keys(&self) -> &[f32; MAX_CHILDREN];

    /// How promising lanes look, the smaller the better: for the dive to a first answer, where many
    /// keys are zero.
    #[inline(always)]
    fn guesses(&self) -> &[f32; MAX_CHILDREN] {
        self.keys()
    }

    /// The lanes that surely satisfy the query already (inner volumes that overlap), as bits.
    fn accepted(&self) -> u64 {
        0
    }
}

/// Lanes in plain memory, for blocks that are bounded one volume at a time.
#[derive(Debug, Clone, Copy)]
pub struct ArrayLanes {
    keys: [f32; MAX_CHILDREN],
    len: usize,
    accepted: u64,
}

impl ArrayLanes {
    /// How many lanes there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The keys of a block, at most [`MAX_CHILDREN`] of them.
    #[inline]
    pub fn collect(keys: impl Iterator<Item = f32>) -> Self {
        let mut lanes = Self { keys: [f32::INFINITY; MAX_CHILDREN], len: 0, accepted: 0 };
        for (slot, key) in lanes.keys.iter_mut().zip(keys) {
            *slot = key;
            lanes.len += 1;
        }
        lanes
    }

    /// The same lanes, of which those in `bits` surely satisfy the query.
    #[inline]
    pub fn accepting(self, bits: u64) -> Self {
        Self { accepted: bits, ..self }
    }
}

impl Lanes for ArrayLanes {
    #[inline]
    #[allow(
        clippy::neg_cmp_op_on_partial_ord,
        reason = "one comparison, by which a key that is NaN is below any limit"
    )]
    fn below(&self, limit: f32) -> u64 {
        let keys = self.keys[..self.len].iter().enumerate();
        keys.fold(0, |bits, (lane, &key)| bits | u64::from(!(key >= limit)) << lane)
    }

    #[inline]
    fn keys(&self) -> &[f32; MAX_CHILDREN] {
        &self.keys
    }

    #[inline]
    fn accepted(&self) -> u64 {
        self.accepted
    }
}

/// What makes a traversal of trees `A` and `B` a particular question.
pub trait Query<A: Tree, B: Tree> {
    /// What bounding a block yields.
    type Lanes: Lanes;
    /// The order in which pairs are taken.
    type Order: Order;

    /// Pairs whose key is `limit` or more are dropped; may shrink as the traversal goes on.
    fn limit(&self) -> f32;

    /// The limit that the order is told, by which [`BestFirst`] knows when to end its dive:
    /// [`limit`](Query::limit), or infinite while it shall dive although there is a limit.
    #[inline(always)]
    fn limit_of_order(&self) -> f32 {
        self.limit()
    }

    /// Certified keys of the children of `pair.a` against `pair.b`.
    fn bound_a(&mut self, a: &A, b: &B, pair: &NodePair) -> Self::Lanes;

    /// Certified keys of the children of `pair.b` against `pair.a`.
    fn bound_b(&mut self, a: &A, b: &B, pair: &NodePair) -> Self::Lanes;

    /// Two leaves meet. `front` takes further pairs, such as the same ones over halves of a time
    /// interval.
    fn leaf(&mut self, a: &A, b: &B, pair: &NodePair, front: &mut Self::Order) -> ControlFlow<()>;

    /// Which side of a pair of inner nodes is opened: the larger one, so that both shrink evenly,
    /// and a small body against a large one soon meets nodes of its own size.
    #[inline(always)]
    fn opens_a(&self, a: &A, b: &B, pair: &NodePair) -> bool {
        a.size(pair.a) >= b.size(pair.b)
    }

    /// A look at a pair before it is opened: `Break(true)` ends the traversal, `Break(false)` drops
    /// the pair.
    #[inline(always)]
    fn visit(&mut self, _pair: &NodePair, _front: &mut Self::Order) -> ControlFlow<bool> {
        ControlFlow::Continue(())
    }

    /// A pair that surely satisfies the query without a look at its leaves.
    #[inline(always)]
    fn accept(&mut self, _pair: &NodePair) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// A pair that was dropped because of its key, for queries that keep the front of their
    /// traversal.
    #[inline(always)]
    fn dropped(&mut self, _pair: &NodePair) {}

    /// Whether the budget of steps is used up: then the loop ends before it opens the next node.
    #[inline(always)]
    fn is_spent(&self) -> bool {
        false
    }

    /// The budget ended the loop: all that it has not looked at has a key of `floor` or more.
    fn exhausted(&mut self, _floor: f32) {}

    /// Whether two pairs are opened at a time: pays where bounds are SIMD arithmetic with a long
    /// latency.
    const TWO_IN_FLIGHT: bool = false;

    /// Whether [`dropped`](Query::dropped) wants to be told of children that are dropped at once.
    const KEEPS_FRONT: bool = false;
}
