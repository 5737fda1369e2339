//! Bodies in continuous motion: the next contact of any two, and none is missed.
//!
//! Bodies follow motions over one clock. For a window of time each one has a hyper-trapezoid
//! ([`SpaceTimeBox`]) around all of its places, and the box around that is its swept box in a tree.
//! Pairs of swept boxes whose trapezoids meet wait in a heap by the earliest time at which they can
//! touch. The first one of the heap is searched for its first contact, which puts it back at the
//! time of that, or drops it. So the clock advances to the first entry that is a contact, and pairs
//! that cannot touch before are never searched. A changed motion takes one search in the tree: its
//! old entries carry another stamp and are dropped when they come up.
//!
//! A pair that has reported its contact is *held*: it reports nothing until it was seen apart by
//! more than twice the tolerance. Looks are at ever longer intervals, each as long as the contact
//! has lasted, so that resting contacts cost the logarithm of their time, and a bounce is seen
//! within a few tolerances of way.
//!
//! Invariant: of two bodies that may collide and are not held, every contact up to the end of the
//! window is in a pair that waits at or before it, or after a time that was searched. Cost: a
//! window costs an update of the tree for all moving bodies; a change of motion one update, a dozen
//! pairs of trapezoids and the few searches that are due.
//!
//! Sources: Jiménez, Thomas and Torras, *3D collision detection: a survey* (2001), section 4.3;
//! Hubbard (1995) for space-time bounds; Mirtich and Canny (1994) for the heap.

use super::body::Body;
use super::broad_phase::{BroadPhase, Tracked, TreeOfBoxes};
use super::pair_finder::{BodyPair, PairFinder};
use super::{SpaceTimeBox, WorldBox};
use crate::Result;
use crate::dispatch::Dispatcher;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::motion::{Impact, ImpactRequest, Motion, TimeOfImpact, clearance_at_start, time_of_impact};
use crate::traversal::Workspace;
use crate::tree::{Bounds, Geometry};
use crate::volume::BoundingSphere;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// The part of its radius and of the room between bodies that a body moves by in a window.
const WINDOW: f64 = 0.2;

/// A heap of so few entries is not cleaned up.
const MIN_DUE: usize = 64;

/// The contact of two bodies of a world in continuous motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// The bodies, the smaller slot first.
    pub bodies: BodyPair,
    /// The time of the world: no contact but those that were reported is before it.
    pub time: f64,
    /// The contact, which is at this time or within [`ImpactRequest::tolerance`] of it; its points
    /// and directions are those of the first body. `None` where the search gave up
    /// ([`TimeOfImpact::Undecided`]): before this time the bodies are apart, and nothing is known
    /// of them afterwards.
    pub impact: Option<Impact>,
}

/// The motion of a body, and its bound in the present window.
struct Mover {
    /// Over the time of the world.
    motion: Motion,
    sides: SpaceTimeBox,
    /// The time at which the bound begins.
    since: f64,
    /// Another one for each bound.
    stamp: u64,
    /// Whether it moves in the present window.
    active: bool,
}

enum Kind {
    /// The first contact from this time on is to be found.
    Search,
    /// Whether a held pair is apart is to be seen.
    Look,
    /// A contact that was found.
    Contact(Option<Box<Impact>>),
}

/// What is due at a time.
struct Due {
    time: f64,
    pair: [u32; 2],
    stamps: [u64; 2],
    kind: Kind,
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    /// The earliest one is the greatest; ties are in the order of slots.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then_with(|| other.pair.cmp(&self.pair))
    }
}

/// A pair in contact.
struct Held {
    /// The time of the last look, or of the contact.
    since: f64,
    /// The time from there to the next look.
    step: f64,
    /// Whether the bodies are still near.
    near: bool,
}

/// The world around the moving bodies.
pub(super) struct Scene<'w> {
    pub(super) bodies: &'w [Option<Body>],
    pub(super) finder: &'w PairFinder,
    pub(super) dispatcher: &'w Dispatcher,
}

impl<'w> Scene<'w> {
    fn bounds(&self, slot: u32) -> Option<&'w Bounds> {
        self.bodies[slot as usize].as_ref().map(|body| &body.own)
    }
}

/// The motions of a world's bodies, and the contacts that they lead to.
#[derive(Default)]
pub(super) struct Continuous {
    request: ImpactRequest,
    movers: Vec<Option<Mover>>,
    /// Swept boxes. Those before are always empty: all pairs of a changed body are new.
    tracked: Tracked,
    tree: TreeOfBoxes,
    /// Bodies that came, went, or got another motion.
    changed: Vec<u32>,
    window: [f64; 2],
    /// Whether there was a window at all.
    started: bool,
    due: BinaryHeap<Due>,
    /// How many were due after the last clean-up.
    due_kept: usize,
    held: BTreeMap<[u32; 2], Held>,
    found: Vec<[u32; 2]>,
    stamps: u64,
}

impl Continuous {
    /// The request of all searches, but for the window.
    pub(super) fn request(&self) -> &ImpactRequest {
        &self.request
    }

    /// Sets the request; nothing that was found before counts.
    pub(super) fn set_request(&mut self, request: ImpactRequest) {
        self.request = request;
        self.held.clear();
        self.due.clear();
        (0..self.movers.len() as u32).for_each(|slot| self.touch(slot));
    }

    /// Sets the motion of a body over the world's time.
    pub(super) fn set(&mut self, slot: usize, motion: Motion) {
        if self.movers.len() <= slot {
            let count = slot + 1;
            self.movers.resize_with(count, || None);
            self.tracked.now.resize(count, WorldBox::EMPTY);
            self.tracked.before.resize(count, WorldBox::EMPTY);
            self.tracked.changed.resize(count, false);
            self.tracked.rules.resize(count);
        }
        let sides = SpaceTimeBox::of_sides([DVec3::ZERO; 2], [DVec3::ZERO; 2], 0.0);
        self.movers[slot] = Some(Mover { motion, sides, since: 0.0, stamp: 0, active: false });
        self.touch(slot as u32);
    }

    /// Removes a body.
    pub(super) fn remove(&mut self, slot: usize) {
        self.movers[slot] = None;
        self.held.retain(|pair, _| !pair.contains(&(slot as u32)));
        self.touch(slot as u32);
    }

    /// The motion of a body over the world's time.
    pub(super) fn motion(&self, slot: usize) -> Option<&Motion> {
        self.movers.get(slot)?.as_ref().map(|mover| &mover.motion)
    }

    /// Finds the pairs of a body anew before the next step.
    pub(super) fn touch(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.tracked.changed[slot as usize], true) {
            self.changed.push(slot);
        }
    }

    /// The pairs in contact.
    pub(super) fn held(&self) -> impl Iterator<Item = [u32; 2]> {
        self.held.keys().copied()
    }

    /// Advances the clock up to `until`, or to the first contact before.
    pub(super) fn advance(
        &mut self,
        scene: &Scene<'_>,
        time: &mut f64,
        until: f64,
        workspace: &mut Workspace,
    ) -> Result<Option<Event>> {
        if !self.started {
            self.started = true;
            self.renew(scene, *time, until);
        }
        self.find_pairs(scene, *time, true);
        loop {
            let limit = until.min(self.window[1]);
            while self.due.peek().is_some_and(|due| due.time <= limit) {
                let Some(due) = self.due.pop() else { break };
                let Due { time: at, pair, stamps, ref kind } = due;
                if stamps != self.stamps_of(pair) || !scene.finder.rules().may_touch(pair[0], pair[1]) {
                    continue;
                }
                *time = time.max(at);
                let next = match kind {
                    Kind::Contact(impact) => {
                        self.hold(scene, pair, at);
                        let impact = impact.as_deref().copied();
                        return Ok(Some(Event { bodies: scene.finder.pair_of(pair), time: at, impact }));
                    }
                    Kind::Search => self.search(scene, pair, at, workspace),
                    Kind::Look => self.look(scene, pair, at, workspace),
                };
                match next {
                    Ok(next) => self.due.extend(next.map(|(time, kind)| Due { time, pair, stamps, kind })),
                    Err(error) => {
                        // No pair is forgotten.
                        self.due.push(due);
                        return Err(error);
                    }
                }
            }
            *time = limit;
            if until <= self.window[1] {
                return Ok(None);
            }
            self.renew(scene, limit, until);
            self.find_pairs(scene, limit, false);
        }
    }

    /// Drops what is due of motions that have changed, once that can be half of all.
    fn clean_up(&mut self) {
        if self.due.len() > 2 * self.due_kept + MIN_DUE {
            let mut due = std::mem::take(&mut self.due);
            due.retain(|due| due.stamps == self.stamps_of(due.pair));
            (self.due_kept, self.due) = (due.len(), due);
        }
    }

    fn stamps_of(&self, pair: [u32; 2]) -> [u64; 2] {
        // No bound has a stamp of 0.
        pair.map(|slot| self.movers[slot as usize].as_ref().map_or(0, |mover| mover.stamp))
    }

    /// Two bodies with their motions.
    fn bodies<'b>(&'b self, scene: &Scene<'b>, pair: [u32; 2]) -> Option<[(&'b dyn Geometry, &'b Motion); 2]> {
        let body = |slot: u32| -> Option<(&'b dyn Geometry, &'b Motion)> {
            let geometry = &scene.bodies[slot as usize].as_ref()?.geometry;
            Some((&**geometry, &self.movers[slot as usize].as_ref()?.motion))
        };
        Some([body(pair[0])?, body(pair[1])?])
    }

    fn request_from(&self, at: f64) -> ImpactRequest {
        ImpactRequest { window: [at, self.window[1].max(at)], ..self.request }
    }

    /// Searches the first contact of a pair from a time on; returns what is due next.
    fn search(
        &self,
        scene: &Scene<'_>,
        pair: [u32; 2],
        at: f64,
        workspace: &mut Workspace,
    ) -> Result<Option<(f64, Kind)>> {
        let Some(bodies) = self.bodies(scene, pair) else { return Ok(None) };
        let answer = time_of_impact(scene.dispatcher, bodies, &self.request_from(at), workspace)?;
        Ok(match answer.first {
            TimeOfImpact::Free { .. } => None,
            TimeOfImpact::Contact(impact) => Some((impact.t_lower, Kind::Contact(Some(Box::new(impact))))),
            TimeOfImpact::Undecided { t_lower } if t_lower > at => Some((t_lower, Kind::Search)),
            TimeOfImpact::Undecided { .. } => Some((at, Kind::Contact(None))),
        })
    }

    /// Sees whether a held pair is apart; returns what is due next.
    fn look(
        &mut self,
        scene: &Scene<'_>,
        pair: [u32; 2],
        at: f64,
        workspace: &mut Workspace,
    ) -> Result<Option<(f64, Kind)>> {
        let Some(bodies) = self.bodies(scene, pair) else { return Ok(None) };
        let (clear, tolerance) = clearance_at_start(scene.dispatcher, bodies, &self.request_from(at), workspace)?;
        if clear > 2.0 * tolerance {
            self.held.remove(&pair);
            return Ok(Some((at, Kind::Search)));
        }
        Ok(self.held.get_mut(&pair).map(|held| {
            (held.since, held.step) = (at, 2.0 * held.step);
            (held.next(), Kind::Look)
        }))
    }

    /// Holds a pair from its contact on.
    fn hold(&mut self, scene: &Scene<'_>, pair: [u32; 2], at: f64) {
        let held = Held { since: at, step: self.first_step(scene, pair, at), near: true };
        if held.step.is_finite() {
            let stamps = self.stamps_of(pair);
            self.due.push(Due { time: held.next(), pair, stamps, kind: Kind::Look });
        }
        self.held.insert(pair, held);
    }

    /// A time in which two bodies cannot move apart by more than a few tolerances, whatever the
    /// window; infinite for bodies at rest.
    fn first_step(&self, scene: &Scene<'_>, pair: [u32; 2], at: f64) -> f64 {
        let (mut speed, mut left) = (0.0, 0.0_f64);
        for [slot, other] in [pair, [pair[1], pair[0]]] {
            if let (Some(mover), Some(bounds)) = (&self.movers[slot as usize], scene.bounds(slot)) {
                left = left.max(mover.motion.duration() - at);
                // Of a body without bounds, what is near the other one counts.
                let near = match (&self.movers[other as usize], scene.bounds(other)) {
                    (Some(other), Some(of_other)) if !bounds.is_bounded() => {
                        let center = other.motion.pose(at).transform_point(finite_sphere(of_other).center);
                        let center = mover.motion.pose(at).inverse().transform_point(center);
                        BoundingSphere { center, ..finite_sphere(of_other) }
                    }
                    _ => finite_sphere(bounds),
                };
                speed += mover.motion.drift(at, mover.motion.duration(), &near).speed();
            }
        }
        if left <= 0.0 || speed == 0.0 {
            return f64::INFINITY;
        }
        // Steps double, so that they reach the end of the motion from any one that time can count.
        (4.0 * self.request.tolerance / speed).max(4.0 * f64::EPSILON * at).max(f64::MIN_POSITIVE)
    }

    /// Begins a window: bodies that moved in the one before get another bound.
    fn renew(&mut self, scene: &Scene<'_>, now: f64, until: f64) {
        let length = self.window_length(scene, now, until);
        let end = now + length;
        self.window = [now, if end > now && end < f64::INFINITY { end } else { until }];
        // No pair of bodies at rest is found again.
        let rests = |slot: &u32| self.movers[*slot as usize].as_ref().is_some_and(|mover| !mover.active);
        let rest = self.held.iter().filter(|(pair, held)| pair.iter().all(rests) && held.next().is_finite());
        let look = |(&pair, held): (&[u32; 2], &Held)| Due {
            time: held.next().max(now),
            pair,
            stamps: self.stamps_of(pair),
            kind: Kind::Look,
        };
        self.due = rest.map(look).collect();
        self.due_kept = self.due.len();
        for slot in 0..self.movers.len() as u32 {
            if self.movers[slot as usize].as_ref().is_some_and(|mover| mover.active) {
                self.touch(slot);
            }
        }
    }

    /// The time in which a body of middle size and speed moves by a part of its radius and of the
    /// room between bodies; infinite if none moves.
    fn window_length(&self, scene: &Scene<'_>, now: f64, until: f64) -> f64 {
        let last = self.window[1] - self.window[0];
        let guess = if last > 0.0 { last } else { until - now };
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        let (mut radii, mut ways, mut count) = (Vec::new(), Vec::new(), 0.0_f64);
        for (slot, mover) in self.movers.iter().enumerate() {
            let (Some(mover), Some(bounds)) = (mover, scene.bounds(slot as u32)) else { continue };
            if !bounds.is_bounded() {
                continue;
            }
            // Where the bound of the last window began will do.
            let (corner, _) = mover.sides.hull();
            (low, high, count) = (low.min(corner), high.max(corner), count + 1.0);
            if mover.motion.duration() > now && guess > 0.0 {
                radii.push(bounds.sphere.radius);
                ways.push(mover.motion.displacement(now, now + guess, &bounds.sphere));
            }
        }
        let middle = |values: &mut [f64]| {
            let middle = values.len() / 2;
            *values.select_nth_unstable_by(middle, f64::total_cmp).1
        };
        if ways.is_empty() {
            return f64::INFINITY;
        }
        let spacing = (high - low).max_element() / count.cbrt();
        let length = WINDOW * (middle(&mut radii) + spacing) * guess / middle(&mut ways);
        if length.is_nan() { f64::INFINITY } else { length }
    }

    /// Bounds the changed bodies from now on, and finds their pairs. `anew`: their motions changed,
    /// and held pairs are looked at soon.
    fn find_pairs(&mut self, scene: &Scene<'_>, now: f64, anew: bool) {
        if self.changed.is_empty() {
            return;
        }
        for &slot in &self.changed {
            let (mover, bounds) = (self.movers[slot as usize].as_mut(), scene.bounds(slot));
            self.tracked.now[slot as usize] = match (mover, bounds) {
                (Some(mover), Some(bounds)) => {
                    self.stamps += 1;
                    mover.bound(bounds, [now, self.window[1]], self.stamps);
                    mover.swept_box(bounds, 0.5 * (self.request.distance + self.request.tolerance), now)
                }
                _ => WorldBox::EMPTY,
            };
        }
        self.found.clear();
        self.tree.update(&self.tracked, &self.changed, &mut self.found);
        for (pair, held) in &mut self.held {
            held.near &= !pair.iter().any(|slot| self.tracked.changed[*slot as usize]);
        }
        let found = std::mem::take(&mut self.found);
        for &[a, b] in &found {
            self.consider(scene, [a.min(b), a.max(b)], now, anew);
        }
        self.found = found;
        self.clean_up();
        // Those whose bounds do not meet are apart.
        self.held.retain(|_, held| held.near);
        for slot in self.changed.drain(..) {
            self.tracked.changed[slot as usize] = false;
        }
    }

    /// Puts a pair into the heap if its bounds meet.
    fn consider(&mut self, scene: &Scene<'_>, pair: [u32; 2], now: f64, anew: bool) {
        let bounds = pair.map(|slot| scene.bounds(slot));
        let ([Some(a), Some(b)], [Some(bounds_a), Some(bounds_b)]) =
            (pair.map(|slot| self.movers[slot as usize].as_ref()), bounds)
        else {
            return;
        };
        let bounded = [bounds_a.is_bounded(), bounds_b.is_bounded()];
        if bounded == [false; 2] || !scene.finder.rules().may_touch(pair[0], pair[1]) {
            return;
        }
        let from = a.since.max(b.since);
        let [one, other] = [a, b].map(|mover| mover.sides.later(from - mover.since));
        // How far rounding moves an unbounded body depends on where the other one is.
        let pad = match bounded {
            [true, true] => 0.0,
            [true, false] => extent(&one) + place(&b.motion, from),
            _ => extent(&other) + place(&a.motion, from),
        };
        let near = self.request.distance + self.request.tolerance + UNBOUNDED * pad;
        let Some([begin, _]) = one.grown(near).meets(&other) else { return };
        let (earliest, stamps) = ((from + begin).next_down().max(from), [a.stamp, b.stamp]);
        let (time, kind) = if self.held.contains_key(&pair) {
            let again = if anew { Some(self.first_step(scene, pair, now)) } else { None };
            let Some(held) = self.held.get_mut(&pair) else { return };
            held.near = true;
            // Sooner only: motions that change often must not put the look off again and again.
            if let Some(step) = again.filter(|step| now + step < held.next()) {
                (held.since, held.step) = (now, step);
            }
            (held.next().max(now), Kind::Look)
        } else {
            (earliest, Kind::Search)
        };
        if time < f64::INFINITY {
            self.due.push(Due { time, pair, stamps, kind });
        }
    }
}

impl Held {
    /// The time of the next look.
    fn next(&self) -> f64 {
        (self.since + self.step).max(self.since.next_up())
    }
}

impl Mover {
    /// Bounds all places of the body in a window.
    fn bound(&mut self, own: &Bounds, [now, end]: [f64; 2], stamp: u64) {
        let bounded = own.is_bounded();
        let drift = self.motion.drift(now, end, &finite_sphere(own));
        self.active = self.motion.duration() > now;
        let duration = if self.active { (end - now).max(0.0).next_up() } else { f64::MAX };
        (self.since, self.stamp) = (now, stamp);
        if !bounded && drift.turns {
            let everywhere = [DVec3::NEG_INFINITY, DVec3::INFINITY];
            self.sides = SpaceTimeBox::of_sides(everywhere, [DVec3::ZERO; 2], duration);
            return;
        }
        let (low, high) = own.moved(&self.motion.pose(now)).vertices();
        let [slow, fast] = drift.velocities;
        let mut sides = [low - drift.shift, high + drift.shift];
        let mut rates = [slow - drift.spin, fast + drift.spin];
        if let Some(hub) = drift.hub {
            // Of a body that spins long enough, the sphere about its centre is the better bound.
            let around = [hub.center - hub.radius - drift.shift, hub.center + hub.radius + drift.shift];
            let half = 0.5 * duration;
            for axis in 0..3 {
                if around[0][axis] + slow[axis] * half > sides[0][axis] + rates[0][axis] * half {
                    (sides[0][axis], rates[0][axis]) = (around[0][axis], slow[axis]);
                }
                if around[1][axis] + fast[axis] * half < sides[1][axis] + rates[1][axis] * half {
                    (sides[1][axis], rates[1][axis]) = (around[1][axis], fast[axis]);
                }
            }
        }
        self.sides = SpaceTimeBox::of_sides(sides, rates, duration);
    }

    /// The box around all places in the window, with a margin and what rounding adds.
    fn swept_box(&self, own: &Bounds, margin: f64, now: f64) -> WorldBox {
        let size = if own.is_bounded() { extent(&self.sides) } else { place(&self.motion, now) };
        let (low, high) = self.sides.hull();
        WorldBox::around(low, high, margin + UNBOUNDED * size)
    }
}

/// The sphere of a body, or of an unbounded one its origin.
fn finite_sphere(own: &Bounds) -> BoundingSphere {
    if own.is_bounded() { own.sphere } else { BoundingSphere { center: DVec3::ZERO, radius: 0.0 } }
}

/// How far rounding can move the points of an unbounded body that are near a bounded one, relative
/// to the sizes that [`Motion::pose`] and a map between the bodies sum up, 64 roundings each.
const UNBOUNDED: f64 = 256.0 * UNIT_ROUNDOFF;

/// The coordinates of a bounded body, in all of the window.
fn extent(sides: &SpaceTimeBox) -> f64 {
    let (low, high) = sides.hull();
    low.abs().max(high.abs()).element_sum()
}

/// The coordinates of an unbounded body's origin.
fn place(motion: &Motion, now: f64) -> f64 {
    motion.pose(now).translation().abs().element_sum()
}
