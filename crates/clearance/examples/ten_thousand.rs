//! Ten thousand configurations on all cores.

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    checker.set_scene(Scene::load(data::scene_file()?)?);
    let configurations = data::configurations(checker.robot(), 10_000);
    let free = checker.are_free(&configurations)?;
    println!("{} of {} are collision-free", free.iter().filter(|&&free| free).count(), free.len());
    Ok(())
}
