//! How fast a voxel map changes, on one core:
//! `cargo run --release -p clearance-engine --example voxel_speed`.
#![allow(clippy::print_stdout)]

use clearance_engine::math::{DQuat, DVec3, IVec3};
use clearance_engine::shape::{Cuboid, Sphere};
use clearance_engine::tree::voxel_map::{Cell, Cells, DepthCamera, SensorModel, VoxelMap, VoxelOptions};
use clearance_engine::{Pose, Result};
use std::hint::black_box;
use std::time::Instant;

#[allow(dead_code)]
#[path = "../src/random.rs"]
mod random;
use random::Random;

/// The CPU time of this thread in seconds, which other processes disturb least; the wall clock
/// where there is no such count.
fn clock(start: Instant) -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = schedule.split(' ').next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |nanoseconds| nanoseconds * 1e-9)
}

/// The shortest of several runs, in seconds.
fn shortest(runs: usize, mut work: impl FnMut()) -> f64 {
    let start = Instant::now();
    let once = |_| {
        let (before, wall) = (clock(start), Instant::now());
        work();
        let wall = wall.elapsed().as_secs_f64();
        // The count of CPU time is too coarse for short runs.
        if wall < 2e-3 { wall } else { (clock(start) - before).min(wall) }
    };
    (0..runs).map(once).fold(f64::INFINITY, f64::min)
}

/// The cells of the paper's first iteration, in number: 147 obstacles and 2,332 unknown cells of 20
/// cm in 6×6×1 m.
fn paper_cells() -> Vec<(IVec3, Cell)> {
    let mut random = Random(1);
    let mut cells: Vec<IVec3> = Vec::new();
    for z in 0..5 {
        for y in 0..30 {
            cells.extend((0..30).map(|x| IVec3::new(x - 15, y - 15, z)));
        }
    }
    for i in (1..cells.len()).rev() {
        cells.swap(i, random.below(i + 1));
    }
    let kind = |i: usize| if i < 147 { Cell::Obstacle } else { Cell::Unknown };
    let mut cells: Vec<_> = cells.into_iter().take(2479).enumerate().map(|(i, at)| (at, kind(i))).collect();
    // As a camera's grid would list them: row by row.
    cells.sort_by_key(|(at, _)| (at.z, at.y, at.x));
    cells
}

fn report(what: &str, cells: usize, seconds: f64) {
    println!("{what:<58} {:8.1} M/s  {:9.1} µs", cells as f64 / seconds * 1e-6, seconds * 1e6);
}

fn set_ups() -> Result<()> {
    let paper = paper_cells();
    let set = |cells: &[(IVec3, Cell)]| {
        let mut map = VoxelMap::new(0.2)?;
        map.set_all(cells.iter().copied())?;
        Ok::<_, clearance_engine::Error>(map)
    };
    report("2,479 cells, row by row, batch", 2479, shortest(200, || drop(black_box(set(&paper)))));
    let one_by_one = || {
        let mut map = VoxelMap::new(0.2)?;
        paper.iter().try_for_each(|&(at, cell)| map.set(at, cell))?;
        Ok::<_, clearance_engine::Error>(map)
    };
    report("2,479 cells, row by row, one by one", 2479, shortest(200, || drop(black_box(one_by_one()))));
    let map = set(&paper)?;
    println!("    {} bytes = {:.1} a cell, {:?} nodes", map.memory(), map.memory() as f64 / 2479.0, map.node_counts());

    let mut random = Random(2);
    let mut within = |side: usize| IVec3::from_array([0; 3].map(|_| random.below(side) as i32 - side as i32 / 2));
    let dense: Vec<(IVec3, Cell)> = (0..100)
        .flat_map(|z| (0..100).flat_map(move |y| (0..100).map(move |x| (IVec3::new(x, y, z), Cell::Obstacle))))
        .collect();
    let random_200: Vec<_> = (0..1_000_000).map(|_| (within(200), Cell::Obstacle)).collect();
    let random_1000: Vec<_> = (0..1_000_000).map(|_| (within(1000), Cell::Obstacle)).collect();
    let surface: Vec<_> = (0..1_000_000)
        .map(|i| (IVec3::new(i % 1000, i / 1000, ((i % 1000) as f64 * 0.02).sin() as i32 * 20), Cell::Obstacle))
        .collect();
    for (what, cells) in [
        ("10^6 cells, a full cube row by row, batch", &dense),
        ("10^6 cells, a wavy floor row by row, batch", &surface),
        ("10^6 cells, random in 200^3, batch", &random_200),
        ("10^6 cells, random in 1000^3, batch", &random_1000),
    ] {
        report(what, cells.len(), shortest(3, || drop(black_box(set(cells)))));
        let mut map = set(cells)?;
        let again = shortest(3, || {
            for (i, &(at, _)) in cells.iter().enumerate() {
                let cell = if i % 2 == 0 { Cell::Unknown } else { Cell::Obstacle };
                drop(black_box(map.set(at, cell)));
            }
        });
        report("    the same cells changed one by one", cells.len(), again);
        println!("    {:.1} bytes a cell", map.memory() as f64 / map.view(Cells::NOT_FREE)?.count() as f64);
        let snapshot = shortest(5, || drop(black_box(map.snapshot())));
        println!("    snapshot {:.1} µs", snapshot * 1e6);
    }
    Ok(())
}

/// A room 4 m deep with a few things in it, seen by a camera that turns.
fn depth_images() -> Result<()> {
    let camera = DepthCamera { width: 640, height: 480, focal: [525.0, 525.0], principal: [319.5, 239.5] };
    let sensor = SensorModel::default();
    let image = |wall: f64, bumps: bool| -> Vec<f32> {
        let depth = |i: usize| {
            let (u, v) = ((i % 640) as f64 / 640.0, (i / 640) as f64 / 480.0);
            let bump = if bumps { (9.0 * u).sin() * (7.0 * v).cos() } else { 0.0 };
            let thing = if bumps && (u - 0.4).abs() < 0.15 && (v - 0.6).abs() < 0.2 { 1.7 } else { 0.0 };
            (wall - thing - 0.4 * bump.abs()) as f32
        };
        (0..640 * 480).map(depth).collect()
    };
    for (what, depths) in [("a wall 4 m away", image(4.0, false)), ("a room with things", image(4.0, true))] {
        let mut map = VoxelMap::with_options(&VoxelOptions { background: Cell::Unknown, ..VoxelOptions::new(0.05) })?;
        let mut k = 0;
        let mut last = Default::default();
        let mut once = |turning: f64| {
            let pose = Pose::new(DQuat::from_rotation_y(turning * f64::from(k)), DVec3::new(0.013, 0.021, 0.037));
            k += 1;
            last = map.insert_depth_image(&camera, &depths, &pose.expect("a rotation"), &sensor).expect("a good image");
        };
        let first = shortest(1, || once(0.0));
        let again = shortest(20, || once(0.0));
        let turning = shortest(20, || once(0.05));
        println!(
            "640×480, {what:<20} first {:6.2} ms, again {:5.2} ms = {:.0}/s, turning {:5.2} ms = {:.0}/s; {last:?}, {:.1} MB",
            first * 1e3,
            again * 1e3,
            1.0 / again,
            turning * 1e3,
            1.0 / turning,
            map.memory() as f64 * 1e-6
        );
        println!("    snapshot {:.1} µs", shortest(5, || drop(black_box(map.snapshot()))) * 1e6);
    }
    Ok(())
}

fn rasters() -> Result<()> {
    let pose = Pose::new(DQuat::from_rotation_x(0.4), DVec3::new(0.1, 0.2, 0.3))?;
    for (what, solid) in [
        ("box of 1 m", Cuboid::from_half_extents(DVec3::splat(0.5))?.into()),
        ("ball of 1 m", Sphere::new(0.5)?.into()),
    ] {
        let mut count = 0;
        let seconds = shortest(3, || {
            let mut map = VoxelMap::new(0.02).expect("a resolution");
            map.rasterize(&solid, &pose, Cell::Obstacle).expect("room");
            count = map.view(Cells::OBSTACLE).expect("free background").count();
        });
        report(&format!("{what} drawn at 2 cm: {count} cells"), count as usize, seconds);
    }
    Ok(())
}

fn main() -> Result<()> {
    set_ups()?;
    depth_images()?;
    rasters()
}
