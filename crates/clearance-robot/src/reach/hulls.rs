//! Range-of-motion hulls: balls that no body leaves, whatever the joints do within their limits.
//!
//! For body i, with the joint i that carries it: `R` is the body itself in its own frame; `MR` is the body and all that it carries, in its own
//! frame, over all positions of the joints below; `M` is that over all positions of joint i, in the frame of the body that carries it.
//! So `MR_i = R_i ∪ M_k over the children k`, and `M_i` is `MR_i` swept by joint i. Section III of the paper in the module's head.
//!
//! Invariant: hulls contain all of it in exact arithmetic. Joints count as independent, so those that follow another one only make
//! hulls larger than needed. Cost: linear in the number of bodies.

use super::parts::{BodyPart, balls_around};
use super::sweep::{Movement, joint_range};
use crate::Robot;
use clearance::Pose;
use clearance::math::DVec3;
use clearance::volume::BoundingBall;

/// The balls of a hull: more are tighter, eight fill what a node of a tree may have as children.
const MOST_BALLS: usize = 8;

/// Balls that together contain something; none of them where there is nothing. A radius may be infinite.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hull {
    balls: Vec<BoundingBall>,
}

impl Hull {
    /// A hull around the parts of a body, in the body's frame.
    pub fn around(parts: &[BodyPart]) -> Self {
        Self::of_balls(parts, MOST_BALLS)
    }

    /// A hull of up to `count` balls.
    pub(super) fn of_balls(parts: &[BodyPart], count: usize) -> Self {
        Self { balls: balls_around(parts, count) }.reduced(count)
    }

    /// The balls.
    pub fn balls(&self) -> &[BoundingBall] {
        &self.balls
    }

    /// One ball around all of it, if there is anything.
    pub fn ball(&self) -> Option<BoundingBall> {
        self.balls.iter().copied().reduce(|sum, ball| sum.with(&ball))
    }

    /// Whether a point lies in it.
    pub fn contains(&self, point: DVec3) -> bool {
        self.balls.iter().any(|ball| point.distance(ball.center) <= ball.radius)
    }

    /// At most the distance between the contents of both; negative where the hulls overlap, infinite if one is empty.
    pub fn gap(&self, other: &Self) -> f64 {
        let pairs = self.balls.iter().flat_map(|a| other.balls.iter().map(|b| a.gap(b)));
        pairs.fold(f64::INFINITY, f64::min)
    }

    /// Each ball changed.
    pub(super) fn map(&self, change: impl Fn(&BoundingBall) -> BoundingBall) -> Self {
        Self { balls: self.balls.iter().map(change).collect() }
    }

    /// The hull after a rigid motion.
    pub fn moved(&self, pose: &Pose) -> Self {
        self.map(|ball| ball.moved(pose))
    }

    /// With at most `count` balls: the two whose common ball is smallest become one, again and again.
    fn reduced(mut self, count: usize) -> Self {
        while self.balls.len() > count.max(1) {
            let mut best = (f64::INFINITY, 0, 1);
            for i in 0..self.balls.len() {
                for k in i + 1..self.balls.len() {
                    let radius = self.balls[i].with(&self.balls[k]).radius;
                    if radius < best.0 {
                        best = (radius, i, k);
                    }
                }
            }
            let (_, i, k) = best;
            let second = self.balls.swap_remove(k);
            self.balls[i] = self.balls[i].with(&second);
        }
        self
    }
}

/// The hulls `R`, `M` and `MR` of every body of a robot.
///
/// ```
/// use clearance::{Pose, math::DVec3, shape::Ball, tree::Solid};
/// use clearance_robot::{BodyPart, Hulls, JointSpec, RobotBuilder};
/// use std::sync::Arc;
/// let robot = RobotBuilder::new("r").link("base", []).link("tip", [])
///     .joint(JointSpec::continuous("turn", "base", "tip", DVec3::Z)).build()?;
/// let tip = BodyPart::new(Arc::new(Solid::new(Ball::new(0.1)?)), Pose::from_translation(DVec3::X)?);
/// let hulls = Hulls::new(&robot, &[vec![], vec![tip]]);
/// let all_around = hulls.motion(1).ball().unwrap();
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
    /// The hulls of a robot whose bodies have these parts; a body beyond the end of the list has none.
    pub fn new(robot: &Robot, bodies: &[Vec<BodyPart>]) -> Self {
        let count = robot.bodies().len();
        let body_from_links = robot.body_from_links();
        let rigid: Vec<Hull> =
            (0..count).map(|body| bodies.get(body).map_or_else(Hull::default, |parts| Hull::around(parts))).collect();
        let (mut reach, mut motion) = (rigid.clone(), vec![Hull::default(); count]);
        // Children come after their parents.
        for (body, description) in robot.bodies().iter().enumerate().rev() {
            let below = std::mem::take(&mut reach[body]).reduced(MOST_BALLS);
            if let (Some(joint), Some(parent)) = (description.joint(), description.parent()) {
                let parent_from_joint =
                    body_from_links[robot.joints()[joint].parent()].then(robot.joints()[joint].origin());
                let sweep = Movement::of(robot.joints()[joint].kind()).over(joint_range(robot, joint));
                motion[body] = below.map(|ball| sweep.of(ball).moved(&parent_from_joint));
                reach[parent].balls.extend_from_slice(&motion[body].balls);
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

    /// `M`: the body and all that it carries while its own joint and all below move, in the frame of the body that carries it (the
    /// root's own frame for the root). Panics if there is no such body.
    pub fn motion(&self, body: usize) -> &Hull {
        &self.motion[body]
    }

    /// `MR`: the body and all that it carries while the joints below move, in the body's own frame. Panics if there is no such body.
    pub fn reach(&self, body: usize) -> &Hull {
        &self.reach[body]
    }
}
