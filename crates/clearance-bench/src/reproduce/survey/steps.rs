//! Survey 2.3: how many steps advancement takes, from the distance alone and with the direction
//! between the closest points.
//!
//! The statement is about convex polytopes: projections of bodies that are hooked into each other,
//! or whose boxes overlap, are seldom apart. Tori show that.

use super::Effort;
use super::filters::same;
use crate::placing::Random;
use crate::{Result, models};
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::motion::{Approach, ImpactRequest, Motion, TimeOfImpact, time_of_impact};
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Solid};

/// Steps of some motions of one kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Steps {
    pub(super) bodies: &'static str,
    pub(super) motion: &'static str,
    pub(super) count: usize,
    /// A motion: by the distance, and by the direction too.
    pub(super) steps: [f64; 2],
    /// Motions on which both do not agree.
    pub(super) different: usize,
}

/// The convex bodies that are asked about.
pub(super) const POLYTOPES: &str = "polytopes";

/// How much bodies turn on their way, in radians, and how such motions are called where they end
/// free and in contact.
const KINDS: [(f64, [&str; 2]); 3] = [
    (0.0, ["straight, past each other", "straight, into contact"]),
    (0.5, ["half a radian, past each other", "half a radian, into contact"]),
    (6.0, ["6 radians, past each other", "6 radians, into contact"]),
];

/// Two flat polytopes, and two tori, move by each other at random distances.
pub(super) fn steps(effort: &Effort) -> Result<Vec<Steps>> {
    let mut random = Random(0x57e95);
    let mut polytope = || {
        let points: Vec<DVec3> = (0..40).map(|_| random.direction() * DVec3::new(1.3, 1.0, 0.4)).collect();
        ConvexPolyhedron::hull_of(&points).map(Solid::new)
    };
    let polytopes = [polytope()?, polytope()?];
    let tori: [Mesh; 2] =
        [Mesh::new(models::torus(1.0, 0.3, 48, 24)?)?, Mesh::new(models::knobby_torus(1.0, 0.4, 7, 48, 24)?)?];
    let count = (600 / effort.stride.max(1)).max(12);
    let mut rows = steps_of(POLYTOPES, [&polytopes[0], &polytopes[1]], count)?;
    rows.extend(steps_of("tori", [&tori[0], &tori[1]], count)?);
    Ok(rows)
}

fn steps_of(bodies: &'static str, [moving, fixed]: [&dyn Geometry; 2], count: usize) -> Result<Vec<Steps>> {
    let (dispatcher, mut workspace, still) =
        (Dispatcher::standard(), Workspace::default(), Motion::still(&Pose::IDENTITY));
    let mut random = Random(0x57e95);
    let mut rows = Vec::new();
    for (angle, names) in KINDS {
        let mut groups = names.map(|motion| Steps { bodies, motion, count: 0, steps: [0.0; 2], different: 0 });
        for _ in 0..count {
            let (start, heading) = (random.direction() * 4.0, random.direction() * random.between(0.0, 9.0));
            let spin = random.direction() * angle;
            let start_pose = Pose::new(random.rotation(), start)?;
            let motion = Motion::moving(&start_pose, DVec3::ZERO, heading - start * 2.0, spin, 1.0)?;
            let pair = [(moving, &motion), (fixed, &still)];
            let mut ask = |approach: Approach| {
                let request = ImpactRequest { approach, ..ImpactRequest::default() };
                time_of_impact(&dispatcher, pair, &request, &mut workspace)
            };
            let answers = [ask(Approach::Distance)?, ask(Approach::Directional)?];
            let group = &mut groups[usize::from(!matches!(answers[1].first, TimeOfImpact::Free { .. }))];
            group.count += 1;
            group.different += usize::from(!same(&answers));
            group.steps.iter_mut().zip(&answers).for_each(|(sum, answer)| *sum += answer.steps as f64);
        }
        rows.extend(groups.into_iter().filter(|group| group.count > 0).map(|group| {
            let steps = group.steps.map(|sum| sum / group.count as f64);
            Steps { steps, ..group }
        }));
    }
    Ok(rows)
}
