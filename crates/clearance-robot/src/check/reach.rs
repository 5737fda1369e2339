//! What a robot can reach within its joint limits, and whether it can ever touch an object.
//!
//! After the range-of-motion hulls and lookup tables of Steinbach et al. (see `range_of_motion`).

use super::checker::Checker;
use super::parts::from_engine;
use crate::range_of_motion::{GapOptions, Gaps, Hull, Hulls, Tables, Verdict};
use crate::{BodyPart, Error, ErrorKind, Result};
use clearance_engine::Pose;
use clearance_engine::math::{DVec3, LARGEST_COORDINATE};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::Sphere;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::voxel_map::{Cell, VoxelMap};
use clearance_engine::tree::{Assembly, Geometry, IntoGeometry, Solid};
use clearance_engine::volume::BoundingSphere;
use std::sync::Arc;

/// Poses of links are rounded by at most this part of the size of their coordinates.
const POSE_PART: f64 = 1e-12;

/// Spheres, in the world, that a link never leaves while all joints stay within their limits.
///
/// It is a geometry too: a [`Pair`](clearance_engine::dispatch::Pair) of it and an obstacle gives a
/// distance that the link always keeps.
///
/// ```
/// use clearance_engine::{Pose, dispatch::Pair, math::DVec3, shape::Cuboid};
/// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// let sphere = LinkGeometry::new(Pose::from_xyz(1.0, 0.0, 0.0)?, LinkShape::Sphere { radius: 0.1 });
/// let robot = RobotBuilder::new("crane").link("base", []).link("arm", [sphere])
///     .joint(JointSpec::revolute("turn", "base", "arm", DVec3::Z, [-0.5, 0.5])).build()?;
/// let reach = Checker::new(robot)?.reach("arm")?;
/// assert!(reach.contains(DVec3::new(0.9, 0.4, 0.0)) && !reach.contains(DVec3::new(-1.0, 0.0, 0.0)));
/// let fence = Cuboid::new(0.1, 4.0, 2.0)?;
/// assert!(Pair::new(&reach, fence)?.distance(Pose::from_xyz(2.0, 0.0, 0.0)?).lower > 0.7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    hull: Hull,
}

impl Reach {
    /// The hull in the root link's frame, or an error where it has no end.
    fn new(hull: &Hull, base: &Pose, what: &str) -> Result<Self> {
        let hull = hull.moved(base);
        let is_near = |sphere: &BoundingSphere| {
            sphere.radius <= LARGEST_COORDINATE && sphere.center.abs().max_element() <= LARGEST_COORDINATE
        };
        if hull.spheres().iter().all(is_near) {
            return Ok(Self { hull });
        }
        let reason = "it can be anywhere: a joint that carries it has no limits, or its geometry has no end";
        Err(Error::new(ErrorKind::Unsupported, reason).of(what))
    }

    /// The spheres, in the world; none for a link without geometry.
    pub fn spheres(&self) -> &[BoundingSphere] {
        self.hull.spheres()
    }

    /// Whether a point lies in it. The link never gets to points outside.
    pub fn contains(&self, point: DVec3) -> bool {
        self.hull.contains(point)
    }

    /// The lowest and the highest coordinates; `None` for a link without geometry.
    pub fn bounding_box(&self) -> Option<(DVec3, DVec3)> {
        let ends = |sphere: &BoundingSphere| (sphere.center - sphere.radius, sphere.center + sphere.radius);
        self.spheres().iter().map(ends).reduce(|(low, high), (l, h)| (low.min(l), high.max(h)))
    }

    /// A voxel map whose obstacles cover it: a safety zone. All cells that it touches are obstacles,
    /// and some within half a diagonal of its surface.
    ///
    /// ```
    /// # use clearance_engine::{Pose, math::DVec3, tree::voxel_map::Cell};
    /// # use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// # let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    /// # let robot = RobotBuilder::new("lift").link("base", []).link("hand", [sphere])
    /// #     .joint(JointSpec::prismatic("up", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
    /// let zone = Checker::new(robot)?.reach("hand")?.voxel_map(0.05)?;
    /// assert_eq!(zone.cell_at(DVec3::Z)?, Cell::Obstacle);
    /// assert_eq!(zone.cell_at(DVec3::X * 2.0)?, Cell::Free);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn voxel_map(&self, resolution: f64) -> Result<VoxelMap> {
        let mut map = VoxelMap::new(resolution).map_err(from_engine)?;
        let too_large = |error: clearance_engine::Error| Error::new(ErrorKind::TooLarge, error.to_string());
        self.spheres().iter().try_for_each(|sphere| map.cover(sphere, Cell::Obstacle)).map_err(too_large)?;
        Ok(map)
    }

    fn assembly(&self) -> Assembly {
        let mut assembly = Assembly::default();
        for sphere in self.spheres() {
            // A hull's spheres are finite, and not negative.
            let made = Sphere::new(sphere.radius).and_then(|ball| Ok((ball, Pose::from_translation(sphere.center)?)));
            if let Ok((ball, pose)) = made {
                assembly.insert(Arc::new(Solid::new(ball)), pose);
            }
        }
        assembly
    }
}

impl IntoGeometry for &Reach {
    fn into_geometry(self) -> Arc<dyn Geometry> {
        Arc::new(self.assembly())
    }
}

impl Checker {
    fn link(&self, name: &str) -> Result<usize> {
        let unknown = || Error::new(ErrorKind::Unknown, format!("no link is called '{name}'"));
        self.robot().link_index(name).ok_or_else(unknown)
    }

    /// Where a link, with what is attached to it, can be at all within the joint limits. An error
    /// if nothing bounds it.
    pub fn reach(&self, link: &str) -> Result<Reach> {
        let [reach, _] = self.reaches(link)?;
        Ok(reach)
    }

    /// Two of them, each right, the tighter one first.
    fn reaches(&self, link: &str) -> Result<[Reach; 2]> {
        let (robot, number) = (self.robot(), self.link(link)?);
        let (body, parts) = (robot.body_of(number), self.model.body_parts(|part| part.link == number));
        let [first, second] = Hull::around(&parts[body]).swept_to_root(robot, body);
        let placed = |hull: &Hull| Reach::new(hull, &self.base, &format!("link '{link}'"));
        Ok([placed(&first)?, placed(&second)?])
    }

    /// Where the whole robot, with what is attached to it, can be at all within the joint limits: the
    /// range-of-motion hull of its root. An error if nothing bounds it.
    pub fn robot_reach(&self) -> Result<Reach> {
        let hulls = Hulls::new(self.robot(), &self.model.body_parts(|_| true));
        Reach::new(hulls.reach(0), &self.base, &format!("robot '{}'", self.robot().name()))
    }

    /// A distance that two links, each with all links that it carries, always keep within the joint
    /// limits, by what was [proven](Self::prove); 0 where nothing is proven.
    ///
    /// ```
    /// # use clearance_engine::{Pose, math::DVec3};
    /// # use clearance_robot::{Checker, GapOptions, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
    /// # let ball = || [LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 })];
    /// # let arm = |name: &'static str, x: f64| JointSpec::revolute(name, "torso", name, DVec3::Z, [-1.0, 1.0])
    /// #     .at(Pose::from_xyz(x, 0.0, 0.0).unwrap());
    /// # let robot = RobotBuilder::new("r").link("torso", []).link("left", ball()).link("right", ball())
    /// #     .joint(arm("left", -0.5)).joint(arm("right", 0.5)).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.prove(&GapOptions::default())?;
    /// assert!(checker.branch_gap("left", "right")? > 0.7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn branch_gap(&self, link_a: &str, link_b: &str) -> Result<f64> {
        let robot = self.robot();
        let (a, b) = (robot.body_of(self.link(link_a)?), robot.body_of(self.link(link_b)?));
        let Some(proofs) = self.model.proofs() else { return Ok(0.0) };
        let carries = |one: usize, other: usize| robot.body_subtree(one).contains(&other);
        // What carries the other moves against a part of itself.
        if carries(a, b) || carries(b, a) {
            return Ok(0.0);
        }
        Ok(Tables::new(robot, proofs)?.motion(a, b))
    }

    /// Whether any configuration within the joint limits brings a link, or an object attached to it,
    /// to an object of the scene: "can this arm ever touch that fence?" Paddings, margins and allowed
    /// pairs do not count here; a proven gap may be compared with them.
    ///
    /// [`Verdict::Never`] is a proof, [`Verdict::Sometimes`] has a configuration that touches, and
    /// [`Verdict::Undecided`] is what the budget of `options` left open.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, shape::Cuboid};
    /// use clearance_robot::{Checker, GapOptions, JointSpec, LinkGeometry, LinkShape, RobotBuilder, Verdict};
    /// let sphere = LinkGeometry::new(Pose::from_xyz(1.0, 0.0, 0.0)?, LinkShape::Sphere { radius: 0.1 });
    /// let robot = RobotBuilder::new("crane").link("base", []).link("arm", [sphere])
    ///     .joint(JointSpec::revolute("turn", "base", "arm", DVec3::Z, [-0.5, 0.5])).build()?;
    /// let mut checker = Checker::new(robot)?;
    /// checker.scene_mut().add("fence", Cuboid::new(0.1, 4.0, 2.0)?, Pose::from_xyz(1.3, 0.0, 0.0)?)?;
    /// checker.scene_mut().add("post", Cuboid::new(0.1, 0.1, 2.0)?, Pose::from_xyz(0.95, 0.4, 0.0)?)?;
    /// let options = GapOptions::default();
    /// assert!(matches!(checker.can_touch("arm", "fence", &options)?, Verdict::Never { gap, .. } if gap > 0.1));
    /// let Verdict::Sometimes { configuration } = checker.can_touch("arm", "post", &options)? else { panic!() };
    /// assert!(checker.collides(&configuration)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn can_touch(&self, link: &str, object: &str, options: &GapOptions) -> Result<Verdict> {
        let (robot, number) = (self.robot(), self.link(link)?);
        let part = self.scene.part(object)?.number();
        let (geometry, pose) = (self.scene.assembly().geometry(part), self.scene.assembly().pose(part));
        let mut bodies = self.model.body_parts(|part| part.link == number);
        let body = robot.body_of(number);
        if bodies[body].is_empty() {
            return Ok(Verdict::Never { gap: f64::INFINITY, nearest: f64::INFINITY });
        }
        let root_from_object = self.base.inverse().then(pose);
        let offsets = bodies[body].iter().map(|part| part.body_from_part.translation().length());
        // What the rounding of these poses may change, besides that of the robot's own.
        let rounding =
            POSE_PART * (self.base.translation().length() + pose.translation().length() + offsets.fold(0.0, f64::max));
        let mut poses = Vec::new();
        let default = robot.default_configuration();
        robot.link_poses(&Pose::IDENTITY, &default, &mut poses)?;
        let body_from_object = robot.body_pose(&poses, body).inverse().then(&root_from_object);
        let (lower, met) = self.interval(&bodies[body], geometry, &body_from_object)?;
        let never = |gap: f64, nearest: f64| match gap - rounding {
            gap if gap > 0.0 => Verdict::Never { gap, nearest },
            _ => Verdict::Undecided { nearest, configuration: default.clone() },
        };
        if body == 0 {
            let touches = met == 0.0;
            return Ok(if touches { Verdict::Always { proven: true, samples: 1 } } else { never(lower, met) });
        }
        // Most objects are far out of reach, which spheres alone prove.
        let proven = self.gap_of_reach(link, geometry, pose);
        if met > 0.0 && proven > 0.0 && proven >= (1.0 - options.tightness) * met {
            return Ok(never(proven, met));
        }
        bodies[0].push(BodyPart::new(geometry.clone(), root_from_object));
        let gaps = Gaps::prove_with(self.model.dispatcher(), robot, &bodies, &[[0, body]], options)?;
        let missing = || Error::new(ErrorKind::Missing, "nothing was proven");
        let verdict = gaps.pairs().first().map(|pair| pair.verdict.clone()).ok_or_else(missing)?;
        Ok(match verdict {
            Verdict::Never { gap, nearest } => never(gap.max(proven), nearest.min(met)),
            Verdict::Undecided { .. } if met == 0.0 => Verdict::Sometimes { configuration: default },
            Verdict::Undecided { nearest, .. } if proven > 0.0 => never(proven, nearest.min(met)),
            Verdict::Undecided { nearest, .. } if met < nearest => {
                Verdict::Undecided { nearest: met, configuration: default }
            }
            other => other,
        })
    }

    /// A distance that a link always keeps from a geometry in the world, by its reach alone; 0 if that
    /// proves nothing.
    fn gap_of_reach(&self, link: &str, geometry: &Arc<dyn Geometry>, pose: &Pose) -> f64 {
        let Ok(reaches) = self.reaches(link) else { return 0.0 };
        let gap = |reach: &Reach| {
            let spheres = reach.assembly();
            // A geometry of a user's own may have no test against spheres.
            let plan = self.model.dispatcher().plan(&spheres, &**geometry).ok()?;
            let found = plan.distance(pose, &DistanceRequest::default(), &mut Workspace::default(), None).ok()?;
            let size = reach.bounding_box().map_or(0.0, |(low, high)| low.abs().max(high.abs()).element_sum());
            Some(found.lower - POSE_PART * size)
        };
        reaches.iter().filter_map(gap).fold(0.0, f64::max)
    }

    /// The distance of some parts of a body from an object: the ends of a certified interval.
    fn interval(&self, parts: &[BodyPart], object: &Arc<dyn Geometry>, body_from_object: &Pose) -> Result<(f64, f64)> {
        let (mut lower, mut upper) = (f64::INFINITY, f64::INFINITY);
        let (request, mut workspace) = (DistanceRequest::default(), Workspace::default());
        for part in parts {
            let plan = self.model.dispatcher().plan(&*part.geometry, &**object).map_err(from_engine)?;
            let pose = part.body_from_part.inverse().then(body_from_object);
            let found = plan.distance(&pose, &request, &mut workspace, None).map_err(from_engine)?;
            (lower, upper) = (lower.min(found.lower), upper.min(found.upper));
        }
        Ok((lower, upper))
    }
}
