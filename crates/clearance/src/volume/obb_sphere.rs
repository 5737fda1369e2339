//! An oriented box and a ball about its centre: their intersection. The volume of the wide default tree of meshes.
//!
//! Boxes are tight where bodies are near, balls where they are far or turned; one centre serves both. A [`ObbSphereBlock`]
//! holds eight of them lane by lane; kernels recompute the third axis as a cross product, which saves an eighth of the memory
//! that an opened node touches.

use super::fit::{OrientedFit, box_axes, enclosing_length, vertices};
use super::{Axes, Obb, Volume};
use crate::Triangle;
use crate::math::{DMat3, DVec3};

/// A box and a ball with one centre, in a hierarchy's stored frame: 64 bytes, one cache line.
///
/// ```
/// use clearance::{Triangle, math::DVec3, volume::{ObbSphere, Volume}};
/// let volume = ObbSphere::fit(&[Triangle([DVec3::ZERO, DVec3::X, DVec3::Y])], &Default::default());
/// assert!(volume.radius() >= 0.5_f64.sqrt());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct ObbSphere {
    obb: Obb,
    radius: f32,
}

/// How the axes of the box are chosen.
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
    pub fn obb(&self) -> &Obb {
        &self.obb
    }

    /// The radius of the ball.
    #[inline]
    pub fn radius(&self) -> f64 {
        f64::from(self.radius)
    }

    /// Centre, axes, half extents and radius as they are stored.
    #[inline]
    pub(crate) fn parts(&self) -> (&[f32; 3], &[[f32; 3]; 3], &[f32; 3], f32) {
        let (center, axes, half) = self.obb.parts();
        (center, axes, half, self.radius)
    }
}

impl Volume for ObbSphere {
    const NAME: &'static str = "wide";
    const FLOATS: usize = Obb::FLOATS + 1;
    type Fit = ObbSphereFit;

    fn fit(triangles: &[Triangle], how: &ObbSphereFit) -> Self {
        let axes = match how {
            ObbSphereFit::Aligned => DMat3::IDENTITY,
            ObbSphereFit::Principal => box_axes(triangles, &OrientedFit { refine: false }),
            ObbSphereFit::Refined => box_axes(triangles, &OrientedFit { refine: true }),
        };
        let obb = Obb::along(&axes, triangles);
        let radius = enclosing_length(vertices(triangles).map(|v| v - obb.center()));
        Self { obb, radius }
    }

    fn support(&self, direction: DVec3) -> f64 {
        let ball = direction.dot(self.center()) + self.radius() * direction.length();
        self.obb.support(direction).min(ball + super::fit::support_rounding(direction))
    }

    #[inline]
    fn center(&self) -> DVec3 {
        self.obb.center()
    }

    #[inline]
    fn size(&self) -> f64 {
        self.radius()
    }

    fn axes(&self) -> Axes {
        self.obb.axes()
    }

    fn store(&self, out: &mut Vec<f32>) {
        self.obb.store(out);
        out.push(self.radius);
    }

    fn restore(floats: &[f32]) -> Self {
        Self { obb: Obb::restore(floats), radius: floats[Obb::FLOATS] }
    }
}

/// Up to eight children side by side.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub struct ObbSphereBlock {
    pub(crate) center: [[f32; 8]; 3],
    pub(crate) u: [[f32; 8]; 3],
    pub(crate) v: [[f32; 8]; 3],
    pub(crate) half: [[f32; 8]; 3],
    pub(crate) radius: [f32; 8],
    /// Node number of the first child.
    pub(crate) first: u32,
    /// How many lanes are children; the others repeat the last one.
    pub(crate) count: u32,
    /// Bit per lane: the child is a leaf.
    pub(crate) leaves: u32,
}

impl ObbSphereBlock {
    /// Lays one to eight volumes side by side.
    pub(crate) fn new(children: &[ObbSphere], first: u32, leaves: u32) -> Self {
        let mut block = Self {
            center: [[0.0; 8]; 3],
            u: [[0.0; 8]; 3],
            v: [[0.0; 8]; 3],
            half: [[0.0; 8]; 3],
            radius: [0.0; 8],
            first,
            count: children.len() as u32,
            leaves,
        };
        for lane in 0..8 {
            let (center, axes, half, radius) = children[lane.min(children.len() - 1)].parts();
            for k in 0..3 {
                block.center[k][lane] = center[k];
                block.u[k][lane] = axes[0][k];
                block.v[k][lane] = axes[1][k];
                block.half[k][lane] = half[k];
            }
            block.radius[lane] = radius;
        }
        block
    }
}
