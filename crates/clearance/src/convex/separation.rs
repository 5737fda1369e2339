//! Distance and overlap of two cores: the search of [`super::gjk`], and what is done where it leaves the answer open.
//!
//! Cores that touch, or nearly so, have differences so short that their direction is rounding. There the bounds are improved in
//! two ways. First, the directions that faces and edges define are tried, also those of the edges next to the points found: they are
//! exact however close the shapes are. Second, b is *pushed* away along the best direction n: the direction of the pushed pair's
//! distance is well conditioned, and maximises the gap plus `push·(n·n')`: a proximal step (Rockafellar, "Monotone operators and the
//! proximal point algorithm", 1976) on the gap as a function of the direction. It needs no sign: the same steps find how deep two
//! shapes overlap, up to a local optimum.
//!
//! Cores count as overlapping where no direction shows a gap beyond rounding: 64 roundings of their size and distance.

use super::gjk::{Bounds, LocalPair, Walk};
use crate::math::DVec3;
use crate::shape::Convex;

/// Pushes after which the best direction is taken as it is.
const MOST_PUSHES: usize = 16;
/// How often the way out of an overlap is turned around.
const MOST_TURNS: usize = 4;
/// Bounds of cores that are certainly apart may differ by this part of ρ where the search came to its end: one pair of cylinders in
/// a hundred.
const LOOSE_WIDTH: f64 = 1e-11;
/// The least push, as a part of ρ: large against rounding, small against the curvature of most shapes.
const LEAST_PUSH: f64 = 1e-3;

/// A certified distance of two cores and the points where it is reached.
///
/// Cores count as overlapping where no direction is found along which they are apart beyond rounding, proven to overlap or not: then `lower` is zero or
/// less and `upper` is zero. Those without curved parts are in truth at most 256 roundings, of 2⁻⁵³ each, of the distance of their centres plus both reaches
/// apart: what two bounds of 64 each and the width between them, 1e-14, leave open. Of curved ones tests found up to 1e-9 of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parting {
    /// At most the distance; where the cores overlap, minus how far b must move along `normal` to leave a, or less.
    pub lower: f64,
    /// At least the distance; zero, as said above, if and only if `lower` is zero or less.
    pub upper: f64,
    /// On a's core; where the cores overlap, a point of both: up to rounding, or within 1e-11 of their size where curved ones merely touch, and
    /// within 1e-9 of it where they are thinner than that (of 4 in ten million pairs within 1e-7).
    pub point_a: DVec3,
    /// On b's core; where the cores overlap, the same point.
    pub point_b: DVec3,
    /// From a to b, of unit length: the direction along which `lower` was measured.
    pub normal: DVec3,
}

/// The distance of two cores, or `None` if they are certainly `limit` or more apart.
///
/// ```
/// use clearance::{Pose, convex::core_distance, math::DVec3, shape::{Cuboid, Cylinder}};
/// let floor = Cuboid::new(DVec3::new(5.0, 5.0, 0.1))?;
/// let can = Cylinder::new(0.5, 1.0)?.transformed(&Pose::from_translation(DVec3::new(1.0, 2.0, 3.1))?);
/// let parting = core_distance(&floor, &can, f64::INFINITY).unwrap();
/// assert!(parting.lower <= 2.0 && 2.0 <= parting.upper && parting.upper - parting.lower < 1e-12);
/// assert!(core_distance(&floor, &can, 1.5).is_none());
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn core_distance<A: Convex, B: Convex>(a: &A, b: &B, limit: f64) -> Option<Parting> {
    let pair = LocalPair::new(a, b);
    // That of NaN and a number is the number.
    let limit = limit.min(f64::INFINITY) * pair.factor;
    let walk = pair.search(limit);
    (walk.bounds.lower < limit).then(|| pair.finished(&walk.bounds, walk.shared))
}

/// As [`core_distance`] for cores that overlap: with the direction along which b leaves a soonest, up to a local optimum.
///
/// ```
/// use clearance::{Pose, convex::core_parting, math::DVec3, shape::Cuboid};
/// let (floor, crate_) = (Cuboid::new(DVec3::new(5.0, 5.0, 0.5))?, Cuboid::new(DVec3::ONE)?);
/// // Sunk into the floor by a quarter: up is the shortest way out.
/// let sunk = crate_.transformed(&Pose::from_translation(DVec3::new(1.0, 2.0, 1.25))?);
/// let parting = core_parting(&floor, &sunk);
/// assert!((parting.lower + 0.25).abs() < 1e-12 && parting.upper == 0.0);
/// assert!(parting.normal.distance(DVec3::Z) < 1e-12);
/// # Ok::<(), clearance::Error>(())
/// ```
pub fn core_parting<A: Convex, B: Convex>(a: &A, b: &B) -> Parting {
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
        for _ in 0..MOST_TURNS {
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
            // Faces and edges are not all that a curved shape can be left by: the other way out may be the shorter one.
            let mut other = Bounds { lower: f64::NEG_INFINITY, direction: -bounds.direction, ..bounds };
            pair.certify(other.direction, &mut other);
            pair.push_apart(&mut other, f64::INFINITY, false);
            bounds = if other.lower > bounds.lower { other } else { bounds };
        }
    }
    pair.finished(&bounds, walk.shared)
}

/// At most the distance of two cores: how far apart their projections on `direction` are, which leads from a to b.
///
/// ```
/// use clearance::{Pose, convex::core_gap_along, math::DVec3, shape::Cuboid};
/// let a = Cuboid::new(DVec3::ONE)?;
/// let b = a.transformed(&Pose::from_translation(DVec3::new(5.0, 0.0, 0.0))?);
/// assert!((core_gap_along(&a, &b, DVec3::X) - 3.0).abs() < 1e-12);
/// // Their projections on an axis across overlap by all of their width.
/// assert!((core_gap_along(&a, &b, DVec3::Y) + 2.0).abs() < 1e-12);
/// # Ok::<(), clearance::Error>(())
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

    /// Whether more effort would not pay: cores that are apart gain nothing from pushes when their bounds are this close.
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
        for _ in 0..MOST_PUSHES {
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

    pub(super) fn finished(&self, bounds: &Bounds, shared: Option<(DVec3, bool)>) -> Parting {
        let scale = 1.0 / self.factor;
        let place = |point: DVec3| self.origin() + point * scale;
        let normal = unit(bounds.direction);
        if bounds.lower <= 0.0 {
            let point = place(match shared {
                Some((point, true)) => point,
                Some((point, false)) => self.shared_near(point),
                None => self.shared_near((bounds.point_a + bounds.point_b) * 0.5),
            });
            return Parting { lower: bounds.lower * scale, upper: 0.0, point_a: point, point_b: point, normal };
        }
        Parting {
            lower: bounds.lower * scale,
            upper: bounds.upper * scale,
            point_a: place(bounds.point_a),
            point_b: place(bounds.point_b),
            normal,
        }
    }
}

/// A direction with unit length.
pub(super) fn unit(direction: DVec3) -> DVec3 {
    (direction / direction.abs().max_element()).try_normalize().unwrap_or(DVec3::X)
}
