//! The corner of a convex polyhedron that is farthest along a direction.
//!
//! Few corners are all looked at. Of many, a table by direction names one that is nearly the farthest, and from there the search climbs
//! along edges: on a convex polyhedron a corner without a higher neighbour is the highest. The table has four
//! cells a corner, on the six sides of a cube, so that the climb takes a step or none whatever their number (Dobkin and Kirkpatrick,
//! "Determining the separation of preprocessed polyhedra", 1990, need log n steps, and n memory too).
//!
//! # Rounding
//! Heights are rounded: a neighbour that is higher by less than that may look lower, and behind it there may be a corner that is higher by
//! far more, where edges are short. So the search does not stop at a corner with neighbours as high up to rounding, but looks at all
//! corners that can be reached through such ones. That is enough: from any corner an ascending way along edges leads to the
//! highest, no corner of which is lower in truth, nor by more than [`LEVEL`] in rounded heights.
//! A height is off by 3u of |d||p| and p itself by u, with u = 2⁻⁵³; two of them by 8u|d|, since no corner is farther than 1 from the centre.
//! The corner that comes out is then as high as the highest up to 7u|d|: 4u for the highest, 3u for itself.

use super::adjacency::Adjacency;
use crate::math::lanes::{F4, Simd};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use fearless_simd::prelude::*;
use smallvec::{SmallVec, smallvec};

/// Polyhedra with at most this many corners are looked through.
const MOST_SCANNED: usize = 32;
/// How many corners are looked at side by side.
const LANES: usize = 4;
/// Which of as many corners each lane has: neighbours are then compared first when halves are.
const ORDER: [usize; LANES] = [0, 2, 1, 3];
/// The same as numbers to compute with.
const NUMBERS: [f64; LANES] = [0.0, 2.0, 1.0, 3.0];
/// Cells of the table for each corner.
const CELLS: f64 = 4.0;
/// Heights that differ by no more than this, for a direction of length 1, may be one; see the head of this file.
const LEVEL: f64 = 10.0 * UNIT_ROUNDOFF;
/// The most corners of one height that are looked at one by one; where there are more, looking at all corners is as good.
const MOST_LEVEL: usize = 24;

/// Where to start, by direction: a grid on each side of a cube. Empty where all corners are looked at.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Extremes {
    /// Cells along one edge of the cube.
    resolution: usize,
    starts: Vec<u32>,
    /// Next to each other what a climb looks at: the positions of each corner's neighbours, in the adjacency's order.
    around: Vec<DVec3>,
    /// All corners, where there are few: x, y and z of some each, the last ones repeated.
    blocks: Vec<[[f64; LANES]; 3]>,
}

impl Extremes {
    /// The table for the corners, which lie within 1 of the origin.
    pub(super) fn new(corners: &[DVec3], adjacency: &Adjacency) -> Self {
        if corners.len() <= MOST_SCANNED {
            let block = |chunk: &[DVec3]| {
                let lane = |i: usize| chunk[i.min(chunk.len() - 1)];
                [0, 1, 2].map(|axis| ORDER.map(|i| lane(i)[axis]))
            };
            let blocks = corners.chunks(LANES).map(block).collect();
            return Self { resolution: 0, starts: Vec::new(), around: Vec::new(), blocks };
        }
        let around: Vec<DVec3> = adjacency.all_neighbors().iter().map(|&other| corners[other as usize]).collect();
        let resolution = (CELLS * corners.len() as f64 / 6.0).sqrt().ceil() as usize;
        let mut starts = Vec::with_capacity(6 * resolution * resolution);
        let middle = |i: usize| (2 * i + 1) as f64 / resolution as f64 - 1.0;
        for side in 0..6 {
            let (axis, sign) = (side / 2, if side % 2 == 0 { 1.0 } else { -1.0 });
            for row in 0..resolution {
                for column in 0..resolution {
                    let mut direction = DVec3::ZERO;
                    direction[axis] = sign;
                    direction[(axis + 1) % 3] = middle(row);
                    direction[(axis + 2) % 3] = middle(column);
                    // The last cell is next to this one.
                    let near = starts.last().copied().unwrap_or(0);
                    starts.push(climb(corners, adjacency, direction, near));
                }
            }
        }
        Self { resolution, starts, around, blocks: Vec::new() }
    }

    /// The farthest corner along a direction of any length, up to 7 roundings.
    #[inline(always)]
    pub(super) fn farthest<S: Simd>(&self, simd: S, corners: &[DVec3], adjacency: &Adjacency, direction: DVec3) -> u32 {
        if !self.blocks.is_empty() {
            return highest_of_blocks(simd, &self.blocks, direction).min(corners.len() as u32 - 1);
        }
        match self.starts.get(self.cell(direction)) {
            Some(&start) => climb_by(corners, adjacency, |edge| self.around[edge], direction, start),
            None => highest(corners, direction),
        }
    }

    #[inline(always)]
    fn cell(&self, direction: DVec3) -> usize {
        let size = direction.abs();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let [x, y, z] = direction.to_array();
        let (along, u, v) = [(x, y, z), (y, z, x), (z, x, y)][axis];
        let half = 0.5 * f64::from(self.resolution as u32);
        let scale = half / along.abs();
        // What is not a number, for the direction zero, becomes zero.
        let place = |w: f64| ((half + w * scale) as i32 as usize).min(self.resolution.saturating_sub(1));
        let side = 2 * axis + usize::from(along < 0.0);
        (side * self.resolution + place(u)) * self.resolution + place(v)
    }
}

/// The highest of all corners.
fn highest(corners: &[DVec3], direction: DVec3) -> u32 {
    let (mut best, mut height) = (0, f64::NEG_INFINITY);
    for (corner, point) in (0..).zip(corners) {
        let at = direction.dot(*point);
        if at > height {
            (best, height) = (corner, at);
        }
    }
    best
}

/// The highest of few corners, without a branch that depends on them.
#[inline(always)]
fn highest_of_blocks<S: Simd>(simd: S, blocks: &[[[f64; LANES]; 3]], direction: DVec3) -> u32 {
    let [x, y, z] = [direction.x, direction.y, direction.z];
    let (x, y, z) = (F4::splat(simd, x), F4::splat(simd, y), F4::splat(simd, z));
    let mut number: F4<S> = NUMBERS.simd_into(simd);
    let step = F4::splat(simd, LANES as f64);
    let (mut heights, mut numbers) = (F4::splat(simd, f64::NEG_INFINITY), number);
    for [xs, ys, zs] in blocks {
        let (xs, ys, zs): (F4<S>, F4<S>, F4<S>) = ((*xs).simd_into(simd), (*ys).simd_into(simd), (*zs).simd_into(simd));
        let height = z.mul_add(zs, y.mul_add(ys, x * xs));
        let higher = height.simd_gt(heights);
        heights = higher.select(height, heights);
        numbers = higher.select(number, numbers);
        number += step;
    }
    let ((low, high), (low_number, high_number)) = (simd.split_f64x4(heights), simd.split_f64x4(numbers));
    let higher = high.simd_gt(low);
    let heights: [f64; 2] = higher.select(high, low).into();
    let numbers: [f64; 2] = higher.select(high_number, low_number).into();
    (if heights[1] > heights[0] { numbers[1] } else { numbers[0] }) as i32 as u32
}

/// The highest corner, found along edges.
pub(super) fn climb(corners: &[DVec3], adjacency: &Adjacency, direction: DVec3, start: u32) -> u32 {
    let neighbors = adjacency.all_neighbors();
    climb_by(corners, adjacency, |edge| corners[neighbors[edge] as usize], direction, start)
}

/// The same, where `end` says where edges lead.
#[inline(always)]
fn climb_by(
    corners: &[DVec3],
    adjacency: &Adjacency,
    end: impl Fn(usize) -> DVec3,
    direction: DVec3,
    start: u32,
) -> u32 {
    let level = LEVEL * direction.abs().element_sum();
    let (mut best, mut height) = (start, direction.dot(corners[start as usize]));
    loop {
        let edges = adjacency.edges_of(best);
        let (mut second, mut highest) = (f64::NEG_INFINITY, edges.start);
        for edge in edges {
            let at = direction.dot(end(edge));
            let higher = at > second;
            second = if higher { at } else { second };
            highest = if higher { edge } else { highest };
        }
        if second > height {
            (best, height) = (adjacency.all_neighbors()[highest], second);
            continue;
        }
        if second < height - level {
            return best;
        }
        match look_around(corners, adjacency, direction, best, level) {
            Around::Higher(corner) => (best, height) = (corner, direction.dot(corners[corner as usize])),
            Around::Highest(corner) => return corner,
        }
    }
}

/// What is to be seen from a corner on a level.
enum Around {
    /// A corner that is higher beyond rounding.
    Higher(u32),
    /// The highest corner of all.
    Highest(u32),
}

/// Looks at all corners that can be reached through corners as high as this one, up to rounding.
#[cold]
fn look_around(corners: &[DVec3], adjacency: &Adjacency, direction: DVec3, corner: u32, level: f64) -> Around {
    let floor = direction.dot(corners[corner as usize]);
    let mut reached: SmallVec<[u32; MOST_LEVEL]> = smallvec![corner];
    let (mut best, mut height, mut next) = (corner, floor, 0);
    while let Some(&here) = reached.get(next) {
        next += 1;
        for &neighbor in adjacency.neighbors(here) {
            let at = direction.dot(corners[neighbor as usize]);
            if at > floor + level {
                return Around::Higher(neighbor);
            }
            if at < floor - level || reached.contains(&neighbor) {
                continue;
            }
            if reached.len() == MOST_LEVEL {
                return Around::Highest(highest(corners, direction));
            }
            reached.push(neighbor);
            if at > height {
                (best, height) = (neighbor, at);
            }
        }
    }
    Around::Highest(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::shape::polyhedron::{Body, tests::point_sets};

    #[test]
    fn climbing_finds_what_looking_at_every_corner_finds() {
        let mut random = Random(31);
        for (name, points) in point_sets(&mut random) {
            let Ok((body, ..)) = Body::hull_of(&points) else { continue };
            let mut directions: Vec<DVec3> =
                (0..300).map(|_| DVec3::new(random.signed(), random.signed(), random.signed())).collect();
            directions.extend(DVec3::AXES.iter().flat_map(|&axis| [axis, -axis, axis * 1e-200, axis * 1e150]));
            // Along normals and edges whole faces are as high, or differ by rounding.
            let normals = body.normals.iter().take(200);
            directions.extend(normals.flat_map(|&n| [n, -n, n + DVec3::new(1e-16, -1e-16, 1e-17)]));
            directions.push(DVec3::ZERO);
            for direction in directions {
                let found = direction.dot(body.corners[body.farthest(direction) as usize]);
                let truth = direction.dot(body.corners[highest(&body.corners, direction) as usize]);
                let allowed = 7.0 * UNIT_ROUNDOFF * direction.abs().element_sum();
                assert!(found >= truth - allowed, "{name}: {direction} {found} {truth}");
            }
        }
    }

    /// A needle's tip is cut into a tiny fan whose edges all look level: climbing by rounded heights alone would stay there.
    #[test]
    fn a_level_of_short_edges_does_not_hold_the_climb() {
        let mut random = Random(32);
        let mut points: Vec<DVec3> = (0..40)
            .map(|_| DVec3::new(random.signed(), random.signed(), random.signed()).normalize() * 1e-15 + DVec3::X)
            .collect();
        points.extend((0..40).map(|_| DVec3::new(-1.0, random.signed(), random.signed() * 1e-3)));
        let (body, ..) = Body::hull_of(&points).unwrap();
        for _ in 0..2000 {
            let direction = DVec3::new(random.signed() * 1e-3, random.signed(), random.signed());
            for start in 0..body.corners.len() as u32 {
                let found = climb(&body.corners, &body.adjacency, direction, start);
                let [found, truth] = [found, highest(&body.corners, direction)];
                let [found, truth] = [found, truth].map(|corner| direction.dot(body.corners[corner as usize]));
                assert!(found >= truth - 7.0 * UNIT_ROUNDOFF * direction.abs().element_sum(), "{direction} {start}");
            }
        }
    }
}
