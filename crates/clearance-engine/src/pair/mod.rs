//! Arithmetic between two things, nothing else.

pub mod shape;
pub mod volume;
