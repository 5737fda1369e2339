//! The curve along which two meshes intersect, as a picture.
#![allow(clippy::print_stdout)]

use clearance::prelude::*;
use clearance::scene::picture::{Camera, Picture};

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let [a, b] = data::mesh_files()?.map(Mesh::load);
    let (a, b, a_from_b) = (a?, b?, Pose::from_xyz(0.1, 0.02, 0.01)?);
    let contacts = Pair::new(&a, &b)?.contacts(a_from_b);
    let mut picture = Picture::new(800, 600, Camera::looking(Vec3::new(0.5, -0.6, 0.5), Vec3::ZERO));
    picture.draw_mesh(a.tri_mesh(), &Pose::IDENTITY, [90, 130, 180]);
    picture.draw_mesh(b.tri_mesh(), &a_from_b, [200, 200, 190]);
    picture.draw_contacts(&contacts, [220, 30, 30]);
    picture.save(data::output("contacts.png"))?;
    Ok(())
}
