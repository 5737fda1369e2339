//! k-IOS against k-IOS: the largest gap over all pairs of spheres (equation 2 of Zhang and Kim,
//! 2012).
//!
//! The larger spheres of a k-IOS share one radius, so the largest gap of each of the four kinds of
//! pairs (S₀–S₀, S₀–larger, larger–S₀, larger–larger) belongs to the largest squared distance of
//! that kind: 25 squared distances in lanes of four, then four square roots. Overlap needs no root
//! at all.
//!
//! # Rounding
//! u = 2⁻⁵³, ρ = scale·√3 as in [`crate::math::Similarity`]. Centres of larger spheres lie outside
//! of the contents, but no radius exceeds 28.1 and so no centre 30: in A's frame, sizes are below
//! `|t| + 17.4ρ + 30`. Moving a centre takes 4 roundings per coordinate on 17.4ρ, together 121uρ,
//! and one on `|t|`; the difference and the norm 3.5 on all sizes, the sum of the radii one on
//! 16.3ρ + 28.1, and the subtraction one on the result, which the contents bound; a rotation that
//! is orthonormal to 4u moves B's spheres by 4u of their radius relative to what they contain,
//! 66uρ. Together below `16u·(|t| + 18ρ + 30)`: the largest share of the margin that any kernel
//! needs.

use super::Gap;
use crate::math::{DVec3, Similarity};
use crate::volume::{KIos, Volume};

/// A k-IOS in the other's frame.
#[derive(Debug, Clone, Copy)]
pub struct FixedKIos {
    center: DVec3,
    radius: f64,
    /// x, y and z of the larger spheres' centres, four of each.
    outer: [[f64; 4]; 3],
    outer_radius: f64,
    single: bool,
}

/// The largest squared distances between centres, by kind of pair.
struct Squares {
    outer_to_outer: f64,
    center_to_outer: f64,
    outer_to_center: f64,
}

impl Gap<KIos> for KIos {
    type Prepared = Similarity;
    type Fixed = FixedKIos;

    fn prepare(self_from_b: &Similarity) -> Similarity {
        *self_from_b
    }

    fn fix(b: &KIos, self_from_b: &Similarity) -> FixedKIos {
        let (outer, outer_radius) = b.outer();
        let columns = (self_from_b.rotation * self_from_b.scale).to_cols_array_2d();
        let translation = self_from_b.translation.to_array();
        let mut moved = [[0.0; 4]; 3];
        for axis in 0..3 {
            for lane in 0..4 {
                let [x, y, z] = outer.map(|coordinate| f64::from(coordinate[lane]));
                moved[axis][lane] =
                    columns[0][axis] * x + columns[1][axis] * y + columns[2][axis] * z + translation[axis];
            }
        }
        FixedKIos {
            center: self_from_b.transform_point(b.center()),
            radius: b.radius() * self_from_b.scale,
            outer: moved,
            outer_radius: outer_radius * self_from_b.scale,
            single: b.count() == 1,
        }
    }

    fn gap(&self, b: &FixedKIos) -> f64 {
        let central = self.center().distance(b.center) - (self.radius() + b.radius);
        if b.single && self.count() == 1 {
            return central;
        }
        let squares = self.squares(b);
        let (_, outer_radius) = self.outer();
        largest([
            central,
            squares.outer_to_outer.sqrt() - (outer_radius + b.outer_radius),
            squares.center_to_outer.sqrt() - (self.radius() + b.outer_radius),
            squares.outer_to_center.sqrt() - (outer_radius + b.radius),
        ])
    }

    fn apart(&self, b: &FixedKIos, margin: f64) -> bool {
        let beyond = |square: f64, radii: f64| radii + margin < 0.0 || square > (radii + margin) * (radii + margin);
        if beyond(self.center().distance_squared(b.center), self.radius() + b.radius) {
            return true;
        }
        if b.single && self.count() == 1 {
            return false;
        }
        let squares = self.squares(b);
        let (_, outer_radius) = self.outer();
        beyond(squares.outer_to_outer, outer_radius + b.outer_radius)
            || beyond(squares.center_to_outer, self.radius() + b.outer_radius)
            || beyond(squares.outer_to_center, outer_radius + b.radius)
    }

    fn max_distance(&self, b: &FixedKIos) -> f64 {
        self.center().distance(b.center) + (self.radius() + b.radius)
    }
}

impl KIos {
    #[inline]
    fn squares(&self, b: &FixedKIos) -> Squares {
        let outer = self.outer().0.map(|coordinate| coordinate.map(f64::from));
        let mut lanes = [[0.0; 4]; 3];
        squared_distances(&outer, self.center().to_array(), b, &mut lanes);
        Squares {
            outer_to_outer: largest(lanes[0]),
            center_to_outer: largest(lanes[1]),
            outer_to_center: largest(lanes[2]),
        }
    }
}

/// The largest squared distances by kind of pair, still one per lane.
///
/// Not inlined: only where the lanes are stored side by side does the compiler turn them into
/// vector instructions (26 to 25 ns a gap; `apart`, which rarely gets here, pays 0.3 ns for the
/// call).
#[inline(never)]
fn squared_distances(outer: &[[f64; 4]; 3], center: [f64; 3], b: &FixedKIos, lanes: &mut [[f64; 4]; 3]) {
    let from = |sphere: usize| squares_from(outer.map(|coordinate| coordinate[sphere]), &b.outer);
    let best = lanes_max(lanes_max(from(0), from(1)), lanes_max(from(2), from(3)));
    *lanes = [best, squares_from(center, &b.outer), squares_from(b.center.to_array(), outer)];
}

/// From one point to each of four.
#[inline(always)]
fn squares_from(from: [f64; 3], to: &[[f64; 4]; 3]) -> [f64; 4] {
    let mut squares = [0.0; 4];
    for lane in 0..4 {
        let [x, y, z] = [to[0][lane] - from[0], to[1][lane] - from[1], to[2][lane] - from[2]];
        squares[lane] = x * x + y * y + z * z;
    }
    squares
}

/// Lane by lane. Nothing here is NaN, and a plain comparison is one instruction, unlike `f64::max`.
#[inline]
fn lanes_max(x: [f64; 4], y: [f64; 4]) -> [f64; 4] {
    let mut larger = x;
    for lane in 0..4 {
        larger[lane] = if x[lane] > y[lane] { x[lane] } else { y[lane] };
    }
    larger
}

#[inline]
fn largest(x: [f64; 4]) -> f64 {
    let pair = lanes_max(x, [x[2], x[3], x[0], x[1]]);
    if pair[0] > pair[1] { pair[0] } else { pair[1] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::properties::{exact, minus, rational, squared_length};
    use crate::volume::samples::Random;
    use crate::{Pose, math::Frame};

    /// Spheres of the given centres through the origin: the largest allowed, 28 = 4·7 away, where
    /// 2² + 3² + 6² = 7².
    fn around_origin(central: DVec3, outer: [DVec3; 2]) -> KIos {
        let mut floats = central.as_vec3().to_array().to_vec();
        floats.push(central.length() as f32);
        (0..3).for_each(|i| floats.extend([outer[0], outer[1], outer[0], outer[1]].map(|c| c[i] as f32)));
        floats.extend([28.0, 3.0]);
        KIos::restore(&floats).unwrap()
    }

    #[test]
    fn the_margin_covers_the_largest_spheres_around_a_single_point_in_exact_arithmetic() {
        let mut random = Random(51);
        let far = DVec3::new(8.0, 12.0, 24.0);
        let point = around_origin(DVec3::ZERO, [DVec3::new(-24.0, 8.0, 12.0), DVec3::new(12.0, -24.0, 8.0)]);
        let mut max_used = f64::NEG_INFINITY;
        for case in 0..4000 {
            let scale = 2.0_f64.powi(random.below(41) as i32 - 20);
            let (frame_a, frame_b) = (Frame { center: DVec3::ZERO, scale }, Frame { center: DVec3::ZERO, scale: 1.0 });
            let rotation = random.rotation();
            let b = around_origin(far / 32.0, [far, -far]);
            // Along the line through the spheres' centres they touch the contents from outside: the
            // bound is tight.
            let along = rotation * far.normalize() * if case % 2 == 0 { 1.0 } else { -1.0 };
            let pose = Pose::from_matrix(rotation, along * random.magnitude(-6.0, 3.0)).unwrap();
            let a_from_b = Similarity::between(&frame_a, &pose, &frame_b);
            let gap = <KIos as Gap<KIos>>::gap(&point, &<KIos as Gap<KIos>>::fix(&b, &a_from_b));
            let origin = exact(pose.translation() * scale);
            let certified = (gap - a_from_b.margin).max(0.0);
            let distance_squared = squared_length(&minus(&origin, &exact(DVec3::ZERO)));
            assert!(rational(certified) * rational(certified) <= distance_squared, "case {case}: {gap:e}");
            max_used = max_used.max((gap - pose.translation().length() * scale) / a_from_b.margin);
        }
        // The test is worth something only where rounding shows.
        assert!(max_used > 0.01, "{max_used}");
    }
}
