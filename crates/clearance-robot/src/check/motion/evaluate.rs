//! One look at a pair over an interval.

use super::interval::{Now, Seen};
use super::{MotionChecker, Obstacle, Watched};
use crate::check::parts::from_engine;
use crate::{Error, ErrorKind, Result};
use clearance_engine::assembly::{Assembly, PartDistance};
use clearance_engine::query::{DistanceRequest, Status};

/// By how much of the smaller part's sphere a distance may exceed what spheres and boxes say, for a
/// look at it to be worth while.
const SURPRISE: f64 = 0.5;

/// Intervals are tried again when they are this much longer than a distance would be enough for:
/// along a motion it changes.
const HOPE: f64 = 1.5;

impl MotionChecker<'_> {
    /// The assembly of what a pair's second side belongs to, and its number there.
    pub(super) fn other_side(&self, other: Obstacle) -> (&Assembly, u32) {
        match (other, self.scene) {
            (Obstacle::Scene(object), Some(scene)) => (scene.assembly(), object.number()),
            (Obstacle::Own(part) | Obstacle::Scene(part), _) => (self.placement.assembly(), part.number()),
        }
    }

    /// At most how much nearer a pair can come within the interval that the robot is placed in the
    /// middle of.
    pub(super) fn moved(&mut self, pair: usize, now: &Now) -> Result<f64> {
        let Watched { part, other, slots, .. } = self.watched[pair];
        let mut moved = self.bounds.moved(slots[0], &self.placement) + now.rounding;
        if matches!(other, Obstacle::Own(_)) {
            moved += self.bounds.moved(slots[1], &self.placement);
        }
        if moved.is_finite() {
            return Ok(moved);
        }
        let reason = "it moves and has no bounds, so that nothing can be proven about it";
        Err(Error::new(ErrorKind::OutOfRange, reason).of(format!("part '{}'", self.checker.name_of(part.number()))))
    }

    pub(super) fn look(&mut self, pair: usize, now: &Now) -> Result<Seen> {
        let Watched { part, other, offset, proven, .. } = self.watched[pair];
        if now.proofs_hold && proven > offset + now.clearance {
            return Ok(Seen::Clear(proven - offset));
        }
        let moved = self.moved(pair, now)?;
        let (assembly, (other_assembly, number)) = (self.placement.assembly(), self.other_side(other));
        let bounded = assembly.part_gap(part.number(), other_assembly, number) - offset;
        let needed = moved + now.clearance;
        if bounded > needed {
            return Ok(Seen::Clear(bounded - moved));
        }
        let again = |lower: f64, hope: f64| {
            // What rounding takes does not become less over a part of the interval.
            let clear = (lower - now.rounding - now.clearance).max(0.0);
            let proven = if clear > 0.0 { (0.9 * clear / (moved - now.rounding)).min(1.0) } else { 0.0 };
            // Less than a tenth of what is clear is left where `proven` ends.
            let by = if proven > 0.0 { now.clearance + 0.09 * clear } else { f64::INFINITY };
            Seen::Again { proven, by, shorter: (hope / moved).clamp(0.0625, 1.0) }
        };
        // Distances are farther than spheres and boxes say, but seldom by more than this.
        let size = assembly.part_sphere(part.number()).radius.min(other_assembly.part_sphere(number).radius);
        let hope = bounded.max(0.0) + SURPRISE * size;
        if moved > hope && moved > 4.0 * now.tolerance {
            return Ok(again(bounded, hope));
        }
        let found = self.distance(pair, needed, now)?;
        Ok(if found.upper == 0.0 {
            Seen::Touches { last: moved <= now.tolerance }
        } else if found.lower > needed {
            Seen::Clear(found.lower - moved)
        } else if moved <= now.tolerance {
            Seen::Near(if found.status == Status::BeyondMax { found.lower } else { found.upper })
        } else {
            again(found.lower, HOPE * (found.lower - now.clearance))
        })
    }

    pub(super) fn distance(&mut self, pair: usize, moved: f64, now: &Now) -> Result<PartDistance> {
        let request = DistanceRequest {
            max_d: 1.05 * moved + 0.1 * now.tolerance,
            rel_err: 0.1,
            abs_err: 0.1 * now.tolerance,
            ..DistanceRequest::default()
        };
        self.pair_distance(pair, &request)
    }

    /// The distance of a pair where the robot is placed now, less its paddings and margin.
    pub(super) fn pair_distance(&mut self, pair: usize, request: &DistanceRequest) -> Result<PartDistance> {
        self.evaluations[1] += 1;
        let Watched { part, other, .. } = self.watched[pair];
        let (checker, placement, workspace) = (self.checker, &self.placement, &mut self.workspace);
        let warm_start = Some(&mut self.warm_starts[pair]);
        let found = match (other, self.scene) {
            (Obstacle::Scene(object), Some(scene)) => checker.with_scene(placement, scene, |meet| {
                meet.pair_distance((part, object), request, workspace, warm_start)
            }),
            (Obstacle::Own(number) | Obstacle::Scene(number), _) => checker
                .with_itself(placement, |meet| meet.pair_distance((part, number), request, workspace, warm_start)),
        };
        let gone = || Error::new(ErrorKind::Unknown, "a pair of a motion is not there any more");
        found.map_err(from_engine)?.ok_or_else(gone)
    }
}
