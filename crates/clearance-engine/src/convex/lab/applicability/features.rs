//! The features of one polyhedron as filters see them, and walks over them.
//!
//! Everything is relative to the body's centre, turned into the world, and in units of the body's
//! reach: neither translations nor sizes matter for what is applicable.

use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{Convex, ConvexPolyhedron, polygon_normal};

/// How far differences of vertices are off.
const OF_DIFFERENCE: f64 = 32.0 * UNIT_ROUNDOFF;
/// How far each cross product in a face's normal is off.
const OF_NORMAL: f64 = 256.0 * UNIT_ROUNDOFF;
/// How far the product of two edges and a third difference is off: three times what one of them is
/// off times the lengths of the others, at most 2 each, and as much again for the arithmetic.
const OF_TRIPLE: f64 = 24.0 * OF_DIFFERENCE;

/// A face's plane, up to where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    /// Outward, of any length.
    normal: DVec3,
    /// How far it is off, at most.
    error: f64,
    is_front: bool,
}

/// An edge and the faces beside it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edge {
    pub(super) ends: [u32; 2],
    pub(super) faces: [u32; 2],
    pub(super) is_front: bool,
    along: DVec3,
    /// From its first end into each face.
    into: [DVec3; 2],
}

/// A polyhedron's vertices, edges and faces.
pub(super) struct Features<'p> {
    body: &'p ConvexPolyhedron,
    vertices: Vec<DVec3>,
    faces: Vec<Face>,
    edges: Vec<Edge>,
    /// The edges of each vertex.
    around: Vec<Vec<u32>>,
}

impl<'p> Features<'p> {
    /// `velocity` says which features are front ones; with zero all are.
    pub(super) fn new(body: &'p ConvexPolyhedron, velocity: DVec3) -> Self {
        let vertices: Vec<DVec3> =
            (0..body.vertex_count() as u32).map(|i| body.vertex_offset(i) / body.bounding_radius()).collect();
        let faces: Vec<Face> = (0..body.face_count() as u32)
            .map(|face| {
                let loop_ = body.face(face);
                let normal = polygon_normal(loop_.iter().map(|&vertex| vertices[vertex as usize]));
                let error = OF_NORMAL * (loop_.len() - 2) as f64;
                let slack = (error + 8.0 * UNIT_ROUNDOFF * normal.length()) * velocity.length();
                Face { normal, error, is_front: normal.dot(velocity) >= -slack }
            })
            .collect();
        let mut features = Self { body, vertices, faces, edges: Vec::new(), around: Vec::new() };
        features.link();
        features
    }

    /// Lists the edges: each once, from the face on whose left it is with the lower number first.
    fn link(&mut self) {
        self.around = vec![Vec::new(); self.vertices.len()];
        for face in 0..self.faces.len() as u32 {
            let loop_ = self.body.face(face);
            for (place, &beyond) in self.body.faces_across(face).iter().enumerate() {
                let [from, to] = [place, place + 1].map(|place| loop_[place % loop_.len()]);
                if from > to {
                    continue;
                }
                let [start, end] = [from, to].map(|vertex| self.vertices[vertex as usize]);
                let into = [face, beyond].map(|face| self.farthest_from_line(face, start, end - start) - start);
                let is_front = [face, beyond].iter().any(|&face| self.faces[face as usize].is_front);
                for vertex in [from, to] {
                    self.around[vertex as usize].push(self.edges.len() as u32);
                }
                self.edges.push(Edge { ends: [from, to], faces: [face, beyond], is_front, along: end - start, into });
            }
        }
    }

    /// The vertex of a face that is farthest from the line of one of its sides: that tells most
    /// about its plane.
    fn farthest_from_line(&self, face: u32, start: DVec3, along: DVec3) -> DVec3 {
        let vertices = self.body.face(face).iter().map(|&vertex| self.vertices[vertex as usize]);
        let height = |vertex: &DVec3| (*vertex - start).cross(along).length_squared();
        vertices.max_by(|p, q| height(p).total_cmp(&height(q))).unwrap_or(start)
    }

    pub(super) fn face_count(&self) -> usize {
        self.faces.len()
    }

    pub(super) fn face(&self, face: u32) -> &Face {
        &self.faces[face as usize]
    }

    pub(super) fn is_front(&self, face: u32) -> bool {
        self.faces[face as usize].is_front
    }

    pub(super) fn front_faces(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.faces.len() as u32).filter(|&face| self.is_front(face))
    }

    pub(super) fn front_edges(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|edge| edge.is_front)
    }

    /// Vertices of which a face is a front one.
    pub(super) fn front_vertices(&self) -> impl Iterator<Item = u32> + '_ {
        let is_front = |vertex: &u32| self.body.faces_around(*vertex).iter().any(|&face| self.is_front(face));
        (0..self.vertices.len() as u32).filter(is_front)
    }

    /// Whether a direction, given with its error, may be a normal of a plane that touches the body
    /// in all of an edge.
    fn may_support(&self, edge: &Edge, normal: DVec3, error: f64) -> bool {
        let slack = 2.0 * error + 2.0 * OF_DIFFERENCE * normal.length();
        edge.into.iter().all(|into| normal.dot(*into) <= slack)
    }
}

/// A walk from vertex to vertex, with the memory that takes.
pub(super) struct Walk {
    /// The walk in which each vertex was met last.
    met: Vec<u32>,
    walk: u32,
    queue: Vec<u32>,
}

impl Walk {
    /// Over such a body.
    pub(super) fn new(features: &Features<'_>) -> Self {
        Self { met: vec![0; features.vertices.len()], walk: 0, queue: Vec::new() }
    }

    fn begin(&mut self, seeds: impl Iterator<Item = u32>) {
        self.walk += 1;
        self.queue.clear();
        seeds.for_each(|vertex| self.meet(vertex));
    }

    fn meet(&mut self, vertex: u32) {
        if std::mem::replace(&mut self.met[vertex as usize], self.walk) != self.walk {
            self.queue.push(vertex);
        }
    }

    /// The vertices of `features` that may be the lowest over another body's face.
    ///
    /// Those no higher than one of them are connected by edges, and all of them are met on the way.
    pub(super) fn lowest(&mut self, features: &Features<'_>, face: &Face) -> &[u32] {
        let start = features.body.support_vertex(-face.normal);
        let slack = 2.0 * face.error + 4.0 * OF_DIFFERENCE * face.normal.length();
        let lowest = features.vertices[start as usize];
        self.begin(std::iter::once(start));
        let mut next = 0;
        while let Some(&vertex) = self.queue.get(next) {
            for &neighbor in features.body.neighbors(vertex) {
                if face.normal.dot(features.vertices[neighbor as usize] - lowest) <= slack {
                    self.meet(neighbor);
                }
            }
            next += 1;
        }
        &self.queue
    }

    /// Visits the edges at the seeds and at all vertices to which edges lead for which `meets`
    /// holds, each once.
    pub(super) fn edges_that_meet(
        &mut self,
        features: &Features<'_>,
        seeds: impl Iterator<Item = u32>,
        mut meets: impl FnMut(&Edge) -> bool,
    ) {
        self.begin(seeds);
        let mut next = 0;
        while let Some(&vertex) = self.queue.get(next) {
            next += 1;
            for &edge in &features.around[vertex as usize] {
                let edge = &features.edges[edge as usize];
                let other = if edge.ends[0] == vertex { edge.ends[1] } else { edge.ends[0] };
                // From an end that was worked off before, it was visited then.
                let done = self.queue[..next - 1].contains(&other);
                if !done && meets(edge) {
                    self.meet(other);
                }
            }
        }
    }
}

/// The directions in which planes along two edges may part the bodies: A's outward normals.
pub(super) struct Normals {
    cross: DVec3,
    /// How far the product is off, at most.
    error: f64,
    /// Along the product of the edges, and against it.
    signs: [bool; 2],
    /// The edges are parallel, up to rounding: the product says nothing.
    parallel: bool,
}

impl Normals {
    /// Whether there are any.
    pub(super) fn any(&self) -> bool {
        self.signs[0] || self.signs[1]
    }

    /// Whether one of them is not turned away from a velocity.
    pub(super) fn lead_along(&self, velocity: DVec3) -> bool {
        let slack = (self.error + 8.0 * UNIT_ROUNDOFF * self.cross.length()) * velocity.length();
        let along = self.cross.dot(velocity);
        self.parallel || self.signs[0] && along >= -slack || self.signs[1] && along <= slack
    }
}

/// The planes along an edge of A and one of B that may have the bodies on different sides.
pub(super) fn meeting_normals((a, edge): (&Features<'_>, &Edge), (b, other): (&Features<'_>, &Edge)) -> Normals {
    let cross = edge.along.cross(other.along);
    // As for a triple product, without the third difference.
    let error = 0.5 * OF_TRIPLE;
    let parallel = cross.length() <= error;
    let signs = if parallel {
        [parallel_edges_meet((a, edge), (b, other)), false]
    } else {
        let (inner, outer) = (edge.into.map(|into| cross.dot(into)), other.into.map(|into| cross.dot(into)));
        [1.0, -1.0]
            .map(|sign| inner.iter().all(|x| sign * x <= OF_TRIPLE) && outer.iter().all(|y| sign * y >= -OF_TRIPLE))
    };
    Normals { cross, error, signs, parallel }
}

/// Arcs on one great circle overlap iff an end of one is in the other.
fn parallel_edges_meet((a, edge): (&Features<'_>, &Edge), (b, other): (&Features<'_>, &Edge)) -> bool {
    let ends = |features: &Features<'_>, edge: &Edge| edge.faces.map(|face| *features.face(face));
    let of_a = ends(a, edge).iter().any(|face| b.may_support(other, -face.normal, face.error));
    of_a || ends(b, other).iter().any(|face| a.may_support(edge, -face.normal, face.error))
}
