//! `clearance view FILE…`: what files hold, in the browser, as one page or as animated glTF.

use super::check::{GeometryKind, hull_links};
use super::record;
use crate::progress::{self, Busy};
use crate::{numbers, outputs};
use anyhow::{Context, Result, bail};
use clap::Args;
use clearance::io::{Keep, PointFormat, load_mesh, load_octomap, load_points};
use clearance::robot::GapOptions;
use clearance::viewer::{Live, Observer, Recording, Server, html, is_recording, live_html, pair_verdicts};
use clearance::{Cell, Checker, PointCloud, Pose, Robot, Scene, Threads, UrdfOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The number of the first robot in a recording.
const FIRST: usize = 0;

/// The arguments of `clearance view`.
#[derive(Args)]
pub struct View {
    /// Meshes, robots (.urdf), scenes (.json), point clouds (.pcd, .xyz, .csv, .txt, .ply without
    /// faces) and OctoMap files (.bt, .ot) together, or one recording (.glb) alone
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// SRDF file with pairs of the robot's links that need no check
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
    /// First prove which pairs of the robot's links never meet within the joint limits: the matrix
    /// shows it
    #[arg(long)]
    prove: bool,
    /// The radius of points in metres
    #[arg(long, value_name = "M", default_value_t = 0.005, value_parser = numbers::length, allow_hyphen_values = true)]
    radius: f64,
    /// Write one page instead of serving it; the file opens without network
    #[arg(long, value_name = "F")]
    html: Option<PathBuf>,
    /// With --html: put the engine into the page, as the WebAssembly module that `web/engine` builds, so
    /// that it answers while sliders and objects move; 1.5 MB more
    #[arg(long, value_name = "WASM", requires = "html")]
    live: Option<PathBuf>,
    /// Write animated glTF instead of serving a page
    #[arg(long, value_name = "F")]
    glb: Option<PathBuf>,
    /// Serve the page and print its address, but open no browser
    #[arg(long, conflicts_with_all = ["html", "glb"])]
    no_open: bool,
}

impl View {
    /// Reads files, then writes or serves.
    pub fn run(&self) -> Result<()> {
        [&self.html, &self.glb].into_iter().flatten().try_for_each(|path| outputs::check(path))?;
        let (glb, title, live) = self.load()?;
        let mut out = std::io::stdout();
        if let Some(path) = &self.glb {
            outputs::write(path, |path| Ok(std::fs::write(path, &glb)?))?;
            writeln!(out, "glTF: {}", path.display())?;
        }
        if let Some(path) = &self.html {
            let page = match (&self.live, &live) {
                (None, _) => html(&glb, &title),
                (Some(_), None) => bail!("--live needs a robot; a recording has none that can be asked"),
                (Some(engine), Some(live)) => {
                    let engine = std::fs::read(engine).with_context(|| engine.display().to_string())?;
                    live_html(&glb, &title, live, &engine)?
                }
            };
            outputs::write(path, |path| Ok(std::fs::write(path, &page)?))?;
            writeln!(out, "Page: {}", path.display())?;
        }
        if self.html.is_some() || self.glb.is_some() {
            return Ok(());
        }
        let server = Server::bind(&glb)?;
        let server = match live {
            Some(live) => server.with_live(live),
            None => server,
        };
        writeln!(out, "Serving {} until Ctrl-C", server.address())?;
        out.flush()?;
        if !self.no_open
            && let Err(error) = open::that_detached(server.address())
        {
            eprintln!("note: no browser could be opened ({error}); open the address yourself");
        }
        Ok(server.run()?)
    }

    /// The bytes to show, what the tab is called, and what answers while sliders move.
    fn load(&self) -> Result<(Vec<u8>, String, Option<Live>)> {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let title = self.files.iter().map(|path| name(path)).collect::<Vec<_>>().join(", ");
        let mut scene = Scene::new();
        let mut robots = Vec::new();
        for path in &self.files {
            let at = || path.display().to_string();
            let busy = Busy::new(format!("reading {}", path.display()));
            match extension(path).as_str() {
                "glb" => {
                    let bytes = std::fs::read(path).with_context(at)?;
                    if is_recording(&bytes) {
                        if self.files.len() > 1 {
                            bail!("{}: a recording is shown alone; leave out the other files", path.display());
                        }
                        return Ok((bytes, title, None));
                    }
                    add(&mut scene, Scene::load(path)?)?;
                }
                "urdf" | "xml" => {
                    let (geometry, packages) = (self.geometry.into(), self.package.clone());
                    let hulls = hull_links(&self.hull);
                    robots.push(Robot::load_with(
                        path,
                        &UrdfOptions { geometry, packages, hulls, ..UrdfOptions::default() },
                    )?);
                }
                "bt" | "ot" => {
                    let mut map = load_octomap(path)?.to_voxel_map(Cell::Free, Keep::Kinds).with_context(at)?;
                    let name = free_name(&scene, name(path));
                    scene.add(name, map.obstacles().with_context(at)?, Pose::IDENTITY)?;
                }
                "ply" if load_mesh(path).is_err() => self.add_points(&mut scene, path)?,
                "ply" | "stl" | "obj" | "dae" | "off" | "coff" | "noff" | "gltf" | "tris" | "json" => {
                    add(&mut scene, Scene::load(path)?)?;
                }
                _ => {
                    PointFormat::from_path(path).map_err(|_| {
                        let known = "a mesh, .urdf, .json, .pcd, .xyz, .csv, .txt, .bt, .ot or a recording";
                        anyhow::anyhow!("{}: the extension names nothing that can be shown: {known}", path.display())
                    })?;
                    self.add_points(&mut scene, path)?;
                }
            }
            drop(busy);
        }
        let (recording, live) = self.recording(&title, scene, robots)?;
        Ok((recording.glb()?, title, live))
    }

    fn add_points(&self, scene: &mut Scene, path: &Path) -> Result<()> {
        let points = load_points(path)?.points;
        let cloud = PointCloud::new(points, self.radius).with_context(|| path.display().to_string())?;
        let name = free_name(scene, path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        Ok(scene.add(name, cloud, Pose::IDENTITY)?)
    }

    /// Everything as it stands, with the distances of the first robot.
    fn recording(&self, title: &str, scene: Scene, robots: Vec<Robot>) -> Result<(Recording, Option<Live>)> {
        if self.srdf.is_some() && robots.len() != 1 {
            bail!("--srdf takes one robot, not {}", robots.len());
        }
        let mut recording = Recording::new(title);
        let bodies = recording.add_scene(&scene)?;
        let mut first = None;
        for (number, mut robot) in robots.into_iter().enumerate() {
            if let Some(path) = &self.srdf {
                robot = robot.with_srdf(path)?;
            }
            robot.notes().iter().for_each(|note| recording.add_note(note));
            let mut checker = progress::during("building hierarchies", || Checker::new(robot))?;
            let recorded = recording.add_robot(checker.robot(), &Pose::IDENTITY, None)?;
            if self.prove {
                progress::during("proving which pairs of links never meet", || {
                    checker.prove(&GapOptions::default()).map(drop)
                })?;
            }
            recording.set_pairs(recorded, pair_verdicts(&checker));
            // Each clearance is of one robot.
            if number == 0 {
                first = Some(checker);
            }
        }
        let Some(mut checker) = first else { return Ok((recording, None)) };
        checker.set_threads(Threads::One);
        checker.set_scene(scene);
        let shown = (!checker.scene().is_empty()).then_some(&bodies[..]);
        Observer { checker: &checker, bodies: shown, own: true, near: record::NEAR }.record(&mut recording, FIRST)?;
        let live = Live::new(checker, &recording, FIRST, Some(bodies), record::NEAR);
        Ok((recording, Some(live)))
    }
}

fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

/// Moves the objects of one scene into another, under names that are not taken.
fn add(scene: &mut Scene, mut other: Scene) -> Result<()> {
    let names: Vec<String> = other.names().map(str::to_owned).collect();
    for name in names {
        let mut object = other.remove(&name)?;
        object.name = free_name(scene, name);
        scene.insert(object)?;
    }
    Ok(())
}

/// A name that no object has: two files may be called the same.
fn free_name(scene: &Scene, name: String) -> String {
    let taken = |name: &str| scene.part(name).is_ok();
    let others = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.clone()).chain(others).find(|name| !taken(name)).unwrap_or(name)
}
