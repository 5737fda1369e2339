//! Which side of a pair of inner nodes is opened: strategies for
//! [`Query::opens_a`](super::Query::opens_a).

use super::NodePair;
use crate::tree::Tree;

/// The larger side: both sides shrink evenly, and a small body against a large one soon meets nodes
/// of its own size.
#[inline(always)]
pub fn larger<A: Tree, B: Tree>(a: &A, b: &B, pair: &NodePair) -> bool {
    a.size(pair.a) >= b.size(pair.b)
}

/// The first tree until it is at a leaf (hetero's example): fewer different fixed volumes, more
/// pairs.
#[inline(always)]
pub fn first<A: Tree, B: Tree>(_a: &A, _b: &B, _pair: &NodePair) -> bool {
    true
}
