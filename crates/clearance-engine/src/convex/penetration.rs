//! How deep two convex solids overlap: how far one must move, and where to, until they merely
//! touch.
//!
//! For cores with radii the depth is the sum of the radii less the distance of the cores, or plus
//! their depth: one signed number, s, the largest gap along any direction. The search of
//! [`super::gjk`] finds it where the cores are apart; where they overlap, [`super::epa`]
//! does. Every direction looked along bounds the depth from above, the points found or the polytope
//! inside of the set of differences from below, so that the interval holds whatever the search did,
//! and its ends are realised: moved by `upper` along `normal`, the solids are surely apart or
//! touch.
//!
//! Cost: small polyhedra 1 to 2 µs, large ones 4 to 8 µs, boxes 2 to 4 µs; where they are nearly
//! concentric curved cores take 256 steps, and round polyhedra about as many as they have vertices:
//! 1 ms for 400, 8 ms for 2,000.

use super::epa::{Expanding, Grown, spanning};
use super::gjk::{ABSOLUTE_WIDTH, Bounds, LocalPair};
use super::gjk_vertices::Differences;
use super::placed_polyhedra::Places;
use super::polyhedron_polyhedron::simplex_distance;
use super::radii::Radii;
use super::separation::unit;
use super::simplex::Vertex;
use super::{Separation, Status};
use crate::math::lanes::{Lanes8, Vectorized, vectorized};
use crate::math::{DVec3, SimdLevel};
use crate::shape::{Convex, ConvexPolyhedron};
use crate::{Error, ErrorKind, Pose, Readable, Result};

/// Steps where nobody asked for another number.
const STEPS_OF_CURVED: usize = 256;
const STEPS_OF_POLYHEDRA: usize = 4096;

/// How exact a depth must be.
///
/// ```
/// use clearance_engine::convex::PenetrationRequest;
/// let request = PenetrationRequest { rel_err: 0.01, ..PenetrationRequest::default() };
/// assert!(request.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenetrationRequest {
    /// Allowed `(upper − lower) / upper`; 1e-6 by default. The direction is then off by up to the
    /// root of twice that; 0 gives solids without curved parts up to rounding.
    pub rel_err: f64,
    /// Allowed `upper − lower`; 0 by default.
    pub abs_err: f64,
    /// Where the search ends, whatever the error; then the interval is wider than asked for, and
    /// right, as it may be, by up to 1e-7 of their size and distance, where one of the solids is
    /// thinner than a thousandth of that. By default 256 where a core is curved, whose polytopes
    /// come nearer only slowly, and 4096 where none is: two round hulls of 400 vertices about one
    /// centre take some 500 steps, 1 ms.
    pub max_steps: Option<usize>,
}

impl Default for PenetrationRequest {
    fn default() -> Self {
        Self { rel_err: 1e-6, abs_err: 0.0, max_steps: None }
    }
}

impl PenetrationRequest {
    /// How many steps a search may take.
    pub(super) fn steps(&self, curved: bool) -> usize {
        self.max_steps.unwrap_or(if curved { STEPS_OF_CURVED } else { STEPS_OF_POLYHEDRA })
    }

    /// What is to be said of a depth between these bounds, of solids the smaller of which has this
    /// size.
    pub(crate) fn status(&self, lower: f64, upper: f64, size: f64) -> Status {
        Status::of_interval(lower, upper, self.abs_err.max(self.rel_err * upper), || size)
    }

    /// Refuses errors that are NaN or negative, or relative ones of 1 or more.
    pub fn check(&self) -> Result<()> {
        let refuse = |message: String| Err(Error::new(ErrorKind::BadRequest, message));
        for (name, value) in [("rel_err", self.rel_err), ("abs_err", self.abs_err)] {
            if value.is_nan() || value < 0.0 {
                return refuse(format!("{name} must be a number that is not negative, not {}", Readable(value)));
            }
        }
        if self.rel_err >= 1.0 {
            return refuse(format!("rel_err must be below 1, not {}", Readable(self.rel_err)));
        }
        Ok(())
    }
}

/// A certified depth: `lower ≤ depth ≤ upper`.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, shape::Cuboid};
/// let mut pair = Pair::new(Cuboid::new(1.0, 1.0, 1.0)?, Cuboid::new(1.0, 1.0, 1.0)?)?;
/// let depth = pair.penetration(Pose::from_xyz(0.1, 0.0, 0.7)?)?.expect("they overlap");
/// assert!(depth.lower <= 0.3 && 0.3 <= depth.upper + 1e-12 && depth.upper < 0.3001 && depth.normal.z > 0.999);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Penetration {
    /// Certified lower bound: a shift by less, in any direction, does not separate the solids. Zero
    /// or more.
    pub lower: f64,
    /// Realised by `normal`: a shift of b by this much along it does.
    pub upper: f64,
    /// Where b leaves a soonest; of unit length.
    pub normal: DVec3,
    /// The point of a that is deepest in b, up to the width of the interval …
    pub point_a: DVec3,
    /// … and that of b deepest in a: from it to `point_a` it is the depth, along `normal`.
    pub point_b: DVec3,
    /// Whether the interval is as narrow as asked for.
    pub status: Status,
}

impl Penetration {
    /// The pose after B left A: `a_from_b` with its translation moved by `upper` along `normal`. An
    /// error if that is beyond all coordinates.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, shape::{Cuboid, Sphere}};
    /// let mut pair = Pair::new(Cuboid::new(2.0, 1.0, 0.1)?, Sphere::new(0.2)?)?;
    /// let sunk = Pose::from_xyz(0.3, 0.1, 0.15)?;
    /// let above = pair.penetration(sunk)?.expect("they overlap").separated(&sunk)?;
    /// assert!((above.translation().z - 0.25).abs() < 1e-12);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn separated(&self, a_from_b: &Pose) -> Result<Pose> {
        let pose = a_from_b.shifted(self.normal * self.upper);
        // Checks the range of the translation.
        Pose::from_translation(pose.translation()).map(|_| pose)
    }
}

/// How deep two polyhedra overlap, as [`penetration`] but in half of its time; `None` if they are
/// certainly apart.
///
/// ```
/// use clearance_engine::{Pose, convex::{PenetrationRequest, polyhedron_penetration}, math::DVec3, shape::ConvexPolyhedron};
/// let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
/// let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>())?;
/// let moved = cube.transformed(&Pose::from_translation(DVec3::new(0.1, 0.2, 0.75))?);
/// let found = polyhedron_penetration(&cube, &moved, &PenetrationRequest::default()).unwrap();
/// assert!(found.lower <= 0.25 && 0.25 <= found.upper && found.upper - found.lower < 1e-13);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn polyhedron_penetration(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    request: &PenetrationRequest,
) -> Option<Penetration> {
    let depth = Differences::new(&Places::new(a.local(), b.local())).depth(request);
    depth.or_by(|known| general_depth(a, b, request, known))
}

/// The same by the search for all solids, beside what is `known`. Where neither proves an overlap
/// the distance may prove that there is none, and has a point of both where it does not.
#[cold]
fn general_depth(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    request: &PenetrationRequest,
    known: Option<Penetration>,
) -> Option<Penetration> {
    let other = penetration(a, b, request)?;
    let known = known.unwrap_or(other);
    let nearer = if other.upper < known.upper { other } else { known };
    let lower = known.lower.max(other.lower);
    let status = request.status(lower, nearer.upper, a.bounding_radius().min(b.bounding_radius()));
    let found = Penetration { lower, status, ..nearer };
    if found.lower > 0.0 {
        return Some(found);
    }
    let Separation { lower, point_a, point_b, .. } = simplex_distance(a, b, f64::INFINITY)?;
    (lower <= 0.0).then_some(Penetration { point_a, point_b, ..found })
}

/// The same for b after a rigid motion. The moved polyhedron is mostly not even made.
pub(crate) fn penetration_after(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    a_from_b: &Pose,
    request: &PenetrationRequest,
) -> Option<Penetration> {
    let Some(moved) = b.local_after(a_from_b) else {
        return polyhedron_penetration(a, &b.transformed(a_from_b), request);
    };
    let depth = Differences::new(&Places::new(a.local(), moved)).depth(request);
    depth.or_by(|known| general_depth(a, &b.transformed(a_from_b), request, known))
}

/// How deep two solids overlap, radii included; `None` if they are certainly apart.
///
/// ```
/// use clearance_engine::{Pose, convex::{PenetrationRequest, penetration}, math::DVec3, shape::Cuboid};
/// let a = Cuboid::from_half_extents(DVec3::ONE)?;
/// let b = a.transformed(&Pose::from_translation(DVec3::new(0.2, 0.1, 1.75))?);
/// let found = penetration(&a, &b, &PenetrationRequest::default()).unwrap();
/// assert!(found.lower <= 0.25 && 0.25 <= found.upper && found.upper - found.lower < 1e-13);
/// assert!(found.normal.distance(DVec3::Z) < 1e-13);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn penetration<A: Convex, B: Convex>(a: &A, b: &B, request: &PenetrationRequest) -> Option<Penetration> {
    within_radii(a, b, &Radii::of(a, b), request)
}

/// Whether two cores certainly overlap, since a polytope that grows within their differences has
/// the origin inside.
pub(super) fn cores_surely_overlap<A: Convex, B: Convex>(a: &A, b: &B) -> bool {
    let request = PenetrationRequest { rel_err: 0.5, ..PenetrationRequest::default() };
    within_radii(a, b, &Radii::NONE, &request).is_some_and(|found| found.lower > 0.0)
}

fn within_radii<A: Convex, B: Convex>(
    a: &A,
    b: &B,
    radii: &Radii,
    request: &PenetrationRequest,
) -> Option<Penetration> {
    let pair = LocalPair::new(a, b);
    let limit = radii.limit(f64::MIN_POSITIVE) * pair.factor;
    let walk = pair.search(limit);
    let mut bounds = walk.bounds;
    // Both bounds are of how far the cores are apart, negative where they overlap.
    let depth_of = |gap: f64| -radii.below(gap / pair.factor);
    let allowed =
        |upper: f64| (request.abs_err.max(request.rel_err * upper) * pair.factor).max(ABSOLUTE_WIDTH * pair.reach);
    let done =
        |lower: f64, bounds: &Bounds| -bounds.lower - lower - 2.0 * pair.error <= allowed(depth_of(bounds.lower));
    let lower = if walk.around.is_some() { 0.0 } else { -bounds.upper };
    let mut grown = Grown { lower, point_a: bounds.point_a, point_b: bounds.point_b };
    if bounds.lower <= 0.0 && !done(lower, &bounds) {
        let vertices = walk.around.map(|(vertices, _)| vertices).or_else(|| spanning(&pair, &mut bounds));
        if let Some(vertices) = vertices {
            let steps = request.steps(pair.is_curved());
            bounds.direction = unit(bounds.direction);
            let growth = Growth { pair: &pair, vertices, bounds: &mut bounds, lower, steps, done };
            grown = vectorized(SimdLevel::Best, growth).unwrap_or(grown);
        }
        // What is thin can keep a surface from growing before it was looked at from many sides.
        if !done(grown.lower, &bounds) && request.max_steps.is_none() && !pair.is_curved() {
            let known = bounds.lower;
            pair.certify_faces(&mut bounds);
            if bounds.lower > known {
                // No face of the surface is there; where b is beside a, its way out is the way to
                // a.
                let push = unit(bounds.direction) * (-2.0 * bounds.lower);
                let beside = pair.bounds_after(push);
                (grown.point_a, grown.point_b) = (beside.point_a, beside.point_b - push);
            }
        }
    }
    if radii.below(bounds.lower / pair.factor) > 0.0 {
        return None;
    }
    let normal = unit(bounds.direction);
    let place = |point: DVec3| pair.origin() + point / pair.factor;
    let lower = (-radii.above(-grown.lower / pair.factor)).max(0.0);
    let upper = depth_of(bounds.lower).max(0.0);
    Some(Penetration {
        lower,
        upper,
        status: request.status(lower, upper, pair.smaller()),
        normal,
        point_a: place(grown.point_a) + normal * radii.a,
        point_b: place(grown.point_b) - normal * radii.b,
    })
}

/// A polytope that grows from four vertices, with all instructions that the processor has.
struct Growth<'g, 's, A, B, F> {
    pair: &'g LocalPair<'s, A, B>,
    vertices: [Vertex; 4],
    bounds: &'g mut Bounds,
    lower: f64,
    steps: usize,
    done: F,
}

impl<A: Convex, B: Convex, F: Fn(f64, &Bounds) -> bool> Vectorized for Growth<'_, '_, A, B, F> {
    /// None where the vertices are too flat to begin with.
    type Output = Option<Grown>;

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Option<Grown> {
        let mut polytope = Expanding::empty(self.pair.reach);
        let begun = polytope.begin(simd, self.vertices);
        begun.then(|| polytope.grow(simd, self.pair, self.bounds, self.lower, self.steps, self.done))
    }
}
