//! How far apart: a certified interval with witness points.

use super::goal::max_steps;
use super::{Change, Composite, Defer, Goal, LeafPair, Status};
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::traversal::{BestFirst, Order, Stats};
use crate::{Error, ErrorKind, Readable, Result};
use std::marker::PhantomData;
use std::ops::ControlFlow;

/// What to ask: the range of distances that matter and the error that is allowed.
///
/// ```
/// use clearance_engine::query::DistanceRequest;
/// let request = DistanceRequest { max_d: 0.5, rel_err: 0.1, ..DistanceRequest::default() };
/// assert!(request.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DistanceRequest {
    /// Stop as soon as the distance is known to be this or less; 0 by default.
    pub min_d: f64,
    /// Ignore what is this far or farther; infinite by default.
    pub max_d: f64,
    /// Allowed `(upper − lower) / upper`; 0 by default.
    pub rel_err: f64,
    /// Allowed `upper − lower`; 0 by default.
    pub abs_err: f64,
    /// The budget: [steps of the traversal](Stats::steps) after which the search ends with the
    /// interval that it has, and [`Status::Budget`]; none by default. A step takes some 50 to 100 ns.
    ///
    /// The search finds one pair of shapes in any case, so that there are witness points, unless
    /// `max_d` is finite. The answer depends on the request and on what a warm start remembers, not
    /// on time or threads. A larger budget never gives a wider interval, up to rounding and the
    /// allowed error.
    pub max_steps: Option<usize>,
}

impl Default for DistanceRequest {
    fn default() -> Self {
        Self { min_d: 0.0, max_d: f64::INFINITY, rel_err: 0.0, abs_err: 0.0, max_steps: None }
    }
}

impl DistanceRequest {
    /// Refuses values that are NaN, negative, or contradict each other.
    #[inline]
    pub fn check(&self) -> Result<()> {
        // What is not a number is not in order.
        let in_order = 0.0 <= self.min_d && self.min_d <= self.max_d && 0.0 <= self.abs_err;
        if in_order && 0.0 <= self.rel_err && self.rel_err < 1.0 { Ok(()) } else { self.refuse() }
    }

    /// What is wrong with it.
    #[cold]
    fn refuse(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::new(ErrorKind::BadRequest, message));
        for (name, value) in
            [("min_d", self.min_d), ("max_d", self.max_d), ("rel_err", self.rel_err), ("abs_err", self.abs_err)]
        {
            if value.is_nan() || value < 0.0 {
                return refuse(format!("{name} must be a number that is not negative, not {}", Readable(value)));
            }
        }
        if self.min_d > self.max_d {
            return refuse(format!("min_d {} is larger than max_d {}", Readable(self.min_d), Readable(self.max_d)));
        }
        if self.rel_err >= 1.0 {
            return refuse(format!("rel_err must be below 1, not {}", Readable(self.rel_err)));
        }
        Ok(())
    }
}

/// Two closest points and the shapes that they lie on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Witness {
    /// On the first geometry, in its frame.
    pub point_a: DVec3,
    /// On the second geometry, in the first one's frame.
    pub point_b: DVec3,
    /// The shapes (triangles) that the points lie on; none where one solid contains the other.
    pub leaves: Option<(u32, u32)>,
}

/// A certified distance: `lower ≤ distance ≤ upper`.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, shape::Sphere};
/// let distance = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?.distance(Pose::from_xyz(3.0, 0.0, 0.0)?);
/// assert!(distance.lower <= 1.0 && 1.0 <= distance.upper && distance.colliding() == Some(false));
/// let witness = distance.witness.expect("nothing limits the search");
/// assert!((witness.point_a.x - 1.0).abs() < 1e-9);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distance {
    /// Certified lower bound.
    pub lower: f64,
    /// Realised by the witness; 0 iff the geometries touch, as far as rounding can tell
    /// ([`ClosestPoints`](crate::shape::ClosestPoints)); infinite where `lower` is `max_d`, and
    /// else above it by rounding at most. With a budget and a finite `max_d` it is infinite where
    /// nothing nearer than that was found.
    pub upper: f64,
    /// Where; none where `upper` is infinite.
    pub witness: Option<Witness>,
    /// Why the search ended.
    pub status: Status,
    /// What it took.
    pub stats: Stats,
}

impl Distance {
    /// Whether they touch or overlap, or `None` if the search ended before that was decided.
    pub fn colliding(&self) -> Option<bool> {
        self.status.colliding(self.lower, self.upper)
    }
}

/// Pairs that are as near as the nearest, up to this part of the distance, are not looked at again:
/// the neighbours of the nearest triangles, which share its closest vertex or edge (up to 36 pairs,
/// 200 ns each).
const TIE: f64 = 1e-12;

/// The running state of a distance query; `O` is the order of its traversals.
pub struct DistanceGoal<O = BestFirst> {
    request: DistanceRequest,
    upper: f64,
    /// At least the distance; not above `upper`, but perhaps of a pair that is still to be looked
    /// at.
    promised: f64,
    /// At most the distance of every pair of shapes that was looked at.
    seen_lower: f64,
    /// At most the distance of everything that was not looked at because the search stopped early.
    unseen_lower: f64,
    /// At most the distance of all that is being met; see [`Composite::inherit`].
    inherited: f64,
    witness: Option<Witness>,
    /// All lower bounds may be off by as much.
    looseness: f64,
    /// Whether it stayed open of some pair of shapes whether they touch.
    open: bool,
    /// The budget, and whether it ended a traversal.
    max_steps: u64,
    exhausted: bool,
    stats: Stats,
    order: PhantomData<O>,
}

impl<O> DistanceGoal<O> {
    /// A goal that has found nothing yet.
    #[inline]
    pub fn new(request: &DistanceRequest) -> Self {
        Self {
            request: *request,
            upper: f64::INFINITY,
            promised: f64::INFINITY,
            seen_lower: f64::INFINITY,
            unseen_lower: f64::INFINITY,
            inherited: 0.0,
            witness: None,
            looseness: 0.0,
            open: false,
            max_steps: max_steps(request.max_steps),
            exhausted: false,
            stats: Stats::default(),
            order: PhantomData,
        }
    }

    /// The smallest distance found so far.
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// What to ask about two parts whose distance counts `offset` less than it is and may be off by
    /// `rounding`, so that no more is found than matters.
    pub(crate) fn request_of_parts(&self, offset: f64, rounding: f64) -> DistanceRequest
    where
        O: Order,
    {
        // Rounded away from where a pair would be lost, or the search for it end, on the wrong side
        // of a bound.
        let max_d = (self.limit() + (offset + rounding)).next_up();
        // What is left of the budget.
        let left = |max_steps: usize| max_steps.saturating_sub(self.stats.steps() as usize);
        let max_steps = self.request.max_steps.map(left);
        if offset == 0.0 {
            return DistanceRequest { max_d, min_d: self.request.min_d.min(max_d), max_steps, ..self.request };
        }
        let min_d = (self.request.min_d + offset).next_down().min(max_d);
        // A part of a distance less an offset is smaller than that of the whole distance: exact is
        // always right.
        DistanceRequest { min_d, max_d, rel_err: 0.0, max_steps, ..self.request }
    }

    /// Takes in what was found of two such parts.
    pub(crate) fn offer_parts(
        &mut self,
        found: &Distance,
        (offset, rounding): (f64, f64),
        witness: Witness,
    ) -> ControlFlow<()> {
        self.open |= found.status == Status::Inexact && found.lower <= 0.0;
        self.exhausted |= found.status == Status::Budget;
        let lower = (found.lower - (offset + rounding)).next_down().max(self.inherited);
        self.offer(lower, (found.upper - offset).max(0.0), witness)
    }

    #[inline(always)]
    fn offer(&mut self, lower: f64, upper: f64, witness: Witness) -> ControlFlow<()> {
        self.seen_lower = self.seen_lower.min(lower);
        if upper < self.upper {
            self.upper = upper;
            self.promised = self.promised.min(upper);
            self.witness = Some(witness);
        }
        if self.upper <= self.request.min_d { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The distance below which another pair would matter, given the request's tolerance. A promise
    /// counts as found.
    fn threshold(&self) -> f64 {
        let upper = self.promised;
        let allowed = self.request.abs_err.max(self.request.rel_err * upper);
        let improving = if allowed > 0.0 && upper < f64::INFINITY { (upper - allowed).max(0.0) } else { upper };
        improving.min(self.request.max_d)
    }

    /// The answer.
    #[inline]
    pub fn finish(self) -> Distance {
        self.finish_with(|| 0.0)
    }

    /// The answer for geometries of which the smaller one has this size, the radius of a sphere
    /// around it: rounding may cost a part of that, and the distance still is
    /// [exact](Status::Exact).
    #[inline]
    pub fn finish_with(self, size: impl FnOnce() -> f64) -> Distance {
        let request = &self.request;
        let answer = |lower: f64, status| Distance {
            lower,
            upper: self.upper,
            witness: self.witness,
            status,
            stats: self.stats,
        };
        let met = (self.seen_lower.min(self.unseen_lower) - self.looseness).max(0.0);
        // A pair that was found may be beyond `max_d` by its rounding alone, and is not certainly
        // so.
        if self.witness.is_none() {
            let beyond = if self.exhausted { met.min(request.max_d) } else { request.max_d };
            let status = if beyond < request.max_d { Status::Budget } else { Status::BeyondMax };
            return Distance { upper: f64::INFINITY, witness: None, ..answer(beyond, status) };
        }
        if self.upper == 0.0 {
            return answer(0.0, Status::Exact);
        }
        let threshold = self.threshold();
        let lower = threshold.min(met).min(self.upper);
        let allowed = request.abs_err.max(request.rel_err * self.upper);
        if self.upper <= request.min_d {
            answer(lower, Status::BelowMin)
        } else if allowed > 0.0 && threshold <= met {
            // Nothing but the tolerance keeps the lower bound from being higher.
            answer(lower, Status::Tolerance)
        } else {
            let status = Status::of_interval(lower, self.upper, allowed, size).of_contact(self.open);
            answer(lower, status.of_budget(self.exhausted))
        }
    }
}

impl<O: Order> Goal for DistanceGoal<O> {
    type Order = O;
    const OVERLAP_ONLY: bool = false;

    #[inline]
    fn limit(&self) -> f64 {
        // Below the smallest positive number nothing is left to find but contact itself.
        self.threshold().max(f64::MIN_POSITIVE) + self.looseness
    }

    #[inline]
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }

    #[inline]
    fn meet<A: Proximity<B>, B>(&mut self, pair: LeafPair, a: &A, b: &B) -> ControlFlow<()> {
        self.stats.leaf_tests += 1;
        // Until a promise is kept, the pair behind it must not be passed over.
        let limit = if self.keeps_promise() { self.limit() } else { self.promised.next_up() };
        if let Some(witness) = &self.witness {
            let gap = a.gap_along(b, witness.point_b - witness.point_a) - pair.rounding;
            if gap >= limit * (1.0 - TIE) {
                self.seen_lower = self.seen_lower.min(gap);
                return ControlFlow::Continue(());
            }
        }
        let Some(found) = a.closest_below(b, limit + pair.rounding) else { return ControlFlow::Continue(()) };
        let touching = found.upper == 0.0;
        self.open |= found.lower < 0.0;
        let lower = if touching { 0.0 } else { (found.lower - pair.rounding).max(0.0) };
        let upper = if touching { 0.0 } else { found.upper + pair.rounding };
        // Coordinate by coordinate: as a whole they would be copied through memory, time and again.
        let by_parts = |point: DVec3| DVec3::new(point.x, point.y, point.z);
        let (point_a, point_b) = (by_parts(found.point_a), by_parts(found.point_b));
        let witness = Witness { point_a, point_b, leaves: Some((pair.a, pair.b)) };
        self.offer(lower, upper, witness)
    }

    fn contain(&mut self, point: DVec3) {
        let _ = self.offer(0.0, 0.0, Witness { point_a: point, point_b: point, leaves: None });
    }

    fn overlaps(&self) -> bool {
        self.upper == 0.0
    }

    fn stopped(&mut self, floor: f64) {
        self.unseen_lower = self.unseen_lower.min(floor.max(self.inherited));
    }

    #[inline(always)]
    fn is_spent(&self) -> bool {
        // The dive to the first pair goes on, so that there are witness points.
        self.stats.steps() >= self.max_steps && self.promised.min(self.request.max_d) < f64::INFINITY
    }

    fn exhausted(&mut self, floor: f64) {
        self.exhausted = true;
        self.stopped(floor);
    }

    fn is_exhausted(&self) -> bool {
        self.exhausted
    }

    fn remembered(&self) -> Option<(u32, u32)> {
        self.witness.and_then(|witness| witness.leaves)
    }
}

impl<O: Order> Defer for DistanceGoal<O> {
    const DEFERS: bool = true;

    fn promise(&mut self, upper: f64) {
        self.promised = self.promised.min(upper);
    }

    #[inline]
    fn worth_promising(&self) -> f64 {
        self.limit().max(self.promised.min(self.request.max_d))
    }

    fn keeps_promise(&self) -> bool {
        self.upper <= self.promised
    }
}

impl<O: Order> Composite for DistanceGoal<O> {
    type Mark = f64;

    fn mark(&mut self, _change: &Change) -> f64 {
        self.upper
    }

    fn rewrite(&mut self, mark: f64, change: &Change) {
        if self.upper < mark
            && let Some(witness) = &mut self.witness
        {
            (witness.point_a, witness.point_b) = change.point_pair(witness.point_a, witness.point_b);
            witness.leaves = witness.leaves.map(|leaves| change.leaves(leaves));
        }
    }

    fn is_done(&self) -> bool {
        self.upper <= self.request.min_d
    }

    fn inherit(&mut self, floor: f64) -> f64 {
        std::mem::replace(&mut self.inherited, floor)
    }

    fn loosen(&mut self, rounding: f64) {
        self.looseness = self.looseness.max(rounding);
    }
}
