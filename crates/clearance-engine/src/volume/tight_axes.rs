//! Axes of tight oriented boxes: a search among the rotations near the principal axes.
//!
//! A box is better the shorter the sum of its sides is. Turning the axes about one of them changes
//! the extents along the two others only, and both senses of a turn share their products. The
//! search keeps the points in `f32`, along the axes of the moment. They only guide the search: the
//! fit of a volume measures the true vertices.
//!
//! For a set with many vertices the search uses its extreme points in 13 directions (the idea of
//! Larsson and Källberg, *Fast computation of tight-fitting oriented bounding boxes*, 2011), for a
//! very large one those of a sample. Cost: one pass over at most [`SAMPLE`] triangles, and some 50
//! boxes of at most [`SEARCHED`] points.

use crate::Triangle;
use crate::math::{DMat3, DVec3};

/// The largest number of vertices that the search uses in full.
const SEARCHED: usize = 192;
/// The maximum number of triangles that the extreme points come from.
const SAMPLE: usize = 512;
/// The tangents of half of the first and last turn; each turn is half of the one before.
const FIRST_TURN: f64 = 0.2;
const LAST_TURN: f64 = 0.0125;
/// A turn must shorten the sum of the sides by this part, so that the search ends.
const LEAST_GAIN: f32 = 1e-4;

const LANES: usize = 4;
type Lanes = [f32; LANES];

/// Orthonormal axes near `start` along which the box around the triangles is small.
pub(super) fn tight_axes(triangles: &[Triangle], start: &DMat3) -> DMat3 {
    let Some(origin) = triangles.first().map(|triangle| triangle.0[0]) else { return *start };
    let into_axes = start.transpose();
    let local = |vertex: DVec3| (into_axes * (vertex - origin)).as_vec3().to_array();
    let mut search = Search { axes: *start, points: Vec::with_capacity(16), count: 0, seen: [0; 256] };
    if triangles.len() * 3 <= SEARCHED {
        triangles.iter().flat_map(|triangle| triangle.0).for_each(|vertex| search.push(local(vertex)));
    } else {
        let sample = triangles.iter().step_by(triangles.len().div_ceil(SAMPLE));
        let points: Vec<[f32; 3]> = sample.flat_map(|triangle| triangle.0).map(local).collect();
        extreme_points(&points, |point| search.push(point));
    }
    search.run()
}

/// Passes on the extreme points, both ways, along the 13 axes of a cube's faces, edges and corners:
/// at most 26.
fn extreme_points(points: &[[f32; 3]], mut found: impl FnMut([f32; 3])) {
    let (mut low, mut high) = ([f32::INFINITY; 13], [f32::NEG_INFINITY; 13]);
    for point in points {
        let along = along_13(point);
        for k in 0..13 {
            low[k] = if along[k] < low[k] { along[k] } else { low[k] };
            high[k] = if along[k] > high[k] { along[k] } else { high[k] };
        }
    }
    for point in points {
        let along = along_13(point);
        let hits = (0..13).fold(false, |hits, k| hits | (along[k] == low[k]) | (along[k] == high[k]));
        if hits {
            found(*point);
            // The first point serves for all that lie as far.
            for k in 0..13 {
                low[k] = if along[k] == low[k] { f32::NAN } else { low[k] };
                high[k] = if along[k] == high[k] { f32::NAN } else { high[k] };
            }
        }
    }
}

#[inline]
fn along_13(&[x, y, z]: &[f32; 3]) -> [f32; 13] {
    let (s, d) = (x + y, x - y);
    [x, y, z, s, d, x + z, x - z, y + z, y - z, s + z, s - z, d + z, d - z]
}

/// Points along the current axes, and those axes.
struct Search {
    axes: DMat3,
    /// The points by coordinate; the lanes behind the last point repeat it once the search runs.
    points: Vec<[Lanes; 3]>,
    count: usize,
    /// A hash table of seen points: the vertices of a mesh come several times.
    seen: [u8; 256],
}

impl Search {
    fn push(&mut self, point: [f32; 3]) {
        let [x, y, z] = point.map(f32::to_bits);
        let hash = x.wrapping_mul(0x9e37_79b1) ^ y.wrapping_mul(0x85eb_ca77) ^ z.wrapping_mul(0xc2b2_ae3d);
        let slot = (hash.wrapping_mul(0x27d4_eb2f) >> 24) as usize;
        let seen = usize::from(self.seen[slot]);
        if seen < self.count && self.point(seen) == point {
            return;
        }
        self.seen[slot] = self.count as u8;
        self.append(point);
    }

    fn point(&self, i: usize) -> [f32; 3] {
        self.points[i / LANES].map(|lanes| lanes[i % LANES])
    }

    fn append(&mut self, point: [f32; 3]) {
        if self.count.is_multiple_of(LANES) {
            self.points.push([[0.0; LANES]; 3]);
        }
        let chunk = &mut self.points[self.count / LANES];
        for (lanes, x) in chunk.iter_mut().zip(point) {
            lanes[self.count % LANES] = x;
        }
        self.count += 1;
    }

    /// Turns about each axis in shrinking steps as long as the sides get shorter.
    fn run(mut self) -> DMat3 {
        let last = self.point(self.count - 1);
        while !self.count.is_multiple_of(LANES) {
            self.append(last);
        }
        let mut sides = [0, 1, 2].map(|k| self.width(k));
        let mut tangent = FIRST_TURN;
        while tangent >= LAST_TURN {
            let (cos, sin) =
                ((1.0 - tangent * tangent) / (1.0 + tangent * tangent), 2.0 * tangent / (1.0 + tangent * tangent));
            let mut improved = false;
            for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                let [forward, back] = self.turned_sides(i, j, cos as f32, sin as f32);
                let (turned, sin) =
                    if forward[0] + forward[1] <= back[0] + back[1] { (forward, sin) } else { (back, -sin) };
                let gain = sides[i] + sides[j] - (turned[0] + turned[1]);
                if gain > LEAST_GAIN * (sides[0] + sides[1] + sides[2]) {
                    self.turn(i, j, cos, sin);
                    (sides[i], sides[j], improved) = (turned[0], turned[1], true);
                }
            }
            if !improved {
                tangent *= 0.5;
            }
        }
        let x = self.axes.x_axis.normalize();
        let y = (self.axes.y_axis - x * x.dot(self.axes.y_axis)).normalize();
        DMat3::from_cols(x, y, x.cross(y))
    }

    /// The sides along axes i and j after these turn towards each other, both ways.
    #[inline]
    fn turned_sides(&self, i: usize, j: usize, cos: f32, sin: f32) -> [[f32; 2]; 2] {
        let mut low = [[f32::INFINITY; LANES]; 4];
        let mut high = [[f32::NEG_INFINITY; LANES]; 4];
        for chunk in &self.points {
            let (x, y) = (&chunk[i], &chunk[j]);
            for l in 0..LANES {
                let (a, b, c, d) = (x[l] * cos, y[l] * sin, y[l] * cos, x[l] * sin);
                for (k, v) in [a + b, c - d, a - b, c + d].into_iter().enumerate() {
                    low[k][l] = if v < low[k][l] { v } else { low[k][l] };
                    high[k][l] = if v > high[k][l] { v } else { high[k][l] };
                }
            }
        }
        let side = |k: usize| highest(&high[k]) - lowest(&low[k]);
        [[side(0), side(1)], [side(2), side(3)]]
    }

    fn turn(&mut self, i: usize, j: usize, cos: f64, sin: f64) {
        let (u, v) = (self.axes.col(i), self.axes.col(j));
        *self.axes.col_mut(i) = u * cos + v * sin;
        *self.axes.col_mut(j) = v * cos - u * sin;
        let (cos, sin) = (cos as f32, sin as f32);
        for chunk in &mut self.points {
            let (x, y) = (chunk[i], chunk[j]);
            for l in 0..LANES {
                chunk[i][l] = x[l] * cos + y[l] * sin;
                chunk[j][l] = y[l] * cos - x[l] * sin;
            }
        }
    }

    fn width(&self, k: usize) -> f32 {
        let high = self.points.iter().map(|chunk| highest(&chunk[k])).fold(f32::NEG_INFINITY, f32::max);
        high - self.points.iter().map(|chunk| lowest(&chunk[k])).fold(f32::INFINITY, f32::min)
    }
}

fn lowest(lanes: &Lanes) -> f32 {
    lanes.iter().copied().fold(f32::INFINITY, |low, x| if x < low { x } else { low })
}

fn highest(lanes: &Lanes) -> f32 {
    lanes.iter().copied().fold(f32::NEG_INFINITY, |high, x| if x > high { x } else { high })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volume::fit::{extents, vertices};
    use crate::volume::samples::{Random, cuboid};

    fn sides(triangles: &[Triangle], axes: &DMat3) -> f64 {
        let (low, high) = extents(vertices(triangles), axes);
        (high - low).element_sum()
    }

    #[test]
    fn the_search_finds_back_to_the_axes_of_a_cuboid() {
        let mut random = Random(3);
        for _ in 0..50 {
            let rotation = random.rotation();
            let triangles = cuboid(DVec3::new(0.5, 0.3, 0.1), rotation, DVec3::splat(0.2));
            let turned = rotation * DMat3::from_axis_angle(random.vector().normalize(), 0.3);
            let found = tight_axes(&triangles, &turned);
            assert!((found.determinant() - 1.0).abs() < 1e-12);
            let (best, start, reached) = (1.8, sides(&triangles, &turned), sides(&triangles, &found));
            assert!(reached - best < 0.15 * (start - best) + 1e-6, "{start} {reached}");
        }
    }

    #[test]
    fn extreme_points_reach_as_far_as_all_points_along_13_axes() {
        let mut random = Random(5);
        for grid in [4.0, 1e9] {
            let point = |_| (random.vector() * grid).round().as_vec3().to_array();
            let points: Vec<[f32; 3]> = (0..1000).map(point).collect();
            let mut found = Vec::new();
            extreme_points(&points, |point| found.push(point));
            assert!(found.len() <= 26);
            for k in 0..13 {
                let reach = |points: &[[f32; 3]]| points.iter().map(|p| along_13(p)[k]).fold(0.0, f32::max);
                assert_eq!(reach(&found), reach(&points));
            }
        }
    }
}
