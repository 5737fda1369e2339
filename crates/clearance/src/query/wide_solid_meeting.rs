//! A simple solid against a default mesh: the descent of one wide tree in SIMD lanes.
//!
//! As in `wide_meeting.rs`, keys are squared gaps in the mesh's stored units, the margin not yet subtracted. The triangles of a leaf are
//! bounded eight at a time against the box of the solid's core; what may matter is decided in `f64`, and the next ones only after
//! another look with the limit that follows. Bodies that are too far apart or too different in size for `f32` take the path of
//! other meshes.

use super::solid_meeting::{meet_mesh_and_solid, moving_error};
use super::wide_meeting::{WideLanes, fits_lanes_of_a, used};
use super::{Goal, LeafPair};
use crate::descent::{Order, Pair, PairCache, Query, Workspace, descend};
use crate::math::Similarity;
use crate::math::lanes::{F8, Lanes8, Vectorized, vectorized};
use crate::pair::shape::triangle_lanes;
use crate::pair::volume::obb_sphere_block::{key_of, margin};
use crate::pair::volume::solid_block::{FixedSolid, solid_keys};
use crate::shape::{Convex, Primitive};
use crate::tree::{Geometry, Mesh, Solid, Tree, VolumeTree, Wide};
use crate::volume::Volume;
use crate::{Pose, Triangle};
use fearless_simd::prelude::*;
use std::ops::ControlFlow;

struct WideSolidMeeting<'q, S: Lanes8, G> {
    simd: S,
    mesh: &'q Mesh<Wide>,
    /// In the mesh's frame.
    solid: Primitive,
    /// In the mesh's stored frame.
    stored: Primitive,
    /// The mesh's unit in its stored ones.
    scale: f64,
    margin: f64,
    rounding: f64,
    /// The key of the goal's limit.
    limit: f32,
    /// The key of the goal's limit for the solid's core.
    core_limit: f32,
    goal: &'q mut G,
}

impl<S: Lanes8, G: Goal> WideSolidMeeting<'_, S, G> {
    /// Takes over the goal's limit after it may have changed.
    #[inline(always)]
    fn update_limit(&mut self) {
        let limit = self.goal.limit() * self.scale;
        self.limit = key_of(limit, self.margin);
        self.core_limit = key_of(limit + Convex::radius(&self.stored), self.margin);
    }

    /// A triangle and the solid in `f64`.
    #[inline(never)]
    fn decide(&mut self, id: u32, triangle: &Triangle) -> ControlFlow<()> {
        let flow = self.goal.meet(LeafPair { a: id, b: 0, rounding: self.rounding }, triangle, &self.solid);
        self.update_limit();
        flow
    }
}

impl<S: Lanes8, G: Goal> Query<Mesh<Wide>, Solid> for WideSolidMeeting<'_, S, G> {
    type Lanes = WideLanes<S>;
    type Order = G::Order;
    const TWO_IN_FLIGHT: bool = G::OVERLAP_ONLY;

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn bound_a(&mut self, a: &Mesh<Wide>, _b: &Solid, pair: &Pair) -> WideLanes<S> {
        let simd = self.simd;
        let block = a.hierarchy().block(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += u64::from(block.count);
        let fixed = FixedSolid::new(&self.stored, || a.hierarchy().volume(pair.a).center());
        let (keys, centers) = solid_keys::<S>(simd, block, &fixed, G::OVERLAP_ONLY);
        // Among lanes that overlap the solid, near centres are the better guess, as in `wide_meeting.rs`.
        let guesses = centers.mul_add(F8::splat(simd, if G::OVERLAP_ONLY { 1.0 } else { 0.05 }), keys);
        WideLanes::new(keys, guesses, block.count)
    }

    #[inline(always)]
    fn bound_b(&mut self, a: &Mesh<Wide>, b: &Solid, pair: &Pair) -> WideLanes<S> {
        // Never asked for: the solid is a leaf. What it would be is what the other side is.
        self.bound_a(a, b, pair)
    }

    #[inline(always)]
    fn leaf(&mut self, a: &Mesh<Wide>, _b: &Solid, pair: &Pair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        let tree = a.hierarchy();
        let (leaf, first, count) = tree.leaf(pair.a);
        let triangles = triangle_lanes::load(self.simd, &leaf.lanes);
        let fixed = FixedSolid::new(&self.stored, || tree.volume(pair.a).center());
        let mut open = used(count);
        let mut seen_limit = f32::NAN;
        loop {
            if seen_limit != self.core_limit {
                seen_limit = self.core_limit;
                open &= triangle_lanes::near_box(self.simd, &triangles, &fixed.core, seen_limit);
                // A box is its own box, so that few triangles pass all directions without touching it.
                if open != 0 && matches!(self.stored, Primitive::Cuboid(_)) {
                    open &= triangle_lanes::near_box_edges(self.simd, &triangles, &fixed.core, seen_limit);
                }
            }
            if open == 0 {
                return ControlFlow::Continue(());
            }
            let id = tree.triangle_at(first + open.trailing_zeros());
            open &= open - 1;
            if self.decide(id, &self.mesh.soup().triangle(id)).is_break() {
                let floor = f64::from(front.floor().min(pair.key)).sqrt() - self.margin;
                self.goal.stopped(floor.max(0.0) / self.scale);
                return ControlFlow::Break(());
            }
        }
    }
}

/// All that a query needs, before the instruction set is chosen.
struct Run<'q, G: Goal> {
    mesh: &'q Mesh<Wide>,
    solid: &'q Solid,
    a_from_b: &'q Pose,
    goal: &'q mut G,
    front: &'q mut G::Order,
    last: Option<u32>,
    forward: Similarity,
}

impl<G: Goal> Vectorized for Run<'_, G> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        let frame = self.mesh.hierarchy().frame();
        let solid = self.solid.shape().transformed(self.a_from_b);
        let mut meeting = WideSolidMeeting {
            simd,
            mesh: self.mesh,
            stored: solid.stored(frame),
            solid,
            scale: frame.scale,
            margin: margin(&self.forward),
            rounding: moving_error(self.solid.extent(), self.a_from_b),
            limit: f32::INFINITY,
            core_limit: f32::INFINITY,
            goal: self.goal,
        };
        meeting.update_limit();
        if let Some((id, triangle)) = self.last.and_then(|id| Some((id, self.mesh.shape(id)?)))
            && meeting.decide(id, &triangle).is_break()
        {
            return meeting.goal.stopped(0.0);
        }
        let roots = Pair::new(self.mesh.root(), self.solid.root());
        let _ = descend(self.mesh, self.solid, &mut meeting, self.front, &[roots]);
    }
}

/// Runs `goal` over a default mesh and a solid, helped by what `cache` remembers.
pub fn meet_wide_and_solid<G: Goal>(
    mesh: &Mesh<Wide>,
    solid: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    mut cache: Option<&mut PairCache>,
) {
    let forward = Similarity::between(mesh.hierarchy().frame(), a_from_b, solid.frame());
    if !fits_lanes_of_a(&forward) {
        return meet_mesh_and_solid(mesh, solid, a_from_b, goal, workspace, cache);
    }
    let last = cache.as_deref_mut().and_then(|cache| cache.last_shapes(mesh.revision(), solid.revision()));
    let last = last.map(|(id, _)| id);
    let mut front: G::Order = workspace.take();
    let run = Run { mesh, solid, a_from_b, goal, front: &mut front, last, forward };
    vectorized(workspace.simd_level, run);
    workspace.put(front);
    if let Some(cache) = cache {
        cache.shapes = goal.remembered().or(cache.shapes);
    }
}
