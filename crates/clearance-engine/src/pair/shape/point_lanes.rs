//! A point against eight triangles in `f32` lanes: which of them may be nearest?
//!
//! For each triangle the lanes find a point of it that is nearly the nearest (the nearest of its
//! three edges, and the foot of the perpendicular cut to the triangle). The squared distance
//! from that point is an upper bound; the gap between the given point and the triangle along the
//! way to it a lower one, for any way.
//!
//! # The margin
//! As in [`crate::pair::volume::point_block`] the given point has coordinates up to P, and is
//! rounded by εP a coordinate, vertices by ε. Differences err by ε(2P + 2.1), 3.5ε(P + 1.1) as
//! vectors of length up to 1.74(P + 1). A height `n·(p − v)/|n|` is a convex function of exact
//! products with an error of 3ε|p − v|, its quotient and root 4ε of itself: below
//! ε(3.5P + 4 + 12.2(P + 1)) < ε(16P + 17). Points of the triangle take weights in [0, 1] whatever
//! their arithmetic: four products and sums more and a rounding of the second weight,
//! ε(3.5P + 4 + 10·1.74(P + 1)). The margin of boxes, ε(96P + 128), has room for both.

use crate::math::lanes::{F8, Lanes8, V8};
use crate::pair::shape::triangle_lanes::{T8, clamped, inverse};
use crate::pair::volume::obb_sphere_block::SHORTEST;
use fearless_simd::prelude::*;

/// Bounds of the distance from a point.
pub(crate) struct PointBounds<S: Lanes8> {
    /// The squared distance of a point of the triangle.
    pub upper: F8<S>,
    /// A lower bound of the distance, up to the margin; may be negative.
    pub lower: F8<S>,
}

/// Bounds for eight triangles.
#[inline(always)]
pub(crate) fn point_bounds<S: Lanes8>(simd: S, t: &T8<S>, point: V8<S>) -> PointBounds<S> {
    let zero = F8::splat(simd, 0.0);
    let (a, b, c) = (point - t[0], point - t[1], point - t[2]);
    let (e, f) = (t[1] - t[0], t[2] - t[0]);
    let g = f - e;
    let mut nearest = Nearest { way: nearest_on(simd, a, e), squared: zero };
    nearest.squared = nearest.way.dot(nearest.way);
    nearest.offer(nearest_on(simd, a, f));
    nearest.offer(nearest_on(simd, b, g));
    // The foot on the plane is t₀ + x·e + y·f. Cut to the triangle, it is a point of it whatever the
    // arithmetic, and the foot itself where that is inside.
    let n = e.cross(f);
    let inverse_nn = inverse(simd, n.dot(n));
    let one = F8::splat(simd, 1.0);
    let x = clamped(simd, f.cross(n).dot(a) * inverse_nn);
    let y = clamped(simd, n.cross(e).dot(a) * inverse_nn).min(one - x);
    nearest.offer(a.plus_scaled(e, -x).plus_scaled(f, -y));
    let Nearest { way, squared } = nearest;
    let height = way.dot(a).min(way.dot(b)).min(way.dot(c)) / squared.sqrt();
    let lower = squared.simd_gt(F8::splat(simd, SHORTEST)).select(height, zero);
    PointBounds { upper: squared, lower }
}

/// The nearest point so far: the way from it, and its squared length.
struct Nearest<S: Lanes8> {
    way: V8<S>,
    squared: F8<S>,
}

impl<S: Lanes8> Nearest<S> {
    #[inline(always)]
    fn offer(&mut self, way: V8<S>) {
        let squared = way.dot(way);
        let nearer = squared.simd_lt(self.squared);
        self.squared = nearer.select(squared, self.squared);
        self.way = way.or(nearer, self.way);
    }
}

/// From the nearest point of an edge to the point: `a` starts at the edge's start.
#[inline(always)]
fn nearest_on<S: Lanes8>(simd: S, a: V8<S>, edge: V8<S>) -> V8<S> {
    let at = clamped(simd, edge.dot(a) * inverse(simd, edge.dot(edge)));
    a.plus_scaled(edge, -at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Triangle;
    use crate::math::DVec3;
    use crate::math::lanes::{SimdLevel, Vectorized, vectorized};
    use crate::pair::shape::point_triangle;
    use crate::pair::shape::triangle_lanes::load;
    use crate::pair::volume::point_block::margin;
    use crate::volume::samples::Random;

    struct Bounds<'t>(&'t [[[f32; 8]; 3]; 3], DVec3);

    impl Vectorized for Bounds<'_> {
        type Output = [[f32; 8]; 2];

        #[inline(always)]
        fn run<S: Lanes8>(self, simd: S) -> Self::Output {
            let point = V8::splat(simd, self.1.as_vec3().to_array());
            let PointBounds { lower, upper } = point_bounds(simd, &load(simd, self.0), point);
            [lower.into(), upper.sqrt().into()]
        }
    }

    /// Triangles of all sizes, slivers, segments and points; points on them, near and far.
    #[test]
    fn rounding_of_triangles_stays_within_the_margin_and_uses_it() {
        let mut random = Random(43);
        let mut most = [0.0_f64; 2];
        for case in 0..20_000 {
            let any = |random: &mut Random| DVec3::from_array([0; 3].map(|_| 2.0 * random.unit() - 1.0));
            let p = any(&mut random);
            let size = [1.0, 1e-2, 1e-6, 0.0][case % 4];
            let q = p.lerp(any(&mut random), size);
            let r = match case / 4 % 3 {
                0 => p.lerp(any(&mut random), size),
                1 => p.lerp(q, random.unit()) + random.vector() * 1e-8,
                _ => q,
            };
            let triangle = Triangle([p, q, r].map(|vertex| vertex.clamp(DVec3::NEG_ONE, DVec3::ONE)));
            let point = match case / 12 % 3 {
                0 => p.lerp(r, random.unit()) + random.vector() * 1e-5,
                1 => any(&mut random),
                _ => any(&mut random) * 9999.0,
            };
            let lanes = triangle.0.map(|vertex| vertex.to_array().map(|x| [x as f32; 8]));
            let (truth, margin) = (point_triangle(point, &triangle), margin(point));
            for level in SimdLevel::available() {
                let [lower, upper] = vectorized(level, Bounds(&lanes, point)).map(|lanes| f64::from(lanes[0]));
                let excess = [lower - truth.distance, truth.distance - upper].map(|x| x / margin);
                assert!(
                    excess.iter().all(|&excess| excess <= 1.0),
                    "case {case}, {level:?}: {excess:?} {point} {triangle:?}"
                );
                most = [0, 1].map(|k| most[k].max(excess[k]));
            }
        }
        assert!(most.iter().all(|&most| most > 0.01), "{most:?}");
    }
}
