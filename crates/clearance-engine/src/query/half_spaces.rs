//! Half-spaces and planes against meshes of any kind, solids, trees of solids and each other.
//!
//! The flat is moved into the other's frame once. A mesh is descended by the heights of its volumes
//! above the plane: a support along the normal bounds the lowest point of a node, one against it
//! the highest. Nothing is ever contained: a bounded body that does not reach a flat is on one side
//! of it.

use super::mesh_shape::{OneShape, traverse_mesh_and_shape};
use super::primitive_bvhs::{boxes, solids_of};
use super::{AnyMesh, Goal, LeafPair};
use crate::Pose;
use crate::math::{DVec3, Frame, UNIT_ROUNDOFF, f32_above, f32_below};
use crate::pair::shape::Proximity;
use crate::shape::{HalfSpaceOrPlane, Primitive};
use crate::traversal::{ArrayLanes, NodePair, Order, Query, WarmStart, Workspace, traverse};
use crate::tree::{Geometry, HalfSpaceGeometry, PrimitiveBvh, Solid, Tree};
use crate::volume::Support;
use std::ops::ControlFlow;

/// How far rounding may shift a moved plane, seen by points within `extent` of A's origin.
///
/// The turned normal takes 5 roundings and R is off by 4u: 9u of a point's distance from the
/// origin, and as much of t; offset and dot product take 6 of |d| + |t|: below 16 in all.
fn moving_error(extent: f64, flat: &HalfSpaceOrPlane, a_from_b: &Pose) -> f64 {
    24.0 * UNIT_ROUNDOFF * (extent + flat.plane().offset().abs() + a_from_b.translation().length())
}

/// Runs `goal` over a mesh of any kind and a flat, helped by what `cache` remembers.
pub fn traverse_mesh_and_half_space<G: Goal>(
    a: &dyn AnyMesh,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let rounding = moving_error(a.support(), b.shape(), a_from_b);
    let shape = b.shape().transformed(a_from_b);
    let stored = StoredHalfSpace::new(&shape, a.stored_frame(), rounding);
    let gap = |volume: &dyn Support, enough: f64| stored.gap(volume, enough);
    traverse_mesh_and_shape(
        a,
        b,
        OneShape { shape, gap, margin: stored.margin, rounding, point: None },
        goal,
        workspace,
        warm_start,
    );
}

/// A flat in stored coordinates.
struct StoredHalfSpace {
    normal: DVec3,
    offset: f64,
    is_solid: bool,
    /// What rounding may add to a gap.
    margin: f64,
}

impl StoredHalfSpace {
    /// One that rounding may have moved by `rounding`.
    fn new(flat: &HalfSpaceOrPlane, frame: &Frame, rounding: f64) -> Self {
        let (n, d) = (flat.plane().normal(), flat.plane().offset());
        // The plane's own rounding, that of its stored offset, and of supports and stored
        // coordinates below 2.
        let arithmetic = 64.0 * UNIT_ROUNDOFF * (frame.scale * (d.abs() + frame.center.length()) + 4.0);
        Self {
            normal: n,
            offset: (d - n.dot(frame.center)) * frame.scale,
            is_solid: flat.is_solid(),
            margin: rounding * frame.scale + arithmetic,
        }
    }

    /// At most the distance of a volume, rounding ignored; where it exceeds `enough` no better one
    /// is looked for.
    fn gap(&self, volume: &dyn Support, enough: f64) -> f64 {
        let above = -volume.support(-self.normal) - self.offset;
        if self.is_solid || above > enough { above } else { above.max(self.offset - volume.support(self.normal)) }
    }
}

/// The query of a tree of solids and a flat.
struct PrimitiveBvhHalfSpaceTraversal<'q, G> {
    flat: HalfSpaceOrPlane,
    stored: StoredHalfSpace,
    /// The radius around cores and the margin, in stored units.
    taken_off: f64,
    /// Stored units times this are the tree's units.
    unit: f64,
    rounding: f64,
    goal: &'q mut G,
}

impl<G: Goal> PrimitiveBvhHalfSpaceTraversal<'_, G> {
    fn meet(&mut self, number: u32, solid: &Primitive) -> ControlFlow<()> {
        self.goal.meet(LeafPair { a: number, b: 0, rounding: self.rounding }, solid, &self.flat)
    }
}

impl<'t, G: Goal> Query<&'t dyn PrimitiveBvh, HalfSpaceGeometry> for PrimitiveBvhHalfSpaceTraversal<'_, G> {
    type Lanes = ArrayLanes;
    type Order = G::Order;

    fn limit(&self) -> f32 {
        f32_above(self.goal.limit())
    }

    fn bound_a(&mut self, a: &&'t dyn PrimitiveBvh, _b: &HalfSpaceGeometry, pair: &NodePair) -> ArrayLanes {
        let block = a.block(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += u64::from(block.count);
        let enough = self.goal.limit() / self.unit + self.taken_off;
        ArrayLanes::collect(boxes(&block).map(|child| {
            let gap = self.stored.gap(&child, enough) - self.taken_off;
            // As for meshes: what is not a number bounds nothing.
            f32_below(gap.max(0.0) * self.unit)
        }))
    }

    fn bound_b(&mut self, _a: &&'t dyn PrimitiveBvh, _b: &HalfSpaceGeometry, _pair: &NodePair) -> ArrayLanes {
        ArrayLanes::collect(std::iter::empty())
    }

    fn leaf(
        &mut self,
        a: &&'t dyn PrimitiveBvh,
        _b: &HalfSpaceGeometry,
        pair: &NodePair,
        front: &mut G::Order,
    ) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        for (number, solid) in solids_of(*a, pair.a) {
            if self.meet(number, &solid).is_break() {
                self.goal.stopped(f64::from(front.floor().min(pair.key)));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// Runs `goal` over a tree of solids and a flat, helped by what `cache` remembers.
pub fn traverse_primitive_bvh_and_half_space<G: Goal>(
    a: &dyn PrimitiveBvh,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    mut warm_start: Option<&mut WarmStart>,
) {
    let rounding = moving_error(a.extent(), b.shape(), a_from_b);
    let flat = b.shape().transformed(a_from_b);
    let stored = StoredHalfSpace::new(&flat, a.frame(), rounding);
    let scale = a.frame().scale;
    // The radius and the difference are rounded.
    let taken_off = a.radius() * scale * (1.0 + 1e-14) + stored.margin;
    let mut meeting = PrimitiveBvhHalfSpaceTraversal { flat, stored, taken_off, unit: 1.0 / scale, rounding, goal };
    let last = warm_start.as_deref_mut().and_then(|warm_start| warm_start.last_shapes(a.revision(), b.revision()));
    let last = last.and_then(|(number, _)| Some((number, a.solid(number)?)));
    if last.is_some_and(|(number, solid)| meeting.meet(number, &solid).is_break()) {
        meeting.goal.stopped(0.0);
    } else {
        let mut front: G::Order = workspace.take();
        let _ = traverse(&a, b, &mut meeting, &mut front, &[NodePair::new(a.root(), b.root())]);
        workspace.put(front);
    }
    if let Some(warm_start) = warm_start {
        warm_start.shapes = goal.remembered().or(warm_start.shapes);
    }
}

/// Runs `goal` over a solid and a flat. There is nothing to remember.
pub fn test_primitive_and_half_space<G: Goal>(
    a: &Solid,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _cache: Option<&mut WarmStart>,
) {
    test_one(a.shape(), a.extent(), b, a_from_b, goal);
}

/// Runs `goal` over two flats. There is nothing to remember.
pub fn test_half_spaces<G: Goal>(
    a: &HalfSpaceGeometry,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
    _workspace: &mut Workspace,
    _cache: Option<&mut WarmStart>,
) {
    test_one(a.shape(), a.shape().plane().offset().abs(), b, a_from_b, goal);
}

/// One shape, within `extent` of its origin as far as that matters, and a flat.
fn test_one<A: Proximity<HalfSpaceOrPlane>, G: Goal>(
    a: &A,
    extent: f64,
    b: &HalfSpaceGeometry,
    a_from_b: &Pose,
    goal: &mut G,
) {
    goal.stats().leaf_pairs += 1;
    let pair = LeafPair { a: 0, b: 0, rounding: moving_error(extent, b.shape(), a_from_b) };
    // One pair is all that there is, whether the goal wants more or not.
    let _ = goal.meet(pair, a, &b.shape().transformed(a_from_b));
}
