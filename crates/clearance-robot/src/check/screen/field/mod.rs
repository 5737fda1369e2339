//! Distances from obstacles of any form, looked up in a grid: at most the real ones, to prove parts
//! apart, and at least the real ones, to prove contacts.
//!
//! A grid of cubes stands in the obstacle's own frame, around what of it the robot can reach, so that
//! moving the obstacle costs nothing. A byte a corner has the distance that this point keeps at
//! least; another one, of each cell, how far its middle is from a point of the obstacle.
//!
//! # The bounds
//! With h the edge of a cell, a corner is `h·√(Σ dᵢ²)` from the nearest cell that the obstacle touches
//! ([`raster`]), where d leads to the nearest corner of that cell: a distance transform of corners,
//! in whole numbers. Near the obstacle its elements say more ([`near`]), and the larger bound counts.
//!
//! Between corners, the squared distance d² from anything less |p|² is the least of functions that
//! are linear in p, hence concave: it is at least what is interpolated between the corners around.
//! With wᵢ the weights of trilinear interpolation and f the position in the cell,
//! `d²(p) ≥ Σ wᵢ·dᵢ² − h²·Σ f(1 − f)`, since that is what |p|² is interpolated too high. The error is
//! small of second order, unlike that of `dᵢ − |p − cᵢ|`, which is tried first since it takes one
//! byte. In `f32` the sum and what is taken away are off by less than 14u each, of their size:
//! they are shortened and lengthened by [`SURE`].
//!
//! The second byte is made of one point of the obstacle for each cell that it touches, which
//! neighbours hand on; any point of it will do.
//!
//! A point p outside of the grid has a nearest point q in it, and all of the obstacle that the grid
//! is about is on the other side of q: `|p − o|² ≥ |p − q|² + |q − o|²`. The grid is about all of the
//! obstacle or, of a large one, about a box that holds every point that the robot can reach, with
//! its largest offset: nothing that is farther away can touch it.
//!
//! The computed position of a point is off by `error`, which the obstacle knows. Distances that the
//! obstacle keeps are shortened by it in each of the two terms, which is more than `error` of the
//! root of their squares, since (a, b) is by √2 times e longer than (a − e, b − e). Who uses
//! distances from above adds it.
//!
//! # Inside
//! The second byte speaks of connected components larger than any part of the robot alone. If a
//! sphere inside of a part holds a point of one, it leaves the part through its surface.

mod elements;
mod near;
mod raster;
#[cfg(test)]
mod tests;

use super::forward::LANES;
use clearance_engine::math::lanes::{F8, Lanes8, V8, prelude::*};
use clearance_engine::math::{DVec3, f32_above, f32_below};
use clearance_engine::tree::Geometry;
use elements::Elements;
use near::Near;
use raster::Raster;

/// The longest edge of a cell, in metres.
const CELL: f64 = 0.02;
/// How many cells a small obstacle has along its longest side.
const FINE: f64 = 48.0;
/// The most corners: below 2²³, so that the bits of their numbers are found by a sum in `f32`.
const MAX_CELLS: f64 = 8_000_000.0;
/// The steps of both bytes, in cells.
const LOWER_STEPS: f64 = 12.0;
const UPPER_STEPS: f64 = 32.0;
/// How many cells farther than a corner says things are guessed to be; measured.
const GUESSED: f32 = 0.5;
/// More than 14u.
const SURE: f32 = 1e-6;
/// How many cells the grid is larger than what it is about, on each side.
const RIM: f64 = 2.0;
/// By how much more than the robot's reach is covered, so that obstacles may move a little.
const WIDER: f64 = 1.1;

/// What of an obstacle matters, in its own frame: a cube about the robot's root.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    pub(super) center: DVec3,
    pub(super) radius: f64,
}

/// Distances from an obstacle, cell by cell.
pub(super) struct Field {
    /// What it was made for; nothing if it is about all of the obstacle.
    reach: Option<Reach>,
    /// Components that are at least so large are in `upper`.
    component: f64,
    low: DVec3,
    cell: f64,
    count: [usize; 3],
    lower: Vec<u8>,
    upper: Vec<u8>,
    /// Whether `upper` says anything.
    proves: bool,
}

impl std::fmt::Debug for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Field of {:?} cells of {} m", self.count, self.cell)
    }
}

impl Field {
    /// The field of a geometry; `component` is the diameter of the robot's largest part. `None` for
    /// geometries that have none: solids whose surface is known alone, primitives, or what has
    /// nothing within reach.
    pub(super) fn new(geometry: &dyn Geometry, reach: Reach, component: f64) -> Option<Self> {
        let (low, high) = geometry.bounding_box();
        let size = (high - low).max_element();
        if !(size < 1e6 && low.abs().max_element() < 1e6) {
            return None;
        }
        let wider = Reach { radius: WIDER * reach.radius, ..reach };
        let (near_low, near_high) = (low.max(wider.center - wider.radius), high.min(wider.center + wider.radius));
        if !near_low.cmple(near_high).all() {
            return None;
        }
        let all = near_low == low && near_high == high;
        let near = near_high - near_low;
        let mut cell = (near.max_element() / FINE).clamp(0.05 * CELL, CELL);
        let count = |cell: f64| (near / cell).ceil() + 2.0 * RIM;
        while (count(cell) + 1.0).element_product() > MAX_CELLS {
            cell *= 1.1;
        }
        let count = count(cell);
        let low = near_low - RIM * cell;
        let elements = Elements::of(geometry, component, [low, low + count * cell])?;
        let count = count.to_array().map(|count| count as usize);
        let raster = Raster::new(&elements, low, cell, count);
        let near = Near::new(&elements, count, cell, |point| (point - low) / cell);
        let (lower, upper) = (raster.lower(LOWER_STEPS, &near), raster.upper(UPPER_STEPS));
        let proves = upper.iter().any(|&byte| byte < u8::MAX);
        Some(Self { reach: (!all).then_some(wider), component, low, cell, count, lower, upper, proves })
    }

    /// Whether it still holds for what matters now.
    pub(super) fn serves(&self, reach: &Reach, component: f64) -> bool {
        let within = |own: &Reach| (reach.center - own.center).abs().max_element() + reach.radius <= own.radius;
        component <= self.component && self.reach.as_ref().is_none_or(within)
    }

    /// The middle of the grid and half its size.
    pub(super) fn space(&self) -> (DVec3, DVec3) {
        let half = DVec3::from_array(self.count.map(|count| count as f64)) * (0.5 * self.cell);
        (self.low + half, half)
    }

    /// At least the diameter of the components that prove contacts; 0 if there are none.
    pub(super) fn component(&self) -> f64 {
        if self.proves { self.component } else { 0.0 }
    }

    /// The memory that it takes, in bytes.
    #[cfg(test)]
    pub(super) fn memory(&self) -> usize {
        self.lower.len() + self.upper.len()
    }

    /// Positions from the middle of the grid, in cells from its low corner, and the nearest ones in it.
    #[inline(always)]
    fn places<S: Lanes8>(&self, simd: S, from_middle: V8<S>) -> [[F8<S>; 3]; 2] {
        simd.step(
            #[inline(always)]
            || {
                let scale = F8::splat(simd, (1.0 / self.cell) as f32);
                let (mut places, mut within) = (from_middle.0, from_middle.0);
                for axis in 0..3 {
                    let count = self.count[axis] as f32;
                    places[axis] = from_middle.0[axis].mul_add(scale, F8::splat(simd, 0.5 * count));
                    within[axis] = places[axis].max(F8::splat(simd, 0.0)).min(F8::splat(simd, count));
                }
                [places, within]
            },
        )
    }

    /// The cells of positions in the grid.
    #[inline(always)]
    fn cells<S: Lanes8>(&self, simd: S, within: [F8<S>; 3]) -> [F8<S>; 3] {
        let mut cells = within;
        for axis in 0..3 {
            cells[axis] = within[axis].min(F8::splat(simd, self.count[axis] as f32 - 1.0)).floor();
        }
        cells
    }

    /// The numbers of cells, or of corners, which are one more along each axis.
    #[inline(always)]
    fn numbers<S: Lanes8>(&self, simd: S, places: [F8<S>; 3], more: usize) -> [usize; LANES] {
        simd.step(
            #[inline(always)]
            || {
                let [x, y, z] = places;
                let row = x.mul_add(F8::splat(simd, (self.count[1] + more) as f32), y);
                let numbers: [f32; LANES] = row.mul_add(F8::splat(simd, (self.count[2] + more) as f32), z).into();
                let mut whole = [0; LANES];
                for (whole, number) in whole.iter_mut().zip(numbers) {
                    *whole = ((number + 8_388_608.0).to_bits() & 0x7f_ffff) as usize;
                }
                whole
            },
        )
    }

    /// How far positions are outside of the grid, squared, in metres; `error` is in their favour.
    #[inline(always)]
    fn squared_outside<S: Lanes8>(&self, simd: S, places: [F8<S>; 3], within: [F8<S>; 3], error: F8<S>) -> F8<S> {
        simd.step(
            #[inline(always)]
            || {
                let mut sum = F8::splat(simd, 0.0);
                for axis in 0..3 {
                    let outside = (places[axis] - within[axis]).abs();
                    let outside =
                        outside.mul_add(F8::splat(simd, f32_below(self.cell)), -error).max(F8::splat(simd, 0.0));
                    sum = outside.mul_add(outside, sum);
                }
                sum
            },
        )
    }

    /// The lanes in which points are farther from the obstacle than `reach`.
    #[inline(always)]
    pub(super) fn apart<S: Lanes8>(&self, simd: S, from_middle: V8<S>, reach: F8<S>, error: f32, alive: u32) -> u32 {
        let [places, within] = self.places(simd, from_middle);
        let (zero, error) = (F8::splat(simd, 0.0), F8::splat(simd, error));
        let half = F8::splat(simd, 0.5);
        let mut nearest = within;
        for axis in 0..3 {
            nearest[axis] = (within[axis] + half).floor();
        }
        let known = gathered(simd, &self.lower, self.numbers(simd, nearest, 1), 0, 0);
        let known = known * F8::splat(simd, 1.0 / LOWER_STEPS as f32);
        let off = V8([within[0] - nearest[0], within[1] - nearest[1], within[2] - nearest[2]]);
        let off = off.dot(off).sqrt() * F8::splat(simd, 1.0 + SURE);
        let outside = self.squared_outside(simd, places, within, error);
        let kept = (known - off).mul_add(F8::splat(simd, f32_below(self.cell)), -error).max(zero);
        let apart = kept.mul_add(kept, outside).simd_gt(reach * reach).to_bitmask() as u32 & 0xff;
        if alive & !apart == 0 {
            return apart;
        }
        // At most what the corners around can say.
        let most = (known + off + F8::splat(simd, 1.0 / LOWER_STEPS as f32)) * F8::splat(simd, f32_above(self.cell));
        let hopeless = most.mul_add(most, outside).simd_lt(reach * reach).to_bitmask() as u32 & 0xff;
        if alive & !apart & !hopeless == 0 {
            return apart;
        }
        let squares = self.interpolated(simd, within, error) + outside;
        apart | squares.simd_gt(reach * reach).to_bitmask() as u32 & 0xff
    }

    /// The lanes in which points may be nearer to the obstacle than `reach`, and those in which they
    /// probably are: a guess. It takes one byte.
    ///
    /// The nearest corner is at most √3/2 of a cell away, and what is known of it at most a step too
    /// little; what is known may be less than that, so that too many lanes are named, never too few
    /// by more than a guess may be.
    #[inline(always)]
    pub(super) fn may_be_within<S: Lanes8>(&self, simd: S, from_middle: V8<S>, reach: F8<S>) -> [u32; 2] {
        simd.step(
            #[inline(always)]
            || {
                let [_, within] = self.places(simd, from_middle);
                let half = F8::splat(simd, 0.5);
                let mut nearest = within;
                for axis in 0..3 {
                    nearest[axis] = (within[axis] + half).floor();
                }
                let known = gathered(simd, &self.lower, self.numbers(simd, nearest, 1), 0, u8::MAX);
                let steps = reach * F8::splat(simd, (LOWER_STEPS / self.cell) as f32);
                let less = |more: f32| {
                    let most = steps + F8::splat(simd, LOWER_STEPS as f32 * more);
                    known.simd_lt(most).to_bitmask() as u32 & 0xff
                };
                [less(0.9), less(-GUESSED)]
            },
        )
    }

    /// The squared distances of points from the obstacle, at most.
    #[inline(always)]
    pub(super) fn squared_lower<S: Lanes8>(&self, simd: S, from_middle: V8<S>, error: f32) -> F8<S> {
        let [places, within] = self.places(simd, from_middle);
        let error = F8::splat(simd, error);
        self.interpolated(simd, within, error) + self.squared_outside(simd, places, within, error)
    }

    /// The same of positions in the grid.
    #[inline(always)]
    fn interpolated<S: Lanes8>(&self, simd: S, within: [F8<S>; 3], error: F8<S>) -> F8<S> {
        simd.step(
            #[inline(always)]
            || {
                let (zero, one) = (F8::splat(simd, 0.0), F8::splat(simd, 1.0));
                let cells = self.cells(simd, within);
                let numbers = self.numbers(simd, cells, 1);
                let share = [within[0] - cells[0], within[1] - cells[1], within[2] - cells[2]];
                let (y, z) = ((self.count[1] + 1) * (self.count[2] + 1), self.count[2] + 1);
                let mut sum = zero;
                for side in 0..4 {
                    let mut weight = one;
                    for (axis, &share) in share[..2].iter().enumerate() {
                        weight *= if side >> axis & 1 == 1 { share } else { one - share };
                    }
                    let [near, far] = pairs(simd, &self.lower, numbers, (side & 1) * y + (side >> 1) * z);
                    let along = far.mul_add(far * share[2], near * near * (one - share[2]));
                    sum = weight.mul_add(along, sum);
                }
                let steps = LOWER_STEPS as f32;
                let mut less = zero;
                for share in share {
                    less = share.mul_add(one - share, less);
                }
                let less = less * F8::splat(simd, 1.0 + SURE);
                let square = sum.mul_add(F8::splat(simd, (1.0 - SURE) / (steps * steps)), -less).max(zero);
                let kept = square.sqrt().mul_add(F8::splat(simd, f32_below(self.cell)), -error).max(zero);
                kept * kept
            },
        )
    }

    /// The squared distances of points from the large components, at least but for the error;
    /// infinite where nothing is known.
    #[inline(always)]
    pub(super) fn squared_upper<S: Lanes8>(&self, simd: S, from_middle: V8<S>) -> F8<S> {
        simd.step(
            #[inline(always)]
            || {
                let [places, within] = self.places(simd, from_middle);
                let cells = self.cells(simd, within);
                let known = gathered(simd, &self.upper, self.numbers(simd, cells, 0), 0, u8::MAX);
                let half = F8::splat(simd, 0.5);
                let from_center =
                    V8([places[0] - cells[0] - half, places[1] - cells[1] - half, places[2] - cells[2] - half]);
                let distance =
                    known.mul_add(F8::splat(simd, (1.0 / UPPER_STEPS) as f32), from_center.dot(from_center).sqrt());
                let distance = distance * F8::splat(simd, f32_above(self.cell));
                let unknown = known.simd_gt(F8::splat(simd, 254.5));
                unknown.select(F8::splat(simd, f32::INFINITY), distance * distance)
            },
        )
    }
}

/// The bytes of some numbers that are `offset` farther on, and the ones after those.
#[inline(always)]
fn pairs<S: Lanes8>(simd: S, bytes: &[u8], numbers: [usize; LANES], offset: usize) -> [F8<S>; 2] {
    let (mut first, mut second) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let number = numbers[lane] + offset;
        if let Some(&[near, far]) = bytes.get(number..).and_then(|rest| rest.first_chunk()) {
            (first[lane], second[lane]) = (f32::from(near), f32::from(far));
        }
    }
    [first.simd_into(simd), second.simd_into(simd)]
}

/// The bytes of some numbers, or of those that are `offset` farther on.
#[inline(always)]
fn gathered<S: Lanes8>(simd: S, bytes: &[u8], numbers: [usize; LANES], offset: usize, beyond: u8) -> F8<S> {
    simd.step(
        #[inline(always)]
        || {
            let mut found = [0.0; LANES];
            for (found, number) in found.iter_mut().zip(numbers) {
                *found = f32::from(bytes.get(number + offset).copied().unwrap_or(beyond));
            }
            found.simd_into(simd)
        },
    )
}
