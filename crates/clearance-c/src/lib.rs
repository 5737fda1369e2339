//! The C interface of `clearance`: opaque handles over the facade, status codes, plain structs.
//!
//! `include/clearance.h` is made of these sources by cbindgen and kept in the repository;
//! `tests/header.rs` says when it is out of date. `include/clearance.hpp` is C++ over it.
//!
//! Every function has the same form: `border::entry` catches panics and keeps the message of an
//! error; one unsafe block turns the pointers into what the body works with; the body is safe.

// The types have the names that C programs write.
#![allow(non_camel_case_types)]

#[macro_use]
mod border;
mod checker;
mod geometry;
mod motion;
mod options;
mod pair;
mod robot;
mod scene;
mod types;
mod version;
mod voxels;
mod world;

/// A handle may be used by one thread after the other: what it holds must be `Send`. The pointers of
/// answers beside it point at memory of the same handle.
const _: () = {
    const fn send<T: Send>() {}
    send::<clearance::Pair>();
    send::<clearance::Checker>();
    send::<clearance::Scene>();
    send::<clearance::VoxelMap>();
    send::<clearance::World>();
    send::<clearance::CheckOptions>();
    send::<geometry::Shape>();
    send::<clearance::Motion>();
    send::<robot::RobotValue>();
};
