//! Rooms of many small solids: an octree, a point cloud.

use super::Room;
use crate::Result;
use crate::placing::Random;
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use clearance_engine::tree::PointCloud;
use clearance_engine::tree::voxel_map::{Cell, Cells};
use clearance_io::{Keep, load_octomap};
use std::path::Path;
use std::sync::Arc;

/// Below `CLEARANCE_DATA`.
pub(super) const FILE: &str = "env/geb079.bt";
/// The part of it that the robot's base is put into: corridors, rooms and what stands in them.
pub(super) const VERTICES: (DVec3, DVec3) = (DVec3::new(-12.0, -12.0, 0.0), DVec3::new(12.0, 12.0, 0.0));

/// The occupied cells of an OctoMap file.
pub(super) fn octomap(path: &Path) -> Result<Room> {
    let snapshot = load_octomap(path)?.to_voxel_map(Cell::Free, Keep::Kinds)?.snapshot();
    let view = snapshot.view(Cells::OBSTACLE)?;
    let edge = snapshot.grid().resolution();
    let centers = view.leaves().flat_map(|leaf| {
        let side = leaf.side as i32;
        let cells = (0..side).flat_map(move |x| (0..side).flat_map(move |y| (0..side).map(move |z| [x, y, z])));
        let low = snapshot.grid().low_end(leaf.low.to_array().map(i64::from));
        cells.map(move |cell| low + (DVec3::from_array(cell.map(f64::from)) + 0.5) * edge)
    });
    let cubes = Some((centers.collect(), edge));
    Ok(Room { cubes, ..Room::of(Arc::new(snapshot.geometry(Cells::OBSTACLE)?))? })
}

/// Points all over the triangles of a mesh.
pub(super) fn points(mesh: &TriMesh, random: &mut Random) -> Result<Room> {
    let mut sums = Vec::with_capacity(mesh.len());
    let mut area = 0.0;
    for id in 0..mesh.len() as u32 {
        area += mesh.triangle(id).scaled_normal().length();
        sums.push(area);
    }
    let point = |random: &mut Random| {
        let drawn = random.between(0.0, area);
        let id = sums.partition_point(|sum| *sum < drawn).min(mesh.len() - 1);
        let [a, b, c] = mesh.triangle(id as u32).0;
        let (mut s, mut t) = (random.unit(), random.unit());
        if s + t > 1.0 {
            (s, t) = (1.0 - s, 1.0 - t);
        }
        a + (b - a) * s + (c - a) * t
    };
    let points: Vec<DVec3> = (0..100_000).map(|_| point(random)).collect();
    Ok(Room { ours_only: true, ..Room::of(Arc::new(PointCloud::new(points, 0.01)?))? })
}
