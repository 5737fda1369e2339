//! The built-in scene: its numbers, the state of its meshes, and its motion.

mod explore;
mod gradients;
mod humanoid;
mod kitchen;
mod motion;
mod support;
