//! An oriented box around some triangles, and a box or sphere inside of the solid that they are
//! part of the surface of (Arcila, Dinás and Bañón, *Un modelo de detector de colisiones basado en
//! cajas rectangulares externas e internas*).
//!
//! What is inside is inside for sure: two solids whose inner volumes share a point overlap, and no
//! triangle needs to be looked at. An inner box is the set of all x with `|aᵢ·(x − c)| ≤ hᵢ` for
//! the outer box's stored axes aᵢ, which are orthonormal to `f32` precision only: with that reading
//! a point is inside or not by three products, and the farthest point along n is
//! `n·c + Σ|(A⁻¹n)ᵢ|hᵢ`. Whoever makes one proves that it is inside (`tree/nested`); a volume that
//! was fitted or restored has none.

use super::fit::{narrow, support_rounding, widen};
use super::{Axes, Obb, OrientedFit, Volume};
use crate::Triangle;
use crate::math::{DMat3, DVec3, f32_above, f32_below};

/// What is surely inside of a solid, in a hierarchy's stored frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Inner {
    /// Nothing that is known of.
    #[default]
    Nothing,
    /// A box along the axes of the outer one.
    Box {
        /// Its middle.
        center: [f32; 3],
        /// Half its edges.
        half: [f32; 3],
    },
    /// A sphere.
    Sphere {
        /// Its middle.
        center: [f32; 3],
        /// From there to its surface.
        radius: f32,
    },
}

/// An oriented box with something inside of the solid, in a hierarchy's stored frame.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{Inner, Nested, Volume}};
/// let triangle = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
/// // Triangles alone do not say on which side of them the solid is.
/// assert_eq!(Nested::fit(&[triangle], &Default::default()).inner(), &Inner::Nothing);
/// ```
///
/// Of a closed mesh a hierarchy knows what is inside. Parts of a cube are boxes, so that it is
/// nearly all of them:
/// ```
/// use clearance_engine::{math::DVec3, shape::ConvexPolyhedron, tree::{Mesh, NestedTree}, volume::Inner};
/// let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
/// let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>())?;
/// let mesh = Mesh::<NestedTree>::new(cube.surface()?)?;
/// for part in mesh.hierarchy().leaf_volumes() {
///     assert!(matches!(part.inner(), Inner::Box { .. }));
///     let around = 8.0 * part.outer().half().element_product();
///     assert!(part.inner_volume() > 0.999 * around && part.inner_volume() < around);
///     // Its reach along an axis is beyond its middle.
///     let (center, reach) = part.inner_center().zip(part.inner_support(DVec3::X)).unwrap();
///     assert!(reach > center.x);
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Nested {
    outer: Obb,
    inner: Inner,
}

impl Nested {
    /// The box along orthonormal axes around triangles of which each point is known up to `slack`;
    /// nothing inside.
    pub(crate) fn along(axes: &DMat3, triangles: &[Triangle], slack: f64) -> Self {
        let outer = Obb::along(axes, triangles);
        let (&center, &axes, half) = outer.parts();
        let half = half.map(|h| f32_above(f64::from(h) + slack));
        Self { outer: Obb::from_parts(center, axes, half), inner: Inner::Nothing }
    }

    /// The same box with something else inside, of which the caller knows that it is inside of the
    /// solid.
    pub(crate) fn with_inner(self, inner: Inner) -> Self {
        Self { inner, ..self }
    }

    /// The box around.
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

    /// What is inside; see [above](Self).
    #[inline]
    pub fn inner(&self) -> &Inner {
        &self.inner
    }

    /// At least the largest `n · p` over what is inside, in exact arithmetic; `None` where there is
    /// nothing.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, volume::Nested};
    /// assert_eq!(Nested::default().inner_support(DVec3::Z), None);
    /// ```
    pub fn inner_support(&self, n: DVec3) -> Option<f64> {
        let (center, reach) = match &self.inner {
            Inner::Nothing => return None,
            Inner::Box { center, half } => (center, (self.outer.axis_matrix().inverse() * n).abs().dot(widen(*half))),
            Inner::Sphere { center, radius } => (center, f64::from(*radius) * n.length()),
        };
        // Twice that of an outer box, for the inverse of a matrix whose condition is 1 + 1e-6.
        Some(n.dot(widen(*center)) + reach + 2.0 * support_rounding(n))
    }

    /// The middle of what is inside.
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

    /// How much is inside, in stored units.
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

/// All that bounds see is the outer box; what is inside is not stored in files, where nobody could
/// trust it.
impl Volume for Nested {
    const NAME: &'static str = "nested";
    const FLOATS: usize = Obb::FLOATS;
    type Fit = OrientedFit;

    fn fit(triangles: &[Triangle], how: &OrientedFit) -> Self {
        Self { outer: Obb::fit(triangles, how), inner: Inner::Nothing }
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

/// A box or sphere that may be inside of a solid, before it is proven and rounded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InnerFit {
    /// Centre and half extents.
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

    /// Half extents, those of a sphere all alike.
    pub fn half(&self) -> DVec3 {
        match *self {
            Self::Box(_, half) => half,
            Self::Sphere(_, radius) => DVec3::splat(radius),
        }
    }

    /// What is left, in `f32`, when the surface moves inward by `by`; `None` if nothing is.
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
