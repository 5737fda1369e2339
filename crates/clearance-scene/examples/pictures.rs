//! Draws the built-in scene along its motion:
//! `cargo run --release -p clearance-scene --example pictures -- FOLDER`.

use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_scene::picture::{Camera, Picture};
use clearance_scene::{humanoid, kitchen, motion};
use std::path::PathBuf;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let start = Instant::now();
    let (humanoid, kitchen, motion) = (humanoid()?, kitchen()?, motion());
    let triangles: usize = kitchen.iter().map(|object| object.mesh.len()).sum();
    let seconds = start.elapsed().as_secs_f64();
    eprintln!("{} objects with {triangles} triangles and the humanoid: {seconds:.3} s", kitchen.len());
    let views = [
        ("room", 160, DVec3::new(-3.4, -3.0, 2.5), DVec3::new(0.15, 0.1, 0.85)),
        ("cup", 180, DVec3::new(0.75, -1.95, 1.65), DVec3::new(1.0, -0.45, 1.02)),
        ("shelf", 300, DVec3::new(-0.5, -2.1, 1.9), DVec3::new(0.95, -0.35, 1.1)),
    ];
    for (name, step, eye, target) in views {
        let start = Instant::now();
        let mut poses = Vec::new();
        humanoid.robot.link_poses(&Pose::IDENTITY, &motion[step], &mut poses)?;
        let mut picture = Picture::new(1200, 900, Camera::looking(eye, target));
        kitchen.iter().for_each(|object| object.draw(&mut picture));
        humanoid.draw(&mut picture, &poses);
        picture.save(folder.join(format!("{name}.png")))?;
        eprintln!("{name}.png: {:.3} s", start.elapsed().as_secs_f64());
    }
    Ok(())
}
