//! Gradients by the joints of the humanoid in its kitchen, against central differences.

#[path = "../../../clearance-robot/tests/differences/mod.rs"]
mod differences;

use crate::random::Random;
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::shape::Cuboid;
use clearance_robot::Checker;
use clearance_scene::humanoid;
use differences::{Counts, compare_own};

#[test]
fn rows_of_the_humanoid_are_derivatives() {
    let robot = humanoid().unwrap().robot;
    let limits: Vec<[f64; 2]> =
        robot.variables().iter().map(|v| v.limits.map_or([-3.0, 3.0], |limits| [limits.lower, limits.upper])).collect();
    let mut checker = Checker::new(robot).unwrap();
    let table = Cuboid::from_half_extents(DVec3::new(0.4, 0.8, 0.02)).unwrap();
    checker.scene_mut().add("table", table, Pose::from_xyz(0.8, 0.0, 0.9).unwrap()).unwrap();
    let (mut random, mut counts) = (Random(11), Counts::default());
    for _ in 0..6 {
        let q: Vec<f64> = limits.iter().map(|&[low, high]| random.between(0.6 * low, 0.6 * high)).collect();
        compare_own(&mut counts, &mut checker, &q, 0.1);
    }
    eprintln!("{counts:?}");
    assert!(counts.smooth > 20 && counts.kinks * 5 <= counts.smooth, "{counts:?}");
}
