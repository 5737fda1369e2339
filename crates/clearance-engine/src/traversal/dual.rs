//! THE loop.

use super::order::set_bits;
use super::{Lanes, NodePair, Order, Query};
use crate::tree::{MAX_CHILDREN, Tree};
use std::ops::ControlFlow;

/// Takes pairs from `front`, which starts with `seeds`, until none is left below the query's limit
/// or the query breaks.
///
/// Seeds are any pairs that together cover what is asked: the two roots, the front of an earlier
/// traversal, the pairs of a schedule. Memory is `front`'s, so that nothing is allocated once it
/// has grown; there is no recursion.
// Inlined, so that a query inside of `lanes::vectorized` keeps its instructions.
#[inline(always)]
pub fn traverse<A: Tree, B: Tree, Q: Query<A, B>>(
    a: &A,
    b: &B,
    query: &mut Q,
    front: &mut Q::Order,
    seeds: &[NodePair],
) -> ControlFlow<()> {
    front.clear();
    for seed in seeds {
        front.push(*seed, seed.key);
    }
    while let Some(pair) = next_to_open(a, b, query, front)? {
        // A second pair in flight hides the latency of the first one's bounds.
        let second = if Q::TWO_IN_FLIGHT { next_to_open(a, b, query, front)? } else { None };
        let opened = Opened::new(a, b, query, pair);
        if let Some(second) = second {
            let opened = Opened::new(a, b, query, second);
            opened.push_children(a, b, query, front)?;
        }
        opened.push_children(a, b, query, front)?;
    }
    ControlFlow::Continue(())
}

/// The next pair with a node to open; pairs of leaves meet on the way.
#[inline(always)]
fn next_to_open<A: Tree, B: Tree, Q: Query<A, B>>(
    a: &A,
    b: &B,
    query: &mut Q,
    front: &mut Q::Order,
) -> ControlFlow<(), Option<NodePair>> {
    while let Some(pair) = front.pop(query.limit_of_order()) {
        if pair.key >= query.limit() {
            query.dropped(&pair);
            continue;
        }
        match query.visit(&pair, front) {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(true) => return ControlFlow::Break(()),
            ControlFlow::Break(false) => continue,
        }
        if a.is_leaf(pair.a) && b.is_leaf(pair.b) {
            query.leaf(a, b, &pair, front)?;
            continue;
        }
        return ControlFlow::Continue(Some(pair));
    }
    ControlFlow::Continue(None)
}

/// A pair of which one side was opened.
struct Opened<L> {
    pair: NodePair,
    opens_a: bool,
    lanes: L,
}

impl<L: Lanes> Opened<L> {
    #[inline(always)]
    fn new<A: Tree, B: Tree, Q: Query<A, B, Lanes = L>>(a: &A, b: &B, query: &mut Q, pair: NodePair) -> Self {
        let opens_a = b.is_leaf(pair.b) || (!a.is_leaf(pair.a) && query.opens_a(a, b, &pair));
        let lanes = if opens_a { query.bound_a(a, b, &pair) } else { query.bound_b(a, b, &pair) };
        Self { pair, opens_a, lanes }
    }

    #[inline(always)]
    fn push_children<A: Tree, B: Tree, Q: Query<A, B, Lanes = L>>(
        self,
        a: &A,
        b: &B,
        query: &mut Q,
        front: &mut Q::Order,
    ) -> ControlFlow<()> {
        let pair = self.pair;
        if self.opens_a {
            let child = a.children(pair.a);
            push(query, front, &pair, &self.lanes, |lane| NodePair { a: child(lane), ..pair })
        } else {
            let child = b.children(pair.b);
            push(query, front, &pair, &self.lanes, |lane| NodePair { b: child(lane), ..pair })
        }
    }
}

/// Pushes the lanes that can still matter. A child inherits its parent's bound: in a tree whose
/// children leave their parent the child's own bound may be the weaker one.
#[inline(always)]
fn push<A: Tree, B: Tree, Q: Query<A, B>>(
    query: &mut Q,
    front: &mut Q::Order,
    parent: &NodePair,
    lanes: &Q::Lanes,
    child: impl Fn(usize) -> NodePair,
) -> ControlFlow<()> {
    for lane in set_bits(lanes.accepted()) {
        query.accept(&child(lane))?;
    }
    let open = lanes.below(query.limit());
    // All lanes at once, used or not: that is one instruction where eight are a register.
    let mut keys = *lanes.keys();
    for key in &mut keys {
        *key = key.max(parent.key);
    }
    let with_key = |lane: usize| NodePair { key: keys[lane & (MAX_CHILDREN - 1)], ..child(lane) };
    if Q::KEEPS_FRONT {
        // Nothing is NaN or more, so this is the set of all lanes.
        let all = lanes.below(f32::NAN);
        set_bits(all & !open).for_each(|lane| query.dropped(&with_key(lane)));
    }
    front.push_block(open, &keys, lanes.guesses(), with_key);
    ControlFlow::Continue(())
}
