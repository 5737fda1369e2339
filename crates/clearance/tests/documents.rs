//! Links of the documents lead to something, the guide's contents name every chapter, and the
//! README stays short.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text without blocks of code.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

fn chapters() -> Vec<PathBuf> {
    let folder = root().join("docs/guide/src");
    let entries = std::fs::read_dir(folder).expect("the guide").flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// What follows `](` up to the closing parenthesis.
fn links(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect()
}

/// A heading as the part of an address behind `#`, as mdBook and others make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut files = chapters();
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "python/README.md"] {
        files.push(root().join(name));
    }
    for name in ["performance.md", "notebook.md", "pairs.md", "volumes.md"] {
        files.push(root().join("docs").join(name));
    }
    let mut checked = 0;
    for file in &files {
        for link in links(&prose(&read(file))) {
            if link.contains("://") {
                continue;
            }
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { file.clone() } else { file.parent().expect("a folder").join(path) };
            assert!(target.exists(), "{}: {link} leads nowhere", file.display());
            if !heading.is_empty() {
                let text = prose(&read(&target));
                let mut headings =
                    text.lines().filter_map(|line| Some(line.strip_prefix('#')?.trim_start_matches('#')));
                let found = headings.any(|line| anchor(line.trim()) == heading);
                // Headings of a changelog are versions and dates.
                assert!(found || file.ends_with("CHANGELOG.md"), "{}: {link} has no heading", file.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 80, "only {checked} links were found");
}

#[test]
fn the_guide_lists_every_chapter() {
    let summary = read(&root().join("docs/guide/src/SUMMARY.md"));
    for chapter in chapters() {
        let name = chapter.file_name().and_then(|name| name.to_str()).expect("a name");
        assert!(name == "SUMMARY.md" || links(&summary).contains(&name), "{name} is not in the guide's contents");
    }
}

#[test]
fn the_readme_has_at_most_500_words() {
    let text = prose(&read(&root().join("README.md")));
    // Addresses are not read.
    let text: String = text.split("](").map(|part| part.split_once(')').map_or(part, |(_, rest)| rest)).collect();
    let words = text.split([' ', '\n', '|']).filter(|word| word.chars().any(char::is_alphanumeric)).count();
    assert!((200..=500).contains(&words), "{words} words");
}
