//! Enclosing ellipsoids of points, for Method I of the k-IOS paper.
//!
//! The smallest one by Khachiyan, *Rounding of polytopes in the real number model of computation*
//! (1996), with the steps of Todd and Yıldırım (2007) that also take weight away, which makes it
//! converge linearly. Weights `uᵢ` on the points define a mean `m` and covariance `S`; optimal is
//! where no point has `(p − m)ᵀS⁻¹(p − m) > 3`, those with weight having exactly 3. Cost: one pass
//! over the points per step, at most [`STEPS`].

use crate::math::{DMat3, DVec3, symmetric_eigenvectors};
use crate::volume::fit::extents;

/// The centre, orthonormal axes and semi-axes, in no particular order.
pub(super) struct Ellipsoid {
    pub(super) center: DVec3,
    pub(super) axes: DMat3,
    pub(super) semi_axes: DVec3,
}

const STEPS: usize = 200;
/// Relative excess of the worst point at which to stop; enlarging the ellipsoid makes up for the
/// rest.
const TOLERANCE: f64 = 1e-3;
/// The thinnest ellipsoid, relative to the radius: a flat set has no covariance to invert.
const THINNEST: f64 = 1e-3;

/// The ellipsoid of least volume around `points`, of which none is farther than `radius` > 0 from
/// `middle`.
pub(super) fn smallest_ellipsoid(points: impl Iterator<Item = DVec3>, middle: DVec3, radius: f64) -> Option<Ellipsoid> {
    // Far below, products of three squares would underflow, and rounding to f32 hides any shape.
    if radius <= 1e-30 {
        return None;
    }
    // Six points close to the middle give flat sets a thickness, as little as THINNEST.
    let spread = DVec3::AXES.map(|axis| axis * THINNEST);
    let points: Vec<DVec3> =
        points.map(|point| (point - middle) / radius).chain(spread).chain(spread.map(|offset| -offset)).collect();
    let mut weights = vec![1.0 / points.len() as f64; points.len()];
    for _ in 0..STEPS {
        let (mean, covariance) = moments(&points, &weights);
        let inverse = covariance.inverse();
        let distance = |i: usize| (points[i] - mean).dot(inverse * (points[i] - mean));
        let (mut far, mut near) = ((0, 0.0), (0, f64::INFINITY));
        for (i, &weight) in weights.iter().enumerate() {
            let distance = distance(i);
            if distance > far.1 {
                far = (i, distance);
            }
            if weight > 0.0 && distance < near.1 {
                near = (i, distance);
            }
        }
        if far.1 <= 3.0 * (1.0 + TOLERANCE) {
            break;
        }
        let (index, distance) = if far.1 - 3.0 > 3.0 - near.1 { far } else { near };
        // The step that maximises the determinant along the line towards (or away from) that point.
        let least = -weights[index] / (1.0 - weights[index]).max(f64::MIN_POSITIVE);
        let step = ((distance - 3.0) / (4.0 * distance.max(f64::MIN_POSITIVE))).max(least);
        for weight in &mut weights {
            *weight *= 1.0 - step;
        }
        weights[index] = (weights[index] + step).max(0.0);
    }
    let unit = enclosing(&points, &weights)?;
    Some(Ellipsoid { center: middle + unit.center * radius, axes: unit.axes, semi_axes: unit.semi_axes * radius })
}

fn moments(points: &[DVec3], weights: &[f64]) -> (DVec3, DMat3) {
    let total: f64 = weights.iter().sum();
    let mean = points.iter().zip(weights).map(|(&point, &weight)| point * weight).sum::<DVec3>() / total;
    let mut covariance = DMat3::ZERO;
    for (&point, &weight) in points.iter().zip(weights) {
        covariance += outer(point - mean) * (weight / total);
    }
    (mean, covariance)
}

/// The ellipsoid of the weighted moments, enlarged until it contains all points.
fn enclosing(points: &[DVec3], weights: &[f64]) -> Option<Ellipsoid> {
    let (mean, covariance) = moments(points, weights);
    let inverse = covariance.inverse();
    let largest = points.iter().fold(0.0_f64, |r, &point| r.max((point - mean).dot(inverse * (point - mean))));
    let axes = symmetric_eigenvectors(covariance);
    let variance = |i: usize| axes.col(i).dot(covariance * axes.col(i)).max(0.0);
    let semi_axes = DVec3::from_array([0, 1, 2].map(|i| (variance(i) * largest).sqrt()));
    let usable = mean.is_finite() && semi_axes.is_finite() && semi_axes.min_element() > 0.0;
    usable.then_some(Ellipsoid { center: mean, axes, semi_axes })
}

/// An enclosing ellipsoid in the middle of the box along orthonormal `axes`, with its proportions.
pub(super) fn resized_ellipsoid(points: impl Iterator<Item = DVec3> + Clone, axes: &DMat3) -> Ellipsoid {
    let (low, high) = extents(points.clone(), axes);
    let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let longest = half.max_element();
    let half = half.max(DVec3::splat((THINNEST * longest).max(f64::MIN_POSITIVE)));
    let into_axes = axes.transpose();
    let relative = |point: DVec3| ((into_axes * point - middle) / half).length();
    let enlarged = if longest > 0.0 { points.fold(0.0_f64, |r, point| r.max(relative(point))) } else { 1.0 };
    Ellipsoid { center: *axes * middle, axes: *axes, semi_axes: half * enlarged }
}

/// `v·vᵀ`.
fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_ellipsoid_around_the_vertices_of_a_box_is_the_stretched_sphere() {
        let vertices = (0..8).map(|i| {
            let sign = |bit: i32| f64::from(i >> bit & 1) * 2.0 - 1.0;
            DVec3::new(4.0 * sign(0), 2.0 * sign(1), sign(2)) + DVec3::new(7.0, 0.0, 1.0)
        });
        let ellipsoid = smallest_ellipsoid(vertices, DVec3::new(6.5, 0.2, 1.0), 5.0).unwrap();
        assert!(ellipsoid.center.distance(DVec3::new(7.0, 0.0, 1.0)) < 0.02, "{}", ellipsoid.center);
        let mut lengths = ellipsoid.semi_axes.to_array();
        lengths.sort_by(f64::total_cmp);
        for (length, expected) in lengths.iter().zip([1.0, 2.0, 4.0]) {
            assert!((length / expected - 3.0_f64.sqrt()).abs() < 0.01, "{lengths:?}");
        }
    }

    #[test]
    fn the_smallest_ellipsoid_of_a_regular_simplex_is_its_sphere_and_beats_the_resized_box() {
        let simplex = [
            DVec3::new(1.0, 1.0, 1.0),
            DVec3::new(1.0, -1.0, -1.0),
            DVec3::new(-1.0, 1.0, -1.0),
            DVec3::new(-1.0, -1.0, 1.0),
        ];
        let volume = |ellipsoid: &Ellipsoid| ellipsoid.semi_axes.element_product();
        let smallest = smallest_ellipsoid(simplex.into_iter(), DVec3::ZERO, 2.0).unwrap();
        assert!((volume(&smallest) / 27.0_f64.sqrt() - 1.0).abs() < 0.01);
        let skew = simplex.map(|p| DVec3::new(p.x + 0.8 * p.y, p.y, p.z));
        let smallest = smallest_ellipsoid(skew.into_iter(), DVec3::ZERO, 4.0).unwrap();
        let resized = resized_ellipsoid(skew.into_iter(), &DMat3::IDENTITY);
        assert!(volume(&smallest) < 0.9 * volume(&resized));
        for point in skew {
            let offset = smallest.axes.transpose() * (point - smallest.center);
            let level = (offset / smallest.semi_axes).length_squared();
            assert!(level <= 1.0 + 1e-9, "{level}");
        }
    }
}
