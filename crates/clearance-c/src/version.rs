//! Which library this is.

use crate::border::{Failure, clearance_status, entry};
use std::ffi::c_char;

/// The version of the binary interface: it grows with every change that old programs would not
/// survive.
pub const CLEARANCE_ABI_VERSION: u32 = 1;

/// The version of the binary interface of the library that is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn clearance_abi_version() -> u32 {
    CLEARANCE_ABI_VERSION
}

/// An error if the header that a program was compiled with is of another binary interface than the
/// library. Call `CLEARANCE_CHECK_ABI()`, which passes the header's version.
#[unsafe(no_mangle)]
pub extern "C" fn clearance_check_abi(header_version: u32) -> clearance_status {
    entry(|| {
        if header_version == CLEARANCE_ABI_VERSION {
            return Ok(());
        }
        let message = format!(
            "the program was compiled for version {header_version} of the binary interface, and the library has \
             {CLEARANCE_ABI_VERSION}"
        );
        Err(Failure::new(clearance_status::Abi, message))
    })
}

/// The version of the library, as in "0.1.0". It lives as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn clearance_version() -> *const c_char {
    const { concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast() }
}
