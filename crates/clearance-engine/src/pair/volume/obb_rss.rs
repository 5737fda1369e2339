//! An oriented box and a swept rectangle: the box against the flat box of the rectangle, less the
//! radius.
//!
//! The flat box has the sides u, v as axes and their normal as the third, with no thickness. It
//! contains the rectangle in both senses that [`crate::volume::Obb`] needs: as a parallelepiped
//! with the stored half lengths, and as slabs once `u·u` and `u·v`, which are 1 and 0 to `f32`
//! precision only, enter the half extents. The third axis is orthogonal to both sides, so these
//! three axes stretch no more than the stored ones do.

use super::Gap;
use super::obb_obb::FixedObb;
use crate::math::{DMat3, DVec3, Similarity};
use crate::volume::{Obb, Rss, Volume};

/// A rectangle as a flat box, and how far to sweep it, in the other side's frame.
#[derive(Debug, Clone, Copy)]
pub struct FixedFlatBox {
    rectangle: FixedObb,
    radius: f64,
}

/// The rectangle of `rss` as a box without thickness.
#[inline]
fn flat_box(rss: &Rss) -> FixedObb {
    let [u, v] = rss.sides();
    let [s, t] = rss.half();
    let skew = u.dot(v).abs();
    let half = DVec3::new(s * u.length_squared().max(1.0) + t * skew, t * v.length_squared().max(1.0) + s * skew, 0.0);
    FixedObb { center: rss.center(), axes: DMat3::from_cols(u, v, u.cross(v).normalize()), half, rounding: 0.0 }
}

impl Gap<Rss> for Obb {
    type Prepared = Similarity;
    type Fixed = FixedFlatBox;

    fn prepare(self_from_b: &Similarity) -> Similarity {
        *self_from_b
    }

    fn fix(b: &Rss, self_from_b: &Similarity) -> FixedFlatBox {
        FixedFlatBox { rectangle: flat_box(b).moved(self_from_b), radius: b.radius() * self_from_b.scale }
    }

    #[inline]
    fn gap(&self, b: &FixedFlatBox) -> f64 {
        FixedObb::unmoved(self).gap(&b.rectangle) - b.radius
    }

    #[inline]
    fn apart(&self, b: &FixedFlatBox, margin: f64) -> bool {
        FixedObb::unmoved(self).apart(&b.rectangle, margin + b.radius)
    }
}

impl Gap<Obb> for Rss {
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
        flat_box(self).gap(b) - self.radius()
    }

    #[inline]
    fn apart(&self, b: &FixedObb, margin: f64) -> bool {
        flat_box(self).apart(b, margin + self.radius())
    }
}
