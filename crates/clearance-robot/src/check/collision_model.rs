//! A robot with its hierarchies, and the robot in a configuration.

use super::parts::{BuildMesh, Part, default_mesh, from_engine, parts_of};
use super::rules::{Attachment, CheckOptions, Rules};
use super::scene::{Outward, Scene};
use super::self_collision_pruning::{Inward, kinematic_assembly, node_gaps};
use crate::{BodyPart, Error, ErrorKind, GapOptions, Gaps, Result, Robot, Verdict};
use clearance_engine::Pose;
use clearance_engine::assembly::{Assembly, AssemblyPair, AssemblyWarmStart, Pairing, PartDistance, PartId};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::f32_below;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::{NodePair, Workspace};
use clearance_engine::tree::next_revision;
use std::collections::HashSet;
use std::sync::Arc;

/// A robot, ready to be asked whether it collides and how far it is from what.
///
/// It is `Sync`: many threads may ask, each with a [`Placement`] and a [`Workspace`] of its own.
#[derive(Clone)]
pub struct CollisionModel {
    /// What its placements are known by; no other checker has the same.
    identity: u64,
    robot: Arc<Robot>,
    dispatcher: Arc<Dispatcher>,
    parts: Vec<Part>,
    rules: Rules,
    /// The parts in the default configuration; what placements start from.
    assembly: Assembly,
    /// Pairs of nodes that cover all pairs of bodies that are not neighbours.
    seeds: Vec<NodePair>,
    /// By pair of nodes: at most their distance in any configuration within the limits.
    gaps: Vec<f32>,
    proofs: Option<Gaps>,
}

/// What rounding may change in a distance between links that are no farther than [`FARTHEST`] from
/// the world's origin.
pub(super) const POSE_ROUNDING: f64 = 1e-9;

/// Where no proven gap is relied upon any more, in metres: hundreds of joints may each add three
/// roundings of 1.1e-16 times this.
pub(super) const FARTHEST: f64 = 1e4;

/// A robot in one configuration, made by [`CollisionModel::placement`]; any other checker refuses it.
#[derive(Clone)]
pub struct Placement {
    /// That of its checker.
    checker: u64,
    configuration: Vec<f64>,
    /// Whether the configuration placed it, not [`CollisionModel::place_links`].
    by_joints: bool,
    poses: Vec<Pose>,
    /// Where the next poses are computed: a configuration that has none leaves the others as they
    /// are.
    next_poses: Vec<Pose>,
    assembly: Assembly,
    /// Whether what is proven holds: within the joints' limits, and not so far away that poses are
    /// rounded by more than was allowed for.
    proofs_hold: bool,
}

impl Placement {
    /// The poses of the links in the world.
    pub fn link_poses(&self) -> &[Pose] {
        &self.poses
    }

    /// The configuration; empty where the links were placed one by one.
    pub fn configuration(&self) -> &[f64] {
        &self.configuration
    }

    /// Whether a configuration placed it.
    pub(super) fn by_joints(&self) -> bool {
        self.by_joints
    }

    /// The parts at their poses, by the numbers that answers have, under a tree of the robot's
    /// bodies and branches; the first child of a branch is the body that it starts with, if that
    /// has parts.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    /// Whether what was proven about the robot within its limits holds here.
    pub(super) fn proofs_hold(&self) -> bool {
        self.proofs_hold
    }
}

impl CollisionModel {
    /// Builds the hierarchies of all parts.
    pub fn new(robot: Arc<Robot>, options: &CheckOptions) -> Result<Self> {
        Self::with_meshes(robot, options, &default_mesh)
    }

    /// The same with the links' meshes under hierarchies of the caller's choice: other volumes than
    /// the default, sphere trees.
    ///
    /// ```
    /// use clearance_engine::{Pose, TriMesh, math::DVec3, tree::Mesh, volume::Rss};
    /// use clearance_robot::{CheckOptions, CollisionModel, LinkGeometry, LinkShape, RobotBuilder};
    /// use std::sync::Arc;
    /// let tri_mesh = Arc::new(TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::Y], vec![[0, 1, 2]])?);
    /// let link = LinkGeometry::new(Pose::IDENTITY, LinkShape::Mesh(tri_mesh));
    /// let robot = Arc::new(RobotBuilder::new("flag").link("flag", [link]).build()?);
    /// let checker = CollisionModel::with_meshes(robot, &CheckOptions::default(), &|tri_mesh| Ok(Arc::new(Mesh::<Rss>::new(tri_mesh.clone())?)))?;
    /// assert_eq!(checker.parts()[0].geometry.kind(), "rss");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_meshes(robot: Arc<Robot>, options: &CheckOptions, build: &BuildMesh<'_>) -> Result<Self> {
        let parts = parts_of(&robot, build)?;
        Self::assemble(robot, parts, options, Dispatcher::shared().clone())
    }

    /// The same with a dispatcher that knows geometries or pair tests of your own.
    pub fn with_dispatcher(robot: Arc<Robot>, options: &CheckOptions, dispatcher: Arc<Dispatcher>) -> Result<Self> {
        let parts = parts_of(&robot, &default_mesh)?;
        Self::assemble(robot, parts, options, dispatcher)
    }

    /// The same robot and hierarchies under other options: nothing is built anew, and what was
    /// proven still holds for bodies to which nothing was attached, before or now.
    pub fn with_options(&self, options: &CheckOptions) -> Result<Self> {
        let parts = self.parts.iter().filter(|part| part.attached.is_none()).cloned().collect();
        let mut model = Self::assemble(self.robot.clone(), parts, options, self.dispatcher.clone())?;
        if let Some(proofs) = &self.proofs {
            let carriers = |parts: &[Part]| -> HashSet<usize> {
                let carried = parts.iter().filter(|part| part.attached.is_some());
                carried.map(|part| self.robot.body_of(part.link)).collect()
            };
            let changed = &carriers(&self.parts) | &carriers(&model.parts);
            model.rely_on(proofs.without(|body| changed.contains(&body)));
        }
        Ok(model)
    }

    /// Adds what is attached to the links' parts, and makes the tree and the list of pairs.
    fn assemble(
        robot: Arc<Robot>,
        mut parts: Vec<Part>,
        options: &CheckOptions,
        dispatcher: Arc<Dispatcher>,
    ) -> Result<Self> {
        for object in &options.attached {
            let link = carrier(&robot, &parts, object)?;
            let (geometry, name) = (object.geometry.clone(), object.name.clone());
            parts.push(Part::new(link, object.link_from_object, geometry, Some(name)));
        }
        let rules = Rules::new(&robot, &parts, options)?;
        let (assembly, seeds) = kinematic_assembly(&robot, &parts, &rules);
        let identity = next_revision();
        let mut checker =
            Self { identity, robot, dispatcher, parts, rules, assembly, seeds, gaps: Vec::new(), proofs: None };
        checker.check_tests_exist()?;
        checker.keep_gaps(|_, _| 0.0);
        Ok(checker)
    }

    /// Every pair must have a test, or no question could be answered.
    fn check_tests_exist(&self) -> Result<()> {
        for (a, b) in self.rules.pairs() {
            let (a, b) = (&self.parts[a as usize], &self.parts[b as usize]);
            self.dispatcher.plan(&*a.geometry, &*b.geometry).map_err(from_engine)?;
        }
        Ok(())
    }

    /// Keeps proven gaps of pairs of bodies, and forgets what is never looked at.
    pub(crate) fn keep_gaps(&mut self, gap_of_bodies: impl Fn(usize, usize) -> f64) {
        let bodies: Vec<usize> = self.parts.iter().map(|part| self.robot.body_of(part.link)).collect();
        let gap_of_parts = |a: u32, b: u32| match self.rules.offset(a, b) {
            Some(_) => f32_below(gap_of_bodies(bodies[a as usize], bodies[b as usize])),
            None => f32::INFINITY,
        };
        let (gaps, nodes) = (node_gaps(&self.assembly, gap_of_parts), self.assembly.node_count());
        self.seeds.retain(|pair| gaps[pair.a as usize * nodes + pair.b as usize] < f32::INFINITY);
        self.gaps = gaps;
    }

    /// Proves how near pairs of bodies can come to each other within the joint limits, so that
    /// questions skip pairs that cannot matter; changes no answer. Takes seconds for robots of many
    /// joints: see [`GapOptions`].
    pub fn prove(&mut self, options: &GapOptions) -> Result<&Gaps> {
        self.prove_observed(options, &|_, _| ())
    }

    /// The pairs of bodies with parts that are looked at, in ascending order.
    pub(super) fn body_pairs(&self) -> Vec<[usize; 2]> {
        let body = |part: u32| self.robot.body_of(self.parts[part as usize].link);
        let pairs = self.rules.pairs().map(|(a, b)| [body(a).min(body(b)), body(a).max(body(b))]);
        let mut pairs: Vec<[usize; 2]> = pairs.filter(|[a, b]| a != b).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    pub(super) fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    pub(super) fn set_proofs(&mut self, proofs: Gaps) -> &Gaps {
        self.proofs.insert(proofs)
    }

    /// What can be proven about two links alone; [`prove`](CollisionModel::prove) speaks of bodies, which
    /// may have more links.
    pub fn prove_links(&self, link_a: usize, link_b: usize, options: &GapOptions) -> Result<Verdict> {
        let bodies = self.body_parts(|part| part.link == link_a || part.link == link_b);
        let pair = [self.robot.body_of(link_a), self.robot.body_of(link_b)];
        let gaps = Gaps::prove_with(&self.dispatcher, &self.robot, &bodies, &[pair], options)?;
        let missing = || Error::new(ErrorKind::Unknown, "the two links belong to one body");
        gaps.pair(pair[0], pair[1]).map(|pair| pair.verdict.clone()).ok_or_else(missing)
    }

    /// The parts that are wanted, by their bodies.
    pub(super) fn body_parts(&self, wanted: impl Fn(&Part) -> bool) -> Vec<Vec<BodyPart>> {
        let body_from_links = self.robot.body_from_links();
        let mut bodies: Vec<Vec<BodyPart>> = vec![Vec::new(); self.robot.bodies().len()];
        for part in self.parts.iter().filter(|part| wanted(part)) {
            let body_from_part = body_from_links[part.link].then(&part.link_from_part);
            bodies[self.robot.body_of(part.link)].push(BodyPart::new(part.geometry.clone(), body_from_part));
        }
        bodies
    }

    /// What [`prove`](CollisionModel::prove) found.
    pub fn proofs(&self) -> Option<&Gaps> {
        self.proofs.as_ref()
    }

    /// The robot.
    pub fn robot(&self) -> &Arc<Robot> {
        &self.robot
    }

    /// The parts, by the numbers that answers have.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// A part of an answer; an error if it is another checker's.
    pub fn part(&self, part: PartId) -> Result<&Part> {
        self.check_part(part).map(|number| &self.parts[number as usize])
    }

    /// How a part is called: its link, or the attached object. An error if it is another checker's.
    pub fn name(&self, part: PartId) -> Result<&str> {
        self.check_part(part).map(|number| self.name_of(number))
    }

    fn check_part(&self, part: PartId) -> Result<u32> {
        let unknown = || Error::new(ErrorKind::Unknown, "the part belongs to another checker or to a scene");
        if self.assembly.contains(part) { Ok(part.number()) } else { Err(unknown()) }
    }

    /// As [`name`](CollisionModel::name), by the part's number.
    pub(super) fn name_of(&self, number: u32) -> &str {
        let part = &self.parts[number as usize];
        part.attached.as_deref().unwrap_or_else(|| self.robot.links()[part.link].name())
    }

    /// The pairs of parts that are looked at.
    pub fn pairs(&self) -> impl Iterator<Item = (PartId, PartId)> {
        self.rules.pairs().filter_map(|(a, b)| self.assembly.id(a).zip(self.assembly.id(b)))
    }

    /// A part by its number.
    pub(super) fn part_id(&self, part: u32) -> Option<PartId> {
        self.assembly.id(part)
    }

    /// A placement in the default configuration at the world's origin.
    pub fn placement(&self) -> Result<Placement> {
        let (checker, assembly) = (self.identity, self.assembly.clone());
        let configuration = self.robot.default_configuration();
        let (poses, next_poses) = (Vec::new(), Vec::new());
        let (own, by_joints, proofs_hold) = (Vec::new(), true, true);
        let mut placement =
            Placement { checker, configuration: own, by_joints, poses, next_poses, assembly, proofs_hold };
        self.place(&mut placement, &Pose::IDENTITY, &configuration)?;
        Ok(placement)
    }

    /// Moves a placement; `base` is the root link's pose in the world. Configurations outside of
    /// the limits are legal.
    pub fn place(&self, placement: &mut Placement, base: &Pose, configuration: &[f64]) -> Result<()> {
        self.place_by(placement, Some(configuration), |poses| self.robot.link_poses(base, configuration, poses))
    }

    /// As another placement of the same robot is, with its root elsewhere where joints placed it.
    pub(super) fn place_as(&self, placement: &mut Placement, base: &Pose, other: &Placement) -> Result<()> {
        if other.by_joints {
            return self.place(placement, base, &other.configuration);
        }
        self.place_links(placement, &other.poses)
    }

    /// Moves a placement to the link poses that `kinematics` computes, of a configuration if there
    /// is one.
    #[inline]
    pub(super) fn place_by(
        &self,
        placement: &mut Placement,
        configuration: Option<&[f64]>,
        kinematics: impl FnOnce(&mut Vec<Pose>) -> Result<()>,
    ) -> Result<()> {
        self.check_owner(placement)?;
        kinematics(&mut placement.next_poses)?;
        std::mem::swap(&mut placement.poses, &mut placement.next_poses);
        let near = |pose: &Pose| pose.translation().abs().max_element() <= FARTHEST;
        // What is proven is about poses that the joints can reach.
        let within = |configuration| self.robot.outside_limits(configuration).next().is_none();
        placement.proofs_hold = placement.poses.iter().all(near) && configuration.is_some_and(within);
        let Placement { poses, assembly, .. } = placement;
        assembly.place_all(|part| {
            let part = &self.parts[part as usize];
            part.placed(&poses[part.link])
        });
        placement.by_joints = configuration.is_some();
        placement.configuration.clear();
        placement.configuration.extend_from_slice(configuration.unwrap_or_default());
        Ok(())
    }

    /// What its placements are known by.
    pub(super) fn identity(&self) -> u64 {
        self.identity
    }

    /// Refuses a placement that another checker made: its parts are others.
    pub(super) fn check_owner(&self, placement: &Placement) -> Result<()> {
        if placement.checker == self.identity {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::BadConfiguration,
            "the placement belongs to another checker; make one with `placement`",
        ))
    }

    /// Two parts in the order in which a traversal from the seeds tests them.
    pub(super) fn tested_order(&self, a: u32, b: u32) -> [u32; 2] {
        let (low, high) = (a.min(b), a.max(b));
        let links = [low, high].map(|part| self.parts[part as usize].link);
        if !self.robot.are_checked(links[0], links[1]) {
            return [low, high];
        }
        let bodies = links.map(|link| self.robot.body_of(link));
        // What carries comes first; of two branches that with the larger numbers.
        let [first, second] = if bodies[0] < bodies[1] { [low, high] } else { [high, low] };
        let carries = self.robot.body_subtree(bodies[0].min(bodies[1])).contains(&bodies[0].max(bodies[1]));
        if carries { [first, second] } else { [second, first] }
    }

    /// What decides which pairs are looked at.
    pub(super) fn rules(&self) -> &Rules {
        &self.rules
    }

    pub(super) fn with_itself<T>(
        &self,
        placement: &Placement,
        ask: impl FnOnce(AssemblyPair<'_, Inward<'_>>) -> T,
    ) -> T {
        let gaps: &[f32] = if placement.proofs_hold { &self.gaps } else { &[] };
        let pairing = Inward { rules: &self.rules, gaps, nodes: self.assembly.node_count() };
        ask(AssemblyPair::within(&self.dispatcher, &placement.assembly, &self.seeds, &pairing))
    }

    /// Two parts of the robot that collide with each other, if there are any.
    pub fn self_collision(
        &self,
        placement: &Placement,
        workspace: &mut Workspace,
        warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<Option<(PartId, PartId)>> {
        self.check_owner(placement)?;
        let found = self.with_itself(placement, |meet| meet.collide(workspace, warm_start));
        found.map(|(hit, _)| hit).map_err(from_engine)
    }

    /// All pairs of parts of the robot that collide with each other.
    pub fn self_collisions(&self, placement: &Placement, workspace: &mut Workspace) -> Result<Vec<(PartId, PartId)>> {
        self.check_owner(placement)?;
        let found = self.with_itself(placement, |meet| meet.collisions(workspace));
        let ordered = |(a, b): (PartId, PartId)| (a.min(b), a.max(b));
        let mut hits: Vec<(PartId, PartId)> = found.map_err(from_engine)?.0.into_iter().map(ordered).collect();
        hits.sort_unstable();
        Ok(hits)
    }

    /// The nearest two parts of the robot.
    pub fn self_distance(
        &self,
        placement: &Placement,
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<PartDistance> {
        self.check_owner(placement)?;
        self.with_itself(placement, |meet| meet.distance(request, workspace, warm_start)).map_err(from_engine)
    }

    /// The distances of all pairs of parts that are looked at, in their order, each less its
    /// paddings and margin.
    pub fn self_distances(
        &self,
        placement: &Placement,
        request: &DistanceRequest,
        workspace: &mut Workspace,
    ) -> Result<Vec<((PartId, PartId), PartDistance)>> {
        self.check_owner(placement)?;
        let all = self.with_itself(placement, |meet| {
            let mut alone = |pair| meet.pair_distance(pair, request, workspace, None).transpose();
            let one = |pair| Some(alone(pair)?.map(|distance| (pair, distance)));
            self.pairs().filter_map(one).collect::<clearance_engine::Result<_>>()
        });
        all.map_err(from_engine)
    }

    pub(super) fn with_scene<'a, T>(
        &'a self,
        placement: &'a Placement,
        scene: &'a Scene,
        ask: impl FnOnce(AssemblyPair<'_, Outward<'_>>) -> T,
    ) -> T {
        let pairing = Outward { rules: &self.rules, scene };
        ask(AssemblyPair::new(&self.dispatcher, &placement.assembly, scene.assembly(), &pairing))
    }

    /// A part of the robot and an object of the scene that collide, if there are any.
    pub fn scene_collision(
        &self,
        placement: &Placement,
        scene: &Scene,
        workspace: &mut Workspace,
        warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<Option<(PartId, PartId)>> {
        self.check_owner(placement)?;
        self.with_scene(placement, scene, |meet| meet.collide(workspace, warm_start))
            .map(|(hit, _)| hit)
            .map_err(from_engine)
    }

    /// All parts of the robot and objects of the scene that collide.
    pub fn scene_collisions(
        &self,
        placement: &Placement,
        scene: &Scene,
        workspace: &mut Workspace,
    ) -> Result<Vec<(PartId, PartId)>> {
        self.check_owner(placement)?;
        self.with_scene(placement, scene, |meet| meet.collisions(workspace)).map(|(hits, _)| hits).map_err(from_engine)
    }

    /// The part of the robot and the object of the scene that are nearest to each other.
    pub fn scene_distance(
        &self,
        placement: &Placement,
        scene: &Scene,
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<PartDistance> {
        self.check_owner(placement)?;
        self.with_scene(placement, scene, |meet| meet.distance(request, workspace, warm_start)).map_err(from_engine)
    }

    pub(super) fn with_robot<T>(
        &self,
        placement: &Placement,
        other: (&CollisionModel, &Placement),
        ask: impl FnOnce(AssemblyPair<'_, Between<'_>>) -> T,
    ) -> T {
        let pairing = Between { own: self, other: other.0 };
        ask(AssemblyPair::new(&self.dispatcher, &placement.assembly, &other.1.assembly, &pairing))
    }

    /// A part of this robot and one of another that collide, if there are any.
    pub fn robot_collision(
        &self,
        placement: &Placement,
        other: (&CollisionModel, &Placement),
        workspace: &mut Workspace,
        warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<Option<(PartId, PartId)>> {
        self.check_owner(placement)?;
        other.0.check_owner(other.1)?;
        self.with_robot(placement, other, |meet| meet.collide(workspace, warm_start))
            .map(|(hit, _)| hit)
            .map_err(from_engine)
    }

    /// The nearest parts of this robot and another.
    pub fn robot_distance(
        &self,
        placement: &Placement,
        other: (&CollisionModel, &Placement),
        request: &DistanceRequest,
        workspace: &mut Workspace,
        warm_start: Option<&mut AssemblyWarmStart>,
    ) -> Result<PartDistance> {
        self.check_owner(placement)?;
        other.0.check_owner(other.1)?;
        self.with_robot(placement, other, |meet| meet.distance(request, workspace, warm_start)).map_err(from_engine)
    }
}

/// The link that carries an object; an error if there is none, or if the object's name would be
/// ambiguous.
fn carrier(robot: &Robot, parts: &[Part], object: &Attachment) -> Result<usize> {
    let refuse = |kind, reason| Err(Error::new(kind, reason).of(format!("attached object '{}'", object.name)));
    if robot.link_index(&object.name).is_some() || parts.iter().any(|part| part.attached.as_ref() == Some(&object.name))
    {
        return refuse(ErrorKind::Repeated, "a link or another object has this name; give it another one".to_owned());
    }
    if let Some(name) = object.touch_links.iter().find(|name| robot.link_index(name).is_none()) {
        return refuse(
            ErrorKind::Unknown,
            format!("it may touch '{name}', but no link is called so; correct the name"),
        );
    }
    match robot.link_index(&object.link) {
        Some(link) => Ok(link),
        None => refuse(ErrorKind::Unknown, format!("no link is called '{}'; correct the name", object.link)),
    }
}

/// Two robots.
pub(super) struct Between<'a> {
    own: &'a CollisionModel,
    other: &'a CollisionModel,
}

impl Pairing for Between<'_> {
    fn offset(&self, part_a: u32, part_b: u32) -> Option<f64> {
        self.other.rules.outward(part_b, 0.0, "")?;
        self.own.rules.toward_robot(part_a, self.other.rules.padding(part_b), self.other.name_of(part_b))
    }

    fn largest_offset(&self) -> f64 {
        self.own.rules.largest_outward() + self.other.rules.largest_outward()
    }
}
