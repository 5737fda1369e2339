//! What single links, joints and their names must fulfil. The shape of the tree is checked in
//! `tree.rs`.

use crate::builder::{JointSpec, LinkSpec};
use crate::tree::list;
use crate::{Error, ErrorKind, JointKind, Limits, LinkGeometry, LinkShape, Result, Robot};
use clearance_engine::Readable;
use clearance_engine::math::{DVec3, LARGEST_COORDINATE};
use std::collections::HashMap;
use std::fmt::Display;

/// The numbers of the names, each of which must be there once and not be empty.
pub(crate) fn check_unique<'a>(
    names: impl Iterator<Item = (&'a String, Option<usize>)>,
    what: &str,
) -> Result<HashMap<String, usize>> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut lines = Vec::new();
    for (number, (name, line)) in names.enumerate() {
        if name.is_empty() {
            return Err(Error::new(ErrorKind::Missing, format!("a {what} has no name; give it one")).at_line(line));
        }
        if let Some(first) = numbers.insert(name.clone(), number) {
            let earlier: Option<usize> = lines[first];
            let place = earlier.map_or(String::new(), |line| format!(" (the first is in line {line})"));
            let reason = format!("two {what}s have this name{place}; rename or remove one");
            return Err(Error::new(ErrorKind::Repeated, reason).of(format_args!("{what} '{name}'")).at_line(line));
        }
        lines.push(line);
    }
    Ok(numbers)
}

/// Sizes must be positive and finite; only a capsule may have the length 0, and is a sphere then.
pub(crate) fn check_geometry(link: &LinkSpec, number: usize, geometry: &LinkGeometry) -> Result<()> {
    let positive = |value: f64, what: &str| {
        let problem = match check_finite(value, what) {
            Err(error) => error,
            Ok(()) if value > 0.0 => return Ok(()),
            Ok(()) => {
                Error::new(ErrorKind::OutOfRange, format!("{what} is {}, it must be greater than 0", Readable(value)))
            }
        };
        Err(problem.of(shape_label(link, number, geometry)).at_line(link.line))
    };
    match geometry.shape {
        LinkShape::Mesh(_) | LinkShape::Hull(_) => Ok(()),
        LinkShape::Box { size } => size.to_array().iter().try_for_each(|&edge| positive(edge, "an edge of the box")),
        LinkShape::Sphere { radius } => positive(radius, "the radius of the sphere"),
        LinkShape::Cylinder { radius, length } => {
            positive(radius, "the radius of the cylinder")?;
            positive(length, "the length of the cylinder")
        }
        LinkShape::Capsule { radius, length } => {
            positive(radius, "the radius of the capsule")?;
            if length == 0.0 { Ok(()) } else { positive(length, "the length of the capsule") }
        }
    }
}

fn shape_label(link: &LinkSpec, number: usize, geometry: &LinkGeometry) -> String {
    match geometry.name.as_str() {
        "" => format!("{}, geometry {number}", link.label()),
        name => format!("{}, geometry '{name}'", link.label()),
    }
}

/// The joint's kind with an axis of length 1.
pub(crate) fn check_joint(joint: &JointSpec) -> Result<JointKind> {
    checked_kind(joint.kind).map_err(|error| error.of(joint.label()).at_line(joint.line))
}

fn checked_kind(kind: JointKind) -> Result<JointKind> {
    Ok(match kind {
        JointKind::Fixed | JointKind::Floating => kind,
        JointKind::Revolute { axis, limits } => {
            check_limits(&limits)?;
            JointKind::Revolute { axis: unit(axis)?, limits }
        }
        JointKind::Prismatic { axis, limits } => {
            check_limits(&limits)?;
            JointKind::Prismatic { axis: unit(axis)?, limits }
        }
        JointKind::Continuous { axis } => JointKind::Continuous { axis: unit(axis)? },
        JointKind::Planar { normal } => JointKind::Planar { normal: unit(normal)? },
    })
}

fn check_limits(limits: &Limits) -> Result<()> {
    let Limits { lower, upper } = *limits;
    check_finite(lower, "the lower limit")?;
    check_finite(upper, "the upper limit")?;
    if lower <= upper {
        return Ok(());
    }
    let reason = format!(
        "the lower limit {} is above the upper limit {}; exchange or correct them",
        Readable(lower),
        Readable(upper)
    );
    Err(Error::new(ErrorKind::OutOfRange, reason))
}

/// The axis at length 1, whatever its length is as long as that is neither zero nor infinite.
fn unit(axis: DVec3) -> Result<DVec3> {
    axis.to_array().iter().try_for_each(|&component| check_finite(component, "a component of the axis"))?;
    // Scaled first: the square of a tiny or huge component has no room in an f64.
    let largest = axis.abs().max_element();
    (axis / largest)
        .try_normalize()
        .ok_or_else(|| Error::new(ErrorKind::OutOfRange, "its axis is 0 0 0; give a direction, such as 0 0 1"))
}

/// An error for NaN, infinities and what lies beyond 1e100.
pub(crate) fn check_finite(value: f64, what: impl Display) -> Result<()> {
    if value.abs() <= LARGEST_COORDINATE {
        return Ok(());
    }
    let problem = if value.is_finite() { "beyond 1e100" } else { "not finite" };
    Err(Error::new(
        ErrorKind::NotFinite,
        format!("{what} is {}, which is {problem}; give a finite number", Readable(value)),
    ))
}

/// Joints that follow another one, and those that are followed, must have one variable, and must
/// not go in a circle.
pub(crate) fn check_mimics(joints: &[JointSpec], numbers: &HashMap<String, usize>) -> Result<()> {
    for joint in joints {
        let Some(rule) = &joint.mimic else { continue };
        let error = |kind, reason: String| Err(Error::new(kind, reason).of(joint.label()).at_line(joint.line));
        for (value, what) in
            [(rule.multiplier, "the multiplier of its mimic rule"), (rule.offset, "the offset of its mimic rule")]
        {
            check_finite(value, what).map_err(|error| error.of(joint.label()).at_line(joint.line))?;
        }
        if joint.kind.variable_count() != 1 {
            let reason = format!("a {} joint cannot mimic another one; remove the mimic rule", joint.kind.name());
            return error(ErrorKind::Unsupported, reason);
        }
        let Some(&target) = numbers.get(&rule.joint) else {
            let reason = format!("it mimics the joint '{}', which does not exist; correct the name", rule.joint);
            return error(ErrorKind::Unknown, reason);
        };
        let kind = &joints[target].kind;
        if kind.variable_count() != 1 {
            let reason =
                format!("it mimics the joint '{}', which is {} and has no single position", rule.joint, kind.name());
            return error(ErrorKind::Unsupported, reason);
        }
    }
    check_mimic_circles(joints, numbers)
}

fn check_mimic_circles(joints: &[JointSpec], numbers: &HashMap<String, usize>) -> Result<()> {
    let next = |joint: usize| joints[joint].mimic.as_ref().and_then(|rule| numbers.get(&rule.joint).copied());
    // The start of the chain that met each joint; a chain that meets an earlier one ends where that
    // did.
    let mut met_from = vec![None; joints.len()];
    for start in 0..joints.len() {
        let mut joint = start;
        while met_from[joint].is_none() {
            met_from[joint] = Some(start);
            let Some(followed) = next(joint) else { break };
            if met_from[followed] == Some(start) {
                return Err(mimic_circle(followed, joints, next));
            }
            joint = followed;
        }
    }
    Ok(())
}

fn mimic_circle(joint: usize, joints: &[JointSpec], next: impl Fn(usize) -> Option<usize>) -> Error {
    let mut circle = vec![joint];
    circle.extend(std::iter::successors(next(joint), |&joint| next(joint)).take_while(|&other| other != joint));
    let names = list(circle.iter().map(|&joint| &joints[joint].name));
    let reason = format!("the joints {names} mimic each other in a circle; one of them must not mimic");
    Error::new(ErrorKind::Structure, reason).of(joints[joint].label()).at_line(joints[joint].line)
}

/// The variables' names must differ: a joint may be called like a part of a floating one.
pub(crate) fn check_variable_names(robot: &Robot) -> Result<()> {
    let mut joints = HashMap::new();
    for variable in &robot.variables {
        if let Some(other) = joints.insert(&variable.name, variable.joint) {
            let [a, b] = [other, variable.joint].map(|joint| robot.joints[joint].name.as_str());
            let reason = format!("the joints '{a}' and '{b}' both have a variable '{}'; rename one", variable.name);
            return Err(Error::new(ErrorKind::Repeated, reason));
        }
    }
    Ok(())
}
