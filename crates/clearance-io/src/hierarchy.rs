//! Built hierarchies in files.

use crate::error::{Error, ErrorKind, Place, Result};
use clearance_engine::TriMesh;
use clearance_engine::tree::{BvhKind, Mesh, Saved};
use std::path::Path;
use std::sync::Arc;

/// Writes the hierarchy of a mesh (not its triangles) to a file.
pub fn save_hierarchy<K: BvhKind<Hierarchy: Saved>>(path: &Path, mesh: &Mesh<K>) -> Result<()> {
    std::fs::write(path, mesh.save_hierarchy()).map_err(|error| Error::io(path, &error))
}

/// Reads a hierarchy that [`save_hierarchy`] wrote for the same triangles; anything else is
/// refused.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use clearance_engine::{TriMesh, math::DVec3, tree::Mesh};
/// let tri_mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// let mesh: Mesh = Mesh::new(tri_mesh.clone())?;
/// let file = std::env::temp_dir().join(format!("clearance-doc-{}.bvh", std::process::id()));
/// clearance_io::save_hierarchy(&file, &mesh)?;
/// let again: Mesh = clearance_io::load_hierarchy(&file, tri_mesh)?;
/// assert_eq!(again.save_hierarchy(), mesh.save_hierarchy());
/// # std::fs::remove_file(&file)?;
/// # Ok(())
/// # }
/// ```
pub fn load_hierarchy<K: BvhKind<Hierarchy: Saved>>(path: &Path, tri_mesh: impl Into<Arc<TriMesh>>) -> Result<Mesh<K>> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
    let broken = |error: clearance_engine::Error| {
        Error::new(ErrorKind::Malformed, Place::Whole, error.to_string()).in_file(path)
    };
    Mesh::from_saved(tri_mesh, &bytes).map_err(broken)
}
