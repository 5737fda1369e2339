//! All pairs of shapes that touch, overlap, or are closer than a security margin.

use super::{CONTACT, Change, Status, Visit, Visitor};
use crate::math::DVec3;
use crate::traversal::Stats;
use crate::{Error, ErrorKind, Readable, Result};
use smallvec::SmallVec;
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

impl Contact {
    /// Makes a contact of parts one of the wholes.
    pub(super) fn change(&mut self, change: &Change) {
        self.points.iter_mut().for_each(|point| *point = change.pose.transform_point(*point));
        self.normal = change.pose.transform_vector(self.normal);
        (self.leaf_a, self.leaf_b) = change.leaves((self.leaf_a, self.leaf_b));
        if change.swapped {
            self.normal = -self.normal;
            if self.distance > 0.0 {
                self.points.reverse();
            }
        }
    }
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

/// The visitor that lists what it is shown.
pub(crate) struct ContactList {
    request: ContactsRequest,
    contacts: Vec<Contact>,
    contained: Option<DVec3>,
    touching: bool,
    truncated: bool,
}

impl ContactList {
    /// An empty list.
    pub fn new(request: &ContactsRequest) -> Self {
        Self { request: *request, contacts: Vec::new(), contained: None, touching: false, truncated: false }
    }

    fn collides(&self) -> bool {
        self.touching || self.contained.is_some()
    }

    /// The end, once the list is full and the verdict known.
    fn flow(&self) -> ControlFlow<()> {
        if self.truncated && self.collides() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// The answer.
    pub fn finish(self, visit: &Visit) -> Contacts {
        let Visit { exhausted, stats, .. } = *visit;
        let colliding = self.collides() || exhausted;
        let truncated = self.truncated || exhausted;
        let status = if exhausted { Status::Budget } else { Status::Exact };
        Contacts { contacts: self.contacts, colliding, contained: self.contained, truncated, status, stats }
    }
}

impl Visitor for ContactList {
    fn max_distance(&self) -> f64 {
        // The list is full: only whether the two collide is left to decide.
        if self.truncated { CONTACT.min(self.request.margin) } else { self.request.margin }
    }

    fn visit(&mut self, contact: Contact) -> ControlFlow<()> {
        self.touching |= contact.distance == 0.0;
        if self.contacts.len() < self.request.max_contacts {
            self.contacts.push(contact);
        } else {
            self.truncated = true;
        }
        self.flow()
    }

    fn contain(&mut self, point: DVec3) -> ControlFlow<()> {
        self.contained.get_or_insert(point);
        self.flow()
    }
}
