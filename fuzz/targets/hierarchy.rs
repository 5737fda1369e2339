//! Saved hierarchies with a right hash and wrong contents.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clearance_fuzz::hierarchy::check_saved(bytes));
