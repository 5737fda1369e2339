//! Two boxes, each along the axes of its own stored frame.
//!
//! Along an axis of A the boxes' projections are apart by `gᵢ = |dᵢ| − aᵢ − Σⱼ|Rᵢⱼ|bⱼ`, for all
//! points of both at once. So no difference of two points is shorter than the vector of the
//! positive gᵢ; the same holds along B's axes, and the better of the two is the bound. Exact unless
//! two edges, or a vertex and a slanted side, are closest. Cost: about 50 products and one root; 15
//! dependent roundings on values no larger than the bodies and their offset.

use super::Gap;
use crate::math::{DMat3, DVec3, Similarity};
use crate::volume::{Aabb, Volume};

/// A box along the axes of its own frame, seen from the other side's.
#[derive(Debug, Clone, Copy)]
pub struct FixedAabb {
    center: DVec3,
    half: DVec3,
    /// Half the extents along the axes of the other side's frame.
    extent: DVec3,
    /// From the other side's directions to this one's.
    rotation_back: DMat3,
    absolute_rotation_back: DMat3,
}

impl Gap<Aabb> for Aabb {
    type Prepared = Similarity;
    type Fixed = FixedAabb;

    fn prepare(self_from_b: &Similarity) -> Similarity {
        *self_from_b
    }

    fn fix(b: &Aabb, self_from_b: &Similarity) -> FixedAabb {
        let half = b.half() * self_from_b.scale;
        let rotation_back = self_from_b.rotation.transpose();
        FixedAabb {
            center: self_from_b.transform_point(b.center()),
            half,
            extent: self_from_b.rotation.abs() * half,
            rotation_back,
            absolute_rotation_back: rotation_back.abs(),
        }
    }

    #[inline]
    fn gap(&self, b: &FixedAabb) -> f64 {
        let offset = b.center - self.center();
        self.own_gap_squared(b, offset).max(self.other_gap_squared(b, offset)).sqrt()
    }

    #[inline]
    fn apart(&self, b: &FixedAabb, margin: f64) -> bool {
        let limit = margin * margin;
        let offset = b.center - self.center();
        self.own_gap_squared(b, offset) > limit || self.other_gap_squared(b, offset) > limit
    }
}

impl Aabb {
    /// The squared length of the positive gaps along this box's axes.
    #[inline]
    fn own_gap_squared(&self, b: &FixedAabb, offset: DVec3) -> f64 {
        (offset.abs() - self.half() - b.extent).max(DVec3::ZERO).length_squared()
    }

    /// The squared length of the positive gaps along the other box's axes.
    #[inline]
    fn other_gap_squared(&self, b: &FixedAabb, offset: DVec3) -> f64 {
        let extent = b.absolute_rotation_back * self.half();
        ((b.rotation_back * offset).abs() - b.half - extent).max(DVec3::ZERO).length_squared()
    }
}
