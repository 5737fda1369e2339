//! Oriented bounding boxes (OBB; Gottschalk, Lin and Manocha, *OBBTree*, SIGGRAPH 1996).
//!
//! # What the stored numbers mean
//! Axes rounded to `f32` are not quite orthonormal, so a slab `|aᵢ·(p − c)| ≤ hᵢ` and a
//! parallelepiped `p = c + Σ xᵢaᵢ, |xᵢ| ≤ hᵢ` differ. The fit makes the half-extents large enough
//! for both, and the volume is their intersection K. So, exactly and for the stored values:
//! * along an own axis, `|aᵢ·(p − c)| ≤ hᵢ` (slab);
//! * along any other direction d, `|d·(p − c)| ≤ Σ |d·aᵢ|·hᵢ` (parallelepiped).
//!
//! Each stored entry is within 2⁻²⁵ of an orthonormal matrix Q, so A = Q + E with ‖E‖ ≤ 3·2⁻²⁵ and
//! the largest singular value of A is below [`AXES_STRETCH`] = 1 + 2⁻²³. From that, without any
//! further assumption on the axes: a vector v with `aᵢ·v ≥ gᵢ ≥ 0` is at least `‖g‖ / AXES_STRETCH`
//! long.
//!
//! Cost of fitting: see [`OrientedFit`].

use super::fit::{OrientedFit, box_axes, enclosing, narrow, restored, support_rounding, widen};
use super::{Axes, Volume};
use crate::Triangle;
use crate::math::{DMat3, DVec3};

/// An upper bound of the factor by which stored axes stretch a vector.
pub(crate) const AXES_STRETCH: f64 = 1.0 + 1.0 / 8_388_608.0;

/// An oriented bounding box (OBB) in a hierarchy's stored frame.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{Obb, Volume}};
/// let diagonal = DVec3::new(1.0, 1.0, 0.0) * 0.5;
/// let obb = Obb::fit(&[Triangle([-diagonal, diagonal, DVec3::ZERO])], &Default::default());
/// let half = obb.half();
/// assert!((half.x - diagonal.length()).abs() < 1e-6 && half.y < 1e-6 && half.z < 1e-6);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Obb {
    center: [f32; 3],
    axes: [[f32; 3]; 3],
    half: [f32; 3],
}

impl Obb {
    /// The stored axes as columns: orthonormal to `f32` precision only.
    #[inline]
    pub fn axis_matrix(&self) -> DMat3 {
        DMat3::from_cols(widen(self.axes[0]), widen(self.axes[1]), widen(self.axes[2]))
    }

    /// The half-extents along the columns of [`axis_matrix`](Obb::axis_matrix).
    #[inline]
    pub fn half(&self) -> DVec3 {
        widen(self.half)
    }

    /// A box from its stored centre, axes and half-extents.
    #[inline]
    pub(super) fn from_parts(center: [f32; 3], axes: [[f32; 3]; 3], half: [f32; 3]) -> Self {
        Self { center, axes, half }
    }

    /// The stored centre, axes and half-extents.
    #[inline]
    pub(super) fn parts(&self) -> (&[f32; 3], &[[f32; 3]; 3], &[f32; 3]) {
        (&self.center, &self.axes, &self.half)
    }

    /// The box along orthonormal axes (columns) around the triangles, axes in the given order.
    pub(super) fn along(axes: &DMat3, triangles: &[Triangle]) -> Self {
        let stored = [narrow(axes.x_axis), narrow(axes.y_axis), narrow(axes.z_axis)];
        Self::around(axes, stored, triangles)
    }

    /// The box along orthonormal axes (columns), given also as they are to be stored.
    pub(super) fn around(axes: &DMat3, stored: [[f32; 3]; 3], triangles: &[Triangle]) -> Self {
        let Some(origin) = triangles.first().map(|triangle| triangle.0[0]) else { return Self::default() };
        if *axes == DMat3::IDENTITY {
            return Self::aligned(triangles);
        }
        let mut obb = Self { axes: stored, ..Self::default() };
        let (slabs, coordinates) = (obb.axis_matrix().transpose(), obb.axis_matrix().inverse());
        let extents = Extents::of(triangles, origin, &slabs, &coordinates);
        let middle = extents.middle_of_slabs();
        obb.center = narrow(origin + *axes * middle);
        let center = obb.center() - origin;
        let size = extents.size.max(center.abs().max_element());
        let half = extents.half_extents(slabs * center, coordinates * center);
        // All products err by less than 33 roundings relative to √3·size: 7 for the offset from the
        // origin and the products, 26 for the inverse of a matrix whose condition is 1 + 1e-6.
        obb.half = half.to_array().map(|h| enclosing(h, 2.0 * size));
        obb
    }

    /// The box along the axes of the frame.
    fn aligned(triangles: &[Triangle]) -> Self {
        let (low, high) = triangles.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), triangle| {
            let [a, b, c] = triangle.0;
            (low.min(a).min(b).min(c), high.max(a).max(b).max(c))
        });
        let center = narrow(low + (high - low) * 0.5);
        // Differences rise with the vertex, so that those of the ends are the largest.
        let half = (high - widen(center)).max(widen(center) - low).to_array().map(|h| enclosing(h, h));
        Self { center, axes: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], half }
    }
}

/// The extents of vertices, relative to one of them, along six rows: those of two matrices.
struct Extents {
    low: [f64; 6],
    high: [f64; 6],
    /// The largest coordinate of an offset.
    size: f64,
}

impl Extents {
    fn of(triangles: &[Triangle], origin: DVec3, slabs: &DMat3, coordinates: &DMat3) -> Self {
        let [x, y, z] = [0, 1, 2].map(|k| {
            let (a, b) = (slabs.col(k), coordinates.col(k));
            [a.x, a.y, a.z, b.x, b.y, b.z]
        });
        let (mut low, mut high, mut size) = ([0.0; 6], [0.0; 6], [0.0; 3]);
        for triangle in triangles {
            for vertex in triangle.0 {
                let d = vertex - origin;
                for (size, d) in size.iter_mut().zip(d.abs().to_array()) {
                    *size = if d > *size { d } else { *size };
                }
                for k in 0..6 {
                    let along = x[k] * d.x + y[k] * d.y + z[k] * d.z;
                    low[k] = if along < low[k] { along } else { low[k] };
                    high[k] = if along > high[k] { along } else { high[k] };
                }
            }
        }
        Self { low, high, size: size[0].max(size[1]).max(size[2]) }
    }

    fn middle_of_slabs(&self) -> DVec3 {
        DVec3::from_slice(&self.low) * 0.5 + DVec3::from_slice(&self.high) * 0.5
    }

    /// The largest distance from a center, given along the six rows, for the rows of both matrices.
    fn half_extents(&self, slabs: DVec3, coordinates: DVec3) -> DVec3 {
        let farthest = |first: usize, center: DVec3| {
            let (low, high) = (DVec3::from_slice(&self.low[first..]), DVec3::from_slice(&self.high[first..]));
            (high - center).max(center - low)
        };
        farthest(0, slabs).max(farthest(3, coordinates))
    }
}

impl Volume for Obb {
    const NAME: &'static str = "obb";
    const FLOATS: usize = 15;
    type Fit = OrientedFit;

    fn fit(triangles: &[Triangle], options: &OrientedFit) -> Self {
        Self::along(&box_axes(triangles, options), triangles)
    }

    fn support(&self, direction: DVec3) -> f64 {
        let along_axes = (self.axis_matrix().transpose() * direction).abs();
        direction.dot(self.center()) + along_axes.dot(self.half()) + support_rounding(direction)
    }

    #[inline]
    fn center(&self) -> DVec3 {
        widen(self.center)
    }

    #[inline]
    fn size(&self) -> f64 {
        self.half().length()
    }

    fn axes(&self) -> Axes {
        self.axes.iter().map(|&axis| widen(axis)).collect()
    }

    fn store(&self, out: &mut Vec<f32>) {
        out.extend(self.center);
        out.extend(self.axes.as_flattened());
        out.extend(self.half);
    }

    fn restore(floats: &[f32]) -> Option<Self> {
        let obb = Self {
            center: restored(floats, 0),
            axes: [restored(floats, 3), restored(floats, 6), restored(floats, 9)],
            half: restored(floats, 12),
        };
        (orthonormal(&obb.axes()) && obb.half().min_element() >= 0.0).then_some(obb)
    }
}

/// Whether stored axes may be the rounded ones of an orthonormal matrix: their products are then
/// off by less than 1.04e-7.
pub(super) fn orthonormal(axes: &[DVec3]) -> bool {
    let off = |i: usize, j: usize| (axes[i].dot(axes[j]) - f64::from(u8::from(i == j))).abs();
    (0..axes.len()).all(|i| (0..=i).all(|j| off(i, j) <= 2.0 * (AXES_STRETCH - 1.0)))
}
