//! A ray against the default hierarchy of meshes, eight children and eight triangles at a time.
//!
//! Kernels in `f32` rule out boxes ([`crate::pair::volume::ray_block`]) and triangles
//! ([`crate::pair::shape::ray_lanes`]) with a derived margin; [`ray_hit`] decides the others
//! exactly. So the answer depends neither on the instruction set nor on the order of nodes.

use crate::math::lanes::{Lanes8, SimdLevel, Vectorized, vectorized};
use crate::math::unit;
use crate::pair::shape::ray_hit;
use crate::pair::shape::ray_lanes::Shear;
use crate::pair::volume::ray_block::{RayLanes, StoredRay};
use crate::shape::{Ray, RayGoal, RayHit};
use crate::tree::Node;
use crate::tree::bvh8::{Bvh8Tree, Waiting};
use crate::{TriMesh, Triangle};
use smallvec::SmallVec;

/// Offers the hits of a ray to a goal.
pub(in crate::tree) fn cast_at_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, ray: &Ray, goal: &mut RayGoal) {
    if let Some(stored) = StoredRay::new(ray, tree.frame(), goal.max_t()) {
        vectorized(SimdLevel::Best, Cast { tree, mesh, ray, stored, goal });
    }
}

/// The first hits of many rays, in their order.
pub(in crate::tree) fn first_hits_at_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, rays: &[Ray]) -> Vec<Option<RayHit>> {
    vectorized(SimdLevel::Best, FirstHits { tree, mesh, rays })
}

struct FirstHits<'c> {
    tree: &'c Bvh8Tree,
    mesh: &'c TriMesh,
    rays: &'c [Ray],
}

impl Vectorized for FirstHits<'_> {
    type Output = Vec<Option<RayHit>>;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Self::Output {
        let Self { tree, mesh, rays } = self;
        let mut hits = Vec::with_capacity(rays.len());
        for ray in rays {
            let mut goal = RayGoal::first(ray);
            if let Some(stored) = StoredRay::new(ray, tree.frame(), goal.max_t()) {
                Cast { tree, mesh, ray, stored, goal: &mut goal }.run(simd);
            }
            hits.push(goal.into_first());
        }
        hits
    }
}

struct Cast<'c> {
    tree: &'c Bvh8Tree,
    mesh: &'c TriMesh,
    ray: &'c Ray,
    stored: StoredRay,
    goal: &'c mut RayGoal,
}

impl Vectorized for Cast<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(mut self, simd: S) {
        let lanes = RayLanes::new(simd, &self.stored);
        // Most rays that miss meet no leaf.
        let mut shear = None;
        let mut limit = self.stored.length;
        // Hierarchies of two billion triangles have 11 levels.
        let mut waiting: SmallVec<[Waiting; 12]> = SmallVec::new();
        let mut node = self.tree.root();
        loop {
            if Bvh8Tree::is_leaf(node) {
                let shear = shear.get_or_insert_with(|| Shear::new(&self.stored));
                self.leaf(simd, node, shear, &mut limit);
                if self.goal.is_done() {
                    return;
                }
            } else {
                let block = self.tree.block(node);
                let (met, near) = lanes.enters(simd, block, limit);
                if met != 0 {
                    let others;
                    (_, node, others) = Waiting::behind_nearest(simd, near, met, block);
                    if !others.is_empty() {
                        waiting.push(others);
                    }
                    continue;
                }
            }
            loop {
                let Some(last) = waiting.last_mut() else { return };
                let key;
                (key, node) = last.take(simd);
                if key > limit || last.is_empty() {
                    waiting.pop();
                }
                if key <= limit {
                    break;
                }
            }
        }
    }
}

impl Cast<'_> {
    #[inline(always)]
    fn leaf<S: Lanes8>(&mut self, simd: S, node: Node, shear: &Shear, limit: &mut f32) {
        let (triangles, first, count) = self.tree.leaf(node);
        // Loaded while the lanes are at work.
        let ids = self.tree.triangles_from(first);
        let mut met = shear.may_hit(simd, &triangles.lanes, *limit) & (0xff >> (8 - count));
        while met != 0 {
            let lane = met.trailing_zeros();
            let id = ids.map_or_else(|| self.tree.triangle_at(first + lane), |ids| ids[lane as usize & 7]);
            met &= met - 1;
            let triangle = self.mesh.triangle(id);
            if let Some(t) = ray_hit(self.ray, &triangle)
                && t <= self.goal.max_t()
            {
                self.goal.offer(hit_of(self.ray, t, &triangle, id));
                *limit = self.stored.length.min(self.stored.parameter(self.goal.max_t()));
                if self.goal.is_done() {
                    return;
                }
            }
        }
    }
}

/// The hit of a triangle. A degenerate one has no normal: it looks back along the ray.
pub(super) fn hit_of(ray: &Ray, t: f64, triangle: &Triangle, id: u32) -> RayHit {
    let normal = unit(triangle.scaled_normal()).or_else(|| unit(-ray.scaled()));
    RayHit::new(ray, t, normal.unwrap_or(-ray.scaled()), id)
}
