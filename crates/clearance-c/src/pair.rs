//! Two geometries: collisions, contacts, distances, depths, times of impact.

use crate::border::{
    Outcome, Plain, array, clearance_status, entry, free, handle, lock, maybe_out, out, out_array, read, shared,
    threads,
};
use crate::geometry::clearance_geometry;
use crate::motion::clearance_motion;
use crate::types::{
    CLEARANCE_NONE, clearance_distance, clearance_distance_request, clearance_end, clearance_gradient, clearance_pose,
    clearance_signed_distance, max_steps, poses,
};
use clearance::engine::motion::ImpactRequest;
use clearance::{ContactsRequest, DistanceRequest, Pair, PenetrationRequest, TimeOfImpact, Vec3};

/// Two geometries, with the scratch memory and the warm starts of one thread: clone one for each.
///
/// In all its questions the pose `a_from_b` is that of B in A's frame.
pub struct clearance_pair {
    _private: (),
}

handle_kind!(clearance_pair, PairValue, b"pair____", Exclusive);

/// A pair, and the contacts of its last answer.
pub(crate) struct PairValue {
    pair: Pair,
    contacts: Vec<clearance_contact>,
    points: Vec<[f64; 3]>,
}

impl PairValue {
    fn new(pair: Pair) -> Self {
        Self { pair, contacts: Vec::new(), points: Vec::new() }
    }
}

/// A pair of two geometries; an error if nothing can tell about these two.
///
/// # Safety
/// `a` and `b` are handles, which may be freed afterwards; `pair` can be written. The caller frees
/// `*pair`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_new(
    a: *const clearance_geometry,
    b: *const clearance_geometry,
    pair: *mut *mut clearance_pair,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (a, b, pair) = unsafe { (shared(a)?, shared(b)?, out(pair, "pair")?) };
        pair.set(handle(PairValue::new(Pair::new(&a.geometry, &b.geometry)?)));
        Ok(())
    })
}

/// Frees a pair; NULL is nothing to free.
///
/// # Safety
/// `pair` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_free(pair: *mut clearance_pair) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(pair) }
}

/// Another pair of the same geometries, for another thread.
///
/// # Safety
/// `pair` is a handle; `clone` can be written. The caller frees `*clone`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_clone(
    pair: *const clearance_pair,
    clone: *mut *mut clearance_pair,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (pair, clone) = unsafe { (lock(pair)?, out(clone, "clone")?) };
        clone.set(handle(PairValue::new(pair.pair.clone())));
        Ok(())
    })
}

/// Whether the geometries touch or overlap.
///
/// # Safety
/// `pair` is a handle; `a_from_b` can be read; `colliding` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_collides(
    pair: *mut clearance_pair,
    a_from_b: *const clearance_pose,
    colliding: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut pair, pose, colliding) =
            unsafe { (lock(pair)?, read(a_from_b, "a_from_b")?, out(colliding, "colliding")?) };
        colliding.set(pair.pair.collides(pose.get()?));
        Ok(())
    })
}

/// Whether the geometries touch or overlap at each of many poses; `threads` 0 is all of the machine.
///
/// # Safety
/// `pair` is a handle; `poses` and `colliding` have `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_collides_batch(
    pair: *mut clearance_pair,
    poses: *const clearance_pose,
    count: usize,
    threads: u32,
    colliding: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (pair, places, colliding) =
            unsafe { (lock(pair)?, array(poses, count, "poses")?, out_array(colliding, count, "colliding")?) };
        let found = pair.pair.collides_batch(&self::poses(places, "poses")?, self::threads(threads))?;
        colliding.set_all(found);
        Ok(())
    })
}

/// A request that may be NULL: the exact distance.
///
/// # Safety
/// NULL, or readable.
pub(crate) unsafe fn request(pointer: *const clearance_distance_request) -> Outcome<DistanceRequest> {
    if pointer.is_null() {
        return Ok(DistanceRequest::default());
    }
    // SAFETY: as this function demands.
    clearance_distance_request::get(Some(unsafe { read(pointer, "request") }?))
}

/// The certified distance, 0 where the geometries touch.
///
/// # Safety
/// `pair` is a handle; `a_from_b` can be read; `request` can be read, or is NULL for the exact
/// distance; `distance` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_distance(
    pair: *mut clearance_pair,
    a_from_b: *const clearance_pose,
    request: *const clearance_distance_request,
    distance: *mut clearance_distance,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut pair, pose, request, distance) =
            unsafe { (lock(pair)?, read(a_from_b, "a_from_b")?, self::request(request)?, out(distance, "distance")?) };
        distance.set((&pair.pair.distance_with(pose.get()?, &request)?).into());
        Ok(())
    })
}

/// The distances at many poses; `threads` 0 is all of the machine.
///
/// # Safety
/// `pair` is a handle; `poses` and `distances` have `count` elements; `request` can be read, or is
/// NULL for the exact distance.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_distances(
    pair: *mut clearance_pair,
    poses: *const clearance_pose,
    count: usize,
    request: *const clearance_distance_request,
    threads: u32,
    distances: *mut clearance_distance,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (pair, places, request, distances) = unsafe {
            (
                lock(pair)?,
                array(poses, count, "poses")?,
                self::request(request)?,
                out_array(distances, count, "distances")?,
            )
        };
        let places = self::poses(places, "poses")?;
        let found = pair.pair.query().distances(&places, &request, self::threads(threads).count())?;
        distances.set_all(found.iter().map(clearance_distance::from));
        Ok(())
    })
}

/// Whether the distance is at most `distance`.
///
/// # Safety
/// `pair` is a handle; `a_from_b` can be read; `within` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_is_within(
    pair: *mut clearance_pair,
    a_from_b: *const clearance_pose,
    distance: f64,
    within: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut pair, pose, within) = unsafe { (lock(pair)?, read(a_from_b, "a_from_b")?, out(within, "within")?) };
        within.set(pair.pair.is_within(pose.get()?, distance)?);
        Ok(())
    })
}

/// The gradient of the distance by the poses, where the geometries are apart; `found` is false where
/// they touch, and nothing else is written.
///
/// # Safety
/// `pair` is a handle; `a_from_b` can be read; `gradient` and `found` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_gradient(
    pair: *mut clearance_pair,
    a_from_b: *const clearance_pose,
    gradient: *mut clearance_gradient,
    found: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut pair, pose, gradient, found) =
            unsafe { (lock(pair)?, read(a_from_b, "a_from_b")?, out(gradient, "gradient")?, out(found, "found")?) };
        let pose = pose.get()?;
        let distance = pair.pair.distance(pose);
        let answer = pair.pair.gradient(pose, &distance);
        found.set(answer.is_some());
        answer.iter().for_each(|answer| gradient.set(answer.into()));
        Ok(())
    })
}

/// How exact a depth must be. All zeros are the defaults.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_depth_request {
    /// The allowed `(upper - lower) / upper`; 0 is 1e-6.
    pub rel_err: f64,
    /// The allowed `upper - lower`.
    pub abs_err: f64,
    /// Where the search ends, whatever the interval; 0 leaves it to the library.
    pub max_steps: u64,
}

// SAFETY: three numbers without padding.
unsafe impl Plain for clearance_depth_request {}

/// A request that may be NULL.
///
/// # Safety
/// NULL, or readable.
unsafe fn depth_request(pointer: *const clearance_depth_request) -> Outcome<Option<PenetrationRequest>> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: as this function demands.
    let given = unsafe { read(pointer, "request") }?;
    let mut request = PenetrationRequest { abs_err: given.abs_err, ..PenetrationRequest::default() };
    if given.rel_err != 0.0 {
        request.rel_err = given.rel_err;
    }
    request.max_steps = max_steps(given.max_steps).or(request.max_steps);
    Ok(Some(request))
}

/// The distance where the geometries are apart, less than 0 by the penetration depth where they
/// overlap. Both must be solids.
///
/// # Safety
/// `pair` is a handle; `a_from_b` can be read; `request` can be read, or is NULL; `distance` can be
/// written; `gradient`, that of the points that were found, can be written, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_signed_distance(
    pair: *mut clearance_pair,
    a_from_b: *const clearance_pose,
    request: *const clearance_depth_request,
    distance: *mut clearance_signed_distance,
    gradient: *mut clearance_gradient,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut pair, pose, request, distance, gradient) = unsafe {
            let request = depth_request(request)?;
            let outs = (out(distance, "distance")?, maybe_out(gradient, "gradient")?);
            (lock(pair)?, read(a_from_b, "a_from_b")?, request, outs.0, outs.1)
        };
        let pose = pose.get()?;
        let found = match &request {
            None => pair.pair.signed_distance(pose),
            Some(request) => pair.pair.signed_distance_with(pose, request),
        }?;
        distance.set((&found).into());
        gradient.into_iter().for_each(|out| out.set((&found.gradient(&pose)).into()));
        Ok(())
    })
}

/// The least translation that separates two solids.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_penetration {
    /// A shift by less, in any direction, does not separate them.
    pub lower: f64,
    /// A shift of B by this much along `normal` does.
    pub upper: f64,
    /// Where B leaves A soonest, of unit length, in A's frame.
    pub normal: [f64; 3],
    /// The point of A that is deepest in B.
    pub point_a: [f64; 3],
    /// The point of B that is deepest in A.
    pub point_b: [f64; 3],
    /// Why the search ended.
    pub end: clearance_end,
}

/// The penetration depth; `found` is false where the geometries are apart, and nothing else is
/// written.
///
/// # Safety
/// `pair` is a handle; `a_from_b` can be read; `request` can be read, or is NULL; `penetration` and
/// `found` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_penetration(
    pair: *mut clearance_pair,
    a_from_b: *const clearance_pose,
    request: *const clearance_depth_request,
    penetration: *mut clearance_penetration,
    found: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut pair, pose, request, penetration, found) = unsafe {
            let request = depth_request(request)?;
            let outs = (out(penetration, "penetration")?, out(found, "found")?);
            (lock(pair)?, read(a_from_b, "a_from_b")?, request, outs.0, outs.1)
        };
        let answer = match &request {
            None => pair.pair.penetration(pose.get()?),
            Some(request) => pair.pair.penetration_with(pose.get()?, request),
        }?;
        found.set(answer.is_some());
        if let Some(answer) = answer {
            penetration.set(clearance_penetration {
                lower: answer.lower,
                upper: answer.upper,
                normal: answer.normal.to_array(),
                point_a: answer.point_a.to_array(),
                point_b: answer.point_b.to_array(),
                end: answer.status.into(),
            });
        }
        Ok(())
    })
}

/// Two leaves that touch, or nearly so.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_contact {
    /// The triangle or other leaf of A.
    pub leaf_a: u32,
    /// That of B.
    pub leaf_b: u32,
    /// 0 if they overlap.
    pub distance: f64,
    /// Of unit length, from A to B, in A's frame.
    pub normal: [f64; 3],
    /// In A's frame. Of an overlap: a point, the ends of a segment or the vertices of a polygon.
    /// Apart: the nearest points of A and of B.
    pub points: *const [f64; 3],
    /// How many points there are.
    pub point_count: usize,
}

/// All pairs of leaves that touch, or are within `margin`; at most `max_contacts`, and 0 is no limit.
///
/// # Safety
/// `pair` is a handle; `a_from_b` can be read; `contacts` and `count` can be written; `colliding` and
/// `truncated` can be written, or are NULL. `*contacts` and its points belong to the pair and live
/// until its next call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_contacts(
    pair: *mut clearance_pair,
    a_from_b: *const clearance_pose,
    margin: f64,
    max_contacts: usize,
    contacts: *mut *const clearance_contact,
    count: *mut usize,
    colliding: *mut bool,
    truncated: *mut bool,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut pair, pose, contacts, count, colliding, truncated) = unsafe {
            let outs = (out(contacts, "contacts")?, out(count, "count")?);
            let flags = (maybe_out(colliding, "colliding")?, maybe_out(truncated, "truncated")?);
            (lock(pair)?, read(a_from_b, "a_from_b")?, outs.0, outs.1, flags.0, flags.1)
        };
        let max_contacts = if max_contacts == 0 { usize::MAX } else { max_contacts };
        let request = ContactsRequest { margin, max_contacts, ..ContactsRequest::default() };
        let found = pair.pair.contacts_with(pose.get()?, &request)?;
        let PairValue { contacts: kept, points, .. } = &mut *pair;
        points.clear();
        points.extend(found.contacts.iter().flat_map(|contact| contact.points.iter().map(Vec3::to_array)));
        kept.clear();
        let mut first = 0;
        for contact in &found.contacts {
            let own = &points[first..first + contact.points.len()];
            first += own.len();
            kept.push(clearance_contact {
                leaf_a: contact.leaf_a,
                leaf_b: contact.leaf_b,
                distance: contact.distance,
                normal: contact.normal.to_array(),
                points: own.as_ptr(),
                point_count: own.len(),
            });
        }
        contacts.set(kept.as_ptr());
        count.set(kept.len());
        colliding.into_iter().for_each(|out| out.set(found.colliding));
        truncated.into_iter().for_each(|out| out.set(found.truncated));
        Ok(())
    })
}

/// What becomes of a motion.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_verdict {
    /// It is proven free of collisions.
    Free = 0,
    /// It is in collision, or not free by more than the tolerance.
    Contact = 1,
    /// The search gave up; what is proven stands beside it.
    Undecided = 2,
}

/// The first contact of two bodies that move. What a verdict does not have is NaN.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_impact {
    /// What becomes of the motion.
    pub verdict: clearance_verdict,
    /// The time until which it is proven free.
    pub free_until: f64,
    /// Free: the clearance is always larger than the request's distance by this much.
    pub margin: f64,
    /// Contact: the first contact is not before this time …
    pub t_lower: f64,
    /// … and at this time the bodies are within the request's distance and `gap`.
    pub t_upper: f64,
    /// Contact: 0 if and only if it is proven.
    pub gap: f64,
    /// Contact: a point of A at or just before it, in the world.
    pub point: [f64; 3],
    /// Contact: from A to B, of unit length; NaN for bodies that overlap from the start.
    pub normal: [f64; 3],
    /// Contact: the leaf of A, or `CLEARANCE_NONE`.
    pub leaf_a: u32,
    /// Contact: that of B.
    pub leaf_b: u32,
}

/// The first time at which A and B, which both move, are within `distance`; 0 asks for contact. A
/// `tolerance` of 0 is 1e-6.
///
/// # Safety
/// `pair`, `motion_a` and `motion_b` are handles; `impact` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_pair_time_of_impact(
    pair: *mut clearance_pair,
    motion_a: *const clearance_motion,
    motion_b: *const clearance_motion,
    distance: f64,
    tolerance: f64,
    impact: *mut clearance_impact,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut pair, motions, impact) =
            unsafe { (lock(pair)?, [shared(motion_a)?, shared(motion_b)?], out(impact, "impact")?) };
        let mut request = ImpactRequest { distance, ..ImpactRequest::default() };
        if tolerance != 0.0 {
            request.tolerance = tolerance;
        }
        let answer = pair.pair.time_of_impact_with(motions[0], motions[1], &request)?;
        let nothing = f64::NAN;
        let mut found = clearance_impact {
            verdict: clearance_verdict::Undecided,
            free_until: answer.free_until(),
            margin: nothing,
            t_lower: nothing,
            t_upper: nothing,
            gap: nothing,
            point: [nothing; 3],
            normal: [nothing; 3],
            leaf_a: CLEARANCE_NONE,
            leaf_b: CLEARANCE_NONE,
        };
        match answer.first {
            TimeOfImpact::Free { margin } => (found.verdict, found.margin) = (clearance_verdict::Free, margin),
            TimeOfImpact::Undecided { .. } => {}
            TimeOfImpact::Contact(contact) => {
                found.verdict = clearance_verdict::Contact;
                (found.t_lower, found.t_upper, found.gap) = (contact.t_lower, contact.t_upper, contact.gap);
                found.point = contact.point.to_array();
                found.normal = contact.normal.unwrap_or(Vec3::NAN).to_array();
                (found.leaf_a, found.leaf_b) = contact.leaves.unwrap_or((CLEARANCE_NONE, CLEARANCE_NONE));
            }
        }
        impact.set(found);
        Ok(())
    })
}
