//! `clearance demo`: a humanoid works in a kitchen; clearance over time, nearest pairs, with a
//! picture and a plot.

use super::record;
use crate::progress::{Busy, Parts};
use crate::{outputs, plots, progress};
use anyhow::Result;
use clap::Args;
use clearance_bench::plot::{Axis, Line, Panel, Plot};
use clearance_engine::Pose;
use clearance_engine::assembly::{PartDistance, PartId};
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_robot::{CheckOptions, CollisionModel, GapOptions, Link, LinkShape, Object, Robot, Scene, WarmStarts};
use clearance_scene::picture::{Camera, Picture};
use clearance_scene::{FLOOR, Humanoid, RATE, humanoid, kitchen, motion};
use clearance_view::{Observer, Recording, Timeline, pair_verdicts};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The arguments of `clearance demo`.
#[derive(Args)]
pub struct Demo {
    /// Where the picture of the nearest moment goes
    #[arg(long, default_value = "clearance-demo.png")]
    picture: PathBuf,
    /// Where the plot of the clearance over time goes
    #[arg(long, default_value = "clearance-demo.svg")]
    plot: PathBuf,
    /// Where the page goes that shows the motion in a browser: the file opens without network
    #[arg(long, default_value = "clearance-demo.html")]
    page: PathBuf,
    /// Also write the recording: animated glTF (.glb) for `clearance view` and other viewers
    #[arg(long, value_name = "F")]
    record: Option<PathBuf>,
}

/// The built-in robot and room, ready to be asked.
struct Stage {
    humanoid: Humanoid,
    checker: CollisionModel,
    options: CheckOptions,
    kitchen: Vec<clearance_scene::Object>,
    scene: Scene,
    motion: Vec<Vec<f64>>,
}

/// What is known of one moment of the motion.
struct Moment {
    own: PartDistance,
    room: PartDistance,
}

impl Demo {
    /// Generates, asks, reports, draws.
    pub fn run(&self) -> Result<()> {
        outputs::check(&self.picture)?;
        outputs::check(&self.plot)?;
        outputs::check(&self.page)?;
        self.record.iter().try_for_each(|path| outputs::check(path))?;
        let mut out = std::io::stdout();
        let stage = Stage::build(&mut out)?;
        let moments = stage.distances(&mut out)?;
        stage.verdicts(&mut out)?;
        stage.report(&mut out, &moments)?;
        let nearest = moments.iter().enumerate().min_by(|a, b| a.1.room.upper.total_cmp(&b.1.room.upper));
        if let Some((step, moment)) = nearest {
            let busy = Busy::new("drawing");
            outputs::write(&self.picture, |path| stage.draw(step, moment, path))?;
            drop(busy);
            writeln!(out, "Picture of that moment: {}", self.picture.display())?;
        }
        plots::write(&self.plot, &plot(&moments))?;
        writeln!(out, "Plot: {}", self.plot.display())?;
        let recording = progress::during("recording", || stage.recording())?;
        record::write(&self.page, &recording)?;
        writeln!(out, "The motion in a browser: open {}", self.page.display())?;
        if let Some(path) = &self.record {
            record::write(path, &recording)?;
            writeln!(out, "Recording: {}", path.display())?;
        }
        Ok(())
    }
}

impl Stage {
    fn build(out: &mut impl Write) -> Result<Self> {
        let (start, busy) = (Instant::now(), Busy::new("building hierarchies"));
        let (humanoid, kitchen) = (humanoid()?, kitchen()?);
        let motion: Vec<Vec<f64>> = motion().iter().map(|step| step.to_vec()).collect();
        let robot = Arc::new(humanoid.robot.clone());
        let mut scene = Scene::default();
        for object in &kitchen {
            let geometry: Mesh = Mesh::new(object.mesh.clone())?;
            scene.insert(Object { name: object.name.clone(), geometry: Arc::new(geometry), pose: object.pose })?;
        }
        // Wheels stand on the floor.
        let allowed = vec![["platform".to_owned(), FLOOR.to_owned()]];
        let options = CheckOptions { allowed, ..CheckOptions::default() };
        let mut checker = CollisionModel::new(robot.clone(), &options)?;
        drop(busy);
        let count = |meshes: &mut dyn Iterator<Item = usize>| meshes.sum::<usize>();
        writeln!(
            out,
            "A humanoid with {} joints and {} triangles in a kitchen of {} objects with {} triangles.",
            robot.variables().len(),
            count(&mut meshes_of(&robot)),
            kitchen.len(),
            count(&mut kitchen.iter().map(|object| object.mesh.len()))
        )?;
        writeln!(out, "Generated, all hierarchies built, in {:.0} ms.", start.elapsed().as_secs_f64() * 1e3)?;
        let start = Instant::now();
        let (bar, effort) = (Parts::new(1), GapOptions { evaluations: 400, refinements: 100, ..GapOptions::default() });
        bar.begin("proving which pairs of bodies never touch");
        let proofs = checker.prove_observed(&effort, &|done, all| bar.set_of(done, all))?;
        drop(bar);
        let never = proofs.pairs().iter().filter(|pair| pair.gap > 0.0).count();
        writeln!(
            out,
            "Proven within the joint limits: {never} of {} pairs of bodies never touch ({:.0} ms).",
            proofs.pairs().len(),
            start.elapsed().as_secs_f64() * 1e3
        )?;
        Ok(Self { humanoid, checker, options, kitchen, scene, motion })
    }

    fn rows(&self) -> Vec<&[f64]> {
        self.motion.iter().map(Vec::as_slice).collect()
    }

    /// Exact distances along the motion, to itself and to the room.
    fn distances(&self, out: &mut impl Write) -> Result<Vec<Moment>> {
        let request = DistanceRequest::default();
        let (rows, bar, start) = (self.rows(), progress::bar(self.motion.len()), Instant::now());
        let moments =
            self.checker.at_configurations(&Pose::IDENTITY, &rows, 1, |_, placement, workspace, caches| {
                bar.inc(1);
                let own = self.checker.self_distance(placement, &request, workspace, Some(&mut caches.own))?;
                let room = self.checker.scene_distance(
                    placement,
                    &self.scene,
                    &request,
                    workspace,
                    Some(&mut caches.scene),
                )?;
                Ok(Moment { own, room })
            })?;
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        writeln!(
            out,
            "Exact distances to itself and to the room at {} moments of a motion: {:.0} moments a second on one core.",
            rows.len(),
            rows.len() as f64 / seconds
        )?;
        Ok(moments)
    }

    /// How fast it is told whether anything collides.
    fn verdicts(&self, out: &mut impl Write) -> Result<()> {
        let (mut placement, mut workspace) = (self.checker.placement()?, Workspace::default());
        let (mut caches, mut colliding, mut count) = (WarmStarts::default(), 0, 0);
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < 0.2 {
            for configuration in &self.motion {
                self.checker.place(&mut placement, &Pose::IDENTITY, configuration)?;
                let own = self.checker.self_collision(&placement, &mut workspace, Some(&mut caches.own))?;
                let hit = own.is_some() || {
                    let cache = Some(&mut caches.scene);
                    self.checker.scene_collision(&placement, &self.scene, &mut workspace, cache)?.is_some()
                };
                colliding += usize::from(hit);
                count += 1;
            }
        }
        let rate = count as f64 / start.elapsed().as_secs_f64();
        let colliding = colliding * self.motion.len() / count;
        writeln!(
            out,
            "Does it collide? At {colliding} of {} moments; {rate:.0} configurations a second, itself and room, kinematics included.",
            self.motion.len()
        )?;
        Ok(())
    }

    fn report(&self, out: &mut impl Write, moments: &[Moment]) -> Result<()> {
        let mut nearest: HashMap<(String, String), (f64, usize)> = HashMap::new();
        for (step, moment) in moments.iter().enumerate() {
            let name = |part: PartId| self.checker.name(part).unwrap_or_default().to_owned();
            let own = moment.own.witness.map(|w| ((name(w.part_a), name(w.part_b)), moment.own.upper));
            let object = |part: PartId| self.scene.name(part).unwrap_or_default().to_owned();
            let room = moment.room.witness.map(|w| ((name(w.part_a), object(w.part_b)), moment.room.upper));
            for (pair, distance) in own.into_iter().chain(room) {
                let entry = nearest.entry(pair).or_insert((distance, step));
                if distance < entry.0 {
                    *entry = (distance, step);
                }
            }
        }
        let mut nearest: Vec<_> = nearest.into_iter().collect();
        nearest.sort_by(|a, b| a.1.0.total_cmp(&b.1.0).then_with(|| a.0.cmp(&b.0)));
        writeln!(out, "Nearest pairs:")?;
        for ((a, b), (distance, step)) in nearest.iter().take(6) {
            let time = *step as f64 / RATE;
            writeln!(out, "  {:>6.1} mm  {a} – {b}, after {time:.1} s", distance * 1e3)?;
        }
        Ok(())
    }

    /// All of it, with the answers at every moment.
    fn recording(&self) -> Result<Recording> {
        let mut recording = Recording::new("A humanoid at work in a kitchen");
        let mut bodies = Vec::new();
        for object in &self.kitchen {
            bodies.push(recording.add_colored(&object.name, &object.mesh, Some(&object.colors), &object.pose));
        }
        let robot = self.checker.robot();
        let number = recording.add_robot(robot, &Pose::IDENTITY, Some(&self.humanoid.colors))?;
        let times = (0..self.motion.len()).map(|step| step as f64 / RATE).collect();
        recording.set_timeline(Timeline { unit: "s".into(), step: false, times })?;
        recording.set_motion(number, self.motion.clone())?;
        recording.set_pairs(number, pair_verdicts(&self.checker, robot.disabled_pairs()));
        let observer = Observer {
            model: &self.checker,
            options: &self.options,
            base: Pose::IDENTITY,
            scene: Some((&self.scene, &bodies)),
            own: true,
            near: record::NEAR,
            threads: 0,
        };
        observer.record(&mut recording, number)?;
        Ok(recording)
    }

    /// The robot at one moment, and a red line between the closest points, near and from afar.
    fn draw(&self, step: usize, moment: &Moment, path: &Path) -> Result<()> {
        let mut poses = Vec::new();
        self.humanoid.robot.link_poses(&Pose::IDENTITY, &self.motion[step], &mut poses)?;
        let camera = Camera::looking(DVec3::new(-3.4, -3.0, 2.5), DVec3::new(0.15, 0.1, 0.85));
        let mut picture = Picture::new(960, 720, camera);
        self.kitchen.iter().for_each(|object| object.draw(&mut picture));
        self.humanoid.draw(&mut picture, &poses);
        if let Some(witness) = moment.room.witness {
            picture.draw_line(witness.point_a, witness.point_b, [230, 25, 25], 5.0);
            // Seen from the same side, across the line, and from so near that it is a tenth as long
            // as the picture is high.
            let (middle, line) = ((witness.point_a + witness.point_b) * 0.5, witness.point_b - witness.point_a);
            let side =
                (camera.eye - middle).reject_from(line.try_normalize().unwrap_or(DVec3::Z)).normalize_or(DVec3::X);
            picture.set_inset(Camera::looking(middle + side * (14.0 * line.length()).max(0.12), middle));
        }
        Ok(picture.save(path)?)
    }
}

/// The numbers of triangles of a robot's meshes.
fn meshes_of(robot: &Robot) -> impl Iterator<Item = usize> {
    robot.links().iter().flat_map(Link::geometries).map(|geometry| match &geometry.shape {
        LinkShape::Mesh(mesh) => mesh.len(),
        _ => 0,
    })
}

/// Clearance over the motion.
fn plot(moments: &[Moment]) -> Plot {
    let line = |name: &str, distance: fn(&Moment) -> f64| {
        let points = moments.iter().enumerate().map(|(i, moment)| (i as f64 / RATE, distance(moment) * 1e3));
        Line::new(name, points.collect())
    };
    let lines = vec![line("to itself", |moment| moment.own.upper), line("to the room", |moment| moment.room.upper)];
    let panel = Panel { x: Axis::linear("seconds"), y: Axis::linear("clearance in mm"), lines };
    Plot { name: "demo", title: "Clearance of a humanoid at work in a kitchen".into(), panels: vec![panel] }
}
