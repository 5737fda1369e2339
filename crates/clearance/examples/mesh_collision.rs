//! Do two meshes touch?

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let [a, b] = data::mesh_files()?.map(Mesh::load);
    let touches = Pair::new(a?, b?)?.collides(Pose::from_xyz(0.1, 0.0, 0.0)?);
    println!("{}", if touches { "in collision" } else { "collision-free" });
    Ok(())
}
