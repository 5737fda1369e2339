//! A tree of solids against a single solid: the traversal of one tree in SIMD lanes.
//!
//! Keys are squared gaps between *cores*, in the tree's stored units, the margin not yet
//! subtracted; both radii are in the limit. The box around the core of a sphere is a point, for
//! which the bounds are exact: what is then decided in `f64` is what matters. Bodies that are too
//! far apart or too different in size for `f32` take the path of two trees.

use super::mesh_mesh::{Bvh8Lanes, fits_lanes_of_a, used};
use super::primitive_bvhs::{query_region, traverse_primitive_bvhs};
use super::primitives::moving_error;
use super::{Goal, LeafPair};
use crate::Pose;
use crate::math::Similarity;
use crate::math::lanes::{F8, Lanes8, Vectorized, vectorized};
use crate::pair::volume::box_block::box_keys;
use crate::pair::volume::obb_sphere_block::{FAR, NEAR, key_of, margin};
use crate::pair::volume::primitive_block::FixedPrimitive;
use crate::shape::{Convex, Primitive};
use crate::traversal::{NodePair, Order, Query, WarmStart, Workspace, traverse};
use crate::tree::{Bounds, Geometry, PrimitiveBvh, PrimitiveBvhNodes, Solid, Tree};
use crate::volume::{BoxBlock, Volume};
use fearless_simd::prelude::*;
use std::ops::ControlFlow;

struct PrimitiveBvhPrimitiveTraversal<'q, A, S: Lanes8, G> {
    simd: S,
    a: &'q A,
    /// In the tree's frame.
    solid: Primitive,
    /// In the tree's stored frame, as lanes see it.
    fixed: FixedPrimitive,
    /// A box that is a point needs no direction but that of the gaps.
    is_sphere: bool,
    /// The tree's unit in its stored ones.
    scale: f64,
    /// Of both around their cores, in stored units.
    radii: f64,
    margin: f64,
    rounding: f64,
    limit: f32,
    goal: &'q mut G,
}

impl<A: PrimitiveBvhNodes, S: Lanes8, G: Goal> PrimitiveBvhPrimitiveTraversal<'_, A, S, G> {
    /// Takes over the goal's limit after it may have changed.
    #[inline(always)]
    fn update_limit(&mut self) {
        self.limit = key_of(self.goal.limit() * self.scale + self.radii, self.margin);
    }

    /// Two solids in `f64`.
    #[inline(never)]
    fn decide(&mut self, number: u32) -> ControlFlow<()> {
        let Some(solid) = self.a.solid(number) else { return ControlFlow::Continue(()) };
        let flow = self.goal.meet(LeafPair { a: number, b: 0, rounding: self.rounding }, &solid, &self.solid);
        self.update_limit();
        flow
    }

    #[inline(always)]
    fn keys(&self, block: &BoxBlock) -> (F8<S>, F8<S>) {
        if self.is_sphere {
            box_keys::<S, NEAR>(self.simd, block, &self.fixed.core)
        } else {
            box_keys::<S, FAR>(self.simd, block, &self.fixed.core)
        }
    }
}

impl<A: PrimitiveBvhNodes, S: Lanes8, G: Goal> Query<A, Solid> for PrimitiveBvhPrimitiveTraversal<'_, A, S, G> {
    type Lanes = Bvh8Lanes<S>;
    type Order = G::Order;
    const TWO_IN_FLIGHT: bool = G::OVERLAP_ONLY;

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn bound_a(&mut self, a: &A, _b: &Solid, pair: &NodePair) -> Bvh8Lanes<S> {
        let block = a.block(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += u64::from(block.count);
        let (keys, centers) = self.keys(&block);
        let guesses = centers.mul_add(F8::splat(self.simd, if G::OVERLAP_ONLY { 1.0 } else { 0.05 }), keys);
        Bvh8Lanes::new(keys, guesses, block.count)
    }

    #[inline(always)]
    fn bound_b(&mut self, a: &A, b: &Solid, pair: &NodePair) -> Bvh8Lanes<S> {
        // Never asked for: the solid is a leaf. What it would be is what the other side is.
        self.bound_a(a, b, pair)
    }

    #[inline(always)]
    fn leaf(&mut self, a: &A, _b: &Solid, pair: &NodePair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        let block = a.block(pair.a);
        let (keys, _) = self.keys(&block);
        let mut open = keys.simd_lt(F8::splat(self.simd, self.limit)).to_bitmask() & used(block.count);
        let keys: [f32; 8] = keys.into();
        while open != 0 {
            // The nearest first, so that it may spare the others.
            let lanes = (0..8).filter(|lane| open >> lane & 1 == 1);
            let lane = lanes.min_by(|&x, &y| keys[x].total_cmp(&keys[y])).unwrap_or(0);
            open &= !(1 << lane);
            if keys[lane] >= self.limit {
                break;
            }
            if self.decide(a.primitive_number(pair.a, lane)).is_break() {
                let floor = f64::from(front.floor().min(pair.key)).sqrt() - self.margin - self.radii;
                self.goal.stopped(floor.max(0.0) / self.scale);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

/// All that a query needs, before the instruction set is chosen.
struct Run<'q, A, G: Goal> {
    a: &'q A,
    b: &'q Solid,
    a_from_b: &'q Pose,
    goal: &'q mut G,
    front: &'q mut G::Order,
    last: Option<u32>,
    forward: Similarity,
}

impl<A: PrimitiveBvhNodes, G: Goal> Vectorized for Run<'_, A, G> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        let frame = self.a.frame();
        let solid = self.b.shape().transformed(self.a_from_b);
        let stored = solid.stored(frame);
        let mut meeting = PrimitiveBvhPrimitiveTraversal {
            simd,
            a: self.a,
            is_sphere: matches!(solid, Primitive::Sphere(_)),
            solid,
            fixed: FixedPrimitive::new(&stored, || self.a.bounds(self.a.root()).center()),
            scale: frame.scale,
            // A sum is rounded.
            radii: (self.a.radius() * frame.scale + Convex::radius(&stored)) * (1.0 + 1e-15),
            margin: margin(&self.forward),
            rounding: moving_error(self.b.extent(), self.a_from_b),
            limit: f32::INFINITY,
            goal: self.goal,
        };
        meeting.update_limit();
        if self.last.is_some_and(|number| meeting.decide(number).is_break()) {
            return meeting.goal.stopped(0.0);
        }
        let roots = NodePair::new(self.a.root(), self.b.root());
        let _ = traverse(self.a, self.b, &mut meeting, self.front, &[roots]);
    }
}

/// Runs `goal` over a tree of solids and a solid, helped by what `cache` remembers.
pub fn traverse_primitive_bvh_and_primitive<A: PrimitiveBvh, G: Goal>(
    a: &A,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    mut warm_start: Option<&mut WarmStart>,
) {
    let forward = Similarity::between(a.frame(), a_from_b, b.frame());
    if !fits_lanes_of_a(&forward) {
        return traverse_primitive_bvhs(a, b, a_from_b, goal, workspace, warm_start);
    }
    let last = warm_start.as_deref_mut().and_then(|warm_start| warm_start.last_shapes(a.revision(), b.revision()));
    let last = last.map(|(number, _)| number);
    let limit = goal.limit();
    let a = &a.within(|| query_region(&Bounds::of_sphere(b.sphere().moved(a_from_b)), a_from_b, a.radius(), limit));
    if a.is_empty() {
        return;
    }
    let mut front: G::Order = workspace.take();
    vectorized(workspace.simd_level, Run { a, b, a_from_b, goal, front: &mut front, last, forward });
    workspace.put(front);
    if let Some(warm_start) = warm_start {
        warm_start.shapes = goal.remembered().or(warm_start.shapes);
    }
}
