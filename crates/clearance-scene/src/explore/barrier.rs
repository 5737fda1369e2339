//! A proof that there is no way: not even for the robot's platform alone, and not even for a disc
//! inside of it.
//!
//! The platform contains, at every yaw, an upright disc of radius [`DISC`] about its axis between
//! two heights. If the axis is at p, the nearest point q of a lattice of spacing h is within h/√2
//! of p, so a disc of radius [`DISC`] − h/√2 about q is free where the robot is. A motion visits
//! lattice points each of which is the last one or one of its eight neighbours. So where no such
//! chain of points with free discs leads from the start to the goal, there is no motion at all. A
//! planner that draws samples can never say that.

use super::recording::Cell3;
use super::room::HALF;
use clearance_engine::math::DVec3;
use std::collections::VecDeque;

/// The radius of the disc, and the heights between which it lies, in metres.
const DISC: f64 = 0.24;
const HEIGHTS: [f64; 2] = [0.10, 0.235];
/// The spacing of the lattice.
const SPACING: f64 = 0.05;
/// Lattice points along a side.
const SIDE: usize = (2.0 * HALF / SPACING) as usize + 1;

/// Whether obstacle cells (edge `resolution`, the lower vertex of cell (0, 0, 0) at `origin`)
/// certainly keep the robot, which stays in the room, from getting from one place of the floor to
/// another.
pub fn is_barred(obstacles: &[Cell3], origin: DVec3, resolution: f64, from: [f64; 2], to: [f64; 2]) -> bool {
    let radius = DISC - SPACING * std::f64::consts::FRAC_1_SQRT_2 - 1e-9;
    let mut blocked = vec![false; SIDE * SIDE];
    for cell in obstacles {
        let low = origin + DVec3::from_array(cell.map(f64::from)) * resolution;
        if low.z + resolution < HEIGHTS[0] || low.z > HEIGHTS[1] {
            continue;
        }
        let range = |low: f64| {
            let index = |x: f64| ((x + HALF) / SPACING).clamp(0.0, (SIDE - 1) as f64) as usize;
            index(low - radius)..=index(low + resolution + radius)
        };
        let beyond = |x: f64, low: f64| (low - x).max(x - low - resolution).max(0.0);
        for (y, x) in range(low.y).flat_map(|y| range(low.x).map(move |x| (y, x))) {
            if beyond(coordinate(x), low.x).hypot(beyond(coordinate(y), low.y)) < radius {
                blocked[y * SIDE + x] = true;
            }
        }
    }
    !connected(&blocked, nearest(from), nearest(to))
}

fn coordinate(index: usize) -> f64 {
    index as f64 * SPACING - HALF
}

fn nearest(at: [f64; 2]) -> [usize; 2] {
    at.map(|x| ((x + HALF) / SPACING).round().clamp(0.0, (SIDE - 1) as f64) as usize)
}

/// Whether a chain of neighbours that are not blocked leads from one point to another.
fn connected(blocked: &[bool], from: [usize; 2], to: [usize; 2]) -> bool {
    let number = |[x, y]: [usize; 2]| y * SIDE + x;
    let mut seen = blocked.to_vec();
    let mut front = VecDeque::from([from]);
    if std::mem::replace(&mut seen[number(from)], true) {
        return false;
    }
    while let Some([x, y]) = front.pop_front() {
        if [x, y] == to {
            return true;
        }
        for (dx, dy) in (0..9).map(|k| (k % 3, k / 3)) {
            // One more than the neighbour, so that nothing is below zero.
            let (x, y) = (x + dx, y + dy);
            if (1..=SIDE).contains(&x)
                && (1..=SIDE).contains(&y)
                && !std::mem::replace(&mut seen[number([x - 1, y - 1])], true)
            {
                front.push_back([x - 1, y - 1]);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::humanoid;
    use clearance_engine::Pose;
    use clearance_engine::dispatch::Dispatcher;
    use clearance_engine::shape::Sphere;
    use clearance_engine::traversal::Workspace;
    use clearance_engine::tree::{Mesh, Solid};
    use clearance_robot::LinkShape;

    const ORIGIN: DVec3 = DVec3::new(-HALF, -HALF, 0.05);

    /// Is a wall across the room at cells x = 15, all but some cells of which are there, a barrier?
    fn barred(open: std::ops::Range<i32>) -> bool {
        let wall: Vec<Cell3> = (0..30).filter(|y| !open.contains(y)).map(|y| [15, y, 0]).collect();
        is_barred(&wall, ORIGIN, 0.2, [-2.0, 0.0], [2.0, 1.0])
    }

    #[test]
    fn a_wall_bars_the_way_unless_its_gap_is_wider_than_the_disc() {
        assert!(barred(0..0) && barred(10..12));
        assert!(!barred(10..13) && !barred(0..30));
        let above: Vec<Cell3> = (0..30).map(|y| [15, y, 1]).collect();
        assert!(!is_barred(&above, ORIGIN, 0.2, [-2.0, 0.0], [2.0, 1.0]), "higher than the disc");
    }

    #[test]
    fn the_disc_is_inside_of_the_platform() {
        let robot = humanoid().unwrap().robot;
        let link = &robot.links()[robot.link_index("platform").unwrap()];
        let LinkShape::Mesh(mesh) = &link.geometries()[0].shape else { panic!() };
        let platform: Mesh = Mesh::new(mesh.clone()).unwrap().into_solid().unwrap();
        let (dispatcher, probe) = (Dispatcher::standard(), Solid::new(Sphere::new(0.0).unwrap()));
        let plan = dispatcher.plan(&platform, &probe).unwrap();
        for (turn, z) in (0..90).flat_map(|turn| [HEIGHTS[0], 0.17, HEIGHTS[1]].map(|z| (turn, z))) {
            let (sin, cos) = (f64::from(turn) * 4_f64.to_radians()).sin_cos();
            let at = Pose::from_translation(DVec3::new(DISC * cos, DISC * sin, z)).unwrap();
            assert!(plan.collide(&at, &mut Workspace::default(), None).colliding, "{turn} {z}");
        }
    }
}
