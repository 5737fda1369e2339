//! A simple solid against a block of eight boxes and spheres, in `f32` lanes:
//! [`block_keys`](super::obb_sphere_block::block_keys) with a box and a sphere around the solid's
//! *core*, from which the solid's radius is taken off.
//!
//! A sphere is then exact against the lanes' boxes, a box is its own box, a capsule a segment. A
//! cylinder's box has one face towards the node whose children are bounded, so that it is tight
//! where it matters. So has a polyhedron's where its own box would be nearer to that.
//!
//! # The margin
//! That of [`super::obb_sphere_block`] has room for the two roundings more: the solid's box is
//! computed in `f64` and rounded once, where a stored one is rounded, moved and rounded; half
//! extents and radii are rounded up. Root, difference and square of the key add 3ε of its root, at
//! most ε(3T + 22ρ + 22), to less than ε(60T + 355ρ + 320).

use super::obb_sphere_block::{FAR, FixedObbSphere, OVERLAP, block_keys};
use crate::math::lanes::{F8, Lanes8};
use crate::math::{DMat3, DVec3, f32_above};
use crate::shape::{Convex, Primitive};
use crate::volume::ObbSphereBlock;
use fearless_simd::prelude::*;

/// Lengths are off by a few roundings of `f64`.
const ENLARGED: f64 = 1.0 + 1e-14;

/// A solid as lanes see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedPrimitive {
    /// Around the core.
    pub core: FixedObbSphere,
    pub radius: f32,
}

impl FixedPrimitive {
    /// The solid, in stored coordinates, as it looks from a point that some solids need not know.
    #[inline]
    pub(crate) fn new(solid: &Primitive, viewpoint: impl FnOnce() -> DVec3) -> Self {
        let center = solid.center();
        let (center, axes, half) = match solid {
            Primitive::Sphere(_) => (center, DMat3::IDENTITY, DVec3::ZERO),
            Primitive::Capsule(capsule) => {
                (center, with_third(capsule.half(), viewpoint()), DVec3::Z * capsule.half().length())
            }
            Primitive::Cuboid(cuboid) => (center, *cuboid.axes(), cuboid.half()),
            Primitive::Cylinder(cylinder) => {
                let (r, h) = (cylinder.radius(), cylinder.half_length());
                (center, with_third(cylinder.axis(), viewpoint() - center), DVec3::new(r, r, h))
            }
            Primitive::Cone(cone) => {
                let (r, h) = (cone.radius(), cone.half_length());
                (center, with_third(cone.axis(), viewpoint() - center), DVec3::new(r, r, h))
            }
            Primitive::Ellipsoid(ellipsoid) => (center, *ellipsoid.axes(), ellipsoid.half()),
            Primitive::ConvexPolyhedron(polyhedron) => polyhedron.box_seen_from(viewpoint()),
        };
        // A box about another point than the centre has its own sphere.
        let reach = if center == solid.center() { solid.bounding_radius() } else { f64::INFINITY };
        let narrow = |v: DVec3| [v.x as f32, v.y as f32, v.z as f32, 0.0];
        let above = |x: f64| f32_above(x * ENLARGED);
        let core = FixedObbSphere {
            center: narrow(center),
            axes: [narrow(axes.x_axis), narrow(axes.y_axis), narrow(axes.z_axis)],
            half: [above(half.x), above(half.y), above(half.z)],
            radius: above(half.length().min(reach)),
        };
        Self { core, radius: above(Convex::radius(solid)) }
    }
}

/// The keys of eight volumes against a solid, and the squared distances of the centres; `overlap`:
/// only whether they are apart matters.
#[inline(always)]
pub(crate) fn solid_keys<S: Lanes8>(
    simd: S,
    block: &ObbSphereBlock,
    fixed: &FixedPrimitive,
    overlap: bool,
) -> (F8<S>, F8<S>) {
    if fixed.radius == 0.0 {
        return if overlap {
            block_keys::<S, OVERLAP>(simd, block, &fixed.core)
        } else {
            block_keys::<S, FAR>(simd, block, &fixed.core)
        };
    }
    let (keys, centers) = block_keys::<S, FAR>(simd, block, &fixed.core);
    let gap = (keys.sqrt() - F8::splat(simd, fixed.radius)).max(F8::splat(simd, 0.0));
    (gap * gap, centers)
}

/// Orthonormal axes of which the last is along `third` and the first, as far as that allows, along
/// `first`.
fn with_third(third: DVec3, first: DVec3) -> DMat3 {
    let z = third.try_normalize().unwrap_or(DVec3::Z);
    let x = (first - z * z.dot(first)).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    // Once more: where the two are nearly parallel, what was left of the first is mostly rounding.
    let x = (x - z * z.dot(x)).try_normalize().unwrap_or_else(|| z.any_orthonormal_vector());
    DMat3::from_cols(x, z.cross(x), z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pose;
    use crate::math::lanes::{Vectorized, vectorized};
    use crate::math::{Frame, SimdLevel, Similarity};
    use crate::pair::shape::Proximity;
    use crate::pair::volume::obb_sphere_block::margin;
    use crate::pair::volume::solid_gap;
    use crate::shape::{Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Sphere};
    use crate::volume::samples::{Random, triangle_set};
    use crate::volume::{Obb, ObbSphere, Volume};

    struct Keys<'k>(&'k ObbSphereBlock, FixedPrimitive, bool);

    impl Vectorized for Keys<'_> {
        type Output = f64;

        #[inline(always)]
        fn run<S: Lanes8>(self, simd: S) -> f64 {
            let keys: [f32; 8] = solid_keys(simd, self.0, &self.1, self.2).0.into();
            assert!(keys.iter().all(|key| key.is_finite() && *key >= 0.0), "{keys:?}");
            f64::from(keys[0]).sqrt()
        }
    }

    fn solid(random: &mut Random, which: usize) -> Primitive {
        let size = random.magnitude(-5.0, 4.0);
        let mut length = || if random.below(8) == 0 { 0.0 } else { size * random.unit() };
        match which % 7 {
            0 => Sphere::new(length()).unwrap().into(),
            1 => Capsule::from_half_length(length(), length()).unwrap().into(),
            2 => Cuboid::from_half_extents(DVec3::new(length(), length(), length())).unwrap().into(),
            3 => Cylinder::from_half_length(length(), length()).unwrap().into(),
            4 => Cone::from_half_length(length() + 1e-9, length() + 1e-9).unwrap().into(),
            5 => Ellipsoid::new(DVec3::new(length(), length(), length()) + 1e-9).unwrap().into(),
            _ => {
                let points: Vec<DVec3> = (0..20).map(|_| random.direction() * size * random.unit()).collect();
                ConvexPolyhedron::hull_of(&points).unwrap().into()
            }
        }
    }

    #[test]
    fn no_bound_of_a_volume_and_a_solid_exceeds_the_distance_and_it_is_useful() {
        let mut random = Random(91);
        let stored = Frame { center: DVec3::ZERO, scale: 1.0 };
        let (mut quality, mut count) = ([0.0; 2], 0);
        for case in 0..2000 {
            let triangles = triangle_set(&mut random);
            let unmoved = solid(&mut random, case);
            let reach = unmoved.bounding_radius() + Convex::radius(&unmoved);
            let frame = Frame::around(-DVec3::splat(reach), DVec3::splat(reach));
            let apart = [0.0, 1e-3, 0.1, 1.0, 30.0][random.below(5)];
            let place = random.direction() * (random.unit() + reach + apart);
            let pose = Pose::from_matrix(random.rotation(), place).unwrap();
            let moved = unmoved.transformed(&pose);
            let distance = |triangle: &crate::Triangle| triangle.closest_below(&moved, f64::INFINITY).unwrap().upper;
            let distance = triangles.iter().map(distance).fold(f64::INFINITY, f64::min);
            let forward = Similarity::between(&stored, &pose, &frame);
            let volume = ObbSphere::fit(&triangles, &Default::default());
            let block = ObbSphereBlock::new(&[volume], 0);
            let fixed = FixedPrimitive::new(&moved, || volume.center());
            let mut best = 0.0_f64;
            for level in SimdLevel::available() {
                for overlap in [false, true] {
                    let bound = vectorized(level, Keys(&block, fixed, overlap)) - margin(&forward);
                    assert!(bound <= distance, "{case}: {bound:e} exceeds {distance:e} for {moved:?}");
                    best = best.max(bound);
                }
            }
            let obb = Obb::fit(&triangles, &Default::default());
            for enough in [0.0, f64::INFINITY] {
                let bound = solid_gap(&obb, &moved, enough) - forward.margin;
                assert!(bound <= distance, "{case}: {bound:e} exceeds {distance:e} for {moved:?}");
                if enough > 0.0 && distance > 0.5 {
                    quality[0] += best / distance;
                    quality[1] += bound / distance;
                    count += 1;
                }
            }
        }
        assert!(count > 300, "{count}");
        assert!(quality.iter().all(|sum| sum / f64::from(count) > 0.9), "{quality:?} of {count}");
    }
}
