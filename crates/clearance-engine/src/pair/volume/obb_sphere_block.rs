//! One box-and-sphere against a block of eight, in `f32` lanes: the bound of the wide tree.
//!
//! # The bound
//! With the lanes' axes uᵢ, half extents hᵢ, radius r, the fixed side's Uⱼ, Hⱼ, R and d from the
//! lane's centre to the fixed one, every difference of two points has components of at least
//! `gᵢ = |uᵢ·d| − hᵢ − Σⱼ|uᵢ·Uⱼ|Hⱼ` along uᵢ and `Gⱼ = |Uⱼ·d| − Hⱼ − Σᵢ|uᵢ·Uⱼ|hᵢ` along Uⱼ, and a
//! length of at least `|d| − r − R`. The key is the largest of `Σmax(0,g)²`, `Σmax(0,G)²` and
//! `max(0, |d|−r−R)²`.
//!
//! For bodies that are far apart there is one more. With the signed gaps s along the lanes' axes
//! and S along the others', the direction `n = Σ Nᵢuᵢ`, `Nᵢ = sᵢ + Σⱼ(uᵢ·Uⱼ)Sⱼ` is about the sum of
//! both vectors of gaps, and `(n·d − Σ|n·uᵢ|hᵢ − Σ|n·Uⱼ|Hⱼ)/|n|` is a bound for any N. It saves 5
//! to 10 % of the nodes near and nearly half of them far.
//!
//! # The margin
//! Units are A's stored ones, in which A's contents have coordinates up to 1 and B's up to ρ; T =
//! |t|; ε = 2⁻²⁴. Centres of boxes may lie 1.84 (1.84ρ) from the origin, half extents sum to less
//! than 5.2 (5.2ρ). With or without fused operations:
//! * the moved centre: rotation entries rounded (ε·√3·1.84ρ), t rounded (εT), 5 roundings of
//!   partial sums up to 3.2ρ + T: 6ε(3.2ρ + T) per coordinate, ε(34ρ + 11T) as a vector;
//! * the third axis, a cross product here and a rounded one in the volume's definition: 5ε; a moved
//!   axis: 11ε per coordinate, 19ε as a vector, 24ε for the third;
//! * d: one more rounding, and |d| ≤ T + 1.84ρ + 1.84;
//! * `uᵢ·d`: 9ε|d| of its own, 5ε|d| from the third axis, and d's error; `Uⱼ·d`: 9ε|d| + 24ε|d| and
//!   d's error;
//! * `uᵢ·Uⱼ`: 9ε + 24ε + 5ε = 38ε, times sums of half extents: 38ε·5.2ρ or 38ε·5.2; 6 roundings of
//!   the sums;
//! * the stretch of stored axes, 3ε·|d| (entries of the third are within 5·2⁻²⁵ of orthonormal
//!   ones, the others within 2⁻²⁵), and for the key's squares, sum, root and comparison 6ε times
//!   the bound itself.
//!
//! Together less than ε(34ρ + 11T + 33(T + 1.84ρ + 1.84) + 198ρ + 198 + 6(T + 7.1ρ + 7.1) + 9(T +
//! 2ρ + 2)) < ε(60T + 355ρ + 320). [`margin`] is 2⁻²⁴(72T + 384ρ + 384), in which the conversion of
//! poses and vertices to stored `f64` coordinates (2⁻⁵³ times the coordinates' size, see
//! [`crate::math::Similarity::margin`]) is added.
//!
//! A pair is at least `d` apart if its key is not below `(d + margin)²`, rounded up. The same
//! margin serves the block of B against a volume of A: in A's units the two computations have the
//! same error. The gap along n, relative to |n| ≈ |N|: `N·d` 18ε|d| and d's error; `n·uᵢ` is Nᵢ up
//! to 12ε, since the axes are not quite orthonormal, and 3ε of rounding, times 5.2;
//! `n·Uⱼ = ΣNᵢ(uᵢ·Uⱼ)` errs by 24ε for Uⱼ, 5ε for u₃ and 9ε of rounding, times 5.2ρ; 6ε for the
//! sums and the quotient: less than ε(35T + 325ρ + 175). Coordinates must be below 1e18: beyond
//! that the squared distance of two centres is infinite, and the key with it, though the spheres
//! may overlap. Keys are numbers all the same.

use crate::math::lanes::{F8, Lanes8, V8};
use crate::math::{Similarity, f32_above};
use crate::volume::{Aabb, ObbSphere, ObbSphereBlock};
use fearless_simd::f32x4;
use fearless_simd::prelude::*;

/// A [`Similarity`] in `f32`, by columns of four for loads.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NarrowMap {
    /// Rotation times scale.
    linear: [[f32; 4]; 3],
    rotation: [[f32; 4]; 3],
    translation: [f32; 4],
    scale: f32,
}

impl NarrowMap {
    pub(crate) fn new(map: &Similarity) -> Self {
        let columns = |factor: f64| {
            [0, 1, 2].map(|k| {
                let column = map.rotation.col(k);
                // Scaling by a power of two keeps the rounding of the entries.
                [column.x as f32, column.y as f32, column.z as f32, 0.0].map(|x| x * factor as f32)
            })
        };
        let t = map.translation;
        Self {
            linear: columns(map.scale),
            rotation: columns(1.0),
            translation: [t.x as f32, t.y as f32, t.z as f32, 0.0],
            scale: map.scale as f32,
        }
    }

    #[inline(always)]
    fn point<S: Lanes8>(&self, simd: S, p: &[f32; 3]) -> [f32; 4] {
        apply(simd, &self.linear, p, self.translation.simd_into(simd))
    }

    #[inline(always)]
    fn direction<S: Lanes8>(&self, simd: S, p: &[f32; 3]) -> [f32; 4] {
        apply(simd, &self.rotation, p, f32x4::splat(simd, 0.0))
    }

    /// A sphere, without lanes.
    #[inline(always)]
    pub(crate) fn sphere(&self, &[x, y, z]: &[f32; 3], radius: f32) -> ([f32; 3], f32) {
        let [m0, m1, m2] = &self.linear;
        let row = |k: usize| m0[k] * x + m1[k] * y + m2[k] * z + self.translation[k];
        ([row(0), row(1), row(2)], radius * self.scale)
    }

    /// Eight points.
    #[inline(always)]
    pub(crate) fn points<S: Lanes8>(&self, simd: S, p: V8<S>) -> V8<S> {
        V8([self.row(simd, p, 0), self.row(simd, p, 1), self.row(simd, p, 2)])
    }

    #[inline(always)]
    fn row<S: Lanes8>(&self, simd: S, p: V8<S>, k: usize) -> F8<S> {
        let [x, y, z] = p.0;
        let [m0, m1, m2] = &self.linear;
        let sum = F8::splat(simd, m2[k]).mul_add(z, F8::splat(simd, self.translation[k]));
        F8::splat(simd, m0[k]).mul_add(x, F8::splat(simd, m1[k]).mul_add(y, sum))
    }
}

#[inline(always)]
fn apply<S: Lanes8>(simd: S, columns: &[[f32; 4]; 3], p: &[f32; 3], offset: f32x4<S>) -> [f32; 4] {
    let (x, y, z) = (f32x4::splat(simd, p[0]), f32x4::splat(simd, p[1]), f32x4::splat(simd, p[2]));
    let m0: f32x4<S> = columns[0].simd_into(simd);
    let m1: f32x4<S> = columns[1].simd_into(simd);
    let m2: f32x4<S> = columns[2].simd_into(simd);
    m0.mul_add(x, m1.mul_add(y, m2.mul_add(z, offset))).into()
}

/// A volume moved into the lanes' frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedObbSphere {
    pub(crate) center: [f32; 4],
    pub(crate) axes: [[f32; 4]; 3],
    pub(crate) half: [f32; 3],
    pub(crate) radius: f32,
}

impl FixedObbSphere {
    /// A box along the axes of its own frame.
    #[inline(always)]
    pub(crate) fn aligned<S: Lanes8>(simd: S, volume: &Aabb, map: &NarrowMap) -> Self {
        let (center, &[x, y, z]) = volume.parts();
        // Root and sum are rounded four times, by less than what is added.
        let radius = (x * x + y * y + z * z).sqrt() * (1.0 + 8.0 * f32::EPSILON) + f32::MIN_POSITIVE.sqrt();
        Self {
            center: map.point(simd, center),
            axes: map.rotation,
            half: [x * map.scale, y * map.scale, z * map.scale],
            radius: radius * map.scale,
        }
    }

    /// A volume where it is stored.
    #[inline(always)]
    pub(crate) fn unmoved(volume: &ObbSphere) -> Self {
        let padded = |x: &[f32; 3]| [x[0], x[1], x[2], 0.0];
        let axes = [padded(&volume.u), padded(&volume.v), padded(&third(volume))];
        Self { center: padded(&volume.center), axes, half: volume.half, radius: volume.radius }
    }

    #[inline(always)]
    pub(crate) fn new<S: Lanes8>(simd: S, volume: &ObbSphere, map: &NarrowMap) -> Self {
        let [x, y, z] = volume.half;
        Self {
            center: map.point(simd, &volume.center),
            axes: [map.direction(simd, &volume.u), map.direction(simd, &volume.v), map.direction(simd, &third(volume))],
            half: [x * map.scale, y * map.scale, z * map.scale],
            radius: volume.radius * map.scale,
        }
    }
}

/// The third axis of a volume.
#[inline(always)]
fn third(volume: &ObbSphere) -> [f32; 3] {
    let (u, v) = (&volume.u, &volume.v);
    [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
}

/// What rounding may add to a bound between a block and a moved volume, in the frame that
/// `a_from_b` leads to.
pub(crate) fn margin(a_from_b: &Similarity) -> f64 {
    const EPSILON: f64 = 1.0 / 16_777_216.0;
    EPSILON * (72.0 * a_from_b.offset + 384.0 * a_from_b.scale + 384.0) + a_from_b.margin
}

/// The key from which on a pair is certainly `distance` or more apart.
#[inline(always)]
pub(crate) fn key_of(distance: f64, margin: f64) -> f32 {
    let sum = distance + margin;
    f32_above(sum * sum)
}

/// The least squared length of a direction that proves something: well above where squares of `f32`
/// lose digits.
pub(crate) const SHORTEST: f32 = 1e-30;

/// What sticks out of [-reach, reach], with its sign.
#[inline(always)]
pub(super) fn beyond<S: Lanes8>(x: F8<S>, reach: F8<S>) -> F8<S> {
    x - x.max(-reach).min(reach)
}

#[inline(always)]
pub(super) fn greatest<S: Lanes8>(x: V8<S>) -> F8<S> {
    x.0[0].max(x.0[1]).max(x.0[2])
}

/// The components of v along three axes.
#[inline(always)]
fn on_axes<S: Lanes8>(v: V8<S>, axes: &[V8<S>; 3]) -> V8<S> {
    V8([v.dot(axes[0]), v.dot(axes[1]), v.dot(axes[2])])
}

/// The first three numbers in all lanes.
#[inline(always)]
pub(crate) fn splat3<S: Lanes8>(simd: S, x: &[f32; 4]) -> V8<S> {
    V8::splat(simd, [x[0], x[1], x[2]])
}

/// The key is the largest single gap: enough where only overlap matters.
pub(crate) const OVERLAP: u8 = 0;
/// The key is the larger sum of squared gaps, or the gap of the spheres.
pub(crate) const NEAR: u8 = 1;
/// As [`NEAR`], or the gap along n.
pub(crate) const FAR: u8 = 2;

/// The keys of eight volumes against one, see the head of this file, and the squared distances of
/// the centres; `BOUNDS` says which bounds count.
///
/// What is inside of `vectorize` can be a function of its own, compiled once per instruction set
/// and not once more per goal and side; what is outside must not, or every call is two.
#[inline(always)]
pub(crate) fn block_keys<S: Lanes8, const BOUNDS: u8>(
    simd: S,
    block: &ObbSphereBlock,
    fixed: &FixedObbSphere,
) -> (F8<S>, F8<S>) {
    simd.vectorize(
        #[inline(always)]
        move || block_keys_here::<S, BOUNDS>(simd, block, fixed),
    )
}

// One of the other's axes after the other, so that what one needs is forgotten before the next: all
// at once are more than there are registers.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "the counter names an axis of several arrays")]
fn block_keys_here<S: Lanes8, const BOUNDS: u8>(
    simd: S,
    block: &ObbSphereBlock,
    fixed: &FixedObbSphere,
) -> (F8<S>, F8<S>) {
    let zero = F8::splat(simd, 0.0);
    let (u, v) = (V8::load(simd, &block.u), V8::load(simd, &block.v));
    let lanes = [u, v, u.cross(v)];
    let half = V8::load(simd, &block.half);
    let d = splat3(simd, &fixed.center) - V8::load(simd, &block.center);
    let mut reach = half;
    let mut on_lane = [V8([zero; 3]); 3];
    let mut other_gaps = V8([zero; 3]);
    for j in 0..3 {
        let axis = splat3(simd, &fixed.axes[j]);
        let extent = F8::splat(simd, fixed.half[j]);
        on_lane[j] = on_axes(axis, &lanes);
        let cosines = on_lane[j].abs();
        reach = reach.plus_scaled(cosines, extent);
        let along = axis.dot(d);
        let other_reach = extent + cosines.dot(half);
        other_gaps.0[j] = match BOUNDS {
            OVERLAP => along.abs() - other_reach,
            NEAR => (along.abs() - other_reach).max(zero),
            _ => beyond(along, other_reach),
        };
    }
    let centers = d.dot(d);
    let radii: F8<S> = block.radius.simd_into(simd);
    let spheres = (centers.sqrt() - (radii + F8::splat(simd, fixed.radius))).max(zero);
    let d_on_lane = on_axes(d, &lanes);
    let key = if BOUNDS == OVERLAP {
        let own = d_on_lane.abs() - reach;
        let gap = greatest(own).max(greatest(other_gaps)).max(spheres);
        gap * gap
    } else if BOUNDS == NEAR {
        let own = d_on_lane.abs() - reach;
        let gaps = V8([own.0[0].max(zero), own.0[1].max(zero), own.0[2].max(zero)]);
        gaps.dot(gaps).max(other_gaps.dot(other_gaps)).max(spheres * spheres)
    } else {
        let [x, y, z] = d_on_lane.0;
        let gaps = V8([beyond(x, reach.0[0]), beyond(y, reach.0[1]), beyond(z, reach.0[2])]);
        let key = gaps.dot(gaps).max(other_gaps.dot(other_gaps)).max(spheres * spheres);
        let [x, y, z] = [on_lane[0].0, on_lane[1].0, on_lane[2].0];
        let on_others = [V8([x[0], y[0], z[0]]), V8([x[1], y[1], z[1]]), V8([x[2], y[2], z[2]])];
        let n = gaps + on_axes(other_gaps, &on_others);
        let reach = n.abs().dot(half) + on_axes(n, &on_lane).abs().dot(V8::splat(simd, fixed.half));
        let gap = (n.dot(d_on_lane) - reach).max(zero);
        // Not the square over the square, which could overflow where the key does not.
        key.max(gap / n.dot(n).max(F8::splat(simd, SHORTEST)) * gap)
    };
    // Neither infinite nor NaN: `max_precise` takes the number, and what is below no limit is kept.
    (key.max_precise(zero).min(F8::splat(simd, f32::MAX)), centers)
}
