//! k-IOS: the intersection of 1, 3 or 5 spheres as a bounding volume.
//!
//! Reference: Zhang and Kim, *k-IOS: Intersection of Spheres for Efficient Proximity Query* (2012).
//! A central sphere S₀ bounds everything. A pair of larger spheres, one on each side, cuts off what
//! S₀ wastes along the thinnest axis, and a second pair what it wastes along the second thinnest.
//! All larger spheres have one radius. [`fit`] places them.
//!
//! Invariant: every sphere contains every vertex in exact arithmetic. Radii are measured last, from
//! the stored `f32` centres. Before that rounding no radius exceeds [`LARGEST_RADIUS`]; the bound
//! between two k-IOS needs it for its rounding budget.
//!
//! Cost: 4, 11 or 17 floats; fitting takes about 20 passes over the vertices.

#[cfg(any(test, feature = "lab"))]
mod ellipsoid;
mod fit;
#[cfg(any(test, feature = "lab"))]
mod lab;

#[cfg(any(test, feature = "lab"))]
pub use lab::{KIosAxes, KIosCount, KIosMethod, KIosTightening};

use super::fit::{UNDERFLOW, enclosing_length, narrow, restored, vertices, widen};
use super::{Axes, Volume};
use crate::Triangle;
use crate::math::{DVec3, UNIT_ROUNDOFF};

/// The largest radius of a sphere in stored coordinates: 16 times that of the sphere around the
/// cube [-1, 1]³, rounded up.
pub(crate) const LARGEST_RADIUS: f64 = 28.0;

/// A k-IOS: the intersection of 1, 3 or 5 spheres.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{KIos, KIosFit, Volume}};
/// let flat = [Triangle([DVec3::ZERO, DVec3::X, DVec3::Y])];
/// let volume = KIos::fit(&flat, &KIosFit::default());
/// assert_eq!(volume.count(), 3);
/// assert!(volume.support(DVec3::Z) < 0.2); // its sphere alone reaches 0.7
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KIos {
    center: [f32; 3],
    radius: f32,
    /// x, y and z of the larger spheres' centres. A single pair is stored twice. Without any, these
    /// are S₀ four times, so that no kernel branches.
    outer: [[f32; 4]; 3],
    outer_radius: f32,
    count: u8,
}

/// How [`KIos`] is fitted: by the paper's Method II and its rule for the number of spheres, with its
/// constants by default. The feature `lab` has the paper's other variants.
#[derive(Debug, Clone, PartialEq)]
pub struct KIosFit {
    /// Where the dimensions come from.
    #[cfg(any(test, feature = "lab"))]
    pub method: KIosMethod,
    /// The axes on which the larger spheres' centres lie.
    #[cfg(any(test, feature = "lab"))]
    pub axes: KIosAxes,
    /// The number of spheres.
    #[cfg(any(test, feature = "lab"))]
    pub count: KIosCount,
    /// How closely the larger spheres are brought to the vertices.
    #[cfg(any(test, feature = "lab"))]
    pub tightening: KIosTightening,
    /// Method II: half the angle that the body fills as seen from a larger sphere's centre, in
    /// radians. Smaller angles give larger, flatter spheres.
    pub angle: f64,
    /// An axis gets its pair of spheres if the longest axis is more than this many times as long.
    pub ratio: f64,
    /// The largest radius, as a multiple of the central sphere's (Method I yields an infinite one
    /// on a flat patch).
    pub largest_radius: f64,
}

impl Default for KIosFit {
    fn default() -> Self {
        Self {
            #[cfg(any(test, feature = "lab"))]
            method: KIosMethod::PrincipalAxes,
            #[cfg(any(test, feature = "lab"))]
            axes: KIosAxes::Oriented,
            #[cfg(any(test, feature = "lab"))]
            count: KIosCount::ByRatio,
            #[cfg(any(test, feature = "lab"))]
            tightening: KIosTightening::Closest,
            angle: std::f64::consts::FRAC_PI_6,
            ratio: 1.5,
            largest_radius: 16.0,
        }
    }
}

/// Two or no larger spheres on each axis: what fitting hands over to be rounded and stored.
struct Placed {
    center: DVec3,
    outer: [DVec3; 4],
    count: u8,
}

impl KIos {
    /// The number of spheres: 1, 3 or 5.
    #[inline]
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }

    /// The centre and radius of each sphere, the central one first.
    pub fn spheres(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        let outer = (0..self.count() - 1).map(|i| (self.outer_center(i), f64::from(self.outer_radius)));
        std::iter::once((self.center(), self.radius())).chain(outer)
    }

    /// The radius of S₀.
    #[inline]
    pub(crate) fn radius(&self) -> f64 {
        f64::from(self.radius)
    }

    /// The coordinates of the larger spheres' centres, four of each, and their radius.
    #[inline]
    pub(crate) fn outer(&self) -> (&[[f32; 4]; 3], f64) {
        (&self.outer, f64::from(self.outer_radius))
    }

    fn outer_center(&self, i: usize) -> DVec3 {
        DVec3::from_array(self.outer.map(|coordinate| f64::from(coordinate[i])))
    }

    /// Rounds the centres to `f32` and gives each sphere the radius that its vertices need from
    /// there.
    fn around(triangles: &[Triangle], placed: &Placed) -> Self {
        let radius = |center: [f32; 3]| enclosing_length(vertices(triangles).map(|v| v - widen(center)));
        let center = narrow(placed.center);
        let central_radius = radius(center);
        let (mut outer, mut outer_radius) = ([center; 4], central_radius);
        if placed.count > 1 {
            outer = placed.outer.map(narrow);
            let distinct = usize::from(placed.count) - 1;
            outer_radius = outer[..distinct].iter().fold(0.0_f32, |largest, &c| largest.max(radius(c)));
        }
        let outer = [0, 1, 2].map(|axis| outer.map(|center| center[axis]));
        Self { center, radius: central_radius, outer, outer_radius, count: placed.count }
    }
}

impl Volume for KIos {
    const NAME: &'static str = "kios";
    const FLOATS: usize = 18;
    type Fit = KIosFit;

    fn fit(triangles: &[Triangle], options: &KIosFit) -> Self {
        Self::around(triangles, &fit::place(triangles, options))
    }

    fn support(&self, direction: DVec3) -> f64 {
        let length = direction.length();
        self.spheres().fold(f64::INFINITY, |nearest, (center, radius)| {
            // Fewer than 8 roundings on terms no larger than the centre's distance and the radius,
            // both of which may be far beyond the contents.
            let slack = 8.0 * UNIT_ROUNDOFF * length * (2.0 * center.abs().max_element() + radius) + UNDERFLOW;
            nearest.min(center.dot(direction) + (radius * length + slack))
        })
    }

    #[inline]
    fn center(&self) -> DVec3 {
        widen(self.center)
    }

    #[inline]
    fn size(&self) -> f64 {
        self.radius()
    }

    fn axes(&self) -> Axes {
        let pairs = (0..self.count() / 2).map(|pair| self.outer_center(2 * pair) - self.outer_center(2 * pair + 1));
        pairs.filter_map(|axis| axis.try_normalize()).collect()
    }

    fn store(&self, out: &mut Vec<f32>) {
        out.extend(self.center);
        out.push(self.radius);
        out.extend(self.outer.as_flattened());
        out.extend([self.outer_radius, f32::from(self.count)]);
    }

    fn restore(floats: &[f32]) -> Option<Self> {
        let count = [1_u8, 3, 5].into_iter().find(|&count| f32::from(count) == floats[17])?;
        let kios = Self {
            center: restored(floats, 0),
            radius: floats[3],
            outer: [restored(floats, 4), restored(floats, 8), restored(floats, 12)],
            outer_radius: floats[16],
            count,
        };
        (kios.radius >= 0.0 && kios.outer_radius >= 0.0).then_some(kios)
    }

    fn floats_used(&self) -> usize {
        match self.count {
            1 => 4,
            3 => 4 + 2 * 3 + 1,
            _ => 4 + 4 * 3 + 1,
        }
    }
}

#[cfg(test)]
mod tests;
