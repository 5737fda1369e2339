//! `clearance bench [NAME…]`: side-by-side races that need nothing but this repository.

use crate::numbers;
use crate::progress::{Busy, Parts};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use clearance_bench::table::Table;
use clearance_bench::{
    Engine, Scene, casts, cloth, contacts, counts, engines, haptics, many, planner, race, scenes, sensing, volumes,
};
use std::io::Write;
use std::path::PathBuf;

/// The arguments of `clearance bench`.
#[derive(Args)]
pub struct Bench {
    /// Scenes: falling, spinning, 20k-far, 20k-near, 20k-overlapping, 80k-…, 80k (the build); 20k
    /// and 80k stand for all of their kind; none means all. With `volumes` among them: every volume
    /// with its tests and its certificate instead of a race; with `world` among them: broad phases
    /// and schedules of many bodies instead; with `motion` among them: first times of contact
    /// instead; with `rays` among them: rays and signed distances of points instead; with `haptics`
    /// among them: a tool that is followed at 1 kHz instead; with `cloth` among them: deforming
    /// surfaces instead; with `planner` among them, and `panda`, `ur5`, `humanoid`, `primitives`,
    /// `mesh`, `points`, `voxels` or `apartment`: configurations, edges and plans instead
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// How often the engines take turns; the best turn counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = numbers::repetitions, allow_hyphen_values = true)]
    rounds: usize,
    /// One JSON object per row on standard output, and nothing else there
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Tables as Markdown
    #[arg(long)]
    markdown: bool,
}

/// The name that asks for tests and certificates.
const VOLUMES: &str = "volumes";
/// The name that asks for many bodies.
const WORLD: &str = "world";
/// The name that asks for first times of contact.
const MOTION: &str = "motion";
/// The name that asks for rays and points.
const RAYS: &str = "rays";
/// The name that asks for a tool at 1 kHz.
const HAPTICS: &str = "haptics";
/// The name that asks for deforming surfaces.
const CLOTH: &str = "cloth";
/// The name that asks for configurations, edges and plans.
const PLANNER: &str = "planner";
/// Of the unrelated poses of a scene: enough for a mean, few enough for the slowest volume.
const POSES: usize = 100;

impl Bench {
    /// Races scene by scene, printing each as soon as it is done.
    pub fn run(&self) -> Result<()> {
        if self.names.iter().any(|name| name == WORLD) {
            return self.world();
        }
        if self.names.iter().any(|name| name == MOTION) {
            let busy = Busy::new("first times of contact");
            let tables = casts::run(self.rounds, &mut |_| Ok(Vec::new()))?;
            drop(busy);
            return self.print_tables(&tables);
        }
        if self.names.iter().any(|name| name == RAYS) {
            let busy = Busy::new("rays and points");
            let table = sensing::run(self.rounds)?;
            drop(busy);
            return self.print_tables(&[table]);
        }
        if self.names.iter().any(|name| name == HAPTICS) {
            let busy = Busy::new("a tool at 1 kHz");
            let table = haptics::run(self.rounds)?;
            drop(busy);
            return self.print_tables(&[table]);
        }
        if self.names.iter().any(|name| name == CLOTH) {
            let busy = Busy::new("deforming surfaces");
            let table = cloth::race(self.rounds, &mut [])?;
            drop(busy);
            return self.print_tables(&[table]);
        }
        if self.names.iter().any(|name| name == PLANNER) {
            return self.planner();
        }
        let (counting, words): (Vec<&String>, Vec<&String>) = self.names.iter().partition(|name| *name == VOLUMES);
        let counting = !counting.is_empty();
        let mut names = scenes::select(&words)
            .map_err(|error| anyhow!("{error}, {VOLUMES}, {WORLD}, {MOTION}, {RAYS}, {HAPTICS}, {CLOTH}, {PLANNER}"))?;
        if counting {
            names.retain(|name| *name != scenes::BUILD);
        }
        let mut engines = if counting { Vec::new() } else { engines::all() };
        if counting && self.markdown {
            writeln!(std::io::stdout(), "{}", counts::PREFACE)?;
        }
        let mut bar = Parts::new(names.len());
        for name in names {
            bar.begin(name);
            let scene = scenes::make(name)?.thinned(POSES);
            let (lines, tables, remarks) = if counting {
                count(&scene, self.rounds, &bar)?
            } else {
                race(&scene, &mut engines, self.rounds, &bar)?
            };
            bar.end(|| -> Result<()> {
                for remark in scene.note().into_iter().chain(remarks) {
                    eprintln!("{remark}");
                }
                self.print(&lines, &tables)
            })?;
        }
        Ok(())
    }

    fn world(&self) -> Result<()> {
        let busy = Busy::new("broad phases");
        let mut tables = many::broad_phases(self.rounds, &mut |_| Ok(Vec::new()))?;
        busy.set("contacts in continuous motion");
        tables.push(contacts::continuous(10_000, self.rounds)?);
        busy.set("how sweep and prune grows");
        tables.push(many::linearity()?);
        busy.set("schedules of pairs");
        tables.push(many::orders()?);
        busy.set("boxes in space and time");
        tables.push(many::trapezoids()?);
        drop(busy);
        self.print_tables(&tables)
    }

    /// Robot by robot, scene by scene; the folder of reference data is `CLEARANCE_DATA`.
    fn planner(&self) -> Result<()> {
        let names: Vec<String> = self.names.iter().filter(|name| *name != PLANNER).cloned().collect();
        let known = planner::ROBOTS.iter().chain(&planner::SCENES);
        if let Some(other) = names.iter().find(|name| !known.clone().any(|known| known == name)) {
            let known: Vec<&str> = known.copied().collect();
            bail!("bench {PLANNER} {other}: choose among {}", known.join(", "));
        }
        let data = std::env::var_os("CLEARANCE_DATA").map(PathBuf::from);
        let options = planner::Options { data, names, rounds: self.rounds };
        let busy = Busy::new("configurations and edges");
        let (mut measured, mut wrong) = (Vec::new(), 0);
        planner::run(&options, &mut |found| {
            wrong += found.wrong;
            measured.push(found.clone());
            Ok(())
        })?;
        drop(busy);
        for found in &measured {
            found.remarks.iter().for_each(|remark| eprintln!("{remark}"));
            let levels = found.levels.iter().map(planner::Level::to_json);
            let lines: Vec<String> = found.rows.iter().map(planner::Row::to_json).chain(levels).collect();
            let mut tables = planner::tables(&found.rows);
            tables.extend(planner::level_tables(&found.levels));
            self.print(&lines, &tables)?;
        }
        if measured.iter().all(|found| found.rows.is_empty()) {
            bail!("nothing was measured: all of it was skipped");
        }
        if wrong > 0 {
            bail!("{wrong} verdicts differ from the exact ones");
        }
        Ok(())
    }

    fn print_tables(&self, tables: &[Table]) -> Result<()> {
        let lines: Vec<String> = tables.iter().flat_map(Table::json_lines).collect();
        self.print(&lines, tables)
    }

    fn print(&self, lines: &[String], tables: &[Table]) -> Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        } else {
            let render = if self.markdown { Table::markdown } else { Table::text };
            tables.iter().try_for_each(|table| writeln!(out, "{}", render(table)))?;
        }
        Ok(out.flush()?)
    }
}

/// The rows of a scene as JSON and as tables, and what is to be said about them.
type Shown = (Vec<String>, Vec<Table>, Vec<String>);

fn race(scene: &Scene, engines: &mut [Box<dyn Engine>], rounds: usize, bar: &Parts) -> Result<Shown> {
    let mut racers: Vec<&mut dyn Engine> = Vec::new();
    for engine in engines {
        racers.push(&mut **engine);
    }
    let (rows, disagreements) = race::run(scene, &mut racers, rounds, &mut |share| bar.set(share))?;
    let remarks = disagreements.iter().map(|line| format!("DISAGREE {line}")).collect();
    Ok((rows.iter().map(race::Row::to_json).collect(), race::tables(&rows), remarks))
}

fn count(scene: &Scene, rounds: usize, bar: &Parts) -> Result<Shown> {
    let rows = counts::run(scene, &volumes::all(), rounds, &mut |share| bar.set(share))?;
    Ok((rows.iter().map(counts::Row::to_json).collect(), counts::tables(&rows), Vec::new()))
}
