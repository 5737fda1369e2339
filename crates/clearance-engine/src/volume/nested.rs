//! Nested volumes: an OBB around triangles, and a box or sphere inside of the solid behind them
//! (Arcila, Dinás and Bañón, *Un modelo de detector de colisiones basado en cajas rectangulares
//! externas e internas*).
//!
//! Inner volumes are inside for sure: two solids whose inner volumes share a point overlap, and the
//! query skips their triangles. An inner box is the set of all x with `|aᵢ·(x − c)| ≤ hᵢ` for the
//! outer box's stored axes aᵢ, which are orthonormal to `f32` precision only: with that reading
//! three products decide whether a point is inside, and the support along n is
//! `n·c + Σ|(A⁻¹n)ᵢ|hᵢ`. The code that makes one proves that it is inside (`tree/nested`); a fitted
//! or restored volume has none.

use super::fit::{narrow, support_rounding, widen};
use super::{Axes, Obb, OrientedFit, Volume};
use crate::Triangle;
use crate::math::{DMat3, DVec3, f32_above, f32_below};

/// An inner volume: a box or sphere provably inside of a solid, in a hierarchy's stored frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Inner {
    /// No inner volume.
    #[default]
    Nothing,
    /// A box along the axes of the outer one.
    Box {
        /// The centre.
        center: [f32; 3],
        /// The half-extents.
        half: [f32; 3],
    },
    /// A sphere.
    Sphere {
        /// The centre.
        center: [f32; 3],
        /// The radius.
        radius: f32,
    },
}

/// An oriented bounding box (OBB) with an inner volume of the solid, in a hierarchy's stored frame.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{Inner, Nested, Volume}};
/// let triangle = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
/// // Triangles alone do not say on which side of them the solid is.
/// assert_eq!(Nested::fit(&[triangle], &Default::default()).inner(), &Inner::Nothing);
/// ```
///
/// A hierarchy over a closed mesh has inner volumes. Parts of a cube are boxes, and their inner
/// boxes fill nearly all of them:
/// ```
/// use clearance_engine::{math::DVec3, shape::ConvexPolyhedron, tree::{Mesh, NestedTree}, volume::Inner};
/// let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
/// let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>())?;
/// let mesh = Mesh::<NestedTree>::new(cube.surface()?)?;
/// for part in mesh.hierarchy().leaf_volumes() {
///     assert!(matches!(part.inner(), Inner::Box { .. }));
///     let around = 8.0 * part.outer().half().element_product();
///     assert!(part.inner_volume() > 0.999 * around && part.inner_volume() < around);
///     // The support along an axis is beyond its middle.
///     let (center, support) = part.inner_center().zip(part.inner_support(DVec3::X)).unwrap();
///     assert!(support > center.x);
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Nested {
    outer: Obb,
    inner: Inner,
}

impl Nested {
    /// The box along orthonormal axes around triangles whose points have an error of up to `slack`,
    /// without an inner volume.
    pub(crate) fn along(axes: &DMat3, triangles: &[Triangle], slack: f64) -> Self {
        let outer = Obb::along(axes, triangles);
        let (&center, &axes, half) = outer.parts();
        let half = half.map(|h| f32_above(f64::from(h) + slack));
        Self { outer: Obb::from_parts(center, axes, half), inner: Inner::Nothing }
    }

    /// The same box with another inner volume; the caller has proven that it is inside of the
    /// solid.
    pub(crate) fn with_inner(self, inner: Inner) -> Self {
        Self { inner, ..self }
    }

    /// The outer box.
    ///
    /// ```
    /// use clearance_engine::{Triangle, math::DVec3, volume::{Nested, Volume}};
    /// let nested = Nested::fit(&[Triangle([DVec3::ZERO, DVec3::X, DVec3::Y])], &Default::default());
    /// // As wide as the triangle, and flat.
    /// assert!(nested.outer().half().max_element() > 0.5 && nested.outer().half().min_element() < 1e-5);
    /// ```
    #[inline]
    pub fn outer(&self) -> &Obb {
        &self.outer
    }

    /// The inner volume; see [above](Self).
    #[inline]
    pub fn inner(&self) -> &Inner {
        &self.inner
    }

    /// The support function of the inner volume: an upper bound of `n · p` over it, in exact
    /// arithmetic; `None` without one.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, volume::Nested};
    /// assert_eq!(Nested::default().inner_support(DVec3::Z), None);
    /// ```
    pub fn inner_support(&self, n: DVec3) -> Option<f64> {
        let (center, half_width) = match &self.inner {
            Inner::Nothing => return None,
            Inner::Box { center, half } => (center, (self.outer.axis_matrix().inverse() * n).abs().dot(widen(*half))),
            Inner::Sphere { center, radius } => (center, f64::from(*radius) * n.length()),
        };
        // Twice that of an outer box, for the inverse of a matrix whose condition is 1 + 1e-6.
        Some(n.dot(widen(*center)) + half_width + 2.0 * support_rounding(n))
    }

    /// The centre of the inner volume.
    ///
    /// ```
    /// assert_eq!(clearance_engine::volume::Nested::default().inner_center(), None);
    /// ```
    pub fn inner_center(&self) -> Option<DVec3> {
        match &self.inner {
            Inner::Nothing => None,
            Inner::Box { center, .. } | Inner::Sphere { center, .. } => Some(widen(*center)),
        }
    }

    /// The volume of the inner volume, in stored units.
    ///
    /// ```
    /// assert_eq!(clearance_engine::volume::Nested::default().inner_volume(), 0.0);
    /// ```
    pub fn inner_volume(&self) -> f64 {
        match &self.inner {
            Inner::Nothing => 0.0,
            Inner::Box { half, .. } => 8.0 * widen(*half).element_product(),
            Inner::Sphere { radius, .. } => 4.0 / 3.0 * std::f64::consts::PI * f64::from(*radius).powi(3),
        }
    }
}

/// Bounds see the outer box only. Files do not store the inner volume, since nothing proves it
/// there.
impl Volume for Nested {
    const NAME: &'static str = "nested";
    const FLOATS: usize = Obb::FLOATS;
    type Fit = OrientedFit;

    fn fit(triangles: &[Triangle], options: &OrientedFit) -> Self {
        Self { outer: Obb::fit(triangles, options), inner: Inner::Nothing }
    }

    fn support(&self, direction: DVec3) -> f64 {
        Volume::support(&self.outer, direction)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        Volume::center(&self.outer)
    }

    #[inline]
    fn size(&self) -> f64 {
        self.outer.size()
    }

    fn axes(&self) -> Axes {
        Volume::axes(&self.outer)
    }

    fn store(&self, out: &mut Vec<f32>) {
        self.outer.store(out);
    }

    fn restore(floats: &[f32]) -> Option<Self> {
        Obb::restore(floats).map(|outer| Self { outer, inner: Inner::Nothing })
    }

    fn surely_holds(&self, point: DVec3, margin: f64) -> bool {
        match self.inner {
            Inner::Nothing => false,
            Inner::Box { center, half } => {
                let along = self.outer.axis_matrix().transpose() * (point - widen(center));
                along.abs().cmplt(widen(half) - margin).all()
            }
            Inner::Sphere { center, radius } => point.distance(widen(center)) < f64::from(radius) - margin,
        }
    }
}

/// A box or sphere that may be inside of a solid, before its proof and rounding.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InnerFit {
    /// Centre and half-extents.
    Box(DVec3, DVec3),
    /// Centre and radius.
    Sphere(DVec3, f64),
}

impl InnerFit {
    pub fn center(&self) -> DVec3 {
        match *self {
            Self::Box(center, _) | Self::Sphere(center, _) => center,
        }
    }

    /// The half-extents; those of a sphere are equal.
    pub fn half(&self) -> DVec3 {
        match *self {
            Self::Box(_, half) => half,
            Self::Sphere(_, radius) => DVec3::splat(radius),
        }
    }

    /// The inner volume in `f32` when the surface moves inward by `by`; `None` if nothing is left.
    pub fn shrunk(&self, by: f64) -> Option<Inner> {
        match *self {
            Self::Box(center, half) => (half.min_element() > by)
                .then(|| Inner::Box { center: narrow(center), half: (half - by).to_array().map(f32_below) }),
            Self::Sphere(center, radius) => {
                (radius > by).then(|| Inner::Sphere { center: narrow(center), radius: f32_below(radius - by) })
            }
        }
    }
}
