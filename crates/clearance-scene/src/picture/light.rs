//! What colour a place has: normals that are smooth up to a crease, one sun with a shadow map, and
//! light from the sky.

use super::Color;
use super::raster::scan;
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;

/// A triangle in the world.
#[derive(Debug, Clone)]
pub(super) struct Face {
    pub(super) vertices: [DVec3; 3],
    pub(super) normals: [DVec3; 3],
    /// Linear.
    pub(super) color: [f32; 3],
}

/// The colour where nothing is, linear.
pub(super) const BACKGROUND: [f32; 3] = [0.83, 0.88, 0.93];

/// Faces whose normals differ by less than 38° are shaded as one smooth surface.
const CREASE_COSINE: f64 = 0.79;
/// Towards the sun; not normalised.
const SUNWARD: DVec3 = DVec3::new(-0.55, -0.35, 1.0);
const SUN_STRENGTH: f64 = 0.72;
/// Light from above and from below.
const SKY: f64 = 0.46;
const GROUND: f64 = 0.24;
/// Points of the shadow map along a side.
const SHADOW_SIZE: usize = 2048;
/// The width of a shadow's soft border, in points of the map to each side.
const SHADOW_BLUR: i64 = 1;

/// For each triangle, the normals at its vertices: the mean of the normals of the triangles around
/// that vertex that are no further away than a crease. Vertices are told apart by their numbers, so
/// a triangle mesh is flat.
///
/// ```
/// use clearance_engine::{TriMesh, math::DVec3};
/// let mesh = TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?;
/// assert_eq!(clearance_scene::picture::vertex_normals(&mesh), [[DVec3::Z; 3]]);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn vertex_normals(mesh: &TriMesh) -> Vec<[DVec3; 3]> {
    let scaled: Vec<DVec3> = (0..mesh.len() as u32).map(|i| mesh.triangle(i).scaled_normal()).collect();
    let unit: Vec<DVec3> = scaled.iter().map(|normal| normal.normalize_or_zero()).collect();
    // The triangles around vertex v are around[first[v] .. first[v + 1]].
    let mut first = vec![0_usize; mesh.vertices().len() + 1];
    mesh.triangles().iter().flatten().for_each(|&vertex| first[vertex as usize + 1] += 1);
    (1..first.len()).for_each(|v| first[v] += first[v - 1]);
    let mut next = first.clone();
    let mut around = vec![0_usize; 3 * mesh.len()];
    for (i, &vertex) in mesh.triangles().iter().flatten().enumerate() {
        around[next[vertex as usize]] = i / 3;
        next[vertex as usize] += 1;
    }
    let smooth = |triangle: usize, vertex: u32| {
        let ring = &around[first[vertex as usize]..first[vertex as usize + 1]];
        let near = ring.iter().filter(|&&other| unit[other].dot(unit[triangle]) > CREASE_COSINE);
        near.map(|&other| scaled[other]).sum::<DVec3>().try_normalize().unwrap_or(unit[triangle])
    };
    let points = mesh.triangles().iter().enumerate();
    points.map(|(i, triangle)| triangle.map(|vertex| smooth(i, vertex))).collect()
}

/// The sun, and how far from it the nearest surface is in each direction of a grid.
pub(super) struct Sun {
    sunward: DVec3,
    side: DVec3,
    up: DVec3,
    low: DVec3,
    /// Points of the map per metre.
    scale: f64,
    /// Height towards the sun of the surface that is lit.
    lit: Vec<f32>,
}

impl Sun {
    pub(super) fn new(faces: &[Face]) -> Self {
        let sunward = SUNWARD.normalize();
        let side = sunward.any_orthonormal_vector();
        let mut sun = Self { sunward, side, up: sunward.cross(side), low: DVec3::ZERO, scale: 1.0, lit: Vec::new() };
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for vertex in faces.iter().flat_map(|face| face.vertices) {
            let place = sun.coordinates(vertex);
            (low, high) = (low.min(place), high.max(place));
        }
        if faces.is_empty() {
            return sun;
        }
        sun.low = low;
        sun.scale = SHADOW_SIZE as f64 / (high.x - low.x).max(high.y - low.y).max(1e-9);
        sun.lit = vec![f32::NEG_INFINITY; SHADOW_SIZE * SHADOW_SIZE];
        faces.iter().for_each(|face| sun.cast(&face.vertices));
        sun
    }

    /// Across, across, and towards the sun.
    fn coordinates(&self, point: DVec3) -> DVec3 {
        DVec3::new(point.dot(self.side), point.dot(self.up), point.dot(self.sunward))
    }

    fn on_map(&self, point: DVec3) -> DVec3 {
        let place = self.coordinates(point) - self.low;
        DVec3::new(place.x * self.scale, place.y * self.scale, place.z)
    }

    fn cast(&mut self, vertices: &[DVec3; 3]) {
        let [a, b, c] = vertices.map(|vertex| self.on_map(vertex));
        let lit = &mut self.lit;
        scan([a, b, c].map(|vertex| (vertex.x, vertex.y)), SHADOW_SIZE, SHADOW_SIZE, |x, y, [u, v, w]| {
            let point = &mut lit[y * SHADOW_SIZE + x];
            *point = point.max((a.z * u + b.z * v + c.z * w) as f32);
        });
    }

    /// Which part of the sun is seen from `point` on a surface with this normal.
    fn seen(&self, point: DVec3, normal: DVec3) -> f64 {
        // A point of the map is wide: a surface must not shade itself there.
        let place = self.on_map(point + normal * (2.5 / self.scale)) + DVec3::Z * (1.5 / self.scale);
        let (x, y) = (place.x as i64, place.y as i64);
        let mut free = 0;
        for (dx, dy) in (-SHADOW_BLUR..=SHADOW_BLUR).flat_map(|dy| (-SHADOW_BLUR..=SHADOW_BLUR).map(move |dx| (dx, dy)))
        {
            let clamp = |i: i64| i.clamp(0, SHADOW_SIZE as i64 - 1) as usize;
            let lit = self.lit[clamp(y + dy) * SHADOW_SIZE + clamp(x + dx)];
            free += i64::from(lit <= place.z as f32);
        }
        let side = 2 * SHADOW_BLUR + 1;
        free as f64 / (side * side) as f64
    }
}

/// The linear colour of the place on `face` with these weights, seen from `eye`.
pub(super) fn shade(face: &Face, weights: [f64; 3], sun: &Sun, eye: DVec3) -> [f32; 3] {
    let mix = |values: &[DVec3; 3]| values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2];
    let point = mix(&face.vertices);
    let to_eye = (eye - point).normalize_or_zero();
    let [a, b, c] = face.vertices;
    let flat = (b - a).cross(c - a).normalize_or_zero();
    // A surface seen from behind is lit as its other side.
    let facing = if flat.dot(to_eye) < 0.0 { -1.0 } else { 1.0 };
    let normal = (mix(&face.normals) * facing).normalize_or_zero();
    let toward = normal.dot(sun.sunward).max(0.0);
    let direct = if toward > 0.0 { toward * sun.seen(point, flat * facing) } else { 0.0 };
    let ambient = GROUND + (SKY - GROUND) * (0.5 + 0.5 * normal.z);
    let half = (to_eye + sun.sunward).normalize_or_zero();
    let gloss = if direct > 0.0 { 0.10 * direct * normal.dot(half).max(0.0).powi(40) } else { 0.0 };
    face.color.map(|channel| channel * (ambient + SUN_STRENGTH * direct) as f32 + gloss as f32)
}

/// sRGB bytes to linear light.
pub(super) fn linear(color: Color) -> [f32; 3] {
    color.map(|byte| (f32::from(byte) / 255.0).powf(2.2))
}

/// Linear light to an sRGB byte.
pub(super) fn byte(linear: f32) -> u8 {
    (linear.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0).round() as u8
}
