//! Ray traversal of voxels (3D DDA): the cells that a ray crosses.
//!
//! Source: Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing", 1987. The ray's
//! parameter is in fixed point, 2⁶¹ for its whole length: its sums are exact, integers compare
//! faster than floats, and nothing is divided by zero, as an axis along which the ray crosses no
//! edge never comes first.
//!
//! Invariant: the walk begins in the first cell, ends in the last, and each step goes to a
//! neighbour through a face. The walk passes the k-th edge along an axis with n edges to cross at
//! `t₀ + (k − 1)·Δ`, with Δ chosen so that the n-th is within the ray and the next is not: so each
//! axis makes exactly its steps. Where the ray goes through an edge or a corner of cells, x steps
//! before y before z.
//!
//! Cost: some 3 ns a cell.

use super::node::{Key, aligned, first_edge};
use crate::math::DVec3;

/// The maximum number of cells that a ray may cross;
/// [`SensorModel::max_range`](super::SensorModel::max_range) has to cut longer ones.
pub(super) const MAX_STEPS: u64 = (1 << 20) - 4;

/// The whole length of the ray.
const ONE: i64 = 1 << 61;
/// Bits for the place along one axis: two for the cell in its brick, and enough bricks for the
/// longest ray either way.
const BITS: u32 = 21;
/// The place of the first cell's brick along each axis.
const START: u64 = 1 << 20;
/// The places of cells within their bricks.
const IN_BRICK: u64 = 3 | 3 << BITS | 3 << (2 * BITS);

/// A walk along a ray. Its place is one number: x, y and z beside each other, relative to the brick
/// of the first cell.
pub(super) struct Walk {
    at: u64,
    /// The first cell of the brick in which the walk began.
    base: Key,
    /// The parameter at which the ray crosses the next edge along each axis.
    next: [i64; 3],
    between: [i64; 3],
    /// The increment of `at` for a step along each axis.
    step: [u64; 3],
    /// The number of steps left.
    pub left: u64,
}

impl Walk {
    /// A walk from the cell `first` to the cell `last`, at most [`MAX_STEPS`] apart. The ray's ends
    /// are in units of cells, from the edge of cell 0 on.
    pub(super) fn new(first: Key, last: Key, from: DVec3, to: DVec3) -> Self {
        let mut walk =
            Self { at: 0, base: aligned(first, 0), next: [i64::MAX; 3], between: [0; 3], step: [0; 3], left: 0 };
        let edges = first_edge(first);
        for axis in 0..3 {
            walk.at |= (START + u64::from(first[axis] & 3)) << (BITS * axis as u32);
            let forward = last[axis] > first[axis];
            let crossings = u64::from(last[axis].abs_diff(first[axis]));
            if crossings == 0 {
                continue;
            }
            walk.left += crossings;
            let step = 1 << (BITS * axis as u32);
            walk.step[axis] = if forward { step } else { step.wrapping_neg() };
            let length = to[axis] - from[axis];
            let edge = edges[axis] as f64 + f64::from(u8::from(forward));
            // NaN, where rounding left no length, becomes zero.
            let start = (((edge - from[axis]) / length).clamp(0.0, 1.0) * ONE as f64) as i64;
            let rest = ONE - start;
            walk.next[axis] = start;
            walk.between[axis] = match crossings as i64 {
                1 => ONE + 1,
                crossings => {
                    let most = rest / (crossings - 1);
                    let apart = (ONE as f64 / length.abs()) as i64;
                    apart.min(most).max((rest / crossings + 1).min(most))
                }
            };
        }
        walk
    }

    /// A number for the brick that the walk is in.
    #[inline(always)]
    pub(super) fn brick(&self) -> u64 {
        self.at & !IN_BRICK
    }

    /// The cell that the walk is in.
    #[inline(always)]
    pub(super) fn key(&self) -> Key {
        [0, 1, 2].map(|axis| {
            let place = (self.at >> (BITS * axis as u32) & ((1 << BITS) - 1)) as u32;
            self.base[axis].wrapping_add(place.wrapping_sub(START as u32))
        })
    }

    /// The index of that cell in its brick: x + 4y + 16z, cheaper than the order of lanes
    /// ([`from_rows`]).
    #[inline(always)]
    pub(super) fn lane(&self) -> u64 {
        (self.at & 3) | (self.at >> (BITS - 2) & 0xc) | (self.at >> (2 * BITS - 4) & 0x30)
    }

    /// Goes on to the next cell.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        let [x, y, z] = self.next;
        // All bits where the first is less than the second: which axis comes first is
        // unpredictable, so nothing branches on it.
        let less = |a: i64, b: i64| (a - b) >> 63;
        let not_x = less(y, x) | less(z, x);
        let chosen = [!not_x, not_x & !less(z, y), not_x & less(z, y)];
        self.next = [0, 1, 2].map(|axis: usize| self.next[axis] + (self.between[axis] & chosen[axis]));
        let step = |axis: usize| self.step[axis] & chosen[axis] as u64;
        self.at = self.at.wrapping_add(step(0) | step(1) | step(2));
        self.left -= 1;
    }
}

/// Converts a mask of the cells x + 4y + 16z to a mask of lanes: bits 1 and 2 of the index change
/// places, and so do others, step by step.
pub(super) fn from_rows(mask: u64) -> u64 {
    // The index is z₁z₀y₁y₀x₁x₀ and becomes z₁y₁x₁z₀y₀x₀.
    let swapped = |mask: u64, low: u32, high: u32, stay: u64| {
        // Cells whose bit `low` of the index is set and `high` is not trade places with those where
        // it is the other way round.
        let shift = (1 << high) - (1 << low);
        let moved = (mask ^ mask >> shift) & stay;
        mask ^ moved ^ moved << shift
    };
    let mask = swapped(mask, 1, 2, 0x0c0c_0c0c_0c0c_0c0c);
    let mask = swapped(mask, 3, 4, 0x0000_ff00_0000_ff00);
    swapped(mask, 2, 3, 0x00f0_00f0_00f0_00f0)
}

#[cfg(test)]
mod tests {
    use super::super::node::lane_of;
    use super::*;
    use crate::random::Random;

    fn cell(point: DVec3) -> Key {
        point.to_array().map(|x| (x.floor() as i32 as u32).wrapping_add(1 << 31))
    }

    fn crossed(from: DVec3, to: DVec3) -> Vec<[i32; 3]> {
        let mut walk = Walk::new(cell(from), cell(to), from, to);
        let place = |key: Key| key.map(|index| (index ^ 1 << 31) as i32);
        let mut cells = vec![place(walk.key())];
        while walk.left > 0 {
            walk.advance();
            cells.push(place(walk.key()));
            assert_eq!(from_rows(1 << walk.lane()), 1 << lane_of(walk.key(), 0));
        }
        assert_eq!(cells.last(), Some(&place(cell(to))));
        cells
    }

    /// How much of the ray is within the cell grown by `margin`, as a part of it; negative if it
    /// misses.
    fn inside(from: DVec3, to: DVec3, cell: [i32; 3], margin: f64) -> f64 {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            let (low, high) = (f64::from(cell[axis]) - margin, f64::from(cell[axis]) + 1.0 + margin);
            let length = to[axis] - from[axis];
            if length == 0.0 {
                if from[axis] < low || from[axis] > high {
                    return -1.0;
                }
                continue;
            }
            let (a, b) = ((low - from[axis]) / length, (high - from[axis]) / length);
            enter = enter.max(a.min(b));
            leave = leave.min(a.max(b));
        }
        leave - enter
    }

    #[test]
    fn a_walk_visits_all_cells_that_the_ray_is_inside_of_and_none_that_it_misses() {
        let mut random = Random(17);
        for round in 0..3000 {
            // Rays along axes, through edges and corners, and any others.
            let mut point = || {
                let p = DVec3::from_array([0; 3].map(|_| random.between(-9.0, 9.0)));
                match round % 4 {
                    0 => p.round(),
                    1 => (p * 2.0).round() / 2.0,
                    2 => DVec3::new(p.x, 0.25, -3.0),
                    _ => p,
                }
            };
            let (from, to) = (point(), point());
            let cells = crossed(from, to);
            for pair in cells.windows(2) {
                let moved: i32 = (0..3).map(|axis| (pair[0][axis] - pair[1][axis]).abs()).sum();
                assert_eq!(moved, 1, "{from} to {to}: {pair:?}");
            }
            for cell in &cells {
                assert!(inside(from, to, *cell, 1e-12) >= 0.0, "{from} to {to} misses {cell:?}");
            }
            for x in -10..10 {
                for y in -10..10 {
                    for z in -10..10 {
                        if inside(from, to, [x, y, z], -1e-12) > 1e-12 {
                            assert!(cells.contains(&[x, y, z]), "{from} to {to} crosses {x} {y} {z}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_long_walk_ends_in_its_last_cell() {
        let mut random = Random(18);
        for _ in 0..50 {
            let mut point = || DVec3::from_array([0; 3].map(|_| random.between(-1e5, 1e5)));
            let (from, to) = (point(), point());
            let steps: i64 = (0..3).map(|axis| (to[axis].floor() as i64 - from[axis].floor() as i64).abs()).sum();
            assert_eq!(crossed(from, to).len() as i64, steps + 1);
        }
    }

    #[test]
    fn a_ray_within_one_cell_makes_no_step() {
        assert_eq!(crossed(DVec3::splat(0.1), DVec3::splat(0.9)), [[0, 0, 0]]);
        assert_eq!(crossed(DVec3::splat(0.5), DVec3::splat(0.5)), [[0, 0, 0]]);
    }
}
