//! When does a falling, turning mesh first touch another one?

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let [a, b] = data::mesh_files()?.map(Mesh::load);
    let above = Pose::from_xyz(0.0, 0.0, 1.0)?;
    let falling = Motion::moving(&above, Vec3::ZERO, Vec3::new(0.0, 0.0, -2.0), Vec3::new(3.0, 1.0, 0.0), 1.0)?;
    let answer = Pair::new(a?, b?)?.time_of_impact(&falling, &Motion::still(&Pose::IDENTITY))?;
    println!("{:?}", answer.first);
    Ok(())
}
