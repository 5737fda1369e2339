//! Gives the shared library its name by the version of the binary interface.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        // As `CLEARANCE_ABI_VERSION`, which `tests/header.rs` compares.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libclearance.so.1");
        if std::env::var("PROFILE").as_deref() == Ok("release") {
            println!("cargo::rustc-cdylib-link-arg=-Wl,--strip-all");
        }
    }
}
