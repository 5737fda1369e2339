//! The world: bodies with geometries and poses on top of a [`PairFinder`].

use super::WorldBox;
use super::continuous::{Continuous, Event, Scene};
use super::pair_finder::{BodyId, BodyPair, FinderOptions, Groups, PairFinder};
use crate::dispatch::Dispatcher;
use crate::motion::{ImpactRequest, Motion};
use crate::query::{Distance, DistanceRequest};
use crate::traversal::{WarmStart, Workspace};
use crate::tree::{Bounds, Geometry, IntoGeometry, placing_error};
use crate::{Error, ErrorKind, Pose, Readable, Result};
use std::collections::HashSet;
use std::sync::Arc;

pub(super) struct Body {
    pub(super) geometry: Arc<dyn Geometry>,
    /// The bounds in the geometry's own coordinates.
    pub(super) own: Bounds,
    /// The bounds in the world, of a body without a motion.
    placed: Bounds,
    /// The pose of a body without a motion.
    pose: Pose,
    /// Whether it follows a motion.
    moving: bool,
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
///
/// Bodies may follow motions instead. The world then [advances](World::advance) to the first contact
/// of any two of them and misses none, however fast or thin they are:
///
/// ```
/// use clearance_engine::{Pose, dispatch::Dispatcher, math::DVec3, motion::Motion, shape::{Cuboid, Sphere}, traversal::Workspace};
/// use clearance_engine::world::World;
/// let (mut world, dispatcher, mut workspace) = (World::new(Default::default())?, Dispatcher::standard(), Workspace::default());
/// let sheet = world.add(Cuboid::new(10.0, 10.0, 1e-4)?, Pose::IDENTITY)?;
/// let ball = world.add(Sphere::new(0.5)?, Pose::from_xyz(0.0, 0.0, 100.5)?)?;
/// let start = world.pose(ball)?;
/// world.set_motion(ball, Motion::moving(&start, DVec3::ZERO, DVec3::Z * -1e4, DVec3::ZERO, 1.0)?)?;
/// let contact = world.advance(&dispatcher, 1.0, &mut workspace)?.expect("it does not pass through");
/// assert!(contact.bodies == [sheet, ball] && (contact.time - 0.01).abs() < 1e-8);
/// // It is thrown back from where it is now, and goes on.
/// let here = world.pose(ball)?;
/// world.set_motion(ball, Motion::moving(&here, DVec3::ZERO, DVec3::Z * 1e4, DVec3::ZERO, 1.0)?)?;
/// assert_eq!(world.advance(&dispatcher, 1.0, &mut workspace)?, None);
/// assert_eq!(world.time(), 1.0);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub struct World {
    finder: PairFinder,
    bodies: Vec<Option<Body>>,
    /// The clock of motions.
    time: f64,
    /// Motions and contacts, once there is one.
    continuous: Option<Box<Continuous>>,
}

impl World {
    /// Creates a world without bodies.
    pub fn new(options: FinderOptions) -> Result<Self> {
        Ok(Self { finder: PairFinder::new(options)?, bodies: Vec::new(), time: 0.0, continuous: None })
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
        self.bodies[id.slot()] = Some(Body { geometry, own, placed, pose, moving: false });
        if let Some(continuous) = &mut self.continuous {
            continuous.set(id.slot(), Motion::still(&pose));
        }
        Ok(id)
    }

    /// Removes a body; its pairs end at the next step.
    pub fn remove(&mut self, body: BodyId) -> Result<()> {
        self.finder.remove(body)?;
        self.bodies[body.slot()] = None;
        if let Some(continuous) = &mut self.continuous {
            continuous.remove(body.slot());
        }
        Ok(())
    }

    fn body(&self, id: BodyId) -> Result<&Body> {
        let slot = self.finder.check(id)?;
        let present = self.bodies.get(slot).and_then(Option::as_ref);
        present.ok_or_else(|| Error::new(ErrorKind::OutOfRange, format!("body {slot} was removed")))
    }

    /// Moves a body; pairs follow with the next step. It ends the body's motion, if it has one.
    pub fn set_pose(&mut self, id: BodyId, pose: &Pose) -> Result<()> {
        self.body(id)?;
        let Some(body) = &mut self.bodies[id.slot()] else { return Ok(()) };
        (body.pose, body.placed, body.moving) = (*pose, body.own.moved(pose), false);
        let (low, high) = body.placed.vertices();
        self.finder.set_box(id, low, high)?;
        if let Some(continuous) = &mut self.continuous {
            continuous.set(id.slot(), Motion::still(pose));
        }
        Ok(())
    }

    /// The pose of a body, at the present [time](World::time) of its motion.
    pub fn pose(&self, body: BodyId) -> Result<Pose> {
        Ok(self.pose_of(self.body(body)?, body))
    }

    fn pose_of(&self, body: &Body, id: BodyId) -> Pose {
        let motion = self.continuous.as_ref().filter(|_| body.moving).and_then(|all| all.motion(id.slot()));
        motion.map_or(body.pose, |motion| motion.pose(self.time))
    }

    /// A body with its pose and bounds now.
    fn placed(&self, id: BodyId) -> Result<(&Body, Pose, Bounds)> {
        let body = self.body(id)?;
        let pose = self.pose_of(body, id);
        Ok((body, pose, if body.moving { body.own.moved(&pose) } else { body.placed }))
    }

    /// Lets a body follow a motion from now on; when that has ended it rests.
    ///
    /// The body goes to the first pose of the motion. Give it one that begins where the body is,
    /// unless it is to jump there.
    pub fn set_motion(&mut self, id: BodyId, motion: Motion) -> Result<()> {
        self.body(id)?;
        let motion = motion.delayed(self.time)?;
        self.continuous().set(id.slot(), motion);
        if let Some(body) = &mut self.bodies[id.slot()] {
            body.moving = true;
        }
        Ok(())
    }

    /// Motions and contacts, of all bodies.
    fn continuous(&mut self) -> &mut Continuous {
        self.continuous.get_or_insert_with(|| {
            let mut all = Box::<Continuous>::default();
            for (slot, body) in self.bodies.iter().enumerate() {
                if let Some(body) = body {
                    all.set(slot, Motion::still(&body.pose));
                }
            }
            all
        })
    }

    /// The time of the world, which only [`advance`](World::advance) changes; 0 at first.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// The request of [`advance`](World::advance): what counts as contact; its window has no
    /// effect.
    pub fn impact_request(&self) -> ImpactRequest {
        self.continuous.as_ref().map_or_else(ImpactRequest::default, |all| *all.request())
    }

    /// Sets [`impact_request`](World::impact_request). Pairs that are in contact report that again.
    pub fn set_impact_request(&mut self, request: &ImpactRequest) -> Result<()> {
        request.check()?;
        self.continuous().set_request(*request);
        Ok(())
    }

    /// Advances time (continuous collision): up to the first contact of any two bodies that may
    /// collide, or up to `until` if there is none before.
    ///
    /// The world stops at the time of the contact, just before it. Change the motions of the bodies
    /// as they shall go on, and call it again. Contacts at the same time come one by one.
    ///
    /// Bodies that are in contact report it once, also those that are from the start. From then on
    /// the pair is *in contact* ([`in_contact`](World::in_contact)) and reports nothing until it was
    /// seen apart by more than twice the tolerance. The world looks soon after the contact, and
    /// after a change of motion, and then at intervals as long as the contact has lasted; a pair
    /// that parts and touches again between two looks stays one contact.
    ///
    /// Two bodies without bounds (floors, walls) never report a contact with each other. The
    /// discrete pairs of [`finder`](World::finder) are untouched; [`step`](World::step) updates
    /// them to the present time.
    pub fn advance(&mut self, dispatcher: &Dispatcher, until: f64, workspace: &mut Workspace) -> Result<Option<Event>> {
        if !(until.is_finite() && until >= self.time) {
            let message = format!("a world at {} cannot advance to {}", Readable(self.time), Readable(until));
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        self.continuous();
        let Self { finder, bodies, time, continuous: Some(continuous) } = self else { return Ok(None) };
        continuous.advance(&Scene { bodies, finder, dispatcher }, time, until, workspace)
    }

    /// The pairs that have reported a contact and were not seen apart since, in the order of slots.
    pub fn in_contact(&self) -> impl Iterator<Item = BodyPair> {
        self.continuous.iter().flat_map(|all| all.held()).map(|pair| self.finder.pair_of(pair))
    }

    /// The geometry of a body.
    pub fn geometry(&self, body: BodyId) -> Result<&Arc<dyn Geometry>> {
        Ok(&self.body(body)?.geometry)
    }

    /// See [`PairFinder::set_groups`].
    pub fn set_groups(&mut self, body: BodyId, groups: Groups) -> Result<()> {
        self.finder.set_groups(body, groups)?;
        self.continuous.iter_mut().for_each(|all| all.touch(body.slot() as u32));
        Ok(())
    }

    /// See [`PairFinder::exclude`].
    pub fn exclude(&mut self, a: BodyId, b: BodyId, out: bool) -> Result<()> {
        self.finder.exclude(a, b, out)?;
        self.continuous.iter_mut().for_each(|all| all.touch(a.slot() as u32));
        Ok(())
    }

    /// Updates the pairs of boxes at the present time; [`finder`](World::finder) has the result.
    pub fn step(&mut self) {
        if let Some(continuous) = &self.continuous {
            let moving = |slot: usize| self.bodies[slot].as_ref().filter(|body| body.moving);
            for slot in 0..self.bodies.len() {
                if let (Some(body), Some(motion)) = (moving(slot), continuous.motion(slot)) {
                    let (low, high) = body.own.moved(&motion.pose(self.time)).vertices();
                    self.finder.put_bounds(slot, low, high);
                }
            }
        }
        self.finder.step();
    }

    /// A lower bound of the distance of two bodies, by their bounding spheres and boxes; negative
    /// where those overlap deeply.
    pub fn gap(&self, [a, b]: BodyPair) -> Result<f64> {
        Ok(self.placed(a)?.2.gap(&self.placed(b)?.2))
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
        let ((a, pose_a, placed_a), (b, pose_b, placed_b)) = (self.placed(a)?, self.placed(b)?);
        let plan = dispatcher.plan(&*a.geometry, &*b.geometry)?;
        let mut found = plan.distance(&pose_a.inverse().then(&pose_b), request, workspace, warm_start)?;
        let rounding = placing_error((&pose_a, &placed_a.sphere), (&pose_b, &placed_b.sphere));
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
        let (low, high) = self.placed(id)?.2.vertices();
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
