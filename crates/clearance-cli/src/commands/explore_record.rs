//! The walk of `clearance explore` as a recording: the robot, the room, and what the robot knew of it.

use super::record::NEAR;
use anyhow::Result;
use clearance::scene::FLOOR;
use clearance::scene::explore::{Body, Cell3, Recording as Walk, Room};
use clearance::viewer::{Observer, Recording, Timeline, between};
use clearance::{CheckOptions, Checker, Mesh, Pose, Vec3};

/// Joints and the base move so fast, in radians or metres a second.
const SPEED: f64 = 0.5;
/// The time between two frames, in seconds.
const STEP: f64 = 0.1;
/// How long the robot stands where it looks, in seconds.
const LOOK: f64 = 1.0;
/// The edge of the cube that stands for an unknown cell, of the cell's.
const UNKNOWN_SHARE: f64 = 0.25;
const OBSTACLE: [u8; 3] = [205, 52, 44];
const UNKNOWN: [u8; 3] = [70, 165, 80];

/// The whole walk, with the distance to what is really there.
pub fn recorded(body: &Body, room: &Room, walk: &Walk) -> Result<Recording> {
    let mut recording = Recording::new("A humanoid finds its way through an unknown room");
    // Wheels stand on the floor.
    let options = CheckOptions { allowed: vec![["platform".to_owned(), FLOOR.to_owned()]], ..CheckOptions::default() };
    let mut checker = Checker::with_options(body.humanoid.robot.clone(), options)?;
    let mut bodies = Vec::new();
    for object in &room.objects {
        checker.scene_mut().add(&object.name, Mesh::try_from(object.mesh.clone())?, object.pose)?;
        bodies.push(recording.add_colored(&object.name, &object.mesh, Some(&object.colors), &object.pose));
    }
    let robot = checker.robot();
    let number = recording.add_robot(robot, &Pose::IDENTITY, Some(&body.humanoid.colors))?;
    let (mut times, mut rows, mut ranges) = (vec![0.0], vec![walk.start.clone()], Vec::new());
    for iteration in &walk.iterations {
        let begin = rows.len() - 1;
        let standing = rows[begin].clone();
        push(&mut times, &mut rows, &standing, LOOK);
        for pair in iteration.walked.windows(2) {
            let widest = pair[0].iter().zip(&pair[1]).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
            let parts = (widest / (SPEED * STEP)).ceil().max(1.0) as usize;
            for part in 1..=parts {
                let t = part as f64 / parts as f64;
                push(&mut times, &mut rows, &between(robot, &pair[0], &pair[1], t), STEP);
            }
        }
        // Where one look ends, the next one begins.
        ranges.push(begin + usize::from(begin > 0)..=rows.len() - 1);
    }
    recording.set_timeline(Timeline { unit: "s".to_owned(), step: false, times })?;
    recording.set_motion(number, rows)?;
    for (i, (iteration, frames)) in walk.iterations.iter().zip(ranges).enumerate() {
        let center = |cell: &Cell3| {
            Vec3::from_array(walk.origin) + (Vec3::from_array(cell.map(f64::from)) + 0.5) * walk.resolution
        };
        let kinds = [
            ("obstacles", &iteration.obstacles, 1.0, OBSTACLE),
            ("unknown", &iteration.unknown, UNKNOWN_SHARE, UNKNOWN),
        ];
        for (name, cells, share, color) in kinds {
            let centers: Vec<Vec3> = cells.iter().map(center).collect();
            let cells = recording.add_cells(&format!("{name}, look {}", i + 1), &centers, walk.resolution * share);
            recording.set_color(cells, color);
            recording.set_frames(cells, frames.clone());
        }
    }
    Observer { checker: &checker, bodies: Some(&bodies), own: true, near: NEAR }.record(&mut recording, number)?;
    Ok(recording)
}

/// Adds a configuration that is reached after some seconds.
fn push(times: &mut Vec<f64>, rows: &mut Vec<Vec<f64>>, row: &[f64], seconds: f64) {
    times.push(times.last().copied().unwrap_or_default() + seconds);
    rows.push(row.to_vec());
}
