//! A default mesh against a tree of solids: the traversal of both in SIMD lanes.
//!
//! Keys are squared gaps between the mesh and the solids' *cores*, in the mesh's stored units, the
//! margin not yet subtracted: the solids' radius is in the limit, which is then the key of the
//! goal's limit plus the radius. Two leaves meet in three steps: the triangles that are near to the
//! box around the solids, each of them against all solids at once, and what is then left in `f64`,
//! nearest first. Bodies that are too far apart or too different in size for `f32` take the path of
//! other meshes.

use super::mesh_mesh::{Bvh8Lanes, FAR_APART, fits_lanes_of_a, fits_lanes_of_b, used};
use super::{Goal, LeafPair, traverse_mesh_and_primitive_bvh};
use crate::math::Similarity;
use crate::math::lanes::{F8, Lanes8};
use crate::pair::shape::triangle_boxes::triangle_box_keys;
use crate::pair::shape::triangle_lanes::{self, T8};
use crate::pair::volume::box_block::box_keys;
use crate::pair::volume::obb_sphere_block::{
    FAR, FixedObbSphere, NEAR, NarrowMap, OVERLAP, block_keys, key_of, margin,
};
use crate::traversal::{Driver, InLanes, NodePair, Order, Placed, Query, Scratch, Search, WarmStart, Workspace};
use crate::tree::{Bounds, Bvh8, Geometry, Mesh, PrimitiveBvh, PrimitiveBvhNodes, QueryRegion, VolumeTree};
use crate::volume::BoxBlock;
use crate::{Pose, Triangle};
use fearless_simd::prelude::*;
use std::ops::ControlFlow;

struct MeshPrimitiveBvhTraversal<'q, B, S: Lanes8, G> {
    simd: S,
    a: &'q Mesh<Bvh8>,
    b: &'q B,
    a_from_b: &'q Pose,
    /// For blocks of A: boxes of B in A's stored frame.
    a_map: NarrowMap,
    /// For blocks of B.
    b_map: NarrowMap,
    /// Squared gaps in B's stored units times this are in A's.
    b_to_a_squared: f32,
    /// The geometry's unit in A's stored ones.
    scale: f64,
    /// Of the solids around their cores, in A's stored units.
    radius: f64,
    margin: f64,
    rounding: f64,
    /// The key of the goal's limit.
    limit: f32,
    goal: &'q mut G,
}

/// Triangles and solids that are still to be decided: key, triangle's lane, solid's lane.
struct Undecided {
    entries: [(f32, u8, u8); 64],
    count: usize,
}

impl Undecided {
    #[inline(always)]
    fn push(&mut self, key: f32, triangle: u8, solid: u8) {
        self.entries[self.count & 63] = (key, triangle, solid);
        self.count += 1;
    }

    /// Nearest first.
    #[inline(always)]
    fn sorted(&mut self) -> &[(f32, u8, u8)] {
        let entries = &mut self.entries[..self.count.min(64)];
        entries.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then((x.1, x.2).cmp(&(y.1, y.2))));
        entries
    }
}

impl<B: PrimitiveBvhNodes, S: Lanes8, G: Goal> MeshPrimitiveBvhTraversal<'_, B, S, G> {
    /// Takes over the goal's limit after it may have changed.
    #[inline(always)]
    fn update_limit(&mut self) {
        self.limit = key_of(self.goal.limit() * self.scale + self.radius, self.margin);
    }

    /// The distance that a key proves.
    fn distance_of(&self, key: f32) -> f64 {
        (f64::from(key).sqrt() - self.margin - self.radius).max(0.0) / self.scale
    }

    /// A triangle and a solid in `f64`.
    #[inline(never)]
    fn decide(&mut self, id: u32, triangle: &Triangle, number: u32) -> ControlFlow<()> {
        let Some(solid) = self.b.solid(number) else { return ControlFlow::Continue(()) };
        let pair = LeafPair { a: id, b: number, rounding: self.rounding };
        let flow = self.goal.meet(pair, triangle, &solid.transformed(self.a_from_b));
        self.update_limit();
        flow
    }

    /// Which bounds of a block count, given the key that it inherits and about the sum of the
    /// spheres' radii.
    #[inline(always)]
    fn bounds_of(&self, key: f32, radii: f32) -> u8 {
        if G::OVERLAP_ONLY && self.radius == 0.0 {
            OVERLAP
        } else if !G::OVERLAP_ONLY && key >= FAR_APART * radii * radii {
            FAR
        } else {
            NEAR
        }
    }

    #[inline(always)]
    fn count(&mut self, tests: u32) {
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += u64::from(tests);
    }

    #[inline(always)]
    fn leaf_tests(&mut self, pair: &NodePair) -> ControlFlow<()> {
        let simd = self.simd;
        let tree = self.a.hierarchy();
        let (leaf, first, count) = tree.leaf(pair.a);
        let triangles = triangle_lanes::load(simd, &leaf.lanes);
        let around = FixedObbSphere::aligned(simd, &self.b.bounds(pair.b), &self.a_map);
        let mut near = triangle_lanes::near_box(simd, &triangles, &around, self.limit) & used(count);
        if near == 0 {
            return ControlFlow::Continue(());
        }
        let [t0, t1, t2] = triangles;
        let in_b = [self.b_map.points(simd, t0), self.b_map.points(simd, t1), self.b_map.points(simd, t2)];
        let boxes = self.b.block(pair.b);
        let mut undecided = Undecided { entries: [(0.0, 0, 0); 64], count: 0 };
        while near != 0 {
            let lane = near.trailing_zeros() as u8;
            near &= near - 1;
            self.bound_triangle(&in_b, lane, &boxes, &mut undecided);
        }
        for &(key, triangle, lane) in undecided.sorted() {
            if key >= self.limit {
                break;
            }
            let id = tree.triangle_at(first + u32::from(triangle));
            let number = self.b.primitive_number(pair.b, usize::from(lane));
            self.decide(id, &self.a.tri_mesh().triangle(id), number)?;
        }
        ControlFlow::Continue(())
    }

    /// One triangle of a leaf against all solids of another.
    #[inline(always)]
    fn bound_triangle(&mut self, triangles: &T8<S>, lane: u8, boxes: &BoxBlock, undecided: &mut Undecided) {
        let simd = self.simd;
        let one = triangle_lanes::splat_lane(simd, triangles, lane);
        let keys = triangle_box_keys(simd, &one, boxes) * F8::splat(simd, self.b_to_a_squared);
        let keys = keys.min(F8::splat(simd, f32::MAX));
        let mut open = keys.simd_lt(F8::splat(simd, self.limit)).to_bitmask() & used(boxes.count);
        let keys: [f32; 8] = keys.into();
        while open != 0 {
            let solid = open.trailing_zeros() as usize & 7;
            open &= open - 1;
            undecided.push(keys[solid], lane, solid as u8);
        }
    }
}

impl<B: PrimitiveBvhNodes, S: Lanes8, G: Goal> Query<Mesh<Bvh8>, B> for MeshPrimitiveBvhTraversal<'_, B, S, G> {
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
    fn bound_a(&mut self, a: &Mesh<Bvh8>, b: &B, pair: &NodePair) -> Bvh8Lanes<S> {
        let simd = self.simd;
        let block = a.hierarchy().block(pair.a);
        self.count(block.count);
        let fixed = FixedObbSphere::aligned(simd, &b.bounds(pair.b), &self.a_map);
        let (keys, centers) = match self.bounds_of(pair.key, fixed.radius + block.radius[0]) {
            OVERLAP => block_keys::<S, OVERLAP>(simd, block, &fixed),
            NEAR => block_keys::<S, NEAR>(simd, block, &fixed),
            _ => block_keys::<S, FAR>(simd, block, &fixed),
        };
        Bvh8Lanes::guessed::<G>(keys, centers, None, block.count)
    }

    #[inline(always)]
    fn bound_b(&mut self, a: &Mesh<Bvh8>, b: &B, pair: &NodePair) -> Bvh8Lanes<S> {
        let simd = self.simd;
        let block = b.block(pair.b);
        self.count(block.count);
        let fixed = FixedObbSphere::new(simd, a.hierarchy().volume(pair.a), &self.b_map);
        let key = pair.key / self.b_to_a_squared;
        let (keys, centers) = match self.bounds_of(key, fixed.radius + block.half[0][0]) {
            OVERLAP => box_keys::<S, OVERLAP>(simd, &block, &fixed),
            NEAR => box_keys::<S, NEAR>(simd, &block, &fixed),
            _ => box_keys::<S, FAR>(simd, &block, &fixed),
        };
        Bvh8Lanes::guessed::<G>(keys, centers, Some(self.b_to_a_squared), block.count)
    }

    #[inline(always)]
    fn leaf(&mut self, _a: &Mesh<Bvh8>, _b: &B, pair: &NodePair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        let flow = self.leaf_tests(pair);
        if flow.is_break() {
            self.goal.stopped(self.distance_of(front.floor().min(pair.key)));
        }
        flow
    }
}

impl<B: PrimitiveBvhNodes, S: Lanes8, G: Goal> Search<Mesh<Bvh8>, B> for MeshPrimitiveBvhTraversal<'_, B, S, G> {
    #[inline(always)]
    fn stopped(&mut self, floor: f64) {
        self.goal.stopped(floor);
    }

    #[inline(always)]
    fn remembered(&self) -> Option<(u32, u32)> {
        self.goal.remembered()
    }

    #[inline(always)]
    fn try_shapes(&mut self, a: &Mesh<Bvh8>, _b: &B, (id, number): (u32, u32)) -> ControlFlow<()> {
        a.shape(id).map_or(ControlFlow::Continue(()), |triangle| self.decide(id, &triangle, number))
    }
}

/// See [`MeshPrimitiveBvhTraversal`].
struct MeshPrimitiveBvh;

impl<B: PrimitiveBvhNodes, G: Goal> InLanes<Mesh<Bvh8>, B, G> for MeshPrimitiveBvh {
    type Order = G::Order;
    type Search<'q, S: Lanes8>
        = MeshPrimitiveBvhTraversal<'q, B, S, G>
    where
        B: 'q,
        G: 'q;

    #[inline(always)]
    fn prepare<'q, S: Lanes8>(
        simd: S,
        placed: Placed<'q, Mesh<Bvh8>, B, G>,
        _scratch: &'q mut Scratch,
    ) -> MeshPrimitiveBvhTraversal<'q, B, S, G> {
        let Placed { a, b, a_from_b, stored, goal } = placed;
        let scale = a.hierarchy().frame().scale;
        let mut search = MeshPrimitiveBvhTraversal {
            simd,
            a,
            b,
            a_from_b,
            a_map: NarrowMap::new(stored),
            b_map: NarrowMap::new(&stored.inverse()),
            b_to_a_squared: (stored.scale * stored.scale) as f32,
            scale,
            radius: b.radius() * scale,
            margin: margin(stored),
            rounding: a_from_b.solid_error(b.extent()),
            limit: f32::INFINITY,
            goal,
        };
        search.update_limit();
        search
    }
}

/// Runs `goal` over a default mesh and a tree of solids, helped by what `warm_start` remembers.
pub fn traverse_bvh8_and_primitive_bvh<B: PrimitiveBvh, G: Goal>(
    a: &Mesh<Bvh8>,
    b: &B,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let stored = &Similarity::between(a.hierarchy().frame(), a_from_b, b.frame());
    if !(fits_lanes_of_a(stored) && fits_lanes_of_b(stored)) {
        return traverse_mesh_and_primitive_bvh(a, b, a_from_b, goal, workspace, warm_start);
    }
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    let limit = goal.limit();
    let b = &b.within(|| {
        let b_from_a = a_from_b.inverse();
        QueryRegion::around(&Bounds::of(a).moved(&b_from_a), &b_from_a, b.radius(), limit)
    });
    if !b.is_empty() {
        driver.run_in_lanes::<MeshPrimitiveBvh, _, _, _>(Placed { a, b, a_from_b, stored, goal });
    }
}
