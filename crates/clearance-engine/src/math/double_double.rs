//! Double-double arithmetic: numbers of about 106 bits as unevaluated sums of two `f64`.
//!
//! It serves the rare cases in which 53 bits do not certify an answer.
//!
//! Invariant: `hi` is the sum rounded to nearest, so `|lo|` is at most half a unit in the last
//! place of `hi`. Relative errors with u = 2⁻⁵³ (Joldes, Muller & Popescu, "Tight and rigorous
//! error bounds for basic building blocks of double-word arithmetic", 2017): sum 3u² + 13u³,
//! product 5u², quotient 15u² + 56u³; the square root is below 8u² (one Newton step from the 53-bit
//! root). They hold where nothing leaves the range 2^-900 … 2^900.
//!
//! Cost: 5–10 times the `f64` operation with a fused multiply-add, more where that is a library
//! call.

use super::DVec3;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The sum of two non-overlapping `f64`.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct DoubleDouble {
    hi: f64,
    lo: f64,
}

/// `x + y` as rounded sum and exact remainder (Knuth).
#[inline]
pub(super) fn two_sum(x: f64, y: f64) -> DoubleDouble {
    let hi = x + y;
    let y_seen = hi - x;
    let lo = (x - (hi - y_seen)) + (y - y_seen);
    DoubleDouble { hi, lo }
}

/// `x + y` for `|x| ≥ |y|` or `x = 0` (Dekker).
#[inline]
fn quick_two_sum(x: f64, y: f64) -> DoubleDouble {
    let hi = x + y;
    DoubleDouble { hi, lo: y - (hi - x) }
}

/// `x · y` as rounded product and exact remainder.
#[inline]
pub(super) fn two_product(x: f64, y: f64) -> DoubleDouble {
    let hi = x * y;
    DoubleDouble { hi, lo: x.mul_add(y, -hi) }
}

impl DoubleDouble {
    pub(crate) const ZERO: Self = Self { hi: 0.0, lo: 0.0 };
    pub(crate) const ONE: Self = Self { hi: 1.0, lo: 0.0 };

    /// `x − y`, exactly.
    #[inline]
    pub(crate) fn difference(x: f64, y: f64) -> Self {
        two_sum(x, -y)
    }

    /// The rounded number and the remainder that rounding left out.
    #[inline]
    pub(crate) fn parts(self) -> (f64, f64) {
        (self.hi, self.lo)
    }

    /// The nearest `f64`.
    #[inline]
    pub(crate) fn nearest(self) -> f64 {
        self.hi
    }

    /// An `f64` that is not above, less than one unit in the last place away.
    #[inline]
    pub(crate) fn below(self) -> f64 {
        if self.lo < 0.0 { self.hi.next_down() } else { self.hi }
    }

    /// An `f64` that is not below, less than one unit in the last place away.
    #[inline]
    pub(crate) fn above(self) -> f64 {
        if self.lo > 0.0 { self.hi.next_up() } else { self.hi }
    }

    #[inline]
    pub(crate) fn abs(self) -> Self {
        if self.hi < 0.0 { -self } else { self }
    }

    #[inline]
    pub(crate) fn min(self, other: Self) -> Self {
        if other < self { other } else { self }
    }

    #[inline]
    pub(crate) fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }

    /// The nearest number of `[0, 1]`.
    #[inline]
    pub(crate) fn clamp_to_unit(self) -> Self {
        self.max(Self::ZERO).min(Self::ONE)
    }

    /// `self / divisor`, or zero where the divisor is not positive.
    #[inline]
    pub(crate) fn over(self, divisor: Self) -> Self {
        if divisor > Self::ZERO { self / divisor } else { Self::ZERO }
    }

    /// The square root; zero for arguments that are not positive.
    pub(crate) fn sqrt(self) -> Self {
        if self.hi <= 0.0 {
            return Self::ZERO;
        }
        let root = self.hi.sqrt();
        let remainder = self - two_product(root, root);
        quick_two_sum(root, remainder.hi / (2.0 * root))
    }
}

impl From<f64> for DoubleDouble {
    #[inline]
    fn from(x: f64) -> Self {
        Self { hi: x, lo: 0.0 }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { hi: -self.hi, lo: -self.lo }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        let high = two_sum(self.hi, other.hi);
        let low = two_sum(self.lo, other.lo);
        let sum = quick_two_sum(high.hi, high.lo + low.hi);
        quick_two_sum(sum.hi, low.lo + sum.lo)
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    #[inline]
    fn mul(self, other: Self) -> Self {
        let high = two_product(self.hi, other.hi);
        let cross = self.hi * other.lo + self.lo * other.hi;
        quick_two_sum(high.hi, high.lo + cross)
    }
}

impl Div for DoubleDouble {
    type Output = Self;
    #[inline]
    fn div(self, other: Self) -> Self {
        let quotient = self.hi / other.hi;
        let remainder = self - other * Self::from(quotient);
        quick_two_sum(quotient, remainder.hi / other.hi)
    }
}

/// Three [`DoubleDouble`] coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PreciseVec3 {
    pub(crate) x: DoubleDouble,
    pub(crate) y: DoubleDouble,
    pub(crate) z: DoubleDouble,
}

impl PreciseVec3 {
    pub(crate) const ZERO: Self = Self { x: DoubleDouble::ZERO, y: DoubleDouble::ZERO, z: DoubleDouble::ZERO };

    /// `p − q`, exactly.
    #[inline]
    pub(crate) fn difference(p: DVec3, q: DVec3) -> Self {
        Self {
            x: DoubleDouble::difference(p.x, q.x),
            y: DoubleDouble::difference(p.y, q.y),
            z: DoubleDouble::difference(p.z, q.z),
        }
    }

    /// Each coordinate rounded to nearest.
    #[inline]
    pub(crate) fn nearest(self) -> DVec3 {
        DVec3::new(self.x.nearest(), self.y.nearest(), self.z.nearest())
    }

    /// The largest coordinate, without its sign.
    #[inline]
    pub(crate) fn max_abs(self) -> DoubleDouble {
        self.x.abs().max(self.y.abs()).max(self.z.abs())
    }

    #[inline]
    pub(crate) fn dot(self, other: Self) -> DoubleDouble {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline]
    pub(crate) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}

impl Add for PreciseVec3 {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for PreciseVec3 {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Neg for PreciseVec3 {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z }
    }
}

impl Mul<DoubleDouble> for PreciseVec3 {
    type Output = Self;
    #[inline]
    fn mul(self, factor: DoubleDouble) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use num_bigint::BigInt;
    use num_rational::BigRational;

    fn exact(x: DoubleDouble) -> BigRational {
        let rational = |x: f64| BigRational::from_float(x).expect("finite");
        rational(x.hi) + rational(x.lo)
    }

    /// Whether `x` is within `units`·2⁻¹⁰⁶ of `expected`, relative to it.
    fn is_near(x: DoubleDouble, expected: &BigRational, units: u32) -> bool {
        let off = exact(x) - expected;
        let allowed = expected * BigRational::new(BigInt::from(units), BigInt::from(1) << 106);
        &off * &off <= &allowed * &allowed
    }

    fn any(random: &mut Random) -> DoubleDouble {
        let hi = random.between(-1.0, 1.0) * 2.0_f64.powi(random.below(60) as i32 - 30);
        quick_two_sum(hi, hi * random.between(-1.0, 1.0) * f64::EPSILON)
    }

    #[test]
    fn operations_are_within_their_published_errors() {
        let mut random = Random(11);
        for _ in 0..5_000 {
            let (x, y) = (any(&mut random), any(&mut random));
            let (p, q) = (exact(x), exact(y));
            assert!(is_near(x + y, &(&p + &q), 4), "{x:?} + {y:?}");
            assert!(is_near(x - y, &(&p - &q), 4), "{x:?} - {y:?}");
            assert!(is_near(x * y, &(&p * &q), 5), "{x:?} * {y:?}");
            assert!(is_near(x / y, &(&p / &q), 16), "{x:?} / {y:?}");
            let root = x.abs().sqrt();
            // A root that is wrong by 8 units has a square that is wrong by 16 and a little.
            let square = exact(root) * exact(root);
            let off = square - exact(x.abs());
            let allowed = exact(x.abs()) * BigRational::new(BigInt::from(17), BigInt::from(1) << 106);
            assert!(&off * &off <= &allowed * &allowed, "√{x:?}");
        }
    }

    #[test]
    fn rounding_to_f64_keeps_its_side() {
        let mut random = Random(12);
        for _ in 0..5_000 {
            let x = any(&mut random);
            let rational = |x: f64| BigRational::from_float(x).expect("finite");
            assert!(rational(x.below()) <= exact(x) && exact(x) <= rational(x.above()), "{x:?}");
            assert!(x.above() - x.below() <= f64::EPSILON * x.nearest().abs(), "{x:?}");
        }
    }

    #[test]
    fn differences_of_f64_are_exact() {
        let (x, y) = (1e20, 0.1);
        assert_eq!(exact(DoubleDouble::difference(x, y)), exact(x.into()) - exact(y.into()));
    }
}
