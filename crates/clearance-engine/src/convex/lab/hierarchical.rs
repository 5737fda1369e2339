//! Distance over the hierarchies of two polyhedra, from coarse to fine (Dobkin and Kirkpatrick,
//! "Determining the separation of preprocessed polyhedra: a unified approach", 1990; the survey of
//! Jiménez, Thomas and Torras, 2001, sections 3.1 and 4.1.1).
//!
//! The closest points of the coarsest polyhedra, of a handful of vertices, are found first. A finer
//! polyhedron can only come nearer beyond the planes through these points, across the line between
//! them: there the support vertex is a neighbour of the one that was farthest before, or the same.
//! So each level costs a few steps, and the number of levels is logarithmic. The simplex that holds
//! the closest points is carried from level to level, since all of its vertices stay. The paper
//! searches the two pyramids beyond the planes by a case analysis instead; a step over the simplex
//! does the same and cannot miss a case. Coarse polyhedra are inside of the finer ones, so an
//! overlap is found as soon as two of them overlap.
//!
//! Cost: 1 to 15 µs for 8 to 3,000 vertices: each of the twenty levels costs a climb or two for
//! both, where a table of support vertices would have been at the end at once. The hierarchy is
//! built when a polyhedron is first asked about, in some 20 ms for 3,000 vertices.

use super::super::Separation;
use super::super::gjk::Bounds;
use super::super::polyhedron_polyhedron::{Polyhedra, simplex_distance};
use super::super::simplex::{Simplex, Vertex};
use super::Proven;
use crate::math::DVec3;
use crate::shape::ConvexPolyhedron;

/// Steps on one level.
const MAX_STEPS: usize = 32;
/// A level is done when no vertex is nearer, along the line between the closest points, by more
/// than this part of the distance.
const SAME: f64 = 1e-12;

/// A vertex of one level of a polyhedron's hierarchy.
#[derive(Clone, Copy)]
struct Place {
    level: usize,
    vertex: u32,
}

impl Place {
    fn coarsest(polyhedron: &ConvexPolyhedron) -> Self {
        Self { level: polyhedron.level_count() - 1, vertex: 0 }
    }

    fn climb(&mut self, polyhedron: &ConvexPolyhedron, direction: DVec3) -> DVec3 {
        self.vertex = polyhedron.support_in_level(self.level, direction, self.vertex);
        polyhedron.level_offset(self.level, self.vertex)
    }

    /// Goes to the next finer level, if there is one.
    fn refine(&mut self, polyhedron: &ConvexPolyhedron) {
        if self.level > 0 {
            self.vertex = polyhedron.in_finer_level(self.level, self.vertex);
            self.level -= 1;
        }
    }
}

/// The distance of two polyhedra, or `None` if they are certainly `limit` or more apart.
///
/// ```
/// use clearance_engine::{Pose, convex::lab::hierarchical_distance, math::DVec3, shape::ConvexPolyhedron};
/// let sphere: Vec<DVec3> = (0..400).map(|i| {
///     let (z, turn) = (i as f64 / 200.0 - 1.0, i as f64 * 2.4);
///     DVec3::new(turn.cos() * (1.0 - z * z).sqrt(), turn.sin() * (1.0 - z * z).sqrt(), z)
/// }).collect();
/// let a = ConvexPolyhedron::hull_of(&sphere)?;
/// let b = a.transformed(&Pose::from_translation(DVec3::new(0.0, 3.0, 0.0))?);
/// let parting = hierarchical_distance(&a, &b, f64::INFINITY).unwrap();
/// assert!(parting.lower > 1.0 && parting.upper < 1.02 && parting.upper - parting.lower < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn hierarchical_distance(a: &ConvexPolyhedron, b: &ConvexPolyhedron, limit: f64) -> Option<Separation> {
    attempt(&Polyhedra::new(a, b), limit).unwrap_or_else(|| simplex_distance(a, b, limit))
}

/// The answer that the search over the hierarchies can prove itself.
fn attempt(polyhedra: &Polyhedra<'_>, limit: f64) -> Option<Proven> {
    let (a, b, pair) = (polyhedra.a, polyhedra.b, &polyhedra.pair);
    let scaled_limit = limit * pair.factor;
    let (mut at_a, mut at_b) = (Place::coarsest(a), Place::coarsest(b));
    let towards = |at_a: &mut Place, at_b: &mut Place, direction: DVec3| {
        let point_a = at_a.climb(a, direction) * pair.factor;
        let point_b = pair.offset + at_b.climb(b, -direction) * pair.factor;
        Vertex { difference: point_b - point_a, a: point_a, b: point_b }
    };
    let first = towards(&mut at_a, &mut at_b, pair.offset);
    let mut simplex = Simplex::new(first);
    let (mut direction, mut squared) = (first.difference, first.difference.length_squared());
    let mut bounds = Bounds::UNKNOWN;
    pair.offer(first.a, first.b, &mut bounds);
    loop {
        let finest = at_a.level == 0 && at_b.level == 0;
        for _ in 0..MAX_STEPS {
            let vertex = towards(&mut at_a, &mut at_b, direction);
            if finest {
                pair.certify_by(direction, &vertex, &mut bounds);
                if bounds.lower >= scaled_limit || pair.are_tight(&bounds) {
                    return polyhedra.proven(&bounds, limit);
                }
            } else if direction.dot(vertex.difference) >= squared.min(direction.length_squared()) * (1.0 - SAME) {
                break;
            }
            let nearest = simplex.add(vertex, pair.error);
            if nearest.inside {
                let way_out = nearest.direction;
                let (point_a, point_b) = simplex.points();
                let point = (point_a + point_b) * 0.5;
                return nearest.deep.then(|| Some(polyhedra.overlapping(point, way_out)));
            }
            if nearest.squared >= squared {
                break;
            }
            (direction, squared) = (nearest.direction, nearest.squared);
            let (point_a, point_b) = simplex.points();
            pair.offer(point_a, point_b, &mut bounds);
        }
        if finest {
            return polyhedra.proven(&bounds, limit);
        }
        at_a.refine(a);
        at_b.refine(b);
    }
}
