//! Distance and overlap of two cores: the search of [`super::gjk`], and what is done where it
//! leaves the answer open.
//!
//! Cores that touch, or nearly so, have differences so short that their direction is rounding.
//! There the bounds are improved in two ways. First, the directions that faces and edges define are
//! tried, also those of the edges next to the points found: they are exact however close the shapes
//! are. Second, b is *pushed* away along the best direction n: the direction of the pushed pair's
//! distance is well conditioned, and maximises the gap plus `push·(n·n')`: a proximal step
//! (Rockafellar, "Monotone operators and the proximal point algorithm", 1976) on the gap as a
//! function of the direction. It needs no sign: the same steps find how deep two shapes overlap, up
//! to a local optimum.
//!
//! Cores count as overlapping where no direction shows a gap beyond rounding, 64 roundings of their
//! size and distance, and points of both are found that are as good as one
//! ([`counts_as_touching`]). Next to a body that is 1e8 times larger rounding is a good part of the
//! smaller one's size: there both bounds are told. Which core is the first decides what is rounded;
//! where an interval is vague the search is made the other way round too, and what both prove
//! counts.

use super::gjk::{Bounds, LocalPair, Walk};
use super::penetration::cores_surely_overlap;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::Convex;

/// Pushes after which the best direction is taken as it is.
const MAX_PUSHES: usize = 16;
/// How often the way out of an overlap is turned around.
const MAX_TURNS: usize = 4;
/// Bounds of cores that are certainly apart may differ by this part of ρ where the search came to
/// its end: one pair of cylinders in a hundred.
const LOOSE_WIDTH: f64 = 1e-11;
/// The least push, as a part of ρ: large against rounding, small against the curvature of most
/// shapes.
const LEAST_PUSH: f64 = 1e-3;

/// As a part of the distance of their centres and both reaches, how far apart bodies may be that
/// count as overlapping …
pub(crate) const TOUCHING: f64 = 1e-9;
/// … and as a part of the smaller one's size. An interval that is wider than this part of its upper
/// end and of that size is vague.
const TOUCHING_PART: f64 = 1e-6;
/// A point has no size, and touches within this part of that of both: what two bounds of 64
/// roundings each and the width between them leave open.
const TOUCHING_POINT: f64 = 256.0 * UNIT_ROUNDOFF;

/// Whether bodies that no direction shows apart count as overlapping: two of their points are so
/// near to each other. `smaller` is the size of one of them, `both` that of both and their
/// distance.
#[inline]
pub(crate) fn counts_as_touching(apart: f64, smaller: f64, both: f64) -> bool {
    let part = if smaller > 0.0 { TOUCHING_PART * smaller } else { TOUCHING_POINT * both };
    apart <= part.min(TOUCHING * both)
}

/// A certified distance of two cores and the points where it is reached.
///
/// Cores count as overlapping where they are proven to, or where no direction is found along which
/// they are apart beyond rounding and two of their points are within 1e-6 of the smaller one's
/// size, or of a point 256 roundings: then `lower` is zero or less and `upper` is zero. Those
/// without curved parts are in truth at most 256 roundings, of 2⁻⁵³ each, of the distance of their
/// centres plus both reaches apart: what two bounds of 64 each and the width between them, 1e-14,
/// leave open. Curved ones may be apart by 1e-9 of it. Where no such points are found, mostly since
/// one core is 1e8 times larger than the other, it stays open whether they touch: then `lower` is
/// zero or less, and `upper` is the distance of two points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Separation {
    /// At most the distance; where the cores overlap, minus how far b must move along `normal` to
    /// leave a, or less.
    pub lower: f64,
    /// At least the distance, or zero where the cores count as overlapping, as said above.
    pub upper: f64,
    /// On a's core; where the cores overlap, a point of both: up to rounding, or within 1e-11 of
    /// their size where curved ones merely touch, and within 1e-9 of it where they are thinner than
    /// that (of 4 in ten million pairs within 1e-7).
    pub point_a: DVec3,
    /// On b's core; where the cores overlap, the same point.
    pub point_b: DVec3,
    /// From a to b, of unit length: the direction along which `lower` was measured.
    pub normal: DVec3,
}

/// The distance of two cores, or `None` if they are certainly `limit` or more apart.
///
/// ```
/// use clearance_engine::{Pose, convex::core_distance, math::DVec3, shape::{Cuboid, Cylinder}};
/// let floor = Cuboid::from_half_extents(DVec3::new(5.0, 5.0, 0.1))?;
/// let can = Cylinder::from_half_length(0.5, 1.0)?.transformed(&Pose::from_translation(DVec3::new(1.0, 2.0, 3.1))?);
/// let parting = core_distance(&floor, &can, f64::INFINITY).unwrap();
/// assert!(parting.lower <= 2.0 && 2.0 <= parting.upper && parting.upper - parting.lower < 1e-12);
/// assert!(core_distance(&floor, &can, 1.5).is_none());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn core_distance<A: Convex, B: Convex>(a: &A, b: &B, limit: f64) -> Option<Separation> {
    let pair = LocalPair::new(a, b);
    // That of NaN and a number is the number.
    let limit = limit.min(f64::INFINITY) * pair.factor;
    let walk = pair.search(limit);
    if walk.bounds.lower >= limit {
        return None;
    }
    let found = pair.finished(&walk.bounds, walk.shared);
    let width = found.upper - found.lower.max(0.0);
    if width > TOUCHING_PART * found.upper && width > TOUCHING_PART * pair.smaller() {
        let scaled = limit / pair.factor;
        return from_both_sides(a, b, scaled, found);
    }
    Some(found)
}

/// What the search finds for b and a, and what it found for a and b, in one: the better bound of
/// each kind.
#[cold]
fn from_both_sides<A: Convex, B: Convex>(a: &A, b: &B, limit: f64, found: Separation) -> Option<Separation> {
    let pair = LocalPair::new(b, a);
    let walk = pair.search(limit * pair.factor);
    if walk.bounds.lower >= limit * pair.factor {
        return None;
    }
    let Separation { lower, upper, point_a, point_b, normal } = pair.finished(&walk.bounds, walk.shared);
    let other = Separation { lower, upper, point_a: point_b, point_b: point_a, normal: -normal };
    let farther = if other.lower > found.lower { other } else { found };
    // A gap that is proven leaves no room for points that merely count as one.
    let near = |parting: &Separation| parting.upper > 0.0 || farther.lower <= 0.0;
    let nearer = if near(&other) && other.upper < found.upper { other } else { found };
    let lower = if farther.lower > 0.0 { farther.lower.min(nearer.upper) } else { farther.lower };
    let found = Separation { lower, normal: farther.normal, ..nearer };
    // A body may be tiny, or a point, and deep inside of the other one all the same.
    if found.lower <= 0.0 && found.upper > 0.0 && cores_surely_overlap(a, b) {
        let point = found.point_a.midpoint(found.point_b);
        return Some(Separation { upper: 0.0, point_a: point, point_b: point, ..found });
    }
    Some(found)
}

/// As [`core_distance`] for cores that overlap: with the direction along which b leaves a soonest,
/// up to a local optimum.
///
/// ```
/// use clearance_engine::{Pose, convex::core_parting, math::DVec3, shape::Cuboid};
/// let (floor, crate_) = (Cuboid::from_half_extents(DVec3::new(5.0, 5.0, 0.5))?, Cuboid::from_half_extents(DVec3::ONE)?);
/// // Sunk into the floor by a quarter: up is the shortest way out.
/// let sunk = crate_.transformed(&Pose::from_translation(DVec3::new(1.0, 2.0, 1.25))?);
/// let parting = core_parting(&floor, &sunk);
/// assert!((parting.lower + 0.25).abs() < 1e-12 && parting.upper == 0.0);
/// assert!(parting.normal.distance(DVec3::Z) < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn core_parting<A: Convex, B: Convex>(a: &A, b: &B) -> Separation {
    let pair = LocalPair::new(a, b);
    let mut guess = pair.guess(f64::INFINITY);
    pair.turn(&mut guess, f64::INFINITY);
    let walk = pair.walk(guess, f64::INFINITY);
    let mut bounds = walk.bounds;
    if let Some((_, inward)) = walk.around {
        pair.certify(inward, &mut bounds);
    }
    if !pair.are_tight(&bounds) {
        pair.certify_faces(&mut bounds);
        for _ in 0..MAX_TURNS {
            pair.try_directions(pair.candidate_directions(bounds.direction), &mut bounds, f64::INFINITY);
            pair.push_apart(&mut bounds, f64::INFINITY, false);
            // Shapes that have no centre of symmetry may be shallower the opposite way.
            let known = bounds.lower;
            pair.certify(-bounds.direction, &mut bounds);
            if bounds.lower <= known {
                break;
            }
        }
        if pair.is_curved() {
            // Faces and edges are not all that a curved shape can be left by: the other way out may
            // be the shorter one.
            let mut other = Bounds { lower: f64::NEG_INFINITY, direction: -bounds.direction, ..bounds };
            pair.certify(other.direction, &mut other);
            pair.push_apart(&mut other, f64::INFINITY, false);
            bounds = if other.lower > bounds.lower { other } else { bounds };
        }
    }
    pair.finished(&bounds, walk.shared)
}

/// At most the distance of two cores: how far apart their projections on `direction` are, which
/// leads from a to b.
///
/// ```
/// use clearance_engine::{Pose, convex::core_gap_along, math::DVec3, shape::Cuboid};
/// let a = Cuboid::from_half_extents(DVec3::ONE)?;
/// let b = a.transformed(&Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?);
/// assert!((core_gap_along(&a, &b, DVec3::X) - 3.0).abs() < 1e-12);
/// // Their projections on an axis across overlap by all of their width.
/// assert!((core_gap_along(&a, &b, DVec3::Y) + 2.0).abs() < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn core_gap_along<A: Convex, B: Convex>(a: &A, b: &B, direction: DVec3) -> f64 {
    let pair = LocalPair::new(a, b);
    let mut bounds = Bounds::UNKNOWN;
    pair.certify(direction, &mut bounds);
    bounds.lower / pair.factor
}

impl<A: Convex, B: Convex> LocalPair<'_, A, B> {
    /// The best bounds that there are, or those that first show the cores to be `limit` apart.
    #[inline]
    pub(super) fn search(&self, limit: f64) -> Walk {
        let mut guess = self.guess(limit);
        self.turn(&mut guess, limit);
        let mut walk = self.walk(guess, limit);
        let bounds = &mut walk.bounds;
        if walk.around.is_none() && bounds.lower < limit && !self.are_tight(bounds) {
            self.try_directions(self.candidate_directions(bounds.direction), bounds, limit);
            self.push_apart(bounds, limit, true);
            if bounds.lower > 0.0 && !self.know_nearest() && !self.are_tight(bounds) {
                self.alternate(bounds.point_a, bounds, limit);
            }
        }
        walk
    }

    /// Whether more effort would not pay: cores that are apart gain nothing from pushes when their
    /// bounds are this close.
    fn will_do(&self, bounds: &Bounds) -> bool {
        self.are_tight(bounds) || (bounds.lower > 0.0 && bounds.upper - bounds.lower <= LOOSE_WIDTH * self.reach)
    }

    fn try_directions(&self, directions: impl Iterator<Item = DVec3>, bounds: &mut Bounds, limit: f64) {
        for direction in directions {
            self.certify(direction, bounds);
            if bounds.lower >= limit || self.are_tight(bounds) {
                return;
            }
        }
    }

    /// `locally`: the edges next to the points found are tried too.
    fn push_apart(&self, bounds: &mut Bounds, limit: f64, locally: bool) {
        for _ in 0..MAX_PUSHES {
            if locally {
                self.try_directions(self.local_directions(bounds.point_a, bounds.point_b), bounds, limit);
            }
            if bounds.lower >= limit || self.will_do(bounds) {
                return;
            }
            let known = (bounds.lower, bounds.upper);
            let depth = if bounds.lower.is_finite() { (-bounds.lower).max(0.0) } else { self.reach };
            let push = unit(bounds.direction) * (LEAST_PUSH * self.reach + 2.0 * depth);
            let found = self.bounds_after(push);
            self.certify(found.direction, bounds);
            if found.upper.is_finite() {
                self.offer(found.point_a, found.point_b - push, bounds);
            }
            if bounds.lower <= known.0 && bounds.upper >= known.1 {
                return;
            }
        }
    }

    /// What a search finds where b is moved.
    pub(super) fn bounds_after(&self, push: DVec3) -> Bounds {
        let start = Bounds { point_a: DVec3::ZERO, point_b: push, direction: push, ..Bounds::UNKNOWN };
        self.pushed(push).walk(start, f64::INFINITY).bounds
    }

    pub(super) fn finished(&self, bounds: &Bounds, shared: Option<(DVec3, bool)>) -> Separation {
        if bounds.lower <= 0.0 { self.not_apart(bounds, shared) } else { self.parted(bounds) }
    }

    fn parted(&self, bounds: &Bounds) -> Separation {
        let scale = 1.0 / self.factor;
        let place = |point: DVec3| self.origin() + point * scale;
        Separation {
            lower: bounds.lower * scale,
            upper: bounds.upper * scale,
            point_a: place(bounds.point_a),
            point_b: place(bounds.point_b),
            normal: unit(bounds.direction),
        }
    }

    /// The answer for cores that no direction shows apart: they overlap, or count as if they did,
    /// or that stays open.
    #[inline(never)]
    fn not_apart(&self, bounds: &Bounds, shared: Option<(DVec3, bool)>) -> Separation {
        let certain = shared.is_some_and(|(_, certain)| certain);
        let near = match shared {
            Some((point, true)) => [point; 2],
            Some((point, false)) => self.shared_near(point),
            None => self.shared_near((bounds.point_a + bounds.point_b) * 0.5),
        };
        // Each may come from a search of its own, which has its error.
        let apart = near[0].distance(near[1]) + 2.0 * self.error;
        let found = self.parted(bounds);
        if certain || counts_as_touching(apart.min(bounds.upper), self.smaller() * self.factor, self.reach) {
            let point = self.origin() + (near[0] + near[1]) * (0.5 / self.factor);
            return Separation { upper: 0.0, point_a: point, point_b: point, ..found };
        }
        let nearer = Bounds { upper: apart, point_a: near[0], point_b: near[1], ..*bounds };
        if apart < bounds.upper { self.parted(&nearer) } else { found }
    }
}

/// A direction with unit length.
pub(super) fn unit(direction: DVec3) -> DVec3 {
    (direction / direction.abs().max_element()).try_normalize().unwrap_or(DVec3::X)
}
