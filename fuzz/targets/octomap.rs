#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clearance_fuzz::octomap::check(bytes));
