//! The C library as its users find it: in a folder elsewhere, by CMake and by pkg-config, with OMPL and FCL.

use crate::{dist, root, run, tool};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs everything in a fresh folder outside of the repository.
pub fn all() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("clearance-test-c-{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let outcome = all_in(&folder);
    fs::remove_dir_all(&folder)?;
    outcome
}

fn all_in(folder: &Path) -> Result<()> {
    // Made in one place and used in another.
    let (made, prefix) = (folder.join("made"), folder.join("moved here"));
    dist::make(&made)?;
    fs::rename(&made, &prefix)?;
    pkg_config(folder, &prefix)?;
    cmake(folder, &prefix)
}

fn skipped(what: &str, why: &str) {
    println!("SKIPPED: {what}: {why}");
}

/// The example in C, by what pkg-config says.
fn pkg_config(folder: &Path, prefix: &Path) -> Result<()> {
    let (Some(config), Some(cc)) = (tool("pkg-config"), tool("cc")) else {
        skipped("the package for pkg-config", "there is no pkg-config or no cc");
        return Ok(());
    };
    let source = root().join("crates/clearance-c/examples/room.c");
    for package in ["clearance", "clearance-static"] {
        let mut ask = Command::new(&config);
        ask.args(["--cflags", "--libs", package]).env("PKG_CONFIG_PATH", prefix.join("pkgconfig"));
        let flags = words(&run(&mut ask)?);
        let program = folder.join(package);
        let mut build = Command::new(&cc);
        build.arg(&source).args(flags).arg("-lm").arg("-o").arg(&program);
        run(&mut build)?;
        let said = run(Command::new(&program).env("LD_LIBRARY_PATH", prefix.join("lib")))?;
        anyhow::ensure!(said.contains("the way is"), "{package}: the example said {said:?}");
        println!("pkg-config {package}: the example runs");
    }
    Ok(())
}

/// The words of a command line: pkg-config escapes spaces by backslashes.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut escaped) = (Vec::new(), String::new(), false);
    for c in line.trim().chars() {
        match c {
            '\\' if !escaped => escaped = true,
            ' ' if !escaped => words.push(std::mem::take(&mut word)),
            _ => {
                word.push(c);
                escaped = false;
            }
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

/// The clients, by CMake.
fn cmake(folder: &Path, prefix: &Path) -> Result<()> {
    let Some(cmake) = tool("cmake") else {
        skipped("the package for CMake, OMPL, FCL and the adapters", "there is no cmake");
        return Ok(());
    };
    let (source, build) = (folder.join("clients"), folder.join("build"));
    copy(&root().join("crates/clearance-c/clients"), &source)?;
    copy(&root().join("crates/clearance-c/examples"), &source.join("examples"))?;
    copy(&root().join("integrations"), &source.join("integrations"))?;
    let mut configure = Command::new(&cmake);
    configure.arg("-S").arg(&source).arg("-B").arg(&build).arg("-DCMAKE_BUILD_TYPE=Release");
    configure.arg(format!("-DCMAKE_PREFIX_PATH={}", prefix.display()));
    let said = run(&mut configure)?;
    said.lines().filter_map(|line| line.strip_prefix("-- SKIPPED")).for_each(|line| println!("SKIPPED{line}"));
    run(Command::new(&cmake).arg("--build").arg(&build))?;
    for (program, sign) in [("room", "the way is"), ("room_static", "the way is"), ("distance", "first contact")] {
        let said = run(&mut Command::new(build.join(program)))?;
        anyhow::ensure!(said.contains(sign), "{program} said {said:?}");
        println!("CMake: {program} runs");
    }
    for program in ["ompl_panda", "fcl_race"] {
        let path = build.join(program);
        if path.is_file() {
            let mut command = Command::new(&path);
            if program == "ompl_panda" {
                match panda() {
                    Some(files) => drop(command.args(files)),
                    None => skipped("the Panda", "CLEARANCE_DATA has none; the built-in humanoid is planned for"),
                }
            }
            let said = run(&mut command)?;
            // OMPL says more than that.
            let said = said.lines().filter(|line| !line.starts_with("Info:") && !line.starts_with("Debug:"));
            said.for_each(|line| println!("{program}: {line}"));
        }
    }
    println!("the adapters compile against the stub headers, where Eigen is");
    Ok(())
}

/// The Panda's files, of the folder `CLEARANCE_DATA`, or of `../shared/data` beside the repository.
fn panda() -> Option<[PathBuf; 2]> {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("CLEARANCE_DATA").map_or_else(default, PathBuf::from).join("robots/vamp/panda");
    let files = ["panda.urdf", "panda.srdf"].map(|name| folder.join(name));
    files.iter().all(|file| file.is_file()).then_some(files)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("{}", from.display()))? {
        let entry = entry?;
        let place = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &place)?;
        } else {
            fs::copy(entry.path(), place)?;
        }
    }
    Ok(())
}
