//! How two convex shapes are separated: the one answer of all searches between them.

use crate::math::DVec3;
use std::convert::Infallible;

/// A direction along which two convex shapes are apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeparatingAxis {
    /// Of unit length, from a to b.
    pub normal: DVec3,
    /// How far apart the shapes' projections on it are at least, all rounding considered: positive,
    /// and at most the distance.
    pub gap: f64,
}

/// How two convex shapes are separated, as far as a search can prove it.
///
/// What a search hands over as its proof differs: of two shapes that are apart an axis, of those
/// that overlap perhaps a point of both, and of those whose distance it measures the
/// [`Separation`](super::Separation).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Separated<Apart = SeparatingAxis, Overlap = (), Distance = Infallible> {
    /// They are certainly apart; where a limit was given, by that or more.
    Apart(Apart),
    /// They are apart, nearer than a limit that was given, and this is how far.
    Closest(Distance),
    /// They certainly share a point, all rounding considered.
    Overlapping(Overlap),
    /// Neither is certain.
    ///
    /// Of two polyhedra no vector separates them beyond rounding, and no vertices prove an overlap,
    /// not with 106 bits: they touch, within 256 roundings of their size and distance; 22 of ten
    /// million pairs, most of them of very different sizes, overlap by more, up to 1.5e-9 of that.
    Undecided,
}

impl<Apart, Overlap, Distance> Separated<Apart, Overlap, Distance> {
    /// Whether the shapes count as overlapping: where nothing separates them beyond rounding.
    #[inline]
    pub fn overlaps(&self) -> bool {
        matches!(self, Self::Overlapping(_) | Self::Undecided)
    }
}
