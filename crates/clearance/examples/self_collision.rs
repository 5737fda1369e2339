//! Does a robot touch itself?
#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    let q = checker.robot().default_configuration();
    let hit = checker.self_collision(&q)?;
    println!("{}", hit.map_or("collision-free".to_owned(), |hit| format!("{} touches {}", hit.a, hit.b)));
    Ok(())
}
