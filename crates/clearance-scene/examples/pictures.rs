//! Draws the built-in scene from two sides: `cargo run --release -p clearance-scene --example pictures -- FOLDER`.

use clearance::Pose;
use clearance::math::DVec3;
use clearance_scene::picture::{Camera, Picture};
use clearance_scene::{humanoid, kitchen};
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let start = std::time::Instant::now();
    let (humanoid, kitchen) = (humanoid()?, kitchen()?);
    eprintln!("built in {:.3} s", start.elapsed().as_secs_f64());
    let triangles: usize = kitchen.iter().map(|object| object.mesh.len()).sum();
    eprintln!("{} objects with {triangles} triangles", kitchen.len());
    let mut poses = Vec::new();
    let at_counter = Pose::from_translation(DVec3::new(0.45, -0.5, 0.0))?;
    humanoid.robot.link_poses(&at_counter, &humanoid.robot.default_configuration(), &mut poses)?;
    let views = [
        ("room", DVec3::new(-3.4, -3.0, 2.5), DVec3::new(0.15, 0.1, 0.85)),
        ("counter", DVec3::new(-0.5, -2.1, 1.75), DVec3::new(0.95, -0.35, 1.0)),
        ("dining", DVec3::new(0.6, -1.0, 1.7), DVec3::new(-0.9, 1.2, 0.8)),
    ];
    for (name, eye, target) in views {
        let start = std::time::Instant::now();
        let mut picture = Picture::new(1200, 900, Camera::looking(eye, target));
        kitchen.iter().for_each(|object| object.draw(&mut picture));
        humanoid.draw(&mut picture, &poses);
        picture.save(folder.join(format!("{name}.png")))?;
        eprintln!("{name}.png drawn in {:.3} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
