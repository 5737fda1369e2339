//! Files that a command writes: refused before the work where they cannot be written, and replaced
//! as a whole after it.
//!
//! Checks leave nothing behind, so that neither a mistake elsewhere nor an interruption does.

use anyhow::{Context, Result, bail};
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Refuses a path at which no file can be written; changes nothing there.
pub fn check(path: &Path) -> Result<()> {
    let at = || format!("{}: cannot write", path.display());
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => bail!("{}: a folder, not a file that can be written", path.display()),
        // Neither emptied nor touched: it may be needed until the new one is complete, or be a
        // device.
        Ok(_) => OpenOptions::new().write(true).open(path).map(drop).with_context(at),
        Err(_) if path.file_name().is_none() => bail!("{}: not the name of a file", path.display()),
        Err(_) if !folder_of(path).is_dir() => {
            bail!("{}: there is no folder {} to write into", path.display(), folder_of(path).display())
        }
        Err(_) => probe(folder_of(path)).with_context(at),
    }
}

/// Refuses a path at which there is no folder to write into and none can be made; makes none.
pub fn check_folder(path: &Path) -> Result<()> {
    let at = || format!("{}: not a folder that can be written to", path.display());
    let existing = path.ancestors().map(or_here).find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    probe(existing).with_context(at)
}

/// Writes the file at `path` by `write`, which gets the path of a temporary file beside it; where
/// that fails, what was at `path` stays.
pub fn write(path: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let at = || format!("{}: cannot write", path.display());
    fs::create_dir_all(folder_of(path)).with_context(at)?;
    // A link stays one: its target is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    // Devices, and files in folders that take no other file, are written into.
    if path.exists() && !(path.is_file() && probe(folder_of(path)).is_ok()) {
        return write(path).with_context(at);
    }
    let beside = temporary(folder_of(path));
    let written = write(&beside).and_then(|()| Ok(fs::rename(&beside, path)?));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written.with_context(at)
}

fn folder_of(path: &Path) -> &Path {
    or_here(path.parent().unwrap_or(Path::new("")))
}

/// The folder that an empty path means.
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}

/// Makes a file in a folder and removes it.
fn probe(folder: &Path) -> io::Result<()> {
    let file = temporary(folder);
    OpenOptions::new().write(true).create_new(true).open(&file)?;
    fs::remove_file(&file)
}

fn temporary(folder: &Path) -> PathBuf {
    folder.join(format!(".clearance-{}.tmp", std::process::id()))
}
