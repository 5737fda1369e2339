//! Time of impact (continuous collision, first contact) of two moving geometries: request, answer,
//! and choice of the approach.
//!
//! A geometry without bounds (a floor) has points that rotate at any speed. Only those count that
//! the other body can come near to.

use super::Motion;
use super::conservative_advancement::{Probe, Search, surely_overlap};
use super::swept;
use crate::convex::TOUCHING;
use crate::dispatch::{Dispatcher, Pair, PairQuery};
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::query::{Distance, DistanceRequest};
use crate::shape::{Convex, HalfSpaceOrPlane, Primitive};
use crate::traversal::{Stats, WarmStart, Workspace};
use crate::tree::{Geometry, HalfSpaceGeometry, Mesh, Solid};
use crate::volume::BoundingSphere;
use crate::{Error, ErrorKind, Pose, Readable, Result, Triangle};
use std::any::Any;

/// The algorithm of a time-of-impact query; answers hold for all, costs differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Approach {
    /// The best one by measurement: [`Trajectory`](Approach::Trajectory) for two default meshes,
    /// else [`Directional`](Approach::Directional).
    #[default]
    Best,
    /// Conservative advancement by the distance and the speed alone (Culley and Kempf).
    Distance,
    /// Conservative advancement also by the motion along the line between the closest points
    /// (Gilbert and Hong).
    Directional,
    /// Swept nodes: one traversal of both BVHs and of time, which halves time only where swept
    /// nodes overlap (Foisy and Hayward). Conservative advancement decides two triangles that may
    /// touch.
    ///
    /// It serves two meshes under the default hierarchy, and times that are neither tiny nor huge
    /// (1e-25 to 1e25). All other pairs (primitives, floors, meshes under other volumes) take
    /// [`Directional`](Approach::Directional), as [`ImpactAnswer::approach`] says.
    Swept,
    /// As [`Swept`](Approach::Swept), and for the same pairs, with two triangles by the times of
    /// vertex–face and edge–edge contacts on their paths.
    Trajectory,
}

/// A request for the time of impact of two moving bodies.
///
/// ```
/// use clearance_engine::motion::ImpactRequest;
/// let request = ImpactRequest { distance: 0.01, ..ImpactRequest::default() };
/// assert!(request.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactRequest {
    /// The clearance to keep; 0 by default: contact.
    pub distance: f64,
    /// The tolerance: a clearance that exceeds `distance` by this or less counts as possible
    /// contact; 1e-6 by default. The search uses at least the rounding error of the poses.
    pub tolerance: f64,
    /// The part of the clearance that steps leave unused, for [`TimeOfImpact::Free`]'s margin; 0.1
    /// by default.
    pub keep: f64,
    /// The algorithm.
    pub approach: Approach,
    /// The maximum number of evaluated times, after which the search gives up; 100,000 by default.
    pub max_evaluations: usize,
    /// The times to search, from the first to the second or the end of the motions; all of them by
    /// default.
    pub window: [f64; 2],
    /// The budget: [steps of the traversals](Stats::steps) after which the search ends
    /// [`Undecided`](TimeOfImpact::Undecided), with what it has proven; none by default.
    pub max_steps: Option<usize>,
    /// Whether to skip back faces of the motion ([`front_faces`](crate::shape::front_faces)); off
    /// by default.
    ///
    /// The filter applies to two default meshes that are solid, each of one piece that faces
    /// outward, and apart at the start, while one translates straight against the other. Elsewhere
    /// it has no effect. Their surfaces must not cross themselves, which nothing checks.
    pub fronts_only: bool,
}

impl Default for ImpactRequest {
    fn default() -> Self {
        let (approach, max_evaluations) = (Approach::default(), 100_000);
        Self {
            distance: 0.0,
            tolerance: 1e-6,
            keep: 0.1,
            approach,
            max_evaluations,
            window: [0.0, f64::INFINITY],
            max_steps: None,
            fronts_only: false,
        }
    }
}

impl ImpactRequest {
    /// Rejects values that are NaN, negative, or leave nothing for a step.
    pub fn check(&self) -> Result<()> {
        for (name, value) in [("distance", self.distance), ("tolerance", self.tolerance), ("keep", self.keep)] {
            if !(value.is_finite() && value >= 0.0) {
                let message = format!("{name} must be a finite number that is not negative, not {}", Readable(value));
                return Err(Error::new(ErrorKind::BadRequest, message));
            }
        }
        if self.keep > 0.9 {
            return Err(Error::new(
                ErrorKind::BadRequest,
                format!("keep must be 0.9 or less, not {}", Readable(self.keep)),
            ));
        }
        let [from, until] = self.window;
        if !(from >= 0.0 && from.is_finite() && from <= until) {
            let message = format!("no time is between {} and {}", Readable(from), Readable(until));
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        Ok(())
    }
}

/// The first contact of two moving bodies: time, place and normal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// A lower bound of the time of impact: before it the clearance is certainly larger than the
    /// request's distance.
    pub t_lower: f64,
    /// The upper end of the interval: at this time the clearance is at most the request's distance
    /// and [`gap`](Impact::gap).
    pub t_upper: f64,
    /// A certified bound: at `t_upper` the clearance exceeds the request's distance by this or
    /// less.
    ///
    /// It is 0 if and only if the contact is proven: the bodies overlap by more than rounding can
    /// have moved them. Otherwise it is positive. It is rounding where the bodies touch but for
    /// that (merely touching, or geometries without a known penetration depth). Or it is within the
    /// tolerance, and perhaps the bodies come no nearer.
    pub gap: f64,
    /// A point of the first body at or just before contact, in the world.
    pub point: DVec3,
    /// The contact normal from the first body to the second, of length 1; `None` for bodies that
    /// overlap from the start.
    pub normal: Option<DVec3>,
    /// The shapes that come together; `None` where one body contains the other.
    pub leaves: Option<(u32, u32)>,
}

/// The result of a time-of-impact query.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, math::DVec3, motion::{Motion, TimeOfImpact}, shape::Sphere};
/// let mut pair = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?;
/// let (start, velocity) = (Pose::from_xyz(4.0, 0.0, 0.0)?, DVec3::new(-8.0, 0.0, 0.0));
/// let fly = Motion::moving(&start, DVec3::ZERO, velocity, DVec3::ZERO, 1.0)?;
/// match pair.time_of_impact(&Motion::still(&Pose::IDENTITY), &fly)?.first {
///     TimeOfImpact::Contact(impact) => assert!((impact.t_lower - 0.25).abs() < 1e-3),
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeOfImpact {
    /// The motion is collision-free: the clearance always exceeds the request's distance by at
    /// least `margin`.
    Free {
        /// A certified margin; [`ImpactRequest::keep`] decides how much of the true margin it
        /// shows.
        margin: f64,
    },
    /// The motion is in collision, or not free by more than the tolerance.
    Contact(Impact),
    /// The search gave up: the motion is collision-free before `t_lower`, and the rest is open.
    Undecided {
        /// The time until which the motion is provably collision-free.
        t_lower: f64,
    },
}

/// The answer of a time-of-impact query, with statistics.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactAnswer {
    /// The result.
    pub first: TimeOfImpact,
    /// The algorithm that ran: the requested one, or its replacement for these geometries. Never
    /// [`Approach::Best`].
    pub approach: Approach,
    /// The end of the longer of the two motions, or of the request's window.
    pub duration: f64,
    /// The number of evaluated times.
    pub steps: usize,
    /// The statistics of the distance queries.
    pub stats: Stats,
}

impl ImpactAnswer {
    /// The time until which the motion is provably collision-free.
    pub fn free_until(&self) -> f64 {
        match self.first {
            TimeOfImpact::Free { .. } => self.duration,
            TimeOfImpact::Contact(touch) => touch.t_lower,
            TimeOfImpact::Undecided { t_lower } => t_lower,
        }
    }
}

/// Computes the time of impact (continuous collision, first contact) of two moving geometries.
///
/// It finds the first time at which `a` and `b` touch or come nearer than the request's distance,
/// or proves that they never do.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Dispatcher, traversal::Workspace, math::DVec3, shape::{Sphere, Cuboid}, tree::Solid};
/// use clearance_engine::motion::{ImpactRequest, TimeOfImpact, Motion, time_of_impact};
/// let (sphere, sheet) = (Solid::new(Sphere::new(0.5)?), Solid::new(Cuboid::from_half_extents(DVec3::new(2.0, 2.0, 1e-4))?));
/// let above = Pose::from_translation(DVec3::Z * 1e3)?;
/// let falling = Motion::moving(&above, DVec3::ZERO, DVec3::Z * -1e6, DVec3::ZERO, 1.0)?;
/// let bodies = [(&sphere as _, &falling), (&sheet as _, &Motion::still(&Pose::IDENTITY))];
/// let answer = time_of_impact(&Dispatcher::standard(), bodies, &ImpactRequest::default(), &mut Workspace::default())?;
/// let TimeOfImpact::Contact(touch) = answer.first else { panic!("it went through the sheet") };
/// let truth = (1e3 - 0.5 - 1e-4) / 1e6;
/// assert!(touch.t_lower <= truth && truth <= touch.t_upper + 1e-15 && touch.t_upper - touch.t_lower < 1e-11);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub fn time_of_impact(
    dispatcher: &Dispatcher,
    [(a, motion_a), (b, motion_b)]: [(&dyn Geometry, &Motion); 2],
    request: &ImpactRequest,
    workspace: &mut Workspace,
) -> Result<ImpactAnswer> {
    let mut search = search(dispatcher, [(a, motion_a), (b, motion_b)], request, workspace)?;
    let [from, duration] = search.window;
    let swept = default_meshes(a, b).filter(|_| swept::DURATIONS.contains(&(duration - from)));
    let approach = match (request.approach, swept) {
        (Approach::Best | Approach::Trajectory, Some(_)) => Approach::Trajectory,
        (Approach::Swept, Some(_)) => Approach::Swept,
        (Approach::Distance, _) => Approach::Distance,
        (Approach::Directional, _) | (_, None) => Approach::Directional,
    };
    let first = match swept {
        Some(meshes) if matches!(approach, Approach::Swept | Approach::Trajectory) => swept::run(&mut search, meshes)?,
        _ => search.run()?,
    };
    Ok(ImpactAnswer { first, approach, duration, steps: search.steps, stats: search.stats })
}

/// A search in the request's window.
fn search<'s>(
    dispatcher: &'s Dispatcher,
    [(a, motion_a), (b, motion_b)]: [(&'s dyn Geometry, &'s Motion); 2],
    request: &'s ImpactRequest,
    workspace: &'s mut Workspace,
) -> Result<Search<'s, Bodies<'s>>> {
    request.check()?;
    let plan = dispatcher.plan(a, b)?;
    let [from, until] = request.window;
    let window = [from, until.min(motion_a.duration().max(motion_b.duration())).max(from)];
    let (spheres, far) = finite_spheres([(a, motion_a), (b, motion_b)], window, request)?;
    let probe = Bodies { plan, bodies: [a, b], workspace, warm_start: WarmStart::default() };
    let mut search = Search {
        probe,
        motions: [motion_a, motion_b],
        spheres,
        far,
        window,
        duration: window[1],
        request,
        tolerance: 0.0,
        steps: 0,
        stats: Stats::default(),
    };
    search.tolerance = search.least_tolerance();
    Ok(search)
}

/// A certified lower bound of the clearance, beyond the request's distance, at the start of its
/// window, up to some tolerances; and the tolerance that a search there uses.
pub(crate) fn clearance_at_start(
    dispatcher: &Dispatcher,
    bodies: [(&dyn Geometry, &Motion); 2],
    request: &ImpactRequest,
    workspace: &mut Workspace,
) -> Result<(f64, f64)> {
    let mut search = search(dispatcher, bodies, request, workspace)?;
    let evaluation = search.evaluate(request.window[0], 8.0 * search.tolerance)?;
    Ok((evaluation.clear, search.tolerance))
}

impl Pair {
    /// Computes the time of impact (continuous collision, first contact) of the two geometries. Both
    /// motions are in one world frame.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, math::DVec3, motion::{Motion, TimeOfImpact}, shape::{Cuboid, Sphere}};
    /// let (start, end) = (Pose::from_xyz(0.0, 0.0, 2.0)?, Pose::from_xyz(0.0, 0.0, -2.0)?);
    /// let mut pair = Pair::new(Sphere::new(0.5)?, Cuboid::new(4.0, 4.0, 1e-4)?)?;
    /// let answer = pair.time_of_impact(&Motion::between(&start, &end, 1.0)?, &Motion::still(&Pose::IDENTITY))?;
    /// let TimeOfImpact::Contact(impact) = answer.first else { panic!("it went through the sheet") };
    /// assert!((impact.t_upper - 0.375).abs() < 1e-4 && impact.t_lower <= impact.t_upper);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn time_of_impact(&mut self, motion_a: &Motion, motion_b: &Motion) -> Result<ImpactAnswer> {
        self.time_of_impact_with(motion_a, motion_b, &ImpactRequest::default())
    }

    /// Computes the time of impact with a clearance to keep, a tolerance, or a chosen approach.
    pub fn time_of_impact_with(
        &mut self,
        motion_a: &Motion,
        motion_b: &Motion,
        request: &ImpactRequest,
    ) -> Result<ImpactAnswer> {
        let (dispatcher, [a, b], workspace) = self.for_motion();
        time_of_impact(dispatcher, [(a, motion_a), (b, motion_b)], request, workspace)
    }
}

/// The two geometries, if both are meshes under the default hierarchy.
fn default_meshes<'g>(a: &'g dyn Geometry, b: &'g dyn Geometry) -> Option<[&'g Mesh; 2]> {
    let mesh = |geometry: &'g dyn Geometry| (geometry as &dyn Any).downcast_ref::<Mesh>();
    Some([mesh(a)?, mesh(b)?])
}

/// Two geometries of the dispatcher as a [`Probe`].
pub(super) struct Bodies<'s> {
    plan: PairQuery<'s>,
    bodies: [&'s dyn Geometry; 2],
    pub(super) workspace: &'s mut Workspace,
    warm_start: WarmStart,
}

impl Probe for Bodies<'_> {
    fn distance(&mut self, a_from_b: &Pose, request: &DistanceRequest) -> Result<Distance> {
        self.plan.distance(a_from_b, request, self.workspace, Some(&mut self.warm_start))
    }

    fn support_bound(&self, body: usize, direction: DVec3, radius: f64) -> f64 {
        self.bodies[body].support_bound(direction, radius)
    }

    fn surely_overlap(&self, a_from_b: &Pose, found: &Distance, rounding: f64) -> bool {
        let Some((a, b)) = found.witness.and_then(|witness| witness.leaves) else { return false };
        match (Leaf::of(self.bodies[0], a), Leaf::of(self.bodies[1], b)) {
            (Some(Leaf::Triangle(a)), Some(Leaf::Triangle(b))) => {
                surely_overlap(&a, &b.transformed(a_from_b), rounding)
            }
            (Some(Leaf::Triangle(a)), Some(Leaf::Solid(b))) => surely_overlap(&a, &b.transformed(a_from_b), rounding),
            (Some(Leaf::Solid(a)), Some(Leaf::Triangle(b))) => surely_overlap(a, &b.transformed(a_from_b), rounding),
            (Some(Leaf::Solid(a)), Some(Leaf::Solid(b))) => surely_overlap(a, &b.transformed(a_from_b), rounding),
            (Some(Leaf::Triangle(a)), Some(Leaf::HalfSpaceOrPlane(b))) => {
                surely_beyond(&a, &b.transformed(a_from_b), rounding)
            }
            (Some(Leaf::Solid(a)), Some(Leaf::HalfSpaceOrPlane(b))) => {
                surely_beyond(a, &b.transformed(a_from_b), rounding)
            }
            (Some(Leaf::HalfSpaceOrPlane(a)), Some(Leaf::Triangle(b))) => {
                surely_beyond(&b.transformed(a_from_b), a, rounding)
            }
            (Some(Leaf::HalfSpaceOrPlane(a)), Some(Leaf::Solid(b))) => {
                surely_beyond(&b.transformed(a_from_b), a, rounding)
            }
            _ => false,
        }
    }

    /// An exact test decides contact of two triangles; for curved primitives see
    /// [`convex`](crate::convex).
    fn touching_error(&self) -> f64 {
        if default_meshes(self.bodies[0], self.bodies[1]).is_some() { 0.0 } else { TOUCHING }
    }
}

/// The shape of a leaf.
enum Leaf<'g> {
    Triangle(Triangle),
    Solid(&'g Primitive),
    HalfSpaceOrPlane(&'g HalfSpaceOrPlane),
}

impl<'g> Leaf<'g> {
    /// The shape of a number, for geometries with a computable penetration depth.
    fn of(geometry: &'g dyn Geometry, number: u32) -> Option<Self> {
        let any = geometry as &dyn Any;
        let triangle = geometry.leaf_triangle(number).map(Self::Triangle);
        let solid = |solid: &'g Solid| Self::Solid(solid.shape());
        let boundary = |boundary: &'g HalfSpaceGeometry| Self::HalfSpaceOrPlane(boundary.shape());
        triangle
            .or_else(|| any.downcast_ref::<Solid>().map(solid))
            .or_else(|| any.downcast_ref::<HalfSpaceGeometry>().map(boundary))
    }
}

/// Whether a convex shape extends beyond a plane by more than `rounding`, to both sides of it
/// unless it bounds a half-space.
fn surely_beyond<C: Convex>(shape: &C, boundary: &HalfSpaceOrPlane, rounding: f64) -> bool {
    let (normal, center) =
        (boundary.plane().normal(), shape.center() - boundary.plane().normal() * boundary.plane().offset());
    let size =
        shape.center().abs().element_sum() + boundary.plane().offset().abs() + shape.bounding_radius() + shape.radius();
    let needed = rounding + 64.0 * UNIT_ROUNDOFF * size;
    let support = |direction: DVec3| direction.dot(center + shape.support(direction)) + shape.radius();
    support(-normal) > needed && (boundary.is_solid() || support(normal) > needed)
}

/// Bounding spheres of all points of two bodies that can come nearer to the other one than the
/// second number.
fn finite_spheres(
    [a, b]: [(&dyn Geometry, &Motion); 2],
    [from, until]: [f64; 2],
    request: &ImpactRequest,
) -> Result<([BoundingSphere; 2], f64)> {
    let spheres = [a.0.sphere(), b.0.sphere()];
    let near = |one: (&dyn Geometry, &Motion), other: &Motion| {
        let sphere = one.0.sphere();
        let center = one.1.pose(from).transform_point(sphere.center);
        let radius = sphere.radius + one.1.displacement(from, until, &sphere);
        let far = request.distance + 2.0 * radius.max(request.tolerance);
        let origin = BoundingSphere { center: DVec3::ZERO, radius: 0.0 };
        let apart = center.distance(other.pose(from).translation()) + other.displacement(from, until, &origin);
        let radius = (apart + radius + far) * (1.0 + 16.0 * UNIT_ROUNDOFF);
        (BoundingSphere { center: DVec3::ZERO, radius }, far)
    };
    match spheres.map(|sphere| sphere.radius.is_finite()) {
        [true, true] => Ok((spheres, f64::INFINITY)),
        [true, false] => {
            let (sphere, far) = near(a, b.1);
            Ok(([spheres[0], sphere], far))
        }
        [false, true] => {
            let (sphere, far) = near(b, a.1);
            Ok(([sphere, spheres[1]], far))
        }
        [false, false] => {
            let message = format!("two geometries without bounds in motion: {} and {}", a.0.kind(), b.0.kind());
            Err(Error::new(ErrorKind::Unsupported, message))
        }
    }
}
