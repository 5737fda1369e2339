//! A tree of solids against a mesh of any kind, and against another tree of solids: in `f64`,
//! through trait objects, so that one compiled traversal per goal serves every kind of both.
//!
//! Boxes bound the solids' cores; the radii are subtracted from every bound. Default meshes and
//! single solids have faster ones (`mesh_primitive_bvh.rs`, `primitive_bvh_primitive.rs`), for
//! which these are the way out where `f32` does not reach.

use super::primitives::moving_error;
use super::{AnyMesh, Goal, LeafPair};
use crate::math::{Similarity, UNIT_ROUNDOFF, f32_above, f32_below};
use crate::pair::shape::Proximity;
use crate::pair::volume::{Gap, mixed_gap};
use crate::shape::Primitive;
use crate::traversal::{ArrayLanes, MetShapes, NodePair, Order, Query, WarmStart, Workspace, traverse};
use crate::tree::{Bounds, PrimitiveBvh, QueryRegion};
use crate::volume::{Aabb, BoundingSphere, BoxBlock, Support};
use crate::{Pose, Triangle};
use std::ops::ControlFlow;

/// What both meetings share.
struct Common<'q, G> {
    a_from_b: &'q Pose,
    stored_a_from_b: Similarity,
    /// Stored units of A times this are A's units.
    unit: f64,
    /// Both sides' around their cores, with the margin of rounding: in A's stored units.
    taken_off: f64,
    rounding: f64,
    goal: &'q mut G,
}

impl<'q, G: Goal> Common<'q, G> {
    fn new(
        stored_a_from_b: Similarity,
        unit: f64,
        radii: f64,
        b: &dyn PrimitiveBvh,
        a_from_b: &'q Pose,
        goal: &'q mut G,
    ) -> Self {
        // The radii, their sum and the difference are rounded.
        let taken_off = radii / unit * (1.0 + 1e-14) + stored_a_from_b.margin;
        let rounding = moving_error(b.extent(), a_from_b);
        Self { a_from_b, stored_a_from_b, unit, taken_off, rounding, goal }
    }

    fn count(&mut self, tests: usize) {
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += tests as u64;
    }

    /// The key of a gap between cores, in A's stored units.
    fn key(&self, gap: f64) -> f32 {
        f32_below((gap - self.taken_off).max(0.0) * self.unit)
    }

    fn meet<A: Proximity<Primitive>>(&mut self, a: (u32, A), number: u32, solid: &Primitive) -> ControlFlow<()> {
        let pair = LeafPair { a: a.0, b: number, rounding: self.rounding };
        self.goal.meet(pair, &a.1, &solid.transformed(self.a_from_b))
    }
}

/// The solids of a leaf with their numbers.
pub(super) fn solids_of(tree: &dyn PrimitiveBvh, leaf: u32) -> impl Iterator<Item = (u32, Primitive)> {
    let numbers = (0..tree.block(leaf).count as usize).map(move |lane| tree.primitive_number(leaf, lane));
    numbers.filter_map(|number| Some((number, tree.solid(number)?)))
}

/// A block's boxes, lane by lane.
pub(super) fn boxes(block: &BoxBlock) -> impl Iterator<Item = Aabb> {
    (0..block.count as usize).map(|lane| block.get(lane))
}

struct MeshAndPrimitiveBvhTraversal<'q, G> {
    common: Common<'q, G>,
    met: MetShapes,
}

impl<G: Goal> MeshAndPrimitiveBvhTraversal<'_, G> {
    fn key(&self, a: &dyn Support, b: &Aabb) -> f32 {
        self.common.key(mixed_gap(a, b, &self.common.stored_a_from_b))
    }
}

impl<'t, G: Goal> Query<&'t dyn AnyMesh, &'t dyn PrimitiveBvh> for MeshAndPrimitiveBvhTraversal<'_, G> {
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.common.goal.limit())
    }

    fn bound_a(&mut self, a: &&'t dyn AnyMesh, b: &&'t dyn PrimitiveBvh, pair: &NodePair) -> ArrayLanes {
        let (count, fixed) = (a.child_count(pair.a), b.bounds(pair.b));
        self.common.count(count);
        let child = |lane| a.node_support(a.child_node(pair.a, lane));
        ArrayLanes::collect((0..count).map(|lane| self.key(child(lane), &fixed)))
    }

    fn bound_b(&mut self, a: &&'t dyn AnyMesh, b: &&'t dyn PrimitiveBvh, pair: &NodePair) -> ArrayLanes {
        let (block, fixed) = (b.block(pair.b), a.node_support(pair.a));
        self.common.count(block.count as usize);
        ArrayLanes::collect(boxes(&block).map(|child| self.key(fixed, &child)))
    }

    fn leaf(
        &mut self,
        a: &&'t dyn AnyMesh,
        b: &&'t dyn PrimitiveBvh,
        pair: &NodePair,
        front: &mut G::Order,
    ) -> ControlFlow<()> {
        self.common.goal.stats().leaf_pairs += 1;
        for (number, solid) in solids_of(*b, pair.b) {
            let flow = a.each_triangle(pair.a, &mut |id, triangle| {
                if a.repeats_triangle(id) && !self.met.is_new(id, number) {
                    return ControlFlow::Continue(());
                }
                self.common.meet((id, *triangle), number, &solid)
            });
            if flow.is_break() {
                self.common.goal.stopped(f64::from(front.floor().min(pair.key)));
                return flow;
            }
        }
        ControlFlow::Continue(())
    }
}

/// How far a geometry within these bounds, which `tree_from_other` has brought into a tree's
/// coordinates, reaches as far as matters to the goal.
pub(super) fn query_region(bounds: &Bounds, tree_from_other: &Pose, radius: f64, limit: f64) -> QueryRegion {
    let (low, high) = bounds.vertices();
    // The pose may be an inverse, which is off by a few roundings of what it moves.
    let size = tree_from_other.translation().length() + low.abs().max(high.abs()).length();
    let reach = limit + radius + 64.0 * UNIT_ROUNDOFF * size;
    let sphere = BoundingSphere { radius: bounds.sphere.radius + reach, ..bounds.sphere };
    QueryRegion { low: low - reach, high: high + reach, sphere }
}

/// Runs `goal` over a mesh of any kind and a tree of solids, helped by what `cache` remembers.
pub fn traverse_mesh_and_primitive_bvh<G: Goal>(
    a: &dyn AnyMesh,
    b: &dyn PrimitiveBvh,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    mut warm_start: Option<&mut WarmStart>,
) {
    let stored_a_from_b = Similarity::between(a.stored_frame(), a_from_b, b.frame());
    let common = Common::new(stored_a_from_b, 1.0 / a.stored_frame().scale, b.radius(), b, a_from_b, goal);
    let mut meeting = MeshAndPrimitiveBvhTraversal { common, met: workspace.take_met() };
    let last = warm_start.as_deref_mut().and_then(|warm_start| warm_start.last_shapes(a.revision(), b.revision()));
    let last: Option<(u32, Triangle, u32, Primitive)> =
        last.and_then(|(i, j)| Some((i, a.triangle(i)?, j, b.solid(j)?)));
    if last.is_some_and(|(id, triangle, number, solid)| meeting.common.meet((id, triangle), number, &solid).is_break())
    {
        meeting.common.goal.stopped(0.0);
    } else {
        let mut front: G::Order = workspace.take();
        let _ = traverse(&a, &b, &mut meeting, &mut front, &[NodePair::new(a.root_node(), b.root())]);
        workspace.put(front);
    }
    workspace.met = meeting.met;
    if let Some(warm_start) = warm_start {
        warm_start.shapes = goal.remembered().or(warm_start.shapes);
    }
}

struct PrimitiveBvhTraversal<'q, G> {
    common: Common<'q, G>,
    /// B's units of stored coordinates in A's.
    b_to_a: f64,
    stored_b_from_a: Similarity,
}

impl<'t, G: Goal> Query<&'t dyn PrimitiveBvh, &'t dyn PrimitiveBvh> for PrimitiveBvhTraversal<'_, G> {
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.common.goal.limit())
    }

    fn bound_a(&mut self, a: &&'t dyn PrimitiveBvh, b: &&'t dyn PrimitiveBvh, pair: &NodePair) -> ArrayLanes {
        let block = a.block(pair.a);
        self.common.count(block.count as usize);
        let fixed = <Aabb as Gap<Aabb>>::fix(&b.bounds(pair.b), &self.common.stored_a_from_b);
        ArrayLanes::collect(boxes(&block).map(|child| self.common.key(Gap::<Aabb>::gap(&child, &fixed))))
    }

    fn bound_b(&mut self, a: &&'t dyn PrimitiveBvh, b: &&'t dyn PrimitiveBvh, pair: &NodePair) -> ArrayLanes {
        let block = b.block(pair.b);
        self.common.count(block.count as usize);
        let fixed = <Aabb as Gap<Aabb>>::fix(&a.bounds(pair.a), &self.stored_b_from_a);
        ArrayLanes::collect(boxes(&block).map(|child| self.common.key(Gap::<Aabb>::gap(&child, &fixed) * self.b_to_a)))
    }

    fn leaf(
        &mut self,
        a: &&'t dyn PrimitiveBvh,
        b: &&'t dyn PrimitiveBvh,
        pair: &NodePair,
        front: &mut G::Order,
    ) -> ControlFlow<()> {
        self.common.goal.stats().leaf_pairs += 1;
        for (number, solid) in solids_of(*b, pair.b) {
            for solid_a in solids_of(*a, pair.a) {
                if self.common.meet(solid_a, number, &solid).is_break() {
                    self.common.goal.stopped(f64::from(front.floor().min(pair.key)));
                    return ControlFlow::Break(());
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// Runs `goal` over two trees of solids, helped by what `cache` remembers.
pub fn traverse_primitive_bvhs<G: Goal>(
    a: &dyn PrimitiveBvh,
    b: &dyn PrimitiveBvh,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    mut warm_start: Option<&mut WarmStart>,
) {
    let stored_a_from_b = Similarity::between(a.frame(), a_from_b, b.frame());
    let stored_b_from_a = stored_a_from_b.inverse();
    let b_to_a = stored_a_from_b.scale;
    let radii = a.radius() + b.radius();
    let common = Common::new(stored_a_from_b, 1.0 / a.frame().scale, radii, b, a_from_b, goal);
    let mut meeting = PrimitiveBvhTraversal { common, b_to_a, stored_b_from_a };
    let last = warm_start.as_deref_mut().and_then(|warm_start| warm_start.last_shapes(a.revision(), b.revision()));
    let last = last.and_then(|(i, j)| Some(((i, a.solid(i)?), j, b.solid(j)?)));
    if last.is_some_and(|(solid_a, number, solid)| meeting.common.meet(solid_a, number, &solid).is_break()) {
        meeting.common.goal.stopped(0.0);
    } else {
        let mut front: G::Order = workspace.take();
        let _ = traverse(&a, &b, &mut meeting, &mut front, &[NodePair::new(a.root(), b.root())]);
        workspace.put(front);
    }
    if let Some(warm_start) = warm_start {
        warm_start.shapes = goal.remembered().or(warm_start.shapes);
    }
}
