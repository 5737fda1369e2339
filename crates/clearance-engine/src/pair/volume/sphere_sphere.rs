//! Two spheres: the distance of the centres less the radii. Exact, in 4 dependent roundings.

use super::Gap;
use crate::math::{DVec3, Similarity};
use crate::volume::{Sphere, Volume};

/// A sphere in the other side's frame.
#[derive(Debug, Clone, Copy)]
pub struct FixedSphere {
    center: DVec3,
    radius: f64,
}

impl Gap<Sphere> for Sphere {
    type Prepared = Similarity;
    type Fixed = FixedSphere;

    fn prepare(self_from_b: &Similarity) -> Similarity {
        *self_from_b
    }

    fn fix(b: &Sphere, self_from_b: &Similarity) -> FixedSphere {
        FixedSphere { center: self_from_b.transform_point(b.center()), radius: b.radius() * self_from_b.scale }
    }

    #[inline]
    fn gap(&self, b: &FixedSphere) -> f64 {
        self.center().distance(b.center) - self.radius() - b.radius
    }

    #[inline]
    fn apart(&self, b: &FixedSphere, margin: f64) -> bool {
        let reach = self.radius() + b.radius + margin;
        self.center().distance_squared(b.center) > reach * reach
    }

    /// No two points of the spheres are farther apart than this.
    #[inline]
    fn max_distance(&self, b: &FixedSphere) -> f64 {
        self.center().distance(b.center) + self.radius() + b.radius
    }
}
