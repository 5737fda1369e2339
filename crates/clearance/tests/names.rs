//! The facade stays small: at most 60 names, each with an example, and enough for the command line
//! and the bindings, which use nothing below it.

use std::path::{Path, PathBuf};

/// The most names that the facade has.
const MAX_NAMES: usize = 60;
/// Vectors and quaternions are glam's, which documents them.
const FOREIGN: [&str; 2] = ["Quat", "Vec3"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The public names of the facade's root, without those that the prelude repeats.
fn names() -> Vec<String> {
    let source = read("crates/clearance/src/lib.rs");
    let mut names = Vec::new();
    for item in source.split(';').flat_map(|item| item.split("}\n")) {
        // Re-exports and modules of the root begin at the first column.
        let Some(begin) = item.find("\npub ") else { continue };
        let item = item[begin + 1..].replace('\n', " ");
        if let Some(module) = item.strip_prefix("pub mod ") {
            names.push(module.split(' ').next().unwrap_or_default().to_owned());
        } else if let Some(path) = item.strip_prefix("pub use ") {
            let list = path.split_once("::{").map_or(path, |(_, list)| list.trim_end_matches([' ', '}']));
            let last = |name: &str| name.rsplit([' ', ':']).next().unwrap_or_default().trim().to_owned();
            names.extend(list.split(',').map(|name| last(name.trim())).filter(|name| !name.is_empty()));
        }
    }
    names
}

#[test]
fn the_facade_has_at_most_sixty_names() {
    let names = names();
    assert!(names.len() <= MAX_NAMES, "{} names: {names:?}", names.len());
    for known in ["Mesh", "Pair", "Checker", "Scene", "prelude", "engine", "Vec3", "Distance"] {
        assert!(names.iter().any(|name| name == known), "{known} is missing: the names are misread: {names:?}");
    }
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// The doc comment of a public item, where a source file has it.
fn docs<'s>(source: &'s str, name: &str) -> Option<Vec<&'s str>> {
    let lines: Vec<&str> = source.lines().collect();
    let is_item = |line: &&str| {
        ["struct", "enum", "trait", "type", "fn"].iter().any(|kind| {
            let rest = line.strip_prefix("pub ").and_then(|rest| rest.strip_prefix(kind)).map(str::trim_start);
            rest.and_then(|rest| rest.strip_prefix(name))
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        })
    };
    let place = lines.iter().position(is_item)?;
    let is_about = |line: &&&str| line.starts_with("///") || line.starts_with("#[") || line.starts_with("    ");
    Some(lines[..place].iter().rev().take_while(is_about).copied().collect())
}

#[test]
fn each_name_has_an_example() {
    let mut files = Vec::new();
    for name in ["clearance", "clearance-engine", "clearance-robot"] {
        sources(&root().join("crates").join(name).join("src"), &mut files);
    }
    let texts: Vec<String> = files.iter().map(read).collect();
    let is_type = |name: &&String| name.starts_with(char::is_uppercase) && !FOREIGN.contains(&name.as_str());
    let mut without = Vec::new();
    for name in names().iter().filter(is_type).filter(|name| *name != "Result") {
        let found: Vec<Vec<&str>> = texts.iter().filter_map(|text| docs(text, name)).collect();
        if !found.iter().any(|docs| docs.iter().any(|line| line.starts_with("/// ```"))) {
            without.push(name.clone());
        }
    }
    assert!(without.is_empty(), "no example: {without:?}");
}

/// Words that the field has others for: vertex, triangle mesh, dispatcher, support, maximum, narrow
/// phase, traversal, time of impact.
const RETIRED: [&str; 8] = ["corner", "soup", "bank", "farthest", "most_", "meeting", "tandem", "first_contact"];

#[test]
fn public_names_are_the_fields() {
    let mut files = Vec::new();
    for name in ["", "-engine", "-io", "-robot", "-plan", "-scene", "-view", "-c"] {
        sources(&root().join(format!("crates/clearance{name}/src")), &mut files);
    }
    assert!(files.len() > 300, "{} files", files.len());
    for file in &files {
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let text = read(file);
        let items = text.lines().filter_map(|line| line.trim_start().strip_prefix("pub ")).map(|item| {
            let words = item.split(|c: char| !c.is_alphanumeric() && c != '_');
            let is_kind = |word: &&str| matches!(*word, "fn" | "struct" | "enum" | "trait" | "type" | "mod" | "const");
            let mut named = words.filter(|word| !word.is_empty()).skip_while(|word| !is_kind(word));
            named.find(|word| !is_kind(word) && *word != "unsafe").unwrap_or_default().to_lowercase()
        });
        for name in items.chain([stem.to_lowercase()]) {
            assert!(!RETIRED.iter().any(|word| name.contains(word)), "{}: {name}", file.display());
        }
    }
}

/// What the manifest allows, the sources may still reach: a crate of the workspace is found by its
/// name in examples and tests.
#[test]
fn examples_and_bindings_import_the_facade_alone() {
    let mut files = Vec::new();
    for folder in ["crates/clearance/examples", "crates/clearance-cli/src", "crates/clearance-c/src", "python/src"] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 60, "{} files", files.len());
    for file in &files {
        for below in ["engine", "io", "robot", "scene", "view", "plan"] {
            let path = format!("clearance_{below}::");
            assert!(!read(file).contains(&path), "{}: {path}", file.display());
        }
    }
}

#[test]
fn command_line_and_bindings_use_the_facade_alone() {
    // `bench` and `reproduce` are the laboratory.
    for (manifest, allowed) in [
        ("crates/clearance-cli/Cargo.toml", &["clearance", "clearance-bench"][..]),
        ("python/Cargo.toml", &["clearance"]),
        ("crates/clearance-c/Cargo.toml", &["clearance"]),
    ] {
        let text = read(manifest);
        let dependencies = text.split("[dependencies]").nth(1).expect("dependencies").split("\n[").next();
        let names = dependencies.into_iter().flat_map(str::lines).filter_map(|line| line.split([' ', '.', '=']).next());
        let own: Vec<&str> = names.filter(|name| name.starts_with("clearance")).collect();
        assert_eq!(own, allowed, "{manifest}");
    }
}
