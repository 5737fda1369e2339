//! Convex polyhedra inside of a solid mesh.
//!
//! Spheres lose where the surface has edges: of a cube's edge they reach 70 % of the depth. Planes
//! of triangles do not. A polyhedron starts as a box around everything, about a point inside. Each
//! triangle in it, from near to far, adds a plane that cuts it off: its own plane where the surface
//! is convex there, else one across the way to it. When there are enough planes, one of 26 fixed
//! directions moves in instead.
//!
//! # Proof
//!
//! None of this needs to be right. At the end, every triangle must lie beyond one of the planes,
//! and all vertices of the polyhedron before it. Both sides are sums of three products of
//! coordinates with a normal, off by 8 roundings of the coordinates; the gap between them must
//! exceed 64 roundings of all. So the polyhedron does not meet the surface. It is connected, so
//! that the winding number of one of its points says whether it is inside.

use super::medial::Ball;
use crate::TriMesh;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::query::Surface;
use crate::shape::{Convex, ConvexPolyhedron};
use crate::tree::Solid;
use std::collections::HashMap;

/// Planes beside those of the 26 directions.
const PLANES: usize = 24;
/// The maximum number of planes of a polyhedron.
pub(super) const MAX_PLANES: usize = 26 + PLANES;
/// The maximum number of polyhedra in a mesh.
pub(super) const COUNT: usize = 256;
/// A sphere needs no polyhedron if one has it but for this part of the size.
const SLACK: f64 = 0.001;
/// How much polyhedra shrink about their point, so that they clear the triangles whose planes they
/// have: the first that is proven is taken.
const SHRINKING: [f64; 2] = [1e-9, 1e-6];

/// A convex polyhedron inside of a solid.
pub(super) struct Inner {
    pub center: DVec3,
    pub planes: Vec<Plane>,
    pub solid: Solid,
}

/// The points whose offset from the centre is no more than `offset` along a unit normal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plane {
    pub normal: DVec3,
    pub offset: f64,
}

impl Inner {
    /// How deep a point is in it, about, negative outside; something below `least` if it is not
    /// that deep.
    pub fn margin(&self, point: DVec3, least: f64) -> f64 {
        let offset = point - self.center;
        let mut margin = f64::INFINITY;
        for plane in &self.planes {
            margin = margin.min(plane.offset - plane.normal.dot(offset));
            if margin < least {
                break;
            }
        }
        margin
    }

    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        let crate::shape::Primitive::ConvexPolyhedron(polyhedron) = self.solid.shape() else { return 0 };
        // Vertices, faces with normals, and the indices of both.
        let (vertices, faces, edges) = (polyhedron.vertex_count(), polyhedron.face_count(), polyhedron.edge_count());
        size_of::<Self>() + size_of_val(&self.planes[..]) + 24 * vertices + 24 * faces + 40 * edges
    }
}

/// Polyhedra about centres of spheres, spread over the solid, until each sphere is in one.
pub(super) fn inner_polyhedra(surface: &Surface, balls: &[Ball], size: f64) -> Vec<Inner> {
    let convex = locally_convex(surface.mesh());
    let slack = SLACK * size;
    let mut inners: Vec<Inner> = Vec::new();
    // A stride that shares no factor with the count visits each once.
    let mut stride = (balls.len() as f64 * 0.618) as usize | 1;
    while stride > 1 && !are_coprime(stride, balls.len()) {
        stride -= 1;
    }
    for number in 0..balls.len() {
        let Ball { center, radius, .. } = balls[number * stride % balls.len()];
        if inners.len() >= COUNT {
            break;
        }
        if radius > slack && !inners.iter().any(|inner| inner.margin(center, radius - slack) >= radius - slack) {
            inners.extend(inner_about(surface, &convex, center));
        }
    }
    inners
}

fn are_coprime(a: usize, b: usize) -> bool {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a == 1
}

/// Per triangle, whether none of its neighbours stands out of its plane.
fn locally_convex(mesh: &TriMesh) -> Vec<bool> {
    let key = |vertex: DVec3| vertex.to_array().map(f64::to_bits);
    let edge_of = |p: DVec3, q: DVec3| if key(p) < key(q) { [key(p), key(q)] } else { [key(q), key(p)] };
    let mut opposite: HashMap<[[u64; 3]; 2], Vec<DVec3>> = HashMap::new();
    let triangles = || (0..mesh.len() as u32).map(|id| mesh.triangle(id));
    for triangle in triangles() {
        let [p, q, r] = triangle.0;
        for (edge, vertex) in [(edge_of(p, q), r), (edge_of(q, r), p), (edge_of(r, p), q)] {
            opposite.entry(edge).or_default().push(vertex);
        }
    }
    let is_convex = |triangle: crate::Triangle| {
        let (normal, [p, q, r]) = (triangle.scaled_normal().normalize_or_zero(), triangle.0);
        let is_below = |vertex: &DVec3| normal.dot(vertex - p) <= 1e-7 * vertex.distance(p);
        let edges = [edge_of(p, q), edge_of(q, r), edge_of(r, p)];
        normal != DVec3::ZERO && edges.iter().all(|edge| opposite[edge].iter().all(is_below))
    };
    triangles().map(is_convex).collect()
}

fn inner_about(surface: &Surface, convex: &[bool], center: DVec3) -> Option<Inner> {
    let planes = cutting_planes(surface, convex, center)?;
    // The vertices of the polyhedron are the faces of the hull of its planes' poles.
    let poles: Vec<DVec3> = planes.iter().map(|plane| plane.normal / plane.offset).collect();
    let dual = ConvexPolyhedron::hull_of(&poles).ok()?;
    let vertex = |face: u32| {
        let normal = dual.face_normal(face);
        normal / normal.dot(dual.vertex(dual.face(face)[0]))
    };
    let offsets: Vec<DVec3> = (0..dual.face_count() as u32).map(vertex).collect();
    if !offsets.iter().all(|offset| offset.is_finite()) {
        return None;
    }
    let plane = |pole: DVec3| Plane { normal: pole.normalize(), offset: 1.0 / pole.length() };
    let planes: Vec<Plane> = dual.vertices().map(plane).collect();
    SHRINKING.into_iter().find_map(|part| {
        let vertices: Vec<DVec3> = offsets.iter().map(|offset| center + offset * (1.0 - part)).collect();
        let polyhedron = ConvexPolyhedron::hull_of(&vertices).ok()?;
        is_inside(surface, &polyhedron, &planes).then(|| Inner {
            center,
            planes: planes.clone(),
            solid: Solid::new(polyhedron),
        })
    })
}

/// Planes that cut all triangles off; `None` where one comes too near to the point.
fn cutting_planes(surface: &Surface, convex: &[bool], center: DVec3) -> Option<Vec<Plane>> {
    let mesh = surface.mesh();
    let (low, high) = mesh.bounding_box();
    let mut planes: Vec<Plane> = Vec::with_capacity(64);
    for code in 0..27 {
        let direction = DVec3::new((code % 3) as f64, (code / 3 % 3) as f64, (code / 9) as f64) - 1.0;
        if let Some(normal) = direction.try_normalize() {
            let corner = DVec3::select(normal.cmpgt(DVec3::ZERO), high, low);
            planes.push(Plane { normal, offset: normal.dot(corner - center) });
        }
    }
    let fixed = planes.len();
    let planes = std::cell::RefCell::new(planes);
    let failed = std::cell::Cell::new(false);
    let mut is_out = |low: DVec3, high: DVec3| {
        let is_beyond = |plane: &Plane| lowest(plane.normal, low - center, high - center) >= plane.offset;
        failed.get() || planes.borrow().iter().any(is_beyond)
    };
    let mut visit = |id: u32| {
        let mut planes = planes.borrow_mut();
        let vertices = mesh.triangle(id).0.map(|vertex| vertex - center);
        let along = |normal: DVec3| vertices.iter().map(|&vertex| normal.dot(vertex)).fold(f64::INFINITY, f64::min);
        // The fixed plane that has to move in least.
        let mut least = (0.0, 0);
        for (number, plane) in planes.iter().enumerate() {
            let part = along(plane.normal) / plane.offset;
            if part >= 1.0 - 1e-12 {
                return;
            }
            if number < fixed && part > least.0 {
                least = (part, number);
            }
        }
        let triangle = mesh.triangle(id);
        let way = vertices[0] + triangle.nearest(-vertices[0]);
        let distance = way.length();
        let normal = triangle.scaled_normal().normalize_or_zero();
        let own = if normal.dot(way) < 0.0 { -normal } else { normal };
        let is_own = along(own) > if convex[id as usize] { 0.05 } else { 0.9 } * distance;
        let normal = if is_own { own } else { way.normalize_or_zero() };
        let offset = along(normal);
        let is_full = planes.len() - fixed >= PLANES;
        if least.0 <= 0.9999 && !is_full && offset > 0.0 {
            planes.push(Plane { normal, offset });
        } else if least.0 >= 0.02 {
            planes[least.1].offset *= least.0;
        } else {
            failed.set(true);
        }
    };
    surface.visit_outward(center, &mut is_out, &mut visit);
    (!failed.get()).then(|| planes.into_inner())
}

/// The least product of a normal with a point of a box.
fn lowest(normal: DVec3, low: DVec3, high: DVec3) -> f64 {
    (normal * low).min(normal * high).element_sum()
}

/// Whether planes prove that a polyhedron does not meet the surface, and it is inside.
pub(super) fn is_inside(surface: &Surface, polyhedron: &ConvexPolyhedron, planes: &[Plane]) -> bool {
    let mesh = surface.mesh();
    let (low, high) = mesh.bounding_box();
    let center = polyhedron.center();
    let size = low.abs().max(high.abs()).element_sum() + center.abs().element_sum() + polyhedron.bounding_radius();
    let error = 64.0 * UNIT_ROUNDOFF * size;
    let tops: Vec<(DVec3, f64)> = planes
        .iter()
        .map(|plane| {
            let along = polyhedron.vertices().map(|vertex| plane.normal.dot(vertex - center));
            (plane.normal, along.fold(f64::NEG_INFINITY, f64::max) + error)
        })
        .collect();
    let proven = std::cell::Cell::new(true);
    let mut is_out = |low: DVec3, high: DVec3| {
        !proven.get() || tops.iter().any(|&(normal, top)| lowest(normal, low - center, high - center) > top)
    };
    let mut visit = |id: u32| {
        let vertices = mesh.triangle(id).0;
        let is_beyond = |&(normal, top): &(DVec3, f64)| vertices.iter().all(|v| normal.dot(v - center) > top);
        proven.set(proven.get() && tops.iter().any(is_beyond));
    };
    surface.visit_outward(center, &mut is_out, &mut visit);
    proven.get() && surface.winding_number(center) != 0
}
