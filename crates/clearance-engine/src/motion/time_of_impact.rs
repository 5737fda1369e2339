//! When two moving geometries first touch, or first come nearer than asked: the question, its
//! answer, and which approach gives it.
//!
//! A geometry without bounds (a floor) has points that turn at any speed; of those only the ones
//! count that the other body can come near to.

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

/// How the time of contact is searched for; answers hold for all, what they cost differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Approach {
    /// What measured best for the two geometries: [`Trajectory`](Approach::Trajectory) for two
    /// default meshes, else [`Directional`](Approach::Directional).
    #[default]
    Best,
    /// Steps from the distance and the speed alone (Culley and Kempf).
    Distance,
    /// Steps also from the motion along the line between the closest points (Gilbert and Hong).
    Directional,
    /// Nodes swept over intervals of time in one traversal, which are halved only where swept nodes
    /// overlap (Foisy and Hayward); two triangles that may touch by steps. Of two meshes under the
    /// default hierarchy, and for times that are neither tiny nor huge (1e-25 to 1e25); all other
    /// pairs (solids, floors, meshes under other volumes) take
    /// [`Directional`](Approach::Directional), as [`ImpactAnswer::approach`] says.
    Swept,
    /// As [`Swept`](Approach::Swept), and of the same pairs, with two triangles by the times at
    /// which vertices meet faces and edges meet edges on their paths.
    Trajectory,
}

/// What to ask of two motions.
///
/// ```
/// use clearance_engine::motion::ImpactRequest;
/// let request = ImpactRequest { distance: 0.01, ..ImpactRequest::default() };
/// assert!(request.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactRequest {
    /// The clearance that must be kept; 0 by default: contact.
    pub distance: f64,
    /// Clearances that exceed `distance` by this or less count as contact that could not be
    /// excluded; 1e-6 by default. What rounding of the poses may change is the least that is used.
    pub tolerance: f64,
    /// The part of the clearance that steps leave unused, for [`TimeOfImpact::Free`]'s margin; 0.1
    /// by default.
    pub keep: f64,
    /// How steps are found.
    pub approach: Approach,
    /// Steps after which the search gives up; 100,000 by default.
    pub max_steps: usize,
    /// Leaves out triangles that are turned away from the motion
    /// ([`front_faces`](crate::shape::front_faces)), where that is known to change nothing: two
    /// default meshes that were declared solid, each of one piece that faces outward, are apart at
    /// the start, and one moves straight on against the other without turning. Their surfaces must
    /// not cross themselves, which is not checked; so it is off by default. Elsewhere it does
    /// nothing.
    pub fronts_only: bool,
}

impl Default for ImpactRequest {
    fn default() -> Self {
        let (approach, max_steps) = (Approach::default(), 100_000);
        Self { distance: 0.0, tolerance: 1e-6, keep: 0.1, approach, max_steps, fronts_only: false }
    }
}

impl ImpactRequest {
    /// Refuses values that are NaN, negative, or leave nothing for a step.
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
        Ok(())
    }
}

/// Where and when two bodies touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// Before this time the clearance is certainly larger than the request's distance.
    pub t_lower: f64,
    /// At this time it is at most the request's distance and [`gap`](Impact::gap).
    pub t_upper: f64,
    /// Certified: at `t_upper` the clearance exceeds the request's distance by this or less. It is
    /// 0 if and only if the contact is proven: the bodies overlap by more than rounding can have
    /// moved them. Else it is positive: rounding, where they touch but for that (merely touching,
    /// or geometries of which no depth is known); or what is within the tolerance, and perhaps they
    /// come no nearer.
    pub gap: f64,
    /// A point of the first body at or just before contact, in the world.
    pub point: DVec3,
    /// From the first body to the second, of length 1; none for bodies that overlap from the start.
    pub normal: Option<DVec3>,
    /// The shapes that come together; none where one body contains the other.
    pub leaves: Option<(u32, u32)>,
}

/// What becomes of two motions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TimeOfImpact {
    /// The clearance is larger than the request's distance all the time, by at least `margin`.
    Free {
        /// Certified; how much of the true margin is known depends on [`ImpactRequest::keep`].
        margin: f64,
    },
    /// It is not, or not by more than the tolerance.
    Contact(Impact),
    /// The search gave up: the motion is free before `t_lower`, and nothing is known about the
    /// rest.
    Undecided {
        /// Up to here the motion is proven free.
        t_lower: f64,
    },
}

/// The answer, and what it took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactAnswer {
    /// What was found.
    pub first: TimeOfImpact,
    /// How: what was asked for, or what takes its place for these geometries. Never
    /// [`Approach::Best`].
    pub approach: Approach,
    /// When the longer of the two motions ends.
    pub duration: f64,
    /// The times that were looked at.
    pub steps: usize,
    /// What the distance queries did.
    pub stats: Stats,
}

impl ImpactAnswer {
    /// The motion is proven free from its start until this time.
    pub fn free_until(&self) -> f64 {
        match self.first {
            TimeOfImpact::Free { .. } => self.duration,
            TimeOfImpact::Contact(touch) => touch.t_lower,
            TimeOfImpact::Undecided { t_lower } => t_lower,
        }
    }
}

/// When `a` and `b`, moving as given, first touch or come nearer than the request's distance.
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
    request.check()?;
    let plan = dispatcher.plan(a, b)?;
    let duration = motion_a.duration().max(motion_b.duration());
    let (spheres, far) = finite_spheres([(a, motion_a), (b, motion_b)], duration, request)?;
    let probe = Bodies { plan, bodies: [a, b], workspace, warm_start: WarmStart::default() };
    let mut search = Search {
        probe,
        motions: [motion_a, motion_b],
        spheres,
        far,
        window: [0.0, duration],
        duration,
        request,
        tolerance: 0.0,
        steps: 0,
        stats: Stats::default(),
    };
    search.tolerance = search.least_tolerance();
    let swept = default_meshes(a, b).filter(|_| swept::DURATIONS.contains(&duration));
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

impl Pair {
    /// When the two geometries, moving as given, first touch: continuous collision detection. Both
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

    /// The same with a clearance to keep, a tolerance, or an approach of your choice.
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

/// Two geometries of the dispatcher.
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

    /// Of two triangles contact is decided exactly; of curved solids see
    /// [`Parting`](crate::convex::Parting).
    fn touching_error(&self) -> f64 {
        if default_meshes(self.bodies[0], self.bodies[1]).is_some() { 0.0 } else { TOUCHING }
    }
}

/// What a pair of leaves is made of.
enum Leaf<'g> {
    Triangle(Triangle),
    Solid(&'g Primitive),
    HalfSpaceOrPlane(&'g HalfSpaceOrPlane),
}

impl<'g> Leaf<'g> {
    /// The shape of a number, of geometries whose depth in others is known.
    fn of(geometry: &'g dyn Geometry, number: u32) -> Option<Self> {
        let any = geometry as &dyn Any;
        let triangle = geometry.leaf_triangle(number).map(Self::Triangle);
        let solid = |solid: &'g Solid| Self::Solid(solid.shape());
        let flat = |flat: &'g HalfSpaceGeometry| Self::HalfSpaceOrPlane(flat.shape());
        triangle
            .or_else(|| any.downcast_ref::<Solid>().map(solid))
            .or_else(|| any.downcast_ref::<HalfSpaceGeometry>().map(flat))
    }
}

/// Whether a convex shape reaches beyond a plane, to both sides of it unless one is solid, by more
/// than `rounding`.
fn surely_beyond<C: Convex>(shape: &C, flat: &HalfSpaceOrPlane, rounding: f64) -> bool {
    let (normal, center) = (flat.plane().normal(), shape.center() - flat.plane().normal() * flat.plane().offset());
    let size =
        shape.center().abs().element_sum() + flat.plane().offset().abs() + shape.bounding_radius() + shape.radius();
    let needed = rounding + 64.0 * UNIT_ROUNDOFF * size;
    let reach = |direction: DVec3| direction.dot(center + shape.support(direction)) + shape.radius();
    reach(-normal) > needed && (flat.is_solid() || reach(normal) > needed)
}

/// Spheres around all points of two bodies that can come nearer to the other one than the second
/// number says.
fn finite_spheres(
    [a, b]: [(&dyn Geometry, &Motion); 2],
    duration: f64,
    request: &ImpactRequest,
) -> Result<([BoundingSphere; 2], f64)> {
    let spheres = [a.0.sphere(), b.0.sphere()];
    let near = |one: (&dyn Geometry, &Motion), other: &Motion| {
        let sphere = one.0.sphere();
        let center = one.1.pose(0.0).transform_point(sphere.center);
        let radius = sphere.radius + one.1.displacement(0.0, duration, &sphere);
        let far = request.distance + 2.0 * radius.max(request.tolerance);
        let origin = BoundingSphere { center: DVec3::ZERO, radius: 0.0 };
        let apart = center.distance(other.pose(0.0).translation()) + other.displacement(0.0, duration, &origin);
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
