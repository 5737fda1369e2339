//! Random poses at a wanted gap: far, near, overlapping.
//!
//! One body is turned at random and approaches the other along a random direction. The approach is
//! Newton's method on our own distance: it changes at the rate n·u when the body moves along u and
//! n joins the closest points. Cost: about four distance queries a pose.

use crate::Result;
use clearance_engine::dispatch::PairQuery;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::{Pose, TriMesh};
use std::f64::consts::TAU;

#[allow(dead_code, reason = "tests need more of it")]
#[path = "../../clearance-engine/src/random.rs"]
mod random;
pub(crate) use random::Random;

impl Random {
    /// Uniform on the sphere.
    pub(crate) fn direction(&mut self) -> DVec3 {
        let z = 2.0 * self.unit() - 1.0;
        let (sin, cos) = (TAU * self.unit()).sin_cos();
        let r = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(r * cos, r * sin, z)
    }

    /// Uniform over all rotations (Shoemake's method).
    pub(crate) fn rotation(&mut self) -> DQuat {
        let u = self.unit();
        let (s1, c1) = (TAU * self.unit()).sin_cos();
        let (s2, c2) = (TAU * self.unit()).sin_cos();
        let (r1, r2) = ((1.0 - u).sqrt(), u.sqrt());
        DQuat::from_xyzw(r1 * s1, r1 * c1, r2 * s2, r2 * c2)
    }
}

/// Places one body of a pair relative to the other.
pub(crate) struct Placer<'p> {
    plan: PairQuery<'p>,
    workspace: Workspace,
    warm_start: WarmStart,
    random: Random,
    /// Centres of A and B in their own frames.
    centers: (DVec3, DVec3),
    /// How far apart the centres are at the start: no contact.
    start: f64,
}

/// B turned and moved so that its centre is off A's by a distance along a direction.
#[derive(Clone, Copy)]
struct Approach {
    rotation: DQuat,
    direction: DVec3,
    distance: f64,
}

impl<'p> Placer<'p> {
    /// For the geometries of `plan`, which have these meshes.
    pub(crate) fn new(plan: PairQuery<'p>, a: &TriMesh, b: &TriMesh, random: Random) -> Self {
        let [(a_low, a_high), (b_low, b_high)] = [a.bounding_box(), b.bounding_box()];
        Self {
            plan,
            workspace: Workspace::default(),
            warm_start: WarmStart::default(),
            random,
            centers: ((a_low + a_high) / 2.0, (b_low + b_high) / 2.0),
            start: ((a_high - a_low).length() + (b_high - b_low).length()) / 2.0,
        }
    }

    fn pose(&self, approach: &Approach) -> Result<Pose> {
        let (a, b) = self.centers;
        let translation = a + approach.direction * approach.distance - approach.rotation * b;
        Ok(Pose::new(approach.rotation, translation)?)
    }

    /// A random approach that ends where the gap is `target` to within one percent.
    fn approach(&mut self, target: f64) -> Result<Approach> {
        let (rotation, direction) = (self.random.rotation(), self.random.direction());
        let mut at = Approach { rotation, direction, distance: self.start + target };
        for _ in 0..40 {
            let pose = self.pose(&at)?;
            let warm_start = Some(&mut self.warm_start);
            let answer = self.plan.distance(&pose, &DistanceRequest::default(), &mut self.workspace, warm_start)?;
            if (answer.upper - target).abs() <= 0.01 * target {
                break;
            }
            let rate = match answer.witness {
                Some(witness) if answer.upper > 0.0 => {
                    ((witness.point_b - witness.point_a) / answer.upper).dot(direction)
                }
                // In contact: back off by a few gaps.
                _ => 0.25,
            };
            at.distance -= (answer.upper - target) / rate.max(0.25);
        }
        Ok(at)
    }

    /// A pose at the gap `target`.
    pub(crate) fn apart(&mut self, target: f64) -> Result<Pose> {
        let approach = self.approach(target)?;
        self.pose(&approach)
    }

    /// A pose whose surfaces cross: pushed in from a touch of `touch` by up to `deepest`.
    pub(crate) fn crossing(&mut self, touch: f64, deepest: f64) -> Result<Pose> {
        loop {
            let mut approach = self.approach(touch)?;
            approach.distance -= touch + self.random.unit() * deepest;
            let pose = self.pose(&approach)?;
            if self.plan.collide(&pose, &mut self.workspace, None).colliding {
                return Ok(pose);
            }
        }
    }
}
