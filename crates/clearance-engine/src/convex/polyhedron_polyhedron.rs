//! What the algorithms between two convex polyhedra share: vertices in the scaled coordinates of
//! [`LocalPair`], support vertices found from near ones, and how an answer is finished, or left to
//! the search over simplices where bounds stay open.

use super::gjk::{Bounds, LocalPair};
use super::gjk_vertices::{Differences, Found, LastVertices};
use super::placed_polyhedra::{Places, by_spheres};
use super::simplex::Vertex;
use super::{PenetrationRequest, Separated, SeparatingAxis, Separation, core_distance, polyhedron_penetration};
use crate::Pose;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{ClosestPoints, Convex, ConvexPolyhedron, Local};

/// The numbers of a vertex of each polyhedron.
pub(super) type Vertices = (u32, u32);

/// An interval that is wider than this part of the polyhedra's size and distance is looked at
/// again.
const WIDE: f64 = 1e-11;
/// And so is an overlap that is shallower than this part of it.
const SHALLOW: f64 = 1e-9;
/// An overlap that is not deeper than this part of the polyhedra's size and distance is within
/// rounding of touching: twice the two bounds, of 64 roundings each, between which a search for
/// depths cannot tell.
pub(super) const SHALLOWEST: f64 = 256.0 * UNIT_ROUNDOFF;

/// The distance of two polyhedra, or `None` if they are certainly `limit` or more apart.
///
/// ```
/// use clearance_engine::{Pose, convex::polyhedron_distance, math::DVec3, shape::ConvexPolyhedron};
/// let tetrahedron = ConvexPolyhedron::hull_of(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
/// let moved = tetrahedron.transformed(&Pose::from_translation(DVec3::X * 4.0)?);
/// let parting = polyhedron_distance(&tetrahedron, &moved, f64::INFINITY).unwrap();
/// assert!(parting.lower <= 3.0 && 3.0 <= parting.upper && parting.upper - parting.lower < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn polyhedron_distance(a: &ConvexPolyhedron, b: &ConvexPolyhedron, limit: f64) -> Option<Separation> {
    remembering_distance(a, b, limit, &mut LastDistance::default(), Places::overlapping)
}

/// What is remembered of the last distance of two polyhedra: the vertices that proved it, or one
/// before it where they were beyond a limit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LastDistance(LastVertices);

/// The same, from what was closest the last time, if there is anything; `overlapping` says what is
/// known of polyhedra that share a point: [`Places::overlapping`] how deep that may be,
/// [`Places::roughly_overlapping`] only what the reaches tell.
pub(super) fn remembering_distance<'p>(
    a: &'p ConvexPolyhedron,
    b: &'p ConvexPolyhedron,
    limit: f64,
    memory: &mut LastDistance,
    overlapping: impl FnOnce(&Places<'p>, DVec3) -> Separation,
) -> Option<Separation> {
    let (a_here, b_here) = (a.local(), b.local());
    match memory.meet(a_here, b_here, limit) {
        Met::Apart(()) => None,
        Met::Overlapping(point) => Some(overlapping(&Places::new(a_here, b_here), point)),
        Met::Closest(found) => Some(found),
        Met::Undecided => simplex_distance(a, b, limit),
    }
}

/// The same without a memory, for who does not ask how deep an overlap is.
pub(crate) fn rough_distance_once(a: &ConvexPolyhedron, b: &ConvexPolyhedron, limit: f64) -> Option<Separation> {
    remembering_distance(a, b, limit, &mut LastDistance::default(), Places::roughly_overlapping)
}

impl From<Separation> for ClosestPoints {
    /// `lower` is zero where the polyhedra overlap, and negative where that is open.
    fn from(Separation { lower, upper, point_a, point_b, .. }: Separation) -> Self {
        let lower = if upper > 0.0 && lower <= 0.0 { -f64::MIN_POSITIVE } else { lower.max(0.0) };
        Self { lower, upper, point_a, point_b }
    }
}

/// What a search below a limit comes to: a point of both polyhedra, or their distance.
type Met = Separated<(), DVec3, Separation>;

impl LastDistance {
    /// The distance of a and b after a rigid motion, `moved`; it is only made there for other
    /// searches.
    #[inline(always)]
    pub(super) fn distance_after(
        &mut self,
        a: &ConvexPolyhedron,
        b: &ConvexPolyhedron,
        moved: Local<'_>,
        a_from_b: &Pose,
        limit: f64,
    ) -> Option<ClosestPoints> {
        let here = a.local();
        // Apart from what follows, so that no point goes through memory on its way.
        match by_spheres(&here, &moved, limit) {
            Separated::Apart(()) => return None,
            Separated::Overlapping(point) => return Some(ClosestPoints::overlapping(point)),
            Separated::Undecided => {}
        }
        match self.search_by_vertices(&Differences::new(&Places::new(here, moved)), limit) {
            Met::Apart(()) => None,
            Met::Overlapping(point) => Some(ClosestPoints::overlapping(point)),
            Met::Closest(Separation { lower, upper, point_a, point_b, .. }) => {
                Some(ClosestPoints { lower, upper, point_a, point_b })
            }
            Met::Undecided => simplex_distance(a, &b.transformed(a_from_b), limit).map(ClosestPoints::from),
        }
    }

    #[inline(always)]
    fn meet(&mut self, a: Local<'_>, b: Local<'_>, limit: f64) -> Met {
        match by_spheres(&a, &b, limit) {
            Separated::Apart(()) => Met::Apart(()),
            Separated::Overlapping(point) => Met::Overlapping(point),
            Separated::Undecided => self.search_by_vertices(&Differences::new(&Places::new(a, b)), limit),
        }
    }

    /// The same where spheres do not tell.
    fn search_by_vertices(&mut self, differences: &Differences<'_>, limit: f64) -> Met {
        let mut found = if self.0.is_some() { differences.search_from(&mut self.0, limit) } else { Found::Undecided };
        if matches!(found, Found::Undecided) {
            self.0 = LastVertices::default();
            found = differences.search_from(&mut self.0, limit);
        }
        match found {
            Found::Apart(_) => Met::Apart(()),
            Found::Overlapping(around) => {
                let Some(point) = differences.shared_point(&around) else { return self.forget() };
                self.0 = around.vertex_pair();
                Met::Overlapping(point)
            }
            // One that is the limit itself the search takes for less, by a rounding of its square.
            Found::Closest(found) if found.lower >= limit => Met::Apart(()),
            Found::Closest(found) => Met::Closest(found),
            Found::Undecided => self.forget(),
        }
    }

    /// Nothing was found that is worth to be remembered.
    #[cold]
    fn forget(&mut self) -> Met {
        self.0 = LastVertices::default();
        Met::Undecided
    }
}

/// As [`polyhedron_distance`], by the search over simplices; where its interval is wide, or it
/// finds an overlap that is hardly one, by the same search with 106 bits. That is so for one pair in ten thousand among needles and bodies that
/// differ in size by 1e9, and for those that touch.
pub(super) fn simplex_distance(a: &ConvexPolyhedron, b: &ConvexPolyhedron, limit: f64) -> Option<Separation> {
    let found = core_distance(a, b, limit)?;
    let size = a.center().distance(b.center()) + a.bounding_radius() + b.bounding_radius();
    let open = if found.lower > 0.0 {
        found.upper - found.lower > WIDE * size
    } else {
        found.upper > 0.0 || found.lower > -SHALLOW * size
    };
    if open { reconsidered(a, b, limit, found) } else { Some(found) }
}

/// What can be proven beyond an answer that leaves much open.
#[cold]
fn reconsidered(a: &ConvexPolyhedron, b: &ConvexPolyhedron, limit: f64, found: Separation) -> Option<Separation> {
    let polyhedra = Polyhedra::new(a, b);
    let (pair, precise) = (&polyhedra.pair, polyhedra.pair.precise_walk(found.normal));
    if precise.lower >= limit * pair.factor {
        return None;
    }
    let width = (precise.upper - precise.lower) / pair.factor;
    let better = precise.lower > 0.0 && (found.lower <= 0.0 || width < found.upper - found.lower);
    if better {
        return Some(pair.finished(&precise, None));
    }
    // Next to a body that is so much larger two points that are as good as one prove nothing, but
    // differences of vertices may.
    if found.lower <= 0.0 && found.upper > 0.0 && polyhedra.surely_overlap(found.normal) {
        let point = found.point_a.midpoint(found.point_b);
        return Some(Separation { upper: 0.0, point_a: point, point_b: point, ..found });
    }
    Some(found)
}

/// Two polyhedra in scaled coordinates relative to the first one's centre.
pub(super) struct Polyhedra<'p> {
    pub a: &'p ConvexPolyhedron,
    pub b: &'p ConvexPolyhedron,
    pub pair: LocalPair<'p, ConvexPolyhedron, ConvexPolyhedron>,
}

impl<'p> Polyhedra<'p> {
    pub(super) fn new(a: &'p ConvexPolyhedron, b: &'p ConvexPolyhedron) -> Self {
        Self { a, b, pair: LocalPair::new(a, b) }
    }

    #[inline]
    pub(super) fn vertex_a(&self, i: u32) -> DVec3 {
        self.a.vertex_offset(i) * self.pair.factor
    }

    #[inline]
    pub(super) fn vertex_b(&self, i: u32) -> DVec3 {
        self.pair.offset + self.b.vertex_offset(i) * self.pair.factor
    }

    #[inline]
    pub(super) fn vertex_of(&self, vertex_pair: Vertices) -> Vertex {
        let (a, b) = (self.vertex_a(vertex_pair.0), self.vertex_b(vertex_pair.1));
        Vertex { difference: b - a, a, b }
    }

    /// The support vertices towards each other along a direction from a to b.
    pub(super) fn support(&self, direction: DVec3) -> Vertices {
        (self.a.support_vertex(direction), self.b.support_vertex(-direction))
    }

    /// Whether the polyhedra overlap, by the search over simplices.
    pub(super) fn decide(&self, bounds: Bounds) -> Separated {
        if bounds.lower > 0.0 {
            return self.apart(&bounds);
        }
        let walk = self.pair.walk(bounds, f64::MIN_POSITIVE);
        if walk.bounds.lower > 0.0 {
            return self.apart(&walk.bounds);
        }
        if walk.shared.is_some_and(|(_, certain)| certain) {
            return Separated::Overlapping(());
        }
        match simplex_distance(self.a, self.b, f64::INFINITY) {
            Some(parting) if parting.lower > 0.0 => {
                Separated::Apart(SeparatingAxis { normal: parting.normal, gap: parting.lower })
            }
            // An overlap that the gap along one direction shows to be rounding is not looked for.
            Some(parting) if parting.lower >= -SHALLOWEST * self.size() => Separated::Undecided,
            Some(parting) if self.have_depth() || self.surely_overlap(parting.normal) => Separated::Overlapping(()),
            _ => Separated::Undecided,
        }
    }

    /// Whether the polyhedra certainly overlap, since a polytope that grows within their
    /// differences has the origin inside: vertices in line with each other keep a simplex from that
    /// at any depth.
    #[cold]
    fn have_depth(&self) -> bool {
        let request = PenetrationRequest { rel_err: 0.5, ..PenetrationRequest::default() };
        polyhedron_penetration(self.a, self.b, &request).is_some_and(|found| found.lower > 0.0)
    }

    fn size(&self) -> f64 {
        self.pair.reach / self.pair.factor
    }

    pub(super) fn apart(&self, bounds: &Bounds) -> Separated {
        let normal = super::separation::unit(bounds.direction);
        Separated::Apart(SeparatingAxis { normal, gap: bounds.lower / self.pair.factor })
    }
}
