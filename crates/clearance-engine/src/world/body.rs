//! The world: bodies with geometries and poses on top of a [`PairFinder`].

use super::WorldBox;
use super::pair_finder::{BodyId, BodyPair, FinderOptions, Groups, PairFinder};
use crate::dispatch::Dispatcher;
use crate::query::{Distance, DistanceRequest};
use crate::traversal::{WarmStart, Workspace};
use crate::tree::{Bounds, Geometry, IntoGeometry, placing_error};
use crate::{Error, ErrorKind, Pose, Result};
use std::collections::HashSet;
use std::sync::Arc;

struct Body {
    geometry: Arc<dyn Geometry>,
    /// The bounds in the geometry's own coordinates.
    own: Bounds,
    /// The bounds in the world.
    placed: Bounds,
    pose: Pose,
}

/// A body near another one, with a certified interval for the distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// The body.
    pub body: BodyId,
    /// A lower bound of its distance.
    pub lower: f64,
    /// An upper bound of its distance.
    pub upper: f64,
}

/// A world of moving bodies, with the pairs that are near each other (broad phase).
///
/// ```
/// use clearance_engine::{Pose, dispatch::Dispatcher, traversal::Workspace, math::DVec3, query::DistanceRequest, shape::Sphere, tree::Solid};
/// use clearance_engine::world::{FinderOptions, Groups, World};
/// use std::sync::Arc;
/// let mut world = World::new(FinderOptions { margin: 0.1, ..FinderOptions::default() })?;
/// let sphere: Arc<Solid> = Arc::new(Solid::new(Sphere::new(0.5)?));
/// let still = world.insert(sphere.clone(), Pose::IDENTITY, Groups::default())?;
/// let moving = world.insert(sphere, Pose::from_translation(DVec3::X * 5.0)?, Groups::default())?;
/// let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
/// for x in [3.0, 2.0, 1.05] {
///     world.set_pose(moving, &Pose::from_translation(DVec3::X * x)?)?;
///     world.step();
/// }
/// let pairs: Vec<_> = world.finder().began().collect();
/// assert_eq!(pairs, [[still, moving]]);
/// let found = world.distance(&dispatcher, pairs[0], &DistanceRequest::default(), &mut workspace, None)?;
/// assert!((found.upper - 0.05).abs() < 1e-12);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub struct World {
    finder: PairFinder,
    bodies: Vec<Option<Body>>,
}

impl World {
    /// Creates a world without bodies.
    pub fn new(options: FinderOptions) -> Result<Self> {
        Ok(Self { finder: PairFinder::new(options)?, bodies: Vec::new() })
    }

    /// The pair finder, with the pairs of the last step.
    pub fn finder(&self) -> &PairFinder {
        &self.finder
    }

    /// Inserts a body with the default groups; it has no pairs before the next step.
    pub fn add(&mut self, geometry: impl IntoGeometry, pose: Pose) -> Result<BodyId> {
        self.insert(geometry.into_geometry(), pose, Groups::default())
    }

    /// Inserts a body; it has no pairs before the next step.
    pub fn insert(&mut self, geometry: Arc<dyn Geometry>, pose: Pose, groups: Groups) -> Result<BodyId> {
        let own = Bounds::of(&*geometry);
        let placed = own.moved(&pose);
        let (low, high) = placed.vertices();
        let id = self.finder.insert(low, high, groups)?;
        if self.bodies.len() <= id.slot() {
            self.bodies.resize_with(id.slot() + 1, || None);
        }
        self.bodies[id.slot()] = Some(Body { geometry, own, placed, pose });
        Ok(id)
    }

    /// Removes a body; its pairs end at the next step.
    pub fn remove(&mut self, body: BodyId) -> Result<()> {
        self.finder.remove(body)?;
        self.bodies[body.slot()] = None;
        Ok(())
    }

    fn body(&self, id: BodyId) -> Result<&Body> {
        let slot = self.finder.check(id)?;
        let present = self.bodies.get(slot).and_then(Option::as_ref);
        present.ok_or_else(|| Error::new(ErrorKind::OutOfRange, format!("body {slot} was removed")))
    }

    /// Moves a body; pairs follow with the next step.
    pub fn set_pose(&mut self, id: BodyId, pose: &Pose) -> Result<()> {
        self.body(id)?;
        let Some(body) = &mut self.bodies[id.slot()] else { return Ok(()) };
        (body.pose, body.placed) = (*pose, body.own.moved(pose));
        let (low, high) = body.placed.vertices();
        self.finder.set_box(id, low, high)
    }

    /// The pose of a body.
    pub fn pose(&self, body: BodyId) -> Result<&Pose> {
        Ok(&self.body(body)?.pose)
    }

    /// The geometry of a body.
    pub fn geometry(&self, body: BodyId) -> Result<&Arc<dyn Geometry>> {
        Ok(&self.body(body)?.geometry)
    }

    /// See [`PairFinder::set_groups`].
    pub fn set_groups(&mut self, body: BodyId, groups: Groups) -> Result<()> {
        self.finder.set_groups(body, groups)
    }

    /// See [`PairFinder::exclude`].
    pub fn exclude(&mut self, a: BodyId, b: BodyId, out: bool) -> Result<()> {
        self.finder.exclude(a, b, out)
    }

    /// Updates the pairs; [`finder`](World::finder) has the result.
    pub fn step(&mut self) {
        self.finder.step();
    }

    /// A lower bound of the distance of two bodies, by their bounding spheres and boxes; negative
    /// where those overlap deeply.
    pub fn gap(&self, [a, b]: BodyPair) -> Result<f64> {
        Ok(self.body(a)?.placed.gap(&self.body(b)?.placed))
    }

    /// Queries the distance of two bodies by the dispatcher's test (narrow phase); points are in
    /// the first one's coordinates.
    ///
    /// Its lower bound includes the rounding of the relative pose: it also holds for the poses in
    /// the world.
    pub fn distance(
        &self,
        dispatcher: &Dispatcher,
        [a, b]: BodyPair,
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut WarmStart>,
    ) -> Result<Distance> {
        let (a, b) = (self.body(a)?, self.body(b)?);
        let plan = dispatcher.plan(&*a.geometry, &*b.geometry)?;
        let mut found = plan.distance(&a.pose.inverse().then(&b.pose), request, workspace, warm_start)?;
        let rounding = placing_error((&a.pose, &a.placed.sphere), (&b.pose, &b.placed.sphere));
        found.lower = (found.lower - rounding).next_down().max(0.0);
        Ok(found)
    }

    /// Finds the `count` nearest bodies that may collide with one, by their certified distances up
    /// to `max_d`, nearest first.
    ///
    /// Call [`step`](World::step) after the last change before this. The search doubles a box until
    /// the last of the bodies found is nearer than anything outside. An error for a `max_d` that is
    /// negative or not a number.
    pub fn nearest(
        &self,
        dispatcher: &Dispatcher,
        id: BodyId,
        count: usize,
        max_d: f64,
        workspace: &mut Workspace,
    ) -> Result<Vec<Neighbor>> {
        let (low, high) = self.body(id)?.placed.vertices();
        // With a NaN no search would be wide enough to end.
        DistanceRequest { max_d, ..DistanceRequest::default() }.check()?;
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut radius = (high - low).max_element().clamp(f64::MIN_POSITIVE, f64::MAX);
        let (mut nearest, mut seen, mut inside) = (Vec::<Neighbor>::new(), HashSet::from([id]), Vec::new());
        let total = self.finder.len();
        loop {
            let search_radius = radius.min(max_d);
            inside.clear();
            self.finder.overlapping(&WorldBox::around(low, high, search_radius), &mut inside);
            inside.retain(|&other| seen.insert(other) && self.finder.may_touch(id, other));
            let gaps: Result<Vec<f64>> = inside.iter().map(|&other| self.gap([id, other])).collect();
            let mut order: Vec<(f64, BodyId)> = gaps?.into_iter().zip(inside.iter().copied()).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (gap, other) in order {
                let limit = nearest.get(count - 1).map_or(max_d, |last| last.upper);
                if gap <= limit {
                    // The query skips distances strictly beyond the limit, not those at the limit.
                    let request = DistanceRequest { max_d: limit.next_up(), ..DistanceRequest::default() };
                    let found = self.distance(dispatcher, [id, other], &request, workspace, None)?;
                    if found.upper <= limit {
                        let new = Neighbor { body: other, lower: found.lower, upper: found.upper };
                        let at = nearest.partition_point(|known| known.upper <= new.upper);
                        nearest.insert(at, new);
                        nearest.truncate(count);
                    }
                }
            }
            let settled = nearest.get(count - 1).is_some_and(|last| last.upper <= search_radius);
            if settled || search_radius >= max_d || seen.len() >= total {
                break;
            }
            radius *= 2.0;
        }
        Ok(nearest)
    }
}
