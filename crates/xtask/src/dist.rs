//! The C library as a folder that can be moved.

use crate::{root, run, tool};
use anyhow::{Context as _, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The version of the binary interface, which is in the library's name.
const ABI: u32 = 1;
/// What a static library of Rust needs besides.
const SYSTEM_LIBRARIES: [&str; 6] = ["gcc_s", "util", "rt", "pthread", "m", "dl"];

/// Builds the library and lays it out in `folder`, which is made.
pub fn make(folder: &Path) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["build", "--release", "--locked", "--package", "clearance-c"])
        .current_dir(root())
        .status()
        .context("cargo does not start")?;
    anyhow::ensure!(status.success(), "the library does not build");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into);
    let (built, headers) = (target.join("release"), root().join("crates/clearance-c/include"));
    let version = env!("CARGO_PKG_VERSION");
    for part in ["include", "lib", "cmake", "pkgconfig"] {
        fs::create_dir_all(folder.join(part))?;
    }
    for header in ["clearance.h", "clearance.hpp"] {
        fs::copy(headers.join(header), folder.join("include").join(header))?;
    }
    let lib = folder.join("lib");
    let shared = format!("libclearance.so.{version}");
    fs::copy(built.join("libclearance_c.so"), lib.join(&shared))?;
    link(&lib, &shared, &format!("libclearance.so.{ABI}"))?;
    link(&lib, &format!("libclearance.so.{ABI}"), "libclearance.so")?;
    let archive = lib.join("libclearance.a");
    fs::copy(built.join("libclearance_c.a"), &archive)?;
    match tool("strip") {
        Some(strip) => drop(run(Command::new(strip).arg("--strip-debug").arg(&archive))?),
        None => println!("SKIPPED: stripping libclearance.a: there is no strip"),
    }
    write(folder, version)?;
    for file in [lib.join(&shared), archive] {
        println!("{} {:.1} MB", file.display(), fs::metadata(&file)?.len() as f64 / 1e6);
    }
    Ok(())
}

/// A link beside a file, in the place of one that is there.
fn link(folder: &Path, to: &str, name: &str) -> Result<()> {
    let place = folder.join(name);
    if place.symlink_metadata().is_ok() {
        fs::remove_file(&place)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, &place)?;
    #[cfg(not(unix))]
    fs::copy(folder.join(to), &place)?;
    Ok(())
}

/// The files by which CMake and pkg-config find the library, wherever the folder is.
fn write(folder: &Path, version: &str) -> Result<()> {
    let needed = SYSTEM_LIBRARIES.join(";");
    let config = format!(
        r#"# clearance::clearance is the shared library, clearance::static the static one.
get_filename_component(_clearance "${{CMAKE_CURRENT_LIST_DIR}}/.." ABSOLUTE)
if(NOT TARGET clearance::clearance)
  add_library(clearance::clearance SHARED IMPORTED)
  set_target_properties(clearance::clearance PROPERTIES
    IMPORTED_LOCATION "${{_clearance}}/lib/libclearance.so.{version}"
    IMPORTED_SONAME "libclearance.so.{ABI}"
    INTERFACE_INCLUDE_DIRECTORIES "${{_clearance}}/include")
  add_library(clearance::static STATIC IMPORTED)
  set_target_properties(clearance::static PROPERTIES
    IMPORTED_LOCATION "${{_clearance}}/lib/libclearance.a"
    IMPORTED_LINK_INTERFACE_LANGUAGES "C"
    INTERFACE_INCLUDE_DIRECTORIES "${{_clearance}}/include"
    INTERFACE_LINK_LIBRARIES "{needed}")
endif()
unset(_clearance)
"#
    );
    fs::write(folder.join("cmake/clearanceConfig.cmake"), config)?;
    // Before version 1 a minor version may change anything.
    let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
    let versions = format!(
        r#"set(PACKAGE_VERSION "{version}")
if(PACKAGE_FIND_VERSION VERSION_LESS_EQUAL PACKAGE_VERSION AND "${{PACKAGE_FIND_VERSION_MAJOR}}.${{PACKAGE_FIND_VERSION_MINOR}}" STREQUAL "{minor}")
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"#
    );
    fs::write(folder.join("cmake/clearanceConfigVersion.cmake"), versions)?;
    let flags: String = SYSTEM_LIBRARIES.map(|name| format!(" -l{name}")).concat();
    let common = format!(
        "prefix=${{pcfiledir}}/..\nlibdir=${{prefix}}/lib\nDescription: Certified proximity queries for robots\n\
         Version: {version}\nCflags: -I${{prefix}}/include\n"
    );
    let shared = format!("{common}Name: clearance\nLibs: -L${{libdir}} -lclearance\n");
    fs::write(folder.join("pkgconfig/clearance.pc"), shared)?;
    let fixed = format!("{common}Name: clearance-static\nLibs: ${{libdir}}/libclearance.a{flags}\n");
    fs::write(folder.join("pkgconfig/clearance-static.pc"), fixed)?;
    Ok(())
}
