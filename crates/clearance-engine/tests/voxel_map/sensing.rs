//! Rays and depth images against geometry, cell by cell.

use crate::random::Random;
use crate::{cube, map_with};
use clearance_engine::math::{DQuat, DVec3, IVec3};
use clearance_engine::tree::voxel_map::{Cell, DepthCamera, SensorModel, VoxelMap};
use clearance_engine::{ErrorKind, Pose};
use std::collections::HashSet;

/// How far the segment goes through a cell grown by `margin`, as a part of it; negative if it
/// misses.
fn part_inside(map: &VoxelMap, at: IVec3, from: DVec3, to: DVec3, margin: f64) -> f64 {
    let space = map.grid().cell_box(at);
    let (low, high) = (space.center - space.half - margin, space.center + space.half + margin);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let length = to[axis] - from[axis];
        let (a, b) = ((low[axis] - from[axis]) / length, (high[axis] - from[axis]) / length);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    leave - enter
}

#[test]
fn a_scan_marks_what_it_hits_clears_what_it_crosses_and_leaves_the_rest() {
    let mut random = Random(41);
    for round in 0..10 {
        let mut map = map_with(Cell::Unknown);
        let mut point = |reach: f64| DVec3::from_array([0; 3].map(|_| random.between(-reach, reach)));
        let origin = point(0.5);
        let points: Vec<DVec3> = (0..40).map(|_| point(1.15)).collect();
        let max_range = if round % 2 == 0 { f64::INFINITY } else { 0.8 };
        let sensor = SensorModel { max_range, ..SensorModel::default() };
        let report = map.insert_rays(origin, &points, &sensor).unwrap();
        let mut ends = HashSet::new();
        let mut followed = Vec::new();
        for &point in &points {
            let cut = point.distance(origin) > max_range;
            let end = if cut { origin + (point - origin) * (max_range / point.distance(origin)) } else { point };
            if ends.insert((map.grid().cell_at(end).unwrap(), cut)) {
                followed.push(end);
            }
        }
        assert_eq!(report.rays, followed.len());
        assert_eq!(report.hits, ends.iter().filter(|(_, cut)| !cut).count());
        for at in cube(13) {
            let through = |margin: f64| followed.iter().map(move |&end| (end, margin));
            let surely = through(-1e-9).any(|(end, margin)| part_inside(&map, at, origin, end, margin) > 1e-9);
            let perhaps = through(1e-9).any(|(end, margin)| part_inside(&map, at, origin, end, margin) >= 0.0);
            let cell = map.cell(at);
            if ends.contains(&(at, false)) {
                assert_eq!(cell, Cell::Obstacle, "{at} is hit");
            } else if surely {
                assert_eq!(cell, Cell::Free, "{at} is crossed");
            } else if !perhaps {
                assert_eq!(cell, Cell::Unknown, "{at} is not seen");
            }
        }
        map.check().unwrap();
    }
}

#[test]
fn a_cell_is_measured_once_in_a_scan_and_again_in_the_next() {
    let mut map = map_with(Cell::Free);
    let origin = DVec3::splat(0.05);
    let near = |k: usize| DVec3::new(1.05, 0.05 + 0.001 * k as f64, 0.05);
    let points: Vec<DVec3> = (0..20).map(near).collect();
    let report = map.insert_rays(origin, &points, &SensorModel::default()).unwrap();
    assert_eq!((report.rays, report.hits, report.misses), (1, 1, 10));
    let at = IVec3::new(10, 0, 0);
    assert!((map.probabilities(at).obstacle() - 0.7).abs() < 1e-4);
    assert!((map.probabilities(IVec3::new(5, 0, 0)).free() - 0.5).abs() < 1e-4);
    map.insert_rays(origin, &points, &SensorModel::default()).unwrap();
    assert!((map.probabilities(at).obstacle() - 0.91).abs() < 1e-4);
    assert!((map.probabilities(IVec3::new(5, 0, 0)).free() - 0.75).abs() < 1e-4);
}

#[test]
fn an_obstacle_that_goes_away_is_cleared_by_the_rays_that_pass() {
    let mut map = map_with(Cell::Unknown);
    let origin = DVec3::splat(0.05);
    let at = IVec3::new(5, 0, 0);
    for _ in 0..20 {
        map.insert_rays(origin, &[DVec3::new(0.55, 0.05, 0.05)], &SensorModel::default()).unwrap();
    }
    assert_eq!(map.cell(at), Cell::Obstacle);
    for _ in 0..6 {
        map.insert_rays(origin, &[DVec3::new(1.05, 0.05, 0.05)], &SensorModel::default()).unwrap();
    }
    assert_eq!(map.cell(at), Cell::Free);
}

#[test]
fn a_depth_image_is_the_rays_to_the_points_it_shows() {
    let mut random = Random(43);
    let camera = DepthCamera { width: 37, height: 23, focal: [30.0, 31.0], principal: [17.5, 11.2] };
    let rotation = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize();
    let pose = Pose::new(rotation, DVec3::new(0.31, -0.17, 0.53)).unwrap();
    for max_range in [f64::INFINITY, 2.0] {
        let sensor = SensorModel { max_range, ..SensorModel::default() };
        let mut depths: Vec<f32> = (0..37 * 23).map(|_| random.between(0.5, 3.0) as f32).collect();
        depths[5] = 0.0;
        depths[77] = f32::NAN;
        depths[78] = -1.0;
        let mut points = Vec::new();
        for (i, &depth) in depths.iter().enumerate() {
            if depth > 0.0 {
                let (u, v) = ((i % 37) as f64, (i / 37) as f64);
                let direction = DVec3::new((u - 17.5) / 30.0, (v - 11.2) / 31.0, 1.0);
                points.push(pose.transform_point(direction * f64::from(depth)));
            }
        }
        let (mut from_image, mut from_rays) = (map_with(Cell::Unknown), map_with(Cell::Unknown));
        let image = from_image.insert_depth_image(&camera, &depths, &pose, &sensor).unwrap();
        let rays = from_rays.insert_rays(pose.translation(), &points, &sensor).unwrap();
        assert_eq!(image, rays);
        assert!(*from_image == *from_rays);
    }
    // Nothing is in range: everything is cleared up to it, and nothing is marked.
    let sensor = SensorModel { max_range: 1.0, ..SensorModel::default() };
    let mut map = map_with(Cell::Unknown);
    let report = map.insert_depth_image(&camera, &[f32::INFINITY; 37 * 23], &pose, &sensor).unwrap();
    assert!(report.hits == 0 && report.misses > 100);
    let unlimited = SensorModel::default();
    assert_eq!(map.insert_depth_image(&camera, &[f32::INFINITY; 37 * 23], &pose, &unlimited).unwrap().rays, 0);
}

#[test]
fn input_that_is_not_finite_or_too_far_changes_nothing() {
    let mut map = map_with(Cell::Unknown);
    let sensor = SensorModel::default();
    let good = DVec3::ONE;
    for (points, kind) in [
        ([good, DVec3::new(1.01, f64::NAN, 1.01)], ErrorKind::NotFinite),
        ([good, DVec3::X * f64::INFINITY], ErrorKind::NotFinite),
        ([good, DVec3::X * 1e15], ErrorKind::OutOfRange),
        ([good, DVec3::X * 1e8], ErrorKind::OutOfRange),
    ] {
        let error = map.insert_rays(DVec3::ZERO, &points, &sensor).unwrap_err();
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().starts_with("point 1: "), "{error}");
        assert!(map.is_empty());
    }
    assert_eq!(map.insert_rays(DVec3::NAN, &[good], &sensor).unwrap_err().kind(), ErrorKind::NotFinite);
    for wrong in [
        SensorModel { hit: 1.0, ..sensor },
        SensorModel { miss: f32::NAN, ..sensor },
        SensorModel { least_unknown: 0.0, ..sensor },
        SensorModel { max_range: 0.0, ..sensor },
    ] {
        assert_eq!(map.insert_rays(DVec3::ZERO, &[good], &wrong).unwrap_err().kind(), ErrorKind::BadRequest);
    }
    let camera = DepthCamera { width: 2, height: 2, focal: [1.0, 0.0], principal: [0.5, 0.5] };
    assert!(map.insert_depth_image(&camera, &[1.0; 4], &Pose::IDENTITY, &sensor).is_err());
    let camera = DepthCamera { focal: [1.0, 1.0], ..camera };
    assert!(map.insert_depth_image(&camera, &[1.0; 3], &Pose::IDENTITY, &sensor).is_err());
    assert!(map.is_empty());
}
