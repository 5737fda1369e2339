//! `clearance check ROBOT.urdf --configs F`: a robot in many configurations, against itself, a
//! scene and another robot; or, with `--motion F`, along the motions between them
//! (`check_motion.rs`). Rows are answered as they come, in constant memory.

use super::check_motion;
use super::check_near::Near;
use super::range::RangeArgs;
use super::{record, report};
use crate::output::{number, point, status};
use crate::stream::{self, Source};
use crate::{outputs, poses, progress};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use clearance_engine::Pose;
use clearance_engine::assembly::{PartDistance, PartId};
use clearance_engine::query::{DistanceRequest, Status};
use clearance_engine::traversal::Workspace;
use clearance_robot::{
    CheckOptions, CollisionModel, ConfigurationReader, Configurations, Find, GapOptions, GeometrySource, HullLinks,
    MotionRequest, Placement, Scene, Srdf, UrdfOptions, WarmStarts, load_urdf,
};
use indicatif::ProgressBar;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The arguments of `clearance check`.
#[derive(Args)]
pub struct Check {
    /// The robot's URDF file
    pub(super) robot: PathBuf,
    /// CSV whose columns are joints, `-` for standard input; joints without a column stay at 0 or
    /// the nearest limit. Rows are answered as they come, and a bad one ends the run after the
    /// answers of all before it
    #[arg(long, required_unless_present = "motion")]
    configs: Option<PathBuf>,
    /// CSV of waypoints, read like --configs: each straight segment is proven collision-free, or
    /// its first contact found
    #[arg(long, conflicts_with_all = ["configs", "robot_b", "query", "pairs"])]
    pub(super) motion: Option<PathBuf>,
    /// The motion is a smooth spline through the waypoints (Catmull–Rom) instead of straight
    /// segments
    #[arg(long, requires = "motion", conflicts_with = "configs")]
    pub(super) spline: bool,
    /// How near, in metres, counts as a contact of a motion that could not be excluded; above 0,
    /// and 1e-7 is used for less
    #[arg(long, default_value_t = 1e-5, requires = "motion")]
    pub(super) tolerance: f64,
    /// Configurations and distances, 1 or more, after which a segment of a motion is given up as
    /// undecided
    #[arg(long, alias = "most-looks", default_value_t = MotionRequest::default().max_evaluations, requires = "motion")]
    pub(super) max_evaluations: usize,
    /// Also find how near the robot comes to anything along each collision-free segment: a proven
    /// lower bound, and the place; within 1 %, or --rel-err
    #[arg(long, requires = "motion", conflicts_with = "configs")]
    pub(super) clearance: bool,
    /// First prove which pairs of links never meet within the joint limits, so that they need no
    /// look. The proofs are kept beside the URDF file for the next run (NAME-HASH.gaps), and made
    /// anew when robot, options or version change
    #[arg(long, conflicts_with = "environment")]
    prove: bool,
    /// Folder to keep the proofs in, instead of the URDF file's
    #[arg(long, value_name = "DIR", requires = "prove")]
    prove_cache: Option<PathBuf>,
    /// SRDF file with pairs of links that need no check
    #[arg(long)]
    pub(super) srdf: Option<PathBuf>,
    /// Folder that holds packages
    #[arg(long)]
    package: Vec<PathBuf>,
    /// Which geometry of the links
    #[arg(long, value_enum, default_value = "collision")]
    pub(super) geometry: GeometryKind,
    /// Link whose meshes are replaced by their convex hulls; `all` for every link
    #[arg(long, value_name = "LINK")]
    pub(super) hull: Vec<String>,
    /// What stands around: a mesh file in the world's frame, or JSON with objects
    #[arg(long)]
    pub(super) scene: Option<PathBuf>,
    /// The root link's pose in the world: "x y z qw qx qy qz"
    #[arg(long, allow_hyphen_values = true)]
    pub(super) base: Option<String>,
    /// A second robot's URDF file
    #[arg(long)]
    robot_b: Option<PathBuf>,
    /// The second robot's SRDF file
    #[arg(long, requires = "robot_b")]
    srdf_b: Option<PathBuf>,
    /// The second robot's configurations, read like --configs: one, or as many as the first robot's
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
    pub(super) environment: bool,
    /// The robot against itself and, if there is one, the scene: the default
    #[arg(long)]
    both: bool,
    /// What to ask
    #[arg(long, value_enum, default_value = "distance")]
    query: QueryKind,
    /// `all`: also list every pair of links of the robot
    #[arg(long, value_enum)]
    pairs: Option<PairsKind>,
    /// For --query near: also the derivative of each signed distance by every joint
    #[arg(long, conflicts_with = "motion")]
    gradient: bool,
    #[command(flatten)]
    range: RangeArgs,
    /// How much larger every link is meant to be, in metres
    #[arg(long, default_value_t = 0.0)]
    pub(super) padding: f64,
    /// The distance up to which a pair counts as colliding
    #[arg(long, default_value_t = 0.0)]
    pub(super) margin: f64,
    /// Threads; 0 uses all
    #[arg(long, default_value_t = 1)]
    pub(super) jobs: usize,
    /// Also record the robot at every configuration or along the motion, with distances: animated
    /// glTF (.glb) for `clearance view` and other viewers, or a page (.html)
    #[arg(long, value_name = "F", conflicts_with = "robot_b")]
    pub(super) record: Option<PathBuf>,
    /// Also write a report on the motion as a page that prints: verdicts, clearance over time, nearest
    /// pairs, pictures of the worst moments, and all that was assumed
    #[arg(long, value_name = "F", requires = "motion", conflicts_with = "configs")]
    pub(super) report: Option<PathBuf>,
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
    /// The nearest two things
    Distance,
    /// Whether anything touches
    Collide,
    /// All pairs nearer than --max-d, with signed distances
    Near,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum PairsKind {
    All,
}

/// More threads take minutes to start, where they start at all.
const MAX_JOBS: usize = 1024;

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

/// A robot at its place in the world.
pub(super) struct Posed {
    pub(super) checker: CollisionModel,
    pub(super) base: Pose,
    pub(super) options: CheckOptions,
    /// For the user, once files and options are known to be good: a mistake is one line alone.
    notes: Vec<String>,
}

/// Rows of configurations, and what shows how far they are read.
pub(super) struct Rows {
    pub(super) reader: ConfigurationReader,
    pub(super) bar: ProgressBar,
}

/// Configurations of both robots.
struct Chunk {
    own: Configurations,
    /// How many of them are asked about.
    count: usize,
    others: Option<Others>,
}

/// The second robot's configurations: one alone, or one for each of the first robot's.
struct Others {
    /// None if there is one alone.
    reader: Option<ConfigurationReader>,
    /// Those of the chunk, one after the other.
    rows: Vec<f64>,
    variables: usize,
    /// Up to two rows are read at once, to know whether there is one alone; what went wrong with
    /// them is told in its turn.
    ahead: VecDeque<(usize, Vec<f64>)>,
    good: Result<()>,
    total: usize,
}

impl Others {
    fn new(robot: &Posed, rows: Option<Rows>) -> Self {
        let robot = robot.checker.robot();
        let (variables, default) = (robot.variables().len(), robot.default_configuration());
        let mut others =
            Self { reader: None, rows: default, variables, ahead: VecDeque::new(), good: Ok(()), total: 0 };
        let Some(Rows { mut reader, .. }) = rows else { return others };
        let mut first = reader.chunk();
        others.good = reader.read_all_of(2, &mut first).map_err(Into::into);
        first.notes().iter().for_each(|note| eprintln!("note: {note}"));
        match (first.len(), &others.good) {
            (1, Ok(())) => others.rows = first.row(0).to_vec(),
            _ => {
                others.ahead = (0..first.len()).map(|i| (first.line(i), first.row(i).to_vec())).collect();
                others.reader = Some(reader);
            }
        }
        others
    }

    /// Reads a configuration for each of `count` of the first robot's and returns how many there
    /// are; at the end of those there must be no more.
    fn read(&mut self, count: usize, bar: &ProgressBar) -> (usize, Result<()>) {
        let Some(reader) = &mut self.reader else { return (count, Ok(())) };
        self.rows.clear();
        let kept = self.ahead.len().min(count.max(1));
        let ahead = self.ahead.drain(..kept);
        let mut lines: Vec<usize> = Vec::with_capacity(count.max(1));
        for (line, row) in ahead {
            lines.push(line);
            self.rows.extend(row);
        }
        let mut good = std::mem::replace(&mut self.good, Ok(()));
        if good.is_ok() && lines.len() < count.max(1) {
            let mut more = reader.chunk();
            good = reader.read_all_of(count.max(1) - lines.len(), &mut more).map_err(Into::into);
            note(bar, more.notes());
            lines.extend((0..more.len()).map(|i| more.line(i)));
            more.rows().for_each(|row| self.rows.extend_from_slice(row));
        }
        self.total += lines.len();
        let name = reader.name().display();
        if count == 0 {
            // The first robot has no more.
            let Some(line) = lines.first() else { return (0, good) };
            let wanted = self.total - lines.len();
            let reason = format!("{name}: line {line}: the first robot has {wanted} configurations, this one more");
            return (0, Err(anyhow::anyhow!(reason)));
        }
        if lines.len() < count && good.is_ok() {
            let reason =
                format!("{name}: {} configurations; one, or as many as the first robot's, are needed", self.total);
            good = Err(anyhow::anyhow!(reason));
        } else if lines.len() == count && good.is_err() {
            // It went wrong after these.
            self.good = std::mem::replace(&mut good, Ok(()));
        }
        (lines.len(), good)
    }

    /// The one that goes with configuration `i` of the chunk.
    fn row(&self, i: usize) -> &[f64] {
        let i = if self.reader.is_some() { i } else { 0 };
        &self.rows[i * self.variables..(i + 1) * self.variables]
    }
}

/// Tells the user, out of the bar's way.
pub(super) fn note(bar: &ProgressBar, notes: &[String]) {
    if !notes.is_empty() {
        bar.suspend(|| notes.iter().for_each(|note| eprintln!("note: {note}")));
    }
}

/// What is known of one part of an answer.
struct Part {
    colliding: Option<bool>,
    json: Value,
    text: String,
}

impl Check {
    /// Reads and checks options, robots and scene, then asks row by row.
    pub fn run(&self) -> Result<()> {
        let request = self.request()?;
        self.record.iter().chain(&self.report).try_for_each(|path| outputs::check(path))?;
        let start = Instant::now();
        let (mut robot, rows) = self.posed(&Given {
            urdf: &self.robot,
            srdf: self.srdf.as_deref(),
            hulls: &self.hull,
            configs: self.motion.as_deref().or(self.configs.as_deref()),
            base: self.base.as_deref(),
        })?;
        let rows = rows.context("--configs or --motion is missing")?;
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
        let load = |path: &Path| progress::during(format!("loading {}", path.display()), || Scene::load(path));
        let scene = self.scene.as_deref().map(load).transpose()?;
        let loaded = start.elapsed();
        robot
            .notes
            .iter()
            .chain(other.iter().flat_map(|(other, _)| &other.notes))
            .for_each(|note| eprintln!("note: {note}"));
        if self.prove {
            self.prove(&mut robot.checker)?;
        }
        if self.motion.is_some() {
            return check_motion::run(self, rows, &robot, scene.as_ref(), loaded);
        }
        let (other, others) = match other {
            Some((other, rows)) => {
                let others = Others::new(&other, rows);
                (Some(other), Some(others))
            }
            None => (None, None),
        };
        let Rows { mut reader, bar } = rows;
        let name = reader.name().display().to_string();
        let mut batches = robot.checker.batches(&robot.base, self.jobs)?;
        let mut chunk = Chunk { own: reader.chunk(), count: 0, others };
        let read = |max_rows: usize, chunk: &mut Chunk| {
            let mut good = reader.read(max_rows, &mut chunk.own).map_err(anyhow::Error::from);
            note(&bar, chunk.own.notes());
            chunk.count = chunk.own.len();
            if let Some(others) = chunk.others.as_mut().filter(|_| chunk.count > 0 || good.is_ok()) {
                let (count, others_good) = others.read(chunk.count, &bar);
                chunk.count = count;
                good = others_good.and(good);
            }
            (chunk.count, good)
        };
        let (mut colliding, mut first) = (0, 0);
        let mut recorded = self.record.as_ref().map(|_| record::Rows::default());
        let done = stream::answer_all(self.jobs, &bar, &mut chunk, read, |chunk| {
            let rows: Vec<&[f64]> = chunk.own.rows().take(chunk.count).collect();
            let question =
                Question { check: self, robot: &robot, scene: scene.as_ref(), other: other.as_ref(), request };
            let other_row = |i| chunk.others.as_ref().map(|others| others.row(i));
            let other_rows: Vec<&[f64]> = (0..chunk.count).map_while(other_row).collect();
            let answers = batches.next(&rows, |i, placement, workspace, caches| {
                question.ask(i, other_rows.get(i - first).copied(), placement, workspace, caches)
            })?;
            if let Some(recorded) = &mut recorded {
                rows.iter().enumerate().for_each(|(i, row)| recorded.push((first + i) as f64, row.to_vec()));
            }
            first += rows.len();
            let line = |(i, answer): (usize, clearance_robot::Result<(Option<bool>, String)>)| {
                let (collides, line) = answer.with_context(|| format!("{name}: line {}", chunk.own.line(i)))?;
                colliding += usize::from(collides == Some(true));
                Ok(line)
            };
            Ok(answers.into_iter().enumerate().map(line).collect())
        })?;
        let (count, each, built) = (done.count, done.each(), loaded.as_secs_f64() * 1e3);
        eprintln!(
            "{count} configurations, {colliding} colliding; {each:.1} µs each; loaded and built in {built:.0} ms"
        );
        self.write_record(recorded, "row", &robot, scene.as_ref())
    }

    /// Writes what was recorded, if that was asked for.
    pub(super) fn write_record(
        &self,
        rows: Option<record::Rows>,
        unit: &str,
        robot: &Posed,
        scene: Option<&Scene>,
    ) -> Result<()> {
        let Some(rows) = rows else { return Ok(()) };
        let (title, scene) = (robot.checker.robot().name(), scene.filter(|_| !self.own));
        let recording = progress::during("recording", || rows.recording(title, unit, robot, scene, !self.environment))?;
        if let Some(path) = &self.record {
            record::write(path, &recording)?;
            eprintln!("Recording: {}", path.display());
        }
        if let Some(path) = &self.report {
            let page = progress::during("drawing", || report::page(self, robot, &recording))?;
            outputs::write(path, |path| Ok(std::fs::write(path, &page)?))?;
            eprintln!("Report: {}", path.display());
        }
        Ok(())
    }

    /// What is asked of each configuration; refuses options that make no sense.
    fn request(&self) -> Result<Option<DistanceRequest>> {
        let inputs = [&self.configs, &self.motion, &self.configs_b];
        if inputs.into_iter().flatten().filter(|path| stream::is_standard_input(path)).count() > 1 {
            bail!("--configs-b -: standard input is read for the first robot already");
        }
        if self.jobs > MAX_JOBS {
            bail!("--jobs {}: there may be {MAX_JOBS} threads at most", self.jobs);
        }
        let packages = self.package.iter().map(|folder| ("--package", folder));
        for (option, folder) in packages.chain(self.prove_cache.as_ref().map(|folder| ("--prove-cache", folder))) {
            if !folder.is_dir() {
                bail!("{option} {}: there is no such folder", folder.display());
            }
        }
        for (option, value) in [("--padding", self.padding), ("--margin", self.margin)] {
            if !(value.is_finite() && value >= 0.0) {
                bail!("{option} {value}: it must be a number that is not negative");
            }
        }
        if self.max_evaluations == 0 {
            bail!("--max-evaluations 0: nothing can be decided without an evaluation; it must be 1 or more");
        }
        if self.motion.is_some() {
            let tolerance = self.tolerance;
            self.motion_request().check().with_context(|| format!("--tolerance {tolerance}"))?;
            self.clearance_error()?;
            return Ok(None);
        }
        if self.gradient && self.query != QueryKind::Near {
            bail!("--gradient is for --query near");
        }
        match self.query {
            QueryKind::Distance => self.range.request().map(Some),
            QueryKind::Collide => self.range.refuse().map(|()| None),
            QueryKind::Near if self.pairs.is_some() => bail!("--pairs is not for --query near, which lists pairs"),
            QueryKind::Near => {
                let max_d = self.range.max_distance()?;
                Ok(Some(DistanceRequest { max_d, ..DistanceRequest::default() }))
            }
        }
    }

    /// The relative error of the clearance of motions, where that is asked for.
    pub(super) fn clearance_error(&self) -> Result<Option<f64>> {
        if self.clearance { self.range.relative_error(0.01).map(Some) } else { self.range.refuse().map(|()| None) }
    }

    /// Reads what was proven about the robot before, or proves and keeps it.
    fn prove(&self, checker: &mut CollisionModel) -> Result<()> {
        let options = GapOptions { threads: self.jobs, ..GapOptions::default() };
        let at = || self.robot.display().to_string();
        let identity = checker.proof_identity(&options).with_context(at)?;
        let stem = self.robot.file_stem().unwrap_or_default().to_string_lossy();
        let beside = self.robot.parent().unwrap_or(Path::new(""));
        let folder = self.prove_cache.as_deref().unwrap_or(beside);
        let file = folder.join(format!("{stem}-{identity:016x}.gaps"));
        match checker.load_proofs(&file, &options) {
            Ok(_) => {
                eprintln!("note: proofs read from {}", file.display());
                return Ok(());
            }
            Err(_) if !file.exists() => {}
            Err(error) => eprintln!("note: {error}; it is proven again"),
        }
        let bar = progress::bar(0);
        bar.set_message("pairs of links proven");
        let progress = |done: usize, all: usize| {
            bar.set_length(all as u64);
            bar.set_position(done as u64);
        };
        checker.prove_observed(&options, &progress).with_context(at)?;
        bar.finish_and_clear();
        match checker.save_proofs(&file) {
            Ok(()) => eprintln!("note: proofs kept in {}", file.display()),
            Err(error) => eprintln!("note: the proofs are not kept: {error}"),
        }
        Ok(())
    }

    /// What is asked of each segment of a motion.
    pub(super) fn motion_request(&self) -> MotionRequest {
        let (tolerance, max_evaluations) = (self.tolerance, self.max_evaluations);
        MotionRequest { tolerance, own: !self.environment, find: Find::First, max_evaluations }
    }

    fn posed(&self, given: &Given<'_>) -> Result<(Posed, Option<Rows>)> {
        let file = given.urdf.display();
        let (geometry, packages, hulls) = (self.geometry.into(), self.package.clone(), hull_links(given.hulls));
        let options = UrdfOptions { geometry, packages, hulls, ..UrdfOptions::default() };
        let robot = progress::during(format!("loading {file}"), || load_urdf(given.urdf, &options));
        let robot = Arc::new(robot?);
        let mut notes = robot.notes().to_vec();
        let disabled = match given.srdf {
            Some(path) => {
                let srdf = Srdf::load(path)?;
                let disabled = srdf.disabled_pairs(&robot);
                let about_srdf = srdf.notes().iter().chain(&disabled.notes);
                notes.extend(about_srdf.map(|note| format!("{}: {note}", path.display())));
                disabled
            }
            None => Default::default(),
        };
        let rows = match given.configs {
            Some(path) => {
                let Source { read, name, bar } = Source::open(path)?;
                Some(Rows { reader: ConfigurationReader::new(read, &name, robot.clone())?, bar })
            }
            None => None,
        };
        let base =
            given.base.map(|text| poses::parse(text).with_context(|| format!("the base {text:?}"))).transpose()?;
        let (padding, margin) = (self.padding, self.margin);
        let options = CheckOptions { disabled, padding, margin, ..CheckOptions::default() };
        let checker = progress::during(format!("building {file}"), || CollisionModel::new(robot, &options));
        let checker = checker.with_context(|| file.to_string())?;
        Ok((Posed { checker, base: base.unwrap_or(Pose::IDENTITY), options, notes }, rows))
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
    /// Whether the robots collide in configuration `i`, and the line to print.
    fn ask(
        &self,
        i: usize,
        other_row: Option<&[f64]>,
        placement: &Placement,
        workspace: &mut Workspace,
        caches: &mut WarmStarts,
    ) -> clearance_robot::Result<(Option<bool>, String)> {
        if let (QueryKind::Near, Some(request)) = (self.check.query, &self.request) {
            let other = self.other.zip(other_row).map(|other| Ok((other.0, placed(other)?))).transpose()?;
            let near = Near {
                robot: self.robot,
                own: !self.check.environment,
                scene: self.scene.filter(|_| !self.check.own),
                max_distance: request.max_d,
                gradient: self.check.gradient,
                json: self.check.json,
            };
            return near.ask(i, placement, other.as_ref().map(|(robot, placed)| (*robot, placed)), workspace);
        }
        let own = if self.check.environment { None } else { Some(self.own(placement, workspace, caches)?) };
        let scene = match self.scene {
            Some(scene) if !self.check.own => Some(self.environment(scene, placement, workspace, caches)?),
            _ => None,
        };
        let robot = self.other.zip(other_row);
        let robot = robot.map(|other| self.robot_b(other, placement, workspace, caches)).transpose()?;
        let parts = [("self", own), ("environment", scene), ("robot_b", robot)];
        let asked: Vec<Option<bool>> = parts.iter().filter_map(|(_, part)| Some(part.as_ref()?.colliding)).collect();
        let colliding =
            if asked.contains(&Some(true)) { Some(true) } else { (!asked.contains(&None)).then_some(false) };
        if !self.check.json {
            let texts = parts.iter().filter_map(|(name, part)| Some(format!("  {name}: {}", part.as_ref()?.text)));
            return Ok((colliding, format!("{i:>6}{}", texts.collect::<String>())));
        }
        let mut json = json!({ "i": i, "colliding": colliding });
        for (name, part) in parts {
            json[name] = part.map_or(Value::Null, |part| part.json);
        }
        Ok((colliding, json.to_string()))
    }

    fn own(
        &self,
        placement: &Placement,
        workspace: &mut Workspace,
        caches: &mut WarmStarts,
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
        caches: &mut WarmStarts,
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
        (other, row): (&Posed, &[f64]),
        placement: &Placement,
        workspace: &mut Workspace,
        caches: &mut WarmStarts,
    ) -> clearance_robot::Result<Part> {
        let (checker, placed) = (&self.robot.checker, placed((other, row))?);
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

/// A robot in a configuration.
fn placed((robot, row): (&Posed, &[f64])) -> clearance_robot::Result<Placement> {
    let mut placed = robot.checker.placement()?;
    robot.checker.place(&mut placed, &robot.base, row)?;
    Ok(placed)
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
