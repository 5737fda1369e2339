//! Subdivision of triangles into pieces that are small enough for the leaf spheres of a sphere tree
//! (after Quinlan, *Efficient distance computation between non-convex objects*, 1994, who lays
//! grids of spheres of one size over each polygon).
//!
//! Each step cuts a triangle at the middle of its longest edge, and then its halves, to the same
//! depth everywhere. Slivers get pieces that are no slivers, and a piece has a number that means
//! the same after the vertices have moved. Invariant: weights of the vertices define the pieces.
//! The weights are multiples of a power of two and so exact; in exact arithmetic the pieces cover
//! the triangle.

use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::volume::smallest_sphere_center;
use crate::{Error, ErrorKind, Result, Triangle};

/// The maximum number of pieces that subdivisions may add to a mesh.
const MAX_PIECES: usize = 1 << 22;

/// The number of cuts that make that many pieces of one triangle.
const MAX_DEPTH: u8 = MAX_PIECES.ilog2() as u8;

/// An upper bound of the distance between a piece's vertex and its computed place, for coordinates
/// within [-1, 1]: three products and two sums of terms whose absolute values sum to at most 1 lose
/// less than 4 roundings per coordinate.
pub(super) const PIECE_ERROR: f64 = 32.0 * UNIT_ROUNDOFF;

/// The vertices of a piece, each by the weights of the triangle's vertices.
type Weights = [DVec3; 3];

fn piece(triangle: &Triangle, weights: &Weights) -> Triangle {
    let [a, b, c] = triangle.0;
    Triangle(weights.map(|w| a * w.x + b * w.y + c * w.z))
}

/// The 2^`depth` pieces of a triangle.
fn weights(triangle: &Triangle, depth: u8) -> Vec<Weights> {
    let mut all = Vec::with_capacity(1 << depth);
    all.push([DVec3::X, DVec3::Y, DVec3::Z]);
    for _ in 0..depth {
        all = all.into_iter().flat_map(|weights| bisect(triangle, &weights)).collect();
    }
    all
}

/// The two halves of a piece, cut through the middle of its longest edge.
fn bisect(triangle: &Triangle, weights: &Weights) -> [Weights; 2] {
    let vertices = piece(triangle, weights).0;
    let length = |i: usize| vertices[i].distance_squared(vertices[(i + 1) % 3]);
    let longest = (1..3).fold(0, |longest, i| if length(i) > length(longest) { i } else { longest });
    let [start, end, tip] = [0, 1, 2].map(|k| weights[(longest + k) % 3]);
    let middle = (start + end) * 0.5;
    [[start, middle, tip], [middle, end, tip]]
}

/// The pieces of a triangle, with vertices up to [`PIECE_ERROR`]; the triangle itself for depth 0.
pub(super) fn subdivide(triangle: Triangle, depth: u8) -> impl Iterator<Item = Triangle> {
    weights(&triangle, depth).into_iter().map(move |weights| piece(&triangle, &weights))
}

/// For each triangle (coordinates within [-1, 1]) the least depth at which every piece fits into a
/// sphere of radius `limit`; an error if that makes too many pieces.
pub(super) fn depths(triangles: impl ExactSizeIterator<Item = Triangle>, limit: f64) -> Result<Vec<u8>> {
    let mut left = MAX_PIECES;
    let depth = |triangle: Triangle| {
        let mut depth = least_depth(&triangle, limit);
        loop {
            if depth > MAX_DEPTH || 1 << depth > left {
                let message = format!("leaf spheres of this size make more than {MAX_PIECES} pieces of triangles");
                return Err(Error::new(ErrorKind::BadRequest, message));
            }
            if subdivide(triangle, depth).all(|piece| radius(&piece) <= limit) {
                left -= (1 << depth) - 1;
                return Ok(depth);
            }
            depth += 1;
        }
    };
    triangles.map(depth).collect()
}

/// A depth that is not too large, which saves the search for smaller ones: n spheres hold no longer
/// edge than n times their diameter, and no larger area than n times that of a regular triangle.
fn least_depth(triangle: &Triangle, limit: f64) -> u8 {
    let [a, b, c] = triangle.0;
    let edge = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let area = 0.5 * triangle.scaled_normal().length();
    let pieces = (edge / (2.0 * limit)).max(area / (1.3 * limit * limit));
    // Rounding may have made too many of them, but not half of them.
    (0.5 * pieces).log2().clamp(0.0, f64::from(MAX_DEPTH) + 1.0).floor() as u8
}

/// The radius of the smallest sphere around a triangle.
fn radius(triangle: &Triangle) -> f64 {
    let center = smallest_sphere_center(triangle.0.into_iter());
    triangle.0.iter().fold(0.0, |r: f64, vertex| r.max(center.distance(*vertex)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::volume::properties::{Exact, exact, minus, rational, squared_length};
    use crate::volume::samples::{Random, triangle_set};
    use num_rational::BigRational;

    /// The exact vertices of a piece.
    fn exact_piece(triangle: &Triangle, weights: &Weights) -> [Exact; 3] {
        let vertices = triangle.0.map(exact);
        weights.map(|w| {
            let w = exact(w);
            std::array::from_fn(|i| (0..3).map(|k| &w[k] * &vertices[k][i]).fold(rational(0.0), |sum, x| sum + x))
        })
    }

    /// The exact vertices of every piece of a triangle.
    pub(in crate::tree) fn exact_pieces(triangle: &Triangle, depth: u8) -> Vec<[Exact; 3]> {
        weights(triangle, depth).iter().map(|weights| exact_piece(triangle, weights)).collect()
    }

    /// Twice the area of a piece as a part of the whole.
    fn share([a, b, c]: &Weights) -> BigRational {
        let [a, b, c] = [exact(*a), exact(*b), exact(*c)];
        let (u, v) = (minus(&b, &a), minus(&c, &a));
        &u[0] * &v[1] - &u[1] * &v[0]
    }

    #[test]
    fn the_pieces_of_a_triangle_cover_it_exactly_and_are_where_they_are_computed() {
        let mut random = Random(71);
        for _ in 0..60 {
            let triangle = triangle_set(&mut random)[0];
            let depth = random.below(6) as u8;
            let weights = weights(&triangle, depth);
            // Halves of halves lie inside and do not overlap; if their areas add up, nothing is
            // missing.
            assert_eq!(weights.iter().map(share).fold(rational(0.0), |sum, x| sum + x), rational(1.0));
            for weights in &weights {
                assert!(share(weights) == rational(0.5_f64.powi(i32::from(depth))));
                assert!(weights.iter().all(|w| w.min_element() >= 0.0 && w.element_sum() == 1.0));
                let computed = piece(&triangle, weights).0.map(exact);
                for (place, vertex) in computed.iter().zip(exact_piece(&triangle, weights)) {
                    let error = squared_length(&minus(place, &vertex));
                    assert!(error <= rational(PIECE_ERROR * PIECE_ERROR / 4.0));
                    assert!(depth > 0 || error == rational(0.0));
                }
            }
        }
    }

    #[test]
    fn pieces_fit_into_spheres_of_the_wanted_size_and_slivers_get_few() {
        let mut random = Random(72);
        for _ in 0..200 {
            let triangle = triangle_set(&mut random)[0];
            let limit = random.between(0.05, 0.5);
            let depth = depths([triangle].into_iter(), limit).unwrap()[0];
            assert!(subdivide(triangle, depth).all(|piece| radius(&piece) <= limit));
            assert!(depth == 0 || !subdivide(triangle, depth - 1).all(|piece| radius(&piece) <= limit));
        }
        let sliver = Triangle([DVec3::ZERO, DVec3::X, DVec3::new(0.5, 0.001, 0.0)]);
        // A grid of eight by eight takes 64.
        assert_eq!(depths([sliver].into_iter(), 0.0626).unwrap(), [5]);
    }

    #[test]
    fn spheres_too_small_for_any_memory_are_refused() {
        let triangle = Triangle([DVec3::ZERO, DVec3::X, DVec3::Y]);
        assert_eq!(depths([triangle; 9].into_iter(), 1e-4).unwrap_err().kind(), ErrorKind::BadRequest);
    }
}
