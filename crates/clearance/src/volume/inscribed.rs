//! The largest box along given axes, and the largest ball, inside of walls.
//!
//! A box with centre c and half extents h along orthonormal axes is behind the wall `n·x ≤ b` exactly if
//! `n·c + Σ|n·aᵢ|hᵢ ≤ b`, a ball of radius h if `n·c + h ≤ b`: with the logarithm of the volume, Σ log hᵢ, as what is to grow, that is a
//! concave programme over linear constraints (Arcila, Dinás and Bañón, *Un modelo de detector de colisiones basado en cajas rectangulares
//! externas e internas*, section 4, who hand it to a library). Six variables need no library: a barrier method (Boyd and Vandenberghe,
//! *Convex Optimization*, 2004, section 11.3) with damped Newton steps, which stay behind the walls by themselves since the barrier is
//! self-concordant. With m walls the logarithm of the volume is within m/t of the largest when the weight t has been centred for.
//! The engine stays free of a solver for general cones, and so does its build for browsers.
//!
//! Invariant: what is returned is behind all walls up to rounding; who needs certainty shrinks and checks
//! ([`Nested`](super::Nested) does). Cost: some 90 steps of 27 products a wall: 60 µs for 20 walls.

use crate::math::{DMat3, DVec3};

/// All points with `normal · x ≤ offset`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wall {
    /// Outward, of unit length.
    pub normal: DVec3,
    /// Where the wall is along its normal.
    pub offset: f64,
}

/// How far the logarithm of the volume may be from the largest.
const GAP: f64 = 1e-10;
/// By how much the weight of the volume grows when a centre has been found.
const GROWTH: f64 = 12.0;
/// More steps than any centre takes, at all weights together.
const MOST_STEPS: usize = 1000;
/// The centre's three coordinates, and one or three half extents.
const MOST_VARIABLES: usize = 6;

/// One number for each variable.
type Row = [f64; MOST_VARIABLES];

/// The centre and half extents of the largest box behind all walls whose edges are along the columns of `axes`, which are orthonormal.
///
/// `inside` is a point behind all walls; `None` if it is not, or if there is no end to how large a box may be.
///
/// ```
/// use clearance::{math::{DMat3, DVec3}, volume::{Wall, largest_box}};
/// let signs = |i: u32| DVec3::from_array([0, 1, 2].map(|bit| if i >> bit & 1 == 0 { 1.0 } else { -1.0 }));
/// // |x| + |y| + |z| ≤ 1
/// let octahedron: Vec<Wall> =
///     (0..8).map(|i| Wall { normal: signs(i) / 3.0_f64.sqrt(), offset: 1.0 / 3.0_f64.sqrt() }).collect();
/// let (center, half) = largest_box(&octahedron, &DMat3::IDENTITY, DVec3::splat(0.1)).unwrap();
/// assert!(center.length() < 1e-8 && half.distance(DVec3::splat(1.0 / 3.0)) < 1e-8);
/// ```
pub fn largest_box(walls: &[Wall], axes: &DMat3, inside: DVec3) -> Option<(DVec3, DVec3)> {
    let into_axes = axes.transpose();
    let row = |wall: &Wall| {
        let n = into_axes * wall.normal;
        [n.x, n.y, n.z, n.x.abs(), n.y.abs(), n.z.abs()]
    };
    let [x, y, z, u, v, w] = largest(walls, row, 3, inside)?;
    Some((inside + *axes * DVec3::new(x, y, z), DVec3::new(u, v, w)))
}

/// The centre and radius of the largest ball behind all walls; `inside` as for [`largest_box`].
///
/// ```
/// use clearance::{math::DVec3, volume::{Wall, largest_ball}};
/// let sides = DVec3::AXES.iter().flat_map(|&axis| [axis, -axis]);
/// let cube: Vec<Wall> = sides.map(|normal| Wall { normal, offset: 1.0 }).collect();
/// let (center, radius) = largest_ball(&cube, DVec3::splat(0.5)).unwrap();
/// assert!(center.length() < 1e-8 && (radius - 1.0).abs() < 1e-8);
/// ```
pub fn largest_ball(walls: &[Wall], inside: DVec3) -> Option<(DVec3, f64)> {
    let row = |wall: &Wall| [wall.normal.x, wall.normal.y, wall.normal.z, 1.0, 0.0, 0.0];
    let [x, y, z, radius, ..] = largest(walls, row, 1, inside)?;
    Some((inside + DVec3::new(x, y, z), radius))
}

/// The variables, the centre relative to `inside`, with the largest product of the last `extents` ones.
fn largest(walls: &[Wall], row: impl Fn(&Wall) -> Row, extents: usize, inside: DVec3) -> Option<Row> {
    let clearance = |wall: &Wall| wall.offset - wall.normal.dot(inside);
    let nearest = walls.iter().map(clearance).fold(f64::INFINITY, f64::min);
    if !(nearest > 0.0 && nearest.is_finite()) {
        return None;
    }
    // In units of the room around the point everything starts at about 1.
    let mut barrier = Barrier {
        rows: walls.iter().map(|wall| (row(wall), clearance(wall) / nearest)).collect(),
        extents,
        weight: 1.0,
        at: [0.0; MOST_VARIABLES],
    };
    barrier.at[3..3 + extents].fill(0.5 / extents as f64);
    barrier.climb();
    let found = barrier.at.map(|x| x * nearest);
    let sound = found.iter().all(|x| x.is_finite()) && found[3..3 + extents].iter().all(|&x| x > 0.0);
    sound.then_some(found)
}

/// `weight · Σ log hᵢ + Σ log slack`, and where the climb to its top is.
struct Barrier {
    /// Coefficients and right sides of the walls.
    rows: Vec<(Row, f64)>,
    extents: usize,
    weight: f64,
    at: Row,
}

impl Barrier {
    fn climb(&mut self) {
        let last_weight = self.rows.len() as f64 / GAP;
        for _ in 0..MOST_STEPS {
            let Some((step, decrement)) = self.newton_step() else { return };
            // Within the unit ball of the Hessian's norm no wall is reached.
            let share = if decrement < 0.25 { 1.0 } else { 1.0 / (1.0 + decrement) };
            let next: Row = std::array::from_fn(|i| self.at[i] + share * step[i]);
            if !self.allows(&next) {
                return;
            }
            self.at = next;
            if decrement < 0.1 {
                if self.weight >= last_weight {
                    return;
                }
                self.weight = (self.weight * GROWTH).min(last_weight);
            }
        }
    }

    fn slack(&self, (row, limit): &(Row, f64), at: &Row) -> f64 {
        limit - (0..3 + self.extents).map(|i| row[i] * at[i]).sum::<f64>()
    }

    fn allows(&self, at: &Row) -> bool {
        at[3..3 + self.extents].iter().all(|&h| h > 0.0) && self.rows.iter().all(|wall| self.slack(wall, at) > 0.0)
    }

    /// The step to the top of the second-order model, and its length in the norm of the Hessian.
    fn newton_step(&self) -> Option<(Row, f64)> {
        let count = 3 + self.extents;
        let (mut gradient, mut hessian) = ([0.0; MOST_VARIABLES], [[0.0; MOST_VARIABLES]; MOST_VARIABLES]);
        for i in 3..count {
            gradient[i] = self.weight / self.at[i];
            hessian[i][i] = self.weight / (self.at[i] * self.at[i]);
        }
        for wall in &self.rows {
            let inverse = 1.0 / self.slack(wall, &self.at);
            for i in 0..count {
                let scaled = wall.0[i] * inverse;
                gradient[i] -= scaled;
                for (entry, x) in hessian[i].iter_mut().zip(wall.0).take(i + 1) {
                    *entry += scaled * x * inverse;
                }
            }
        }
        let step = solve(&mut hessian, gradient, count)?;
        let squared: f64 = (0..count).map(|i| step[i] * gradient[i]).sum();
        squared.is_finite().then(|| (step, squared.max(0.0).sqrt()))
    }
}

/// Solves for a positive definite matrix, of which the lower half is given, by Cholesky's factors; `None` where it is not definite.
fn solve(matrix: &mut [Row; MOST_VARIABLES], mut right: Row, count: usize) -> Option<Row> {
    for i in 0..count {
        for j in 0..=i {
            let sum = matrix[i][j] - (0..j).map(|k| matrix[i][k] * matrix[j][k]).sum::<f64>();
            if i == j && (sum.is_nan() || sum <= 0.0) {
                return None;
            }
            matrix[i][j] = if i == j { sum.sqrt() } else { sum / matrix[j][j] };
        }
    }
    for i in 0..count {
        let known: f64 = (0..i).map(|k| matrix[i][k] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|k| matrix[k][i] * right[k]).sum();
        right[i] = (right[i] - known) / matrix[i][i];
    }
    Some(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ConvexPolyhedron;
    use crate::volume::samples::Random;

    fn walls_of(points: &[DVec3]) -> Vec<Wall> {
        let hull = ConvexPolyhedron::hull_of(points).unwrap();
        let wall = |face: u32| {
            let normal = hull.face_normal(face);
            Wall { normal, offset: normal.dot(hull.vertex(hull.face(face)[0])) }
        };
        (0..hull.face_count() as u32).map(wall).collect()
    }

    /// All points whose coordinates are those of `point`, with any signs, in the three cyclic orders.
    fn cyclic(point: [f64; 3]) -> impl Iterator<Item = DVec3> {
        (0..24).map(move |i| {
            let signed: [f64; 3] = std::array::from_fn(|k| if i >> k & 1 == 0 { point[k] } else { -point[k] });
            DVec3::from_array(std::array::from_fn(|k| signed[(k + i / 8) % 3]))
        })
    }

    #[test]
    fn boxes_in_regular_bodies_are_the_known_ones() {
        let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let cube: Vec<DVec3> = cyclic([1.0, 1.0, 1.0]).collect();
        let octahedron: Vec<DVec3> = cyclic([1.0, 0.0, 0.0]).collect();
        let icosahedron: Vec<DVec3> = cyclic([0.0, 1.0, golden]).collect();
        let dodecahedron: Vec<DVec3> = cyclic([1.0, 1.0, 1.0]).chain(cyclic([0.0, 1.0 / golden, golden])).collect();
        // The walls of a dodecahedron are (0, ±1, ±φ) cyclically, at φ²: a box with equal halves touches all of them and is a cube
        // of half φ²/(1 + φ) = 1. Those of an icosahedron are also (±1, ±1, ±1) at φ², where a cube has half φ²/3, and
        // (0, ±1/φ, ±φ) at φ², where it has φ²/(φ + 1/φ), which is more.
        let expected =
            [(cube, 1.0), (octahedron, 1.0 / 3.0), (dodecahedron, 1.0), (icosahedron, golden * golden / 3.0)];
        for (points, half) in expected {
            let inside = DVec3::new(0.05, -0.02, 0.03);
            let (center, found) = largest_box(&walls_of(&points), &DMat3::IDENTITY, inside).unwrap();
            assert!(center.length() < 1e-8, "{half}: {center}");
            assert!(found.distance(DVec3::splat(half)) < 1e-8, "{half}: {found}");
        }
    }

    #[test]
    fn in_a_hull_like_a_sphere_the_box_is_nearly_the_cube_of_the_ball_and_the_ball_all_of_it() {
        let mut random = Random(5);
        let points: Vec<DVec3> = (0..3000).filter_map(|_| random.vector().try_normalize()).collect();
        let walls = walls_of(&points);
        let axes = random.rotation();
        let (center, half) = largest_box(&walls, &axes, DVec3::ZERO).unwrap();
        assert!(center.length() < 0.02 && half.distance(DVec3::splat(1.0 / 3.0_f64.sqrt())) < 0.02, "{center} {half}");
        let (center, radius) = largest_ball(&walls, DVec3::ZERO).unwrap();
        assert!(center.length() < 0.02 && (0.97..1.0).contains(&radius), "{center} {radius}");
    }

    #[test]
    fn no_box_of_another_shape_or_place_is_larger() {
        let mut random = Random(6);
        for _ in 0..40 {
            let scale = random.magnitude(-6.0, 6.0);
            let points: Vec<DVec3> = (0..4 + random.below(30)).map(|_| random.vector() * scale).collect();
            let Ok(hull) = ConvexPolyhedron::hull_of(&points) else { continue };
            let (walls, axes) = (walls_of(&points), random.rotation());
            let middle = hull.vertices().sum::<DVec3>() / hull.vertex_count() as f64;
            let (center, half) = largest_box(&walls, &axes, middle).unwrap();
            let room = |center: DVec3, half: DVec3| {
                let slack = |wall: &Wall| {
                    wall.offset - wall.normal.dot(center) - (axes.transpose() * wall.normal).abs().dot(half)
                };
                walls.iter().map(slack).fold(f64::INFINITY, f64::min)
            };
            assert!(room(center, half) > -1e-12 * scale);
            for _ in 0..300 {
                let (moved, grown) = (random.vector() * 0.05, random.vector() * 0.2);
                let other = half * (DVec3::ONE + grown);
                let larger = other.element_product() > half.element_product() * (1.0 + 1e-6);
                let fits = room(center + axes * (moved * half), other) >= 0.0;
                assert!(!(larger && fits), "{center} {half}");
            }
        }
    }

    #[test]
    fn a_point_outside_and_walls_without_end_have_no_largest_box() {
        let wall = |normal: DVec3| Wall { normal, offset: 1.0 };
        let some = [wall(DVec3::X), wall(-DVec3::X)];
        assert_eq!(largest_box(&some, &DMat3::IDENTITY, DVec3::X * 2.0), None);
        assert_eq!(largest_box(&[], &DMat3::IDENTITY, DVec3::ZERO), None);
        let endless = largest_box(&some, &DMat3::IDENTITY, DVec3::ZERO);
        assert!(endless.is_none_or(|(center, half)| center.is_finite() && half.x < 1.0), "{endless:?}");
    }
}
