#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| clearance_fuzz::check_reader(bytes, clearance_io::MeshFormat::Ply));
