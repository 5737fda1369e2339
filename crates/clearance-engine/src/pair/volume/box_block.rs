//! One box-and-sphere against a block of eight boxes along the axes of their frame, in `f32` lanes:
//! the bound of trees of solids.
//!
//! That of [`super::obb_sphere_block`], in which the lanes' axes are the coordinate axes:
//! components along them cost nothing, and the cosines are the same in all lanes. A third of the
//! arithmetic. The sphere of a lane is the one around its box.
//!
//! # The margin
//! That of [`super::obb_sphere_block`]: its terms for the lanes' third axis and for products with
//! the lanes' axes are zero here, and the radius of a lane takes four roundings of at most √3,
//! where a stored one takes none: less than what the products took.

use super::obb_sphere_block::{FixedObbSphere, NEAR, OVERLAP, SHORTEST, beyond, greatest, splat3};
use crate::math::lanes::{F8, Lanes8, V8};
use crate::volume::BoxBlock;
use fearless_simd::prelude::*;

/// The keys of eight boxes against one volume, and the squared distances of the centres; `BOUNDS`
/// as in [`block_keys`](super::obb_sphere_block::block_keys).
///
/// A function of its own, so that it is compiled once per instruction set and not once more per
/// goal and tree.
#[inline(never)]
pub(crate) fn box_keys<S: Lanes8, const BOUNDS: u8>(
    simd: S,
    block: &BoxBlock,
    fixed: &FixedObbSphere,
) -> (F8<S>, F8<S>) {
    simd.vectorize(
        #[inline(always)]
        || box_keys_here::<S, BOUNDS>(simd, block, fixed),
    )
}

#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "the counter names an axis of several arrays")]
fn box_keys_here<S: Lanes8, const BOUNDS: u8>(simd: S, block: &BoxBlock, fixed: &FixedObbSphere) -> (F8<S>, F8<S>) {
    let zero = F8::splat(simd, 0.0);
    let half = V8::load(simd, &block.half);
    let d = splat3(simd, &fixed.center) - V8::load(simd, &block.center);
    let mut reach = half;
    let mut other_gaps = V8([zero; 3]);
    for j in 0..3 {
        let axis = splat3(simd, &fixed.axes[j]);
        let extent = F8::splat(simd, fixed.half[j]);
        let cosines = axis.abs();
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
    let spheres = (centers.sqrt() - (half.dot(half).sqrt() + F8::splat(simd, fixed.radius))).max(zero);
    let key = if BOUNDS == OVERLAP {
        let own = d.abs() - reach;
        let gap = greatest(own).max(greatest(other_gaps)).max(spheres);
        gap * gap
    } else if BOUNDS == NEAR {
        let own = d.abs() - reach;
        let gaps = V8([own.0[0].max(zero), own.0[1].max(zero), own.0[2].max(zero)]);
        gaps.dot(gaps).max(other_gaps.dot(other_gaps)).max(spheres * spheres)
    } else {
        let [x, y, z] = d.0;
        let gaps = V8([beyond(x, reach.0[0]), beyond(y, reach.0[1]), beyond(z, reach.0[2])]);
        let key = gaps.dot(gaps).max(other_gaps.dot(other_gaps)).max(spheres * spheres);
        // The sum of both vectors of gaps.
        let mut n = gaps;
        for j in 0..3 {
            n = n.plus_scaled(splat3(simd, &fixed.axes[j]), other_gaps.0[j]);
        }
        let mut reach = n.abs().dot(half);
        for j in 0..3 {
            reach = n.dot(splat3(simd, &fixed.axes[j])).abs().mul_add(F8::splat(simd, fixed.half[j]), reach);
        }
        let gap = (n.dot(d) - reach).max(zero);
        // Not the square over the square, which could overflow where the key does not.
        key.max(gap / n.dot(n).max(F8::splat(simd, SHORTEST)) * gap)
    };
    // Neither infinite nor NaN: `max_precise` takes the number, and what is below no limit is kept.
    (key.max_precise(zero).min(F8::splat(simd, f32::MAX)), centers)
}
