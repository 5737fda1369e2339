//! Conservative advancement: steps through time that the distance and the motion bounds of two
//! bodies allow.
//!
//! At a time `t` the search queries the certified distance δ, no farther than the rest of the
//! motion can matter. The bodies cannot touch until they have moved by δ. So the next evaluation is
//! at the latest time for which the bounds of both motions stay below that (Culley and Kempf). With
//! directions the search also projects the bodies on the line between their closest points. While
//! the projections are apart by g, only motion along that line counts (Gilbert and Hong), which
//! lets a body slide past another one in a few steps. Both are bounds: the search takes the later
//! time.
//!
//! Invariant: the steps prove that the skipped time is free. The search ends where the clearance is
//! not above the tolerance. It then evaluates times a little ahead for a pose in which the bodies
//! do touch. Cost: a distance query a step; steps are `path / clearance`, and on the way into a
//! contact a few for each digit.
//!
//! A distance of zero is one of the bodies where rounding puts them. They touch in truth, for
//! certain, where they overlap by more than rounding can have moved them ([`surely_overlap`]): only
//! then a contact's gap is zero.
//!
//! The bodies are behind a [`Probe`]: two geometries of the dispatcher, or two triangles at the end
//! of a sweep.

use super::Motion;
use super::time_of_impact::{Approach, Impact, ImpactRequest, TimeOfImpact};
use crate::convex::{PenetrationRequest, penetration};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::query::{Distance, DistanceRequest, Status};
use crate::shape::Convex;
use crate::traversal::Stats;
use crate::tree::placing_error;
use crate::volume::BoundingSphere;
use crate::{Pose, Result};

/// Two bodies, as conservative advancement sees them.
pub(super) trait Probe {
    /// The distance of the bodies.
    fn distance(&mut self, a_from_b: &Pose, request: &DistanceRequest) -> Result<Distance>;

    /// An upper bound of the support of a body's points within `radius` of its own origin, along a
    /// direction in its own coordinates.
    fn support_bound(&self, body: usize, direction: DVec3, radius: f64) -> f64;

    /// Whether bodies that touch at this pose, by `found`, overlap by more than `rounding`; `false`
    /// where no test decides it.
    fn surely_overlap(&self, a_from_b: &Pose, found: &Distance, rounding: f64) -> bool;

    /// The distance at which the bodies still count as touching, as a part of their size.
    fn touching_error(&self) -> f64;

    /// The time in a window until which the bodies stay provably apart along their paths; `None`
    /// for bodies whose paths it does not follow.
    fn apart_until(&self, _motions: [&Motion; 2], _window: [f64; 2], _gap: Gap) -> Option<f64> {
        None
    }
}

/// The gap of two bodies at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// The distance that counts as contact, with all rounding.
    pub(super) pad: f64,
    /// The clearance beyond that.
    pub(super) clear: f64,
    /// The direction from the first to the second, in the world, if there is one.
    pub(super) direction: Option<DVec3>,
}

/// The clearance of two bodies at a time, above the distance that counts as contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clearance {
    /// Certified lower bound.
    pub(super) lower: f64,
    /// Certified upper bound: not negative, and zero only if the contact is proven.
    pub(super) upper: f64,
    /// Whether the bodies touch at their rounded poses.
    pub(super) touches: bool,
}

/// The clearance of two bodies at any time.
pub(super) trait Clearances {
    /// Evaluates the clearance at a time, up to `beyond`.
    fn clearance(&mut self, t: f64, beyond: f64) -> Result<Clearance>;

    /// An upper bound of how much nearer the bodies are until `to` than at `from`.
    fn moved(&self, from: f64, to: f64) -> f64;
}

/// Whether two convex shapes have a penetration depth of more than `rounding`: then they share a
/// point at their true poses, within that.
///
/// Let `h(n)` be the support of the Minkowski difference, the set of all `a − b`, along a direction
/// `n` of length 1: the sum of the supports of A and of −B along `n`. The set is convex and closed,
/// so that the shapes share a point, and it holds the origin, if and only if no `h(n)` is negative.
/// The penetration depth is the least of all `h(n)`, of flat shapes too, and its lower bound is
/// certified. Where points of A are moved by up to `e` and those of B by up to `f`, each in another
/// direction, no `h(n)` falls by more than `e + f`, and what is convex stays so where it is moved by
/// a pose or vertex by vertex. So all are positive still where the depth exceeds `rounding ≥ e + f`.
/// The volumes of a tree play no part: two leaves that share a point are enough for the bodies to.
pub(super) fn surely_overlap<A: Convex, B: Convex>(a: &A, b: &B, rounding: f64) -> bool {
    let request = PenetrationRequest { rel_err: 0.5, ..PenetrationRequest::default() };
    penetration(a, b, &request).is_some_and(|found| found.lower > rounding)
}

/// The maximum number of attempts at a proof after the first time at which bodies touch but for
/// rounding.
const MAX_DOUBTS: usize = 3;

/// Finds a time at which the bodies do touch, soon after one at which they are within the tolerance
/// of contact, `clear` of it. Returns it with the certified upper bound of their clearance then.
///
/// The search looks ahead by ever longer steps, then halves. It prefers a proven contact to an
/// earlier one that is not.
pub(super) fn touching_after(
    bodies: &mut impl Clearances,
    (from, clear): (f64, f64),
    step: f64,
    until: f64,
    tolerance: f64,
) -> Result<Option<(f64, f64)>> {
    let (mut apart, mut ahead) = (from, step.max(from * 4.0 * f64::EPSILON));
    let (mut touching, mut doubts) = (None, 0);
    // Up to 4096 times the tolerance, which finds a contact under a slant of a few thousandths.
    for _ in 0..12 {
        let t = (from + ahead).min(until);
        let Clearance { lower, upper, touches } = bodies.clearance(t, 4096.0 * tolerance)?;
        if touches {
            if touching.is_none() || upper == 0.0 {
                touching = Some((t, upper));
            }
            doubts += 1;
            if upper == 0.0 || doubts > MAX_DOUBTS {
                break;
            }
        } else if touching.is_some() || lower > clear.max(0.0) + 4.0 * tolerance {
            break;
        } else {
            apart = t;
        }
        if t >= until {
            break;
        }
        ahead *= 2.0;
    }
    let Some((mut touching, mut gap)) = touching else { return Ok(None) };
    let proven = gap == 0.0;
    for _ in 0..48 {
        let middle = apart + 0.5 * (touching - apart);
        let close = bodies.moved(apart, touching) <= 0.25 * tolerance + 2.0 * bodies.moved(apart, apart);
        if middle <= apart || middle >= touching || close {
            break;
        }
        let Clearance { upper, touches, .. } = bodies.clearance(middle, tolerance)?;
        if touches && (upper == 0.0 || !proven) { (touching, gap) = (middle, upper) } else { apart = middle }
    }
    Ok(Some((touching, gap)))
}

/// The evaluation of one time: the poses of the bodies and their distance.
pub(super) struct Evaluation {
    pub(super) t: f64,
    poses: [Pose; 2],
    pub(super) found: Distance,
    /// A certified lower bound: the clearance less the request's distance and all rounding.
    pub(super) clear: f64,
}

impl Evaluation {
    /// The direction from a's closest point to b's, in the world.
    fn direction(&self) -> Option<DVec3> {
        let witness = self.found.witness?;
        self.poses[0].transform_vector(witness.point_b - witness.point_a).try_normalize()
    }
}

/// The outcome of an advancement.
#[allow(clippy::large_enum_variant, reason = "it is taken apart as soon as it is made")]
pub(super) enum Outcome {
    /// The window is collision-free.
    Free {
        /// The certified clearance throughout.
        margin: f64,
    },
    /// Contact, or a clearance within the tolerance.
    Near(Evaluation),
    /// The search gave up.
    Undecided {
        /// The time until which the motion is provably collision-free.
        t_lower: f64,
    },
}

/// The state of a conservative advancement.
pub(super) struct Search<'s, P> {
    pub(super) probe: P,
    pub(super) motions: [&'s Motion; 2],
    pub(super) spheres: [BoundingSphere; 2],
    /// The maximum distance that queries can return.
    pub(super) far: f64,
    /// The time window of the search.
    pub(super) window: [f64; 2],
    /// The end of the whole search, of which the window may be a part.
    pub(super) duration: f64,
    pub(super) request: &'s ImpactRequest,
    /// See [`Search::least_tolerance`].
    pub(super) tolerance: f64,
    pub(super) steps: usize,
    pub(super) stats: Stats,
}

impl<P: Probe> Search<'_, P> {
    /// Steps through the window and returns the final result.
    pub(super) fn run(&mut self) -> Result<TimeOfImpact> {
        Ok(match self.advance()? {
            Outcome::Free { margin } => TimeOfImpact::Free { margin },
            Outcome::Near(evaluation) => TimeOfImpact::Contact(self.near(&evaluation)?.0),
            Outcome::Undecided { t_lower } => TimeOfImpact::Undecided { t_lower },
        })
    }

    /// Steps through the window, until the bodies are within the tolerance of contact.
    pub(super) fn advance(&mut self) -> Result<Outcome> {
        let (mut t, mut margin) = (self.window[0], f64::INFINITY);
        loop {
            let evaluation = self.evaluate(t, self.rest(t))?;
            if evaluation.found.status == Status::Budget {
                let until = if evaluation.clear > 0.0 { self.step(&evaluation).0 } else { t };
                return Ok(Outcome::Undecided { t_lower: until.max(t) });
            }
            // Then the distance is within the tolerance, with a quarter of it for the query's own.
            if evaluation.clear <= 0.5 * self.tolerance || evaluation.found.upper <= self.request.distance {
                return Ok(Outcome::Near(evaluation));
            }
            let (next, left) = self.step(&evaluation);
            margin = margin.min(left);
            if next >= self.window[1] {
                return Ok(Outcome::Free { margin });
            }
            // Times so close that no number is between them, or bounds that are not finite.
            if next <= t || self.steps >= self.request.max_evaluations {
                return Ok(Outcome::Undecided { t_lower: t });
            }
            t = next;
        }
    }

    /// The distance beyond the request's that can still matter at `t`: the rest of the bodies'
    /// motion, and the margin.
    fn rest(&self, t: f64) -> f64 {
        self.moved(t, self.window[1]) / (1.0 - self.request.keep) + self.tolerance
    }

    /// An upper bound of how much nearer any two points of the bodies are until `to` than at
    /// `from`.
    pub(super) fn moved(&self, from: f64, to: f64) -> f64 {
        let [a, b] = [0, 1].map(|i| self.motions[i].displacement(from, to, &self.spheres[i]));
        a + b
    }

    /// The rounding error that poses cause in a distance at `t`.
    pub(super) fn rounding(&self, t: f64, poses: &[Pose; 2]) -> f64 {
        let [a, b] = [0, 1].map(|i| (&poses[i], &self.spheres[i]));
        placing_error(a, b) + self.moved(t, t)
    }

    /// The request's tolerance, but well above the rounding error at both ends of the motion.
    pub(super) fn least_tolerance(&self) -> f64 {
        let at = |t: f64| self.rounding(t, &self.motions.map(|motion| motion.pose(t)));
        self.request.tolerance.max(8.0 * (at(self.window[0]) + at(self.duration)))
    }

    /// What is left of the budget.
    pub(super) fn steps_left(&self) -> Option<usize> {
        self.request.max_steps.map(|steps| steps.saturating_sub(self.stats.steps() as usize))
    }

    /// Evaluates the distance at `t`, up to `beyond` the request's.
    pub(super) fn evaluate(&mut self, t: f64, beyond: f64) -> Result<Evaluation> {
        self.steps += 1;
        let poses = self.motions.map(|motion| motion.pose(t));
        let (rounding, wanted) = (self.rounding(t, &poses), self.request.distance);
        let request = DistanceRequest {
            min_d: wanted,
            max_d: (wanted + beyond + rounding).min(self.far).next_up(),
            // A step that is a quarter shorter costs less than the last digits of a distance.
            // Beyond a requested distance, the rest may be a small part of the whole.
            rel_err: if wanted > 0.0 { 0.0 } else { 0.25 },
            abs_err: 0.25 * self.tolerance,
            max_steps: self.steps_left(),
        };
        let a_from_b = poses[0].inverse().then(&poses[1]);
        let found = self.probe.distance(&a_from_b, &request)?;
        self.stats += found.stats;
        let clear = (found.lower.min(self.far) - (wanted + rounding)).next_down();
        Ok(Evaluation { t, poses, found, clear })
    }

    /// The latest time with a proven clearance, and by how much that then still exceeds the
    /// request's distance.
    fn step(&self, evaluation: &Evaluation) -> (f64, f64) {
        let kept = 0.25 * self.tolerance;
        if matches!(self.request.approach, Approach::Best | Approach::Trajectory)
            && let Some(until) = self.apart_until(evaluation, kept)
            && until > evaluation.t
        {
            return (until, kept);
        }
        let window = [evaluation.t, self.window[1]];
        let by_distance = self.latest(window, evaluation.clear, |to| self.moved(evaluation.t, to));
        if self.request.approach == Approach::Distance
            || by_distance.0 >= self.window[1]
            || evaluation.found.status == Status::BeyondMax
        {
            return by_distance;
        }
        let Some(direction) = evaluation.direction() else { return by_distance };
        let apart = self.apart_along(evaluation, direction).min(self.far - self.request.distance);
        let by_direction = self.latest(window, apart, |to| {
            let a = self.motions[0].advance(evaluation.t, to, &self.spheres[0], direction);
            a + self.motions[1].advance(evaluation.t, to, &self.spheres[1], -direction)
        });
        if by_direction.0 > by_distance.0 { by_direction } else { by_distance }
    }

    /// The time until which bodies with known paths provably keep some of their clearance.
    fn apart_until(&self, evaluation: &Evaluation, kept: f64) -> Option<f64> {
        let pad = self.request.distance + kept + self.rounding(evaluation.t, &evaluation.poses);
        let gap = Gap { pad, clear: evaluation.clear - kept, direction: evaluation.direction() };
        self.probe.apart_until(self.motions, [evaluation.t, self.window[1]], gap)
    }

    /// A lower bound of the gap between the projections of the bodies on a direction, less the
    /// request's distance.
    fn apart_along(&self, evaluation: &Evaluation, direction: DVec3) -> f64 {
        // The projection of the body's own origin, and of its points relative to that.
        let support = |i: usize, direction: DVec3| {
            let own = evaluation.poses[i].rotation().transpose() * direction;
            let radius = self.spheres[i].center.length() + self.spheres[i].radius;
            let points = self.probe.support_bound(i, own, radius);
            let size = evaluation.poses[i].translation().abs().element_sum() + radius;
            points + direction.dot(evaluation.poses[i].translation()) + 32.0 * UNIT_ROUNDOFF * size
        };
        // A direction that is a rounding too long measures as much too much.
        let apart = -(support(0, direction) + support(1, -direction));
        apart * (1.0 - 8.0 * UNIT_ROUNDOFF) - (self.request.distance + self.rounding(evaluation.t, &evaluation.poses))
    }

    /// The latest time for which `bound` stays within the usable part of `clear`, and the rest of
    /// that then.
    fn latest(&self, [from, until]: [f64; 2], clear: f64, bound: impl Fn(f64) -> f64) -> (f64, f64) {
        let allowed = clear * (1.0 - self.request.keep);
        let (mut low, mut high) = ((from, bound(from)), (until, bound(until)));
        if high.1 <= allowed {
            return (high.0, clear - high.1);
        }
        if low.1 > allowed {
            return (from, clear);
        }
        // Each round is a few nanoseconds per piece of motion; a distance is a microsecond.
        let mut shorter = 1.0;
        for _ in 0..12 {
            if allowed - low.1 <= 0.02 * allowed {
                break;
            }
            let part = ((allowed - low.1) / (high.1 - low.1)).clamp(0.001, 0.999);
            // Not quite the line through both: on curves that bend upward this one is below the
            // allowed value.
            let part = if part.is_nan() { 0.5 } else { part * 0.995 };
            let middle = low.0 + shorter * part * (high.0 - low.0);
            let bounded = (middle, bound(middle));
            // Bounds that are nearly level above the allowed value, as those of half a turn are,
            // would keep the line at their end.
            if bounded.1 <= allowed {
                (low, shorter) = (bounded, 1.0)
            } else {
                (high, shorter) = (bounded, 0.5 * shorter)
            }
        }
        (low.0, clear - low.1)
    }

    /// Evaluates times a little after one within the tolerance of contact, to find one at which the
    /// bodies do touch. The second result says whether they do, proven or not.
    pub(super) fn near(&mut self, evaluation: &Evaluation) -> Result<(Impact, bool)> {
        let upper = self.upper_clearance(evaluation);
        let here = self.impact(evaluation, evaluation.t, evaluation.t, upper);
        if evaluation.found.upper <= self.request.distance {
            return Ok((here, true));
        }
        let few = 2.0 * self.tolerance / (1.0 - self.request.keep);
        let step = self.latest([evaluation.t, self.duration], few, |to| self.moved(evaluation.t, to)).0 - evaluation.t;
        let (until, tolerance) = (self.duration, self.tolerance);
        Ok(match touching_after(self, (evaluation.t, evaluation.clear), step, until, tolerance)? {
            Some((touching, gap)) if gap <= upper => (self.impact(evaluation, evaluation.t, touching, gap), true),
            touching => (here, touching.is_some()),
        })
    }

    /// A certified upper bound of the clearance beyond the request's distance; zero only if the
    /// contact is proven.
    pub(super) fn upper_clearance(&self, evaluation: &Evaluation) -> f64 {
        let rounding = self.rounding(evaluation.t, &evaluation.poses);
        let above = evaluation.found.upper - self.request.distance;
        if evaluation.found.upper > 0.0 {
            return (above + rounding).next_up().max(0.0);
        }
        // The contact test moved one of the bodies, rounded, into the frame of the other, whichever
        // that is.
        let a_from_b = evaluation.poses[0].inverse().then(&evaluation.poses[1]);
        let extents =
            self.spheres.iter().map(|sphere| sphere.center.length() + sphere.radius + a_from_b.translation().length());
        let rounding = rounding + 32.0 * UNIT_ROUNDOFF * extents.sum::<f64>();
        if self.probe.surely_overlap(&a_from_b, &evaluation.found, rounding) {
            return 0.0;
        }
        let size: f64 = self.spheres.iter().map(|sphere| 2.0 * sphere.radius).sum();
        (above + rounding + self.probe.touching_error() * size).next_up().max(0.0)
    }

    pub(super) fn impact(&self, evaluation: &Evaluation, t_lower: f64, t_upper: f64, gap: f64) -> Impact {
        let witness = evaluation.found.witness;
        let point = witness
            .map_or(evaluation.poses[0].translation(), |witness| evaluation.poses[0].transform_point(witness.point_a));
        let leaves = witness.and_then(|witness| witness.leaves);
        Impact { t_lower, t_upper, gap, point, normal: evaluation.direction(), leaves }
    }
}

impl<P: Probe> Clearances for Search<'_, P> {
    fn clearance(&mut self, t: f64, beyond: f64) -> Result<Clearance> {
        let evaluation = self.evaluate(t, beyond)?;
        let touches = evaluation.found.upper <= self.request.distance;
        Ok(Clearance { lower: evaluation.clear, upper: self.upper_clearance(&evaluation), touches })
    }

    fn moved(&self, from: f64, to: f64) -> f64 {
        Search::moved(self, from, to)
    }
}
