//! The joints between two bodies: up from A to their lowest common ancestor, down from there to B.
//!
//! How A and B lie to each other depends on the variables of these joints only.

use super::sweep::{HALF_TURN, Movement, ruled};
use crate::{Result, Robot};
use clearance_engine::Pose;
use clearance_engine::assembly::PartWitness;
use clearance_engine::math::UNIT_ROUNDOFF;
use clearance_engine::volume::BoundingSphere;

/// One joint of a path, from body `i` to body `i + 1` of it.
#[derive(Debug, Clone)]
pub(super) struct Step {
    joint: usize,
    /// The next body hangs on the joint; else this one does.
    pub down: bool,
    movement: Movement,
    /// The link that carries the joint, in its body.
    parent_from_link: Pose,
    parent_from_joint: Pose,
    joint_from_parent: Pose,
    /// The joint's position is `multiplier · variable + offset`; the variable is one of the path's.
    pub variable: usize,
    multiplier: f64,
    offset: f64,
}

/// The joints between two bodies and the variables that move them.
#[derive(Debug, Clone)]
pub(super) struct Path {
    steps: Vec<Step>,
    /// The variables' places in a configuration.
    pub variables: Vec<usize>,
    /// What they may be; in place of no limits a range after which everything repeats itself.
    pub bounds: Vec<[f64; 2]>,
}

impl Path {
    /// The path from `a` to `b`; none if a joint on it has no bounds (planar, floating, sliding
    /// after one that turns for ever).
    pub fn between(robot: &Robot, body_from_links: &[Pose], a: usize, b: usize) -> Option<Self> {
        let mut path = Self { steps: Vec::new(), variables: Vec::new(), bounds: Vec::new() };
        let (mut from, mut to, mut below) = (a, b, Vec::new());
        // Parents have smaller numbers than their children, so the larger of both is not the common
        // ancestor.
        while from != to {
            let lower = &robot.bodies()[from.max(to)];
            let (joint, parent) = (lower.joint()?, lower.parent()?);
            if from > to {
                path.push(robot, body_from_links, joint, false)?;
                from = parent;
            } else {
                below.push(joint);
                to = parent;
            }
        }
        below.iter().rev().try_for_each(|&joint| path.push(robot, body_from_links, joint, true))?;
        path.bounds = (0..path.variables.len()).map(|i| path.bounds_of(robot, i)).collect::<Option<_>>()?;
        Some(path)
    }

    fn push(&mut self, robot: &Robot, body_from_links: &[Pose], joint: usize, down: bool) -> Option<()> {
        let description = &robot.joints()[joint];
        let movement = Movement::of(description.kind());
        if movement == Movement::Free {
            return None;
        }
        let (variable, multiplier, offset) = match robot.mimic_rule(joint) {
            Some(rule) => rule,
            None => (description.variables().next()?, 1.0, 0.0),
        };
        let known = self.variables.iter().position(|&other| other == variable);
        let variable = known.unwrap_or_else(|| {
            self.variables.push(variable);
            self.variables.len() - 1
        });
        let parent_from_link = body_from_links[description.parent()];
        let parent_from_joint = parent_from_link.then(description.origin());
        let joint_from_parent = parent_from_joint.inverse();
        let step = Step {
            joint,
            down,
            movement,
            parent_from_link,
            parent_from_joint,
            joint_from_parent,
            variable,
            multiplier,
            offset,
        };
        self.steps.push(step);
        Some(())
    }

    /// The joints from A to B.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The range of a variable that shows everything the path can do.
    fn bounds_of(&self, robot: &Robot, variable: usize) -> Option<[f64; 2]> {
        if let Some(limits) = robot.variables()[self.variables[variable]].limits {
            return Some([limits.lower, limits.upper]);
        }
        let users = || self.steps.iter().filter(|step| step.variable == variable && step.multiplier != 0.0);
        let turning = users().all(|step| matches!(step.movement, Movement::Turn(_)));
        match users().map(|step| step.multiplier).collect::<Vec<_>>()[..] {
            [] => Some([0.0; 2]),
            _ if !turning => None,
            [only] => Some([-HALF_TURN / only.abs(), HALF_TURN / only.abs()]),
            ref several => several.iter().all(|factor| factor.fract() == 0.0).then_some([-HALF_TURN, HALF_TURN]),
        }
    }

    /// `a_from_b` at these values of the path's variables; `frames` becomes `a_from_body` for the
    /// bodies of the path from A on, without B.
    pub fn pose(&self, robot: &Robot, values: &[f64], frames: &mut Vec<Pose>) -> Result<Pose> {
        frames.clear();
        let mut a_from_here = Pose::IDENTITY;
        for step in &self.steps {
            frames.push(a_from_here);
            a_from_here = a_from_here.then(&step.pose(robot, values[step.variable])?);
        }
        Ok(a_from_here)
    }

    /// How fast the distance between two closest points grows with each variable, where the bodies
    /// are as `frames` says.
    pub fn gradient(&self, frames: &[Pose], witness: &PartWitness) -> Vec<f64> {
        let mut gradient = vec![0.0; self.variables.len()];
        let normal = (witness.point_b - witness.point_a).normalize_or_zero();
        for (step, a_from_here) in self.steps.iter().zip(frames) {
            let a_from_joint = if step.down { a_from_here.then(&step.parent_from_joint) } else { *a_from_here };
            let velocity = match step.movement {
                Movement::Turn(axis) => {
                    a_from_joint.transform_vector(axis).cross(witness.point_b - a_from_joint.translation())
                }
                Movement::Slide(axis) => a_from_joint.transform_vector(axis),
                Movement::Free => continue,
            };
            let sign = if step.down { 1.0 } else { -1.0 };
            gradient[step.variable] += sign * step.multiplier * normal.dot(velocity);
        }
        gradient
    }
}

impl Step {
    /// `here_from_next`, the pose of the next body in this one, at a value of the variable.
    pub fn pose(&self, robot: &Robot, value: f64) -> Result<Pose> {
        let position = self.multiplier * value + self.offset;
        let parent_from_child = self.parent_from_link.then(&robot.joint_pose(self.joint, &[position])?);
        Ok(if self.down { parent_from_child } else { parent_from_child.inverse() })
    }

    /// Takes spheres from one side of the joint to the other, while the variable takes all values
    /// of `bounds`; gives how far each of them moves from where it is when the variable is
    /// `center`, at most. `climbing` is from what hangs on the joint to what carries it.
    pub fn carry(&self, spheres: &mut [BoundingSphere], climbing: bool, bounds: [f64; 2], center: f64) -> Vec<f64> {
        let [low, high] = ruled(bounds, self.multiplier, self.offset);
        let middle = self.multiplier * center + self.offset;
        let rounding = 8.0 * UNIT_ROUNDOFF * (low.abs() + high.abs() + middle.abs());
        let by = self.movement.displacement((high - middle).max(middle - low) + rounding);
        let sweep = self.movement.over(if climbing { [low, high] } else { [-high, -low] });
        let carry = |sphere: &mut BoundingSphere| {
            let in_joint = if climbing { *sphere } else { sphere.moved(&self.joint_from_parent) };
            let swept = sweep.of(&in_joint);
            *sphere = if climbing { swept.moved(&self.parent_from_joint) } else { swept };
            by.of(&in_joint)
        };
        spheres.iter_mut().map(carry).collect()
    }
}
