//! When two moving geometries first touch, or first come nearer than asked: conservative advancement.
//!
//! At a time `t` the certified distance δ is asked for, no farther than the rest of the motion can matter. Until the bodies can have moved by
//! δ nothing happens, so the next look is at the latest time for which the bounds of both motions stay below that. With
//! [`Approach::Directional`] the bodies are also projected on the line between their closest points: while the projections are apart by g, only
//! motion along that line counts, which is what lets a body slide past another one in a few steps. Both are bounds: the later time is taken.
//!
//! Invariant: `[0, t)` is proven free after each step. Where the clearance is not above the tolerance the search ends: it then looks a little
//! ahead for a pose in which the bodies do touch. Cost: a distance query a step; steps are `path / clearance`, and on the way into a
//! contact a few for each digit.
//!
//! A geometry without bounds (a floor) has points that turn at any speed; of those only the ones count that the other body can come near to.

use super::Motion;
use crate::bank::{Bank, Plan};
use crate::descent::{PairCache, Stats, Workspace};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::query::{Distance, DistanceRequest, Status};
use crate::tree::{Geometry, placing_error};
use crate::volume::BoundingBall;
use crate::{Error, ErrorKind, Pose, Result};

/// How steps through time are found; answers hold for all, their number of steps differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Approach {
    /// From the distance and the speed alone (Culley and Kempf).
    Distance,
    /// Also from the motion along the line between the closest points (Gilbert and Hong).
    #[default]
    Directional,
}

/// What to ask of two motions.
///
/// ```
/// use clearance::motion::ContactRequest;
/// let request = ContactRequest { distance: 0.01, ..ContactRequest::default() };
/// assert!(request.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRequest {
    /// The clearance that must be kept; 0 by default: contact.
    pub distance: f64,
    /// Clearances that exceed `distance` by this or less count as contact that could not be excluded; 1e-6 by default. What rounding
    /// of the poses may change is the least that is used.
    pub tolerance: f64,
    /// The part of the clearance that steps leave unused, for [`FirstContact::Free`]'s margin; 0.1 by default.
    pub keep: f64,
    /// How steps are found.
    pub approach: Approach,
    /// Steps after which the search gives up; 100,000 by default.
    pub most_steps: usize,
}

impl Default for ContactRequest {
    fn default() -> Self {
        Self { distance: 0.0, tolerance: 1e-6, keep: 0.1, approach: Approach::default(), most_steps: 100_000 }
    }
}

impl ContactRequest {
    /// Refuses values that are NaN, negative, or leave nothing for a step.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("distance", self.distance), ("tolerance", self.tolerance), ("keep", self.keep)] {
            if !(value.is_finite() && value >= 0.0) {
                let message = format!("{name} must be a finite number that is not negative, not {value}");
                return Err(Error::new(ErrorKind::BadRequest, message));
            }
        }
        if self.keep > 0.9 {
            return Err(Error::new(ErrorKind::BadRequest, format!("keep must be 0.9 or less, not {}", self.keep)));
        }
        Ok(())
    }
}

/// Where and when two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Before this time the clearance is certainly larger than the request's distance.
    pub t_lower: f64,
    /// At this time it is at most the request's distance and [`gap`](Touch::gap).
    pub t_upper: f64,
    /// 0 where contact was found; else the bodies come this near, which is within the tolerance, and perhaps no nearer.
    pub gap: f64,
    /// A point of the first body at or just before contact, in the world.
    pub point: DVec3,
    /// From the first body to the second, of length 1; none for bodies that overlap from the start.
    pub normal: Option<DVec3>,
    /// The shapes that come together; none where one body contains the other.
    pub leaves: Option<(u32, u32)>,
}

/// What becomes of two motions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FirstContact {
    /// The clearance is larger than the request's distance all the time, by at least `margin`.
    Free {
        /// Certified; how much of the true margin is known depends on [`ContactRequest::keep`].
        margin: f64,
    },
    /// It is not, or not by more than the tolerance.
    Contact(Touch),
    /// The search gave up: the motion is free before `t_lower`, and nothing is known about the rest.
    Undecided {
        /// Up to here the motion is proven free.
        t_lower: f64,
    },
}

/// The answer, and what it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionAnswer {
    /// What was found.
    pub first: FirstContact,
    /// When the longer of the two motions ends.
    pub duration: f64,
    /// The times that were looked at.
    pub steps: usize,
    /// What the distance queries did.
    pub stats: Stats,
}

impl MotionAnswer {
    /// The motion is proven free from its start until this time.
    pub fn free_until(&self) -> f64 {
        match self.first {
            FirstContact::Free { .. } => self.duration,
            FirstContact::Contact(touch) => touch.t_lower,
            FirstContact::Undecided { t_lower } => t_lower,
        }
    }
}

/// When `a` and `b`, moving as given, first touch or come nearer than the request's distance.
///
/// ```
/// use clearance::{Pose, bank::Bank, descent::Workspace, math::DVec3, shape::{Ball, Cuboid}, tree::Solid};
/// use clearance::motion::{ContactRequest, FirstContact, Motion, first_contact};
/// let (ball, sheet) = (Solid::new(Ball::new(0.5)?), Solid::new(Cuboid::new(DVec3::new(2.0, 2.0, 1e-4))?));
/// let above = Pose::from_translation(DVec3::Z * 1e3)?;
/// let falling = Motion::moving(&above, DVec3::ZERO, DVec3::Z * -1e6, DVec3::ZERO, 1.0)?;
/// let bodies = [(&ball as _, &falling), (&sheet as _, &Motion::still(&Pose::IDENTITY))];
/// let answer = first_contact(&Bank::standard(), bodies, &ContactRequest::default(), &mut Workspace::default())?;
/// let FirstContact::Contact(touch) = answer.first else { panic!("it went through the sheet") };
/// let truth = (1e3 - 0.5 - 1e-4) / 1e6;
/// assert!(touch.t_lower <= truth && truth <= touch.t_upper + 1e-15 && touch.t_upper - touch.t_lower < 1e-11);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn first_contact(
    bank: &Bank,
    [(a, motion_a), (b, motion_b)]: [(&dyn Geometry, &Motion); 2],
    request: &ContactRequest,
    workspace: &mut Workspace,
) -> Result<MotionAnswer> {
    request.check()?;
    let plan = bank.plan(a, b)?;
    let duration = motion_a.duration().max(motion_b.duration());
    let (balls, far) = finite_balls([(a, motion_a), (b, motion_b)], duration, request)?;
    let mut search = Search {
        plan,
        bodies: [a, b],
        motions: [motion_a, motion_b],
        balls,
        far,
        duration,
        request,
        tolerance: 0.0,
        workspace,
        cache: PairCache::default(),
        steps: 0,
        stats: Stats::default(),
    };
    search.tolerance = search.least_tolerance();
    let first = search.run()?;
    Ok(MotionAnswer { first, duration, steps: search.steps, stats: search.stats })
}

/// Balls around all points of two bodies that can come nearer to the other one than the second number says.
fn finite_balls(
    [a, b]: [(&dyn Geometry, &Motion); 2],
    duration: f64,
    request: &ContactRequest,
) -> Result<([BoundingBall; 2], f64)> {
    let balls = [a.0.ball(), b.0.ball()];
    let near = |one: (&dyn Geometry, &Motion), other: &Motion| {
        let ball = one.0.ball();
        let center = one.1.pose(0.0).transform_point(ball.center);
        let radius = ball.radius + one.1.displacement(0.0, duration, &ball);
        let far = request.distance + 2.0 * radius.max(request.tolerance);
        let origin = BoundingBall { center: DVec3::ZERO, radius: 0.0 };
        let apart = center.distance(other.pose(0.0).translation()) + other.displacement(0.0, duration, &origin);
        let radius = (apart + radius + far) * (1.0 + 16.0 * UNIT_ROUNDOFF);
        (BoundingBall { center: DVec3::ZERO, radius }, far)
    };
    match balls.map(|ball| ball.radius.is_finite()) {
        [true, true] => Ok((balls, f64::INFINITY)),
        [true, false] => {
            let (ball, far) = near(a, b.1);
            Ok(([balls[0], ball], far))
        }
        [false, true] => {
            let (ball, far) = near(b, a.1);
            Ok(([ball, balls[1]], far))
        }
        [false, false] => {
            let message = format!("two geometries without bounds in motion: {} and {}", a.0.kind(), b.0.kind());
            Err(Error::new(ErrorKind::Unsupported, message))
        }
    }
}

/// The bodies at one time, and what is known of their distance.
struct Look {
    t: f64,
    poses: [Pose; 2],
    found: Distance,
    /// Certified: the clearance less the request's distance and all rounding.
    clear: f64,
}

impl Look {
    /// The direction from a's closest point to b's, in the world.
    fn direction(&self) -> Option<DVec3> {
        let witness = self.found.witness?;
        self.poses[0].transform_vector(witness.point_b - witness.point_a).try_normalize()
    }
}

/// The running state.
struct Search<'s> {
    plan: Plan<'s>,
    bodies: [&'s dyn Geometry; 2],
    motions: [&'s Motion; 2],
    balls: [BoundingBall; 2],
    /// Distances are known no farther than this.
    far: f64,
    duration: f64,
    request: &'s ContactRequest,
    tolerance: f64,
    workspace: &'s mut Workspace,
    cache: PairCache,
    steps: usize,
    stats: Stats,
}

impl Search<'_> {
    fn run(&mut self) -> Result<FirstContact> {
        let (mut t, mut margin) = (0.0, f64::INFINITY);
        loop {
            let look = self.look(t, self.rest(t))?;
            if look.found.upper <= self.request.distance {
                return Ok(FirstContact::Contact(self.touch(&look, t, t, 0.0)));
            }
            // Then the distance is within the tolerance, with a quarter of it for the query's own.
            if look.clear <= 0.5 * self.tolerance {
                return self.near(&look);
            }
            let (next, left) = self.step(&look);
            margin = margin.min(left);
            if next >= self.duration {
                return Ok(FirstContact::Free { margin });
            }
            // Times so close that no number is between them, or bounds that are not finite.
            if next <= t || self.steps >= self.request.most_steps {
                return Ok(FirstContact::Undecided { t_lower: t });
            }
            t = next;
        }
    }

    /// How far beyond the request's distance anything can matter at `t`: what the bodies can still move, and the margin.
    fn rest(&self, t: f64) -> f64 {
        self.moved(t, self.duration) / (1.0 - self.request.keep) + self.tolerance
    }

    /// At least how much nearer any two points of the bodies are until `to` than at `from`.
    fn moved(&self, from: f64, to: f64) -> f64 {
        let [a, b] = [0, 1].map(|i| self.motions[i].displacement(from, to, &self.balls[i]));
        a + b
    }

    /// What rounding of poses may change in a distance at `t`.
    fn rounding(&self, t: f64, poses: &[Pose; 2]) -> f64 {
        let [a, b] = [0, 1].map(|i| (&poses[i], &self.balls[i]));
        placing_error(a, b) + self.moved(t, t)
    }

    /// The request's tolerance, but well above what rounding may change at both ends of the motion.
    fn least_tolerance(&self) -> f64 {
        let at = |t: f64| self.rounding(t, &self.motions.map(|motion| motion.pose(t)));
        self.request.tolerance.max(8.0 * (at(0.0) + at(self.duration)))
    }

    /// Asks for the distance at `t`, as far as `beyond` the request's.
    fn look(&mut self, t: f64, beyond: f64) -> Result<Look> {
        self.steps += 1;
        let poses = self.motions.map(|motion| motion.pose(t));
        let (rounding, wanted) = (self.rounding(t, &poses), self.request.distance);
        let request = DistanceRequest {
            min_d: wanted,
            max_d: (wanted + beyond + rounding).min(self.far).next_up(),
            // A step that is a quarter shorter costs less than the last digits of a distance. Beyond a distance that is asked for, what
            // is left may be a small part of the whole.
            rel_err: if wanted > 0.0 { 0.0 } else { 0.25 },
            abs_err: 0.25 * self.tolerance,
        };
        let a_from_b = poses[0].inverse().then(&poses[1]);
        let found = self.plan.distance(&a_from_b, &request, self.workspace, Some(&mut self.cache))?;
        self.stats += found.stats;
        let clear = (found.lower.min(self.far) - (wanted + rounding)).next_down();
        Ok(Look { t, poses, found, clear })
    }

    /// The latest time until which the clearance is proven, and by how much it then still exceeds the request's distance.
    fn step(&self, look: &Look) -> (f64, f64) {
        let by_distance = self.latest(look, look.clear, |to| self.moved(look.t, to));
        if self.request.approach == Approach::Distance
            || by_distance.0 >= self.duration
            || look.found.status == Status::BeyondMax
        {
            return by_distance;
        }
        let Some(direction) = look.direction() else { return by_distance };
        let apart = self.apart_along(look, direction).min(self.far - self.request.distance);
        let by_direction = self.latest(look, apart, |to| {
            let a = self.motions[0].advance(look.t, to, &self.balls[0], direction);
            a + self.motions[1].advance(look.t, to, &self.balls[1], -direction)
        });
        if by_direction.0 > by_distance.0 { by_direction } else { by_distance }
    }

    /// At most how far the projections of the bodies on a direction are apart, less the request's distance.
    fn apart_along(&self, look: &Look, direction: DVec3) -> f64 {
        // Of the body's own origin, and of its points relative to that.
        let reach = |i: usize, direction: DVec3| {
            let own = look.poses[i].rotation().transpose() * direction;
            let radius = self.balls[i].center.length() + self.balls[i].radius;
            let points = self.bodies[i].reach_along(own, radius);
            let size = look.poses[i].translation().abs().element_sum() + radius;
            points + direction.dot(look.poses[i].translation()) + 32.0 * UNIT_ROUNDOFF * size
        };
        // A direction that is a rounding too long measures as much too much.
        let apart = -(reach(0, direction) + reach(1, -direction));
        apart * (1.0 - 8.0 * UNIT_ROUNDOFF) - (self.request.distance + self.rounding(look.t, &look.poses))
    }

    /// The latest time for which `bound` stays within what may be used of `clear`, and what is left of that then.
    fn latest(&self, look: &Look, clear: f64, bound: impl Fn(f64) -> f64) -> (f64, f64) {
        let allowed = clear * (1.0 - self.request.keep);
        let (mut low, mut high) = ((look.t, bound(look.t)), (self.duration, bound(self.duration)));
        if high.1 <= allowed {
            return (high.0, clear - high.1);
        }
        if low.1 > allowed {
            return (look.t, clear);
        }
        // Each round is a few nanoseconds per piece of motion; a distance is a microsecond.
        for _ in 0..12 {
            if allowed - low.1 <= 0.02 * allowed {
                break;
            }
            let part = ((allowed - low.1) / (high.1 - low.1)).clamp(0.001, 0.999);
            // Not quite the line through both: on curves that bend upward this one is below what is allowed.
            let part = if part.is_nan() { 0.5 } else { part * 0.995 };
            let middle = low.0 + part * (high.0 - low.0);
            let bounded = (middle, bound(middle));
            if bounded.1 <= allowed { low = bounded } else { high = bounded }
        }
        (low.0, clear - low.1)
    }

    /// The clearance is within the tolerance at `look`: looks a little ahead for a time at which the bodies do touch.
    fn near(&mut self, look: &Look) -> Result<FirstContact> {
        let tolerance = self.tolerance;
        let speed_step =
            self.latest(look, 2.0 * tolerance / (1.0 - self.request.keep), |to| self.moved(look.t, to)).0 - look.t;
        let (mut apart, mut ahead) = (look.t, speed_step.max(look.t * 4.0 * f64::EPSILON));
        let mut touching = None;
        // Up to 4096 times the tolerance: a contact under a slant of a few thousandths is found.
        for _ in 0..12 {
            let t = (look.t + ahead).min(self.duration);
            let next = self.look(t, 4096.0 * tolerance)?;
            if next.found.upper <= self.request.distance {
                touching = Some(t);
                break;
            }
            if next.clear > look.clear.max(0.0) + 4.0 * tolerance || t >= self.duration {
                break;
            }
            (apart, ahead) = (t, 2.0 * ahead);
        }
        let Some(mut touching) = touching else {
            let gap = (look.found.upper - self.request.distance).max(0.0);
            return Ok(FirstContact::Contact(self.touch(look, look.t, look.t, gap)));
        };
        for _ in 0..48 {
            let middle = apart + 0.5 * (touching - apart);
            if middle <= apart
                || middle >= touching
                || self.moved(apart, touching) <= 0.25 * tolerance + 2.0 * self.moved(apart, apart)
            {
                break;
            }
            let next = self.look(middle, tolerance)?;
            if next.found.upper <= self.request.distance { touching = middle } else { apart = middle }
        }
        Ok(FirstContact::Contact(self.touch(look, look.t, touching, 0.0)))
    }

    fn touch(&self, look: &Look, t_lower: f64, t_upper: f64, gap: f64) -> Touch {
        let witness = look.found.witness;
        let point =
            witness.map_or(look.poses[0].translation(), |witness| look.poses[0].transform_point(witness.point_a));
        let leaves = witness.and_then(|witness| witness.leaves);
        Touch { t_lower, t_upper, gap, point, normal: look.direction(), leaves }
    }
}
