//! The built-in scene of `clearance`: a humanoid in a kitchen, generated in code, and pictures of it.
pub mod humanoid;
pub mod picture;
pub mod solid;
