//! Which cells a ray crosses.
//!
//! Source: Amanatides and Woo, "A fast voxel traversal algorithm for ray tracing", 1987. The ray's parameter is kept in fixed point, 2⁶²
//! for its whole length: sums of it are exact, integers are compared faster than floats, and nothing is divided by zero, as an axis along
//! which no edge is crossed never comes first.
//!
//! Invariant: the walk begins in the first cell, ends in the last, and each step goes to a neighbour through a face. The k-th edge along
//! an axis with n edges to cross is passed at `t₀ + (k − 1)·Δ`, with Δ chosen so that the n-th is within the ray and the next is not:
//! so each axis makes exactly its steps. Where the ray goes through an edge or a corner of cells, x is stepped before y before z.
//!
//! Cost: some 3 ns a cell.

use super::node::Key;
use crate::math::DVec3;

/// The whole length of the ray.
const ONE: u64 = 1 << 62;

/// A walk along a ray.
pub(super) struct Walk {
    pub at: Key,
    /// Where the next edge along each axis is crossed.
    next: [u64; 3],
    between: [u64; 3],
    /// One cell forward, or one back, modulo 2³².
    step: Key,
    /// How many steps are left.
    pub left: u64,
}

impl Walk {
    /// From the cell `first` to the cell `last`; the ray's ends are given in units of cells, relative to any cell `zero`.
    pub(super) fn new(first: Key, last: Key, zero: Key, from: DVec3, to: DVec3) -> Self {
        let mut walk = Self { at: first, next: [u64::MAX; 3], between: [0; 3], step: [0; 3], left: 0 };
        for axis in 0..3 {
            let forward = last[axis] > first[axis];
            let edges = u64::from(last[axis].abs_diff(first[axis]));
            if edges == 0 {
                continue;
            }
            walk.left += edges;
            walk.step[axis] = if forward { 1 } else { 1_u32.wrapping_neg() };
            let length = to[axis] - from[axis];
            let edge = f64::from(first[axis].wrapping_sub(zero[axis]) as i32) + f64::from(u8::from(forward));
            // What is not a number, where rounding left no length, becomes zero.
            let start = (((edge - from[axis]) / length).min(1.0) * ONE as f64) as u64;
            let rest = ONE - start.min(ONE);
            walk.next[axis] = start.min(ONE);
            walk.between[axis] = match edges {
                1 => ONE + 1,
                _ => {
                    let most = rest / (edges - 1);
                    let apart = (ONE as f64 / length.abs()) as u64;
                    apart.min(most).max((rest / edges + 1).min(most))
                }
            };
        }
        walk
    }

    /// Goes on to the next cell.
    #[inline(always)]
    pub(super) fn advance(&mut self) {
        let [x, y, z] = self.next;
        let along_x = (x <= y) & (x <= z);
        let along_y = !along_x & (y <= z);
        let along = [along_x, along_y, !along_x & !along_y];
        for axis in 0..3 {
            // All bits or none: there is nothing to predict here.
            let chosen = u64::from(along[axis]).wrapping_neg();
            self.next[axis] = self.next[axis].wrapping_add(self.between[axis] & chosen);
            self.at[axis] = self.at[axis].wrapping_add(self.step[axis] & chosen as u32);
        }
        self.left -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    const ZERO: Key = [1 << 31; 3];

    fn cell(point: DVec3) -> Key {
        point.to_array().map(|x| (x.floor() as i32 as u32).wrapping_add(1 << 31))
    }

    fn crossed(from: DVec3, to: DVec3) -> Vec<[i32; 3]> {
        let mut walk = Walk::new(cell(from), cell(to), ZERO, from, to);
        let place = |key: Key| key.map(|index| (index ^ 1 << 31) as i32);
        let mut cells = vec![place(walk.at)];
        while walk.left > 0 {
            walk.advance();
            cells.push(place(walk.at));
        }
        assert_eq!(cells.last(), Some(&place(cell(to))));
        cells
    }

    /// How much of the ray is within the cell grown by `margin`, as a part of it; negative if it misses.
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
