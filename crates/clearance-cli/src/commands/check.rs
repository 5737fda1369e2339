//! `clearance check ROBOT.urdf --configs F`: a robot in many configurations, against itself, a
//! scene and another robot; or, with `--motion F`, along the motions between them
//! (`check_motion.rs`). Rows are answered as they come, in constant memory.

use super::check_answer::Question;
use super::check_motion;
use super::check_rows::{Chunk, Others, Rows, note};
use super::range::RangeArgs;
use super::{record, report};
use crate::stream::{self, Source};
use crate::{numbers, outputs, poses, progress};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use clearance::robot::{ConfigurationReader, Find, GapOptions, GeometrySource, HullLinks};
use clearance::{CheckOptions, Checker, DistanceRequest, MotionRequest, Pose, Robot, Scene, UrdfOptions};
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
    pub(super) query: QueryKind,
    /// `all`: also list every pair of links of the robot
    #[arg(long, value_enum)]
    pub(super) pairs: Option<PairsKind>,
    /// For --query near: also the derivative of each signed distance by every joint
    #[arg(long, conflicts_with = "motion")]
    pub(super) gradient: bool,
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
    /// Also draw the moment that comes nearest to anything, with the shortest line: PNG
    #[arg(long, value_name = "F", conflicts_with = "robot_b")]
    pub(super) picture: Option<PathBuf>,
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
pub(super) enum QueryKind {
    /// The nearest two things
    Distance,
    /// Whether anything touches
    Collide,
    /// All pairs nearer than --max-d, with signed distances
    Near,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum PairsKind {
    All,
}

/// More threads take minutes to start, where they start at all.
const MAX_JOBS: usize = 1024;

/// The files and options that make a robot at its place.
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

impl Check {
    /// Reads and checks options, robots and scene, then asks row by row.
    pub fn run(&self) -> Result<()> {
        let request = self.request()?;
        self.record.iter().chain(&self.report).chain(&self.picture).try_for_each(|path| outputs::check(path))?;
        let start = Instant::now();
        let (mut checker, rows) = self.checker(&Given {
            urdf: &self.robot,
            srdf: self.srdf.as_deref(),
            hulls: &self.hull,
            configs: self.motion.as_deref().or(self.configs.as_deref()),
            base: self.base.as_deref(),
        })?;
        let rows = rows.context("--configs or --motion is missing")?;
        let other = match &self.robot_b {
            Some(urdf) => Some(self.checker(&Given {
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
        if let Some(scene) = scene.filter(|_| !self.own) {
            checker.set_scene(scene);
        }
        let loaded = start.elapsed();
        // Once files and options are known to be good: a mistake is one line alone.
        let robots = [Some(&checker), other.as_ref().map(|(other, _)| other)];
        let notes = robots.into_iter().flatten().flat_map(|checker| checker.robot().notes());
        notes.for_each(|note| eprintln!("note: {note}"));
        if self.prove {
            self.prove(&mut checker)?;
        }
        if self.motion.is_some() {
            return check_motion::run(self, rows, &checker, loaded);
        }
        let (other, others) = match other {
            Some((other, rows)) => {
                let others = Others::new(other.robot(), rows);
                (Some(other), Some(others))
            }
            None => (None, None),
        };
        let Rows { mut reader, bar } = rows;
        let name = reader.name().display().to_string();
        let mut questions = checker.stream();
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
        let mut recorded = self.records().then(record::Rows::default);
        let done = stream::answer_all(self.jobs, &bar, &mut chunk, read, |chunk| {
            let rows: Vec<&[f64]> = chunk.own.rows().take(chunk.count).collect();
            let question = Question { check: self, other: other.as_ref(), request };
            let other_row = |i| chunk.others.as_ref().map(|others| others.row(i));
            let other_rows: Vec<&[f64]> = (0..chunk.count).map_while(other_row).collect();
            let answers = questions
                .next(&rows, |checker, i, row| question.ask(checker, i, row, other_rows.get(i - first).copied()))?;
            if let Some(recorded) = &mut recorded {
                rows.iter().enumerate().for_each(|(i, row)| recorded.push((first + i) as f64, row.to_vec()));
            }
            first += rows.len();
            let line = |(i, answer): (usize, clearance::robot::Result<(Option<bool>, String)>)| {
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
        self.write_record(recorded, "row", &checker)
    }

    /// Whether anything is to be written that needs a recording.
    pub(super) fn records(&self) -> bool {
        self.record.is_some() || self.report.is_some() || self.picture.is_some()
    }

    /// Writes what was recorded, if that was asked for.
    pub(super) fn write_record(&self, rows: Option<record::Rows>, unit: &str, checker: &Checker) -> Result<()> {
        let Some(rows) = rows else { return Ok(()) };
        let recording = progress::during("recording", || rows.recording(unit, checker, !self.environment))?;
        if let Some(path) = &self.record {
            record::write(path, &recording)?;
            eprintln!("Recording: {}", path.display());
        }
        if let Some(path) = &self.picture {
            record::write_picture(path, &recording)?;
        }
        if let Some(path) = &self.report {
            let page = progress::during("drawing", || report::page(self, checker, &recording))?;
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
    fn prove(&self, checker: &mut Checker) -> Result<()> {
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

    /// A robot at its place in the world, and its configurations.
    fn checker(&self, given: &Given<'_>) -> Result<(Checker, Option<Rows>)> {
        let file = given.urdf.display();
        let (geometry, packages, hulls) = (self.geometry.into(), self.package.clone(), hull_links(given.hulls));
        let options = UrdfOptions { geometry, packages, hulls, ..UrdfOptions::default() };
        let mut robot = progress::during(format!("loading {file}"), || Robot::load_with(given.urdf, &options))?;
        if let Some(path) = given.srdf {
            robot = robot.with_srdf(path)?;
        }
        let robot = Arc::new(robot);
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
        let options = CheckOptions { padding, margin, ..CheckOptions::default() };
        let checker = progress::during(format!("building {file}"), || Checker::with_options(robot, options));
        let mut checker = checker.with_context(|| file.to_string())?;
        checker.set_base(base.unwrap_or(Pose::IDENTITY)).with_context(|| file.to_string())?;
        checker.set_threads(numbers::threads(self.jobs));
        // Distances are printed without them.
        checker.set_gradients(false);
        Ok((checker, rows))
    }
}
