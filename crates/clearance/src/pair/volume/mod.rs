//! Bounds between two bounding volumes: `<a>_<b>.rs` where a specialised one pays, [`mixed`] for all others.
//!
//! The volumes of a pair are stored in two frames. The fixed side is moved once per opened node into the frame of the
//! block that it meets ([`Gap::fix`]), what depends on the pose alone is computed once per query ([`Gap::prepare`]).

use crate::math::Similarity;
use crate::volume::Volume;

/// Bounds of the gap between a volume of kind `Self` and one of kind `B`.
///
/// Results are in `Self`'s stored frame and ignore rounding: the caller subtracts [`Similarity::margin`], whose budget
/// (fewer than 60 dependent roundings on values no larger than the bodies and their offset) every implementation keeps.
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

    /// True only if the volumes are more than `margin` apart: the test for `collide`, which may be sharper or cheaper than [`gap`](Gap::gap).
    fn apart(&self, b: &Self::Fixed, margin: f64) -> bool {
        self.gap(b) > margin
    }

    /// At least the distance between what the two volumes contain.
    fn reach(&self, _b: &Self::Fixed) -> f64 {
        f64::INFINITY
    }
}
