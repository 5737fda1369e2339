//! Rays, their hits, and the goals of a ray cast.

use super::primitive::checked_point;
use crate::math::{DVec3, LARGEST_COORDINATE};
use crate::{Error, ErrorKind, Pose, Readable, Result};

/// A ray: all points `origin + t·direction` with `0 ≤ t ≤ max_t`.
///
/// The direction may have any length but zero. Components below 2⁻²⁰⁰ of the largest one count as
/// zero.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::Ray};
/// let ray = Ray::new(DVec3::ZERO, DVec3::new(0.0, 0.0, 2.0))?.up_to(1.5)?;
/// assert_eq!(ray.at(ray.max_t()), DVec3::new(0.0, 0.0, 3.0));
/// assert!(Ray::new(DVec3::ZERO, DVec3::ZERO).is_err());
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ray {
    origin: DVec3,
    direction: DVec3,
    max_t: f64,
    /// The direction times a power of two, so that its largest component is in [1/2, 1): products
    /// with coordinates then stay in the range of exact predicates.
    scaled: DVec3,
    /// That power of two.
    scale: f64,
}

/// The least size of a direction's largest component.
const LEAST_DIRECTION: f64 = 1e-100;
/// Smaller components of a direction count as zero, relative to the largest: 2⁻²⁰⁰.
const NEGLIGIBLE: f64 = 6.223015277861142e-61;

impl Ray {
    /// Creates a ray without an end; an error if a number is not finite or the direction is zero.
    pub fn new(origin: DVec3, direction: DVec3) -> Result<Self> {
        let is_checked = |point: DVec3| point.abs().max_element() <= LARGEST_COORDINATE && point.is_finite();
        if !is_checked(origin) || !is_checked(direction) {
            checked_point("origin of a ray", origin)?;
            checked_point("direction of a ray", direction)?;
        }
        let size = direction.abs().max_element();
        if size < LEAST_DIRECTION {
            let message = format!("the direction of a ray is zero or below 1e-100: {}", Readable(direction));
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        Ok(Self::along(origin, direction, f64::INFINITY))
    }

    fn along(origin: DVec3, direction: DVec3, max_t: f64) -> Self {
        let size = direction.abs().max_element();
        let kept = |x: f64| if x.abs() < size * NEGLIGIBLE { 0.0 } else { x };
        let direction = DVec3::new(kept(direction.x), kept(direction.y), kept(direction.z));
        // The exponent field of the largest component: its negation scales into [1/2, 1).
        let exponent = (size.to_bits() >> 52) & 0x7ff;
        let scale = f64::from_bits((2045 - exponent) << 52);
        Self { origin, direction, max_t, scaled: direction * scale, scale }
    }

    /// The ray as far as `origin + max_t·direction`; an error if `max_t` is negative or NaN.
    pub fn up_to(self, max_t: f64) -> Result<Self> {
        if max_t.is_nan() || max_t < 0.0 {
            let message = format!("the end of a ray is negative or not a number: {}", Readable(max_t));
            return Err(Error::new(ErrorKind::OutOfRange, message));
        }
        Ok(Self { max_t, ..self })
    }

    /// The start.
    #[inline]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// The direction, as given.
    #[inline]
    pub fn direction(&self) -> DVec3 {
        self.direction
    }

    /// The largest `t`; infinite by default.
    #[inline]
    pub fn max_t(&self) -> f64 {
        self.max_t
    }

    /// The point `origin + t·direction`, rounded.
    #[inline]
    pub fn at(&self, t: f64) -> DVec3 {
        self.origin + self.direction * t
    }

    /// The ray in another frame, rounded; `t` keeps its meaning.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        Self::along(pose.transform_point(self.origin), pose.transform_vector(self.direction), self.max_t)
    }

    /// The direction times a power of two, its largest component in [1/2, 1).
    #[inline]
    pub(crate) fn scaled(&self) -> DVec3 {
        self.scaled
    }

    /// The power of two of [`scaled`](Self::scaled): `t` is that factor times its own parameter.
    #[inline]
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }
}

/// A point in which a ray meets a surface.
///
/// Rays meet surfaces, also those of solids: a ray that starts inside of a sphere hits it where it
/// leaves.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct RayHit {
    /// Where on the ray: the point is `origin + t·direction`.
    pub t: f64,
    /// That point, rounded.
    pub point: DVec3,
    /// The surface's unit normal, on the side to which a triangle's vertices turn left, or outward.
    /// It points towards the ray's origin where the ray comes from that side.
    pub normal: DVec3,
    /// The triangle, point or cell that is hit; 0 for a geometry of one shape.
    pub leaf: u32,
    /// The part of an assembly that is hit; 0 for other geometries.
    pub part: u32,
}

impl RayHit {
    /// A hit of a geometry's leaf.
    pub fn new(ray: &Ray, t: f64, normal: DVec3, leaf: u32) -> Self {
        Self { t, point: ray.at(t), normal, leaf, part: 0 }
    }

    /// Whether this is the earlier hit; of two at one place, that of the smaller number.
    fn is_before(&self, other: &Self) -> bool {
        let key = |hit: &Self| (hit.part, hit.leaf);
        self.t < other.t || (self.t == other.t && key(self) < key(other))
    }
}

/// The hits that a ray cast looks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    First,
    Any,
    All,
}

/// What a ray cast looks for, and what it found: the first hit, any hit, or all of them.
///
/// A geometry [offers](RayGoal::offer) the hits that it finds. It may leave out those beyond
/// [`max_t`](RayGoal::max_t), which shrinks, and stop when the goal [is done](RayGoal::is_done).
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Ray, RayGoal, RayHit}};
/// let ray = Ray::new(DVec3::ZERO, DVec3::X)?;
/// let mut goal = RayGoal::first(&ray);
/// for t in [3.0, 2.0, 4.0] {
///     goal.offer(RayHit::new(&ray, t, DVec3::NEG_X, 0));
/// }
/// assert_eq!(goal.into_first().unwrap().point, DVec3::X * 2.0);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RayGoal {
    wanted: Wanted,
    max_t: f64,
    first: Option<RayHit>,
    all: Vec<RayHit>,
    part: Option<u32>,
}

impl RayGoal {
    fn new(ray: &Ray, wanted: Wanted) -> Self {
        Self { wanted, max_t: ray.max_t(), first: None, all: Vec::new(), part: None }
    }

    /// Looks for the first hit; of several at one place, that of the smallest number.
    pub fn first(ray: &Ray) -> Self {
        Self::new(ray, Wanted::First)
    }

    /// Looks for any hit, to know whether something is in the way.
    pub fn any(ray: &Ray) -> Self {
        Self::new(ray, Wanted::Any)
    }

    /// Looks for all hits.
    pub fn all(ray: &Ray) -> Self {
        Self::new(ray, Wanted::All)
    }

    /// Hits beyond this `t` do not count.
    #[inline]
    pub fn max_t(&self) -> f64 {
        self.max_t
    }

    /// Whether no further hit matters.
    #[inline]
    pub fn is_done(&self) -> bool {
        self.wanted == Wanted::Any && self.first.is_some()
    }

    /// Takes a hit, if it counts.
    pub fn offer(&mut self, mut hit: RayHit) {
        if !(hit.t >= 0.0 && hit.t <= self.max_t && hit.t.is_finite()) {
            return;
        }
        if let Some(part) = self.part {
            hit.part = part;
        }
        if self.wanted == Wanted::All {
            self.all.push(hit);
        } else if self.first.is_none_or(|first| hit.is_before(&first)) {
            self.max_t = hit.t;
            self.first = Some(hit);
        }
    }

    /// Casts at a part of an assembly: runs `cast` with a goal whose hits get the part's number.
    /// Their points and normals are mapped by `pose`. Parts of parts count as the outermost one.
    pub(crate) fn in_part<R>(&mut self, part: u32, pose: &Pose, ray: &Ray, cast: impl FnOnce(&mut Self) -> R) -> R {
        let outer = self.part;
        self.part = outer.or(Some(part));
        let (before, old) = (self.all.len(), self.first);
        let result = cast(self);
        self.part = outer;
        let placed = |hit: &mut RayHit| {
            hit.point = ray.at(hit.t);
            hit.normal = pose.transform_vector(hit.normal);
        };
        self.all[before..].iter_mut().for_each(placed);
        if self.first != old {
            self.first.iter_mut().for_each(placed);
        }
        result
    }

    /// The first hit so far.
    #[inline]
    pub(crate) fn found(&self) -> Option<RayHit> {
        self.first
    }

    /// The first hit, or any, as asked.
    pub fn into_first(self) -> Option<RayHit> {
        self.first
    }

    /// All hits in the order of `t`, then of their numbers.
    pub fn into_all(mut self) -> Vec<RayHit> {
        self.all.sort_by(|a, b| a.t.total_cmp(&b.t).then((a.part, a.leaf).cmp(&(b.part, b.leaf))));
        // Trees that keep a triangle in several leaves offer it as often.
        self.all.dedup();
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_of_any_length_are_scaled_by_a_power_of_two() {
        for size in [1e-99, 0.3, 0.5, 1.0, 3.0, 1e99] {
            let ray = Ray::new(DVec3::ONE, DVec3::new(0.1, -1.0, 1e-70) * size).unwrap();
            assert_eq!(ray.scaled() / ray.scale(), ray.direction(), "{size}");
            assert!((0.5..1.0).contains(&ray.scaled().y.abs()), "{size}");
            assert_eq!(ray.direction().z, 0.0);
        }
    }

    #[test]
    fn numbers_that_make_no_ray_are_refused() {
        for (origin, direction) in [
            (DVec3::NAN, DVec3::X),
            (DVec3::ZERO, DVec3::new(1.0, f64::INFINITY, 0.0)),
            (DVec3::ZERO, DVec3::ZERO),
            (DVec3::ZERO, DVec3::X * 1e-200),
            (DVec3::X * 1e200, DVec3::X),
        ] {
            assert!(Ray::new(origin, direction).is_err(), "{origin} {direction}");
        }
        let ray = Ray::new(DVec3::ZERO, DVec3::X).unwrap();
        assert!(ray.up_to(-1.0).is_err() && ray.up_to(f64::NAN).is_err() && ray.up_to(0.0).is_ok());
    }
}
