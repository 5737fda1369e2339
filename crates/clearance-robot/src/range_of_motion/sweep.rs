//! One sphere moved by one joint over a range of positions: the smallest sphere around all of that,
//! rounded up.
//!
//! A turn takes the centre along an arc about the axis; its smallest enclosing circle is the full
//! circle for half a turn or more, else the one over the chord. A slide takes it along a segment.
//!
//! Rounding: a dozen operations on coordinates of the sphere's size, covered by what
//! [`BoundingSphere::moved`] adds (32 units of rounding of all coordinates); the angles' own
//! rounding moves points by at most 4 units × angle × radius, added here.

use crate::{JointKind, Robot};
use clearance_engine::Pose;
use clearance_engine::math::{DMat3, DVec3, UNIT_ROUNDOFF};
use clearance_engine::volume::BoundingSphere;
use std::f64::consts::{FRAC_PI_2, PI};

/// Not below π in exact arithmetic.
pub(super) const HALF_TURN: f64 = PI.next_up();

/// A sphere that contains everything.
pub(super) const EVERYWHERE: BoundingSphere = BoundingSphere { center: DVec3::ZERO, radius: f64::INFINITY };

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

    /// What the joint does while it takes all positions of `[low, high]`.
    pub fn over(&self, [low, high]: [f64; 2]) -> Sweep {
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let angle_error = 4.0 * UNIT_ROUNDOFF * (low.abs() + high.abs());
        match *self {
            // False also where there are no limits.
            Self::Turn(axis) if half < FRAC_PI_2 => {
                let (sin, cos) = half.sin_cos();
                Sweep::Arc { axis, turn: DMat3::from_axis_angle(axis, middle) * cos, radius: sin + angle_error }
            }
            Self::Turn(axis) => Sweep::Circle { axis },
            Self::Slide(axis) if half.is_finite() => Sweep::Slide { shift: axis * middle, half: half + angle_error },
            Self::Slide(_) | Self::Free => Sweep::Everywhere,
        }
    }

    /// At least as far as any point of a sphere moves when the joint moves by `by` or less:
    /// `offset + factor · distance from the axis`.
    pub fn displacement(&self, by: f64) -> Displacement {
        match *self {
            Self::Turn(axis) => Displacement { axis, factor: 2.0 * (0.5 * by.min(PI)).sin(), offset: 0.0 },
            Self::Slide(axis) => Displacement { axis, factor: 0.0, offset: by },
            Self::Free => Displacement { axis: DVec3::Z, factor: 0.0, offset: f64::INFINITY },
        }
    }
}

/// How far points move at most, depending on their distance from an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Displacement {
    axis: DVec3,
    factor: f64,
    offset: f64,
}

impl Displacement {
    /// Of any point of a sphere in the joint's frame.
    #[inline]
    pub fn of(&self, sphere: &BoundingSphere) -> f64 {
        self.offset + self.factor * (split(sphere.center, self.axis).1.length() + sphere.radius)
    }
}

/// A joint's motion over a range of positions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Sweep {
    /// `turn` takes what is across the axis to the centre of the circle over the chord, whose
    /// radius is `radius` times as long.
    Arc { axis: DVec3, turn: DMat3, radius: f64 },
    /// Half a turn or more.
    Circle { axis: DVec3 },
    /// Along a segment.
    Slide { shift: DVec3, half: f64 },
    /// Without end.
    Everywhere,
}

impl Sweep {
    /// The sphere around all that `sphere` covers on the way.
    #[inline]
    pub fn of(&self, sphere: &BoundingSphere) -> BoundingSphere {
        if sphere.radius == f64::INFINITY {
            return EVERYWHERE;
        }
        match *self {
            Self::Arc { axis, turn, radius } => {
                let (along, across) = split(sphere.center, axis);
                enlarged(along + turn * across, sphere.radius + across.length() * radius)
            }
            Self::Circle { axis } => {
                let (along, across) = split(sphere.center, axis);
                enlarged(along, sphere.radius + across.length())
            }
            Self::Slide { shift, half } => enlarged(sphere.center + shift, sphere.radius + half),
            Self::Everywhere => EVERYWHERE,
        }
    }
}

/// The parts of a vector along an axis of length 1 and across it.
#[inline]
fn split(vector: DVec3, axis: DVec3) -> (DVec3, DVec3) {
    let along = axis * vector.dot(axis);
    (along, vector - along)
}

/// With room for the rounding of what was computed.
#[inline]
fn enlarged(center: DVec3, radius: f64) -> BoundingSphere {
    // What cancels in `center` was not larger than the radius and the centre together.
    let sphere = BoundingSphere { center, radius }.moved(&Pose::IDENTITY);
    BoundingSphere { center, radius: sphere.radius }
}

/// The positions that a joint with one variable takes within the limits; infinite where its
/// variable has none.
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
        let sphere = BoundingSphere { center: DVec3::new(2.0, 0.0, 5.0), radius: 0.1 };
        let turn = Movement::Turn(DVec3::Z);
        let quarter = turn.over([0.0, FRAC_PI_2]).of(&sphere);
        assert!((quarter.radius - 2.0_f64.sqrt() - 0.1).abs() < 1e-12 && quarter.radius > 2.0_f64.sqrt() + 0.1);
        assert!(quarter.center.distance(DVec3::new(1.0, 1.0, 5.0)) < 1e-12);
        for range in [[0.0, 3.2], [-PI, PI], [f64::NEG_INFINITY, f64::INFINITY]] {
            let full = turn.over(range).of(&sphere);
            assert!(full.center.distance(DVec3::Z * 5.0) < 1e-12 && (full.radius - 2.1).abs() < 1e-12);
        }
    }

    #[test]
    fn what_slides_without_end_is_everywhere() {
        let sphere = BoundingSphere { center: DVec3::X, radius: 0.5 };
        let slide = Movement::Slide(DVec3::Y);
        assert_eq!(slide.over([0.0, f64::INFINITY]).of(&sphere).radius, f64::INFINITY);
        let short = slide.over([1.0, 3.0]).of(&sphere);
        assert!(short.center.distance(DVec3::new(1.0, 2.0, 0.0)) < 1e-12 && (short.radius - 1.5).abs() < 1e-12);
        assert_eq!(Movement::Free.over([0.0, 0.0]).of(&sphere).radius, f64::INFINITY);
    }

    #[test]
    fn a_rule_with_a_negative_factor_turns_the_range_around() {
        assert_eq!(ruled([-1.0, 2.0], -2.0, 0.5), [-3.5, 2.5]);
        assert_eq!(ruled([f64::NEG_INFINITY, f64::INFINITY], 0.0, 0.5), [0.5, 0.5]);
    }
}
