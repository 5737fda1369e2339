//! The intersection of an OBB and a sphere about its centre: the volume of the default mesh
//! hierarchy ([`Bvh8`](crate::tree::Bvh8)).
//!
//! Boxes are tight where bodies are near, spheres where they are far or rotated; one centre serves
//! both. Kernels recompute the third axis as the cross product of the first two. That saves an
//! eighth of the memory that a search touches, and leaves room for the node's data in the cache
//! line of a volume. An [`ObbSphereBlock`] holds eight volumes lane by lane.

use super::fit::{OrientedFit, box_axes, enclosing_length, narrow, restored, vertices, widen};
use super::obb::orthonormal;
use super::{Axes, Obb, Volume};
use crate::Triangle;
use crate::math::{DMat3, DVec3};

/// An OBB and a bounding sphere with one centre, in a hierarchy's stored frame: 64 bytes, one cache
/// line.
///
/// ```
/// use clearance_engine::{Triangle, math::DVec3, volume::{ObbSphere, Volume}};
/// let volume = ObbSphere::fit(&[Triangle([DVec3::ZERO, DVec3::X, DVec3::Y])], &Default::default());
/// assert!(volume.radius() >= 0.5_f64.sqrt());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct ObbSphere {
    pub(crate) center: [f32; 3],
    pub(crate) u: [f32; 3],
    pub(crate) v: [f32; 3],
    pub(crate) half: [f32; 3],
    pub(crate) radius: f32,
    /// Not part of the volume.
    pub(crate) place: Place,
}

/// The data of the node that a volume bounds, which shares the volume's cache line. The eight-wide
/// tree fills it in.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Place {
    /// The position of its first triangle.
    pub first: u32,
    /// The number of its triangles.
    pub count: u32,
    /// Its size in the mesh's unit.
    pub size: f32,
}

/// Options for the axes of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ObbSphereFit {
    /// The axes of the frame: the cheapest.
    Aligned,
    /// The principal axes of the surface.
    Principal,
    /// Principal axes, then rotations that shrink the box.
    #[default]
    Refined,
}

impl ObbSphere {
    /// The box.
    #[inline]
    pub fn obb(&self) -> Obb {
        Obb::from_parts(self.center, with_third(self.u, self.v), self.half)
    }

    /// The radius of the sphere.
    #[inline]
    pub fn radius(&self) -> f64 {
        f64::from(self.radius)
    }
}

/// Two stored axes and the third: their cross product, rounded.
///
/// Its entries are within 5·2⁻²⁵ of those that complete the orthonormal axes which the other two
/// were rounded from.
fn with_third(u: [f32; 3], v: [f32; 3]) -> [[f32; 3]; 3] {
    [u, v, narrow(widen(u).cross(widen(v)))]
}

impl Volume for ObbSphere {
    const NAME: &'static str = "wide";
    const FLOATS: usize = 13;
    type Fit = ObbSphereFit;

    fn fit(triangles: &[Triangle], options: &ObbSphereFit) -> Self {
        let axes = match options {
            ObbSphereFit::Aligned => DMat3::IDENTITY,
            ObbSphereFit::Principal => box_axes(triangles, &OrientedFit { refine: false }),
            ObbSphereFit::Refined => box_axes(triangles, &OrientedFit { refine: true }),
        };
        let axes = DMat3::from_cols(axes.x_axis, axes.y_axis, axes.x_axis.cross(axes.y_axis));
        let obb = Obb::around(&axes, with_third(narrow(axes.x_axis), narrow(axes.y_axis)), triangles);
        let (&center, &[u, v, _], &half) = obb.parts();
        let radius = enclosing_length(vertices(triangles).map(|vertex| vertex - obb.center()));
        Self { center, u, v, half, radius, place: Place::default() }
    }

    fn support(&self, direction: DVec3) -> f64 {
        let sphere = direction.dot(self.center()) + self.radius() * direction.length();
        self.obb().support(direction).min(sphere + super::fit::support_rounding(direction))
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
        self.obb().axes()
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.radius()
    }

    fn store(&self, out: &mut Vec<f32>) {
        for part in [&self.center, &self.u, &self.v, &self.half] {
            out.extend(part);
        }
        out.push(self.radius);
    }

    fn restore(floats: &[f32]) -> Option<Self> {
        let volume = Self {
            center: restored(floats, 0),
            u: restored(floats, 3),
            v: restored(floats, 6),
            half: restored(floats, 9),
            radius: floats[12],
            place: Place::default(),
        };
        let axes = [widen(volume.u), widen(volume.v)];
        (orthonormal(&axes) && floats[9..13].iter().all(|&length| length >= 0.0)).then_some(volume)
    }
}

/// Up to eight volumes in SIMD lanes: the children of a node.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct ObbSphereBlock {
    pub(crate) center: [[f32; 8]; 3],
    pub(crate) u: [[f32; 8]; 3],
    pub(crate) v: [[f32; 8]; 3],
    pub(crate) half: [[f32; 8]; 3],
    pub(crate) radius: [f32; 8],
    /// The first child's number as a node of the tree.
    pub(crate) first: u32,
    /// The number of lanes with children; the others repeat the last one.
    pub(crate) count: u32,
}

impl ObbSphereBlock {
    /// Packs one to eight volumes into lanes.
    pub(crate) fn new(children: &[ObbSphere], first: u32) -> Self {
        let mut block = Self {
            center: [[0.0; 8]; 3],
            u: [[0.0; 8]; 3],
            v: [[0.0; 8]; 3],
            half: [[0.0; 8]; 3],
            radius: [0.0; 8],
            first,
            count: children.len() as u32,
        };
        for lane in 0..8 {
            let child = &children[lane.min(children.len() - 1)];
            for k in 0..3 {
                block.center[k][lane] = child.center[k];
                block.u[k][lane] = child.u[k];
                block.v[k][lane] = child.v[k];
                block.half[k][lane] = child.half[k];
            }
            block.radius[lane] = child.radius;
        }
        block
    }
}
