//! Many searches in one tree, in turns.
//!
//! One search waits most of its time: for the memory of the next node, and for the arithmetic that
//! tells which one is next. So several are on their way together. All that are at inner nodes do
//! their arithmetic, in which nothing has to be foreseen, then each of them chooses where it goes on
//! and asks for that memory; likewise at leaves.

use super::Node;
use super::bvh8::Bvh8Tree;
use crate::math::lanes::Lanes8;

/// So many searches are on their way at a time.
pub(super) const TOGETHER: usize = 16;
/// So many leaves, or ends of searches, wait for each other while others are at inner nodes.
const ENOUGH: usize = 6;

/// Searches, each in a slot of its own.
pub(super) trait Batch<S: Lanes8> {
    /// Starts the next search in a slot; false if there is none.
    fn start(&mut self, slot: usize) -> bool;

    /// Where the search in a slot is.
    fn node(&self, slot: usize) -> Node;

    /// Does the arithmetic of an inner node.
    fn open(&mut self, simd: S, slot: usize);

    /// Chooses where a search goes on after an inner node; false at its end.
    fn go_on(&mut self, simd: S, slot: usize) -> bool;

    /// Looks at leaves.
    fn look(&mut self, simd: S, slots: &Slots);

    /// Chooses where a search goes on after a leaf; false at its end.
    fn go_back(&mut self, simd: S, slot: usize) -> bool;

    /// Takes the answers of searches that ended.
    fn end(&mut self, simd: S, slots: &Slots);
}

/// A list of slots. Whether one is added cannot be foreseen: there is no branch on it.
#[derive(Clone, Copy, Default)]
pub(super) struct Slots {
    slots: [u8; TOGETHER],
    count: usize,
}

impl Slots {
    #[inline(always)]
    fn push_if(&mut self, slot: usize, condition: bool) {
        self.slots[self.count % TOGETHER] = slot as u8;
        self.count += usize::from(condition);
    }

    #[inline(always)]
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        self.slots[..self.count.min(TOGETHER)].iter().map(|&slot| usize::from(slot) % TOGETHER)
    }

    /// All of them, if there are enough or `now`; else none.
    #[inline(always)]
    fn take(&mut self, now: bool) -> Self {
        if now || self.count >= ENOUGH { std::mem::take(self) } else { Self::default() }
    }
}

/// Searches that stand at nodes.
#[derive(Default)]
struct Standing {
    inner: Slots,
    leaves: Slots,
    ended: Slots,
}

impl Standing {
    #[inline(always)]
    fn add(&mut self, slot: usize, node: Node, goes_on: bool) {
        let is_leaf = Bvh8Tree::is_leaf(node);
        self.inner.push_if(slot, goes_on & !is_leaf);
        self.leaves.push_if(slot, goes_on & is_leaf);
        self.ended.push_if(slot, !goes_on);
    }
}

/// Runs all searches of a batch.
#[inline(always)]
pub(super) fn in_turns<S: Lanes8>(simd: S, tree: &Bvh8Tree, batch: &mut impl Batch<S>) {
    let mut standing = Standing::default();
    let mut going = 0;
    // A slot without a search says nothing of the others, which may have lists of their own.
    for slot in 0..TOGETHER {
        if batch.start(slot) {
            standing.add(slot, batch.node(slot), true);
            going += 1;
        }
    }
    while going > 0 {
        let inner = std::mem::take(&mut standing.inner);
        let leaves = standing.leaves.take(inner.count == 0);
        let ended = standing.ended.take(inner.count + leaves.count == 0);
        for slot in inner.iter() {
            batch.open(simd, slot);
        }
        for slot in inner.iter() {
            let goes_on = batch.go_on(simd, slot);
            tree.prefetch(batch.node(slot));
            standing.add(slot, batch.node(slot), goes_on);
        }
        batch.look(simd, &leaves);
        for slot in leaves.iter() {
            let goes_on = batch.go_back(simd, slot);
            tree.prefetch(batch.node(slot));
            standing.add(slot, batch.node(slot), goes_on);
        }
        batch.end(simd, &ended);
        for slot in ended.iter() {
            if batch.start(slot) {
                standing.add(slot, batch.node(slot), true);
            } else {
                going -= 1;
            }
        }
    }
}
