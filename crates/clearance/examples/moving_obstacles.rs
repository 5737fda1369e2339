//! Obstacles that move, tick by tick: nothing is rebuilt.
#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    let q = checker.robot().default_configuration();
    for i in 0..20 {
        checker.scene_mut().add(format!("crate {i}"), Cuboid::new(0.2, 0.2, 0.2)?, data::orbit(i, 0)?)?;
    }
    for tick in 0..100 {
        for i in 0..20 {
            checker.scene_mut().set_pose(&format!("crate {i}"), data::orbit(i, tick)?)?;
        }
        if let Some(hit) = checker.collision(&q)? {
            println!("tick {tick}: {} touches {}", hit.a, hit.b);
        }
    }
    Ok(())
}
