//! Two geometries with everything that queries about them need.

use super::{Dispatcher, Entry, PairQuery, Runs, Threads};
use crate::query::{
    CollideRequest, Collision, Contacts, ContactsRequest, Distance, DistanceRequest, Gradient, Visitor,
};
use crate::traversal::{Stats, WarmStart, Workspace};
use crate::tree::{Geometry, IntoGeometry};
use crate::{Pose, Result};
use std::sync::Arc;

/// Two geometries, ready for queries: collision, distance, contacts, penetration depth.
///
/// A pair owns its scratch memory and its warm start, so that queries allocate nothing and a
/// sequence of nearby poses gets faster; neither changes an answer, but an interval that a budget
/// leaves open may be narrower. A clone shares the geometries and has its own memory: give one to
/// each thread. Every pose is `a_from_b`, the pose of B in A's frame.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, shape::{Cuboid, Sphere}};
/// let mut pair = Pair::new(Cuboid::new(1.0, 1.0, 0.1)?, Sphere::new(0.2)?)?;
/// let above = Pose::from_xyz(0.0, 0.0, 0.5)?;
/// assert!(!pair.collides(above));
/// let distance = pair.distance(above);
/// assert!(distance.lower <= 0.25 && 0.25 <= distance.upper && distance.upper - distance.lower < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub struct Pair {
    dispatcher: Arc<Dispatcher>,
    a: Arc<dyn Geometry>,
    b: Arc<dyn Geometry>,
    /// The narrow phase that the dispatcher chose.
    entry: Entry,
    swapped: bool,
    workspace: Workspace,
    warm_start: WarmStart,
}

impl Pair {
    /// Finds the narrow phase for two geometries in the built-in table; an error if it has none.
    pub fn new(a: impl IntoGeometry, b: impl IntoGeometry) -> Result<Self> {
        Self::with_dispatcher(a, b, Dispatcher::shared().clone())
    }

    /// The same with a dispatcher that knows geometries or pair tests of your own.
    pub fn with_dispatcher(a: impl IntoGeometry, b: impl IntoGeometry, dispatcher: Arc<Dispatcher>) -> Result<Self> {
        let (a, b) = (a.into_geometry(), b.into_geometry());
        let (entry, swapped) = dispatcher.find(&*a, &*b)?;
        let entry = entry.clone();
        Ok(Self { dispatcher, a, b, entry, swapped, workspace: Workspace::default(), warm_start: WarmStart::default() })
    }

    /// The first geometry.
    pub fn a(&self) -> &Arc<dyn Geometry> {
        &self.a
    }

    /// The second geometry.
    pub fn b(&self) -> &Arc<dyn Geometry> {
        &self.b
    }

    /// The query, and the memory that it uses.
    #[inline]
    fn parts(&mut self) -> (PairQuery<'_>, &mut Workspace, &mut WarmStart) {
        let query = PairQuery::new(&self.dispatcher, [&*self.a, &*self.b], &self.entry, self.swapped);
        (query, &mut self.workspace, &mut self.warm_start)
    }

    /// The query alone, for calls that bring their own memory.
    pub fn query(&self) -> PairQuery<'_> {
        PairQuery::new(&self.dispatcher, [&*self.a, &*self.b], &self.entry, self.swapped)
    }

    /// What a query needs that asks others.
    pub(crate) fn with_memory(&mut self) -> (&Dispatcher, [&dyn Geometry; 2], &mut Workspace, &mut WarmStart) {
        (&self.dispatcher, [&*self.a, &*self.b], &mut self.workspace, &mut self.warm_start)
    }

    /// What a query about motions needs: it asks at many times, with its own warm start.
    pub(crate) fn for_motion(&mut self) -> (&Dispatcher, [&dyn Geometry; 2], &mut Workspace) {
        (&self.dispatcher, [&*self.a, &*self.b], &mut self.workspace)
    }

    /// Whether the geometries touch or overlap.
    #[inline]
    pub fn collides(&mut self, a_from_b: Pose) -> bool {
        self.collision(a_from_b).colliding
    }

    /// Whether the geometries touch or overlap, with the leaves (triangles) that do.
    #[inline]
    pub fn collision(&mut self, a_from_b: Pose) -> Collision {
        let (query, workspace, warm_start) = self.parts();
        query.collide(&a_from_b, workspace, Some(warm_start))
    }

    /// The same within a budget of [steps](crate::traversal::Stats::steps): what stays open counts as
    /// colliding, and [`Status::Budget`](crate::query::Status::Budget) says so.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, query::CollideRequest, shape::Sphere};
    /// let mut pair = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?;
    /// let apart = Pose::from_xyz(2.5, 0.0, 0.0)?;
    /// assert!(!pair.collide_with(apart, &CollideRequest { max_steps: Some(1_000) }).colliding);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn collide_with(&mut self, a_from_b: Pose, request: &CollideRequest) -> Collision {
        let (query, workspace, warm_start) = self.parts();
        query.collide_with(&a_from_b, request, workspace, Some(warm_start))
    }

    /// The certified distance, 0 where the geometries touch or overlap.
    #[inline]
    pub fn distance(&mut self, a_from_b: Pose) -> Distance {
        let (query, workspace, warm_start) = self.parts();
        query.distance_checked(&a_from_b, &DistanceRequest::default(), workspace, Some(warm_start))
    }

    /// The distance within a range, up to a tolerance, or within a budget; an error if the request
    /// contradicts itself.
    pub fn distance_with(&mut self, a_from_b: Pose, request: &DistanceRequest) -> Result<Distance> {
        let (query, workspace, warm_start) = self.parts();
        query.distance(&a_from_b, request, workspace, Some(warm_start))
    }

    /// The gradient of a distance that this pair has at `a_from_b`, by the pose of either geometry;
    /// `None` where they touch. [`Penetration::gradient`](crate::convex::Penetration::gradient) is that of an overlap.
    pub fn gradient(&mut self, a_from_b: Pose, distance: &Distance) -> Option<Gradient> {
        let (query, workspace, _) = self.parts();
        query.gradient(&a_from_b, distance, workspace)
    }

    /// Whether the distance is at most `distance`, which must not be negative.
    pub fn is_within(&mut self, a_from_b: Pose, distance: f64) -> Result<bool> {
        let (query, workspace, _) = self.parts();
        Ok(query.within(&a_from_b, distance, workspace)?.0)
    }

    /// All pairs of leaves (triangles) that touch or overlap, with points and normals.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Pair, shape::Sphere};
    /// let contacts = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?.contacts(Pose::from_xyz(1.5, 0.0, 0.0)?);
    /// assert_eq!(contacts.contacts.len(), 1);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn contacts(&mut self, a_from_b: Pose) -> Contacts {
        let (query, workspace, _) = self.parts();
        query.contacts_checked(&a_from_b, &ContactsRequest::default(), workspace)
    }

    /// The same with a limit on their number, with pairs that are within a margin, or within a
    /// budget.
    pub fn contacts_with(&mut self, a_from_b: Pose, request: &ContactsRequest) -> Result<Contacts> {
        let (query, workspace, _) = self.parts();
        query.contacts(&a_from_b, request, workspace)
    }

    /// Shows a [visitor](Visitor) of yours all pairs of shapes that are near each other, for queries
    /// that the engine does not have.
    pub fn visit(&mut self, a_from_b: Pose, visitor: &mut dyn Visitor) -> Result<Stats> {
        let (query, workspace, _) = self.parts();
        query.visit(&a_from_b, visitor, workspace)
    }

    /// Takes poses, or anything else, chunk by chunk, for streams that are longer than the memory:
    /// clones of the pair answer on `threads` threads. The answers depend neither on the sizes of
    /// the chunks nor on the number of threads.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::{Pair, Threads}, shape::Sphere};
    /// let pair = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?;
    /// let mut stream = pair.stream(Threads::All);
    /// for (chunk, colliding) in [([1.0, 4.0], [true, false]), ([5.0, 0.5], [false, true])] {
    ///     let poses = [Pose::from_xyz(chunk[0], 0.0, 0.0)?, Pose::from_xyz(chunk[1], 0.0, 0.0)?];
    ///     assert_eq!(stream.next(&poses, |pair, pose| pair.collides(*pose))?, colliding);
    /// }
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn stream(&self, threads: Threads) -> PairStream<'_> {
        PairStream { pair: self, runs: Runs::new(threads.count()) }
    }

    /// Whether the geometries touch or overlap at each of many poses, in their order.
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::{Pair, Threads}, shape::Sphere};
    /// let pair = Pair::new(Sphere::new(1.0)?, Sphere::new(1.0)?)?;
    /// let poses = [Pose::from_xyz(1.5, 0.0, 0.0)?, Pose::from_xyz(2.5, 0.0, 0.0)?];
    /// assert_eq!(pair.collides_batch(&poses, Threads::All)?, [true, false]);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn collides_batch(&self, poses: &[Pose], threads: Threads) -> Result<Vec<bool>> {
        let query = self.query();
        query.at_poses(poses, threads.count(), |pose, workspace, warm_start| {
            query.collide(pose, workspace, Some(warm_start)).colliding
        })
    }

    /// The certified distance at each of many poses, in their order.
    pub fn distance_batch(&self, poses: &[Pose], threads: Threads) -> Result<Vec<Distance>> {
        self.query().distances(poses, &DistanceRequest::default(), threads.count())
    }
}

/// Questions that come in chunks, made by [`Pair::stream`].
pub struct PairStream<'p> {
    pair: &'p Pair,
    runs: Runs<WarmStart>,
}

impl PairStream<'_> {
    /// What `ask` says about each of the next items, in their order, with a pair to ask.
    pub fn next<T: Sync, R: Send>(
        &mut self,
        items: &[T],
        ask: impl Fn(&mut Pair, &T) -> R + Sync + Send,
    ) -> Result<Vec<R>> {
        let Self { pair, runs } = self;
        runs.next(
            items,
            || Pair::clone(pair),
            |pair, warm_start, run| {
                std::mem::swap(warm_start, &mut pair.warm_start);
                let answers = run.iter().map(|item| ask(pair, item)).collect();
                std::mem::swap(warm_start, &mut pair.warm_start);
                answers
            },
        )
    }
}

impl Clone for Pair {
    fn clone(&self) -> Self {
        Self {
            dispatcher: self.dispatcher.clone(),
            a: self.a.clone(),
            b: self.b.clone(),
            entry: self.entry.clone(),
            swapped: self.swapped,
            workspace: Workspace::default(),
            warm_start: WarmStart::default(),
        }
    }
}

impl std::fmt::Debug for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pair of a {} and a {}", self.a.kind(), self.b.kind())
    }
}
