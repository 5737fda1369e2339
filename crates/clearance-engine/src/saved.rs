//! Files of meshes: the built hierarchy, and what was derived for penetration depths.
//!
//! A file has the bytes of the tree (`tree/saved.rs`), those of what was derived
//! (`penetration/saved.rs`), and a hash of everything before. What proofs rest on is bound by that
//! hash, by the version and by the hash of the mesh; it is proven anew by [`Mesh::validate`] only,
//! as that takes as long as making it.

use crate::penetration;
use crate::tree::{BvhKind, Geometry, Hierarchy, Mesh, Reader, Saved, bad};
use crate::{Result, TriMesh};
use std::sync::Arc;
use twox_hash::XxHash3_64;

impl<K: BvhKind<Hierarchy: Saved>> Mesh<K> {
    /// Serializes the hierarchy (not the mesh) for [`from_saved`](Mesh::from_saved), and what
    /// penetration depths need, if it was [derived](Mesh::prepare_for_penetration) before.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, shape::ConvexPolyhedron, tree::Mesh};
    /// let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let tri_mesh = ConvexPolyhedron::hull_of(&vertices)?.surface()?;
    /// let mesh: Mesh = Mesh::new(tri_mesh.clone())?.into_solid()?;
    /// let hierarchy = mesh.save_hierarchy();
    /// mesh.prepare_for_penetration()?;
    /// let with_derived = mesh.save_hierarchy();
    /// assert!(with_derived.len() > hierarchy.len());
    /// let loaded: Mesh = Mesh::from_saved(tri_mesh, &with_derived)?;
    /// assert_eq!(loaded.save_hierarchy(), with_derived);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn save_hierarchy(&self) -> Vec<u8> {
        let mut out = self.tree_bytes();
        penetration::save(self.mesh().and_then(|view| view.derived.get()).as_deref(), &mut out);
        let hash = XxHash3_64::oneshot(&out);
        out.extend_from_slice(&hash.to_le_bytes());
        out
    }

    /// Restores a mesh with what [`save_hierarchy`](Mesh::save_hierarchy) wrote for the same
    /// triangles; it is a surface, until it is declared solid.
    ///
    /// Damaged bytes are an error. A forged file with a right hash cannot do harm either, but may
    /// make distances too large and depths wrong unless [`validate`](Mesh::validate) accepts it.
    pub fn from_saved(tri_mesh: impl Into<Arc<TriMesh>>, bytes: &[u8]) -> Result<Self> {
        let mut reader = Reader::new(checked(bytes)?);
        let mesh = Self::read_tree(tri_mesh.into(), &mut reader)?;
        if let (Some(field), Some(view)) = (penetration::restore(mesh.tri_mesh(), &mut reader)?, mesh.mesh()) {
            view.derived.keep(field);
        }
        if reader.left() > 0 {
            return bad(format!("the saved hierarchy has {} bytes too many", reader.left()));
        }
        Ok(mesh)
    }
}

impl<K: BvhKind> Mesh<K> {
    /// Checks the hierarchy: every triangle is in a leaf, and every volume contains its triangles.
    /// What was derived for penetration depths is proven anew.
    pub fn validate(&self) -> Result<()> {
        self.hierarchy().validate(self.tri_mesh())?;
        self.mesh().and_then(|view| view.derived.get()).map_or(Ok(()), |field| penetration::validate(&field))
    }
}

/// The bytes before the final hash, if it is right.
fn checked(bytes: &[u8]) -> Result<&[u8]> {
    match bytes.split_last_chunk::<8>() {
        Some((content, hash)) if XxHash3_64::oneshot(content) == u64::from_le_bytes(*hash) => Ok(content),
        _ => bad("the saved hierarchy is damaged or cut short: its hash is wrong".into()),
    }
}
