//! Depth images: a pinhole camera, and the update of a voxel map from its image.

use super::evidence::SensorModel;
use super::map::VoxelMap;
use super::scan::{Scan, ScanReport};
use crate::math::DVec3;
use crate::shape::Ray;
use crate::{Error, ErrorKind, Pose, Result};

/// A pinhole depth camera: x to the right, y down, z along the optical axis. The centre of pixel
/// (0, 0) is at (0, 0).
///
/// ```
/// use clearance_engine::{Pose, tree::voxel_map::DepthCamera};
/// let camera = DepthCamera { width: 640, height: 480, focal: [525.0, 525.0], principal: [319.5, 239.5] };
/// assert_eq!(camera.rays(&Pose::IDENTITY)?.len(), 640 * 480);
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DepthCamera {
    /// Pixels in a row.
    pub width: usize,
    /// The number of rows.
    pub height: usize,
    /// Focal lengths, in pixels.
    pub focal: [f64; 2],
    /// The principal point, in pixels.
    pub principal: [f64; 2],
}

impl DepthCamera {
    fn checked(&self, depths: usize) -> Result<&Self> {
        let numbers = [self.focal, self.principal];
        if !numbers.as_flattened().iter().all(|number| number.is_finite()) {
            let message = format!("the focal lengths or the principal point of a camera are not finite: {numbers:?}");
            return Err(Error::new(ErrorKind::NotFinite, message));
        }
        if self.focal.iter().any(|&length| length <= 0.0) || self.width.checked_mul(self.height) != Some(depths) {
            let (width, height, focal) = (self.width, self.height, self.focal);
            let message =
                format!("a camera of {width}×{height} pixels and focal lengths {focal:?} got {depths} depths");
            return Err(Error::new(ErrorKind::BadRequest, message));
        }
        Ok(self)
    }

    /// The rays through the centres of all pixels, row by row from the top, for a simulated image:
    /// a hit's `t` is the depth along the optical axis.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, tree::voxel_map::DepthCamera};
    /// let camera = DepthCamera { width: 2, height: 1, focal: [2.0, 2.0], principal: [0.0, 0.0] };
    /// let rays = camera.rays(&Pose::IDENTITY)?;
    /// assert_eq!(rays[1].at(4.0), DVec3::new(2.0, 0.0, 4.0));
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn rays(&self, world_from_camera: &Pose) -> Result<Vec<Ray>> {
        let count = self.width.checked_mul(self.height).filter(|&count| count <= MAX_PIXELS);
        let (width, height) = (self.width, self.height);
        let too_many =
            || Error::new(ErrorKind::BadRequest, format!("a camera of {width}×{height} pixels is too large"));
        let camera = self.checked(count.ok_or_else(too_many)?)?;
        let mut rays = Vec::with_capacity(width * height);
        for v in 0..height {
            for u in 0..width {
                let x = (u as f64 - camera.principal[0]) / camera.focal[0];
                let y = (v as f64 - camera.principal[1]) / camera.focal[1];
                let direction = world_from_camera.transform_vector(DVec3::new(x, y, 1.0));
                rays.push(Ray::new(world_from_camera.translation(), direction)?);
            }
        }
        Ok(rays)
    }
}

/// A simulated image may have so many pixels.
const MAX_PIXELS: usize = 1 << 28;

impl VoxelMap {
    /// Inserts a depth image with the default sensor model: the cells that the camera sees become
    /// obstacles, and those in front of them free.
    ///
    /// See [`insert_depth_image`](Self::insert_depth_image).
    pub fn integrate_depth(
        &mut self,
        camera: &DepthCamera,
        depths: &[f32],
        map_from_camera: Pose,
    ) -> Result<ScanReport> {
        self.insert_depth_image(camera, depths, &map_from_camera, &SensorModel::default())
    }

    /// Inserts a depth image, row by row from the top, as [`insert_rays`](Self::insert_rays) does
    /// for its points.
    ///
    /// Depths are along the optical axis. The map skips pixels whose depth is zero, negative or not
    /// a number: the camera saw nothing. An infinite depth means that nothing is within the
    /// sensor's range: the ray clears the cells that it crosses if `max_range` is finite.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::IVec3, tree::voxel_map::{Cell, DepthCamera, SensorModel, VoxelMap}};
    /// let camera = DepthCamera { width: 4, height: 3, focal: [4.0, 4.0], principal: [1.5, 1.0] };
    /// let mut map = VoxelMap::new(0.5)?;
    /// let report = map.insert_depth_image(&camera, &[2.1; 12], &Pose::IDENTITY, &SensorModel::default())?;
    /// assert!(report.hits > 0 && report.rays == report.hits);
    /// assert_eq!(map.cell(IVec3::new(0, 0, 4)), Cell::Obstacle);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn insert_depth_image(
        &mut self,
        camera: &DepthCamera,
        depths: &[f32],
        map_from_camera: &Pose,
        sensor: &SensorModel,
    ) -> Result<ScanReport> {
        camera.checked(depths.len())?;
        let origin = map_from_camera.translation();
        let mut scan = Scan::new(self.tree.grid, &mut self.marks, origin, sensor.checked()?)?;
        let axes = map_from_camera.rotation();
        // None for an image without rows, whatever its width.
        let width = if depths.is_empty() { 0 } else { camera.width };
        let columns: Vec<DVec3> =
            (0..width).map(|u| axes.x_axis * ((u as f64 - camera.principal[0]) / camera.focal[0])).collect();
        for (v, row) in depths.chunks_exact(camera.width.max(1)).enumerate() {
            let middle = axes.z_axis + axes.y_axis * ((v as f64 - camera.principal[1]) / camera.focal[1]);
            for (u, (&depth, column)) in row.iter().zip(&columns).enumerate() {
                if depth.is_nan() || depth <= 0.0 {
                    continue;
                }
                let direction = middle + column;
                let added = if depth.is_finite() {
                    scan.add(origin + direction * f64::from(depth))
                } else if sensor.max_range.is_finite() {
                    scan.end(origin + direction.normalize() * sensor.max_range, true)
                } else {
                    continue;
                };
                added.map_err(|error| Error::new(error.kind(), format!("pixel ({u}, {v}): {error}")))?;
            }
        }
        let rays = scan.rays();
        self.apply(rays, sensor)
    }
}
