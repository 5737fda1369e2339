//! All pairs nearer than a distance, with their gradients by the joints: what an optimiser
//! linearises.

use super::checker::{Against, Checker};
use super::collision_model::{CollisionModel, Placement};
use super::parts::from_engine;
use super::scene::Scene;
use crate::Result;
use crate::jacobian::Placed;
use clearance_engine::assembly::{NearParts, NearRequest, PartId};
use clearance_engine::math::DVec3;
use clearance_engine::query::Status;
use clearance_engine::traversal::Workspace;

/// Two things that are near to each other or overlap, by their names, and how their signed distance
/// changes with the joints.
///
/// A link of several geometries counts as one: the pair has the least signed distance of any two of
/// their geometries. Paddings and margins are taken off, so that it may be negative where nothing
/// touches yet.
///
/// ```
/// # use clearance_engine::{Pose, math::DVec3, shape::Sphere};
/// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
/// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
/// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
/// for pair in checker.near(&[0.6], 0.15)? {
///     println!("{} – {}: {} m, changes by {:?} a unit of each joint", pair.a, pair.b, pair.signed, pair.gradient);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NearPair {
    /// The link of the robot, or the object that it carries.
    pub a: String,
    /// The other link, attached object or object of the scene.
    pub b: String,
    /// Which of these `b` is.
    pub against: Against,
    /// The signed distance: that of the two points, or minus the length of a shift along `normal`
    /// that separates them; less paddings and margin.
    pub signed: f64,
    /// At most the signed distance.
    pub lower: f64,
    /// At least the signed distance.
    pub upper: f64,
    /// On `a`, in the world: nearest to `b`, or deepest in it.
    pub point_a: DVec3,
    /// On `b`, in the world.
    pub point_b: DVec3,
    /// Unit length, from `a` to `b`: moved this way, `b` gets farther from `a`.
    pub normal: DVec3,
    /// The derivative of `signed` by each variable of the robot.
    pub gradient: Vec<f64>,
    /// The same by each variable of the other robot; empty where there is none.
    pub gradient_b: Vec<f64>,
    /// Whether the nearest points are the only ones, so that the gradient is a derivative:
    /// `Some(true)` where proven, `Some(false)` where other points are as near, so that `signed` has
    /// a kink here; `None` where it is not known.
    pub unique: Option<bool>,
    /// [`Status::Exact`], or [`Status::Inexact`] where the interval is wide: an overlap of meshes
    /// that are surfaces, which have no penetration depth.
    pub status: Status,
}

impl CollisionModel {
    /// All pairs of parts of the robot that are near or overlap: of each two
    /// names the nearest or deepest pair. The part with the lower number comes first.
    pub fn self_near(
        &self,
        placement: &Placement,
        request: &NearRequest,
        workspace: &mut Workspace,
    ) -> Result<Vec<NearParts>> {
        self.check_owner(placement)?;
        let group = |a, b| {
            let (a, b) = (self.rules().group(a), self.rules().group(b));
            (a.min(b), a.max(b))
        };
        let found = self.with_itself(placement, |pair| pair.near(request, group, workspace));
        let ordered = |near: NearParts| if near.part_a <= near.part_b { near } else { near.swapped() };
        let mut found: Vec<NearParts> = found.map_err(from_engine)?.into_iter().map(ordered).collect();
        found.sort_unstable_by_key(|near| (near.part_a, near.part_b));
        Ok(found)
    }

    /// All parts of the robot and objects of the scene that are nearer than `max_distance` or
    /// overlap, of each two names the nearest or deepest pair.
    pub fn scene_near(
        &self,
        placement: &Placement,
        scene: &Scene,
        request: &NearRequest,
        workspace: &mut Workspace,
    ) -> Result<Vec<NearParts>> {
        self.check_owner(placement)?;
        let group = |a, b| (self.rules().group(a), b);
        self.with_scene(placement, scene, |pair| pair.near(request, group, workspace)).map_err(from_engine)
    }

    /// All parts of this robot and another that are nearer than `max_distance` or overlap, of each
    /// two names the nearest or deepest pair.
    pub fn robot_near(
        &self,
        placement: &Placement,
        other: (&CollisionModel, &Placement),
        request: &NearRequest,
        workspace: &mut Workspace,
    ) -> Result<Vec<NearParts>> {
        self.check_owner(placement)?;
        other.0.check_owner(other.1)?;
        let group = |a, b| (self.rules().group(a), other.0.rules().group(b));
        self.with_robot(placement, other, |pair| pair.near(request, group, workspace)).map_err(from_engine)
    }

    /// The derivative, by each variable, of the distance of two points along the unit vector
    /// `normal`, from one on the first part to one on the second, both on the line through `point`.
    /// `None` stands for what does not move with this robot. Empty where the links were placed one
    /// by one. An error for other models' parts.
    pub fn distance_gradient(
        &self,
        placement: &Placement,
        parts: [Option<PartId>; 2],
        point: DVec3,
        normal: DVec3,
    ) -> Result<Vec<f64>> {
        self.check_owner(placement)?;
        let link = |part: Option<PartId>| part.map_or(Ok(0), |part| self.part(part).map(|part| part.link));
        let links = [link(parts[0])?, link(parts[1])?];
        if !placement.by_joints() {
            return Ok(Vec::new());
        }
        let (poses, configuration) = (placement.link_poses(), placement.configuration());
        Ok(Placed { robot: self.robot(), poses, configuration }.distance_gradient(links, point, normal))
    }
}

impl Checker {
    /// All pairs nearer than `max_distance`, and those that overlap: of the robot with itself, then
    /// with the scene, each with its gradient by the joints.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, shape::Cuboid};
    /// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// let robot = RobotBuilder::new("lift").link("base", []).link("hand", [sphere])
    ///     .joint(JointSpec::prismatic("up", "base", "hand", DVec3::Z, [-1.0, 1.0])).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.scene_mut().add("shelf", Cuboid::new(1.0, 1.0, 0.1)?, Pose::from_xyz(0.0, 0.0, 0.5)?)?;
    /// let near = checker.near(&[0.3], 0.1)?;
    /// assert!((near[0].signed - 0.05).abs() < 1e-12 && (near[0].gradient[0] + 1.0).abs() < 1e-12);
    /// assert!((checker.near(&[0.4], 0.1)?[0].signed + 0.05).abs() < 1e-12 && checker.near(&[0.0], 0.1)?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn near(&mut self, configuration: &[f64], max_distance: f64) -> Result<Vec<NearPair>> {
        self.near_with(configuration, &NearRequest::within(max_distance))
    }

    /// The same with a budget for each pair of parts, or without a look for ties.
    pub fn near_with(&mut self, configuration: &[f64], request: &NearRequest) -> Result<Vec<NearPair>> {
        self.place(configuration)?;
        let mut near = self.placed_self_near(request)?;
        near.extend(self.placed_scene_near(request)?);
        Ok(near)
    }

    /// All pairs of parts of the robot that are nearer than `max_distance` or overlap, as
    /// [`near`](Self::near).
    pub fn self_near(&mut self, configuration: &[f64], max_distance: f64) -> Result<Vec<NearPair>> {
        self.place(configuration)?;
        self.placed_self_near(&NearRequest::within(max_distance))
    }

    pub(super) fn placed_self_near(&mut self, request: &NearRequest) -> Result<Vec<NearPair>> {
        let Self { model, placement, workspace, .. } = self;
        let found = model.self_near(placement, request, workspace)?;
        let one = |near: &NearParts| {
            let gradient = self.gradient_of(near, [Some(near.part_a), Some(near.part_b)])?;
            Ok(named(near, Against::Itself, [self.model.name(near.part_a)?, self.model.name(near.part_b)?], gradient))
        };
        found.iter().map(one).collect()
    }

    /// All parts of the robot and objects of the scene that are nearer than `max_distance` or
    /// overlap, as [`near`](Self::near).
    pub fn scene_near(&mut self, configuration: &[f64], max_distance: f64) -> Result<Vec<NearPair>> {
        self.place(configuration)?;
        self.placed_scene_near(&NearRequest::within(max_distance))
    }

    pub(super) fn placed_scene_near(&mut self, request: &NearRequest) -> Result<Vec<NearPair>> {
        let Self { model, placement, workspace, scene, .. } = self;
        let found = model.scene_near(placement, scene, request, workspace)?;
        let one = |near: &NearParts| {
            let gradient = self.gradient_of(near, [Some(near.part_a), None])?;
            Ok(named(near, Against::Scene, [self.model.name(near.part_a)?, self.scene.name(near.part_b)?], gradient))
        };
        found.iter().map(one).collect()
    }

    /// All pairs of this robot and another that are nearer than `max_distance` or overlap, with the
    /// gradients by the joints of both.
    pub fn robot_near(
        &mut self,
        configuration: &[f64],
        other: &Self,
        other_configuration: &[f64],
        max_distance: f64,
    ) -> Result<Vec<NearPair>> {
        self.place(configuration)?;
        let placed = self.place_other(other, other_configuration)?;
        let Self { model, placement, workspace, .. } = self;
        let pair = (&*other.model, &placed);
        let found = model.robot_near(placement, pair, &NearRequest::within(max_distance), workspace)?;
        let one = |near: &NearParts| {
            let names = [self.model.name(near.part_a)?, other.model.name(near.part_b)?];
            let gradient = self.gradient_of(near, [Some(near.part_a), None])?;
            let parts = [None, Some(near.part_b)];
            let gradient_b = other.model.distance_gradient(&placed, parts, near.point_b, near.normal)?;
            Ok(NearPair { gradient_b, ..named(near, Against::Robot, names, gradient) })
        };
        let pairs = found.iter().map(one).collect();
        self.other = Some(placed);
        pairs
    }

    fn gradient_of(&self, near: &NearParts, parts: [Option<PartId>; 2]) -> Result<Vec<f64>> {
        self.model.distance_gradient(&self.placement, parts, near.point_b, near.normal)
    }
}

fn named(near: &NearParts, against: Against, [a, b]: [&str; 2], gradient: Vec<f64>) -> NearPair {
    let NearParts { signed, lower, upper, point_a, point_b, normal, unique, status, .. } = *near;
    let (a, b, gradient_b) = (a.to_owned(), b.to_owned(), Vec::new());
    NearPair { a, b, against, signed, lower, upper, point_a, point_b, normal, gradient, gradient_b, unique, status }
}
