//! The shapes that leaves are made of.

mod soup;
mod topology;
mod triangle;

pub use soup::TriMesh;
pub use topology::{check_closed, component_points};
pub use triangle::Triangle;
