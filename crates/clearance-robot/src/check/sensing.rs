//! What is seen of a scene: rays, a depth camera and a lidar, and signed distances of points.

use super::parts::from_engine;
use super::{Checker, Scene};
use crate::Result;
use clearance_engine::Pose;
use clearance_engine::dispatch::{Threads, cast_rays};
use clearance_engine::math::DVec3;
use clearance_engine::shape::{PointDistance, Ray, RayGoal, RayHit};
use clearance_engine::tree::Geometry;
use clearance_engine::tree::voxel_map::DepthCamera;

impl Scene {
    /// The first object that a ray hits, by its name, and where.
    ///
    /// ```
    /// use clearance_engine::{Pose, math::DVec3, shape::{Cuboid, Ray}};
    /// let mut scene = clearance_robot::Scene::new();
    /// scene.add("wall", Cuboid::new(0.2, 4.0, 4.0)?, Pose::from_xyz(2.0, 0.0, 0.0)?)?;
    /// let (name, hit) = scene.ray(&Ray::new(DVec3::ZERO, DVec3::X)?)?.expect("a wall");
    /// assert!(name == "wall" && (hit.t - 1.9).abs() < 1e-12 && hit.normal == DVec3::NEG_X);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn ray(&self, ray: &Ray) -> Result<Option<(&str, RayHit)>> {
        let hit = self.assembly().ray(ray).map_err(from_engine)?;
        Ok(hit.map(|hit| (self.name_of(hit.part), hit)))
    }

    /// All hits of a ray with the names of the objects, in the order of `t`.
    pub fn ray_hits(&self, ray: &Ray) -> Result<Vec<(&str, RayHit)>> {
        let hits = self.assembly().ray_hits(ray).map_err(from_engine)?;
        Ok(hits.into_iter().map(|hit| (self.name_of(hit.part), hit)).collect())
    }

    /// Whether something is in the way of a ray.
    pub fn blocks_ray(&self, ray: &Ray) -> Result<bool> {
        self.assembly().blocks_ray(ray).map_err(from_engine)
    }

    /// The nearest object of a point, by its name, and the signed distance: negative inside.
    pub fn signed_distance(&self, point: DVec3) -> Result<(&str, PointDistance)> {
        let found = self.assembly().signed_distance(point).map_err(from_engine)?;
        Ok((self.name_of(found.part), found))
    }

    /// A simulated depth image, as [`VoxelMap::integrate_depth`] takes it: depths along the optical
    /// axis, row by row from the top, infinite where nothing is hit.
    ///
    /// [`VoxelMap::integrate_depth`]: clearance_engine::tree::voxel_map::VoxelMap::integrate_depth
    ///
    /// ```
    /// use clearance_engine::{Pose, dispatch::Threads, shape::Cuboid, tree::voxel_map::{DepthCamera, VoxelMap}};
    /// let mut scene = clearance_robot::Scene::new();
    /// scene.add("wall", Cuboid::new(9.0, 9.0, 0.5)?, Pose::from_xyz(0.0, 0.0, 2.25)?)?;
    /// let camera = DepthCamera { width: 4, height: 3, focal: [4.0, 4.0], principal: [1.5, 1.0] };
    /// let image = scene.depth_image(&camera, &Pose::IDENTITY, Threads::One)?;
    /// assert!(image.iter().all(|depth| (depth - 2.0).abs() < 1e-6));
    /// VoxelMap::new(0.1)?.integrate_depth(&camera, &image, Pose::IDENTITY)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn depth_image(&self, camera: &DepthCamera, world_from_camera: &Pose, threads: Threads) -> Result<Vec<f32>> {
        let rays = camera.rays(world_from_camera).map_err(from_engine)?;
        let hits = cast_rays(self.assembly(), &rays, threads).map_err(from_engine)?;
        Ok(hits.into_iter().map(|hit| hit.map_or(f32::INFINITY, |hit| hit.t as f32)).collect())
    }

    /// A simulated lidar scan: the points that rays from the sensor hit within `max_range`, in the
    /// world, and `None` for those that hit nothing. Directions are in the sensor's frame and of any
    /// length.
    pub fn lidar_scan(
        &self,
        world_from_sensor: &Pose,
        directions: &[DVec3],
        max_range: f64,
        threads: Threads,
    ) -> Result<Vec<Option<DVec3>>> {
        let ray = |direction: &DVec3| {
            let direction = world_from_sensor.transform_vector(*direction);
            let length = direction.length();
            Ray::new(world_from_sensor.translation(), direction)?.up_to(max_range / length)
        };
        let rays = directions.iter().map(ray).collect::<clearance_engine::Result<Vec<Ray>>>().map_err(from_engine)?;
        let hits = cast_rays(self.assembly(), &rays, threads).map_err(from_engine)?;
        Ok(hits.into_iter().map(|hit| hit.map(|hit| hit.point)).collect())
    }
}

impl Checker {
    /// The first thing that a ray hits in the world, of the robot in a configuration or of the
    /// scene: the name of the link, attached object or object, and where.
    pub fn ray(&mut self, configuration: &[f64], ray: &Ray) -> Result<Option<(String, RayHit)>> {
        self.at(configuration)?.ray(ray)
    }

    pub(super) fn placed_ray(&mut self, ray: &Ray) -> Result<Option<(String, RayHit)>> {
        let mut goal = RayGoal::first(ray);
        self.placed().cast_ray(ray, &mut goal).map_err(from_engine)?;
        let own = goal.into_first();
        let scene = self.scene().ray(ray)?.filter(|(_, hit)| own.is_none_or(|own| hit.t < own.t));
        Ok(match (scene, own) {
            (Some((name, hit)), _) => Some((name.to_owned(), hit)),
            (None, own) => own.map(|hit| (self.model().name_of(hit.part).to_owned(), hit)),
        })
    }
}
