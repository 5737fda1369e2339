//! Patches of a surface that cannot touch themselves: where all normals are within a half-space, in
//! all of the time, and the outline, seen along that direction, turns once about its middle.
//!
//! Volino and Thalmann (1994; survey 4.2.1) skip such patches. The proof, for a patch that is a disc
//! of triangles: seen along the direction every triangle is turned the same way, so that of a point
//! off the outline's image each triangle above it counts one, and the sum is how often the outline
//! goes about the point. An outline that turns once about a centre, always forward, goes about
//! every point once or not at all. So no two triangles are above each other: the patch is a graph
//! over the plane. The outline's turns (Schvartzman, Pérez and Otaduy, *Star-contours for efficient
//! hierarchical self-collision detection*, 2010) take one product an edge.
//!
//! Vertices move along straight lines, so that normals and products are quadratic in time; they
//! keep their sign if their three Bernstein coefficients do. Rounding: a coefficient takes below 16
//! roundings of the product of its vectors' sums of coordinates.

use crate::math::{DVec3, UNIT_ROUNDOFF};
use std::collections::HashMap;
use std::f64::consts::PI;

/// The rounding error of a triple product, relative to the sizes in it.
const SLACK: f64 = 64.0 * UNIT_ROUNDOFF;

/// The outline of triangles that form a disc, its vertices in order; `None` if they form none.
pub(super) fn outline(triangles: &[[u32; 3]]) -> Option<Vec<u32>> {
    let mut next: HashMap<u32, u32> = HashMap::new();
    let mut edges: HashMap<(u32, u32), u32> = HashMap::with_capacity(3 * triangles.len());
    for (number, t) in triangles.iter().enumerate() {
        for k in 0..3 {
            // Two triangles that turn against each other, or three at an edge, are no surface.
            if edges.insert((t[k], t[(k + 1) % 3]), number as u32).is_some() {
                return None;
            }
        }
    }
    let mut inner = 0;
    for &(from, to) in edges.keys() {
        if edges.contains_key(&(to, from)) {
            inner += 1;
        } else if next.insert(from, to).is_some() {
            return None;
        }
    }
    // One loop, and all triangles connected by edges, and Euler's number of a disc: a surface with
    // a hole, a handle or a vertex that holds two parts together has another one.
    let start = *next.keys().min()?;
    let mut loop_of = vec![start];
    while let Some(&to) = loop_of.last().and_then(|last| next.get(last)) {
        if to == start {
            break;
        }
        if loop_of.len() > next.len() {
            return None;
        }
        loop_of.push(to);
    }
    if loop_of.len() != next.len() {
        return None;
    }
    let mut reached = vec![false; triangles.len()];
    let mut open = vec![0_u32];
    reached[0] = true;
    let mut count = 1;
    while let Some(number) = open.pop() {
        let t = triangles[number as usize];
        for k in 0..3 {
            if let Some(&other) = edges.get(&(t[(k + 1) % 3], t[k]))
                && !std::mem::replace(&mut reached[other as usize], true)
            {
                count += 1;
                open.push(other);
            }
        }
    }
    let mut vertices: Vec<u32> = triangles.iter().flatten().copied().collect();
    vertices.sort_unstable();
    vertices.dedup();
    let edge_count = edges.len() - inner / 2;
    (count == triangles.len() && vertices.len() + triangles.len() == edge_count + 1).then_some(loop_of)
}

/// A moving vector as seen from another one: Bernstein's coefficients of its product with another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Normal {
    pub(super) coefficients: [DVec3; 3],
    /// Bounds the products in it.
    size: f64,
}

impl Normal {
    /// The cross product of two vectors that change linearly.
    #[inline]
    pub(super) fn across(e: [DVec3; 2], f: [DVec3; 2]) -> Self {
        let coefficients = [e[0].cross(f[0]), (e[0].cross(f[1]) + e[1].cross(f[0])) * 0.5, e[1].cross(f[1])];
        let length = |ends: [DVec3; 2]| ends[0].abs().max(ends[1].abs()).element_sum();
        Self { coefficients, size: length(e) * length(f) }
    }

    /// Whether it has a part along a direction at all times.
    #[inline]
    pub(super) fn is_along(&self, direction: DVec3) -> bool {
        let least = self.coefficients.iter().fold(f64::INFINITY, |least, c| least.min(c.dot(direction)));
        // Products that are too small a number lose less than the second part.
        least > SLACK * self.size * direction.abs().element_sum() + f64::MIN_POSITIVE
    }
}

/// Whether an outline turns once about its middle, always forward, seen against a direction and at
/// all times.
pub(super) fn turns_once(outline: &[u32], from: &[DVec3], to: &[DVec3], direction: DVec3) -> bool {
    let share = 1.0 / outline.len() as f64;
    let mean = |points: &[DVec3]| outline.iter().map(|v| points[*v as usize]).sum::<DVec3>() * share;
    let middle = [mean(from), mean(to)];
    let arm = |v: u32| [from[v as usize] - middle[0], to[v as usize] - middle[1]];
    let Some(plane) = direction.try_normalize().map(|n| n.any_orthonormal_pair()) else { return false };
    let (mut last, mut turned) = (arm(outline[outline.len() - 1]), 0.0);
    for &v in outline {
        let next = arm(v);
        if !Normal::across(last, next).is_along(direction) {
            return false;
        }
        // Each is less than half a turn, and the sum a number of whole ones.
        let [x, y] = [plane.0, plane.1].map(|axis| [last[0].dot(axis), next[0].dot(axis)]);
        turned += (x[0] * y[1] - x[1] * y[0]).atan2(x[0] * x[1] + y[0] * y[1]).abs();
        last = next;
    }
    turned < 3.0 * PI
}
