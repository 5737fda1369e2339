//! Forward kinematics: from a configuration to the pose of every link.
//!
//! A configuration holds the robot's independent variables: one number for each revolute,
//! continuous or prismatic joint, x, y, theta for a planar one, x, y, z, qw, qx, qy, qz for a
//! floating one, in the order of the joints. Joints that follow another one have none. What does
//! not depend on the configuration is computed when the robot is built: a joint that turns costs
//! one sine and cosine, a blend of two quaternions `cos·start + sin·swing`, and one product of
//! poses.

use crate::{Error, ErrorKind, Joint, JointKind, Limits, Mimic, Result, Robot};
use clearance_engine::Pose;
use clearance_engine::math::lanes::{Lanes8, Vectorized, vectorized};
use clearance_engine::math::{DQuat, DVec3, SimdLevel};
use smallvec::{SmallVec, smallvec};
use std::ops::Range;

/// The names that the numbers of a planar and of a floating joint have after the joint's own.
const PLANAR: [&str; 3] = ["x", "y", "theta"];
const FLOATING: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// One number of a configuration.
#[derive(Debug, Clone, PartialEq)]
pub struct Variable {
    /// The joint's name; for planar and floating joints with `.x`, `.theta`, `.qw` and so on. The
    /// column's name in a CSV file.
    pub name: String,
    /// The joint it belongs to.
    pub joint: usize,
    /// What it may be; none where every number is allowed.
    pub limits: Option<Limits>,
    /// 0 or the nearest limit; 1 for `qw`.
    pub default: f64,
}

/// How a joint's child is placed: from where, by which numbers, and how.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) parent: usize,
    pub(crate) source: Source,
    pub(crate) motion: Motion,
}

/// Where a joint's numbers come from. A chain of mimic joints is one rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Source {
    /// Its own variables from this one on (or none).
    Own(usize),
    /// `multiplier · variable + offset`.
    Rule { variable: usize, multiplier: f64, offset: f64 },
}

/// The map from a joint's numbers to `parent_from_child`.
#[derive(Debug, Clone)]
pub(crate) enum Motion {
    Fixed {
        turn: DQuat,
        origin: Pose,
    },
    /// `start` is the origin's quaternion, `swing` the same after half a turn about the axis.
    Turn {
        start: DQuat,
        swing: DQuat,
        origin: DVec3,
    },
    /// `direction` stands in the parent's frame.
    Slide {
        turn: DQuat,
        origin: DVec3,
        direction: DVec3,
    },
    Planar {
        origin: Pose,
        x: DVec3,
        y: DVec3,
        normal: DVec3,
    },
    Floating {
        origin: Pose,
    },
}

impl Motion {
    fn new(kind: &JointKind, origin: &Pose) -> Self {
        let turn = DQuat::from_mat3(origin.rotation());
        match *kind {
            JointKind::Fixed => Self::Fixed { turn, origin: *origin },
            JointKind::Revolute { axis, .. } | JointKind::Continuous { axis } => {
                let swing = turn * DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
                Self::Turn { start: turn, swing, origin: origin.translation() }
            }
            JointKind::Prismatic { axis, .. } => {
                Self::Slide { turn, origin: origin.translation(), direction: origin.transform_vector(axis) }
            }
            JointKind::Planar { normal } => {
                let joint_from_plane = DQuat::from_rotation_arc(DVec3::Z, normal);
                Self::Planar { origin: *origin, x: joint_from_plane * DVec3::X, y: joint_from_plane * DVec3::Y, normal }
            }
            JointKind::Floating => Self::Floating { origin: *origin },
        }
    }

    /// `parent_from_child` at these numbers, as many as the kind of joint has.
    fn pose(&self, numbers: &[f64]) -> clearance_engine::Result<Pose> {
        match (self, numbers) {
            (Self::Turn { start, swing, origin }, &[angle]) => {
                let (sin, cos) = (0.5 * angle).sin_cos();
                Pose::new(*start * cos + *swing * sin, *origin)
            }
            (Self::Slide { turn, origin, direction }, &[distance]) => Pose::new(*turn, *origin + *direction * distance),
            (Self::Planar { origin, x, y, normal }, &[along_x, along_y, theta]) => {
                let turn = DQuat::from_axis_angle(*normal, theta);
                Ok(origin.then(&Pose::new(turn, *x * along_x + *y * along_y)?))
            }
            (Self::Floating { origin }, &[x, y, z, qw, qx, qy, qz]) => {
                Ok(origin.then(&Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))?))
            }
            (Self::Fixed { origin, .. }, _) => Ok(*origin),
            _ => Err(clearance_engine::Error::new(
                clearance_engine::ErrorKind::BadRequest,
                "the joint has another number of variables",
            )),
        }
    }
}

/// The variables of all joints in order; gives each joint the places of its own.
pub(crate) fn variables(joints: &mut [Joint]) -> Vec<Variable> {
    let mut variables = Vec::new();
    for (number, joint) in joints.iter_mut().enumerate() {
        let first = variables.len();
        let name = &joint.name;
        let free = |part: &&str| Variable {
            name: format!("{name}.{part}"),
            joint: number,
            limits: None,
            default: if *part == "qw" { 1.0 } else { 0.0 },
        };
        match joint.kind {
            _ if joint.mimic.is_some() => {}
            JointKind::Fixed => {}
            JointKind::Planar { .. } => variables.extend(PLANAR.iter().map(free)),
            JointKind::Floating => variables.extend(FLOATING.iter().map(free)),
            JointKind::Revolute { .. } | JointKind::Continuous { .. } | JointKind::Prismatic { .. } => {
                let limits = joint.kind.limits();
                let default = limits.map_or(0.0, |limits| 0.0_f64.clamp(limits.lower, limits.upper));
                variables.push(Variable { name: name.clone(), joint: number, limits, default });
            }
        }
        joint.variables = first..variables.len();
    }
    variables
}

/// How each joint places its child. The mimic rules must not go in a circle.
pub(crate) fn steps(joints: &[Joint]) -> Vec<Step> {
    let step = |(joint, source): (&Joint, Source)| Step {
        parent: joint.parent,
        source,
        motion: Motion::new(&joint.kind, &joint.origin),
    };
    joints.iter().zip(sources(joints)).map(step).collect()
}

/// Where each joint's numbers come from. A joint is followed once, however many chains lead through
/// it.
fn sources(joints: &[Joint]) -> Vec<Source> {
    let mut known: Vec<Option<Source>> =
        joints.iter().map(|joint| joint.mimic.is_none().then_some(Source::Own(joint.variables.start))).collect();
    let mut chain = Vec::new();
    for start in 0..joints.len() {
        let mut joint = start;
        while let (None, Some(rule)) = (known[joint], joints[joint].mimic) {
            chain.push((joint, rule));
            joint = rule.joint;
        }
        while let Some((follower, rule)) = chain.pop() {
            known[follower] = known[rule.joint].map(|source| source.followed_by(&rule));
        }
    }
    known.into_iter().map(|source| source.unwrap_or(Source::Own(0))).collect()
}

/// The poses of all links, parents first. Plain arithmetic, but the processor's own instructions
/// take fewer than the baseline's.
struct Chain<'a> {
    robot: &'a Robot,
    base: &'a Pose,
    configuration: &'a [f64],
    out: &'a mut Vec<Pose>,
}

impl Vectorized for Chain<'_> {
    type Output = Result<()>;

    #[inline(always)]
    fn run<S: Lanes8>(self, _simd: S) -> Result<()> {
        let Self { robot, base, configuration, out } = self;
        out.clear();
        out.reserve(robot.links.len());
        out.push(*base);
        // Rotations are chained as quaternions: half the arithmetic of matrices, which would need a
        // step back to orthonormal each.
        let mut turns: SmallVec<[DQuat; 64]> = smallvec![DQuat::IDENTITY; robot.steps.len() + 1];
        let turns = &mut turns[..];
        turns[0] = DQuat::from_mat3(base.rotation());
        for (joint, step) in robot.steps.iter().enumerate() {
            let (turn, origin) = match &step.motion {
                Motion::Fixed { turn, origin } => (*turn, origin.translation()),
                Motion::Turn { start, swing, origin } => {
                    let (sin, cos) = (0.5 * step.source.value(configuration)).sin_cos();
                    (*start * cos + *swing * sin, *origin)
                }
                Motion::Slide { turn, origin, direction } => {
                    (*turn, *origin + *direction * step.source.value(configuration))
                }
                Motion::Planar { .. } | Motion::Floating { .. } => {
                    let local = robot.child_pose(joint, configuration)?;
                    (DQuat::from_mat3(local.rotation()), local.translation())
                }
            };
            // Each product strays from unit length by a few roundings, which poses make up for.
            let chained = turns[step.parent] * turn;
            let pose = Pose::new(chained, out[step.parent].transform_point(origin));
            out.push(
                pose.map_err(|error| robot.bad_position(joint, &configuration[robot.own_variables(joint)], &error))?,
            );
            turns[joint + 1] = chained;
        }
        Ok(())
    }
}

impl Robot {
    /// The numbers of a configuration, in order.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The configuration with every variable at 0 or, where that is not allowed, at the nearest
    /// limit.
    pub fn default_configuration(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.default).collect()
    }

    /// The lowest configuration within the limits: -infinity where a variable has no limit.
    ///
    /// ```
    /// use clearance_engine::math::DVec3;
    /// use clearance_robot::{JointSpec, RobotBuilder};
    /// let robot = RobotBuilder::new("r").link("a", []).link("b", [])
    ///     .joint(JointSpec::revolute("j", "a", "b", DVec3::Z, [-1.0, 2.0])).build()?;
    /// assert_eq!((robot.lower(), robot.upper()), (vec![-1.0], vec![2.0]));
    /// # Ok::<(), clearance_robot::Error>(())
    /// ```
    pub fn lower(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.limits.map_or(f64::NEG_INFINITY, |limits| limits.lower)).collect()
    }

    /// The highest configuration within the limits: infinity where a variable has no limit.
    pub fn upper(&self) -> Vec<f64> {
        self.variables.iter().map(|variable| variable.limits.map_or(f64::INFINITY, |limits| limits.upper)).collect()
    }

    /// The pose of every link for one configuration; `base` is the root link's pose in the world.
    ///
    /// `out` is overwritten and holds `world_from_link` in the order of [`links`](Self::links).
    /// Nothing is allocated once `out` has room. Configurations outside of the limits are legal. An
    /// error names the joint; `out` is then of no use.
    pub fn link_poses(&self, base: &Pose, configuration: &[f64], out: &mut Vec<Pose>) -> Result<()> {
        self.check_length(configuration)?;
        vectorized(SimdLevel::Best, Chain { robot: self, base, configuration, out })
    }

    /// The pose of a joint's child in its parent link, `parent_from_child`, when the joint's own
    /// numbers are `position`: none for a fixed joint, one for most, `x y theta` for a planar,
    /// `x y z qw qx qy qz` for a floating one. Panics if `joint` is out of range.
    pub fn joint_pose(&self, joint: usize, position: &[f64]) -> Result<Pose> {
        let expected = self.joints[joint].kind.variable_count();
        if position.len() != expected {
            let reason = format!("{} numbers given for a joint that has {expected}", position.len());
            return Err(Error::new(ErrorKind::BadConfiguration, reason).of(self.joint_label(joint)));
        }
        self.steps[joint].motion.pose(position).map_err(|error| self.bad_position(joint, position, &error))
    }

    /// The position of a joint with one variable, its mimic rule applied; none for fixed, planar
    /// and floating ones. Panics if `joint` or the configuration's length is wrong.
    pub fn joint_value(&self, joint: usize, configuration: &[f64]) -> Option<f64> {
        (self.joints[joint].kind.variable_count() == 1).then(|| self.steps[joint].source.value(configuration))
    }

    /// The rule `multiplier · variable + offset` of a joint that follows another one, chains of
    /// them resolved: the variable's place in a configuration, the multiplier and the offset.
    pub fn mimic_rule(&self, joint: usize) -> Option<(usize, f64, f64)> {
        match self.steps[joint].source {
            Source::Rule { variable, multiplier, offset } => Some((variable, multiplier, offset)),
            Source::Own(_) => None,
        }
    }

    /// The variables outside of their limits, by their places.
    pub fn outside_limits<'a>(&'a self, configuration: &'a [f64]) -> impl Iterator<Item = usize> + 'a {
        let pairs = self.variables.iter().zip(configuration).enumerate();
        pairs
            .filter(|(_, (variable, value))| variable.limits.is_some_and(|limits| !limits.contain(**value)))
            .map(|(i, _)| i)
    }

    fn child_pose(&self, joint: usize, configuration: &[f64]) -> Result<Pose> {
        let Step { source, motion, .. } = &self.steps[joint];
        let pose = match (source, motion) {
            (_, Motion::Turn { .. } | Motion::Slide { .. }) => motion.pose(&[source.value(configuration)]),
            _ => motion.pose(&configuration[self.own_variables(joint)]),
        };
        pose.map_err(|error| self.bad_position(joint, &configuration[self.own_variables(joint)], &error))
    }

    fn own_variables(&self, joint: usize) -> Range<usize> {
        self.joints[joint].variables.clone()
    }

    pub(crate) fn check_length(&self, configuration: &[f64]) -> Result<()> {
        if configuration.len() == self.variables.len() {
            return Ok(());
        }
        let (given, expected) = (configuration.len(), self.variables.len());
        let reason =
            format!("the configuration has {given} numbers, but the robot '{}' has {expected} variables", self.name);
        Err(Error::new(ErrorKind::BadConfiguration, reason))
    }

    fn bad_position(&self, joint: usize, position: &[f64], error: &clearance_engine::Error) -> Error {
        let reason = match position.iter().find(|number| !number.is_finite()) {
            Some(number) => format!("its position is not a finite number: {number}"),
            None => format!("its position makes no pose: {error}"),
        };
        Error::new(ErrorKind::BadConfiguration, reason).of(self.joint_label(joint))
    }

    fn joint_label(&self, joint: usize) -> String {
        format!("joint '{}'", self.joints[joint].name)
    }
}

impl Source {
    /// Where the numbers of a joint come from that follows one with these by a rule.
    fn followed_by(self, rule: &Mimic) -> Self {
        let Mimic { multiplier: factor, offset: shift, .. } = *rule;
        match self {
            Self::Own(variable) => Self::Rule { variable, multiplier: factor, offset: shift },
            Self::Rule { variable, multiplier, offset } => {
                Self::Rule { variable, multiplier: factor * multiplier, offset: factor * offset + shift }
            }
        }
    }

    fn value(&self, configuration: &[f64]) -> f64 {
        match *self {
            Self::Own(variable) => configuration[variable],
            Self::Rule { variable, multiplier, offset } => multiplier * configuration[variable] + offset,
        }
    }
}
