//! How far the parts of a robot get from where they are when its joints move by no more than given
//! amounts.
//!
//! A part hangs on a chain of joints. Joint by joint from the part to the root: what is below has
//! moved by D against the joint's frame, so that no point of the part's sphere is farther from the
//! axis than R = its distance now, its radius, and D; a turn by δ adds at most δR, a slide its
//! length (Steinbach et al., 2006, with the sum over a chain that a single joint's formula lacks).
//! The arc δ instead of the chord 2 sin(δ/2) makes sums of polynomials without a constant term:
//! over a part λ of the motion a sum is at most λ times as large, so that one look tells how much
//! of an interval is proven. What was summed up below a joint bounds the motion against that
//! joint's parent: so pairs of links are bounded by the joints between them.
//!
//! A second bound is mostly the lower one over short times: motions of joints are vectors, which
//! partly cancel. With V and Ω the velocity of the sphere's centre now and the rate at which the
//! part turns, points of the sphere get no farther than `|V| + |Ω|·radius` and half of what is left
//! to second order, `Σ δⱼRⱼ(δⱼ + 2·Σδᵢ)` over the joints i above each j (centripetal, and
//! Coriolis's); and joints whose rates are not constant add what those differ, times R.
//!
//! Cost: a distance from an axis for each joint above a part, when the part is asked about.

use super::{Part, Placement};
use crate::{Error, ErrorKind, JointKind, Result, Robot};
use clearance_engine::math::DVec3;

/// What the sums may lose: a dozen roundings for each of up to hundreds of joints.
const LOST: f64 = 1e-12;

/// How a joint moves what it carries, in its child's frame, whose origin and axis it keeps in
/// place.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Turn(DVec3),
    Slide(DVec3),
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
    /// How much it turns, and slides, over a whole motion.
    whole: [Move; 2],
    now: Now,
}

/// How much a joint turns or slides, and by how much that may be off: against the axis where
/// negative.
#[derive(Debug, Clone, Copy, Default)]
struct Move {
    mean: f64,
    off: f64,
}

impl Move {
    /// Between two rates, times a factor.
    fn between([low, high]: [f64; 2], factor: f64) -> Self {
        let mean = factor * (0.5 * low + 0.5 * high);
        // Without a mean all of it is off; what is rounded is in `LOST`.
        let mean = if mean.is_finite() { mean } else { 0.0 };
        Self { mean, off: (factor * low - mean).abs().max((factor * high - mean).abs()) }
    }

    fn most(&self) -> f64 {
        self.mean.abs() + self.off
    }
}

/// A joint in a placement, and what it does in the part of the motion that is asked about.
#[derive(Debug, Clone, Copy, Default)]
struct Now {
    origin: DVec3,
    /// In the world; zero where it may be any.
    axis: DVec3,
    /// How much it turns, and slides, along the axis.
    moves: [Move; 2],
}

/// The chains of all parts, and how far these move.
#[derive(Debug, Clone)]
pub(super) struct MotionBounds {
    joints: Vec<Moving>,
    /// By part: the joints above it, as places in `joints`, from the part to the root; and where
    /// its sums begin.
    chains: Vec<(Vec<usize>, usize)>,
    /// Which part a sum is about, and what it is once it was asked for.
    sums: Vec<(usize, Option<f64>)>,
}

impl MotionBounds {
    pub(super) fn new(robot: &Robot, parts: &[Part]) -> Self {
        let mut joints = Vec::new();
        let mut place_of = vec![usize::MAX; robot.joints().len()];
        for (joint, content) in robot.joints().iter().enumerate() {
            let kind = match *content.kind() {
                JointKind::Fixed => continue,
                JointKind::Revolute { axis, .. } | JointKind::Continuous { axis } => Kind::Turn(axis),
                JointKind::Prismatic { axis, .. } => Kind::Slide(axis),
                JointKind::Planar { normal } => Kind::Planar(normal),
                JointKind::Floating => Kind::Floating,
            };
            place_of[joint] = joints.len();
            joints.push(Moving { kind, joint, child: content.child(), whole: Default::default(), now: Now::default() });
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
        let of_part = |(part, (chain, _)): (usize, &(Vec<usize>, usize))| vec![(part, None); chain.len() + 1];
        let sums = chains.iter().enumerate().flat_map(of_part).collect();
        Self { joints, chains, sums }
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

    /// Takes over between what rates each variable moves in unit time, and by what angle the
    /// quaternion turns that begins at a variable: where none is known, it must rest.
    pub(super) fn set(
        &mut self,
        robot: &Robot,
        rates: impl Fn(usize) -> [f64; 2],
        turn: impl Fn(usize) -> Option<f64>,
    ) -> Result<()> {
        let speed = |variable: usize| Move::between(rates(variable), 1.0).most();
        // In any direction.
        let any = |off: f64| Move { mean: 0.0, off };
        for moving in &mut self.joints {
            let joint = &robot.joints()[moving.joint];
            let first = joint.variables().start;
            let single = || match robot.mimic_rule(moving.joint) {
                Some((variable, multiplier, _)) => Move::between(rates(variable), multiplier),
                None => Move::between(rates(first), 1.0),
            };
            moving.whole = match moving.kind {
                Kind::Turn(_) => [single(), Move::default()],
                Kind::Slide(_) => [Move::default(), single()],
                Kind::Planar(_) => [any(speed(first + 2)), any(speed(first).hypot(speed(first + 1)))],
                Kind::Floating => {
                    let rests = || (first + 3..first + 7).all(|variable| speed(variable) == 0.0);
                    let Some(turn) = turn(first + 3).or_else(|| rests().then_some(0.0)) else {
                        let reason = "a curve through quaternions is not a turn; keep them equal along it";
                        let joint = format!("joint '{}'", joint.name());
                        return Err(Error::new(ErrorKind::BadConfiguration, reason).of(joint));
                    };
                    [any(turn), any(DVec3::new(speed(first), speed(first + 1), speed(first + 2)).length())]
                }
            };
        }
        Ok(())
    }

    /// Bounds what all parts do when the joints are anywhere within `share` of the whole motion
    /// from where the placement has them.
    pub(super) fn update(&mut self, placement: &Placement, share: f64) {
        let poses = placement.link_poses();
        for joint in &mut self.joints {
            let frame = &poses[joint.child];
            let axis = match joint.kind {
                Kind::Turn(axis) | Kind::Slide(axis) | Kind::Planar(axis) => frame.transform_vector(axis),
                Kind::Floating => DVec3::ZERO,
            };
            let moves = joint.whole.map(|whole| Move { mean: whole.mean * share, off: whole.off * share });
            joint.now = Now { origin: frame.translation(), axis, moves };
        }
        self.sums.iter_mut().for_each(|(_, sum)| *sum = None);
    }

    /// At least how far the points get that [`slot`](Self::slot) or [`slots`](Self::slots) are
    /// about; in the placement of the last update.
    pub(super) fn moved(&mut self, slot: usize, placement: &Placement) -> f64 {
        let (part, sum) = self.sums[slot];
        sum.unwrap_or_else(|| {
            let moved = self.sum(part, slot - self.chains[part].1, placement);
            self.sums[slot].1 = Some(moved);
            moved
        })
    }

    /// The sum over the first joints of a part's chain.
    fn sum(&self, part: usize, joints: usize, placement: &Placement) -> f64 {
        let sphere = placement.assembly().part_sphere(part as u32);
        let (mut moved, mut bend) = (0.0, 0.0);
        // Of the centre; of the part's turn; and at most of what has no known direction.
        let (mut velocity, mut angular, mut rest) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for &place in &self.chains[part].0[..joints] {
            let Moving { kind, now: Now { origin, axis, moves: [turn, slide] }, .. } = &self.joints[place];
            let most = turn.most();
            if most > 0.0 {
                let arm = sphere.center - *origin;
                // About an axis that may be any, no point is farther from it than from the origin.
                let across = if matches!(kind, Kind::Floating) { arm } else { axis.cross(arm) };
                let reach = across.length() + sphere.radius + moved;
                velocity += across * turn.mean;
                angular += *axis * turn.mean;
                rest += turn.off * reach;
                bend += most * (most * reach + 2.0 * moved);
                moved += most * reach;
            }
            velocity += *axis * slide.mean;
            rest += slide.off;
            moved += slide.most();
        }
        let by_vectors = velocity.length() + angular.length() * sphere.radius + rest + 0.5 * bend;
        // What is not a number is not less.
        (if by_vectors < moved { by_vectors } else { moved }) + LOST * moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CheckOptions, CollisionModel, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    use clearance_engine::Pose;
    use std::sync::Arc;

    /// A base that drives, and on it an arm with a slide in it and one whose last joint follows the
    /// first one's.
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
        let checker = CollisionModel::new(robot(), &CheckOptions::default()).unwrap();
        let (robot, parts) = (checker.robot().clone(), checker.parts());
        let mut swings = MotionBounds::new(&robot, parts);
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
            // Constant rates; those that differ from them by a third; any up to them.
            let off = [0.0, 1.0 / 3.0, 1.0][case % 5 % 3];
            let rates = |i: usize| {
                let (mean, most) = (if off < 1.0 { to[i] - from[i] } else { 0.0 }, 2.0 * change[i].abs());
                [mean - off * most, mean + off * most]
            };
            swings.set(&robot, rates, |_| None).unwrap();
            checker.place(&mut placement, &Pose::IDENTITY, &middle).unwrap();
            swings.update(&placement, 0.5);
            let bounds: Vec<f64> = (0..swings.sums.len()).map(|slot| swings.moved(slot, &placement)).collect();
            let before: Vec<Pose> = (0..parts.len()).map(|part| *placement.assembly().pose(part as u32)).collect();
            for _ in 0..30 {
                // Where rates are constant all joints are as far on their ways, else each one is
                // somewhere about there, or anywhere.
                let all = draw();
                let mut far = || if off < 1.0 { all * (1.0 + off * draw()) } else { draw() };
                let moved: Vec<f64> = middle.iter().zip(&change).map(|(m, c)| m + c * far()).collect();
                checker.place(&mut placement, &Pose::IDENTITY, &moved).unwrap();
                for (b, part) in parts.iter().enumerate() {
                    let (sphere, after) = (part.geometry.sphere(), placement.assembly().pose(b as u32));
                    let point = sphere.center + DVec3::new(draw(), draw(), draw()) * sphere.radius / 3.0_f64.sqrt();
                    let way = after.transform_point(point).distance(before[b].transform_point(point));
                    let bound = bounds[swings.slot(b)];
                    assert!(way <= bound + 1e-12, "case {case}: part {b} moved {way}, not {bound}");
                    tightest = tightest.max(if bound > 0.0 { way / bound } else { 0.0 });
                    for a in 0..b {
                        let seen = |pose_a: &Pose, pose_b: &Pose| {
                            pose_a.inverse().transform_point(pose_b.transform_point(point))
                        };
                        let way =
                            seen(placement.assembly().pose(a as u32), after).distance(seen(&before[a], &before[b]));
                        let [slot_a, slot_b] = swings.slots(a, b);
                        // Seen from a part that turns itself, points also move by its turn: only
                        // chains without that are a bound as they are.
                        let bound = bounds[slot_b];
                        if bounds[slot_a] == 0.0 {
                            assert!(way <= bound + 1e-12, "case {case}: {b} moved {way} against {a}, not {bound}");
                        }
                    }
                }
            }
        }
        assert!(tightest > 0.9, "the bound is of no use: {tightest}");
    }

    #[test]
    fn joints_that_undo_each_other_are_not_added_up() {
        // Two joints side by side turn against each other: what they carry turns about their
        // middle, and not at all in the end.
        let limb = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
        let at = |x: f64| Pose::from_translation(DVec3::X * x).unwrap();
        let builder = RobotBuilder::new("r").link("a", []).link("b", []).link("c", [limb]);
        let builder = builder
            .joint(JointSpec::revolute("one", "a", "b", DVec3::Z, [-3.0, 3.0]))
            .joint(JointSpec::revolute("two", "b", "c", DVec3::Z, [-3.0, 3.0]).at(at(1.0)));
        let checker = CollisionModel::new(Arc::new(builder.build().unwrap()), &CheckOptions::default()).unwrap();
        let (placement, robot) = (checker.placement().unwrap(), checker.robot());
        let mut swings = MotionBounds::new(robot, checker.parts());
        let mut moved = |off: f64, rates: [f64; 2]| {
            swings.set(robot, |i| [rates[i] - off, rates[i] + off], |_| None).unwrap();
            swings.update(&placement, 0.01);
            swings.moved(swings.slot(0), &placement) / 0.01
        };
        // The centre is a metre from the first axis and on the second one.
        assert!((moved(0.0, [1.0, -1.0]) - 1.0).abs() < 0.02);
        assert!((moved(0.0, [1.0, 1.0]) - 1.2).abs() < 0.02);
        // What rates may be off by counts for each.
        assert!((moved(0.1, [1.0, -1.0]) - 1.12).abs() < 0.02);
        assert!((moved(1.0, [0.0, 0.0]) - 1.2).abs() < 0.02);
    }
}
