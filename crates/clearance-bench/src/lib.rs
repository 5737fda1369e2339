//! Models, motions and scenes from formulas, and races of engines along them.
//!
//! A [`Scene`] is two bodies and a sequence of poses; an [`Engine`] answers questions about it;
//! [`race::run`] lets several engines take turns and keeps the best time of each. [`robots`] is the
//! same for whole robots.

pub mod casts;
pub mod certificate;
pub mod cloth;
pub mod contacts;
pub mod convex_scenes;
pub mod counts;
pub mod decompositions;
pub mod engines;
mod error;
pub mod haptics;
pub mod many;
pub mod models;
pub mod motions;
mod placing;
pub mod planner;
pub mod plot;
pub mod race;
pub mod reproduce;
pub mod robots;
pub mod scenes;
pub mod sensing;
pub mod table;
mod timing;

pub use timing::thread_time;
pub mod volumes;

pub use engines::{Engine, Query};
pub use error::{Error, Result};
pub use scenes::Scene;
