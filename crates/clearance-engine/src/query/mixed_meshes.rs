//! Two meshes under different volumes: the same query, with volumes seen through their support
//! only.
//!
//! Types are erased, so that one compiled traversal per goal serves every mixed pair.

use super::tree_tree::moving_error;
use super::{Goal, LeafPair};
use crate::math::{Frame, Similarity, f32_above, f32_below};
use crate::pair::volume::mixed_gap;
use crate::traversal::{ArrayLanes, MetShapes, NodePair, Order, Query, WarmStart, Workspace, traverse};
use crate::tree::{Geometry, Node, Tree, VolumeTree};
use crate::volume::Support;
use crate::{Pose, Triangle};
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

struct MixedMeshTraversal<'q, G> {
    a_from_b: &'q Pose,
    stored_a_from_b: Similarity,
    /// Stored units times this are A's units.
    unit: f64,
    rounding: f64,
    met: MetShapes,
    goal: &'q mut G,
}

impl<G: Goal> MixedMeshTraversal<'_, G> {
    fn key(&mut self, a: &dyn Support, b: &dyn Support) -> f32 {
        self.goal.stats().volume_tests += 1;
        let gap = mixed_gap(a, b, &self.stored_a_from_b) - self.stored_a_from_b.margin;
        f32_below(gap.max(0.0) * self.unit)
    }

    fn meet(&mut self, a: (u32, Triangle), b: (u32, Triangle)) -> ControlFlow<()> {
        self.goal.meet(LeafPair { a: a.0, b: b.0, rounding: self.rounding }, &a.1, &b.1)
    }
}

impl<'m, G: Goal> Query<&'m dyn AnyMesh, &'m dyn AnyMesh> for MixedMeshTraversal<'_, G> {
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    fn bound_a(&mut self, a: &&'m dyn AnyMesh, b: &&'m dyn AnyMesh, pair: &NodePair) -> ArrayLanes {
        self.goal.stats().opened += 1;
        let fixed = b.node_support(pair.b);
        let child = |lane| a.node_support(a.child_node(pair.a, lane));
        ArrayLanes::collect((0..a.child_count(pair.a)).map(|lane| self.key(child(lane), fixed)))
    }

    fn bound_b(&mut self, a: &&'m dyn AnyMesh, b: &&'m dyn AnyMesh, pair: &NodePair) -> ArrayLanes {
        self.goal.stats().opened += 1;
        let fixed = a.node_support(pair.a);
        let child = |lane| b.node_support(b.child_node(pair.b, lane));
        ArrayLanes::collect((0..b.child_count(pair.b)).map(|lane| self.key(fixed, child(lane))))
    }

    fn leaf(
        &mut self,
        a: &&'m dyn AnyMesh,
        b: &&'m dyn AnyMesh,
        pair: &NodePair,
        front: &mut G::Order,
    ) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        let flow = b.each_triangle(pair.b, &mut |id_b, triangle_b| {
            let in_a = triangle_b.transformed(self.a_from_b);
            a.each_triangle(pair.a, &mut |id_a, triangle_a| {
                if (a.repeats_triangle(id_a) || b.repeats_triangle(id_b)) && !self.met.is_new(id_a, id_b) {
                    return ControlFlow::Continue(());
                }
                self.meet((id_a, *triangle_a), (id_b, in_a))
            })
        });
        if flow.is_break() {
            self.goal.stopped(f64::from(front.floor().min(pair.key)));
        }
        flow
    }
}

/// Runs `goal` over two meshes of any kinds, helped by what `cache` remembers.
pub fn traverse_mixed_meshes<G: Goal>(
    a: &dyn AnyMesh,
    b: &dyn AnyMesh,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    mut warm_start: Option<&mut WarmStart>,
) {
    let mut meeting = MixedMeshTraversal {
        a_from_b,
        stored_a_from_b: Similarity::between(a.stored_frame(), a_from_b, b.stored_frame()),
        unit: 1.0 / a.stored_frame().scale,
        rounding: moving_error(b.support(), a_from_b),
        met: workspace.take_met(),
        goal,
    };
    let last = warm_start.as_deref_mut().and_then(|warm_start| warm_start.last_shapes(a.revision(), b.revision()));
    let last = last.and_then(|(i, j)| Some(((i, a.triangle(i)?), (j, b.triangle(j)?.transformed(a_from_b)))));
    if last.is_some_and(|(triangle_a, triangle_b)| meeting.meet(triangle_a, triangle_b).is_break()) {
        meeting.goal.stopped(0.0);
    } else {
        let mut front: G::Order = workspace.take();
        let _ = traverse(&a, &b, &mut meeting, &mut front, &[NodePair::new(a.root_node(), b.root_node())]);
        workspace.put(front);
    }
    workspace.met = meeting.met;
    if let Some(warm_start) = warm_start {
        warm_start.shapes = goal.remembered().or(warm_start.shapes);
    }
}
