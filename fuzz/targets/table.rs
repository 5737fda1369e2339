//! Tables of numbers, and the configurations of a robot that they state.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clearance_fuzz::robot::check_table(bytes));
