//! Motions of one continuous joint over more than a turn: after one turn everything repeats.
//!
//! The configurations at an angle and at that angle and any number of turns are one, as real
//! numbers, so that what is proven of a whole turn, and a little more for what its end is rounded
//! by, is proven of all. A first contact is in the first turn, or there is none.

use super::{MotionContact, MotionVerdict};
use crate::{JointKind, Robot};
use std::f64::consts::TAU;

/// How much more than a turn is looked at, relative to it.
const MORE: f64 = 1e-6;

/// The first turn of a longer motion.
pub(super) struct WholeTurn {
    /// The configuration that it ends at.
    pub(super) end: Vec<f64>,
    /// The part of the motion that it is.
    pub(super) part: f64,
}

impl WholeTurn {
    /// The first turn of a motion, if that is all there is to it: one continuous joint turns
    /// farther, nothing else moves, and nothing follows it.
    pub(super) fn of(robot: &Robot, [from, to]: [&[f64]; 2]) -> Option<Self> {
        let mut moving = (0..from.len()).filter(|&variable| from[variable] != to[variable]);
        let (variable, None) = (moving.next()?, moving.next()) else { return None };
        let turned = to[variable] - from[variable];
        let turn = (TAU * (1.0 + MORE)).copysign(turned);
        let joint = robot.variables()[variable].joint;
        let continuous = matches!(robot.joints()[joint].kind(), JointKind::Continuous { .. });
        let follows = |joint: usize| robot.mimic_rule(joint).is_some_and(|(leader, ..)| leader == variable);
        // Where a turn is lost in the rounding of the start, steps of a motion are coarser than
        // that too.
        let fine = from[variable].abs() < 1e-3 * MORE / f64::EPSILON;
        if !(continuous && fine && turned.is_finite() && turned.abs() > 1.5 * TAU)
            || (0..robot.joints().len()).any(follows)
        {
            return None;
        }
        let mut end = from.to_vec();
        end[variable] += turn;
        Some(Self { part: (end[variable] - from[variable]) / turned, end })
    }

    /// What a verdict about the first turn says of all of the motion.
    pub(super) fn extend(&self, verdict: MotionVerdict) -> MotionVerdict {
        // The part and the product are rounded.
        let early = |t: f64| t * self.part * (1.0 - 4.0 * f64::EPSILON);
        let late = |t: f64| t * self.part * (1.0 + 4.0 * f64::EPSILON);
        match verdict {
            MotionVerdict::Free { .. } => verdict,
            MotionVerdict::Contact(contact) => {
                let (t_lower, t_upper) = (early(contact.t_lower), late(contact.t_upper));
                MotionVerdict::Contact(MotionContact { t_lower, t_upper, ..contact })
            }
            // The same share of each turn.
            MotionVerdict::Undecided { t_lower, proven } => {
                MotionVerdict::Undecided { t_lower: early(t_lower), proven: (proven - 2.0 * MORE - self.part).max(0.0) }
            }
        }
    }
}
