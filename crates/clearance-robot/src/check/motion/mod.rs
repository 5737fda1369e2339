//! Motions between configurations, straight or along curves, proven free or with their first
//! contact.
//!
//! Time is halved adaptively. In the middle of an interval the robot is placed, and
//! [`MotionBounds`] bounds how far each pair of parts can come nearer within the interval: a pair
//! whose distance exceeds that is proven for all of the interval, and only the others are looked at
//! in its halves (Foisy and Hayward's convergence of swept volumes, for a robot's links; humanoid
//! II-A: `max_d` is the motion's bound). Spheres and boxes come first, exact distances after. A
//! distance that falls short still proves the middle of the interval, and says how much shorter an
//! interval must be for it: until then the pair waits. So a pair is looked at about as often as its
//! way is longer than its clearance, whatever the others do.
//!
//! Invariant: every pair is proven over all of the motion, or in the list of an interval still to
//! be looked at. So a motion that is reported free is free: at no time, sampled or not, does
//! anything touch. A search that has spent its looks says what it has proven, and that the rest is
//! undecided. One continuous joint that turns more than once, alone, is looked at for one turn: all
//! others are the same (`turns.rs`).

mod evaluate;
mod interval;
mod joint_path;
mod min_clearance;
mod search;
mod swept;
mod turns;

use super::collision_model::{CollisionModel, POSE_ROUNDING, Placement};
use super::motion_bound::MotionBounds;
use super::{JointCurve, Scene, WarmStarts};
use crate::{Error, ErrorKind, JointKind, Result};
use clearance_engine::Pose;
use clearance_engine::assembly::PartId;
use clearance_engine::math::UNIT_ROUNDOFF;
use clearance_engine::traversal::{WarmStart, Workspace};
use interval::{Interval, Open};
use joint_path::{Asked, Way, turn_between};
pub use min_clearance::MotionClearance;
use std::collections::VecDeque;
use turns::WholeTurn;

/// Which contact of a motion is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Find {
    /// The first one, in a narrow interval of time.
    #[default]
    First,
    /// Any: for planners, who only want to know whether there is one.
    Any,
}

/// What to ask about a motion.
///
/// ```
/// use clearance_robot::{Find, MotionRequest};
/// let request = MotionRequest { find: Find::Any, tolerance: 1e-3, ..MotionRequest::default() };
/// assert!(request.check().is_ok());
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionRequest {
    /// Which contact.
    pub find: Find,
    /// Pairs that come nearer than this, in metres, count as a contact that could not be excluded.
    /// Above 0; 1e-7 is used for less.
    pub tolerance: f64,
    /// Whether the robot's parts are looked at against each other.
    pub own: bool,
    /// Configurations and exact distances after which the search gives up; a million by default,
    /// which takes seconds: motions of robots take a handful to a few thousand.
    pub max_evaluations: usize,
}

impl MotionRequest {
    /// Refuses a tolerance that is no positive number.
    pub fn check(&self) -> Result<()> {
        if self.tolerance.is_finite() && self.tolerance > 0.0 {
            return Ok(());
        }
        let reason = format!("the tolerance of a motion must be finite and above 0, not {}", self.tolerance);
        Err(Error::new(ErrorKind::OutOfRange, reason))
    }
}

impl Default for MotionRequest {
    fn default() -> Self {
        Self { find: Find::First, tolerance: 1e-5, own: true, max_evaluations: 1_000_000 }
    }
}

/// What a part of the robot touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// Another part of the robot.
    Own(PartId),
    /// An object of the scene.
    Scene(PartId),
}

/// When and with what a motion collides; times go from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionContact {
    /// Before this time nothing touches, certainly. With [`Find::Any`] it may be far from the first
    /// contact.
    pub t_lower: f64,
    /// At this time the pair is as near as `gap` says.
    pub t_upper: f64,
    /// 0 where the pair touches; else its distance, which is within 1.2 times the tolerance, less
    /// paddings and margin.
    pub gap: f64,
    /// The part of the robot.
    pub part: PartId,
    /// What it touches.
    pub other: Obstacle,
}

/// What becomes of a motion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MotionVerdict {
    /// Nothing touches at any time: all pairs keep at least `margin`, less their paddings and
    /// margins.
    Free {
        /// Certified, and mostly far below the true one: no more is looked at than the proof takes.
        margin: f64,
    },
    /// Something does, or cannot be excluded to.
    Contact(MotionContact),
    /// The search gave up after [`max_evaluations`](MotionRequest::max_evaluations): a part of the
    /// motion is proven free, nothing was found to touch in the rest.
    Undecided {
        /// Nothing touches before this time, certainly.
        t_lower: f64,
        /// The share of the motion that is proven free, wherever it lies.
        proven: f64,
    },
}

/// A pair that is watched.
#[derive(Debug, Clone, Copy)]
struct Watched {
    part: PartId,
    other: Obstacle,
    /// By how much it counts as nearer than it is.
    offset: f64,
    /// Where [`MotionBounds`] has the motion of both sides.
    slots: [usize; 2],
    /// What is proven to be its least distance within the limits.
    proven: f64,
}

/// A robot, and perhaps a scene, of which motions are asked; with the memory that takes.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::Cuboid, tree::Solid};
/// use clearance_robot::{CheckOptions, CollisionModel, JointSpec, LinkGeometry, LinkShape, MotionChecker, MotionRequest, MotionVerdict};
/// use clearance_robot::{Object, RobotBuilder, Scene};
/// use std::sync::Arc;
/// let blade = LinkGeometry::new(Pose::from_translation(DVec3::X * 0.5)?, LinkShape::Box { size: DVec3::new(1.0, 0.01, 0.01) });
/// let robot = RobotBuilder::new("fan").link("foot", []).link("blade", [blade])
///     .joint(JointSpec::continuous("hub", "foot", "blade", DVec3::Z)).build()?;
/// let checker = CollisionModel::new(Arc::new(robot), &CheckOptions::default())?;
/// let wire = Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::new(1e-4, 1e-4, 1.0))?));
/// let mut scene = Scene::default();
/// scene.insert(Object { name: "wire".into(), geometry: wire, pose: Pose::from_translation(DVec3::Y * 0.9)? })?;
/// let mut motions = MotionChecker::new(&checker, Some(&scene))?;
/// let request = MotionRequest::default();
/// let verdict = motions.segment(&Pose::IDENTITY, &[0.0], &[3.0], &request)?;
/// let MotionVerdict::Contact(contact) = verdict else { panic!("it went through the wire") };
/// assert!(contact.t_upper - contact.t_lower < 1e-4 && (contact.t_lower * 3.0 - 1.565).abs() < 1e-3);
/// assert!(matches!(motions.segment(&Pose::IDENTITY, &[1.6], &[7.8], &request)?, MotionVerdict::Free { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MotionChecker<'c> {
    checker: &'c CollisionModel,
    scene: Option<&'c Scene>,
    placement: Placement,
    workspace: Workspace,
    bounds: MotionBounds,
    /// Those of the robot itself first.
    watched: Vec<Watched>,
    own: usize,
    /// What is remembered of each.
    warm_starts: Vec<WarmStart>,
    caches: WarmStarts,
    open: Vec<Open>,
    intervals: VecDeque<Interval>,
    configuration: Vec<f64>,
    /// Where the quaternions of floating joints begin.
    floats: Vec<usize>,
    /// How many configurations were looked at, and how many exact distances, in all.
    pub evaluations: [usize; 2],
}

/// What a [`MotionChecker`] keeps between motions, for owners who cannot keep it borrowed.
pub(in crate::check) struct MotionMemory {
    /// The identity of the model, and the revision of the scene.
    made_for: (u64, Option<u64>),
    placement: Placement,
    workspace: Workspace,
    bounds: MotionBounds,
    watched: Vec<Watched>,
    own: usize,
    warm_starts: Vec<WarmStart>,
    caches: WarmStarts,
    open: Vec<Open>,
    intervals: VecDeque<Interval>,
    configuration: Vec<f64>,
    floats: Vec<usize>,
}

impl<'c> MotionChecker<'c> {
    /// Goes on with what another one kept, if that was about the same model and objects.
    pub(in crate::check) fn resume(
        checker: &'c CollisionModel,
        scene: Option<&'c Scene>,
        memory: Option<MotionMemory>,
    ) -> Result<Self> {
        let made_for = (checker.identity(), scene.map(Scene::revision));
        let Some(memory) = memory.filter(|memory| memory.made_for == made_for) else {
            return Self::new(checker, scene);
        };
        let MotionMemory { placement, workspace, bounds, watched, own, warm_starts, .. } = memory;
        let MotionMemory { caches, open, intervals, configuration, floats, .. } = memory;
        Ok(Self {
            checker,
            scene,
            placement,
            workspace,
            bounds,
            watched,
            own,
            warm_starts,
            caches,
            open,
            intervals,
            configuration,
            floats,
            evaluations: [0; 2],
        })
    }

    /// What [`resume`](Self::resume) takes.
    pub(in crate::check) fn into_memory(self) -> MotionMemory {
        let made_for = (self.checker.identity(), self.scene.map(Scene::revision));
        let Self { placement, workspace, bounds, watched, own, warm_starts, .. } = self;
        let Self { caches, open, intervals, configuration, floats, .. } = self;
        MotionMemory {
            made_for,
            placement,
            workspace,
            bounds,
            watched,
            own,
            warm_starts,
            caches,
            open,
            intervals,
            configuration,
            floats,
        }
    }

    /// Lists the pairs of a robot and perhaps a scene.
    pub fn new(checker: &'c CollisionModel, scene: Option<&'c Scene>) -> Result<Self> {
        let bounds = MotionBounds::new(checker.robot(), checker.parts());
        let body = |part: u32| checker.robot().body_of(checker.parts()[part as usize].link);
        let proven = |a: u32, b: u32| {
            let gap = checker.proofs().map(|proofs| proofs.gap(body(a), body(b)) - POSE_ROUNDING);
            gap.unwrap_or(f64::NEG_INFINITY)
        };
        let floating = checker.robot().joints().iter().filter(|joint| *joint.kind() == JointKind::Floating);
        let floats = floating.map(|joint| joint.variables().start + 3);
        let mut watched = Vec::new();
        let placement = checker.placement()?;
        for (part, other) in checker.pairs() {
            let (a, b) = (part.number(), other.number());
            let Some(offset) = checker.rules().offset(a, b) else { continue };
            let (other, slots) = (Obstacle::Own(other), bounds.slots(a as usize, b as usize));
            watched.push(Watched { part, other, offset, slots, proven: proven(a, b) });
        }
        let own = watched.len();
        if let Some(scene) = scene {
            for part in placement.assembly().parts() {
                let slot = bounds.slot(part.number() as usize);
                for object in scene.assembly().parts() {
                    let name = scene.name_of(object.number());
                    let Some(offset) = checker.rules().outward(part.number(), 0.0, name) else { continue };
                    let (other, slots) = (Obstacle::Scene(object), [slot; 2]);
                    watched.push(Watched { part, other, offset, slots, proven: f64::NEG_INFINITY });
                }
            }
        }
        Ok(Self {
            checker,
            scene,
            placement,
            workspace: Workspace::default(),
            bounds,
            warm_starts: vec![WarmStart::default(); watched.len()],
            watched,
            own,
            caches: WarmStarts::default(),
            open: Vec::new(),
            intervals: VecDeque::new(),
            configuration: Vec::new(),
            floats: floats.collect(),
            evaluations: [0; 2],
        })
    }

    /// The straight motion between two configurations, ends included; `base` is the root link's
    /// pose in the world. Floating joints turn by the shorter way at a constant rate.
    pub fn segment(&mut self, base: &Pose, from: &[f64], to: &[f64], request: &MotionRequest) -> Result<MotionVerdict> {
        self.check_ends(from, to)?;
        if let Some(turn) = WholeTurn::of(self.checker.robot(), [from, to]) {
            return Ok(turn.extend(self.segment(base, from, &turn.end, request)?));
        }
        let (within_limits, strays) = self.begin_segment(from, to)?;
        self.ask(&Asked { base, way: Way::Line([from, to]), request, within_limits, strays, clearance: 0.0 })
    }

    /// How near the robot comes to anything on the straight motion between two configurations: a
    /// certified interval, as narrow as `rel_err` of it or the request's tolerance. None where
    /// there is nothing to come near to.
    ///
    /// The search gives up after the request's evaluations; the interval then begins at 0.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3};
    /// use clearance_robot::{CheckOptions, CollisionModel, JointSpec, LinkGeometry, LinkShape, MotionChecker, RobotBuilder, Scene};
    /// // A sphere slides past a post that is 1 m aside.
    /// let sphere = || LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// let robot = RobotBuilder::new("cart").link("rail", []).link("cart", [sphere()])
    ///     .joint(JointSpec::prismatic("drive", "rail", "cart", DVec3::X, [-3.0, 3.0])).build()?;
    /// let checker = CollisionModel::new(robot.into(), &CheckOptions::default())?;
    /// let scene = Scene::read(r#"{"objects":[{"name":"post","pose":[0.3,1,0,1,0,0,0],"sphere":0.1}]}"#, "".as_ref())?;
    /// let mut motions = MotionChecker::new(&checker, Some(&scene))?;
    /// let found = motions.segment_clearance(&Pose::IDENTITY, &[-2.0], &[2.0], &Default::default(), 0.01)?.unwrap();
    /// assert!(found.lower <= 0.8 && 0.8 <= found.upper + 1e-12 && found.upper - found.lower < 0.01);
    /// assert!((found.t - 2.3 / 4.0).abs() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn segment_clearance(
        &mut self,
        base: &Pose,
        from: &[f64],
        to: &[f64],
        request: &MotionRequest,
        rel_err: f64,
    ) -> Result<Option<MotionClearance>> {
        self.check_ends(from, to)?;
        if let Some(turn) = WholeTurn::of(self.checker.robot(), [from, to]) {
            let found = self.segment_clearance(base, from, &turn.end, request, rel_err)?;
            return Ok(found.map(|found| MotionClearance { t: found.t * turn.part, ..found }));
        }
        let (within_limits, strays) = self.begin_segment(from, to)?;
        self.least_distance(
            &Asked { base, way: Way::Line([from, to]), request, within_limits, strays, clearance: 0.0 },
            rel_err,
        )
    }

    /// Refuses ends of a straight motion that make none.
    fn check_ends(&self, from: &[f64], to: &[f64]) -> Result<()> {
        let robot = self.checker.robot();
        robot.check_length(from)?;
        robot.check_length(to)?;
        if !from.iter().chain(to).all(|value| value.is_finite()) {
            return Err(Error::new(ErrorKind::NotFinite, "a configuration of a motion is not finite"));
        }
        self.check_turns(from)?;
        self.check_turns(to)
    }

    /// Tells [`MotionBounds`] of a straight motion; whether it keeps the limits, and what rounding
    /// may change of it.
    fn begin_segment(&mut self, from: &[f64], to: &[f64]) -> Result<(bool, f64)> {
        let robot = self.checker.robot();
        let rates = |variable: usize| [to[variable] - from[variable]; 2];
        self.bounds.set(robot, rates, |first| Some(turn_between(from, to, first).2))?;
        let within_limits = robot.outside_limits(from).chain(robot.outside_limits(to)).next().is_none();
        Ok((within_limits, self.strays([from, to].into_iter())))
    }

    /// The motion along a curve, ends included, as [`segment`](Self::segment). Floating joints may
    /// slide along it, but not turn.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, shape::Sphere, tree::Solid};
    /// use clearance_robot::{CheckOptions, CollisionModel, JointCurve, JointSpec, LinkGeometry, LinkShape, MotionChecker, MotionRequest};
    /// use clearance_robot::{MotionVerdict, Object, RobotBuilder, Scene};
    /// use std::sync::Arc;
    /// let cart = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// let robot = RobotBuilder::new("cart").link("rail", []).link("cart", [cart])
    ///     .joint(JointSpec::planar("drive", "rail", "cart", DVec3::Z)).build()?;
    /// let checker = CollisionModel::new(Arc::new(robot), &CheckOptions::default())?;
    /// let post = Arc::new(Solid::new(Sphere::new(0.1)?));
    /// let mut scene = Scene::default();
    /// scene.insert(Object { name: "post".into(), geometry: post, pose: Pose::from_translation(DVec3::new(0.5, 0.03, 0.0))? })?;
    /// let mut motions = MotionChecker::new(&checker, Some(&scene))?;
    /// let request = MotionRequest::default();
    /// // Straight ahead is the post; a curve that begins and ends sideways goes around it.
    /// let (from, to) = ([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]);
    /// assert!(matches!(motions.segment(&Pose::IDENTITY, &from, &to, &request)?, MotionVerdict::Contact(_)));
    /// let around = JointCurve::hermite([&from, &to], [&[1.0, -2.0, 0.0], &[1.0, 2.0, 0.0]])?;
    /// assert!(matches!(motions.curve(&Pose::IDENTITY, &around, &request)?, MotionVerdict::Free { .. }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn curve(&mut self, base: &Pose, curve: &JointCurve, request: &MotionRequest) -> Result<MotionVerdict> {
        let (within_limits, strays) = self.begin_curve(curve)?;
        self.ask(&Asked { base, way: Way::Curve(curve), request, within_limits, strays, clearance: 0.0 })
    }

    /// How near the robot comes to anything along a curve, as
    /// [`segment_clearance`](Self::segment_clearance).
    pub fn curve_clearance(
        &mut self,
        base: &Pose,
        curve: &JointCurve,
        request: &MotionRequest,
        rel_err: f64,
    ) -> Result<Option<MotionClearance>> {
        let (within_limits, strays) = self.begin_curve(curve)?;
        self.least_distance(
            &Asked { base, way: Way::Curve(curve), request, within_limits, strays, clearance: 0.0 },
            rel_err,
        )
    }

    /// Tells [`MotionBounds`] of a curve; whether it keeps the limits, and what rounding may change
    /// of it.
    fn begin_curve(&mut self, curve: &JointCurve) -> Result<(bool, f64)> {
        let robot = self.checker.robot();
        // A curve stays among its control points.
        let mut within_limits = true;
        let points = curve.control_points();
        for point in &points {
            robot.check_length(point)?;
            self.check_turns(point)?;
            within_limits &= robot.outside_limits(point).next().is_none();
        }
        // Also where no pair has to be looked at, quaternions must rest.
        self.bounds.set(robot, |variable| curve.rates(variable, 0.0, 1.0), |_| None)?;
        Ok((within_limits, self.strays(points.iter().map(Vec::as_slice))))
    }

    /// Refuses quaternions that make no pose.
    fn check_turns(&self, configuration: &[f64]) -> Result<()> {
        let robot = self.checker.robot();
        self.floats.iter().try_for_each(|&first| {
            let joint = robot.variables()[first].joint;
            robot.joint_pose(joint, &configuration[first - 3..first + 4]).map(drop)
        })
    }

    /// What rounding may change of all joints' positions together, where they are among some
    /// configurations.
    fn strays<'p>(&self, points: impl Iterator<Item = &'p [f64]> + Clone) -> f64 {
        let robot = self.checker.robot();
        let largest = |variable: usize| points.clone().fold(0.0_f64, |most, point| most.max(point[variable].abs()));
        let of_joint = |joint: usize| match robot.mimic_rule(joint) {
            Some((variable, multiplier, offset)) => largest(variable) * multiplier.abs() + offset.abs(),
            None => robot.joints()[joint].variables().map(largest).sum(),
        };
        // A mean of means takes 9 roundings, a rule 2 more.
        16.0 * UNIT_ROUNDOFF * (0..robot.joints().len()).map(of_joint).sum::<f64>()
    }

    /// The straight motion between two configurations, of some pairs alone; those that are not
    /// watched are not looked at. Where it is free, they are apart by more than `clearance`.
    pub(in crate::check) fn segment_of_pairs(
        &mut self,
        base: &Pose,
        [from, to]: [&[f64]; 2],
        request: &MotionRequest,
        clearance: f64,
        pairs: impl Iterator<Item = (PartId, Obstacle)>,
    ) -> Result<MotionVerdict> {
        self.check_ends(from, to)?;
        request.check()?;
        let (within_limits, strays) = self.begin_segment(from, to)?;
        let before = self.evaluations;
        self.intervals.clear();
        self.open.clear();
        for (part, other) in pairs {
            let is_asked = |watched: &Watched| (watched.part, watched.other) == (part, other);
            self.open.extend(self.watched.iter().position(is_asked).map(Open::new));
        }
        self.intervals.push_back(Interval { middle: 0.5, half: 0.5, list: [0, self.open.len()] });
        self.search(&Asked { base, way: Way::Line([from, to]), request, within_limits, strays, clearance }, before)
    }

    fn ask(&mut self, asked: &Asked<'_>) -> Result<MotionVerdict> {
        asked.request.check()?;
        let before = self.evaluations;
        self.intervals.clear();
        let first = if asked.request.own { 0 } else { self.own };
        if asked.request.find == Find::Any
            && first < self.watched.len()
            && let Some(contact) = self.sampled(asked)?
        {
            return Ok(contact);
        }
        self.open.clear();
        self.open.extend((first..self.watched.len()).map(Open::new));
        self.intervals.push_back(Interval { middle: 0.5, half: 0.5, list: [0, self.open.len()] });
        self.search(asked, before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CheckOptions, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    use clearance_engine::math::DVec3;
    use std::sync::Arc;

    #[test]
    fn what_rounding_does_to_large_positions_is_allowed_for() {
        let robot = RobotBuilder::new("fan").link("foot", []).link("blade", []);
        let robot = robot.joint(JointSpec::continuous("hub", "foot", "blade", DVec3::Z)).build().unwrap();
        let checker = CollisionModel::new(Arc::new(robot), &CheckOptions::default()).unwrap();
        let motions = MotionChecker::new(&checker, None).unwrap();
        for size in [1.0, 1e9] {
            let (from, to) = ([size], [size + 1.0]);
            let strays = motions.strays([&from[..], &to[..]].into_iter());
            let step = (size + 1.0).next_up() - (size + 1.0);
            assert!(strays >= step && strays < 64.0 * step, "{strays} at {size}");
        }
    }
    #[test]
    fn pairs_that_are_free_with_a_clearance_keep_it() {
        // A sphere slides past a post that is `gap` aside.
        let sphere = || LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
        let robot = RobotBuilder::new("cart").link("rail", []).link("cart", [sphere()]);
        let robot = robot.joint(JointSpec::prismatic("drive", "rail", "cart", DVec3::X, [-3.0, 3.0])).build().unwrap();
        let checker = CollisionModel::new(Arc::new(robot), &CheckOptions::default()).unwrap();
        let request = MotionRequest { find: Find::Any, ..MotionRequest::default() };
        for (gap, clearance) in [(1e-3, 0.0), (1e-3, 9e-4), (0.011, 0.01), (0.4, 0.3), (1e-3, 1.1e-3), (0.01, 0.011)] {
            let mut scene = Scene::new();
            let post = clearance_engine::shape::Sphere::new(0.1).unwrap();
            scene.add("post", post, Pose::from_xyz(0.3, 0.2 + gap, 0.0).unwrap()).unwrap();
            let mut motions = MotionChecker::new(&checker, Some(&scene)).unwrap();
            let pair = (checker.part_id(0).unwrap(), Obstacle::Scene(scene.assembly().id(0).unwrap()));
            let mut ask = |from: f64, to: f64| {
                let pairs = std::iter::once(pair);
                motions.segment_of_pairs(&Pose::IDENTITY, [&[from], &[to]], &request, clearance, pairs).unwrap()
            };
            for (from, to) in [(-2.0, 2.0), (0.1, 0.5), (-1.3, 0.31)] {
                match ask(from, to) {
                    MotionVerdict::Free { margin } => assert!(clearance < margin && margin <= gap + 1e-9, "{margin}"),
                    verdict => assert!(gap < clearance, "{gap} {clearance}: {verdict:?}"),
                }
            }
        }
    }
}
