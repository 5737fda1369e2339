//! The shapes that leaves are made of.

mod soup;
mod triangle;

pub use soup::TriMesh;
pub use triangle::Triangle;
