//! The subcommands, one file each.

pub mod bench;
pub mod check;
mod check_motion;
pub mod demo;
pub mod explore;
pub mod info;
pub mod pair;
mod range;
pub mod reproduce;
pub mod robot;
