//! `clearance robot ROBOT.urdf`: what a robot consists of, and which pairs of links can collide at
//! all.

use super::check::{GeometryKind, hull_links};
use super::robot_reach::{Reaches, reach_picture};
use crate::output::at_least;
use crate::progress::{Busy, Parts};
use crate::{numbers, outputs};
use anyhow::{Context, Result};
use clap::Args;
use clearance::engine::Readable;
use clearance::robot::{Configurations, DisableReason, GapOptions, Joint, JointKind, Srdf, Verdict};
use clearance::{Checker, LinkShape, Robot, Scene, UrdfOptions};
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
    /// Also tell where each link can be at all within the joint limits
    #[arg(long)]
    reach: bool,
    /// With --reach: also tell which links can touch which objects of this scene, a mesh file or JSON
    #[arg(long, value_name = "F", requires = "reach")]
    scene: Option<PathBuf>,
    /// With --reach: draw the robot and the spheres that it never leaves: PNG
    #[arg(long, value_name = "F", requires = "reach")]
    picture: Option<PathBuf>,
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
        let robot = Arc::new(Robot::load_with(&self.robot, &options)?);
        let free = self.disable_at.as_deref().map(|path| Configurations::load(path, &robot)).transpose()?;
        self.write_srdf.iter().chain(&self.picture).try_for_each(|path| outputs::check(path))?;
        let at = || self.robot.display().to_string();
        let mut checker = Checker::new(robot.clone()).with_context(at)?;
        if let Some(path) = &self.scene {
            checker.set_scene(Scene::load(path)?);
        }
        if self.picture.is_some() {
            checker.robot_reach().with_context(|| "--picture")?;
        }
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
        let reach = if self.reach { Some(Reaches::find(&checker, &effort)?) } else { None };
        if let Some(path) = &self.picture {
            outputs::write(path, |path| reach_picture(&checker, path))?;
        }
        if let Some(path) = &self.write_srdf {
            let colliding =
                free.map_or(Ok(HashSet::new()), |free| colliding_links(&mut checker, &free)).with_context(at)?;
            self.write_srdf(path, &robot, &pairs, &colliding)?;
        }
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        if self.json {
            let mut json = as_json(&robot, &pairs);
            reach.iter().for_each(|reach| reach.add_json(&mut json));
            writeln!(out, "{json}")?;
        } else {
            write!(out, "{}{}", as_text(&robot, &pairs), reach.map(|reach| reach.text()).unwrap_or_default())?;
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
fn link_pairs(checker: &Checker, effort: &GapOptions, bar: &Parts) -> Result<Vec<LinkPair>> {
    let links = checker.robot().links().iter().enumerate().filter(|(_, link)| !link.geometries().is_empty());
    let solid: Vec<(usize, &str)> = links.map(|(i, link)| (i, link.name())).collect();
    let all = solid.len() * solid.len().saturating_sub(1) / 2;
    let mut pairs = Vec::with_capacity(all);
    for (i, &a) in solid.iter().enumerate() {
        for &b in &solid[i + 1..] {
            bar.set_of(pairs.len(), all);
            pairs.push(link_pair(checker, a, b, effort)?);
        }
    }
    Ok(pairs)
}

/// The pairs of links that collide in any of some configurations, in the order of [`link_pairs`].
fn colliding_links(checker: &mut Checker, configurations: &Configurations) -> Result<HashSet<[String; 2]>> {
    let mut found = HashSet::new();
    for configuration in configurations.rows() {
        for hit in checker.self_collisions(configuration)? {
            let robot = checker.robot();
            let in_order = robot.link_index(&hit.a) <= robot.link_index(&hit.b);
            found.insert(if in_order { [hit.a, hit.b] } else { [hit.b, hit.a] });
        }
    }
    Ok(found)
}

/// What is known about two links, by number and name.
fn link_pair(checker: &Checker, a: (usize, &str), b: (usize, &str), effort: &GapOptions) -> Result<LinkPair> {
    let links = [a.1, b.1].map(str::to_owned);
    let pair = |verdict, detail: &str, gap| LinkPair { links: links.clone(), verdict, detail: detail.to_owned(), gap };
    if !checker.robot().are_checked(a.0, b.0) {
        return Ok(pair("adjacent", "neighbours, never checked", None));
    }
    Ok(match checker.link_verdict(a.1, b.1, effort)? {
        Some(Verdict::Never { gap, .. }) => {
            pair("never", &format!("proven, at least {} m apart", at_least(gap)), Some(gap))
        }
        Some(Verdict::Sometimes { .. }) => pair("sometimes", "a colliding configuration was found", None),
        Some(Verdict::Always { proven: true, .. }) => pair("always", "proven: nothing moves between them", None),
        Some(Verdict::Always { samples, .. }) => pair("always", &format!("in {samples} samples"), None),
        Some(Verdict::Undecided { nearest, .. }) => {
            pair("undecided", &format!("no collision found, none excluded; nearest {nearest:.4} m"), None)
        }
        _ => pair("undecided", "not looked at", None),
    })
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
    let joint = |joint: &Joint| {
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
