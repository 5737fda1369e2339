//! What glTF has no place for, as JSON in the file's `extras`: the page reads it under `clearance`.
//!
//! Poses are `[x, y, z, qw, qx, qy, qz]`, lengths are metres, angles radians. Numbers keep all their
//! digits, so that the page places links as the engine does. A body's number is its place in
//! `bodies`.

use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};
use clearance_robot::{JointKind, Robot};
use serde::Serialize;

/// The version of this layout; the page refuses others.
pub(crate) const FORMAT: u32 = 1;

/// When things were recorded, and where robots and moved objects were then.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Timeline {
    /// What times are measured in: `s`, or what is counted, such as `row` or `segment`.
    pub unit: String,
    /// Whether frames have nothing between them: configurations that no motion connects.
    pub step: bool,
    /// The time of each frame; rising.
    pub times: Vec<f64>,
}

/// The nearest two bodies at one frame.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Witness {
    /// The number of the first body.
    pub a: usize,
    /// The number of the second body.
    pub b: usize,
    /// The closest points on both, in the world.
    pub points: [[f64; 3]; 2],
}

/// The clearance at every frame, to one kind of thing.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Clearance {
    /// To what, such as `to itself`.
    pub name: String,
    /// Certified lower bounds, in metres; none where nothing was found.
    pub lower: Vec<Option<f64>>,
    /// The distances of the witness points.
    pub upper: Vec<Option<f64>>,
    /// Where; none beyond what was asked for.
    pub witnesses: Vec<Option<Witness>>,
}

/// What is known of two links over all configurations within the joint limits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairVerdict {
    /// The numbers of both links in their robot.
    pub links: [usize; 2],
    /// `never`, `adjacent`, `always`, `sometimes`, `disabled` or `undecided`.
    pub verdict: String,
    /// The distance that they keep, in metres; for `never`.
    pub gap: Option<f64>,
}

/// Two bodies that touch at one frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Touch {
    /// The frame.
    pub frame: usize,
    /// The number of the first body.
    pub a: usize,
    /// The number of the second body.
    pub b: usize,
    /// Where surfaces cross, in the world: a point, the ends of a segment, or the vertices of a
    /// polygon each.
    pub contacts: Vec<Vec<DVec3>>,
}

/// A part of a motion with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Segment {
    /// When it begins and ends.
    pub from: f64,
    /// When it ends.
    pub to: f64,
    /// `free`, `contact` or `undecided`.
    pub verdict: String,
    /// The verdict in words, with units.
    pub text: String,
}

/// Two bodies that touch or are within the margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct NearPair {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) colliding: bool,
}

/// How deep one solid is in another, and which way out is the shortest that is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(crate) struct Depth {
    pub(crate) a: usize,
    pub(crate) b: usize,
    /// Deepest in `b`, on `a`, in the world.
    pub(crate) point: [f64; 3],
    /// Moved by this, `b` no longer overlaps `a`.
    pub(crate) shift: [f64; 3],
}

/// All of it.
#[derive(Debug, Serialize)]
pub(crate) struct Facts<'f> {
    pub(crate) format: u32,
    pub(crate) generator: &'static str,
    pub(crate) title: &'f str,
    pub(crate) bodies: Vec<BodyFacts<'f>>,
    pub(crate) robots: Vec<RobotFacts<'f>>,
    pub(crate) timeline: &'f Timeline,
    pub(crate) clearances: &'f [Clearance],
    /// The distance up to which links are shown as near, in metres.
    pub(crate) margin: f64,
    /// By frame.
    pub(crate) near: &'f [Vec<NearPair>],
    /// By frame: segments where surfaces cross, six numbers each.
    pub(crate) contacts: &'f [Vec<f64>],
    /// By frame.
    pub(crate) depths: &'f [Vec<Depth>],
    pub(crate) segments: &'f [Segment],
    pub(crate) notes: &'f [String],
}

/// A link or an object.
#[derive(Debug, Serialize)]
pub(crate) struct BodyFacts<'f> {
    pub(crate) name: &'f str,
    pub(crate) kind: &'static str,
    /// The glTF node that its pose moves.
    pub(crate) node: usize,
    /// The robot that it belongs to.
    pub(crate) robot: Option<usize>,
    pub(crate) triangles: usize,
    pub(crate) cells: usize,
    /// Whether a part of it stands for something without an end: a plane.
    pub(crate) unbounded: bool,
    /// The first and last frame that it is there for.
    pub(crate) during: Option<[usize; 2]>,
    /// Its pose at every frame, where it moves by itself.
    pub(crate) poses: Option<Vec<[f64; 7]>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct RobotFacts<'f> {
    pub(crate) name: &'f str,
    pub(crate) base: [f64; 7],
    /// The body of each link.
    pub(crate) links: Vec<usize>,
    pub(crate) joints: Vec<JointFacts<'f>>,
    pub(crate) variables: Vec<VariableFacts<'f>>,
    /// By frame.
    pub(crate) configurations: &'f [Vec<f64>],
    pub(crate) pairs: &'f [PairVerdict],
}

/// A joint; joint `j` carries link `j + 1`.
#[derive(Debug, Serialize)]
pub(crate) struct JointFacts<'f> {
    name: &'f str,
    kind: &'static str,
    parent: usize,
    origin: [f64; 7],
    /// Of rotation or displacement; the normal of a planar joint.
    axis: [f64; 3],
    /// The place of its first number in a configuration; none for a fixed joint.
    variable: Option<usize>,
    /// Its position is `multiplier · number + offset`.
    multiplier: f64,
    offset: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct VariableFacts<'f> {
    name: &'f str,
    unit: &'static str,
    lower: Option<f64>,
    upper: Option<f64>,
    default: f64,
}

/// A pose as seven numbers.
pub(crate) fn numbers(pose: &Pose) -> [f64; 7] {
    let (turn, place) = (DQuat::from_mat3(pose.rotation()).normalize(), pose.translation());
    [place.x, place.y, place.z, turn.w, turn.x, turn.y, turn.z]
}

/// A finite number.
pub(crate) fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

pub(crate) fn joints(robot: &Robot) -> Vec<JointFacts<'_>> {
    let facts = |number: usize| {
        let joint = &robot.joints()[number];
        let axis = match *joint.kind() {
            JointKind::Revolute { axis, .. } | JointKind::Continuous { axis } => axis,
            JointKind::Prismatic { axis, .. } | JointKind::Planar { normal: axis } => axis,
            _ => DVec3::ZERO,
        };
        let own = || (joint.variables().next(), 1.0, 0.0);
        let follows = |(variable, multiplier, offset)| (Some(variable), multiplier, offset);
        let (variable, multiplier, offset) = robot.mimic_rule(number).map_or_else(own, follows);
        JointFacts {
            name: joint.name(),
            kind: joint.kind().name(),
            parent: joint.parent(),
            origin: numbers(joint.origin()),
            axis: axis.to_array(),
            variable,
            multiplier,
            offset,
        }
    };
    (0..robot.joints().len()).map(facts).collect()
}

pub(crate) fn variables(robot: &Robot) -> Vec<VariableFacts<'_>> {
    let mut facts = Vec::new();
    for variable in robot.variables() {
        let part = variable.name.rsplit('.').next().unwrap_or_default();
        let unit = match robot.joints()[variable.joint].kind() {
            JointKind::Revolute { .. } | JointKind::Continuous { .. } => "rad",
            JointKind::Planar { .. } if part == "theta" => "rad",
            // A part of a quaternion.
            JointKind::Floating if part.starts_with('q') => "1",
            _ => "m",
        };
        let [lower, upper] = [variable.limits.map(|l| l.lower), variable.limits.map(|l| l.upper)];
        facts.push(VariableFacts { name: &variable.name, unit, lower, upper, default: variable.default });
    }
    facts
}
