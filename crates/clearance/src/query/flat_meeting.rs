//! Half-spaces and planes against meshes of any kind, solids and each other.
//!
//! The flat is moved into the other's frame once. A mesh is descended by the heights of its volumes above the plane: a support along the
//! normal bounds the lowest point of a node, one against it the highest; one compiled descent per goal serves every kind of mesh.
//! Nothing is ever contained: a bounded body that does not reach a flat is on one side of it.

use super::{AnyMesh, Goal, LeafPair};
use crate::descent::{ArrayLanes, MetShapes, Order, Pair, PairCache, Query, Workspace, descend};
use crate::math::{UNIT_ROUNDOFF, f32_above, f32_below};
use crate::shape::Flat;
use crate::tree::{Geometry, Solid, Tree, Unbounded};
use crate::volume::Support;
use crate::{Pose, Triangle};
use std::ops::ControlFlow;

/// How far rounding may shift a moved plane, seen by points within `extent` of A's origin.
///
/// The turned normal takes 5 roundings and R is off by 4u: 9u of a point's distance from the origin, and as much of t; offset and
/// dot product take 6 of |d| + |t|: below 16 in all.
fn moving_error(extent: f64, flat: &Flat, a_from_b: &Pose) -> f64 {
    24.0 * UNIT_ROUNDOFF * (extent + flat.plane().offset().abs() + a_from_b.translation().length())
}

struct FlatMeeting<'q, G> {
    /// In the mesh's frame.
    flat: Flat,
    /// The plane's offset in the mesh's stored frame.
    offset: f64,
    margin: f64,
    /// Stored units times this are the mesh's units.
    unit: f64,
    rounding: f64,
    met: MetShapes,
    goal: &'q mut G,
}

impl<G: Goal> FlatMeeting<'_, G> {
    fn meet(&mut self, id: u32, triangle: &Triangle) -> ControlFlow<()> {
        self.goal.meet(LeafPair { a: id, b: 0, rounding: self.rounding }, triangle, &self.flat)
    }

    /// At most the distance of what a volume contains, in stored units.
    fn gap(&self, volume: &dyn Support) -> f64 {
        let n = self.flat.plane().normal();
        let above = -volume.support(-n) - self.offset;
        if self.flat.is_solid() || above > self.margin { above } else { above.max(self.offset - volume.support(n)) }
    }
}

impl<'m, G: Goal> Query<&'m dyn AnyMesh, Unbounded> for FlatMeeting<'_, G> {
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    fn bound_a(&mut self, a: &&'m dyn AnyMesh, _b: &Unbounded, pair: &Pair) -> ArrayLanes {
        let count = a.child_count(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += count as u64;
        ArrayLanes::collect((0..count).map(|lane| {
            let gap = self.gap(a.node_support(a.child_node(pair.a, lane))) - self.margin;
            // A bound that is not a number (coordinates of extreme sizes) bounds nothing: max gives 0.
            f32_below(gap.max(0.0) * self.unit)
        }))
    }

    fn bound_b(&mut self, _a: &&'m dyn AnyMesh, _b: &Unbounded, _pair: &Pair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    fn leaf(&mut self, a: &&'m dyn AnyMesh, _b: &Unbounded, pair: &Pair, front: &mut G::Order) -> ControlFlow<()> {
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

/// Runs `goal` over a mesh of any kind and a flat, helped by what `cache` remembers.
pub fn meet_mesh_and_flat<G: Goal>(
    a: &dyn AnyMesh,
    b: &Unbounded,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    mut cache: Option<&mut PairCache>,
) {
    let flat = b.shape().transformed(a_from_b);
    let (frame, rounding) = (a.stored_frame(), moving_error(a.farthest(), b.shape(), a_from_b));
    let (n, d) = (flat.plane().normal(), flat.plane().offset());
    // The plane's own rounding, that of its stored offset, and of supports and stored coordinates below 2.
    let arithmetic = 64.0 * UNIT_ROUNDOFF * (frame.scale * (d.abs() + frame.center.length()) + 4.0);
    let mut meeting = FlatMeeting {
        flat,
        offset: (d - n.dot(frame.center)) * frame.scale,
        margin: rounding * frame.scale + arithmetic,
        unit: 1.0 / frame.scale,
        rounding,
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

/// Runs `goal` over a solid and a flat. There is nothing to remember.
pub fn meet_solid_and_flat<G: Goal>(
    a: &Solid,
    b: &Unbounded,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _cache: Option<&mut PairCache>,
) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(a.extent(), b.shape(), a_from_b) };
    // One pair is all that there is, whether the goal wants more or not.
    let _ = goal.meet(pair, a.shape(), &b.shape().transformed(a_from_b));
}

/// Runs `goal` over two flats. There is nothing to remember.
pub fn meet_flats<G: Goal>(
    a: &Unbounded,
    b: &Unbounded,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _cache: Option<&mut PairCache>,
) {
    goal.stats().leaf_pairs += 1;
    let extent = a.shape().plane().offset().abs();
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(extent, b.shape(), a_from_b) };
    let _ = goal.meet(pair, a.shape(), &b.shape().transformed(a_from_b));
}
