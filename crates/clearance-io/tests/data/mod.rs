//! Where the reference data is.

use std::path::{Path, PathBuf};

/// The folder `CLEARANCE_DATA`, or `../shared/data` beside the repository; says that `what` is
/// skipped where it is absent.
pub fn data_folder(what: &str) -> Option<PathBuf> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("CLEARANCE_DATA").map_or_else(default, PathBuf::from);
    if !folder.join("ref").is_dir() {
        eprintln!("SKIPPED {what}: no reference data at {} (set CLEARANCE_DATA)", folder.display());
        return None;
    }
    Some(folder)
}
