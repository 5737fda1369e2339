//! Where the library is, and which tools the machine has.

#![allow(dead_code, clippy::print_stdout, reason = "each test binary uses a part; what is skipped is said")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the crate.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The shared library that cargo built beside this test.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path of this test");
    let deps = test.parent().expect("a folder");
    let found = [deps, deps.parent().expect("a folder")].map(|folder| folder.join("libclearance_c.so"));
    found.into_iter().find(|file| file.exists()).expect("the shared library beside the tests")
}

/// The path of a program, if it is there.
pub fn tool(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Says what is not tested, and why.
pub fn skipped(what: &str, why: &str) {
    println!("SKIPPED: {what}: {why}");
}

/// Runs a program, which must succeed; returns what it prints.
pub fn run(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str], folder: &Path) -> String {
    let program = program.as_ref();
    let output = Command::new(program).args(arguments).current_dir(folder).output().expect("a program that starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{program:?} {arguments:?} ended with {}:\n{out}\n{error}", output.status);
    out
}

/// Compiles sources with options and links them with the shared library; `cc` or `c++`.
pub fn compile(compiler: &Path, sources: &[&str], options: &[&str], program: &Path) {
    let library = library();
    let folder = library.parent().expect("a folder").to_str().expect("UTF-8");
    let (include, rpath) = (format!("-I{}", root().join("include").display()), format!("-Wl,-rpath,{folder}"));
    let sources: Vec<String> = sources.iter().map(|source| root().join(source).display().to_string()).collect();
    let mut arguments: Vec<&str> = options.to_vec();
    arguments.extend(["-Wall", "-Wextra", "-Werror", "-g", &include]);
    arguments.extend(sources.iter().map(String::as_str));
    let library = library.display().to_string();
    arguments.extend([library.as_str(), &rpath, "-lm", "-lpthread", "-o", program.to_str().expect("UTF-8")]);
    run(compiler, &arguments, root());
    // The library calls itself by the version of the interface, and programs look for that beside it.
    let versioned = Path::new(folder).join("libclearance.so.1");
    #[cfg(unix)]
    if !versioned.exists() {
        let made = std::os::unix::fs::symlink("libclearance_c.so", &versioned);
        // Another test may have made it meanwhile.
        assert!(made.is_ok() || versioned.exists(), "{made:?}");
    }
}
