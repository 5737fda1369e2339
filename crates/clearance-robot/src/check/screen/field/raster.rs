//! Which cells of a grid an obstacle touches, and what follows for all others.
//!
//! A cell counts as touched unless an axis separates it from the element by more than [`SLACK`]
//! cells, which is more than the projections are off by: a few roundings of coordinates, which are
//! at most 1e9 cells. That holds for any axis, so that triangles may be degenerate.

use super::elements::{Element, Elements};
use super::near::Near;
use clearance_engine::Triangle;
use clearance_engine::math::{DVec3, DistanceTransform};
use clearance_engine::shape::Convex;

/// In cells.
const SLACK: f64 = 1e-5;

/// How far points of the obstacle are handed on, in cells.
const BAND: f64 = 6.0;

/// A square of the distance in cells beyond which it does not matter: 64² and more.
const FAR: u32 = 65 * 65;

/// No point.
const NONE: u32 = u32::MAX;

/// A grid with the cells that elements touch.
pub(super) struct Raster {
    count: [usize; 3],
    touched: Vec<bool>,
    /// By cell: the number of a point of a large component.
    nearest: Vec<u32>,
    /// In cells from the low corner, and how much nearer the obstacle is.
    points: Vec<(DVec3, f64)>,
}

impl Raster {
    pub(super) fn new(elements: &Elements, low: DVec3, cell: f64, count: [usize; 3]) -> Self {
        let total = count.iter().product();
        let mut raster = Self { count, touched: vec![false; total], nearest: vec![NONE; total], points: Vec::new() };
        let place = |point: DVec3| (point - low) / cell;
        for (element, is_large) in elements.iter() {
            match element {
                Element::Triangle(triangle) => raster.triangle(&triangle.map(place), is_large),
                Element::Sphere { center, radius } => raster.sphere(place(*center), radius / cell, is_large),
                Element::Box { low, high } => raster.cuboid(place(*low), place(*high), is_large),
            }
        }
        raster
    }

    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (x * self.count[1] + y) * self.count[2] + z
    }

    /// The cells between two places along an axis, those of the grid.
    fn range(&self, axis: usize, low: f64, high: f64) -> std::ops::Range<usize> {
        let end = (high + SLACK).floor() + 1.0;
        let begin = (low - SLACK).floor().clamp(0.0, self.count[axis] as f64);
        begin as usize..end.clamp(0.0, self.count[axis] as f64) as usize
    }

    fn ranges(&self, low: DVec3, high: DVec3) -> [std::ops::Range<usize>; 3] {
        [0, 1, 2].map(|axis| self.range(axis, low[axis], high[axis]))
    }

    /// Marks a cell; `nearest` is a point of the obstacle, which is nearer than that by `radius`.
    fn mark(&mut self, cell: [usize; 3], is_large: bool, nearest: impl FnOnce(DVec3) -> (DVec3, f64)) {
        let number = self.number(cell);
        self.touched[number] = true;
        if is_large {
            let middle = middle(cell);
            let point = nearest(middle);
            let distance = |(point, radius): &(DVec3, f64)| point.distance(middle) - radius;
            let known = self.nearest[number];
            if known == NONE {
                self.nearest[number] = self.points.len() as u32;
                self.points.push(point);
            } else if distance(&point) < distance(&self.points[known as usize]) {
                self.points[known as usize] = point;
            }
        }
    }

    fn triangle(&mut self, triangle: &Triangle, is_large: bool) {
        let [a, b, c] = triangle.0;
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let ranges = self.ranges(low, high);
        let normal = triangle.scaled_normal();
        let main = normal.abs().max_position();
        let [second, third] = [(main + 1) % 3, (main + 2) % 3];
        let axes = Axes::of(triangle, normal);
        // The normal is off by less than 1e-15 |b − a||c − a|, the plane within the triangle by that
        // times its size, and n·a by 1e-15 of the coordinates: a hundredth of a cell is more.
        let (e, f, size) = ((b - a).length(), (c - a).length(), (high - low).max_element() + 1.0);
        let is_flat = normal[main].abs() > 1e-12 * e * f * size;
        for i in ranges[second].clone() {
            for j in ranges[third].clone() {
                // Where the plane passes through this row of cells.
                let (mut from, mut to) = (low[main], high[main]);
                let offset = normal.dot(a);
                let sides = |k: usize, i: usize| [i as f64 * normal[k], (i + 1) as f64 * normal[k]];
                let ([p, q], [r, s]) = (sides(second, i), sides(third, j));
                let least = offset - p.max(q) - r.max(s);
                let most = offset - p.min(q) - r.min(s);
                if is_flat {
                    let ends = [least / normal[main], most / normal[main]];
                    from = from.max(ends[0].min(ends[1]) - 0.01);
                    to = to.min(ends[0].max(ends[1]) + 0.01);
                }
                for k in self.range(main, from, to) {
                    let mut cell = [0; 3];
                    (cell[main], cell[second], cell[third]) = (k, i, j);
                    if axes.touch(triangle, middle(cell)) {
                        self.mark(cell, is_large, |middle| (a + triangle.surely_nearest(middle - a), 0.0));
                    }
                }
            }
        }
    }

    fn sphere(&mut self, center: DVec3, radius: f64, is_large: bool) {
        let [xs, ys, zs] = self.ranges(center - radius, center + radius);
        for x in xs {
            for y in ys.clone() {
                for z in zs.clone() {
                    let outside = (center - middle([x, y, z])).abs() - 0.5;
                    if outside.max(DVec3::ZERO).length() <= radius + SLACK {
                        self.mark([x, y, z], is_large, |_| (center, radius));
                    }
                }
            }
        }
    }

    fn cuboid(&mut self, low: DVec3, high: DVec3, is_large: bool) {
        let [xs, ys, zs] = self.ranges(low, high);
        for x in xs {
            for y in ys.clone() {
                for z in zs.clone() {
                    self.mark([x, y, z], is_large, |middle| (middle.clamp(low, high), 0.0));
                }
            }
        }
    }

    /// The distances that the corners of cells keep from the obstacle, rounded down to whole steps:
    /// those of the elements where they are near, and of the cells that these touch.
    pub(super) fn lower(&self, steps: f64, near: &Near) -> Vec<u8> {
        let [x, y, z] = self.count.map(|count| count + 1);
        let strides = [y * z, z, 1];
        let mut squares = vec![FAR; x * y * z];
        for number in (0..self.touched.len()).filter(|&number| self.touched[number]) {
            let [i, j, k] = self.cell(number);
            let low = i * strides[0] + j * strides[1] + k;
            for corner in 0..8 {
                squares[low + (corner >> 2) * strides[0] + (corner >> 1 & 1) * strides[1] + (corner & 1)] = 0;
            }
        }
        let mut transform = DistanceTransform::default();
        for (count, stride) in [x, y, z].into_iter().zip(strides) {
            each_line(&mut squares, x * y * z, count, stride, |from, to| {
                transform.transform(from, FAR, |at, square, _| to[at] = square);
            });
        }
        let byte = |distance: f64| (distance * steps).floor().clamp(0.0, 255.0) as u8;
        let bytes: Vec<u8> = (0..=FAR).map(|square| byte(f64::from(square).sqrt() * (1.0 + 1e-12))).collect();
        let of_cells = squares.iter().map(|&square| bytes[square.min(FAR) as usize]);
        of_cells.zip(near.distances()).map(|(of_cells, near)| of_cells.max(byte(near))).collect()
    }

    /// How far the middles of cells are from a point of the obstacle, rounded up to whole steps; 255
    /// where none is known.
    pub(super) fn upper(mut self, steps: f64) -> Vec<u8> {
        let mut bytes = vec![u8::MAX; self.touched.len()];
        let mut front: Vec<u32> =
            (0..self.nearest.len() as u32).filter(|&number| self.nearest[number as usize] != NONE).collect();
        let mut least: Vec<f32> = Vec::new();
        least.resize(if front.is_empty() { 0 } else { bytes.len() }, f32::INFINITY);
        let distance =
            |cell: [usize; 3], (point, radius): &(DVec3, f64)| (point.distance(middle(cell)) - radius).max(0.0);
        let byte = |distance: f64| (distance * steps * (1.0 + 1e-9)).ceil();
        for &number in &front {
            let at = self.cell(number as usize);
            let found = distance(at, &self.points[self.nearest[number as usize] as usize]);
            least[number as usize] = found as f32;
            bytes[number as usize] = byte(found).min(255.0) as u8;
        }
        while !front.is_empty() {
            let mut next = Vec::new();
            for number in front {
                let (cell, from) = (self.cell(number as usize), self.nearest[number as usize]);
                for axis in 0..3 {
                    for up in [false, true] {
                        let mut to = cell;
                        match up {
                            true if cell[axis] + 1 < self.count[axis] => to[axis] += 1,
                            false if cell[axis] > 0 => to[axis] -= 1,
                            _ => continue,
                        }
                        let found = distance(to, &self.points[from as usize]);
                        let to = self.number(to);
                        if found < BAND && (found as f32) < least[to] {
                            least[to] = found as f32;
                            bytes[to] = byte(found).min(255.0) as u8;
                            self.nearest[to] = from;
                            next.push(to as u32);
                        }
                    }
                }
            }
            next.sort_unstable();
            next.dedup();
            front = next;
        }
        bytes
    }

    fn cell(&self, number: usize) -> [usize; 3] {
        let [_, y, z] = self.count;
        [number / (y * z), number / z % y, number % z]
    }
}

fn middle(cell: [usize; 3]) -> DVec3 {
    DVec3::from_array(cell.map(|index| index as f64 + 0.5))
}

/// The axes that may separate a triangle from a cell, besides those of the grid, with the triangle's
/// range along each and half the cell's, slack included.
struct Axes(Vec<(DVec3, [f64; 2])>);

impl Axes {
    fn of(triangle: &Triangle, normal: DVec3) -> Self {
        let [a, b, c] = triangle.0;
        let edges = [b - a, c - b, a - c];
        let crossed = edges.iter().flat_map(|edge| DVec3::AXES.map(|axis| axis.cross(*edge)));
        let size = a.abs().max(b.abs()).max(c.abs()).max_element();
        let range = |axis: DVec3| {
            let along = triangle.0.map(|vertex| vertex.dot(axis));
            let (low, high) = (along[0].min(along[1]).min(along[2]), along[0].max(along[1]).max(along[2]));
            let half = (0.5 + SLACK + 1e-13 * size) * axis.abs().element_sum();
            (axis, [low - half, high + half])
        };
        Self(std::iter::once(normal).chain(crossed).map(range).collect())
    }

    fn touch(&self, triangle: &Triangle, middle: DVec3) -> bool {
        let [a, b, c] = triangle.0;
        let beyond = |k: usize| {
            let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
            middle[k] + 0.5 + SLACK < low || middle[k] - 0.5 - SLACK > high
        };
        !(0..3).any(beyond)
            && self.0.iter().all(|(axis, [low, high])| {
                let along = middle.dot(*axis);
                // NaN does not separate.
                !(along < *low || along > *high)
            })
    }
}

/// Calls a function with every line of cells along an axis, and with the same to be changed.
fn each_line(values: &mut [u32], total: usize, count: usize, stride: usize, mut of: impl FnMut(&[u32], &mut [u32])) {
    let (mut line, mut changed) = (vec![0; count], vec![0; count]);
    for block in (0..total).step_by(count * stride) {
        for start in block..block + stride {
            for (i, value) in line.iter_mut().enumerate() {
                *value = values[start + i * stride];
            }
            changed.copy_from_slice(&line);
            of(&line, &mut changed);
            for (i, value) in changed.iter().enumerate() {
                values[start + i * stride] = *value;
            }
        }
    }
}
