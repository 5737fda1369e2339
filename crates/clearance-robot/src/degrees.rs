//! Joint positions that look like degrees, where radians are meant.

use crate::{JointKind, Robot};
use clearance::Readable;
use std::f64::consts::TAU;

/// A remark about the first position of a turning joint, over all `configurations`, that looks like
/// degrees: it is outside of the limits and beyond a full turn, and within the limits if it is
/// taken for degrees.
///
/// ```
/// use clearance::math::DVec3;
/// use clearance_robot::{JointSpec, RobotBuilder, degrees_note};
/// let joint = JointSpec::revolute("elbow", "a", "b", DVec3::Z, [-2.0, 2.0]);
/// let robot = RobotBuilder::new("r").link("a", []).link("b", []).joint(joint).build()?;
/// assert_eq!(degrees_note(&robot, [&[1.5][..], &[3.0]]), None);
/// let note = degrees_note(&robot, [&[1.5][..], &[90.0]]).unwrap();
/// assert_eq!(note, "joint 'elbow' is at 90 in configuration 1, which looks like degrees; positions are in radians");
/// # Ok::<(), clearance_robot::Error>(())
/// ```
pub fn degrees_note<'c>(robot: &Robot, configurations: impl IntoIterator<Item = &'c [f64]>) -> Option<String> {
    configurations.into_iter().enumerate().find_map(|(i, configuration)| {
        let variable = robot.outside_limits(configuration).find(|&place| {
            let (variable, value) = (&robot.variables()[place], configuration[place]);
            let turns = matches!(robot.joints()[variable.joint].kind(), JointKind::Revolute { .. });
            let in_degrees = variable.limits.is_some_and(|limits| limits.contain(value.to_radians()));
            turns && value.abs() > TAU && in_degrees
        })?;
        let (name, value) = (&robot.variables()[variable].name, Readable(configuration[variable]));
        Some(format!(
            "joint '{name}' is at {value} in configuration {i}, which looks like degrees; positions are in radians"
        ))
    })
}
