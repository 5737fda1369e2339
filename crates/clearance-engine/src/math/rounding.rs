//! Directed rounding: conversions to `f32` that never cross the true value.

/// The unit roundoff u = 2⁻⁵³: one rounding changes a value by at most this relative amount.
///
/// It is half the distance from 1 to the next `f64`.
pub const UNIT_ROUNDOFF: f64 = f64::EPSILON / 2.0;

/// The largest coordinate that the engine accepts. Beyond it, products of three coordinates leave
/// the `f64` range and predicates become unreliable.
pub const LARGEST_COORDINATE: f64 = 1e100;

/// Rounds up: the smallest `f32` that is not below `x`.
///
/// ```
/// use clearance_engine::math::f32_above;
/// assert!(f64::from(f32_above(0.1)) >= 0.1);
/// assert_eq!(f32_above(0.5), 0.5);
/// ```
#[inline]
pub fn f32_above(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) < x { nearest.next_up() } else { nearest }
}

/// Rounds down: the largest `f32` that is not above `x`.
///
/// ```
/// use clearance_engine::math::f32_below;
/// assert!(f64::from(f32_below(0.1)) <= 0.1);
/// ```
#[inline]
pub fn f32_below(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x { nearest.next_down() } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_enclose_their_argument_also_outside_of_the_f32_range() {
        for x in [0.0, 1.0, 0.1, -0.1, 1e-300, -1e-300, 1e300, -1e300, 3.4028235e38, 1.0 + 1e-12] {
            assert!(f64::from(f32_above(x)) >= x, "{x}");
            assert!(f64::from(f32_below(x)) <= x, "{x}");
        }
    }
}
