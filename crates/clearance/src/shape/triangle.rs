//! A triangle, possibly degenerate to a segment or a point.

use super::convex::{Convex, Directions};
use crate::Pose;
use crate::math::DVec3;

/// Three vertices; equal or collinear ones are legal and make it a segment or a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle(pub [DVec3; 3]);

impl Triangle {
    /// The normal, twice the area long; zero or noise for degenerate triangles.
    #[inline]
    pub fn scaled_normal(&self) -> DVec3 {
        (self.0[1] - self.0[0]).cross(self.0[2] - self.0[0])
    }

    /// Whether the vertices are collinear, decided exactly: their three projections along the axes are.
    pub fn is_degenerate(&self) -> bool {
        let flat = |i: usize, j: usize| {
            let [a, b, c] = self.0.map(|v| robust::Coord { x: v[i], y: v[j] });
            robust::orient2d(a, b, c) == 0.0
        };
        flat(0, 1) && flat(1, 2) && flat(2, 0)
    }

    /// The mean of the vertices.
    #[inline]
    pub fn centroid(&self) -> DVec3 {
        (self.0[0] + self.0[1] + self.0[2]) / 3.0
    }

    /// The triangle after a rigid motion, each vertex rounded.
    #[inline]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self(self.0.map(|vertex| pose.transform_point(vertex)))
    }

    /// The triangle with each vertex mapped.
    #[inline]
    pub fn map(&self, f: impl FnMut(DVec3) -> DVec3) -> Self {
        Self(self.0.map(f))
    }
}

/// Relative to the first corner.
impl Convex for Triangle {
    #[inline]
    fn center(&self) -> DVec3 {
        self.0[0]
    }

    #[inline]
    fn reach(&self) -> f64 {
        let [p, q, r] = self.0;
        (q - p).length_squared().max((r - p).length_squared()).sqrt()
    }

    #[inline]
    fn farthest(&self, direction: DVec3) -> DVec3 {
        let (e, f) = (self.0[1] - self.0[0], self.0[2] - self.0[0]);
        let (along_e, along_f) = (direction.dot(e), direction.dot(f));
        let (farther, along) = if along_f > along_e { (f, along_f) } else { (e, along_e) };
        if along > 0.0 { farther } else { DVec3::ZERO }
    }

    /// A corner: triangles are mostly small against what they meet.
    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let (e, f) = (self.0[1] - self.0[0], self.0[2] - self.0[0]);
        let nearer = |p: DVec3, q: DVec3| if q.distance_squared(offset) < p.distance_squared(offset) { q } else { p };
        nearer(nearer(DVec3::ZERO, e), f)
    }

    fn face_normals(&self) -> Directions {
        Directions::from_slice(&[self.scaled_normal()])
    }

    fn edge_directions(&self) -> Directions {
        let [p, q, r] = self.0;
        Directions::from([q - p, r - q, p - r])
    }
}
