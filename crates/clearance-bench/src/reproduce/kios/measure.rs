//! Time, tests and floats of many volumes along one sequence.

use super::super::{Effort, rounded};
use crate::certificate::Recording;
use crate::engines::{Pass, Query};
use crate::volumes::{Bodies, Contender};
use crate::{Result, Scene, timing};
use clearance_engine::Pose;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::traversal::Workspace;
use serde_json::{Value, json};

/// What was measured of one volume with one query on one scene: means over the poses.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The scene's name.
    pub scene: &'static str,
    /// What was asked.
    pub query: Query,
    /// The volume's name.
    pub volume: String,
    /// Microseconds a query: the best of the rounds.
    pub us: f64,
    /// Bounds between two volumes.
    pub volume_tests: f64,
    /// Tests between two triangles.
    pub leaf_tests: f64,
    /// The best time of one volume test; zero where there is contact at every pose.
    pub volume_ns: f64,
    /// Floats a volume, of either body.
    pub floats: (f64, f64),
    /// Milliseconds to build both hierarchies.
    pub build_ms: f64,
}

impl Sample {
    pub(super) fn json(&self, table: &str) -> Value {
        json!({
            "paper": "kios",
            "table": table,
            "scene": self.scene,
            "query": self.query.name(),
            "volume": self.volume,
            "us": rounded(self.us),
            "volume_tests": rounded(self.volume_tests),
            "leaf_tests": rounded(self.leaf_tests),
            "volume_ns": rounded(self.volume_ns),
            "floats": [rounded(self.floats.0), rounded(self.floats.1)],
            "build_ms": rounded(self.build_ms),
        })
    }
}

/// As PQP does: distance remembers the closest pair of the last pose, collide remembers nothing.
fn is_warm(query: Query) -> bool {
    query == Query::Distance
}

/// At how many poses the kernels are measured.
const KERNEL_POSES: usize = 24;

/// Measures all of `volumes` with both queries, taking turns, at every `effort.stride`-th pose of
/// `scene`.
///
/// The samples of the first query come first.
pub(super) fn measure(
    scene: &Scene,
    volumes: &[Contender],
    effort: &Effort,
    progress: &mut dyn FnMut(f64),
) -> Result<Vec<Sample>> {
    let poses: Vec<Pose> = scene.poses.iter().step_by(effort.stride.max(1)).copied().collect();
    let dispatcher = Dispatcher::standard();
    let mut built = Vec::new();
    for volume in volumes {
        let mut bodies = None;
        let build_us = timing::shortest_thread_us(1, || bodies = Some(volume.bodies(scene)));
        if let Some(bodies) = bodies {
            built.push((volume, bodies?, build_us * 1e-3));
        }
    }
    let mut samples: Vec<Sample> = Vec::new();
    for query in [Query::Distance, Query::Collide] {
        let start = samples.len();
        for round in 0..effort.rounds.max(1) {
            for (i, (volume, bodies, build_ms)) in built.iter().enumerate() {
                let turns = (effort.rounds.max(1) * built.len()) as f64;
                let share = (round * built.len() + i) as f64 / turns;
                progress(0.5 * (share + if query == Query::Collide { 1.0 } else { 0.0 }));
                let mut workspace = Workspace::default();
                let mut pass = Pass::new(&dispatcher, &**bodies, &mut workspace, is_warm(query))?;
                let us = pass.sweep_us(query, &poses, effort.least);
                if round > 0 {
                    let sample = &mut samples[start + i];
                    sample.us = sample.us.min(us);
                    continue;
                }
                let (_, total) = pass.answers(query, &poses);
                let each = |count: u64| count as f64 / poses.len().max(1) as f64;
                samples.push(Sample {
                    scene: scene.name,
                    query,
                    volume: volume.name.clone(),
                    us,
                    volume_tests: each(total.volume_tests),
                    leaf_tests: each(total.leaf_tests),
                    volume_ns: kernel_ns(&**bodies, query, &poses)?,
                    floats: bodies.floats(),
                    build_ms: *build_ms,
                });
            }
        }
    }
    Ok(samples)
}

/// The best time of a volume test at some of the poses without contact.
fn kernel_ns(bodies: &dyn Bodies, query: Query, poses: &[Pose]) -> Result<f64> {
    let (dispatcher, mut workspace) = (Dispatcher::standard(), Workspace::default());
    let mut pass = Pass::new(&dispatcher, bodies, &mut workspace, false)?;
    let mut few: Vec<Pose> = poses.iter().step_by(poses.len().div_ceil(KERNEL_POSES).max(1)).copied().collect();
    few.retain(|pose| pass.answer(Query::Collide, pose).0 == 0.0);
    let Some(mut recording) = Recording::new(bodies, query, &few, &mut pass) else { return Ok(0.0) };
    recording.replay(bodies);
    Ok(recording.certificate.volume_ns)
}
