//! Two oriented boxes.
//!
//! # Distance: six face axes
//! With A's stored axes aᵢ, half extents hᵢ, B's bⱼ and Hⱼ, and `d` from A's centre to B's, every
//! difference v of two points has `±aᵢ·v ≥ gᵢ = |aᵢ·d| − hᵢ − Σⱼ|aᵢ·bⱼ|Hⱼ`: a box is within its
//! slab along its own axes and within its parallelepiped along others (see [`crate::volume::Obb`]).
//! Hence `|v| ≥ ‖max(g, 0)‖ / AXES_STRETCH`, although the axes are orthonormal to `f32` precision
//! only. The same along B's axes; the better is the bound. Cost: about 60 products, one root.
//!
//! # Separation: fifteen axes
//! After these six, [`apart`](Gap::apart) tries the nine products of edges `L = aᵢ×bⱼ` (Gottschalk,
//! Lin and Manocha, *OBBTree*, 1996). `L·aᵢ = 0` is exact, and for k ≠ i
//! `|L·aₖ| = |bⱼ·(aₖ×aᵢ)| ≤ |bⱼ·aₗ| + AXES_SKEW` with l the third index, since `aₖ×aᵢ` is ±aₗ up to
//! the rounding of the three axes: √3·2⁻²⁵ each, twice that for the third axis of a rectangle,
//! together below 2⁻²². The gap along L is not divided by |L|, which would magnify rounding for
//! nearly parallel edges: it must exceed `margin·|L|` by the map's own margin, with
//! `|L|² ≤ AXES_STRETCH⁴ − (aᵢ·bⱼ)²`.

use super::Gap;
use crate::math::{DMat3, DVec3, Similarity};
use crate::volume::{AXES_STRETCH, Obb, Volume};

/// How far the product of two stored axes is from the third at most, lengths included.
const AXES_SKEW: f64 = 1.0 / 4_194_304.0;

/// A box in the frame of the other side.
#[derive(Debug, Clone, Copy)]
pub struct FixedObb {
    pub(super) center: DVec3,
    pub(super) axes: DMat3,
    pub(super) half: DVec3,
    /// What rounding may do to a projection computed in this frame.
    pub(super) rounding: f64,
}

impl FixedObb {
    /// A box where it is stored; for the side that does not move.
    #[inline]
    pub(super) fn unmoved(obb: &Obb) -> Self {
        Self { center: obb.center(), axes: obb.axis_matrix(), half: obb.half(), rounding: 0.0 }
    }

    /// The box in the frame that `self_from_b` leads to.
    #[inline]
    pub(super) fn moved(&self, self_from_b: &Similarity) -> Self {
        Self {
            center: self_from_b.transform_point(self.center),
            axes: self_from_b.rotation * self.axes,
            half: self.half * self_from_b.scale,
            rounding: self_from_b.margin,
        }
    }

    #[inline]
    fn faces(&self, b: &Self) -> Faces {
        let offset = b.center - self.center;
        let cosines = self.axes.transpose() * b.axes;
        Faces { offset, cosines, absolute: cosines.abs() }
    }

    /// At most the distance between the two boxes; zero where no face separates them.
    #[inline]
    pub(super) fn gap(&self, b: &Self) -> f64 {
        let faces = self.faces(b);
        let squared = faces.gap_squared_along(self, b.half).max(faces.gap_squared_along_other(b, self.half));
        squared.sqrt() * (1.0 / AXES_STRETCH)
    }

    /// True only if the boxes are more than `margin ≥ 0` apart.
    #[inline]
    pub(super) fn apart(&self, b: &Self, margin: f64) -> bool {
        let faces = self.faces(b);
        let stretched = margin * AXES_STRETCH;
        let limit = stretched * stretched;
        faces.gap_squared_along(self, b.half) > limit
            || faces.gap_squared_along_other(b, self.half) > limit
            || (0..3).any(|i| faces.edges_apart(self, b, i, margin))
    }
}

/// What the axes of two boxes have to do with each other.
struct Faces {
    /// From A's centre to B's.
    offset: DVec3,
    /// Entry (i, j) is aᵢ·bⱼ.
    cosines: DMat3,
    absolute: DMat3,
}

impl Faces {
    /// The squared length of the positive gaps along A's axes.
    #[inline]
    fn gap_squared_along(&self, a: &FixedObb, b_half: DVec3) -> f64 {
        let along = (a.axes.transpose() * self.offset).abs();
        (along - a.half - self.absolute * b_half).max(DVec3::ZERO).length_squared()
    }

    /// The squared length of the positive gaps along B's axes.
    #[inline]
    fn gap_squared_along_other(&self, b: &FixedObb, a_half: DVec3) -> f64 {
        let along = (b.axes.transpose() * self.offset).abs();
        (along - b.half - self.absolute.transpose() * a_half).max(DVec3::ZERO).length_squared()
    }

    /// Whether a product of A's axis `i` with an axis of B shows the boxes more than `margin`
    /// apart.
    #[inline]
    fn edges_apart(&self, a: &FixedObb, b: &FixedObb, i: usize, margin: f64) -> bool {
        const LONGEST_SQUARED: f64 = AXES_STRETCH * AXES_STRETCH * AXES_STRETCH * AXES_STRETCH;
        let (k, l) = ((i + 1) % 3, (i + 2) % 3);
        // Entry j of each vector belongs to L = aᵢ×bⱼ; L·d = bⱼ·(d×aᵢ).
        let along = (b.axes.transpose() * self.offset.cross(a.axes.col(i))).abs();
        let a_extent = self.absolute.row(l) * a.half[k] + self.absolute.row(k) * a.half[l];
        let (r, h) = (self.absolute.row(i), b.half);
        let b_extent = DVec3::new(h.y * r.z + h.z * r.y, h.z * r.x + h.x * r.z, h.x * r.y + h.y * r.x);
        let skew = AXES_SKEW * (a.half.element_sum() + h.element_sum());
        let rounding = skew + a.rounding.max(b.rounding);
        let gaps = (along - a_extent - b_extent - rounding).max(DVec3::ZERO);
        let cosines = self.cosines.row(i);
        let lengths_squared = DVec3::splat(LONGEST_SQUARED) - cosines * cosines;
        (gaps * gaps).cmpgt(lengths_squared.max(DVec3::ZERO) * (margin * margin)).any()
    }
}

impl Gap<Obb> for Obb {
    type Prepared = Similarity;
    type Fixed = FixedObb;

    fn prepare(self_from_b: &Similarity) -> Similarity {
        *self_from_b
    }

    fn fix(b: &Obb, self_from_b: &Similarity) -> FixedObb {
        FixedObb::unmoved(b).moved(self_from_b)
    }

    #[inline]
    fn gap(&self, b: &FixedObb) -> f64 {
        FixedObb::unmoved(self).gap(b)
    }

    #[inline]
    fn apart(&self, b: &FixedObb, margin: f64) -> bool {
        FixedObb::unmoved(self).apart(b, margin)
    }
}
