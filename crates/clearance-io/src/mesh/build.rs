//! Collects vertices and triangles in file order, within the limit of
//! [`LoadOptions::max_elements`].

use super::LoadOptions;
use crate::scan::check_coordinate;
use crate::{Error, ErrorKind, Place, Result};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use glam::DAffine3;
use std::collections::HashMap;

/// A mesh that grows. Indices are checked where the reader knows the number of vertices, and in any
/// case by `finish`.
#[derive(Debug)]
pub(super) struct MeshBuilder {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Vertices met before, by the bits of their coordinates; used by formats that repeat them for
    /// every triangle.
    known: HashMap<[u64; 3], u32>,
    limit: usize,
}

/// A piece of a scene in its own coordinates, with indices in range.
#[derive(Debug)]
pub(super) struct Part {
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
}

impl MeshBuilder {
    pub fn new(options: &LoadOptions) -> Self {
        let limit = options.max_elements.min(u32::MAX as usize);
        Self { vertices: Vec::new(), triangles: Vec::new(), known: HashMap::new(), limit }
    }

    /// How many vertices there are so far.
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    /// Makes room for what the file announces, after its size has been found to allow it.
    pub fn reserve(&mut self, vertices: usize, triangles: usize) {
        self.vertices.reserve(vertices.min(self.limit));
        self.triangles.reserve(triangles.min(self.limit));
    }

    /// Adds a vertex and returns its index.
    pub fn vertex(&mut self, vertex: DVec3, place: Place) -> Result<u32> {
        if self.vertices.len() >= self.limit {
            return Err(self.too_large("vertices", place));
        }
        self.vertices.push(vertex);
        Ok((self.vertices.len() - 1) as u32)
    }

    /// The index of a vertex with these coordinates, which is added if there is none yet. Both
    /// zeros count as one.
    pub fn merged_vertex(&mut self, vertex: DVec3, place: Place) -> Result<u32> {
        let key = (vertex + DVec3::ZERO).to_array().map(f64::to_bits);
        if let Some(&index) = self.known.get(&key) {
            return Ok(index);
        }
        let index = self.vertex(vertex, place)?;
        self.known.insert(key, index);
        Ok(index)
    }

    /// Adds a triangle.
    pub fn triangle(&mut self, corners: [u32; 3], place: Place) -> Result<()> {
        if self.triangles.len() >= self.limit {
            return Err(self.too_large("triangles", place));
        }
        self.triangles.push(corners);
        Ok(())
    }

    /// Adds a polygon as the fan around its first vertex; fewer than three vertices give nothing.
    pub fn polygon(&mut self, corners: &[u32], place: &Place) -> Result<()> {
        let Some((&first, others)) = corners.split_first() else { return Ok(()) };
        others.windows(2).try_for_each(|pair| self.triangle([first, pair[0], pair[1]], place.clone()))
    }

    /// Adds a strip: each vertex makes a triangle with the two before it, turned to face the same
    /// way.
    pub fn strip(&mut self, corners: &[u32], place: &Place) -> Result<()> {
        for (i, c) in corners.windows(3).enumerate() {
            let triangle = if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] };
            self.triangle(triangle, place.clone())?;
        }
        Ok(())
    }

    /// Adds a copy of `part`. A mirrored one is turned over, so that outer sides stay outside.
    pub fn instance(&mut self, part: &Part, mesh_from_part: &DAffine3, place: &Place) -> Result<()> {
        let first = self.vertices.len() as u32;
        for &vertex in &part.vertices {
            let moved = mesh_from_part.transform_point3(vertex);
            for coordinate in moved.to_array() {
                check_coordinate(coordinate, place.clone(), "a coordinate in its place in the scene")?;
            }
            self.vertex(moved, place.clone())?;
        }
        let mirrored = mesh_from_part.matrix3.determinant() < 0.0;
        for &[a, b, c] in &part.triangles {
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            self.triangle([a, b, c].map(|index| first + index), place.clone())?;
        }
        Ok(())
    }

    /// What was collected, to be placed by [`instance`](Self::instance); the reader has checked the
    /// indices.
    pub fn into_part(self) -> Part {
        Part { vertices: self.vertices, triangles: self.triangles }
    }

    /// The mesh, or an error if it is empty or a triangle refers to a missing vertex.
    pub fn finish(self) -> Result<TriMesh> {
        TriMesh::new(self.vertices, self.triangles).map_err(|error| {
            let kind = match error.kind() {
                clearance_engine::ErrorKind::Empty => ErrorKind::Empty,
                clearance_engine::ErrorKind::NotFinite => ErrorKind::NotFinite,
                _ => ErrorKind::OutOfRange,
            };
            Error::new(kind, Place::Whole, error.to_string())
        })
    }

    fn too_large(&self, what: &str, place: Place) -> Error {
        let reason = format!("the mesh has more than the allowed {} {what}", self.limit);
        Error::new(ErrorKind::TooLarge, place, reason)
    }
}

/// The error for a face that refers to a missing vertex.
pub(super) fn missing_vertex(index: impl std::fmt::Display, count: usize, place: Place) -> Error {
    let reason = format!("vertex {index} does not exist, there are {count}");
    Error::new(ErrorKind::OutOfRange, place, reason)
}

/// The error for a count that the rest of the file is too small for, if it is: each item takes
/// `least` bytes or more.
pub(crate) fn check_announced(count: usize, what: &str, least: usize, rest: usize, place: Place) -> Result<()> {
    // The last item of a text may lack its line end.
    if count.saturating_mul(least) <= rest.saturating_add(1) {
        return Ok(());
    }
    let reason = format!("{count} {what} are announced, but only {rest} bytes follow");
    Err(Error::new(ErrorKind::Truncated, place, reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_faces_one_way_and_a_fan_keeps_its_first_corner() {
        let mut builder = MeshBuilder::new(&LoadOptions::default());
        builder.strip(&[0, 1, 2, 3, 4], &Place::Whole).unwrap();
        builder.polygon(&[5, 6, 7, 8], &Place::Whole).unwrap();
        builder.polygon(&[1, 2], &Place::Whole).unwrap();
        assert_eq!(builder.triangles, [[0, 1, 2], [2, 1, 3], [2, 3, 4], [5, 6, 7], [5, 7, 8]]);
    }

    #[test]
    fn merging_takes_equal_coordinates_and_both_zeros_together_but_nothing_else() {
        let mut builder = MeshBuilder::new(&LoadOptions::default());
        let vertices = [DVec3::ZERO, DVec3::X, DVec3::new(-0.0, 0.0, -0.0), DVec3::X * (1.0 + f64::EPSILON), DVec3::X];
        let indices = vertices.map(|vertex| builder.merged_vertex(vertex, Place::Whole).unwrap());
        assert_eq!(indices, [0, 1, 0, 2, 1]);
    }

    #[test]
    fn a_mirrored_instance_is_turned_over_and_an_overflowing_one_refused() {
        let mut part = MeshBuilder::new(&LoadOptions::default());
        for vertex in [DVec3::ZERO, DVec3::X, DVec3::Y] {
            part.vertex(vertex, Place::Whole).unwrap();
        }
        part.triangle([0, 1, 2], Place::Whole).unwrap();
        let part = part.into_part();
        let mut builder = MeshBuilder::new(&LoadOptions::default());
        builder.instance(&part, &DAffine3::IDENTITY, &Place::Whole).unwrap();
        builder.instance(&part, &DAffine3::from_scale(DVec3::new(1.0, 1.0, -1.0)), &Place::Whole).unwrap();
        assert_eq!(builder.triangles, [[0, 1, 2], [3, 5, 4]]);
        let error = builder.instance(&part, &DAffine3::from_scale(DVec3::splat(1e101)), &Place::Whole).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFinite);
    }

    #[test]
    fn the_limit_stops_growth_with_an_error() {
        let mut builder = MeshBuilder::new(&LoadOptions { max_elements: 1, ..LoadOptions::default() });
        builder.vertex(DVec3::ZERO, Place::Whole).unwrap();
        assert_eq!(builder.vertex(DVec3::ZERO, Place::Line(3)).unwrap_err().kind(), ErrorKind::TooLarge);
        builder.triangle([0; 3], Place::Whole).unwrap();
        assert_eq!(builder.triangle([0; 3], Place::Line(3)).unwrap_err().kind(), ErrorKind::TooLarge);
    }
}
