//! Configurations and edges at the pace of a sampling planner, and whole plans: a checker that is
//! ready for planning beside the exact checks of the same build.
//!
//! Robots are a Panda and a UR5 where there is reference data, and the built-in humanoid; scenes are
//! MotionBenchMaker's problems (Chamzas et al., 2022) or generated primitives, rooms of a mesh, of
//! points and of voxels, and a real apartment's mesh where there is reference data. Edges are those
//! of a rapidly exploring random tree. Both engines take turns, and the least of all rounds counts,
//! in processor time. Every verdict is compared.

mod rooms;

use crate::table::{Table, short};
use crate::{Result, thread_time};
use clearance_engine::dispatch::Threads;
use clearance_plan::{PlanOptions, Random, RobotSpace, Search, Verdict, plan};
use clearance_robot::{
    Checker, Find, MotionRequest, PlanningOptions, PlanningTally, Robot, Scene, UrdfOptions, load_urdf,
};
use rooms::{Kind, Room};
use std::path::PathBuf;

/// What can be chosen by name.
pub const ROBOTS: [&str; 3] = ["panda", "ur5", "humanoid"];
/// The scenes.
pub const SCENES: [&str; 5] = ["primitives", "mesh", "points", "voxels", "apartment"];

/// Of each scene.
const CONFIGURATIONS: usize = 1600;
const EDGES: usize = 160;
/// Problems of MotionBenchMaker, spread over all.
const PROBLEMS: usize = 20;
/// How long edges are at most, in radians and metres.
const EDGE: f64 = 1.07;

/// One line of the results.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The robot.
    pub robot: String,
    /// The kind of scene.
    pub scene: &'static str,
    /// What is asked: `config`, `config-block`, `edge-free`, `edge-refused` or `plan`.
    pub query: &'static str,
    /// `screen` or `exact`.
    pub engine: &'static str,
    /// Microseconds for each.
    pub us: f64,
    /// How many.
    pub n: usize,
}

impl Row {
    /// The row as JSON.
    pub fn to_json(&self) -> String {
        let Self { robot, scene, query, engine, us, n } = self;
        let line = serde_json::json!({
            "robot": robot, "scene": scene, "query": query, "engine": engine, "us": us, "n": n
        });
        line.to_string()
    }
}

/// How many questions one level of the screen decided.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The robot.
    pub robot: String,
    /// The kind of scene.
    pub scene: &'static str,
    /// `config` or `edge`.
    pub query: &'static str,
    /// What decided.
    pub level: &'static str,
    /// How many, and of how many.
    pub n: u64,
    /// Of all.
    pub of: u64,
}

impl Level {
    /// The share of all.
    pub fn share(&self) -> f64 {
        self.n as f64 / self.of.max(1) as f64
    }

    /// The level as JSON.
    pub fn to_json(&self) -> String {
        let Self { robot, scene, query, level, n, .. } = self;
        let share = self.share();
        let line = serde_json::json!({
            "robot": robot, "scene": scene, "query": query, "level": level, "n": n, "share": share
        });
        line.to_string()
    }
}

/// What was measured of a robot in one kind of scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// The rows.
    pub rows: Vec<Row>,
    /// What each level decided.
    pub levels: Vec<Level>,
    /// Verdicts that differ from the exact ones.
    pub wrong: usize,
    /// What else there is to say: what preparing took.
    pub remarks: Vec<String>,
}

/// Where reference data is, and what to measure.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of reference data, if there is one.
    pub data: Option<PathBuf>,
    /// Robots and scenes by name; none means all.
    pub names: Vec<String>,
    /// How often the engines take turns.
    pub rounds: usize,
}

impl Options {
    fn wants(&self, name: &str, of: &[&str]) -> bool {
        let chosen: Vec<&String> = self.names.iter().filter(|chosen| of.contains(&chosen.as_str())).collect();
        chosen.is_empty() || chosen.iter().any(|chosen| *chosen == name)
    }
}

/// Measures robot by robot; calls `done` with each scene's results.
pub fn run(options: &Options, done: &mut dyn FnMut(&Measured) -> Result<()>) -> Result<()> {
    for name in ROBOTS.into_iter().filter(|name| options.wants(name, &ROBOTS)) {
        let robot = match robot(options, name)? {
            Ok(robot) => robot,
            Err(reason) => {
                done(&Measured { remarks: vec![format!("{name}: skipped: {reason}")], ..Measured::default() })?;
                continue;
            }
        };
        let mut exact = Checker::new(robot)?;
        exact.set_threads(Threads::One);
        let before = thread_time();
        exact.prove(&Default::default())?;
        let proven = thread_time() - before;
        let mut screen = exact.clone();
        let before = thread_time();
        screen.prepare_for_planning(&PlanningOptions::default())?;
        let made = thread_time() - before;
        let mut remarks =
            vec![format!("{name}: proven in {:.2} s, prepared in {:.2} s", proven.as_secs_f64(), made.as_secs_f64())];
        for scene in SCENES.into_iter().filter(|scene| options.wants(scene, &SCENES)) {
            let mut measured = measure(options, name, scene, [&mut exact, &mut screen])?;
            measured.remarks.splice(0..0, remarks.drain(..));
            done(&measured)?;
        }
    }
    Ok(())
}

/// The tables of results.
pub fn tables(rows: &[Row]) -> Vec<Table> {
    let pairs: Vec<[&Row; 2]> = rows.chunks_exact(2).map(|pair| [&pair[0], &pair[1]]).collect();
    Table::grouped(
        &["query", "n", "exact µs", "screen µs", "ratio"],
        &pairs,
        |[row, _]| format!("{} among {}", row.robot, row.scene),
        |[exact, screen]| {
            let [us, faster] = [exact.us, screen.us].map(short);
            vec![exact.query.to_owned(), exact.n.to_string(), us, faster, short(exact.us / screen.us)]
        },
    )
}

/// The table of what each level decided.
pub fn level_tables(levels: &[Level]) -> Vec<Table> {
    Table::grouped(
        &["query: decided by", "n", "share"],
        levels,
        |level| format!("{} among {}, level by level", level.robot, level.scene),
        |level| {
            let share = format!("{:.1} %", 100.0 * level.share());
            vec![format!("{}: {}", level.query, level.level), level.n.to_string(), share]
        },
    )
}

/// Adds what each level decided of one scene.
fn add_levels(levels: &mut Vec<Level>, robot: &str, scene: &'static str, tally: &PlanningTally) {
    let configurations = tally.configurations().map(|(level, n)| ("config", level, n));
    let edges = tally.edges().map(|(level, n)| ("edge", level, n));
    for (query, level, n) in configurations.into_iter().chain(edges) {
        let same = |known: &&mut Level| (known.query, known.level) == (query, level);
        match levels.iter_mut().find(same) {
            Some(known) => known.n += n,
            None => levels.push(Level { robot: robot.to_owned(), scene, query, level, n, of: 0 }),
        }
    }
    for query in ["config", "edge"] {
        let of = levels.iter().filter(|level| level.query == query).map(|level| level.n).sum();
        levels.iter_mut().filter(|level| level.query == query).for_each(|level| level.of = of);
    }
}

/// A robot, or why there is none: its files are missing.
fn robot(options: &Options, name: &str) -> Result<std::result::Result<Robot, String>> {
    if name == "humanoid" {
        return Ok(Ok(clearance_scene::humanoid()?.robot));
    }
    let Some(data) = &options.data else {
        return Ok(Err("it is read from the folder of reference data, which CLEARANCE_DATA does not name".to_owned()));
    };
    let folder = data.join("robots/vamp").join(name);
    let urdf = folder.join(format!("{name}.urdf"));
    if !urdf.exists() {
        return Ok(Err(format!("there is no {}", urdf.display())));
    }
    let packages = vec![folder.clone(), folder.join("..")];
    let robot = load_urdf(&urdf, &UrdfOptions { packages, ..UrdfOptions::default() })?;
    Ok(Ok(robot.with_srdf(folder.join(format!("{name}.srdf")))?))
}

/// A scene, and what is to be planned in it if that is known.
type Problem = (Scene, Vec<Vec<f64>>);

fn problems(options: &Options, name: &str, kind: &str, exact: &mut Checker) -> Result<Vec<Problem>> {
    let count = exact.robot().variables().len();
    let room = if name == "humanoid" { Room::around_a_body() } else { Room::around_an_arm() };
    let recorded = options.data.as_deref().map(|data| data.join("ref/panda/mbm.json")).filter(|path| path.exists());
    match (kind, recorded) {
        ("primitives", Some(path)) if name != "humanoid" => rooms::recorded(&path, count, PROBLEMS),
        ("primitives", _) => (0..5).map(|seed| Ok((room.scene(seed, Kind::Primitives)?, Vec::new()))).collect(),
        ("mesh", _) => Ok(vec![(room.scene(0, Kind::Mesh)?, Vec::new())]),
        ("apartment", _) => match options.data.as_deref().map(|data| data.join("env/iai_apartment.obj")) {
            Some(path) if path.exists() => Ok(vec![(rooms::around(&path, exact)?, Vec::new())]),
            _ => Ok(Vec::new()),
        },
        ("points", _) => Ok(vec![(room.scene(0, Kind::Points)?, Vec::new())]),
        _ => Ok(vec![(room.scene(0, Kind::Voxels)?, Vec::new())]),
    }
}

/// Sums over scenes.
#[derive(Default)]
struct Sums {
    us: [f64; 2],
    count: usize,
}

impl Sums {
    /// Adds the least processor time of both, in turns.
    fn race(&mut self, rounds: usize, count: usize, mut work: impl FnMut(usize) -> Result<()>) -> Result<()> {
        let mut least = [f64::INFINITY; 2];
        for _ in 0..rounds.max(1) {
            for (engine, least) in least.iter_mut().enumerate() {
                let before = thread_time();
                work(engine)?;
                *least = least.min((thread_time() - before).as_secs_f64() * 1e6);
            }
        }
        (0..2).for_each(|engine| self.us[engine] += least[engine]);
        self.count += count;
        Ok(())
    }
}

const QUERIES: [&str; 5] = ["config", "config-block", "edge-free", "edge-refused", "plan"];

fn measure(options: &Options, name: &str, kind: &'static str, checkers: [&mut Checker; 2]) -> Result<Measured> {
    let [exact, screen] = checkers;
    let (mut random, mut sums) = (Random(7), QUERIES.map(|_| Sums::default()));
    let (mut wrong, mut remarks, mut solved) = (0, Vec::new(), [0; 2]);
    let mut levels = Vec::new();
    for (scene, ends) in problems(options, name, kind, exact)? {
        exact.set_scene(scene.clone());
        screen.set_scene(scene);
        let before = thread_time();
        screen.is_free(&screen.robot().default_configuration())?;
        if kind != "primitives" {
            let ms = (thread_time() - before).as_secs_f64() * 1e3;
            remarks.push(format!("{name} among {kind}: the field and the first verdict took {ms:.0} ms"));
        }
        let robot = exact.robot().clone();
        let configurations: Vec<Vec<f64>> = (0..CONFIGURATIONS).map(|_| draw(&robot, &mut random)).collect();
        let expected: Vec<bool> = exact.are_free(&configurations)?;
        let found = screen.are_free(&configurations)?;
        wrong += expected.iter().zip(&found).filter(|(a, b)| a != b).count();
        let before = screen.planning_tally().unwrap_or_default();
        for (configuration, expected) in configurations.iter().zip(&expected) {
            wrong += usize::from(screen.is_free(configuration)? != *expected);
        }
        let mut free: Vec<Vec<f64>> =
            configurations.iter().zip(&expected).filter(|(_, free)| **free).map(|(c, _)| c.clone()).collect();
        let (edges, checked) =
            edges(exact, screen, if ends.is_empty() { &free[..free.len().min(2)] } else { &ends }, &mut random)?;
        wrong += checked;
        let tally = screen.planning_tally().unwrap_or_default().since(&before);
        add_levels(&mut levels, name, kind, &tally);
        let rounds = options.rounds;
        sums[0].race(rounds, configurations.len(), |engine| {
            configurations.iter().try_for_each(|configuration| {
                if engine == 0 { exact.collides(configuration) } else { screen.is_free(configuration) }.map(drop)
            })?;
            Ok(())
        })?;
        sums[1].race(rounds, configurations.len(), |engine| {
            if engine == 0 {
                configurations.iter().try_for_each(|configuration| exact.collides(configuration).map(drop))?;
            } else {
                screen.are_free(&configurations)?;
            }
            Ok(())
        })?;
        let request = MotionRequest { find: Find::Any, ..MotionRequest::default() };
        for (sums, edges) in sums[2..4].iter_mut().zip(&edges) {
            sums.race(rounds, edges.len(), |engine| {
                for (from, to) in edges {
                    if engine == 0 {
                        exact.edge_with(from, to, &request)?;
                    } else {
                        screen.is_edge_free(from, to)?;
                    }
                }
                Ok(())
            })?;
        }
        let goals: Vec<[Vec<f64>; 2]> = match &ends[..] {
            [from, to] => vec![[from.clone(), to.clone()]],
            _ => {
                free.truncate(10);
                free.chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
            }
        };
        for [from, to] in goals {
            let mut outcome = [None, None];
            sums[4].race(rounds, 1, |engine| {
                let checker = if engine == 0 { &mut *exact } else { &mut *screen };
                outcome[engine] = Some(planned(checker, &from, &to)?);
                Ok(())
            })?;
            let [exact, screen] = outcome;
            wrong +=
                usize::from(exact.as_ref().map(|search| &search.path) != screen.as_ref().map(|search| &search.path));
            solved[1] += 1;
            solved[0] += usize::from(screen.is_some_and(|search| search.verdict == Verdict::Found));
        }
    }
    if sums[0].count == 0 {
        let data = "its mesh is in the folder of reference data, which CLEARANCE_DATA does not name, or not there";
        remarks = vec![format!("{name} among {kind}: skipped: {data}")];
        return Ok(Measured { wrong, remarks, ..Measured::default() });
    }
    remarks
        .push(format!("{name} among {kind}: {} of {} problems solved; {wrong} wrong verdicts", solved[0], solved[1]));
    let rows = QUERIES.into_iter().zip(sums).filter(|(_, sums)| sums.count > 0).flat_map(|(query, sums)| {
        ["exact", "screen"].into_iter().zip(sums.us).map(move |(engine, us)| Row {
            robot: name.to_owned(),
            scene: kind,
            query,
            engine,
            us: us / sums.count as f64,
            n: sums.count,
        })
    });
    Ok(Measured { rows: rows.collect(), levels, wrong, remarks })
}

/// A path without shortcuts, as planners are timed.
fn planned(checker: &mut Checker, from: &[f64], to: &[f64]) -> Result<Search> {
    let options = PlanOptions { max_samples: 5_000, shortcuts: 0, ..PlanOptions::for_robots() };
    Ok(plan(&mut RobotSpace::new(checker, from, to)?, from, to, &options)?)
}

type EdgeList = Vec<(Vec<f64>, Vec<f64>)>;

/// The edges of a random tree from some configurations, the free ones first, and how many verdicts of
/// the screen are wrong.
fn edges(
    exact: &mut Checker,
    screen: &mut Checker,
    roots: &[Vec<f64>],
    random: &mut Random,
) -> Result<([EdgeList; 2], usize)> {
    let request = MotionRequest { find: Find::Any, ..MotionRequest::default() };
    let distance = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let (mut tree, mut split, mut wrong): (Vec<Vec<f64>>, [EdgeList; 2], usize) =
        (roots.to_vec(), Default::default(), 0);
    for _ in 0..EDGES {
        let sample = draw(exact.robot(), random);
        let nearest = tree.iter().min_by(|a, b| distance(a, &sample).total_cmp(&distance(b, &sample)));
        let Some(near) = nearest.cloned() else { break };
        let share = (EDGE / distance(&near, &sample)).min(1.0);
        let to: Vec<f64> = near.iter().zip(&sample).map(|(a, b)| a + (b - a) * share).collect();
        let is_free = exact.edge_with(&near, &to, &request)?.is_free();
        wrong += usize::from(is_free != screen.is_edge_free(&near, &to)?);
        if is_free {
            tree.push(to.clone());
        }
        split[usize::from(!is_free)].push((near, to));
    }
    Ok((split, wrong))
}

/// A configuration within the limits; a base stays in the middle of its room.
fn draw(robot: &Robot, random: &mut Random) -> Vec<f64> {
    let value = |variable: &clearance_robot::Variable, random: &mut Random| {
        let [low, high] = match variable.name.as_str() {
            "base_x" | "base_y" => [-0.1, 0.1],
            _ => variable.limits.map_or([-3.1, 3.1], |limits| [limits.lower, limits.upper]),
        };
        low + (high - low) * random.unit()
    };
    robot.variables().iter().map(|variable| value(variable, random)).collect()
}
