//! Helpers for fitting volumes: principal axes, axes of tight boxes, and rounding outward.
//!
//! The axes come from the exact second moments of the triangles' areas (Gottschalk, Lin and
//! Manocha, *OBBTree*, SIGGRAPH 1996), then a search turns them ([`super::tight_axes`]).

use super::tight_axes::tight_axes;
use crate::Triangle;
use crate::math::{DMat3, DVec3, Moments, UNIT_ROUNDOFF, f32_above};

/// Options for the axes of an oriented volume (OBB, RSS).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OrientedFit {
    /// Whether to search for rotations of the principal axes that shrink the box.
    ///
    /// Without the search fitting is twice as fast, and the boxes of a hierarchy have 11 to 16 %
    /// more surface (three meshes).
    pub refine: bool,
}

impl Default for OrientedFit {
    fn default() -> Self {
        Self { refine: true }
    }
}

/// An upper bound of the loss of the root of a sum of squares where these leave the normal range:
/// √(3·2⁻¹⁰²²) < 1e-150.
pub(crate) const UNDERFLOW: f64 = 1e-150;

/// Every vertex of every triangle, shared ones repeatedly.
pub(crate) fn vertices(triangles: &[Triangle]) -> impl Iterator<Item = DVec3> + Clone + '_ {
    triangles.iter().flat_map(|triangle| triangle.0)
}

/// The nearest `f32` vector.
pub(crate) fn narrow(v: DVec3) -> [f32; 3] {
    v.as_vec3().to_array()
}

/// The same vector in `f64`.
#[inline]
pub(crate) fn widen(v: [f32; 3]) -> DVec3 {
    DVec3::new(f64::from(v[0]), f64::from(v[1]), f64::from(v[2]))
}

/// `N` numbers of a stored volume, from the given one on.
pub(crate) fn restored<const N: usize>(floats: &[f32], first: usize) -> [f32; N] {
    std::array::from_fn(|i| floats[first + i])
}

/// An `f32` not below the exact value of which `computed` is an evaluation with an error of at most
/// 64 roundings relative to `size`; zero where `size` is zero, since all was exact then.
pub(crate) fn enclosing(computed: f64, size: f64) -> f32 {
    if size == 0.0 {
        return 0.0;
    }
    f32_above(computed + 128.0 * UNIT_ROUNDOFF * size + UNDERFLOW)
}

/// An `f32` not below the largest distance of the (center, vertex) offsets, of which each has one
/// rounding per coordinate.
pub(crate) fn enclosing_length(offsets: impl Iterator<Item = DVec3> + Clone) -> f32 {
    /// Squares above this have not lost anything to underflow.
    const NORMAL: f64 = 1e-290;
    let larger = |a: f64, b: f64| if b > a { b } else { a };
    let longest = offsets.clone().map(DVec3::length_squared).fold(0.0, larger);
    // No coordinate is larger than the length.
    let size = if longest > NORMAL {
        longest.sqrt()
    } else {
        offsets.map(|offset| offset.abs().max_element()).fold(0.0, larger)
    };
    enclosing(longest.sqrt(), 2.0 * size)
}

/// The error term that rounds the support of a sphere or box along `direction` up. The support is a
/// dozen products and sums of entries of the direction with a centre within 2 of the origin (that
/// of a box may lie outside of the cube [-1, 1]³) and half-extents or radii that sum to less than
/// 7. It errs by less than 64 roundings. The last term covers squares and products that left the
/// normal range.
#[inline]
pub(crate) fn support_rounding(direction: DVec3) -> f64 {
    64.0 * UNIT_ROUNDOFF * direction.abs().element_sum() + UNDERFLOW
}

/// The extents of the points along the columns of `axes`.
pub(crate) fn extents(points: impl Iterator<Item = DVec3>, axes: &DMat3) -> (DVec3, DVec3) {
    let into_axes = axes.transpose();
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), point| {
        let x = into_axes * point;
        (low.min(x), high.max(x))
    })
}

/// The axes (columns) and their lengths, longest first.
pub(crate) fn longest_first(axes: &DMat3, lengths: DVec3) -> (DMat3, DVec3) {
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| lengths[j].total_cmp(&lengths[i]));
    let [i, j, k] = order;
    (DMat3::from_cols(axes.col(i), axes.col(j), axes.col(k)), DVec3::new(lengths[i], lengths[j], lengths[k]))
}

/// Orthonormal axes, as columns, of a tight box around the triangles.
pub(crate) fn box_axes(triangles: &[Triangle], options: &OrientedFit) -> DMat3 {
    let principal = principal_axes(triangles);
    if options.refine { tight_axes(triangles, &principal) } else { principal }
}

/// The axes of largest and smallest spread of the triangles' area, as columns of a rotation,
/// largest first.
///
/// Triangles without area count by their edges, and sets of mere points by their vertices. A sample
/// estimates the axes of a large set.
pub(crate) fn principal_axes(triangles: &[Triangle]) -> DMat3 {
    const SAMPLE: usize = 128;
    let sample = || triangles.iter().step_by(triangles.len().div_ceil(SAMPLE).max(1));
    let Some(origin) = triangles.first().map(|t| t.0[0]) else { return DMat3::IDENTITY };
    let mut moments = Moments::default();
    for triangle in sample() {
        let vertices = triangle.0.map(|vertex| vertex - origin);
        moments += &Moments::about_centroid(vertices).moved((vertices[0] + vertices[1] + vertices[2]) / 3.0);
    }
    if !moments.is_positive() {
        for triangle in sample() {
            moments += &Moments::of_point(triangle.0[0] - origin);
        }
    }
    moments.principal_axes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::samples::{Random, cuboid};

    fn half_surface((low, high): (DVec3, DVec3)) -> f64 {
        let d = high - low;
        d.x * d.y + d.y * d.z + d.z * d.x
    }

    #[test]
    fn the_search_recovers_the_axes_of_a_turned_cuboid_with_uneven_triangles() {
        let mut random = Random(3);
        for _ in 0..50 {
            let rotation = random.rotation();
            let mut triangles = cuboid(DVec3::new(0.5, 0.3, 0.1), rotation, DVec3::ZERO);
            // Many more triangles on one vertex tilt the second moments only if they carry area.
            triangles.extend(std::iter::repeat_n(triangles[0], 3));
            let best = half_surface(extents(vertices(&triangles), &rotation));
            let found = half_surface(extents(vertices(&triangles), &box_axes(&triangles, &OrientedFit::default())));
            assert!(found < 1.15 * best, "{found} {best}");
        }
    }

    #[test]
    fn principal_axes_of_segments_and_of_points_follow_their_spread() {
        let direction = DVec3::new(1.0, 2.0, -2.0) / 3.0;
        let segment = [Triangle([DVec3::ZERO, direction * 0.5, direction])];
        let points = [0.0, 0.5, 1.0].map(|s| Triangle([direction * s; 3]));
        for triangles in [&segment[..], &points[..]] {
            assert!(principal_axes(triangles).x_axis.dot(direction).abs() > 1.0 - 1e-12);
        }
    }

    #[test]
    fn a_rounded_length_is_never_below_the_exact_one_also_for_tiny_offsets() {
        for size in [1e-320, 1e-200, 1e-100, 1e-30, 0.1, 1.0] {
            let offset = DVec3::new(size, 0.0, 0.0);
            assert!(f64::from(enclosing_length([offset].into_iter())) >= size);
        }
        assert_eq!(enclosing_length([DVec3::ZERO].into_iter()), 0.0);
    }
}
