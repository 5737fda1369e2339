//! The joints between two bodies: up from A to their lowest common ancestor, down from there to B.
//!
//! How A and B lie to each other depends on the variables of these joints only. If one joint moves by δ, everything on one side of it
//! turns about its axis, so the distance of A and B changes by at most `2·ρ·sin(|δ|/2)`, where ρ is the largest distance from the
//! axis of A's points, or of B's: the smaller of the two counts. The sum over the joints bounds the change within a box of variables, if ρ
//! holds for all positions of the other joints in the box; for that, balls around A and B are swept along the path from either end.
//! All of this is done for pieces of A and B, one ball each: what is far from the axis is often far from the other body too.

use super::hulls::Hull;
use super::sweep::{HALF_TURN, Movement, ruled};
use crate::{Result, Robot};
use clearance::Pose;
use clearance::assembly::PartWitness;
use clearance::math::UNIT_ROUNDOFF;

/// One joint of a path, from body `i` to body `i + 1` of it.
#[derive(Debug, Clone)]
struct Step {
    joint: usize,
    /// The next body hangs on the joint; else this one does.
    down: bool,
    movement: Movement,
    /// The link that carries the joint, in its body.
    parent_from_link: Pose,
    parent_from_joint: Pose,
    joint_from_parent: Pose,
    /// The joint's position is `multiplier · variable + offset`; the variable is one of the path's.
    variable: usize,
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

/// A box of a path's variables and the point in it that distances are known at.
pub(super) struct Range<'r> {
    pub bounds: &'r [[f64; 2]],
    pub center: &'r [f64],
}

/// One ball of A and one of B, and how they lie to each other within a box of variables.
pub(super) struct PiecePair {
    /// At most the distance of their contents at the centre.
    pub center_gap: f64,
    /// By how much the distance of any of their points differs from that at the centre, at most.
    pub change: f64,
    /// At most the distance of their contents anywhere in the box, as the swept balls show.
    pub floor: f64,
    /// Their numbers.
    pub balls: [usize; 2],
}

impl PiecePair {
    /// At most the distance of their contents anywhere in the box, if that of the bodies at the centre is at least `distance`.
    pub fn bound(&self, distance: f64) -> f64 {
        self.floor.max(self.center_gap.max(distance) - self.change)
    }
}

/// How much can change within a box of variables, for every piece of A against every piece of B.
pub(super) struct Spread {
    pub pieces: Vec<PiecePair>,
    /// How far each step moves each ball of A and of B.
    moved: [Vec<Vec<f64>>; 2],
}

impl Path {
    /// The path from `a` to `b`; none if a joint on it has no bounds (planar, floating, sliding after one that turns for ever).
    pub fn between(robot: &Robot, body_from_links: &[Pose], a: usize, b: usize) -> Option<Self> {
        let mut path = Self { steps: Vec::new(), variables: Vec::new(), bounds: Vec::new() };
        let (mut from, mut to, mut below) = (a, b, Vec::new());
        // Parents have smaller numbers than their children, so the larger of both is not the common ancestor.
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

    /// `a_from_b` at these values of the path's variables; `frames` becomes `a_from_body` for the bodies of the path from A on, without B.
    pub fn pose(&self, robot: &Robot, values: &[f64], frames: &mut Vec<Pose>) -> Result<Pose> {
        frames.clear();
        let mut a_from_here = Pose::IDENTITY;
        for step in &self.steps {
            frames.push(a_from_here);
            let position = step.multiplier * values[step.variable] + step.offset;
            let parent_from_child = step.parent_from_link.then(&robot.joint_pose(step.joint, &[position])?);
            let next = if step.down { parent_from_child } else { parent_from_child.inverse() };
            a_from_here = a_from_here.then(&next);
        }
        Ok(a_from_here)
    }

    /// How fast the distance between two closest points grows with each variable, where the bodies are as `frames` says.
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

    /// What a box of variables leaves open, seen from its centre; `a` and `b` are around the bodies, each in its own frame, and
    /// `a_from_b` is the pose at the centre.
    pub fn spread(&self, a: &Hull, b: &Hull, range: &Range<'_>, a_from_b: &Pose) -> Spread {
        let count = self.steps.len();
        // From either end: how far each step moves each ball, and the balls in the frame of each body of the path.
        let (mut moved_b, mut swept_b) = (Vec::with_capacity(count), vec![b.clone()]);
        for step in self.steps.iter().rev() {
            let (moved, next) = step.carry(&swept_b[swept_b.len() - 1], step.down, range);
            moved_b.push(moved);
            swept_b.push(next);
        }
        let (mut moved_a, mut swept_a) = (Vec::with_capacity(count), vec![a.clone()]);
        for step in &self.steps {
            let (moved, next) = step.carry(&swept_a[swept_a.len() - 1], !step.down, range);
            moved_a.push(moved);
            swept_a.push(next);
        }
        moved_b.reverse();
        swept_b.reverse();
        let placed_b = b.moved(a_from_b);
        let mut pieces = Vec::with_capacity(a.balls().len() * b.balls().len());
        for (p, ball_a) in a.balls().iter().enumerate() {
            for (q, ball_b) in placed_b.balls().iter().enumerate() {
                let change: f64 = moved_a.iter().zip(&moved_b).map(|(a, b)| a[p].min(b[q])).sum();
                let frames = swept_a.iter().zip(&swept_b).map(|(a, b)| a.balls()[p].gap(&b.balls()[q]));
                let swept = frames.fold(f64::NEG_INFINITY, f64::max);
                let change = change * (1.0 + 1e-13);
                pieces.push(PiecePair { center_gap: ball_a.gap(ball_b), change, floor: swept, balls: [p, q] });
            }
        }
        Spread { pieces, moved: [moved_a, moved_b] }
    }

    /// How much each variable contributes to the change of the distance of two pieces.
    pub fn contributions(&self, spread: &Spread, [p, q]: [usize; 2]) -> Vec<f64> {
        let mut contributions = vec![0.0; self.variables.len()];
        let [moved_a, moved_b] = &spread.moved;
        for ((step, a), b) in self.steps.iter().zip(moved_a).zip(moved_b) {
            contributions[step.variable] += a[p].min(b[q]);
        }
        contributions
    }
}

impl Step {
    /// How far the joint moves each ball of a hull at most, from the box's centre, and the hull in the next frame over all positions
    /// in the box. `climbing` is from what hangs on the joint to what carries it.
    fn carry(&self, hull: &Hull, climbing: bool, range: &Range<'_>) -> (Vec<f64>, Hull) {
        let [low, high] = ruled(range.bounds[self.variable], self.multiplier, self.offset);
        let middle = self.multiplier * range.center[self.variable] + self.offset;
        let rounding = 8.0 * UNIT_ROUNDOFF * (low.abs() + high.abs() + middle.abs());
        let by = self.movement.displacement((high - middle).max(middle - low) + rounding);
        let moved = |hull: &Hull| hull.balls().iter().map(|ball| by.of(ball)).collect();
        if climbing {
            let sweep = self.movement.over([low, high]);
            return (moved(hull), hull.map(|ball| sweep.of(ball).moved(&self.parent_from_joint)));
        }
        let (sweep, in_joint) = (self.movement.over([-high, -low]), hull.moved(&self.joint_from_parent));
        (moved(&in_joint), in_joint.map(|ball| sweep.of(ball)))
    }
}
