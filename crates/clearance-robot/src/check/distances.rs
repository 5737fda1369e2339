//! The distance of the nearest two things, with its gradient by the joints.

use super::checker::{Against, Checker};
use super::parts::from_engine;
use crate::Result;
use clearance_engine::assembly::{PartDistance, PartWitness};
use clearance_engine::math::DVec3;
use clearance_engine::query::{DistanceRequest, Status};

/// The certified distance of the nearest two things, less their paddings and margins.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotDistance {
    /// At most the distance.
    pub lower: f64,
    /// At least the distance; 0 where they touch.
    pub upper: f64,
    /// The link of the robot, or the object that it carries.
    pub a: String,
    /// The other link, attached object or object of the scene.
    pub b: String,
    /// Which of these `b` is.
    pub against: Against,
    /// The witness point on `a`, in the world.
    pub point_a: DVec3,
    /// The witness point on `b`, in the world.
    pub point_b: DVec3,
    /// Unit length, from `a` to `b`: moved this way, `b` gets farther from `a`.
    pub normal: DVec3,
    /// The derivative of the distance by each variable of the robot; of the signed distance of `a`
    /// and `b` where they touch ([`Checker::near`]).
    pub gradient: Vec<f64>,
    /// The same by each variable of the other robot; empty where there is none.
    pub gradient_b: Vec<f64>,
    /// Why the search ended.
    pub status: Status,
}

impl Checker {
    /// The distance of the nearest two things: links with each other, or a link and an object of
    /// the scene. `None` where no pair is checked.
    pub fn distance(&mut self, configuration: &[f64]) -> Result<Option<RobotDistance>> {
        self.place(configuration)?;
        let own = self.own_distance()?;
        let limit = own.as_ref().map_or(f64::INFINITY, |own| own.upper);
        let scene = self.placed_scene_distance(limit)?;
        // Beyond the limit the scene has no witness, and the robot itself is nearer.
        let lower = [&own, &scene].into_iter().flatten().fold(f64::INFINITY, |lower, found| lower.min(found.lower));
        let (found, against) = match (own, scene) {
            (Some(own), Some(scene)) if own.upper <= scene.upper => (own, Against::Itself),
            (_, Some(scene)) => (scene, Against::Scene),
            (Some(own), None) => (own, Against::Itself),
            (None, None) => return Ok(None),
        };
        self.named(PartDistance { lower, ..found }, against, None)
    }

    /// The distance of the nearest two parts of the robot that are checked; `None` if there are
    /// none.
    pub fn self_distance(&mut self, configuration: &[f64]) -> Result<Option<RobotDistance>> {
        self.place(configuration)?;
        let Some(found) = self.own_distance()? else { return Ok(None) };
        self.named(found, Against::Itself, None)
    }

    /// The distance of the robot from the nearest object of the scene; `None` in an empty scene.
    pub fn scene_distance(&mut self, configuration: &[f64]) -> Result<Option<RobotDistance>> {
        self.place(configuration)?;
        let Some(found) = self.placed_scene_distance(f64::INFINITY)? else { return Ok(None) };
        self.named(found, Against::Scene, None)
    }

    /// The distance of the nearest parts of this robot and another; `None` if no pair is checked.
    pub fn robot_distance(
        &mut self,
        configuration: &[f64],
        other: &mut Self,
        other_configuration: &[f64],
    ) -> Result<Option<RobotDistance>> {
        self.place(configuration)?;
        other.place(other_configuration)?;
        let Self { model, placement, workspace, warm_starts, .. } = self;
        let (pair, request) = ((&*other.model, &other.placement), DistanceRequest::default());
        let found = model.robot_distance(placement, pair, &request, workspace, Some(&mut warm_starts.robot))?;
        self.named(found, Against::Robot, Some(other))
    }

    fn own_distance(&mut self) -> Result<Option<PartDistance>> {
        let Self { model, placement, workspace, warm_starts, .. } = self;
        let request = DistanceRequest::default();
        let found = model.self_distance(placement, &request, workspace, Some(&mut warm_starts.own))?;
        Ok(found.witness.is_some().then_some(found))
    }

    fn placed_scene_distance(&mut self, max_d: f64) -> Result<Option<PartDistance>> {
        let Self { model, placement, workspace, warm_starts, scene, .. } = self;
        let request = DistanceRequest { max_d, ..DistanceRequest::default() };
        let found = model.scene_distance(placement, scene, &request, workspace, Some(&mut warm_starts.scene))?;
        Ok(found.witness.is_some().then_some(found))
    }

    /// The answer with names and gradients; `None` where nothing was found.
    fn named(&mut self, found: PartDistance, against: Against, other: Option<&Self>) -> Result<Option<RobotDistance>> {
        let Some(witness) = found.witness else { return Ok(None) };
        let Self { model, placement, workspace, scene, .. } = self;
        let normal = match (against, other) {
            (Against::Itself, _) => model.with_itself(placement, |pair| pair.normal(&found, workspace)),
            (Against::Robot, Some(other)) => {
                let other = (&*other.model, &other.placement);
                model.with_robot(placement, other, |pair| pair.normal(&found, workspace))
            }
            _ => model.with_scene(placement, scene, |pair| pair.normal(&found, workspace)),
        };
        let normal = normal.map_err(from_engine)?.unwrap_or(DVec3::X);
        let PartWitness { part_a, part_b, point_a, point_b, .. } = witness;
        let (b, own_b) = match (against, other) {
            (Against::Itself, _) => (model.name(part_b)?, Some(part_b)),
            (Against::Robot, Some(other)) => (other.model.name(part_b)?, None),
            _ => (scene.name(part_b)?, None),
        };
        let gradient_b =
            other.map(|other| other.model.distance_gradient(&other.placement, [None, Some(part_b)], point_b, normal));
        Ok(Some(RobotDistance {
            lower: found.lower,
            upper: found.upper,
            a: model.name(part_a)?.to_owned(),
            b: b.to_owned(),
            against,
            point_a,
            point_b,
            normal,
            gradient: model.distance_gradient(placement, [Some(part_a), own_b], point_b, normal)?,
            gradient_b: gradient_b.transpose()?.unwrap_or_default(),
            status: found.status,
        }))
    }
}
