//! All pairs of shapes that touch, overlap, or are closer than a security margin.

use super::goal::max_steps;
use super::{CONTACT, Change, Composite, Defer, Goal, LeafPair, Status};
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::traversal::{Stack, Stats};
use crate::{Error, ErrorKind, Readable, Result};
use smallvec::{SmallVec, smallvec};
use std::ops::ControlFlow;

/// What to ask: how many contacts at most, and from how far away.
///
/// ```
/// use clearance_engine::query::ContactsRequest;
/// let request = ContactsRequest { margin: 0.01, ..ContactsRequest::default() };
/// assert!(request.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactsRequest {
    /// The most contacts to report; all by default.
    pub max_contacts: usize,
    /// Also report pairs this close or closer; 0 by default.
    pub margin: f64,
    /// The budget: [steps of the traversal](Stats::steps) after which the list is cut short, with
    /// [`Status::Budget`]; none by default.
    pub max_steps: Option<usize>,
}

impl Default for ContactsRequest {
    fn default() -> Self {
        Self { max_contacts: usize::MAX, margin: 0.0, max_steps: None }
    }
}

impl ContactsRequest {
    /// Refuses a margin that is negative or not finite.
    pub fn check(&self) -> Result<()> {
        if self.margin >= 0.0 && self.margin.is_finite() {
            return Ok(());
        }
        let message = format!("the margin of contacts must be finite and not negative, not {}", Readable(self.margin));
        Err(Error::new(ErrorKind::BadRequest, message))
    }
}

/// Two shapes that touch or nearly so.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Shape of the first geometry.
    pub leaf_a: u32,
    /// Shape of the second geometry.
    pub leaf_b: u32,
    /// In the first geometry's frame. Overlapping: a point, the ends of a segment, or the vertices
    /// of a coplanar overlap. Apart, but within the margin: the closest point of the first and of
    /// the second.
    pub points: SmallVec<[DVec3; 6]>,
    /// Unit length, from the first to the second.
    pub normal: DVec3,
    /// 0 if they overlap.
    pub distance: f64,
}

/// The answer of a contact query.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, shape::Sphere};
/// let mut pair = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?;
/// let found = pair.contacts(Pose::from_xyz(0.0, 0.0, 1.5)?);
/// assert!(found.colliding && !found.truncated);
/// for contact in &found.contacts {
///     println!("triangles {} and {} meet at {:?}", contact.leaf_a, contact.leaf_b, contact.points);
/// }
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts {
    /// What was found, in the order of the traversal, which depends on the geometries and the pose
    /// alone.
    pub contacts: Vec<Contact>,
    /// Whether the two touch or overlap, however many contacts the request allows; also where a
    /// budget left that open.
    pub colliding: bool,
    /// A point that two solids share though their surfaces are apart.
    pub contained: Option<DVec3>,
    /// Whether the request's maximum or budget cut the list short.
    pub truncated: bool,
    /// [`Status::Budget`] where the budget ended the search, else [`Status::Exact`].
    pub status: Status,
    /// What it took.
    pub stats: Stats,
}

/// The running state of a contact query.
#[derive(Debug)]
pub struct ContactsGoal {
    request: ContactsRequest,
    contacts: Vec<Contact>,
    contained: Option<DVec3>,
    overlapping: bool,
    truncated: bool,
    /// The budget, and whether it ended a traversal.
    max_steps: u64,
    exhausted: bool,
    stats: Stats,
}

impl ContactsGoal {
    /// A goal that has found nothing yet.
    pub fn new(request: &ContactsRequest) -> Self {
        Self {
            request: *request,
            contacts: Vec::new(),
            contained: None,
            overlapping: false,
            truncated: false,
            max_steps: max_steps(request.max_steps),
            exhausted: false,
            stats: Stats::default(),
        }
    }

    /// The answer.
    pub fn finish(self) -> Contacts {
        let colliding = self.collides() || self.exhausted;
        let Self { contacts, contained, exhausted, stats, .. } = self;
        let truncated = self.truncated || exhausted;
        let status = if exhausted { Status::Budget } else { Status::Exact };
        Contacts { contacts, colliding, contained, truncated, status, stats }
    }

    fn collides(&self) -> bool {
        self.overlapping || self.contained.is_some()
    }

    fn contact<A: Proximity<B>, B>(&self, pair: LeafPair, a: &A, b: &B) -> Option<Contact> {
        let (leaf_a, leaf_b) = (pair.a, pair.b);
        if let Some(shared) = a.shared_points(b) {
            return Some(Contact { leaf_a, leaf_b, points: shared.points, normal: shared.normal, distance: 0.0 });
        }
        if self.request.margin == 0.0 {
            return None;
        }
        let closest = a.closest_below(b, self.limit())?;
        if closest.upper > self.request.margin {
            return None;
        }
        let normal = (closest.point_b - closest.point_a).try_normalize().unwrap_or(DVec3::X);
        let points = smallvec![closest.point_a, closest.point_b];
        Some(Contact { leaf_a, leaf_b, points, normal, distance: closest.upper })
    }
}

impl Goal for ContactsGoal {
    type Order = Stack;
    const OVERLAP_ONLY: bool = false;

    #[inline]
    fn limit(&self) -> f64 {
        // The list is full: only whether the two collide is left to decide.
        if self.truncated { CONTACT } else { self.request.margin.next_up() }
    }

    #[inline]
    fn stats(&mut self) -> &mut Stats {
        &mut self.stats
    }

    fn meet<A: Proximity<B>, B>(&mut self, pair: LeafPair, a: &A, b: &B) -> ControlFlow<()> {
        self.stats.leaf_tests += 1;
        let Some(contact) = self.contact(pair, a, b) else { return ControlFlow::Continue(()) };
        self.overlapping |= contact.distance == 0.0;
        if self.contacts.len() < self.request.max_contacts {
            self.contacts.push(contact);
        } else {
            self.truncated = true;
        }
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn contain(&mut self, point: DVec3) {
        self.contained.get_or_insert(point);
    }

    fn overlaps(&self) -> bool {
        self.overlapping
    }

    #[inline(always)]
    fn is_spent(&self) -> bool {
        self.stats.steps() >= self.max_steps
    }

    fn exhausted(&mut self, _floor: f64) {
        self.exhausted = true;
    }

    fn is_exhausted(&self) -> bool {
        self.exhausted
    }
}

impl Defer for ContactsGoal {}

impl Composite for ContactsGoal {
    type Mark = (usize, bool);

    fn mark(&self) -> (usize, bool) {
        (self.contacts.len(), self.contained.is_some())
    }

    fn rewrite(&mut self, (known, was_contained): (usize, bool), change: &Change) {
        for contact in &mut self.contacts[known..] {
            contact.points.iter_mut().for_each(|point| *point = change.pose.transform_point(*point));
            contact.normal = change.pose.transform_vector(contact.normal);
            (contact.leaf_a, contact.leaf_b) = change.leaves((contact.leaf_a, contact.leaf_b));
            if change.swapped {
                contact.normal = -contact.normal;
                if contact.distance > 0.0 {
                    contact.points.reverse();
                }
            }
        }
        if !was_contained {
            self.contained = self.contained.map(|point| change.pose.transform_point(point));
        }
    }

    fn is_done(&self) -> bool {
        self.truncated && self.collides()
    }
}
