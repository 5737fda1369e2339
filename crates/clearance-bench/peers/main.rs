//! The races against coal, of convex bodies against libccd too, and of robots against pinocchio;
//! `run`, beside this file, installs and compiles what it needs. See README.md there.

mod acd;
mod boxes;
mod ccd;
mod coal;
mod fcl;
mod harness;
mod ipctk;
mod open3d;
mod pinocchio;
mod process;

use clearance_bench::engines::{Clearance, ConvexClearance, Engine, ToleranceGain, parry, tolerance_gain};
use clearance_bench::race::{self, Row};
use clearance_bench::robots::{self, MotionRow, OurRobot, RobotEngine};
use clearance_bench::table::Table;
use clearance_bench::{Error, Query, Result, scenes};
use clearance_bench::{casts, cloth, contacts, convex_scenes, decompositions, many, sensing};
use pinocchio::Pinocchio;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "run [--json] [--rounds N] [SCENE…]";

struct Arguments {
    json: bool,
    rounds: usize,
    /// The folder with the compiled harnesses.
    work: PathBuf,
    scenes: Vec<&'static str>,
    convex: Vec<&'static str>,
    robots: Vec<&'static str>,
    /// Whether many moving boxes race too.
    world: bool,
    /// Whether meshes in motion race too.
    motion: bool,
    /// Whether convex decompositions race too.
    decompose: bool,
    /// Whether rays and points race too.
    sensing: bool,
    /// Whether cloth races too.
    cloth: bool,
}

/// The word that asks for many moving boxes.
const WORLD: &str = "world";
/// The word that asks for meshes in motion.
const MOTION: &str = "motion";
/// The word that asks for convex decompositions.
const DECOMPOSE: &str = "decompose";
/// The word that asks for rays and points.
const SENSING: &str = "sensing";
/// The word that asks for deforming surfaces.
const CLOTH: &str = "cloth";

fn arguments() -> Result<Arguments> {
    let (mut json, mut rounds, mut work, mut words) = (false, 5, None, Vec::new());
    let mut given = std::env::args().skip(1);
    let usage = || {
        let names = scenes::NAMES.join(", ");
        Error::other(format!(
            "{USAGE}; scenes: {names}, convex, boxes, robots, {WORLD}, {MOTION}, {DECOMPOSE}, {SENSING}, {CLOTH}"
        ))
    };
    while let Some(word) = given.next() {
        match word.as_str() {
            "--json" => json = true,
            "--rounds" => rounds = given.next().and_then(|number| number.parse().ok()).ok_or_else(usage)?,
            "--work" => work = Some(PathBuf::from(given.next().ok_or_else(usage)?)),
            option if option.starts_with('-') => return Err(usage()),
            _ => words.push(word),
        }
    }
    let (world, words): (Vec<&str>, Vec<&str>) = words.iter().map(String::as_str).partition(|word| *word == WORLD);
    let world = !world.is_empty();
    let (motion, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| *word == MOTION);
    let motion = !motion.is_empty();
    let (decompose, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| *word == DECOMPOSE);
    let decompose = !decompose.is_empty();
    let (sensing, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| *word == SENSING);
    let sensing = !sensing.is_empty();
    let (cloth, words): (Vec<&str>, Vec<&str>) = words.into_iter().partition(|word| *word == CLOTH);
    let cloth = !cloth.is_empty();
    let (robots, others) = robots::select(&words);
    let (convex, others): (Vec<&str>, Vec<&str>) = others.into_iter().partition(|word| convex_scenes::is_convex(word));
    let convex = convex_scenes::select(&convex)?;
    // Robots take minutes, and convex bodies are many: only if asked for.
    let none_else = robots.is_empty() && convex.is_empty() && !world && !motion && !decompose && !sensing && !cloth;
    let scenes = if none_else || !others.is_empty() { scenes::select(&others)? } else { Vec::new() };
    let work = work.ok_or_else(usage)?;
    Ok(Arguments { json, rounds, work, scenes, convex, robots, world, motion, decompose, sensing, cloth })
}

fn races() -> Result<()> {
    let arguments = arguments()?;
    if !arguments.scenes.is_empty() {
        race_pairs(&arguments)?;
    }
    if !arguments.convex.is_empty() {
        race_convex(&arguments)?;
    }
    if !arguments.robots.is_empty() {
        race_robots(&arguments)?;
    }
    if arguments.world {
        race_world(&arguments)?;
    }
    if arguments.motion {
        race_motion(&arguments)?;
    }
    if arguments.decompose {
        race_decompositions(&arguments)?;
    }
    if arguments.sensing {
        race_sensing(&arguments)?;
    }
    if arguments.cloth {
        let python = arguments.work.join("ipctk/bin/python");
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/cloth.py");
        let mut peers = ipctk::peers(&python, &script, &arguments.work)?;
        print_tables(&arguments, &[cloth::race(arguments.rounds, &mut peers)?])?;
    }
    Ok(())
}

fn race_world(arguments: &Arguments) -> Result<()> {
    let (program, folder) = (arguments.work.join("coal"), &arguments.work);
    let mut tables = many::broad_phases(arguments.rounds, &mut |swarm| boxes::coal_boxes(&program, folder, swarm))?;
    tables.push(contacts::continuous(10_000, arguments.rounds)?);
    print_tables(arguments, &tables)
}

fn race_motion(arguments: &Arguments) -> Result<()> {
    let python = arguments.work.join("fcl/bin/python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/motions.py");
    let process = fcl::start(&python, &script)?;
    let overhead = process.borrow_mut().number("overhead")?;
    eprintln!("a call of FCL about two triangles takes {overhead:.1} µs from Python");
    let tables = casts::run(arguments.rounds, &mut |course| fcl::casters(&process, &arguments.work, course))?;
    print_tables(arguments, &tables)
}

fn race_decompositions(arguments: &Arguments) -> Result<()> {
    let python = arguments.work.join("acd/bin/python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/decompose.py");
    let mut engines = acd::engines(&python, &script, &arguments.work)?;
    let table =
        decompositions::run(&decompositions::bodies()?, &mut engines, &mut |row| eprintln!("{}", row.join("  ")))?;
    print_tables(arguments, &[table])
}

fn race_sensing(arguments: &Arguments) -> Result<()> {
    let python = arguments.work.join("open3d/bin/python");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/sensing.py");
    let table = sensing::race(arguments.rounds, &mut |mesh| {
        let open3d = open3d::Open3d::start(&python, &script, &arguments.work, mesh)?;
        Ok(vec![Box::new(open3d) as Box<dyn sensing::Peer>])
    })?;
    print_tables(arguments, &[table])
}

fn print_tables(arguments: &Arguments, tables: &[Table]) -> Result<()> {
    let mut out = stdout().lock();
    for table in tables {
        if arguments.json {
            table.json_lines().iter().try_for_each(|line| writeln!(out, "{line}"))?;
        } else {
            writeln!(out, "{}", table.text())?;
        }
    }
    Ok(out.flush()?)
}

fn race_pairs(arguments: &Arguments) -> Result<()> {
    let mut engines = all_engines(&arguments.work)?;
    for name in &arguments.scenes {
        let scene = scenes::make(name)?;
        if let Some(note) = scene.note() {
            eprintln!("{note}");
        }
        let mut racers: Vec<&mut dyn Engine> = Vec::new();
        for engine in &mut engines {
            racers.push(&mut **engine);
        }
        print(arguments, race::run(&scene, &mut racers, arguments.rounds, &mut |_| ())?)?;
        if !arguments.json
            && scene.queries.contains(&Query::DistanceTenth)
            && let Some(gain) = tolerance_gain(&scene)?
        {
            let ToleranceGain { of_medians, median } = gain;
            writeln!(
                stdout(),
                "    10 % tolerance against exact, cold, free poses: medians {of_medians:.2}×; median of the poses' gains {median:.2}×"
            )?;
        }
    }
    Ok(())
}

fn race_convex(arguments: &Arguments) -> Result<()> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(ConvexClearance::cold()), Box::new(ConvexClearance::warm())];
    engines.extend(coal::convex(&arguments.work)?);
    engines.extend(ccd::engines(&arguments.work)?);
    engines.extend(parry());
    let mut shuffled = ConvexClearance::shuffled();
    for name in &arguments.convex {
        let scene = convex_scenes::make(name)?;
        let mut racers: Vec<&mut dyn Engine> = Vec::new();
        for engine in &mut engines {
            racers.push(&mut **engine);
        }
        if convex_scenes::is_motion(name) {
            racers.push(&mut shuffled);
        }
        print(arguments, race::run(&scene, &mut racers, arguments.rounds, &mut |_| ())?)?;
    }
    Ok(())
}

fn race_robots(arguments: &Arguments) -> Result<()> {
    let Some(examples) = std::env::var_os("CLEARANCE_EXAMPLE_ROBOTS").map(PathBuf::from) else {
        eprintln!("SKIPPED robots: pinocchio and example-robot-data are not installed");
        return Ok(());
    };
    let (python, script) = (arguments.work.join("venv/bin/python"), Path::new(env!("CARGO_MANIFEST_DIR")));
    let mut peer = Pinocchio::start(&python, &script.join("peers/robots.py"), &arguments.work)?;
    for name in &arguments.robots {
        let scene = match robots::make(name, &examples) {
            Ok(scene) => scene,
            Err(error) => {
                eprintln!("SKIPPED {name}: {error} (set CLEARANCE_DATA)");
                continue;
            }
        };
        let (mut warm, mut cold) = (OurRobot::warm(), OurRobot::cold());
        let mut racers: Vec<&mut dyn RobotEngine> = vec![&mut warm, &mut cold];
        if !scene.room.ours_only {
            racers.push(&mut peer);
        }
        print(arguments, robots::run(&scene, &mut racers, arguments.rounds)?)?;
        if !arguments.json && *name == robots::BOXES {
            write!(stdout(), "{}", motion_table(&robots::motions(&scene)?).text())?;
        }
    }
    Ok(())
}

/// Proven motions beside sampled ones.
fn motion_table(rows: &[MotionRow]) -> Table {
    let head = ["motions", "count", "sampled µs", "proven µs", "ratio", "samples", "looks", "distances", "missed"];
    let cells = |row: &MotionRow| {
        let numbers = [
            row.sampled_us,
            row.proven_us,
            row.sampled_us / row.proven_us,
            row.samples,
            row.evaluations[0],
            row.evaluations[1],
        ];
        let numbers = numbers.iter().map(|number| format!("{number:.1}"));
        let (begin, end) = ([row.kind.clone(), row.count.to_string()], row.missed.to_string());
        begin.into_iter().chain(numbers).chain([end]).collect()
    };
    Table {
        rows: rows.iter().map(cells).collect(),
        ..Table::new("straight motions, sampled every 0.5° and proven", &head)
    }
}

fn print(arguments: &Arguments, (rows, disagreements): (Vec<Row>, race::Disagreements)) -> Result<()> {
    for line in disagreements {
        eprintln!("DISAGREE {line}");
    }
    let mut out = stdout().lock();
    if arguments.json {
        for row in &rows {
            writeln!(out, "{}", row.to_json())?;
        }
    } else {
        write!(out, "{}", table(&rows))?;
    }
    Ok(out.flush()?)
}

/// Ours first: the others' answers are compared with it.
fn all_engines(work: &Path) -> Result<Vec<Box<dyn Engine>>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Clearance::warm()), Box::new(Clearance::cold())];
    engines.extend(coal::volumes(work)?);
    engines.extend(parry());
    Ok(engines)
}

/// One line per row, with the ratio to pinocchio, or to the best of coal's volumes: above 1 is
/// faster than they are.
fn table(rows: &[Row]) -> String {
    let best = |query: &str| {
        let peers = rows.iter().filter(|row| row.query == query && row.engine.contains("coal"));
        peers.min_by(|a, b| a.us.total_cmp(&b.us))
    };
    let line = |row: &Row| {
        let whose = |peer: &Row| if peer.engine.starts_with("pin") { "pinocchio" } else { "coal's best" };
        let ratio = best(row.query).map_or(String::new(), |peer| format!("{:8.2}× {}", peer.us / row.us, whose(peer)));
        let Row { scene, query, engine, us, n } = row;
        format!("{scene:<16} {query:<14} {engine:<15} {us:>12.3} µs  n={n:<6}{ratio}\n")
    };
    rows.iter().map(line).collect()
}

fn main() -> ExitCode {
    match races() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
