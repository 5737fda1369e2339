//! `clearance check ROBOT.urdf --configs F`: a robot in many configurations, against itself, a scene and another robot; or, with
//! `--motion F`, along the motions between them (`check_motion.rs`).

use super::check_motion;
use super::range::RangeArgs;
use crate::output::{number, point, status};
use crate::{poses, progress};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use clearance::Pose;
use clearance::assembly::{PartDistance, PartId};
use clearance::descent::Workspace;
use clearance::query::{DistanceRequest, Status};
use clearance_robot::{
    Caches, CheckOptions, Checker, Configurations, Find, GeometrySource, HullLinks, MotionRequest, Placement, Scene,
    Srdf, UrdfOptions, degrees_note, load_urdf,
};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The arguments of `clearance check`.
#[derive(Args)]
pub struct Check {
    /// The robot's URDF file
    robot: PathBuf,
    /// CSV whose columns are joints; joints without a column stay at 0 or the nearest limit
    #[arg(long, required_unless_present = "motion")]
    configs: Option<PathBuf>,
    /// CSV of waypoints, with the columns of --configs: each straight segment is proven free, or its first contact found
    #[arg(long, conflicts_with_all = ["configs", "robot_b", "query", "pairs"])]
    motion: Option<PathBuf>,
    /// The motion is a smooth spline through the waypoints (Catmull–Rom) instead of straight segments
    #[arg(long, requires = "motion", conflicts_with = "configs")]
    pub(super) spline: bool,
    /// How near, in metres, counts as a contact of a motion that could not be excluded
    #[arg(long, default_value_t = 1e-5, requires = "motion")]
    tolerance: f64,
    /// Configurations and distances after which a segment of a motion is given up as undecided
    #[arg(long, default_value_t = MotionRequest::default().most_looks, requires = "motion")]
    most_looks: usize,
    /// SRDF file with pairs of links that need no check
    #[arg(long)]
    srdf: Option<PathBuf>,
    /// Folder that holds packages
    #[arg(long)]
    package: Vec<PathBuf>,
    /// Which geometry of the links
    #[arg(long, value_enum, default_value = "collision")]
    geometry: GeometryKind,
    /// Link whose meshes are replaced by their convex hulls; `all` for every link
    #[arg(long, value_name = "LINK")]
    hull: Vec<String>,
    /// What stands around: a mesh file in the world's frame, or JSON with objects
    #[arg(long)]
    scene: Option<PathBuf>,
    /// The root link's pose in the world: "x y z qw qx qy qz"
    #[arg(long, allow_hyphen_values = true)]
    base: Option<String>,
    /// A second robot's URDF file
    #[arg(long)]
    robot_b: Option<PathBuf>,
    /// The second robot's SRDF file
    #[arg(long, requires = "robot_b")]
    srdf_b: Option<PathBuf>,
    /// The second robot's configurations: one, or as many as the first robot's
    #[arg(long, requires = "robot_b")]
    configs_b: Option<PathBuf>,
    /// The second robot's root link's pose in the world
    #[arg(long, requires = "robot_b", allow_hyphen_values = true)]
    base_b: Option<String>,
    /// As --hull, of the second robot
    #[arg(long, value_name = "LINK", requires = "robot_b")]
    hull_b: Vec<String>,
    /// Only the robot against itself
    #[arg(long = "self", conflicts_with_all = ["environment", "both"])]
    pub(super) own: bool,
    /// Only the robot against the scene
    #[arg(long, conflicts_with = "both", requires = "scene")]
    environment: bool,
    /// The robot against itself and, if there is one, the scene: the default
    #[arg(long)]
    both: bool,
    /// What to ask
    #[arg(long, value_enum, default_value = "distance")]
    query: QueryKind,
    /// `all`: also list every pair of links of the robot
    #[arg(long, value_enum)]
    pairs: Option<PairsKind>,
    #[command(flatten)]
    range: RangeArgs,
    /// How much larger every link is meant to be, in metres
    #[arg(long, default_value_t = 0.0)]
    padding: f64,
    /// The distance up to which a pair counts as colliding
    #[arg(long, default_value_t = 0.0)]
    margin: f64,
    /// Threads; 0 uses all
    #[arg(long, default_value_t = 1)]
    pub(super) jobs: usize,
    /// One JSON object per configuration or segment on standard output, and nothing else there
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GeometryKind {
    Collision,
    Visual,
}

impl From<GeometryKind> for GeometrySource {
    fn from(kind: GeometryKind) -> Self {
        match kind {
            GeometryKind::Collision => Self::Collision,
            GeometryKind::Visual => Self::Visual,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum QueryKind {
    Distance,
    Collide,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PairsKind {
    All,
}

/// The files and options that make a [`Posed`] robot.
struct Given<'g> {
    urdf: &'g Path,
    srdf: Option<&'g Path>,
    hulls: &'g [String],
    configs: Option<&'g Path>,
    base: Option<&'g str>,
}

/// The links that `--hull` names.
pub fn hull_links(names: &[String]) -> HullLinks {
    match names {
        [] => HullLinks::None,
        names if names.iter().any(|name| name == "all") => HullLinks::All,
        names => HullLinks::Named(names.iter().cloned().collect()),
    }
}

/// A robot with its configurations and its place in the world.
pub(super) struct Posed {
    pub(super) checker: Checker,
    pub(super) configs: Configurations,
    pub(super) base: Pose,
    /// For the user, once all input is known to be good: a mistake is one line alone.
    notes: Vec<String>,
}

/// What is known of one part of an answer.
struct Part {
    colliding: Option<bool>,
    json: Value,
    text: String,
}

impl Check {
    /// Reads and checks everything, then asks.
    pub fn run(&self) -> Result<()> {
        let request = match self.query {
            _ if self.motion.is_some() => self.range.refuse().map(|()| None)?,
            QueryKind::Distance => Some(self.range.request()?),
            QueryKind::Collide => self.range.refuse().map(|()| None)?,
        };
        let start = Instant::now();
        let robot = self.posed(&Given {
            urdf: &self.robot,
            srdf: self.srdf.as_deref(),
            hulls: &self.hull,
            configs: self.motion.as_deref().or(self.configs.as_deref()),
            base: self.base.as_deref(),
        })?;
        let other = match &self.robot_b {
            Some(urdf) => Some(self.posed(&Given {
                urdf,
                srdf: self.srdf_b.as_deref(),
                hulls: &self.hull_b,
                configs: self.configs_b.as_deref(),
                base: self.base_b.as_deref(),
            })?),
            None => None,
        };
        if let Some(other) = &other
            && ![1, robot.configs.len()].contains(&other.configs.len())
        {
            let (given, wanted) = (other.configs.len(), robot.configs.len());
            bail!("the second robot has {given} configurations; it must have one, or {wanted} as the first robot");
        }
        let scene = self.scene.as_deref().map(Scene::load).transpose()?;
        let loaded = start.elapsed();
        robot
            .notes
            .iter()
            .chain(other.iter().flat_map(|other| &other.notes))
            .for_each(|note| eprintln!("note: {note}"));
        if let Some(path) = &self.motion {
            return check_motion::run(self, path, &robot, scene.as_ref(), loaded);
        }
        let bar = progress::bar(robot.configs.len());
        let start = Instant::now();
        let rows: Vec<&[f64]> = robot.configs.rows().collect();
        let answers =
            robot.checker.at_configurations(&robot.base, &rows, self.jobs, |i, placement, workspace, caches| {
                bar.inc(1);
                let question =
                    Question { check: self, robot: &robot, scene: scene.as_ref(), other: other.as_ref(), request };
                question.ask(i, placement, workspace, caches)
            })?;
        let asked = start.elapsed();
        bar.finish_and_clear();
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        for (_, json, text) in &answers {
            if self.json { writeln!(out, "{json}")? } else { writeln!(out, "{text}")? }
        }
        out.flush()?;
        let colliding = answers.iter().filter(|(colliding, ..)| *colliding == Some(true)).count();
        let each = asked.as_secs_f64() * 1e6 / answers.len().max(1) as f64;
        let (count, built) = (answers.len(), loaded.as_secs_f64() * 1e3);
        eprintln!(
            "{count} configurations, {colliding} colliding; {each:.1} µs each; loaded and built in {built:.0} ms"
        );
        Ok(())
    }

    /// What is asked of each segment of a motion.
    pub(super) fn motion_request(&self) -> MotionRequest {
        let (tolerance, most_looks) = (self.tolerance, self.most_looks);
        MotionRequest { tolerance, own: !self.environment, find: Find::First, most_looks }
    }

    fn posed(&self, given: &Given<'_>) -> Result<Posed> {
        let (geometry, packages, hulls) = (self.geometry.into(), self.package.clone(), hull_links(given.hulls));
        let options = UrdfOptions { geometry, packages, hulls, ..UrdfOptions::default() };
        let robot = Arc::new(load_urdf(given.urdf, &options)?);
        let disabled = match given.srdf {
            Some(path) => Srdf::load(path)?.disabled_pairs(&robot),
            None => Default::default(),
        };
        let configs = match given.configs {
            Some(path) => Configurations::load(path, &robot)?,
            None => Configurations::defaults(&robot),
        };
        let notes = robot.notes().iter().chain(&disabled.notes).chain(configs.notes()).cloned();
        let notes = notes.chain(degrees_note(&robot, configs.rows())).collect();
        let base =
            given.base.map(|text| poses::parse(text).with_context(|| format!("the base {text:?}"))).transpose()?;
        let (padding, margin) = (self.padding, self.margin);
        let options = CheckOptions { disabled, padding, margin, ..CheckOptions::default() };
        let checker = Checker::new(robot, &options).with_context(|| given.urdf.display().to_string())?;
        Ok(Posed { checker, configs, base: base.unwrap_or(Pose::IDENTITY), notes })
    }
}

/// All that one configuration is asked about.
struct Question<'q> {
    check: &'q Check,
    robot: &'q Posed,
    scene: Option<&'q Scene>,
    other: Option<&'q Posed>,
    request: Option<DistanceRequest>,
}

type Names<'n> = (&'n dyn Fn(PartId) -> &'n str, &'n dyn Fn(PartId) -> &'n str);

impl Question<'_> {
    fn ask(
        &self,
        i: usize,
        placement: &Placement,
        workspace: &mut Workspace,
        caches: &mut Caches,
    ) -> clearance_robot::Result<(Option<bool>, Value, String)> {
        let own = if self.check.environment { None } else { Some(self.own(placement, workspace, caches)?) };
        let scene = match self.scene {
            Some(scene) if !self.check.own => Some(self.environment(scene, placement, workspace, caches)?),
            _ => None,
        };
        let robot = self.other.map(|other| self.robot_b(i, other, placement, workspace, caches)).transpose()?;
        let parts = [("self", own), ("environment", scene), ("robot_b", robot)];
        let asked: Vec<Option<bool>> = parts.iter().filter_map(|(_, part)| Some(part.as_ref()?.colliding)).collect();
        let colliding =
            if asked.contains(&Some(true)) { Some(true) } else { (!asked.contains(&None)).then_some(false) };
        let mut json = json!({ "i": i, "colliding": colliding });
        let mut text = format!("{i:>6}");
        for (name, part) in parts {
            if let Some(part) = &part {
                text += &format!("  {name}: {}", part.text);
            }
            json[name] = part.map_or(Value::Null, |part| part.json);
        }
        Ok((colliding, json, text))
    }

    fn own(
        &self,
        placement: &Placement,
        workspace: &mut Workspace,
        caches: &mut Caches,
    ) -> clearance_robot::Result<Part> {
        let checker = &self.robot.checker;
        let name = |part: PartId| checker.name(part).unwrap_or_default();
        let mut part = match &self.request {
            Some(request) => {
                let answer = checker.self_distance(placement, request, workspace, Some(&mut caches.own))?;
                distance_part(&answer, (&name, &name))
            }
            None => {
                collision_part(checker.self_collision(placement, workspace, Some(&mut caches.own))?, (&name, &name))
            }
        };
        if self.check.pairs.is_some() {
            part.json["pairs"] = self.all_pairs(placement, workspace)?;
        }
        Ok(part)
    }

    fn all_pairs(&self, placement: &Placement, workspace: &mut Workspace) -> clearance_robot::Result<Value> {
        let checker = &self.robot.checker;
        let name = |part: PartId| checker.name(part).unwrap_or_default();
        let Some(request) = &self.request else {
            let hits = checker.self_collisions(placement, workspace)?;
            let pair = |&(a, b): &(PartId, PartId)| json!({ "link_a": name(a), "link_b": name(b) });
            return Ok(Value::Array(hits.iter().map(pair).collect()));
        };
        let distances = checker.self_distances(placement, request, workspace)?;
        let pair = |((a, b), distance): &((PartId, PartId), PartDistance)| {
            json!({
                "link_a": name(*a),
                "link_b": name(*b),
                "colliding": distance.colliding(),
                "distance": number(distance.upper),
                "lower": number(distance.lower),
                "status": status(distance.status),
            })
        };
        Ok(Value::Array(distances.iter().map(pair).collect()))
    }

    fn environment(
        &self,
        scene: &Scene,
        placement: &Placement,
        workspace: &mut Workspace,
        caches: &mut Caches,
    ) -> clearance_robot::Result<Part> {
        let checker = &self.robot.checker;
        let (link, object) = (
            |part: PartId| checker.name(part).unwrap_or_default(),
            |part: PartId| scene.name(part).unwrap_or_default(),
        );
        let cache = Some(&mut caches.scene);
        Ok(match &self.request {
            Some(request) => {
                let answer = checker.scene_distance(placement, scene, request, workspace, cache)?;
                distance_part(&answer, (&link, &object))
            }
            None => collision_part(checker.scene_collision(placement, scene, workspace, cache)?, (&link, &object)),
        })
    }

    fn robot_b(
        &self,
        i: usize,
        other: &Posed,
        placement: &Placement,
        workspace: &mut Workspace,
        caches: &mut Caches,
    ) -> clearance_robot::Result<Part> {
        let checker = &self.robot.checker;
        let mut placed = other.checker.placement()?;
        other.checker.place(&mut placed, &other.base, other.configs.row(i.min(other.configs.len() - 1)))?;
        let (own, others) = (
            |part: PartId| checker.name(part).unwrap_or_default(),
            |part: PartId| other.checker.name(part).unwrap_or_default(),
        );
        let (pair, cache) = ((&other.checker, &placed), Some(&mut caches.robot));
        Ok(match &self.request {
            Some(request) => {
                let answer = checker.robot_distance(placement, pair, request, workspace, cache)?;
                distance_part(&answer, (&own, &others))
            }
            None => collision_part(checker.robot_collision(placement, pair, workspace, cache)?, (&own, &others)),
        })
    }
}

fn distance_part(answer: &PartDistance, (name_a, name_b): Names<'_>) -> Part {
    let witness = answer.witness;
    let json = json!({
        "distance": number(answer.upper),
        "lower": number(answer.lower),
        "status": status(answer.status),
        "link_a": witness.map(|w| name_a(w.part_a)),
        "link_b": witness.map(|w| name_b(w.part_b)),
        "point_a": witness.map(|w| point(w.point_a)),
        "point_b": witness.map(|w| point(w.point_b)),
    });
    let names = witness.map(|w| format!("{} – {}", name_a(w.part_a), name_b(w.part_b))).unwrap_or_default();
    let text = match answer.colliding() {
        _ if answer.lower.is_infinite() => "nothing to meet".to_owned(),
        _ if answer.status == Status::BeyondMax => format!("beyond {}", answer.lower),
        Some(true) => format!("colliding ({names})"),
        _ => format!("{:.6} ({names})", answer.upper),
    };
    Part { colliding: answer.colliding(), json, text }
}

fn collision_part(hit: Option<(PartId, PartId)>, (name_a, name_b): Names<'_>) -> Part {
    let json = json!({
        "colliding": hit.is_some(),
        "link_a": hit.map(|(a, _)| name_a(a)),
        "link_b": hit.map(|(_, b)| name_b(b)),
    });
    let text = hit.map_or("free".to_owned(), |(a, b)| format!("colliding ({} – {})", name_a(a), name_b(b)));
    Part { colliding: Some(hit.is_some()), json, text }
}
