//! A simple solid against a default mesh: the traversal of one wide tree in SIMD lanes.
//!
//! As in `mesh_mesh.rs`, keys are squared gaps in the mesh's stored units, the margin not yet
//! subtracted. The triangles of a leaf are bounded eight at a time against the box of the solid's
//! core; what may matter is decided in `f64`, and the next ones only after another look with the
//! limit that follows. Bodies that are too far apart or too different in size for `f32` take the
//! path of other meshes.

use super::mesh_mesh::{Bvh8Lanes, fits_lanes_of_a, used};
use super::{Goal, LeafPair, traverse_mesh_and_primitive};
use crate::math::Similarity;
use crate::math::lanes::Lanes8;
use crate::pair::shape::triangle_lanes;
use crate::pair::volume::obb_sphere_block::{key_of, margin};
use crate::pair::volume::primitive_block::{FixedPrimitive, solid_keys};
use crate::shape::{Convex, Primitive};
use crate::traversal::{Driver, InLanes, NodePair, Order, Placed, Query, Scratch, Search, WarmStart, Workspace};
use crate::tree::{Bvh8, Geometry, Mesh, Solid, VolumeTree};
use crate::volume::Volume;
use crate::{Pose, Triangle};
use std::ops::ControlFlow;

struct MeshPrimitiveTraversal<'q, S: Lanes8, G> {
    simd: S,
    mesh: &'q Mesh<Bvh8>,
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

impl<S: Lanes8, G: Goal> MeshPrimitiveTraversal<'_, S, G> {
    /// Takes over the goal's limit after it may have changed.
    #[inline(always)]
    fn update_limit(&mut self) {
        let limit = self.goal.limit() * self.scale;
        self.limit = key_of(limit, self.margin);
        self.core_limit = key_of(limit + Convex::radius(&self.stored), self.margin);
    }

    /// The distance that a key proves.
    fn distance_of(&self, key: f32) -> f64 {
        (f64::from(key).sqrt() - self.margin).max(0.0) / self.scale
    }

    /// A triangle and the solid in `f64`.
    #[inline(never)]
    fn decide(&mut self, id: u32, triangle: &Triangle) -> ControlFlow<()> {
        let flow = self.goal.meet(LeafPair { a: id, b: 0, rounding: self.rounding }, triangle, &self.solid);
        self.update_limit();
        flow
    }
}

impl<S: Lanes8, G: Goal> Query<Mesh<Bvh8>, Solid> for MeshPrimitiveTraversal<'_, S, G> {
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
    fn bound_a(&mut self, a: &Mesh<Bvh8>, _b: &Solid, pair: &NodePair) -> Bvh8Lanes<S> {
        let simd = self.simd;
        let block = a.hierarchy().block(pair.a);
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += u64::from(block.count);
        let fixed = FixedPrimitive::new(&self.stored, || a.hierarchy().volume(pair.a).center());
        let (keys, centers) = solid_keys::<S>(simd, block, &fixed, G::OVERLAP_ONLY);
        Bvh8Lanes::guessed::<G>(keys, centers, None, block.count)
    }

    #[inline(always)]
    fn bound_b(&mut self, a: &Mesh<Bvh8>, b: &Solid, pair: &NodePair) -> Bvh8Lanes<S> {
        // Never asked for: the solid is a leaf. What it would be is what the other side is.
        self.bound_a(a, b, pair)
    }

    #[inline(always)]
    fn leaf(&mut self, a: &Mesh<Bvh8>, _b: &Solid, pair: &NodePair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        let tree = a.hierarchy();
        let (leaf, first, count) = tree.leaf(pair.a);
        let triangles = triangle_lanes::load(self.simd, &leaf.lanes);
        let fixed = FixedPrimitive::new(&self.stored, || tree.volume(pair.a).center());
        let mut open = used(count);
        let mut seen_limit = f32::NAN;
        loop {
            if seen_limit != self.core_limit {
                seen_limit = self.core_limit;
                open &= triangle_lanes::near_box(self.simd, &triangles, &fixed.core, seen_limit);
                // A box is its own box, so that few triangles pass all directions without touching
                // it.
                if open != 0 && matches!(self.stored, Primitive::Cuboid(_)) {
                    open &= triangle_lanes::near_box_edges(self.simd, &triangles, &fixed.core, seen_limit);
                }
            }
            if open == 0 {
                return ControlFlow::Continue(());
            }
            let id = tree.triangle_at(first + open.trailing_zeros());
            open &= open - 1;
            if self.decide(id, &self.mesh.tri_mesh().triangle(id)).is_break() {
                self.goal.stopped(self.distance_of(front.floor().min(pair.key)));
                return ControlFlow::Break(());
            }
        }
    }
}

impl<S: Lanes8, G: Goal> Search<Mesh<Bvh8>, Solid> for MeshPrimitiveTraversal<'_, S, G> {
    #[inline(always)]
    fn stopped(&mut self, floor: f64) {
        self.goal.stopped(floor);
    }

    #[inline(always)]
    fn remembered(&self) -> Option<(u32, u32)> {
        self.goal.remembered()
    }

    #[inline(always)]
    fn try_shapes(&mut self, a: &Mesh<Bvh8>, _b: &Solid, (id, _): (u32, u32)) -> ControlFlow<()> {
        a.shape(id).map_or(ControlFlow::Continue(()), |triangle| self.decide(id, &triangle))
    }
}

/// See [`MeshPrimitiveTraversal`].
struct MeshPrimitive;

impl<G: Goal> InLanes<Mesh<Bvh8>, Solid, G> for MeshPrimitive {
    type Order = G::Order;
    type Search<'q, S: Lanes8>
        = MeshPrimitiveTraversal<'q, S, G>
    where
        G: 'q;

    #[inline(always)]
    fn prepare<'q, S: Lanes8>(
        simd: S,
        placed: Placed<'q, Mesh<Bvh8>, Solid, G>,
        _scratch: &'q mut Scratch,
    ) -> MeshPrimitiveTraversal<'q, S, G> {
        let frame = placed.a.hierarchy().frame();
        let solid = placed.b.shape().transformed(placed.a_from_b);
        let mut search = MeshPrimitiveTraversal {
            simd,
            mesh: placed.a,
            stored: solid.stored(frame),
            solid,
            scale: frame.scale,
            margin: margin(placed.stored),
            rounding: placed.a_from_b.solid_error(placed.b.extent()),
            limit: f32::INFINITY,
            core_limit: f32::INFINITY,
            goal: placed.goal,
        };
        search.update_limit();
        search
    }
}

/// Runs `goal` over a default mesh and a solid, helped by what `warm_start` remembers.
pub fn traverse_bvh8_and_primitive<G: Goal>(
    mesh: &Mesh<Bvh8>,
    solid: &Solid,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let stored = &Similarity::between(mesh.hierarchy().frame(), a_from_b, solid.frame());
    if !fits_lanes_of_a(stored) {
        return traverse_mesh_and_primitive(mesh, solid, a_from_b, goal, workspace, warm_start);
    }
    let driver = Driver { workspace, warm_start, revisions: (mesh.revision(), solid.revision()) };
    driver.run_in_lanes::<MeshPrimitive, _, _, _>(Placed { a: mesh, b: solid, a_from_b, stored, goal });
}
