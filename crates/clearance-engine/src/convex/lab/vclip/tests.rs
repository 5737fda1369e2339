//! What the walk promises beyond the bounds that `convex/agreement/` judges: that it needs no other
//! search, and few steps.

use super::*;
use crate::Pose;
use crate::math::DQuat;
use crate::random::Random;

fn vector(random: &mut Random) -> DVec3 {
    DVec3::new(random.signed(), random.signed(), random.signed())
}

fn sphere(random: &mut Random, count: usize) -> ConvexPolyhedron {
    let points: Vec<DVec3> = (0..count).filter_map(|_| vector(random).try_normalize()).collect();
    ConvexPolyhedron::hull_of(&points).unwrap()
}

#[test]
fn hulls_that_are_apart_are_measured_without_another_search() {
    let mut random = Random(71);
    for count in [8, 30, 300] {
        let (a, b) = (sphere(&mut random, count), sphere(&mut random, count));
        let (mut apart, mut open) = (0, 0);
        for _ in 0..2000 {
            let turn = DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), 0.3).normalize();
            let place = vector(&mut random).normalize() * random.between(2.0, 4.0);
            let b = b.transformed(&Pose::new(turn, place).unwrap());
            let polyhedra = Polyhedra::new(&a, &b);
            match ClosestFeatures::default().attempt(&polyhedra, f64::INFINITY) {
                Some(Some(parting)) => apart += usize::from(parting.lower > 0.0),
                Some(None) => panic!("infinitely far"),
                None => open += 1,
            }
        }
        assert!(apart + open == 2000 && open <= 2, "{count} vertices: {apart} apart, {open} open");
    }
}

#[test]
fn a_small_step_of_a_motion_takes_a_few_steps_of_the_walk_however_many_vertices_there_are() {
    let mut random = Random(72);
    for count in [30, 300, 3000] {
        let (a, b) = (sphere(&mut random, count), sphere(&mut random, count));
        let mut memory = ClosestFeatures::default();
        let mut steps = 0;
        for degree in 0..360 {
            let turn = DQuat::from_rotation_y(f64::from(degree).to_radians());
            let b = b.transformed(&Pose::new(turn, turn * DVec3::new(2.5, 0.2, 0.1)).unwrap());
            memory.distance(&a, &b, f64::INFINITY).unwrap();
            steps += if degree > 0 { memory.steps() } else { 0 };
        }
        assert!(steps < 360 * 8, "{count} vertices: {steps} steps");
    }
}

#[test]
fn features_of_another_polyhedron_are_no_start() {
    let mut random = Random(73);
    let (large, small) = (sphere(&mut random, 100), sphere(&mut random, 5));
    let far = Pose::from_translation(DVec3::X * 3.0).unwrap();
    let mut memory = ClosestFeatures::default();
    memory.distance(&large, &large.transformed(&far), f64::INFINITY).unwrap();
    let parting = memory.distance(&small, &small.transformed(&far), f64::INFINITY).unwrap();
    assert!(parting.lower > 0.5 && parting.upper - parting.lower < 1e-12);
}

#[test]
fn a_cube_in_a_cube_and_one_that_sticks_out_overlap() {
    let vertices: Vec<DVec3> =
        (0..8).map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
    let cube = ConvexPolyhedron::hull_of(&vertices).unwrap();
    for place in [DVec3::ZERO, DVec3::splat(0.5), DVec3::new(0.9, 0.3, 0.2), DVec3::X, DVec3::ONE] {
        let moved = cube.transformed(&Pose::from_translation(place).unwrap());
        let mut memory = ClosestFeatures::default();
        for _ in 0..2 {
            let parting = memory.distance(&cube, &moved, f64::INFINITY).unwrap();
            assert!(parting.lower <= 0.0 && parting.upper == 0.0, "{place}: {parting:?}");
        }
    }
}
