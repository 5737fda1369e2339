//! Several questions about one configuration, and robots whose host knows link poses instead of
//! joint values.

use super::checker::{Checker, Hit};
use super::collision_model::{CollisionModel, Placement};
use super::distances::RobotDistance;
use super::near::NearPair;
use crate::{Error, ErrorKind, Result};
use clearance_engine::Pose;
use clearance_engine::assembly::NearRequest;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Ray, RayHit};

/// A checker's robot at a place: the questions of [`Checker`] without a configuration, made by
/// [`Checker::at`] and [`Checker::place_links`].
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::Sphere};
/// use clearance_robot::{Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
/// let ball = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
/// let robot = RobotBuilder::new("lift").link("base", []).link("hand", [ball])
///     .joint(JointSpec::prismatic("up", "base", "hand", DVec3::Z, [0.0, 1.0])).build()?;
/// let mut checker = Checker::new(robot)?;
/// checker.scene_mut().add("lamp", Sphere::new(0.1)?, Pose::from_xyz(0.0, 0.0, 0.9)?)?;
/// // A host that has no joint values places the links itself.
/// let mut placed = checker.place_links(&[Pose::IDENTITY, Pose::from_xyz(0.0, 0.0, 0.75)?])?;
/// let near = placed.near(0.0)?;
/// assert!(placed.collides()? && near[0].a == "hand" && (near[0].signed + 0.05).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Placed<'c> {
    checker: &'c mut Checker,
}

impl Checker {
    /// The robot in a configuration, for several questions about it.
    pub fn at(&mut self, configuration: &[f64]) -> Result<Placed<'_>> {
        self.place(configuration)?;
        Ok(Placed { checker: self })
    }

    /// Puts every link at a pose of its own in the world, in the order of
    /// [`Robot::links`](crate::Robot::links): for hosts that compute the kinematics themselves.
    ///
    /// Which pairs are checked stays as it is. What was [proven](Self::prove) about the robot's
    /// joints is not relied upon, and answers have no gradients by the joints.
    pub fn place_links(&mut self, world_from_links: &[Pose]) -> Result<Placed<'_>> {
        self.model.place_links(&mut self.placement, world_from_links)?;
        Ok(Placed { checker: self })
    }

    /// The robot where it was placed last: by a configuration, or link by link.
    pub fn placed_last(&mut self) -> Placed<'_> {
        Placed { checker: self }
    }
}

impl CollisionModel {
    /// Moves a placement to link poses in the world, in the order of the robot's links; its
    /// configuration is then empty.
    pub fn place_links(&self, placement: &mut Placement, world_from_links: &[Pose]) -> Result<()> {
        let (given, expected) = (world_from_links.len(), self.robot().links().len());
        if given != expected {
            let reason = format!("{given} link poses given for a robot of {expected} links");
            return Err(Error::new(ErrorKind::BadConfiguration, reason));
        }
        self.place_by(placement, None, |poses| {
            poses.clear();
            poses.extend_from_slice(world_from_links);
            Ok(())
        })
    }
}

impl Placed<'_> {
    /// The poses of all links in the world.
    pub fn link_poses(&self) -> &[Pose] {
        self.checker.placement.link_poses()
    }

    /// As [`Checker::collides`].
    pub fn collides(&mut self) -> Result<bool> {
        Ok(self.checker.own_hit()?.is_some() || self.checker.scene_hit()?.is_some())
    }

    /// As [`Checker::collision`].
    pub fn collision(&mut self) -> Result<Option<Hit>> {
        match self.self_collision()? {
            Some(hit) => Ok(Some(hit)),
            None => self.scene_collision(),
        }
    }

    /// As [`Checker::self_collision`].
    pub fn self_collision(&mut self) -> Result<Option<Hit>> {
        let hit = self.checker.own_hit()?;
        hit.map(|hit| self.checker.own_names(hit)).transpose()
    }

    /// As [`Checker::scene_collision`].
    pub fn scene_collision(&mut self) -> Result<Option<Hit>> {
        let hit = self.checker.scene_hit()?;
        hit.map(|hit| self.checker.scene_names(hit)).transpose()
    }

    /// As [`Checker::collisions`].
    pub fn collisions(&mut self) -> Result<Vec<Hit>> {
        let mut hits = self.self_collisions()?;
        hits.extend(self.scene_collisions()?);
        Ok(hits)
    }

    /// All pairs of a part of the robot and an object of the scene that touch.
    pub fn scene_collisions(&mut self) -> Result<Vec<Hit>> {
        let Checker { model, placement, scene, workspace, .. } = &mut *self.checker;
        let hits = model.scene_collisions(placement, scene, workspace)?;
        hits.into_iter().map(|hit| self.checker.scene_names(hit)).collect()
    }

    /// As [`Checker::self_collisions`].
    pub fn self_collisions(&mut self) -> Result<Vec<Hit>> {
        let Checker { model, placement, workspace, .. } = &mut *self.checker;
        let hits = model.self_collisions(placement, workspace)?;
        hits.into_iter().map(|hit| self.checker.own_names(hit)).collect()
    }

    /// As [`Checker::distance_with`].
    pub fn distance(&mut self, request: &DistanceRequest) -> Result<Option<RobotDistance>> {
        self.checker.placed_distance(request)
    }

    /// As [`Checker::self_distance_with`].
    pub fn self_distance(&mut self, request: &DistanceRequest) -> Result<Option<RobotDistance>> {
        self.checker.placed_self_distance(request)
    }

    /// As [`Checker::scene_distance_with`].
    pub fn scene_distance(&mut self, request: &DistanceRequest) -> Result<Option<RobotDistance>> {
        self.checker.named_scene_distance(request)
    }

    /// All pairs nearer than `max_distance`, and those that overlap with their depth, as
    /// [`Checker::near`]: contacts as simulators and planning frameworks want them.
    pub fn near(&mut self, max_distance: f64) -> Result<Vec<NearPair>> {
        let mut near = self.self_near(max_distance)?;
        near.extend(self.scene_near(max_distance)?);
        Ok(near)
    }

    /// As [`Checker::self_near`].
    pub fn self_near(&mut self, max_distance: f64) -> Result<Vec<NearPair>> {
        self.checker.placed_self_near(&NearRequest::within(max_distance))
    }

    /// As [`Checker::scene_near`].
    pub fn scene_near(&mut self, max_distance: f64) -> Result<Vec<NearPair>> {
        self.checker.placed_scene_near(&NearRequest::within(max_distance))
    }

    /// As [`Checker::ray`].
    pub fn ray(&mut self, ray: &Ray) -> Result<Option<(String, RayHit)>> {
        self.checker.placed_ray(ray)
    }
}
