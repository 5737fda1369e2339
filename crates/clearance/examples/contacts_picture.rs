//! The curve along which two meshes intersect, as a picture.

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let [a, b] = data::mesh_files()?.map(Mesh::load);
    let (a, b, a_from_b) = (a?, b?, Pose::from_xyz(0.1, 0.02, 0.01)?);
    let contacts = Pair::new(&a, &b)?.contacts(a_from_b);
    let mut picture = Picture::new(800, 600, Camera::looking(Vec3::new(0.5, -0.6, 0.5), Vec3::ZERO));
    picture.draw_mesh(a.tri_mesh(), &Pose::IDENTITY, [90, 130, 180]);
    picture.draw_mesh(b.tri_mesh(), &a_from_b, [200, 200, 190]);
    contacts
        .contacts
        .iter()
        .for_each(|c| picture.draw_line(c.points[0], c.points[1 % c.points.len()], [220, 30, 30], 3.0));
    picture.save(data::output("contacts.png"))?;
    println!("{} contacts are drawn in {}", contacts.contacts.len(), data::output("contacts.png").display());
    Ok(())
}
