//! The smallest enclosing sphere of spheres (Fischer and Gärtner, *The smallest enclosing ball of
//! balls: combinatorial structure and algorithms*, 2004).
//!
//! Spheres take the place of the points of [`super::bounding_sphere`], which explains the rest of
//! the method: the sphere that sticks out most joins the at most four that carry the present one,
//! and the smallest sphere around these five is the next. Welzl's recursion would not do, as
//! Fischer and Gärtner show; trying all subsets of five spheres does. A sphere that touches some
//! others from inside, centred in their affine hull, is the root of a quadratic equation
//! ([`touching`]).
//!
//! [`smallest_sphere_of_spheres_center`] returns the centre only: callers measure the radius from
//! the centre as they store it. Cost: typically 3 to 10 passes over the spheres.

use super::BoundingSphere;
use crate::math::DVec3;
use smallvec::SmallVec;

/// The spheres that carry one around them.
type Carriers = SmallVec<[BoundingSphere; 4]>;

/// The centre of the smallest enclosing sphere of spheres (zero for none).
pub(crate) fn smallest_sphere_of_spheres_center(spheres: impl Iterator<Item = BoundingSphere> + Clone) -> DVec3 {
    // As for points: the radius grows with every pivot, and the limit only guards against rounding
    // at the end.
    const MAX_PIVOTS: usize = 100;
    let Some(first) = spheres.clone().next() else { return DVec3::ZERO };
    let (mut center, mut radius) = (first.center, first.radius);
    let mut carriers = Carriers::from_slice(&[first]);
    for _ in 0..MAX_PIVOTS {
        let farther = |best: (f64, Option<BoundingSphere>), sphere: BoundingSphere| {
            let radius = radius_around(center, &sphere);
            if radius > best.0 { (radius, Some(sphere)) } else { best }
        };
        let (farthest, pivot) = spheres.clone().fold((radius, None), farther);
        let Some(pivot) = pivot.filter(|_| farthest > radius * (1.0 + 1e-14)) else { break };
        let Some(next) = carried_by(&carriers, pivot, radius) else { break };
        (center, radius, carriers) = next;
    }
    center
}

/// The distance from `center` to the farthest point of a sphere.
#[inline]
fn radius_around(center: DVec3, sphere: &BoundingSphere) -> f64 {
    center.distance(sphere.center) + sphere.radius
}

/// The smallest sphere around `carriers` and `pivot` that touches the pivot: centre, radius, and
/// the spheres that carry it. `None` where it would not be larger than `floor`.
fn carried_by(carriers: &[BoundingSphere], pivot: BoundingSphere, floor: f64) -> Option<(DVec3, f64, Carriers)> {
    let mut best: Option<(DVec3, f64, Carriers)> = None;
    for subset in 0_u32..1 << carriers.len() {
        if subset.count_ones() > 3 {
            continue;
        }
        let others: Carriers = (0..carriers.len()).filter(|i| subset >> i & 1 == 1).map(|i| carriers[i]).collect();
        for center in touching(&pivot, &others) {
            let radius =
                carriers.iter().fold(radius_around(center, &pivot), |r, sphere| r.max(radius_around(center, sphere)));
            // False also for a centre that is not finite.
            if best.as_ref().is_none_or(|b| radius < b.1) && radius.is_finite() {
                let mut on_surface = others.clone();
                on_surface.push(pivot);
                best = Some((center, radius, on_surface));
            }
        }
    }
    best.filter(|b| b.1 > floor)
}

/// The centres, in the affine hull of theirs, of the spheres that `sphere` and up to three others
/// touch from inside; not finite where there are none.
///
/// With z from the first centre to the one sought, q to another one's, radii r and s, and R sought:
/// `|z| = R − r` and `|z − q| = R − s`. The difference of the squares is linear, 2 z·q = |q|² + r²
/// − s² + 2R(s − r), so z = a + R·b, and the first equation is then quadratic in R.
fn touching(sphere: &BoundingSphere, others: &[BoundingSphere]) -> [DVec3; 2] {
    let r = sphere.radius;
    let (mut a, mut b) = (DVec3::ZERO, DVec3::ZERO);
    let offsets: SmallVec<[DVec3; 3]> = others.iter().map(|other| other.center - sphere.center).collect();
    for ((q, dual), other) in offsets.iter().zip(dual_basis(&offsets)).zip(others) {
        let s = other.radius;
        a += dual * (0.5 * (q.length_squared() + (r - s) * (r + s)));
        b += dual * (s - r);
    }
    // |b|² R² + 2 a·b R + |a|² = R² − 2 r R + r²
    let (quadratic, half_linear, constant) = (b.length_squared() - 1.0, a.dot(b) + r, a.length_squared() - r * r);
    let root = (half_linear * half_linear - quadratic * constant).max(0.0).sqrt();
    let larger = -(half_linear + root.copysign(half_linear));
    // Two forms of the roots, neither of which cancels.
    [larger / quadratic, constant / larger].map(|radius| sphere.center + a + b * radius)
}

/// Vectors in the span of up to three, each with the product 1 with its own and 0 with the others;
/// not finite where there are none.
fn dual_basis(vectors: &[DVec3]) -> [DVec3; 3] {
    match *vectors {
        [] => [DVec3::ZERO; 3],
        [q] => [q / q.length_squared(), DVec3::ZERO, DVec3::ZERO],
        [p, q] => {
            let normal = p.cross(q);
            let n = normal / normal.length_squared();
            [q.cross(n), n.cross(p), DVec3::ZERO]
        }
        [p, q, s, ..] => {
            let volume = p.dot(q.cross(s));
            [q.cross(s) / volume, s.cross(p) / volume, p.cross(q) / volume]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::bounding_sphere::smallest_sphere_center;
    use crate::volume::samples::Random;

    fn radius(center: DVec3, spheres: &[BoundingSphere]) -> f64 {
        spheres.iter().fold(0.0, |r: f64, sphere| r.max(radius_around(center, sphere)))
    }

    fn some_spheres(random: &mut Random, count: usize, largest: f64) -> Vec<BoundingSphere> {
        let flat = DVec3::new(1.0, 1.0, [0.0, 1.0, 1.0][random.below(3)]);
        (0..count)
            .map(|_| BoundingSphere { center: random.vector() * flat, radius: largest * random.unit() * random.unit() })
            .collect()
    }

    /// A centre is the best if no small step in any direction makes the sphere smaller: the largest
    /// distance is convex.
    fn improves_nowhere(center: DVec3, spheres: &[BoundingSphere], random: &mut Random) -> bool {
        let best = radius(center, spheres);
        (0..200).all(|_| {
            let step = random.direction() * random.magnitude(-7.0, -1.0);
            radius(center + step, spheres) >= best - 1e-12
        })
    }

    #[test]
    fn no_step_of_the_centre_makes_the_sphere_of_spheres_smaller() {
        let mut random = Random(5);
        for case in 0..400 {
            let count = 1 + random.below(25);
            let spheres = some_spheres(&mut random, count, [0.0, 0.1, 1.0, 3.0][case % 4]);
            let center = smallest_sphere_of_spheres_center(spheres.iter().copied());
            assert!(improves_nowhere(center, &spheres, &mut random), "{case}: {center} {spheres:?}");
        }
    }

    #[test]
    fn the_sphere_of_two_spheres_is_that_of_the_greedy_combination_and_one_that_holds_the_other_stays() {
        let mut random = Random(6);
        for _ in 0..300 {
            let spheres = some_spheres(&mut random, 2, 1.5);
            let together = spheres[0].with(&spheres[1]);
            let found = radius(smallest_sphere_of_spheres_center(spheres.iter().copied()), &spheres);
            assert!((found - together.radius).abs() < 1e-12, "{spheres:?}");
        }
        let (large, small) = (DVec3::X, DVec3::X * 1.2);
        let spheres = [(large, 0.5), (small, 0.3)].map(|(center, radius)| BoundingSphere { center, radius });
        assert_eq!(smallest_sphere_of_spheres_center(spheres.into_iter()), large);
    }

    #[test]
    fn spheres_without_radius_are_points() {
        let mut random = Random(7);
        for _ in 0..200 {
            let count = 1 + random.below(40);
            let spheres = some_spheres(&mut random, count, 0.0);
            let points = radius(smallest_sphere_center(spheres.iter().map(|sphere| sphere.center)), &spheres);
            let found = radius(smallest_sphere_of_spheres_center(spheres.iter().copied()), &spheres);
            assert!((found - points).abs() <= 1e-12, "{found} {points}");
        }
    }

    #[test]
    fn spheres_that_coincide_or_lie_on_a_line_are_enclosed_by_finite_spheres() {
        let same = [BoundingSphere { center: DVec3::ONE, radius: 0.5 }; 7];
        assert_eq!(smallest_sphere_of_spheres_center(same.into_iter()), DVec3::ONE);
        let line = [0.0, 0.25, 0.5, 1.0].map(|x| BoundingSphere { center: DVec3::X * x, radius: 0.1 });
        assert!((smallest_sphere_of_spheres_center(line.into_iter()) - DVec3::X * 0.5).length() < 1e-12);
        assert_eq!(smallest_sphere_of_spheres_center(std::iter::empty()), DVec3::ZERO);
    }
}
