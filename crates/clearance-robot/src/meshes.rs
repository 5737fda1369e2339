//! The mesh files of a robot, each loaded once, and kept once per scale.

use crate::package::Resolver;
use crate::xml::quoted;
use crate::{Error, ErrorKind, Result, UrdfOptions};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use clearance_engine::shape::ConvexPolyhedron;
use clearance_io::load_mesh_with;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Loads meshes and remembers them.
pub(crate) struct Meshes<'a> {
    resolver: Resolver<'a>,
    options: &'a UrdfOptions,
    files: HashMap<PathBuf, Arc<TriMesh>>,
    known: HashMap<Key, Arc<TriMesh>>,
    hulls: HashMap<Key, ConvexPolyhedron>,
    /// How many vertices and triangles all of them have.
    vertices: usize,
    triangles: usize,
}

/// A file, however its path was written, and the bits of the scale.
type Key = (PathBuf, [u64; 3]);

impl<'a> Meshes<'a> {
    pub fn new(resolver: Resolver<'a>, options: &'a UrdfOptions) -> Self {
        let (files, known, hulls) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { resolver, options, files, known, hulls, vertices: 0, triangles: 0 }
    }

    /// The mesh that `uri` names, scaled along its axes.
    pub fn load(&mut self, uri: &str, scale: DVec3) -> Result<Arc<TriMesh>> {
        let (file, key) = self.key(uri, scale)?;
        if let Some(mesh) = self.known.get(&key) {
            return Ok(mesh.clone());
        }
        let bad = |reason: String| {
            Error::new(ErrorKind::BadMesh, format!("the mesh '{}' cannot be used: {reason}", quoted(uri)))
        };
        let plain = match self.files.get(&key.0) {
            Some(mesh) => mesh.clone(),
            None => {
                let mesh = load_mesh_with(&file, &self.options.meshes).map_err(|error| bad(error.to_string()))?;
                let rounded = if self.options.single_precision { in_single_precision(mesh) } else { Ok(mesh) };
                let mesh = Arc::new(rounded.map_err(|error| bad(format!("scaled, {error}")))?);
                self.count(uri, &mesh)?;
                self.files.insert(key.0.clone(), mesh.clone());
                mesh
            }
        };
        let mesh = if scale == DVec3::ONE {
            plain
        } else {
            self.count(uri, &plain)?;
            Arc::new(scaled(&plain, scale).map_err(|error| bad(format!("scaled, {error}")))?)
        };
        self.known.insert(key, mesh.clone());
        Ok(mesh)
    }

    /// Counts a mesh that is to be kept; an error where all of them become too large.
    fn count(&mut self, uri: &str, mesh: &TriMesh) -> Result<()> {
        self.vertices += mesh.vertices().len();
        self.triangles += mesh.len();
        let limit = self.options.max_mesh_elements;
        if self.vertices.max(self.triangles) <= limit {
            return Ok(());
        }
        let reason = format!(
            "with the mesh '{}' the robot's meshes, each counted once per scale, have more than the allowed {limit} vertices or \
             triangles",
            quoted(uri)
        );
        Err(Error::new(ErrorKind::TooLarge, reason))
    }

    /// The hull of the mesh that `uri` names, scaled along its axes.
    pub fn load_hull(&mut self, uri: &str, scale: DVec3) -> Result<ConvexPolyhedron> {
        let (_, key) = self.key(uri, scale)?;
        if let Some(hull) = self.hulls.get(&key) {
            return Ok(hull.clone());
        }
        let hull = ConvexPolyhedron::hull_of_mesh(&*self.load(uri, scale)?).map_err(|error| {
            let uri = quoted(uri);
            Error::new(ErrorKind::BadMesh, format!("the mesh '{uri}' has no hull, use the mesh itself: {error}"))
        })?;
        self.hulls.insert(key, hull.clone());
        Ok(hull)
    }

    /// The file that `uri` names, and what it is remembered by.
    fn key(&self, uri: &str, scale: DVec3) -> Result<(PathBuf, Key)> {
        let file = self.resolver.resolve(uri)?;
        let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
        Ok((file, (whole, scale.to_array().map(f64::to_bits))))
    }
}

/// The mesh with its coordinates rounded to `f32`.
fn in_single_precision(mesh: TriMesh) -> clearance_engine::Result<TriMesh> {
    mesh.with_vertices(mesh.vertices().iter().map(|vertex| vertex.as_vec3().as_dvec3()).collect())
}

/// The mesh stretched along its axes. A mirrored one is turned over, so that outer sides stay
/// outside.
pub(crate) fn scaled(mesh: &TriMesh, scale: DVec3) -> clearance_engine::Result<TriMesh> {
    let vertices = mesh.vertices().iter().map(|&vertex| vertex * scale).collect();
    let mirrored = scale.to_array().iter().filter(|&&factor| factor < 0.0).count() % 2 == 1;
    if !mirrored {
        return mesh.with_vertices(vertices);
    }
    TriMesh::new(vertices, mesh.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_number_of_negative_factors_turns_the_triangles_over() {
        let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]]).unwrap();
        for (scale, triangle) in [
            ([2.0, 3.0, 4.0], [0, 1, 2]),
            ([-1.0, 1.0, 1.0], [0, 2, 1]),
            ([-1.0, -1.0, 1.0], [0, 1, 2]),
            ([-1.0; 3], [0, 2, 1]),
        ] {
            let scaled = scaled(&mesh, scale.into()).unwrap();
            assert_eq!(scaled.triangles(), [triangle], "{scale:?}");
            assert_eq!(scaled.vertices()[1].x, scale[0]);
        }
    }
}
