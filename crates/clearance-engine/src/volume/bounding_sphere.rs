//! Bounding spheres in `f64`: the smallest enclosing sphere of points.
//!
//! The centre is that of the exact smallest enclosing sphere (Welzl, *Smallest enclosing disks
//! (balls and ellipsoids)*, 1991). The pivoting of Gärtner (*Fast and robust smallest enclosing
//! balls*, 1999) finds it: the farthest point joins the at most four that carry the sphere, and the
//! best sphere of these five is the next one. Among the circumspheres of their subsets the one with
//! the smallest largest distance wins, so that ill-conditioned ones (duplicates, collinear or
//! coplanar points) lose without any tolerance.
//!
//! [`smallest_sphere_center`] returns the centre only: callers measure the radius from the centre
//! as they store it. Cost: typically 5 to 12 passes over the points.

use crate::Pose;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use smallvec::SmallVec;

/// The rounding error of sphere arithmetic, relative to the coordinates in it: a dozen roundings
/// and as many again.
const SLACK: f64 = 32.0 * UNIT_ROUNDOFF;

/// A bounding sphere in `f64`; it contains its contents in exact arithmetic.
///
/// ```
/// use clearance_engine::{math::DVec3, volume::BoundingSphere};
/// let sphere = BoundingSphere::around(&[DVec3::ZERO, DVec3::X, DVec3::Y]);
/// assert!((sphere.radius - 0.5_f64.sqrt()).abs() < 1e-12);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingSphere {
    /// The centre.
    pub center: DVec3,
    /// The radius.
    pub radius: f64,
}

impl BoundingSphere {
    /// Computes the smallest enclosing sphere of points, rounded up; the origin for none.
    pub fn around(points: &[DVec3]) -> Self {
        let center = smallest_sphere_center(points.iter().copied());
        let radius = points.iter().fold(0.0_f64, |radius, point| radius.max(center.distance(*point)));
        Self::rounded_up(center, radius)
    }

    /// The sphere of a computed radius plus its rounding error.
    #[inline]
    fn rounded_up(center: DVec3, radius: f64) -> Self {
        Self { center, radius: radius + SLACK * (radius + center.abs().element_sum()) }
    }

    /// The sphere after a rigid motion.
    #[inline]
    pub fn moved(&self, pose: &Pose) -> Self {
        self.moved_to(pose.transform_point(self.center))
    }

    /// The sphere after a rigid motion that takes its centre to `center`.
    #[inline]
    pub(crate) fn moved_to(&self, center: DVec3) -> Self {
        let size = self.center.abs().element_sum() + center.abs().element_sum();
        Self { center, radius: self.radius + SLACK * (self.radius + size) }
    }

    /// The smallest sphere around this one and another.
    #[inline]
    pub fn with(&self, other: &Self) -> Self {
        let between = other.center - self.center;
        let distance = between.length();
        if distance + other.radius <= self.radius {
            return *self;
        }
        if distance + self.radius <= other.radius {
            return *other;
        }
        let radius = 0.5 * (distance + self.radius + other.radius);
        Self::rounded_up(self.center + between * ((radius - self.radius) / distance), radius)
    }

    /// Whether the contents of two spheres are provably farther apart than `distance`.
    #[inline]
    pub(crate) fn is_apart(&self, other: &Self, distance: f64) -> bool {
        let size = self.center.abs().element_sum() + other.center.abs().element_sum() + self.radius + other.radius;
        let threshold = self.radius + other.radius + distance + SLACK * size;
        // The last term covers squares that are rounded to multiples of the smallest number.
        self.center.distance_squared(other.center) > threshold * threshold + f64::MIN_POSITIVE
    }

    /// A lower bound of the distance between the contents of two spheres; negative where the
    /// spheres overlap.
    #[inline]
    pub fn gap(&self, other: &Self) -> f64 {
        let size = self.center.abs().element_sum() + other.center.abs().element_sum() + self.radius + other.radius;
        self.center.distance(other.center) - self.radius - other.radius - SLACK * size
    }
}

/// The centre of the smallest enclosing sphere of points (zero for none).
pub(crate) fn smallest_sphere_center(points: impl Iterator<Item = DVec3> + Clone) -> DVec3 {
    // The radius grows with every pivot, so no carrier set returns; the limit only guards against
    // rounding at the end.
    const MAX_PIVOTS: usize = 100;
    let Some(mut center) = points.clone().next() else { return DVec3::ZERO };
    let mut carriers: SmallVec<[DVec3; 4]> = SmallVec::new();
    let mut radius_squared = 0.0;
    for _ in 0..MAX_PIVOTS {
        let (mut farthest, mut pivot) = (radius_squared, None);
        for point in points.clone() {
            let distance_squared = center.distance_squared(point);
            if distance_squared > farthest {
                (farthest, pivot) = (distance_squared, Some(point));
            }
        }
        let Some(pivot) = pivot.filter(|_| farthest > radius_squared * (1.0 + 1e-14)) else { break };
        let Some(next) = carried_by(&carriers, pivot, radius_squared) else { break };
        (center, radius_squared, carriers) = next;
    }
    center
}

/// The smallest sphere around `carriers` and `pivot` that has the pivot on its surface: centre,
/// squared radius, and the points that carry it. `None` where it would not be larger than `floor`.
fn carried_by(carriers: &[DVec3], pivot: DVec3, floor: f64) -> Option<(DVec3, f64, SmallVec<[DVec3; 4]>)> {
    let mut best: Option<(DVec3, f64, SmallVec<[DVec3; 4]>)> = None;
    for subset in 0_u32..1 << carriers.len() {
        if subset.count_ones() > 3 {
            continue;
        }
        let others: SmallVec<[DVec3; 4]> =
            (0..carriers.len()).filter(|i| subset >> i & 1 == 1).map(|i| carriers[i]).collect();
        let center = pivot + circumcenter_offset(pivot, &others);
        let radius_squared =
            carriers.iter().fold(center.distance_squared(pivot), |r, c| r.max(center.distance_squared(*c)));
        // False also for a centre that is not finite.
        if best.as_ref().is_none_or(|b| radius_squared < b.1) && radius_squared.is_finite() {
            let mut on_surface = others;
            on_surface.push(pivot);
            best = Some((center, radius_squared, on_surface));
        }
    }
    // The first sphere has the pivot alone, with no radius.
    best.filter(|b| b.1 > floor || carriers.is_empty())
}

/// The vector from `p` to the centre of the smallest sphere through `p` and up to three others; not
/// finite where there is none.
fn circumcenter_offset(p: DVec3, others: &[DVec3]) -> DVec3 {
    match *others {
        [] => DVec3::ZERO,
        [a] => (a - p) * 0.5,
        [a, b] => {
            let (a, b) = (a - p, b - p);
            let normal = a.cross(b);
            (b * a.length_squared() - a * b.length_squared()).cross(normal) / (2.0 * normal.length_squared())
        }
        [a, b, c, ..] => {
            let (a, b, c) = (a - p, b - p, c - p);
            let sum =
                b.cross(c) * a.length_squared() + c.cross(a) * b.length_squared() + a.cross(b) * c.length_squared();
            sum / (2.0 * a.dot(b.cross(c)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::Random;

    #[test]
    fn spheres_are_apart_only_where_they_are_at_any_scale() {
        let mut random = Random(11);
        for case in 0..2000 {
            let scale = [1.0, 1e-6, 1e6, 1e-100, 1e95, 1e-155, 1e-163][case % 7];
            // Along an axis all of this is exact but for the last digits.
            let axis = DVec3::AXES[case % 3];
            let [x, r, gap, s] = [0; 4].map(|_| random.unit() * scale);
            let (a, b) = (
                BoundingSphere { center: axis * x, radius: r },
                BoundingSphere { center: axis * (x + r + gap + s), radius: s },
            );
            assert!(!a.is_apart(&b, gap * (1.0 + 1e-14)), "case {case}: {a:?} {b:?} {gap:e}");
            assert!(!b.is_apart(&a, gap + scale), "case {case}");
            // Not where squares leave the range of numbers.
            assert!(a.is_apart(&b, 0.99 * gap - 1e-9 * scale) || scale < 1e-150, "case {case}: {a:?} {b:?} {gap:e}");
        }
    }

    /// The least radius over the spheres of all pairs, triples and quadruples, each enlarged to
    /// contain everything.
    fn brute_force_radius(points: &[DVec3]) -> f64 {
        let n = points.len();
        let mut best = f64::INFINITY;
        let mut consider = |ids: &[usize]| {
            let others: Vec<DVec3> = ids[1..].iter().map(|&i| points[i]).collect();
            let center = points[ids[0]] + circumcenter_offset(points[ids[0]], &others);
            let radius = points.iter().fold(0.0, |r: f64, p| r.max(center.distance(*p)));
            if center.is_finite() {
                best = best.min(radius);
            }
        };
        for i in 0..n {
            consider(&[i]);
            for j in 0..i {
                consider(&[i, j]);
                for k in 0..j {
                    consider(&[i, j, k]);
                    for l in 0..k {
                        consider(&[i, j, k, l]);
                    }
                }
            }
        }
        best
    }

    #[test]
    fn the_sphere_is_the_smallest_one_of_all_subsets_also_for_degenerate_sets() {
        let mut random = Random(11);
        for case in 0..400 {
            let n = 1 + case % 12;
            let flat = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X, DVec3::ZERO][case / 12 % 4];
            let grid = if case % 3 == 0 { 2.0 } else { 1e9 };
            let rotation = random.rotation();
            let points: Vec<DVec3> = (0..n)
                .map(|_| rotation * (random.vector() * grid).round() / grid * flat * 0.5 + DVec3::splat(0.2))
                .collect();
            let center = smallest_sphere_center(points.iter().copied());
            let radius = points.iter().fold(0.0, |r: f64, p| r.max(center.distance(*p)));
            let best = brute_force_radius(&points);
            assert!(radius <= best * (1.0 + 1e-9) + 1e-15, "case {case}: {radius} {best}");
        }
    }

    #[test]
    fn a_sphere_around_spheres_contains_both_and_gaps_are_not_above_distances() {
        let mut random = Random(5);
        for case in 0..2000 {
            let scale = 10.0_f64.powi(case % 13 - 6);
            let mut sphere = || BoundingSphere { center: random.vector() * scale, radius: random.unit() * scale };
            let (a, b) = (sphere(), sphere());
            let both = a.with(&b);
            for one in [a, b] {
                let radius = both.center.distance(one.center) + one.radius;
                assert!(radius <= both.radius * (1.0 + 1e-15), "{radius} {both:?}");
                assert!(both.radius <= (a.center.distance(b.center) + a.radius + b.radius) * (1.0 + 1e-12));
            }
            assert!(a.gap(&b) < a.center.distance(b.center) - a.radius - b.radius);
            assert!(a.gap(&b) > a.center.distance(b.center) - a.radius - b.radius - 1e-12 * scale);
        }
    }

    #[test]
    fn known_sets_have_their_smallest_sphere() {
        let radius = |points: &[DVec3]| {
            let center = smallest_sphere_center(points.iter().copied());
            points.iter().fold(0.0, |r: f64, p| r.max(p.distance(center)))
        };
        let cube: Vec<DVec3> =
            (0..8).map(|i| DVec3::new(f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i / 4))).collect();
        assert!((radius(&cube) - 0.75_f64.sqrt()).abs() < 1e-15);
        let line: Vec<DVec3> = [0.3, -1.0, 1.0, 2.0, 0.0].iter().map(|&x| DVec3::new(x, 2.0 * x, 0.0)).collect();
        assert!((radius(&line) - 1.5 * 5.0_f64.sqrt()).abs() < 1e-15);
        // An obtuse triangle is bounded by its longest side, an equilateral one by its
        // circumcircle.
        let obtuse = [DVec3::ZERO, DVec3::new(4.0, 0.0, 0.0), DVec3::new(1.0, 0.5, 0.0)];
        assert_eq!(radius(&obtuse), 2.0);
        let equilateral = [DVec3::X, DVec3::Y, DVec3::Z];
        assert!((radius(&equilateral) - (2.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(radius(&[DVec3::ONE; 4]), 0.0);
        assert_eq!(smallest_sphere_center(std::iter::empty()), DVec3::ZERO);
    }
}
