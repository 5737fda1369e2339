//! What the robot knows of the room: a voxel map of 6 × 6 × 1 m whose cells are unknown until they
//! are seen.
//!
//! The lowest cells begin a little above the floor, so that the floor itself, with the camera's
//! noise, is in a layer below the map; a robot that rolls on it need not keep away from it.

use super::room::{HALF, HEIGHT};
use crate::Result;
use clearance_engine::Pose;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::tree::voxel_map::{Cell, Cells, DepthCamera, SensorModel, VoxelLeaf, VoxelMap, VoxelOptions};
use clearance_robot::{Object, Scene};
use std::sync::Arc;

/// How far above the floor the lowest cells begin: more than the camera's noise.
pub const ABOVE_FLOOR: f64 = 0.05;

/// How many cells of the region are what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Counts {
    /// Something is there.
    pub obstacle: u64,
    /// Not seen, or not well enough.
    pub unknown: u64,
    /// Seen, and nothing is there.
    pub free: u64,
}

/// The map with the region that matters.
pub struct Belief {
    map: VoxelMap,
    /// The last cell of the region; the first is (0, 0, 0).
    last: IVec3,
    sensor: SensorModel,
    /// Cells in which a ray of the present look ended.
    hits: Vec<[i32; 3]>,
}

impl Belief {
    /// Nothing is known; `resolution` is the edge of a cell, which should divide a metre.
    pub fn new(resolution: f64, range: f64) -> Result<Self> {
        let origin = DVec3::new(-HALF, -HALF, ABOVE_FLOOR);
        let mut map = VoxelMap::with_options(&VoxelOptions { origin, ..VoxelOptions::new(resolution) })?;
        // Rounded up: a wall beyond the last cell would be taken for free.
        let cells = |length: f64| (length / resolution - 1e-9).ceil().max(1.0) as i32 - 1;
        let last = IVec3::new(cells(2.0 * HALF), cells(2.0 * HALF), cells(HEIGHT));
        map.fill(IVec3::ZERO, last, Cell::Unknown)?;
        let sensor = SensorModel { max_range: range, ..SensorModel::default() };
        Ok(Self { map, last, sensor, hits: Vec::new() })
    }

    /// The lower vertex of the first cell.
    pub fn origin(&self) -> DVec3 {
        self.map.grid().origin()
    }

    /// Makes all cells free that lie within a distance of a place on the floor.
    pub fn clear_around(&mut self, x: f64, y: f64, radius: f64) -> Result<()> {
        for cell in self.cells() {
            let space = self.map.grid().cell_box(cell);
            let (dx, dy) = ((space.center.x - x).abs() + space.half.x, (space.center.y - y).abs() + space.half.y);
            if dx.hypot(dy) <= radius {
                self.map.set(cell, Cell::Free)?;
            }
        }
        Ok(())
    }

    /// All cells of the region.
    fn cells(&self) -> impl Iterator<Item = IVec3> + use<> {
        let last = self.last;
        (0..=last.z).flat_map(move |z| (0..=last.y).flat_map(move |y| (0..=last.x).map(move |x| IVec3::new(x, y, z))))
    }

    fn is_inside(&self, cell: IVec3) -> bool {
        cell.cmpge(IVec3::ZERO).all() && cell.cmple(self.last).all()
    }

    /// Takes a depth image.
    pub fn take(&mut self, camera: &DepthCamera, depths: &[f32], world_from_camera: &Pose) -> Result<()> {
        self.map.insert_depth_image(camera, depths, world_from_camera, &self.sensor)?;
        for (pixel, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth > 0.0 && depth.is_finite()) {
            let (u, v) = ((pixel % camera.width) as f64, (pixel / camera.width) as f64);
            let (x, y) = ((u - camera.principal[0]) / camera.focal[0], (v - camera.principal[1]) / camera.focal[1]);
            let seen = DVec3::new(x, y, 1.0) * f64::from(depth);
            if seen.length() <= self.sensor.max_range {
                let cell = self.map.grid().cell_at(world_from_camera.transform_point(seen))?;
                if self.hits.last() != Some(&cell.to_array()) {
                    self.hits.push(cell.to_array());
                }
            }
        }
        Ok(())
    }

    /// Begins a look.
    pub fn begin(&mut self) {
        self.hits.clear();
    }

    /// Sums up the look so far. Nothing moves during one, so a cell that any of its images hits
    /// holds something, however many others looked past that. What lies outside of the region, the
    /// floor above all, is forgotten.
    pub fn conclude(&mut self) -> Result<()> {
        self.hits.sort_unstable();
        self.hits.dedup();
        let inside: Vec<IVec3> =
            self.hits.iter().copied().map(IVec3::from_array).filter(|&cell| self.is_inside(cell)).collect();
        self.map.set_all(inside.into_iter().map(|cell| (cell, Cell::Obstacle)))?;
        let leaves: Vec<VoxelLeaf> = self.map.view(Cells::NOT_FREE)?.leaves().collect();
        for leaf in leaves {
            let high = leaf.low + IVec3::splat(leaf.side as i32 - 1);
            // Leaves are aligned, the region is not: one may reach across its border.
            if self.is_inside(leaf.low) && self.is_inside(high) {
                continue;
            }
            let outside: Vec<IVec3> = cells_of(&leaf).filter(|&cell| !self.is_inside(cell)).collect();
            self.map.set_all(outside.into_iter().map(|cell| (cell, Cell::Free)))?;
        }
        Ok(())
    }

    /// How many cells of the region are what.
    pub fn counts(&self) -> Counts {
        self.cells().fold(Counts::default(), |mut counts, cell| {
            match self.map.cell(cell) {
                Cell::Obstacle => counts.obstacle += 1,
                Cell::Unknown => counts.unknown += 1,
                Cell::Free => counts.free += 1,
            }
            counts
        })
    }

    /// The chosen cells to ask about; an empty scene where there are none.
    pub fn scene(&mut self, cells: Cells) -> Result<Scene> {
        let mut scene = Scene::default();
        match self.map.snapshot().geometry(cells) {
            Ok(geometry) => {
                scene.insert(Object { name: NAME.into(), geometry: Arc::new(geometry), pose: Pose::IDENTITY })?
            }
            Err(error) if error.kind() == clearance_engine::ErrorKind::Empty => {}
            Err(error) => return Err(error.into()),
        }
        Ok(scene)
    }

    /// The map's cells of a kind, one by one.
    pub fn listed(&self, cells: Cells) -> Result<Vec<[i32; 3]>> {
        let leaves = self.map.view(cells)?.leaves();
        Ok(leaves.flat_map(|leaf| cells_of(&leaf).collect::<Vec<_>>()).map(|cell| cell.to_array()).collect())
    }
}

/// The name of the map in scenes.
const NAME: &str = "voxels";

/// The cells of a leaf.
fn cells_of(leaf: &VoxelLeaf) -> impl Iterator<Item = IVec3> + use<> {
    let (low, side) = (leaf.low, leaf.side as i32);
    let range = move || 0..side;
    range().flat_map(move |z| range().flat_map(move |y| range().map(move |x| low + IVec3::new(x, y, z))))
}
