//! The placement of a k-IOS's spheres.
//!
//! Both methods measure half-extents `a ≥ b ≥ c` along axes `e₀, e₁, e₂` from the centre `o` of S₀,
//! choose one radius `R ≥ r₀` for all larger spheres and put their centres on `e₂` and `e₁`. The
//! sphere that bounds a body from above has its centre below: `o − h·e`. The methods differ in `R`
//! and the first guess of `h`:
//! * Method I, from an ellipsoid: `R = a²/c`, its largest radius of curvature, and `h = R − c`.
//!   Where `R` is cut short (`c → 0`), the closest sphere of radius `R` around the ellipse in the
//!   plane of `e₀` and `e` touches it not at its end but at two points:
//!   `h = √((R² − a²)(a² − c²))/a`.
//! * Method II, from the smallest sphere and the box: `R = √(r₀² − c²)/sin(angle)`, and `h` such
//!   that the sphere passes through the circle in which the face of the box cuts S₀ (for `e₂`) or
//!   through the corners of the box (for `e₁`).
//!
//! Tightening moves a centre farther away at the same radius. The farthest possible: `v` at height
//! `t` and at distance `s` from the axis asks for `(t + h)² + s² ≤ R²`, so `h` is the least of
//! `√(R² − s²) − t`. Since `R ≥ r₀`, `h = 0` is allowed by all vertices, so that the other root
//! never matters.

use super::ellipsoid::{Ellipsoid, resized_ellipsoid, smallest_ellipsoid};
use super::{KIosAxes, KIosCount, KIosFit, KIosMethod, KIosTightening, LARGEST_RADIUS, Placed};
use crate::Triangle;
use crate::math::{DMat3, DVec3};
use crate::volume::bounding_sphere::smallest_sphere_center;
use crate::volume::fit::{longest_first, principal_axes, vertices};

/// The sphere around the contents and their dimensions from its centre.
struct Body {
    center: DVec3,
    radius: f64,
    /// Orthonormal columns, the longest first.
    axes: DMat3,
    /// Half-extents along the axes, or an ellipsoid's semi-axes.
    half: DVec3,
}

/// The centres of the spheres, before they are rounded.
pub(super) fn place(triangles: &[Triangle], options: &KIosFit) -> Placed {
    let vertices = vertices(triangles);
    let body = measure(triangles, options);
    let count = sphere_count(&body, options);
    let mut placed = Placed { center: body.center, outer: [body.center; 4], count };
    if count == 1 {
        return placed;
    }
    let radius = outer_radius(&body, options, count);
    for sphere in 0..4 {
        // With one pair only, the second pair repeats it.
        let axis = if sphere < 2 || count == 3 { 2 } else { 1 };
        let up = if sphere % 2 == 0 { body.axes.col(axis) } else { -body.axes.col(axis) };
        let start = first_depth(&body, options.method, radius, axis);
        let depth = match options.tightening {
            KIosTightening::None => start,
            KIosTightening::Shift => {
                start + (radius - largest_distance(vertices.clone(), body.center - up * start)).max(0.0)
            }
            KIosTightening::Closest => vertices.clone().fold(radius, |depth, vertex| {
                let offset = vertex - body.center;
                let height = offset.dot(up);
                let aside_squared = offset.length_squared() - height * height;
                depth.min((radius * radius - aside_squared).max(0.0).sqrt() - height)
            }),
        };
        placed.outer[sphere] = body.center - up * depth.max(0.0);
    }
    placed
}

fn largest_distance(points: impl Iterator<Item = DVec3>, center: DVec3) -> f64 {
    points.fold(0.0_f64, |largest, point| largest.max(point.distance_squared(center))).sqrt()
}

fn measure(triangles: &[Triangle], options: &KIosFit) -> Body {
    let vertices = vertices(triangles);
    let center = smallest_sphere_center(vertices.clone());
    let radius = largest_distance(vertices.clone(), center);
    let axes = match &options.axes {
        KIosAxes::Oriented => principal_axes(triangles),
        KIosAxes::Aligned => DMat3::IDENTITY,
        KIosAxes::Fixed(directions) => thinnest_axes(vertices.clone(), center, directions),
    };
    let smallest = options.method == KIosMethod::SmallestEllipsoid && options.axes == KIosAxes::Oriented;
    let mut body = if options.method == KIosMethod::PrincipalAxes {
        let half = [0, 1, 2].map(|i| half_extent(vertices.clone(), center, axes.col(i)));
        Body { center, radius, axes, half: DVec3::from_array(half) }
    } else {
        let found = if smallest { smallest_ellipsoid(vertices.clone(), center, radius) } else { None };
        let Ellipsoid { center, axes, semi_axes } = found.unwrap_or_else(|| resized_ellipsoid(vertices.clone(), &axes));
        Body { center, radius: largest_distance(vertices, center), axes, half: semi_axes }
    };
    // Given directions are in their order already, and the one that completes the frame is not a
    // choice.
    if !matches!(options.axes, KIosAxes::Fixed(_)) {
        (body.axes, body.half) = longest_first(&body.axes, body.half);
    }
    body
}

fn half_extent(points: impl Iterator<Item = DVec3>, center: DVec3, axis: DVec3) -> f64 {
    points.fold(0.0_f64, |extent, point| extent.max((point - center).dot(axis).abs()))
}

/// The direction along which the points are thinnest, last. Before it the thinnest orthogonal to
/// it, or any orthogonal one. The first completes the frame.
fn thinnest_axes(points: impl Iterator<Item = DVec3> + Clone, center: DVec3, directions: &[DVec3]) -> DMat3 {
    let thinnest = |orthogonal_to: DVec3| {
        let units = directions.iter().filter_map(|direction| direction.try_normalize());
        let candidates = units.filter(|unit| unit.dot(orthogonal_to).abs() < 1e-9);
        let measured = candidates.map(|unit| (unit, half_extent(points.clone(), center, unit)));
        measured.min_by(|x, y| x.1.total_cmp(&y.1)).map(|(unit, _)| unit)
    };
    let last = thinnest(DVec3::ZERO).unwrap_or(DVec3::Z);
    let middle = thinnest(last).unwrap_or_else(|| last.any_orthonormal_vector());
    DMat3::from_cols(middle.cross(last), middle, last)
}

fn sphere_count(body: &Body, options: &KIosFit) -> u8 {
    let [_, b, c] = body.half.to_array();
    let longest = body.half.max_element();
    match options.count {
        KIosCount::One => 1,
        KIosCount::Three => 3,
        KIosCount::Five => 5,
        // Products, as b and c may be zero; at equality the fewer spheres.
        KIosCount::ByRatio if longest > options.ratio * b && longest > options.ratio * c => 5,
        KIosCount::ByRatio if longest > options.ratio * c => 3,
        KIosCount::ByRatio => 1,
    }
}

/// The common radius of the larger spheres: the method's, clamped between S₀'s and the largest
/// allowed.
fn outer_radius(body: &Body, options: &KIosFit, count: u8) -> f64 {
    let [a, b, c] = body.half.to_array();
    let seen_from = |half: f64| (body.radius * body.radius - half * half).max(0.0).sqrt() / options.angle.sin();
    let wanted = match options.method {
        KIosMethod::PrincipalAxes if count == 5 => seen_from(c).max(seen_from(b)),
        KIosMethod::PrincipalAxes => seen_from(c),
        // A flat one gives infinity and a point 0/0, either of which `min` replaces by the largest
        // allowed.
        KIosMethod::SmallestEllipsoid | KIosMethod::ResizedEllipsoid => a * a / c,
    };
    let largest = (options.largest_radius * body.radius).min(LARGEST_RADIUS);
    wanted.min(largest).max(body.radius)
}

/// The depth below the middle of the centre of the sphere that bounds the box or ellipsoid from
/// above along `axis`.
fn first_depth(body: &Body, method: KIosMethod, radius: f64, axis: usize) -> f64 {
    let [a, _, c] = body.half.to_array();
    let half = body.half[axis];
    let leg = |other_squared: f64| (radius * radius - other_squared).max(0.0).sqrt();
    let depth = match method {
        KIosMethod::PrincipalAxes if axis == 2 => leg(body.radius * body.radius - c * c) - c,
        KIosMethod::PrincipalAxes => leg(a * a + c * c) - half,
        _ if radius * half >= a * a => radius - half,
        _ => leg(a * a) * (a * a - half * half).max(0.0).sqrt() / a,
    };
    depth.max(0.0)
}
