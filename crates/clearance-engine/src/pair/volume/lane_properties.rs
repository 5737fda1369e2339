//! What the kernels in `f32` lanes must keep, at every SIMD level of this processor and in the
//! scalar twin.
//!
//! Same sets, placements and referee as the bounds in `f64` ([`super::properties`]): needles,
//! slivers, points, touching and overlapping placements, relative scales from 2⁻²⁰ to 2²⁰.

use super::box_block::box_keys;
use super::obb_sphere_block::{FAR, FixedObbSphere, NEAR, NarrowMap, OVERLAP, block_keys, key_of, margin};
use super::properties::{CASES, Case};
use super::referee::feasible_distance;
use crate::Triangle;
use crate::math::lanes::{Lanes8, Vectorized, vectorized};
use crate::math::{DVec3, SimdLevel};
use crate::pair::shape::triangle_boxes::triangle_box_keys;
use crate::pair::shape::triangle_distance;
use crate::pair::shape::triangle_lanes::{
    self, load, near_box, near_box_edges, near_triangle, nearest_vertices, pair_bounds, splat_lane, store,
};
use crate::volume::{Aabb, BoxBlock, ObbSphere, ObbSphereBlock, Volume};

/// Up to eight triangles in lanes.
fn in_lanes(triangles: &[Triangle]) -> [[[f32; 8]; 3]; 3] {
    let mut lanes = [[[0.0; 8]; 3]; 3];
    for lane in 0..8 {
        let triangle = &triangles[lane.min(triangles.len() - 1)];
        for (vertex, slots) in triangle.0.iter().zip(&mut lanes) {
            for (x, slot) in vertex.to_array().into_iter().zip(slots) {
                slot[lane] = x as f32;
            }
        }
    }
    lanes
}

/// The bound of the block over the distance.
struct BlockBound<'c>(&'c Case);

impl Vectorized for BlockBound<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> f64 {
        let Case { a, b, a_from_b, distance, .. } = self.0;
        let (a, b) = (ObbSphere::fit(a, &Default::default()), ObbSphere::fit(b, &Default::default()));
        let block = ObbSphereBlock::new(&[b, a, a], 0);
        let fixed = FixedObbSphere::new(simd, &b, &NarrowMap::new(a_from_b));
        let keys: [f32; 8] = block_keys::<S, FAR>(simd, &block, &fixed).0.into();
        let without: [f32; 8] = block_keys::<S, NEAR>(simd, &block, &fixed).0.into();
        let overlap: [f32; 8] = block_keys::<S, OVERLAP>(simd, &block, &fixed).0.into();
        assert!(keys.iter().zip(&without).all(|(with, without)| with >= without), "{keys:?} {without:?}");
        let bounds = [keys, without, overlap].map(|keys| {
            assert!(keys.iter().all(|key| key.is_finite() && *key >= 0.0), "{keys:?}");
            let bound = f64::from(keys[1]).sqrt() - margin(a_from_b);
            assert!(bound <= *distance, "bound {bound:e} exceeds {distance:e} by {:e}", bound - distance);
            bound.max(0.0)
        });
        // A block of B against the volume of A that the map back moves, with the one margin for
        // both.
        let (block, back) = (ObbSphereBlock::new(&[a, b, b], 0), a_from_b.inverse());
        let fixed = FixedObbSphere::new(simd, &a, &NarrowMap::new(&back));
        let keys = [
            block_keys::<S, FAR>(simd, &block, &fixed).0,
            block_keys::<S, NEAR>(simd, &block, &fixed).0,
            block_keys::<S, OVERLAP>(simd, &block, &fixed).0,
        ];
        for keys in keys {
            let keys: [f32; 8] = keys.into();
            let bound = f64::from(keys[1]).sqrt() * a_from_b.scale - margin(a_from_b);
            assert!(bound <= *distance, "back: {bound:e} exceeds {distance:e} by {:e}", bound - distance);
        }
        bounds[0] / distance
    }
}

#[test]
fn no_block_bound_exceeds_the_distance_at_any_simd_level_and_it_is_useful() {
    for level in SimdLevel::available() {
        let (mut sum, mut count) = (0.0, 0);
        for case in CASES.iter() {
            let ratio = vectorized(level, BlockBound(case));
            if case.is_apart() {
                (sum, count) = (sum + ratio, count + 1);
            }
        }
        assert!(sum / f64::from(count) > 0.85, "{level:?}: {}", sum / f64::from(count));
    }
}

/// The bounds of boxes along the axes of their frame: the best of them over the distance.
struct BoxBounds<'c>(&'c Case);

impl Vectorized for BoxBounds<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> f64 {
        let Case { a, b, a_from_b, distance, .. } = self.0;
        let map = NarrowMap::new(a_from_b);
        let (box_a, box_b) = (Aabb::fit(a, &()), Aabb::fit(b, &()));
        let (obb_a, obb_b) = (ObbSphere::fit(a, &Default::default()), ObbSphere::fit(b, &Default::default()));
        let boxes = BoxBlock::new(&[box_b, box_a, box_a]);
        let moved = FixedObbSphere::new(simd, &obb_b, &map);
        let aligned = FixedObbSphere::aligned(simd, &box_b, &map);
        let block = ObbSphereBlock::new(&[obb_b, obb_a, obb_a], 0);
        let all = [
            box_keys::<S, FAR>(simd, &boxes, &moved).0,
            box_keys::<S, NEAR>(simd, &boxes, &moved).0,
            box_keys::<S, OVERLAP>(simd, &boxes, &moved).0,
            box_keys::<S, FAR>(simd, &boxes, &aligned).0,
            block_keys::<S, FAR>(simd, &block, &aligned).0,
            block_keys::<S, OVERLAP>(simd, &block, &aligned).0,
        ];
        let mut best = 0.0_f64;
        for keys in all {
            let keys: [f32; 8] = keys.into();
            assert!(keys.iter().all(|key| key.is_finite() && *key >= 0.0), "{keys:?}");
            let bound = f64::from(keys[1]).sqrt() - margin(a_from_b);
            assert!(bound <= *distance, "bound {bound:e} exceeds {distance:e} by {:e}", bound - distance);
            best = best.max(bound);
        }
        // Each triangle of B against the boxes of A's.
        let count = a.len().min(8);
        let boxes: Vec<Aabb> = (0..count).map(|lane| Aabb::fit(&a[lane..=lane], &())).collect();
        let [b0, b1, b2] = load(simd, &in_lanes(b));
        let in_a = [map.points(simd, b0), map.points(simd, b1), map.points(simd, b2)];
        for (one, triangle) in b.iter().enumerate().take(8) {
            let keys = triangle_box_keys(simd, &splat_lane(simd, &in_a, one as u8), &BoxBlock::new(&boxes));
            let keys: [f32; 8] = keys.into();
            let moved = triangle.map(|v| a_from_b.transform_point(v));
            for lane in 0..count {
                let bound = f64::from(keys[lane]).sqrt() - margin(a_from_b);
                let truth = triangle_distance(&a[lane], &moved).upper;
                assert!(bound <= truth, "triangle {one}, lane {lane}: {bound:e} exceeds {truth:e}");
            }
        }
        best / distance
    }
}

#[test]
fn no_bound_of_aligned_boxes_exceeds_the_distance_at_any_simd_level_and_it_is_useful() {
    for level in SimdLevel::available() {
        let (mut sum, mut count) = (0.0, 0);
        for case in CASES.iter() {
            let ratio = vectorized(level, BoxBounds(case));
            if case.is_apart() {
                (sum, count) = (sum + ratio, count + 1);
            }
        }
        assert!(sum / f64::from(count) > 0.7, "{level:?}: {}", sum / f64::from(count));
    }
}

/// All filters and bounds between triangles.
struct TriangleBounds<'c>(&'c Case);

impl Vectorized for TriangleBounds<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        let Case { a, b, a_from_b, .. } = self.0;
        let map = NarrowMap::new(a_from_b);
        let moved: Vec<Triangle> = b.iter().map(|t| t.map(|v| a_from_b.transform_point(v))).collect();
        let lanes_a = load(simd, &in_lanes(a));
        let [b0, b1, b2] = load(simd, &in_lanes(b));
        let lanes_b = [map.points(simd, b0), map.points(simd, b1), map.points(simd, b2)];
        let (margin, pair_margin) = (margin(a_from_b), triangle_lanes::margin(a_from_b));
        let count = a.len().min(b.len()).min(8);
        let (at, mut kept_a, mut kept_b) = (count / 2, [[[f32::NAN; 16]; 3]; 3], [[[f32::NAN; 16]; 3]; 3]);
        store(&lanes_a, &mut kept_a, at);
        store(&lanes_b, &mut kept_b, at);
        let all = pair_bounds(simd, &kept_a, &kept_b, at, f32::INFINITY, (1 << count) - 1);
        let some = pair_bounds(simd, &kept_a, &kept_b, at, 0.0, (1 << count) - 1);
        for (lane, bounds) in (0..count).flat_map(|lane| [(lane, &all), (lane, &some)]) {
            let (lower, edges): ([f32; 8], [f32; 8]) = (bounds.lower.into(), bounds.edges.into());
            let truth = triangle_distance(&a[lane], &moved[lane]);
            let proven = f64::from(lower[lane]) - pair_margin;
            assert!(lower[lane].is_nan() || proven <= truth.upper, "lane {lane}: {proven:e} {:e}", truth.upper);
            let realised = f64::from(edges[lane]).sqrt() + pair_margin;
            assert!(realised >= truth.lower, "lane {lane}: {realised:e} {:e}", truth.lower);
        }
        // Unused lanes repeat the last triangle.
        let [firsts_a, firsts_b] = [a, &moved].map(|side| side.iter().take(8).map(|t| t.0[0]));
        let truth = firsts_a.flat_map(|p| firsts_b.clone().map(move |q| p.distance(q))).fold(f64::INFINITY, f64::min);
        let found = f64::from(nearest_vertices(simd, &lanes_a, &lanes_b)).sqrt();
        assert!((found - truth).abs() <= pair_margin, "vertices {found:e} apart, not {truth:e}");
        let boxed = FixedObbSphere::new(simd, &ObbSphere::fit(b, &Default::default()), &map);
        for factor in [0.0, 0.3, 1.0, 1.001] {
            let wanted = factor * triangle_distance(&a[0], &moved[0]).lower;
            let limit = key_of(wanted, margin);
            let far_from_box =
                !(near_box(simd, &lanes_a, &boxed, limit) & near_box_edges(simd, &lanes_a, &boxed, limit));
            for lane in (0..a.len().min(8)).filter(|lane| far_from_box >> lane & 1 == 1) {
                let distance = feasible_distance(&a[lane..=lane], &moved);
                assert!(distance >= wanted, "lane {lane} is {distance:e} from the box, not {wanted:e}");
            }
            let one = splat_lane(simd, &lanes_a, 0);
            let far = !near_triangle::<S, true>(simd, &one, &lanes_b, limit);
            for lane in (0..b.len().min(8)).filter(|lane| far >> lane & 1 == 1) {
                let distance = triangle_distance(&a[0], &moved[lane]).upper;
                assert!(distance >= wanted, "lane {lane} is {distance:e} away, not {wanted:e}");
            }
        }
    }
}

#[test]
fn no_triangle_bound_in_lanes_is_on_the_wrong_side_at_any_simd_level() {
    for level in SimdLevel::available() {
        for case in CASES.iter() {
            vectorized(level, TriangleBounds(case));
        }
    }
}

/// The lanes near a cube of half extent 1: by all directions, and without those of edges.
struct NearCube(Triangle);

impl Vectorized for NearCube {
    type Output = (u64, u64);

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> (u64, u64) {
        let lanes = self.0.0.map(|vertex| vertex.to_array().map(|x| [x as f32; 8]));
        let lanes = load(simd, &lanes);
        let axes = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];
        let cube = FixedObbSphere { center: [0.0; 4], axes, half: [1.0; 3], radius: 2.0 };
        let limit = key_of(f64::MIN_POSITIVE, 1e-5);
        (near_box_edges(simd, &lanes, &cube, limit), near_box(simd, &lanes, &cube, limit))
    }
}

#[test]
fn a_triangle_that_passes_the_edge_of_a_box_is_seen_to_be_apart_by_their_edges_alone() {
    // x + y is 2.2 along its first edge and more below: the plane of the triangle cuts the cube.
    let passing = [DVec3::new(3.1, -0.9, 0.0), DVec3::new(-0.9, 3.1, 0.0), DVec3::new(2.5, 2.5, -5.0)];
    let cutting = passing.map(|vertex| vertex - DVec3::new(0.2, 0.2, 0.0));
    for level in SimdLevel::available() {
        assert_eq!(vectorized(level, NearCube(Triangle(passing))), (0, 0xff));
        assert_eq!(vectorized(level, NearCube(Triangle(cutting))), (0xff, 0xff));
    }
}
