//! Configurations between two others.

use clearance_engine::math::DQuat;
use clearance_robot::{JointKind, Robot};

/// The configuration between two others at `t` from 0 to 1, as straight motions have it: numbers
/// change at a constant rate, and floating joints turn by the shorter way.
///
/// ```
/// use clearance_engine::math::DVec3;
/// use clearance_robot::{JointSpec, RobotBuilder};
/// let robot = RobotBuilder::new("r").link("a", []).link("b", [])
///     .joint(JointSpec::floating("fly", "a", "b")).build()?;
/// let (from, to) = ([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
/// let half = clearance_view::between(&robot, &from, &to, 0.5);
/// assert!(half[0] == 1.0 && (half[3] - 0.5_f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), clearance_robot::Error>(())
/// ```
pub fn between(robot: &Robot, from: &[f64], to: &[f64], t: f64) -> Vec<f64> {
    let mut row: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + (b - a) * t).collect();
    for joint in robot.joints().iter().filter(|joint| *joint.kind() == JointKind::Floating) {
        // Three numbers are its place.
        let first = joint.variables().start + 3;
        let read =
            |row: &[f64]| DQuat::from_xyzw(row[first + 1], row[first + 2], row[first + 3], row[first]).normalize();
        let [x, y, z, w] = read(from).slerp(read(to), t).to_array();
        row[first..first + 4].copy_from_slice(&[w, x, y, z]);
    }
    row
}
