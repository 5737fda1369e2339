//! Scenes as JSON, without the files that they name.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clearance_fuzz::robot::check_scene(bytes));
