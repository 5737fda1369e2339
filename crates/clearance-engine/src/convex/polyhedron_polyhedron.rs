//! What the algorithms between two convex polyhedra share: vertices in the scaled coordinates of
//! [`LocalPair`], farthest vertices found from near ones, and how an answer is finished, or left to
//! the search over simplices where bounds stay open.

use super::basic_contacts::{EdgeMeetsFace, edge_meets_face};
use super::gjk::{Bounds, LocalPair};
use super::gjk_vertices::{Differences, Found, LastVertices, Measured};
use super::placed_polyhedra::{Places, SphereTest, by_spheres};
use super::simplex::Vertex;
use super::{ClosestFeatures, Decision, PenetrationRequest, Separation, core_distance, polyhedron_penetration};
use crate::Pose;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::shape::{ClosestPoints, Convex, ConvexPolyhedron, Local};

/// The numbers of a vertex of each polyhedron.
pub(super) type Vertices = (u32, u32);

/// An interval that is wider than this part of the polyhedra's size and distance is looked at
/// again.
const BVH8: f64 = 1e-11;
/// And so is an overlap that is shallower than this part of it.
const SHALLOW: f64 = 1e-9;
/// Polyhedra with as many vertices are measured by simplices, larger ones by closest features.
const MAX_BY_SIMPLICES: usize = 32;
/// An overlap that is not deeper than this part of the polyhedra's size and distance is within
/// rounding of touching: twice the two bounds, of 64 roundings each, between which a search for
/// depths cannot tell.
pub(super) const SHALLOWEST: f64 = 256.0 * UNIT_ROUNDOFF;

/// The distance of two polyhedra, or `None` if they are certainly `limit` or more apart: by a
/// search over simplices of vertices, or where one has more than 32 of them and they are seen to be
/// apart by their closest features (`docs/notebook.md` has the times of each).
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
        Met::Far => None,
        Met::Overlapping(point) => Some(overlapping(&Places::new(a_here, b_here), point)),
        Met::Apart(measured) => Some(measured.parting(&a_here)),
        Met::Open(start) => memory.search_otherwise(a, b, start, limit),
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

/// What two polyhedra are to each other.
enum Met {
    /// Certainly the limit or more apart.
    Far,
    /// They share this point.
    Overlapping(DVec3),
    Apart(Measured),
    /// That is left to another search.
    Open(StartOfWalk),
}

/// Vertices of polyhedra that are certainly apart, from which a walk over features may start; none
/// where simplices are better.
type StartOfWalk = Option<Vertices>;

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
            SphereTest::Far => return None,
            SphereTest::Overlapping(point) => return Some(ClosestPoints::overlapping(point)),
            SphereTest::Open => {}
        }
        match self.search_by_vertices(&Differences::new(&Places::new(here, moved)), limit) {
            Met::Far => None,
            Met::Overlapping(point) => Some(ClosestPoints::overlapping(point)),
            Met::Apart(Measured { lower, upper, point_a, point_b, .. }) => {
                Some(ClosestPoints { lower, upper, point_a, point_b })
            }
            Met::Open(start) => {
                self.search_otherwise(a, &b.transformed(a_from_b), start, limit).map(ClosestPoints::from)
            }
        }
    }

    #[inline(always)]
    fn meet(&mut self, a: Local<'_>, b: Local<'_>, limit: f64) -> Met {
        match by_spheres(&a, &b, limit) {
            SphereTest::Far => Met::Far,
            SphereTest::Overlapping(point) => Met::Overlapping(point),
            SphereTest::Open => self.search_by_vertices(&Differences::new(&Places::new(a, b)), limit),
        }
    }

    /// The same where spheres do not tell.
    fn search_by_vertices(&mut self, differences: &Differences<'_>, limit: f64) -> Met {
        if let Some(point) = differences.still_shared(&self.0) {
            return Met::Overlapping(point);
        }
        let mut walks = false;
        let mut found = if self.0.is_some() { differences.search_from(&mut self.0, limit) } else { Found::Open };
        if matches!(found, Found::Open) {
            self.0 = LastVertices::default();
            // Between many vertices a walk over features takes fewer looks than simplices, once it
            // is known to start outside.
            walks =
                limit.min(f64::INFINITY) > f64::MIN_POSITIVE && differences.places.max_vertices() > MAX_BY_SIMPLICES;
            found = differences.search_from(&mut self.0, if walks { f64::MIN_POSITIVE } else { limit });
        }
        match found {
            Found::Far { vertex_pair, .. } if walks => Met::Open(Some(vertex_pair)),
            Found::Far { .. } => Met::Far,
            Found::Around(around) => {
                let Some(point) = differences.shared_point(&around) else { return self.forget() };
                self.0 = around.vertex_pair();
                Met::Overlapping(point)
            }
            // One that is the limit itself the search takes for less, by a rounding of its square.
            Found::Closest(Measured { lower, .. }) if lower >= limit => Met::Far,
            Found::Closest(measured) => Met::Apart(measured),
            Found::Open => self.forget(),
        }
    }

    /// Nothing was found that is worth to be remembered.
    #[cold]
    fn forget(&mut self) -> Met {
        self.0 = LastVertices::default();
        Met::Open(None)
    }

    /// The distance by a walk over features, if there is a start for it; where that proves nothing,
    /// by simplices.
    fn search_otherwise(
        &mut self,
        a: &ConvexPolyhedron,
        b: &ConvexPolyhedron,
        start: StartOfWalk,
        limit: f64,
    ) -> Option<Separation> {
        let by_features = start.and_then(|vertex_pair| {
            let (mut walk, polyhedra) = (ClosestFeatures::near(vertex_pair), Polyhedra::new(a, b));
            let proven = walk.attempt(&polyhedra, limit);
            self.0 = walk.last_vertices(&polyhedra).unwrap_or(LastVertices::of([vertex_pair]));
            proven
        });
        by_features.unwrap_or_else(|| simplex_distance(a, b, limit))
    }
}

/// As [`polyhedron_distance`], by the search over simplices; where its interval is wide, or it
/// finds an overlap that is hardly one, by what can prove more: the closest features, or the same
/// search with 106 bits. That is so for one pair in ten thousand among needles and bodies that
/// differ in size by 1e9, and for those that touch.
pub(super) fn simplex_distance(a: &ConvexPolyhedron, b: &ConvexPolyhedron, limit: f64) -> Option<Separation> {
    let found = core_distance(a, b, limit)?;
    let size = a.center().distance(b.center()) + a.bounding_radius() + b.bounding_radius();
    let open = if found.lower > 0.0 {
        found.upper - found.lower > BVH8 * size
    } else {
        found.upper > 0.0 || found.lower > -SHALLOW * size
    };
    if open { reconsidered(a, b, limit, found) } else { Some(found) }
}

/// What can be proven beyond an answer that leaves much open.
#[cold]
fn reconsidered(a: &ConvexPolyhedron, b: &ConvexPolyhedron, limit: f64, found: Separation) -> Option<Separation> {
    let polyhedra = Polyhedra::new(a, b);
    let mut walk = ClosestFeatures::near(polyhedra.support(found.normal));
    if let Some(proven) = walk.attempt(&polyhedra, limit)
        && proven.is_none_or(|parting| parting.upper > 0.0)
    {
        return proven;
    }
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

/// A certain answer: the distance, or that it is no less than the limit.
pub(super) type Proven = Option<Separation>;

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

    /// The farthest vertices towards each other along a direction from a to b.
    pub(super) fn support(&self, direction: DVec3) -> Vertices {
        (self.a.support_vertex(direction), self.b.support_vertex(-direction))
    }

    /// The answer, if bounds are tight or reach the limit: then there is none within that.
    pub(super) fn proven(&self, bounds: &Bounds, limit: f64) -> Option<Proven> {
        if bounds.lower >= limit * self.pair.factor {
            return Some(None);
        }
        (bounds.lower > 0.0 && self.pair.are_tight(bounds)).then(|| Some(self.pair.finished(bounds, None)))
    }

    /// The answer from bounds that are tight or reach the limit; else that of the search over
    /// simplices.
    pub(super) fn finished(&self, bounds: &Bounds, limit: f64) -> Option<Separation> {
        self.proven(bounds, limit).unwrap_or_else(|| simplex_distance(self.a, self.b, limit))
    }

    /// The answer where a point is certainly in both, with the gap along a way out.
    pub(super) fn overlapping(&self, point: DVec3, way_out: DVec3) -> Separation {
        let mut bounds = Bounds { direction: way_out, ..Bounds::UNKNOWN };
        self.pair.certify(way_out, &mut bounds);
        // What is beyond rounding cannot be positive.
        bounds.lower = bounds.lower.min(0.0);
        self.pair.finished(&bounds, Some((point, true)))
    }

    /// Whether an edge of one polyhedron passes through a face of the other: exactly so for
    /// vertices rounded into the scaled coordinates.
    pub(super) fn pierces(&self, edge_of_a: bool, edge: Vertices, face: u32) -> bool {
        let vertex = |of_a: bool, i: u32| if of_a { self.vertex_a(i) } else { self.vertex_b(i) };
        let other = if edge_of_a { self.b } else { self.a };
        let ends = [vertex(edge_of_a, edge.0), vertex(edge_of_a, edge.1)];
        let mut loops = other.face(face).windows(2).skip(1);
        let first = vertex(!edge_of_a, other.face(face)[0]);
        // Triangle by triangle: rounded vertices of one face are not quite in one plane.
        loops.any(|side| {
            let triangle = [first, vertex(!edge_of_a, side[0]), vertex(!edge_of_a, side[1])];
            edge_meets_face(ends, &triangle) == EdgeMeetsFace::Pierces
        })
    }

    /// Whether the polyhedra overlap, by the search over simplices.
    pub(super) fn decide(&self, bounds: Bounds) -> Decision {
        if bounds.lower > 0.0 {
            return self.apart(&bounds);
        }
        let walk = self.pair.walk(bounds, f64::MIN_POSITIVE);
        if walk.bounds.lower > 0.0 {
            return self.apart(&walk.bounds);
        }
        if walk.shared.is_some_and(|(_, certain)| certain) {
            return Decision::Overlapping;
        }
        match simplex_distance(self.a, self.b, f64::INFINITY) {
            Some(parting) if parting.lower > 0.0 => Decision::Apart { normal: parting.normal, gap: parting.lower },
            // An overlap that the gap along one direction shows to be rounding is not looked for.
            Some(parting) if parting.lower >= -SHALLOWEST * self.size() => Decision::Touching,
            Some(parting) if self.have_depth() || self.surely_overlap(parting.normal) => Decision::Overlapping,
            _ => Decision::Touching,
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

    pub(super) fn apart(&self, bounds: &Bounds) -> Decision {
        let normal = super::separation::unit(bounds.direction);
        Decision::Apart { normal, gap: bounds.lower / self.pair.factor }
    }
}
