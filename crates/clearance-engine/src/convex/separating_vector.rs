//! Do two convex polyhedra overlap? Answered from the last answer: a vector that separated them, or
//! vertices that proved the overlap.
//!
//! A *separating vector* S has the gap S·(q − p) > 0, p and q being the support vertices of a
//! along S and of b along −S. Between two moments of a motion the last vector mostly separates
//! still (Chung and Wang, "Quick collision detection of polytopes in virtual environments", 1996:
//! Q-COLLIDE). Of that method this is kept: the vector, from one moment to the next. Not kept are
//! vertices found along edges from the last ones, where a table takes one look
//! (`shape/polyhedron/extremes.rs`), and how it finds another where the last one fails: it reflects
//! the vector at the normal of the failed gap until one separates or the reflections prove an
//! overlap; here the search over simplices of vertices takes fewer looks. Added is what makes most
//! looks needless: S is stored in a's own coordinates, where a's height along it never changes;
//! seen from b it turns, by some angle's chord c, and b's height with it by at most c times b's
//! reach. As long as the gap is larger, nothing is looked at, however many vertices there are.
//!
//! Overlaps have a memory too: four differences of vertices with the origin between them, and the
//! normals of the four faces that they make. As long as the vertices of each face are beyond the
//! origin along its normal, the polyhedra overlap; where they are not, and rays between the centres
//! do not tell (`central_rays.rs`), a search goes on from there.
//!
//! What neither decides is left to [`super::gjk_vertices`], and that to
//! [`core_distance`](super::core_distance). Nothing is answered without proof:
//! [`Separated::Undecided`] says that there is none, be it with 106 bits.
//!
//! # Rounding
//! With u = 2⁻⁵³, axes are off by 8u as operators. A vector turned by a's into the world and back
//! is off by 20u of its length, and so is a's height; b's along the vector that was turned into its
//! coordinates by 12u, and by 20u and as much again since its vertex is the farthest along the same
//! vector turned and rounded in another way; each by 7u for the support vertex; the rest is 10
//! roundings: less than the 96u of reaches and distance that are charged.
//!
//! Cost: 20 to 60 ns where the memory is right or spheres inside of the polyhedra overlap; 0.1 to
//! 0.3 µs else.

use super::gjk::Bounds;
use super::gjk_vertices::{Differences, Found, LastVertices};
use super::placed_polyhedra::{Places, apart_by_spheres, by_spheres};
use super::polyhedron_polyhedron::{Polyhedra, Vertices};
use super::{Separated, SeparatingAxis};
use crate::math::DVec3;
use crate::math::lanes::with_baseline;
use crate::shape::{BodyKey, ConvexPolyhedron, Local};

/// What is remembered of a pair of polyhedra from one [decision](Self::decide) to the next. It
/// never changes an answer beyond its proof.
///
/// ```
/// use clearance_engine::{Pose, convex::SeparatingVector, math::DVec3, shape::ConvexPolyhedron};
/// let vertices: Vec<DVec3> = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
/// let cube = ConvexPolyhedron::hull_of(&vertices)?;
/// let mut memory = SeparatingVector::default();
/// for step in 0..30 {
///     let x = 2.0 - 0.1 * step as f64 + 0.05;
///     let moved = cube.transformed(&Pose::from_translation(DVec3::new(x, 0.1, 0.2))?);
///     assert_eq!(memory.decide(&cube, &moved).overlaps(), x.abs() < 1.0);
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SeparatingVector {
    /// What the rest was learnt about.
    bodies: [BodyKey; 2],
    last: Last,
}

/// Whether two polyhedra are separated: by this gap along the vector that is remembered, or by
/// spheres around them.
pub(super) type Verdict = Separated<Option<f64>>;

/// The last answer that was proven by a search.
#[derive(Debug, Clone, Copy, Default)]
enum Last {
    #[default]
    Nothing,
    Apart(Vector),
    Overlapping(Around),
}

/// A separating vector, each polyhedron's part of it in its own coordinates: there its height does
/// not change when they move.
#[derive(Debug, Clone, Copy)]
struct Vector {
    /// Of unit length, from a to b, in a's coordinates; and how far a reaches along it.
    direction: DVec3,
    height_a: f64,
    /// The opposite in b's coordinates when it was last looked along, and how far b reached.
    towards_a: DVec3,
    height_b: f64,
}

/// Vertices whose differences had the origin between them, and the ways out of there.
#[derive(Debug, Clone, Copy)]
struct Around {
    vertex_pair: LastVertices,
    ways_out: [DVec3; 4],
}

impl SeparatingVector {
    /// Whether two polyhedra overlap, with a vector that proves it where they do not.
    pub fn decide(&mut self, a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Separated {
        match (self.verdict(a.local(), b.local()), &self.last) {
            (Verdict::Apart(Some(gap)), Last::Apart(vector)) => {
                Separated::Apart(SeparatingAxis { normal: a.local().turned_out(vector.direction), gap })
            }
            (Verdict::Apart(_), _) => Separated::Apart(apart_by_spheres(&a.local(), &b.local())),
            (Verdict::Overlapping(()), _) => Separated::Overlapping(()),
            (Verdict::Undecided, _) => decide_otherwise(a, b),
        }
    }

    /// The same, if it is known or can be found by the fast search; the vector is then that which
    /// is remembered.
    #[inline(always)]
    pub(super) fn verdict(&mut self, a: Local<'_>, b: Local<'_>) -> Verdict {
        match by_spheres(&a, &b, 0.0) {
            Separated::Apart(()) => return Verdict::Apart(None),
            Separated::Overlapping(_) => return Verdict::Overlapping(()),
            Separated::Undecided => {}
        }
        self.verdict_beyond_spheres(a, b)
    }

    /// The same where spheres do not tell.
    #[inline(always)]
    pub(super) fn verdict_beyond_spheres(&mut self, a: Local<'_>, b: Local<'_>) -> Verdict {
        let places = &Places::new(a, b);
        let known = self.bodies[0].is_of(&places.a) && self.bodies[1].is_of(&places.b);
        if known && let Last::Apart(vector) = &mut self.last {
            let gap = vector.gap(places);
            if gap > 0.0 {
                return Verdict::Apart(Some(gap));
            }
        }
        self.verdict_by_vertices(places, known)
    }

    /// The same where neither spheres nor a vector tell.
    #[inline(never)]
    fn verdict_by_vertices(&mut self, places: &Places<'_>, known: bool) -> Verdict {
        let differences = Differences::new(places);
        let mut found = Found::Undecided;
        if known && let Last::Overlapping(around) = &self.last {
            if differences.still_around(&around.vertex_pair, &around.ways_out) || differences.overlap_between_centers()
            {
                return Verdict::Overlapping(());
            }
            found = differences.search_from(&mut { around.vertex_pair }, f64::MIN_POSITIVE);
        } else if differences.overlap_between_centers() {
            // A vector that failed is not asked again: 3 to 6 % of all decisions of a motion.
            if known {
                self.last = Last::Nothing;
            }
            return Verdict::Overlapping(());
        }
        if matches!(found, Found::Undecided) {
            // A vector that failed by little separates by little when it is turned: one through the
            // centres lasts longer.
            found = differences.search(f64::MIN_POSITIVE);
        }
        if !known {
            self.bodies = [BodyKey::of(&places.a), BodyKey::of(&places.b)];
        }
        let verdict;
        (self.last, verdict) = match &found {
            Found::Apart((axis, vertex_pair)) => {
                (Last::Apart(Vector::new(places, axis.normal, *vertex_pair)), Verdict::Apart(Some(axis.gap)))
            }
            Found::Overlapping(around) => (
                Last::Overlapping(Around { vertex_pair: around.vertex_pair(), ways_out: differences.ways_out(around) }),
                Verdict::Overlapping(()),
            ),
            Found::Closest(_) | Found::Undecided => (Last::Nothing, Verdict::Undecided),
        };
        verdict
    }
}

/// As [`SeparatingVector::decide`], with nothing to remember.
pub(crate) fn decide_once(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Separated {
    let (here, there) = (a.local(), b.local());
    match by_spheres(&here, &there, 0.0) {
        Separated::Apart(()) => return Separated::Apart(apart_by_spheres(&here, &there)),
        Separated::Overlapping(_) => return Separated::Overlapping(()),
        Separated::Undecided => {}
    }
    match found_once(here, there) {
        Some(Found::Apart((axis, _))) => {
            Separated::Apart(SeparatingAxis { normal: here.turned_out(axis.normal), ..axis })
        }
        Some(Found::Overlapping(_)) | None => Separated::Overlapping(()),
        Some(Found::Closest(_) | Found::Undecided) => decide_otherwise(a, b),
    }
}

/// The same without a vector, if the fast search tells.
#[inline(always)]
pub(super) fn verdict_once(a: Local<'_>, b: Local<'_>) -> Verdict {
    match by_spheres(&a, &b, 0.0) {
        Separated::Apart(()) => return Verdict::Apart(None),
        Separated::Overlapping(_) => return Verdict::Overlapping(()),
        Separated::Undecided => {}
    }
    match found_once(a, b) {
        Some(Found::Apart((axis, _))) => Verdict::Apart(Some(axis.gap)),
        Some(Found::Overlapping(_)) | None => Verdict::Overlapping(()),
        Some(Found::Closest(_) | Found::Undecided) => Verdict::Undecided,
    }
}

/// What the fast search finds where spheres do not tell; none where rays between the centres tell
/// that the polyhedra overlap.
#[inline(always)]
fn found_once(a: Local<'_>, b: Local<'_>) -> Option<Found> {
    let places = &Places::new(a, b);
    let differences = Differences::new(places);
    (!differences.overlap_between_centers()).then(|| differences.search(f64::MIN_POSITIVE))
}

/// By the search that is sure of more.
#[cold]
pub(super) fn decide_otherwise(a: &ConvexPolyhedron, b: &ConvexPolyhedron) -> Separated {
    Polyhedra::new(a, b).decide(Bounds::UNKNOWN)
}

impl Vector {
    fn new(places: &Places<'_>, direction: DVec3, vertex_pair: Vertices) -> Self {
        let towards_a = places.towards_a(places.a.turned_out(direction));
        let height_a = direction.dot(places.a.vertices[vertex_pair.0 as usize]);
        let height_b = towards_a.dot(places.b.vertices[vertex_pair.1 as usize]);
        Self { direction, height_a, towards_a, height_b }
    }

    /// The gap between the polyhedra along it, or less: by what was known of b, which reaches no
    /// farther than it did by more than the vector turned; or, where that leaves none, by another
    /// look at b.
    #[inline]
    fn gap(&mut self, places: &Places<'_>) -> f64 {
        let Places { a, b, offset, error, .. } = places;
        let normal = a.turned_out(self.direction);
        let towards_a = places.towards_a(normal);
        let left = normal.dot(*offset) - self.height_a * a.scale - error;
        let turned = towards_a.distance(self.towards_a) * b.bounding_radius();
        let gap = left - (self.height_b + turned) * b.scale;
        if gap > 0.0 || left - (self.height_b - turned) * b.scale <= 0.0 {
            return gap;
        }
        self.look_again(b, towards_a);
        left - self.height_b * b.scale
    }

    /// How far b reaches along the vector now that it turned.
    #[inline(never)]
    fn look_again(&mut self, b: &Local<'_>, towards_a: DVec3) {
        let vertex_b = with_baseline!(simd => b.support(simd, towards_a));
        let height_b = towards_a.dot(b.vertices[vertex_b as usize]);
        *self = Self { towards_a, height_b, ..*self };
    }
}
