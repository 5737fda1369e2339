//! Voxel maps: cells that are obstacles, free or unknown.

use crate::border::{
    Failure, Outcome, Plain, array, clearance_status, entry, free, handle, lock, maybe_out, out, out_array, path,
    product, read, shared, vector,
};
use crate::geometry::{clearance_geometry, geometry_handle, points};
use crate::types::clearance_pose;
use clearance::engine::tree::voxel_map::{Filling, ScanReport, SensorModel};
use clearance::io::{self, Keep, OctoFormat, OctoMap};
use clearance::{Cell, DepthCamera, VoxelMap};
use std::ffi::c_char;

/// An occupancy grid that grows with what is measured.
pub struct clearance_voxel_map {
    _private: (),
}

handle_kind!(clearance_voxel_map, VoxelMap, b"voxelmap", Exclusive);

/// What a cell is.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum clearance_cell {
    /// Nothing is there.
    Free = 0,
    /// Nobody knows.
    Unknown = 1,
    /// Something is there.
    Obstacle = 2,
}

/// A cell as C gives it: a number, which may be any.
fn cell_of(number: i32) -> Outcome<Cell> {
    let known = [clearance_cell::Free, clearance_cell::Unknown, clearance_cell::Obstacle];
    match known.into_iter().find(|&known| known as i32 == number) {
        Some(clearance_cell::Free) => Ok(Cell::Free),
        Some(clearance_cell::Unknown) => Ok(Cell::Unknown),
        Some(clearance_cell::Obstacle) => Ok(Cell::Obstacle),
        None => Err(Failure::value(format!("the cell is {number}; expected one of clearance_cell"))),
    }
}

/// What a scan has changed.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_scan {
    /// How many rays were traced; of those that end in one cell, one.
    pub rays: usize,
    /// How many cells were hit.
    pub hits: usize,
    /// How many cells rays cross and do not hit.
    pub misses: usize,
}

impl From<ScanReport> for clearance_scan {
    fn from(report: ScanReport) -> Self {
        Self { rays: report.rays, hits: report.hits, misses: report.misses }
    }
}

/// A camera without distortion: x to the right, y down, z along the optical axis.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct clearance_depth_camera {
    /// Pixels in a row.
    pub width: u64,
    /// How many rows.
    pub height: u64,
    /// Focal lengths along x and y, in pixels.
    pub focal: [f64; 2],
    /// The principal point, in pixels.
    pub principal: [f64; 2],
}

// SAFETY: six fields of 8 bytes without padding, all of them numbers.
unsafe impl Plain for clearance_depth_camera {}

impl clearance_depth_camera {
    /// The camera, and how many pixels it has.
    pub(crate) fn get(&self) -> Outcome<(DepthCamera, usize)> {
        let size = |size: u64| usize::try_from(size).map_err(|_| Failure::value("the camera has too many pixels"));
        let (width, height) = (size(self.width)?, size(self.height)?);
        let pixels = product(width, height, "depths")?;
        Ok((DepthCamera { width, height, focal: self.focal, principal: self.principal }, pixels))
    }
}

/// An empty map: every cell is free.
///
/// # Safety
/// `map` can be written. The caller frees `*map`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_new(
    resolution: f64,
    map: *mut *mut clearance_voxel_map,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let map = unsafe { out(map, "map") }?;
        map.set(handle(VoxelMap::new(resolution)?));
        Ok(())
    })
}

/// Reads an OctoMap file, `.bt` or `.ot`. Cells of no leaf become `background`, one of
/// `clearance_cell`.
///
/// # Safety
/// `file` is a text; `map` can be written. The caller frees `*map`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_load(
    file: *const c_char,
    background: i32,
    map: *mut *mut clearance_voxel_map,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (file, map) = unsafe { (path(file, "file")?, out(map, "map")?) };
        let background = cell_of(background)?;
        let read = io::load_octomap(&file)?;
        map.set(handle(read.to_voxel_map(background, Keep::Probabilities)?));
        Ok(())
    })
}

/// Writes an OctoMap file: `.ot` with probabilities, any other name as `.bt`.
///
/// # Safety
/// `map` is a handle, `file` is a text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_save(
    map: *mut clearance_voxel_map,
    file: *const c_char,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (map, file) = unsafe { (lock(map)?, path(file, "file")?) };
        let full = file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ot"));
        let (keep, format) =
            if full { (Keep::Probabilities, OctoFormat::Full) } else { (Keep::Kinds, OctoFormat::Binary) };
        std::fs::write(file, io::write_octomap(&OctoMap::from_voxel_map(&map, keep)?, format))?;
        Ok(())
    })
}

/// Frees a map; NULL is nothing to free.
///
/// # Safety
/// `map` is NULL or a handle that no call uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_free(map: *mut clearance_voxel_map) -> clearance_status {
    // SAFETY: as this function demands.
    unsafe { free(map) }
}

/// Sets the cells that contain points to one of `clearance_cell`.
///
/// # Safety
/// `map` is a handle; `points` has `3·count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_set(
    map: *mut clearance_voxel_map,
    points: *const f64,
    count: usize,
    cell: i32,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut map, points) = unsafe { (lock(map)?, self::points(points, count, "points")?) };
        let cell = cell_of(cell)?;
        Ok(points.into_iter().try_for_each(|point| map.set_at(point, cell))?)
    })
}

/// Sets all cells from the one that contains `low` to the one that contains `high`.
///
/// # Safety
/// `map` is a handle; `low` and `high` have 3 numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_fill(
    map: *mut clearance_voxel_map,
    low: *const f64,
    high: *const f64,
    cell: i32,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut map, low, high) = unsafe { (lock(map)?, vector(low, "low")?, vector(high, "high")?) };
        let cell = cell_of(cell)?;
        let (low, high) = (map.grid().cell_at(low.into())?, map.grid().cell_at(high.into())?);
        Ok(map.fill(low, high, cell)?)
    })
}

/// Sets every cell that the surface of a mesh touches, and those inside of it where `solid` is true;
/// an error where the mesh is not closed then.
///
/// # Safety
/// `map` is a handle, `mesh` is a handle of a mesh; `map_from_mesh` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_rasterize(
    map: *mut clearance_voxel_map,
    mesh: *const clearance_geometry,
    map_from_mesh: *const clearance_pose,
    solid: bool,
    cell: i32,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut map, mesh, pose) = unsafe { (lock(map)?, shared(mesh)?, read(map_from_mesh, "map_from_mesh")?) };
        let filling = if solid { Filling::Solid } else { Filling::Surface };
        Ok(map.rasterize_mesh(mesh.mesh()?.tri_mesh(), &pose.get()?, filling, cell_of(cell)?)?)
    })
}

/// The edge length of a cell.
///
/// # Safety
/// `map` is a handle; `resolution` can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_resolution(
    map: *mut clearance_voxel_map,
    resolution: *mut f64,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (map, resolution) = unsafe { (lock(map)?, out(resolution, "resolution")?) };
        resolution.set(map.grid().resolution());
        Ok(())
    })
}

/// The cells that were set to one of `clearance_cell`, as cubes: equal neighbours are one cube where
/// the map holds them so. `capacity` of them are written, centres and edge lengths, and `count` is how
/// many there are.
///
/// # Safety
/// `map` is a handle; `centers` has `3·capacity` numbers, `sizes` has `capacity`; `count` can be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_cubes(
    map: *mut clearance_voxel_map,
    cell: i32,
    centers: *mut f64,
    sizes: *mut f64,
    capacity: usize,
    count: *mut usize,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands; arrays are aligned as their elements.
        let (map, centers, sizes, count) = unsafe {
            let centers = out_array(centers.cast::<[f64; 3]>(), capacity, "centers")?;
            (lock(map)?, centers, out_array(sizes, capacity, "sizes")?, out(count, "count")?)
        };
        let (cell, grid) = (cell_of(cell)?, map.grid());
        let leaves = || map.contents().map(|(leaf, _)| leaf).filter(|leaf| leaf.cell == cell);
        count.set(leaves().count());
        centers.set_all(leaves().map(|leaf| {
            let low = leaf.low.to_array().map(i64::from);
            let high = low.map(|index| index + i64::from(leaf.side));
            ((grid.low_end(low) + grid.low_end(high)) * 0.5).to_array()
        }));
        sizes.set_all(leaves().map(|leaf| f64::from(leaf.side) * grid.resolution()));
        Ok(())
    })
}

/// What the cells are that contain points.
///
/// # Safety
/// `map` is a handle; `points` has `3·count` numbers, `cells` has `count` elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_cells(
    map: *mut clearance_voxel_map,
    points: *const f64,
    count: usize,
    cells: *mut clearance_cell,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (map, points, cells) =
            unsafe { (lock(map)?, self::points(points, count, "points")?, out_array(cells, count, "cells")?) };
        let mut found = Vec::with_capacity(count);
        for point in points {
            found.push(match map.cell_at(point)? {
                Cell::Free => clearance_cell::Free,
                Cell::Unknown => clearance_cell::Unknown,
                Cell::Obstacle => clearance_cell::Obstacle,
            });
        }
        cells.set_all(found);
        Ok(())
    })
}

/// Inserts the rays of a scan from `origin` to points: their ends become obstacles, what they cross
/// becomes free. A `max_range` of 0 is no limit.
///
/// # Safety
/// `map` is a handle; `origin` has 3 numbers, `points` has `3·count`; `scan` can be written, or is
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_insert_rays(
    map: *mut clearance_voxel_map,
    origin: *const f64,
    points: *const f64,
    count: usize,
    max_range: f64,
    scan: *mut clearance_scan,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut map, origin, points, scan) = unsafe {
            let points = self::points(points, count, "points")?;
            (lock(map)?, vector(origin, "origin")?, points, maybe_out(scan, "scan")?)
        };
        let report = map.insert_rays(origin.into(), &points, &sensor(max_range))?;
        scan.into_iter().for_each(|out| out.set(report.into()));
        Ok(())
    })
}

fn sensor(max_range: f64) -> SensorModel {
    let mut sensor = SensorModel::default();
    if max_range != 0.0 {
        sensor.max_range = max_range;
    }
    sensor
}

/// Inserts a depth image, row by row from the top: depths along the optical axis, in metres. Pixels
/// that are zero, negative or NaN saw nothing; an infinite one clears what its ray crosses, up to
/// `max_range`, and 0 is no limit.
///
/// # Safety
/// `map` is a handle; `camera` and `map_from_camera` can be read; `depths` has `depth_count` numbers,
/// width times height; `scan` can be written, or is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_insert_depth_image(
    map: *mut clearance_voxel_map,
    camera: *const clearance_depth_camera,
    depths: *const f32,
    depth_count: usize,
    map_from_camera: *const clearance_pose,
    max_range: f64,
    scan: *mut clearance_scan,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut map, camera, depths, pose, scan) = unsafe {
            let depths = array(depths, depth_count, "depths")?;
            let pose = read(map_from_camera, "map_from_camera")?;
            (lock(map)?, read(camera, "camera")?, depths, pose, maybe_out(scan, "scan")?)
        };
        let (camera, _) = camera.get()?;
        let report = map.insert_depth_image(&camera, depths, &pose.get()?, &sensor(max_range))?;
        scan.into_iter().for_each(|out| out.set(report.into()));
        Ok(())
    })
}

/// The present obstacles as a geometry; the map may change afterwards. It builds nothing.
///
/// # Safety
/// `map` is a handle; `geometry` can be written. The caller frees `*geometry`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_obstacles(
    map: *mut clearance_voxel_map,
    geometry: *mut *mut clearance_geometry,
) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        let (mut map, geometry) = unsafe { (lock(map)?, out(geometry, "geometry")?) };
        geometry.set(geometry_handle(map.obstacles()?));
        Ok(())
    })
}

/// Resets all cells.
///
/// # Safety
/// `map` is a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clearance_voxel_map_clear(map: *mut clearance_voxel_map) -> clearance_status {
    entry(|| {
        // SAFETY: as this function demands.
        unsafe { lock(map) }?.clear();
        Ok(())
    })
}
