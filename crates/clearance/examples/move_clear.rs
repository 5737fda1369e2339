//! Moves a robot until it is 5 cm clear of everything: it follows the gradient of the nearest pair.

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    checker.set_scene(Scene::load(data::scene_file()?)?);
    let mut q = data::in_the_shelf(checker.robot());
    for step in 0..100 {
        let mut near = checker.near(&q, 0.05)?;
        // What no joint moves stays where it is.
        near.retain(|pair| pair.gradient.iter().any(|g| g.abs() > 0.01));
        let Some(pair) = near.iter().min_by(|x, y| x.signed.total_cmp(&y.signed)) else { break };
        println!("step {step}: {} is {:.1} mm from {}", pair.a, pair.signed * 1e3, pair.b);
        let squared: f64 = pair.gradient.iter().map(|g| g * g).sum();
        let share = (0.051 - pair.signed) / squared;
        q.iter_mut().zip(&pair.gradient).for_each(|(x, g)| *x += share * g);
    }
    println!("clear at {q:.3?}");
    Ok(())
}
