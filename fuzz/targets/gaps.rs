//! Tables of proven gaps with a right hash and wrong contents.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clearance_fuzz::gaps::check_gaps(bytes));
