//! How a distance changes with the joints: rows of the geometric Jacobian.
//!
//! A point that moves with a link has, when a joint above it moves, the velocity of the joint's
//! child there: `axis × (point − origin)` or `axis`. Joints above both of two links move them
//! together, and change no distance between them.

use crate::kinematics::{Motion, Source};
use crate::{JointKind, Robot};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;

/// A robot where it is.
pub(crate) struct Placed<'p> {
    pub(crate) robot: &'p Robot,
    /// Those of its links in the world.
    pub(crate) poses: &'p [Pose],
    pub(crate) configuration: &'p [f64],
}

impl Placed<'_> {
    /// The derivative by each variable of the distance of two points along `normal`, from one that
    /// moves with the first link to one that moves with the second; both lie on the line through
    /// `point` along `normal`. The root link moves with no joint, as all that is not the robot's.
    pub(crate) fn distance_gradient(&self, [mut a, mut b]: [usize; 2], point: DVec3, normal: DVec3) -> Vec<f64> {
        let mut row = vec![0.0; self.robot.variables().len()];
        // Parents have lower numbers than children: the higher one goes up until both are the same.
        while a != b {
            let (link, towards) = if a > b { (&mut a, -normal) } else { (&mut b, normal) };
            self.add_joint(*link - 1, point, towards, &mut row);
            *link = self.robot.joints()[*link - 1].parent();
        }
        row
    }

    /// Adds how much a point that a joint carries moves along `towards`, by each of its variables.
    fn add_joint(&self, joint: usize, point: DVec3, towards: DVec3, row: &mut [f64]) {
        let (step, child) = (&self.robot.steps[joint], &self.poses[joint + 1]);
        let (first, factor) = match step.source {
            Source::Own(first) => (first, 1.0),
            Source::Rule { variable, multiplier, .. } => (variable, multiplier),
        };
        let turned = |axis: DVec3| axis.cross(point - child.translation()).dot(towards);
        let frame = |origin: &Pose| self.poses[step.parent].then(origin);
        match (&step.motion, self.robot.joints()[joint].kind()) {
            // The axis is the same in the joint's frame and in the child's.
            (_, JointKind::Revolute { axis, .. } | JointKind::Continuous { axis }) => {
                row[first] += factor * turned(child.transform_vector(*axis));
            }
            (_, JointKind::Prismatic { axis, .. }) => {
                row[first] += factor * child.transform_vector(*axis).dot(towards);
            }
            (Motion::Planar { origin, x, y, normal }, _) => {
                let frame = frame(origin);
                row[first] += frame.transform_vector(*x).dot(towards);
                row[first + 1] += frame.transform_vector(*y).dot(towards);
                row[first + 2] += turned(child.transform_vector(*normal));
            }
            (Motion::Floating { origin }, _) => {
                let frame = frame(origin);
                for (i, axis) in DVec3::AXES.into_iter().enumerate() {
                    row[first + i] += frame.transform_vector(axis).dot(towards);
                }
                // A pose takes the quaternion `q = (w, v)` at length 1, so that the change `d` of
                // its numbers turns by twice the vector part of `d·q⁻¹`.
                let [w, x, y, z] = [3, 4, 5, 6].map(|i| self.configuration[first + i]);
                let v = DVec3::new(x, y, z);
                let scale = 2.0 / (w * w + v.length_squared());
                row[first + 3] += turned(frame.transform_vector(-v * scale));
                for (i, axis) in DVec3::AXES.into_iter().enumerate() {
                    row[first + 4 + i] += turned(frame.transform_vector((axis * w + v.cross(axis)) * scale));
                }
            }
            _ => {}
        }
    }
}
