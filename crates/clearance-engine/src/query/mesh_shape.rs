//! A mesh of any kind against one shape: what solids, half-spaces and planes share.
//!
//! The shape is moved into the mesh's frame once; its tree is one leaf, so that the traversal opens
//! the mesh alone. Volumes are seen through their support only, and one compiled traversal per goal
//! and kind of shape serves every kind of mesh.

use super::{AnyMesh, Goal, LeafPair};
use crate::Triangle;
use crate::math::{DVec3, f32_above, f32_below};
use crate::pair::shape::{Proximity, Shape};
use crate::traversal::{ArrayLanes, MetShapes, NodePair, Order, Query, WarmStart, Workspace, traverse};
use crate::tree::{Geometry, Node, Tree};
use crate::volume::Support;
use std::ops::ControlFlow;

/// A shape in the mesh's frame, and how volumes see it.
pub(super) struct OneShape<S, F> {
    pub shape: S,
    /// At most the distance of a volume, in stored units, rounding ignored; where it exceeds its
    /// second argument no better bound is wanted.
    pub gap: F,
    /// What rounding may have added to a gap.
    pub margin: f64,
    /// How far rounding may have moved the shape, in the mesh's units.
    pub rounding: f64,
    /// A point of the shape, in stored units, by which volumes inside of the mesh can tell that it
    /// is touched.
    pub point: Option<DVec3>,
}

struct MeshShapeTraversal<'q, S, F, G> {
    one: OneShape<S, F>,
    /// Stored units times this are the mesh's units.
    unit: f64,
    met: MetShapes,
    goal: &'q mut G,
}

impl<S: Shape, F, G: Goal> MeshShapeTraversal<'_, S, F, G>
where
    Triangle: Proximity<S>,
{
    /// Whether a node of a solid mesh has the shape's point inside, which satisfies the goal.
    fn surely_touches(&self, a: &dyn AnyMesh, node: Node) -> bool {
        let holds = |point| a.node_support(node).surely_holds(point, self.one.margin);
        G::ACCEPTS_INNER && a.filled() && self.one.point.is_some_and(holds)
    }

    fn meet(&mut self, id: u32, triangle: &Triangle) -> ControlFlow<()> {
        self.goal.meet(LeafPair { a: id, b: 0, rounding: self.one.rounding }, triangle, &self.one.shape)
    }
}

impl<'m, B: Tree, S: Shape, F: Fn(&dyn Support, f64) -> f64, G: Goal> Query<&'m dyn AnyMesh, B>
    for MeshShapeTraversal<'_, S, F, G>
where
    Triangle: Proximity<S>,
{
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    fn bound_a(&mut self, a: &&'m dyn AnyMesh, _b: &B, pair: &NodePair) -> ArrayLanes {
        let count = a.child_count(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += count as u64;
        let enough = self.goal.limit() / self.unit + self.one.margin;
        let lanes = ArrayLanes::collect((0..count).map(|lane| {
            let gap = (self.one.gap)(a.node_support(a.child_node(pair.a, lane)), enough) - self.one.margin;
            // A bound that is not a number (coordinates of extreme sizes) bounds nothing: max gives
            // 0.
            f32_below(gap.max(0.0) * self.unit)
        }));
        let sure = |lane: usize| self.surely_touches(*a, a.child_node(pair.a, lane));
        lanes.accepting((0..count).map(|lane| u64::from(sure(lane)) << lane).sum())
    }

    fn accept(&mut self, _pair: &NodePair) -> ControlFlow<()> {
        self.goal.accept()
    }

    fn bound_b(&mut self, _a: &&'m dyn AnyMesh, _b: &B, _pair: &NodePair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    fn leaf(&mut self, a: &&'m dyn AnyMesh, _b: &B, pair: &NodePair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        let flow = a.each_triangle(pair.a, &mut |id, triangle| {
            if a.repeats_triangle(id) && !self.met.is_new(id, 0) {
                return ControlFlow::Continue(());
            }
            self.meet(id, triangle)
        });
        if flow.is_break() {
            self.goal.stopped(f64::from(front.floor().min(pair.key)));
        }
        flow
    }
}

/// Runs `goal` over a mesh of any kind and `b`, whose one leaf is `one`, helped by what `cache`
/// remembers.
pub(super) fn traverse_mesh_and_shape<B: Tree + Geometry, S: Shape, F: Fn(&dyn Support, f64) -> f64, G: Goal>(
    a: &dyn AnyMesh,
    b: &B,
    one: OneShape<S, F>,
    goal: &mut G,
    workspace: &mut Workspace,
    mut warm_start: Option<&mut WarmStart>,
) where
    Triangle: Proximity<S>,
{
    let unit = 1.0 / a.stored_frame().scale;
    let mut meeting = MeshShapeTraversal { one, unit, met: workspace.take_met(), goal };
    let last = warm_start.as_deref_mut().and_then(|warm_start| warm_start.last_shapes(a.revision(), b.revision()));
    let last = last.and_then(|(id, _)| Some((id, a.triangle(id)?)));
    if last.is_some_and(|(id, triangle)| meeting.meet(id, &triangle).is_break()) {
        meeting.goal.stopped(0.0);
    } else if !(meeting.surely_touches(a, a.root_node()) && meeting.goal.accept().is_break()) {
        let mut front: G::Order = workspace.take();
        let _ = traverse(&a, b, &mut meeting, &mut front, &[NodePair::new(a.root_node(), b.root())]);
        workspace.put(front);
    }
    workspace.met = meeting.met;
    if let Some(warm_start) = warm_start {
        warm_start.shapes = goal.remembered().or(warm_start.shapes);
    }
}
