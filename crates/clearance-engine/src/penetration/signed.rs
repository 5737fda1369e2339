//! Signed distance of two solids: the distance where they are apart, minus the penetration depth
//! where they overlap.
//!
//! Both ends of the interval are certified, since they are those of a distance or of a depth. The
//! value passes through zero without a jump, and so does the normal: apart it points from A to B,
//! and in overlap along the way by which B leaves A, which is the same direction at contact.

use super::search::{STEPS_OF_TRAVERSAL, separating, steps_of};
use super::{check_solids, depth_after};
use crate::convex::{PenetrationRequest, Status};
use crate::dispatch::{Dispatcher, Pair};
use crate::math::DVec3;
use crate::query::{DistanceRequest, Gradient, NearestLine};
use crate::traversal::{WarmStart, Workspace};
use crate::tree::Geometry;
use crate::{Pose, Result};

/// A certified signed distance: `lower ≤ signed distance ≤ upper`.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, shape::Sphere};
/// let mut pair = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?;
/// let apart = pair.signed_distance(Pose::from_xyz(2.5, 0.0, 0.0)?)?;
/// let inside = pair.signed_distance(Pose::from_xyz(1.5, 0.0, 0.0)?)?;
/// assert!((apart.signed - 0.5).abs() < 1e-9 && (inside.signed + 0.5).abs() < 1e-6);
/// assert!(apart.normal.x > 0.999 && inside.normal.x > 0.999);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignedDistance {
    /// The value that the witness points realise, between the bounds: positive apart, negative in
    /// overlap.
    pub signed: f64,
    /// Certified lower bound.
    pub lower: f64,
    /// Certified upper bound.
    pub upper: f64,
    /// From A to B, of unit length, in A's frame: B moves along it to get farther away.
    pub normal: DVec3,
    /// On A, in its frame.
    pub point_a: DVec3,
    /// On B, in A's frame: `point_a` moved by `signed` along `normal`, up to the interval's width.
    pub point_b: DVec3,
    /// Why the search ended.
    pub status: Status,
}

impl SignedDistance {
    /// The gradient of the signed distance by the pose of either solid: that of the nearest or
    /// deepest points that were found.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, shape::{Cuboid, Sphere}};
    /// let mut pair = Pair::new(Cuboid::new(1.0, 1.0, 0.1)?, Sphere::new(0.2)?)?;
    /// let sunk = Pose::from_xyz(0.1, 0.0, 0.1)?;
    /// let gradient = pair.signed_distance(sunk)?.gradient(&sunk);
    /// assert!((gradient.by_b[2] - 1.0).abs() < 1e-9);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn gradient(&self, a_from_b: &Pose) -> Gradient {
        let Self { normal, point_a, point_b, .. } = *self;
        Gradient::new(&NearestLine { normal, point_a, point_b }, a_from_b, None)
    }
}

impl Pair {
    /// The signed distance: positive apart, minus the penetration depth in overlap.
    ///
    /// Both geometries must be solids, also where they are apart; see
    /// [`penetration`](Pair::penetration).
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, shape::{Cuboid, Sphere}};
    /// let mut pair = Pair::new(Cuboid::new(1.0, 1.0, 0.1)?, Sphere::new(0.2)?)?;
    /// for z in [0.5, 0.3, 0.2, 0.1] {
    ///     let found = pair.signed_distance(Pose::from_xyz(0.1, 0.0, z)?)?;
    ///     assert!((found.signed - (z - 0.25)).abs() < 1e-9 && found.lower <= found.signed && found.signed <= found.upper);
    ///     assert!(found.normal.z > 0.999999);
    /// }
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn signed_distance(&mut self, a_from_b: Pose) -> Result<SignedDistance> {
        let request = self.default_penetration_request();
        self.signed_distance_with(a_from_b, &request)
    }

    /// The same with a tolerance for the penetration depth and a budget for all of the search, also
    /// where the solids are apart.
    ///
    /// Where the budget ends before it is known whether they overlap, `lower` is minus a length that
    /// is sure to separate them.
    pub fn signed_distance_with(&mut self, a_from_b: Pose, request: &PenetrationRequest) -> Result<SignedDistance> {
        let (dispatcher, [a, b], workspace, warm_start) = self.with_memory();
        signed_distance(dispatcher, [a, b], &a_from_b, request, workspace, Some(warm_start))
    }
}

/// The signed distance of two solids, for those who bring their own memory; see
/// [`Pair::signed_distance_with`].
pub fn signed_distance(
    dispatcher: &Dispatcher,
    bodies: [&dyn Geometry; 2],
    a_from_b: &Pose,
    request: &PenetrationRequest,
    workspace: &mut Workspace,
    warm_start: Option<&mut WarmStart>,
) -> Result<SignedDistance> {
    request.check()?;
    check_solids(bodies)?;
    let plan = dispatcher.plan(bodies[0], bodies[1])?;
    let max_steps = request.max_steps.map(|steps| steps / STEPS_OF_TRAVERSAL);
    let to_ask = DistanceRequest { max_steps, ..DistanceRequest::default() };
    let apart = plan.distance(a_from_b, &to_ask, workspace, warm_start)?;
    if apart.upper <= 0.0
        && let Some(deep) = depth_after(steps_of(&apart.stats), dispatcher, bodies, a_from_b, request, workspace)?
    {
        return Ok(SignedDistance {
            signed: -deep.upper,
            lower: -deep.upper,
            upper: -deep.lower,
            normal: deep.normal,
            point_a: deep.point_a,
            point_b: deep.point_b,
            status: deep.status,
        });
    }
    let centers = || {
        let [a, b] = bodies.map(|body| body.sphere().center);
        (a, a_from_b.transform_point(b))
    };
    let (point_a, point_b) = apart.witness.map_or_else(centers, |witness| (witness.point_a, witness.point_b));
    // Where they touch in a point, the line between the centres is as good as any.
    let between = |(a, b): (DVec3, DVec3)| (b - a).try_normalize();
    let normal = between((point_a, point_b)).or_else(|| between(centers())).unwrap_or(DVec3::Z);
    let (upper, status) = (apart.upper, apart.status);
    let is_open = status == Status::Budget && apart.lower <= 0.0;
    // Not a number where a body is unbounded.
    let length = || Some(separating(bodies, a_from_b).1).filter(|length| length.is_finite()).unwrap_or(f64::INFINITY);
    let lower = if is_open { -length() } else { apart.lower };
    Ok(SignedDistance { signed: upper, lower, upper, normal, point_a, point_b, status })
}
