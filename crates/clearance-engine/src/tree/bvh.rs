//! A bounding volume hierarchy (BVH) over triangles: nodes in breadth-first order, the children of
//! a node side by side.
//!
//! Every node covers a contiguous range of `order`, a permutation of the triangles. The build fits
//! volumes to the triangles of the range, not to the children's volumes. That is tighter, and a
//! refit is the same as a rebuild that keeps the ranges.

use super::{Node, next_revision};
use crate::math::Frame;
use crate::volume::Volume;
use crate::{TriMesh, Triangle};

/// One node: its range of triangles and its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BvhNode {
    /// First position in `order`.
    pub first: u32,
    /// The number of triangles.
    pub count: u32,
    /// First child; children are consecutive.
    pub child: u32,
    /// The number of children; 0 for a leaf.
    pub children: u32,
}

/// A bounding volume hierarchy (BVH) of one kind of volume over the triangles of a mesh.
#[derive(Debug, Clone)]
pub struct Bvh<V: Volume> {
    pub(super) frame: Frame,
    pub(super) nodes: Vec<BvhNode>,
    pub(super) volumes: Vec<V>,
    /// Sizes of the nodes in the mesh's unit; [`Bvh8Tree`](super::Bvh8Tree) keeps them with its
    /// volumes.
    pub(super) sizes: Vec<f32>,
    /// Position in the hierarchy → triangle of the mesh.
    pub(super) order: Vec<u32>,
    pub(super) fit_options: V::Fit,
    pub(super) revision: u64,
}

impl<V: Volume> Bvh<V> {
    /// The number of nodes, leaves included.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// The frame of the stored volumes.
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// All volumes, the root's first.
    pub fn volumes(&self) -> &[V] {
        &self.volumes
    }

    /// The memory of the hierarchy beyond the mesh, in bytes.
    pub fn memory(&self) -> usize {
        size_of_val(&self.nodes[..])
            + size_of_val(&self.volumes[..])
            + size_of_val(&self.sizes[..])
            + size_of_val(&self.order[..])
    }

    /// The triangles under a node, as numbers of the mesh's triangles.
    pub fn triangles(&self, node: Node) -> &[u32] {
        let node = &self.nodes[node as usize];
        &self.order[node.first as usize..(node.first + node.count) as usize]
    }

    /// The triangles of `mesh` in this hierarchy's order and stored frame.
    pub(super) fn stored_triangles(&self, mesh: &TriMesh) -> Vec<Triangle> {
        self.order.iter().map(|&id| mesh.triangle(id).map(|vertex| self.frame.store(vertex))).collect()
    }

    /// Refits every volume to moved vertices; the topology stays.
    pub(super) fn refit(&mut self, mesh: &TriMesh, parallel: bool) {
        let (low, high) = mesh.bounding_box();
        self.frame = Frame::around(low, high);
        self.fit_volumes(mesh, parallel);
        self.revision = next_revision();
    }

    pub(super) fn fit_volumes(&mut self, mesh: &TriMesh, parallel: bool) {
        let triangles = self.stored_triangles(mesh);
        let fit_options = &self.fit_options;
        self.volumes = super::build::map(&self.nodes, parallel, |node| {
            V::fit(&triangles[node.first as usize..(node.first + node.count) as usize], fit_options)
        });
        self.sizes = self.volumes.iter().map(|volume| (volume.size() / self.frame.scale) as f32).collect();
    }
}
