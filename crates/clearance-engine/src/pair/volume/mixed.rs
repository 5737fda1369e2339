//! Any two volumes: the best gap along the line of the centres and the axes of both sides.
//!
//! For a unit vector n, all of A lies below `support_a(n)` and all of B above
//! `n·t − s·support_b(−Rᵀn)`, so their difference bounds the distance from below, whatever n is:
//! the choice of directions decides the quality only. Of the two signs of an axis only the one
//! towards B can separate, since both centres lie within their volumes. Works on trait objects, so
//! one copy of the code serves every mixed pair. Cost: two supports per direction. Roundings: 12
//! more than the supports have.

use super::{Gap, SMALLEST_SQUARE};
use crate::math::{DVec3, Similarity};
use crate::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, ObbSphere, Rss, Sphere, Support};

/// At most the distance between the two volumes, in A's stored frame; negative where no direction
/// separates them.
///
/// Like the bounds of [`Gap`], it ignores rounding: the caller subtracts [`Similarity::margin`].
///
/// ```
/// use clearance_engine::{Pose, Triangle, pair::volume::mixed_gap, volume::{Obb, Sphere, Volume}};
/// use clearance_engine::math::{DQuat, DVec3, Frame, Similarity};
/// let triangle = [Triangle([DVec3::ZERO, DVec3::Y, DVec3::Z])];
/// let (obb, sphere) = (Obb::fit(&triangle, &Default::default()), Sphere::fit(&triangle, &()));
/// let frame = Frame { center: DVec3::ZERO, scale: 1.0 };
/// let a_from_b = Similarity::between(&frame, &Pose::new(DQuat::IDENTITY, DVec3::X * 3.0)?, &frame);
/// let gap = mixed_gap(&obb, &sphere, &a_from_b);
/// assert!(gap > 2.2 && gap <= 3.0);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn mixed_gap(a: &dyn Support, b: &dyn Support, a_from_b: &Similarity) -> f64 {
    let towards_b = a_from_b.transform_point(b.center()) - a.center();
    let along = |direction: DVec3| {
        let towards = if direction.dot(towards_b) < 0.0 { -direction } else { direction };
        let squared = towards.length_squared();
        // No direction where the centres coincide, and none to trust where squares lose digits.
        if squared <= SMALLEST_SQUARE {
            return f64::NEG_INFINITY;
        }
        let n = towards / squared.sqrt();
        let nearest_of_b = n.dot(a_from_b.translation) - a_from_b.scale * b.support(-a_from_b.rotate_back(n));
        nearest_of_b - a.support(n)
    };
    let mut best = along(towards_b);
    for axis in a.axes() {
        best = best.max(along(axis));
    }
    for axis in b.axes() {
        best = best.max(along(a_from_b.rotate(axis)));
    }
    // Two concentric spheres leave no direction at all.
    if best == f64::NEG_INFINITY { 0.0 } else { best }
}

/// The fixed side of a mixed pair: moved support by support.
#[derive(Debug, Clone, Copy)]
pub struct FixedMixed<B> {
    volume: B,
    self_from_b: Similarity,
}

/// Draws which volume meets which others by [`mixed_gap`].
macro_rules! mixed_pairs {
    ($($a:ident: $($b:ident)*;)*) => {
        $($(impl Gap<$b> for $a {
            type Prepared = Similarity;
            type Fixed = FixedMixed<$b>;

            fn prepare(self_from_b: &Similarity) -> Similarity {
                *self_from_b
            }

            fn fix(b: &$b, self_from_b: &Similarity) -> FixedMixed<$b> {
                FixedMixed { volume: *b, self_from_b: *self_from_b }
            }

            fn gap(&self, b: &FixedMixed<$b>) -> f64 {
                mixed_gap(self, &b.volume, &b.self_from_b)
            }
        })*)*
    };
}

mixed_pairs! {
    ObbSphere: ObbSphere Sphere Aabb Obb Rss Kdop16 Kdop18 Kdop24 KIos;
    Sphere: ObbSphere        Aabb Obb Rss Kdop16 Kdop18 Kdop24 KIos;
    Aabb:   ObbSphere Sphere      Obb Rss Kdop16 Kdop18 Kdop24 KIos;
    Obb:    ObbSphere Sphere Aabb         Kdop16 Kdop18 Kdop24 KIos;
    Rss:    ObbSphere Sphere Aabb         Kdop16 Kdop18 Kdop24 KIos;
    Kdop16: ObbSphere Sphere Aabb Obb Rss        Kdop18 Kdop24 KIos;
    Kdop18: ObbSphere Sphere Aabb Obb Rss Kdop16        Kdop24 KIos;
    Kdop24: ObbSphere Sphere Aabb Obb Rss Kdop16 Kdop18        KIos;
    KIos:   ObbSphere Sphere Aabb Obb Rss Kdop16 Kdop18 Kdop24;
}
