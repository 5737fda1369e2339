//! Swept traversal: the time of impact of two default meshes, in one traversal of both BVHs and of
//! time.
//!
//! A pair of the traversal is two nodes and an interval of time (its tag); its key is the earliest
//! time at which they can meet. Nodes of a block move against the other node to first order, and a
//! *blur* bounds everything else (`pair/volume/swept_block.rs`). So a block's eight entry times
//! take one call, and the traversal drops pairs that stay apart in the interval. Where the blur is
//! large against the nodes it halves the interval, else it opens a node: it subdivides time only
//! where swept nodes overlap, and takes pairs by their keys, the earliest first. Conservative
//! advancement ([`Search`]) then decides two triangles whose linear motion does not separate them
//! in the rest of the interval.
//!
//! Invariant: of every time before the limit every pair of triangles is in a pair that waits, or
//! provably stays apart, or was searched. So the least time at which two triangles are within the
//! tolerance bounds the first contact, and a search that finds none proves the motion
//! collision-free. Solids that do not overlap at the start can only come to by a contact of their
//! surfaces.
//!
//! After Foisy and Hayward, *A safe swept volume approach to collision detection* (1993), and Tang,
//! Kim and Manocha, *C²A: Controlled conservative advancement for continuous collision detection of
//! polygonal models* (2009), which advances nodes one by one too. Cost: the blur shrinks with the
//! square of the interval, so that a screw of one radian takes a few halvings; 20 ns a node's
//! block.

use super::conservative_advancement::{Evaluation, Gap, Outcome, Probe, Search, surely_overlap};
use super::piece::Linear;
use super::time_intervals::{Interval, Swept, TimeIntervals};
use super::time_of_impact::{Bodies, TimeOfImpact};
use super::trajectory::Flight;
use super::{Motion, piece, rotating};
use crate::convex::Status;
use crate::math::lanes::{F8, Lanes8, Vectorized, vectorized};
use crate::math::{DVec3, UNIT_ROUNDOFF, f32_above, f32_below, unit};
use crate::pair::shape::swept_lanes::{SweptLeaf, directions_of, windows};
use crate::pair::shape::triangle_lanes;
use crate::pair::volume::obb_sphere_block::FixedObbSphere;
use crate::pair::volume::swept_block::block_entries;
use crate::query::{Bvh8Lanes, Distance, DistanceGoal, DistanceRequest, Goal, LeafPair, used};
use crate::shape::is_front;
use crate::traversal::{BestFirst, NodePair, Order, Query, Stack, Stats, traverse};
use crate::tree::{Bvh8, Mesh, Tree, VolumeTree};
use crate::volume::BoundingSphere;
use crate::{Pose, Result, Triangle};
use fearless_simd::prelude::*;
use smallvec::SmallVec;
use std::ops::{ControlFlow, RangeInclusive};

/// The range of durations whose times can be keys, which are `f32`.
pub(super) const DURATIONS: RangeInclusive<f64> = 1e-25..=1e25;
/// The traversal halves time where the blur exceeds this part of the sum of the nodes' radii;
/// measured.
const BLUR: f32 = 0.3;
/// The same for two leaves, whose triangles are smaller than they are: 0.3 takes three times as
/// long, and so does 0.01.
const LEAF_BLUR: f32 = 0.08;
/// The horizon of rotating directions, as a multiple of what resting ones prove.
const AHEAD: f64 = 4.0;
/// The maximum number of halvings of time: the rest is a matter of rounding.
const DEEPEST: u32 = 40;

/// Two triangles as a [`Probe`].
struct TwoTriangles {
    triangles: [Triangle; 2],
    ids: (u32, u32),
    /// The distance of the second one from its body's origin.
    extent: f64,
}

impl Probe for TwoTriangles {
    fn distance(&mut self, a_from_b: &Pose, request: &DistanceRequest) -> Result<Distance> {
        let mut goal = DistanceGoal::<Stack>::new(request);
        let pair = LeafPair { a: self.ids.0, b: self.ids.1, rounding: a_from_b.point_error(self.extent) };
        let _ = goal.meet(pair, &self.triangles[0], &self.triangles[1].transformed(a_from_b));
        Ok(goal.finish())
    }

    fn support_bound(&self, body: usize, direction: DVec3, radius: f64) -> f64 {
        let support =
            self.triangles[body].0.iter().fold(f64::NEG_INFINITY, |max, vertex| max.max(direction.dot(*vertex)));
        support + 8.0 * UNIT_ROUNDOFF * radius
    }

    fn surely_overlap(&self, a_from_b: &Pose, _found: &Distance, rounding: f64) -> bool {
        surely_overlap(&self.triangles[0], &self.triangles[1].transformed(a_from_b), rounding)
    }

    fn touching_error(&self) -> f64 {
        0.0
    }

    fn apart_until(&self, motions: [&Motion; 2], [from, to]: [f64; 2], gap: Gap) -> Option<f64> {
        let whole = Bent::new(self, motions, from, to - from);
        // For a shorter time where the blur of paths exceeds the spare clearance.
        let spare = 0.25 * gap.clear;
        let time = if whole.blur > spare { (to - from) * (spare / whole.blur).sqrt() } else { to - from };
        let Bent { flight, blur, angular } =
            if time < to - from { Bent::new(self, motions, from, time) } else { whole };
        let between = || flight.triangles[1].centroid() - flight.triangles[0].centroid();
        let (pad, hint) = (gap.pad + blur, gap.direction.unwrap_or_else(between));
        if !flight.path.is_empty() {
            return Some(proven_until(from, flight.apart_until(time, pad, hint), to));
        }
        let mut until = flight.apart_until_along_still(time, pad, hint);
        if until < time && angular != [DVec3::ZERO; 2] {
            // Rotating directions prove more of the future, but seldom much more.
            until = rotating::apart_until(&flight, time.min(AHEAD * until), pad, angular, until);
        }
        Some(proven_until(from, until, to))
    }
}

/// The end of the proven time `until` from `from` on, not later than it by rounding; `to`, if that
/// is all.
fn proven_until(from: f64, until: f64, to: f64) -> f64 {
    if until >= to - from { to } else { (from + until).next_down().max(from) }
}

/// Two triangles in flight, their distance from it, and the angular velocities of their bodies.
struct Bent {
    flight: Flight,
    blur: f64,
    angular: [DVec3; 2],
}

impl Bent {
    /// The flight from a time on, with the paths of the bodies: followed, or bounded where bodies
    /// rotate.
    fn new(pair: &TwoTriangles, motions: [&Motion; 2], from: f64, time: f64) -> Self {
        let linear = motions.map(|motion| motion.linear(from, time));
        let mut bent = Self::straight(&pair.triangles, &linear, 0.0, 0.0);
        let [a, b] = motions.map(|motion| motion.taylor(from));
        let length = a.len().max(b.len());
        let of = |path: &[DVec3], k: usize| path.get(k).copied().unwrap_or_default();
        let path = (2..length).map(|k| of(&b, k) - of(&a, k));
        if bent.angular != [DVec3::ZERO; 2] {
            // Half of the acceleration, at most.
            let bends = path.zip(2..).map(|(c, k)| 0.5 * f64::from(k * (k - 1)) * piece::length(c) * time.powi(k - 2));
            bent.flight.bend += bends.sum::<f64>() * (1.0 + 1e-12);
        } else if length <= 5 {
            bent.flight.path = path.collect();
        } else {
            bent.blur += linear[0].bend + linear[1].bend;
        }
        bent
    }

    /// The flight from `later` than the time of a linear motion on, which is good for `half`,
    /// without the bend of the bodies' paths. The flight's bend counts from the time of the linear
    /// motion on, and the blur is its amount in `half`.
    fn straight(triangles: &[Triangle; 2], linear: &[Linear; 2], later: f64, half: f64) -> Self {
        let (velocities, path) = ([[DVec3::ZERO; 3]; 2], SmallVec::new());
        let mut flight = Flight { triangles: *triangles, velocities, path, bend: 0.0 };
        for body in 0..2 {
            let Linear { pose, center, velocity, angular, .. } = linear[body];
            let triangle = triangles[body].transformed(&pose);
            let velocities = if angular == DVec3::ZERO {
                [velocity; 3]
            } else {
                let center = pose.transform_point(center);
                let turning = triangle.0.map(|vertex| angular.cross(vertex - center));
                let fastest = turning.iter().fold(0.0_f64, |max, v| max.max(v.length_squared())).sqrt();
                flight.bend += 0.5 * angular.length() * fastest * (1.0 + 1e-12);
                turning.map(|turning| velocity + turning)
            };
            flight.triangles[body] = Triangle([0, 1, 2].map(|k| triangle.0[k] + velocities[k] * later));
            flight.velocities[body] = velocities;
        }
        let blur = flight.bend * half * half * (1.0 + 1e-12);
        Self { flight, blur, angular: linear.map(|linear| linear.angular) }
    }
}

/// A time as a key, which counts from the start of the search, rounded down.
fn key_below<P>(whole: &Search<'_, P>, t: f64) -> f32 {
    f32_below(since_start(whole, t).next_down()).max(0.0)
}

/// A time as a key, rounded up.
fn key_above<P>(whole: &Search<'_, P>, t: f64) -> f32 {
    f32_above(since_start(whole, t).next_up())
}

fn since_start<P>(whole: &Search<'_, P>, t: f64) -> f64 {
    t - whole.window[0]
}

/// The time of a key, rounded down.
fn earliest<P>(whole: &Search<'_, P>, key: f32) -> f64 {
    (whole.window[0] + f64::from(key)).next_down().max(whole.window[0])
}

/// The time of a key, rounded up.
fn latest<P>(whole: &Search<'_, P>, key: f32) -> f64 {
    (whole.window[0] + f64::from(key)).next_up()
}

/// A bounding sphere of a triangle.
fn sphere_of(triangle: &Triangle) -> BoundingSphere {
    let center = triangle.centroid();
    let radius = triangle.0.iter().fold(0.0_f64, |radius, vertex| radius.max(center.distance(*vertex)));
    BoundingSphere { center, radius: radius * (1.0 + 8.0 * UNIT_ROUNDOFF) + 8.0 * UNIT_ROUNDOFF * center.length() }
}

/// The result of a swept traversal.
struct Found {
    /// The positions of the two triangles that come within the tolerance first, and the evaluation
    /// of that time.
    nearest: Option<((u32, u32), Evaluation)>,
    /// The certified clearance of all searched pairs.
    margin: f64,
    /// The time at which the search gave up.
    gave_up: Option<f64>,
    steps: usize,
    stats: Stats,
}

/// A conservative advancement of two triangles at these positions.
fn between<'s>(
    whole: &Search<'s, Bodies<'_>>,
    meshes: [&Mesh<Bvh8>; 2],
    (a, b): (u32, u32),
    window: [f64; 2],
) -> Search<'s, TwoTriangles> {
    let ids = (meshes[0].hierarchy().triangle_at(a), meshes[1].hierarchy().triangle_at(b));
    let triangles = [meshes[0].tri_mesh().triangle(ids.0), meshes[1].tri_mesh().triangle(ids.1)];
    let spheres = [sphere_of(&triangles[0]), sphere_of(&triangles[1])];
    let extent = spheres[1].center.length() + spheres[1].radius;
    Search {
        probe: TwoTriangles { triangles, ids, extent },
        motions: whole.motions,
        spheres,
        far: f64::INFINITY,
        window,
        duration: whole.duration,
        request: whole.request,
        tolerance: whole.tolerance,
        steps: 0,
        stats: Stats::default(),
    }
}

/// The query of two eight-wide trees in motion.
struct SweptTraversal<'q, 's, S: Lanes8> {
    simd: S,
    meshes: [&'q Mesh<Bvh8>; 2],
    whole: &'q Search<'s, Bodies<'s>>,
    swept: Swept,
    intervals: TimeIntervals,
    /// The latest time that matters, as a key.
    limit: f32,
    /// The direction that front faces of each body point to.
    fronts: Option<[DVec3; 2]>,
    /// What is left of the budget.
    max_steps: u64,
    found: Found,
}

impl<S: Lanes8> SweptTraversal<'_, '_, S> {
    /// The bodies about a time, and the addition to all of their distances.
    fn motion(whole: &Search<'_, Bodies<'_>>, middle: f64, half: f64) -> ([Linear; 2], f64) {
        let linear = whole.motions.map(|motion| motion.linear(middle, half));
        let rounding = whole.rounding(middle, &[linear[0].pose, linear[1].pose]);
        (linear, whole.request.distance + whole.tolerance + rounding)
    }

    /// The pair in one half of its interval.
    fn halved(&mut self, pair: &NodePair, second: bool) -> Option<NodePair> {
        let whole = self.whole;
        let tag =
            self.intervals.half(pair.tag, second, &self.swept, |middle, half| Self::motion(whole, middle, half))?;
        let from = key_below(whole, self.intervals.get(tag).from);
        Some(NodePair { tag, key: pair.key.max(from), ..*pair })
    }

    /// Whether the interval of a pair is too long for its nodes.
    #[inline(always)]
    fn is_blurred(&self, pair: &NodePair) -> bool {
        let interval = self.intervals.get(pair.tag);
        if interval.depth >= DEEPEST {
            return false;
        }
        let [a, b] = [self.meshes[0].hierarchy().volume(pair.a), self.meshes[1].hierarchy().volume(pair.b)];
        let sweep = &interval.sweeps[0];
        let (center, radius) = interval.maps[0].sphere(&b.center, b.radius);
        let blur = sweep.pad + sweep.lanes.blur(a.center, a.radius) + sweep.fixed.blur(center, radius);
        let leaves = self.meshes[0].is_leaf(pair.a) && self.meshes[1].is_leaf(pair.b);
        let part = if leaves { LEAF_BLUR } else { BLUR };
        blur > part * (a.radius + radius) + interval.still
    }

    /// Entry times of lanes as keys.
    #[inline(always)]
    fn keys(&self, interval: &Interval, entries: F8<S>, count: u32) -> Bvh8Lanes<S> {
        let simd = self.simd;
        // Sums and products of non-negative numbers: each of the few roundings is relative.
        let since = (entries + F8::splat(simd, 1.0)) * F8::splat(simd, interval.half as f32);
        let from = (interval.from - self.whole.window[0]) as f32;
        let keys = (since + F8::splat(simd, from)) * F8::splat(simd, 1.0 - 4.0 * f32::EPSILON);
        Bvh8Lanes::new(keys, keys, count)
    }

    fn count(&mut self, volumes: u32) {
        self.found.stats.opened += 1;
        self.found.stats.volume_tests += u64::from(volumes);
    }

    /// Searches two triangles in a part of the time.
    #[inline(never)]
    fn decide(&mut self, positions: (u32, u32), tag: u32, window: [f64; 2]) {
        let mut search = between(self.whole, self.meshes, positions, window);
        self.found.steps += 1;
        let from = self.parted_until(&search, tag);
        if from >= window[1] {
            return;
        }
        search.window[0] = from;
        let outcome = search.advance();
        self.found.steps += search.steps;
        self.found.stats += search.stats;
        match outcome {
            Ok(Outcome::Free { margin }) => self.found.margin = self.found.margin.min(margin),
            Ok(Outcome::Near(evaluation)) => {
                if self.found.nearest.as_ref().is_none_or(|(_, nearest)| evaluation.t < nearest.t) {
                    self.limit = self.limit.min(key_above(self.whole, evaluation.t));
                    self.found.nearest = Some((positions, evaluation));
                }
            }
            Ok(Outcome::Undecided { t_lower }) => self.give_up(t_lower),
            // Distances of triangles do not fail.
            Err(_) => self.give_up(window[0]),
        }
    }

    /// The time until which two triangles are apart by the linear motion of an interval, at least
    /// from the start of their window.
    fn parted_until(&self, search: &Search<'_, TwoTriangles>, tag: u32) -> f64 {
        let Interval { middle, half, linear, pad, .. } = self.intervals.get(tag);
        let [from, to] = search.window;
        let Bent { mut flight, blur, .. } = Bent::straight(&search.probe.triangles, linear, from - middle, *half);
        // The blur has all of it: the linear motion is that of the middle.
        flight.bend = 0.0;
        let pad = pad + blur + linear[0].bend + linear[1].bend;
        let between = flight.triangles[1].0[0] - flight.triangles[0].0[0];
        proven_until(from, flight.apart_until_along_still(to - from, pad, between), to)
    }

    fn give_up(&mut self, t: f64) {
        self.found.gave_up = Some(self.found.gave_up.map_or(t, |other| other.min(t)));
    }

    /// Whether two triangles may be the first that touch, by their normals.
    fn face(&self, positions: (u32, u32)) -> bool {
        let Some(towards) = self.fronts else { return true };
        let faces = |body: usize, position: u32| {
            let mesh = self.meshes[body];
            is_front(mesh.tri_mesh().triangle(mesh.hierarchy().triangle_at(position)).0, towards[body])
        };
        faces(0, positions.0) && faces(1, positions.1)
    }

    /// Tests all pairs of triangles of two leaves that may touch before the limit.
    #[inline(always)]
    fn leaf_tests(&mut self, pair: &NodePair) {
        let simd = self.simd;
        let [tree_a, tree_b] = self.meshes.map(Mesh::hierarchy);
        let ((leaf_a, first_a, count_a), (leaf_b, first_b, count_b)) = (tree_a.leaf(pair.a), tree_b.leaf(pair.b));
        let interval = self.intervals.get(pair.tag);
        let Interval { from, to, middle, half, .. } = *interval;
        let (map, sweep) = (&interval.maps[0], &interval.sweeps[0]);
        let (volume_a, volume_b) = (tree_a.volume(pair.a), tree_b.volume(pair.b));
        let (center_b, radius_b) = map.sphere(&volume_b.center, volume_b.radius);
        let (moves, turns) = (sweep.fixed_drift(center_b), sweep.lanes.drift(volume_a.center));
        let drift = [moves[0] - turns[0], moves[1] - turns[1], moves[2] - turns[2]];
        let blur =
            sweep.pad + sweep.lanes.blur(volume_a.center, volume_a.radius) + sweep.fixed.blur(center_b, radius_b);
        let a = triangle_lanes::load(simd, &leaf_a.lanes);
        let [b0, b1, b2] = triangle_lanes::load(simd, &leaf_b.lanes);
        let b = [map.points(simd, b0), map.points(simd, b1), map.points(simd, b2)];
        let directions = directions_of(drift);
        let (ones, others) = (SweptLeaf::new(simd, a, &directions), SweptLeaf::new(simd, b, &directions));
        // Rounded, a time is off by a few roundings of itself.
        let slack = 8.0 * UNIT_ROUNDOFF * to;
        let time = |tau: f32, slack: f64| (middle + f64::from(tau) * half + slack).clamp(from, to);
        let mut waiting: SmallVec<[(f32, f32, u32, u32); 64]> = SmallVec::new();
        for lane in 0..count_a {
            let window = windows(simd, lane as usize, &ones, &others, (drift, &directions), blur);
            // NaN excludes nothing.
            let mut open = !window.from.simd_gt(window.to).to_bitmask() & used(count_b);
            let (starts, ends): ([f32; 8], [f32; 8]) = (window.from.into(), window.to.into());
            while open != 0 {
                let other = open.trailing_zeros();
                open &= open - 1;
                let (start, end) = (starts[other as usize & 7], ends[other as usize & 7]);
                let (start, end) = if start <= end { (start, end) } else { (-1.0, 1.0) };
                waiting.push((start, end, first_a + lane, first_b + other));
            }
        }
        // A contact of the earliest ones cuts the others short.
        waiting.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        for (start, end, a, b) in waiting {
            let limit = latest(self.whole, self.limit);
            let window = [time(start, -slack), time(end, slack).min(limit)];
            if window[0] <= window[1] && limit > window[0] && self.face((a, b)) {
                self.decide((a, b), pair.tag, window);
            }
        }
    }
}

impl<S: Lanes8> Query<Mesh<Bvh8>, Mesh<Bvh8>> for SweptTraversal<'_, '_, S> {
    type Lanes = Bvh8Lanes<S>;
    type Order = BestFirst;

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn bound_a(&mut self, a: &Mesh<Bvh8>, b: &Mesh<Bvh8>, pair: &NodePair) -> Bvh8Lanes<S> {
        let (interval, block) = (self.intervals.get(pair.tag), a.hierarchy().block(pair.a));
        let fixed = FixedObbSphere::new(self.simd, b.hierarchy().volume(pair.b), &interval.maps[0]);
        let lanes = self.keys(interval, block_entries(self.simd, block, &fixed, &interval.sweeps[0]), block.count);
        self.count(block.count);
        lanes
    }

    #[inline(always)]
    fn bound_b(&mut self, a: &Mesh<Bvh8>, b: &Mesh<Bvh8>, pair: &NodePair) -> Bvh8Lanes<S> {
        let (interval, block) = (self.intervals.get(pair.tag), b.hierarchy().block(pair.b));
        let fixed = FixedObbSphere::new(self.simd, a.hierarchy().volume(pair.a), &interval.maps[1]);
        let lanes = self.keys(interval, block_entries(self.simd, block, &fixed, &interval.sweeps[1]), block.count);
        self.count(block.count);
        lanes
    }

    /// Halves the time of pairs with too much blur.
    #[inline(always)]
    fn visit(&mut self, pair: &NodePair, front: &mut BestFirst) -> ControlFlow<bool> {
        let usable = self.intervals.get(pair.tag).usable;
        if usable && !self.is_blurred(pair) {
            return ControlFlow::Continue(());
        }
        if self.found.steps + self.intervals.len() >= self.whole.request.max_evaluations
            || (!usable && self.intervals.get(pair.tag).depth >= 2 * DEEPEST)
        {
            self.give_up(earliest(self.whole, front.floor().min(pair.key)));
            return ControlFlow::Break(true);
        }
        for second in [true, false] {
            if let Some(half) = self.halved(pair, second) {
                front.push(half, half.key);
            }
        }
        ControlFlow::Break(false)
    }

    #[inline(always)]
    fn is_spent(&self) -> bool {
        self.found.stats.steps() >= self.max_steps
    }

    fn exhausted(&mut self, floor: f32) {
        self.give_up(earliest(self.whole, floor));
    }

    #[inline(always)]
    fn leaf(&mut self, _a: &Mesh<Bvh8>, _b: &Mesh<Bvh8>, pair: &NodePair, front: &mut BestFirst) -> ControlFlow<()> {
        self.found.stats.leaf_pairs += 1;
        self.leaf_tests(pair);
        if self.found.gave_up.is_some() {
            self.give_up(earliest(self.whole, front.floor().min(pair.key)));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The inputs of a search, before the choice of the instruction set.
struct Run<'q, 's> {
    meshes: [&'q Mesh<Bvh8>; 2],
    whole: &'q Search<'s, Bodies<'s>>,
    fronts: Option<[DVec3; 2]>,
    front: &'q mut BestFirst,
}

impl Vectorized for Run<'_, '_> {
    type Output = Found;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Found {
        let [a, b] = self.meshes;
        let whole = self.whole;
        let found = Found { nearest: None, margin: whole.tolerance, gave_up: None, steps: 0, stats: Stats::default() };
        let mut query = SweptTraversal {
            simd,
            meshes: self.meshes,
            whole,
            swept: Swept { spheres: whole.spheres, frames: [*a.frame(), *b.frame()], tolerance: whole.tolerance },
            intervals: TimeIntervals::default(),
            limit: key_above(whole, whole.duration).next_up(),
            fronts: self.fronts,
            max_steps: whole.steps_left().map_or(u64::MAX, |steps| steps as u64),
            found,
        };
        let [from, until] = whole.window;
        let mut breaks: Vec<f64> = whole.motions.iter().flat_map(|motion| motion.breaks()).collect();
        breaks.retain(|t| (from..=until).contains(t));
        breaks.extend(whole.window);
        breaks.sort_unstable_by(f64::total_cmp);
        breaks.dedup();
        let mut seeds = Vec::with_capacity(breaks.len());
        for part in breaks.windows(2) {
            let motion = |middle: f64, half: f64| SweptTraversal::<S>::motion(whole, middle, half);
            if let Some(tag) = query.intervals.add([part[0], part[1]], 0, &query.swept, motion) {
                let key = key_below(whole, part[0]);
                seeds.push(NodePair { key, tag, ..NodePair::new(a.root(), b.root()) });
            }
        }
        let _ = traverse(a, b, &mut query, self.front, &seeds);
        query.found.steps += query.intervals.len();
        query.found
    }
}

/// The directions, in the coordinates of the bodies, that front faces point to; `None` if all
/// triangles may touch first.
///
/// Of bodies that are farther apart than what counts as contact, the clearance first falls to that
/// between two points whose difference does not point against the motion, and then there is a face
/// next to each of them that does not either.
fn towards(search: &Search<'_, Bodies<'_>>, meshes: [&Mesh<Bvh8>; 2]) -> Option<[DVec3; 2]> {
    let [a, b] = search.motions;
    let velocities = [a.straight()?, b.straight()?];
    let lasts = |k: usize| velocities[k] == DVec3::ZERO || search.motions[k].duration() >= search.duration;
    let relative = unit(velocities[1] - velocities[0])?;
    if !(lasts(0) && lasts(1) && meshes.iter().all(|mesh| mesh.faces_outward())) {
        return None;
    }
    let own = |motion: &Motion, direction: DVec3| motion.pose(search.window[0]).rotation().transpose() * direction;
    Some([own(a, -relative), own(b, relative)])
}

/// Sweeps two default meshes along their motions.
pub(super) fn run(search: &mut Search<'_, Bodies<'_>>, meshes: [&Mesh<Bvh8>; 2]) -> Result<TimeOfImpact> {
    let mut fronts = None;
    if meshes.iter().any(|mesh| mesh.is_filled()) {
        // One contains the other from the start, or not before their surfaces touch.
        let from = search.window[0];
        let evaluation = search.evaluate(from, search.tolerance)?;
        if evaluation.found.status == Status::Budget {
            return Ok(TimeOfImpact::Undecided { t_lower: from });
        }
        if evaluation.found.upper <= search.request.distance {
            let gap = search.upper_clearance(&evaluation);
            return Ok(TimeOfImpact::Contact(search.impact(&evaluation, from, from, gap)));
        }
        if search.request.fronts_only && evaluation.clear > search.tolerance {
            fronts = towards(search, meshes);
        }
    }
    let mut front: BestFirst = search.probe.workspace.take();
    let level = search.probe.workspace.simd_level;
    let found = vectorized(level, Run { meshes, whole: search, fronts, front: &mut front });
    search.probe.workspace.put(front);
    search.steps += found.steps;
    search.stats += found.stats;
    if let Some(t) = found.gave_up {
        return Ok(TimeOfImpact::Undecided {
            t_lower: found.nearest.map_or(t, |(_, evaluation)| t.min(evaluation.t)).max(search.window[0]),
        });
    }
    let Some((positions, evaluation)) = found.nearest else { return Ok(TimeOfImpact::Free { margin: found.margin }) };
    let mut pair = between(search, meshes, positions, [evaluation.t, search.duration]);
    let (first, touches) = pair.near(&evaluation)?;
    search.steps += pair.steps;
    search.stats += pair.stats;
    if touches {
        return Ok(TimeOfImpact::Contact(first));
    }
    // Two triangles come near and do not touch: perhaps others do soon after.
    let evaluation = search.evaluate(evaluation.t, 4096.0 * search.tolerance)?;
    if evaluation.found.status == Status::Budget {
        return Ok(TimeOfImpact::Contact(first));
    }
    Ok(TimeOfImpact::Contact(search.near(&evaluation)?.0))
}
