//! Serialization of a built hierarchy, the first part of a file; see [`crate::saved`].
//!
//! Little-endian: magic, version, kind of volume, hash of the mesh that it was built for, frame,
//! counts, nodes, volumes, order. The reader returns an error if the version, the kind or the mesh
//! differ, if the nodes do not form a tree over the mesh, or if numbers are not those of a volume.
//! It does not check that volumes contain their triangles: that takes as long as fitting them, and
//! is the task of [`Mesh::validate`]. It copies the bytes and does not map them: checking the hash
//! touches all of them anyway, and reading is many times faster than building.

use super::bvh::{Bvh, BvhNode};
use super::{BvhKind, Hierarchy, Mesh, Saved, next_revision};
use crate::math::{DVec3, Frame};
use crate::volume::Volume;
use crate::{Error, ErrorKind, Result, TriMesh};
use std::hash::Hasher;
use std::sync::Arc;
use twox_hash::XxHash3_64;

const MAGIC: &[u8; 8] = b"CLEARBVH";
const VERSION: u32 = 4;
/// An upper bound of stored coordinates. Contents lie within 1 of their frame's centre; the centres
/// of a k-IOS, which are the farthest, within 30.
const LARGEST_STORED: f32 = 32.0;

/// The volume of a kind of mesh.
type Stored<K> = <<K as BvhKind>::Hierarchy as Hierarchy>::Volume;

impl<K: BvhKind<Hierarchy: Saved>> Mesh<K> {
    /// The bytes of the hierarchy.
    pub(crate) fn tree_bytes(&self) -> Vec<u8> {
        let bvh = self.hierarchy.bvh();
        let mut out = Vec::with_capacity(bvh.memory() + 256);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&(Stored::<K>::NAME.len() as u32).to_le_bytes());
        out.extend_from_slice(Stored::<K>::NAME.as_bytes());
        out.extend_from_slice(&mesh_hash(&self.tri_mesh).to_le_bytes());
        for x in bvh.frame.center.to_array().into_iter().chain([bvh.frame.scale]) {
            out.extend_from_slice(&x.to_le_bytes());
        }
        out.extend_from_slice(&(bvh.nodes.len() as u32).to_le_bytes());
        for node in &bvh.nodes {
            for x in [node.first, node.count, node.child, node.children] {
                out.extend_from_slice(&x.to_le_bytes());
            }
        }
        let mut floats = Vec::with_capacity(Stored::<K>::FLOATS);
        for volume in &bvh.volumes {
            floats.clear();
            volume.store(&mut floats);
            floats.iter().for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
        }
        bvh.order.iter().for_each(|id| out.extend_from_slice(&id.to_le_bytes()));
        out
    }

    /// A mesh with the hierarchy that [`tree_bytes`](Mesh::tree_bytes) wrote.
    pub(crate) fn read_tree(tri_mesh: Arc<TriMesh>, reader: &mut Reader<'_>) -> Result<Self> {
        reader.expect(MAGIC, "not a saved hierarchy")?;
        let version = reader.u32()?;
        if version != VERSION {
            return bad(format!("the saved hierarchy has version {version}, this is version {VERSION}"));
        }
        let length = reader.u32()? as usize;
        let name = reader.take(length)?;
        if name != Stored::<K>::NAME.as_bytes() {
            let name = name[..length.min(16)].escape_ascii();
            return bad(format!("the saved hierarchy is one of {name} volumes, not of {}", Stored::<K>::NAME));
        }
        if reader.u64()? != mesh_hash(&tri_mesh) {
            return bad("the saved hierarchy belongs to another mesh".into());
        }
        let bvh: Bvh<Stored<K>> = read_bvh(reader, &tri_mesh)?;
        bvh.validate_structure(&bvh.order, tri_mesh.len())?;
        let hierarchy = K::Hierarchy::from_bvh(bvh, &tri_mesh)?;
        Ok(Self::assemble(tri_mesh, hierarchy))
    }
}

fn read_bvh<V: Volume>(reader: &mut Reader<'_>, tri_mesh: &TriMesh) -> Result<Bvh<V>> {
    let center = DVec3::new(reader.f64()?, reader.f64()?, reader.f64()?);
    let (low, high) = tri_mesh.bounding_box();
    let frame = Frame::around(low, high);
    if (Frame { center, scale: reader.f64()? }) != frame {
        return bad("the saved hierarchy has another frame than the mesh".into());
    }
    let count = reader.u32()? as usize;
    let node = |chunk: &[u8]| {
        let [first, count, child, children] = [0, 4, 8, 12].map(|k| le_u32(&chunk[k..]));
        BvhNode { first, count, child, children }
    };
    let nodes = reader.records(count, 16)?.map(node).collect();
    let stored = reader.records(count, 4 * V::FLOATS)?;
    let mut volumes: Vec<V> = Vec::with_capacity(stored.len());
    let mut floats = Vec::with_capacity(V::FLOATS);
    for chunk in stored {
        floats.clear();
        floats.extend(chunk.chunks_exact(4).map(|x| f32::from_bits(le_u32(x))));
        let moderate = floats.iter().all(|x| x.abs() <= LARGEST_STORED);
        let Some(volume) = V::restore(&floats).filter(|_| moderate) else {
            return bad(format!("the saved hierarchy's volume {} is not one of kind {}", volumes.len(), V::NAME));
        };
        volumes.push(volume);
    }
    let order = reader.records(tri_mesh.len(), 4)?.map(le_u32).collect();
    let sizes = volumes.iter().map(|volume| (volume.size() / frame.scale) as f32).collect();
    Ok(Bvh { frame, nodes, volumes, sizes, order, fit_options: V::Fit::default(), revision: next_revision() })
}

/// A hash of all data that the hierarchy depends on.
fn mesh_hash(mesh: &TriMesh) -> u64 {
    let mut hasher = XxHash3_64::with_seed(0);
    for vertex in mesh.vertices() {
        vertex.to_array().iter().for_each(|x| hasher.write(&x.to_le_bytes()));
    }
    for triangle in mesh.triangles() {
        triangle.iter().for_each(|id| hasher.write(&id.to_le_bytes()));
    }
    hasher.finish()
}

fn le_u32(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |chunk| u32::from_le_bytes(*chunk))
}

pub(crate) fn bad<T>(message: String) -> Result<T> {
    Err(Error::new(ErrorKind::BadData, message))
}

/// Reads the numbers of a file, one after the other.
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Reader<'b> {
    /// From the start of `bytes`.
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let taken = self.at.checked_add(count).and_then(|end| self.bytes.get(self.at..end));
        let Some(taken) = taken else { return bad(format!("the saved hierarchy ends at byte {}", self.bytes.len())) };
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        self.take(N).map(|bytes| bytes.first_chunk().copied().unwrap_or([0; N]))
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn f64(&mut self) -> Result<f64> {
        self.array().map(f64::from_le_bytes)
    }

    /// So many chunks of so many bytes.
    pub(crate) fn records(&mut self, count: usize, size: usize) -> Result<std::slice::ChunksExact<'b, u8>> {
        Ok(self.take(count.saturating_mul(size))?.chunks_exact(size))
    }

    fn expect(&mut self, wanted: &[u8], otherwise: &str) -> Result<()> {
        if self.take(wanted.len())? == wanted { Ok(()) } else { bad(otherwise.into()) }
    }
}
