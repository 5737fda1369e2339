//! How far the parts of a robot get from where they are when its joints move by no more than given amounts.
//!
//! A part hangs on a chain of joints. Joint by joint from the part to the root: what is below has moved by D against the joint's frame, so
//! that no point of the part's ball is farther from the axis than its distance now, its radius, and D; a turn by δ adds at most δ times
//! that, a slide its length (Steinbach et al., 2006, with the sum over a chain that a single joint's formula lacks).
//! The arc δ instead of the chord 2 sin(δ/2) makes sums of polynomials without a constant term: over a part λ of the motion a sum is at most λ times
//! as large, so that one look tells how much of an interval is proven.
//! What was summed up below a joint bounds the motion against that joint's parent: so pairs of links are bounded by the joints between them.
//!
//! Cost: a distance from an axis for each part and joint above it.

use super::{Part, Placement};
use crate::{Error, ErrorKind, JointKind, Result, Robot};
use clearance::math::DVec3;

/// What the sums may lose: a dozen roundings for each of up to hundreds of joints.
const SLACK: f64 = 1.0 + 1e-12;

/// How a joint moves what it carries, in its child's frame, whose origin and axis it keeps in place.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Turn(DVec3),
    Slide,
    /// About a normal, and in the plane across it.
    Planar(DVec3),
    Floating,
}

/// A moving joint.
#[derive(Debug, Clone)]
struct Moving {
    kind: Kind,
    joint: usize,
    /// The link that it carries.
    child: usize,
}

/// The chains of all parts, and how far these move.
#[derive(Debug, Clone)]
pub(super) struct Swings {
    joints: Vec<Moving>,
    /// By part: the joints above it, as places in `joints`, from the part to the root; and where its sums begin.
    chains: Vec<(Vec<usize>, usize)>,
    /// How much each joint turns, and slides, over a whole motion.
    whole: Vec<[f64; 2]>,
    /// The same for the part of the motion that is asked about.
    part: Vec<[f64; 2]>,
    sums: Vec<f64>,
}

impl Swings {
    pub(super) fn new(robot: &Robot, parts: &[Part]) -> Self {
        let mut joints = Vec::new();
        let mut place_of = vec![usize::MAX; robot.joints().len()];
        for (joint, content) in robot.joints().iter().enumerate() {
            let kind = match *content.kind() {
                JointKind::Fixed => continue,
                JointKind::Revolute { axis, .. } | JointKind::Continuous { axis } => Kind::Turn(axis),
                JointKind::Prismatic { .. } => Kind::Slide,
                JointKind::Planar { normal } => Kind::Planar(normal),
                JointKind::Floating => Kind::Floating,
            };
            place_of[joint] = joints.len();
            joints.push(Moving { kind, joint, child: content.child() });
        }
        let mut begin = 0;
        let mut chain = |part: &Part| {
            let (mut above, mut link) = (Vec::new(), part.link);
            while let Some(joint) = robot.joint_above(link) {
                above.extend((place_of[joint] != usize::MAX).then_some(place_of[joint]));
                link = robot.joints()[joint].parent();
            }
            let first = begin;
            begin += above.len() + 1;
            (above, first)
        };
        let chains: Vec<(Vec<usize>, usize)> = parts.iter().map(&mut chain).collect();
        let (whole, part) = (vec![[0.0; 2]; joints.len()], vec![[0.0; 2]; joints.len()]);
        Self { joints, chains, whole, part, sums: vec![0.0; begin] }
    }

    /// Where the sum for the motion of a part against the world is.
    pub(super) fn slot(&self, part: usize) -> usize {
        let (chain, begin) = &self.chains[part];
        begin + chain.len()
    }

    /// Where the sums for the motion of two parts against their lowest common ancestor are.
    pub(super) fn slots(&self, a: usize, b: usize) -> [usize; 2] {
        let (chain_a, chain_b) = (&self.chains[a].0, &self.chains[b].0);
        let shared = chain_a.iter().rev().zip(chain_b.iter().rev()).take_while(|(a, b)| a == b).count();
        [self.slot(a) - shared, self.slot(b) - shared]
    }

    /// Takes over how fast each variable is at most, in unit time, and by what angle the quaternion turns that begins at a variable: where none is
    /// known, it must rest.
    pub(super) fn set(
        &mut self,
        robot: &Robot,
        speed: impl Fn(usize) -> f64,
        turn: impl Fn(usize) -> Option<f64>,
    ) -> Result<()> {
        for (moving, whole) in self.joints.iter().zip(&mut self.whole) {
            let joint = &robot.joints()[moving.joint];
            let first = joint.variables().start;
            let single = || match robot.mimic_rule(moving.joint) {
                Some((variable, multiplier, _)) => speed(variable) * multiplier.abs(),
                None => speed(first),
            };
            *whole = match moving.kind {
                Kind::Turn(_) => [single(), 0.0],
                Kind::Slide => [0.0, single()],
                Kind::Planar(_) => [speed(first + 2), speed(first).hypot(speed(first + 1))],
                Kind::Floating => {
                    let rests = || (first + 3..first + 7).all(|variable| speed(variable) == 0.0);
                    let Some(turn) = turn(first + 3).or_else(|| rests().then_some(0.0)) else {
                        let reason = "a curve through quaternions is not a turn; keep them equal along it";
                        let joint = format!("joint '{}'", joint.name());
                        return Err(Error::new(ErrorKind::BadConfiguration, reason).of(joint));
                    };
                    [turn, DVec3::new(speed(first), speed(first + 1), speed(first + 2)).length()]
                }
            };
        }
        Ok(())
    }

    /// Bounds what all parts do when the joints are anywhere within `share` of the whole motion from where the placement has them.
    pub(super) fn update(&mut self, placement: &Placement, share: f64) {
        for (whole, part) in self.whole.iter().zip(&mut self.part) {
            *part = [whole[0] * share, whole[1] * share];
        }
        let poses = placement.link_poses();
        for (number, (chain, begin)) in self.chains.iter().enumerate() {
            let ball = placement.assembly().part_ball(number as u32);
            let mut moved = 0.0;
            for (step, &place) in chain.iter().enumerate() {
                let (joint, [turn, slide]) = (&self.joints[place], self.part[place]);
                if turn > 0.0 {
                    let frame = &poses[joint.child];
                    let arm = ball.center - frame.translation();
                    let arm = match joint.kind {
                        Kind::Turn(axis) | Kind::Planar(axis) => frame.transform_vector(axis).cross(arm).length(),
                        // About an axis that may be any.
                        Kind::Slide | Kind::Floating => arm.length(),
                    };
                    moved += turn * (arm + ball.radius + moved);
                }
                moved += slide;
                self.sums[begin + step + 1] = moved * SLACK;
            }
        }
    }

    /// At least how far the points get that [`slot`](Self::slot) or [`slots`](Self::slots) are about.
    pub(super) fn moved(&self, slot: usize) -> f64 {
        self.sums[slot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CheckOptions, Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    use clearance::Pose;
    use std::sync::Arc;

    /// A base that drives, and on it an arm with a slide in it and one whose last joint follows the first one's.
    fn robot() -> Arc<Robot> {
        let at = |x: f64, z: f64| Pose::from_translation(DVec3::new(x, 0.1, z)).unwrap();
        let limb = |x: f64| LinkGeometry::new(at(x, 0.0), LinkShape::Box { size: DVec3::new(0.8, 0.1, 0.2) });
        let names = ["ground", "base", "l1", "l2", "l3", "r1", "r2"];
        let builder = names.iter().fold(RobotBuilder::new("r"), |builder, name| builder.link(*name, [limb(0.4)]));
        let slanted = DVec3::new(1.0, 2.0, 2.0) / 3.0;
        Arc::new(
            builder
                .joint(JointSpec::planar("drive", "ground", "base", slanted))
                .joint(JointSpec::revolute("l1", "base", "l1", DVec3::Z, [-3.0, 3.0]).at(at(0.2, 0.3)))
                .joint(JointSpec::prismatic("l2", "l1", "l2", slanted, [-3.0, 3.0]).at(at(0.8, 0.0)))
                .joint(JointSpec::revolute("l3", "l2", "l3", DVec3::Y, [-3.0, 3.0]).at(at(0.8, 0.1)))
                .joint(JointSpec::revolute("r1", "base", "r1", slanted, [-3.0, 3.0]).at(at(-0.2, 0.3)))
                .joint(JointSpec::continuous("r2", "r1", "r2", DVec3::X).at(at(0.8, 0.0)).mimic("l1", -2.0, 0.3))
                .build()
                .unwrap(),
        )
    }

    #[test]
    fn no_point_of_a_part_moves_farther_than_its_swing_against_the_world_or_another_part() {
        let checker = Checker::new(robot(), &CheckOptions::default()).unwrap();
        let (robot, parts) = (checker.robot().clone(), checker.parts());
        let mut swings = Swings::new(&robot, parts);
        // A sequence that fills [-1, 1] evenly.
        let mut turn = 0.0_f64;
        let mut draw = || {
            turn += 0.618_033_988_749_894_9;
            2.0 * turn.fract() - 1.0
        };
        let count = robot.variables().len();
        let (mut placement, mut tightest) = (checker.placement().unwrap(), 0.0_f64);
        for case in 0..300_usize {
            let size = 10.0_f64.powi(-((case % 4) as i32));
            let middle: Vec<f64> = (0..count).map(|_| 2.0 * draw()).collect();
            let change: Vec<f64> =
                (0..count).map(|i| if case % 3 == 0 && i != case / 3 % count { 0.0 } else { size * draw() }).collect();
            let end = |sign: f64| -> Vec<f64> { middle.iter().zip(&change).map(|(m, c)| m + sign * c).collect() };
            let (from, to) = (end(-1.0), end(1.0));
            swings.set(&robot, |i| (to[i] - from[i]).abs(), |_| None).unwrap();
            checker.place(&mut placement, &Pose::IDENTITY, &middle).unwrap();
            swings.update(&placement, 0.5);
            let before: Vec<Pose> = (0..parts.len()).map(|part| *placement.assembly().pose(part as u32)).collect();
            for _ in 0..30 {
                // Each joint anywhere, which is more than a straight motion does.
                let moved: Vec<f64> = middle.iter().zip(&change).map(|(m, c)| m + c * draw()).collect();
                checker.place(&mut placement, &Pose::IDENTITY, &moved).unwrap();
                for (b, part) in parts.iter().enumerate() {
                    let (ball, after) = (part.geometry.ball(), placement.assembly().pose(b as u32));
                    let point = ball.center + DVec3::new(draw(), draw(), draw()) * ball.radius / 3.0_f64.sqrt();
                    let way = after.transform_point(point).distance(before[b].transform_point(point));
                    let bound = swings.moved(swings.slot(b));
                    assert!(way <= bound + 1e-12, "case {case}: part {b} moved {way}, not {bound}");
                    tightest = tightest.max(if bound > 0.0 { way / bound } else { 0.0 });
                    for a in 0..b {
                        let seen = |pose_a: &Pose, pose_b: &Pose| {
                            pose_a.inverse().transform_point(pose_b.transform_point(point))
                        };
                        let way =
                            seen(placement.assembly().pose(a as u32), after).distance(seen(&before[a], &before[b]));
                        let [slot_a, slot_b] = swings.slots(a, b);
                        // Seen from a part that turns itself, points also move by its turn: only chains without that are a bound as they are.
                        let bound = swings.moved(slot_b);
                        if swings.moved(slot_a) == 0.0 {
                            assert!(way <= bound + 1e-12, "case {case}: {b} moved {way} against {a}, not {bound}");
                        }
                    }
                }
            }
        }
        assert!(tightest > 0.9, "the bound is of no use: {tightest}");
    }
}
