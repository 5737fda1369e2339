//! Everything between two triangles, degenerate ones included: overlap ([`triangles_overlap`],
//! exact), distance ([`triangle_distance`], certified) and contact ([`triangle_contact`]).
//!
//! The two triangles are given in the same frame; their coordinates are taken as exact numbers.
//! They must be finite and at most 1e100 in magnitude, which [`crate::TriMesh`] ensures. Exact
//! signs are lost where coordinates below 1e-91 meet ones of ordinary size: triangles may then be
//! said to touch across a gap of that order.

mod contact;
mod crossing_points;
mod distance;
mod overlap;
mod precise;

#[cfg(test)]
mod tests;

pub use contact::triangle_contact;
pub use distance::{triangle_distance, triangle_distance_below, triangle_gap_along};
pub use overlap::triangles_overlap;
