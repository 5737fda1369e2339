//! `clearance robot ROBOT.urdf`: what a robot consists of, and which pairs of links can collide at
//! all.

use super::check::{GeometryKind, hull_links};
use crate::progress::{Busy, Parts};
use crate::{numbers, outputs};
use anyhow::{Context, Result};
use clap::Args;
use clearance_engine::traversal::Workspace;
use clearance_engine::{Pose, Readable};
use clearance_robot::{
    CheckOptions, CollisionModel, Configurations, DisableReason, GapOptions, JointKind, LinkShape, Robot, Srdf,
    UrdfOptions, Verdict, load_urdf,
};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The arguments of `clearance robot`.
#[derive(Args)]
pub struct RobotArgs {
    /// The robot's URDF file
    robot: PathBuf,
    /// Folder that holds packages
    #[arg(long)]
    package: Vec<PathBuf>,
    /// Which geometry of the links
    #[arg(long, value_enum, default_value = "collision")]
    geometry: GeometryKind,
    /// Link whose meshes are replaced by their convex hulls; `all` for every link
    #[arg(long, value_name = "LINK")]
    hull: Vec<String>,
    /// Where to write an SRDF file that disables neighbours and the pairs that are proven never to
    /// collide
    #[arg(long)]
    write_srdf: Option<PathBuf>,
    /// Also disable, in the SRDF file, the pairs that collide in all configurations
    #[arg(long, requires = "write_srdf")]
    disable_always: bool,
    /// Also disable, in the SRDF file, the pairs that collide in any configuration of a CSV file
    /// with the columns of `check --configs`: configurations that are known to be free of
    /// collisions
    #[arg(long, value_name = "CONFIGS", requires = "write_srdf")]
    disable_at: Option<PathBuf>,
    /// The most distances asked for to decide a pair
    #[arg(long, value_name = "N", default_value_t = GapOptions::default().evaluations, value_parser = numbers::count,
        allow_hyphen_values = true)]
    effort: usize,
    /// Threads; 0 uses all
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = numbers::jobs, allow_hyphen_values = true)]
    jobs: usize,
    /// One JSON object on standard output, and nothing else there
    #[arg(long)]
    json: bool,
}

/// What is known about a pair of links.
struct LinkPair {
    links: [String; 2],
    verdict: &'static str,
    detail: String,
    gap: Option<f64>,
}

impl RobotArgs {
    /// Reads, proves, reports.
    pub fn run(&self) -> Result<()> {
        let (geometry, packages, hulls) = (self.geometry.into(), self.package.clone(), hull_links(&self.hull));
        let options = UrdfOptions { geometry, packages, hulls, ..UrdfOptions::default() };
        let busy = Busy::new("reading the robot and building its hierarchies");
        let robot = Arc::new(load_urdf(&self.robot, &options)?);
        let free = self.disable_at.as_deref().map(|path| Configurations::load(path, &robot)).transpose()?;
        if let Some(path) = &self.write_srdf {
            outputs::check(path)?;
        }
        let at = || self.robot.display().to_string();
        let mut checker = CollisionModel::new(robot.clone(), &CheckOptions::default()).with_context(at)?;
        drop(busy);
        robot.notes().iter().for_each(|note| eprintln!("note: {note}"));
        let start = Instant::now();
        let effort = GapOptions { evaluations: self.effort, threads: self.jobs, ..GapOptions::default() };
        let mut bar = Parts::new(2);
        bar.begin("pairs of bodies");
        checker.prove_observed(&effort, &|done, all| bar.set_of(done, all)).with_context(at)?;
        bar.end(|| ());
        bar.begin("pairs of links");
        let pairs = link_pairs(&checker, &effort, &bar).with_context(at)?;
        drop(bar);
        let seconds = start.elapsed().as_secs_f64();
        if let Some(path) = &self.write_srdf {
            let colliding =
                free.map_or(Ok(HashSet::new()), |free| colliding_links(&checker, &free)).with_context(at)?;
            self.write_srdf(path, &robot, &pairs, &colliding)?;
        }
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        if self.json {
            writeln!(out, "{}", as_json(&robot, &pairs))?;
        } else {
            write!(out, "{}", as_text(&robot, &pairs))?;
        }
        out.flush()?;
        eprintln!("{} pairs of links, decided in {seconds:.2} s", pairs.len());
        Ok(())
    }

    /// Disables what is certain, neighbours and what is proven never to collide, and what the
    /// options name; `colliding` are the pairs of [`disable_at`](Self::disable_at). Tells, on
    /// standard error, what is disabled and what is not.
    fn write_srdf(
        &self,
        path: &Path,
        robot: &Robot,
        pairs: &[LinkPair],
        colliding: &HashSet<[String; 2]>,
    ) -> Result<()> {
        let reason = |pair: &LinkPair| match pair.verdict {
            "adjacent" => Some(DisableReason::Adjacent),
            "never" => Some(DisableReason::Never),
            "always" if self.disable_always => Some(DisableReason::Always),
            _ => colliding.contains(&pair.links).then_some(DisableReason::Default),
        };
        let mut srdf = Srdf::new(robot.name());
        let (mut counts, mut left) = (Vec::new(), Vec::new());
        for pair in pairs {
            let [a, b] = &pair.links;
            if let Some(reason) = reason(pair) {
                srdf.disable(a, b, reason);
                match counts.iter_mut().find(|(known, _)| *known == reason) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((reason, 1)),
                }
            } else if pair.verdict == "always" {
                left.push(format!("{a} – {b}"));
            }
        }
        outputs::write(path, |path| Ok(std::fs::write(path, srdf.to_xml())?))?;
        let counts: Vec<String> = counts.iter().map(|(reason, count)| format!("{count} {}", reason.name())).collect();
        eprintln!("{} disables pairs of links: {}", path.display(), counts.join(", "));
        if !left.is_empty() {
            eprintln!(
                "note: pairs that always collide are left enabled, so that every check collides: {}; --disable-always \
                 disables these {} too",
                left.join(", "),
                left.len()
            );
        }
        Ok(())
    }
}

/// Every pair of links with geometry.
fn link_pairs(checker: &CollisionModel, effort: &GapOptions, bar: &Parts) -> Result<Vec<LinkPair>> {
    let robot = checker.robot();
    let solid: Vec<usize> = (0..robot.links().len()).filter(|&i| !robot.links()[i].geometries().is_empty()).collect();
    let pairs = solid.iter().enumerate().flat_map(|(i, &a)| solid[i + 1..].iter().map(move |&b| (a, b)));
    let all = solid.len() * solid.len().saturating_sub(1) / 2;
    let decide = |(done, (a, b))| {
        bar.set_of(done, all);
        link_pair(checker, a, b, effort)
    };
    pairs.enumerate().map(decide).collect()
}

/// The pairs of links that collide in any of some configurations, in the order of [`link_pairs`].
fn colliding_links(checker: &CollisionModel, configurations: &Configurations) -> Result<HashSet<[String; 2]>> {
    let (mut placement, mut workspace) = (checker.placement()?, Workspace::default());
    let (robot, mut found) = (checker.robot(), HashSet::new());
    for configuration in configurations.rows() {
        checker.place(&mut placement, &Pose::IDENTITY, configuration)?;
        for (a, b) in checker.self_collisions(&placement, &mut workspace)? {
            let (a, b) = (checker.part(a)?.link, checker.part(b)?.link);
            found.insert([a.min(b), a.max(b)].map(|link| robot.links()[link].name().to_owned()));
        }
    }
    Ok(found)
}

fn link_pair(checker: &CollisionModel, a: usize, b: usize, effort: &GapOptions) -> Result<LinkPair> {
    let robot = checker.robot();
    let links = [a, b].map(|link| robot.links()[link].name().to_owned());
    let pair = |verdict, detail: &str, gap| LinkPair { links: links.clone(), verdict, detail: detail.to_owned(), gap };
    if !robot.are_checked(a, b) {
        return Ok(pair("adjacent", "neighbours, never checked", None));
    }
    let known = checker.proofs().and_then(|gaps| gaps.pair(robot.body_of(a), robot.body_of(b)));
    let verdict = match known.map(|known| &known.verdict) {
        Some(never @ Verdict::Never { .. }) => Some(never.clone()),
        // What holds for two bodies of several links need not hold for each of them.
        Some(_) if [a, b].iter().any(|&link| links_with_geometry(robot, robot.body_of(link)) > 1) => {
            Some(checker.prove_links(a, b, effort)?)
        }
        known => known.cloned(),
    };
    Ok(match verdict {
        Some(Verdict::Never { gap, .. }) => pair("never", &format!("proven, at least {gap:.4} m apart"), Some(gap)),
        Some(Verdict::Sometimes { .. }) => pair("sometimes", "a colliding configuration was found", None),
        Some(Verdict::Always { proven: true, .. }) => pair("always", "proven: nothing moves between them", None),
        Some(Verdict::Always { samples, .. }) => pair("always", &format!("in {samples} samples"), None),
        Some(Verdict::Undecided { nearest, .. }) => {
            pair("undecided", &format!("no collision found, none excluded; nearest {nearest:.4} m"), None)
        }
        _ => pair("undecided", "not looked at", None),
    })
}

fn links_with_geometry(robot: &Robot, body: usize) -> usize {
    robot.bodies()[body].links().iter().filter(|&&link| !robot.links()[link].geometries().is_empty()).count()
}

/// The verdicts, in the order in which they are told.
const VERDICTS: [&str; 5] = ["adjacent", "never", "always", "sometimes", "undecided"];

fn as_text(robot: &Robot, pairs: &[LinkPair]) -> String {
    let mut text = format!(
        "{}: {} links, {} joints, {} variables\n",
        robot.name(),
        robot.links().len(),
        robot.joints().len(),
        robot.variables().len()
    );
    for joint in robot.joints().iter().filter(|joint| joint.is_moving()) {
        let _ = writeln!(text, "  {:<32} {}", joint.name(), range(joint.kind()));
    }
    for link in robot.links().iter().filter(|link| !link.geometries().is_empty()) {
        let shapes: Vec<String> = link.geometries().iter().map(|geometry| shape(&geometry.shape)).collect();
        let _ = writeln!(text, "  {:<32} {}", link.name(), shapes.join(", "));
    }
    for verdict in VERDICTS {
        let some: Vec<&LinkPair> = pairs.iter().filter(|pair| pair.verdict == verdict).collect();
        let _ = writeln!(text, "{verdict}: {} pairs", some.len());
        for pair in some.iter().filter(|_| verdict != "adjacent") {
            let _ = writeln!(text, "  {} – {}: {}", pair.links[0], pair.links[1], pair.detail);
        }
    }
    text
}

fn range(kind: &JointKind) -> String {
    let limits = kind.limits().map(|limits| format!(" from {} to {}", Readable(limits.lower), Readable(limits.upper)));
    format!("{}{}", kind.name(), limits.unwrap_or_default())
}

fn shape(shape: &LinkShape) -> String {
    match shape {
        LinkShape::Mesh(mesh) => format!("mesh of {} triangles", mesh.len()),
        LinkShape::Hull(hull) => format!("hull of {} vertices", hull.vertex_count()),
        LinkShape::Box { size } => {
            let [x, y, z] = size.to_array().map(Readable);
            format!("box {x} × {y} × {z}")
        }
        LinkShape::Sphere { radius } => format!("sphere of radius {}", Readable(*radius)),
        LinkShape::Cylinder { radius, length } => {
            format!("cylinder of radius {}, length {}", Readable(*radius), Readable(*length))
        }
        LinkShape::Capsule { radius, length } => {
            format!("capsule of radius {}, length {}", Readable(*radius), Readable(*length))
        }
        _ => "other shape".to_owned(),
    }
}

fn as_json(robot: &Robot, pairs: &[LinkPair]) -> Value {
    let pair = |pair: &LinkPair| json!({ "link_a": pair.links[0], "link_b": pair.links[1], "verdict": pair.verdict, "gap": pair.gap.filter(|gap| gap.is_finite()) });
    let joint = |joint: &clearance_robot::Joint| {
        let limits = joint.kind().limits();
        json!({ "name": joint.name(), "kind": joint.kind().name(), "lower": limits.map(|l| l.lower), "upper": limits.map(|l| l.upper) })
    };
    json!({
        "robot": robot.name(),
        "links": robot.links().iter().map(|link| link.name()).collect::<Vec<_>>(),
        "joints": robot.joints().iter().map(joint).collect::<Vec<_>>(),
        "pairs": pairs.iter().map(pair).collect::<Vec<_>>(),
    })
}
