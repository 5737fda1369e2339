//! How far points are outside of a body, on a grid; an estimate that only says where spheres go.

use super::cells;
use clearance_engine::math::DVec3;
use clearance_engine::query::winding_number;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh};

/// Cells along the longest side, without the rim.
const RESOLUTION: f64 = 26.0;
/// Cells around the body.
const RIM: f64 = 8.0;
/// Points that stand for the surface.
const SAMPLES: usize = 1500;

pub(super) struct Grid {
    origin: DVec3,
    pub(super) edge: f64,
    counts: DVec3,
    /// Below 0 inside.
    values: Vec<f32>,
    /// Points on the surface.
    pub(super) samples: Vec<DVec3>,
}

impl Grid {
    pub(super) fn new(mesh: &Mesh, pieces: &[[DVec3; 3]]) -> Self {
        let (low, high) = mesh.bounding_box();
        let edge = ((high - low).max_element() / RESOLUTION).max(f64::MIN_POSITIVE);
        let origin = low - RIM * edge;
        let counts = ((high - low) / edge).ceil() + 2.0 * RIM + 1.0;
        let middles: Vec<DVec3> = pieces.iter().map(|[a, b, c]| (*a + *b + *c) / 3.0).collect();
        let samples: Vec<DVec3> = middles.iter().copied().step_by(middles.len().div_ceil(SAMPLES).max(1)).collect();
        let mut columns: [Vec<f32>; 3] = Default::default();
        for sample in &samples {
            for (column, value) in columns.iter_mut().zip((*sample - origin).to_array()) {
                column.push(value as f32);
            }
        }
        let nearest = |point: DVec3| {
            let [x, y, z] = (point - origin).to_array().map(|value| value as f32);
            let mut best = [f32::MAX; 8];
            let chunks = columns[0].chunks(8).zip(columns[1].chunks(8)).zip(columns[2].chunks(8));
            for ((xs, ys), zs) in chunks {
                for (i, ((a, b), c)) in xs.iter().zip(ys).zip(zs).enumerate() {
                    best[i] = best[i].min((a - x) * (a - x) + (b - y) * (b - y) + (c - z) * (c - z));
                }
            }
            best.into_iter().fold(f32::MAX, f32::min).sqrt()
        };
        let mut workspace = Workspace::default();
        let values = cells(counts).map(|cell| {
            let point = origin + cell * edge;
            let distance = nearest(point);
            let boxed = point.cmpge(low).all() && point.cmple(high).all();
            let inside = boxed && winding_number(mesh, point, &mut workspace) != 0;
            if inside { -distance } else { distance }
        });
        let values = values.collect();
        Self { origin, edge, counts, values, samples }
    }

    /// How far a point is outside, below 0 inside.
    pub(super) fn at(&self, point: DVec3) -> f64 {
        let place = (point - self.origin) / self.edge;
        let cell = place.floor();
        if cell.min_element() < 0.0 || (self.counts - cell).min_element() <= 1.0 {
            return RIM * self.edge;
        }
        let part = place - cell;
        let [_, y, z] = self.counts.to_array().map(|count| count as usize);
        let first = (cell.x as usize * y + cell.y as usize) * z + cell.z as usize;
        let value = |offset: usize| f64::from(self.values[first + offset]);
        let along_z = |offset: usize| value(offset) * (1.0 - part.z) + value(offset + 1) * part.z;
        let along_y = |offset: usize| along_z(offset) * (1.0 - part.y) + along_z(offset + z) * part.y;
        along_y(0) * (1.0 - part.x) + along_y(y * z) * part.x
    }

    fn points(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        cells(self.counts).map(|cell| self.origin + cell * self.edge).zip(self.values.iter().map(|&v| f64::from(v)))
    }

    /// The points inside with their depths, the deepest first.
    pub(super) fn inside(&self) -> Vec<(DVec3, f64)> {
        let mut inside: Vec<(DVec3, f64)> =
            self.points().filter(|(_, value)| *value < 0.0).map(|(point, value)| (point, -value)).collect();
        inside.sort_by(|a, b| b.1.total_cmp(&a.1));
        inside
    }

    /// Points in and about the body, at most so many.
    pub(super) fn candidates(&self, max_count: usize) -> Vec<DVec3> {
        let about: Vec<DVec3> =
            self.points().filter(|(_, value)| *value < 0.6 * self.edge).map(|(point, _)| point).collect();
        about.iter().copied().step_by(about.len().div_ceil(max_count).max(1)).collect()
    }
}
