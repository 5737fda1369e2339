//! What questions about assemblies yield, and what is remembered for the next one.

use crate::math::DVec3;
use crate::query::{Distance, DistanceRequest, Status};
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

/// The running state of a distance question.
pub(super) struct Nearest {
    request: DistanceRequest,
    pub(super) upper: f64,
    /// At most the distance of all that was looked at, and of all that was not when the search
    /// stopped.
    lower: f64,
    pub(super) witness: Option<PartWitness>,
    /// Of the smaller one of the nearest two parts.
    size: f64,
    /// Whether it stayed open of some pair whether it touches.
    open: bool,
    pub(super) stats: Stats,
}

impl Nearest {
    pub(super) fn new(request: &DistanceRequest) -> Self {
        let (upper, lower) = (f64::INFINITY, f64::INFINITY);
        Self { request: *request, upper, lower, witness: None, size: 0.0, open: false, stats: Stats::default() }
    }

    /// Pairs that are certainly this far apart, less their offset, or farther, cannot matter.
    pub(super) fn limit(&self) -> f64 {
        let allowed = self.request.abs_err.max(self.request.rel_err * self.upper);
        let improving = if allowed > 0.0 && self.upper < f64::INFINITY { self.upper - allowed } else { self.upper };
        improving.min(self.request.max_d).max(f64::MIN_POSITIVE)
    }

    /// What to ask about a pair with an offset so that no more is found than matters, if its
    /// distance may be off by `rounding`.
    pub(super) fn request(&self, offset: f64, rounding: f64) -> DistanceRequest {
        // Rounded away from where a pair would be lost, or the search for it end, on the wrong side
        // of a bound.
        let max_d = (self.limit() + (offset + rounding)).next_up();
        if offset == 0.0 {
            return DistanceRequest { max_d, min_d: self.request.min_d.min(max_d), ..self.request };
        }
        let min_d = (self.request.min_d + offset).next_down().min(max_d);
        // A part of a distance less an offset is smaller than that of the whole distance: exact is
        // always right.
        DistanceRequest { min_d, max_d, rel_err: 0.0, ..self.request }
    }

    /// Takes in what is known of a pair with an offset, the smaller part of which has this size;
    /// true if the search may stop.
    pub(super) fn offer(
        &mut self,
        found: &Distance,
        size: f64,
        (offset, rounding): (f64, f64),
        witness: Option<PartWitness>,
    ) -> bool {
        self.open |= found.status == Status::Inexact && found.lower <= 0.0;
        let lower = (found.lower - (offset + rounding)).next_down();
        self.lower = self.lower.min(lower.max(0.0));
        let upper = (found.upper - offset).max(0.0);
        if upper < self.upper {
            (self.upper, self.size) = (upper, size);
            self.witness = witness;
        }
        self.upper <= self.request.min_d
    }

    /// The search stopped: whatever was not looked at is at least `floor` away.
    pub(super) fn stopped(&mut self, floor: f64) {
        self.lower = self.lower.min(floor.max(0.0));
    }

    pub(super) fn finish(self) -> PartDistance {
        let request = &self.request;
        let (upper, witness, stats) = (self.upper, self.witness, self.stats);
        // What was found may be beyond `max_d` by its rounding alone, and is not certainly so.
        if witness.is_none() {
            let (lower, status) = (request.max_d, Status::BeyondMax);
            return PartDistance { lower, upper: f64::INFINITY, witness: None, status, stats };
        }
        let lower = if upper == 0.0 { 0.0 } else { self.lower.min(self.limit()).min(upper) };
        let allowed = request.abs_err.max(request.rel_err * upper);
        let status = if upper == 0.0 {
            Status::Exact
        } else if upper <= request.min_d {
            Status::BelowMin
        } else if allowed > 0.0 && self.limit() <= self.lower {
            // Nothing but the tolerance keeps the lower bound from being higher.
            Status::Tolerance
        } else {
            Status::of_interval(lower, upper, allowed, || self.size).of_contact(self.open)
        };
        PartDistance { lower, upper, witness, status, stats }
    }
}
