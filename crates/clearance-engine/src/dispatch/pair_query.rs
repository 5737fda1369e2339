//! A pair of geometries with the test that was found for them.

use super::pair_test::{AnyGoal, AnyTest, Session};
use super::{Dispatcher, Entry};
use crate::convex::{Penetration, PenetrationRequest};
use crate::query::{
    Change, CollideGoal, Collision, Composite, Contacts, ContactsGoal, ContactsRequest, Distance, DistanceGoal,
    DistanceRequest, WithinGoal,
};
use crate::traversal::{Stats, WarmStart, Workspace};
use crate::tree::Geometry;
use crate::{Error, ErrorKind, Pose, Readable, Result};

/// Two geometries and the test for them: asks as many questions as you like.
///
/// Every method takes the pose of B in A's frame, scratch memory (one [`Workspace`] per thread)
/// and, for coherent sequences, a [`WarmStart`] (one per pair), which makes the next query faster
/// and changes no answer.
#[derive(Clone, Copy)]
pub struct PairQuery<'p> {
    dispatcher: &'p Dispatcher,
    a: &'p dyn Geometry,
    b: &'p dyn Geometry,
    test: &'p dyn AnyTest,
    /// Those of a and b, by which a cache knows spheres of theirs, if the test trusts these.
    known_by: Option<(u64, u64)>,
    /// The test is one of B against A.
    swapped: bool,
}

impl<'p> PairQuery<'p> {
    pub(super) fn new(
        dispatcher: &'p Dispatcher,
        [a, b]: [&'p dyn Geometry; 2],
        entry: &'p Entry,
        swapped: bool,
    ) -> Self {
        let known_by = entry.allows_sphere_early_out.then(|| (a.revision(), b.revision()));
        Self { dispatcher, a, b, test: &*entry.test, known_by, swapped }
    }

    /// The certified distance.
    #[inline]
    pub fn distance(
        &self,
        a_from_b: &Pose,
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Result<Distance> {
        request.check()?;
        Ok(self.distance_checked(a_from_b, request, workspace, warm_start))
    }

    /// The same for a request that is in order.
    #[inline]
    pub(super) fn distance_checked(
        &self,
        a_from_b: &Pose,
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Distance {
        let mut goal = DistanceGoal::new(request);
        self.run(a_from_b, &mut goal, workspace, warm_start);
        goal.finish_with(|| self.smaller_size())
    }

    /// The radius of a sphere around the smaller geometry.
    pub(crate) fn smaller_size(&self) -> f64 {
        self.a.sphere().radius.min(self.b.sphere().radius)
    }

    /// Whether they touch or overlap; also where rounding does not tell that they are apart.
    #[inline]
    pub fn collide(&self, a_from_b: &Pose, workspace: &mut Workspace, warm_start: Option<&mut WarmStart>) -> Collision {
        let mut goal = CollideGoal::default();
        self.run(a_from_b, &mut goal, workspace, warm_start);
        goal.finish()
    }

    /// All contacts.
    pub fn contacts(&self, a_from_b: &Pose, request: &ContactsRequest, workspace: &mut Workspace) -> Result<Contacts> {
        request.check()?;
        Ok(self.contacts_checked(a_from_b, request, workspace))
    }

    /// The same for a request that is in order.
    pub(super) fn contacts_checked(
        &self,
        a_from_b: &Pose,
        request: &ContactsRequest,
        workspace: &mut Workspace,
    ) -> Contacts {
        let mut goal = ContactsGoal::new(request);
        self.run(a_from_b, &mut goal, workspace, None);
        goal.finish()
    }

    /// Whether the distance is `d` or less.
    pub fn within(&self, a_from_b: &Pose, d: f64, workspace: &mut Workspace) -> Result<(bool, Stats)> {
        if d.is_nan() || d < 0.0 {
            return Err(Error::new(
                ErrorKind::BadRequest,
                format!("a distance must not be negative or NaN: {}", Readable(d)),
            ));
        }
        let mut goal = WithinGoal::new(d);
        self.run(a_from_b, &mut goal, workspace, None);
        Ok(goal.finish())
    }

    /// How deep they overlap and where B leaves A soonest, in A's frame; `None` where they are
    /// certainly apart. An error for geometries that have no depth: all but simple solids, unless a
    /// test is registered that tells.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Dispatcher, convex::PenetrationRequest, math::DVec3, shape::{Sphere, Cuboid}, tree::Solid};
    /// let (table, sphere) = (Solid::new(Cuboid::from_half_extents(DVec3::new(1.0, 0.5, 0.05))?), Solid::new(Sphere::new(0.2)?));
    /// let dispatcher = Dispatcher::standard();
    /// let sunk = Pose::from_translation(DVec3::Z * 0.1)?;
    /// let depth = dispatcher.plan(&table, &sphere)?.penetration(&sunk, &PenetrationRequest::default())?.expect("they overlap");
    /// assert!(depth.lower <= 0.15 && 0.15 <= depth.upper && depth.normal.distance(DVec3::Z) < 1e-12);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn penetration(&self, a_from_b: &Pose, request: &PenetrationRequest) -> Result<Option<Penetration>> {
        request.check()?;
        if !self.swapped {
            return self.test.penetration(self.a, self.b, a_from_b, request);
        }
        let found = self.test.penetration(self.b, self.a, &a_from_b.inverse(), request)?;
        // A leaves B the other way.
        Ok(found.map(|found| Penetration {
            normal: -a_from_b.transform_vector(found.normal),
            point_a: a_from_b.transform_point(found.point_b),
            point_b: a_from_b.transform_point(found.point_a),
            ..found
        }))
    }

    /// Runs a goal that may have found something already: for composites, whose parts share one
    /// bound.
    #[inline]
    pub fn run<G: Composite>(
        &self,
        a_from_b: &Pose,
        goal: &mut G,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) where
        for<'g> AnyGoal<'g>: From<&'g mut G>,
    {
        if let (Some(warm_start), Some(revisions)) = (&warm_start, self.known_by)
            && goal.recall(|| warm_start.overlap_at(revisions, a_from_b))
        {
            return;
        }
        let mut session = Session { dispatcher: self.dispatcher, workspace, warm_start };
        if !self.swapped {
            return self.test.run(self.a, self.b, a_from_b, goal.into(), &mut session);
        }
        let mark = goal.mark();
        self.test.run(self.b, self.a, &a_from_b.inverse(), (&mut *goal).into(), &mut session);
        goal.rewrite(mark, &Change { pose: *a_from_b, swapped: true, part: None });
    }
}
