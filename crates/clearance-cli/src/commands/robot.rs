//! `clearance robot ROBOT.urdf`: what a robot consists of, and which pairs of links can collide at all.

use super::check::{GeometryKind, hull_links};
use anyhow::{Context, Result};
use clap::Args;
use clearance_robot::{
    CheckOptions, Checker, GapOptions, JointKind, LinkShape, Robot, UrdfOptions, Verdict, load_urdf,
};
use serde_json::{Value, json};
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
    /// Where to write an SRDF file that disables neighbours and the pairs that are proven never to collide
    #[arg(long)]
    write_srdf: Option<PathBuf>,
    /// The most distances asked for to decide a pair
    #[arg(long, default_value_t = GapOptions::default().evaluations)]
    effort: usize,
    /// Threads; 0 uses all
    #[arg(long, default_value_t = 1)]
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
        let robot = Arc::new(load_urdf(&self.robot, &options)?);
        robot.notes().iter().for_each(|note| eprintln!("note: {note}"));
        let at = || self.robot.display().to_string();
        let mut checker = Checker::new(robot.clone(), &CheckOptions::default()).with_context(at)?;
        let start = Instant::now();
        let effort = GapOptions { evaluations: self.effort, threads: self.jobs, ..GapOptions::default() };
        checker.prove(&effort).with_context(at)?;
        let pairs = link_pairs(&checker, &effort).with_context(at)?;
        let seconds = start.elapsed().as_secs_f64();
        if let Some(path) = &self.write_srdf {
            write_srdf(path, &robot, &pairs)?;
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
}

/// Every pair of links with geometry.
fn link_pairs(checker: &Checker, effort: &GapOptions) -> Result<Vec<LinkPair>> {
    let robot = checker.robot();
    let solid: Vec<usize> = (0..robot.links().len()).filter(|&i| !robot.links()[i].geometries().is_empty()).collect();
    let pairs = solid.iter().enumerate().flat_map(|(i, &a)| solid[i + 1..].iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| link_pair(checker, a, b, effort)).collect()
}

fn link_pair(checker: &Checker, a: usize, b: usize, effort: &GapOptions) -> Result<LinkPair> {
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
    let limits = kind.limits().map(|limits| format!(" from {} to {}", limits.lower, limits.upper));
    format!("{}{}", kind.name(), limits.unwrap_or_default())
}

fn shape(shape: &LinkShape) -> String {
    match shape {
        LinkShape::Mesh(mesh) => format!("mesh of {} triangles", mesh.len()),
        LinkShape::Hull(hull) => format!("hull of {} corners", hull.vertex_count()),
        LinkShape::Box { size } => format!("box {} × {} × {}", size.x, size.y, size.z),
        LinkShape::Sphere { radius } => format!("sphere of radius {radius}"),
        LinkShape::Cylinder { radius, length } => format!("cylinder of radius {radius}, length {length}"),
        LinkShape::Capsule { radius, length } => format!("capsule of radius {radius}, length {length}"),
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

/// Only what is certain: neighbours, and what is proven never to collide.
fn write_srdf(path: &Path, robot: &Robot, pairs: &[LinkPair]) -> Result<()> {
    let mut text = format!("<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n", escaped(robot.name()));
    let reasons = [("adjacent", "Adjacent"), ("never", "Never")];
    for pair in pairs {
        if let Some((_, reason)) = reasons.iter().find(|(verdict, _)| *verdict == pair.verdict) {
            let [a, b] = pair.links.each_ref().map(|name| escaped(name));
            let _ = writeln!(text, "  <disable_collisions link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>");
        }
    }
    text += "</robot>\n";
    std::fs::write(path, text).with_context(|| format!("{}: cannot write", path.display()))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
