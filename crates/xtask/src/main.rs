//! `cargo xtask TASK`: what this repository does beside building and testing.
//!
//! ```text
//! cargo xtask dist-c [--out DIR]   # the C library as a folder: include/ lib/ cmake/ pkgconfig/
//! cargo xtask test-c               # that folder as users find it: CMake, pkg-config, OMPL, FCL, the adapters
//! ```

#![allow(clippy::print_stdout, reason = "a program for the command line")]

mod dist;
mod test;

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["dist-c"] => dist::make(&root().join("target/dist-c")),
        ["dist-c", "--out", folder] => dist::make(Path::new(folder)),
        ["test-c"] => test::all(),
        _ => bail!("usage: cargo xtask dist-c [--out DIR] | test-c"),
    }
}

/// The repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Runs a program, which must succeed; returns what it prints.
fn run(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{command:?} does not start"))?;
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!("{command:?} ended with {}:\n{out}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(out)
}

/// The path of a program, if it is there.
fn tool(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}
