//! Meshes from formulas.

use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::{Result, TriMesh};
use std::collections::HashMap;
use std::f64::consts::TAU;

/// A tube of `around` × `across` quads (two triangles each) along a closed curve.
///
/// `radius` gives the tube's radius at (position along the curve, position around the tube), both
/// in [0, 1).
fn tube(
    curve: impl Fn(f64) -> DVec3,
    radius: impl Fn(f64, f64) -> f64,
    along: usize,
    around: usize,
) -> Result<TriMesh> {
    let mut vertices = Vec::with_capacity(along * around);
    for i in 0..along {
        let t = i as f64 / along as f64;
        let center = curve(t);
        let tangent = (curve(t + 1e-4) - curve(t - 1e-4)).normalize();
        // A frame that does not turn along the curve: the curves here never come near the z axis's
        // direction twice.
        let side = tangent.cross(DVec3::Z).try_normalize().unwrap_or(DVec3::X);
        let up = side.cross(tangent);
        for j in 0..around {
            let s = j as f64 / around as f64;
            let (sin, cos) = (s * TAU).sin_cos();
            vertices.push(center + (side * cos + up * sin) * radius(t, s));
        }
    }
    let id = |i: usize, j: usize| ((i % along) * around + j % around) as u32;
    let mut triangles = Vec::with_capacity(2 * along * around);
    for i in 0..along {
        for j in 0..around {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    TriMesh::new(vertices, triangles)
}

/// A torus around the z axis.
///
/// ```
/// let torus = clearance_bench::models::torus(1.0, 0.3, 48, 24)?;
/// assert_eq!(torus.len(), 2 * 48 * 24);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn torus(major: f64, minor: f64, along: usize, around: usize) -> Result<TriMesh> {
    tube(|t| circle(t) * major, |_, _| minor, along, around)
}

/// A torus whose tube swells and shrinks `knobs` times, as the fixed torus of PQP's falling demo
/// does.
pub fn knobby_torus(major: f64, minor: f64, knobs: u32, along: usize, around: usize) -> Result<TriMesh> {
    let swell = move |t: f64, s: f64| minor * (1.0 + 0.3 * (f64::from(knobs) * t * TAU).sin() * (3.0 * s * TAU).cos());
    tube(|t| circle(t) * major, swell, along, around)
}

/// A torus bent out of its plane, as the falling torus of PQP's demo is.
pub fn bent_torus(major: f64, minor: f64, along: usize, around: usize) -> Result<TriMesh> {
    let bend = move |t: f64| circle(t) * major + DVec3::Z * (0.4 * major * (2.0 * t * TAU).cos());
    tube(bend, |_, _| minor, along, around)
}

/// A (2, 3) torus knot about 2 units across.
pub fn torus_knot(along: usize, around: usize) -> Result<TriMesh> {
    let knot = |t: f64| {
        let (p, q) = (2.0 * t * TAU, 3.0 * t * TAU);
        let r = 0.7 + 0.3 * q.cos();
        DVec3::new(r * p.cos(), r * p.sin(), 0.3 * q.sin())
    };
    tube(knot, |_, _| 0.1, along, around)
}

fn circle(t: f64) -> DVec3 {
    let (sin, cos) = (t * TAU).sin_cos();
    DVec3::new(cos, sin, 0.0)
}

/// A sphere of radius about 1 with 20·4^`level` triangles, its surface displaced by smooth bumps of
/// the given height.
///
/// ```
/// assert_eq!(clearance_bench::models::icosphere(2, 0.1)?.len(), 320);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn icosphere(level: u32, bumps: f64) -> Result<TriMesh> {
    let golden = (1.0 + 5.0_f64.sqrt()) / 2.0;
    let mut vertices: Vec<DVec3> = Vec::new();
    for (x, y) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        vertices.push(DVec3::new(x, y, 0.0).normalize());
    }
    for (y, z) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        vertices.push(DVec3::new(0.0, y, z).normalize());
    }
    for (x, z) in [(golden, -1.0), (golden, 1.0), (-golden, -1.0), (-golden, 1.0)] {
        vertices.push(DVec3::new(x, 0.0, z).normalize());
    }
    #[rustfmt::skip]
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4], [11, 10, 2], [10, 7, 6], [7, 1, 8],
        [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9], [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1],
    ];
    for _ in 0..level {
        let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertices.push(((vertices[a as usize] + vertices[b as usize]) * 0.5).normalize());
                vertices.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    let bump = |v: DVec3| (5.0 * v.x).sin() * (4.0 * v.y + 1.0).sin() + (7.0 * v.z).cos() * (3.0 * v.x).sin();
    let displaced = vertices.iter().map(|&v| v * (1.0 + bumps * 0.5 * bump(v))).collect();
    TriMesh::new(displaced, triangles)
}

/// The surface of cubes of edge 1 stacked face to face, given by their lowest vertices; each face
/// is cut into 2 · `cuts`² triangles, and faces between two cubes are left out. Cubes that touch
/// along an edge only share its vertices.
///
/// ```
/// use clearance_bench::models::cubes;
/// assert_eq!(cubes(&[[0, 0, 0]], 16)?.len(), 3072);
/// assert_eq!(cubes(&[[0, 0, 0], [1, 0, 0], [0, 1, 0]], 1)?.len(), 2 * 14);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn cubes(points: &[[i32; 3]], cuts: u32) -> Result<TriMesh> {
    let (mut vertices, mut numbers) = (Vec::new(), HashMap::new());
    let mut number = |at: [i64; 3]| {
        *numbers.entry(at).or_insert_with(|| {
            vertices.push(DVec3::from_array(at.map(|x| x as f64 / f64::from(cuts))));
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::new();
    for vertex in points {
        for axis in 0..3 {
            for side in 0..2 {
                let mut neighbour = *vertex;
                neighbour[axis] += 2 * side - 1;
                if points.contains(&neighbour) {
                    continue;
                }
                // Seen along the axis, u, v and the axis turn right-handed: outward on the upper
                // side.
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut point = |i: u32, j: u32| {
                    let mut at = vertex.map(|x| i64::from(x) * i64::from(cuts));
                    at[axis] += i64::from(side) * i64::from(cuts);
                    at[u] += i64::from(i);
                    at[v] += i64::from(j);
                    number(at)
                };
                for (i, j) in (0..cuts).flat_map(|i| (0..cuts).map(move |j| (i, j))) {
                    let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
                    let (b, d) = if side == 1 { (b, d) } else { (d, b) };
                    triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }
    TriMesh::new(vertices, triangles)
}

/// The same mesh turned and moved.
pub fn placed(mesh: &TriMesh, rotation: DQuat, translation: DVec3) -> Result<TriMesh> {
    mesh.with_vertices(mesh.vertices().iter().map(|&v| rotation * v + translation).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_engine::shape::check_closed;

    #[test]
    fn every_model_is_closed() {
        for mesh in [
            torus(1.0, 0.3, 30, 12),
            knobby_torus(1.0, 0.3, 6, 54, 30),
            bent_torus(1.0, 0.2, 37, 18),
            torus_knot(200, 20),
            icosphere(3, 0.1),
            cubes(&[[0, 0, 0], [1, 0, 0], [0, 0, 1]], 3),
        ] {
            check_closed(&mesh.unwrap()).unwrap();
        }
    }
}
