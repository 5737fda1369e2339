#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clearance_fuzz::check_points(bytes, clearance_io::PointFormat::Pcd));
