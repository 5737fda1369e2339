//! What questions about assemblies yield, and what is remembered for the next one.

use crate::math::DVec3;
use crate::query::{Distance, DistanceGoal, DistanceRequest, Goal, Status, Witness};
use crate::traversal::{Stats, WarmStart};
use crate::tree::PartId;

/// Two closest points on two parts, in the common frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartWitness {
    /// The part of the first assembly.
    pub part_a: PartId,
    /// The part of the second assembly.
    pub part_b: PartId,
    /// On the first part.
    pub point_a: DVec3,
    /// On the second part.
    pub point_b: DVec3,
    /// The shapes (triangles) that the points lie on; none where one contains the other.
    pub leaves: Option<(u32, u32)>,
}

/// The certified distance of the nearest two parts: `lower ≤ distance ≤ upper`, each less the
/// offset of its pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartDistance {
    /// Certified lower bound.
    pub lower: f64,
    /// The distance of the witness's points less the offset of their pair, 0 if that is negative;
    /// infinite beyond `max_d`.
    pub upper: f64,
    /// Where; none beyond `max_d` or where there is no pair at all.
    pub witness: Option<PartWitness>,
    /// Why the search ended.
    pub status: Status,
    /// What it took.
    pub stats: Stats,
}

impl PartDistance {
    /// Whether some pair touches or overlaps (with its offset), or `None` if the search ended
    /// before that was decided.
    pub fn colliding(&self) -> Option<bool> {
        self.status.colliding(self.lower, self.upper)
    }
}

/// What is remembered from one question to the next one of a coherent sequence; changes no answer,
/// whatever assemblies it was used with.
#[derive(Debug, Default)]
pub struct AssemblyWarmStart {
    /// The parts that decided the last question, tried first if both assemblies have them.
    pub(super) last: Option<PartPairIds>,
    /// What is remembered of those.
    pub(super) pair: WarmStart,
}

/// A part of each of two assemblies.
pub(super) type PartPairIds = (PartId, PartId);

/// The running state of a distance question: that of any, and whose distance it found.
pub(super) struct Nearest {
    goal: DistanceGoal,
    parts: Option<PartPairIds>,
    /// Of the smaller one of these.
    size: f64,
}

impl Nearest {
    pub(super) fn new(request: &DistanceRequest) -> Self {
        Self { goal: DistanceGoal::new(request), parts: None, size: 0.0 }
    }

    pub(super) fn goal(&mut self) -> &mut DistanceGoal {
        &mut self.goal
    }

    /// Pairs that are certainly this far apart, less their offset, or farther, cannot matter.
    pub(super) fn limit(&self) -> f64 {
        self.goal.limit()
    }

    /// Whether the budget of steps is used up.
    pub(super) fn is_spent(&self) -> bool {
        self.goal.is_spent()
    }

    /// The nearest parts so far.
    pub(super) fn parts(&self) -> Option<PartPairIds> {
        self.parts
    }

    /// Takes in what is known of two parts, the smaller one of which has this size; their
    /// distance counts by the first number less, and may be off by the second. True if the search
    /// may stop.
    pub(super) fn offer(
        &mut self,
        found: &Distance,
        (parts, size): (PartPairIds, f64),
        offset_and_rounding: (f64, f64),
        witness: Witness,
    ) -> bool {
        let before = self.goal.upper();
        let flow = self.goal.offer_parts(found, offset_and_rounding, witness);
        if self.goal.upper() < before {
            (self.parts, self.size) = (Some(parts), size);
        }
        flow.is_break()
    }

    pub(super) fn finish(self) -> PartDistance {
        let Distance { lower, upper, witness, status, stats } = self.goal.finish_with(|| self.size);
        let witness = witness.zip(self.parts).map(|(witness, (part_a, part_b))| {
            let Witness { point_a, point_b, leaves } = witness;
            PartWitness { part_a, part_b, point_a, point_b, leaves }
        });
        PartDistance { lower, upper, witness, status, stats }
    }
}
