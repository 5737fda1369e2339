//! The races against coal; `run`, beside this file, installs and compiles what it needs. See README.md there.

mod coal;

use clearance_bench::engines::{Clearance, Engine, parry, tolerance_gain};
use clearance_bench::race::{self, Row};
use clearance_bench::{Error, Query, Result, scenes};
use coal::Coal;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "run [--json] [--rounds N] [SCENE…]";

struct Arguments {
    json: bool,
    rounds: usize,
    /// The folder with the compiled harness.
    work: PathBuf,
    scenes: Vec<&'static str>,
}

fn arguments() -> Result<Arguments> {
    let (mut json, mut rounds, mut work, mut words) = (false, 5, None, Vec::new());
    let mut given = std::env::args().skip(1);
    let usage = || Error::other(format!("{USAGE}; scenes: {}", scenes::NAMES.join(", ")));
    while let Some(word) = given.next() {
        match word.as_str() {
            "--json" => json = true,
            "--rounds" => rounds = given.next().and_then(|number| number.parse().ok()).ok_or_else(usage)?,
            "--work" => work = Some(PathBuf::from(given.next().ok_or_else(usage)?)),
            option if option.starts_with('-') => return Err(usage()),
            _ => words.push(word),
        }
    }
    Ok(Arguments { json, rounds, work: work.ok_or_else(usage)?, scenes: scenes::select(&words)? })
}

fn races() -> Result<()> {
    let Arguments { json, rounds, work, scenes } = arguments()?;
    let mut engines = all_engines(&work)?;
    let mut out = stdout().lock();
    for name in scenes {
        let scene = scenes::make(name)?;
        if let Some(note) = scene.note() {
            eprintln!("{note}");
        }
        let mut racers: Vec<&mut dyn Engine> = Vec::new();
        for engine in &mut engines {
            racers.push(&mut **engine);
        }
        let (rows, disagreements) = race::run(&scene, &mut racers, rounds, &mut |_| ())?;
        for line in disagreements {
            eprintln!("DISAGREE {line}");
        }
        if json {
            for row in &rows {
                writeln!(out, "{}", row.to_json())?;
            }
        } else {
            write!(out, "{}", table(&rows))?;
            if scene.queries.contains(&Query::DistanceTenth)
                && let Some(gain) = tolerance_gain(&scene)?
            {
                writeln!(out, "    10 % tolerance against exact, cold, median over the free poses: {gain:.2}×")?;
            }
        }
        out.flush()?;
    }
    Ok(())
}

/// Ours first: the others' answers are compared with it.
fn all_engines(work: &Path) -> Result<Vec<Box<dyn Engine>>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Clearance::warm()), Box::new(Clearance::cold())];
    for coal in Coal::start(&work.join("coal"), work)? {
        engines.push(Box::new(coal));
    }
    engines.extend(parry());
    Ok(engines)
}

/// One line per row, with the ratio to the best of coal's volumes: above 1 is faster than coal.
fn table(rows: &[Row]) -> String {
    let best = |query: &str| {
        let coals = rows.iter().filter(|row| row.query == query && row.engine.starts_with("coal"));
        coals.map(|row| row.us).min_by(f64::total_cmp)
    };
    let line = |row: &Row| {
        let ratio = best(row.query).map_or(String::new(), |coal| format!("{:8.2}× coal's best", coal / row.us));
        let Row { scene, query, engine, us, n } = row;
        format!("{scene:<16} {query:<14} {engine:<15} {us:>12.2} µs  n={n:<6}{ratio}\n")
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
