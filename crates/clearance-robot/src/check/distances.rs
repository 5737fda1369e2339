//! The distance of the nearest two things, with its gradient by the joints.

use super::checker::{Against, Checker};
use super::collision_model::{CollisionModel, Placement};
use super::parts::from_engine;
use crate::Result;
use clearance_engine::assembly::{PartDistance, PartId, PartWitness};
use clearance_engine::math::DVec3;
use clearance_engine::query::{Distance, DistanceRequest, Status, Witness};

/// The certified distance of the nearest two things, less their paddings and margins.
///
/// ```
/// # use clearance_engine::{Pose, math::DVec3, shape::Sphere};
/// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
/// # let robot = RobotBuilder::new("r").link("base", []).link("hand", [sphere])
/// #     .joint(JointSpec::prismatic("lift", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
/// let nearest = checker.distance(&[0.5])?.expect("there is a lamp");
/// assert!(nearest.lower <= 0.2 && 0.2 <= nearest.upper + 1e-12 && nearest.b == "lamp");
/// // Up is nearer.
/// assert!((nearest.gradient[0] + 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    /// Unit length, from `a` to `b`: moved this way, `b` gets farther from `a`. Zero where the checker
    /// [does without](Checker::set_gradients).
    pub normal: DVec3,
    /// The derivative of the distance by each variable of the robot; of the signed distance of `a`
    /// and `b` where they touch ([`Checker::near`]). Empty where the checker
    /// [does without](Checker::set_gradients).
    pub gradient: Vec<f64>,
    /// The same by each variable of the other robot; empty where there is none.
    pub gradient_b: Vec<f64>,
    /// Why the search ended.
    pub status: Status,
}

impl RobotDistance {
    /// Whether the two touch or overlap, with their paddings and margins, or `None` if the search
    /// ended before that was decided.
    pub fn colliding(&self) -> Option<bool> {
        self.status.colliding(self.lower, self.upper)
    }
}

impl Checker {
    /// The distance of the nearest two things: links with each other, or a link and an object of
    /// the scene. `None` where no pair is checked.
    pub fn distance(&mut self, configuration: &[f64]) -> Result<Option<RobotDistance>> {
        self.distance_with(configuration, &DistanceRequest::default())
    }

    /// The same within a range, up to a tolerance, or within a budget of steps for all pairs
    /// together; `None` also where nothing within `max_d` was found.
    ///
    /// ```
    /// use clearance_engine::{Pose, query::DistanceRequest, shape::Cuboid};
    /// use clearance_robot::{Checker, LinkGeometry, LinkShape, RobotBuilder};
    /// let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// let mut checker = Checker::new(RobotBuilder::new("ball").link("base", [sphere]).build()?)?;
    /// checker.scene_mut().add("shelf", Cuboid::new(1.0, 1.0, 0.1)?, Pose::from_xyz(0.0, 0.0, 0.5)?)?;
    /// let request = DistanceRequest { max_steps: Some(1_000), ..DistanceRequest::default() };
    /// let found = checker.distance_with(&[], &request)?.expect("there is a shelf");
    /// assert!(found.lower <= 0.35 && 0.35 <= found.upper);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn distance_with(&mut self, configuration: &[f64], request: &DistanceRequest) -> Result<Option<RobotDistance>> {
        self.at(configuration)?.distance(request)
    }

    pub(super) fn placed_distance(&mut self, request: &DistanceRequest) -> Result<Option<RobotDistance>> {
        let own = self.own_distance(request)?;
        // Beyond the limit, which is infinite where no pair of its own is checked, the scene has no
        // witness, and the robot itself is nearer.
        let max_d = own.upper.min(request.max_d).max(request.min_d);
        let left = |steps: usize| steps.saturating_sub(own.stats.steps() as usize);
        let rest = DistanceRequest { max_d, max_steps: request.max_steps.map(left), ..*request };
        let scene = match own.witness {
            // That is a witness of the answer too.
            Some(_) => self.placed_scene_distance(&rest)?,
            None => with_witness(&rest, |request| self.placed_scene_distance(request))?,
        };
        let lower = own.lower.min(scene.lower);
        let own_is_nearer = scene.witness.is_none() || (own.witness.is_some() && own.upper <= scene.upper);
        let (found, against) = if own_is_nearer { (own, Against::Itself) } else { (scene, Against::Scene) };
        let is_cut = lower < found.lower && [own.status, scene.status].contains(&Status::Budget);
        let status = if is_cut { Status::Budget } else { found.status };
        self.named(PartDistance { lower, status, ..found }, against, None)
    }

    /// The distance of the nearest two parts of the robot that are checked; `None` if there are
    /// none.
    pub fn self_distance(&mut self, configuration: &[f64]) -> Result<Option<RobotDistance>> {
        self.self_distance_with(configuration, &DistanceRequest::default())
    }

    /// The same within a range, or up to a tolerance; `None` also where all parts are `max_d` or
    /// farther apart.
    pub fn self_distance_with(
        &mut self,
        configuration: &[f64],
        request: &DistanceRequest,
    ) -> Result<Option<RobotDistance>> {
        self.at(configuration)?.self_distance(request)
    }

    pub(super) fn placed_self_distance(&mut self, request: &DistanceRequest) -> Result<Option<RobotDistance>> {
        let found = self.own_distance(request)?;
        self.named(found, Against::Itself, None)
    }

    /// The distances of all pairs of parts of the robot that are checked: the names of both, and
    /// their distance less paddings and margin, with witness points in the world.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, query::DistanceRequest};
    /// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// let ball = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    /// let slide = |name, parent, child| JointSpec::prismatic(name, parent, child, DVec3::X, [-1.0, 1.0]);
    /// let robot = RobotBuilder::new("r").link("a", ball()).link("b", []).link("c", ball())
    ///     .joint(slide("first", "a", "b")).joint(slide("second", "b", "c")).build()?;
    /// let all = Checker::new(robot)?.self_distances(&[0.5, 0.0], &DistanceRequest::default())?;
    /// assert_eq!(all[0].0, ["a", "c"]);
    /// assert!((all[0].1.upper - 0.3).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn self_distances(
        &mut self,
        configuration: &[f64],
        request: &DistanceRequest,
    ) -> Result<Vec<([String; 2], Distance)>> {
        self.place(configuration)?;
        let all = self.model.self_distances(&self.placement, request, &mut self.workspace)?;
        let one = |((a, b), found): ((PartId, PartId), PartDistance)| {
            let PartDistance { lower, upper, witness, status, stats } = found;
            let witness =
                witness.map(|PartWitness { point_a, point_b, leaves, .. }| Witness { point_a, point_b, leaves });
            let names = [self.model.name(a)?.to_owned(), self.model.name(b)?.to_owned()];
            Ok((names, Distance { lower, upper, witness, status, stats }))
        };
        all.into_iter().map(one).collect()
    }

    /// The distance of the robot from the nearest object of the scene; `None` in an empty scene.
    pub fn scene_distance(&mut self, configuration: &[f64]) -> Result<Option<RobotDistance>> {
        self.scene_distance_with(configuration, &DistanceRequest::default())
    }

    /// The same within a range, or up to a tolerance; `None` also where all objects are `max_d` or
    /// farther away.
    pub fn scene_distance_with(
        &mut self,
        configuration: &[f64],
        request: &DistanceRequest,
    ) -> Result<Option<RobotDistance>> {
        self.at(configuration)?.scene_distance(request)
    }

    pub(super) fn named_scene_distance(&mut self, request: &DistanceRequest) -> Result<Option<RobotDistance>> {
        let found = with_witness(request, |request| self.placed_scene_distance(request))?;
        self.named(found, Against::Scene, None)
    }

    /// The distance of the nearest parts of this robot and another; `None` if no pair is checked.
    pub fn robot_distance(
        &mut self,
        configuration: &[f64],
        other: &Self,
        other_configuration: &[f64],
    ) -> Result<Option<RobotDistance>> {
        self.robot_distance_with(configuration, other, other_configuration, &DistanceRequest::default())
    }

    /// The same within a range, or up to a tolerance; `None` also where the robots are `max_d` or
    /// farther apart.
    pub fn robot_distance_with(
        &mut self,
        configuration: &[f64],
        other: &Self,
        other_configuration: &[f64],
        request: &DistanceRequest,
    ) -> Result<Option<RobotDistance>> {
        self.place(configuration)?;
        let placed = self.place_other(other, other_configuration)?;
        let Self { model, placement, workspace, warm_starts, .. } = self;
        let pair = (&*other.model, &placed);
        let found = with_witness(request, |request| {
            model.robot_distance(placement, pair, request, workspace, Some(&mut warm_starts.robot))
        })?;
        let named = self.named(found, Against::Robot, Some(pair));
        self.other = Some(placed);
        named
    }

    fn own_distance(&mut self, request: &DistanceRequest) -> Result<PartDistance> {
        let Self { model, placement, workspace, warm_starts, .. } = self;
        with_witness(request, |request| model.self_distance(placement, request, workspace, Some(&mut warm_starts.own)))
    }

    fn placed_scene_distance(&mut self, request: &DistanceRequest) -> Result<PartDistance> {
        let Self { model, placement, workspace, warm_starts, scene, .. } = self;
        model.scene_distance(placement, scene, request, workspace, Some(&mut warm_starts.scene))
    }

    /// The answer with names and gradients; `None` where nothing was found.
    fn named(
        &mut self,
        found: PartDistance,
        against: Against,
        other: Option<(&CollisionModel, &Placement)>,
    ) -> Result<Option<RobotDistance>> {
        let Some(witness) = found.witness else { return Ok(None) };
        let PartWitness { part_a, part_b, point_a, point_b, .. } = witness;
        let (model, scene) = (&self.model, &self.scene);
        let b = match (against, other) {
            (Against::Itself, _) => model.name(part_b)?,
            (Against::Robot, Some((other, _))) => other.name(part_b)?,
            _ => scene.name(part_b)?,
        };
        let mut named = RobotDistance {
            lower: found.lower,
            upper: found.upper,
            a: model.name(part_a)?.to_owned(),
            b: b.to_owned(),
            against,
            point_a,
            point_b,
            normal: DVec3::ZERO,
            gradient: Vec::new(),
            gradient_b: Vec::new(),
            status: found.status,
        };
        if self.gradients {
            self.add_gradients(&mut named, &found, [part_a, part_b], other)?;
        }
        Ok(Some(named))
    }

    fn add_gradients(
        &mut self,
        named: &mut RobotDistance,
        found: &PartDistance,
        [part_a, part_b]: [PartId; 2],
        other: Option<(&CollisionModel, &Placement)>,
    ) -> Result<()> {
        let Self { model, placement, workspace, scene, .. } = self;
        let normal = match (named.against, other) {
            (Against::Itself, _) => model.with_itself(placement, |pair| pair.normal(found, workspace)),
            (Against::Robot, Some(other)) => model.with_robot(placement, other, |pair| pair.normal(found, workspace)),
            _ => model.with_scene(placement, scene, |pair| pair.normal(found, workspace)),
        };
        let (normal, point) = (normal.map_err(from_engine)?.unwrap_or(DVec3::X), named.point_b);
        let own_b = (named.against == Against::Itself).then_some(part_b);
        named.normal = normal;
        named.gradient = model.distance_gradient(placement, [Some(part_a), own_b], point, normal)?;
        if let Some((other, placed)) = other {
            named.gradient_b = other.distance_gradient(placed, [None, Some(part_b)], point, normal)?;
        }
        Ok(())
    }
}

/// Asks for a distance. Where the budget ended before any pair within `max_d` was found, it says
/// nothing of what is beyond: the first pair that a search without `max_d` meets is then the
/// witness, so that no answer at all still means that everything is `max_d` or farther away.
fn with_witness(
    request: &DistanceRequest,
    mut ask: impl FnMut(&DistanceRequest) -> Result<PartDistance>,
) -> Result<PartDistance> {
    let found = ask(request)?;
    if found.witness.is_some() || found.status != Status::Budget {
        return Ok(found);
    }
    let first = ask(&DistanceRequest { max_d: f64::INFINITY, max_steps: Some(0), ..*request })?;
    Ok(PartDistance { lower: found.lower.max(first.lower).min(first.upper), ..first })
}
