//! Depth images: how far away the nearest surface is, for each pixel of a camera.
//!
//! Cost: one thread; a few hundred triangles on 160 × 120 pixels take half a millisecond, the
//! humanoid's 16,440 about two more.

use super::raster::Raster;
use clearance_engine::math::DVec3;
use clearance_engine::tree::voxel_map::DepthCamera;
use clearance_engine::{Pose, TriMesh};

/// A pinhole camera that measures depths, and what it sees in the image that it takes.
///
/// ```
/// use clearance_engine::{Pose, TriMesh, math::DVec3};
/// use clearance_scene::picture::DepthEye;
/// let vertices = [(-9.0, -9.0), (9.0, -9.0), (0.0, 9.0)].map(|(x, y)| DVec3::new(x, y, 2.0));
/// let wall = TriMesh::new(vertices.to_vec(), vec![[0, 1, 2]])?;
/// let mut eye = DepthEye::new(16, 12, 1.0, &Pose::IDENTITY);
/// eye.see(&wall, &Pose::IDENTITY, 7);
/// assert!(eye.image().all(|seen| seen.is_some_and(|(body, depth)| body == 7 && (depth - 2.0).abs() < 1e-6)));
/// # Ok::<(), clearance_engine::Error>(())
/// ```
pub struct DepthEye {
    raster: Raster,
    camera: DepthCamera,
    /// The first face of each body, and the number that it was given.
    bodies: Vec<(u32, u32)>,
    faces: u32,
}

impl DepthEye {
    /// A camera of `width` × `height` pixels with an angle between its left and right edge; of its
    /// frame x is to the right, y down and z forward.
    pub fn new(width: usize, height: usize, field_of_view: f64, world_from_camera: &Pose) -> Self {
        let scale = width as f64 * 0.5 / (field_of_view * 0.5).tan();
        let axes = world_from_camera.rotation();
        let raster = Raster::along(
            [width, height],
            world_from_camera.translation(),
            [axes.x_axis, -axes.y_axis, axes.z_axis],
            scale,
        );
        // Middles of samples are half a sample off their vertex.
        let principal = [width, height].map(|count| (count as f64 - 1.0) * 0.5);
        let camera = DepthCamera { width, height, focal: [scale; 2], principal };
        Self { raster, camera, bodies: Vec::new(), faces: 0 }
    }

    /// The camera's numbers, as voxel maps take them.
    pub fn camera(&self) -> &DepthCamera {
        &self.camera
    }

    /// Shows a mesh to the camera, as part of body number `body`.
    pub fn see(&mut self, mesh: &TriMesh, world_from_mesh: &Pose, body: u32) {
        self.bodies.push((self.faces, body));
        let points: Vec<DVec3> =
            mesh.vertices().iter().map(|&vertex| world_from_mesh.transform_point(vertex)).collect();
        for triangle in mesh.triangles() {
            self.raster.cover(self.faces, &triangle.map(|vertex| points[vertex as usize]));
            self.faces += 1;
        }
    }

    /// For each pixel, row by row from the top, the body that it sees and the depth along the
    /// optical axis.
    pub fn image(&self) -> impl Iterator<Item = Option<(u32, f32)>> + '_ {
        let body = |face: u32| self.bodies[self.bodies.partition_point(|&(first, _)| first <= face) - 1].1;
        self.raster.depths().map(move |seen| seen.map(|(face, depth)| (body(face), depth)))
    }
}
