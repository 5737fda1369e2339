//! Pictures of a run: obstacles red, unknown cells as small green cubes (so that the robot stays
//! visible), the robot where it stops, its path on the floor.

use super::body::Body;
use super::recording::{Cell3, Recording};
use super::room::HALF;
use crate::Result;
use crate::picture::{Camera, Color, Picture};
use crate::solid::{Solid, cuboid, disc};
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use std::collections::HashSet;

const RED: Color = [205, 52, 44];
const GREEN: Color = [70, 165, 80];
const GROUND: Color = [222, 225, 228];
const PLANNED: Color = [120, 150, 200];
const WALKED: Color = [20, 70, 170];
const GOAL: Color = [235, 160, 20];
const START: Color = [120, 120, 120];

/// The edge of an unknown cell's cube, of the cell's.
const UNKNOWN_SHARE: f64 = 0.26;
/// Half of the width of a path on the floor, and its height above that.
const PATH: (f64, f64) = (0.035, 0.012);

/// A picture of iteration number `number`, from 0 on, as the robot stands when it is over; nothing
/// but the floor if there is none.
pub fn draw(body: &Body, recording: &Recording, number: usize) -> Result<Picture> {
    let camera = Camera::looking(DVec3::new(-3.7, -7.1, 6.8), DVec3::new(0.1, -0.35, 0.0));
    let mut picture = Picture::new(960, 720, camera);
    let ground = cuboid(DVec3::new(2.0 * HALF, 2.0 * HALF, 0.1)).moved(0.0, 0.0, -0.05).painted(GROUND);
    add(&mut picture, ground)?;
    let Some(iteration) = recording.iterations.get(number) else { return Ok(picture) };
    let origin = DVec3::from_array(recording.origin);
    let cells =
        |cells: &[Cell3], share: f64, color: Color| cubes(cells, origin, recording.resolution, share).painted(color);
    add(&mut picture, cells(&iteration.obstacles, 1.0, RED))?;
    add(&mut picture, cells(&iteration.unknown, UNKNOWN_SHARE, GREEN))?;
    for before in &recording.iterations[..number] {
        add(&mut picture, ribbon(&before.walked, 0.0).painted(WALKED))?;
    }
    add(&mut picture, ribbon(&iteration.path, 0.0).painted(PLANNED))?;
    add(&mut picture, ribbon(&iteration.walked, 0.004).painted(WALKED))?;
    add(&mut picture, marker(&recording.start).painted(START))?;
    add(&mut picture, marker(&recording.goal).painted(GOAL))?;
    let stands = iteration.walked.last().or(recording.iterations[..number].iter().rev().find_map(|i| i.walked.last()));
    let poses = body.link_poses(stands.unwrap_or(&recording.start))?;
    body.humanoid.draw(&mut picture, &poses);
    Ok(picture)
}

fn add(picture: &mut Picture, solid: Solid) -> Result<()> {
    if solid.triangle_count() > 0 {
        let (mesh, colors) = solid.into_parts()?;
        picture.draw_colored(&mesh, &Pose::IDENTITY, &colors);
    }
    Ok(())
}

/// Cubes of a share of their cells' edges; whole ones that are surrounded by others are left out.
fn cubes(cells: &[Cell3], origin: DVec3, resolution: f64, share: f64) -> Solid {
    let there: HashSet<Cell3> = cells.iter().copied().collect();
    let neighbours = [[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]];
    let hidden = |cell: &Cell3| {
        let next = |by: &[i32; 3]| [cell[0] + by[0], cell[1] + by[1], cell[2] + by[2]];
        share == 1.0 && neighbours.iter().all(|by| there.contains(&next(by)))
    };
    let cube = |cell: &Cell3| {
        let middle = origin + (DVec3::from_array(cell.map(f64::from)) + 0.5) * resolution;
        // Not quite whole, so that cells can be told apart.
        cuboid(DVec3::splat(resolution * share.min(0.97))).moved(middle.x, middle.y, middle.z)
    };
    Solid::union(cells.iter().filter(|cell| !hidden(cell)).map(cube))
}

/// A band on the floor along the base's way.
fn ribbon(vertices: &[Vec<f64>], above: f64) -> Solid {
    let (half, height) = (PATH.0, PATH.1 + above);
    let mut band = Solid::default();
    for pair in vertices.windows(2) {
        let [a, b] = [&pair[0], &pair[1]].map(|vertex| DVec3::new(vertex[0], vertex[1], 0.0));
        let Some(along) = (b - a).try_normalize() else { continue };
        let length = (b - a).length() + 2.0 * half;
        let middle = (a + b) * 0.5;
        let angle = along.y.atan2(along.x);
        let piece = cuboid(DVec3::new(length, 2.0 * half, height)).turned(DVec3::Z, angle);
        band = band.with(piece.moved(middle.x, middle.y, height * 0.5));
    }
    band
}

/// A disc on the floor.
fn marker(configuration: &[f64]) -> Solid {
    let around = disc(0.22, 0.0, 0.02, 0.005, 32);
    let [x, y] = [0, 1].map(|i| configuration.get(i).copied().unwrap_or(0.0));
    around.moved(x, y, 0.0)
}
