//! The subcommands, one file each.

pub mod bench;
pub mod check;
mod check_answer;
mod check_motion;
mod check_near;
mod check_rows;
pub mod demo;
pub mod explore;
mod explore_record;
pub mod info;
pub mod pair;
pub mod plan;
mod range;
pub mod ray;
mod record;
mod report;
pub mod reproduce;
pub mod robot;
mod robot_reach;
pub mod view;
