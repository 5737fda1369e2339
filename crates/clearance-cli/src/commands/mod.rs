//! The subcommands, one file each.

pub mod bench;
pub mod check;
pub mod demo;
pub mod explore;
pub mod info;
pub mod pair;
mod range;
pub mod reproduce;
pub mod robot;
