//! The frames in which hierarchies store their volumes, and the map between two of them.
//!
//! A hierarchy keeps its volumes in `f32`, relative to its own `f64` centre and scaled by a power
//! of two so that every coordinate lies in [-1, 1]: a part modelled 1e6 from its origin, or one of
//! 1e-6 in size, loses nothing.
//!
//! # The margin
//! Let u = 2⁻⁵³. Bounds between stored volumes are computed in `f64` from exactly converted `f32`
//! values after the fixed side was moved by a [`Similarity`]. Two errors separate the result from
//! the true bound:
//! * the map itself: its translation is `s_a·(R·c_b + t − c_a)`, evaluated with about 6 roundings
//!   on terms of size `M = s_a·(|c_a| + |c_b| + |t|)` (first column of the budget), and R is
//!   orthonormal only to 4u, which moves a point of size `ρ = s_a/s_b·√3` by at most 8uρ: together
//!   below `16u·(M + ρ)`;
//! * the kernel's arithmetic. Those of spheres, boxes, swept rectangles and slabs are chains of
//!   fewer than 60 dependent roundings on sums of products of coordinates with unit vectors, half
//!   lengths and radii: values no larger than `|t| + 2ρ + 4`, somewhat more than the bodies, since
//!   the centre of a box around points within √3 of the origin may be 1.84 from it and its half
//!   diagonal 3. The spheres of a k-IOS reach far beyond their contents; its kernel takes fewer
//!   roundings and stays below `16u·(|t| + 18ρ + 30)`.
//!
//! In the worst case, that of the k-IOS, both together stay below `160u·(M + |t| + 2ρ + 4)`, else
//! below 96u times the same; [`Similarity::margin`] has 256u.
//!
//! The map back is [the inverse](Similarity::inverse) of the computed one. In the units of the map
//! there, its translation errs as much, and by 13u|t| for `Rᵀt`; R that is not quite orthonormal
//! moves points of size √3 by 8u·√3; and its kernels' values are no larger than `|t| + 2√3 + 4s`
//! for the scale s, which is at most 1.16 times `|t| + 2ρ + 4`: below 207u times the same, so that
//! one margin serves both.
//!
//! Lengths are roots of sums of squares. Beyond [`LARGEST`] these could overflow and a bound would
//! be infinite. The margin is infinite there too, so that no pair counts as separated.

use super::{DMat3, DVec3, Pose, UNIT_ROUNDOFF};

/// The largest scale or translation of a map that proves something: squares of lengths stay well
/// within the range of `f64`.
///
/// Accepted bodies and poses stay below: scales of frames lie between 2⁻³³³ and 2¹²⁸, and offsets
/// below 4e100.
const LARGEST: f64 = 1e140;

/// The frame of a hierarchy's stored coordinates: `stored = (p − center)·scale`, with `scale` a
/// power of two.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// The point that becomes the origin.
    pub center: DVec3,
    /// A power of two that brings the contents into [-1, 1].
    pub scale: f64,
}

impl Frame {
    /// The frame for points between `low` and `high` (finite, `low ≤ high`).
    pub fn around(low: DVec3, high: DVec3) -> Self {
        let center = low + (high - low) * 0.5;
        let half_extent = (high - center).max(center - low).max_element();
        // A single point gets scale 1.
        let exponent = if half_extent > 0.0 { -exponent_above(half_extent) } else { 0 };
        Self { center, scale: power_of_two(exponent) }
    }

    /// Converts a point of the geometry's frame to stored coordinates.
    #[inline]
    pub fn store(&self, point: DVec3) -> DVec3 {
        (point - self.center) * self.scale
    }
}

/// The least `e` with `x ≤ 2^e`, for positive finite `x`, at least -128: a body smaller than that
/// keeps smaller stored coordinates, so that offsets of up to
/// [`LARGEST_COORDINATE`](super::LARGEST_COORDINATE) can still be squared in its frame.
fn exponent_above(x: f64) -> i32 {
    let exponent = ((x.to_bits() >> 52) as i32 & 0x7ff) - 1023;
    let exact = x.to_bits() << 12 == 0;
    (if exact { exponent } else { exponent + 1 }).clamp(-128, 1021)
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// A map from one hierarchy's stored coordinates to another's:
/// `p ↦ rotation·(scale·p) + translation`.
#[derive(Debug, Clone, Copy)]
pub struct Similarity {
    /// The rotation, orthonormal to a few units of rounding.
    pub rotation: DMat3,
    /// The scale, a power of two.
    pub scale: f64,
    /// The translation in the target's stored coordinates.
    pub translation: DVec3,
    /// The length of the translation.
    pub(crate) offset: f64,
    /// The rounding error to subtract from any bound computed through this map; the module's head
    /// derives it. Infinite where the map is too extreme.
    pub margin: f64,
}

impl Similarity {
    /// The map from the frame `b` to the frame `a`, for the pose of geometry B in geometry A's
    /// coordinates.
    pub fn between(a: &Frame, a_from_b: &Pose, b: &Frame) -> Self {
        let rotation = *a_from_b.rotation();
        let translation = (a_from_b.transform_point(b.center) - a.center) * a.scale;
        let scale = a.scale / b.scale;
        // Sums of coordinates are no shorter than lengths, and there is no root to wait for.
        let sizes = a.scale * (a.center.abs() + b.center.abs() + a_from_b.translation().abs()).element_sum();
        let offset = translation.length();
        let margin = 256.0 * UNIT_ROUNDOFF * (sizes + offset + 2.0 * scale * 1.7320508075688774 + 4.0);
        Self { rotation, scale, translation, offset, margin }.or_nothing_proven()
    }

    /// The inverse map, with the same margin in its own units.
    ///
    /// ```
    /// use clearance_engine::math::{DVec3, Frame, Pose, Similarity};
    /// let a = Frame { center: DVec3::X, scale: 2.0 };
    /// let b = Frame { center: DVec3::Y, scale: 0.5 };
    /// let there = Similarity::between(&a, &Pose::IDENTITY, &b);
    /// assert_eq!(there.inverse().transform_point(there.transform_point(DVec3::Z)), DVec3::Z);
    /// ```
    pub fn inverse(&self) -> Self {
        // The scale is a power of two: nothing is rounded.
        let scale = self.scale.recip();
        Self {
            rotation: self.rotation.transpose(),
            scale,
            translation: self.rotate_back(self.translation) * -scale,
            offset: self.offset * scale,
            margin: self.margin * scale,
        }
        .or_nothing_proven()
    }

    /// The same map, with an infinite margin where it is too extreme or a coordinate is not a
    /// number.
    fn or_nothing_proven(self) -> Self {
        let usable = self.scale <= LARGEST && self.translation.abs().cmple(DVec3::splat(LARGEST)).all();
        Self { margin: if usable && self.margin >= 0.0 { self.margin } else { f64::INFINITY }, ..self }
    }

    /// The identity.
    pub const IDENTITY: Self = Self {
        rotation: DMat3::IDENTITY,
        scale: 1.0,
        translation: DVec3::ZERO,
        offset: 0.0,
        margin: 2048.0 * UNIT_ROUNDOFF,
    };

    /// Transforms a point: `rotation·(scale·p) + translation`.
    #[inline]
    pub fn transform_point(&self, point: DVec3) -> DVec3 {
        self.rotation * (point * self.scale) + self.translation
    }

    /// Rotates a direction and keeps its length.
    #[inline]
    pub fn rotate(&self, direction: DVec3) -> DVec3 {
        self.rotation * direction
    }

    /// Rotates a direction by the inverse rotation and keeps its length.
    #[inline]
    pub fn rotate_back(&self, direction: DVec3) -> DVec3 {
        self.rotation.transpose() * direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::LARGEST_COORDINATE;

    #[test]
    fn stored_coordinates_lie_within_one() {
        for size in [1e-38, 1e-6, 1.0, 3.0, 4.0, 1e6, 1e100] {
            let low = DVec3::new(-size, 0.0, size / 3.0);
            let high = DVec3::new(size, size / 2.0, size / 3.0);
            let frame = Frame::around(low, high);
            for p in [low, high] {
                let stored = frame.store(p).abs().max_element();
                assert!(stored <= 1.0 && stored > 0.49, "{size}: {stored}");
            }
        }
        assert_eq!(Frame::around(DVec3::ONE, DVec3::ONE).scale, 1.0);
        let tiny = Frame::around(DVec3::ZERO, DVec3::splat(1e-90));
        assert!((tiny.scale * 1e100).powi(2).is_finite());
    }

    #[test]
    fn every_body_and_pose_that_is_accepted_has_a_finite_margin_and_nothing_beyond_has() {
        let vertex = DVec3::splat(LARGEST_COORDINATE);
        let point_like = |at: DVec3| Frame { center: at, scale: power_of_two(128) };
        let [tiny, huge] = [Frame::around(vertex, vertex + 1e-90), Frame::around(-vertex, vertex)];
        let away = Pose::from_matrix(DMat3::IDENTITY, -vertex).unwrap();
        for a in [point_like(vertex), tiny, huge] {
            for b in [point_like(-vertex), tiny, huge] {
                let there = Similarity::between(&a, &away, &b);
                assert!(there.margin.is_finite() && there.inverse().margin.is_finite(), "{a:?} {b:?}");
            }
        }
        let beyond = Frame { center: DVec3::ZERO, scale: 2.0_f64.powi(200) };
        assert_eq!(Similarity::between(&beyond, &away, &beyond).margin, f64::INFINITY);
        assert_eq!(Similarity::between(&beyond, &Pose::IDENTITY, &huge).margin, f64::INFINITY);
        assert_eq!(Similarity::between(&point_like(DVec3::NAN), &away, &huge).margin, f64::INFINITY);
    }
}
