//! Bounding volumes of hierarchies: sphere, AABB, OBB, RSS, k-DOP, k-IOS, and how each is fitted.
//!
//! Distance bounds and overlap tests between two volumes are in [`crate::pair::volume`].
//!
//! Volumes live in a hierarchy's stored frame ([`crate::math::Frame`]): every coordinate of the
//! contents lies in [-1, 1]. They are stored in `f32`, rounded so that they contain every vertex in
//! exact arithmetic.

mod aabb;
mod bounding_sphere;
mod box_block;
mod compact_sphere;
mod fit;
#[cfg(feature = "inner-boxes")]
mod inscribed;
mod kdop;
mod kios;
#[cfg(feature = "inner-boxes")]
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
mod tight_axes;
mod wall;

pub use aabb::Aabb;
pub use bounding_sphere::BoundingSphere;
pub(crate) use bounding_sphere::smallest_sphere_center;
pub use box_block::BoxBlock;
pub(crate) use compact_sphere::compact_sphere_center;
pub use fit::OrientedFit;
#[cfg(feature = "inner-boxes")]
pub use inscribed::{largest_box, largest_sphere};
pub(crate) use kdop::{Combination, FARTHEST, combine};
pub use kdop::{Kdop, Kdop16, Kdop18, Kdop24};
pub use kios::{KIos, KIosFit};
#[cfg(any(test, feature = "lab"))]
pub use kios::{KIosAxes, KIosCount, KIosMethod, KIosTightening};
#[cfg(feature = "inner-boxes")]
pub(crate) use nested::InnerFit;
#[cfg(feature = "inner-boxes")]
pub use nested::{Inner, Nested};
pub(crate) use obb::AXES_STRETCH;
pub use obb::Obb;
pub use obb_sphere::{ObbSphere, ObbSphereFit};
pub(crate) use obb_sphere::{ObbSphereBlock, Place};
pub use rss::Rss;
pub use sphere::Sphere;
pub(crate) use sphere_of_spheres::smallest_sphere_of_spheres_center;
pub use wall::Wall;

use crate::Triangle;
use crate::math::DVec3;
use smallvec::SmallVec;

/// Directions along which a volume is tight, the candidates for separating axes.
pub type Axes = SmallVec<[DVec3; 12]>;

/// A bounding volume: a convex set around triangles.
pub trait Volume: Copy + std::fmt::Debug + Send + Sync + 'static {
    /// The name in the command line and in tables.
    const NAME: &'static str;
    /// The number of `f32` that [`store`](Volume::store) appends.
    const FLOATS: usize;
    /// The options of the fit.
    type Fit: Clone + Default + std::fmt::Debug + Send + Sync;

    /// Fits a volume that contains every vertex of `triangles` in exact arithmetic.
    ///
    /// There must be at least one triangle, with coordinates within [-1, 1].
    fn fit(triangles: &[Triangle], options: &Self::Fit) -> Self;

    /// The support function: an upper bound of `direction · p` over the contents, in exact
    /// arithmetic.
    ///
    /// The direction may have any length up to 1e150, but must be finite.
    fn support(&self, direction: DVec3) -> f64;

    /// The centre.
    fn center(&self) -> DVec3;

    /// The size, about the radius of a bounding sphere; a traversal opens the larger side of a pair
    /// first.
    fn size(&self) -> f64;

    /// The directions in which this volume is tightest: candidate separating axes against volumes
    /// of another kind.
    fn axes(&self) -> Axes;

    /// Appends [`FLOATS`](Volume::FLOATS) numbers, from which [`restore`](Volume::restore) makes
    /// the same volume.
    fn store(&self, out: &mut Vec<f32>);

    /// Reads the volume that [`store`](Volume::store) wrote; `floats` has
    /// [`FLOATS`](Volume::FLOATS) entries of moderate size. It returns `None` for numbers of no
    /// volume, such as a negative radius or axes that are not orthonormal.
    fn restore(floats: &[f32]) -> Option<Self>;

    /// The number of stored floats that this very volume uses (k-IOS with k = 1 needs only 4).
    fn floats_used(&self) -> usize {
        Self::FLOATS
    }

    /// The radius of a sphere about the centre around all contents: by default, of one around a box
    /// around them.
    fn reach(&self) -> f64 {
        let center = self.center();
        let along = |axis: DVec3| {
            let middle = axis.dot(center);
            (self.support(axis) - middle).max(self.support(-axis) + middle)
        };
        DVec3::from_array(DVec3::AXES.map(along)).length() * (1.0 + 8.0 * crate::math::UNIT_ROUNDOFF)
    }

    /// Whether a point, which may be off by `margin`, is provably in the solid behind the
    /// triangles. Only volumes with an inner volume ([`Nested`]) can tell.
    #[inline]
    fn surely_holds(&self, _point: DVec3, _margin: f64) -> bool {
        false
    }
}

/// The object-safe part of [`Volume`], for bounds between volumes of different kinds.
///
/// Every volume implements it. Import only one of the two traits to call methods on a concrete
/// volume.
pub trait Support {
    /// See [`Volume::support`].
    fn support(&self, direction: DVec3) -> f64;

    /// See [`Volume::center`].
    fn center(&self) -> DVec3;

    /// See [`Volume::axes`].
    fn axes(&self) -> Axes;

    /// See [`Volume::reach`].
    fn reach(&self) -> f64;

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

    fn reach(&self) -> f64 {
        Volume::reach(self)
    }

    fn surely_holds(&self, point: DVec3, margin: f64) -> bool {
        Volume::surely_holds(self, point, margin)
    }
}
