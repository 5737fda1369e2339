//! Many placed geometries as one: robots, scenes, attached objects.
//!
//! An [`Assembly`] is a tree of balls and boxes whose leaves are *parts*: a geometry and its pose in a common frame. Two assemblies, or one
//! and itself, meet in the one descent ([`crate::descent::descend`]); where two parts meet, the bank's test for their two
//! geometries runs, with what the search has found so far as its range. So far limbs are never looked at, and near ones first.
//!
//! What may be skipped comes in through [`Pairing`]: pairs that are not looked at, paddings and margins, proven gaps.

mod answers;
mod meeting;

pub use answers::{AssemblyCache, PartDistance, PartWitness};
pub use meeting::{Everything, Meet, Pairing};

pub use crate::tree::{Assembly, AssemblyBuilder, PartId};
