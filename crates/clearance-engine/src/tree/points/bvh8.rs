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
use crate::tree::turns::{Batch, Slots, TOGETHER, in_turns};
use fearless_simd::prelude::*;
use smallvec::SmallVec;

/// Points farther away than so many times the mesh's size are left to `f64`.
const FARTHEST: f64 = 1e4;

/// The nearest triangle; `None` where the point is too far away or the tree too deep for lanes.
pub(super) fn nearest_in_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, point: DVec3) -> Option<NearestTriangle> {
    vectorized(SimdLevel::Best, Single { tree, mesh, point })
}

/// The nearest triangles of many points, as [`nearest_in_bvh8`] has them: `found` gets the number of
/// each point and its triangle, in any order. It is faster where neighbours follow each other.
pub(super) fn all_nearest_in_bvh8(
    tree: &Bvh8Tree,
    mesh: &TriMesh,
    points: &[DVec3],
    found: impl FnMut(usize, Option<NearestTriangle>),
) {
    vectorized(SimdLevel::Best, AllNearest { tree, mesh, points, found });
}

struct Single<'p> {
    tree: &'p Bvh8Tree,
    mesh: &'p TriMesh,
    point: DVec3,
}

impl Vectorized for Single<'_> {
    type Output = Option<NearestTriangle>;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Self::Output {
        let Self { tree, mesh, point } = self;
        let mut search = Search::new(point, tree, None)?;
        loop {
            let goes_on = if Bvh8Tree::is_leaf(search.node) {
                search.look(simd, tree);
                search.go_back(simd)
            } else {
                let keys = search.open(simd, tree);
                search.go_on(simd, tree, keys)
            };
            if !goes_on {
                break;
            }
        }
        search.collect(simd, tree);
        search.decide(tree, mesh).map(|(nearest, _)| nearest)
    }
}

struct AllNearest<'p, F> {
    tree: &'p Bvh8Tree,
    mesh: &'p TriMesh,
    points: &'p [DVec3],
    found: F,
}

impl<F: FnMut(usize, Option<NearestTriangle>)> Vectorized for AllNearest<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        let Self { tree, mesh, points, found } = self;
        let run = points.len().div_ceil(TOGETHER);
        let turns = (0..points.len().min(TOGETHER)).map(|slot| Turn {
            search: Search::idle(),
            near: None,
            next: slot * run,
            end: ((slot + 1) * run).min(points.len()),
        });
        let keys = [F8::splat(simd, 0.0); TOGETHER];
        let mut batch = Points { tree, mesh, points, found, turns: turns.collect(), keys };
        in_turns(simd, tree, &mut batch);
    }
}

/// Points of which the nearest triangles are looked for.
struct Points<'p, S: Lanes8, F> {
    tree: &'p Bvh8Tree,
    mesh: &'p TriMesh,
    points: &'p [DVec3],
    found: F,
    turns: Vec<Turn>,
    keys: [F8<S>; TOGETHER],
}

/// The search for the points of a run, one after the other.
struct Turn {
    search: Search,
    /// The leaf that the point before is nearest to.
    near: Option<Node>,
    next: usize,
    end: usize,
}

impl<S: Lanes8, F: FnMut(usize, Option<NearestTriangle>)> Batch<S> for Points<'_, S, F> {
    #[inline(always)]
    fn start(&mut self, slot: usize) -> bool {
        let Some(turn) = self.turns.get_mut(slot) else { return false };
        while turn.next < turn.end {
            turn.next += 1;
            if turn.search.begin(self.points[turn.next - 1], self.tree, turn.near) {
                return true;
            }
            (self.found)(turn.next - 1, None);
        }
        false
    }

    #[inline(always)]
    fn node(&self, slot: usize) -> Node {
        self.turns[slot].search.node
    }

    #[inline(always)]
    fn open(&mut self, simd: S, slot: usize) {
        self.keys[slot] = self.turns[slot].search.open(simd, self.tree);
    }

    #[inline(always)]
    fn go_on(&mut self, simd: S, slot: usize) -> bool {
        self.turns[slot].search.go_on(simd, self.tree, self.keys[slot])
    }

    #[inline(always)]
    fn look(&mut self, simd: S, slots: &Slots) {
        for slot in slots.iter() {
            self.turns[slot].search.look(simd, self.tree);
        }
    }

    #[inline(always)]
    fn go_back(&mut self, simd: S, slot: usize) -> bool {
        self.turns[slot].search.go_back(simd)
    }

    #[inline(always)]
    fn end(&mut self, simd: S, slots: &Slots) {
        for slot in slots.iter() {
            let Turn { search, .. } = &mut self.turns[slot];
            search.collect(simd, self.tree);
            search.first_candidates().for_each(|id| self.mesh.prefetch(id));
        }
        for slot in slots.iter() {
            self.turns[slot].search.first_candidates().for_each(|id| self.mesh.prefetch_vertices(id));
        }
        for slot in slots.iter() {
            let Turn { search, near, next, .. } = &mut self.turns[slot];
            let decided = search.decide(self.tree, self.mesh);
            if let Some((_, leaf)) = decided {
                *near = Some(leaf);
            }
            (self.found)(*next - 1, decided.map(|(nearest, _)| nearest));
        }
    }
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

/// The search for the nearest triangle of a point.
struct Search {
    point: DVec3,
    stored: [f32; 3],
    limit: Limit,
    node: Node,
    key: f32,
    /// Whether the node is a leaf that may be near to the point, before the search starts at the
    /// root. It saves time and changes no answer.
    hint: bool,
    root: Node,
    too_deep: bool,
    depth: usize,
    opened: [Waiting; MAX_DEPTH],
    visited: SmallVec<[Visited; 8]>,
    candidates: SmallVec<[Candidate; 16]>,
}

impl Search {
    #[inline(always)]
    fn idle() -> Self {
        Self {
            point: DVec3::ZERO,
            stored: [0.0; 3],
            limit: Limit::new(0.0),
            node: 0,
            key: 0.0,
            hint: false,
            root: 0,
            too_deep: false,
            depth: 0,
            opened: [Waiting::NONE; MAX_DEPTH],
            visited: SmallVec::new(),
            candidates: SmallVec::new(),
        }
    }

    /// A search that starts with the leaf `near`, if there is one; `None` for points that are too
    /// far away.
    #[inline(always)]
    fn new(point: DVec3, tree: &Bvh8Tree, near: Option<Node>) -> Option<Self> {
        let mut search = Self::idle();
        search.begin(point, tree, near).then_some(search)
    }

    /// Starts anew; false for points that are too far away.
    #[inline(always)]
    fn begin(&mut self, point: DVec3, tree: &Bvh8Tree, near: Option<Node>) -> bool {
        let stored = tree.frame().store(point);
        (self.point, self.stored) = (point, stored.as_vec3().to_array());
        (self.limit, self.root, self.key) = (Limit::new(f32_above(margin(stored))), tree.root(), 0.0);
        (self.node, self.hint) = (near.unwrap_or(self.root), near.is_some());
        (self.too_deep, self.depth) = (false, 0);
        self.visited.clear();
        self.candidates.clear();
        stored.abs().max_element() <= FARTHEST
    }

    /// The keys of the boxes at its node.
    #[inline(always)]
    fn open<S: Lanes8>(&mut self, simd: S, tree: &Bvh8Tree) -> F8<S> {
        let block = tree.block(self.node);
        let (keys, farthest) = squared_gaps(simd, block, V8::splat(simd, self.stored));
        // Until a leaf says more.
        if self.visited.is_empty() {
            self.limit.lower(farthest.reduce_min(), 2.0);
        }
        keys.max(F8::splat(simd, self.key))
    }

    /// Goes on to the nearest of the children of its node, or of those that wait; false at the end.
    #[inline(always)]
    fn go_on<S: Lanes8>(&mut self, simd: S, tree: &Bvh8Tree, keys: F8<S>) -> bool {
        let block = tree.block(self.node);
        let met = keys.simd_le(F8::splat(simd, self.limit.key)).to_bitmask() & (0xff >> (8 - block.count));
        if met == 0 {
            return self.go_back(simd);
        }
        let waiting;
        (self.key, self.node, waiting) = Waiting::behind_nearest(simd, keys, met, block);
        if !waiting.is_empty() {
            let Some(slot) = self.opened.get_mut(self.depth) else {
                self.too_deep = true;
                return false;
            };
            *slot = waiting;
            self.depth += 1;
        }
        true
    }

    /// Goes on to the nearest of the children that wait; false at the end.
    #[inline(always)]
    fn go_back<S: Lanes8>(&mut self, simd: S) -> bool {
        if std::mem::take(&mut self.hint) {
            self.node = self.root;
            return true;
        }
        while self.depth > 0 {
            let last = &mut self.opened[(self.depth - 1) % MAX_DEPTH];
            (self.key, self.node) = last.take(simd);
            if self.key > self.limit.key || last.is_empty() {
                self.depth -= 1;
            }
            if self.key <= self.limit.key {
                return true;
            }
        }
        false
    }

    /// Looks at the triangles of its leaf: squared upper bounds, and lower bounds, infinite for
    /// unused lanes.
    #[inline(always)]
    fn look<S: Lanes8>(&mut self, simd: S, tree: &Bvh8Tree) {
        let (triangles, _, count) = tree.leaf(self.node);
        let bounds = point_bounds(simd, &load(simd, &triangles.lanes), V8::splat(simd, self.stored));
        self.limit.lower(bounds.upper.reduce_min().sqrt(), 1.0);
        if !self.hint {
            let lowers = only(simd, bounds.lower, 0xff >> (8 - count)).into();
            self.visited.push(Visited { lowers, key: self.key, node: self.node });
        }
    }

    /// Lists the triangles that may be the nearest, in the order of their lower bounds.
    #[inline(always)]
    fn collect<S: Lanes8>(&mut self, simd: S, tree: &Bvh8Tree) {
        for &Visited { lowers, key, node } in &self.visited {
            if key > self.limit.key {
                continue;
            }
            let first = tree.leaf(node).1;
            let in_lanes: F8<S> = lowers.simd_into(simd);
            let mut met = in_lanes.simd_le(F8::splat(simd, self.limit.reach)).to_bitmask();
            while met != 0 {
                let lane = met.trailing_zeros();
                met &= met - 1;
                let id = tree.triangle_at(first + lane);
                self.candidates.push(Candidate { lower: lowers[lane as usize & 7], id, node });
            }
        }
        self.candidates.sort_unstable_by(|a, b| a.lower.total_cmp(&b.lower).then(a.id.cmp(&b.id)));
    }

    /// Those that are decided first, mostly alone.
    #[inline(always)]
    fn first_candidates(&self) -> impl Iterator<Item = u32> {
        self.candidates.iter().take(2).map(|candidate| candidate.id)
    }

    /// Decides between them in `f64`, and tells the leaf too; `None` if the tree is too deep.
    #[inline(always)]
    fn decide(&self, tree: &Bvh8Tree, mesh: &TriMesh) -> Option<(NearestTriangle, Node)> {
        let (mut nearest, mut leaf) = (NearestTriangle::default(), 0);
        for &Candidate { lower, id, node } in &self.candidates {
            // The others are farther, as their lower bounds are.
            if lower > above(f32_above(nearest.upper * tree.frame().scale) + self.limit.margin) {
                break;
            }
            if nearest.offer(self.point, &mesh.triangle(id), id) {
                leaf = node;
            }
        }
        (!self.too_deep).then_some((nearest, leaf))
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
