//! All pairs of parts that are nearer than a distance: the list that optimisers linearise.
//!
//! Pairs of parts may count as one, such as all pairs of parts of two links: then only the deepest
//! or nearest of them is in the list, and the others are searched no farther than that.
//!
//! **Overlapping parts** have minus a penetration depth ([`overlap`]), certified: that of convex
//! parts exactly, that of other solids and of half-spaces within a tolerance or a budget. Surfaces
//! have no depth. They get an interval from minus the length of a shift that is proven to separate
//! them, by their support functions, to 0; [`Status::Inexact`] says that it is wide.
//!
//! **Rounding**: a distance or depth of two placed parts is off by `PartPair::rounding` at most,
//! which widens both ends; sums are rounded outward by one unit.

use super::answers::{PartDistance, PartPairIds};
use super::assembly_assembly::{AssemblyPair, Pairing, PartPair, Question};
use crate::convex::PenetrationRequest;
use crate::dispatch::Dispatcher;
use crate::math::{DVec3, UNIT_ROUNDOFF};
use crate::penetration::penetration_depth;
use crate::query::{Distance, DistanceRequest, Status, TIE};
use crate::shape::Plane;
use crate::traversal::{Stack, Stats, WarmStart, Workspace};
use crate::tree::{Assembly, Geometry, HalfSpaceGeometry, PartId, Solid};
use crate::volume::BoundingSphere;
use crate::{Error, ErrorKind, Pose, Readable, Result};
use std::any::Any;
use std::collections::HashMap;

/// The relative error of the depth of solids that are not convex …
const DEPTH_ERROR: f64 = 0.005;
/// … and the budget of its search: less than a millisecond.
const DEPTH_STEPS: usize = 20_000;

/// Which pairs of parts are near, and what to find out about them.
///
/// ```
/// use clearance_engine::assembly::NearRequest;
/// let fast = NearRequest { examine_ties: false, ..NearRequest::within(0.1) };
/// assert_eq!(fast.max_distance, 0.1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearRequest {
    /// Pairs that are farther apart, less their offset, are not listed. It must not be negative.
    pub max_distance: f64,
    /// Whether to look for other triangles of meshes that are as near, to say whether the nearest
    /// points are [unique](NearParts::unique): a second traversal, which takes a third of the time
    /// of the distances.
    pub examine_ties: bool,
    /// The budget of each pair of parts, in [steps](Stats::steps) of its distance and in steps of its
    /// penetration depth; then its interval has [`Status::Budget`], and its ties are not examined.
    /// None by default.
    pub max_steps: Option<usize>,
}

impl NearRequest {
    /// All pairs nearer than a distance, ties examined.
    pub fn within(max_distance: f64) -> Self {
        Self { max_distance, examine_ties: true, max_steps: None }
    }
}

/// Two parts that are near to each other or overlap; points and normal in the common frame.
///
/// Distances count less the offset of the pair (paddings, margins), so that they may be negative
/// also where nothing overlaps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearParts {
    /// The part of the first assembly.
    pub part_a: PartId,
    /// The part of the second assembly.
    pub part_b: PartId,
    /// The signed distance: that of the two points, or minus the length of a shift along `normal`
    /// that separates overlapping parts.
    pub signed: f64,
    /// At most the signed distance.
    pub lower: f64,
    /// At least the signed distance.
    pub upper: f64,
    /// On the first part: nearest to the second, or deepest in it.
    pub point_a: DVec3,
    /// On the second part.
    pub point_b: DVec3,
    /// Unit length: the way that the second part goes to be farther from the first one.
    pub normal: DVec3,
    /// Whether no other points are as near, as in [`Gradient`](crate::query::Gradient::unique).
    pub unique: Option<bool>,
    /// Whether the interval is [exact](Status::Exact); [`Status::Inexact`] where surfaces overlap,
    /// which have no penetration depth.
    pub status: Status,
}

impl NearParts {
    /// The same pair with its parts exchanged.
    #[must_use]
    pub fn swapped(self) -> Self {
        Self {
            part_a: self.part_b,
            part_b: self.part_a,
            point_a: self.point_b,
            point_b: self.point_a,
            normal: -self.normal,
            ..self
        }
    }
}

impl<P: Pairing> AssemblyPair<'_, P> {
    /// All pairs of parts that are nearer than the request says, less their offset, or overlap;
    /// the older ones first. Pairs with the same `group` count as one: the nearest or deepest of them
    /// is in the list.
    ///
    /// ```
    /// use clearance_engine::{Pose, assembly::{Assembly, AssemblyPair, Everything, NearRequest}, dispatch::Dispatcher, traversal::Workspace};
    /// use clearance_engine::{shape::Sphere, tree::IntoGeometry};
    /// let (mut a, mut b, dispatcher) = (Assembly::default(), Assembly::default(), Dispatcher::standard());
    /// a.insert(Sphere::new(1.0)?.into_geometry(), Pose::IDENTITY);
    /// for x in [1.5, 2.25, 4.0] {
    ///     b.insert(Sphere::new(1.0)?.into_geometry(), Pose::from_xyz(x, 0.0, 0.0)?);
    /// }
    /// let pair = AssemblyPair::new(&dispatcher, &a, &b, &Everything);
    /// let near = pair.near(&NearRequest::within(0.5), |a, b| (a, b), &mut Workspace::default())?;
    /// let signed: Vec<f64> = near.iter().map(|near| near.signed).collect();
    /// assert!((signed[0] + 0.5).abs() < 1e-12 && (signed[1] - 0.25).abs() < 1e-12 && signed.len() == 2);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn near(
        &self,
        request: &NearRequest,
        group: impl Fn(u32, u32) -> (u32, u32),
        workspace: &mut Workspace,
    ) -> Result<Vec<NearParts>> {
        if request.max_distance.is_nan() || request.max_distance < 0.0 {
            let given = Readable(request.max_distance);
            let message = format!("max_distance must be a number that is not negative, not {given}");
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        let mut near = Near::new(request, group, self.dispatcher, [self.a, self.b]);
        self.run::<_, Stack>(&mut near, workspace, None)?;
        Ok(near.finish())
    }

    /// The signed distance of two parts alone, less their offset; `None` if they are not there or
    /// not looked at.
    pub fn pair_near(&self, parts: (PartId, PartId), workspace: &mut Workspace) -> Result<Option<NearParts>> {
        let Some(pair) = self.pair_of(parts)? else { return Ok(None) };
        let mut near = Near::new(&NearRequest::within(f64::INFINITY), |a, b| (a, b), self.dispatcher, [self.a, self.b]);
        near.meet(&pair, workspace, None)?;
        Ok(near.finish().pop())
    }

    /// The unit vector from the first to the second of the nearest two parts: that of their nearest
    /// points or, where they touch, the way out of the overlap. `None` where there are none.
    pub fn normal(&self, found: &PartDistance, workspace: &mut Workspace) -> Result<Option<DVec3>> {
        let Some(witness) = found.witness else { return Ok(None) };
        let parts = (witness.part_a, witness.part_b);
        // Touching points are off by roundings, which have any direction.
        if found.upper == 0.0 {
            return Ok(self.pair_near(parts, workspace)?.map(|near| near.normal));
        }
        let Some(pair) = self.pair_of(parts)? else { return Ok(None) };
        let own = |point: DVec3| pair.pose_a.inverse().transform_point(point);
        let points = [own(witness.point_a), own(witness.point_b)];
        let normal = pair.plan.normal(&pair.a_from_b, points, witness.leaves);
        Ok(normal.map(|normal| pair.pose_a.transform_vector(normal)))
    }
}

/// The running state of the question.
pub(super) struct Near<'n, G> {
    request: NearRequest,
    /// Pairs of parts with the same key count as one.
    group: G,
    places: HashMap<(u32, u32), usize>,
    found: Vec<NearParts>,
    dispatcher: &'n Dispatcher,
    assemblies: [&'n Assembly; 2],
    stats: Stats,
}

impl<'n, G: Fn(u32, u32) -> (u32, u32)> Near<'n, G> {
    pub(super) fn new(
        request: &NearRequest,
        group: G,
        dispatcher: &'n Dispatcher,
        assemblies: [&'n Assembly; 2],
    ) -> Self {
        let (places, found) = (HashMap::new(), Vec::new());
        Self { request: *request, group, places, found, dispatcher, assemblies, stats: Stats::default() }
    }

    /// What was found, the older parts first.
    pub(super) fn finish(self) -> Vec<NearParts> {
        let mut found = self.found;
        found.sort_unstable_by_key(|near| (near.part_a, near.part_b));
        found
    }

    /// What to ask about a pair so that all is found that is nearer than `reach`. With a budget a
    /// pair that is perhaps nearer needs points, which no limit may rule out.
    fn request(&self, pair: &PartPair<'_>, reach: f64) -> DistanceRequest {
        let max_steps = self.request.max_steps;
        let near = (reach + (pair.offset + pair.rounding)).next_up().max(f64::MIN_POSITIVE);
        let max_d = if max_steps.is_some() { f64::INFINITY } else { near };
        DistanceRequest { max_d, max_steps, ..DistanceRequest::default() }
    }
}

impl<G: Fn(u32, u32) -> (u32, u32)> Question for Near<'_, G> {
    const MUCH_LARGER: f64 = 3.0;
    const NEAREST_FIRST: bool = false;

    fn limit(&self) -> f64 {
        self.request.max_distance.max(f64::MIN_POSITIVE)
    }

    fn meet(
        &mut self,
        pair: &PartPair<'_>,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Result<bool> {
        let (a, b) = (pair.parts.0.number(), pair.parts.1.number());
        let key = (self.group)(a, b);
        let known = self.places.get(&key).copied();
        let tie = known.map_or(0.0, |place| TIE * (self.found[place].signed + pair.offset).abs());
        let reach = known.map_or(self.request.max_distance, |place| self.found[place].signed + tie);
        let answer = pair.plan.distance(&pair.a_from_b, &self.request(pair, reach), workspace, warm_start)?;
        self.stats += answer.stats;
        if answer.status == Status::BeyondMax || (answer.lower - (pair.offset + pair.rounding)).next_down() > reach {
            return Ok(false);
        }
        let examine_ties = self.request.examine_ties && answer.status != Status::Budget;
        let near = match apart(pair, &answer, examine_ties, workspace) {
            Some(near) => near,
            None => {
                let geometries = [&**self.assemblies[0].geometry(a), &**self.assemblies[1].geometry(b)];
                overlap(pair, (self.dispatcher, geometries), (&answer, self.request.max_steps), workspace)?
            }
        };
        match known {
            Some(place) => {
                let known = &mut self.found[place];
                let (lower, upper) = (known.lower.min(near.lower), known.upper.min(near.upper));
                // Other parts that are as near may have other nearest points, or the same.
                let is_tie = (near.signed - known.signed).abs() <= tie;
                let nearer = if near.signed < known.signed { near } else { *known };
                *known = NearParts { lower, upper, unique: nearer.unique.filter(|_| !is_tie), ..nearer };
            }
            None if near.lower <= self.request.max_distance => {
                self.places.insert(key, self.found.len());
                self.found.push(near);
            }
            None => (),
        }
        Ok(false)
    }

    fn screen(&mut self, pair: &PartPair<'_>, workspace: &mut Workspace) -> Result<Option<f64>> {
        let reach = (self.request.max_distance + (pair.offset + pair.rounding)).next_up().max(f64::MIN_POSITIVE);
        let (within, stats) = pair.plan.within(&pair.a_from_b, reach, workspace)?;
        self.stats += stats;
        Ok(within.then_some(0.0))
    }

    fn stopped(&mut self, _floor: f64) {}

    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }

    fn decided_by(&self) -> Option<PartPairIds> {
        None
    }
}

/// Two parts that are apart; `None` where they touch, or too nearly so for a direction.
fn apart(pair: &PartPair<'_>, answer: &Distance, examine_ties: bool, workspace: &mut Workspace) -> Option<NearParts> {
    let (nearest, unique) = pair.plan.nearest(&pair.a_from_b, answer, examine_ties, workspace)?;
    Some(NearParts {
        part_a: pair.parts.0,
        part_b: pair.parts.1,
        signed: answer.upper - pair.offset,
        lower: (answer.lower - (pair.offset + pair.rounding)).next_down(),
        upper: (answer.upper + pair.rounding - pair.offset).next_up(),
        point_a: pair.pose_a.transform_point(nearest.point_a),
        point_b: pair.pose_a.transform_point(nearest.point_b),
        normal: pair.pose_a.transform_vector(nearest.normal),
        unique,
        status: answer.status,
    })
}

/// Two parts that overlap or touch: the one place that says how deep.
fn overlap(
    pair: &PartPair<'_>,
    (dispatcher, geometries): (&Dispatcher, [&dyn Geometry; 2]),
    (answer, max_steps): (&Distance, Option<usize>),
    workspace: &mut Workspace,
) -> Result<NearParts> {
    // The direction is to be as exact as the depth: a tolerance of the depth would cost it half of
    // the digits. That of other solids is searched for within a budget.
    let request = match geometries.into_iter().all(|geometry| (geometry as &dyn Any).is::<Solid>()) {
        true => PenetrationRequest { rel_err: 0.0, ..PenetrationRequest::default() },
        false => {
            let max_steps = Some(max_steps.map_or(DEPTH_STEPS, |steps| steps.min(DEPTH_STEPS)));
            PenetrationRequest { rel_err: DEPTH_ERROR, max_steps, ..Default::default() }
        }
    };
    let (bounds, [point_a, point_b, normal], status) =
        match penetration_depth(dispatcher, geometries, &pair.a_from_b, &request, workspace) {
            Ok(Some(depth)) => {
                ([-depth.upper, -depth.lower], [depth.point_a, depth.point_b, depth.normal], depth.status)
            }
            Err(error) if error.kind() != ErrorKind::Unsupported => return Err(error),
            found => {
                let (length, normal) = separating_shift(geometries, &pair.a_from_b);
                let points = answer.witness.map_or([DVec3::ZERO; 2], |witness| [witness.point_a, witness.point_b]);
                // Without a depth convex parts are apart, by less than shows where.
                let length = if found.is_ok() { 0.0 } else { length };
                ([-length, answer.upper], [points[0], points[1], normal], Status::Inexact)
            }
        };
    Ok(NearParts {
        part_a: pair.parts.0,
        part_b: pair.parts.1,
        signed: bounds[0] - pair.offset,
        lower: (bounds[0] - (pair.offset + pair.rounding)).next_down(),
        upper: (bounds[1] + pair.rounding - pair.offset).next_up(),
        point_a: pair.pose_a.transform_point(point_a),
        point_b: pair.pose_a.transform_point(point_b),
        normal: pair.pose_a.transform_vector(normal),
        unique: None,
        status,
    })
}

/// A shift of B that surely separates two geometries: its length and its direction, in A's frame.
/// Infinite where both are unbounded.
///
/// For a unit vector `u`, B is beyond A once it is moved along `u` by the sum of the supports of A
/// along `u` and of B along `−u`. The directions tried are the axes of both frames, the line of
/// both centres, and the normals of half-spaces.
fn separating_shift(geometries: [&dyn Geometry; 2], a_from_b: &Pose) -> (f64, DVec3) {
    let [a, b] = geometries;
    let b_from_a = a_from_b.inverse();
    let (sphere_a, sphere_b) = (a.sphere(), b.sphere());
    let bounded = [sphere_a.radius, sphere_b.radius].map(|radius| radius < f64::INFINITY);
    let planes = [a, b].map(|geometry| {
        let any: &dyn Any = geometry;
        any.downcast_ref::<HalfSpaceGeometry>().map(|geometry| *geometry.shape().plane())
    });
    let mut directions: Vec<DVec3> = Vec::with_capacity(13);
    let mut both_ways = |u: DVec3| directions.extend([u, -u]);
    if bounded == [true, true] {
        DVec3::AXES.into_iter().for_each(&mut both_ways);
        DVec3::AXES.map(|axis| a_from_b.transform_vector(axis)).into_iter().for_each(&mut both_ways);
        directions.extend((a_from_b.transform_point(sphere_b.center) - sphere_a.center).try_normalize());
    } else {
        planes[0].map(|plane| plane.normal()).into_iter().for_each(&mut both_ways);
        planes[1].map(|plane| a_from_b.transform_vector(plane.normal())).into_iter().for_each(&mut both_ways);
    }
    // Where an unbounded geometry matters: around the other one, before and after the shift. The
    // box of the other one reaches no farther than twice its sphere.
    let reach = |sphere: BoundingSphere, pose: &Pose, plane: Option<Plane>| {
        8.0 * (pose.transform_point(sphere.center).length() + sphere.radius + plane.map_or(0.0, |p| p.offset().abs()))
    };
    let radii = [reach(sphere_b, a_from_b, planes[0]), reach(sphere_a, &b_from_a, planes[1])];
    let one = |u: DVec3| {
        let shift = a.support_bound(u, radii[0]) + b.support_bound(-b_from_a.transform_vector(u), radii[1]);
        // The translation adds `u·t`; turned directions are off by 8 roundings of what they meet.
        let (along, size) = (u.dot(a_from_b.translation()), a_from_b.translation().length());
        let sizes = [(sphere_a, bounded[0]), (sphere_b, bounded[1])]
            .map(|(sphere, bounded)| if bounded { sphere.center.length() + sphere.radius } else { 0.0 });
        let shift = shift - along + 32.0 * UNIT_ROUNDOFF * (size + sizes[0] + sizes[1]);
        // Beyond the reach nothing is known of an unbounded geometry.
        let known = radii.iter().zip(bounded).all(|(radius, bounded)| bounded || shift <= 0.25 * radius);
        (if known { shift.max(0.0) } else { f64::INFINITY }, u)
    };
    let shifts = directions.into_iter().map(one);
    shifts.min_by(|x, y| x.0.total_cmp(&y.0)).unwrap_or((f64::INFINITY, DVec3::X))
}
