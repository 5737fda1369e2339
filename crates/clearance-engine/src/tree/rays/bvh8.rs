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
use crate::tree::bvh8::Bvh8Tree;
use crate::{TriMesh, Triangle};
use smallvec::SmallVec;

/// Offers the hits of a ray to a goal.
pub(in crate::tree) fn cast_at_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, ray: &Ray, goal: &mut RayGoal) {
    if let Some(stored) = StoredRay::new(ray, tree.frame(), goal.max_t()) {
        vectorized(SimdLevel::Best, Cast { tree, mesh, ray, stored, goal });
    }
}

struct Cast<'c> {
    tree: &'c Bvh8Tree,
    mesh: &'c TriMesh,
    ray: &'c Ray,
    stored: StoredRay,
    goal: &'c mut RayGoal,
}

/// Nodes to visit, and where the ray enters them at the earliest. A node leaves up to seven others
/// behind; 64 are enough for two million triangles.
type Waiting = SmallVec<[(f32, Node); 64]>;

impl Vectorized for Cast<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(mut self, simd: S) {
        let lanes = RayLanes::new(simd, &self.stored);
        let shear = Shear::new(&self.stored);
        let mut limit = self.stored.length;
        let mut waiting = Waiting::new();
        let mut node = self.tree.root();
        loop {
            if Bvh8Tree::is_leaf(node) {
                self.leaf(simd, node, &shear, &mut limit);
                if self.goal.is_done() {
                    return;
                }
            } else {
                let block = self.tree.block(node);
                let (met, near) = lanes.enters(simd, block, limit);
                if met != 0 {
                    node = nearest_first(met, &near.into(), block.first, &mut waiting);
                    continue;
                }
            }
            node = loop {
                match waiting.pop() {
                    Some((near, node)) if near <= limit => break node,
                    Some(_) => {}
                    None => return,
                }
            };
        }
    }
}

/// Returns the child with the least key, and lets the others wait, the farthest below.
#[inline(always)]
fn nearest_first(mut met: u64, near: &[f32; 8], first: Node, waiting: &mut Waiting) -> Node {
    let mut next = || {
        let lane = met.trailing_zeros();
        met &= met - 1;
        (met, (near[lane as usize & 7], first + lane))
    };
    let (left, mut best) = next();
    if left == 0 {
        return best.1;
    }
    let from = waiting.len();
    loop {
        let (left, mut other) = next();
        if other.0 < best.0 {
            std::mem::swap(&mut other, &mut best);
        }
        waiting.push(other);
        if left == 0 {
            break;
        }
    }
    let others = &mut waiting[from..];
    if others.len() > 1 {
        others.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    }
    best.1
}

impl Cast<'_> {
    #[inline(always)]
    fn leaf<S: Lanes8>(&mut self, simd: S, node: Node, shear: &Shear, limit: &mut f32) {
        let (triangles, first, count) = self.tree.leaf(node);
        let size = self.tree.volume(node).radius;
        let mut met = shear.may_hit(simd, &triangles.lanes, size, *limit) & (0xff >> (8 - count));
        while met != 0 {
            let id = self.tree.triangle_at(first + met.trailing_zeros());
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
