//! Blocks of up to eight AABBs in SIMD lanes: the children of a node in a primitive BVH.

use super::Aabb;
use super::fit::widen;

/// One to eight axis-aligned boxes in SIMD lanes.
///
/// Invariant: a lane's box contains its contents in exact arithmetic, as an [`Aabb`] does. Lanes
/// from `count` on may hold anything finite.
///
/// ```
/// use clearance_engine::{math::DVec3, volume::{Aabb, BoxBlock, Volume}};
/// let block = BoxBlock::new(&[Aabb::around(DVec3::X * 0.5, DVec3::splat(0.25))]);
/// assert_eq!((block.count, block.get(0).center()), (1, DVec3::X * 0.5));
/// ```
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub struct BoxBlock {
    /// Centres: coordinate, lane.
    pub center: [[f32; 8]; 3],
    /// Half-extents: coordinate, lane.
    pub half: [[f32; 8]; 3],
    /// The number of lanes in use, from the first on; 1 to 8.
    pub count: u32,
}

impl BoxBlock {
    /// Packs one to eight boxes into lanes. It ignores further boxes and fills free lanes with the
    /// last one.
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut block = Self { center: [[0.0; 8]; 3], half: [[0.0; 8]; 3], count: boxes.len().min(8) as u32 };
        let Some(last) = boxes.len().checked_sub(1) else { return block };
        for lane in 0..8 {
            let (center, half) = boxes[lane.min(last)].parts();
            for k in 0..3 {
                block.center[k][lane] = center[k];
                block.half[k][lane] = half[k];
            }
        }
        block
    }

    /// The box in a lane.
    #[inline]
    pub fn get(&self, lane: usize) -> Aabb {
        let at = |x: &[[f32; 8]; 3]| [x[0][lane & 7], x[1][lane & 7], x[2][lane & 7]];
        Aabb::from_parts(at(&self.center), at(&self.half))
    }

    /// The smallest box around all boxes in use, rounded up.
    pub fn hull(&self) -> Aabb {
        let lanes = || (0..self.count as usize).map(|lane| self.get(lane));
        let vertex = |sign: f64| move |one: Aabb| widen(*one.parts().0) + widen(*one.parts().1) * sign;
        let low = lanes().map(vertex(-1.0)).reduce(|a, b| a.min(b)).unwrap_or_default();
        let high = lanes().map(vertex(1.0)).reduce(|a, b| a.max(b)).unwrap_or_default();
        // Sums of numbers that differ by more than 2²⁹ are rounded.
        let rounding = 4.0 * crate::math::UNIT_ROUNDOFF * low.abs().max(high.abs());
        Aabb::around(low + (high - low) * 0.5, (high - low) * 0.5 + rounding)
    }
}
