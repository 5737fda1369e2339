//! Which face each sample sees: projection, clipping at the near plane, and the z-buffer.

use super::Camera;
use clearance_engine::math::DVec3;

/// What lies nearer than this to the camera's plane is cut off, in metres.
const NEAR: f64 = 0.02;
const NOTHING: u32 = u32::MAX;

/// For each sample the nearest face so far and the place on it.
pub(super) struct Raster {
    width: usize,
    height: usize,
    eye: DVec3,
    right: DVec3,
    up: DVec3,
    forward: DVec3,
    /// Samples per unit of slope.
    scale: f64,
    /// 1 / depth of the nearest face: linear in the picture.
    nearness: Vec<f32>,
    seen: Vec<u32>,
    weights: Vec<[f32; 2]>,
}

/// A vertex of a clipped face: its place in camera coordinates and its weights with respect to the
/// face's vertices.
#[derive(Clone, Copy)]
struct Vertex {
    view: DVec3,
    weights: DVec3,
}

/// A vertex in the picture: x, y, 1 / depth, and the weights divided by the depth.
struct Projected {
    x: f64,
    y: f64,
    nearness: f64,
    weights: DVec3,
}

impl Raster {
    pub(super) fn new(width: usize, height: usize, camera: &Camera) -> Self {
        let forward = (camera.target - camera.eye).try_normalize().unwrap_or(DVec3::X);
        let right = forward.cross(DVec3::Z).try_normalize().unwrap_or(DVec3::NEG_Y);
        let scale = height as f64 * 0.5 / (camera.field_of_view * 0.5).tan();
        Self::along([width, height], camera.eye, [right, right.cross(forward), forward], scale)
    }

    /// Samples seen from `eye`; `axes` are to the right, up and forward, `scale` is samples per
    /// unit of slope.
    pub(super) fn along([width, height]: [usize; 2], eye: DVec3, axes: [DVec3; 3], scale: f64) -> Self {
        let [right, up, forward] = axes;
        let samples = width * height;
        let (nearness, seen, weights) = (vec![0.0; samples], vec![NOTHING; samples], vec![[0.0; 2]; samples]);
        Self { width, height, eye, right, up, forward, scale, nearness, seen, weights }
    }

    /// The face that each sample sees, if any, and its depth there.
    pub(super) fn depths(&self) -> impl Iterator<Item = Option<(u32, f32)>> + '_ {
        let depth = |(&face, &nearness): (&u32, &f32)| (face != NOTHING).then(|| (face, 1.0 / nearness));
        self.seen.iter().zip(&self.nearness).map(depth)
    }

    /// Draws face number `face`.
    pub(super) fn cover(&mut self, face: u32, vertices: &[DVec3; 3]) {
        let weights = [DVec3::X, DVec3::Y, DVec3::Z];
        let vertices = [0, 1, 2].map(|k| Vertex { view: self.view(vertices[k]), weights: weights[k] });
        let polygon = clipped(&vertices);
        let points: Vec<Projected> = polygon.iter().map(|vertex| self.projected(vertex)).collect();
        for k in 2..points.len() {
            self.fill(face, [&points[0], &points[k - 1], &points[k]]);
        }
    }

    /// The face that each sample sees, if any, and the weights of its vertices there.
    pub(super) fn samples(&self) -> impl Iterator<Item = Option<(u32, [f64; 3])>> + '_ {
        self.seen.iter().zip(&self.weights).map(|(&face, &[a, b])| {
            let (a, b) = (f64::from(a), f64::from(b));
            (face != NOTHING).then_some((face, [a, b, 1.0 - a - b]))
        })
    }

    /// Calls `paint` for each sample within half of `width` samples of the line between two points.
    pub(super) fn along_line(&self, ends: [DVec3; 2], width: f64, mut paint: impl FnMut(usize)) {
        let ends = ends.map(|end| Vertex { view: self.view(end), weights: DVec3::ZERO });
        let visible = clipped(&ends);
        let [Some(a), Some(b)] = [visible.first(), visible.get(1)].map(|end| end.map(|end| self.projected(end))) else {
            return;
        };
        let reach = width * 0.5;
        let columns = range(a.x.min(b.x) - reach, a.x.max(b.x) + reach, self.width);
        for y in range(a.y.min(b.y) - reach, a.y.max(b.y) + reach, self.height) {
            for x in columns.clone() {
                let (px, py) = (x as f64 + 0.5 - a.x, y as f64 + 0.5 - a.y);
                let (dx, dy) = (b.x - a.x, b.y - a.y);
                let along = ((px * dx + py * dy) / (dx * dx + dy * dy).max(1e-12)).clamp(0.0, 1.0);
                if (px - along * dx).hypot(py - along * dy) <= reach {
                    paint(y * self.width + x);
                }
            }
        }
    }

    /// Camera coordinates: right, up, depth.
    fn view(&self, point: DVec3) -> DVec3 {
        let offset = point - self.eye;
        DVec3::new(offset.dot(self.right), offset.dot(self.up), offset.dot(self.forward))
    }

    fn projected(&self, vertex: &Vertex) -> Projected {
        let nearness = 1.0 / vertex.view.z;
        Projected {
            x: self.width as f64 * 0.5 + vertex.view.x * nearness * self.scale,
            y: self.height as f64 * 0.5 - vertex.view.y * nearness * self.scale,
            nearness,
            weights: vertex.weights * nearness,
        }
    }

    fn fill(&mut self, face: u32, [a, b, c]: [&Projected; 3]) {
        let width = self.width;
        scan([a, b, c].map(|point| (point.x, point.y)), width, self.height, |x, y, [u, v, w]| {
            let nearness = u * a.nearness + v * b.nearness + w * c.nearness;
            let sample = y * width + x;
            if nearness as f32 > self.nearness[sample] {
                let weights = (a.weights * u + b.weights * v + c.weights * w) / nearness;
                self.nearness[sample] = nearness as f32;
                self.seen[sample] = face;
                self.weights[sample] = [weights.x as f32, weights.y as f32];
            }
        });
    }
}

/// Calls `visit` with each point (x, y) of a grid whose middle lies in a triangle, and with the
/// vertices' weights there.
pub(super) fn scan(
    vertices: [(f64, f64); 3],
    width: usize,
    height: usize,
    mut visit: impl FnMut(usize, usize, [f64; 3]),
) {
    let [a, b, c] = vertices;
    let area = (b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1);
    if area.abs() < 1e-12 {
        return;
    }
    // A weight is linear: its value at x = 0 in row `py`, and what it gains per column.
    let weight =
        |p: (f64, f64), q: (f64, f64), py: f64| ((p.0 * (q.1 - py) - q.0 * (p.1 - py)) / area, (p.1 - q.1) / area);
    let (left, right) = (a.0.min(b.0).min(c.0), a.0.max(b.0).max(c.0));
    for y in range(a.1.min(b.1).min(c.1), a.1.max(b.1).max(c.1), height) {
        let py = y as f64 + 0.5;
        let weights = [weight(b, c, py), weight(c, a, py), weight(a, b, py)];
        let (mut low, mut high) = (left, right);
        for (start, slope) in weights {
            if slope > 0.0 {
                low = low.max(-start / slope);
            } else if slope < 0.0 {
                high = high.min(-start / slope);
            }
        }
        for x in range(low, high, width) {
            let px = x as f64 + 0.5;
            let values = weights.map(|(start, slope)| start + slope * px);
            if values.iter().all(|&value| value >= 0.0) {
                visit(x, y, values);
            }
        }
    }
}

/// The part of a polygon (or of a segment) before the near plane (Sutherland and Hodgman, 1974).
fn clipped(vertices: &[Vertex]) -> Vec<Vertex> {
    let mut kept = Vec::with_capacity(vertices.len() + 1);
    for (i, vertex) in vertices.iter().enumerate() {
        let next = &vertices[(i + 1) % vertices.len()];
        let (depth, next_depth) = (vertex.view.z - NEAR, next.view.z - NEAR);
        if depth >= 0.0 {
            kept.push(*vertex);
        }
        if (depth >= 0.0) != (next_depth >= 0.0) {
            let t = depth / (depth - next_depth);
            let mix = |a: DVec3, b: DVec3| a + (b - a) * t;
            kept.push(Vertex { view: mix(vertex.view, next.view), weights: mix(vertex.weights, next.weights) });
        }
    }
    kept
}

/// The samples whose middles may lie in [low, high].
fn range(low: f64, high: f64, count: usize) -> std::ops::Range<usize> {
    let clamp = |x: f64| x.clamp(0.0, count as f64) as usize;
    clamp((low - 0.5).floor())..clamp((high + 0.5).ceil())
}
