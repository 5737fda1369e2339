//! The adjacency of a polyhedron: which vertices, edges and faces meet.

use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::{Error, ErrorKind, Result};

/// The vertices, edges and faces of a closed surface, by number. Lists of lists are stored one
/// after the other, with the start of each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Adjacency {
    /// Where each vertex's edges start.
    ring_starts: Vec<u32>,
    /// The other ends of each vertex's edges, in rising order.
    ring: Vec<u32>,
    /// The faces on the left of those edges.
    left: Vec<u32>,
    /// Where each face's loop starts.
    loop_starts: Vec<u32>,
    /// The vertices of each face.
    loops: Vec<u32>,
    /// The faces across the edges that start at those vertices.
    across: Vec<u32>,
}

impl Adjacency {
    /// Builds the adjacency of a closed surface; an error names an edge without one face on each
    /// side.
    pub(super) fn new(vertex_count: usize, faces: &[Vec<u32>]) -> Result<Self> {
        // From, to, face.
        let mut edges: Vec<(u32, u32, u32)> = Vec::new();
        for (face, vertices) in (0..).zip(faces) {
            edges.extend(sides(vertices).map(|(from, to)| (from, to, face)));
        }
        edges.sort_unstable();
        if let Some(twice) = edges.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            let (from, to, face) = twice[0];
            let message =
                format!("the edge from vertex {from} to {to} has faces {face} and {} on the same side", twice[1].2);
            return Err(Error::new(ErrorKind::NotClosed, message));
        }
        let left_of = |from: u32, to: u32| {
            let found = edges.binary_search_by_key(&(from, to), |edge| (edge.0, edge.1));
            found.ok().map(|found| edges[found].2)
        };
        let (mut loop_starts, mut loops, mut across) = (vec![0], Vec::new(), Vec::new());
        for (face, vertices) in faces.iter().enumerate() {
            for (from, to) in sides(vertices) {
                loops.push(from);
                across.push(left_of(to, from).ok_or_else(|| {
                    let message = format!("the edge of face {face} from vertex {from} to {to} has no face beyond it");
                    Error::new(ErrorKind::NotClosed, message)
                })?);
            }
            loop_starts.push(loops.len() as u32);
        }
        let mut ring_starts = vec![0; vertex_count + 1];
        edges.iter().for_each(|edge| ring_starts[edge.0 as usize + 1] += 1);
        (0..vertex_count).for_each(|i| ring_starts[i + 1] += ring_starts[i]);
        let (ring, left) = edges.iter().map(|edge| (edge.1, edge.2)).unzip();
        Ok(Self { ring_starts, ring, left, loop_starts, loops, across })
    }

    pub(super) fn face_count(&self) -> usize {
        self.loop_starts.len() - 1
    }

    /// Every edge belongs to two vertices.
    pub(super) fn edge_count(&self) -> usize {
        self.ring.len() / 2
    }

    #[inline]
    pub(super) fn neighbors(&self, vertex: u32) -> &[u32] {
        slice(&self.ring_starts, &self.ring, vertex)
    }

    #[inline]
    pub(super) fn faces_around(&self, vertex: u32) -> &[u32] {
        slice(&self.ring_starts, &self.left, vertex)
    }

    /// The face on the left of an edge; `None` if there is no such edge. The other ends of a
    /// vertex's edges are in rising order.
    #[inline]
    pub(super) fn left_of(&self, from: u32, to: u32) -> Option<u32> {
        let place = self.neighbors(from).binary_search(&to).ok()?;
        Some(self.faces_around(from)[place])
    }

    #[inline]
    pub(super) fn face(&self, face: u32) -> &[u32] {
        slice(&self.loop_starts, &self.loops, face)
    }

    pub(super) fn across(&self, face: u32) -> &[u32] {
        slice(&self.loop_starts, &self.across, face)
    }
}

/// The pairs of neighbours in a loop.
pub(super) fn sides(vertices: &[u32]) -> impl Iterator<Item = (u32, u32)> + '_ {
    vertices.iter().zip(vertices.iter().cycle().skip(1)).map(|(&from, &to)| (from, to))
}

/// The normal of a polygon, twice its area long (Newell's sum, about the first vertex).
pub(crate) fn polygon_normal(vertices: impl Iterator<Item = DVec3>) -> DVec3 {
    let mut vertices = vertices.peekable();
    let Some(first) = vertices.next() else { return DVec3::ZERO };
    let mut normal = DVec3::ZERO;
    while let (Some(from), Some(&to)) = (vertices.next(), vertices.peek()) {
        normal += (from - first).cross(to - first);
    }
    normal
}

/// An upper bound of the rounding error of [`polygon_normal`]: a shorter result may be rounding
/// alone.
///
/// Of k vertices and the length l around them: a sum of k products of two differences, off by (k +
/// k²/4) roundings of l².
pub(super) fn normal_error(vertices: impl Iterator<Item = DVec3> + Clone) -> f64 {
    let next = vertices.clone().cycle().skip(1);
    let (count, around) =
        vertices.zip(next).fold((0.0, 0.0), |(count, around), (from, to)| (count + 1.0, around + from.distance(to)));
    (count + 0.25 * count * count) * UNIT_ROUNDOFF * around * around
}

#[inline]
fn slice<'s>(starts: &[u32], all: &'s [u32], i: u32) -> &'s [u32] {
    &all[starts[i as usize] as usize..starts[i as usize + 1] as usize]
}
