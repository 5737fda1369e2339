//! `clearance`: the command line. One file per subcommand under `commands/`; no geometry in here.

mod commands;
mod numbers;
mod output;
mod outputs;
mod plots;
mod poses;
mod progress;
mod rows;
mod stream;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Certified proximity queries: do these collide, how far apart are they, where.
#[derive(Parser)]
#[command(name = "clearance", version, max_term_width = 120)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Race our volumes and parry on built-in scenes
    Bench(commands::bench::Bench),
    /// Ask about a robot in many configurations: itself, its surroundings, another robot
    Check(Box<commands::check::Check>),
    /// A humanoid works in a kitchen: its clearance over time, nearest pairs, a picture and a plot
    Demo(commands::demo::Demo),
    /// A humanoid finds its way through a room that it does not know: looks, plans, walks; pictures
    /// and a recording
    Explore(commands::explore::Explore),
    /// What a mesh or robot holds, what is wrong with it, and the cost of its hierarchy
    Info(commands::info::Info),
    /// Ask about two meshes at many poses
    Pair(commands::pair::PairArgs),
    /// Plan a robot's path from one configuration to another; each motion of it is proven
    /// collision-free
    Plan(Box<commands::plan::Plan>),
    /// Cast rays at a mesh
    Ray(commands::ray::RayArgs),
    /// Measure a paper's tables and figures and print them beside its own numbers
    Reproduce(commands::reproduce::Reproduce),
    /// What a robot consists of, and which pairs of its links can collide at all
    Robot(commands::robot::RobotArgs),
    /// Show meshes, robots, scenes, point clouds, maps and recordings in the browser
    View(commands::view::View),
}

/// A bad file, pose or option; 0 is success whether or not anything collides.
const BAD_INPUT: u8 = 2;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // Help and version go to standard output as they are; of a mistake only the line that says
        // what it is.
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            let text = error.to_string();
            let lines: Vec<&str> = text.lines().map(str::trim).take_while(|line| !line.is_empty()).collect();
            eprintln!("{}", lines.join(" "));
            return ExitCode::from(BAD_INPUT);
        }
    };
    let result = match &cli.command {
        Command::Bench(bench) => bench.run(),
        Command::Check(check) => check.run(),
        Command::Demo(demo) => demo.run(),
        Command::Explore(explore) => explore.run(),
        Command::Info(info) => info.run(),
        Command::Pair(pair) => pair.run(),
        Command::Plan(plan) => plan.run(),
        Command::Ray(ray) => ray.run(),
        Command::Reproduce(reproduce) => reproduce.run(),
        Command::Robot(robot) => robot.run(),
        Command::View(view) => view.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read our output has stopped reading: that is not an error.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(BAD_INPUT)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
