//! A robot along its motion: distances, pairs that are near, and where surfaces cross.

use crate::facts::{Clearance, Depth, NearPair, Witness, finite};
use crate::{BodyId, Recording, Result, RobotId};
use clearance_engine::Pose;
use clearance_engine::assembly::{NearParts, NearRequest, PartDistance, PartId};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::{ContactsRequest, DistanceRequest, Status};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Assembly;
use clearance_robot::{CheckOptions, Checker, CollisionModel, Placement};
use serde::Serialize;

/// The most contacts that are recorded for two bodies, and the most pairs of them for a frame.
const MAX_CONTACTS: usize = 256;
const MAX_PAIRS: usize = 16;

/// Pairs that overlap.
const OVERLAPS: NearRequest = NearRequest { max_distance: 0.0, examine_ties: false, max_steps: Some(100_000) };

/// What is asked about at every frame.
pub struct Observer<'o> {
    /// The robot in its scene, with the pairs, paddings and margins that count.
    pub checker: &'o Checker,
    /// The bodies that the objects of the scene are, in their order; `None` leaves the scene out.
    pub bodies: Option<&'o [BodyId]>,
    /// Whether the robot is also asked about itself.
    pub own: bool,
    /// The distance up to which links are shown as near, in metres.
    pub near: f64,
}

/// What was found at all frames, as the page reads it.
#[derive(Serialize)]
pub(crate) struct Observations {
    clearances: Vec<Clearance>,
    near: Vec<Vec<NearPair>>,
    contacts: Vec<Vec<f64>>,
    depths: Vec<Vec<Depth>>,
    /// By clearance, then by frame: the derivatives of the distance by the robot's variables. Empty
    /// where surfaces touch.
    gradients: Vec<Vec<Vec<f64>>>,
}

/// What was found at one frame.
#[derive(Default)]
struct Observed {
    own: Option<PartDistance>,
    scene: Option<PartDistance>,
    own_gradient: Vec<f64>,
    scene_gradient: Vec<f64>,
    near: Vec<NearPair>,
    contacts: Vec<f64>,
    depths: Vec<Depth>,
}

/// The body that a part is.
type BodyOf<'f> = &'f dyn Fn(PartId) -> Option<BodyId>;
/// Two bodies as their numbers.
type BodyPair = (BodyId, BodyId);

impl Observer<'_> {
    /// Asks about all configurations of a robot of a recording, and records the answers.
    ///
    /// ```
    /// use clearance_engine::{Pose, shape::Sphere};
    /// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// use clearance_view::{Observer, Recording, Timeline};
    /// let ball = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// let slide = JointSpec::prismatic("lift", "base", "hand", clearance_engine::math::DVec3::Z, [0.0, 1.0]);
    /// let mut checker = Checker::new(RobotBuilder::new("r").link("base", []).link("hand", [ball]).joint(slide).build()?)?;
    /// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 1.0)?)?;
    /// let mut recording = Recording::new("lift");
    /// let number = recording.add_robot(checker.robot(), &checker.base(), None)?;
    /// let bodies = recording.add_scene(checker.scene())?;
    /// recording.set_timeline(Timeline { unit: "s".into(), step: false, times: vec![0.0, 1.0] })?;
    /// recording.set_motion(number, vec![vec![0.0], vec![0.5]])?;
    /// let observer = Observer { checker: &checker, bodies: Some(&bodies), own: true, near: 0.05 };
    /// observer.record(&mut recording, number)?;
    /// assert_eq!(recording.clearances()[0].name, "to the surroundings");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn record(&self, recording: &mut Recording, robot: RobotId) -> Result<()> {
        let rows: Vec<&[f64]> = recording.robots[robot].configurations.iter().map(Vec::as_slice).collect();
        let found = self.observe(&rows, recording.link_body(robot, 0))?;
        recording.check_frames(found.near.len(), "answers")?;
        recording.margin = self.near;
        for clearance in found.clearances {
            recording.add_clearance(clearance)?;
        }
        (recording.near, recording.contacts, recording.depths) = (found.near, found.contacts, found.depths);
        Ok(())
    }

    /// Asks about configurations of the robot whose links are bodies from `first_body` on.
    pub(crate) fn observe(&self, rows: &[&[f64]], first_body: BodyId) -> Result<Observations> {
        let (model, options) = (self.checker.model(), self.checker.options());
        let near_options = CheckOptions { margin: options.margin + self.near, ..options.clone() };
        let near = model.with_options(&near_options)?;
        let link = |part: PartId| model.part(part).map(|part| first_body + part.link);
        let threads = self.checker.threads().count();
        let frames =
            model.at_configurations(&self.checker.base(), rows, threads, |i, placement, workspace, warm| {
                let request = DistanceRequest::default();
                let mut found = Observed::default();
                if self.own {
                    let distance = model.self_distance(placement, &request, workspace, Some(&mut warm.own))?;
                    found.own_gradient = self.gradient(placement, &distance, true)?;
                    found.own = Some(distance);
                }
                if self.bodies.is_some() {
                    let (scene, warm) = (self.checker.scene(), Some(&mut warm.scene));
                    let distance = model.scene_distance(placement, scene, &request, workspace, warm)?;
                    found.scene_gradient = self.gradient(placement, &distance, false)?;
                    found.scene = Some(distance);
                }
                let least =
                    [&found.own, &found.scene].into_iter().flatten().map(|d| d.lower).fold(f64::INFINITY, f64::min);
                if least <= self.near {
                    self.pairs(&mut found, placement, rows[i], &near, workspace, &link)?;
                }
                Ok(found)
            })?;
        let own = |frame: &Observed| frame.own;
        let scene = |frame: &Observed| frame.scene;
        let body = |part: PartId| link(part).ok();
        let (mut clearances, mut gradients) = (Vec::new(), Vec::new());
        let gradients_of = |of: fn(&Observed) -> &Vec<f64>| frames.iter().map(of).cloned().collect::<Vec<_>>();
        if self.own && model.pairs().next().is_some() {
            clearances.push(clearance("to itself", &frames, own, (&body, &body)));
            gradients.push(gradients_of(|frame| &frame.own_gradient));
        }
        if self.bodies.is_some() {
            clearances.push(clearance("to the surroundings", &frames, scene, (&body, &|part| self.object(part))));
            gradients.push(gradients_of(|frame| &frame.scene_gradient));
        }
        let mut found =
            Observations { clearances, near: Vec::new(), contacts: Vec::new(), depths: Vec::new(), gradients };
        for frame in frames {
            found.near.push(frame.near);
            found.contacts.push(frame.contacts);
            found.depths.push(frame.depths);
        }
        Ok(found)
    }

    /// The derivative of a distance by the robot's variables; empty where there is none.
    fn gradient(&self, placement: &Placement, found: &PartDistance, own: bool) -> clearance_robot::Result<Vec<f64>> {
        let Some(witness) = found.witness else { return Ok(Vec::new()) };
        let Some(normal) = (witness.point_b - witness.point_a).try_normalize() else { return Ok(Vec::new()) };
        let parts = [Some(witness.part_a), own.then_some(witness.part_b)];
        self.checker.model().distance_gradient(placement, parts, witness.point_a, normal)
    }

    /// The body that an object of the scene is.
    fn object(&self, part: PartId) -> Option<BodyId> {
        let scene = self.checker.scene();
        let name = scene.name(part).ok()?;
        let place = scene.names().position(|other| other == name)?;
        self.bodies?.get(place).copied()
    }

    /// Pairs that touch or are near, and where they touch.
    fn pairs(
        &self,
        found: &mut Observed,
        placement: &Placement,
        row: &[f64],
        near: &CollisionModel,
        workspace: &mut Workspace,
        link: &dyn Fn(PartId) -> clearance_robot::Result<BodyId>,
    ) -> clearance_robot::Result<()> {
        let mut placed = near.placement()?;
        near.place(&mut placed, &self.checker.base(), row)?;
        let (model, scene) = (self.checker.model(), self.checker.scene());
        let mut pairs: Vec<(BodyPair, bool)> = Vec::new();
        let mut add = |a: Option<BodyId>, b: Option<BodyId>, colliding: bool| {
            if let (Some(a), Some(b)) = (a, b)
                && !pairs.iter().any(|(pair, _)| *pair == (a, b))
            {
                pairs.push(((a, b), colliding));
            }
        };
        if self.own {
            let hits = model.self_collisions(placement, workspace)?;
            for &(a, b) in &hits {
                add(link(a).ok(), link(b).ok(), true);
            }
            let assembly = placement.assembly();
            hits.iter().take(MAX_PAIRS).for_each(|hit| found.crossing(assembly, assembly, *hit, workspace));
            if !hits.is_empty() {
                let deep = model.self_near(placement, &OVERLAPS, workspace)?;
                found.deep(&deep, |part| link(part).ok(), |part| link(part).ok());
            }
            for (a, b) in near.self_collisions(&placed, workspace)? {
                // Parts have the same numbers in both models.
                let id = |part: PartId| placement.assembly().id(part.number()).and_then(|part| link(part).ok());
                add(id(a), id(b), false);
            }
        }
        if self.bodies.is_some() {
            let hits = model.scene_collisions(placement, scene, workspace)?;
            for &(a, b) in &hits {
                add(link(a).ok(), self.object(b), true);
            }
            let (own, other) = (placement.assembly(), scene.assembly());
            hits.iter().take(MAX_PAIRS).for_each(|hit| found.crossing(own, other, *hit, workspace));
            if !hits.is_empty() {
                let deep = model.scene_near(placement, scene, &OVERLAPS, workspace)?;
                found.deep(&deep, |part| link(part).ok(), |part| self.object(part));
            }
            for (a, b) in near.scene_collisions(&placed, scene, workspace)? {
                let id = placement.assembly().id(a.number()).and_then(|part| link(part).ok());
                add(id, self.object(b), false);
            }
        }
        found.near = pairs.into_iter().map(|((a, b), colliding)| NearPair { a, b, colliding }).collect();
        Ok(())
    }
}

impl Observed {
    /// Adds how deep solids are in each other. Surfaces have no depth.
    fn deep(
        &mut self,
        pairs: &[NearParts],
        body_a: impl Fn(PartId) -> Option<BodyId>,
        body_b: impl Fn(PartId) -> Option<BodyId>,
    ) {
        for pair in pairs.iter().filter(|pair| pair.signed < 0.0 && pair.status != Status::Inexact) {
            if let (Some(a), Some(b)) = (body_a(pair.part_a), body_b(pair.part_b)) {
                let shift = (pair.normal * -pair.signed).to_array();
                self.depths.push(Depth { a, b, point: pair.point_a.to_array(), shift });
            }
        }
    }

    /// Adds where two parts cross.
    fn crossing(&mut self, a: &Assembly, b: &Assembly, (part_a, part_b): (PartId, PartId), workspace: &mut Workspace) {
        let (number_a, number_b) = (part_a.number(), part_b.number());
        let (pose_a, pose_b) = (a.pose(number_a), b.pose(number_b));
        let request = ContactsRequest { max_contacts: MAX_CONTACTS, ..ContactsRequest::default() };
        let plan = Dispatcher::shared().plan(&**a.geometry(number_a), &**b.geometry(number_b));
        // Pairs whose contacts are not known are shown by their colour alone.
        let Ok(contacts) = plan.and_then(|plan| plan.contacts(&pose_a.inverse().then(pose_b), &request, workspace))
        else {
            return;
        };
        for contact in &contacts.contacts {
            self.contacts.extend(lines(&contact.points, pose_a));
        }
    }
}

/// The edges of what two triangles share, in the world, six numbers each, to the micrometre: they
/// are drawn, and files hold thousands of them.
pub(crate) fn lines(points: &[DVec3], pose: &Pose) -> Vec<f64> {
    let count = if points.len() <= 2 { 1.min(points.len()) } else { points.len() };
    let edge = |i: usize| [points[i], points[(i + 1) % points.len()]];
    (0..count)
        .flat_map(edge)
        .flat_map(|point| pose.transform_point(point).to_array().map(|x| (x * 1e6).round() / 1e6))
        .collect()
}

fn clearance(
    name: &str,
    frames: &[Observed],
    distance: impl Fn(&Observed) -> Option<PartDistance>,
    (body_a, body_b): (BodyOf<'_>, BodyOf<'_>),
) -> Clearance {
    let mut found = Clearance { name: name.to_owned(), ..Clearance::default() };
    for frame in frames {
        let distance = distance(frame);
        found.lower.push(distance.and_then(|distance| finite(distance.lower)));
        found.upper.push(distance.and_then(|distance| finite(distance.upper)));
        let witness = distance.and_then(|distance| distance.witness).and_then(|witness| {
            let points = [witness.point_a.to_array(), witness.point_b.to_array()];
            Some(Witness { a: body_a(witness.part_a)?, b: body_b(witness.part_b)?, points })
        });
        found.witnesses.push(witness);
    }
    found
}
