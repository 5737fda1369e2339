//! Two convex polyhedra in their own coordinates and where they are: what spheres around and inside
//! of them tell, before anything is turned.
//!
//! # Rounding
//! What is certain here is charged 96u of reaches and distance, with u = 2⁻⁵³, as derived in
//! [`super::separating_vector`].

use super::gjk_vertices::ERROR;
use super::separation::unit;
use super::{Separated, SeparatingAxis, Separation};
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

/// Whether spheres around two polyhedra are certainly farther apart than `limit`, or spheres inside
/// of them overlap, at a point of both.
#[inline]
pub(super) fn by_spheres(a: &Local<'_>, b: &Local<'_>, limit: f64) -> Separated<(), DVec3> {
    let offset = b.center - a.center;
    let (inner_a, inner_b) = (a.inner() * a.scale, b.inner() * b.scale);
    let (squared, charge) = (offset.length_squared(), charge(size(a, b, offset)));
    let inner = inner_a + inner_b - charge;
    if inner > SMALLEST && squared < inner * inner {
        return Separated::Overlapping(a.center + offset * (inner_a / (inner_a + inner_b)));
    }
    let outer = outer(a, b) + charge + limit;
    if outer > SMALLEST && squared > outer * outer { Separated::Apart(()) } else { Separated::Undecided }
}

/// The axis along which spheres around two polyhedra are apart.
#[inline]
pub(super) fn apart_by_spheres(a: &Local<'_>, b: &Local<'_>) -> SeparatingAxis {
    let offset = b.center - a.center;
    let gap = offset.length() - outer(a, b) - charge(size(a, b, offset));
    // What is left of the charge is positive, though this may round to nothing.
    SeparatingAxis { normal: unit(offset), gap: gap.max(f64::MIN_POSITIVE) }
}

/// The radii of spheres around both, added.
#[inline]
fn outer(a: &Local<'_>, b: &Local<'_>) -> f64 {
    a.bounding_radius() * a.scale + b.bounding_radius() * b.scale
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

    /// Whether the centres are nearer to each other than half way between where spheres inside of
    /// both touch and where spheres around them do.
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

    /// The answer where the polyhedra certainly share a point, with the gap along the line of the
    /// centres.
    pub(super) fn overlapping(&self, point: DVec3) -> Separation {
        let normal = unit(self.offset);
        let (along_a, along_b) = (self.a.turned_in(normal), self.towards_a(normal));
        let (vertex_a, vertex_b) =
            with_baseline!(simd => (self.a.support(simd, along_a), self.b.support(simd, along_b)));
        let height_a = along_a.dot(self.a.vertices[vertex_a as usize]) * self.a.scale;
        let height_b = along_b.dot(self.b.vertices[vertex_b as usize]) * self.b.scale;
        let gap = normal.dot(self.offset) - height_a - height_b - self.error;
        // What is beyond rounding cannot be positive.
        Separation { lower: gap.min(0.0), upper: 0.0, point_a: point, point_b: point, normal }
    }

    /// The same without a look at the gap: it is not less than what the reaches leave.
    #[inline]
    pub(super) fn roughly_overlapping(&self, point: DVec3) -> Separation {
        Separation { lower: -self.size, upper: 0.0, point_a: point, point_b: point, normal: unit(self.offset) }
    }
}
