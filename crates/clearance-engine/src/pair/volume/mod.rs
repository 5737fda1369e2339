//! Bounds between two bounding volumes: `<a>_<b>.rs` where a specialised one pays, [`mixed_gap`]
//! for all others.
//!
//! The volumes of a pair are stored in two frames. The fixed side is moved once per opened node
//! into the frame of the block that it meets ([`Gap::fix`]), what depends on the pose alone is
//! computed once per query ([`Gap::prepare`]).

mod aabb_aabb;
pub(crate) mod box_block;
mod half_space;
mod kdop_kdop;
mod kios_kios;
#[cfg(test)]
mod lane_properties;
mod mixed;
#[cfg(feature = "inner-boxes")]
mod nested_nested;
mod obb_obb;
mod obb_rss;
pub(crate) mod obb_sphere_block;
pub(crate) mod point_block;
mod primitive;
pub(crate) mod primitive_block;
#[cfg(test)]
mod properties;
pub(crate) mod ray_block;
#[cfg(test)]
mod referee;
mod rss_rss;
mod sphere_sphere;
pub(crate) mod swept_block;

pub use aabb_aabb::FixedAabb;
pub(crate) use half_space::StoredHalfSpace;
pub use kdop_kdop::{FixedKdop, PreparedKdop};
pub use kios_kios::FixedKIos;
pub use mixed::{FixedMixed, mixed_gap};
#[cfg(feature = "inner-boxes")]
pub use nested_nested::FixedNested;
pub use obb_obb::FixedObb;
pub use obb_rss::FixedFlatBox;
pub(crate) use primitive::solid_gap;
pub use rss_rss::FixedRss;
pub use sphere_sphere::FixedSphere;

use crate::math::Similarity;
use crate::volume::Volume;

/// Below this a squared length may have lost digits to underflow, so that dividing by the length
/// could enlarge a bound.
const SMALLEST_SQUARE: f64 = 1e-280;

/// Bounds of the gap between a volume of kind `Self` and one of kind `B`.
///
/// Results are in `Self`'s stored frame and ignore rounding: the caller subtracts
/// [`Similarity::margin`], whose budget (see [`crate::math::Similarity`]) every implementation
/// keeps. Where that margin is infinite, they may be anything.
pub trait Gap<B: Volume>: Volume {
    /// What depends on the relative pose alone.
    type Prepared: Send + Sync;
    /// A `B` in `Self`'s frame.
    type Fixed;

    /// Once per query.
    fn prepare(self_from_b: &Similarity) -> Self::Prepared;

    /// Once per opened node.
    fn fix(b: &B, prepared: &Self::Prepared) -> Self::Fixed;

    /// At most the distance between the two volumes; zero or negative where they may touch.
    fn gap(&self, b: &Self::Fixed) -> f64;

    /// True only if the volumes are more than `margin` apart: the test for `collide`, which may be
    /// sharper or cheaper than [`gap`](Gap::gap).
    fn apart(&self, b: &Self::Fixed, margin: f64) -> bool {
        self.gap(b) > margin
    }

    /// Whether volumes of these kinds may have something that is surely inside of the solids that
    /// they are around.
    const HAS_INNER: bool = false;

    /// True only if what is surely inside of both solids has a point in common, `margin` inside of
    /// either.
    #[inline]
    fn surely_overlaps(&self, _b: &Self::Fixed, _margin: f64) -> bool {
        false
    }

    /// At least the distance between what the two volumes contain.
    fn max_distance(&self, _b: &Self::Fixed) -> f64 {
        f64::INFINITY
    }
}
