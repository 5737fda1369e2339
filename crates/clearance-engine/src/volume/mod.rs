//! Bounding volumes: what each one is and how it is fitted. Bounds between two of them are in
//! [`crate::pair::volume`].
//!
//! Volumes live in a hierarchy's stored frame ([`crate::math::Frame`]): every coordinate of the
//! contents lies in [-1, 1]. They are stored in `f32`, rounded so that they contain every vertex in
//! exact arithmetic.

mod aabb;
mod bounding_sphere;
mod box_block;
mod compact;
mod fit;
mod inscribed;
mod kdop;
mod kios;
mod nested;
mod obb;
mod obb_sphere;
#[cfg(test)]
pub(crate) mod properties;
mod rss;
#[cfg(test)]
pub(crate) mod samples;
mod sphere;
mod sphere_of_spheres;
mod tight;

pub use aabb::Aabb;
pub use bounding_sphere::BoundingSphere;
pub(crate) use bounding_sphere::smallest_sphere_center;
pub use box_block::BoxBlock;
pub(crate) use compact::compact_sphere_center;
pub use fit::OrientedFit;
pub use inscribed::{Wall, largest_box, largest_sphere};
pub(crate) use kdop::{Combination, FARTHEST, combine};
pub use kdop::{Kdop, Kdop16, Kdop18, Kdop24};
pub use kios::{KIos, KIosAxes, KIosCount, KIosFit, KIosMethod, KIosTightening};
pub(crate) use nested::InnerFit;
pub use nested::{Inner, Nested};
pub(crate) use obb::AXES_STRETCH;
pub use obb::Obb;
pub use obb_sphere::{ObbSphere, ObbSphereFit};
pub(crate) use obb_sphere::{ObbSphereBlock, Place};
pub use rss::Rss;
pub use sphere::Sphere;
pub(crate) use sphere_of_spheres::smallest_sphere_of_spheres_center;

use crate::Triangle;
use crate::math::DVec3;
use smallvec::SmallVec;

/// Directions along which a volume is worth measuring.
pub type Axes = SmallVec<[DVec3; 12]>;

/// A convex set around some triangles.
pub trait Volume: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// How the command line and the tables call it.
    const NAME: &'static str;
    /// How many `f32` one volume takes in [`store`](Volume::store).
    const FLOATS: usize;
    /// The choices that fitting has.
    type Fit: Clone + Default + std::fmt::Debug + Send + Sync;

    /// A volume that contains every vertex of `triangles` (at least one, coordinates within [-1,
    /// 1]) in exact arithmetic.
    fn fit(triangles: &[Triangle], how: &Self::Fit) -> Self;

    /// At least the largest `direction · p` over what the volume contains, in exact arithmetic.
    ///
    /// The direction may have any length up to 1e150, but must be finite.
    fn support(&self, direction: DVec3) -> f64;

    /// A point in the middle.
    fn center(&self) -> DVec3;

    /// A measure of the volume's size (about the radius of a sphere around it): the larger side of
    /// a pair is opened first.
    fn size(&self) -> f64;

    /// The directions in which this volume is tightest, for bounds against volumes of another kind.
    fn axes(&self) -> Axes;

    /// Appends [`FLOATS`](Volume::FLOATS) numbers from which [`restore`](Volume::restore) makes the
    /// same volume.
    fn store(&self, out: &mut Vec<f32>);

    /// The volume that [`store`](Volume::store) wrote; `floats` has [`FLOATS`](Volume::FLOATS)
    /// entries of moderate size. `None` where no volume is stored like that: a negative radius,
    /// axes that are not orthonormal.
    fn restore(floats: &[f32]) -> Option<Self>;

    /// How many of the stored floats this very volume uses (k-IOS with k = 1 needs only 4).
    fn floats_used(&self) -> usize {
        Self::FLOATS
    }

    /// Whether a point, which may be off by `margin`, is certainly in the solid that the triangles
    /// are part of the surface of: only volumes with something inside, as [`Nested`] has, can tell.
    #[inline]
    fn surely_holds(&self, _point: DVec3, _margin: f64) -> bool {
        false
    }
}

/// What bounds between volumes of different kinds need of each: the object-safe part of [`Volume`].
///
/// Every volume has it; import only one of the two traits where methods are called on a concrete
/// volume.
pub trait Support {
    /// See [`Volume::support`].
    fn support(&self, direction: DVec3) -> f64;

    /// See [`Volume::center`].
    fn center(&self) -> DVec3;

    /// See [`Volume::axes`].
    fn axes(&self) -> Axes;

    /// See [`Volume::surely_holds`].
    fn surely_holds(&self, point: DVec3, margin: f64) -> bool;
}

impl<A: Volume> Support for A {
    fn support(&self, direction: DVec3) -> f64 {
        Volume::support(self, direction)
    }

    fn center(&self) -> DVec3 {
        Volume::center(self)
    }

    fn axes(&self) -> Axes {
        Volume::axes(self)
    }

    fn surely_holds(&self, point: DVec3, margin: f64) -> bool {
        Volume::surely_holds(self, point, margin)
    }
}
