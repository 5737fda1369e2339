//! Bodies with geometries and poses on top of a [`PairFinder`].

use super::WorldBox;
use super::finder::{BodyId, BodyPair, FinderOptions, Groups, PairFinder};
use crate::dispatch::Dispatcher;
use crate::query::{Distance, DistanceRequest};
use crate::traversal::{WarmStart, Workspace};
use crate::tree::{Bounds, Geometry, IntoGeometry, placing_error};
use crate::{Error, ErrorKind, Pose, Result};
use std::collections::HashSet;
use std::sync::Arc;

struct Body {
    geometry: Arc<dyn Geometry>,
    /// In the geometry's own coordinates.
    own: Bounds,
    /// In the world.
    placed: Bounds,
    pose: Pose,
}

/// A body near another one, with a certified interval for the distance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbor {
    /// Which.
    pub body: BodyId,
    /// Its distance is at least this.
    pub lower: f64,
    /// And at most this.
    pub upper: f64,
}

/// Many moving bodies, and the pairs of them that are near each other.
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
    /// A world without bodies.
    pub fn new(options: FinderOptions) -> Result<Self> {
        Ok(Self { finder: PairFinder::new(options)?, bodies: Vec::new() })
    }

    /// The pairs.
    pub fn finder(&self) -> &PairFinder {
        &self.finder
    }

    /// Adds a body of the default groups; it has no pairs before the next step.
    pub fn add(&mut self, geometry: impl IntoGeometry, pose: Pose) -> Result<BodyId> {
        self.insert(geometry.into_geometry(), pose, Groups::default())
    }

    /// Adds a body; it has no pairs before the next step.
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

    /// Where a body is.
    pub fn pose(&self, body: BodyId) -> Result<&Pose> {
        Ok(&self.body(body)?.pose)
    }

    /// What a body is.
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

    /// Finds out which pairs there are now; [`finder`](World::finder) tells.
    pub fn step(&mut self) {
        self.finder.step();
    }

    /// At most the distance of two bodies, by spheres and boxes around them; negative where those
    /// overlap deeply.
    pub fn gap(&self, [a, b]: BodyPair) -> Result<f64> {
        Ok(self.body(a)?.placed.gap(&self.body(b)?.placed))
    }

    /// The distance of two bodies by the dispatcher's test; points are in the first one's
    /// coordinates.
    ///
    /// Its lower end also holds against the poses in the world, whatever their difference lost by
    /// rounding.
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

    /// The `count` bodies that are nearest to one and may meet it, by their certified distances up
    /// to `max_d`, nearest first.
    ///
    /// The world must have been stepped since its last change. Bodies are looked up in boxes that
    /// double, until the last one of those found is nearer than anything outside.
    pub fn nearest(
        &self,
        dispatcher: &Dispatcher,
        id: BodyId,
        count: usize,
        max_d: f64,
        workspace: &mut Workspace,
    ) -> Result<Vec<Neighbor>> {
        let (low, high) = self.body(id)?.placed.vertices();
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut radius = (high - low).max_element().clamp(f64::MIN_POSITIVE, f64::MAX);
        let (mut nearest, mut seen, mut inside) = (Vec::<Neighbor>::new(), HashSet::from([id]), Vec::new());
        let total = self.finder.len();
        loop {
            let reach = radius.min(max_d.max(0.0));
            inside.clear();
            self.finder.overlapping(&WorldBox::around(low, high, reach), &mut inside);
            inside.retain(|&other| seen.insert(other) && self.finder.may_touch(id, other));
            let gaps: Result<Vec<f64>> = inside.iter().map(|&other| self.gap([id, other])).collect();
            let mut order: Vec<(f64, BodyId)> = gaps?.into_iter().zip(inside.iter().copied()).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (gap, other) in order {
                let limit = nearest.get(count - 1).map_or(max_d, |last| last.upper);
                if gap <= limit {
                    // Strictly beyond the limit nothing is asked, at the limit it is.
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
            let settled = nearest.get(count - 1).is_some_and(|last| last.upper <= reach);
            if settled || reach >= max_d || seen.len() >= total {
                break;
            }
            radius *= 2.0;
        }
        Ok(nearest)
    }
}
