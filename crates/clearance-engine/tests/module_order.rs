//! Modules stand in dependency order: each may use only those above it.

use std::path::Path;

/// From the bottom of the engine to its top; the crate's root may use all.
const ORDER: [&str; 14] = [
    "math",
    "shape",
    "volume",
    "convex",
    "pair",
    "tree",
    "traversal",
    "query",
    "dispatch",
    "motion",
    "penetration",
    "assembly",
    "world",
    "decompose",
];

#[test]
fn no_module_uses_one_below_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    for (rank, module) in ORDER.iter().enumerate() {
        for file in rust_files(&source.join(module)) {
            files += 1;
            let text = std::fs::read_to_string(&file).unwrap();
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                for later in &ORDER[rank + 1..] {
                    let uses = code.contains(&format!("crate::{later}::"));
                    assert!(!uses, "{}:{}: {module} uses {later}", file.display(), number + 1);
                }
            }
        }
    }
    assert!(files > 30, "only {files} files found");
}

fn rust_files(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
