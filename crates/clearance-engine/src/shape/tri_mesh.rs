//! Triangle meshes: vertices and indices, checked once, in any order and of any topology.

use super::Triangle;
use crate::math::lanes::prefetch;
use crate::math::{DVec3, LARGEST_COORDINATE};
use crate::{Error, ErrorKind, Readable, Result};

/// A triangle mesh whose coordinates are finite and whose indices are in range.
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3};
/// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// assert_eq!(mesh.len(), 1);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TriMesh {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Creates a mesh from checked `vertices` and `triangles`; an error names the first offending
    /// index.
    pub fn new(vertices: Vec<DVec3>, triangles: Vec<[u32; 3]>) -> Result<Self> {
        if triangles.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "the mesh has no triangles"));
        }
        if u32::try_from(triangles.len()).is_err() {
            return Err(Error::new(ErrorKind::OutOfRange, format!("{} triangles are more than 2^32", triangles.len())));
        }
        check_points("vertex", &vertices)?;
        let limit = vertices.len();
        for (i, triangle) in triangles.iter().enumerate() {
            if let Some(index) = triangle.iter().find(|&&index| index as usize >= limit) {
                let message = format!("triangle {i} refers to vertex {index}, but there are {limit} vertices");
                return Err(Error::new(ErrorKind::OutOfRange, message));
            }
        }
        Ok(Self { vertices, triangles })
    }

    /// The vertices, unreferenced ones included.
    pub fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// The vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The number of triangles; never zero.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.triangles.len()
    }

    /// The vertices of triangle `index`.
    #[inline]
    pub fn triangle(&self, index: u32) -> Triangle {
        // Written out: `map` of arrays is a call.
        let [p, q, r] = self.triangles[index as usize];
        Triangle([self.vertices[p as usize], self.vertices[q as usize], self.vertices[r as usize]])
    }

    /// Asks for the memory of a triangle, …
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: u32) {
        prefetch(&self.triangles[index as usize]);
    }

    /// … and of its vertices.
    #[inline(always)]
    pub(crate) fn prefetch_vertices(&self, index: u32) {
        for vertex in self.triangles[index as usize] {
            prefetch(&self.vertices[vertex as usize]);
        }
    }

    /// The bounding box (AABB) of the referenced vertices.
    pub fn bounding_box(&self) -> (DVec3, DVec3) {
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for triangle in &self.triangles {
            for &vertex in triangle {
                low = low.min(self.vertices[vertex as usize]);
                high = high.max(self.vertices[vertex as usize]);
            }
        }
        (low, high)
    }

    /// The number of degenerate triangles: segments or points, decided exactly.
    pub fn degenerate_count(&self) -> usize {
        (0..self.len() as u32).filter(|&i| self.triangle(i).is_degenerate()).count()
    }

    /// The number of vertices that belong to no triangle.
    pub fn unreferenced_count(&self) -> usize {
        let mut used = vec![false; self.vertices.len()];
        self.triangles.iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
        used.iter().filter(|used| !**used).count()
    }

    /// The mesh with moved vertices and the same triangles, in the same order.
    pub fn with_vertices(&self, vertices: Vec<DVec3>) -> Result<Self> {
        if vertices.len() != self.vertices.len() {
            let message = format!("{} vertices given for a mesh of {}", vertices.len(), self.vertices.len());
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        check_points("vertex", &vertices)?;
        Ok(Self { vertices, triangles: self.triangles.clone() })
    }
}

/// Rejects points that are not finite or too far away; `what` names a point in the error.
pub(crate) fn check_points(what: &str, points: &[DVec3]) -> Result<()> {
    match points.iter().position(|v| !(v.abs().max_element() <= LARGEST_COORDINATE && v.is_finite())) {
        None => Ok(()),
        Some(i) if points[i].is_finite() => {
            Err(Error::new(ErrorKind::OutOfRange, format!("{what} {i} is beyond 1e100: {}", Readable(points[i]))))
        }
        Some(i) => Err(Error::new(ErrorKind::NotFinite, format!("{what} {i} is not finite: {}", Readable(points[i])))),
    }
}
