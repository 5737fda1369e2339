//! Pairs of shapes that are near each other, handed to a visitor: the [contacts](super::Contacts)
//! that the engine lists, and whatever else users ask of two geometries.

use super::goal::max_steps;
use super::{CONTACT, Change, Composite, Contact, Defer, Goal, LeafPair};
use crate::math::DVec3;
use crate::pair::shape::Proximity;
use crate::traversal::{Stack, Stats};
use smallvec::{SmallVec, smallvec};
use std::ops::ControlFlow;

/// A query of your own: it is shown the pairs of shapes that are near each other, one at a time, of
/// any two geometries that the [table](crate::dispatch) knows.
///
/// The five nearest pairs of triangles, of which each comes once:
///
/// ```
/// use clearance_engine::{Pose, TriMesh, dispatch::Pair, math::DVec3, query::{Contact, Visitor}, tree::Mesh};
/// use std::ops::ControlFlow;
///
/// struct Nearest {
///     found: Vec<Contact>,
/// }
///
/// impl Visitor for Nearest {
///     // The search leaves out what is farther apart than the fifth pair so far.
///     fn max_distance(&self) -> f64 {
///         self.found.get(4).map_or(f64::MAX, |fifth| fifth.distance)
///     }
///
///     fn visit(&mut self, contact: Contact) -> ControlFlow<()> {
///         let place = self.found.partition_point(|other| other.distance <= contact.distance);
///         self.found.insert(place, contact);
///         self.found.truncate(5);
///         ControlFlow::Continue(())
///     }
/// }
///
/// let ribbon: Vec<DVec3> = (0..20).map(|i| DVec3::new(f64::from(i / 2), f64::from(i % 2), 0.0)).collect();
/// let mesh: Mesh = Mesh::new(TriMesh::new(ribbon, (0..18).map(|i| [i, i + 1, i + 2]).collect())?)?;
/// let mut pair = Pair::new(mesh.clone(), mesh)?;
/// let mut nearest = Nearest { found: Vec::new() };
/// pair.visit(Pose::from_xyz_rpy([0.0, 0.0, 1.0], [0.0, 0.01, 0.0])?, &mut nearest)?;
/// assert_eq!(nearest.found.len(), 5);
/// assert!(nearest.found[0].distance < 1.0 && nearest.found.is_sorted_by_key(|pair| pair.distance));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub trait Visitor {
    /// Pairs of shapes farther apart than this are left out. Asked at the beginning and after each
    /// visit; it may become smaller, and must never become larger. 0 asks for pairs that touch.
    fn max_distance(&self) -> f64;

    /// Two shapes that are [`max_distance`](Visitor::max_distance) apart or nearer, or touch. `Break` ends
    /// the search. The order depends on the geometries and the pose alone.
    fn visit(&mut self, contact: Contact) -> ControlFlow<()>;

    /// A point that two solids share though no surfaces of theirs touch: one is inside the other.
    /// `Break` ends the search.
    fn contain(&mut self, _point: DVec3) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// The running state of a goal that hands what it meets to a [`Visitor`].
#[derive(Debug)]
pub(crate) struct Visit {
    /// The visitor's.
    max_distance: f64,
    /// How what is met becomes part of the wholes, the innermost last.
    changes: SmallVec<[Change; 2]>,
    touching: bool,
    ended: bool,
    /// The budget, and whether it ended a traversal.
    max_steps: u64,
    pub exhausted: bool,
    pub stats: Stats,
}

impl Visit {
    /// Nothing was visited yet.
    pub fn new(max_steps: Option<usize>) -> Self {
        Self {
            max_distance: 0.0,
            changes: SmallVec::new(),
            touching: false,
            ended: false,
            max_steps: self::max_steps(max_steps),
            exhausted: false,
            stats: Stats::default(),
        }
    }
}

/// The goal that hands what it meets to a [`Visitor`].
pub struct VisitGoal<'v> {
    visitor: &'v mut dyn Visitor,
    visit: &'v mut Visit,
}

impl<'v> VisitGoal<'v> {
    /// A goal that has shown its visitor nothing yet.
    pub(crate) fn new(visitor: &'v mut dyn Visitor, visit: &'v mut Visit) -> Self {
        visit.max_distance = visitor.max_distance();
        Self { visitor, visit }
    }

    /// The same goal for a shorter time.
    pub(crate) fn reborrow(&mut self) -> VisitGoal<'_> {
        VisitGoal { visitor: self.visitor, visit: self.visit }
    }

    fn contact<A: Proximity<B>, B>(&self, pair: LeafPair, a: &A, b: &B) -> Option<Contact> {
        let (leaf_a, leaf_b) = (pair.a, pair.b);
        if let Some(shared) = a.shared_points(b) {
            return Some(Contact { leaf_a, leaf_b, points: shared.points, normal: shared.normal, distance: 0.0 });
        }
        if self.visit.max_distance <= 0.0 {
            return None;
        }
        let closest = a.closest_below(b, self.limit())?;
        if closest.upper > self.visit.max_distance {
            return None;
        }
        let normal = (closest.point_b - closest.point_a).try_normalize().unwrap_or(DVec3::X);
        let points = smallvec![closest.point_a, closest.point_b];
        Some(Contact { leaf_a, leaf_b, points, normal, distance: closest.upper })
    }
}

impl Goal for VisitGoal<'_> {
    type Order = Stack;
    const OVERLAP_ONLY: bool = false;

    #[inline]
    fn limit(&self) -> f64 {
        self.visit.max_distance.next_up().max(CONTACT)
    }

    #[inline]
    fn stats(&mut self) -> &mut Stats {
        &mut self.visit.stats
    }

    fn meet<A: Proximity<B>, B>(&mut self, pair: LeafPair, a: &A, b: &B) -> ControlFlow<()> {
        self.visit.stats.leaf_tests += 1;
        let Some(mut contact) = self.contact(pair, a, b) else { return ControlFlow::Continue(()) };
        self.visit.touching |= contact.distance == 0.0;
        self.visit.changes.iter().rev().for_each(|change| contact.change(change));
        let flow = self.visitor.visit(contact);
        self.visit.ended |= flow.is_break();
        self.visit.max_distance = self.visit.max_distance.min(self.visitor.max_distance());
        flow
    }

    fn contain(&mut self, point: DVec3) {
        let changes = self.visit.changes.iter().rev();
        let flow = self.visitor.contain(changes.fold(point, |point, change| change.pose.transform_point(point)));
        self.visit.ended |= flow.is_break();
    }

    fn overlaps(&self) -> bool {
        // Whose search has ended need not know of one more.
        self.visit.touching || self.visit.ended
    }

    #[inline(always)]
    fn is_spent(&self) -> bool {
        self.visit.stats.steps() >= self.visit.max_steps
    }

    fn exhausted(&mut self, _floor: f64) {
        self.visit.exhausted = true;
    }

    fn is_exhausted(&self) -> bool {
        self.visit.exhausted
    }
}

impl Defer for VisitGoal<'_> {}

impl Composite for VisitGoal<'_> {
    type Mark = ();

    // A visitor is shown what is met at once, and therefore as it will be called.
    fn mark(&mut self, change: &Change) {
        self.visit.changes.push(*change);
    }

    fn rewrite(&mut self, (): (), _change: &Change) {
        self.visit.changes.pop();
    }

    fn is_done(&self) -> bool {
        self.visit.ended
    }
}
