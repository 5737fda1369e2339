//! Triangles under a hierarchy whose kind was forgotten: a mesh, a height field.

use super::{Geometry, Node, Tree, VolumeTree};
use crate::Triangle;
use crate::math::Frame;
use crate::volume::Support;
use std::ops::ControlFlow;

/// Triangles under a hierarchy whose kind was forgotten: a mesh, a height field.
pub trait AnyMesh: Geometry {
    /// See [`Tree::root`].
    fn root_node(&self) -> Node;
    /// See [`Tree::is_leaf`].
    fn leaf_node(&self, node: Node) -> bool;
    /// See [`Tree::child`].
    fn child_node(&self, node: Node, lane: usize) -> Node;
    /// See [`Tree::size`].
    fn node_size(&self, node: Node) -> f32;
    /// How many children an inner node has.
    fn child_count(&self, node: Node) -> usize;
    /// The volume of a node.
    fn node_support(&self, node: Node) -> &dyn Support;
    /// See [`VolumeTree::frame`].
    fn stored_frame(&self) -> &Frame;
    /// See [`VolumeTree::extent`].
    fn support(&self) -> f64;
    /// See [`VolumeTree::is_filled`].
    fn filled(&self) -> bool;
    /// Shows a leaf's triangles, with their numbers, until `visit` breaks. See
    /// [`VolumeTree::shapes`].
    fn each_triangle(&self, node: Node, visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>) -> ControlFlow<()>;
    /// See [`VolumeTree::repeats`].
    fn repeats_triangle(&self, id: u32) -> bool;
    /// A triangle, if there is one of that number.
    fn triangle(&self, id: u32) -> Option<Triangle>;
}

impl<M: VolumeTree<Shape = Triangle> + Geometry> AnyMesh for M {
    fn root_node(&self) -> Node {
        self.root()
    }

    fn leaf_node(&self, node: Node) -> bool {
        self.is_leaf(node)
    }

    fn child_node(&self, node: Node, lane: usize) -> Node {
        self.child(node, lane)
    }

    fn node_size(&self, node: Node) -> f32 {
        self.size(node)
    }

    fn child_count(&self, node: Node) -> usize {
        self.block(node).len()
    }

    fn node_support(&self, node: Node) -> &dyn Support {
        self.volume(node)
    }

    fn stored_frame(&self) -> &Frame {
        self.frame()
    }

    fn support(&self) -> f64 {
        self.extent()
    }

    fn filled(&self) -> bool {
        self.is_filled()
    }

    fn each_triangle(&self, node: Node, visit: &mut dyn FnMut(u32, &Triangle) -> ControlFlow<()>) -> ControlFlow<()> {
        self.shapes(node).try_for_each(|(id, triangle)| visit(id, &triangle))
    }

    fn repeats_triangle(&self, id: u32) -> bool {
        self.repeats(id)
    }

    fn triangle(&self, id: u32) -> Option<Triangle> {
        self.shape(id)
    }
}

impl Tree for &dyn AnyMesh {
    fn root(&self) -> Node {
        self.root_node()
    }

    fn is_leaf(&self, node: Node) -> bool {
        self.leaf_node(node)
    }

    fn child(&self, node: Node, lane: usize) -> Node {
        self.child_node(node, lane)
    }

    fn size(&self, node: Node) -> f32 {
        self.node_size(node)
    }
}
