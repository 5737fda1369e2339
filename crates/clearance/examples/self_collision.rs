//! Does a robot touch itself?

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    let q = checker.robot().default_configuration();
    match checker.self_collision(&q)? {
        Some(hit) => println!("{} touches {}", hit.a, hit.b),
        None => println!("collision-free; nearest: {:?}", checker.self_distance(&q)?),
    }
    Ok(())
}
