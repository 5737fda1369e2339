//! How near a robot comes to anything along a motion: branch and bound over time.
//!
//! In the middle of an interval the distance of each pair bounds the clearance from above, and less
//! what the pair can come nearer within the interval it bounds the pair from below. A pair whose
//! lower bound reaches the target (the least distance met, less the error that is allowed) is done
//! with; the others are listed for the halves. The target only falls, so that what was done with
//! stays so.

use super::interval::{Found, Interval, Open};
use super::joint_path::Asked;
use super::{Find, MotionChecker, Obstacle, Watched};
use crate::{Error, ErrorKind, Result};
use clearance_engine::assembly::PartId;
use clearance_engine::query::DistanceRequest;

/// How near a robot comes to anything along a motion, less paddings and margins; times go from 0 to
/// 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MotionClearance {
    /// No pair comes nearer than this at any time, certainly; 0 where something touches or nothing
    /// is proven.
    pub lower: f64,
    /// At this distance a pair is at the time `t`.
    pub upper: f64,
    /// When.
    pub t: f64,
    /// The part of the robot.
    pub part: PartId,
    /// What it is near to.
    pub other: Obstacle,
}

impl MotionChecker<'_> {
    /// The clearance of a motion; none where there is no pair to watch.
    pub(super) fn least_distance(&mut self, asked: &Asked<'_>, rel_err: f64) -> Result<Option<MotionClearance>> {
        asked.request.check()?;
        if !(rel_err.is_finite() && (0.0..1.0).contains(&rel_err)) {
            let reason = format!("the relative error of a clearance must be at least 0 and below 1, not {rel_err}");
            return Err(Error::new(ErrorKind::OutOfRange, reason));
        }
        let first = if asked.request.own { 0 } else { self.own };
        let before = self.evaluations[0] + self.evaluations[1];
        self.intervals.clear();
        self.open.clear();
        self.open.extend((first..self.watched.len()).map(Open::new));
        self.intervals.push_back(Interval { middle: 0.5, half: 0.5, list: [0, self.open.len()] });
        let (mut nearest, mut lower) = (None::<Found>, f64::INFINITY);
        // The longest interval first: the least distance is met early.
        while let Some(interval) = self.next(Find::Any) {
            if interval.list[0] == interval.list[1] {
                continue;
            }
            if self.evaluations[0] + self.evaluations[1] - before >= asked.request.max_evaluations {
                lower = 0.0;
                break;
            }
            let now = self.place(asked, &interval)?;
            let begin = self.open.len();
            for place in interval.list[0]..interval.list[1] {
                let open = self.open[place];
                let pair = open.pair as usize;
                let target = |nearest: &Option<Found>| match nearest {
                    Some(found) => found.gap - (rel_err * found.gap).max(now.tolerance),
                    None => f64::INFINITY,
                };
                let Watched { part, other, offset, .. } = self.watched[pair];
                let moved = self.moved(pair, &now)?;
                let (assembly, (other_assembly, number)) = (self.placement.assembly(), self.other_side(other));
                let mut bound = assembly.part_gap(part.number(), other_assembly, number) - offset - moved;
                if now.proofs_hold {
                    bound = bound.max(self.watched[pair].proven - offset);
                }
                let wanted = target(&nearest);
                if bound < wanted || nearest.is_none() {
                    let request = DistanceRequest {
                        max_d: 1.01 * (wanted + moved).max(0.0) + now.tolerance,
                        rel_err: 0.25 * rel_err,
                        abs_err: 0.25 * now.tolerance,
                        ..DistanceRequest::default()
                    };
                    let found = self.pair_distance(pair, &request)?;
                    if nearest.is_none_or(|nearest| found.upper < nearest.gap) && found.upper.is_finite() {
                        nearest = Some(Found { t: interval.middle, pair, gap: found.upper });
                    }
                    bound = bound.max(found.lower - moved);
                }
                if nearest.is_some_and(|nearest| nearest.gap == 0.0) {
                    return Ok(nearest.map(|nearest| self.clearance(nearest, 0.0)));
                }
                if bound >= target(&nearest) {
                    lower = lower.min(bound);
                } else {
                    self.open.push(Open::new(pair));
                }
            }
            self.halve(&interval, begin, Find::Any);
        }
        Ok(nearest.map(|nearest| self.clearance(nearest, lower.clamp(0.0, nearest.gap))))
    }

    fn clearance(&self, nearest: Found, lower: f64) -> MotionClearance {
        let Watched { part, other, .. } = self.watched[nearest.pair];
        MotionClearance { lower, upper: nearest.gap, t: nearest.t, part, other }
    }
}
