//! Every example runs, prints something, and is as short as the guide promises.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The examples, and the most lines that their `main` may have.
const EXAMPLES: [(&str, usize); 14] = [
    ("mesh_distance", 4),
    ("mesh_collision", 3),
    ("contacts_picture", 8),
    ("self_collision", 4),
    ("robot_in_room", 6),
    ("move_clear", 12),
    ("ten_thousand", 6),
    ("time_of_impact", 5),
    ("prove_path", 6),
    ("depth_image", 8),
    ("moving_obstacles", 10),
    ("pick_and_place", 8),
    ("rrt_connect", 50),
    ("own_geometry", 7),
];

#[test]
fn every_example_runs_and_prints_something() {
    for (name, _) in EXAMPLES {
        let output = Command::new(binary(name)).output();
        let output = output.unwrap_or_else(|error| panic!("{name}: {error}; `cargo test -p clearance` builds it"));
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(!output.stdout.is_empty(), "{name} prints nothing");
    }
}

#[test]
fn every_example_is_listed_and_as_short_as_promised() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let mut files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".rs")?.to_owned()))
        .collect();
    files.sort_unstable();
    let mut listed = EXAMPLES.map(|(name, _)| name.to_owned());
    listed.sort_unstable();
    assert_eq!(files, listed);
    for (name, most) in EXAMPLES {
        let text = std::fs::read_to_string(folder.join(name).with_extension("rs")).unwrap();
        let lines = statements(&text);
        assert!(lines <= most, "{name} has {lines} lines in main, of {most}");
    }
}

/// The guide's chapter of programs is what the examples say, in both languages.
#[test]
fn the_guide_shows_every_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read =
        |path: &Path| std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = String::from(PROGRAMS_HEAD);
    for (name, _) in EXAMPLES {
        let rust = read(&root.join("crates/clearance/examples").join(name).with_extension("rs"));
        let python = read(&root.join("python/examples/programs").join(name).with_extension("py"));
        let about = rust.lines().take_while(|line| *line != "//!" && line.starts_with("//!"));
        let about: Vec<&str> = about.map(|line| line.trim_start_matches("//!").trim()).collect();
        text += &format!("\n## {name}\n\n{}\n", about.join("\n"));
        let is_set_up = |line: &str| line.starts_with("//!") || line.starts_with("#![allow");
        let rust: Vec<&str> = rust.lines().skip_while(|line| is_set_up(line) || line.is_empty()).collect();
        text += &format!("\n```rust,ignore\n{}\n```\n", rust.join("\n").trim());
        // The first paragraph is its documentation, the last one calls `main`.
        let python = python.split_once("\"\"\"\n\n").expect("documentation").1;
        let python = python.split("\n\n\nif __name__").next().unwrap_or(python);
        text += &format!("\n```python\n{python}\n```\n");
    }
    let chapter = root.join("docs/guide/src/programs.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&chapter, &text).unwrap();
    }
    assert!(
        read(&chapter) == text,
        "the chapter is out of date: UPDATE_DOCS=1 cargo test -p clearance --test examples"
    );
}

const PROGRAMS_HEAD: &str = "\
# Programs

Each of these is complete. They are the examples of the crate and of the Python package, which the tests run. Their
module `data` makes input files where you give none: `cargo run --release -p clearance --example mesh_distance -- A.stl
B.obj` takes yours.
";

/// A geometry of one's own is as far away as the same posts, one by one.
#[cfg(feature = "robots")]
#[test]
fn the_own_fence_is_where_its_posts_are() {
    use clearance::prelude::*;
    let output = Command::new(binary("own_geometry")).output().unwrap();
    let robot = std::env::temp_dir().join("clearance-examples").join("arm.urdf");
    let mut checker = Checker::new(Robot::load(robot).unwrap()).unwrap();
    for post in 0..64 {
        let middle = Pose::from_xyz(0.8, -3.0 + 0.1 * f64::from(post), 0.5).unwrap();
        checker.scene_mut().add(format!("post {post}"), Capsule::new(0.02, 1.0).unwrap(), middle).unwrap();
    }
    let q = checker.robot().default_configuration();
    let expected = checker.scene_distance(&q).unwrap().unwrap();
    let expected = format!("{} is {:.3} m from fence", expected.a, expected.upper);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains(&expected), "{text} instead of {expected}");
}

/// The lines of `main` that do something: not those that only close, set up a file of the example's
/// own, or print.
fn statements(text: &str) -> usize {
    let main =
        text.split("fn main() -> clearance::Result<()> {\n").nth(1).expect("a main").split("\n}").next().unwrap();
    let counts = |line: &&str| {
        let line = line.trim();
        !line.is_empty() && line.chars().any(char::is_alphanumeric) && line != "Ok(())" && !line.starts_with("//")
    };
    main.lines().filter(counts).count()
}

/// Cargo builds examples beside the tests.
fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap().join("examples");
    folder.join(name).with_extension(std::env::consts::EXE_EXTENSION)
}
