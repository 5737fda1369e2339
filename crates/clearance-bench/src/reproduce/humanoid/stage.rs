//! The built-in humanoid in the built-in kitchen along its motion, with all meshes under one kind
//! of tree.

use crate::volumes::Contender;
use crate::{Result, timing};
use clearance_engine::assembly::{PartDistance, PartId};
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Bvh8, Combine, Geometry, SphereTree, SphereTreeOptions};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{CheckOptions, CollisionModel, Object, Placement, Robot, Scene};
use clearance_scene::{FLOOR, RATE, humanoid, kitchen, motion};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The paper's trees.
pub(super) const COMPACT_SPHERES: &str = "compact spheres";
/// The engine's own.
pub(super) const DEFAULT: &str = "default tree";

/// The largest sphere of a piece of a triangle, in metres: the kitchen has walls of a few large
/// triangles.
const LEAF_RADIUS: f64 = 0.1;

/// The trees that the experiments on the scene are run with.
pub(super) fn trees() -> [Contender; 2] {
    let how = SphereTreeOptions { combine: Combine::Compact, leaf_radius: LEAF_RADIUS, ..SphereTreeOptions::default() };
    [Contender::new::<SphereTree>(COMPACT_SPHERES, Some(how)), Contender::new::<Bvh8>(DEFAULT, None)]
}

/// Robot, room and moments, before hierarchies are built.
pub(super) struct Act {
    robot: Arc<Robot>,
    objects: Vec<clearance_scene::Object>,
    /// [`RATE`] a second.
    moments: Vec<Vec<f64>>,
}

impl Act {
    /// The room has the objects that are `wanted`.
    pub(super) fn new(wanted: impl Fn(&str) -> bool) -> Result<Self> {
        Ok(Self {
            robot: Arc::new(humanoid()?.robot),
            objects: kitchen()?.into_iter().filter(|object| wanted(&object.name)).collect(),
            moments: motion().iter().map(|moment| moment.to_vec()).collect(),
        })
    }

    /// The links that drive about, whose wheels stand on the floor.
    fn standing(&self) -> Vec<String> {
        let root = self.robot.bodies().iter().flat_map(|body| body.links()).take(4);
        root.map(|&link| self.robot.links()[link].name().to_owned()).collect()
    }
}

/// What takes longer than this, in µs, is asked once: its first run is as long as the others.
const LONG: f64 = 1000.0;

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// The nearest two links.
    Own,
    /// The nearest link and object.
    Room,
}

impl Target {
    pub(super) const BOTH: [Self; 2] = [Self::Own, Self::Room];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Own => "to itself",
            Self::Room => "to the kitchen",
        }
    }
}

/// One answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// The shortest of a few repeats.
    pub(super) us: f64,
    pub(super) answer: PartDistance,
}

/// The mean of a number of all moments; not a number where there are none.
pub(super) fn mean(moments: &[Moment], number: impl Fn(&Moment) -> f64) -> f64 {
    moments.iter().map(number).sum::<f64>() / moments.len() as f64
}

/// Robot, room and placed moments.
pub(super) struct Stage {
    /// The name of its trees.
    pub(super) tree: String,
    pub(super) checker: CollisionModel,
    pub(super) scene: Scene,
    pub(super) placements: Vec<Placement>,
    pub(super) seconds: Vec<f64>,
}

impl Stage {
    /// Builds all hierarchies; no moment is placed yet.
    pub(super) fn build(act: &Act, tree: &Contender) -> Result<Self> {
        let allowed = act.standing().into_iter().map(|link| [link, FLOOR.to_owned()]).collect();
        let options = CheckOptions { allowed, ..CheckOptions::default() };
        let checker = CollisionModel::with_meshes(Arc::clone(&act.robot), &options, &|tri_mesh| tree.mesh(tri_mesh))?;
        let mut scene = Scene::default();
        let mut built: HashMap<*const TriMesh, Arc<dyn Geometry>> = HashMap::new();
        for object in &act.objects {
            let geometry = match built.get(&Arc::as_ptr(&object.mesh)) {
                Some(geometry) => Arc::clone(geometry),
                None => tree.mesh(&object.mesh)?,
            };
            built.insert(Arc::as_ptr(&object.mesh), Arc::clone(&geometry));
            scene.insert(Object { name: object.name.clone(), geometry, pose: object.pose })?;
        }
        Ok(Self { tree: tree.name.clone(), checker, scene, placements: Vec::new(), seconds: Vec::new() })
    }

    /// Takes every `stride`-th moment within some seconds of the motion, the robot shifted by
    /// `offset`, in the place of those that it had.
    pub(super) fn place(&mut self, act: &Act, stride: usize, seconds: Range<f64>, offset: DVec3) -> Result<()> {
        let base = Pose::from_translation(offset)?;
        (self.placements, self.seconds) = (Vec::new(), Vec::new());
        for (i, configuration) in act.moments.iter().enumerate().step_by(stride.max(1)) {
            let time = i as f64 / RATE;
            if seconds.contains(&time) {
                let mut placement = self.checker.placement()?;
                self.checker.place(&mut placement, &base, configuration)?;
                self.placements.push(placement);
                self.seconds.push(time);
            }
        }
        Ok(())
    }

    /// Whether a part may touch an object: what stands on the floor.
    pub(super) fn is_allowed(&self, act: &Act, (part, object): (PartId, PartId)) -> bool {
        let stands = |link: &str| act.standing().iter().any(|standing| standing == link);
        self.scene.name(object).is_ok_and(|name| name == FLOOR) && self.checker.name(part).is_ok_and(stands)
    }

    /// One answer from scratch.
    pub(super) fn answer(
        &self,
        target: Target,
        moment: usize,
        request: &DistanceRequest,
        workspace: &mut Workspace,
    ) -> Result<PartDistance> {
        let placement = &self.placements[moment];
        Ok(match target {
            Target::Own => self.checker.self_distance(placement, request, workspace, None)?,
            Target::Room => self.checker.scene_distance(placement, &self.scene, request, workspace, None)?,
        })
    }

    /// Asks every request at every moment, in turns, each from scratch; the answers by request.
    pub(super) fn ask(
        &self,
        target: Target,
        requests: impl Fn(usize) -> Vec<DistanceRequest>,
        repeats: usize,
    ) -> Result<Vec<Vec<Moment>>> {
        let mut workspace = Workspace::default();
        let mut answers: Vec<Vec<Moment>> = Vec::new();
        for moment in 0..self.placements.len() {
            let requests = requests(moment);
            answers.resize_with(requests.len(), Vec::new);
            for (request, answers) in requests.iter().zip(&mut answers) {
                let mut answer = None;
                let mut ask = || answer = Some(self.answer(target, moment, request, &mut workspace));
                let mut us = timing::shortest_thread_us(1, &mut ask);
                if us < LONG {
                    us = us.min(timing::shortest_thread_us(repeats, &mut ask));
                }
                let Some(answer) = answer else { continue };
                answers.push(Moment { us, answer: answer? });
            }
        }
        Ok(answers)
    }
}
