//! The nearest triangle of a point, and the triangles in a box, under the default hierarchy of
//! meshes.
//!
//! Bounds in `f32` rule out boxes and triangles by a derived margin
//! ([`crate::pair::volume::point_block`], [`crate::pair::shape::point_lanes`]); `f64` and exact
//! predicates decide.

use super::surface::NearestTriangle;
use crate::TriMesh;
use crate::math::lanes::{F8, Lanes8, SimdLevel, V8, Vectorized, vectorized};
use crate::math::{DVec3, f32_above};
use crate::pair::shape::point_lanes::point_bounds;
use crate::pair::shape::triangle_lanes::load;
use crate::pair::volume::point_block::{beside_box, margin, squared_gaps};
use crate::tree::Node;
use crate::tree::bvh8::{Bvh8Tree, Waiting, only};
use fearless_simd::prelude::*;
use smallvec::SmallVec;

/// Points farther away than so many times the mesh's size are left to `f64`.
const FARTHEST: f64 = 1e4;

/// The nearest triangle, and the leaf that has it; `None` where the point is too far away or the
/// tree too deep for lanes. `near` is a leaf that may be near to the point: it saves time and
/// changes no answer.
pub(super) fn nearest_in_bvh8(
    tree: &Bvh8Tree,
    mesh: &TriMesh,
    point: DVec3,
    near: Option<Node>,
) -> Option<(NearestTriangle, Node)> {
    let stored = tree.frame().store(point);
    if stored.abs().max_element() > FARTHEST {
        return None;
    }
    vectorized(SimdLevel::Best, Nearest { tree, mesh, point, stored, near })
}

struct Nearest<'p> {
    tree: &'p Bvh8Tree,
    mesh: &'p TriMesh,
    point: DVec3,
    stored: DVec3,
    near: Option<Node>,
}

/// Nodes on the way down from the root. Hierarchies of two billion triangles have 11 levels; those
/// from files may have more, and are left to `f64`.
const MAX_DEPTH: usize = 16;

/// The triangles of a leaf that was visited: lower bounds in stored units, margins not subtracted,
/// infinite for unused lanes.
#[derive(Clone, Copy)]
#[repr(C, align(32))]
struct Visited {
    lowers: [f32; 8],
    key: f32,
    node: Node,
}

/// A triangle that may be the nearest.
#[derive(Clone, Copy)]
struct Candidate {
    lower: f32,
    id: u32,
    node: Node,
}

impl Vectorized for Nearest<'_> {
    type Output = Option<(NearestTriangle, Node)>;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Self::Output {
        let margin = f32_above(margin(self.stored));
        let lanes = V8::splat(simd, self.stored.as_vec3().to_array());
        let mut limit = Limit::new(margin);
        let mut opened = [Waiting::NONE; MAX_DEPTH];
        let mut depth = 0;
        let mut visited: SmallVec<[Visited; 8]> = SmallVec::new();
        if let Some(node) = self.near {
            limit.lower(self.leaf(simd, lanes, node).0.reduce_min().sqrt(), 1.0);
        }
        let (mut node, mut key) = (self.tree.root(), 0.0);
        'all: loop {
            if Bvh8Tree::is_leaf(node) {
                let (upper, lowers) = self.leaf(simd, lanes, node);
                limit.lower(upper.reduce_min().sqrt(), 1.0);
                visited.push(Visited { lowers: lowers.into(), key, node });
            } else {
                let block = self.tree.block(node);
                let (keys, farthest) = squared_gaps(simd, block, lanes);
                // Until a leaf says more.
                if visited.is_empty() {
                    limit.lower(farthest.reduce_min(), 2.0);
                }
                let keys = keys.max(F8::splat(simd, key));
                let met = keys.simd_le(F8::splat(simd, limit.key)).to_bitmask() & (0xff >> (8 - block.count));
                if met != 0 {
                    let waiting;
                    (key, node, waiting) = Waiting::behind_nearest(simd, keys, met, block);
                    if !waiting.is_empty() {
                        if depth == MAX_DEPTH {
                            return None;
                        }
                        opened[depth] = waiting;
                        depth += 1;
                    }
                    continue;
                }
            }
            loop {
                if depth == 0 {
                    break 'all;
                }
                let last = &mut opened[depth - 1];
                (key, node) = last.take(simd);
                if key > limit.key || last.is_empty() {
                    depth -= 1;
                }
                if key <= limit.key {
                    break;
                }
            }
        }
        Some(self.decide(simd, &visited, &limit))
    }
}

impl Nearest<'_> {
    /// Squared upper bounds of the triangles of a leaf, and lower bounds; infinite for unused
    /// lanes.
    #[inline(always)]
    fn leaf<S: Lanes8>(&self, simd: S, point: V8<S>, node: Node) -> (F8<S>, F8<S>) {
        let (triangles, _, count) = self.tree.leaf(node);
        let bounds = point_bounds(simd, &load(simd, &triangles.lanes), point);
        (bounds.upper, only(simd, bounds.lower, 0xff >> (8 - count)))
    }

    /// Decides in `f64` between the triangles of all leaves that were visited.
    #[inline(always)]
    fn decide<S: Lanes8>(&self, simd: S, visited: &[Visited], limit: &Limit) -> (NearestTriangle, Node) {
        let mut candidates: SmallVec<[Candidate; 16]> = SmallVec::new();
        for &Visited { lowers, key, node } in visited {
            if key > limit.key {
                continue;
            }
            let first = self.tree.volume(node).place.first;
            let in_lanes: F8<S> = lowers.simd_into(simd);
            let mut met = in_lanes.simd_le(F8::splat(simd, limit.reach)).to_bitmask();
            while met != 0 {
                let lane = met.trailing_zeros();
                met &= met - 1;
                let id = self.tree.triangle_at(first + lane);
                candidates.push(Candidate { lower: lowers[lane as usize & 7], id, node });
            }
        }
        candidates.sort_unstable_by(|a, b| a.lower.total_cmp(&b.lower).then(a.id.cmp(&b.id)));
        let (mut nearest, mut leaf) = (NearestTriangle::default(), 0);
        for Candidate { lower, id, node } in candidates {
            // The others are farther, as their lower bounds are.
            if lower > above(f32_above(nearest.upper * self.tree.frame().scale) + limit.margin) {
                break;
            }
            if nearest.offer(self.point, &self.mesh.triangle(id), id) {
                leaf = node;
            }
        }
        (nearest, leaf)
    }
}

/// How far the nearest triangle is at most.
struct Limit {
    margin: f32,
    /// The nearest triangle is not farther than this.
    within: f32,
    /// Triangles with lower bounds beyond this are farther.
    reach: f32,
    /// Boxes with keys beyond this are farther.
    key: f32,
}

impl Limit {
    #[inline(always)]
    fn new(margin: f32) -> Self {
        Self { margin, within: f32::INFINITY, reach: f32::INFINITY, key: f32::MAX }
    }

    /// There is a triangle at a distance of at most `upper`, up to so many margins.
    #[inline(always)]
    fn lower(&mut self, upper: f32, margins: f32) {
        self.within = self.within.min(above(upper + margins * self.margin));
        self.reach = above(self.within + self.margin);
        self.key = above(self.reach * self.reach).min(f32::MAX);
    }
}

/// A number that is not below the exact result of an operation whose result was rounded to this.
#[inline(always)]
fn above(x: f32) -> f32 {
    x * (1.0 + f32::EPSILON)
}

/// Visits the triangles that may meet a box, and some others; the box may be infinite. Returns
/// whether it did, which is not so where the box starts too far away for lanes.
pub(super) fn visit_in_bvh8(tree: &Bvh8Tree, low: DVec3, high: DVec3, visit: impl FnMut(u32)) -> bool {
    let (low, high) = (tree.frame().store(low), tree.frame().store(high));
    let near = low.abs().max_element() <= FARTHEST;
    if near {
        vectorized(SimdLevel::Best, InBox { tree, low, high, visit });
    }
    near
}

struct InBox<'p, F> {
    tree: &'p Bvh8Tree,
    low: DVec3,
    high: DVec3,
    visit: F,
}

impl<F: FnMut(u32)> Vectorized for InBox<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(mut self, simd: S) {
        // Coordinates beyond this are beyond the mesh.
        let margin = f32_above(margin(self.low.abs().max(self.high.abs().min(DVec3::splat(2.0)))));
        let margins = F8::splat(simd, margin);
        let [low, high] = [self.low, self.high].map(|at| V8::splat(simd, at.as_vec3().to_array()));
        // Children to visit of each node on the way down: their lanes, and the first one's number.
        let mut waiting: SmallVec<[(u64, Node); 12]> = SmallVec::new();
        waiting.push((1, self.tree.root()));
        while let Some((left, first)) = waiting.last_mut() {
            let node = *first + left.trailing_zeros();
            *left &= *left - 1;
            if *left == 0 {
                waiting.pop();
            }
            if Bvh8Tree::is_leaf(node) {
                let (triangles, first, count) = self.tree.leaf(node);
                let t = load(simd, &triangles.lanes);
                let beside = |k: usize| {
                    let least = t[0].0[k].min(t[1].0[k]).min(t[2].0[k]);
                    let greatest = t[0].0[k].max(t[1].0[k]).max(t[2].0[k]);
                    (least - high.0[k]).max(low.0[k] - greatest)
                };
                let beside = beside(0).max(beside(1)).max(beside(2));
                let mut met = beside.simd_le(margins).to_bitmask() & (0xff >> (8 - count));
                while met != 0 {
                    (self.visit)(self.tree.triangle_at(first + met.trailing_zeros()));
                    met &= met - 1;
                }
            } else {
                let block = self.tree.block(node);
                let met =
                    beside_box(simd, block, low, high).simd_le(margins).to_bitmask() & (0xff >> (8 - block.count));
                if met != 0 {
                    waiting.push((met, block.first));
                }
            }
        }
    }
}
