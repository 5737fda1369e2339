//! How far apart are two meshes?
//!
//! `cargo run --release -p clearance --example mesh_distance -- A.stl B.obj`; without files it
//! writes two of its own.

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let [file_a, file_b] = data::mesh_files()?;
    let (a, b) = (Mesh::load(file_a)?, Mesh::load(file_b)?);
    let d = Pair::new(&a, &b)?.distance(Pose::from_xyz(0.3, 0.0, 0.1)?);
    println!("between {} and {} m, at {:?}", d.lower, d.upper, d.witness);
    Ok(())
}
