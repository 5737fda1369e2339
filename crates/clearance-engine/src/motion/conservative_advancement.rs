//! Conservative advancement: steps through time that the distance and the speed of two bodies
//! allow.
//!
//! At a time `t` the certified distance δ is asked for, no farther than the rest of the motion can
//! matter. Until the bodies can have moved by δ nothing happens, so the next look is at the latest
//! time for which the bounds of both motions stay below that (Culley and Kempf). With directions
//! the bodies are also projected on the line between their closest points: while the projections
//! are apart by g, only motion along that line counts (Gilbert and Hong), which is what lets a body
//! slide past another one in a few steps. Both are bounds: the later time is taken.
//!
//! Invariant: what was stepped over is proven free. Where the clearance is not above the tolerance
//! the search ends: it then looks a little ahead for a pose in which the bodies do touch. Cost: a
//! distance query a step; steps are `path / clearance`, and on the way into a contact a few for
//! each digit.
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

/// Two bodies, as steps see them.
pub(super) trait Probe {
    /// Their distance.
    fn distance(&mut self, a_from_b: &Pose, request: &DistanceRequest) -> Result<Distance>;

    /// At least how far any point of a body within `radius` of its own origin reaches along a
    /// direction in its own coordinates.
    fn support_bound(&self, body: usize, direction: DVec3, radius: f64) -> f64;

    /// Whether bodies that touch in this place, as `found` tells, overlap by more than `rounding`;
    /// `false` where that is not known.
    fn surely_overlap(&self, a_from_b: &Pose, found: &Distance, rounding: f64) -> bool;

    /// As a part of the bodies' size, how far apart they may be and still count as touching.
    fn touching_error(&self) -> f64;

    /// Until when, of a window, the bodies are proven to stay apart by following their paths;
    /// `None` for bodies whose paths are not followed.
    fn apart_until(&self, _motions: [&Motion; 2], _window: [f64; 2], _gap: Gap) -> Option<f64> {
        None
    }
}

/// What is known of two bodies at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// The distance that counts as contact, with all rounding.
    pub(super) pad: f64,
    /// How far beyond that they are.
    pub(super) clear: f64,
    /// From the first to the second, in the world, if that is known.
    pub(super) direction: Option<DVec3>,
}

/// How far two bodies are, at a time, above what counts as contact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clearance {
    /// Certified lower bound.
    pub(super) least: f64,
    /// Certified upper bound: not negative, and zero only if the contact is proven.
    pub(super) most: f64,
    /// Whether they are in contact where rounding puts them.
    pub(super) touches: bool,
}

/// What can be looked at at any time.
pub(super) trait Evaluations {
    /// The clearance at a time; not known farther than `beyond`.
    fn clearance(&mut self, t: f64, beyond: f64) -> Result<Clearance>;

    /// At least how much nearer anything gets until `to` than at `from`.
    fn moved(&self, from: f64, to: f64) -> f64;
}

/// Whether two convex shapes overlap by more than `rounding`: then they share a point wherever they
/// are in truth, within that.
///
/// Let `h(n)` be how far the set of all differences `a − b` reaches along a direction `n` of length
/// 1: the farthest of A along `n` and of −B along `n`. The set is convex and closed, so that the
/// shapes share a point, and it holds the origin, if and only if no `h(n)` is negative. The depth
/// is the least of all `h(n)`, of flat shapes too, and its lower bound is certified. Where points
/// of A are moved by up to `e` and those of B by up to `f`, each in another direction, no `h(n)`
/// falls by more than `e + f`, and what is convex stays so where it is moved by a pose or vertex by
/// vertex. So all are positive still where the depth exceeds `rounding ≥ e + f`. Which volumes a
/// tree has plays no part: two leaves that share a point are enough for the bodies to.
pub(super) fn surely_overlap<A: Convex, B: Convex>(a: &A, b: &B, rounding: f64) -> bool {
    let request = PenetrationRequest { rel_err: 0.5, ..PenetrationRequest::default() };
    penetration(a, b, &request).is_some_and(|found| found.lower > rounding)
}

/// How often a proof is looked for after the first time at which bodies touch but for rounding.
const MAX_DOUBTS: usize = 3;

/// A time soon after one at which bodies are within the tolerance of contact, `clear` of it, at
/// which they do touch, if there is one, and the certified upper bound of their clearance then:
/// looks ahead by ever longer steps, then halves. A contact that is proven is preferred to an
/// earlier one that is not.
pub(super) fn touching_after(
    bodies: &mut impl Evaluations,
    (from, clear): (f64, f64),
    step: f64,
    until: f64,
    tolerance: f64,
) -> Result<Option<(f64, f64)>> {
    let (mut apart, mut ahead) = (from, step.max(from * 4.0 * f64::EPSILON));
    let (mut touching, mut doubts) = (None, 0);
    // Up to 4096 times the tolerance: a contact under a slant of a few thousandths is found.
    for _ in 0..12 {
        let t = (from + ahead).min(until);
        let Clearance { least, most, touches } = bodies.clearance(t, 4096.0 * tolerance)?;
        if touches {
            if touching.is_none() || most == 0.0 {
                touching = Some((t, most));
            }
            doubts += 1;
            if most == 0.0 || doubts > MAX_DOUBTS {
                break;
            }
        } else if touching.is_some() || least > clear.max(0.0) + 4.0 * tolerance {
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
        let Clearance { most, touches, .. } = bodies.clearance(middle, tolerance)?;
        if touches && (most == 0.0 || !proven) { (touching, gap) = (middle, most) } else { apart = middle }
    }
    Ok(Some((touching, gap)))
}

/// The bodies at one time, and what is known of their distance.
pub(super) struct Evaluation {
    pub(super) t: f64,
    poses: [Pose; 2],
    pub(super) found: Distance,
    /// Certified: the clearance less the request's distance and all rounding.
    pub(super) clear: f64,
}

impl Evaluation {
    /// The direction from a's closest point to b's, in the world.
    fn direction(&self) -> Option<DVec3> {
        let witness = self.found.witness?;
        self.poses[0].transform_vector(witness.point_b - witness.point_a).try_normalize()
    }
}

/// What steps come to.
#[allow(clippy::large_enum_variant, reason = "it is taken apart as soon as it is made")]
pub(super) enum Outcome {
    /// Nothing in the window.
    Free {
        /// The clearance that is certainly kept.
        margin: f64,
    },
    /// Contact, or a clearance within the tolerance.
    Near(Evaluation),
    /// The search gave up.
    Undecided {
        /// Up to here nothing happens.
        t_lower: f64,
    },
}

/// The running state.
pub(super) struct Search<'s, P> {
    pub(super) probe: P,
    pub(super) motions: [&'s Motion; 2],
    pub(super) spheres: [BoundingSphere; 2],
    /// Distances are known no farther than this.
    pub(super) far: f64,
    /// The time that is searched.
    pub(super) window: [f64; 2],
    /// When the longer motion ends.
    pub(super) duration: f64,
    pub(super) request: &'s ImpactRequest,
    /// See [`Search::least_tolerance`].
    pub(super) tolerance: f64,
    pub(super) steps: usize,
    pub(super) stats: Stats,
}

impl<P: Probe> Search<'_, P> {
    /// Steps through the window, and pins down what it comes to.
    pub(super) fn run(&mut self) -> Result<TimeOfImpact> {
        Ok(match self.advance()? {
            Outcome::Free { margin } => TimeOfImpact::Free { margin },
            Outcome::Near(look) => TimeOfImpact::Contact(self.near(&look)?.0),
            Outcome::Undecided { t_lower } => TimeOfImpact::Undecided { t_lower },
        })
    }

    /// Steps through the window, until the bodies are within the tolerance of contact.
    pub(super) fn advance(&mut self) -> Result<Outcome> {
        let (mut t, mut margin) = (self.window[0], f64::INFINITY);
        loop {
            let look = self.look(t, self.rest(t))?;
            // Then the distance is within the tolerance, with a quarter of it for the query's own.
            if look.clear <= 0.5 * self.tolerance || look.found.upper <= self.request.distance {
                return Ok(Outcome::Near(look));
            }
            let (next, left) = self.step(&look);
            margin = margin.min(left);
            if next >= self.window[1] {
                return Ok(Outcome::Free { margin });
            }
            // Times so close that no number is between them, or bounds that are not finite.
            if next <= t || self.steps >= self.request.max_steps {
                return Ok(Outcome::Undecided { t_lower: t });
            }
            t = next;
        }
    }

    /// How far beyond the request's distance anything can matter at `t`: what the bodies can still
    /// move, and the margin.
    fn rest(&self, t: f64) -> f64 {
        self.moved(t, self.window[1]) / (1.0 - self.request.keep) + self.tolerance
    }

    /// At least how much nearer any two points of the bodies are until `to` than at `from`.
    pub(super) fn moved(&self, from: f64, to: f64) -> f64 {
        let [a, b] = [0, 1].map(|i| self.motions[i].displacement(from, to, &self.spheres[i]));
        a + b
    }

    /// What rounding of poses may change in a distance at `t`.
    pub(super) fn rounding(&self, t: f64, poses: &[Pose; 2]) -> f64 {
        let [a, b] = [0, 1].map(|i| (&poses[i], &self.spheres[i]));
        placing_error(a, b) + self.moved(t, t)
    }

    /// The request's tolerance, but well above what rounding may change at both ends of the motion.
    pub(super) fn least_tolerance(&self) -> f64 {
        let at = |t: f64| self.rounding(t, &self.motions.map(|motion| motion.pose(t)));
        self.request.tolerance.max(8.0 * (at(0.0) + at(self.duration)))
    }

    /// Asks for the distance at `t`, as far as `beyond` the request's.
    pub(super) fn look(&mut self, t: f64, beyond: f64) -> Result<Evaluation> {
        self.steps += 1;
        let poses = self.motions.map(|motion| motion.pose(t));
        let (rounding, wanted) = (self.rounding(t, &poses), self.request.distance);
        let request = DistanceRequest {
            min_d: wanted,
            max_d: (wanted + beyond + rounding).min(self.far).next_up(),
            // A step that is a quarter shorter costs less than the last digits of a distance.
            // Beyond a distance that is asked for, what is left may be a small part of the whole.
            rel_err: if wanted > 0.0 { 0.0 } else { 0.25 },
            abs_err: 0.25 * self.tolerance,
        };
        let a_from_b = poses[0].inverse().then(&poses[1]);
        let found = self.probe.distance(&a_from_b, &request)?;
        self.stats += found.stats;
        let clear = (found.lower.min(self.far) - (wanted + rounding)).next_down();
        Ok(Evaluation { t, poses, found, clear })
    }

    /// The latest time until which the clearance is proven, and by how much it then still exceeds
    /// the request's distance.
    fn step(&self, look: &Evaluation) -> (f64, f64) {
        let kept = 0.25 * self.tolerance;
        if matches!(self.request.approach, Approach::Best | Approach::Trajectory)
            && let Some(until) = self.apart_until(look, kept)
            && until > look.t
        {
            return (until, kept);
        }
        let window = [look.t, self.window[1]];
        let by_distance = self.latest(window, look.clear, |to| self.moved(look.t, to));
        if self.request.approach == Approach::Distance
            || by_distance.0 >= self.window[1]
            || look.found.status == Status::BeyondMax
        {
            return by_distance;
        }
        let Some(direction) = look.direction() else { return by_distance };
        let apart = self.apart_along(look, direction).min(self.far - self.request.distance);
        let by_direction = self.latest(window, apart, |to| {
            let a = self.motions[0].advance(look.t, to, &self.spheres[0], direction);
            a + self.motions[1].advance(look.t, to, &self.spheres[1], -direction)
        });
        if by_direction.0 > by_distance.0 { by_direction } else { by_distance }
    }

    /// Until when bodies whose paths are followed are proven to keep some of their clearance.
    fn apart_until(&self, look: &Evaluation, kept: f64) -> Option<f64> {
        let pad = self.request.distance + kept + self.rounding(look.t, &look.poses);
        let gap = Gap { pad, clear: look.clear - kept, direction: look.direction() };
        self.probe.apart_until(self.motions, [look.t, self.window[1]], gap)
    }

    /// At most how far the projections of the bodies on a direction are apart, less the request's
    /// distance.
    fn apart_along(&self, look: &Evaluation, direction: DVec3) -> f64 {
        // Of the body's own origin, and of its points relative to that.
        let reach = |i: usize, direction: DVec3| {
            let own = look.poses[i].rotation().transpose() * direction;
            let radius = self.spheres[i].center.length() + self.spheres[i].radius;
            let points = self.probe.support_bound(i, own, radius);
            let size = look.poses[i].translation().abs().element_sum() + radius;
            points + direction.dot(look.poses[i].translation()) + 32.0 * UNIT_ROUNDOFF * size
        };
        // A direction that is a rounding too long measures as much too much.
        let apart = -(reach(0, direction) + reach(1, -direction));
        apart * (1.0 - 8.0 * UNIT_ROUNDOFF) - (self.request.distance + self.rounding(look.t, &look.poses))
    }

    /// The latest time for which `bound` stays within what may be used of `clear`, and what is left
    /// of that then.
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
            // Not quite the line through both: on curves that bend upward this one is below what is
            // allowed.
            let part = if part.is_nan() { 0.5 } else { part * 0.995 };
            let middle = low.0 + shorter * part * (high.0 - low.0);
            let bounded = (middle, bound(middle));
            // Bounds that are nearly level above what is allowed, as those of half a turn are,
            // would keep the line at their end.
            if bounded.1 <= allowed {
                (low, shorter) = (bounded, 1.0)
            } else {
                (high, shorter) = (bounded, 0.5 * shorter)
            }
        }
        (low.0, clear - low.1)
    }

    /// The clearance is within the tolerance at `look`: looks a little ahead for a time at which
    /// the bodies do touch. The second is whether they were found to, proven or not.
    pub(super) fn near(&mut self, look: &Evaluation) -> Result<(Impact, bool)> {
        let most = self.most(look);
        let here = self.touch(look, look.t, look.t, most);
        if look.found.upper <= self.request.distance {
            return Ok((here, true));
        }
        let few = 2.0 * self.tolerance / (1.0 - self.request.keep);
        let step = self.latest([look.t, self.duration], few, |to| self.moved(look.t, to)).0 - look.t;
        let (until, tolerance) = (self.duration, self.tolerance);
        Ok(match touching_after(self, (look.t, look.clear), step, until, tolerance)? {
            Some((touching, gap)) if gap <= most => (self.touch(look, look.t, touching, gap), true),
            touching => (here, touching.is_some()),
        })
    }

    /// Certified: at most how far the clearance exceeds the request's distance; zero only if it is
    /// proven not to.
    pub(super) fn most(&self, look: &Evaluation) -> f64 {
        let rounding = self.rounding(look.t, &look.poses);
        let above = look.found.upper - self.request.distance;
        if look.found.upper > 0.0 {
            return (above + rounding).next_up().max(0.0);
        }
        // Contact is told of the body that was moved, rounded, into the frame of the other,
        // whichever that is.
        let a_from_b = look.poses[0].inverse().then(&look.poses[1]);
        let extents =
            self.spheres.iter().map(|sphere| sphere.center.length() + sphere.radius + a_from_b.translation().length());
        let rounding = rounding + 32.0 * UNIT_ROUNDOFF * extents.sum::<f64>();
        if self.probe.surely_overlap(&a_from_b, &look.found, rounding) {
            return 0.0;
        }
        let size: f64 = self.spheres.iter().map(|sphere| 2.0 * sphere.radius).sum();
        (above + rounding + self.probe.touching_error() * size).next_up().max(0.0)
    }

    pub(super) fn touch(&self, look: &Evaluation, t_lower: f64, t_upper: f64, gap: f64) -> Impact {
        let witness = look.found.witness;
        let point =
            witness.map_or(look.poses[0].translation(), |witness| look.poses[0].transform_point(witness.point_a));
        let leaves = witness.and_then(|witness| witness.leaves);
        Impact { t_lower, t_upper, gap, point, normal: look.direction(), leaves }
    }
}

impl<P: Probe> Evaluations for Search<'_, P> {
    fn clearance(&mut self, t: f64, beyond: f64) -> Result<Clearance> {
        let look = self.look(t, beyond)?;
        let touches = look.found.upper <= self.request.distance;
        Ok(Clearance { least: look.clear, most: self.most(&look), touches })
    }

    fn moved(&self, from: f64, to: f64) -> f64 {
        Search::moved(self, from, to)
    }
}
