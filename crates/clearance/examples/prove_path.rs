//! Is a path through joint space collision-free? Proven, not sampled.

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    checker.set_scene(Scene::load(data::scene_file()?)?);
    for (i, edge) in checker.path(&data::waypoints())?.iter().enumerate() {
        println!("segment {i}: {edge:?}");
    }
    Ok(())
}
