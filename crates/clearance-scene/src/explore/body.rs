//! The humanoid as something that is planned for: base and arms move, the rest keeps its posture.
//!
//! The metric bounds what moves: it is the sum over the joints of |Δq| times at least the largest
//! distance of anything that the joint carries from its axis, in every configuration. So no point
//! of the robot goes farther than the metric says along a straight motion, and two points not
//! farther from each other than twice that. Samples that are at most [`MARGIN`] apart and keep
//! [`MARGIN`] from obstacles and between links are therefore proof that the motion between them is
//! free. A [`MotionChecker`], the default, proves more, that the margin is kept, and looks at 40 %
//! fewer configurations.

use crate::planner::{Configuration, Space, samples_are_free};
use crate::{Humanoid, Result, humanoid};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::traversal::Workspace;
use clearance_engine::volume::BoundingSphere;
use clearance_robot::{
    CheckOptions, CollisionModel, Find, JointKind, LinkShape, MotionChecker, MotionRequest, MotionVerdict, Placement,
    Robot, Scene, WarmStarts,
};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// How near the robot may come to anything, and how far anything of it moves between two samples of
/// a motion, in metres.
pub const MARGIN: f64 = 0.02;

/// How much more than [`MARGIN`] a proven motion may have to keep, in metres.
const TOLERANCE: f64 = 1e-3;

/// The joints that are planned for, and the range that is tried of each.
const PLANNED: [(&str, [f64; 2]); 9] = [
    ("base_x", [-2.65, 2.65]),
    ("base_y", [-2.65, 2.65]),
    ("base_yaw", [-PI, PI]),
    ("left_shoulder_pitch", [-0.3, 0.3]),
    ("left_shoulder_roll", [0.0, 0.6]),
    ("left_elbow", [0.0, 1.2]),
    ("right_shoulder_pitch", [-0.3, 0.3]),
    ("right_shoulder_roll", [0.0, 0.6]),
    ("right_elbow", [0.0, 1.2]),
];
/// How many of them are the base's.
const BASE: usize = 3;
/// The arms as they are at the start and at the goal: pitch, roll, elbow, left and right.
const SPREAD: [f64; 6] = [0.0, 0.35, 0.9, 0.0, 0.35, 0.9];
/// The arms at the sides, where they take the least room.
const TUCKED: [f64; 6] = [0.0, 0.02, 0.0, 0.0, 0.02, 0.0];

/// The robot with its hierarchies, and which of its numbers are planned for.
pub struct Body {
    /// What it looks like.
    pub humanoid: Humanoid,
    /// What can be asked about it.
    pub checker: CollisionModel,
    /// Where the planned numbers stand in a configuration.
    places: Vec<usize>,
    bounds: Vec<[f64; 2]>,
    /// For each planned number, how far anything moves per unit of it at most.
    weights: Vec<f64>,
}

impl Body {
    /// Makes the robot.
    pub fn new() -> Result<Self> {
        let humanoid = humanoid()?;
        let robot = Arc::new(humanoid.robot.clone());
        let checker = CollisionModel::new(robot.clone(), &CheckOptions { margin: MARGIN, ..CheckOptions::default() })?;
        let place = |name: &str| robot.variables().iter().position(|variable| variable.name == name);
        let places: Vec<usize> = PLANNED.iter().filter_map(|(name, _)| place(name)).collect();
        let bounds = PLANNED.iter().map(|(_, range)| *range).collect();
        let weights = reaches(&robot, &places)?;
        Ok(Self { humanoid, checker, places, bounds, weights })
    }

    /// The planned numbers with spread arms at a place of the floor.
    pub fn at(&self, base: [f64; 3]) -> Configuration {
        base.into_iter().chain(SPREAD).collect()
    }

    /// The planned numbers with the arms at the sides at the same place, turned to face a point of
    /// the floor; by the shorter way.
    pub fn facing(&self, planned: &[f64], towards: [f64; 2]) -> Configuration {
        let (dx, dy) = (towards[0] - planned[0], towards[1] - planned[1]);
        let turn = if dx.hypot(dy) > 1e-6 { dy.atan2(dx) - planned[2] } else { 0.0 };
        let yaw = planned[2] + turn - (turn / TAU).round() * TAU;
        [planned[0], planned[1], yaw].into_iter().chain(TUCKED).collect()
    }

    /// All numbers of the robot; those that are not planned for keep their default.
    pub fn full(&self, planned: &[f64]) -> Vec<f64> {
        let mut all = self.humanoid.robot.default_configuration();
        self.places.iter().zip(planned).for_each(|(&place, &value)| all[place] = value);
        all
    }

    /// The place of a variable in a configuration.
    pub fn place_of(&self, name: &str) -> Option<usize> {
        self.humanoid.robot.variables().iter().position(|variable| variable.name == name)
    }

    /// The poses of all links.
    pub fn link_poses(&self, configuration: &[f64]) -> Result<Vec<Pose>> {
        let mut poses = Vec::new();
        self.humanoid.robot.link_poses(&Pose::IDENTITY, configuration, &mut poses)?;
        Ok(poses)
    }
}

/// How far anything that a planned joint carries moves at most per unit of it; joints that are not
/// planned for stay at their defaults.
fn reaches(robot: &Robot, places: &[usize]) -> Result<Vec<f64>> {
    let defaults = robot.default_configuration();
    let links = robot.links().len();
    let mut spheres: Vec<Option<BoundingSphere>> = vec![None; links];
    let mut weights = vec![0.0; places.len()];
    // Children come after their parents.
    for link in (0..links).rev() {
        let own = robot.links()[link].geometries().iter().filter_map(|geometry| match &geometry.shape {
            LinkShape::Mesh(mesh) => Some(BoundingSphere::around(mesh.vertices()).moved(&geometry.origin)),
            _ => None,
        });
        let all = own.chain(spheres[link]).reduce(|sum, sphere| sum.with(&sphere));
        let (Some(joint), Some(sphere)) = (robot.joint_above(link), all) else { continue };
        let numbers = robot.joints()[joint].variables();
        let planned = places.iter().position(|place| numbers.contains(place));
        let kind = robot.joints()[joint].kind();
        let in_parent = match (planned, kind) {
            (Some(number), &(JointKind::Revolute { axis, .. } | JointKind::Continuous { axis })) => {
                let swept = about_axis(&sphere, axis);
                weights[number] = swept.radius * (1.0 + 1e-9);
                swept.moved(robot.joints()[joint].origin())
            }
            (Some(number), _) => {
                weights[number] = 1.0;
                // Only other joints of the base stand above: they slide, and all that they carry
                // slides as far.
                sphere
            }
            (None, _) => sphere.moved(&robot.joint_pose(joint, &defaults[numbers])?),
        };
        let parent = robot.joints()[joint].parent();
        spheres[parent] = Some(spheres[parent].map_or(in_parent, |sum| sum.with(&in_parent)));
    }
    Ok(weights)
}

/// A sphere about a point of an axis through the origin that contains all that a sphere becomes
/// when it turns about the axis.
fn about_axis(sphere: &BoundingSphere, axis: DVec3) -> BoundingSphere {
    let foot = axis * sphere.center.dot(axis);
    BoundingSphere { center: foot, radius: foot.distance(sphere.center) + sphere.radius }
}

/// How motions are shown to be free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MotionTest {
    /// By a [`MotionChecker`]: [`MARGIN`] is kept at every time.
    #[default]
    Proven,
    /// By samples [`MARGIN`] apart in the metric that keep [`MARGIN`]: between them nothing
    /// touches, but may come nearer.
    Sampled,
}

/// The robot among obstacles: a space to plan in.
pub struct Among<'a> {
    body: &'a Body,
    obstacles: &'a Scene,
    placement: Placement,
    workspace: Workspace,
    caches: WarmStarts,
    prover: Option<MotionChecker<'a>>,
    /// How many configurations were looked at.
    pub checks: usize,
    /// Those configurations, where they are wanted; those within motions only if these are sampled.
    pub log: Option<Vec<Configuration>>,
}

impl<'a> Among<'a> {
    /// The robot among obstacles; motions are sampled.
    pub fn new(body: &'a Body, obstacles: &'a Scene) -> Result<Self> {
        let placement = body.checker.placement()?;
        let (workspace, caches) = (Workspace::default(), WarmStarts::default());
        Ok(Self { body, obstacles, placement, workspace, caches, prover: None, checks: 0, log: None })
    }

    /// The robot among obstacles, with motions looked at as asked.
    pub fn with_motions(body: &'a Body, obstacles: &'a Scene, test: MotionTest) -> Result<Self> {
        let prover = match test {
            MotionTest::Sampled => None,
            MotionTest::Proven => Some(MotionChecker::new(&body.checker, Some(obstacles))?),
        };
        Ok(Self { prover, ..Self::new(body, obstacles)? })
    }

    /// Whether the robot, all of its numbers given, keeps its margin from the obstacles and its
    /// links theirs from each other.
    pub fn is_clear(&mut self, configuration: &[f64]) -> Result<bool> {
        let checker = &self.body.checker;
        checker.place(&mut self.placement, &Pose::IDENTITY, configuration)?;
        let (workspace, caches) = (&mut self.workspace, &mut self.caches);
        let scene = Some(&mut caches.scene);
        if checker.scene_collision(&self.placement, self.obstacles, workspace, scene)?.is_some() {
            return Ok(false);
        }
        Ok(checker.self_collision(&self.placement, workspace, Some(&mut caches.own))?.is_none())
    }
}

impl Space for Among<'_> {
    type Error = crate::Error;

    fn bounds(&self) -> &[[f64; 2]] {
        &self.body.bounds
    }

    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).zip(&self.body.weights).map(|((a, b), weight)| (a - b).abs() * weight).sum()
    }

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool> {
        self.checks += 1;
        if let Some(log) = &mut self.log {
            log.push(configuration.to_vec());
        }
        let full = self.body.full(configuration);
        self.is_clear(&full)
    }

    fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<bool> {
        let Some(prover) = &mut self.prover else { return samples_are_free(self, from, to, MARGIN) };
        let request = MotionRequest { find: Find::Any, tolerance: TOLERANCE, ..MotionRequest::default() };
        let evaluations = prover.evaluations[0];
        let verdict = prover.segment(&Pose::IDENTITY, &self.body.full(from), &self.body.full(to), &request)?;
        self.checks += prover.evaluations[0] - evaluations;
        Ok(matches!(verdict, MotionVerdict::Free { .. }))
    }

    /// Half of the samples have the arms at the sides: passages are narrow, and a posture is six
    /// numbers.
    fn sample(&self, unit: &mut dyn FnMut() -> f64) -> Configuration {
        let mut sample: Configuration =
            self.body.bounds.iter().map(|&[low, high]| low + (high - low) * unit()).collect();
        if unit() < 0.5 {
            sample[BASE..].copy_from_slice(&TUCKED);
        }
        sample
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::Random;
    use crate::planner::between;
    use clearance_engine::shape::Cuboid;
    use clearance_engine::tree::Solid;
    use clearance_robot::Object;

    #[test]
    fn no_vertex_of_the_robot_moves_farther_than_the_metric_says() {
        let (body, nothing) = (Body::new().unwrap(), Scene::default());
        let space = Among::new(&body, &nothing).unwrap();
        let mut random = Random(11);
        let vertices = |configuration: &[f64]| -> Vec<DVec3> {
            let poses = body.link_poses(&body.full(configuration)).unwrap();
            let mut points = Vec::new();
            for (link, pose) in body.humanoid.robot.links().iter().zip(&poses) {
                for geometry in link.geometries() {
                    let LinkShape::Mesh(mesh) = &geometry.shape else { continue };
                    points.extend(mesh.vertices().iter().map(|&vertex| pose.transform_point(vertex)));
                }
            }
            points
        };
        let mut tightest = 0.0_f64;
        for round in 0..60 {
            let from = space.sample(&mut || random.unit());
            let mut to = space.sample(&mut || random.unit());
            if round % 2 == 0 {
                // One number alone.
                let only = random.below(to.len());
                to.iter_mut().zip(&from).enumerate().for_each(|(i, (to, &from))| {
                    if i != only {
                        *to = from;
                    }
                });
            }
            let step = between(&from, &to, 0.01);
            let bound = space.distance(&from, &step);
            let moved = vertices(&from).iter().zip(vertices(&step)).map(|(a, b)| a.distance(b)).fold(0.0, f64::max);
            assert!(moved <= bound + 1e-12, "{moved} of {bound}");
            tightest = tightest.max(moved / bound);
        }
        assert!(tightest > 0.5, "the bound is of no use: {tightest}");
    }

    #[test]
    fn a_motion_that_is_proven_keeps_the_margin_between_samples_too() {
        let mut scene = Scene::default();
        for (i, x) in [-1.0, 1.0].into_iter().enumerate() {
            let geometry = Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::new(0.4, 0.1, 0.5)).unwrap()));
            let pose = Pose::from_translation(DVec3::new(x, 0.0, 0.5)).unwrap();
            scene.insert(Object { name: format!("{i}"), geometry, pose }).unwrap();
        }
        let body = Body::new().unwrap();
        let mut proven = Among::with_motions(&body, &scene, MotionTest::Proven).unwrap();
        let mut sampled = Among::with_motions(&body, &scene, MotionTest::Sampled).unwrap();
        let mut random = Random(12);
        let mut counts = [0; 2];
        for case in 0..60 {
            let from = proven.sample(&mut || random.unit());
            let to = between(&from, &proven.sample(&mut || random.unit()), 0.3);
            let is_free = proven.is_motion_free(&from, &to).unwrap();
            // What is proven keeps more than what samples show.
            assert!(!is_free || sampled.is_motion_free(&from, &to).unwrap(), "case {case}");
            let mut samples = (0..=100).map(|i| between(&from, &to, f64::from(i) / 100.0));
            let all = samples.all(|at| sampled.is_free(&at).unwrap());
            assert!(all || !is_free, "case {case}");
            counts[usize::from(is_free)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
    }

    #[test]
    fn spread_and_tucked_arms_keep_the_margin_between_links() {
        let (body, nothing) = (Body::new().unwrap(), Scene::default());
        let mut space = Among::new(&body, &nothing).unwrap();
        for arms in [SPREAD, TUCKED] {
            let configuration: Vec<f64> = [0.0; 3].into_iter().chain(arms).collect();
            assert!(space.is_free(&configuration).unwrap(), "{arms:?}");
            assert_eq!(body.humanoid.robot.outside_limits(&body.full(&configuration)).count(), 0);
        }
        assert_eq!(body.places.len(), PLANNED.len());
    }
}
