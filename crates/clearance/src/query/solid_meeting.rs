//! A simple solid against a mesh of any kind, and against another solid.
//!
//! The solid is moved into the mesh's frame once; its tree is one leaf, so that the descent opens the mesh alone. Volumes are seen
//! through their support only, and one compiled descent per goal serves every kind of mesh. Default meshes have a faster one
//! (`wide_solid_meeting.rs`).

use super::{AnyMesh, Goal, LeafPair};
use crate::descent::{ArrayLanes, MetShapes, Order, Pair, PairCache, Query, Workspace, descend};
use crate::math::{Similarity, UNIT_ROUNDOFF, f32_above, f32_below};
use crate::pair::volume::solid_gap;
use crate::shape::Primitive;
use crate::tree::{Geometry, Solid, Tree};
use crate::{Pose, Triangle};
use std::ops::ControlFlow;

/// How far rounding may carry a point of a solid within `extent` of the origin when that is moved into A's frame.
///
/// The centre takes 7 roundings of its size and t (see `moving_error` of meshes), each axis 5 of its half extent, of which there are
/// three, and R is off by 4: below 24 in all.
pub(super) fn moving_error(extent: f64, a_from_b: &Pose) -> f64 {
    24.0 * UNIT_ROUNDOFF * (extent + a_from_b.translation().length())
}

struct SolidMeeting<'q, G> {
    /// In the mesh's frame.
    solid: Primitive,
    /// In the mesh's stored frame.
    stored: Primitive,
    margin: f64,
    /// Stored units times this are the mesh's units.
    unit: f64,
    rounding: f64,
    met: MetShapes,
    goal: &'q mut G,
}

impl<G: Goal> SolidMeeting<'_, G> {
    fn meet(&mut self, id: u32, triangle: &Triangle) -> ControlFlow<()> {
        self.goal.meet(LeafPair { a: id, b: 0, rounding: self.rounding }, triangle, &self.solid)
    }
}

impl<'m, G: Goal> Query<&'m dyn AnyMesh, Solid> for SolidMeeting<'_, G> {
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    fn bound_a(&mut self, a: &&'m dyn AnyMesh, _b: &Solid, pair: &Pair) -> ArrayLanes {
        let count = a.child_count(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += count as u64;
        let enough = self.goal.limit() / self.unit + self.margin;
        ArrayLanes::collect((0..count).map(|lane| {
            let gap = solid_gap(a.node_support(a.child_node(pair.a, lane)), &self.stored, enough) - self.margin;
            f32_below(gap.max(0.0) * self.unit)
        }))
    }

    fn bound_b(&mut self, _a: &&'m dyn AnyMesh, _b: &Solid, _pair: &Pair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    fn leaf(&mut self, a: &&'m dyn AnyMesh, _b: &Solid, pair: &Pair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        for &id in a.leaf_triangles(pair.a) {
            if a.repeats_triangle(id) && !self.met.is_new(id, 0) {
                continue;
            }
            let Some(triangle) = a.triangle(id) else { continue };
            if self.meet(id, &triangle).is_break() {
                self.goal.stopped(f64::from(front.floor().min(pair.key)));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// Runs `goal` over a mesh of any kind and a solid, helped by what `cache` remembers.
pub fn meet_mesh_and_solid<G: Goal>(
    a: &dyn AnyMesh,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    mut cache: Option<&mut PairCache>,
) {
    let solid = b.shape().transformed(a_from_b);
    let frame = a.stored_frame();
    let mut meeting = SolidMeeting {
        stored: solid.stored(frame),
        solid,
        margin: Similarity::between(frame, a_from_b, b.frame()).margin,
        unit: 1.0 / frame.scale,
        rounding: moving_error(b.extent(), a_from_b),
        met: workspace.take_met(),
        goal,
    };
    let last = cache.as_deref_mut().and_then(|cache| cache.last_shapes(a.revision(), b.revision()));
    let last = last.and_then(|(id, _)| Some((id, a.triangle(id)?)));
    if last.is_some_and(|(id, triangle)| meeting.meet(id, &triangle).is_break()) {
        meeting.goal.stopped(0.0);
    } else {
        let mut front: G::Order = workspace.take();
        let _ = descend(&a, b, &mut meeting, &mut front, &[Pair::new(a.root_node(), b.root())]);
        workspace.put(front);
    }
    workspace.met = meeting.met;
    if let Some(cache) = cache {
        cache.shapes = goal.remembered().or(cache.shapes);
    }
}

/// Runs `goal` over two solids. There is nothing to remember.
pub fn meet_solids<G: Goal>(
    a: &Solid,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _cache: Option<&mut PairCache>,
) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(b.extent(), a_from_b) };
    // One pair is all that there is, whether the goal wants more or not.
    let _ = goal.meet(pair, a.shape(), &b.shape().transformed(a_from_b));
}
