//! `clearance plan ROBOT.urdf --from … --to …`: a path whose motions are proven collision-free.

use super::check::{GeometryKind, hull_links};
use super::record;
use crate::output::number;
use crate::progress::{self, Parts};
use crate::{numbers, outputs, poses};
use anyhow::{Context, Result, bail};
use clap::Args;
use clearance::robot::{GapOptions, PlanningOptions};
use clearance::scene::planner::{PlanOptions, Search, Verdict, between, plan_motion};
use clearance::viewer::Segment;
use clearance::{CheckOptions, Checker, Edge, Robot, Scene, UrdfOptions};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The arguments of `clearance plan`.
#[derive(Args)]
pub struct Plan {
    /// The robot's URDF file
    robot: PathBuf,
    /// The configuration to begin with: a number for each joint, by commas or spaces, in the order of
    /// `clearance robot`
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    from: String,
    /// The configuration to arrive at
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    to: String,
    /// What stands around: a mesh file in the world's frame, or JSON with objects
    #[arg(long, value_name = "F")]
    scene: Option<PathBuf>,
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
    /// The root link's pose in the world: "x y z qw qx qy qz"
    #[arg(long, allow_hyphen_values = true)]
    base: Option<String>,
    /// The distance that the path keeps from everything, in metres
    #[arg(long, default_value_t = 0.0)]
    margin: f64,
    /// What all choices depend on: equal seeds give equal paths
    #[arg(long, value_name = "N", default_value_t = PlanOptions::for_robots().seed, value_parser = numbers::seed,
        allow_hyphen_values = true)]
    seed: u64,
    /// Give up after so many samples
    #[arg(long, value_name = "N", default_value_t = PlanOptions::for_robots().max_samples)]
    max_samples: usize,
    /// Give up after so many seconds
    #[arg(long, value_name = "S")]
    max_time: Option<f64>,
    /// How many shortcuts are tried
    #[arg(long, value_name = "N", default_value_t = PlanOptions::for_robots().shortcuts)]
    shortcuts: usize,
    /// Threads; 0 uses all. The path does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = numbers::jobs, allow_hyphen_values = true)]
    jobs: usize,
    /// Also record the motion, with distances: animated glTF (.glb) for `clearance view` and other
    /// viewers, or a page (.html)
    #[arg(long, value_name = "F")]
    record: Option<PathBuf>,
    /// One JSON object on standard output, and nothing else there; otherwise the path as CSV, which
    /// `clearance check --motion` reads
    #[arg(long)]
    json: bool,
}

impl Plan {
    /// Reads, prepares, plans, proves, writes.
    pub fn run(&self) -> Result<()> {
        let options = self.options()?;
        self.record.iter().try_for_each(|path| outputs::check(path))?;
        let mut checker = self.checker()?;
        let [from, to] =
            [("--from", &self.from), ("--to", &self.to)].map(|(name, text)| self.configuration(name, text, &checker));
        let (from, to) = (from?, to?);
        let start = Instant::now();
        let bar = Parts::new(1);
        bar.begin("getting ready to plan");
        let prove = GapOptions { threads: self.jobs, ..GapOptions::default() };
        let planning = PlanningOptions { prove: Some(prove), threads: self.jobs, ..PlanningOptions::default() };
        checker.prepare_for_planning_observed(&planning, &|done, all| bar.set_of(done, all))?;
        drop(bar);
        let ready = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let found = progress::during("planning", || plan_motion(&checker, &from, &to, &options))?;
        let planned = start.elapsed().as_secs_f64() * 1e3;
        let reason = match found.verdict {
            Verdict::Found => None,
            Verdict::StartBlocked => Some(format!("--from: {}", blocked(&mut checker, &from)?)),
            Verdict::GoalBlocked => Some(format!("--to: {}", blocked(&mut checker, &to)?)),
            Verdict::GaveUp => {
                Some(format!("no path after {} samples, which does not prove that there is none", found.samples))
            }
        };
        let edges = if found.path.is_empty() { Vec::new() } else { checker.path(&found.path)? };
        self.write(&found, &checker, &edges)?;
        if let Some(reason) = reason {
            eprintln!("{reason}");
            return Ok(());
        }
        let (count, samples) = (found.path.len(), found.samples);
        eprintln!("{count} configurations, {samples} samples; ready in {ready:.1} s, planned in {planned:.2} ms");
        let Some(path) = &self.record else { return Ok(()) };
        let mut rows = record::Rows::default();
        for (i, pair) in found.path.windows(2).enumerate() {
            let (from, text) = (i as f64, format!("Segment {i}: collision-free, proven"));
            let segment = Segment { from, to: from + 1.0, verdict: "free".to_owned(), text };
            rows.push_segment(segment, None, |t| between(&pair[0], &pair[1], t));
        }
        let recording = progress::during("recording", || rows.recording("segment", &checker, true))?;
        record::write(path, &recording)?;
        eprintln!("Recording: {}", path.display());
        Ok(())
    }

    fn options(&self) -> Result<PlanOptions> {
        if !(self.margin.is_finite() && self.margin >= 0.0) {
            bail!("--margin {}: it must be a number that is not negative", self.margin);
        }
        let max_time = match self.max_time {
            Some(seconds) => {
                let time = Duration::try_from_secs_f64(seconds);
                Some(time.with_context(|| format!("--max-time {seconds}"))?)
            }
            None => None,
        };
        let (seed, max_samples, shortcuts, threads) = (self.seed, self.max_samples, self.shortcuts, self.jobs);
        Ok(PlanOptions { seed, max_samples, max_time, shortcuts, threads, ..PlanOptions::for_robots() })
    }

    fn checker(&self) -> Result<Checker> {
        let (geometry, packages, hulls) = (self.geometry.into(), self.package.clone(), hull_links(&self.hull));
        let options = UrdfOptions { geometry, packages, hulls, ..UrdfOptions::default() };
        let name = self.robot.display().to_string();
        let robot = progress::during(format!("loading {name}"), || Robot::load_with(&self.robot, &options))?;
        robot.notes().iter().for_each(|note| eprintln!("note: {note}"));
        let robot = match &self.srdf {
            Some(path) => robot.with_srdf(path)?,
            None => robot,
        };
        let mut checker = Checker::with_options(robot, CheckOptions { margin: self.margin, ..CheckOptions::default() })
            .with_context(|| name)?;
        if let Some(path) = &self.scene {
            checker.set_scene(progress::during(format!("loading {}", path.display()), || Scene::load(path))?);
        }
        if let Some(base) = &self.base {
            checker.set_base(poses::parse(base).context("--base")?)?;
        }
        Ok(checker)
    }

    fn configuration(&self, option: &str, text: &str, checker: &Checker) -> Result<Vec<f64>> {
        let words = text.split([',', ' ', '\t']).filter(|word| !word.is_empty());
        let numbers: Result<Vec<f64>> = words
            .map(|word| match word.parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(number),
                _ => bail!("{option}: '{word}' is not a number"),
            })
            .collect();
        let (numbers, variables) = (numbers?, checker.robot().variables());
        if numbers.len() != variables.len() {
            let names: Vec<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
            bail!("{option} has {} numbers, not {}: {}", numbers.len(), names.len(), names.join(", "));
        }
        Ok(numbers)
    }

    fn write(&self, found: &Search, checker: &Checker, edges: &[Edge]) -> Result<()> {
        let mut clearance = f64::INFINITY;
        for (i, edge) in edges.iter().enumerate() {
            match edge {
                Edge::Free { clearance: proven } => clearance = clearance.min(*proven),
                // The planner has proven it: this would be a mistake of ours.
                _ => bail!("segment {i} of the path is not proven: {edge:?}"),
            }
        }
        let names: Vec<&str> = checker.robot().variables().iter().map(|variable| variable.name.as_str()).collect();
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        if self.json {
            let verdict = match found.verdict {
                Verdict::Found => "found",
                Verdict::StartBlocked => "start-blocked",
                Verdict::GoalBlocked => "goal-blocked",
                Verdict::GaveUp => "gave-up",
            };
            let line = json!({ "verdict": verdict, "columns": names, "path": found.path, "margin": number(clearance),
                "samples": found.samples, "nodes": found.nodes });
            writeln!(out, "{line}")?;
        } else if found.verdict == Verdict::Found {
            writeln!(out, "{}", names.join(","))?;
            for configuration in &found.path {
                let numbers: Vec<String> = configuration.iter().map(f64::to_string).collect();
                writeln!(out, "{}", numbers.join(","))?;
            }
        }
        Ok(out.flush()?)
    }
}

/// Why a configuration cannot be an end of a path.
fn blocked(checker: &mut Checker, configuration: &[f64]) -> Result<String> {
    Ok(match checker.collision(configuration)? {
        Some(hit) => format!("{} touches {}", hit.a, hit.b),
        None => "it is not collision-free".to_owned(),
    })
}
