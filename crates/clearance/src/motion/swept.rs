//! Swept nodes: when two default meshes first touch, in one descent of both trees and of time.
//!
//! A pair of the descent is two nodes and an interval of time (its tag); its key is the earliest time at which they can meet. Nodes of
//! a block move against the other node to first order, and everything else is bounded by a *blur* (`pair/volume/swept_block.rs`), so
//! that a block's eight entry times take one call, and pairs that stay apart in the interval are dropped. Where the blur is
//! large against the nodes the interval is halved, else a node is opened: time is subdivided only where swept nodes overlap, and pairs
//! are taken by their keys, the earliest first. Two triangles are then searched by steps that directions allow
//! ([`Search`]), in the time that is left of the interval.
//!
//! Invariant: of every time before the limit every pair of triangles is in a pair that waits, or was proven to stay apart, or was searched.
//! So the least `t_lower` of what was found bounds the first contact, and a search that ends with nothing proves the motion free.
//! Solids that do not overlap at the start can only come to by a contact of their surfaces.
//!
//! After Foisy and Hayward, *A safe swept volume approach to collision detection* (1993), and Tang, Kim and Manocha, *C²A: Controlled
//! conservative advancement for continuous collision detection of polygonal models* (2009), which advances nodes one by one too.
//! Cost: the blur shrinks with the square of the interval, so that a screw of one radian takes a few halvings; 20 ns a node's block.

use super::advancement::{Probe, Search};
use super::clock::{Clock, Interval, Swept};
use super::contact::{Bodies, FirstContact, Touch};
use super::piece::Linear;
use crate::descent::{BestFirst, Order, Pair, Query, Stack, Stats, descend};
use crate::math::lanes::{F8, Lanes8, Vectorized, vectorized};
use crate::math::{DVec3, UNIT_ROUNDOFF, f32_above, f32_below};
use crate::pair::shape::swept_lanes::{Shadows, SweptLeaf, directions_of, windows};
use crate::pair::shape::triangle_lanes;
use crate::pair::volume::obb_sphere_block::FixedObbSphere;
use crate::pair::volume::swept_block::block_entries;
use crate::query::{Distance, DistanceGoal, DistanceRequest, Goal, LeafPair, WideLanes, moving_error, used};
use crate::tree::{Mesh, Tree, VolumeTree, Wide};
use crate::volume::BoundingBall;
use crate::{Pose, Result, Triangle};
use fearless_simd::prelude::*;
use std::ops::ControlFlow;

/// Time is halved where the blur exceeds this part of the sum of the nodes' radii; measured.
const BLUR: f32 = 0.3;
/// Time is not halved more often: what is left is a matter of rounding.
const DEEPEST: u32 = 40;

/// Two triangles as a [`Probe`].
struct TwoTriangles {
    triangles: [Triangle; 2],
    ids: (u32, u32),
    /// How far the second one is from its body's origin.
    extent: f64,
}

impl Probe for TwoTriangles {
    fn distance(&mut self, a_from_b: &Pose, request: &DistanceRequest) -> Result<Distance> {
        let mut goal = DistanceGoal::<Stack>::new(request);
        let pair = LeafPair { a: self.ids.0, b: self.ids.1, rounding: moving_error(self.extent, a_from_b) };
        let _ = goal.meet(pair, &self.triangles[0], &self.triangles[1].transformed(a_from_b));
        Ok(goal.finish())
    }

    fn reach_along(&self, body: usize, direction: DVec3, radius: f64) -> f64 {
        let reach =
            self.triangles[body].0.iter().fold(f64::NEG_INFINITY, |most, corner| most.max(direction.dot(*corner)));
        reach + 8.0 * UNIT_ROUNDOFF * radius
    }
}

/// A ball around a triangle.
fn ball_of(triangle: &Triangle) -> BoundingBall {
    let center = triangle.centroid();
    let radius = triangle.0.iter().fold(0.0_f64, |radius, corner| radius.max(center.distance(*corner)));
    BoundingBall { center, radius: radius * (1.0 + 8.0 * UNIT_ROUNDOFF) + 8.0 * UNIT_ROUNDOFF * center.length() }
}

/// What a descent finds out.
struct Found {
    /// The touch of the least `t_upper`.
    touch: Option<Touch>,
    /// The least `t_lower` of all.
    t_lower: f64,
    /// All that was searched keeps at least this.
    margin: f64,
    /// Where the search gave up.
    gave_up: Option<f64>,
    steps: usize,
    stats: Stats,
}

/// The query of two wide trees in motion.
struct SweptMeeting<'q, 's, S: Lanes8> {
    simd: S,
    meshes: [&'q Mesh<Wide>; 2],
    whole: &'q Search<'s, Bodies<'s>>,
    swept: Swept,
    clock: Clock,
    /// As a key: nothing later matters.
    limit: f32,
    found: Found,
}

impl<S: Lanes8> SweptMeeting<'_, '_, S> {
    /// The bodies about a time, and what is added to all of their distances.
    fn motion(whole: &Search<'_, Bodies<'_>>, middle: f64, half: f64) -> ([Linear; 2], f64) {
        let linear = whole.motions.map(|motion| motion.linear(middle, half));
        let rounding = whole.rounding(middle, &[linear[0].pose, linear[1].pose]);
        (linear, whole.request.distance + whole.tolerance + rounding)
    }

    /// The pair in one half of its interval.
    fn halved(&mut self, pair: &Pair, second: bool) -> Option<Pair> {
        let whole = self.whole;
        let tag = self.clock.half(pair.tag, second, &self.swept, |middle, half| Self::motion(whole, middle, half))?;
        let from = f32_below(self.clock.get(tag).from);
        Some(Pair { tag, key: pair.key.max(from), ..*pair })
    }

    /// Whether the interval of a pair is too long for its nodes.
    #[inline(always)]
    fn is_blurred(&self, pair: &Pair) -> bool {
        let interval = self.clock.get(pair.tag);
        if interval.depth >= DEEPEST {
            return false;
        }
        let [a, b] = [self.meshes[0].hierarchy().volume(pair.a), self.meshes[1].hierarchy().volume(pair.b)];
        let sweep = &interval.sweeps[0];
        let (center, radius) = interval.maps[0].ball(&b.center, b.radius);
        let blur = sweep.pad + sweep.lanes.blur(a.center, a.radius) + sweep.fixed.blur(center, radius);
        blur > BLUR * (a.radius + radius) + interval.still
    }

    /// Entry times of lanes as keys.
    #[inline(always)]
    fn keys(&self, interval: &Interval, entries: F8<S>, count: u32) -> WideLanes<S> {
        let splat = |x: f32| F8::splat(self.simd, x);
        // Sums and products of what is not negative: each of the few roundings is relative.
        let since = (entries + splat(1.0)) * splat(interval.half as f32);
        let keys = (since + splat(interval.from as f32)) * splat(1.0 - 4.0 * f32::EPSILON);
        WideLanes::new(keys, keys, count)
    }

    fn count(&mut self, volumes: u32) {
        self.found.stats.opened += 1;
        self.found.stats.volume_tests += u64::from(volumes);
    }

    /// Searches two triangles in a part of the time.
    #[inline(never)]
    fn decide(&mut self, a: u32, b: u32, window: [f64; 2]) {
        let ids = (self.meshes[0].hierarchy().triangle_at(a), self.meshes[1].hierarchy().triangle_at(b));
        let triangles = [self.meshes[0].soup().triangle(ids.0), self.meshes[1].soup().triangle(ids.1)];
        let balls = [ball_of(&triangles[0]), ball_of(&triangles[1])];
        let extent = balls[1].center.length() + balls[1].radius;
        let whole = self.whole;
        let mut search = Search {
            probe: TwoTriangles { triangles, ids, extent },
            motions: whole.motions,
            balls,
            far: f64::INFINITY,
            window,
            duration: whole.duration,
            request: whole.request,
            tolerance: whole.tolerance,
            steps: 0,
            stats: Stats::default(),
        };
        let first = search.run();
        self.found.steps += search.steps;
        self.found.stats += search.stats;
        match first {
            Ok(FirstContact::Free { margin }) => self.found.margin = self.found.margin.min(margin),
            Ok(FirstContact::Contact(touch)) => {
                self.found.t_lower = self.found.t_lower.min(touch.t_lower);
                if self.found.touch.is_none_or(|best| touch.t_upper < best.t_upper) {
                    self.found.touch = Some(touch);
                    self.limit = self.limit.min(f32_above(touch.t_upper));
                }
            }
            // Distances of triangles do not fail.
            Ok(FirstContact::Undecided { t_lower }) => self.give_up(t_lower),
            Err(_) => self.give_up(window[0]),
        }
    }

    fn give_up(&mut self, t: f64) {
        self.found.gave_up = Some(self.found.gave_up.map_or(t, |other| other.min(t)));
    }

    /// All pairs of triangles of two leaves that may touch before the limit.
    #[inline(always)]
    fn meet_leaves(&mut self, pair: &Pair) {
        let simd = self.simd;
        let [tree_a, tree_b] = self.meshes.map(Mesh::hierarchy);
        let ((leaf_a, first_a, count_a), (leaf_b, first_b, count_b)) = (tree_a.leaf(pair.a), tree_b.leaf(pair.b));
        let interval = self.clock.get(pair.tag);
        let Interval { from, to, middle, half, .. } = *interval;
        let (map, sweep) = (&interval.maps[0], &interval.sweeps[0]);
        let (volume_a, volume_b) = (tree_a.volume(pair.a), tree_b.volume(pair.b));
        let (center_b, radius_b) = map.ball(&volume_b.center, volume_b.radius);
        let (moves, turns) = (sweep.fixed_drift(center_b), sweep.lanes.drift(volume_a.center));
        let drift = [moves[0] - turns[0], moves[1] - turns[1], moves[2] - turns[2]];
        let blur =
            sweep.pad + sweep.lanes.blur(volume_a.center, volume_a.radius) + sweep.fixed.blur(center_b, radius_b);
        let a = triangle_lanes::load(simd, &leaf_a.lanes);
        let [b0, b1, b2] = triangle_lanes::load(simd, &leaf_b.lanes);
        let b = [map.points(simd, b0), map.points(simd, b1), map.points(simd, b2)];
        let directions = directions_of(drift);
        let (shadows_a, shadows_b) = (Shadows::new(simd, &a, &directions), Shadows::new(simd, &b, &directions));
        let others = SweptLeaf { triangles: &b, shadows: &shadows_b };
        // Rounded, a time is off by a few roundings of itself.
        let slack = 8.0 * UNIT_ROUNDOFF * to;
        let time = |tau: f32, slack: f64| (middle + f64::from(tau) * half + slack).clamp(from, to);
        for lane in 0..count_a {
            let one = triangle_lanes::splat_lane(simd, &a, lane as u8);
            let window = windows(simd, (&one, &shadows_a, lane as usize), &others, (drift, &directions), blur);
            // What is not a number excludes nothing.
            let mut open = !window.from.simd_gt(window.to).to_bitmask() & used(count_b);
            let (starts, ends): ([f32; 8], [f32; 8]) = (window.from.into(), window.to.into());
            while open != 0 {
                let other = open.trailing_zeros();
                open &= open - 1;
                let (start, end) = (starts[other as usize & 7], ends[other as usize & 7]);
                let (start, end) = if start <= end { (start, end) } else { (-1.0, 1.0) };
                let window = [time(start, -slack), time(end, slack).min(f64::from(self.limit))];
                if window[0] <= window[1] && f64::from(self.limit) > window[0] {
                    self.decide(first_a + lane, first_b + other, window);
                }
            }
        }
    }
}

impl<S: Lanes8> Query<Mesh<Wide>, Mesh<Wide>> for SweptMeeting<'_, '_, S> {
    type Lanes = WideLanes<S>;
    type Order = BestFirst;

    #[inline(always)]
    fn limit(&self) -> f32 {
        self.limit
    }

    #[inline(always)]
    fn bound_a(&mut self, a: &Mesh<Wide>, b: &Mesh<Wide>, pair: &Pair) -> WideLanes<S> {
        let (interval, block) = (self.clock.get(pair.tag), a.hierarchy().block(pair.a));
        let fixed = FixedObbSphere::new(self.simd, b.hierarchy().volume(pair.b), &interval.maps[0]);
        let lanes = self.keys(interval, block_entries(self.simd, block, &fixed, &interval.sweeps[0]), block.count);
        self.count(block.count);
        lanes
    }

    #[inline(always)]
    fn bound_b(&mut self, a: &Mesh<Wide>, b: &Mesh<Wide>, pair: &Pair) -> WideLanes<S> {
        let (interval, block) = (self.clock.get(pair.tag), b.hierarchy().block(pair.b));
        let fixed = FixedObbSphere::new(self.simd, a.hierarchy().volume(pair.a), &interval.maps[1]);
        let lanes = self.keys(interval, block_entries(self.simd, block, &fixed, &interval.sweeps[1]), block.count);
        self.count(block.count);
        lanes
    }

    /// Halves the time of pairs that are too blurred.
    #[inline(always)]
    fn visit(&mut self, pair: &Pair, front: &mut BestFirst) -> ControlFlow<bool> {
        let usable = self.clock.get(pair.tag).usable;
        if usable && !self.is_blurred(pair) {
            return ControlFlow::Continue(());
        }
        if self.found.steps + self.clock.len() >= self.whole.request.most_steps
            || (!usable && self.clock.get(pair.tag).depth >= 2 * DEEPEST)
        {
            self.give_up(f64::from(front.floor().min(pair.key)));
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
    fn leaf(&mut self, _a: &Mesh<Wide>, _b: &Mesh<Wide>, pair: &Pair, front: &mut BestFirst) -> ControlFlow<()> {
        self.found.stats.leaf_pairs += 1;
        self.meet_leaves(pair);
        if self.found.gave_up.is_some() {
            self.give_up(f64::from(front.floor().min(pair.key)));
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// All that a search needs, before the instruction set is chosen.
struct Run<'q, 's> {
    meshes: [&'q Mesh<Wide>; 2],
    whole: &'q Search<'s, Bodies<'s>>,
    front: &'q mut BestFirst,
}

impl Vectorized for Run<'_, '_> {
    type Output = Found;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Found {
        let [a, b] = self.meshes;
        let whole = self.whole;
        let found = Found {
            touch: None,
            t_lower: f64::INFINITY,
            margin: whole.tolerance,
            gave_up: None,
            steps: 0,
            stats: Stats::default(),
        };
        let mut meeting = SweptMeeting {
            simd,
            meshes: self.meshes,
            whole,
            swept: Swept { balls: whole.balls, frames: [*a.frame(), *b.frame()], tolerance: whole.tolerance },
            clock: Clock::default(),
            limit: f32_above(whole.duration).next_up(),
            found,
        };
        let mut breaks: Vec<f64> = whole.motions.iter().flat_map(|motion| motion.breaks()).collect();
        breaks.sort_unstable_by(f64::total_cmp);
        breaks.dedup();
        let mut seeds = Vec::with_capacity(breaks.len());
        for part in breaks.windows(2) {
            let motion = |middle: f64, half: f64| SweptMeeting::<S>::motion(whole, middle, half);
            if let Some(tag) = meeting.clock.add([part[0], part[1]], 0, &meeting.swept, motion) {
                let key = f32_below(part[0]);
                seeds.push(Pair { key, tag, ..Pair::new(a.root(), b.root()) });
            }
        }
        let _ = descend(a, b, &mut meeting, self.front, &seeds);
        meeting.found.steps += meeting.clock.len();
        meeting.found
    }
}

/// Sweeps two default meshes along their motions.
pub(super) fn run(search: &mut Search<'_, Bodies<'_>>, meshes: [&Mesh<Wide>; 2]) -> Result<FirstContact> {
    if meshes.iter().any(|mesh| mesh.is_filled()) {
        // Contained from the start, or not before their surfaces touch.
        let look = search.look(0.0, search.tolerance)?;
        if look.found.upper <= search.request.distance {
            return Ok(FirstContact::Contact(search.touch(&look, 0.0, 0.0, 0.0)));
        }
    }
    let mut front: BestFirst = search.probe.workspace.take();
    let level = search.probe.workspace.simd_level;
    let found = vectorized(level, Run { meshes, whole: search, front: &mut front });
    search.probe.workspace.put(front);
    search.steps += found.steps;
    search.stats += found.stats;
    Ok(match (found.touch, found.gave_up) {
        (_, Some(t)) => FirstContact::Undecided { t_lower: t.min(found.t_lower).max(0.0) },
        (Some(touch), None) => FirstContact::Contact(Touch { t_lower: found.t_lower.min(touch.t_upper), ..touch }),
        (None, None) => FirstContact::Free { margin: found.margin },
    })
}
