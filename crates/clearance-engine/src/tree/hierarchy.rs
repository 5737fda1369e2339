//! The interface of mesh hierarchies, and the types that name them.

use super::bvh::{Bvh, BvhNode};
use super::bvh8::{Bvh8Tree, LEAF, WIDTH};
use super::{BuildOptions, Node};
use crate::volume::{ObbSphere, ObbSphereFit, Volume};
use crate::{Error, ErrorKind, Result, TriMesh};

/// The kind of bounding volume hierarchy of a [`Mesh`](super::Mesh): [`Bvh8`], or a volume for a
/// [`Bvh`] of that volume.
pub trait BvhKind: 'static {
    /// The hierarchy that the mesh then holds.
    type Hierarchy: Hierarchy;
}

/// The default kind: an eight-wide BVH of oriented boxes with spheres, searched with SIMD.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bvh8;

impl BvhKind for Bvh8 {
    type Hierarchy = Bvh8Tree;
}

impl<V: Volume> BvhKind for V {
    type Hierarchy = Bvh<V>;
}

/// A bounding volume hierarchy over the triangles of a mesh: a [`Bvh`], perhaps with a faster form
/// of the same nodes beside it.
pub trait Hierarchy: Clone + std::fmt::Debug + Send + Sync + Sized + 'static {
    /// The bounding volume of its nodes.
    type Volume: Volume;
    /// The options for a build besides [`BuildOptions`].
    type FitOptions: Clone + Default + std::fmt::Debug + Send + Sync + 'static;
    /// The name in messages and tables.
    const NAME: &'static str;

    /// Builds a hierarchy over `mesh`.
    fn build(mesh: &TriMesh, options: &BuildOptions, fit_options: Option<Self::FitOptions>) -> Result<Self>;

    /// The plain form.
    fn bvh(&self) -> &Bvh<Self::Volume>;

    /// Refits every volume to moved vertices; the topology stays.
    fn refit(&mut self, mesh: &TriMesh, parallel: bool);

    /// Checks that every triangle is in a leaf and every volume contains its triangles.
    fn validate(&self, mesh: &TriMesh) -> Result<()> {
        self.bvh().validate(mesh)
    }

    /// The memory of the hierarchy beyond the mesh, in bytes.
    fn memory(&self) -> usize;

    /// See [`Tree::root`](super::Tree::root).
    fn root(&self) -> Node;

    /// See [`Tree::is_leaf`](super::Tree::is_leaf).
    fn is_leaf(&self, node: Node) -> bool;

    /// See [`Tree::children`](super::Tree::children).
    fn children(&self, node: Node) -> impl Fn(usize) -> Node;

    /// See [`Tree::size`](super::Tree::size).
    fn size(&self, node: Node) -> f32;

    /// The number of a node in the plain form.
    fn plain(&self, node: Node) -> usize;

    /// See [`VolumeTree::repeats`](super::VolumeTree::repeats).
    #[inline(always)]
    fn repeats(&self, _triangle: u32) -> bool {
        false
    }
}

/// A hierarchy that files can store: its plain form is enough to restore it.
pub trait Saved: Hierarchy {
    /// Restores a hierarchy from its plain form; an error if leaves are too large for it or in the
    /// wrong place.
    fn from_bvh(bvh: Bvh<Self::Volume>, mesh: &TriMesh) -> Result<Self>;
}

impl<V: Volume> Saved for Bvh<V> {
    fn from_bvh(bvh: Bvh<V>, _mesh: &TriMesh) -> Result<Self> {
        Ok(bvh)
    }
}

impl<V: Volume> Hierarchy for Bvh<V> {
    type Volume = V;
    type FitOptions = V::Fit;
    const NAME: &'static str = V::NAME;

    fn build(mesh: &TriMesh, options: &BuildOptions, fit_options: Option<V::Fit>) -> Result<Self> {
        Self::build_top_down(mesh, options, fit_options.unwrap_or_default())
    }

    fn bvh(&self) -> &Bvh<V> {
        self
    }

    fn refit(&mut self, mesh: &TriMesh, parallel: bool) {
        Bvh::refit(self, mesh, parallel);
    }

    fn memory(&self) -> usize {
        Bvh::memory(self)
    }

    #[inline]
    fn root(&self) -> Node {
        0
    }

    #[inline]
    fn is_leaf(&self, node: Node) -> bool {
        self.nodes[node as usize].children == 0
    }

    #[inline]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        let first = self.nodes[node as usize].child;
        move |lane| first + lane as u32
    }

    #[inline]
    fn size(&self, node: Node) -> f32 {
        self.sizes[node as usize]
    }

    #[inline]
    fn plain(&self, node: Node) -> usize {
        node as usize
    }
}

impl Saved for Bvh8Tree {
    fn from_bvh(bvh: Bvh<ObbSphere>, mesh: &TriMesh) -> Result<Self> {
        if let Some(leaf) = bvh.nodes.iter().find(|node| node.children == 0 && node.count as usize > WIDTH) {
            let message = format!("a leaf of {} triangles does not fit into {WIDTH} lanes", leaf.count);
            return Err(Error::new(ErrorKind::BadData, message));
        }
        if bvh.nodes.len() >= LEAF as usize {
            let message = format!("a wide tree has fewer than {LEAF} nodes, not {}", bvh.nodes.len());
            return Err(Error::new(ErrorKind::BadData, message));
        }
        // A block has inner nodes or leaves, not both.
        let inner = bvh.nodes.partition_point(|node| node.children > 0);
        let has_both = |node: &BvhNode| (node.child as usize) < inner && (node.child + node.children) as usize > inner;
        let are_last = bvh.nodes.is_sorted_by_key(|node| node.children == 0);
        if !are_last || bvh.nodes[..inner].iter().any(has_both) {
            return Err(Error::new(
                ErrorKind::BadData,
                "the leaves of a wide tree come after its inner nodes, not among them or beside them",
            ));
        }
        Ok(Self::pack(bvh, mesh))
    }
}

impl Hierarchy for Bvh8Tree {
    type Volume = ObbSphere;
    type FitOptions = ObbSphereFit;
    const NAME: &'static str = ObbSphere::NAME;

    fn build(mesh: &TriMesh, options: &BuildOptions, fit_options: Option<ObbSphereFit>) -> Result<Self> {
        Ok(Self::build_eight_wide(mesh, options, fit_options))
    }

    fn bvh(&self) -> &Bvh<ObbSphere> {
        &self.bvh
    }

    fn refit(&mut self, mesh: &TriMesh, parallel: bool) {
        self.refit_lanes(mesh, parallel);
    }

    fn memory(&self) -> usize {
        Bvh8Tree::memory(self)
    }

    #[inline(always)]
    fn root(&self) -> Node {
        Bvh8Tree::root(self)
    }

    #[inline(always)]
    fn is_leaf(&self, node: Node) -> bool {
        Bvh8Tree::is_leaf(node)
    }

    #[inline(always)]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        let first = self.block(node).first;
        move |lane| first + lane as u32
    }

    #[inline(always)]
    fn size(&self, node: Node) -> f32 {
        Bvh8Tree::size(self, node)
    }

    #[inline(always)]
    fn plain(&self, node: Node) -> usize {
        Bvh8Tree::plain(node)
    }
}
