//! Curves through configurations: cubic in time, each number on its own.
//!
//! A number is `Σ bᵢ·Bᵢ(t)` with Bernstein's polynomials of degree 3, for t from 0 to 1. So the
//! curve stays between the least and the largest of its coefficients, and its speed between those
//! of its derivative's, `3(bᵢ₊₁ − bᵢ)`. Over a part of the time the derivative's coefficients are
//! its polar form at the ends of that part (Farin, *Curves and surfaces for computer-aided
//! geometric design*, 1988), which bound the speed there; halving the part quarters what the bound
//! exceeds the truth by.

use crate::{Error, ErrorKind, Result};
use clearance_engine::math::UNIT_ROUNDOFF;

/// A cubic curve from one configuration to another, in unit time.
///
/// ```
/// use clearance_robot::JointCurve;
/// let way: [&[f64]; 4] = [&[0.0, 0.0], &[1.0, 0.0], &[1.0, 1.0], &[0.0, 1.0]];
/// let spline = JointCurve::through(&way)?;
/// assert_eq!(spline.len(), 3);
/// assert_eq!(spline[1].at(0.0), way[1]);
/// // Between the second and the third the curve swings out, as it comes from the left.
/// assert!((spline[1].at(0.5)[0] - 1.125).abs() < 1e-12);
/// assert!(spline[1].speed(0, 0.4, 0.6) < 0.11 && spline[1].speed(0, 0.0, 0.1) < 0.51);
/// # Ok::<(), clearance_robot::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct JointCurve {
    /// For each number of a configuration.
    coefficients: Vec<[f64; 4]>,
}

impl JointCurve {
    /// The curve with given ends, and velocities there.
    pub fn hermite([from, to]: [&[f64]; 2], [leaving, arriving]: [&[f64]; 2]) -> Result<Self> {
        let lengths = [to, leaving, arriving].map(<[f64]>::len);
        if lengths.iter().any(|&length| length != from.len()) {
            let reason =
                format!("a curve from {} numbers has {lengths:?} at its end and in its velocities", from.len());
            return Err(Error::new(ErrorKind::BadConfiguration, reason));
        }
        let one = |i: usize| [from[i], from[i] + leaving[i] / 3.0, to[i] - arriving[i] / 3.0, to[i]];
        let coefficients: Vec<[f64; 4]> = (0..from.len()).map(one).collect();
        if !coefficients.iter().flatten().all(|value| value.is_finite()) {
            return Err(Error::new(ErrorKind::NotFinite, "a configuration or velocity of a curve is not finite"));
        }
        Ok(Self { coefficients })
    }

    /// A smooth spline through configurations, one curve between each two that follow each other:
    /// at a configuration its velocity is half of the way from the one before it to the one after
    /// it (Catmull and Rom, 1974), at the ends the way to the next one. Equal steps along a line
    /// make that line.
    pub fn through(configurations: &[&[f64]]) -> Result<Vec<Self>> {
        let way =
            |a: &[f64], b: &[f64], part: f64| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| (b - a) * part).collect() };
        let last = configurations.len().saturating_sub(1);
        let velocity = |i: usize| {
            let (before, after) = (i.saturating_sub(1), (i + 1).min(last));
            // One step at the ends, two in between.
            way(configurations[before], configurations[after], 1.0 / (after - before).max(1) as f64)
        };
        let ends = configurations.windows(2).enumerate();
        ends.map(|(i, pair)| Self::hermite([pair[0], pair[1]], [&velocity(i), &velocity(i + 1)])).collect()
    }

    /// The configuration at a time from 0 to 1.
    pub fn at(&self, t: f64) -> Vec<f64> {
        self.values(t).collect()
    }

    pub(super) fn values(&self, t: f64) -> impl Iterator<Item = f64> + '_ {
        // De Casteljau's scheme: means of means, which at 0 and 1 are the ends.
        let mean = move |a: f64, b: f64| a * (1.0 - t) + b * t;
        self.coefficients.iter().map(move |&[a, b, c, d]| {
            let (ab, bc, cd) = (mean(a, b), mean(b, c), mean(c, d));
            mean(mean(ab, bc), mean(bc, cd))
        })
    }

    /// At least the speed of a number at any time between two times from 0 to 1: 0 for one that
    /// rests. Panics if there is no such number.
    pub fn speed(&self, number: usize, from: f64, to: f64) -> f64 {
        let [low, high] = self.rates(number, from, to);
        high.max(-low)
    }

    /// Between what a number's rate is at any time between two times from 0 to 1: both 0 for one
    /// that rests. Panics if there is no such number.
    pub(super) fn rates(&self, number: usize, from: f64, to: f64) -> [f64; 2] {
        let [a, b, c, d] = self.coefficients[number];
        if a == b && b == c && c == d {
            return [0.0; 2];
        }
        let slopes = [3.0 * (b - a), 3.0 * (c - b), 3.0 * (d - c)];
        let polar = |s: f64, t: f64| {
            let mean = |x: f64, y: f64, t: f64| x * (1.0 - t) + y * t;
            mean(mean(slopes[0], slopes[1], s), mean(slopes[1], slopes[2], s), t)
        };
        let [x, y, z] = [polar(from, from), polar(from, to), polar(to, to)];
        // Times that are not numbers, and slopes beyond them.
        if !(x + y + z).is_finite() {
            return [f64::NEG_INFINITY, f64::INFINITY];
        }
        // Slopes are off by three roundings of the coefficients, means by six of the slopes.
        let size =
            slopes.iter().fold(a.abs().max(b.abs()).max(c.abs()).max(d.abs()), |size, slope| size.max(slope.abs()));
        let rounding = 32.0 * UNIT_ROUNDOFF * size;
        [x.min(y).min(z) - rounding, x.max(y).max(z) + rounding]
    }

    /// Configurations that have the curve between them, number by number.
    pub(super) fn control_points(&self) -> [Vec<f64>; 4] {
        [0, 1, 2, 3].map(|i| self.coefficients.iter().map(|number| number[i]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_beyond_all_numbers_is_infinite_and_not_none() {
        let curve = JointCurve::hermite([&[1e308], &[-1e308]], [&[0.0], &[0.0]]).unwrap();
        assert_eq!(curve.speed(0, 0.0, 1.0), f64::INFINITY);
        assert_eq!(curve.speed(0, f64::NAN, 1.0), f64::INFINITY);
    }
}
