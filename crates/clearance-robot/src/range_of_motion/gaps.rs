//! Proven gaps: for pairs of bodies, a distance below which no configuration within the limits
//! brings them.
//!
//! Distances are those of the engine: meshes are surfaces unless declared solid. A gap is at most
//! the real smallest distance, less what the rounding of poses can change: 1e-12 of the robot's
//! length, which covers forward kinematics from a base near the robot (a base L away adds 1e-15·L,
//! which who places a robot that far has to subtract).

use super::hulls::Hull;
use super::parts::BodyPart;
use super::path::Path;
use super::probe::{Probe, unsupported};
use super::search::Search;
use super::sweep::joint_range;
use crate::{Error, ErrorKind, Result, Robot};
use clearance_engine::dispatch::{Dispatcher, check_threads};
use clearance_engine::{Pose, Readable};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The pieces of a body that are bounded each on its own. More of them are tighter, but pairs of
/// them cost more: on five robots, two or three decide most pairs in the same time, eight a tenth
/// less.
const PIECES: usize = 2;

/// How much effort goes into [`Gaps::prove`]. Budgets count distances (bounds of boxes
/// count as a part of one), so that the answer does not depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GapOptions {
    /// The most distances asked for, for each pair, until it is proven never to collide or a
    /// collision is found. This is for up to four variables between the bodies; half of it for
    /// five, and so on down to a sixteenth for eight and more.
    pub evaluations: usize,
    /// The most distances asked for to enlarge a gap that is proven to be above zero already.
    pub refinements: usize,
    /// A gap is good enough if it is smaller than a distance that occurs by this part of it.
    pub tightness: f64,
    /// Configurations that are tried before anything is proven.
    pub samples: usize,
    /// How many threads to use, 0 for all; one without the feature `parallel`. The answer is the
    /// same.
    pub threads: usize,
}

impl Default for GapOptions {
    fn default() -> Self {
        Self { evaluations: 20_000, refinements: 600, tightness: 0.1, samples: 24, threads: 1 }
    }
}

/// What is known of a pair of bodies, within the limits of all joints.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// They never come closer than `gap`, which is above zero; infinite if one of them has no
    /// geometry.
    Never {
        /// Proven.
        gap: f64,
        /// The smallest distance met; the best possible gap lies in between.
        nearest: f64,
    },
    /// They collide in this configuration.
    Sometimes {
        /// Within the limits.
        configuration: Vec<f64>,
    },
    /// They collided in every configuration that was tried.
    Always {
        /// Whether there is no other configuration: they do not move against each other.
        proven: bool,
        /// How many were tried.
        samples: usize,
    },
    /// The budget did not suffice, or a joint between them has no bounds.
    Undecided {
        /// The smallest distance met; infinite if none was looked at.
        nearest: f64,
        /// Where.
        configuration: Vec<f64>,
    },
}

/// What is known of one pair, and what it took.
#[derive(Debug, Clone, PartialEq)]
pub struct PairGap {
    /// The bodies as they were asked for.
    pub bodies: [usize; 2],
    /// At most the distance over all configurations within the limits; 0 if nothing is proven.
    pub gap: f64,
    /// The same in words.
    pub verdict: Verdict,
    /// Distances and collisions asked for, and what took as long.
    pub evaluations: usize,
}

/// Proven gaps between pairs of a robot's bodies.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::Sphere, tree::Solid};
/// use clearance_robot::{BodyPart, GapOptions, Gaps, JointSpec, RobotBuilder, Verdict};
/// use std::sync::Arc;
/// // A sphere on an arm of 1 m that turns by ±1 rad, and one that stands 2 m behind the axis.
/// let robot = RobotBuilder::new("r").link("base", []).link("tip", [])
///     .joint(JointSpec::revolute("turn", "base", "tip", DVec3::Z, [-1.0, 1.0])).build()?;
/// let sphere = |x: f64| -> Result<BodyPart, clearance_engine::Error> {
///     Ok(BodyPart::new(Arc::new(Solid::new(Sphere::new(0.1)?)), Pose::from_translation(DVec3::X * x)?))
/// };
/// let gaps = Gaps::prove(&robot, &[vec![sphere(-2.0)?], vec![sphere(1.0)?]], &[[0, 1]], &GapOptions::default())?;
/// // The closest it gets is at the ends of its range.
/// let smallest = (2.0 + 1.0_f64.cos()).hypot(1.0_f64.sin()) - 0.2;
/// assert!(gaps.gap(1, 0) > 0.9 * smallest && gaps.gap(1, 0) <= smallest);
/// assert!(matches!(gaps.pairs()[0].verdict, Verdict::Never { .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Gaps {
    pairs: Vec<PairGap>,
    /// Numbers of pairs by their bodies, the smaller one first.
    numbers: HashMap<[usize; 2], usize>,
    /// Which bodies have no geometry.
    empty: Vec<bool>,
    /// The identity of the robot.
    robot: u64,
    /// What they were proven with.
    options: GapOptions,
}

/// The smaller number first.
fn sorted_bodies(pair: &PairGap) -> [usize; 2] {
    let [a, b] = pair.bodies;
    [a.min(b), a.max(b)]
}

impl Gaps {
    /// Proves what can be proven about `pairs` of bodies; `bodies` are the parts of each of
    /// [`Robot::bodies`].
    ///
    /// An error if there are not as many lists of parts as bodies, if a pair names a body that is
    /// not there or the same one twice, or if the engine's standard dispatcher has no test for two
    /// geometries.
    pub fn prove(robot: &Robot, bodies: &[Vec<BodyPart>], pairs: &[[usize; 2]], options: &GapOptions) -> Result<Self> {
        Self::prove_with(Dispatcher::shared(), robot, bodies, pairs, options)
    }

    /// The same with another dispatcher, for geometries that the standard one does not know.
    pub fn prove_with(
        dispatcher: &Dispatcher,
        robot: &Robot,
        bodies: &[Vec<BodyPart>],
        pairs: &[[usize; 2]],
        options: &GapOptions,
    ) -> Result<Self> {
        Self::prove_observed(dispatcher, robot, bodies, pairs, options, &|_, _| ())
    }

    /// The same, which may take minutes, with news of its progress: `observe` gets the number of
    /// pairs that are decided, after each, and that of all pairs; on several threads not always in
    /// ascending order.
    ///
    /// ```
    /// # use clearance_engine::{dispatch::Dispatcher, math::DVec3};
    /// # use clearance_robot::{GapOptions, Gaps, JointSpec, RobotBuilder};
    /// # let robot = RobotBuilder::new("r").link("a", []).link("b", [])
    /// #     .joint(JointSpec::revolute("j", "a", "b", DVec3::Z, [0.0, 1.0])).build()?;
    /// let show = |decided: usize, all: usize| eprintln!("{decided} of {all} pairs");
    /// let bodies = vec![vec![], vec![]];
    /// Gaps::prove_observed(&Dispatcher::standard(), &robot, &bodies, &[[0, 1]], &GapOptions::default(), &show)?;
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn prove_observed(
        dispatcher: &Dispatcher,
        robot: &Robot,
        bodies: &[Vec<BodyPart>],
        pairs: &[[usize; 2]],
        options: &GapOptions,
        observe: &(dyn Fn(usize, usize) + Sync),
    ) -> Result<Self> {
        let too_many = |error: clearance_engine::Error| Error::new(ErrorKind::OutOfRange, error.to_string());
        check_threads(options.threads).map_err(too_many)?;
        let prover = Prover::new(dispatcher, robot, bodies, options)?;
        pairs.iter().try_for_each(|pair| prover.check(pair))?;
        let verdicts = prover.verdicts(pairs, observe)?;
        Ok(Self::assemble(verdicts, robot, bodies, options))
    }

    pub(super) fn assemble(pairs: Vec<PairGap>, robot: &Robot, bodies: &[Vec<BodyPart>], options: &GapOptions) -> Self {
        let numbers = (0..).zip(&pairs).map(|(number, pair)| (sorted_bodies(pair), number)).collect();
        let empty = bodies.iter().map(Vec::is_empty).collect();
        Self { pairs, numbers, empty, robot: robot.identity, options: *options }
    }

    /// What still holds when some bodies got other parts: of those nothing is proven any more.
    pub(crate) fn without(&self, changed: impl Fn(usize) -> bool) -> Self {
        let kept = self.pairs.iter().filter(|pair| !pair.bodies.iter().any(|&body| changed(body)));
        let pairs: Vec<PairGap> = kept.cloned().collect();
        let numbers = (0..).zip(&pairs).map(|(number, pair)| (sorted_bodies(pair), number)).collect();
        let empty = self.empty.iter().enumerate().map(|(body, empty)| *empty && !changed(body)).collect();
        Self { pairs, numbers, empty, ..*self }
    }

    /// What they were proven with.
    pub(super) fn options(&self) -> &GapOptions {
        &self.options
    }

    /// At most the distance of two bodies in any configuration within the limits: 0 if nothing is
    /// proven or the pair was not asked for, infinite if one of them has no geometry. Panics if a
    /// body is out of range.
    pub fn gap(&self, a: usize, b: usize) -> f64 {
        if self.empty[a] || self.empty[b] {
            return f64::INFINITY;
        }
        self.pair(a, b).map_or(0.0, |pair| pair.gap)
    }

    /// What is known of two bodies in either order; none if they were not asked for.
    pub fn pair(&self, a: usize, b: usize) -> Option<&PairGap> {
        self.numbers.get(&[a.min(b), a.max(b)]).map(|&number| &self.pairs[number])
    }

    /// What is known of all pairs, in the order in which they were asked for.
    pub fn pairs(&self) -> &[PairGap] {
        &self.pairs
    }

    /// Whether they were proven for this robot or a copy of it.
    pub fn are_of(&self, robot: &Robot) -> bool {
        self.robot == robot.identity
    }

    /// How many bodies the robot has.
    pub fn body_count(&self) -> usize {
        self.empty.len()
    }
}

/// What all pairs share.
struct Prover<'p> {
    dispatcher: &'p Dispatcher,
    robot: &'p Robot,
    bodies: &'p [Vec<BodyPart>],
    options: &'p GapOptions,
    hulls: Vec<Hull>,
    body_from_links: Vec<Pose>,
    slack: f64,
}

impl<'p> Prover<'p> {
    fn new(
        dispatcher: &'p Dispatcher,
        robot: &'p Robot,
        bodies: &'p [Vec<BodyPart>],
        options: &'p GapOptions,
    ) -> Result<Self> {
        let (given, expected) = (bodies.len(), robot.bodies().len());
        if given != expected {
            let reason = format!("parts are given for {given} bodies, but the robot '{}' has {expected}", robot.name());
            return Err(Error::new(ErrorKind::OutOfRange, reason));
        }
        if !(0.0..1.0).contains(&options.tightness) {
            let reason =
                format!("the tightness of gaps must be at least 0 and below 1, not {}", Readable(options.tightness));
            return Err(Error::new(ErrorKind::OutOfRange, reason));
        }
        let hulls: Vec<Hull> = bodies.iter().map(|parts| Hull::of_spheres(parts, PIECES)).collect();
        let slack = 1e-12 * length(robot, &hulls);
        Ok(Self { dispatcher, robot, bodies, options, hulls, body_from_links: robot.body_from_links(), slack })
    }

    /// Refuses what could not be asked about, before anything is.
    fn check(&self, &[a, b]: &[usize; 2]) -> Result<()> {
        let count = self.bodies.len();
        if !(a < count && b < count && a != b) {
            let reason = format!("bodies {a} and {b} are no pair: there are {count}, and a pair is two different ones");
            return Err(Error::new(ErrorKind::OutOfRange, reason));
        }
        for one in &self.bodies[a] {
            for other in &self.bodies[b] {
                self.dispatcher.plan(&*one.geometry, &*other.geometry).map_err(unsupported)?;
            }
        }
        Ok(())
    }

    fn verdicts(&self, pairs: &[[usize; 2]], observe: &(dyn Fn(usize, usize) + Sync)) -> Result<Vec<PairGap>> {
        let decided = AtomicUsize::new(0);
        let verdict = |pair: &[usize; 2]| {
            let verdict = self.verdict(pair);
            observe(decided.fetch_add(1, Ordering::Relaxed) + 1, pairs.len());
            verdict
        };
        #[cfg(feature = "parallel")]
        if self.options.threads != 1 && pairs.len() > 1 {
            use rayon::prelude::*;
            let threads = self.options.threads;
            let refused = |error| Error::new(ErrorKind::OutOfRange, format!("{threads} threads: {error}"));
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(refused)?;
            return pool.install(|| pairs.par_iter().with_max_len(1).map(verdict).collect());
        }
        pairs.iter().map(verdict).collect()
    }

    fn verdict(&self, &[a, b]: &[usize; 2]) -> Result<PairGap> {
        let (bodies, nearest) = ([a, b], f64::INFINITY);
        if self.bodies[a].is_empty() || self.bodies[b].is_empty() {
            let gap = f64::INFINITY;
            return Ok(PairGap { bodies, gap, verdict: Verdict::Never { gap, nearest }, evaluations: 0 });
        }
        let Some(path) = Path::between(self.robot, &self.body_from_links, a, b) else {
            let configuration = self.robot.default_configuration();
            let verdict = Verdict::Undecided { nearest, configuration };
            return Ok(PairGap { bodies, gap: 0.0, verdict, evaluations: 0 });
        };
        let probe = Probe::new(self.robot, self.dispatcher, &path, &self.bodies[a], &self.bodies[b]);
        Search::new(self.robot, probe, [&self.hulls[a], &self.hulls[b]], self.slack, self.options).run(bodies)
    }
}

/// At least the length of any chain of the robot with what hangs at its end: the size of
/// coordinates that poses are computed with.
fn length(robot: &Robot, hulls: &[Hull]) -> f64 {
    let mut to_link = vec![0.0_f64];
    for (number, joint) in robot.joints().iter().enumerate() {
        let slide = match joint.kind() {
            crate::JointKind::Prismatic { .. } => {
                joint_range(robot, number).map(f64::abs).into_iter().fold(0.0, f64::max)
            }
            _ => 0.0,
        };
        let slide = if slide.is_finite() { slide } else { 0.0 };
        to_link.push(to_link[joint.parent()] + joint.origin().translation().length() + slide);
    }
    let around = |(hull, body): (&Hull, &crate::Body)| {
        let reach = hull.sphere().map_or(0.0, |sphere| sphere.center.length() + sphere.radius);
        // Poses of the root are exact: a half-space there has no size that would be rounded.
        let reach = if body.parent().is_none() && reach.is_infinite() { 0.0 } else { reach };
        to_link[body.links()[0]] + reach
    };
    hulls.iter().zip(robot.bodies()).map(around).fold(0.0, f64::max)
}
