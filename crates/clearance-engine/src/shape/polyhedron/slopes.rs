//! Rays from the centre of a convex polyhedron with few faces: how soon they leave it.
//!
//! A face with the normal n at the height h has the *slope* n/h: a point x is behind it as long as
//! its product with that is no more than 1, and a ray along d leaves the polyhedron after 1/m of
//! it, where m is the largest slope along d. (Slopes are the vertices of the polar polyhedron, and
//! m is how far that reaches.)
//!
//! # Rounding
//! With u = 2⁻⁵³, k vertices of a face and l the length around it, its normal N, not of unit
//! length, is a sum of k products of two edges, off by (k + k²/4)u·l², and by 2u·l since vertices,
//! within 1 of the centre, are rounded. So is, with 5 roundings more, the height of its vertices
//! times the normal's length: by less than e = 8k²u·l² + 16ku·l. A height that is that much lower
//! is certain. One that is twice as much lower makes up for the normal too, for all points within 8
//! of the centre: whatever has products of 1 or less with such slopes is behind all faces, in
//! truth, and so is within 1 of the centre, as all of the polyhedron is; nothing farther than 8 can
//! be among it, as what is between there and the centre would be. What the slopes themselves and
//! their products lose by rounding is for callers to charge: less than 8u of the steepest slope
//! times the length of the direction.

use super::adjacency::{Adjacency, polygon_normal, sides};
use crate::math::lanes::{F4, Simd};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use fearless_simd::prelude::*;

/// The number of faces that a SIMD block holds.
const LANES: usize = 4;
/// Polyhedra with more faces have no slopes: comparing all would take as long as a search.
const MAX_FACES: usize = 64;
/// The steepest slope of a polyhedron with rays. Steeper bodies are thin, and the rounding error
/// grows with the slope.
const STEEPEST: f64 = 1e6;

/// The slopes of all faces.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Slopes {
    /// The slopes coordinate by coordinate, in blocks of faces; empty where these are too many, or
    /// one is too steep.
    blocks: Vec<[[f64; LANES]; 3]>,
    /// At least the length of any slope; infinite where there are none.
    pub(super) steepest: f64,
}

/// A face's normal, of any length, and the height of its vertices along it.
struct Height {
    normal: DVec3,
    height: f64,
    /// The rounding error of the height: e, in the head of this file.
    error: f64,
}

/// The heights of all faces.
fn heights<'c>(vertices: &'c [DVec3], adjacency: &'c Adjacency) -> impl Iterator<Item = Height> + 'c {
    (0..adjacency.face_count() as u32).map(|face| {
        let numbers = adjacency.face(face);
        let around = || numbers.iter().map(|&vertex| vertices[vertex as usize]);
        let lengths = sides(numbers).map(|(from, to)| vertices[from as usize].distance(vertices[to as usize]));
        let (normal, length) = (polygon_normal(around()), numbers.len() as f64 * lengths.sum::<f64>());
        let height = around().fold(f64::INFINITY, |lowest, vertex| lowest.min(normal.dot(vertex)));
        Height { normal, height, error: UNIT_ROUNDOFF * length * (8.0 * length + 16.0) }
    })
}

/// The radius of a certified inscribed sphere about the centre.
pub(super) fn inner_radius(vertices: &[DVec3], adjacency: &Adjacency) -> f64 {
    let certain = |face: Height| (face.height - face.error) / face.normal.length();
    // NaN counts as zero.
    heights(vertices, adjacency).fold(1.0, |least: f64, face| least.min(certain(face).max(0.0)))
}

impl Slopes {
    /// Computes the slopes of a polyhedron whose vertices are within 1 of its centre.
    pub(super) fn new(vertices: &[DVec3], adjacency: &Adjacency) -> Self {
        let none = Self { blocks: Vec::new(), steepest: f64::INFINITY };
        if adjacency.face_count() > MAX_FACES {
            return none;
        }
        let certain = |face: Height| {
            let height = face.height - 2.0 * face.error;
            let slope = face.normal / height;
            (height > 0.0 && slope.length() < STEEPEST).then_some(slope)
        };
        let Some(slopes) = heights(vertices, adjacency).map(certain).collect::<Option<Vec<DVec3>>>() else {
            return none;
        };
        let block = |some: &[DVec3]| {
            let at = |lane: usize| some[lane.min(some.len() - 1)];
            [0, 1, 2].map(|axis| std::array::from_fn(|lane| at(lane)[axis]))
        };
        let steepest = slopes.iter().fold(0.0, |steepest: f64, slope| steepest.max(slope.length()));
        Self { blocks: slopes.chunks(LANES).map(block).collect(), steepest: steepest * (1.0 + 1e-15) }
    }

    /// Whether the polyhedron has slopes.
    #[inline]
    pub(super) fn is_some(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// The largest slope along a direction, or zero.
    #[inline(always)]
    pub(super) fn along<S: Simd>(&self, simd: S, direction: DVec3) -> f64 {
        let [x, y, z] = [direction.x, direction.y, direction.z].map(|along| F4::splat(simd, along));
        let mut most = F4::splat(simd, 0.0);
        for [xs, ys, zs] in &self.blocks {
            let (xs, ys, zs): (F4<S>, F4<S>, F4<S>) =
                ((*xs).simd_into(simd), (*ys).simd_into(simd), (*zs).simd_into(simd));
            let heights = z.mul_add(zs, y.mul_add(ys, x * xs));
            most = heights.simd_gt(most).select(heights, most);
        }
        let [p, q, r, s]: [f64; LANES] = most.into();
        p.max(q).max(r.max(s))
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::Body;
    use super::*;
    use crate::math::lanes::with_baseline;
    use crate::random::Random;

    fn point(random: &mut Random) -> DVec3 {
        DVec3::new(random.signed(), random.signed(), random.signed())
    }

    #[test]
    fn rays_leave_where_the_first_face_is() {
        let mut random = Random(81);
        let cube = (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
        let mut bodies: Vec<Vec<DVec3>> = vec![cube];
        bodies.extend([4, 5, 12, 30].map(|count| (0..count).map(|_| point(&mut random)).collect()));
        for points in bodies {
            let body = Body::hull_of(&points).unwrap();
            assert!(body.adjacency.face_count() <= MAX_FACES && body.slopes.steepest < STEEPEST);
            for _ in 0..200 {
                let direction = point(&mut random) * 10.0_f64.powf(3.0 * random.signed());
                let slope = with_baseline!(simd => body.slopes.along(simd, direction));
                let leaves_at = direction / slope;
                let above = |(normal, &top): (&DVec3, &u32)| normal.dot(leaves_at - body.vertices[top as usize]);
                let highest = body.normals.iter().zip(&body.tops).map(above).fold(f64::NEG_INFINITY, f64::max);
                // Inside, by what is charged.
                assert!((-1e-10..1e-14).contains(&highest), "{points:?} {direction}: {highest}");
            }
        }
    }

    #[test]
    fn thin_bodies_and_those_of_many_faces_have_no_slopes() {
        let mut random = Random(82);
        let sheet: Vec<DVec3> = (0..20).map(|_| point(&mut random) * DVec3::new(1.0, 1.0, 1e-8)).collect();
        let sphere: Vec<DVec3> = (0..60).map(|_| point(&mut random).normalize()).collect();
        for points in [sheet, sphere] {
            let body = Body::hull_of(&points).unwrap();
            assert!(!body.slopes.is_some());
        }
    }
}
