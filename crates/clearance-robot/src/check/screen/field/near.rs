//! How near the elements of an obstacle are to the grid points of a grid, where that is a few cells.
//!
//! Every element tells the grid points around it a distance that is at most the real one. Of a sphere or
//! a box it is the real one. Of a triangle with unit normal n it is that from the plane, and in the
//! plane the most by which the point is beyond one of the three sides:
//! `d² = (n·(p − a))² + max(0, mᵢ·(p − aᵢ))²`, with mᵢ the outward normals of the sides. That is too
//! little beyond vertices alone, and there a neighbour is as near where a surface goes on.
//!
//! # The error
//! u = 2⁻²⁴, in cells. Vertices are rounded by 1e-6 ([`raster`](super::raster)). With e and f the sides
//! from a, a normal is off by 1e-15·|e||f|/|e × f|, at most 1e-9 of itself where triangles count as
//! flat here, and points are no farther than 1e4 and the band from a. All others are boxes. Along a row
//! of grid points all is `v + k·s` in `f32`, with |s| at most 1: where that is within the band, |v| is
//! at most the band and the length of the row, so that it is off by 8u of their sum. Spheres larger
//! than 1e3 are boxes, so that 4u of distance and radius are below 5e-4. [`MARGIN`] holds all but
//! what a row adds; squares and roots add 4u of the distance.

use super::super::forward::U;
use super::elements::{Element, Elements};
use clearance_engine::Triangle;
use clearance_engine::math::DVec3;

/// How far from an element grid points learn about it, in metres and in cells at most.
const BAND: f64 = 0.1;
const MAX_BAND: f64 = 8.0;
/// In cells.
const MARGIN: f64 = 1e-3;
/// The largest triangles and spheres that are no boxes here.
const MAX_TRIANGLE: f64 = 1e4;
const MAX_SPHERE: f64 = 1e3;
/// Twice the area of flat triangles, of the product of two sides.
const FLAT: f64 = 1e-6;

/// Squared distances of grid points from an obstacle, at most the band's.
pub(super) struct Near {
    /// In cells.
    band: f64,
    /// Corners along each axis.
    count: [usize; 3],
    squares: Vec<f32>,
    /// 0, 1, 2, … for loops without conversions.
    steps: Vec<f32>,
}

impl Near {
    /// Takes the grid points of a grid of so many cells; `place` is a point in cells from its low end.
    pub(super) fn new(elements: &Elements, cells: [usize; 3], cell: f64, place: impl Fn(DVec3) -> DVec3) -> Self {
        let count = cells.map(|count| count + 1);
        let band = (BAND / cell).ceil().min(MAX_BAND);
        let squares = vec![(band * band) as f32; count.iter().product()];
        let mut near = Self { band, count, squares, steps: (0..count[2]).map(|step| step as f32).collect() };
        for (element, _) in elements.iter() {
            match element {
                Element::Triangle(triangle) => near.triangle(&triangle.map(&place)),
                Element::Sphere { center, radius } => near.sphere(place(*center), radius / cell),
                Element::Box { low, high } => near.cuboid(place(*low), place(*high)),
            }
        }
        near
    }

    /// At most the distances of all grid points, in cells.
    pub(super) fn distances(&self) -> impl Iterator<Item = f64> {
        let longest = self.count.iter().copied().max().unwrap_or(0) as f64;
        let margin = MARGIN + 8.0 * U * (longest + self.band);
        self.squares.iter().map(move |&square| f64::from(square).sqrt() * (1.0 - 1e-6) - margin)
    }

    /// Calls a function with each row of grid points near a box: its first grid point, its squares and as
    /// many steps.
    fn rows(&mut self, low: DVec3, high: DVec3, mut row: impl FnMut(DVec3, &mut [f32], &[f32])) {
        let (count, band) = (self.count, self.band);
        let range = |axis: usize| {
            let last = count[axis] as f64;
            let begin = (low[axis] - band).ceil().clamp(0.0, last) as usize;
            begin..((high[axis] + band).floor() + 1.0).clamp(begin as f64, last) as usize
        };
        let beyond = |axis: usize, at: usize| {
            let at = at as f64;
            if at < low[axis] {
                low[axis] - at
            } else if at > high[axis] {
                at - high[axis]
            } else {
                0.0
            }
        };
        let along = range(2);
        let steps = &self.steps[..along.len()];
        for x in range(0) {
            let left = band * band - beyond(0, x) * beyond(0, x);
            for y in range(1) {
                if beyond(1, y) * beyond(1, y) < left {
                    let first = (x * count[1] + y) * count[2];
                    let corner = DVec3::new(x as f64, y as f64, along.start as f64);
                    row(corner, &mut self.squares[first + along.start..first + along.end], steps);
                }
            }
        }
    }

    fn triangle(&mut self, triangle: &Triangle) {
        let [a, b, c] = triangle.0;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let normal = triangle.scaled_normal();
        let is_flat = normal.length() > FLAT * (b - a).length() * (c - a).length();
        if !is_flat || (high - low).max_element() > MAX_TRIANGLE {
            return self.cuboid(low, high);
        }
        let normal = normal.normalize();
        let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| ((to - from).cross(normal).normalize(), from));
        let slope = |axis: DVec3| axis.z as f32;
        let (n, slopes) = (slope(normal), sides.map(|(out, _)| slope(out)));
        self.rows(low, high, |corner, squares, steps| {
            let height = normal.dot(corner - a) as f32;
            let [p, q, r] = sides.map(|(out, from)| out.dot(corner - from) as f32);
            for (square, &step) in squares.iter_mut().zip(steps) {
                let height = height + step * n;
                let (p, q, r) = (p + step * slopes[0], q + step * slopes[1], r + step * slopes[2]);
                let aside = more(more(p, q), more(r, 0.0));
                *square = less(*square, height * height + aside * aside);
            }
        });
    }

    fn sphere(&mut self, center: DVec3, radius: f64) {
        let (low, high) = (center - radius, center + radius);
        if radius > MAX_SPHERE {
            return self.cuboid(low, high);
        }
        let own = radius as f32;
        self.rows(low, high, |corner, squares, steps| {
            let from = corner - center;
            let (across, along) = (from.truncate().length_squared() as f32, from.z as f32);
            for (square, &step) in squares.iter_mut().zip(steps) {
                let along = along + step;
                let distance = more((across + along * along).sqrt() - own, 0.0);
                *square = less(*square, distance * distance);
            }
        });
    }

    fn cuboid(&mut self, low: DVec3, high: DVec3) {
        self.rows(low, high, |corner, squares, steps| {
            let (under, over) = (low - corner, corner - high);
            let beyond = under.max(over).max(DVec3::ZERO);
            let (across, under, over) = (beyond.truncate().length_squared() as f32, under.z as f32, over.z as f32);
            for (square, &step) in squares.iter_mut().zip(steps) {
                let along = more(more(under - step, over + step), 0.0);
                *square = less(*square, across + along * along);
            }
        });
    }
}

/// The larger of two numbers, in one instruction.
fn more(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

fn less(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}
