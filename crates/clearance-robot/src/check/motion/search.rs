//! The search through time: intervals are looked at and halved until everything is proven or a
//! contact is left.

use super::interval::{Found, Interval, Now, Open, Seen};
use super::joint_path::{Asked, Way};
use super::{Find, MotionChecker, MotionContact, MotionRequest, MotionVerdict, Obstacle, Watched};
use crate::Result;
use crate::check::collision_model::{FARTHEST, POSE_ROUNDING};

/// Below this, in metres, rounding of poses and of distances decides.
const LEAST_TOLERANCE: f64 = 1e-7;

/// Where any contact will do, discrete checks come first: at the end, in the middle, in the middles
/// of both halves and so on, until parts move by no more than so many radii from one to the next.
/// Most motions that are not free show it there, at a fraction of what a proof takes; measured.
const APART: f64 = 0.75;
/// Half of the shortest of those intervals.
const SHORTEST: f64 = 1.0 / 32.0;

impl MotionChecker<'_> {
    /// `before` is how many looks there had been before this motion was asked about.
    pub(super) fn search(&mut self, asked: &Asked<'_>, before: [usize; 2]) -> Result<MotionVerdict> {
        let find = asked.request.find;
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
            if self.evaluations[0] - before[0] + self.evaluations[1] - before[1] >= asked.request.max_evaluations {
                return match hit {
                    Some(hit) => self.contact(hit, &interval, asked),
                    None => Ok(self.undecided(&interval)),
                };
            }
            let now = self.place(asked, &interval)?;
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
                            return self.contact(found(0.0), &interval, asked);
                        }
                    }
                }
            }
            if let Some(near) = near {
                let found = match hit {
                    Some(hit) => self.narrowed(hit, near.t, &interval, asked)?,
                    None if find == Find::First => self.ahead(near, &interval, asked)?,
                    None => near,
                };
                return self.contact(found, &interval, asked);
            }
            self.halve(&interval, begin, find);
        }
        // A contact that was seen stands, whatever rounding made of its neighbourhood.
        match hit {
            Some(hit) => self.contact(hit, &Interval { middle: hit.t, half: 0.0, list: [0; 2] }, asked),
            None => Ok(MotionVerdict::Free { margin }),
        }
    }

    /// A contact that discrete checks find, of which there are no more than looks.
    pub(super) fn sampled(&mut self, asked: &Asked<'_>) -> Result<Option<MotionVerdict>> {
        let last = self.evaluations[0].saturating_add(asked.request.max_evaluations);
        let all = Interval { middle: 0.5, half: 0.5, list: [0; 2] };
        if let Some(found) = self.sample(asked, 1.0, last)? {
            return self.contact(found, &all, asked).map(Some);
        }
        let (mut half, mut shortest) = (0.5, SHORTEST);
        while half >= shortest {
            for step in 0..(0.5 / half) as usize {
                if let Some(found) = self.sample(asked, (2 * step + 1) as f64 * half, last)? {
                    return self.contact(found, &all, asked).map(Some);
                }
            }
            if half == 0.5 {
                // Over longer times parts move by as much more.
                shortest = SHORTEST.max(0.5 * SHORTEST * APART / self.radii_moved(SHORTEST));
            }
            half *= 0.5;
        }
        Ok(None)
    }

    fn sample(&mut self, asked: &Asked<'_>, t: f64, last: usize) -> Result<Option<Found>> {
        if self.evaluations[0] >= last {
            return Ok(None);
        }
        self.put(asked, t)?;
        Ok(self.colliding(asked.request)?.map(|pair| Found { t, pair, gap: 0.0 }))
    }

    /// How far parts move in an interval of that half length about where the robot is placed, in
    /// radii of the largest that moves.
    fn radii_moved(&mut self, half: f64) -> f64 {
        self.bounds.update(&self.placement, half);
        let (mut farthest, mut largest) = (0.0_f64, f64::MIN_POSITIVE);
        for part in 0..self.checker.parts().len() {
            let moved = self.bounds.moved(self.bounds.slot(part), &self.placement);
            if moved > 0.0 {
                farthest = farthest.max(moved);
                largest = largest.max(self.placement.assembly().part_sphere(part as u32).radius);
            }
        }
        farthest / largest
    }

    /// What is known if neither an interval nor any of those that wait is looked at.
    fn undecided(&self, interval: &Interval) -> MotionVerdict {
        let waiting = self.intervals.iter().chain([interval]).filter(|interval| interval.list[0] < interval.list[1]);
        let (begin, length) = waiting.fold((1.0_f64, 0.0), |(begin, length), interval| {
            (begin.min(interval.begin()), length + 2.0 * interval.half)
        });
        // Lengths are powers of two, of which few differ: their sum is exact but for the last
        // digits.
        MotionVerdict::Undecided { t_lower: begin.max(0.0), proven: (1.0 - length - 1e-12).max(0.0) }
    }

    /// Places the robot where it is at a time.
    fn put(&mut self, asked: &Asked<'_>, t: f64) -> Result<()> {
        self.evaluations[0] += 1;
        asked.way.at(t, &self.floats, &mut self.configuration);
        self.checker.place(&mut self.placement, asked.base, &self.configuration)
    }

    /// Places the robot in the middle of an interval, and bounds what it does within it.
    pub(super) fn place(&mut self, asked: &Asked<'_>, interval: &Interval) -> Result<Now> {
        self.put(asked, interval.middle)?;
        if let Way::Curve(curve) = asked.way {
            let (begin, end) = (interval.begin().max(0.0), interval.end().min(1.0));
            self.bounds.set(self.checker.robot(), |variable| curve.rates(variable, begin, end), |_| None)?;
        }
        self.bounds.update(&self.placement, interval.half);
        // Of links and of what they carry; what has no end is refused where it moves.
        let assembly = self.placement.assembly();
        let spheres = (0..assembly.part_count() as u32).map(|part| assembly.part_sphere(part));
        let parts =
            spheres.map(|sphere| sphere.center.abs().max_element() + sphere.radius).filter(|reach| reach.is_finite());
        let links = self.placement.link_poses().iter().map(|pose| pose.translation().abs().max_element());
        let farthest = links.chain(parts).fold(0.0, f64::max);
        // No point is farther than this from a joint's axis.
        let arm = 4.0 * farthest;
        let rounding = POSE_ROUNDING * (farthest / FARTHEST).max(1.0) + asked.strays * arm.max(1.0);
        let proofs_hold = asked.within_limits && self.placement.proofs_hold();
        let tolerance = asked.request.tolerance.max(LEAST_TOLERANCE).max(16.0 * rounding);
        Ok(Now { rounding, clearance: asked.clearance, tolerance, proofs_hold })
    }

    /// The next interval: the earliest, or of all the longest.
    pub(super) fn next(&mut self, find: Find) -> Option<Interval> {
        if find == Find::Any {
            return self.intervals.pop_front();
        }
        let interval = self.intervals.pop_back()?;
        // Lists are made after those of the intervals that wait: what was made since is done with.
        self.open.truncate(interval.list[1]);
        Some(interval)
    }

    /// Lists the halves of an interval, with those of the pairs listed from `begin` on that are not
    /// proven over all of it.
    pub(super) fn halve(&mut self, interval: &Interval, begin: usize, find: Find) {
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
                let warm_start = Some(&mut self.caches.scene);
                let hit = checker.scene_collision(placement, scene, workspace, warm_start)?;
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

    /// A pair is near over a short interval: looks a little ahead for a time at which it touches,
    /// else it stays as it is.
    fn ahead(&mut self, near: Found, interval: &Interval, asked: &Asked<'_>) -> Result<Found> {
        let (mut apart, mut step) = (near.t, interval.half);
        // Up to 4096 times the tolerance: a contact under a slant of a few thousandths is found.
        for _ in 0..12 {
            let t = (near.t + step).min(1.0);
            let now = self.place(asked, &Interval { middle: t, half: 0.0, ..*interval })?;
            let found = self.distance(near.pair, 64.0 * now.tolerance, &now)?;
            if found.upper == 0.0 {
                return self.narrowed(Found { t, gap: 0.0, ..near }, apart, interval, asked);
            }
            if t >= 1.0 || found.lower > 8.0 * now.tolerance {
                break;
            }
            (apart, step) = (t, 2.0 * step);
        }
        Ok(near)
    }

    /// An earlier time at which a pair touches, not much later than one at which it does not.
    fn narrowed(&mut self, mut hit: Found, mut apart: f64, interval: &Interval, asked: &Asked<'_>) -> Result<Found> {
        while hit.t - apart > interval.half {
            let middle = apart + 0.5 * (hit.t - apart);
            let now = self.place(asked, &Interval { middle, half: 0.0, ..*interval })?;
            if self.distance(hit.pair, now.tolerance, &now)?.upper == 0.0 { hit.t = middle } else { apart = middle }
        }
        Ok(hit)
    }

    /// A contact found over an interval: all that is earlier than what still waits is free.
    fn contact(&mut self, found: Found, interval: &Interval, asked: &Asked<'_>) -> Result<MotionVerdict> {
        let begins = self.intervals.iter().chain([interval]).map(Interval::begin);
        let t_lower = begins.fold(found.t, f64::min);
        let Watched { part, other, .. } = self.watched[found.pair];
        let mut t_upper = found.t;
        if asked.request.find == Find::First && found.gap == 0.0 {
            // What touches from the start on, or never moves, touches then.
            let now = self.place(asked, &Interval { middle: t_lower, half: 0.0, ..*interval })?;
            if self.distance(found.pair, now.tolerance, &now)?.upper == 0.0 {
                t_upper = t_lower;
            }
        }
        Ok(MotionVerdict::Contact(MotionContact { t_lower, t_upper, gap: found.gap, part, other }))
    }
}
