//! A simple solid against a block of eight boxes and balls, in `f32` lanes: [`block_keys`](super::obb_sphere_block::block_keys)
//! with a box and a ball around the solid's *core*, from which the solid's radius is taken off.
//!
//! A ball is then exact against the lanes' boxes, a box is its own box, a capsule a segment. A cylinder's box has one face towards
//! the node whose children are bounded, so that it is tight where it matters.
//!
//! # The margin
//! That of [`super::obb_sphere_block`] has room for the two roundings more: the solid's box is computed in `f64` and rounded once, where
//! a stored one is rounded, moved and rounded; half extents and radii are rounded up. Root, difference and square of the key add
//! 3ε of its root, at most ε(3T + 22ρ + 22), to less than ε(60T + 355ρ + 320).

use super::obb_sphere_block::FixedObbSphere;
use crate::math::{DMat3, DVec3, f32_above};
use crate::shape::{Convex, Primitive};

/// Lengths are off by a few roundings of `f64`.
const ENLARGED: f64 = 1.0 + 1e-14;

/// A solid as lanes see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedSolid {
    /// Around the core.
    pub core: FixedObbSphere,
    pub radius: f32,
}

impl FixedSolid {
    /// The solid, in stored coordinates, as it looks from `viewpoint`.
    #[inline]
    pub(crate) fn new(solid: &Primitive, viewpoint: DVec3) -> Self {
        let (axes, half) = match solid {
            Primitive::Ball(_) => (DMat3::IDENTITY, DVec3::ZERO),
            Primitive::Capsule(capsule) => (with_third(capsule.half(), viewpoint), DVec3::Z * capsule.half().length()),
            Primitive::Cuboid(cuboid) => (*cuboid.axes(), cuboid.half()),
            Primitive::Cylinder(cylinder) => {
                let (r, h) = (cylinder.radius(), cylinder.half_length());
                (with_third(cylinder.axis(), viewpoint - solid.center()), DVec3::new(r, r, h))
            }
        };
        let narrow = |v: DVec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
        let above = |x: f64| f32_above(x * ENLARGED);
        let core = FixedObbSphere {
            center: narrow(solid.center()),
            axes: [narrow(axes.x_axis), narrow(axes.y_axis), narrow(axes.z_axis)],
            half: [above(half.x), above(half.y), above(half.z)],
            radius: above(half.length().min(solid.reach())),
        };
        Self { core, radius: above(Convex::radius(solid)) }
    }
}

/// Orthonormal axes of which the last is along `third` and the first, as far as that allows, along `first`.
fn with_third(third: DVec3, first: DVec3) -> DMat3 {
    let z = third.try_normalize().unwrap_or(DVec3::Z);
    let x = (first - z * z.dot(first)).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    // Once more: where the two are nearly parallel, what was left of the first is mostly rounding.
    let x = (x - z * z.dot(x)).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    DMat3::from_cols(x, z.cross(x), z)
}
