//! `clearance demo`: a humanoid works in a kitchen; clearance over time, nearest pairs, with a
//! picture and a plot.

use super::record;
use crate::progress::{Busy, Parts};
use crate::{outputs, plots, progress};
use anyhow::{Context, Result};
use clap::Args;
use clearance::robot::{GapOptions, Link};
use clearance::scene::picture::{Camera, Picture};
use clearance::scene::{FLOOR, Humanoid, Object, RATE, humanoid, kitchen, motion};
use clearance::viewer::{Observer, Recording, Timeline, pair_verdicts};
use clearance::{CheckOptions, Checker, LinkShape, Mesh, Pose, Robot, RobotDistance, Vec3};
use clearance_bench::plot::{Axis, Line, Panel, Plot};
use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
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
    checker: Checker,
    kitchen: Vec<Object>,
    motion: Vec<Vec<f64>>,
}

/// What is known of one moment of the motion.
struct Moment {
    own: RobotDistance,
    room: RobotDistance,
}

impl Demo {
    /// Generates, asks, reports, draws.
    pub fn run(&self) -> Result<()> {
        outputs::check(&self.picture)?;
        outputs::check(&self.plot)?;
        outputs::check(&self.page)?;
        self.record.iter().try_for_each(|path| outputs::check(path))?;
        let mut out = std::io::stdout();
        let mut stage = Stage::build(&mut out)?;
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
        // Wheels stand on the floor.
        let allowed = vec![["platform".to_owned(), FLOOR.to_owned()]];
        let options = CheckOptions { allowed, ..CheckOptions::default() };
        let mut checker = Checker::with_options(humanoid.robot.clone(), options)?;
        for object in &kitchen {
            checker.scene_mut().add(&object.name, Mesh::try_from(object.mesh.clone())?, object.pose)?;
        }
        drop(busy);
        let robot = checker.robot();
        let count = |meshes: &mut dyn Iterator<Item = usize>| meshes.sum::<usize>();
        writeln!(
            out,
            "A humanoid with {} joints and {} triangles in a kitchen of {} objects with {} triangles.",
            robot.variables().len(),
            count(&mut meshes_of(robot)),
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
        Ok(Self { humanoid, checker, kitchen, motion })
    }

    /// Exact distances along the motion, to itself and to the room.
    fn distances(&mut self, out: &mut impl Write) -> Result<Vec<Moment>> {
        let (bar, start) = (progress::bar(self.motion.len()), Instant::now());
        let mut moments = Vec::with_capacity(self.motion.len());
        for configuration in &self.motion {
            bar.inc(1);
            let own = self.checker.self_distance(configuration)?.context("no pair of links is checked")?;
            let room = self.checker.scene_distance(configuration)?.context("the room is empty")?;
            moments.push(Moment { own, room });
        }
        let seconds = start.elapsed().as_secs_f64();
        bar.finish_and_clear();
        writeln!(
            out,
            "Exact distances to itself and to the room at {} moments of a motion: {:.0} moments a second on one core.",
            moments.len(),
            moments.len() as f64 / seconds
        )?;
        Ok(moments)
    }

    /// How fast it is told whether anything collides.
    fn verdicts(&mut self, out: &mut impl Write) -> Result<()> {
        let (mut colliding, mut count) = (0, 0);
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < 0.2 {
            for configuration in &self.motion {
                colliding += usize::from(self.checker.collides(configuration)?);
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
            for found in [&moment.own, &moment.room] {
                let (pair, distance) = ((found.a.clone(), found.b.clone()), found.upper);
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
        recording.set_pairs(number, pair_verdicts(&self.checker));
        Observer { checker: &self.checker, bodies: Some(&bodies), own: true, near: record::NEAR }
            .record(&mut recording, number)?;
        Ok(recording)
    }

    /// The robot at one moment, and a red line between the closest points, near and from afar.
    fn draw(&self, step: usize, moment: &Moment, path: &Path) -> Result<()> {
        let mut poses = Vec::new();
        self.humanoid.robot.link_poses(&Pose::IDENTITY, &self.motion[step], &mut poses)?;
        let camera = Camera::looking(Vec3::new(-3.4, -3.0, 2.5), Vec3::new(0.15, 0.1, 0.85));
        let mut picture = Picture::new(960, 720, camera);
        self.kitchen.iter().for_each(|object| object.draw(&mut picture));
        self.humanoid.draw(&mut picture, &poses);
        let (from, to) = (moment.room.point_a, moment.room.point_b);
        picture.draw_line(from, to, [230, 25, 25], 5.0);
        // Seen from the same side, across the line, and from so near that it is a tenth as long as
        // the picture is high.
        let (middle, line) = ((from + to) * 0.5, to - from);
        let side = (camera.eye - middle).reject_from(line.try_normalize().unwrap_or(Vec3::Z)).normalize_or(Vec3::X);
        picture.set_inset(Camera::looking(middle + side * (14.0 * line.length()).max(0.12), middle));
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
