//! How long distances of a robot from a distance field take, beside those from the boxes that it is of.
//!
//! `cargo run --release -p clearance-robot --example field_speed -- ROBOT.urdf`

use clearance_engine::Pose;
use clearance_engine::assembly::Assembly;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::Cuboid;
use clearance_engine::tree::{DistanceField, IntoGeometry};
use clearance_robot::{Checker, Robot};
use std::time::Instant;

#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which robot? a URDF file")?;
    let robot = Robot::load(path)?;
    let limits: Vec<[f64; 2]> = robot
        .variables()
        .iter()
        .map(|variable| variable.limits.map_or([0.0; 2], |limits| [limits.lower, limits.upper]))
        .collect();
    let mut state = 7_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut room = Assembly::default();
    for _ in 0..12 {
        let size = DVec3::new(0.1 + 0.2 * unit(), 0.1 + 0.2 * unit(), 0.1 + 0.4 * unit());
        let (angle, away) = (std::f64::consts::TAU * unit(), 0.7 + 0.3 * unit());
        let pose = Pose::from_xyz(away * angle.cos(), away * angle.sin(), unit())?;
        room.insert(Cuboid::new(size.x, size.y, size.z)?.into_geometry(), pose);
    }
    let field = DistanceField::of(&room, 0.02)?;
    println!("{:?}, {:.1} MB, error {:.3}", field.field(), field.field().memory() as f64 / 1e6, field.error());
    let draw = |unit: &mut dyn FnMut() -> f64| limits.iter().map(|[low, high]| low + (high - low) * unit()).collect();
    let configurations: Vec<Vec<f64>> = (0..2000).map(|_| draw(&mut unit)).collect();
    for (label, geometry) in [("boxes", room.into_geometry()), ("field", field.into_geometry())] {
        let mut checker = Checker::new(robot.clone())?;
        checker.set_gradients(false);
        checker.scene_mut().add("room", geometry, Pose::IDENTITY)?;
        for (what, rel_err) in [("distance", 0.0), ("distance to 10 %", 0.1), ("collide", -1.0)] {
            let (mut best, mut sum) = (f64::INFINITY, 0.0);
            for _ in 0..5 {
                let start = Instant::now();
                sum = 0.0;
                for configuration in &configurations {
                    let mut placed = checker.at(configuration)?;
                    if rel_err < 0.0 {
                        sum += f64::from(u8::from(placed.scene_collision()?.is_some()));
                    } else {
                        let request = DistanceRequest { rel_err, ..DistanceRequest::default() };
                        sum += placed.scene_distance(&request)?.map_or(0.0, |found| found.lower);
                    }
                }
                best = best.min(start.elapsed().as_secs_f64());
            }
            let each = best * 1e6 / configurations.len() as f64;
            println!("{label}: {what}: {each:.2} us each, mean answer {:.4}", sum / configurations.len() as f64);
        }
    }
    Ok(())
}
