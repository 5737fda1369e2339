//! Exact sums of any number of `f64`, for determinants that need a size and not only a sign.
//!
//! Invariant: components do not overlap and grow in magnitude, so their sum from small to large is
//! right to a few units in the last place (Shewchuk, "Adaptive precision floating-point arithmetic
//! and fast robust geometric predicates", 1997, growing expansions). Cost: one pass over the
//! components for each number added.

use super::double_double::{two_product, two_sum};
use smallvec::SmallVec;

/// An exact sum.
#[derive(Debug, Clone, Default)]
pub(crate) struct Expansion {
    components: SmallVec<[f64; 32]>,
}

impl Expansion {
    pub(crate) fn add(&mut self, x: f64) {
        let mut carried = x;
        let mut kept = 0;
        for i in 0..self.components.len() {
            let (sum, remainder) = two_sum(carried, self.components[i]).parts();
            if remainder != 0.0 {
                self.components[kept] = remainder;
                kept += 1;
            }
            carried = sum;
        }
        self.components.truncate(kept);
        if carried != 0.0 {
            self.components.push(carried);
        }
    }

    /// Adds `x·y·z`.
    pub(crate) fn add_product(&mut self, x: f64, y: f64, z: f64) {
        let (high, low) = two_product(x, y).parts();
        for factor in [high, low] {
            let (high, low) = two_product(factor, z).parts();
            self.add(low);
            self.add(high);
        }
    }

    /// The sum, rounded.
    pub(crate) fn nearest(&self) -> f64 {
        self.components.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rounded_sum_would_lose_is_kept() {
        let mut sum = Expansion::default();
        for x in [1e30, 1.0, 1e-30, -1e30, 1e-60, -1.0] {
            sum.add(x);
        }
        assert_eq!(sum.nearest(), 1e-30);
        sum.add(-1e-30);
        assert_eq!(sum.nearest(), 1e-60);
        sum.add(-1e-60);
        assert_eq!(sum.nearest(), 0.0);
    }

    #[test]
    fn products_are_exact() {
        let (x, tiny) = (1.0 + f64::EPSILON, f64::EPSILON);
        let mut sum = Expansion::default();
        sum.add_product(x, x, x);
        // (1 + ε)³ = 1 + 3ε + 3ε² + ε³
        for term in [1.0, 3.0 * tiny, 3.0 * tiny * tiny] {
            sum.add(-term);
        }
        assert_eq!(sum.nearest(), tiny * tiny * tiny);
    }
}
