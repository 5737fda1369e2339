//! The subcommands, one file each.

pub mod demo;
pub mod info;
pub mod pair;
