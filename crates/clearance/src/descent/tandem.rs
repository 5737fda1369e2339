//! THE loop.

use super::{Lanes, Order, Pair, Query};
use crate::tree::Tree;
use std::ops::ControlFlow;

/// Takes pairs from `front`, which starts with `seeds`, until none is left below the query's limit or the query breaks.
///
/// Seeds are any pairs that together cover what is asked: the two roots, the front of an earlier descent, the pairs of a
/// schedule. Memory is `front`'s, so that nothing is allocated once it has grown; there is no recursion.
// Inlined, so that a query inside of `lanes::vectorized` keeps its instructions.
#[inline(always)]
pub fn descend<A: Tree, B: Tree, Q: Query<A, B>>(
    a: &A,
    b: &B,
    query: &mut Q,
    front: &mut Q::Order,
    seeds: &[Pair],
) -> ControlFlow<()> {
    front.clear();
    front.push_block(seeds.iter().copied());
    while let Some(pair) = front.pop(query.limit()) {
        if pair.key >= query.limit() {
            query.dropped(&pair);
            continue;
        }
        match query.visit(&pair, front) {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(true) => return ControlFlow::Break(()),
            ControlFlow::Break(false) => continue,
        }
        let (leaf_a, leaf_b) = (a.is_leaf(pair.a), b.is_leaf(pair.b));
        if leaf_a && leaf_b {
            query.leaf(a, b, &pair, front)?;
            continue;
        }
        if leaf_b || (!leaf_a && query.opens_a(a, b, &pair)) {
            let lanes = query.bound_a(a, b, &pair);
            push(query, front, &pair, &lanes, |lane| Pair { a: a.child(pair.a, lane), ..pair })?;
        } else {
            let lanes = query.bound_b(a, b, &pair);
            push(query, front, &pair, &lanes, |lane| Pair { b: b.child(pair.b, lane), ..pair })?;
        }
    }
    ControlFlow::Continue(())
}

/// Pushes the lanes that can still matter. A child inherits its parent's bound: in a tree whose children leave their parent
/// the child's own bound may be the weaker one.
#[inline(always)]
fn push<A: Tree, B: Tree, Q: Query<A, B>>(
    query: &mut Q,
    front: &mut Q::Order,
    parent: &Pair,
    lanes: &Q::Lanes,
    child: impl Fn(usize) -> Pair,
) -> ControlFlow<()> {
    let mut accepted = lanes.accepted();
    while accepted != 0 {
        query.accept(&child(accepted.trailing_zeros() as usize))?;
        accepted &= accepted - 1;
    }
    let open = lanes.below(query.limit());
    let with_key = |lane: usize| Pair { key: lanes.key(lane).max(parent.key), ..child(lane) };
    if Q::KEEPS_FRONT {
        // Nothing is NaN or more, so this is the set of all lanes.
        let mut dropped = lanes.below(f32::NAN) & !open;
        while dropped != 0 {
            query.dropped(&with_key(dropped.trailing_zeros() as usize));
            dropped &= dropped - 1;
        }
    }
    front.push_block(Bits(open).map(with_key));
    ControlFlow::Continue(())
}

/// The positions of the set bits.
struct Bits(u64);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let lane = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(lane)
    }
}
