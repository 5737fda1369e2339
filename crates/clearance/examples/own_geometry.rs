//! A geometry of your own inside a robot's scene: a fence of 64 posts that is computed, not stored.
//!
//! The traits of geometries are in `clearance::engine`. A tree of primitives needs three of
//! them, and one line that registers it; then it meets every other geometry, for every query.
#![allow(clippy::print_stdout)]

use clearance::engine::math::Frame;
use clearance::engine::shape::Primitive;
use clearance::engine::tree::{Node, PrimitiveBvh, PrimitiveBvhNodes, Tree, next_revision};
use clearance::engine::volume::{Aabb, BoundingSphere, BoxBlock};
use clearance::prelude::*;
use std::sync::Arc;

#[path = "data/mod.rs"]
mod data;

fn main() -> clearance::Result<()> {
    let mut dispatcher = Dispatcher::standard();
    dispatcher.register_primitive_bvh::<Fence>();
    let robot = Robot::load(data::robot_file()?)?;
    let mut checker = Checker::with_dispatcher(robot, CheckOptions::default(), Arc::new(dispatcher))?;
    checker.scene_mut().add("fence", Fence::new(0.1, 1.0, 0.02), Pose::from_xyz(0.8, -3.0, 0.0)?)?;
    let q = checker.robot().default_configuration();
    println!("{:?}", checker.scene_distance(&q)?.map(|d| format!("{} is {:.3} m from {}", d.a, d.upper, d.b)));
    Ok(())
}

/// Vertical posts with round ends, side by side along y: a root with eight leaves of eight posts.
struct Fence {
    spacing: f64,
    height: f64,
    radius: f64,
    frame: Frame,
    revision: u64,
}

impl Fence {
    const POSTS: u32 = 64;

    fn new(spacing: f64, height: f64, radius: f64) -> Self {
        let end = Vec3::new(0.0, spacing * f64::from(Self::POSTS - 1), height);
        Self { spacing, height, radius, frame: Frame::around(Vec3::ZERO, end), revision: next_revision() }
    }

    fn foot(&self, post: u32) -> Vec3 {
        Vec3::Y * (self.spacing * f64::from(post))
    }

    /// A box around the posts' axes, in the stored frame.
    fn around(&self, first: u32, last: u32) -> Aabb {
        let (low, high) = (self.foot(first), self.foot(last) + Vec3::Z * self.height);
        let half = (high - low) * (0.5 * self.frame.scale);
        // A little more than half, for what rounding may add to the centre.
        Aabb::around(self.frame.store((low + high) * 0.5), half + Vec3::splat(1e-12))
    }

    /// The first post below a node, and how many there are.
    fn posts(node: Node) -> (u32, u32) {
        if node == 0 { (0, Self::POSTS) } else { ((node - 1) * 8, 8) }
    }
}

impl Tree for Fence {
    fn root(&self) -> Node {
        0
    }

    fn is_leaf(&self, node: Node) -> bool {
        node != 0
    }

    fn child(&self, _node: Node, lane: usize) -> Node {
        1 + lane as Node
    }

    fn size(&self, node: Node) -> f32 {
        (self.spacing * f64::from(Self::posts(node).1) + self.height) as f32
    }
}

impl PrimitiveBvhNodes for Fence {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn extent(&self) -> f64 {
        self.foot(Self::POSTS).length() + self.height + self.radius
    }

    fn radius(&self) -> f64 {
        self.radius
    }

    fn bounds(&self, node: Node) -> Aabb {
        let (first, count) = Self::posts(node);
        self.around(first, first + count - 1)
    }

    fn block(&self, node: Node) -> BoxBlock {
        let (first, count) = Self::posts(node);
        let lane = |lane: u32| {
            let from = first + lane * count / 8;
            self.around(from, from + count / 8 - 1)
        };
        BoxBlock::new(&std::array::from_fn::<_, 8, _>(|i| lane(i as u32)))
    }

    fn primitive_number(&self, leaf: Node, lane: usize) -> u32 {
        Self::posts(leaf).0 + lane as u32
    }

    fn solid(&self, number: u32) -> Option<Primitive> {
        let middle = self.foot(number) + Vec3::Z * (0.5 * self.height);
        let post = Capsule::new(self.radius, self.height).ok()?.transformed(&Pose::from_translation(middle).ok()?);
        (number < Self::POSTS).then_some(post.into())
    }
}

impl PrimitiveBvh for Fence {}

impl Geometry for Fence {
    fn kind(&self) -> &'static str {
        "fence"
    }

    fn revision(&self) -> u64 {
        self.revision
    }

    fn sphere(&self) -> BoundingSphere {
        let end = self.foot(Self::POSTS) + Vec3::Z * self.height;
        BoundingSphere { center: end * 0.5, radius: end.length() * 0.5 + self.radius }
    }
}
