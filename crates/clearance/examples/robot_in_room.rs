//! How near is a robot to the things around it?

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    checker.set_scene(Scene::load(data::scene_file()?)?);
    checker.scene_mut().add("table", Cuboid::new(1.2, 0.8, 0.05)?, Pose::from_xyz(0.9, 0.0, 0.4)?)?;
    let q = checker.robot().default_configuration();
    if let Some(d) = checker.distance(&q)? {
        println!("{} is {:.1} mm from {}", d.a, d.upper * 1e3, d.b);
    }
    Ok(())
}
