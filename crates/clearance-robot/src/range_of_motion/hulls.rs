//! Range-of-motion hulls: spheres that no body leaves, whatever the joints do within their limits.
//!
//! For body i, with the joint i that carries it: `R` is the body itself in its own frame; `MR` is
//! the body and all that it carries, in its own frame, over all positions of the joints below; `M`
//! is that over all positions of joint i, in the frame of the body that carries it. So
//! `MR_i = R_i ∪ M_k over the children k`, and `M_i` is `MR_i` swept by joint i. Section III of the
//! paper in the module's head.
//!
//! Invariant: hulls contain all of it in exact arithmetic. Joints count as independent, so those
//! that follow another one only make hulls larger than needed. Cost: linear in the number of
//! bodies.

use super::parts::{BodyPart, spheres_around};
use super::sweep::{Movement, joint_range};
use crate::Robot;
use clearance_engine::Pose;
use clearance_engine::math::DVec3;
use clearance_engine::volume::BoundingSphere;

/// The spheres of a hull: more are tighter, eight fill what a node of a tree may have as children.
const MAX_SPHERES: usize = 8;

/// Spheres that together contain something; none of them where there is nothing. A radius may be
/// infinite.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hull {
    spheres: Vec<BoundingSphere>,
}

impl Hull {
    /// A hull around the parts of a body, in the body's frame.
    pub fn around(parts: &[BodyPart]) -> Self {
        Self::of_spheres(parts, MAX_SPHERES)
    }

    /// A hull of up to `count` spheres.
    pub(super) fn of_spheres(parts: &[BodyPart], count: usize) -> Self {
        Self { spheres: spheres_around(parts, count) }.reduced(count)
    }

    pub(super) fn from_spheres(spheres: Vec<BoundingSphere>) -> Self {
        Self { spheres }
    }

    /// The spheres.
    pub fn spheres(&self) -> &[BoundingSphere] {
        &self.spheres
    }

    /// One sphere around all of it, if there is anything.
    pub fn sphere(&self) -> Option<BoundingSphere> {
        self.spheres.iter().copied().reduce(|sum, sphere| sum.with(&sphere))
    }

    /// Whether a point lies in it.
    pub fn contains(&self, point: DVec3) -> bool {
        self.spheres.iter().any(|sphere| point.distance(sphere.center) <= sphere.radius)
    }

    /// At most the distance between the contents of both; negative where the hulls overlap,
    /// infinite if one is empty.
    pub fn gap(&self, other: &Self) -> f64 {
        let pairs = self.spheres.iter().flat_map(|a| other.spheres.iter().map(|b| a.gap(b)));
        pairs.fold(f64::INFINITY, f64::min)
    }

    /// Each sphere changed.
    pub(super) fn map(&self, change: impl Fn(&BoundingSphere) -> BoundingSphere) -> Self {
        Self { spheres: self.spheres.iter().map(change).collect() }
    }

    /// The hull after a rigid motion.
    pub fn moved(&self, pose: &Pose) -> Self {
        self.map(|sphere| sphere.moved(pose))
    }

    /// With at most `count` spheres: the two whose common sphere is smallest become one, again and
    /// again.
    pub(super) fn reduced(mut self, count: usize) -> Self {
        while self.spheres.len() > count.max(1) {
            let mut best = (f64::INFINITY, 0, 1);
            for i in 0..self.spheres.len() {
                for k in i + 1..self.spheres.len() {
                    let radius = self.spheres[i].with(&self.spheres[k]).radius;
                    if radius < best.0 {
                        best = (radius, i, k);
                    }
                }
            }
            let (_, i, k) = best;
            let second = self.spheres.swap_remove(k);
            self.spheres[i] = self.spheres[i].with(&second);
        }
        self
    }
}

/// The hulls `R`, `M` and `MR` of every body of a robot.
///
/// ```
/// use clearance_engine::{Pose, math::DVec3, shape::Sphere, tree::Solid};
/// use clearance_robot::{BodyPart, Hulls, JointSpec, RobotBuilder};
/// use std::sync::Arc;
/// let robot = RobotBuilder::new("r").link("base", []).link("tip", [])
///     .joint(JointSpec::continuous("turn", "base", "tip", DVec3::Z)).build()?;
/// let tip = BodyPart::new(Arc::new(Solid::new(Sphere::new(0.1)?)), Pose::from_translation(DVec3::X)?);
/// let hulls = Hulls::new(&robot, &[vec![], vec![tip]]);
/// let all_around = hulls.motion(1).sphere().unwrap();
/// assert!((all_around.radius - 1.1).abs() < 1e-9 && all_around.center.length() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Hulls {
    rigid: Vec<Hull>,
    motion: Vec<Hull>,
    reach: Vec<Hull>,
}

impl Hulls {
    /// The hulls of a robot whose bodies have these parts; a body beyond the end of the list has
    /// none.
    pub fn new(robot: &Robot, bodies: &[Vec<BodyPart>]) -> Self {
        let count = robot.bodies().len();
        let body_from_links = robot.body_from_links();
        let rigid: Vec<Hull> =
            (0..count).map(|body| bodies.get(body).map_or_else(Hull::default, |parts| Hull::around(parts))).collect();
        let (mut reach, mut motion) = (rigid.clone(), vec![Hull::default(); count]);
        // Children come after their parents.
        for (body, description) in robot.bodies().iter().enumerate().rev() {
            let below = std::mem::take(&mut reach[body]).reduced(MAX_SPHERES);
            if let (Some(joint), Some(parent)) = (description.joint(), description.parent()) {
                let parent_from_joint =
                    body_from_links[robot.joints()[joint].parent()].then(robot.joints()[joint].origin());
                let sweep = Movement::of(robot.joints()[joint].kind()).over(joint_range(robot, joint));
                motion[body] = below.map(|sphere| sweep.of(sphere).moved(&parent_from_joint));
                reach[parent].spheres.extend_from_slice(&motion[body].spheres);
            } else {
                motion[body] = below.clone();
            }
            reach[body] = below;
        }
        Self { rigid, motion, reach }
    }

    /// `R`: the body itself, in its own frame. Panics if there is no such body.
    pub fn rigid(&self, body: usize) -> &Hull {
        &self.rigid[body]
    }

    /// `M`: the body and all that it carries while its own joint and all below move, in the frame
    /// of the body that carries it (the root's own frame for the root). Panics if there is no such
    /// body.
    pub fn motion(&self, body: usize) -> &Hull {
        &self.motion[body]
    }

    /// `MR`: the body and all that it carries while the joints below move, in the body's own frame.
    /// Panics if there is no such body.
    pub fn reach(&self, body: usize) -> &Hull {
        &self.reach[body]
    }
}
