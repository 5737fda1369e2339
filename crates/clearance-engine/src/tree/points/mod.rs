//! Signed distances of points: how each geometry finds them.
//!
//! The nearest triangle of a mesh gives the distance as an interval. The sign comes from the exact
//! winding number where the mesh is closed , else from the generalised one
//! ([`Dipoles`]).

mod bvh8;
mod dipoles;
mod sides;
mod signs;
mod surface;
mod union;

use dipoles::Dipoles;
pub(super) use signs::Signs;
pub(crate) use signs::winding_in_bvh8;
pub(super) use surface::{mesh_distance, mesh_distances};
pub(super) use union::{assembly_distance, primitives_distance};
