//! The Dobkin–Kirkpatrick hierarchy: inner polyhedra of ever fewer vertices (Dobkin and
//! Kirkpatrick, "Determining the separation of preprocessed polyhedra: a unified approach", 1990).
//!
//! From one level to the next, the builder leaves out vertices of low degree of which no two are
//! neighbours. The next level is the hull of the others. Invariant: every level's polyhedron is
//! inside of the one before, and its vertices are vertices of that. So a support vertex moves by a
//! step or two in the next finer level. Cost: a hull for each level, whose sizes shrink
//! geometrically: some 20 ms for 3,000 vertices, once for all copies of a polyhedron.

use super::ConvexPolyhedron;
use super::adjacency::Adjacency;
use super::extremes::climb;
use super::hull::convex_hull;
use crate::math::DVec3;

/// Vertices with more edges stay: a search visits all edges of a vertex when it comes back.
const MAX_EDGES: usize = 8;
/// A polyhedron with this many vertices or fewer is the coarsest.
const FEWEST_VERTICES: usize = 6;

/// The levels beyond the polyhedron itself, finest first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hierarchy {
    pub levels: Vec<Level>,
}

/// One inner polyhedron.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Level {
    pub vertices: Vec<DVec3>,
    pub adjacency: Adjacency,
    /// The numbers of the vertices in the next finer level.
    pub finer: Vec<u32>,
}

impl Hierarchy {
    pub(super) fn new(vertices: &[DVec3], adjacency: &Adjacency) -> Self {
        let mut levels: Vec<Level> = Vec::new();
        loop {
            let (vertices, adjacency) = match levels.last() {
                Some(level) => (level.vertices.as_slice(), &level.adjacency),
                None => (vertices, adjacency),
            };
            match coarser(vertices, adjacency) {
                Some(level) => levels.push(level),
                None => return Self { levels },
            }
        }
    }
}

/// The next level, or `None` where there are few vertices or no smaller hull.
fn coarser(vertices: &[DVec3], adjacency: &Adjacency) -> Option<Level> {
    if vertices.len() <= FEWEST_VERTICES {
        return None;
    }
    let mut keep = vec![false; vertices.len()];
    let mut kept = Vec::new();
    for vertex in 0..vertices.len() as u32 {
        // The first vertex of a neighbourhood goes, those around it stay.
        if keep[vertex as usize] || adjacency.neighbors(vertex).len() > MAX_EDGES {
            kept.push(vertex);
        } else {
            adjacency.neighbors(vertex).iter().for_each(|&neighbor| keep[neighbor as usize] = true);
        }
    }
    if kept.len() == vertices.len() {
        return None;
    }
    let points: Vec<DVec3> = kept.iter().map(|&vertex| vertices[vertex as usize]).collect();
    let hull = convex_hull(&points).ok()?;
    let adjacency = Adjacency::new(hull.vertices.len(), &hull.faces).ok()?;
    let vertices = hull.vertices.iter().map(|&vertex| points[vertex as usize]).collect();
    let finer = hull.vertices.iter().map(|&vertex| kept[vertex as usize]).collect();
    Some(Level { vertices, adjacency, finer })
}

impl ConvexPolyhedron {
    /// How many polyhedra its hierarchy has: itself, number 0, and inner ones of ever fewer of its
    /// vertices.
    pub(crate) fn level_count(&self) -> usize {
        1 + self.body.hierarchy().levels.len()
    }

    /// The vertex of one level's polyhedron that is farthest along a direction, found along its
    /// edges; vertices have other numbers there.
    pub(crate) fn support_in_level(&self, level: usize, direction: DVec3, start: u32) -> u32 {
        let local = self.axes.transpose() * direction;
        match level.checked_sub(1).map(|level| &self.body.hierarchy().levels[level]) {
            Some(level) => climb(&level.vertices, &level.adjacency, local, start),
            None => climb(&self.body.vertices, &self.body.adjacency, local, start),
        }
    }

    /// The number that a vertex of one level has in the next finer one; level 0 has none.
    pub(crate) fn in_finer_level(&self, level: usize, vertex: u32) -> u32 {
        self.body.hierarchy().levels[level - 1].finer[vertex as usize]
    }

    /// A vertex of one level relative to the centre.
    pub(crate) fn level_offset(&self, level: usize, vertex: u32) -> DVec3 {
        match level.checked_sub(1) {
            Some(level) => self.turned_back(self.body.hierarchy().levels[level].vertices[vertex as usize]),
            None => self.vertex_offset(vertex),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::volume;
    use crate::random::Random;
    use crate::shape::polyhedron::{Body, tests::point_sets};

    #[test]
    fn every_level_is_inside_of_the_one_before_and_a_part_smaller() {
        for (name, points) in point_sets(&mut Random(41)) {
            let Ok(body) = Body::hull_of(&points) else { continue };
            let hierarchy = Hierarchy::new(&body.vertices, &body.adjacency);
            let mut before = &body.vertices;
            for level in &hierarchy.levels {
                assert!(level.vertices.len() as f64 <= 0.95 * before.len() as f64, "{name}");
                assert!(level.vertices.iter().zip(&level.finer).all(|(&c, &f)| c == before[f as usize]), "{name}");
                before = &level.vertices;
            }
            assert!(hierarchy.levels.is_empty() || before.len() < 12, "{name}: {}", before.len());
        }
    }

    #[test]
    fn a_level_is_convex() {
        let mut random = Random(42);
        let points: Vec<DVec3> =
            (0..100).map(|_| DVec3::new(random.signed(), random.signed(), random.signed()).normalize()).collect();
        let body = Body::hull_of(&points).unwrap();
        for level in &Hierarchy::new(&body.vertices, &body.adjacency).levels {
            for face in 0..level.adjacency.face_count() as u32 {
                let [p, q, r] = [0, 1, 2].map(|k| level.vertices[level.adjacency.face(face)[k] as usize]);
                assert!(level.vertices.iter().all(|&s| volume(p, q, r, s) <= 0.0));
            }
        }
    }
}
