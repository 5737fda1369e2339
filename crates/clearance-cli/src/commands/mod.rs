//! The subcommands, one file each.

pub mod bench;
pub mod demo;
pub mod info;
pub mod pair;
pub mod reproduce;
