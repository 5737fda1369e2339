//! A depth camera's voxel map, and the robot in it.

#![allow(clippy::print_stdout)]

use clearance::prelude::*;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut checker = Checker::new(Robot::load(data::robot_file()?)?)?;
    let (camera, depths, world_from_camera) = data::depth_image()?;
    let mut map = VoxelMap::new(0.05)?;
    map.integrate_depth(&camera, &depths, world_from_camera)?;
    checker.scene_mut().replace("map", map.obstacles()?)?;
    let q = checker.robot().default_configuration();
    println!("the robot is {:?} from what the camera saw", checker.scene_distance(&q)?.map(|d| d.upper));
    Ok(())
}
