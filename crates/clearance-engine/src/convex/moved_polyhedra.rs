//! Two convex polyhedra, the second after a rigid motion, with or without a warm start: mostly the
//! moved polyhedron is not even made.

use super::SeparatingVector;
use super::placed_polyhedra::Places;
use super::polyhedron_polyhedron::{LastDistance, remembering_distance};
use super::separating_vector::{Verdict, decide_otherwise, verdict_once};
use crate::Pose;
use crate::shape::{ClosestPoints, ConvexPolyhedron};

/// What a pair of polyhedra remembers from one query to the next, for motions in small steps.
///
/// Distances start at the closest vertices, decisions at the last separating vector or the last
/// proof of an overlap. Neither ever changes an answer beyond its proof.
#[derive(Debug, Clone, Default)]
pub(crate) struct PolyhedronWarmStart {
    pub(super) distance: LastDistance,
    pub(super) overlap: SeparatingVector,
}

/// The distance of a and b after a rigid motion, or `None` if they are certainly `limit` or more
/// apart. It does not say how deep an overlap is.
#[inline(always)]
pub(crate) fn rough_distance_after(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    a_from_b: &Pose,
    limit: f64,
    warm_start: Option<&mut PolyhedronWarmStart>,
) -> Option<ClosestPoints> {
    let mut nothing = LastDistance::default();
    let last = warm_start.map_or(&mut nothing, |warm_start| &mut warm_start.distance);
    match b.local_after(a_from_b) {
        Some(moved) => last.distance_after(a, b, moved, a_from_b, limit),
        None => remembering_distance(a, &b.transformed(a_from_b), limit, last, Places::roughly_overlapping)
            .map(ClosestPoints::from),
    }
}

/// Whether a and b, after a rigid motion, overlap.
#[inline(always)]
pub(crate) fn overlap_after(
    a: &ConvexPolyhedron,
    b: &ConvexPolyhedron,
    a_from_b: &Pose,
    warm_start: Option<&mut PolyhedronWarmStart>,
) -> bool {
    let made = || b.transformed(a_from_b);
    let verdict = match (warm_start, b.local_after(a_from_b)) {
        (Some(warm_start), Some(moved)) => warm_start.overlap.verdict_beyond_spheres(a.local(), moved),
        (None, Some(moved)) => verdict_once(a.local(), moved),
        (Some(warm_start), None) => return warm_start.overlap.decide(a, &made()).overlaps(),
        (None, None) => return SeparatingVector::default().decide(a, &made()).overlaps(),
    };
    match verdict {
        Verdict::Apart(_) => false,
        Verdict::Overlapping(()) => true,
        Verdict::Undecided => decide_otherwise(a, &made()).overlaps(),
    }
}
