//! A tree of solids against a single solid: the traversal of one tree in SIMD lanes.
//!
//! Keys are squared gaps between *cores*, in the tree's stored units, the margin not yet
//! subtracted; both radii are in the limit. The box around the core of a sphere is a point, for
//! which the bounds are exact: what is then decided in `f64` is what matters. Bodies that are too
//! far apart or too different in size for `f32` take the path of two trees.

use super::mesh_mesh::{Bvh8Lanes, fits_lanes_of_a, used};
use super::{Goal, LeafPair, traverse_primitive_bvhs};
use crate::Pose;
use crate::math::Similarity;
use crate::math::lanes::{F8, Lanes8};
use crate::pair::volume::box_block::box_keys;
use crate::pair::volume::obb_sphere_block::{FAR, NEAR, key_of, margin};
use crate::pair::volume::primitive_block::FixedPrimitive;
use crate::shape::{Convex, Primitive};
use crate::traversal::{Driver, InLanes, NodePair, Order, Placed, Query, Scratch, Search, WarmStart, Workspace};
use crate::tree::{Bounds, Geometry, PrimitiveBvh, PrimitiveBvhNodes, QueryRegion, Solid};
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

    /// The distance that a key proves.
    fn distance_of(&self, key: f32) -> f64 {
        (f64::from(key).sqrt() - self.margin - self.radii).max(0.0) / self.scale
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
    fn is_spent(&self) -> bool {
        self.goal.is_spent()
    }

    fn exhausted(&mut self, floor: f32) {
        self.goal.exhausted(self.distance_of(floor));
    }

    #[inline(always)]
    fn bound_a(&mut self, a: &A, _b: &Solid, pair: &NodePair) -> Bvh8Lanes<S> {
        let block = a.block(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += u64::from(block.count);
        let (keys, centers) = self.keys(&block);
        Bvh8Lanes::guessed::<G>(keys, centers, None, block.count)
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
                self.goal.stopped(self.distance_of(front.floor().min(pair.key)));
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }
}

impl<A: PrimitiveBvhNodes, S: Lanes8, G: Goal> Search<A, Solid> for PrimitiveBvhPrimitiveTraversal<'_, A, S, G> {
    #[inline(always)]
    fn stopped(&mut self, floor: f64) {
        self.goal.stopped(floor);
    }

    #[inline(always)]
    fn remembered(&self) -> Option<(u32, u32)> {
        self.goal.remembered()
    }

    #[inline(always)]
    fn try_shapes(&mut self, _a: &A, _b: &Solid, (number, _): (u32, u32)) -> ControlFlow<()> {
        self.decide(number)
    }
}

/// See [`PrimitiveBvhPrimitiveTraversal`].
struct PrimitiveBvhPrimitive;

impl<A: PrimitiveBvhNodes, G: Goal> InLanes<A, Solid, G> for PrimitiveBvhPrimitive {
    type Order = G::Order;
    type Search<'q, S: Lanes8>
        = PrimitiveBvhPrimitiveTraversal<'q, A, S, G>
    where
        A: 'q,
        G: 'q;

    #[inline(always)]
    fn prepare<'q, S: Lanes8>(
        simd: S,
        placed: Placed<'q, A, Solid, G>,
        _scratch: &'q mut Scratch,
    ) -> PrimitiveBvhPrimitiveTraversal<'q, A, S, G> {
        let Placed { a, b, a_from_b, goal, .. } = placed;
        let frame = a.frame();
        let solid = b.shape().transformed(a_from_b);
        let stored = solid.stored(frame);
        let mut search = PrimitiveBvhPrimitiveTraversal {
            simd,
            a,
            is_sphere: matches!(solid, Primitive::Sphere(_)),
            solid,
            fixed: FixedPrimitive::new(&stored, || a.bounds(a.root()).center()),
            scale: frame.scale,
            // A sum is rounded.
            radii: (a.radius() * frame.scale + Convex::radius(&stored)) * (1.0 + 1e-15),
            margin: margin(placed.stored),
            rounding: a_from_b.solid_error(b.extent()),
            limit: f32::INFINITY,
            goal,
        };
        search.update_limit();
        search
    }
}

/// Runs `goal` over a tree of solids and a solid, helped by what `warm_start` remembers.
pub fn traverse_primitive_bvh_and_primitive<A: PrimitiveBvh, G: Goal>(
    a: &A,
    b: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let stored = &Similarity::between(a.frame(), a_from_b, b.frame());
    if !fits_lanes_of_a(stored) {
        return traverse_primitive_bvhs(a, b, a_from_b, goal, workspace, warm_start);
    }
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    let limit = goal.limit();
    let around = || Bounds::of_sphere(b.sphere().moved(a_from_b));
    let a = &a.within(|| QueryRegion::around(&around(), a_from_b, a.radius(), limit));
    if !a.is_empty() {
        driver.run_in_lanes::<PrimitiveBvhPrimitive, _, _, _>(Placed { a, b, a_from_b, stored, goal });
    }
}
