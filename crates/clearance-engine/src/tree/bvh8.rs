//! The eight-wide BVH: nodes of up to eight children in SIMD lanes, leaves of up to eight triangles
//! likewise. The default hierarchy of meshes.
//!
//! Bit 31 of a node's number marks a leaf; the other bits are its number in the plain
//! [`Bvh`], where the children of a node are consecutive. The tree stores volumes twice. The
//! [`Bvh`] has them one by one, for a node that stays put while the other side opens, each with the
//! data of its node ([`Place`]). Blocks have them in lanes of eight. Splits fall on multiples of
//! 8·8^k triangles, so that nearly all nodes and leaves are full. All leaves are at one depth and
//! so the last nodes: a node's number is that of its block, or of its triangles after as many
//! blocks. So a search need not wait for a volume to find the contents (2 to 5 %). Cost: about 60
//! bytes a triangle.

use super::Node;
use super::build::{BuildOptions, Quality};
use super::bvh::{Bvh, BvhNode};
use super::moment_split::moment_partition;
use crate::math::Frame;
use crate::math::lanes::{F8, Lanes8, M8, prefetch};
use crate::volume::{ObbSphere, ObbSphereBlock, ObbSphereFit, Place};
use crate::{TriMesh, Triangle};
use fearless_simd::prelude::*;

/// Triangles per leaf and children per node.
pub(crate) const WIDTH: usize = 8;
/// Set in the number of a node that is a leaf; there are fewer nodes.
pub(super) const LEAF: u32 = 1 << 31;

/// Up to eight triangles in SIMD lanes, in stored coordinates: vertex, coordinate, lane. Unused
/// lanes repeat the last triangle.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(crate) struct LeafTriangles {
    pub lanes: [[[f32; 8]; 3]; 3],
}

/// An eight-wide BVH of oriented boxes with spheres ([`ObbSphere`]), searched with SIMD.
#[derive(Debug, Clone)]
pub struct Bvh8Tree {
    pub(super) bvh: Bvh<ObbSphere>,
    /// The blocks of the inner nodes.
    blocks: Vec<ObbSphereBlock>,
    /// The triangles of the leaves, which come after the inner nodes.
    leaves: Vec<LeafTriangles>,
    /// Whether all leaves but the last are full, so that their numbers tell what they hold.
    full: bool,
}

impl Bvh8Tree {
    pub(super) fn build_eight_wide(mesh: &TriMesh, options: &BuildOptions, fit_options: Option<ObbSphereFit>) -> Self {
        let fit_options = fit_options.unwrap_or(match options.quality {
            Quality::Fast => ObbSphereFit::Aligned,
            Quality::Default | Quality::Best => ObbSphereFit::Refined,
        });
        let (nodes, order) = moment_partition(mesh, options);
        Self::pack(Bvh::over(mesh, nodes, order, fit_options, options.parallel), mesh)
    }

    /// Lays the nodes of a [`Bvh`] out in lanes. Its nodes and leaves must have at most eight
    /// entries; leaves come last, none beside an inner node.
    pub(super) fn pack(bvh: Bvh<ObbSphere>, mesh: &TriMesh) -> Self {
        let mut tree = Self { bvh, blocks: Vec::new(), leaves: Vec::new(), full: true };
        tree.lay_out(mesh);
        tree
    }

    fn lay_out(&mut self, mesh: &TriMesh) {
        self.blocks.clear();
        self.leaves.clear();
        let inner = self.bvh.nodes.iter().take_while(|node| node.children > 0).count();
        self.blocks.reserve_exact(inner);
        self.leaves.reserve_exact(self.bvh.nodes.len() - inner);
        // Sizes move next to the volumes.
        for (index, size) in std::mem::take(&mut self.bvh.sizes).into_iter().enumerate() {
            let BvhNode { first, count, .. } = self.bvh.nodes[index];
            self.bvh.volumes[index].place = Place { first, count, size };
        }
        for node in &self.bvh.nodes[..inner] {
            let children = node.child as usize..(node.child + node.children) as usize;
            let leaf = if children.start < inner { 0 } else { LEAF };
            self.blocks.push(ObbSphereBlock::new(&self.bvh.volumes[children], node.child | leaf));
        }
        let firsts = self.bvh.nodes[inner..].iter().map(|node| node.first as usize);
        self.full = firsts.eq((0..self.bvh.nodes.len() - inner).map(|leaf| WIDTH * leaf));
        for index in inner..self.bvh.nodes.len() {
            let ids = self.bvh.triangles(index as u32);
            self.leaves.push(in_lanes(|lane| {
                let id = ids[lane.min(ids.len() - 1)];
                mesh.triangle(id).map(|vertex| self.bvh.frame.store(vertex))
            }));
        }
    }

    pub(super) fn refit_lanes(&mut self, mesh: &TriMesh, parallel: bool) {
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
        &self.blocks[Self::plain(node)]
    }

    /// The triangles of a leaf, the position of its first triangle, and their number.
    #[inline(always)]
    pub(crate) fn leaf(&self, node: Node) -> (&LeafTriangles, u32, u32) {
        let number = Self::plain(node) - self.blocks.len();
        let (first, count) = if self.full {
            // Without a look at the volume, which would be one more line of the cache.
            let first = WIDTH * number;
            (first as u32, WIDTH.min(self.bvh.order.len() - first) as u32)
        } else {
            let Place { first, count, .. } = self.volume(node).place;
            (first, count)
        };
        (&self.leaves[number], first, count)
    }

    /// Asks for the memory of what is at a node.
    #[inline(always)]
    pub(super) fn prefetch(&self, node: Node) {
        if Self::is_leaf(node) {
            prefetch(&self.leaves[Self::plain(node) - self.blocks.len()]);
        } else {
            prefetch(&self.blocks[Self::plain(node)]);
        }
    }

    /// The size of a node in the mesh's unit.
    #[inline(always)]
    pub(super) fn size(&self, node: Node) -> f32 {
        self.volume(node).place.size
    }

    /// The triangles of the mesh at eight positions, the last one again beyond the end.
    #[inline(always)]
    pub(crate) fn triangles_from(&self, position: u32) -> [u32; 8] {
        let rest = &self.bvh.order[position as usize..];
        rest.first_chunk()
            .copied()
            .unwrap_or_else(|| [0, 1, 2, 3, 4, 5, 6, 7].map(|lane| rest[lane.min(rest.len() - 1)]))
    }

    /// The triangle of the mesh at a position.
    #[inline(always)]
    pub(crate) fn triangle_at(&self, position: u32) -> u32 {
        self.bvh.order[position as usize]
    }
}

/// The children of a node that wait for their turn: their keys, and the lanes that were not visited.
///
/// They stay together, and the least is taken: sorting them costs branches that nobody foresees.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Waiting {
    keys: [f32; 8],
    left: u64,
    first: Node,
}

impl Waiting {
    pub(super) const NONE: Self = Self { keys: [0.0; 8], left: 0, first: 0 };

    /// The children of a block with these keys in the lanes `met`, of which there is one or more;
    /// the key of the least one and its node are taken out.
    #[inline(always)]
    pub(super) fn behind_nearest<S: Lanes8>(
        simd: S,
        keys: F8<S>,
        met: u64,
        block: &ObbSphereBlock,
    ) -> (f32, Node, Self) {
        let keys = only(simd, keys, met);
        let (key, lane) = least(simd, keys);
        let waiting = Self { keys: keys.into(), left: met & !(1 << lane), first: block.first };
        (key, block.first + lane, waiting)
    }

    /// Takes out the least of those that are left, of which there is one or more.
    #[inline(always)]
    pub(super) fn take<S: Lanes8>(&mut self, simd: S) -> (f32, Node) {
        let (key, lane) = least(simd, only(simd, self.keys.simd_into(simd), self.left));
        self.left &= !(1 << lane);
        (key, self.first + lane)
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.left == 0
    }
}

/// The given lanes, and infinity in the others.
#[inline(always)]
pub(super) fn only<S: Lanes8>(simd: S, keys: F8<S>, lanes: u64) -> F8<S> {
    M8::from_bitmask(simd, lanes).select(keys, F8::splat(simd, f32::INFINITY))
}

/// The least key and its lane.
#[inline(always)]
fn least<S: Lanes8>(simd: S, keys: F8<S>) -> (f32, u32) {
    let key = keys.reduce_min();
    (key, keys.simd_le(F8::splat(simd, key)).to_bitmask().trailing_zeros())
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
