//! A point against a block of eight boxes, in `f32` lanes: bounds of the distance from below, and
//! the boxes that an aligned box meets.
//!
//! # The margin
//! ε = 2⁻²⁴; the point's stored coordinates are up to P. The point is rounded by εP a coordinate,
//! its difference d to a centre by ε(P + 1.84): together 3.5ε(P + 1) as a vector; |d| is below
//! 1.74P + 1.84. A product with an axis errs by 3ε|d|, with the third, a cross product here and a
//! rounded one in the box's definition, by 8.7ε|d| more; half-extents are below 2.1 and their sums
//! are rounded: 4ε(|d| + 2.1). Gaps along three axes err by √3 as much as a vector, their root by
//! 6ε of itself, and axes stretch by 3ε: in all below ε(3.5(P + 1) + √3·16|d| + 9|d| + 9) <
//! ε(69P + 82). [`margin`] has ε(96P + 128), and the rounding of the point's `f64` coordinates.
//!
//! Along the coordinates a box reaches `Σ|aᵢ|hᵢ` from its centre (the parallelepiped of
//! [`crate::volume::Obb`]); sums of three products of numbers below 2.1 err by 30ε with the third
//! axis, the comparison by 4ε(P + 4): the same margin serves.

use crate::math::lanes::{F8, Lanes8, V8};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::volume::ObbSphereBlock;
use fearless_simd::prelude::*;

/// What rounding may add to a bound of the distance from a point, in stored units.
pub(crate) fn margin(stored: DVec3) -> f64 {
    const EPSILON: f64 = 1.0 / 16_777_216.0;
    let far = stored.abs().max_element();
    (96.0 * EPSILON + 8.0 * UNIT_ROUNDOFF) * far + 128.0 * EPSILON
}

/// Squared lower bounds of the distance of a point from eight boxes, the margin not subtracted, and
/// upper bounds of the distance of what they contain, the margin not added.
#[inline(always)]
pub(crate) fn squared_gaps<S: Lanes8>(simd: S, block: &ObbSphereBlock, point: V8<S>) -> (F8<S>, F8<S>) {
    let zero = F8::splat(simd, 0.0);
    let (u, v) = (V8::load(simd, &block.u), V8::load(simd, &block.v));
    let half = V8::load(simd, &block.half);
    let d = point - V8::load(simd, &block.center);
    let x = (u.dot(d).abs() - half.0[0]).max(zero);
    let y = (v.dot(d).abs() - half.0[1]).max(zero);
    let z = (u.cross(v).dot(d).abs() - half.0[2]).max(zero);
    let radius: F8<S> = block.radius.simd_into(simd);
    let center = d.dot(d).sqrt();
    let sphere = (center - radius).max(zero);
    // A triangle of each box has a point in the box's sphere.
    (x.mul_add(x, y.mul_add(y, z * z)).max(sphere * sphere), center + radius)
}

/// How far each of eight boxes is beside an aligned box along the coordinates, negative where it is
/// not, the margin not subtracted; the aligned box may be infinite.
#[inline(always)]
pub(crate) fn beside_box<S: Lanes8>(simd: S, block: &ObbSphereBlock, low: V8<S>, high: V8<S>) -> F8<S> {
    let (u, v) = (V8::load(simd, &block.u), V8::load(simd, &block.v));
    let w = u.cross(v).abs();
    let (u, v) = (u.abs(), v.abs());
    let half = V8::load(simd, &block.half);
    let center = V8::load(simd, &block.center);
    let reach = w.scaled(half.0[2]).plus_scaled(v, half.0[1]).plus_scaled(u, half.0[0]);
    let beside = |k: usize| (center.0[k] - high.0[k]).max(low.0[k] - center.0[k]) - reach.0[k];
    beside(0).max(beside(1)).max(beside(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Triangle;
    use crate::math::lanes::{SimdLevel, Vectorized, vectorized};
    use crate::volume::samples::Random;
    use crate::volume::{ObbSphere, Volume};

    struct Gaps<'b>(&'b ObbSphereBlock, DVec3);

    impl Vectorized for Gaps<'_> {
        /// Lower and upper bounds, and how far the boxes are beside the point.
        type Output = [[f32; 8]; 3];

        #[inline(always)]
        fn run<S: Lanes8>(self, simd: S) -> Self::Output {
            let point = V8::splat(simd, self.1.as_vec3().to_array());
            let (keys, farthest) = squared_gaps(simd, self.0, point);
            [keys.sqrt().into(), farthest.into(), beside_box(simd, self.0, point, point).into()]
        }
    }

    /// Boxes around single points and thin needles have nothing but rounding between them and what
    /// they contain: what exceeds the true distance is the error. It must stay below the margin,
    /// and use so much of it that a margin thirty times smaller would be found out.
    #[test]
    fn rounding_of_boxes_stays_within_the_margin_and_uses_it() {
        let mut random = Random(41);
        let mut most = [0.0_f64; 3];
        for case in 0..20_000 {
            let far = [1.0, 3.0, 100.0, 9999.0][case % 4];
            let vertex = DVec3::from_array([0; 3].map(|_| 2.0 * random.unit() - 1.0));
            let other = vertex + random.vector() * [0.0, 1e-3, 0.3][case / 4 % 3];
            let triangle = Triangle([vertex, other.clamp(DVec3::NEG_ONE, DVec3::ONE), vertex]);
            let block = ObbSphereBlock::new(&[ObbSphere::fit(&[triangle], &Default::default())], 0);
            let point = DVec3::from_array([0; 3].map(|_| far * (2.0 * random.unit() - 1.0)));
            let truth = triangle.0.map(|vertex| point.distance(vertex));
            let nearest = crate::pair::shape::point_triangle(point, &triangle).distance;
            let margin = margin(point);
            let beside = (triangle.0[0].min(triangle.0[1]) - point).max(point - triangle.0[0].max(triangle.0[1]));
            for level in SimdLevel::available() {
                let [lower, upper, gap] = vectorized(level, Gaps(&block, point)).map(|lanes| f64::from(lanes[0]));
                let excess =
                    [lower - nearest, truth[0].min(truth[1]) - upper, gap - beside.max_element()].map(|x| x / margin);
                assert!(
                    excess.iter().all(|&excess| excess <= 1.0),
                    "case {case}, {level:?}: {excess:?} {point} {vertex}"
                );
                most = [0, 1, 2].map(|k| most[k].max(excess[k]));
            }
        }
        assert!(most.iter().all(|&most| most > 0.01) && most[0] > 0.03, "{most:?}");
    }
}
