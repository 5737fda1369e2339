//! Our engine with convex polyhedra for bodies.

use super::{Answers, Engine, Query, Sweep};
use crate::placing::Random;
use crate::{Error, Result, Scene, timing};
use clearance_engine::Pose;
use clearance_engine::convex::PenetrationRequest;
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::query::{DistanceRequest, penetration};
use clearance_engine::shape::ConvexPolyhedron;
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::Solid;
use std::hint::black_box;

/// Our engine; *warm* means with one [`WarmStart`] along the sequence of poses.
pub struct ConvexClearance {
    name: &'static str,
    warm: bool,
    shuffled: bool,
    dispatcher: Dispatcher,
    workspace: Workspace,
    loaded: Option<Loaded>,
}

struct Loaded {
    a: Solid,
    b: Solid,
    poses: Vec<Pose>,
    /// Their numbers in the scene.
    numbers: Vec<usize>,
}

impl ConvexClearance {
    /// With the memory of the previous pose: `clearance`.
    pub fn warm() -> Self {
        Self { name: "clearance", warm: true, ..Self::cold() }
    }

    /// Every query on its own: `clearance-cold`.
    pub fn cold() -> Self {
        let (dispatcher, workspace) = (Dispatcher::standard(), Workspace::default());
        Self { name: "clearance-cold", warm: false, shuffled: false, dispatcher, workspace, loaded: None }
    }

    /// Every query on its own, poses in a random order, so that one tells nothing about the next to
    /// anybody, be it the processor: `clearance-shuffled`.
    pub fn shuffled() -> Self {
        Self { name: "clearance-shuffled", shuffled: true, ..Self::cold() }
    }

    /// Calls `take` with the answer at each pose; an error comes out as NaN, which agrees with
    /// nothing.
    fn ask(&mut self, query: Query, mut take: impl FnMut(f64)) -> Result<usize> {
        let Self { warm, dispatcher, workspace, loaded: Some(Loaded { a, b, poses, .. }), .. } = self else {
            return Err(Error::other("no scene is loaded"));
        };
        let plan = dispatcher.plan(a, b)?;
        let mut warm_start = warm.then(WarmStart::default);
        for pose in &*poses {
            take(match query {
                Query::Collide => f64::from(plan.collide(pose, workspace, warm_start.as_mut()).colliding),
                Query::Penetration => {
                    let found = penetration(a, b, pose, &PenetrationRequest::default());
                    found.map_or(f64::NAN, |found| found.map_or(0.0, |found| found.upper))
                }
                _ => {
                    let answer = plan.distance(pose, &DistanceRequest::default(), workspace, warm_start.as_mut());
                    answer.map_or(f64::NAN, |answer| answer.upper)
                }
            });
        }
        Ok(poses.len())
    }
}

impl Engine for ConvexClearance {
    fn name(&self) -> &str {
        self.name
    }

    fn answers_to(&self, query: Query) -> bool {
        matches!(query, Query::Collide | Query::Distance) || (query == Query::Penetration && !self.warm)
    }

    fn load(&mut self, scene: &Scene) -> Result<()> {
        let solid = |mesh| Ok::<_, Error>(Solid::new(ConvexPolyhedron::hull_of_mesh(mesh)?));
        let mut numbers: Vec<usize> = (0..scene.poses.len()).collect();
        if self.shuffled {
            let mut random = Random(0x5fe);
            for i in 1..numbers.len() {
                numbers.swap(i, random.below(i + 1));
            }
        }
        let poses = numbers.iter().map(|&i| scene.poses[i]).collect();
        self.loaded = Some(Loaded { a: solid(&scene.a)?, b: solid(&scene.b)?, poses, numbers });
        Ok(())
    }

    fn sweep(&mut self, query: Query) -> Result<Sweep> {
        let n = self.ask(query, |_| ())?;
        let us = timing::shortest_us(|| {
            self.ask(query, |value| {
                black_box(value);
            })
            .is_ok()
        });
        Ok(Sweep { us: us / n.max(1) as f64, n })
    }

    fn answers(&mut self, query: Query) -> Result<Answers> {
        let mut values = Vec::new();
        self.ask(query, |value| values.push(value))?;
        let poses = self.loaded.as_ref().map_or_else(Vec::new, |loaded| loaded.numbers.clone());
        // Depths are found to within 1e-6.
        let allowed = if query == Query::Penetration { 1e-6 } else { 1e-12 };
        Ok(Answers { poses, values, allowed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convex_scenes;

    #[test]
    fn shuffled_poses_are_answered_under_their_own_numbers() {
        let scene = convex_scenes::make("convex-cube-25-separated").unwrap();
        let [expected, found] = [ConvexClearance::cold(), ConvexClearance::shuffled()].map(|mut engine| {
            engine.load(&scene).unwrap();
            engine.answers(Query::Distance).unwrap()
        });
        assert_ne!(found.poses, expected.poses);
        let mut sorted: Vec<(usize, f64)> = found.poses.into_iter().zip(found.values).collect();
        sorted.sort_by_key(|(pose, _)| *pose);
        assert!(sorted.into_iter().eq(expected.poses.into_iter().zip(expected.values)));
    }
}
