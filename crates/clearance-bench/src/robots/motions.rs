//! Straight motions between configurations, proven, against samples of them by our own discrete
//! check.
//!
//! A motion is sampled every half a degree of the joint that turns most, the middle first and then
//! the middles of what is left, so that a collision is found soon; that proves nothing.
//! [`MotionChecker`] proves. Both stop at any contact, as a planner would.

use super::RobotScene;
use crate::{Result, timing};
use clearance_engine::Pose;
use clearance_engine::traversal::Workspace;
use clearance_robot::{Find, MotionChecker, MotionRequest, MotionVerdict, Placement, WarmStarts};
use std::hint::black_box;

/// Between two samples, in radians of the joint that turns most.
const STEP: f64 = 0.5 * std::f64::consts::PI / 180.0;

/// What some motions of one kind took.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionRow {
    /// Which part of the way from one random configuration to the next a motion is, and whether it
    /// was proven free.
    pub kind: String,
    /// How many.
    pub count: usize,
    /// Microseconds a motion, by samples.
    pub sampled_us: f64,
    /// Microseconds a motion, proven.
    pub proven_us: f64,
    /// Samples a motion.
    pub samples: f64,
    /// Configurations that a proof looked at, a motion, and exact distances.
    pub evaluations: [f64; 2],
    /// Motions of which all samples are free, though they are not.
    pub missed: usize,
}

/// Discrete checks of one scene.
struct Sampler<'s> {
    scene: &'s RobotScene,
    placement: Placement,
    workspace: Workspace,
    caches: WarmStarts,
    samples: usize,
}

impl Sampler<'_> {
    fn is_free(&mut self, configuration: &[f64]) -> Result<bool> {
        self.samples += 1;
        let (checker, workspace) = (&self.scene.checker, &mut self.workspace);
        checker.place(&mut self.placement, &Pose::IDENTITY, configuration)?;
        let room = &self.scene.room.scene;
        Ok(checker.scene_collision(&self.placement, room, workspace, Some(&mut self.caches.scene))?.is_none()
            && checker.self_collision(&self.placement, workspace, Some(&mut self.caches.own))?.is_none())
    }

    fn is_motion_free(&mut self, [from, to]: [&[f64]; 2]) -> Result<bool> {
        let most = from.iter().zip(to).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let parts = (most / STEP).ceil().max(1.0) as usize;
        if !(self.is_free(from)? && self.is_free(to)?) {
            return Ok(false);
        }
        let mut stride = parts.next_power_of_two();
        while stride > 1 {
            for i in (stride / 2..parts).step_by(stride) {
                let t = i as f64 / parts as f64;
                let at: Vec<f64> = from.iter().zip(to).map(|(a, b)| a + (b - a) * t).collect();
                if !self.is_free(&at)? {
                    return Ok(false);
                }
            }
            stride /= 2;
        }
        Ok(true)
    }
}

/// Measures motions between the free configurations of a scene, and the first tenth of them.
pub fn motions(scene: &RobotScene) -> Result<Vec<MotionRow>> {
    let (placement, workspace) = (scene.checker.placement()?, Workspace::default());
    let mut sampler = Sampler { scene, placement, workspace, caches: WarmStarts::default(), samples: 0 };
    let mut prover = MotionChecker::new(&scene.checker, Some(&scene.room.scene))?;
    let request = MotionRequest { find: Find::Any, ..MotionRequest::default() };
    let mut ends = Vec::new();
    for configuration in &scene.configurations {
        if sampler.is_free(configuration)? {
            ends.push(configuration.clone());
        }
    }
    let mut rows = Vec::new();
    for part in [1.0, 0.1] {
        let mut groups = [Vec::new(), Vec::new()];
        for pair in ends.windows(2) {
            let to: Vec<f64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| a + (b - a) * part).collect();
            let free = matches!(prover.segment(&Pose::IDENTITY, &pair[0], &to, &request)?, MotionVerdict::Free { .. });
            groups[usize::from(free)].push([pair[0].clone(), to]);
        }
        for (group, what) in groups.iter().zip(["not free", "free"]) {
            let count = group.len().max(1) as f64;
            let (samples, evaluations) = (sampler.samples, prover.evaluations);
            let mut missed = 0;
            for [from, to] in group {
                missed += usize::from(sampler.is_motion_free([from, to])? && what == "not free");
                prover.segment(&Pose::IDENTITY, from, to, &request)?;
            }
            let samples = (sampler.samples - samples) as f64 / count;
            let evaluations = [0, 1].map(|i| (prover.evaluations[i] - evaluations[i]) as f64 / count);
            // Errors would have shown above.
            let sampled_us = timing::shortest_us(|| {
                group.iter().for_each(|[from, to]| drop(black_box(sampler.is_motion_free([from, to]))));
            });
            let proven_us = timing::shortest_us(|| {
                group
                    .iter()
                    .for_each(|[from, to]| drop(black_box(prover.segment(&Pose::IDENTITY, from, to, &request))));
            });
            let (sampled_us, proven_us) = (sampled_us / count, proven_us / count);
            let kind = format!("{part} of the way, {what}");
            rows.push(MotionRow { kind, count: group.len(), sampled_us, proven_us, samples, evaluations, missed });
        }
    }
    Ok(rows)
}
