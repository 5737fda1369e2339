//! The header in the repository is what cbindgen makes of the sources, and the library exports what it declares.
//!
//! `UPDATE_DOCS=1 cargo test -p clearance-c --test header` writes the header.

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use support::{library, root, run, skipped, tool};

fn header() -> String {
    std::fs::read_to_string(root().join("include/clearance.h")).expect("the header")
}

/// The functions that a text of C declares or calls.
fn functions(text: &str) -> BTreeSet<String> {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let called = text.split('(').filter_map(|before| before.rsplit(word).next());
    called.filter(|name| name.starts_with("clearance_")).map(str::to_owned).collect()
}

#[test]
fn the_header_is_current() {
    let config = cbindgen::Config::from_file(root().join("cbindgen.toml")).expect("cbindgen.toml");
    let made = cbindgen::Builder::new().with_crate(root()).with_config(config).generate().expect("a header");
    let mut text = Vec::new();
    made.write(&mut text);
    let text = String::from_utf8(text).expect("UTF-8");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(root().join("include/clearance.h"), &text).expect("a header that can be written");
    }
    assert!(
        text == header(),
        "include/clearance.h is out of date: UPDATE_DOCS=1 cargo test -p clearance-c --test header"
    );
}

/// Comments talk about functions without declaring them.
fn without_comments(text: &str) -> String {
    let mut parts = text.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once("*/").map_or("", |(_, code)| code))
}

#[test]
fn the_c_test_calls_every_function() {
    let declared = functions(&without_comments(&header()));
    assert!(declared.len() > 100, "the header is misread: {declared:?}");
    let test = std::fs::read_to_string(root().join("tests/c/everything.c")).expect("the test in C");
    let called = functions(&test);
    let missing: Vec<_> = declared.difference(&called).collect();
    assert!(missing.is_empty(), "not called: {missing:?}");
}

#[test]
fn every_name_of_the_header_has_the_prefix() {
    for line in without_comments(&header()).lines() {
        let macro_name = line.strip_prefix("#define ").and_then(|rest| rest.split([' ', '(']).next());
        let enumerator = line.trim().strip_suffix(',').and_then(|rest| rest.split(" = ").next());
        let is_name = |name: &&str| name.chars().all(|c| c.is_ascii_uppercase() || c == '_') && !name.is_empty();
        for name in macro_name.into_iter().chain(enumerator.filter(is_name)) {
            assert!(name.starts_with("CLEARANCE_"), "{name}");
        }
    }
}

#[test]
fn the_library_exports_the_header_and_nothing_else() {
    let Some(nm) = tool("nm") else { return skipped("the exported symbols", "there is no nm") };
    let listed = run(nm, &["-D", "--defined-only", library().to_str().expect("UTF-8")], Path::new("."));
    let exported: BTreeSet<String> =
        listed.lines().filter_map(|line| line.split(' ').nth(2)).map(str::to_owned).collect();
    assert_eq!(exported, functions(&without_comments(&header())));
}

#[test]
fn the_name_of_the_library_has_the_version_of_the_interface() {
    let build = std::fs::read_to_string(root().join("build.rs")).expect("build.rs");
    let version = header();
    let version =
        version.split("CLEARANCE_ABI_VERSION ").nth(1).and_then(|rest| rest.lines().next()).expect("a version");
    assert!(build.contains(&format!("libclearance.so.{version}\"")), "the soname in build.rs is not that of {version}");
}
