//! The placement of a k-IOS's spheres.
//!
//! The paper's Method II measures half extents `a ≥ b ≥ c` along the principal axes `e₀, e₁, e₂`
//! from the centre `o` of S₀, chooses one radius `R = √(r₀² − c²)/sin(angle) ≥ r₀` for all larger
//! spheres and puts their centres on `e₂` and `e₁`. The sphere that bounds a body from above has its
//! centre below: `o − h·e`, as far away as any sphere of that radius can be. A vertex `v` at height
//! `t` and at distance `s` from the axis asks for `(t + h)² + s² ≤ R²`, so `h` is the least of
//! `√(R² − s²) − t`. Since `R ≥ r₀`, `h = 0` is allowed by all vertices, so that the other root
//! never matters.
//!
//! `lab.rs` has what else the paper tried.

use super::{KIosFit, LARGEST_RADIUS, Placed};
use crate::Triangle;
use crate::math::{DMat3, DVec3};
use crate::volume::bounding_sphere::smallest_sphere_center;
use crate::volume::fit::{longest_first, principal_axes, vertices};

/// The sphere around the contents and their dimensions from its centre.
pub(super) struct Body {
    pub center: DVec3,
    pub radius: f64,
    /// Orthonormal columns, the longest first.
    pub axes: DMat3,
    /// Half extents along the axes, or an ellipsoid's semi-axes.
    pub half: DVec3,
}

/// The centres of the spheres, before they are rounded.
pub(super) fn place(triangles: &[Triangle], options: &KIosFit) -> Placed {
    let vertices = vertices(triangles);
    let body = measure(triangles);
    #[cfg(any(test, feature = "lab"))]
    let body = options.other_body(triangles, &body).unwrap_or(body);
    let count = sphere_count(&body, options);
    #[cfg(any(test, feature = "lab"))]
    let count = options.given_count().unwrap_or(count);
    let mut placed = Placed { center: body.center, outer: [body.center; 4], count };
    if count == 1 {
        return placed;
    }
    let radius = outer_radius(&body, options, count);
    for sphere in 0..4 {
        // With one pair only, the second pair repeats it.
        let axis = if sphere < 2 || count == 3 { 2 } else { 1 };
        let up = if sphere % 2 == 0 { body.axes.col(axis) } else { -body.axes.col(axis) };
        let depth = vertices.clone().fold(radius, |depth, vertex| {
            let offset = vertex - body.center;
            let height = offset.dot(up);
            let aside_squared = offset.length_squared() - height * height;
            depth.min((radius * radius - aside_squared).max(0.0).sqrt() - height)
        });
        #[cfg(any(test, feature = "lab"))]
        let depth = options.loose_depth(triangles, &body, radius, axis, up).unwrap_or(depth);
        placed.outer[sphere] = body.center - up * depth.max(0.0);
    }
    placed
}

pub(super) fn largest_distance(points: impl Iterator<Item = DVec3>, center: DVec3) -> f64 {
    points.fold(0.0_f64, |largest, point| largest.max(point.distance_squared(center))).sqrt()
}

fn measure(triangles: &[Triangle]) -> Body {
    let vertices = vertices(triangles);
    let center = smallest_sphere_center(vertices.clone());
    let radius = largest_distance(vertices.clone(), center);
    let axes = principal_axes(triangles);
    let half = [0, 1, 2].map(|i| half_extent(vertices.clone(), center, axes.col(i)));
    let (axes, half) = longest_first(&axes, DVec3::from_array(half));
    Body { center, radius, axes, half }
}

pub(super) fn half_extent(points: impl Iterator<Item = DVec3>, center: DVec3, axis: DVec3) -> f64 {
    points.fold(0.0_f64, |extent, point| extent.max((point - center).dot(axis).abs()))
}

fn sphere_count(body: &Body, options: &KIosFit) -> u8 {
    let [_, b, c] = body.half.to_array();
    let longest = body.half.max_element();
    // Products, as b and c may be zero; at equality the fewer spheres.
    match (longest > options.ratio * b, longest > options.ratio * c) {
        (true, true) => 5,
        (_, true) => 3,
        (_, false) => 1,
    }
}

/// The common radius of the larger spheres: the method's, clamped between S₀'s and the largest
/// allowed.
fn outer_radius(body: &Body, options: &KIosFit, count: u8) -> f64 {
    let [_, b, c] = body.half.to_array();
    let seen_from = |half: f64| (body.radius * body.radius - half * half).max(0.0).sqrt() / options.angle.sin();
    let wanted = if count == 5 { seen_from(c).max(seen_from(b)) } else { seen_from(c) };
    #[cfg(any(test, feature = "lab"))]
    let wanted = options.radius_of_curvature(body).unwrap_or(wanted);
    let largest = (options.largest_radius * body.radius).min(LARGEST_RADIUS);
    wanted.min(largest).max(body.radius)
}
