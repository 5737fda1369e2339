//! What the engine asks of a tree whose leaves are simple solids: spheres of a point cloud, cubes
//! of a voxel map.

use super::{Geometry, Node, Tree};
use crate::math::{DVec3, Frame};
use crate::shape::Primitive;
use crate::volume::{Aabb, BoundingSphere, BoxBlock};

/// A tree of simple solids under boxes along the axes of its own coordinates. Once it is a
/// [`PrimitiveBvh`] and registered
/// ([`Dispatcher::register_primitive_bvh`](crate::dispatch::Dispatcher::register_primitive_bvh)) it
/// meets meshes, single solids, half-spaces, planes, height fields, point clouds and its own kind;
/// other such trees by a line each.
///
/// A solid is a *core* with a radius (a sphere is a point with one), and
/// [`radius`](PrimitiveBvhNodes::radius) is taken off once for all: boxes bound the cores.
/// Everything is handed out by value, so that a tree may make its boxes on the fly; nothing refers
/// to how it is kept.
///
/// Invariants:
/// * with [`frame`](PrimitiveBvhNodes::frame) `stored = (p − center)·scale`, `scale` a power of
///   two, cores have stored coordinates in [-1, 1], and `radius·scale` is at most 1;
/// * boxes contain, in exact arithmetic, the stored cores below their node. Those of children need
///   not lie within their parent's;
/// * a node has 1 to 8 children, a leaf 1 to 8 solids; a solid is in one leaf only.
///
/// `tests/solid_trees.rs` has the smallest example, a tree of boxes.
pub trait PrimitiveBvhNodes: Tree {
    /// Where the boxes' coordinates lie.
    fn frame(&self) -> &Frame;

    /// At least the distance of any solid's point from the origin of the geometry's coordinates, up
    /// to rounding.
    fn extent(&self) -> f64;

    /// At least the radius of every solid around what boxes bound, in the geometry's unit: 0 if
    /// boxes are around the solids themselves.
    fn radius(&self) -> f64;

    /// A box around the cores of all solids below a node, in stored coordinates.
    fn bounds(&self, node: Node) -> Aabb;

    /// The boxes of an inner node's children, lane by lane; of a leaf, those around the cores of
    /// its solids.
    fn block(&self, node: Node) -> BoxBlock;

    /// The number of the solid in a lane of a leaf's [`block`](PrimitiveBvhNodes::block).
    fn primitive_number(&self, leaf: Node, lane: usize) -> u32;

    /// The solid of a number, in the geometry's own coordinates; `None` if there is none any more.
    fn solid(&self, number: u32) -> Option<Primitive>;

    /// Whether there is nothing at all; then there is no root either.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        false
    }
}

/// How far a query reaches, in a geometry's own coordinates: what is outside of the box, or of the
/// sphere, cannot matter to it.
#[derive(Debug, Clone, Copy)]
pub struct QueryRegion {
    /// The box's lowest vertex.
    pub low: DVec3,
    /// The box's highest vertex.
    pub high: DVec3,
    /// The sphere; without an end where the query has none.
    pub sphere: BoundingSphere,
}

/// A tree of simple solids that is a geometry.
pub trait PrimitiveBvh: PrimitiveBvhNodes + Geometry {
    /// The same tree without some or all of the cores that are out of reach: for trees that can
    /// tell faster than by a traversal; others need not ask for it. Numbers of solids stay as they
    /// are, and boxes need not contain what of a core is out of reach: nobody asks about that.
    #[inline(always)]
    fn within(&self, _reach: impl FnOnce() -> QueryRegion) -> impl PrimitiveBvhNodes
    where
        Self: Sized,
    {
        self
    }
}

impl<T: Tree> Tree for &T {
    #[inline(always)]
    fn root(&self) -> Node {
        (**self).root()
    }

    #[inline(always)]
    fn is_leaf(&self, node: Node) -> bool {
        (**self).is_leaf(node)
    }

    #[inline(always)]
    fn child(&self, node: Node, lane: usize) -> Node {
        (**self).child(node, lane)
    }

    #[inline(always)]
    fn children(&self, node: Node) -> impl Fn(usize) -> Node {
        (**self).children(node)
    }

    #[inline(always)]
    fn size(&self, node: Node) -> f32 {
        (**self).size(node)
    }
}

impl<T: PrimitiveBvhNodes> PrimitiveBvhNodes for &T {
    #[inline(always)]
    fn frame(&self) -> &Frame {
        (**self).frame()
    }

    fn extent(&self) -> f64 {
        (**self).extent()
    }

    #[inline(always)]
    fn radius(&self) -> f64 {
        (**self).radius()
    }

    #[inline(always)]
    fn bounds(&self, node: Node) -> Aabb {
        (**self).bounds(node)
    }

    #[inline(always)]
    fn block(&self, node: Node) -> BoxBlock {
        (**self).block(node)
    }

    #[inline(always)]
    fn primitive_number(&self, leaf: Node, lane: usize) -> u32 {
        (**self).primitive_number(leaf, lane)
    }

    #[inline(always)]
    fn solid(&self, number: u32) -> Option<Primitive> {
        (**self).solid(number)
    }
}

impl Tree for &dyn PrimitiveBvh {
    fn root(&self) -> Node {
        (**self).root()
    }

    fn is_leaf(&self, node: Node) -> bool {
        (**self).is_leaf(node)
    }

    fn child(&self, node: Node, lane: usize) -> Node {
        (**self).child(node, lane)
    }

    fn size(&self, node: Node) -> f32 {
        (**self).size(node)
    }
}
