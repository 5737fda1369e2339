//! Do two convex polyhedra overlap? Answered from the last answer: a vector that separated them, or corners that proved the overlap.
//!
//! A *separating vector* S has the gap S·(q − p) > 0, p and q being the farthest corners of a along S and of b along −S. One that fails is
//! reflected at r = (q − p)/|q − p|: S ← S − 2(r·S)r, which leads to a separating vector wherever there is one and the gap is not
//! tiny (Chung and Wang, "Quick collision detection of polytopes in virtual environments", 1996: Q-COLLIDE). Between two
//! moments of a motion the last vector mostly separates still, at the price of two climbs over the surfaces.
//! Overlaps have a memory too: four differences of corners with the origin between them. As long as that holds, by more than
//! rounding, for the same corners at the new place, the polyhedra overlap.
//!
//! What neither decides is left to the search over simplices, and that to [`core_distance`](super::core_distance). Nothing is answered without proof:
//! [`Decision::Touching`] says that there is none in 53 bits.
//! Cost: 0.1 to 0.2 µs where the memory is right or the first vector separates, 1 µs where the search has to decide.

use super::gjk::Bounds;
use super::polyhedra::{Corners, Polyhedra};
use super::simplex::{Simplex, Vertex};
use crate::math::DVec3;
use crate::shape::{Convex, ConvexPolyhedron};

/// Vectors after which the search over simplices decides: most pairs that are apart need one or two.
const MOST_VECTORS: usize = 3;
/// Overlaps along a vector that are deeper than this part of the smaller polyhedron's reach are mostly true ones: no reflection is tried.
const DEEP: f64 = 0.5;
/// Steps of the search that remembers its corners; boxes take 6 at most.
const MOST_STEPS: usize = 24;

/// Whether two convex polyhedra overlap.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decision {
    /// They do not: their projections on `normal` are at least `gap` apart, which is positive, all rounding considered.
    Apart {
        /// Of unit length, from a to b.
        normal: DVec3,
        /// At most the distance.
        gap: f64,
    },
    /// They share a point, all rounding considered.
    Overlapping,
    /// Neither is certain. No vector separates them beyond rounding, so that they overlap, or are within a hundred roundings of their size and
    /// distance of it; but no four corners prove it, be it that they touch or that corners are in line with each other.
    Touching,
}

impl Decision {
    /// Whether the polyhedra count as overlapping: where no vector separates them beyond rounding.
    pub fn overlaps(&self) -> bool {
        !matches!(self, Self::Apart { .. })
    }
}

/// What is remembered of a pair of polyhedra from one [decision](Self::decide) to the next. It never changes an answer beyond its proof.
///
/// ```
/// use clearance::{Pose, convex::SeparatingVector, math::DVec3, shape::ConvexPolyhedron};
/// let corners: Vec<DVec3> = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
/// let cube = ConvexPolyhedron::hull_of(&corners)?;
/// let mut memory = SeparatingVector::default();
/// for step in 0..30 {
///     let x = 2.0 - 0.1 * step as f64 + 0.05;
///     let moved = cube.transformed(&Pose::from_translation(DVec3::new(x, 0.1, 0.2))?);
///     assert_eq!(memory.decide(&cube, &moved).overlaps(), x.abs() < 1.0);
/// }
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SeparatingVector {
    /// The last separating vector in the coordinates of the world, and the corners that are farthest along it.
    last: Option<(DVec3, Corners)>,
    /// Corners whose differences had the origin between them.
    around: Option<[Corners; 4]>,
}

impl SeparatingVector {
    /// Whether two polyhedra overlap, with a vector that proves it where they do not.
    pub fn decide(&mut self, a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Decision {
        let polyhedra = Polyhedra::new(a, b);
        if self.still_around(&polyhedra) {
            return Decision::Overlapping;
        }
        let mut bounds = Bounds::UNKNOWN;
        if let Some((vector, near)) = self.last.filter(|(_, corners)| polyhedra.have(*corners)) {
            let corners = polyhedra.farthest_from(vector, near);
            polyhedra.pair.certify_by(vector, &polyhedra.vertex_of(corners), &mut bounds);
            if bounds.lower > 0.0 {
                self.last = Some((vector, corners));
                return polyhedra.apart(&bounds);
            }
        }
        // Reflections of a vector that failed by little separate by little too: one through the centres lasts longer.
        let between = polyhedra.pair.offset;
        let corners = reflect(&polyhedra, between, polyhedra.farthest(between), &mut bounds);
        if bounds.lower > 0.0 {
            self.last = Some((bounds.direction, corners));
            return polyhedra.apart(&bounds);
        }
        self.search(&polyhedra, bounds)
    }

    fn still_around(&mut self, polyhedra: &Polyhedra<'_>) -> bool {
        let Some(around) = self.around.filter(|all| all.iter().all(|&corners| polyhedra.have(corners))) else {
            return false;
        };
        let deep = Simplex::is_deep(around.map(|corners| polyhedra.vertex_of(corners)), polyhedra.pair.error);
        if !deep {
            self.around = None;
        }
        deep
    }

    /// The search over simplices, with a list of the corners that it has met.
    fn search(&mut self, polyhedra: &Polyhedra<'_>, mut bounds: Bounds) -> Decision {
        let mut corners = polyhedra.farthest(bounds.direction);
        let first = polyhedra.vertex_of(corners);
        let mut met: smallvec::SmallVec<[(Corners, Vertex); MOST_STEPS]> = smallvec::smallvec![(corners, first)];
        let mut simplex = Simplex::new(first);
        let (mut direction, mut squared) = (first.difference, first.difference.length_squared());
        for _ in 1..MOST_STEPS {
            corners = polyhedra.farthest(direction);
            let vertex = polyhedra.vertex_of(corners);
            polyhedra.pair.certify_by(direction, &vertex, &mut bounds);
            if bounds.lower > 0.0 {
                self.last = Some((bounds.direction, corners));
                return polyhedra.apart(&bounds);
            }
            met.push((corners, vertex));
            let nearest = simplex.add(vertex, polyhedra.pair.error);
            if nearest.inside && nearest.deep {
                let of = |vertex: &Vertex| {
                    let place = met.iter().find(|(_, met)| met.a == vertex.a && met.b == vertex.b);
                    place.map_or(corners, |(corners, _)| *corners)
                };
                self.around = Some(simplex.vertices().map(|vertex| of(&vertex)));
                return Decision::Overlapping;
            }
            if nearest.inside || nearest.squared >= squared {
                break;
            }
            (direction, squared) = (nearest.direction, nearest.squared);
        }
        let decision = polyhedra.decide(bounds);
        if let Decision::Apart { normal, .. } = decision {
            self.last = Some((normal, corners));
        }
        decision
    }
}

/// Looks along a vector whose farthest corners are known and, as long as it does not separate, along its reflections. Returns the
/// farthest corners along the last one.
pub(super) fn reflect(polyhedra: &Polyhedra<'_>, mut vector: DVec3, corners: Corners, bounds: &mut Bounds) -> Corners {
    let mut corners = corners;
    let deep = DEEP * polyhedra.pair.factor * polyhedra.a.reach().min(polyhedra.b.reach());
    for _ in 1..MOST_VECTORS {
        let vertex = polyhedra.vertex_of(corners);
        polyhedra.pair.certify_by(vector, &vertex, bounds);
        let hopeful = bounds.lower <= 0.0 && bounds.lower > -deep;
        let Some(r) = vertex.difference.try_normalize().filter(|_| hopeful) else { return corners };
        vector -= r * (2.0 * r.dot(vector));
        corners = polyhedra.farthest(vector);
    }
    polyhedra.pair.certify_by(vector, &polyhedra.vertex_of(corners), bounds);
    corners
}
