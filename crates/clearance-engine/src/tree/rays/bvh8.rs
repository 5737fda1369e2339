//! A ray against the default hierarchy of meshes, eight children and eight triangles at a time.
//!
//! Kernels in `f32` rule out boxes ([`crate::pair::volume::ray_block`]) and triangles
//! ([`crate::pair::shape::ray_lanes`]) with a derived margin; [`ray_hit`] decides the others
//! exactly. So the answer depends neither on the instruction set nor on the order of nodes.

use crate::math::lanes::{F8, Lanes8, SimdLevel, Vectorized, vectorized};
use crate::math::unit;
use crate::pair::shape::ray_hit;
use crate::pair::shape::ray_lanes::Shear;
use crate::pair::volume::ray_block::{RayLanes, StoredRay};
use crate::shape::{Ray, RayGoal, RayHit};
use crate::tree::Node;
use crate::tree::bvh8::{Bvh8Tree, Waiting};
use crate::tree::turns::{Batch, Slots, TOGETHER, in_turns};
use crate::volume::ObbSphereBlock;
use crate::{TriMesh, Triangle};
use fearless_simd::prelude::*;
use smallvec::SmallVec;

/// Offers the hits of a ray to a goal.
pub(in crate::tree) fn cast_at_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, ray: &Ray, goal: &mut RayGoal) {
    if let Some(stored) = StoredRay::new(ray, tree.frame(), goal.max_t()) {
        vectorized(SimdLevel::Best, Single { tree, mesh, ray, stored, goal });
    }
}

/// The first hits of many rays, in their order.
pub(in crate::tree) fn first_hits_at_bvh8(tree: &Bvh8Tree, mesh: &TriMesh, rays: &[Ray]) -> Vec<Option<RayHit>> {
    vectorized(SimdLevel::Best, FirstHits { tree, mesh, rays })
}

struct Single<'c> {
    tree: &'c Bvh8Tree,
    mesh: &'c TriMesh,
    ray: &'c Ray,
    stored: StoredRay,
    goal: &'c mut RayGoal,
}

impl Vectorized for Single<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        let Self { tree, mesh, ray, stored, goal } = self;
        let lanes = RayLanes::new(simd, &stored);
        let mut cast = Cast::new(stored, tree);
        loop {
            let goes_on = if Bvh8Tree::is_leaf(cast.node) {
                let (met, ids) = cast.meet_triangles(simd, tree);
                for lane in set_lanes_of(met) {
                    cast.offer(mesh, ids[lane], ray, goal);
                    if goal.is_done() {
                        return;
                    }
                }
                cast.go_back(simd)
            } else {
                let block = tree.block(cast.node);
                let (met, near) = lanes.enters(simd, block, cast.limit);
                cast.go_on(simd, (met, near), block)
            };
            if !goes_on {
                return;
            }
        }
    }
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
        let mut batch = Rays {
            tree,
            mesh,
            rays,
            started: 0,
            turns: SmallVec::new(),
            opened: [(0, F8::splat(simd, 0.0)); TOGETHER],
            candidates: SmallVec::new(),
            hits: vec![None; rays.len()],
        };
        in_turns(simd, tree, &mut batch);
        batch.hits
    }
}

/// Rays of which the first hits are looked for.
struct Rays<'c, S: Lanes8> {
    tree: &'c Bvh8Tree,
    mesh: &'c TriMesh,
    rays: &'c [Ray],
    started: usize,
    turns: SmallVec<[Turn; TOGETHER]>,
    /// The children that are met, and where.
    opened: [(u64, F8<S>); TOGETHER],
    /// Triangles of leaves that may be hit, and by whom.
    candidates: SmallVec<[(usize, u32); 2 * TOGETHER]>,
    hits: Vec<Option<RayHit>>,
}

/// A ray on its way, and its number.
struct Turn {
    cast: Cast,
    goal: RayGoal,
    number: usize,
}

impl<S: Lanes8> Batch<S> for Rays<'_, S> {
    #[inline(always)]
    fn start(&mut self, slot: usize) -> bool {
        while let Some(ray) = self.rays.get(self.started) {
            let (goal, number) = (RayGoal::first(ray), self.started);
            self.started += 1;
            let Some(stored) = StoredRay::new(ray, self.tree.frame(), goal.max_t()) else { continue };
            if let Some(turn) = self.turns.get_mut(slot) {
                turn.cast.begin(stored, self.tree);
                (turn.goal, turn.number) = (goal, number);
            } else {
                self.turns.push(Turn { cast: Cast::new(stored, self.tree), goal, number });
            }
            return true;
        }
        false
    }

    #[inline(always)]
    fn node(&self, slot: usize) -> Node {
        self.turns[slot].cast.node
    }

    #[inline(always)]
    fn open(&mut self, simd: S, slot: usize) {
        let Cast { stored, node, limit, .. } = &self.turns[slot].cast;
        self.opened[slot] = RayLanes::new(simd, stored).enters(simd, self.tree.block(*node), *limit);
    }

    #[inline(always)]
    fn go_on(&mut self, simd: S, slot: usize) -> bool {
        let cast = &mut self.turns[slot].cast;
        cast.go_on(simd, self.opened[slot], self.tree.block(cast.node))
    }

    #[inline(always)]
    fn look(&mut self, simd: S, slots: &Slots) {
        self.candidates.clear();
        for slot in slots.iter() {
            let (met, ids) = self.turns[slot].cast.meet_triangles(simd, self.tree);
            for lane in set_lanes_of(met) {
                self.mesh.prefetch(ids[lane]);
                self.candidates.push((slot, ids[lane]));
            }
        }
        for &(_, id) in &self.candidates {
            self.mesh.prefetch_vertices(id);
        }
        for &(slot, id) in &self.candidates {
            let Turn { cast, goal, number } = &mut self.turns[slot];
            if cast.offer(self.mesh, id, &self.rays[*number], goal) {
                self.hits[*number] = goal.found();
            }
        }
    }

    #[inline(always)]
    fn go_back(&mut self, simd: S, slot: usize) -> bool {
        self.turns[slot].cast.go_back(simd)
    }

    #[inline(always)]
    fn end(&mut self, _: S, _: &Slots) {}
}

/// The lanes that are set.
#[inline(always)]
fn set_lanes_of(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (bits != 0).then(|| bits.trailing_zeros() as usize & 7);
        bits &= bits.wrapping_sub(1);
        bit
    })
}

/// A ray on its way through the tree.
struct Cast {
    stored: StoredRay,
    /// Most rays that miss meet no leaf.
    shear: Option<Shear>,
    /// No larger parameter matters.
    limit: f32,
    node: Node,
    /// Hierarchies of two billion triangles have 11 levels.
    waiting: SmallVec<[Waiting; 12]>,
}

impl Cast {
    #[inline(always)]
    fn new(stored: StoredRay, tree: &Bvh8Tree) -> Self {
        Self { limit: stored.length, stored, shear: None, node: tree.root(), waiting: SmallVec::new() }
    }

    /// The same in the place of a ray that ended.
    #[inline(always)]
    fn begin(&mut self, stored: StoredRay, tree: &Bvh8Tree) {
        self.waiting.clear();
        (self.limit, self.stored, self.shear, self.node) = (stored.length, stored, None, tree.root());
    }

    /// Goes on to the nearest of the children of its node that it meets, or of those that wait;
    /// false at the end.
    #[inline(always)]
    fn go_on<S: Lanes8>(&mut self, simd: S, (met, near): (u64, F8<S>), block: &ObbSphereBlock) -> bool {
        if met == 0 {
            return self.go_back(simd);
        }
        let others;
        (_, self.node, others) = Waiting::behind_nearest(simd, near, met, block);
        if !others.is_empty() {
            self.waiting.push(others);
        }
        true
    }

    /// Goes on to the nearest of the children that wait; false at the end.
    #[inline(always)]
    fn go_back<S: Lanes8>(&mut self, simd: S) -> bool {
        while let Some(last) = self.waiting.last_mut() {
            let key;
            (key, self.node) = last.take(simd);
            if key > self.limit || last.is_empty() {
                self.waiting.pop();
            }
            if key <= self.limit {
                return true;
            }
        }
        false
    }

    /// The lanes of the triangles of its leaf that it may hit, and their numbers.
    #[inline(always)]
    fn meet_triangles<S: Lanes8>(&mut self, simd: S, tree: &Bvh8Tree) -> (u64, [u32; 8]) {
        let (triangles, first, count) = tree.leaf(self.node);
        // Loaded while the lanes are at work.
        let ids = tree.triangles_from(first);
        let shear = self.shear.get_or_insert_with(|| Shear::new(&self.stored));
        (shear.may_hit(simd, &triangles.lanes, self.limit) & (0xff >> (8 - count)), ids)
    }

    /// Offers a triangle to the goal; whether it is hit in time.
    #[inline(always)]
    fn offer(&mut self, mesh: &TriMesh, id: u32, ray: &Ray, goal: &mut RayGoal) -> bool {
        let triangle = mesh.triangle(id);
        let hit = ray_hit(ray, &triangle).filter(|t| *t <= goal.max_t());
        if let Some(t) = hit {
            goal.offer(hit_of(ray, t, &triangle, id));
            self.limit = self.stored.length.min(self.stored.parameter(goal.max_t()));
        }
        hit.is_some()
    }
}

/// The hit of a triangle. A degenerate one has no normal: it looks back along the ray.
pub(super) fn hit_of(ray: &Ray, t: f64, triangle: &Triangle, id: u32) -> RayHit {
    let normal = unit(triangle.scaled_normal()).or_else(|| unit(-ray.scaled()));
    RayHit::new(ray, t, normal.unwrap_or(-ray.scaled()), id)
}
