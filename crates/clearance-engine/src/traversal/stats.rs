//! Counts of what a query did.

use std::ops::AddAssign;

/// How much work a query was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Bounds between two volumes.
    pub volume_tests: u64,
    /// Tests between two shapes.
    pub leaf_tests: u64,
    /// Nodes whose children were bounded.
    pub opened: u64,
    /// Pairs of leaves that met.
    pub leaf_pairs: u64,
}

impl Stats {
    /// Steps of the traversal, which budgets count: nodes opened. Each has up to eight pairs of
    /// leaves.
    #[inline(always)]
    pub fn steps(&self) -> u64 {
        self.opened
    }
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Self) {
        self.volume_tests += other.volume_tests;
        self.leaf_tests += other.leaf_tests;
        self.opened += other.opened;
        self.leaf_pairs += other.leaf_pairs;
    }
}
