//! Two wide trees, a pose and a goal: the query that pairs of default meshes run, in SIMD lanes.
//!
//! Keys are squared gaps in A's stored units, the margin not yet subtracted; [`key_of`] turns a
//! distance into the key from which on nothing nearer can follow. Two leaves meet in five steps:
//! all triangles along the direction of the nearest pair so far, triangles against the other leaf's
//! box, one triangle against eight along the line of centroids, survivors gathered into full lanes
//! and bounded, and only what is then left in `f64`. Bodies that are too far apart or too different
//! in size for `f32` take the path of mixed meshes.

use super::mesh_mesh_leaves::{Ahead, WaitingPairs, halves, positions};
use super::{Defer, Goal, LeafPair, traverse_mixed_meshes};
use crate::Pose;
use crate::math::lanes::{F8, Lanes8, V8, set_lanes};
use crate::math::{Similarity, UNIT_ROUNDOFF, f32_above};
use crate::pair::shape::triangle_lanes::{self, T8};
use crate::pair::volume::obb_sphere_block::{
    FAR, FixedObbSphere, NEAR, NarrowMap, OVERLAP, block_keys, key_of, margin,
};
use crate::traversal::{
    Candidate, Driver, InLanes, Lanes, NodePair, Order, Placed, Query, Scratch, Search, WarmStart, Workspace, traverse,
};
use crate::tree::{Bvh8, Geometry, Mesh, Node, Tree, VolumeTree};
use crate::volume::{ObbSphereBlock, Volume};
use fearless_simd::prelude::*;
use std::ops::ControlFlow;

/// The keys of a block.
pub(crate) struct Bvh8Lanes<S: Lanes8> {
    keys: F8<S>,
    stored: [f32; 8],
    guesses: [f32; 8],
    used: u64,
}

impl<S: Lanes8> Bvh8Lanes<S> {
    /// The first `count` lanes are meant.
    #[inline(always)]
    pub(crate) fn new(keys: F8<S>, guesses: F8<S>, count: u32) -> Self {
        Self { keys, stored: keys.into(), guesses: guesses.into(), used: used(count) }
    }

    /// The first `count` squared gaps, times `factor`; distances of centres tell which look
    /// promising.
    #[inline(always)]
    pub(crate) fn guessed<G: Goal>(keys: F8<S>, centers: F8<S>, factor: Option<f32>, count: u32) -> Self {
        let simd = keys.token();
        // Among lanes whose boxes overlap, near centres are the better guess; the weight is
        // measured.
        let guesses = centers.mul_add(F8::splat(simd, if G::OVERLAP_ONLY { 1.0 } else { 0.05 }), keys);
        let keys = match factor {
            // Not infinite, as in `block_keys`.
            Some(factor) => (keys * F8::splat(simd, factor)).min(F8::splat(simd, f32::MAX)),
            None => keys,
        };
        Self::new(keys, guesses, count)
    }
}

impl<S: Lanes8> Lanes for Bvh8Lanes<S> {
    #[inline(always)]
    fn below(&self, limit: f32) -> u64 {
        self.keys.simd_lt(F8::splat(self.keys.token(), limit)).to_bitmask() & self.used
    }

    #[inline(always)]
    fn keys(&self) -> &[f32; 8] {
        &self.stored
    }

    #[inline(always)]
    fn guesses(&self) -> &[f32; 8] {
        &self.guesses
    }
}

/// The farthest coordinates, in A's stored units, of which the lanes' products of up to six (a
/// triangle's squared normal times a squared distance) stay in the range of `f32`: two infinite
/// sides of a comparison would prove what is not so.
const FARTHEST: f64 = 1e6;
/// The farthest coordinates of A, in B's stored units, of which the squares of lengths stay in the
/// range of `f32`: the distance of two centres would be infinite, but not the radius around one of
/// them.
const FARTHEST_SQUARED: f64 = 1e17;
/// The most candidates that are kept before they are looked at.
const MAX_CANDIDATES: usize = 256;

/// Boxes are also bounded along the direction of their gaps where the bound that they inherit is at
/// least this part of the squared sum of radii: nearer ones gain nothing by it (1/16 keeps nearly
/// all of what it saves, and spares falling 90 % of it).
pub(super) const FAR_APART: f32 = 1.0 / 16.0;

/// The query of two wide trees under a rigid pose.
struct MeshMeshTraversal<'q, S: Lanes8, G> {
    simd: S,
    a: &'q Mesh<Bvh8>,
    b: &'q Mesh<Bvh8>,
    a_from_b: &'q Pose,
    /// For blocks of A: volumes of B in A's stored frame.
    a_map: NarrowMap,
    /// For blocks of B.
    b_map: NarrowMap,
    /// Squared gaps in B's stored units times this are in A's.
    b_to_a_squared: f32,
    /// The geometry's unit in A's stored ones.
    scale: f64,
    /// Of bounds between volumes, and between volumes and triangles.
    margin: f64,
    /// Of bounds between triangles.
    pair_margin: f64,
    rounding: f64,
    /// The direction, from A to B and in A's frame, of the nearest pair so far; zero if there is
    /// none.
    direction: [f32; 3],
    /// The key of the goal's limit, or of a lower one while the first two leaves meet; so is
    /// `reach`.
    limit: f32,
    /// Whether the search still dives to its first leaves, although there is a limit.
    dives: bool,
    /// The goal's limit with the margin of triangles, in A's stored units.
    reach: f32,
    /// About the squared distance below which a pair is worth a promise, in A's stored units.
    worth: f32,
    candidates: &'q mut Vec<Candidate>,
    /// The positions of the pair behind the last promise.
    promised: Option<(u32, u32)>,
    waiting: WaitingPairs<'q>,
    goal: &'q mut G,
}

impl<S: Lanes8, G: Defer> MeshMeshTraversal<'_, S, G> {
    /// Takes over the goal's limit after it may have changed.
    #[inline(always)]
    fn update_limit(&mut self) {
        let limit = self.goal.limit() * self.scale;
        self.limit = key_of(limit, self.margin);
        self.reach = f32_above(limit + self.pair_margin);
        let worth = (self.goal.worth_promising() * self.scale - self.pair_margin).max(0.0) as f32;
        self.worth = worth * worth;
    }

    /// Two triangles in `f64`.
    #[inline(never)]
    fn decide(&mut self, a: u32, b: u32) -> ControlFlow<()> {
        let (id_a, id_b) = (self.a.hierarchy().triangle_at(a), self.b.hierarchy().triangle_at(b));
        let triangle_b = self.b.tri_mesh().triangle(id_b).transformed(self.a_from_b);
        let pair = LeafPair { a: id_a, b: id_b, rounding: self.rounding };
        let flow = self.goal.meet(pair, &self.a.tri_mesh().triangle(id_a), &triangle_b);
        self.update_limit();
        flow
    }

    /// Looks at the candidates that still matter, nearest first. Those that remain when the goal
    /// ends the search stay.
    #[inline(never)]
    fn decide_candidates(&mut self) -> ControlFlow<()> {
        // The pair behind a promise first: most of the others are out of reach then.
        let mut flow = ControlFlow::Continue(());
        // One that others have kept meanwhile is a candidate like them.
        let first = self.promised.filter(|_| !self.goal.keeps_promise());
        if let Some((a, b)) = first {
            flow = self.decide(a, b);
        }
        let mut candidates = std::mem::take(self.candidates);
        if flow.is_continue() && self.goal.keeps_promise() {
            candidates.retain(|candidate| candidate.lower < self.reach && Some((candidate.a, candidate.b)) != first);
        }
        candidates.sort_unstable_by(|x, y| x.lower.total_cmp(&y.lower).then((x.a, x.b).cmp(&(y.a, y.b))));
        let mut decided = 0;
        while let Some(candidate) = candidates.get(decided)
            && flow.is_continue()
            && (candidate.lower < self.reach || !self.goal.keeps_promise())
        {
            flow = self.decide(candidate.a, candidate.b);
            decided += 1;
        }
        candidates.drain(..if flow.is_break() { decided } else { candidates.len() });
        *self.candidates = candidates;
        flow
    }

    /// At most the distance of all that was not looked at: it is put off, waits, or its key is at
    /// least `key`.
    fn floor(&self, key: f32) -> f64 {
        let key = f64::from(key.min(self.waiting.key())).sqrt();
        let least = self.candidates.iter().fold(key, |least, candidate| least.min(f64::from(candidate.lower)));
        (least - self.margin).max(0.0) / self.scale
    }

    /// The goal has ended the search.
    fn stop(&mut self, key: f32) {
        let floor = self.floor(key);
        self.goal.stopped(floor);
    }

    /// The triangles of A that may matter to a leaf of B.
    #[inline(always)]
    fn near_leaf_b(&self, a: &T8<S>, node_b: Node) -> u64 {
        let box_b = FixedObbSphere::new(self.simd, self.b.hierarchy().volume(node_b), &self.a_map);
        triangle_lanes::near_box(self.simd, a, &box_b, self.limit)
    }

    /// A limit for the first two leaves, of which all triangles would meet: two of their vertices
    /// are no nearer than the triangles (5 to 10 % fewer pairs in all; falling and spinning 2 %
    /// faster). It is not the goal's, but the pair with these vertices stays, and then it has one.
    #[inline(always)]
    fn limit_by_vertices(&mut self, a: &T8<S>, b: &T8<S>) {
        // One margin for the vertices, one so that nothing that is as near is left out.
        let upper = f64::from(triangle_lanes::nearest_vertices(self.simd, a, b).sqrt()) + 2.0 * self.pair_margin;
        self.limit = key_of(upper, self.margin);
        self.reach = f32_above(upper + self.pair_margin);
    }

    #[inline(always)]
    fn leaf_tests(&mut self, &NodePair { a: node_a, b: node_b, key, .. }: &NodePair) -> ControlFlow<()> {
        let simd = self.simd;
        let (tree_a, tree_b) = (self.a.hierarchy(), self.b.hierarchy());
        let ((leaf_a, first_a, count_a), (leaf_b, first_b, count_b)) = (tree_a.leaf(node_a), tree_b.leaf(node_b));
        let a = triangle_lanes::load(simd, &leaf_a.lanes);
        let (mut near_a, mut near_b) = (used(count_a), used(count_b));
        if !G::DEFERS {
            near_a &= self.near_leaf_b(&a, node_b);
            if near_a == 0 {
                return ControlFlow::Continue(());
            }
        }
        let [b0, b1, b2] = triangle_lanes::load(simd, &leaf_b.lanes);
        let b = [self.a_map.points(simd, b0), self.a_map.points(simd, b1), self.a_map.points(simd, b2)];
        let ahead = Ahead::new(simd, self.direction, &a, &b);
        let blind = G::DEFERS && self.limit == f32::INFINITY;
        if blind {
            self.limit_by_vertices(&a, &b);
        } else if G::DEFERS {
            // Else there is no direction. It is cheaper than the boxes.
            let (ahead_a, ahead_b) = ahead.near_leaf(simd, self.reach);
            (near_a, near_b) = (near_a & ahead_a, near_b & ahead_b);
            if near_a == 0 || near_b == 0 {
                return ControlFlow::Continue(());
            }
            near_a &= self.near_leaf_b(&a, node_b);
            if near_a == 0 {
                return ControlFlow::Continue(());
            }
        }
        let box_a = FixedObbSphere::unmoved(tree_a.volume(node_a));
        near_b &= triangle_lanes::near_box(simd, &b, &box_a, self.limit);
        if near_b == 0 {
            return ControlFlow::Continue(());
        }
        // One by one the triangles of the side with fewer, against all of the other at once.
        let swapped = near_a.count_ones() > near_b.count_ones();
        let (ones, others, mut rest, near_others) =
            if swapped { (&b, &a, near_b, near_a) } else { (&a, &b, near_a, near_b) };
        let ahead = ahead.sided(swapped);
        // Eight pairs are met as soon as there are eight, so that what they find filters the next
        // ones.
        let (mut firsts, mut seconds, mut count) = ([0_u8; 16], [0_u8; 16], 0);
        loop {
            while count < 8 && rest != 0 {
                let lane = rest.trailing_zeros() as u8;
                rest &= rest - 1;
                let one = triangle_lanes::splat_lane(simd, ones, lane);
                let mut near = near_others & ahead.near(simd, lane, self.reach);
                near &= if G::OVERLAP_ONLY {
                    triangle_lanes::near_triangle::<S, true>(simd, &one, others, self.limit)
                } else {
                    triangle_lanes::near_triangle::<S, false>(simd, &one, others, self.limit)
                };
                // Written eight at a time; what is too much is overwritten by the next.
                firsts[count..count + 8].copy_from_slice(&[lane; 8]);
                seconds[count..count + 8].copy_from_slice(&set_lanes(near));
                count += near.count_ones() as usize;
            }
            if count == 0 {
                return ControlFlow::Continue(());
            }
            let ([first, next_first], [second, next_second]) = (halves(&firsts), halves(&seconds));
            let (picks_a, picks_b) = if swapped { (second, first) } else { (first, second) };
            let a = triangle_lanes::pick(simd, &a, picks_a);
            let b = triangle_lanes::pick(simd, &b, picks_b);
            let valid = count.min(8);
            let positions = [positions(first_a, &picks_a), positions(first_b, &picks_b)];
            self.waiting.join(&a, &b, &positions, valid, key);
            // Goals that want every pair do not wait, nor does a search that had found nothing.
            if self.waiting.count() >= 8 || !G::DEFERS || blind || self.dives {
                self.test_waiting()?;
            }
            firsts[..8].copy_from_slice(&next_first);
            seconds[..8].copy_from_slice(&next_second);
            count -= valid;
        }
    }

    /// Meets the last up to eight pairs that wait.
    #[inline(always)]
    fn test_waiting(&mut self) -> ControlFlow<()> {
        let (at, count) = self.waiting.take();
        if count > 0 {
            self.test_eight(at, count)?;
        }
        self.waiting.met();
        ControlFlow::Continue(())
    }

    /// Meets `count` pairs, from `at` of those that waited.
    #[inline(always)]
    fn test_eight(&mut self, at: usize, count: usize) -> ControlFlow<()> {
        self.goal.stats().leaf_tests += count as u64;
        let (simd, valid) = (self.simd, used(count as u32));
        let positions = self.waiting.positions(at);
        let bounds =
            triangle_lanes::pair_bounds(simd, &self.waiting.lanes.a, &self.waiting.lanes.b, at, self.reach, valid);
        // What is not a number proves nothing.
        let near = !bounds.lower.simd_ge(F8::splat(simd, self.reach)).to_bitmask();
        let mut open = (near | bounds.edges.simd_lt(F8::splat(simd, self.worth)).to_bitmask()) & valid;
        if open == 0 {
            return ControlFlow::Continue(());
        }
        let lower: [f32; 8] = bounds.lower.into();
        let found: [f32; 8] = bounds.found.into();
        let edges: [f32; 8] = bounds.edges.into();
        let soon = (2.0 * self.pair_margin) as f32;
        while open != 0 {
            let lane = open.trailing_zeros() as usize;
            open &= open - 1;
            // Both may have come down since. With a tolerance a pair that need not be looked at may
            // still be nearer than the nearest.
            let beyond = lower[lane] >= self.reach;
            if beyond && edges[lane] >= self.worth {
                continue;
            }
            let (i, j) = (positions[0][lane], positions[1][lane]);
            // Perhaps touching, or a goal that wants every pair: now.
            if !G::DEFERS || lower[lane].is_nan() || lower[lane] <= soon {
                self.decide(i, j)?;
                continue;
            }
            let within = |squared: f32, limit: f64| f64::from(squared.sqrt()) + self.pair_margin < limit * self.scale;
            if found[lane] < edges[lane] && within(found[lane], self.goal.limit()) {
                // Above a face: only f64 can tell that the foot is inside.
                self.direction = unit(&bounds.direction, lane);
                self.decide(i, j)?;
                continue;
            }
            let nearer = within(edges[lane], self.goal.worth_promising());
            if beyond && !nearer {
                continue;
            }
            if self.candidates.len() >= MAX_CANDIDATES {
                self.decide_candidates()?;
            }
            self.candidates.push(Candidate { lower: lower[lane], a: i, b: j });
            if nearer {
                // After the pair itself is on the list: whatever empties that keeps the promise.
                self.direction = unit(&bounds.direction, lane);
                self.promised = Some((i, j));
                let upper = f64::from(edges[lane].sqrt()) + self.pair_margin;
                self.goal.promise(upper / self.scale * (1.0 + 8.0 * UNIT_ROUNDOFF));
                self.update_limit();
            }
        }
        ControlFlow::Continue(())
    }
}

/// One lane of a direction, normalised.
#[inline(always)]
fn unit<S: Lanes8>(direction: &V8<S>, lane: usize) -> [f32; 3] {
    let at = |k: usize| <[f32; 8]>::from(direction.0[k])[lane];
    let [x, y, z] = [at(0), at(1), at(2)];
    let length = (x * x + y * y + z * z).sqrt();
    [x / length, y / length, z / length]
}

/// The first `count` bits.
#[inline(always)]
pub(crate) fn used(count: u32) -> u64 {
    (1 << count) - 1
}

impl<S: Lanes8, G: Defer> MeshMeshTraversal<'_, S, G> {
    #[inline(always)]
    fn bound(
        &mut self,
        block: &ObbSphereBlock,
        fixed: FixedObbSphere,
        factor: Option<f32>,
        parent: f32,
    ) -> Bvh8Lanes<S> {
        let stats = self.goal.stats();
        stats.opened += 1;
        stats.volume_tests += u64::from(block.count);
        let radii = fixed.radius + block.radius[0];
        let (keys, centers) = if G::OVERLAP_ONLY {
            block_keys::<S, OVERLAP>(self.simd, block, &fixed)
        } else if parent >= FAR_APART * radii * radii {
            block_keys::<S, FAR>(self.simd, block, &fixed)
        } else {
            block_keys::<S, NEAR>(self.simd, block, &fixed)
        };
        Bvh8Lanes::guessed::<G>(keys, centers, factor, block.count)
    }
}

impl<S: Lanes8, G: Defer> Query<Mesh<Bvh8>, Mesh<Bvh8>> for MeshMeshTraversal<'_, S, G> {
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
        // Those that were put off are few, and one of them may be behind the limit.
        let _ = self.decide_candidates();
        let floor = self.floor(floor);
        self.goal.exhausted(floor);
    }

    #[inline(always)]
    fn limit_of_order(&self) -> f32 {
        if self.dives { f32::INFINITY } else { self.limit }
    }

    #[inline(always)]
    fn bound_a(&mut self, a: &Mesh<Bvh8>, b: &Mesh<Bvh8>, pair: &NodePair) -> Bvh8Lanes<S> {
        let fixed = FixedObbSphere::new(self.simd, b.hierarchy().volume(pair.b), &self.a_map);
        self.bound(a.hierarchy().block(pair.a), fixed, None, pair.key)
    }

    #[inline(always)]
    fn bound_b(&mut self, a: &Mesh<Bvh8>, b: &Mesh<Bvh8>, pair: &NodePair) -> Bvh8Lanes<S> {
        let fixed = FixedObbSphere::new(self.simd, a.hierarchy().volume(pair.a), &self.b_map);
        self.bound(b.hierarchy().block(pair.b), fixed, Some(self.b_to_a_squared), pair.key / self.b_to_a_squared)
    }

    #[inline(always)]
    fn leaf(&mut self, _a: &Mesh<Bvh8>, _b: &Mesh<Bvh8>, pair: &NodePair, front: &mut G::Order) -> ControlFlow<()> {
        self.goal.stats().leaf_pairs += 1;
        let flow = self.leaf_tests(pair);
        self.dives = false;
        if flow.is_break() {
            self.stop(front.floor().min(pair.key));
        }
        flow
    }
}

impl<S: Lanes8, G: Defer> Search<Mesh<Bvh8>, Mesh<Bvh8>> for MeshMeshTraversal<'_, S, G> {
    #[inline(always)]
    fn stopped(&mut self, floor: f64) {
        self.goal.stopped(floor);
    }

    #[inline(always)]
    fn remembered(&self) -> Option<(u32, u32)> {
        self.goal.remembered()
    }

    #[inline(always)]
    fn try_shapes(&mut self, a: &Mesh<Bvh8>, b: &Mesh<Bvh8>, (i, j): (u32, u32)) -> ControlFlow<()> {
        let (Some(triangle_a), Some(triangle_b)) = (a.shape(i), b.shape(j)) else { return ControlFlow::Continue(()) };
        let pair = LeafPair { a: i, b: j, rounding: self.rounding };
        let flow = self.goal.meet(pair, &triangle_a, &triangle_b.transformed(self.a_from_b));
        self.update_limit();
        // What was near within the tolerance may be far beyond it now: without a dive, far bodies
        // of unrelated poses took 4 times the time, and spinning 1.15 times.
        self.dives = self.goal.worth_promising() > self.goal.limit();
        flow
    }

    #[inline(always)]
    fn traverse(&mut self, a: &Mesh<Bvh8>, b: &Mesh<Bvh8>, front: &mut G::Order, _warm_start: Option<&mut WarmStart>) {
        if traverse(a, b, self, front, &[NodePair::new(a.root(), b.root())]).is_continue()
            && (self.test_waiting().is_break() || self.decide_candidates().is_break())
        {
            self.stop(f32::INFINITY);
        }
        self.candidates.clear();
    }
}

/// See [`MeshMeshTraversal`].
struct MeshMesh;

impl<G: Defer> InLanes<Mesh<Bvh8>, Mesh<Bvh8>, G> for MeshMesh {
    type Order = G::Order;
    type Search<'q, S: Lanes8>
        = MeshMeshTraversal<'q, S, G>
    where
        G: 'q;

    #[inline(always)]
    fn prepare<'q, S: Lanes8>(
        simd: S,
        placed: Placed<'q, Mesh<Bvh8>, Mesh<Bvh8>, G>,
        scratch: &'q mut Scratch,
    ) -> MeshMeshTraversal<'q, S, G> {
        let Placed { a, b, a_from_b, stored, goal } = placed;
        let mut search = MeshMeshTraversal {
            simd,
            a,
            b,
            a_from_b,
            a_map: NarrowMap::new(stored),
            b_map: NarrowMap::new(&stored.inverse()),
            b_to_a_squared: (stored.scale * stored.scale) as f32,
            scale: a.hierarchy().frame().scale,
            margin: margin(stored),
            pair_margin: triangle_lanes::margin(stored),
            rounding: a_from_b.point_error(b.extent()),
            direction: [0.0; 3],
            limit: f32::INFINITY,
            dives: false,
            reach: f32::INFINITY,
            worth: f32::INFINITY,
            candidates: &mut scratch.candidates,
            promised: None,
            waiting: WaitingPairs::new(&mut scratch.waiting),
            goal,
        };
        search.update_limit();
        search
    }
}

/// Whether lanes can hold B in A's stored units; not where anything is not a number.
pub(crate) fn fits_lanes_of_a(a_from_b: &Similarity) -> bool {
    a_from_b.offset + 2.0 * a_from_b.scale <= FARTHEST
}

/// Whether lanes can hold A in B's stored units, for which nothing is decided about triangles
/// there.
pub(crate) fn fits_lanes_of_b(a_from_b: &Similarity) -> bool {
    a_from_b.offset + 2.0 <= FARTHEST_SQUARED * a_from_b.scale
}

/// Whether the spheres around both meshes are seen to be as far apart as the goal's limit: then
/// nothing of them matters, and there is no need to set up lanes (a far `collide` takes 36 instead
/// of 100 ns).
fn are_beyond(a: &Mesh<Bvh8>, b: &Mesh<Bvh8>, a_from_b: &Similarity, limit: f64) -> bool {
    let (sphere_a, sphere_b) = (a.hierarchy().volume(a.root()), b.hierarchy().volume(b.root()));
    let apart = sphere_a.center().distance(a_from_b.transform_point(sphere_b.center()));
    let gap = apart - (sphere_a.radius() + a_from_b.scale * sphere_b.radius()) - a_from_b.margin;
    gap >= limit * a.hierarchy().frame().scale
}

/// Runs `goal` over two default meshes, helped by what `warm_start` remembers.
pub fn traverse_meshes<G: Defer>(
    a: &Mesh<Bvh8>,
    b: &Mesh<Bvh8>,
    a_from_b: &Pose,
    goal: &mut G,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) {
    let stored = &Similarity::between(a.hierarchy().frame(), a_from_b, b.hierarchy().frame());
    if !(fits_lanes_of_a(stored) && fits_lanes_of_b(stored)) {
        return traverse_mixed_meshes(a, b, a_from_b, goal, workspace, warm_start);
    }
    let limit = goal.limit();
    if limit < f64::INFINITY && are_beyond(a, b, stored, limit) {
        goal.stats().volume_tests += 1;
        return;
    }
    let driver = Driver { workspace, warm_start, revisions: (a.revision(), b.revision()) };
    driver.run_in_lanes::<MeshMesh, _, _, _>(Placed { a, b, a_from_b, stored, goal });
}
