//! A triangle, possibly degenerate to a segment or a point.

use super::convex::{Convex, Directions};
use crate::Pose;
use crate::math::DVec3;

/// A triangle by its vertices; equal or collinear ones are legal and make it a segment or a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle(pub [DVec3; 3]);

impl Triangle {
    /// The normal, with a length of twice the area; zero or noise for degenerate triangles.
    #[inline]
    pub fn scaled_normal(&self) -> DVec3 {
        (self.0[1] - self.0[0]).cross(self.0[2] - self.0[0])
    }

    /// Whether the vertices are collinear, decided exactly: their three projections along the axes
    /// are.
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

/// The core is relative to the first vertex.
impl Convex for Triangle {
    #[inline]
    fn center(&self) -> DVec3 {
        self.0[0]
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        let [p, q, r] = self.0;
        (q - p).length_squared().max((r - p).length_squared()).sqrt()
    }

    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        let (e, f) = (self.0[1] - self.0[0], self.0[2] - self.0[0]);
        let (along_e, along_f) = (direction.dot(e), direction.dot(f));
        let (farther, along) = if along_f > along_e { (f, along_f) } else { (e, along_e) };
        if along > 0.0 { farther } else { DVec3::ZERO }
    }

    /// The region of the triangle's plane in which the point lies decides between vertex, edge and
    /// face (Ericson, *Real-Time Collision Detection*, 2005, 5.1.5). Weights that rounding spoils,
    /// on slivers, still give a point of the triangle.
    #[inline]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let (e, f) = (self.0[1] - self.0[0], self.0[2] - self.0[0]);
        let (d1, d2) = (e.dot(offset), f.dot(offset));
        let (d3, d4) = (e.dot(offset - e), f.dot(offset - e));
        let (d5, d6) = (e.dot(offset - f), f.dot(offset - f));
        // Twice the areas opposite to the third, second and first vertex, times that of the
        // triangle.
        let (third, second, first) = (d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4);
        let (at_e, at_f) = if d1 <= 0.0 && d2 <= 0.0 {
            (0.0, 0.0)
        } else if d3 >= 0.0 && d4 <= d3 {
            (1.0, 0.0)
        } else if d6 >= 0.0 && d5 <= d6 {
            (0.0, 1.0)
        } else if third <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            (d1 / (d1 - d3), 0.0)
        } else if second <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            (0.0, d2 / (d2 - d6))
        } else if first <= 0.0 && d4 >= d3 && d5 >= d6 {
            let at = (d4 - d3) / ((d4 - d3) + (d5 - d6));
            (1.0 - at, at)
        } else {
            let all = third + second + first;
            (second / all, third / all)
        };
        // NaN becomes zero.
        let positive = |at: f64| if at > 0.0 { at } else { 0.0 };
        let at_e = positive(at_e).min(1.0);
        let at_f = positive(at_f).min(1.0 - at_e);
        e * at_e + f * at_f
    }

    fn face_normals(&self, _towards: DVec3) -> Directions {
        Directions::from_slice(&[self.scaled_normal()])
    }

    fn edge_directions(&self, _towards: DVec3) -> Directions {
        let [p, q, r] = self.0;
        Directions::from_slice(&[q - p, r - q, p - r])
    }
}
