//! `clearance info FILE…`: what a mesh or robot holds, what is wrong with it, cost of its
//! hierarchy.

use super::check::GeometryKind;
use crate::progress::Busy;
use anyhow::Result;
use clap::Args;
use clearance::engine::motion::self_intersections;
use clearance::engine::{Readable, TriMesh};
use clearance::{LinkShape, Mesh, Robot, UrdfOptions};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The arguments of `clearance info`.
#[derive(Args)]
pub struct Info {
    /// Mesh files, and robots (.urdf)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Folder that holds packages, for robots
    #[arg(long)]
    package: Vec<PathBuf>,
    /// Which geometry of a robot's links
    #[arg(long, value_enum, default_value = "collision")]
    geometry: GeometryKind,
    /// One JSON object per file
    #[arg(long)]
    json: bool,
}

/// What a file holds.
enum Content {
    Mesh(Arc<TriMesh>),
    Robot(Box<Robot>),
}

/// The number of pairs of triangles after which the search for crossings ends.
const MAX_CROSSINGS: usize = 1000;

/// What is to be said about a mesh.
struct Findings {
    degenerate: usize,
    unreferenced: usize,
    components: usize,
    /// Why it is not closed.
    open: Option<String>,
    /// Pairs of triangles that cross, up to [`MAX_CROSSINGS`].
    crossings: Vec<[u32; 2]>,
    nodes: usize,
    bytes: usize,
    milliseconds: f64,
}

impl Findings {
    fn of(mesh: &Arc<TriMesh>) -> Result<Self> {
        let crossings = self_intersections(mesh, MAX_CROSSINGS)?;
        let start = Instant::now();
        let mesh = Mesh::try_from(mesh.clone())?;
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        Ok(Self {
            degenerate: mesh.degenerate_count(),
            unreferenced: mesh.unreferenced_count(),
            components: mesh.component_count(),
            open: mesh.why_open().map(|error| error.to_string()),
            crossings,
            nodes: mesh.node_count(),
            bytes: mesh.memory(),
            milliseconds,
        })
    }

    /// What is wrong, and what the hierarchy costs.
    fn text(&self, triangles: usize) -> String {
        let mut text = match &self.open {
            None => "  closed       yes: may be declared solid\n".to_owned(),
            Some(reason) => format!("  closed       no: {reason}\n"),
        };
        match self.crossings[..] {
            [] => text += "  crossings    none: the surface does not cross itself\n",
            [[a, b], ..] => {
                let more = if self.crossings.len() == MAX_CROSSINGS { " or more" } else { "" };
                let count = self.crossings.len();
                let _ = writeln!(text, "  crossings    {count}{more}, the first of triangles {a} and {b}");
            }
        }
        if self.degenerate > 0 {
            let _ = writeln!(text, "  degenerate   {} triangles are segments or points", self.degenerate);
        }
        if self.unreferenced > 0 {
            let _ = writeln!(text, "  unreferenced {} vertices belong to no triangle", self.unreferenced);
        }
        text + &cost(self.milliseconds, self.bytes, triangles)
    }
}

fn cost(milliseconds: f64, bytes: usize, triangles: usize) -> String {
    let (kilobytes, each) = (bytes as f64 / 1e3, bytes as f64 / triangles as f64);
    format!("  hierarchy    {milliseconds:.1} ms to build, {kilobytes:.0} kB ({each:.0} bytes a triangle)\n")
}

impl Info {
    /// Loads every file before it prints anything.
    pub fn run(&self) -> Result<()> {
        let busy = Busy::new("");
        let load = |file: &PathBuf| {
            busy.set(format!("reading {}", file.display()));
            self.load(file)
        };
        let contents: Vec<Content> = self.files.iter().map(load).collect::<Result<_>>()?;
        let mut out = std::io::stdout().lock();
        for (file, content) in self.files.iter().zip(contents) {
            busy.set(format!("building hierarchies of {}", file.display()));
            let (text, mut value) = match content {
                Content::Mesh(mesh) => about_mesh(&mesh)?,
                Content::Robot(robot) => about_robot(&robot)?,
            };
            busy.suspend(|| {
                if self.json {
                    value["file"] = json!(file.display().to_string());
                    writeln!(out, "{value}")
                } else {
                    write!(out, "{}\n{text}", file.display())
                }
            })?;
        }
        Ok(())
    }

    fn load(&self, file: &Path) -> Result<Content> {
        if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("urdf")) {
            let geometry = self.geometry.into();
            let options = UrdfOptions { geometry, packages: self.package.clone(), ..UrdfOptions::default() };
            return Ok(Content::Robot(Box::new(Robot::load_with(file, &options)?)));
        }
        Ok(Content::Mesh(Arc::new(clearance::io::load_mesh(file)?)))
    }
}

fn about_mesh(mesh: &Arc<TriMesh>) -> Result<(String, Value)> {
    let (low, high) = mesh.bounding_box();
    let (triangles, vertices) = (mesh.len(), mesh.vertices().len());
    let findings = Findings::of(mesh)?;
    let Findings { degenerate, unreferenced, components, nodes, bytes, milliseconds, .. } = findings;
    let crossings = &findings.crossings;
    let value = json!({
        "triangles": triangles,
        "vertices": vertices,
        "low": low.to_array(),
        "high": high.to_array(),
        "degenerate": degenerate,
        "unreferenced_vertices": unreferenced,
        "components": components,
        "closed": findings.open.is_none(),
        "self_intersections": { "count": crossings.len(), "complete": crossings.len() < MAX_CROSSINGS, "first": crossings.first() },
        "hierarchy": { "build_ms": milliseconds, "nodes": nodes, "bytes": bytes },
    });
    let mut text = format!("  triangles    {triangles} on {vertices} vertices, {components} connected parts\n");
    let _ = writeln!(text, "  box          {} to {}", Readable(low), Readable(high));
    Ok((text + &findings.text(triangles), value))
}

fn about_robot(robot: &Robot) -> Result<(String, Value)> {
    let (links, joints, variables) = (robot.links().len(), robot.joints().len(), robot.variables().len());
    let mut text = format!("  robot        {}: {links} links, {joints} joints, {variables} variables\n", robot.name());
    let (mut parts, mut triangles, mut bytes, mut milliseconds) = (0, 0, 0, 0.0);
    let (mut wrong, mut seen) = (Vec::new(), HashSet::new());
    for link in robot.links() {
        for (number, geometry) in link.geometries().iter().enumerate() {
            parts += 1;
            let LinkShape::Mesh(mesh) = &geometry.shape else { continue };
            // Links may share a mesh.
            if !seen.insert(Arc::as_ptr(mesh)) {
                continue;
            }
            let findings = Findings::of(mesh)?;
            triangles += mesh.len();
            bytes += findings.bytes;
            milliseconds += findings.milliseconds;
            let about = format!("link '{}', geometry {number}", link.name());
            wrong.extend(findings.open.map(|reason| format!("{about}: not closed: {reason}")));
            if findings.degenerate > 0 {
                wrong.push(format!("{about}: {} triangles are segments or points", findings.degenerate));
            }
        }
    }
    let unlimited = robot.variables().iter().filter(|variable| variable.limits.is_none()).count();
    let _ =
        writeln!(text, "  geometries   {parts}, of which {} different meshes with {triangles} triangles", seen.len());
    if unlimited > 0 {
        let _ = writeln!(text, "  unlimited    {unlimited} variables have no limits: nothing is proven across them");
    }
    let notes: Vec<String> = robot.notes().iter().map(ToString::to_string).collect();
    for line in notes.iter().chain(&wrong) {
        let _ = writeln!(text, "  note         {line}");
    }
    if triangles > 0 {
        text += &cost(milliseconds, bytes, triangles);
    }
    let value = json!({
        "robot": robot.name(),
        "links": links,
        "joints": joints,
        "variables": variables,
        "unlimited_variables": unlimited,
        "geometries": parts,
        "meshes": seen.len(),
        "triangles": triangles,
        "notes": notes.iter().chain(&wrong).collect::<Vec<_>>(),
        "hierarchy": { "build_ms": milliseconds, "bytes": bytes },
    });
    Ok((text, value))
}
