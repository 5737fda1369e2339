//! Signed distances of points: how each geometry finds them.
//!
//! The nearest triangle of a mesh gives the distance as an interval. The sign comes from the exact
//! winding number where the mesh is closed , else from the generalised one
//! ([`Dipoles`]).

mod bvh8;
mod dipoles;
mod surface;
mod union;

pub(super) use dipoles::Dipoles;
pub(super) use surface::mesh_distance;
pub(super) use union::{assembly_distance, primitives_distance};
