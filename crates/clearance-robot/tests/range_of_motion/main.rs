//! Range-of-motion hulls, proven gaps and the tables made of them.

#[path = "../../../clearance-io/tests/data/mod.rs"]
mod data;
#[allow(dead_code)]
#[path = "../../../clearance-engine/src/random.rs"]
mod random;

mod gaps;
mod hulls;
mod reach;
mod real_robots;
mod support;
