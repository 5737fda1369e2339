//! Proof that a volume is inside of a closed surface: a separating plane between it and every
//! triangle, and the winding number of its centre.
//!
//! A volume that no triangle meets is inside or outside as a whole. The winding number of its
//! centre, by exact predicates, decides which. Candidates come with the walls of their fit; the
//! proof tries these first, and they settle nearly all.

use crate::Triangle;
use crate::math::DVec3;
use crate::pair::shape::winding_number;
use crate::shape::Convex;
use crate::volume::{Inner, InnerFit, Nested, Volume, Wall};

/// An upper bound of the rounding errors of a triangle's stored vertices (2⁻⁵³) and of their
/// heights above a plane (seven roundings of less than 2).
const SLACK: f64 = 1e-14;
/// The first shrink of a candidate, in stored units: rounding to `f32` moves its centre by at most
/// 1.2e-7 a coordinate.
const FIRST_SHRINK: f64 = 2.5e-7;
/// The number of shrinks, each four times the one before.
const SHRINKS: i32 = 6;

/// Returns `outer` with the candidate inside, shrunk a little until the proof succeeds; without it
/// if it never does.
pub(super) fn with_proven(outer: &Nested, candidate: &InnerFit, walls: &[Wall], triangles: &[Triangle]) -> Nested {
    let none = outer.with_inner(Inner::Nothing);
    if winding_number(candidate.center(), triangles.iter().copied()) == 0 {
        return none;
    }
    let smaller = (0..SHRINKS).map(|i| candidate.shrunk(FIRST_SHRINK * 4.0_f64.powi(i)));
    smaller
        .map_while(|inner| inner)
        .map(|inner| outer.with_inner(inner))
        .find(|nested| is_inside(nested, walls, triangles))
        .unwrap_or(none)
}

/// Whether the inner volume of `nested` is provably inside of the surface.
pub(super) fn is_inside(nested: &Nested, walls: &[Wall], triangles: &[Triangle]) -> bool {
    let Some(center) = nested.inner_center() else { return true };
    // Walls serve all triangles: compute their supports once.
    let reaches: Vec<(DVec3, f64)> =
        walls.iter().filter_map(|wall| Some((wall.normal, nested.inner_support(wall.normal)?))).collect();
    let beyond = |triangle: &Triangle, normal: DVec3, reach: f64| {
        triangle.0.iter().all(|&vertex| normal.dot(vertex) > reach + SLACK)
    };
    let directed = |triangle: &Triangle| {
        directions(triangle, nested, center)
            .any(|n| nested.inner_support(n).is_some_and(|reach| beyond(triangle, n, reach)))
    };
    // The wall of one triangle, or the next, is often that of the next triangle too.
    let mut last = 0;
    for triangle in triangles {
        let mut from_last = reaches[last..].iter().chain(&reaches[..last]);
        match from_last.position(|&(normal, reach)| beyond(triangle, normal, reach)) {
            Some(steps) => last = (last + steps) % reaches.len(),
            None if directed(triangle) => {}
            None => return false,
        }
    }
    winding_number(center, triangles.iter().copied()) != 0
}

/// Candidate separating axes between a triangle and the inner volume: the triangle's normal, the
/// direction to its point nearest to the centre (all that a sphere needs), the box's axes, and
/// cross products of these with edges.
fn directions(triangle: &Triangle, nested: &Nested, center: DVec3) -> impl Iterator<Item = DVec3> {
    let [p, q, r] = triangle.0;
    let towards = move |n: DVec3| if n.dot(p - center) < 0.0 { -n } else { n };
    let nearest = p + triangle.nearest(center - p) - center;
    let axes = nested.axes();
    let edges = [q - p, r - q, p - r];
    let across = axes.clone().into_iter().flat_map(move |axis| edges.map(|edge| axis.cross(edge)));
    let all = [triangle.scaled_normal(), nearest].into_iter().chain(axes).chain(across);
    all.filter_map(DVec3::try_normalize).map(towards)
}
