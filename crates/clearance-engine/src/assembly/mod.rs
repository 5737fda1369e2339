//! Many placed geometries as one: robots, scenes, attached objects.
//!
//! An [`Assembly`] is a tree of spheres and boxes whose leaves are *parts*: a geometry and its pose
//! in a common frame. Two assemblies, or one and itself, meet in the one traversal
//! ([`crate::traversal::traverse`]); where two parts meet, the dispatcher's test for their two
//! geometries runs, with what the search has found so far as its range. So far limbs are never
//! looked at, and near ones first.
//!
//! What may be skipped comes in through [`Pairing`]: pairs that are not looked at, paddings and
//! margins, proven gaps.

mod answers;
mod assembly_assembly;
mod near;

pub use answers::{AssemblyWarmStart, PartDistance, PartWitness};
pub use assembly_assembly::{AssemblyPair, Everything, Pairing};
pub use near::{NearParts, NearRequest};

pub use crate::tree::{Assembly, AssemblyBuilder, PartId};
