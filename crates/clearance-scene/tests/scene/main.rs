//! The built-in scene: its numbers, the state of its meshes, and its motion.

mod explore;
mod gradients;
mod humanoid;
mod kitchen;
mod motion;
#[path = "../../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;
mod support;
