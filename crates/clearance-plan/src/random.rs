//! Reproducible pseudo-random numbers: equal seeds give equal numbers.

/// SplitMix64 (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*, 2014), by
/// its seed.
///
/// ```
/// use clearance_plan::Random;
/// assert_eq!(Random(7).unit(), Random(7).unit());
/// assert!(Random(7).below(3) < 3);
/// ```
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform in [-1, 1).
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// One of 0 … count − 1.
    pub fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }
}
