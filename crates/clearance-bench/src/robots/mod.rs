//! Robots in random configurations: against themselves, and against a room.
//!
//! | name | robot | from |
//! | --- | --- | --- |
//! | `robot-panda`, `robot-ur5`, `robot-talos` | Franka Panda, UR5, Talos | the package example-robot-data |
//! | `robot-jvrc1` | JVRC-1 | `CLEARANCE_DATA/robots` |
//! | `robot-panda-boxes` | Franka Panda among 21 boxes and cylinders | a MotionBenchMaker problem of `CLEARANCE_DATA/ref/panda` |
//! | `robot-panda-octomap` | Franka Panda in a building, as cells of 20 cm | OctoMap's `CLEARANCE_DATA/env/geb079.bt` |
//! | `robot-panda-points` | Franka Panda among 100,000 points with a radius of 1 cm | drawn on the triangles of the room below |
//!
//! The configurations are uniform within the limits (within ±π where there are none). For the room,
//! `CLEARANCE_DATA/env/iai_apartment.obj`, the robot's base stands upright anywhere on its floor,
//! turned at random.
//!
//! Pairs of neighbours and those of the robot's SRDF are not looked at. Neither are pairs of links
//! that collide in the default configuration or in nine of ten others: with them every
//! configuration would collide, and at the first look.

mod boxes;
mod cells;
mod motions;
mod ours;
mod race;

pub use motions::{MotionRow, motions};
pub use ours::OurRobot;
pub use race::run;

use crate::engines::{Answers, Sweep};
use crate::placing::Random;
use crate::{Error, Result, scenes};
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh};
use clearance_engine::{Pose, TriMesh};
use clearance_io::load_mesh;
use clearance_robot::{
    CheckOptions, CollisionModel, DisabledPairs, GapOptions, LinkGeometry, LinkShape, Object, Robot, Srdf, UrdfOptions,
    load_urdf,
};
use std::collections::HashMap;
use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The scenes in the order of the tables.
pub const NAMES: [&str; 7] = ["robot-panda", "robot-ur5", "robot-talos", "robot-jvrc1", BOXES, OCTOMAP, POINTS];

/// The scene of simple solids.
pub const BOXES: &str = "robot-panda-boxes";
/// The scene of an octree.
const OCTOMAP: &str = "robot-panda-octomap";
/// The scene of a point cloud.
const POINTS: &str = "robot-panda-points";

/// The number of configurations.
const CONFIGURATIONS: usize = 200;
/// The same for Talos, for which pinocchio takes a quarter of a second each.
const TALOS_CONFIGURATIONS: usize = 100;

/// A question about a robot in many configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RobotQuery {
    /// Whether any two parts touch: stops at the first.
    SelfCollide,
    /// The distances of all pairs of parts.
    SelfDistances,
    /// The distance of the nearest two parts.
    SelfDistance,
    /// The distance of the nearest part to the room.
    Environment,
    /// Whether any part touches another one or the room: stops at the first.
    Verdict,
    /// All pairs of parts, or of a part and the room, that are nearer than [`NEAR`].
    Near,
    /// The same with the gradient of each by the joints, and whether its nearest points are unique.
    NearGradients,
}

/// How near counts as near, in metres.
pub const NEAR: f64 = 0.1;

impl RobotQuery {
    /// Every question.
    pub const ALL: [Self; 7] = [
        Self::SelfCollide,
        Self::SelfDistances,
        Self::SelfDistance,
        Self::Environment,
        Self::Verdict,
        Self::Near,
        Self::NearGradients,
    ];

    /// What the tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::SelfCollide => "self-collide",
            Self::SelfDistances => "self-distances",
            Self::SelfDistance => "self-distance",
            Self::Environment => "environment",
            Self::Verdict => "verdict",
            Self::Near => "near",
            Self::NearGradients => "near-gradients",
        }
    }
}

/// A library that answers questions about robots, from a configuration to the answer: kinematics
/// included.
pub trait RobotEngine {
    /// What the tables call it.
    fn name(&self) -> &str;

    /// Takes over the scene, outside of any measurement.
    fn load(&mut self, scene: &RobotScene) -> Result<()>;

    /// Measures one query along all configurations.
    fn sweep(&mut self, scene: &RobotScene, query: RobotQuery) -> Result<Sweep>;

    /// The answers, unmeasured: one for each configuration, or for each of its pairs.
    fn answers(&mut self, scene: &RobotScene, query: RobotQuery) -> Result<Answers>;
}

/// What stands around a robot.
#[derive(Default)]
pub struct Room {
    /// Shapes with their poses in the world.
    pub objects: Vec<LinkGeometry>,
    /// The centres of cubes, and their edge.
    pub cubes: Option<(Vec<DVec3>, f64)>,
    /// Whether there is something that peers have no counterpart for.
    pub ours_only: bool,
    /// The same, ready to be asked about.
    pub scene: clearance_robot::Scene,
}

impl Room {
    fn add(&mut self, object: LinkGeometry, geometry: Arc<dyn Geometry>) -> Result<()> {
        let name = format!("{}", self.objects.len());
        self.scene.insert(Object { name, geometry, pose: object.origin })?;
        self.objects.push(object);
        Ok(())
    }

    /// One geometry alone, where it is.
    fn of(geometry: Arc<dyn Geometry>) -> Result<Self> {
        let mut room = Self::default();
        room.scene.insert(Object { name: "room".into(), geometry, pose: Pose::IDENTITY })?;
        Ok(room)
    }
}

/// A robot, its configurations and a room.
pub struct RobotScene {
    /// One of [`NAMES`].
    pub name: &'static str,
    /// Where the robot was read from.
    pub urdf: PathBuf,
    /// The robot and its pairs.
    pub checker: CollisionModel,
    /// The configurations.
    pub configurations: Vec<Vec<f64>>,
    /// Where the robot's root stands in the room, for each configuration.
    pub bases: Vec<Pose>,
    /// The room.
    pub room: Room,
}

/// Where a robot's files are.
struct Source {
    urdf: PathBuf,
    srdf: Option<PathBuf>,
    /// The height of the root link above the floor.
    height: f64,
}

fn source(name: &str, examples: &Path, data: &Path) -> Result<Source> {
    let robots = examples.join("example-robot-data/robots");
    let example =
        |urdf: &str, srdf: &str, height| Source { urdf: robots.join(urdf), srdf: Some(robots.join(srdf)), height };
    match name {
        "robot-panda" | BOXES | OCTOMAP | POINTS => {
            Ok(example("panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf", 0.02))
        }
        "robot-ur5" => Ok(example("ur_description/urdf/ur5_robot.urdf", "ur_description/srdf/ur5.srdf", 0.02)),
        "robot-talos" => Ok(example("talos_data/robots/talos_reduced.urdf", "talos_data/srdf/talos.srdf", 1.1)),
        "robot-jvrc1" => {
            Ok(Source { urdf: data.join("robots/jvrc_description/urdf/jvrc1.urdf"), srdf: None, height: 0.87 })
        }
        _ => Err(Error::other(format!("no scene is called {name}; there are {}", NAMES.join(", ")))),
    }
}

/// The names that `words` ask for, in the order of the tables, and the words that ask for something
/// else.
///
/// ```
/// use clearance_bench::robots::{NAMES, select};
/// assert_eq!(select(&["robots", "20k"]), (NAMES.to_vec(), vec!["20k"]));
/// assert_eq!(select(&["robot-ur5"]).0, ["robot-ur5"]);
/// ```
pub fn select<'w>(words: &[&'w str]) -> (Vec<&'static str>, Vec<&'w str>) {
    let wanted = |name: &&'static str| words.iter().any(|word| *word == "robots" || word == name);
    let others = words.iter().copied().filter(|word| *word != "robots" && !NAMES.contains(word));
    (NAMES.into_iter().filter(wanted).collect(), others.collect())
}

/// Makes the scene called `name`; `examples` is the folder that holds `example-robot-data`. An
/// error says which file is missing.
pub fn make(name: &str, examples: &Path) -> Result<RobotScene> {
    let Some(name) = NAMES.into_iter().find(|known| *known == name) else {
        return Err(Error::other(format!("no scene is called {name}; there are {}", NAMES.join(", "))));
    };
    let data = scenes::data_folder();
    let Source { urdf, srdf, height } = source(name, examples, &data)?;
    let surroundings = data.join(match name {
        BOXES => boxes::FILE,
        OCTOMAP => cells::FILE,
        _ => "env/iai_apartment.obj",
    });
    if let Some(missing) = [&urdf, &surroundings].into_iter().find(|file| !file.is_file()) {
        return Err(Error::other(format!("{} is not there", missing.display())));
    }
    let options = UrdfOptions { packages: vec![examples.to_owned()], ..UrdfOptions::default() };
    let robot = Arc::new(load_urdf(&urdf, &options)?);
    let disabled = match srdf {
        Some(srdf) => Srdf::load(&srdf)?.disabled_pairs(&robot),
        None => DisabledPairs::default(),
    };
    let mut random = Random(0x0b07);
    let count = if name == "robot-talos" { TALOS_CONFIGURATIONS } else { CONFIGURATIONS };
    let configurations: Vec<Vec<f64>> = (0..count).map(|_| configuration(&robot, &mut random)).collect();
    let (room, bases) = match name {
        BOXES => (boxes::room(&surroundings)?, vec![Pose::IDENTITY; count]),
        OCTOMAP => {
            let room = cells::octomap(&surroundings)?;
            let vertices = cells::VERTICES;
            (room, (0..count).map(|_| base(vertices, 0.0, &mut random)).collect::<Result<_>>()?)
        }
        _ => {
            let mesh = Arc::new(load_mesh(&surroundings)?);
            let vertices = mesh.bounding_box();
            let bases = (0..count).map(|_| base(vertices, height, &mut random)).collect::<Result<_>>()?;
            (if name == POINTS { cells::points(&mesh, &mut random)? } else { room(mesh)? }, bases)
        }
    };
    let checker = checker(&robot, disabled, &configurations)?;
    Ok(RobotScene { name, urdf, checker, configurations, bases, room })
}

fn room(mesh: Arc<TriMesh>) -> Result<Room> {
    let mut room = Room::default();
    let geometry = Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(mesh.clone())?);
    room.add(LinkGeometry::new(Pose::IDENTITY, LinkShape::Mesh(mesh)), geometry)?;
    Ok(room)
}

fn configuration(robot: &Robot, random: &mut Random) -> Vec<f64> {
    within_limits(robot, |_| random.unit())
}

/// The configuration in which each variable is at a part (0 to 1) of its range, within ±π where it
/// has no limits.
pub(crate) fn within_limits(robot: &Robot, mut part: impl FnMut(usize) -> f64) -> Vec<f64> {
    let one = |(i, variable): (usize, &clearance_robot::Variable)| {
        let (low, high) = variable.limits.map_or((-PI, PI), |limits| (limits.lower, limits.upper));
        low + (high - low) * part(i)
    };
    robot.variables().iter().enumerate().map(one).collect()
}

fn base((low, high): (DVec3, DVec3), height: f64, random: &mut Random) -> Result<Pose> {
    let place = DVec3::new(random.between(low.x, high.x), random.between(low.y, high.y), height);
    Ok(Pose::new(DQuat::from_rotation_z(random.between(-PI, PI)), place)?)
}

/// The robot without pairs of links that (nearly) always collide.
fn checker(robot: &Arc<Robot>, disabled: DisabledPairs, configurations: &[Vec<f64>]) -> Result<CollisionModel> {
    let mut options = CheckOptions { disabled, ..CheckOptions::default() };
    let all = CollisionModel::new(robot.clone(), &options)?;
    let (mut placement, mut workspace) = (all.placement()?, Workspace::default());
    // The default configuration alone is reason enough.
    let always = configurations.len() * 9 / 10;
    let mut hits: HashMap<_, usize> = HashMap::new();
    for pair in all.self_collisions(&placement, &mut workspace)? {
        hits.insert(pair, always);
    }
    for configuration in configurations {
        all.place(&mut placement, &Pose::IDENTITY, configuration)?;
        for pair in all.self_collisions(&placement, &mut workspace)? {
            *hits.entry(pair).or_default() += 1;
        }
    }
    for ((a, b), _) in hits.into_iter().filter(|&(_, count)| count >= always) {
        options.allowed.push([all.name(a)?.to_owned(), all.name(b)?.to_owned()]);
    }
    let mut checker = CollisionModel::new(robot.clone(), &options)?;
    // A few seconds for the largest robot, once.
    checker.prove(&GapOptions { evaluations: 4000, ..GapOptions::default() })?;
    Ok(checker)
}

impl RobotScene {
    /// The questions that are raced: the scene of boxes is there for planners' one question, octree
    /// and points for what is about them.
    pub fn queries(&self) -> &'static [RobotQuery] {
        match self.name {
            BOXES => &[RobotQuery::Verdict],
            OCTOMAP | POINTS => &[RobotQuery::Environment, RobotQuery::Verdict],
            _ => &RobotQuery::ALL,
        }
    }

    /// The values of all joints that move by one number, in the order of the robot's joints, with
    /// those that follow others.
    pub fn joint_values(&self, configuration: &[f64]) -> Vec<(&str, f64)> {
        let robot = self.checker.robot();
        let value = |joint: &clearance_robot::Joint| {
            let (mut joint, mut factor, mut sum) = (joint, 1.0, 0.0);
            while let Some(rule) = joint.mimic() {
                sum += factor * rule.offset;
                factor *= rule.multiplier;
                joint = &robot.joints()[rule.joint];
            }
            factor * configuration[joint.variables().start] + sum
        };
        let moving = robot.joints().iter().filter(|joint| joint.kind().variable_count() == 1);
        moving.map(|joint| (joint.name(), value(joint))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clearance_robot::{JointSpec, RobotBuilder};

    #[test]
    fn an_unknown_scene_and_a_missing_file_are_named() {
        let unknown = make("robot-nobody", Path::new("")).err().unwrap().to_string();
        assert!(unknown.contains("robot-nobody") && unknown.contains("robot-talos"), "{unknown}");
        let missing = make("robot-panda", Path::new("nowhere")).err().unwrap().to_string();
        assert!(missing.contains("is not there"), "{missing}");
    }

    #[test]
    fn configurations_are_within_the_limits_and_the_same_every_time() {
        let robot = RobotBuilder::new("r")
            .link("a", [])
            .link("b", [])
            .link("c", [])
            .joint(JointSpec::revolute("one", "a", "b", DVec3::X, [0.25, 0.5]))
            .joint(JointSpec::revolute("two", "b", "c", DVec3::X, [-3.0, -2.0]))
            .build()
            .unwrap();
        let (mut random, mut again) = (Random(1), Random(1));
        for _ in 0..100 {
            let drawn = configuration(&robot, &mut random);
            assert!(robot.outside_limits(&drawn).next().is_none(), "{drawn:?}");
            assert_eq!(drawn, configuration(&robot, &mut again));
        }
    }
}
