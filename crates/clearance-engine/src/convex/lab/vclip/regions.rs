//! Voronoi regions of a convex polyhedron's features, and what of an edge is inside of them.
//!
//! A feature's region is the space that is nearer to it than to any other feature; it ends at
//! planes, each shared with one neighbour. Vertices and edges share planes across the edge, edges
//! and faces planes along it. All is in the polyhedron's own coordinates, where vertices need not
//! be turned or moved.

use crate::math::{DMat3, DVec3};
use crate::shape::{ConvexPolyhedron, Local};

/// A vertex, edge or face of a convex polyhedron, by numbers of its vertices or of the face.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// The vertex of this number.
    Vertex(u32),
    /// The edge between two vertices.
    Edge(u32, u32),
    /// The face of this number.
    Face(u32),
}

impl Feature {
    /// Whether a polyhedron has this feature.
    pub fn is_of(&self, polyhedron: &ConvexPolyhedron) -> bool {
        match *self {
            Self::Vertex(v) => (v as usize) < polyhedron.vertex_count(),
            Self::Edge(from, to) => polyhedron.face_beside(from, to).is_some(),
            Self::Face(f) => (f as usize) < polyhedron.face_count(),
        }
    }

    /// One of its vertices.
    pub(super) fn vertex(&self, polyhedron: &ConvexPolyhedron) -> u32 {
        match *self {
            Self::Vertex(v) => v,
            Self::Edge(from, _) => from,
            Self::Face(f) => polyhedron.face(f)[0],
        }
    }
}

/// One of two polyhedra, and how the other's coordinates become its own.
pub(super) struct Side<'p> {
    pub polyhedron: &'p ConvexPolyhedron,
    local: Local<'p>,
    turn: DMat3,
    shift: DVec3,
}

/// An edge, or a part of one, from `tail` to `head`.
#[derive(Clone, Copy)]
pub(super) struct Segment {
    pub tail: DVec3,
    pub head: DVec3,
}

impl Segment {
    #[inline]
    pub(super) fn along(&self) -> DVec3 {
        self.head - self.tail
    }

    #[inline]
    pub(super) fn at(&self, place: f64) -> DVec3 {
        self.tail + self.along() * place
    }
}

/// What of an edge is inside of some planes, and which neighbours are beyond its ends.
pub(super) struct Clipped {
    pub low: f64,
    pub high: f64,
    pub below: Option<Feature>,
    pub above: Option<Feature>,
}

impl Clipped {
    pub(super) const WHOLE: Self = Self { low: 0.0, high: 1.0, below: None, above: None };

    /// Cuts off what is beyond a plane: `tail` and `head` are how far the ends are inside of it.
    #[inline]
    pub(super) fn cut(&mut self, tail: f64, head: f64, neighbor: Feature) {
        if tail >= 0.0 && head >= 0.0 {
            return;
        }
        if tail < 0.0 && head < 0.0 {
            // All of it is in the neighbour's half: nothing else need be looked at.
            *self = Self { low: 1.0, high: 0.0, below: Some(neighbor), above: Some(neighbor) };
            return;
        }
        let place = tail / (tail - head);
        if tail < 0.0 && place > self.low {
            (self.low, self.below) = (place, Some(neighbor));
        } else if head < 0.0 && place < self.high {
            (self.high, self.above) = (place, Some(neighbor));
        }
    }

    /// The one neighbour in whose half all of the edge is.
    #[inline]
    pub(super) fn beyond(&self) -> Option<Feature> {
        if self.below == self.above { self.below } else { None }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.low > self.high
    }
}

impl<'p> Side<'p> {
    /// `offset`: from its centre to the other's, in the coordinates of the world.
    pub(super) fn new(polyhedron: &'p ConvexPolyhedron, other: &ConvexPolyhedron, offset: DVec3) -> Self {
        let (local, theirs) = (polyhedron.local(), other.local());
        let turn = local.axes_of(&theirs) * (theirs.scale / local.scale);
        Self { polyhedron, local, turn, shift: local.turned_in(offset / local.scale) }
    }

    #[inline]
    pub(super) fn vertex(&self, i: u32) -> DVec3 {
        self.local.vertices[i as usize]
    }

    #[inline]
    pub(super) fn normal(&self, face: u32) -> DVec3 {
        self.local.normals()[face as usize]
    }

    /// A vertex of the other polyhedron.
    #[inline]
    pub(super) fn theirs(&self, other: &Side<'_>, i: u32) -> DVec3 {
        self.turn * other.vertex(i) + self.shift
    }

    /// A direction of this polyhedron in the other's coordinates, of another length.
    #[inline]
    pub(super) fn to_other(&self, direction: DVec3) -> DVec3 {
        self.turn.transpose() * direction
    }

    #[inline]
    pub(super) fn edge(&self, from: u32, to: u32) -> Segment {
        Segment { tail: self.vertex(from), head: self.vertex(to) }
    }

    #[inline]
    pub(super) fn their_edge(&self, other: &Side<'_>, from: u32, to: u32) -> Segment {
        Segment { tail: self.theirs(other, from), head: self.theirs(other, to) }
    }

    /// How far a point is above a face.
    #[inline]
    pub(super) fn height(&self, face: u32, point: DVec3) -> f64 {
        self.normal(face).dot(point - self.vertex(self.polyhedron.face(face)[0]))
    }

    /// The edge at a vertex in whose half a point is, farthest beyond the plane; `None` in the
    /// vertex's region.
    pub(super) fn edge_towards(&self, vertex: u32, point: DVec3) -> Option<Feature> {
        let from = self.vertex(vertex);
        let offset = point - from;
        let (mut best, mut found) = (0.0, None);
        for &to in self.polyhedron.neighbors(vertex) {
            let beyond = offset.dot(self.vertex(to) - from);
            if beyond > best {
                (best, found) = (beyond, Some(Feature::Edge(vertex, to)));
            }
        }
        found
    }

    /// What of an edge is in a vertex's region.
    pub(super) fn clip_to_vertex(&self, vertex: u32, edge: &Segment) -> Clipped {
        let from = self.vertex(vertex);
        let (tail, head) = (edge.tail - from, edge.head - from);
        let mut clipped = Clipped::WHOLE;
        for &to in self.polyhedron.neighbors(vertex) {
            let out = self.vertex(to) - from;
            clipped.cut(-out.dot(tail), -out.dot(head), Feature::Edge(vertex, to));
            if clipped.beyond().is_some() {
                break;
            }
        }
        clipped
    }

    /// What of an edge is between the planes across the ends of an edge of this polyhedron.
    pub(super) fn clip_to_ends(&self, (from, to): (u32, u32), edge: &Segment) -> Clipped {
        let own = self.edge(from, to);
        let along = own.along();
        let inside = |point: DVec3| (along.dot(point - own.tail), along.dot(own.head - point));
        let (tail, head) = (inside(edge.tail), inside(edge.head));
        let mut clipped = Clipped::WHOLE;
        clipped.cut(tail.0, head.0, Feature::Vertex(from));
        if clipped.beyond().is_none() {
            clipped.cut(tail.1, head.1, Feature::Vertex(to));
        }
        clipped
    }

    /// The two faces at an edge, each with the direction in it that leads away from the edge.
    #[inline]
    pub(super) fn faces_at(&self, from: u32, to: u32) -> [(Option<u32>, DVec3); 2] {
        let along = self.vertex(to) - self.vertex(from);
        [(from, to, along), (to, from, -along)].map(|(from, to, along)| {
            let face = self.polyhedron.face_beside(from, to);
            (face, face.map_or(DVec3::ZERO, |face| self.normal(face).cross(along)))
        })
    }

    /// What of an edge is between the planes along an edge of this polyhedron.
    pub(super) fn clip_to_faces(&self, (from, to): (u32, u32), edge: &Segment) -> Clipped {
        let start = self.vertex(from);
        let (tail, head) = (edge.tail - start, edge.head - start);
        let mut clipped = Clipped::WHOLE;
        for (face, inward) in self.faces_at(from, to) {
            if let Some(face) = face {
                clipped.cut(-inward.dot(tail), -inward.dot(head), Feature::Face(face));
            }
            if clipped.beyond().is_some() {
                break;
            }
        }
        clipped
    }

    /// The sides of a face, each with the direction in the face that leads inward from it.
    pub(super) fn sides_of(&self, face: u32) -> impl Iterator<Item = (u32, u32, DVec3)> + '_ {
        let (vertices, normal) = (self.polyhedron.face(face), self.normal(face));
        (0..vertices.len()).map(move |k| {
            let (from, to) = (vertices[k], vertices[if k + 1 == vertices.len() { 0 } else { k + 1 }]);
            (from, to, normal.cross(self.vertex(to) - self.vertex(from)))
        })
    }

    /// What of an edge is above or below a face.
    pub(super) fn clip_to_face(&self, face: u32, edge: &Segment) -> Clipped {
        let mut clipped = Clipped::WHOLE;
        for (from, to, inward) in self.sides_of(face) {
            let start = self.vertex(from);
            clipped.cut(inward.dot(edge.tail - start), inward.dot(edge.head - start), Feature::Edge(from, to));
            if clipped.is_empty() {
                break;
            }
        }
        clipped
    }
}
