//! A hand picks up a cup, carries it, and puts it down.

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    checker.set_scene(Scene::load(data::scene_file()?)?);
    checker.attach("cup", Cylinder::new(0.04, 0.1)?, "hand", Pose::from_xyz(0.0, 0.0, 0.12)?, &["wrist"])?;
    let [start, end] = data::carrying();
    println!("carrying: {:?}", checker.edge(&start, &end)?);
    println!("held above the shelf: {:?}", checker.collision(&end)?);
    let cup = checker.detach("cup")?;
    checker.scene_mut().insert(cup)?;
    Ok(())
}
