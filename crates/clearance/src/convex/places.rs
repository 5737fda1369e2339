//! Two convex polyhedra in their own coordinates and where they are: what balls around and inside of them tell, before anything is turned.
//!
//! # Rounding
//! What is certain here is charged 96u of reaches and distance, with u = 2⁻⁵³, as derived in [`super::separating_vector`].

use super::corner_search::ERROR;
use super::separation::unit;
use super::{Decision, Parting};
use crate::math::DVec3;
use crate::math::lanes::with_baseline;
use crate::shape::Local;

/// Squares of smaller lengths may have lost bits to underflow.
const SMALLEST: f64 = 1e-140;

/// Two polyhedra in their own coordinates and where they are in the world.
pub(super) struct Places<'p> {
    pub a: Local<'p>,
    pub b: Local<'p>,
    /// From a's centre to b's.
    pub offset: DVec3,
    /// At least the distance of the centres and both reaches.
    size: f64,
    /// What a gap may be off by.
    pub error: f64,
}

/// What balls about the centres of two polyhedra tell.
pub(super) enum Balls {
    /// Those around them are farther apart than was asked about.
    Far,
    /// Those inside of them share this point.
    Overlapping(DVec3),
    /// Nothing for certain.
    Open,
}

/// Whether balls around two polyhedra are certainly farther apart than `limit`, or balls inside of them overlap.
#[inline]
pub(super) fn by_balls(a: &Local<'_>, b: &Local<'_>, limit: f64) -> Balls {
    let offset = b.center - a.center;
    let (inner_a, inner_b) = (a.inner() * a.scale, b.inner() * b.scale);
    let (squared, charge) = (offset.length_squared(), charge(size(a, b, offset)));
    let inner = inner_a + inner_b - charge;
    if inner > SMALLEST && squared < inner * inner {
        return Balls::Overlapping(a.center + offset * (inner_a / (inner_a + inner_b)));
    }
    let outer = outer(a, b) + charge + limit;
    if outer > SMALLEST && squared > outer * outer { Balls::Far } else { Balls::Open }
}

/// The answer where balls around two polyhedra are [apart](Balls::Far).
#[inline]
pub(super) fn apart_by_balls(a: &Local<'_>, b: &Local<'_>) -> Decision {
    let offset = b.center - a.center;
    let gap = offset.length() - outer(a, b) - charge(size(a, b, offset));
    // What is left of the charge is positive, though this may round to nothing.
    Decision::Apart { normal: unit(offset), gap: gap.max(f64::MIN_POSITIVE) }
}

/// The radii of balls around both, added.
#[inline]
fn outer(a: &Local<'_>, b: &Local<'_>) -> f64 {
    a.reach() * a.scale + b.reach() * b.scale
}

/// At least the distance of the centres and both reaches.
#[inline]
fn size(a: &Local<'_>, b: &Local<'_>, offset: DVec3) -> f64 {
    // The sum of the coordinates is no less than their length.
    offset.abs().element_sum() + outer(a, b)
}

/// What a gap may be off by.
#[inline]
fn charge(size: f64) -> f64 {
    1.5 * ERROR * size
}

impl<'p> Places<'p> {
    #[inline]
    pub(super) fn new(a: Local<'p>, b: Local<'p>) -> Self {
        let offset = b.center - a.center;
        let size = size(&a, &b, offset);
        Self { a, b, offset, size, error: charge(size) }
    }

    /// How many corners the one with more of them has.
    #[inline]
    pub(super) fn most_corners(&self) -> usize {
        self.a.corners.len().max(self.b.corners.len())
    }

    /// Whether the centres are nearer to each other than half way between where balls inside of both touch and where balls around them do.
    #[inline]
    pub(super) fn are_near(&self) -> bool {
        let inner = self.a.inner() * self.a.scale + self.b.inner() * self.b.scale;
        let near = 0.5 * (inner + outer(&self.a, &self.b));
        self.offset.length_squared() < near * near
    }

    /// The opposite of a direction of the world, in b's coordinates.
    #[inline]
    pub(super) fn towards_a(&self, normal: DVec3) -> DVec3 {
        -self.b.turned_in(normal)
    }

    /// The answer where the polyhedra certainly share a point, with the gap along the line of the centres.
    pub(super) fn overlapping(&self, point: DVec3) -> Parting {
        let normal = unit(self.offset);
        let (along_a, along_b) = (self.a.turned_in(normal), self.towards_a(normal));
        let (corner_a, corner_b) =
            with_baseline!(simd => (self.a.farthest(simd, along_a), self.b.farthest(simd, along_b)));
        let height_a = along_a.dot(self.a.corners[corner_a as usize]) * self.a.scale;
        let height_b = along_b.dot(self.b.corners[corner_b as usize]) * self.b.scale;
        let gap = normal.dot(self.offset) - height_a - height_b - self.error;
        // What is beyond rounding cannot be positive.
        Parting { lower: gap.min(0.0), upper: 0.0, point_a: point, point_b: point, normal }
    }

    /// The same without a look at the gap: it is not less than what the reaches leave.
    #[inline]
    pub(super) fn roughly_overlapping(&self, point: DVec3) -> Parting {
        Parting { lower: -self.size, upper: 0.0, point_a: point, point_b: point, normal: unit(self.offset) }
    }
}
