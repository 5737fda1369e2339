//! The variants of the k-IOS paper, to be compared with: Method I, other axes, numbers of spheres
//! that are given, and spheres that are not brought as close as they can be.
//!
//! What differs from Method II is `R` and the first guess of `h`:
//! * Method I, from an ellipsoid: `R = a²/c`, its largest radius of curvature, and `h = R − c`.
//!   Where `R` is cut short (`c → 0`), the closest sphere of radius `R` around the ellipse in the
//!   plane of `e₀` and `e` touches it not at its end but at two points:
//!   `h = √((R² − a²)(a² − c²))/a`.
//! * Method II, from the smallest sphere and the box: `h` such that the sphere passes through the
//!   circle in which the face of the box cuts S₀ (for `e₂`) or through the vertices of the box (for
//!   `e₁`).

use super::KIosFit;
use super::ellipsoid::{Ellipsoid, resized_ellipsoid, smallest_ellipsoid};
use super::fit::{Body, half_extent, largest_distance};
use crate::Triangle;
use crate::math::{DMat3, DVec3};
use crate::volume::fit::{longest_first, principal_axes, vertices};

/// The two methods of the paper, the first in both of its flavours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KIosMethod {
    /// Method I: spheres around the enclosing ellipsoid of least volume (Khachiyan's algorithm).
    /// With axes that are given rather than found, as [`ResizedEllipsoid`](Self::ResizedEllipsoid).
    SmallestEllipsoid,
    /// Method I: spheres around an ellipsoid with the proportions of the box along the axes,
    /// enlarged until it encloses.
    ResizedEllipsoid,
    /// Method II: the smallest sphere, and larger spheres from the box along the axes.
    PrincipalAxes,
}

/// Where the axes of a [`KIos`](super::KIos) come from.
#[derive(Debug, Clone, PartialEq)]
pub enum KIosAxes {
    /// The principal axes of the contents.
    Oriented,
    /// The coordinate axes, in the order of the contents' extents.
    Aligned,
    /// The direction of this set along which the contents are thinnest, and the thinnest orthogonal
    /// to it (any orthogonal one where the set has none); zero and non-finite directions are
    /// ignored.
    Fixed(Vec<DVec3>),
}

/// How many spheres a [`KIos`](super::KIos) has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KIosCount {
    /// As the proportions ask for ([`KIosFit::ratio`]).
    ByRatio,
    /// The central sphere only.
    One,
    /// The central sphere and a pair along the thinnest axis.
    Three,
    /// The central sphere and two pairs.
    Five,
}

/// How closely the larger spheres of a [`KIos`](super::KIos) are brought to the vertices; none costs anything in
/// a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KIosTightening {
    /// They stay where the ellipsoid or the box puts them.
    None,
    /// Moved along the axis by what the radius exceeds the farthest vertex: the paper's step.
    Shift,
    /// Moved along the axis as far as any sphere of that radius can be.
    Closest,
}

impl KIosFit {
    /// What another method, or other axes, measure; `body` is that of Method II.
    pub(super) fn other_body(&self, triangles: &[Triangle], body: &Body) -> Option<Body> {
        if self.method == KIosMethod::PrincipalAxes && self.axes == KIosAxes::Oriented {
            return None;
        }
        let (vertices, &Body { center, radius, .. }) = (vertices(triangles), body);
        let axes = match &self.axes {
            KIosAxes::Oriented => principal_axes(triangles),
            KIosAxes::Aligned => DMat3::IDENTITY,
            KIosAxes::Fixed(directions) => thinnest_axes(vertices.clone(), center, directions),
        };
        let smallest = self.method == KIosMethod::SmallestEllipsoid && self.axes == KIosAxes::Oriented;
        let mut body = if self.method == KIosMethod::PrincipalAxes {
            let half = [0, 1, 2].map(|i| half_extent(vertices.clone(), center, axes.col(i)));
            Body { center, radius, axes, half: DVec3::from_array(half) }
        } else {
            let found = if smallest { smallest_ellipsoid(vertices.clone(), center, radius) } else { None };
            let Ellipsoid { center, axes, semi_axes } =
                found.unwrap_or_else(|| resized_ellipsoid(vertices.clone(), &axes));
            Body { center, radius: largest_distance(vertices, center), axes, half: semi_axes }
        };
        // Given directions are in their order already, and the one that completes the frame is not
        // to be chosen.
        if !matches!(self.axes, KIosAxes::Fixed(_)) {
            (body.axes, body.half) = longest_first(&body.axes, body.half);
        }
        Some(body)
    }

    /// The number of spheres, where it is given.
    pub(super) fn given_count(&self) -> Option<u8> {
        match self.count {
            KIosCount::ByRatio => None,
            KIosCount::One => Some(1),
            KIosCount::Three => Some(3),
            KIosCount::Five => Some(5),
        }
    }

    /// The radius that Method I asks for. A flat ellipsoid gives infinity and a point 0/0, either of
    /// which `min` replaces by the largest allowed.
    pub(super) fn radius_of_curvature(&self, body: &Body) -> Option<f64> {
        let [a, _, c] = body.half.to_array();
        (self.method != KIosMethod::PrincipalAxes).then_some(a * a / c)
    }

    /// Where the centre of a larger sphere stands that is not brought as close as it can be.
    pub(super) fn loose_depth(
        &self,
        triangles: &[Triangle],
        body: &Body,
        radius: f64,
        axis: usize,
        up: DVec3,
    ) -> Option<f64> {
        let start = first_depth(body, self.method, radius, axis);
        match self.tightening {
            KIosTightening::None => Some(start),
            KIosTightening::Shift => {
                let farthest = largest_distance(vertices(triangles), body.center - up * start);
                Some(start + (radius - farthest).max(0.0))
            }
            KIosTightening::Closest => None,
        }
    }
}

/// The direction along which the points are thinnest, last; before it the thinnest orthogonal to
/// it, or any orthogonal one; first what completes the frame.
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

/// How far below the middle the centre of the sphere stands that bounds the box or ellipsoid from
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
