//! Files of voxel maps and point clouds.
//!
//! Meshes, robots and scenes have a `load` of their own: [`Mesh::load`](crate::Mesh::load),
//! [`Robot::load`](crate::Robot::load), [`Scene::load`](crate::Scene::load).

use crate::details::VoxelTree;
use crate::{Cell, Result, Vec3, VoxelMap};
use clearance_io::{Keep, OctoFormat, OctoMap};
use std::path::Path;

/// Reads an OctoMap file, `.bt` or `.ot`, as a voxel map with its probabilities.
///
/// Cells of no leaf become `background`: [`Cell::Unknown`] is what OctoMap means, [`Cell::Free`]
/// makes a map that queries can ask about its unknown cells.
///
/// ```no_run
/// use clearance::prelude::*;
/// let mut map = clearance::files::load_octomap("room.bt", Cell::Free)?;
/// Scene::new().add("room", map.obstacles()?, Pose::IDENTITY)?;
/// # Ok::<(), Error>(())
/// ```
pub fn load_octomap(path: impl AsRef<Path>, background: Cell) -> Result<VoxelMap> {
    Ok(clearance_io::load_octomap(path.as_ref())?.to_voxel_map(background, Keep::Probabilities)?)
}

/// Reads the bytes of an OctoMap file; see [`load_octomap`].
pub fn read_octomap(bytes: &[u8], background: Cell) -> Result<VoxelMap> {
    Ok(clearance_io::read_octomap(bytes)?.to_voxel_map(background, Keep::Probabilities)?)
}

/// The bytes of an OctoMap file of a map or a snapshot: `.ot` with probabilities where `full`, else
/// `.bt`.
///
/// ```
/// use clearance::{files, prelude::*};
/// let mut map = VoxelMap::new(0.1)?;
/// map.set_at(Vec3::ZERO, Cell::Obstacle)?;
/// let same = files::read_octomap(&files::write_octomap(&map, false)?, Cell::Free)?;
/// assert_eq!(same.cell_at(Vec3::ZERO)?, Cell::Obstacle);
/// # Ok::<(), Error>(())
/// ```
pub fn write_octomap(map: &VoxelTree, full: bool) -> Result<Vec<u8>> {
    let (keep, format) = if full { (Keep::Probabilities, OctoFormat::Full) } else { (Keep::Kinds, OctoFormat::Binary) };
    Ok(clearance_io::write_octomap(&OctoMap::from_voxel_map(map, keep)?, format))
}

/// Reads the points of an XYZ, PLY or PCD file; entries that saw nothing are left out.
///
/// ```no_run
/// use clearance::prelude::*;
/// let cloud = PointCloud::new(clearance::files::load_points("scan.pcd")?, 0.01)?;
/// # Ok::<(), Error>(())
/// ```
pub fn load_points(path: impl AsRef<Path>) -> Result<Vec<Vec3>> {
    Ok(clearance_io::load_points(path.as_ref())?.points)
}
