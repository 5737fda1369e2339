//! The wide tree: nodes of up to eight children in SIMD lanes, leaves of up to eight triangles likewise. The default tree of
//! meshes.
//!
//! A node's number tells whether it is a leaf (bit 31); the other bits are its number in the plain hierarchy, where the
//! children of a node are consecutive. Volumes are kept twice: one by one in the plain hierarchy, for a node that stays put
//! while the other side is opened, each with the place of its node's contents ([`Place`]: one cache line has all that a search
//! needs before it opens the node), and in blocks of eight. Splits fall on multiples of 8·8^k triangles, so that nearly all
//! nodes and leaves are full. Cost: about 60 bytes a triangle.

use super::Node;
use super::build::{BuildOptions, Quality};
use super::bvh::{Bvh, BvhNode};
use super::packed::partition_packed;
use crate::math::Frame;
use crate::volume::{ObbSphere, ObbSphereBlock, ObbSphereFit, Place};
use crate::{TriMesh, Triangle};

/// Triangles per leaf and children per node.
pub(crate) const WIDTH: usize = 8;
/// The most leaves: their numbers share a word with the numbers of their triangles.
pub(super) const MOST_LEAVES: usize = 1 << 29;
/// Set in the number of a node that is a leaf.
const LEAF: u32 = 1 << 31;

/// Up to eight triangles in lanes, in stored coordinates: vertex, coordinate, lane. Unused lanes repeat the last triangle.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct LeafTriangles {
    pub lanes: [[[f32; 8]; 3]; 3],
}

/// A hierarchy of boxes and balls, eight children wide.
#[derive(Debug, Clone)]
pub struct WideTree {
    pub(super) bvh: Bvh<ObbSphere>,
    blocks: Vec<ObbSphereBlock>,
    leaves: Vec<LeafTriangles>,
}

impl WideTree {
    pub(super) fn build_packed(mesh: &TriMesh, options: &BuildOptions, how: Option<ObbSphereFit>) -> Self {
        let how = how.unwrap_or(match options.quality {
            Quality::Fast => ObbSphereFit::Aligned,
            Quality::Default | Quality::Best => ObbSphereFit::Refined,
        });
        let (nodes, order) = partition_packed(mesh, options);
        Self::pack(Bvh::over(mesh, nodes, order, how, options.parallel), mesh)
    }

    /// Lays the nodes of a plain hierarchy out in lanes; its nodes and leaves must have at most eight entries.
    pub(super) fn pack(bvh: Bvh<ObbSphere>, mesh: &TriMesh) -> Self {
        let mut tree = Self { bvh, blocks: Vec::new(), leaves: Vec::new() };
        tree.lay_out(mesh);
        tree
    }

    fn lay_out(&mut self, mesh: &TriMesh) {
        self.blocks.clear();
        self.leaves.clear();
        let leaves = self.bvh.nodes.iter().filter(|node| node.children == 0).count();
        self.blocks.reserve_exact(self.bvh.nodes.len() - leaves);
        self.leaves.reserve_exact(leaves);
        // Sizes move to where the volumes are.
        for (index, size) in std::mem::take(&mut self.bvh.sizes).into_iter().enumerate() {
            let node = self.bvh.nodes[index];
            let link = if node.children == 0 {
                self.leaves.len() as u32 * WIDTH as u32 + (node.count - 1)
            } else {
                self.blocks.len() as u32
            };
            self.bvh.volumes[index].place = Place { link, first: node.first, size };
            if node.children == 0 {
                let ids = self.bvh.triangles(index as u32);
                self.leaves.push(in_lanes(|lane| {
                    let id = ids[lane.min(ids.len() - 1)];
                    mesh.triangle(id).map(|vertex| self.bvh.frame.store(vertex))
                }));
                continue;
            }
            let children = node.child as usize..(node.child + node.children) as usize;
            let is_leaf = |node: &BvhNode| u32::from(node.children == 0);
            let lanes = self.bvh.nodes[children.clone()].iter().enumerate();
            let leaves = lanes.fold(0, |bits, (lane, node)| bits | is_leaf(node) << lane);
            self.blocks.push(ObbSphereBlock::new(&self.bvh.volumes[children], node.child, leaves));
        }
    }

    pub(super) fn refit_packed(&mut self, mesh: &TriMesh, parallel: bool) {
        self.bvh.refit(mesh, parallel);
        self.lay_out(mesh);
    }

    pub(super) fn memory(&self) -> usize {
        self.bvh.memory() + size_of_val(&self.blocks[..]) + size_of_val(&self.leaves[..])
    }

    #[inline(always)]
    pub(super) fn root(&self) -> Node {
        if self.blocks.is_empty() { LEAF } else { 0 }
    }

    #[inline(always)]
    pub(super) fn is_leaf(node: Node) -> bool {
        node & LEAF != 0
    }

    #[inline(always)]
    pub(super) fn plain(node: Node) -> usize {
        (node & !LEAF) as usize
    }

    /// The frame of the stored coordinates.
    #[inline(always)]
    pub(crate) fn frame(&self) -> &Frame {
        &self.bvh.frame
    }

    /// The volume of a node.
    #[inline(always)]
    pub(crate) fn volume(&self, node: Node) -> &ObbSphere {
        &self.bvh.volumes[Self::plain(node)]
    }

    /// The children of an inner node.
    #[inline(always)]
    pub(crate) fn block(&self, node: Node) -> &ObbSphereBlock {
        &self.blocks[self.volume(node).place.link as usize]
    }

    /// The triangles of a leaf, the position of its first triangle, and how many there are.
    #[inline(always)]
    pub(crate) fn leaf(&self, node: Node) -> (&LeafTriangles, u32, u32) {
        let Place { link, first, .. } = self.volume(node).place;
        (&self.leaves[link as usize / WIDTH], first, link % WIDTH as u32 + 1)
    }

    /// The size of a node in the mesh's unit.
    #[inline(always)]
    pub(super) fn size(&self, node: Node) -> f32 {
        self.volume(node).place.size
    }

    /// The triangle of the mesh at a position.
    #[inline(always)]
    pub(crate) fn triangle_at(&self, position: u32) -> u32 {
        self.bvh.order[position as usize]
    }
}

fn in_lanes(triangle: impl Fn(usize) -> Triangle) -> LeafTriangles {
    let mut lanes = [[[0.0; 8]; 3]; 3];
    for lane in 0..WIDTH {
        for (vertex, slots) in triangle(lane).0.iter().zip(&mut lanes) {
            for (x, slot) in vertex.to_array().into_iter().zip(slots) {
                slot[lane] = x as f32;
            }
        }
    }
    LeafTriangles { lanes }
}
