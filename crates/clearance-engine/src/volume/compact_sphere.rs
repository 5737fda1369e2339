//! Compact spheres: Algorithms 1 and 2 of Steinbach, Kuffner, Asfour and Dillmann, *Efficient
//! collision and self-collision detection for humanoids based on sphere trees hierarchies*, 2006,
//! repaired.
//!
//! The sphere starts around two points and takes in one point after another. One that is outside
//! moves the centre along the line between them, to where it is as far from that point as from the
//! farthest one that was taken in before. As printed this fails: line 9 of Algorithm 2 lacks a root
//! (with n = sin θ·n̂ the shift ½·L·tan θ·n̂ is `½·L·n/√(1 − |n|²)`), points on a line take the
//! branch meant for obtuse angles, and the algorithm does not revisit points that it passed. Here
//! such points get the middle between the two, callers measure the radius over ALL points from the
//! centre as they store it, and the centre moves into the box around the points, which brings it
//! nearer to every one of them.
//!
//! The exact smallest sphere ([`super::bounding_sphere`]) is smaller, and a tree of them is built
//! in half the time: this one serves comparisons. Cost: O(n) per point that is outside, typically a
//! dozen to some dozens of them.

use crate::math::DVec3;

/// Cosines above this belong to points on a line.
const STRAIGHT: f64 = 1.0 - 1e-12;

/// The centre of a small, but not the smallest, sphere around the points; zero for none.
pub(crate) fn compact_sphere_center(points: impl Iterator<Item = DVec3> + Clone) -> DVec3 {
    let mut rest = points.clone();
    let Some(first) = rest.next() else { return DVec3::ZERO };
    let second = rest.next().unwrap_or(first);
    let mut center = (first + second) * 0.5;
    let mut radius_squared = center.distance_squared(first);
    for (taken, point) in points.clone().enumerate().skip(2) {
        if center.distance_squared(point) <= radius_squared {
            continue;
        }
        let (mut farthest, mut apart) = (first, 0.0);
        for other in points.clone().take(taken) {
            let distance_squared = other.distance_squared(point);
            if distance_squared > apart {
                (farthest, apart) = (other, distance_squared);
            }
        }
        center = moved_center(center, point, farthest);
        radius_squared = center.distance_squared(point);
    }
    let (low, high) = points.fold((first, first), |(low, high), p| (low.min(p), high.max(p)));
    center.clamp(low, high)
}

/// Algorithm 2: the centre that is as far from `point`, which is outside, as from `farthest`.
fn moved_center(center: DVec3, point: DVec3, farthest: DVec3) -> DVec3 {
    let middle = (farthest + point) * 0.5;
    let across = farthest - point;
    let (towards_center, towards_farthest) = ((center - point).normalize_or_zero(), across.normalize_or_zero());
    let cosine = towards_center.dot(towards_farthest);
    if cosine >= STRAIGHT {
        return middle;
    }
    if cosine <= 0.0 {
        return (center + point) * 0.5;
    }
    // Of length sin θ, and on the centre's side of the line between the two points by its making.
    let sideways = towards_center - towards_farthest * cosine;
    middle + sideways * (0.5 * across.length() / cosine)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::bounding_sphere::smallest_sphere_center;
    use crate::volume::samples::Random;

    fn radius(center: DVec3, points: &[DVec3]) -> f64 {
        points.iter().fold(0.0, |r: f64, p| r.max(center.distance(*p)))
    }

    #[test]
    fn points_on_a_line_get_the_sphere_around_its_ends() {
        let points = [-1.0, 1.0, 2.0].map(|x| DVec3::X * x);
        assert!((compact_sphere_center(points.into_iter()) - DVec3::X * 0.5).length() < 1e-12);
    }

    #[test]
    fn a_point_that_comes_in_is_as_far_from_the_centre_as_the_farthest() {
        let mut random = Random(1);
        let mut moved = 0;
        for _ in 0..1000 {
            let (center, point, farthest) = (random.vector(), random.vector(), random.vector());
            let next = moved_center(center, point, farthest);
            if (center - point).dot(farthest - point) > 0.0 {
                moved += 1;
                assert!((next.distance(point) - next.distance(farthest)).abs() < 1e-9 * next.length().max(1.0));
                let off_line = (next - point).cross(center - point).length();
                assert!(off_line < 1e-9 * next.distance(point).max(1.0), "{off_line}");
            }
        }
        assert!(moved > 400, "{moved}");
    }

    #[test]
    fn compact_spheres_of_clouds_are_little_larger_than_the_smallest_and_never_smaller() {
        let mut random = Random(2);
        let mut sum = 0.0;
        for _ in 0..300 {
            let points: Vec<DVec3> = (0..30).map(|_| random.vector()).collect();
            let compact = radius(compact_sphere_center(points.iter().copied()), &points);
            let smallest = radius(smallest_sphere_center(points.iter().copied()), &points);
            assert!(compact >= smallest * (1.0 - 1e-12) && compact < 1.4 * smallest, "{compact} {smallest}");
            sum += compact / smallest;
        }
        assert!(sum / 300.0 < 1.06, "{}", sum / 300.0);
    }

    #[test]
    fn the_centre_never_leaves_the_box_around_the_points_nor_the_numbers() {
        let mut random = Random(3);
        for case in 0..500 {
            let flat = DVec3::new(1.0, [1.0, 1e-9, 0.0][case % 3], [1.0, 0.0][case % 2]);
            let points: Vec<DVec3> = (0..1 + case % 9).map(|_| random.vector().round() * flat).collect();
            let center = compact_sphere_center(points.iter().copied());
            assert!(center.abs().max_element() <= 1.0, "{center} {points:?}");
        }
        assert_eq!(compact_sphere_center(std::iter::empty()), DVec3::ZERO);
    }
}
