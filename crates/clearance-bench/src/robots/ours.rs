//! Our robots: one [`CollisionModel`](clearance_robot::CollisionModel), with or without what is remembered from
//! the last configuration.

use super::{NEAR, RobotEngine, RobotQuery, RobotScene};
use crate::engines::{Answers, Sweep};
use crate::{Result, timing};
use clearance_engine::Pose;
use clearance_engine::assembly::NearRequest;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_robot::{Placement, WarmStarts};
use std::hint::black_box;

/// Our engine; *warm* means with one cache along the configurations (for the questions that have
/// one).
#[derive(Default)]
pub struct OurRobot {
    warm: bool,
    workspace: Workspace,
    values: Vec<f64>,
}

impl OurRobot {
    /// With the caches from the previous configuration: `clearance`.
    pub fn warm() -> Self {
        Self { warm: true, ..Self::default() }
    }

    /// Every configuration on its own: `clearance-cold`.
    pub fn cold() -> Self {
        Self::default()
    }

    /// Answers one configuration, from its numbers on; puts the answers behind `values`.
    fn ask(
        &mut self,
        scene: &RobotScene,
        query: RobotQuery,
        i: usize,
        (placement, caches): (&mut Placement, &mut WarmStarts),
    ) -> Result<()> {
        let (checker, request, workspace) = (&scene.checker, DistanceRequest::default(), &mut self.workspace);
        let around = [RobotQuery::Environment, RobotQuery::Verdict, RobotQuery::Near, RobotQuery::NearGradients];
        let placed = around.contains(&query);
        let base = if placed { scene.bases[i] } else { Pose::IDENTITY };
        checker.place(placement, &base, &scene.configurations[i])?;
        let own = self.warm.then_some(&mut caches.own);
        match query {
            RobotQuery::SelfCollide => {
                let hit = checker.self_collision(placement, workspace, own)?;
                self.values.push(f64::from(u8::from(hit.is_some())));
            }
            RobotQuery::SelfDistances => {
                let distances = checker.self_distances(placement, &request, workspace)?;
                self.values.extend(distances.iter().map(|(_, distance)| distance.upper));
            }
            RobotQuery::SelfDistance => {
                self.values.push(checker.self_distance(placement, &request, workspace, own)?.upper);
            }
            RobotQuery::Environment => {
                let warm_start = self.warm.then_some(&mut caches.scene);
                let nearest = checker.scene_distance(placement, &scene.room.scene, &request, workspace, warm_start)?;
                self.values.push(nearest.upper);
            }
            RobotQuery::Verdict => {
                let warm_start = self.warm.then_some(&mut caches.scene);
                let hit = checker.self_collision(placement, workspace, own)?.is_some()
                    || checker.scene_collision(placement, &scene.room.scene, workspace, warm_start)?.is_some();
                self.values.push(f64::from(u8::from(hit)));
            }
            RobotQuery::Near | RobotQuery::NearGradients => {
                let gradients = query == RobotQuery::NearGradients;
                let request = NearRequest { examine_ties: gradients, ..NearRequest::within(NEAR) };
                let own = checker.self_near(placement, &request, workspace)?;
                let room = checker.scene_near(placement, &scene.room.scene, &request, workspace)?;
                // A pair at the edge of the range counts for nothing: it may be in one list alone.
                let closeness = own.iter().chain(&room).map(|near| NEAR - near.signed.max(0.0));
                self.values.push(closeness.sum());
                if gradients {
                    for (near, other) in
                        own.iter().map(|near| (near, Some(near.part_b))).chain(room.iter().map(|near| (near, None)))
                    {
                        let parts = [Some(near.part_a), other];
                        black_box(checker.distance_gradient(placement, parts, near.point_b, near.normal)?);
                    }
                }
            }
        }
        Ok(())
    }

    fn ask_all(&mut self, scene: &RobotScene, query: RobotQuery, placement: &mut Placement) -> Result<()> {
        let mut caches = WarmStarts::default();
        self.values.clear();
        (0..scene.configurations.len()).try_for_each(|i| self.ask(scene, query, i, (&mut *placement, &mut caches)))
    }
}

impl RobotEngine for OurRobot {
    fn name(&self) -> &str {
        if self.warm { "clearance" } else { "clearance-cold" }
    }

    fn load(&mut self, _scene: &RobotScene) -> Result<()> {
        Ok(())
    }

    fn sweep(&mut self, scene: &RobotScene, query: RobotQuery) -> Result<Sweep> {
        let mut placement = scene.checker.placement()?;
        // Errors would have shown in the answers, which are asked for first.
        let us = timing::shortest_us(|| black_box(self.ask_all(scene, query, &mut placement)).is_ok());
        let n = scene.configurations.len();
        Ok(Sweep { us: us / n.max(1) as f64, n })
    }

    fn answers(&mut self, scene: &RobotScene, query: RobotQuery) -> Result<Answers> {
        self.ask_all(scene, query, &mut scene.checker.placement()?)?;
        Ok(Answers { poses: (0..self.values.len()).collect(), values: self.values.clone(), allowed: 1e-12 })
    }
}
