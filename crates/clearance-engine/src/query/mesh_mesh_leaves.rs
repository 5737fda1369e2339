//! What two leaves of wide trees keep while their triangles meet: projections on a direction, and
//! pairs that wait for full lanes.

use crate::math::lanes::{F8, Lanes8, V8};
use crate::pair::shape::triangle_lanes::{self, T8};
use crate::traversal::PairLanes;
use fearless_simd::prelude::*;

/// The first and the last eight entries.
#[inline(always)]
pub(super) fn halves(list: &[u8; 16]) -> [[u8; 8]; 2] {
    let (halves, _) = list.as_chunks();
    [halves[0], halves[1]]
}

/// What is left of eight numbers when `of_two` takes one of two, in three steps.
#[inline(always)]
fn of_all([a, b, c, d, e, f, g, h]: [f32; 8], of_two: impl Fn(f32, f32) -> f32) -> f32 {
    of_two(of_two(of_two(a, b), of_two(c, d)), of_two(of_two(e, f), of_two(g, h)))
}

/// The projections of two leaves on the direction of the nearest pair so far: neighbours are mostly
/// separated by it too.
pub(super) struct Ahead<S: Lanes8> {
    /// The farthest that each triangle of A reaches.
    ends_a: F8<S>,
    /// Where each triangle of B begins.
    starts_b: F8<S>,
}

impl<S: Lanes8> Ahead<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, direction: [f32; 3], a: &T8<S>, b: &T8<S>) -> Self {
        let n = V8::splat(simd, direction);
        Self {
            ends_a: n.dot(a[0]).max(n.dot(a[1])).max(n.dot(a[2])),
            starts_b: n.dot(b[0]).min(n.dot(b[1])).min(n.dot(b[2])),
        }
    }

    /// The lanes of A and of B that are not proven `reach` apart from all of the other leaf.
    #[inline(always)]
    pub(super) fn near_leaf(&self, simd: S, reach: f32) -> (u64, u64) {
        let first = of_all(self.starts_b.into(), |x, y| if x < y { x } else { y });
        let last = of_all(self.ends_a.into(), |x, y| if x > y { x } else { y });
        let reach = F8::splat(simd, reach);
        let a = (F8::splat(simd, first) - self.ends_a).simd_ge(reach);
        let b = (self.starts_b - F8::splat(simd, last)).simd_ge(reach);
        (!a.to_bitmask(), !b.to_bitmask())
    }

    /// As seen from one side's triangles, B's if `swapped`.
    #[inline(always)]
    pub(super) fn sided(&self, swapped: bool) -> SidedAhead<S> {
        let (least_others, greatest_ones) =
            if swapped { (-self.ends_a, -self.starts_b) } else { (self.starts_b, self.ends_a) };
        SidedAhead { least_others, greatest_ones: greatest_ones.into() }
    }
}

/// The projections along the direction from one side to the others.
pub(super) struct SidedAhead<S: Lanes8> {
    least_others: F8<S>,
    greatest_ones: [f32; 8],
}

impl<S: Lanes8> SidedAhead<S> {
    /// The lanes that are not proven `reach` apart from triangle `lane`.
    #[inline(always)]
    pub(super) fn near(&self, simd: S, lane: u8, reach: f32) -> u64 {
        let gap = self.least_others - F8::splat(simd, self.greatest_ones[(lane & 7) as usize]);
        !gap.simd_ge(F8::splat(simd, reach)).to_bitmask()
    }
}

/// The positions of the triangles that were picked from a leaf.
#[inline(always)]
pub(super) fn positions(first: u32, picks: &[u8; 8]) -> [u32; 8] {
    let mut positions = [first; 8];
    for (position, pick) in positions.iter_mut().zip(picks) {
        *position += u32::from(*pick);
    }
    positions
}

/// Pairs of triangles that wait until there are eight, which cost as much as one: two leaves alone
/// have five on average. With seven that wait there is room for eight more.
pub(super) struct WaitingPairs<'q> {
    /// Not made anew for every query, which would be a hundredth of a short `collide`.
    pub(super) lanes: &'q mut PairLanes,
    count: usize,
    /// At most the key of any that waits or is being met.
    key: f32,
}

impl<'q> WaitingPairs<'q> {
    /// None yet.
    pub(super) fn new(lanes: &'q mut PairLanes) -> Self {
        Self { lanes, count: 0, key: f32::INFINITY }
    }

    /// At most the key of any pair that waits or is being met.
    pub(super) fn key(&self) -> f32 {
        self.key
    }

    /// How many wait.
    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Takes in the first `count` of eight pairs, of two leaves with this key.
    #[inline(always)]
    pub(super) fn join<S: Lanes8>(&mut self, a: &T8<S>, b: &T8<S>, positions: &[[u32; 8]; 2], count: usize, key: f32) {
        let at = self.count & 7;
        // Written eight at a time; what is too much is overwritten by the next.
        triangle_lanes::store(a, &mut self.lanes.a, at);
        triangle_lanes::store(b, &mut self.lanes.b, at);
        for (row, lanes) in self.lanes.positions.iter_mut().zip(positions) {
            row[at..at + 8].copy_from_slice(lanes);
        }
        self.key = self.key.min(key);
        self.count = at + count;
    }

    /// Where the last up to eight pairs begin, and how many they are; they no longer wait.
    #[inline(always)]
    pub(super) fn take(&mut self) -> (usize, usize) {
        let at = self.count.saturating_sub(8);
        let count = self.count - at;
        self.count = at;
        (at, count)
    }

    /// Those that were taken are met.
    #[inline(always)]
    pub(super) fn met(&mut self) {
        if self.count == 0 {
            self.key = f32::INFINITY;
        }
    }

    /// Their positions in the two trees.
    #[inline(always)]
    pub(super) fn positions(&self, at: usize) -> [[u32; 8]; 2] {
        let mut positions = [[0; 8]; 2];
        for (lanes, row) in positions.iter_mut().zip(&self.lanes.positions) {
            lanes.copy_from_slice(&row[at.min(8)..][..8]);
        }
        positions
    }
}
