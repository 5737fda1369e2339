//! One ball moved by one joint over a range of positions: the smallest ball around all of that, rounded up.
//!
//! A turn takes the centre along an arc about the axis; its smallest enclosing circle is the full circle for half a turn or more, else the
//! one over the chord. A slide takes it along a segment.
//!
//! Rounding: a dozen operations on coordinates of the ball's size, covered by what [`BoundingBall::moved`] adds (32 units of
//! rounding of all coordinates); the angles' own rounding moves points by at most 4 units × angle × radius, added here.

use crate::{JointKind, Robot};
use clearance::Pose;
use clearance::math::{DQuat, DVec3, UNIT_ROUNDOFF};
use clearance::volume::BoundingBall;
use std::f64::consts::{FRAC_PI_2, PI};

/// Not below π in exact arithmetic.
pub(super) const HALF_TURN: f64 = PI.next_up();

/// A ball that contains everything.
pub(super) const EVERYWHERE: BoundingBall = BoundingBall { center: DVec3::ZERO, radius: f64::INFINITY };

/// How a joint moves what it carries, in the joint's frame, where its axis goes through the origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Movement {
    /// About an axis, in radians.
    Turn(DVec3),
    /// Along an axis, in metres.
    Slide(DVec3),
    /// Planar and floating joints: anywhere.
    Free,
}

impl Movement {
    pub fn of(kind: &JointKind) -> Self {
        match *kind {
            JointKind::Revolute { axis, .. } | JointKind::Continuous { axis } => Self::Turn(axis),
            JointKind::Prismatic { axis, .. } => Self::Slide(axis),
            JointKind::Fixed | JointKind::Planar { .. } | JointKind::Floating => Self::Free,
        }
    }

    /// The ball around all that `ball` covers while the joint takes all positions of `[low, high]`.
    pub fn swept(&self, ball: &BoundingBall, [low, high]: [f64; 2]) -> BoundingBall {
        if !(ball.radius < f64::INFINITY && low.is_finite() && high.is_finite()) {
            return match self {
                Self::Turn(axis) if ball.radius < f64::INFINITY => circle(ball, *axis),
                _ => EVERYWHERE,
            };
        }
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        match *self {
            Self::Turn(axis) if half < FRAC_PI_2 => {
                let (along, across) = split(ball.center, axis);
                let center = along + DQuat::from_axis_angle(axis, middle) * across * half.cos();
                let angle_error = 4.0 * UNIT_ROUNDOFF * (low.abs() + high.abs());
                enlarged(center, ball.radius + across.length() * (half.sin() + angle_error))
            }
            Self::Turn(axis) => circle(ball, axis),
            Self::Slide(axis) => {
                let rounding = 4.0 * UNIT_ROUNDOFF * (low.abs() + high.abs());
                enlarged(ball.center + axis * middle, ball.radius + half + rounding)
            }
            Self::Free => EVERYWHERE,
        }
    }

    /// At least as far as any point of `ball` moves when the joint moves by `by` or less.
    pub fn displacement(&self, ball: &BoundingBall, by: f64) -> f64 {
        match *self {
            Self::Turn(axis) => {
                let lever = split(ball.center, axis).1.length() + ball.radius;
                2.0 * lever * (0.5 * by.min(PI)).sin()
            }
            Self::Slide(_) => by,
            Self::Free => f64::INFINITY,
        }
    }
}

/// The ball around the full circle of `ball` about `axis`.
fn circle(ball: &BoundingBall, axis: DVec3) -> BoundingBall {
    let (along, across) = split(ball.center, axis);
    enlarged(along, ball.radius + across.length())
}

/// The parts of a vector along an axis of length 1 and across it.
fn split(vector: DVec3, axis: DVec3) -> (DVec3, DVec3) {
    let along = axis * vector.dot(axis);
    (along, vector - along)
}

/// With room for the rounding of what was computed.
fn enlarged(center: DVec3, radius: f64) -> BoundingBall {
    // What cancels in `center` was not larger than the radius and the centre together.
    let ball = BoundingBall { center, radius }.moved(&Pose::IDENTITY);
    BoundingBall { center, radius: ball.radius }
}

/// The positions that a joint with one variable takes within the limits; infinite where its variable has none.
pub(super) fn joint_range(robot: &Robot, joint: usize) -> [f64; 2] {
    let limits = |variable: usize| match robot.variables()[variable].limits {
        Some(limits) => [limits.lower, limits.upper],
        None => [f64::NEG_INFINITY, f64::INFINITY],
    };
    match robot.mimic_rule(joint) {
        Some((variable, multiplier, offset)) => ruled(limits(variable), multiplier, offset),
        None => robot.joints()[joint].variables().next().map_or([0.0; 2], limits),
    }
}

/// The values of `multiplier · x + offset` for x in a range.
pub(super) fn ruled([low, high]: [f64; 2], multiplier: f64, offset: f64) -> [f64; 2] {
    // A joint that follows by a factor of 0 stands still, even after one without limits.
    let scaled = |x: f64| if multiplier == 0.0 { offset } else { multiplier * x + offset };
    let (first, second) = (scaled(low), scaled(high));
    [first.min(second), first.max(second)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_turn_needs_the_circle_over_the_chord_and_half_a_turn_the_full_one() {
        let ball = BoundingBall { center: DVec3::new(2.0, 0.0, 5.0), radius: 0.1 };
        let turn = Movement::Turn(DVec3::Z);
        let quarter = turn.swept(&ball, [0.0, FRAC_PI_2]);
        assert!((quarter.radius - 2.0_f64.sqrt() - 0.1).abs() < 1e-12 && quarter.radius > 2.0_f64.sqrt() + 0.1);
        assert!(quarter.center.distance(DVec3::new(1.0, 1.0, 5.0)) < 1e-12);
        for range in [[0.0, 3.2], [-PI, PI], [f64::NEG_INFINITY, f64::INFINITY]] {
            let full = turn.swept(&ball, range);
            assert!(full.center.distance(DVec3::Z * 5.0) < 1e-12 && (full.radius - 2.1).abs() < 1e-12);
        }
    }

    #[test]
    fn what_slides_without_end_is_everywhere() {
        let ball = BoundingBall { center: DVec3::X, radius: 0.5 };
        let slide = Movement::Slide(DVec3::Y);
        assert_eq!(slide.swept(&ball, [0.0, f64::INFINITY]).radius, f64::INFINITY);
        let short = slide.swept(&ball, [1.0, 3.0]);
        assert!(short.center.distance(DVec3::new(1.0, 2.0, 0.0)) < 1e-12 && (short.radius - 1.5).abs() < 1e-12);
        assert_eq!(Movement::Free.swept(&ball, [0.0, 0.0]).radius, f64::INFINITY);
    }

    #[test]
    fn a_rule_with_a_negative_factor_turns_the_range_around() {
        assert_eq!(ruled([-1.0, 2.0], -2.0, 0.5), [-3.5, 2.5]);
        assert_eq!(ruled([f64::NEG_INFINITY, f64::INFINITY], 0.0, 0.5), [0.5, 0.5]);
    }
}
