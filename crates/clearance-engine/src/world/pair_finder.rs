//! Pair management: which boxes are within a margin of each other, step by step.
//!
//! A body has two boxes: the *tight* one, grown by half of the margin, and a *fat* one around it.
//! The broad phase has the fat boxes only, and gets an update when a body's tight box leaves the
//! fat one. It reports the pairs of fat boxes that begin to overlap. Each step then tests all these
//! candidates: pairs whose tight boxes overlap are the answer, and candidates whose fat boxes are
//! apart are dropped. So slow bodies cost two comparisons a step, and the answer does not depend on
//! how fat the boxes are.
//!
//! Invariant: after a step the candidates are all pairs of fat boxes that overlap and may collide,
//! each once. Cost of a step: one test for each body and candidate, and a search for each body that
//! left its fat box.

use super::broad_phase::{BroadPhase, BroadPhaseKind, Tracked};
use super::world_box::WorldBox;
use crate::math::{DVec3, Vec3A};
use crate::tree::next_revision;
use crate::{Error, ErrorKind, Result};
use std::collections::HashSet;

/// The identity of a body of one world; no other body of any world ever has the same id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId {
    slot: u32,
    /// Unique in this process.
    serial: u64,
}

impl BodyId {
    /// An index below the largest number of bodies at any one time, which a later body may reuse.
    pub fn slot(self) -> usize {
        self.slot as usize
    }
}

/// Two bodies, the smaller slot first.
pub type BodyPair = [BodyId; 2];

/// Collision groups of a body, as sets of up to 32 groups (a collision filter). Two bodies may
/// collide iff each is in a group that the other one collides with.
///
/// ```
/// use clearance_engine::world::Groups;
/// let (robot, wall) = (Groups { member: 0b01, meets: 0b11 }, Groups { member: 0b10, meets: 0b01 });
/// assert!(robot.may_touch(&wall) && robot.may_touch(&robot) && !wall.may_touch(&wall));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Groups {
    /// The groups that the body belongs to.
    pub member: u32,
    /// The groups that it can collide with.
    pub meets: u32,
}

impl Default for Groups {
    /// In the first group, and collides with all.
    fn default() -> Self {
        Self { member: 1, meets: u32::MAX }
    }
}

impl Groups {
    /// Whether bodies of these groups may collide.
    #[inline]
    pub fn may_touch(&self, other: &Self) -> bool {
        self.member & other.meets != 0 && other.member & self.meets != 0
    }
}

/// The rules of which pairs may collide.
#[derive(Default)]
pub(super) struct Rules {
    groups: Vec<Groups>,
    excluded: HashSet<[u32; 2]>,
}

impl Rules {
    /// Rules for so many bodies, in the default groups where they are new.
    pub(super) fn resize(&mut self, count: usize) {
        self.groups.resize(count, Groups::default());
    }

    #[inline]
    pub(super) fn may_touch(&self, a: u32, b: u32) -> bool {
        self.groups[a as usize].may_touch(&self.groups[b as usize])
            && (self.excluded.is_empty() || !self.excluded.contains(&[a.min(b), a.max(b)]))
    }
}

/// Options of a [`PairFinder`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FinderOptions {
    /// The safety margin: boxes that are this near on every axis are a pair; 0 by default.
    pub margin: f64,
    /// The maximum room of fat boxes on each side, as a part of the longest edge, besides the room
    /// for a body's motion. Less room means more searches. It is 0.1 by default, and 0 means no fat
    /// boxes at all.
    pub room: f32,
    /// The broad-phase algorithm.
    pub broad_phase: BroadPhaseKind,
}

impl Default for FinderOptions {
    fn default() -> Self {
        Self { margin: 0.0, room: 0.1, broad_phase: BroadPhaseKind::default() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Fat boxes overlap, tight ones do not.
    Near,
    Began,
    Persists,
}

#[derive(Clone, Copy)]
struct Candidate {
    bodies: [u32; 2],
    state: State,
}

/// The state of a slot besides its boxes.
#[derive(Clone, Copy)]
struct Slot {
    /// The serial number of the body's id.
    serial: u64,
    present: bool,
    /// Its rules have changed: the next step drops its pairs.
    anew: bool,
}

/// The time and place at which a body got its fat box.
#[derive(Clone, Copy)]
struct Fattened {
    /// The low corner of its tight box then.
    low: Vec3A,
    step: u64,
}

/// The number of steps ahead for which a fat box has room, if the body goes on as it did.
const AHEAD: f32 = 16.0;

/// A moving body has no more room on the other sides than it would cross in so many steps: large
/// bodies that creep need little.
const AROUND: f32 = 8.0;

/// The fat box of a body: room on all sides, and more on the side that the body is moving to, up to
/// twice its edge.
///
/// An unbounded box has no edge to take a part of.
fn fat(tight: &WorldBox, room: f32, per_step: Vec3A) -> WorldBox {
    let longest = tight.longest();
    if tight.is_large() || room == 0.0 {
        return *tight;
    }
    let limit = Vec3A::splat(2.0 * longest);
    let way = (per_step * AHEAD).clamp(-limit, limit);
    let way = if way.is_nan() { Vec3A::ZERO } else { way };
    let around = per_step.abs().max_element() * AROUND;
    let room = room * longest;
    tight.grown(if around > 0.0 { room.min(around) } else { room }).swept(way)
}

/// A set of boxes, and the pairs of them that are within a margin.
///
/// ```
/// use clearance_engine::{math::DVec3, world::{FinderOptions, Groups, PairFinder}};
/// let mut finder = PairFinder::new(FinderOptions { margin: 0.5, ..FinderOptions::default() })?;
/// let a = finder.insert(DVec3::ZERO, DVec3::ONE, Groups::default())?;
/// let b = finder.insert(DVec3::X * 3.0, DVec3::X * 3.0 + 1.0, Groups::default())?;
/// finder.step();
/// assert_eq!(finder.pairs().count(), 0);
/// finder.set_box(b, DVec3::X * 1.4, DVec3::X * 1.4 + 1.0)?;
/// finder.step();
/// assert_eq!(finder.began().collect::<Vec<_>>(), [[a, b]]);
/// finder.remove(a)?;
/// finder.step();
/// assert_eq!((finder.pairs().count(), finder.ended()), (0, &[[a, b]][..]));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub struct PairFinder {
    options: FinderOptions,
    broad: Box<dyn BroadPhase>,
    tight: Vec<WorldBox>,
    /// The fat boxes.
    tracked: Tracked,
    slots: Vec<Slot>,
    fattened: Vec<Fattened>,
    steps: u64,
    free: Vec<u32>,
    /// Bodies that may have left their fat boxes since the last step, each once.
    changed: Vec<u32>,
    candidates: Vec<Candidate>,
    found: Vec<[u32; 2]>,
    ended: Vec<BodyPair>,
}

impl PairFinder {
    /// Creates a finder without boxes; an error for options that are negative or NaN.
    pub fn new(options: FinderOptions) -> Result<Self> {
        Self::with_broad_phase(options, options.broad_phase.make())
    }

    /// Creates a finder with a custom broad phase.
    pub fn with_broad_phase(options: FinderOptions, broad: Box<dyn BroadPhase>) -> Result<Self> {
        let valid = |x: f64| x.is_finite() && x >= 0.0;
        if !(valid(options.margin) && valid(f64::from(options.room))) {
            return Err(Error::new(
                ErrorKind::BadRequest,
                format!("margin and room must be finite and not negative: {options:?}"),
            ));
        }
        Ok(Self {
            options,
            broad,
            tight: Vec::new(),
            tracked: Tracked::default(),
            slots: Vec::new(),
            fattened: Vec::new(),
            steps: 0,
            free: Vec::new(),
            changed: Vec::new(),
            candidates: Vec::new(),
            found: Vec::new(),
            ended: Vec::new(),
        })
    }

    /// The options.
    pub fn options(&self) -> &FinderOptions {
        &self.options
    }

    /// Inserts a box; it has no pairs before the next step.
    pub fn insert(&mut self, low: DVec3, high: DVec3, groups: Groups) -> Result<BodyId> {
        let bounds = WorldBox::new(low, high, self.half_margin())?;
        let slot = match self.free.pop() {
            Some(slot) => slot,
            None => self.new_slot(),
        };
        let i = slot as usize;
        self.slots[i] = Slot { serial: next_revision(), present: true, anew: false };
        self.tight[i] = bounds;
        self.tracked.rules.groups[i] = groups;
        self.touch(slot);
        Ok(self.id(slot))
    }

    fn new_slot(&mut self) -> u32 {
        self.slots.push(Slot { serial: 0, present: false, anew: false });
        self.tight.push(WorldBox::EMPTY);
        self.fattened.push(Fattened { low: Vec3A::ZERO, step: 0 });
        self.tracked.now.push(WorldBox::EMPTY);
        self.tracked.before.push(WorldBox::EMPTY);
        self.tracked.changed.push(false);
        self.tracked.rules.groups.push(Groups::default());
        self.slots.len() as u32 - 1
    }

    fn half_margin(&self) -> f64 {
        // Rounded up where it is not exact, which is only where it is next to nothing.
        (0.5 * self.options.margin).max(if self.options.margin > 0.0 { f64::MIN_POSITIVE } else { 0.0 })
    }

    /// Marks a body whose fat box is due.
    #[inline]
    fn touch(&mut self, slot: u32) {
        if !std::mem::replace(&mut self.tracked.changed[slot as usize], true) {
            self.changed.push(slot);
        }
    }

    fn id(&self, slot: u32) -> BodyId {
        BodyId { slot, serial: self.slots[slot as usize].serial }
    }

    fn pair(&self, [a, b]: [u32; 2]) -> BodyPair {
        [self.id(a.min(b)), self.id(a.max(b))]
    }

    /// Whether a body exists.
    #[inline]
    pub fn contains(&self, body: BodyId) -> bool {
        self.slots.get(body.slot()).is_some_and(|slot| slot.present && slot.serial == body.serial)
    }

    /// The rules of which bodies may collide.
    pub(super) fn rules(&self) -> &Rules {
        &self.tracked.rules
    }

    /// Two bodies by their slots, the smaller one first.
    pub(super) fn pair_of(&self, slots: [u32; 2]) -> BodyPair {
        self.pair(slots)
    }

    /// The slot of a body, if it exists.
    pub(super) fn check(&self, body: BodyId) -> Result<usize> {
        if self.contains(body) {
            return Ok(body.slot());
        }
        Err(Error::new(ErrorKind::OutOfRange, format!("body {} was removed, or belongs to another world", body.slot)))
    }

    /// Removes a box; its pairs end at the next step.
    pub fn remove(&mut self, body: BodyId) -> Result<()> {
        let i = self.check(body)?;
        self.slots[i].present = false;
        self.tight[i] = WorldBox::EMPTY;
        self.tracked.rules.excluded.retain(|pair| !pair.contains(&body.slot));
        self.touch(body.slot);
        Ok(())
    }

    /// Sets the box of a body, which counts from the next step on.
    pub fn set_box(&mut self, body: BodyId, low: DVec3, high: DVec3) -> Result<()> {
        let bounds = WorldBox::new(low, high, self.half_margin())?;
        let i = self.check(body)?;
        self.put_box(i, bounds);
        Ok(())
    }

    /// As [`set_box`](Self::set_box), for a slot with a body and corners in order.
    pub(super) fn put_bounds(&mut self, slot: usize, low: DVec3, high: DVec3) {
        self.put_box(slot, WorldBox::around(low, high, self.half_margin()));
    }

    #[inline]
    fn put_box(&mut self, slot: usize, bounds: WorldBox) {
        self.tight[slot] = bounds;
        if !self.tracked.now[slot].contains(&bounds) {
            self.touch(slot as u32);
        }
    }

    /// The box of a body with half of the margin around it.
    pub fn bounds(&self, body: BodyId) -> Result<&WorldBox> {
        Ok(&self.tight[self.check(body)?])
    }

    /// Sets the collision groups of a body. At the next step its pairs end, and its new ones begin.
    pub fn set_groups(&mut self, body: BodyId, groups: Groups) -> Result<()> {
        let i = self.check(body)?;
        self.tracked.rules.groups[i] = groups;
        self.forget(body.slot);
        Ok(())
    }

    /// Excludes a pair (`out`), or includes it again, whatever their groups say. At the next step
    /// the pairs of `a` end, and its new ones begin.
    pub fn exclude(&mut self, a: BodyId, b: BodyId, out: bool) -> Result<()> {
        self.check(a)?;
        self.check(b)?;
        let key = [a.slot.min(b.slot), a.slot.max(b.slot)];
        if out {
            self.tracked.rules.excluded.insert(key);
        } else {
            self.tracked.rules.excluded.remove(&key);
        }
        self.forget(a.slot);
        Ok(())
    }

    fn forget(&mut self, slot: u32) {
        self.slots[slot as usize].anew = true;
        self.touch(slot);
    }

    /// Updates the pairs; afterwards [`pairs`](PairFinder::pairs), [`began`](PairFinder::began) and
    /// the like return them.
    pub fn step(&mut self) {
        self.fatten();
        self.found.clear();
        self.broad.update(&self.tracked, &self.changed, &mut self.found);
        self.update_candidates();
        for &[a, b] in &self.found {
            let touching = self.tight[a as usize].overlaps(&self.tight[b as usize]);
            let state = if touching { State::Began } else { State::Near };
            self.candidates.push(Candidate { bodies: [a, b], state });
        }
        for &slot in &self.changed {
            let i = slot as usize;
            self.tracked.before[i] = self.tracked.now[i];
            self.tracked.changed[i] = false;
            self.slots[i].anew = false;
            if !self.slots[i].present {
                self.free.push(slot);
            }
        }
        self.changed.clear();
    }

    /// Gives new fat boxes to the bodies that left theirs, and drops the others from the list of
    /// changes.
    fn fatten(&mut self) {
        self.steps += 1;
        let (tracked, room, now) = (&mut self.tracked, self.options.room, self.steps);
        self.changed.retain(|&slot| {
            let (i, Slot { present, anew, .. }) = (slot as usize, self.slots[slot as usize]);
            let tight = &self.tight[i];
            if present && !anew && tracked.now[i].contains(tight) {
                tracked.changed[i] = false;
                return false;
            }
            if anew {
                tracked.before[i] = WorldBox::EMPTY;
            }
            let Fattened { low, step } =
                std::mem::replace(&mut self.fattened[i], Fattened { low: tight.low, step: now });
            let per_step =
                if tracked.now[i].is_empty() { Vec3A::ZERO } else { (tight.low - low) / (now - step) as f32 };
            tracked.now[i] = if present { fat(tight, room, per_step) } else { WorldBox::EMPTY };
            true
        });
    }

    /// Updates the state of all candidates and drops those that no longer overlap.
    fn update_candidates(&mut self) {
        self.ended.clear();
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut kept = 0;
        // Most pairs keep their state, but which ones is unpredictable: their states are set
        // without a branch.
        for place in 0..candidates.len() {
            let Candidate { bodies, state } = candidates[place];
            let [i, j] = bodies.map(|slot| slot as usize);
            let changed = self.tracked.changed[i] | self.tracked.changed[j];
            let touching = self.tight[i].overlaps(&self.tight[j]);
            let touched = state != State::Near;
            let state = [[State::Near, State::Began], [State::Near, State::Persists]][usize::from(touched)]
                [usize::from(touching)];
            if touched & !touching {
                self.ended.push(self.pair(bodies));
            }
            candidates[kept] = Candidate { bodies, state };
            kept += usize::from(!changed || self.stays(bodies, touched & touching));
        }
        candidates.truncate(kept);
        self.candidates = candidates;
    }

    /// Whether two bodies, one of which has another fat box, are still a candidate; `touched` means
    /// a pair before and now, which ends if they are not.
    fn stays(&mut self, bodies: [u32; 2], touched: bool) -> bool {
        let [i, j] = bodies.map(|slot| slot as usize);
        let forgotten = self.slots[i].anew || self.slots[j].anew;
        if forgotten && touched {
            self.ended.push(self.pair(bodies));
        }
        !forgotten && self.tracked.now[i].overlaps(&self.tracked.now[j])
    }

    /// The pairs in one of the given states.
    fn in_state(&self, wanted: impl Fn(State) -> bool) -> impl Iterator<Item = BodyPair> {
        let chosen = self.candidates.iter().filter(move |candidate| wanted(candidate.state));
        chosen.map(|candidate| self.pair(candidate.bodies))
    }

    /// All pairs as of the last step, in no particular order, each once.
    pub fn pairs(&self) -> impl Iterator<Item = BodyPair> {
        self.in_state(|state| state != State::Near)
    }

    /// The pairs that are new in the last step.
    pub fn began(&self) -> impl Iterator<Item = BodyPair> {
        self.in_state(|state| state == State::Began)
    }

    /// The pairs of the last step that existed before it too.
    pub fn persisting(&self) -> impl Iterator<Item = BodyPair> {
        self.in_state(|state| state == State::Persists)
    }

    /// The pairs that ended with the last step; those of removed bodies too.
    pub fn ended(&self) -> &[BodyPair] {
        &self.ended
    }

    /// Appends all bodies whose boxes, with half of the margin, overlap a region as of the last
    /// step.
    pub fn overlapping(&self, region: &WorldBox, found: &mut Vec<BodyId>) {
        let mut slots = Vec::new();
        self.broad.overlapping(&self.tracked, region, &mut slots);
        let fits = |&slot: &u32| self.slots[slot as usize].present && self.tight[slot as usize].overlaps(region);
        found.extend(slots.into_iter().filter(fits).map(|slot| self.id(slot)));
    }

    /// Whether two existing bodies may collide, by their groups and the excluded pairs.
    pub fn may_touch(&self, a: BodyId, b: BodyId) -> bool {
        self.contains(a) && self.contains(b) && self.tracked.rules.may_touch(a.slot, b.slot)
    }

    /// The number of bodies.
    pub fn len(&self) -> usize {
        self.slots.iter().filter(|slot| slot.present).count()
    }

    /// Whether the finder has no body.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
