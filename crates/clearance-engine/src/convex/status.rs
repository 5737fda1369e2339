//! Why a search for a distance or a depth ended.

/// Intervals that are no wider than this part of their upper end are exact …
const EXACT_PART: f64 = 1e-6;
/// … and those that are no wider than this part of the smaller body's size.
const EXACT_PART_OF_SIZE: f64 = 1e-9;

/// How a [`Distance`](crate::query::Distance) or a [`Penetration`](crate::convex::Penetration) came
/// about.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, query::{DistanceRequest, Status}, shape::Sphere};
/// let mut pair = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?;
/// let (far, near) = (Pose::from_xyz(3.0, 0.0, 0.0)?, DistanceRequest { max_d: 0.5, ..DistanceRequest::default() });
/// assert_eq!(pair.distance(far).status, Status::Exact);
/// assert_eq!(pair.distance_with(far, &near)?.status, Status::BeyondMax);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// `upper` and `lower` are equal up to rounding: they differ by at most 1e-6 of `upper`, or by
    /// at most 1e-9 of the smaller body's size, the radius of a sphere around it; mostly by far
    /// less. Or the bodies touch, and both are zero.
    Exact,
    /// They are as close as the request's tolerance demands.
    Tolerance,
    /// The search stopped because the distance is known to be `min_d` or less.
    BelowMin,
    /// The distance is `max_d` or more.
    BeyondMax,
    /// The interval is certified, but wider than asked for: arithmetic, or the number of steps,
    /// ended the search. So it is for bodies whose sizes differ too much for 53 bits, also where it
    /// stays open whether these touch.
    Inexact,
    /// The interval is certified, but wider than asked for: the search used up its budget of steps.
    /// A larger budget leaves an interval that is as narrow or narrower.
    Budget,
}

impl Status {
    /// What a search that came to its end tells of an interval, of which a width of `allowed` was
    /// asked for; `size` is that of the smaller body.
    #[inline]
    pub(crate) fn of_interval(lower: f64, upper: f64, allowed: f64, size: impl FnOnce() -> f64) -> Self {
        let width = upper - lower;
        if width <= allowed && allowed > 0.0 {
            Self::Tolerance
        } else if width <= EXACT_PART * upper || width <= EXACT_PART_OF_SIZE * size() {
            Self::Exact
        } else {
            Self::Inexact
        }
    }

    /// The same where it may have stayed open whether bodies touch: that is not exact, however
    /// narrow the interval is.
    #[inline]
    pub(crate) fn of_contact(self, open: bool) -> Self {
        if open && self == Self::Exact { Self::Inexact } else { self }
    }

    /// The same where a budget of steps may have ended the search.
    #[inline]
    pub(crate) fn of_budget(self, exhausted: bool) -> Self {
        if exhausted && self == Self::Inexact { Self::Budget } else { self }
    }

    /// What a search that ended like this, with these bounds, knows about contact; `None` if it
    /// ended before that was decided.
    pub fn colliding(self, lower: f64, upper: f64) -> Option<bool> {
        if upper == 0.0 { Some(true) } else { (lower > 0.0 || self == Self::Exact).then_some(false) }
    }
}
