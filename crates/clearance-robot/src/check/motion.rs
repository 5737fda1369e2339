//! Straight motions between two configurations, proven free or with their first contact.
//!
//! Time is halved adaptively. In the middle of an interval the robot is placed, and [`Swings`] bounds how far each pair of parts can come nearer
//! within the interval: a pair whose distance exceeds that is proven for all of the interval, and only the others are looked at
//! in its halves (Foisy and Hayward's convergence of swept volumes, for a robot's links; humanoid II-A: `max_d` is the motion's bound).
//! Balls and boxes come first, exact distances after. A distance that falls short still proves the middle of the interval, and says how much
//! shorter an interval must be for it: until then the pair waits. So a pair is looked at about as often as its way is longer than its
//! clearance, whatever the others do.
//!
//! Invariant: every pair is proven over all of the motion, or in the list of an interval still to be looked at. So a motion that is reported
//! free is free: at no time, sampled or not, does anything touch.

use super::checker::{Checker, FARTHEST, POSE_ROUNDING, Placement};
use super::parts::from_engine;
use super::swings::Swings;
use super::{Caches, Scene};
use crate::{Error, ErrorKind, Result};
use clearance::Pose;
use clearance::assembly::{Assembly, PartDistance};
use clearance::descent::{PairCache, Workspace};
use clearance::query::{DistanceRequest, Status};
use std::collections::VecDeque;

/// Which contact of a motion is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Find {
    /// The first one, in a narrow interval of time.
    #[default]
    First,
    /// Any: for planners, who only want to know whether there is one.
    Any,
}

/// What to ask about a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionRequest {
    /// Which contact.
    pub find: Find,
    /// Pairs that come nearer than this, in metres, count as a contact that could not be excluded; at least 1e-7.
    pub tolerance: f64,
    /// Whether the robot's parts are looked at against each other.
    pub own: bool,
}

impl Default for MotionRequest {
    fn default() -> Self {
        Self { find: Find::First, tolerance: 1e-5, own: true }
    }
}

/// What a part of the robot touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// Another part of the robot.
    Own(u32),
    /// An object of the scene.
    Scene(u32),
}

/// When and with what a motion collides; times go from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionContact {
    /// Before this time nothing touches, certainly. With [`Find::Any`] it may be far from the first contact.
    pub t_lower: f64,
    /// At this time the pair is as near as `gap` says.
    pub t_upper: f64,
    /// 0 where the pair touches; else its distance, which is within the tolerance, less paddings and margin.
    pub gap: f64,
    /// The part of the robot.
    pub part: u32,
    /// What it touches.
    pub other: Obstacle,
}

/// What becomes of a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MotionVerdict {
    /// Nothing touches at any time: all pairs keep at least `margin`, less their paddings and margins.
    Free {
        /// Certified, and mostly far below the true one: no more is looked at than the proof takes.
        margin: f64,
    },
    /// Something does, or cannot be excluded to.
    Contact(MotionContact),
}

/// A pair that is watched.
#[derive(Debug, Clone, Copy)]
struct Watched {
    part: u32,
    other: Obstacle,
    /// By how much it counts as nearer than it is.
    offset: f64,
    /// Where [`Swings`] has the motion of both sides.
    slots: [usize; 2],
    /// What is proven to be its least distance within the limits.
    proven: f64,
}

/// A pair that is not proven over an interval.
#[derive(Debug, Clone, Copy)]
struct Open {
    pair: u32,
    /// A look is worth while over intervals of this half length or less.
    half: f64,
    /// It is proven between these times.
    proven: [f64; 2],
}

impl Open {
    fn new(pair: usize) -> Self {
        Self { pair: pair as u32, half: 1.0, proven: [0.0; 2] }
    }

    /// Whether it is proven over all of an interval.
    fn is_done(&self, interval: &Interval) -> bool {
        self.proven[0] <= interval.begin() && interval.end() <= self.proven[1]
    }

    /// Whether a look over an interval is worth while: short enough, and more than a half of it open.
    fn is_due(&self, interval: &Interval) -> bool {
        let covers = |begin: f64, end: f64| self.proven[0] <= begin && end <= self.proven[1];
        let half_done = covers(interval.begin(), interval.middle) || covers(interval.middle, interval.end());
        self.half >= interval.half && !half_done
    }

    /// The same after a look that proved `half` about a time, to be taken up again over intervals of half length `next`.
    fn after(&self, middle: f64, half: f64, next: f64) -> Self {
        let (new, old) = ([middle - half, middle + half], self.proven);
        let joined = new[0] <= old[1] && old[0] <= new[1];
        let both = [new[0].min(old[0]), new[1].max(old[1])];
        let longer = if new[1] - new[0] > old[1] - old[0] { new } else { old };
        Self { pair: self.pair, half: next, proven: if joined { both } else { longer } }
    }
}

/// A part of the motion, and where its open pairs are listed.
#[derive(Debug, Clone, Copy)]
struct Interval {
    middle: f64,
    half: f64,
    list: [usize; 2],
}

impl Interval {
    fn begin(&self) -> f64 {
        self.middle - self.half
    }

    fn end(&self) -> f64 {
        self.middle + self.half
    }
}

/// What a look at a pair over an interval yields.
enum Seen {
    /// It keeps so much more than it needs.
    Clear(f64),
    /// It keeps `by` more than it needs within a part of the interval about its middle, and is to be looked at again over intervals that
    /// are so much shorter.
    Again { proven: f64, by: f64, shorter: f64 },
    /// So near in the middle, and the interval is too short to be halved again.
    Near(f64),
    /// It touches in the middle; `last`: and the interval is as short as that.
    Touches { last: bool },
}

/// A robot, and perhaps a scene, of which motions are asked; with the memory that takes.
///
/// ```
/// use clearance::{Pose, math::DVec3, shape::Cuboid, tree::Solid};
/// use clearance_robot::{CheckOptions, Checker, JointSpec, LinkGeometry, LinkShape, MotionChecker, MotionRequest, MotionVerdict};
/// use clearance_robot::{Object, RobotBuilder, Scene};
/// use std::sync::Arc;
/// let blade = LinkGeometry::new(Pose::from_translation(DVec3::X * 0.5)?, LinkShape::Box { size: DVec3::new(1.0, 0.01, 0.01) });
/// let robot = RobotBuilder::new("fan").link("foot", []).link("blade", [blade])
///     .joint(JointSpec::continuous("hub", "foot", "blade", DVec3::Z)).build()?;
/// let checker = Checker::new(Arc::new(robot), &CheckOptions::default())?;
/// let wire = Arc::new(Solid::new(Cuboid::new(DVec3::new(1e-4, 1e-4, 1.0))?));
/// let mut scene = Scene::default();
/// scene.add(Object { name: "wire".into(), geometry: wire, pose: Pose::from_translation(DVec3::Y * 0.9)? })?;
/// let mut motions = MotionChecker::new(&checker, Some(&scene))?;
/// let request = MotionRequest::default();
/// let verdict = motions.segment(&Pose::IDENTITY, &[0.0], &[3.0], &request)?;
/// let MotionVerdict::Contact(contact) = verdict else { panic!("it went through the wire") };
/// assert!(contact.t_upper - contact.t_lower < 1e-4 && (contact.t_lower * 3.0 - 1.565).abs() < 1e-3);
/// assert!(matches!(motions.segment(&Pose::IDENTITY, &[1.6], &[7.8], &request)?, MotionVerdict::Free { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MotionChecker<'c> {
    checker: &'c Checker,
    scene: Option<&'c Scene>,
    placement: Placement,
    workspace: Workspace,
    swings: Swings,
    /// Those of the robot itself first.
    watched: Vec<Watched>,
    own: usize,
    /// What is remembered of each.
    pair_caches: Vec<PairCache>,
    caches: Caches,
    open: Vec<Open>,
    intervals: VecDeque<Interval>,
    configuration: Vec<f64>,
    /// How many configurations were looked at, and how many exact distances, in all.
    pub looks: [usize; 2],
}

/// The motion that is asked about.
struct Line<'l> {
    base: &'l Pose,
    from: &'l [f64],
    to: &'l [f64],
    request: &'l MotionRequest,
    within_limits: bool,
}

/// A time at which a pair is within `gap` of touching.
#[derive(Clone, Copy)]
struct Found {
    t: f64,
    pair: usize,
    gap: f64,
}

/// What goes on over one interval, for all of its pairs.
struct Now {
    rounding: f64,
    tolerance: f64,
    proofs_hold: bool,
}

impl<'c> MotionChecker<'c> {
    /// Lists the pairs of a robot and perhaps a scene.
    pub fn new(checker: &'c Checker, scene: Option<&'c Scene>) -> Result<Self> {
        let swings = Swings::new(checker.robot(), checker.parts());
        let body = |part: u32| checker.robot().body_of(checker.parts()[part as usize].link);
        let proven = |a: u32, b: u32| {
            let gap = checker.proofs().map(|proofs| proofs.gap(body(a), body(b)) - POSE_ROUNDING);
            gap.unwrap_or(f64::NEG_INFINITY)
        };
        let mut watched = Vec::new();
        for (a, b) in checker.pairs() {
            let Some(offset) = checker.rules().offset(a, b) else { continue };
            let slots = swings.slots(a as usize, b as usize);
            watched.push(Watched { part: a, other: Obstacle::Own(b), offset, slots, proven: proven(a, b) });
        }
        let own = watched.len();
        if let Some(scene) = scene {
            for part in 0..checker.parts().len() as u32 {
                let slot = swings.slot(part as usize);
                for object in (0..scene.assembly().part_count() as u32).filter(|&o| scene.assembly().contains(o)) {
                    let Some(offset) = checker.rules().outward(part, 0.0, scene.name(object)) else { continue };
                    let (other, slots) = (Obstacle::Scene(object), [slot; 2]);
                    watched.push(Watched { part, other, offset, slots, proven: f64::NEG_INFINITY });
                }
            }
        }
        Ok(Self {
            checker,
            scene,
            placement: checker.placement()?,
            workspace: Workspace::default(),
            swings,
            pair_caches: vec![PairCache::default(); watched.len()],
            watched,
            own,
            caches: Caches::default(),
            open: Vec::new(),
            intervals: VecDeque::new(),
            configuration: Vec::new(),
            looks: [0; 2],
        })
    }

    /// The straight motion between two configurations, ends included; `base` is the root link's pose in the world.
    pub fn segment(&mut self, base: &Pose, from: &[f64], to: &[f64], request: &MotionRequest) -> Result<MotionVerdict> {
        let robot = self.checker.robot();
        robot.check_length(from)?;
        robot.check_length(to)?;
        if !from.iter().chain(to).chain([&request.tolerance]).all(|value| value.is_finite()) {
            return Err(Error::new(ErrorKind::NotFinite, "a configuration or the tolerance of a motion is not finite"));
        }
        self.swings.set(robot, from, to)?;
        let within_limits = robot.outside_limits(from).chain(robot.outside_limits(to)).next().is_none();
        let line = Line { base, from, to, request, within_limits };
        let first = if request.own { 0 } else { self.own };
        self.open.clear();
        self.open.extend((first..self.watched.len()).map(Open::new));
        self.intervals.clear();
        self.intervals.push_back(Interval { middle: 0.5, half: 0.5, list: [0, self.open.len()] });
        self.search(&line)
    }

    fn search(&mut self, line: &Line<'_>) -> Result<MotionVerdict> {
        let find = line.request.find;
        let (mut margin, mut hit): (f64, Option<Found>) = (f64::INFINITY, None);
        while let Some(interval) = self.next(find) {
            if hit.is_some_and(|hit| hit.t <= interval.begin()) || interval.list[0] == interval.list[1] {
                continue;
            }
            let list = interval.list[0]..interval.list[1];
            let begin = self.open.len();
            if !self.open[list.clone()].iter().any(|open| open.is_due(&interval)) {
                self.open.extend_from_within(list);
                self.halve(&interval, begin, find);
                continue;
            }
            let now = self.place(line, &interval)?;
            if find == Find::Any
                && interval.half >= SAMPLED
                && let Some(pair) = self.colliding(line.request)?
            {
                return self.contact(Found { t: interval.middle, pair, gap: 0.0 }, &interval, line);
            }
            let mut near = None;
            for place in list {
                let open = self.open[place];
                if !open.is_due(&interval) {
                    self.open.push(open);
                    continue;
                }
                let found = |gap: f64| Found { t: interval.middle, pair: open.pair as usize, gap };
                match self.look(open.pair as usize, &now)? {
                    Seen::Clear(by) => margin = margin.min(by),
                    Seen::Again { proven, by, shorter } => {
                        margin = margin.min(by);
                        self.open.push(open.after(interval.middle, interval.half * proven, interval.half * shorter));
                    }
                    Seen::Near(gap) => near = near.or(Some(found(gap))),
                    Seen::Touches { last } => {
                        hit = Some(found(0.0));
                        self.open.push(Open::new(open.pair as usize));
                        if last || find == Find::Any {
                            return self.contact(found(0.0), &interval, line);
                        }
                    }
                }
            }
            if let Some(near) = near {
                let found = match hit {
                    Some(hit) => self.narrowed(hit, near.t, &interval, line)?,
                    None if find == Find::First => self.ahead(near, &interval, line)?,
                    None => near,
                };
                return self.contact(found, &interval, line);
            }
            self.halve(&interval, begin, find);
        }
        Ok(MotionVerdict::Free { margin })
    }

    /// Places the robot in the middle of an interval, and bounds what it does within it.
    fn place(&mut self, line: &Line<'_>, interval: &Interval) -> Result<Now> {
        self.looks[0] += 1;
        let &Interval { middle, half, .. } = interval;
        self.configuration.clear();
        self.configuration.extend(line.from.iter().zip(line.to).map(|(a, b)| a + (b - a) * middle));
        self.checker.place(&mut self.placement, line.base, &self.configuration)?;
        self.swings.update(&self.placement, half);
        let reach = |pose: &Pose| pose.translation().abs().max_element();
        let farthest = self.placement.link_poses().iter().map(reach).fold(0.0, f64::max);
        let rounding = POSE_ROUNDING * (farthest / FARTHEST).max(1.0);
        let proofs_hold = line.within_limits && self.placement.proofs_hold();
        Ok(Now { rounding, tolerance: line.request.tolerance.max(LEAST_TOLERANCE).max(16.0 * rounding), proofs_hold })
    }

    /// The next interval: the earliest, or of all the longest.
    fn next(&mut self, find: Find) -> Option<Interval> {
        if find == Find::Any {
            return self.intervals.pop_front();
        }
        let interval = self.intervals.pop_back()?;
        // Lists are made after those of the intervals that wait: what was made since is done with.
        self.open.truncate(interval.list[1]);
        Some(interval)
    }

    /// Lists the halves of an interval, with those of the pairs listed from `begin` on that are not proven over all of it.
    fn halve(&mut self, interval: &Interval, begin: usize, find: Find) {
        let mut kept = begin;
        for place in begin..self.open.len() {
            let open = self.open[place];
            if !open.is_done(interval) {
                self.open[kept] = open;
                kept += 1;
            }
        }
        self.open.truncate(kept);
        let half = 0.5 * interval.half;
        let at = |middle: f64| Interval { middle, half, list: [begin, kept] };
        let (early, late) = (at(interval.middle - half), at(interval.middle + half));
        self.intervals.extend(if find == Find::Any { [early, late] } else { [late, early] });
    }

    /// A pair that collides where the robot is placed now, by a discrete check.
    fn colliding(&mut self, request: &MotionRequest) -> Result<Option<usize>> {
        let (checker, placement, workspace) = (self.checker, &self.placement, &mut self.workspace);
        let mut hit = match self.scene {
            Some(scene) => {
                let cache = Some(&mut self.caches.scene);
                let hit = checker.scene_collision(placement, scene, workspace, cache)?;
                hit.map(|(part, object)| (part, Obstacle::Scene(object)))
            }
            None => None,
        };
        if hit.is_none() && request.own {
            let own = checker.self_collision(placement, workspace, Some(&mut self.caches.own))?;
            hit = own.map(|(a, b)| (a.min(b), Obstacle::Own(a.max(b))));
        }
        Ok(hit.and_then(|hit| self.watched.iter().position(|watched| (watched.part, watched.other) == hit)))
    }

    /// A pair is near over a short interval: looks a little ahead for a time at which it touches, else it stays as it is.
    fn ahead(&mut self, near: Found, interval: &Interval, line: &Line<'_>) -> Result<Found> {
        let (mut apart, mut step) = (near.t, interval.half);
        // Up to 4096 times the tolerance: a contact under a slant of a few thousandths is found.
        for _ in 0..12 {
            let t = (near.t + step).min(1.0);
            let now = self.place(line, &Interval { middle: t, half: 0.0, ..*interval })?;
            let found = self.distance(near.pair, 64.0 * now.tolerance, &now)?;
            if found.upper == 0.0 {
                return self.narrowed(Found { t, gap: 0.0, ..near }, apart, interval, line);
            }
            if t >= 1.0 || found.lower > 8.0 * now.tolerance {
                break;
            }
            (apart, step) = (t, 2.0 * step);
        }
        Ok(near)
    }

    /// An earlier time at which a pair touches, not much later than one at which it does not.
    fn narrowed(&mut self, mut hit: Found, mut apart: f64, interval: &Interval, line: &Line<'_>) -> Result<Found> {
        while hit.t - apart > interval.half {
            let middle = apart + 0.5 * (hit.t - apart);
            let now = self.place(line, &Interval { middle, half: 0.0, ..*interval })?;
            if self.distance(hit.pair, now.tolerance, &now)?.upper == 0.0 { hit.t = middle } else { apart = middle }
        }
        Ok(hit)
    }

    /// A contact found over an interval: all that is earlier than what still waits is free.
    fn contact(&mut self, found: Found, interval: &Interval, line: &Line<'_>) -> Result<MotionVerdict> {
        let begins = self.intervals.iter().chain([interval]).map(Interval::begin);
        let t_lower = begins.fold(found.t, f64::min);
        let Watched { part, other, .. } = self.watched[found.pair];
        let mut t_upper = found.t;
        if line.request.find == Find::First && found.gap == 0.0 {
            // What touches from the start on, or never moves, touches then.
            let now = self.place(line, &Interval { middle: t_lower, half: 0.0, ..*interval })?;
            if self.distance(found.pair, now.tolerance, &now)?.upper == 0.0 {
                t_upper = t_lower;
            }
        }
        Ok(MotionVerdict::Contact(MotionContact { t_lower, t_upper, gap: found.gap, part, other }))
    }

    /// The assembly of what a pair's second side belongs to, and its number there.
    fn other_side(&self, other: Obstacle) -> (&Assembly, u32) {
        match (other, self.scene) {
            (Obstacle::Scene(object), Some(scene)) => (scene.assembly(), object),
            (Obstacle::Own(part) | Obstacle::Scene(part), _) => (self.placement.assembly(), part),
        }
    }

    fn look(&mut self, pair: usize, now: &Now) -> Result<Seen> {
        let Watched { part, other, offset, slots, proven } = self.watched[pair];
        if now.proofs_hold && proven > offset {
            return Ok(Seen::Clear(proven - offset));
        }
        let own = matches!(other, Obstacle::Own(_));
        let moved = self.swings.moved(slots[0]) + if own { self.swings.moved(slots[1]) } else { 0.0 } + now.rounding;
        if !moved.is_finite() {
            let reason = "it moves and has no bounds, so that nothing can be proven about it";
            return Err(Error::new(ErrorKind::OutOfRange, reason).of(format!("part '{}'", self.checker.name(part))));
        }
        let (assembly, (other_assembly, number)) = (self.placement.assembly(), self.other_side(other));
        let bounded = assembly.part_gap(part, other_assembly, number) - offset;
        if bounded > moved {
            return Ok(Seen::Clear(bounded - moved));
        }
        let again = |lower: f64, hope: f64| {
            // What rounding takes does not become less over a part of the interval.
            let clear = (lower - now.rounding).max(0.0);
            let proven = (0.9 * clear / (moved - now.rounding)).min(1.0);
            // Less than a tenth of what is clear is left where `proven` ends.
            let by = if proven > 0.0 { 0.09 * clear } else { f64::INFINITY };
            Seen::Again { proven, by, shorter: (hope / moved).clamp(0.0625, 1.0) }
        };
        // Distances are farther than balls and boxes say, but seldom by more than this.
        let size = assembly.part_ball(part).radius.min(other_assembly.part_ball(number).radius);
        let hope = bounded.max(0.0) + SURPRISE * size;
        if moved > hope && moved > 4.0 * now.tolerance {
            return Ok(again(bounded, hope));
        }
        let found = self.distance(pair, moved, now)?;
        Ok(if found.upper == 0.0 {
            Seen::Touches { last: moved <= now.tolerance }
        } else if found.lower > moved {
            Seen::Clear(found.lower - moved)
        } else if moved <= now.tolerance {
            Seen::Near(if found.status == Status::BeyondMax { found.lower } else { found.upper })
        } else {
            again(found.lower, HOPE * found.lower)
        })
    }

    fn distance(&mut self, pair: usize, moved: f64, now: &Now) -> Result<PartDistance> {
        self.looks[1] += 1;
        let request = DistanceRequest {
            min_d: 0.0,
            max_d: 1.05 * moved + 0.1 * now.tolerance,
            rel_err: 0.1,
            abs_err: 0.1 * now.tolerance,
        };
        let Watched { part, other, .. } = self.watched[pair];
        let (checker, placement, workspace) = (self.checker, &self.placement, &mut self.workspace);
        let cache = Some(&mut self.pair_caches[pair]);
        let found = match (other, self.scene) {
            (Obstacle::Scene(object), Some(scene)) => checker
                .with_scene(placement, scene, |meet| meet.pair_distance((part, object), &request, workspace, cache)),
            (Obstacle::Own(number) | Obstacle::Scene(number), _) => {
                checker.with_itself(placement, |meet| meet.pair_distance((part, number), &request, workspace, cache))
            }
        };
        let gone = || Error::new(ErrorKind::Unknown, "a pair of a motion is not there any more");
        found.map_err(from_engine)?.ok_or_else(gone)
    }
}

/// Below this, in metres, rounding of poses and of distances decides.
const LEAST_TOLERANCE: f64 = 1e-7;

/// Halves of intervals in whose middles a discrete check comes first where any contact will do: most motions that are not free
/// show it there.
const SAMPLED: f64 = 1.0 / 32.0;

/// By how much of the smaller part's ball a distance may exceed what balls and boxes say, for a look at it to be worth while.
const SURPRISE: f64 = 0.5;

/// Intervals are tried again when they are this much longer than a distance would be enough for: along a motion it changes.
const HOPE: f64 = 1.5;
