//! The interface of a primitive BVH, a tree whose leaves are primitives: the spheres of a point
//! cloud, the cubes of a voxel map.

use super::{Bounds, Geometry, Node, Tree};
use crate::Pose;
use crate::math::{DVec3, Frame, UNIT_ROUNDOFF};
use crate::shape::Primitive;
use crate::volume::{Aabb, BoundingSphere, BoxBlock};

/// The nodes of a primitive BVH: convex primitives under axis-aligned boxes (AABBs).
///
/// A [`PrimitiveBvh`] that is registered
/// ([`Dispatcher::register_primitive_bvh`](crate::dispatch::Dispatcher::register_primitive_bvh))
/// works with meshes, single primitives, half-spaces, planes, height fields, point clouds and its
/// own kind. Each further pair of such trees takes one more line.
///
/// A primitive is a *core* with a radius (a sphere is a point with one). Boxes bound the cores, and
/// tests subtract [`radius`](PrimitiveBvhNodes::radius) once for all. Every method returns values,
/// not references, so that a tree may make its boxes on the fly.
///
/// Invariants:
/// * with [`frame`](PrimitiveBvhNodes::frame) `stored = (p − center)·scale`, `scale` a power of
///   two, cores have stored coordinates in [-1, 1], and `radius·scale` is at most 1;
/// * boxes contain, in exact arithmetic, the stored cores below their node. Those of children need
///   not lie within their parent's;
/// * a node has 1 to 8 children, a leaf 1 to 8 primitives; a primitive is in one leaf only.
///
/// `tests/primitive_bvhs.rs` has the smallest example, a tree of boxes.
pub trait PrimitiveBvhNodes: Tree {
    /// The frame of the boxes' coordinates.
    fn frame(&self) -> &Frame;

    /// An upper bound of the distance of any primitive's point from the origin of the geometry's
    /// coordinates, up to rounding.
    fn extent(&self) -> f64;

    /// An upper bound of the radius of every primitive around its core, in the geometry's unit: 0
    /// if boxes bound the whole primitives.
    fn radius(&self) -> f64;

    /// A bounding box (AABB) of the cores of all primitives below a node, in stored coordinates.
    fn bounds(&self, node: Node) -> Aabb;

    /// The boxes of an inner node's children, lane by lane; of a leaf, those of its primitives'
    /// cores.
    fn block(&self, node: Node) -> BoxBlock;

    /// The number of the primitive in a lane of a leaf's [`block`](PrimitiveBvhNodes::block).
    fn primitive_number(&self, leaf: Node, lane: usize) -> u32;

    /// The primitive of a number, in the geometry's own coordinates; `None` if it no longer exists.
    fn solid(&self, number: u32) -> Option<Primitive>;

    /// Whether the tree is empty; then it has no root either.
    #[inline(always)]
    fn is_empty(&self) -> bool {
        false
    }
}

/// The region of a query, in a geometry's own coordinates: primitives outside of the box or the
/// sphere do not affect the result.
#[derive(Debug, Clone, Copy)]
pub struct QueryRegion {
    /// The low corner of the box.
    pub low: DVec3,
    /// The high corner of the box.
    pub high: DVec3,
    /// The sphere; infinite where the query has no limit.
    pub sphere: BoundingSphere,
}

impl QueryRegion {
    /// How far a geometry within these bounds, which `tree_from_other` has brought into a tree's
    /// coordinates, reaches as far as matters to a goal with this limit; `radius` is the tree's.
    pub(crate) fn around(bounds: &Bounds, tree_from_other: &Pose, radius: f64, limit: f64) -> Self {
        let (low, high) = bounds.vertices();
        // The pose may be an inverse, which is off by a few roundings of what it moves.
        let size = tree_from_other.translation().length() + low.abs().max(high.abs()).length();
        let reach = limit + radius + 64.0 * UNIT_ROUNDOFF * size;
        let sphere = BoundingSphere { radius: bounds.sphere.radius + reach, ..bounds.sphere };
        Self { low: low - reach, high: high + reach, sphere }
    }
}

/// A primitive BVH that is a geometry.
pub trait PrimitiveBvh: PrimitiveBvhNodes + Geometry {
    /// Restricts the tree to a query region: it may leave out cores outside of it.
    ///
    /// Trees override this if they can cull faster than a traversal; others need not evaluate the
    /// region. Numbers of primitives stay as they are. Boxes need not contain the parts of a core
    /// outside of the region.
    #[inline(always)]
    fn within(&self, _region: impl FnOnce() -> QueryRegion) -> impl PrimitiveBvhNodes
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
