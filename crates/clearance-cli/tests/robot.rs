//! `clearance robot --write-srdf`: what the file disables and why, what the report says about it,
//! and that `check` with the file sees what is left.

mod bench;

use bench::{Workbench, cube_off};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `base – turn – arm – hand` about one axis: `arm` always overlaps `base`, whose joints turn about
/// its own axis; `hand` swings around them at 1 m, and hits `post` in its default position.
const ROBOT: &str = r#"<robot name="a &amp; b">
  <link name="base"><collision><geometry><mesh filename="base.off"/></geometry></collision></link>
  <link name="turn"/>
  <link name="arm"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <link name="lift"/>
  <link name="hand"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="post"><collision><origin xyz="1 0 0.05"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="j0" type="fixed"><parent link="base"/><child link="post"/></joint>
  <joint name="j1" type="revolute"><parent link="base"/><child link="turn"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="j2" type="revolute"><parent link="turn"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="j3" type="revolute"><parent link="arm"/><child link="lift"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="j4" type="revolute"><parent link="lift"/><child link="hand"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"#;

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("r.urdf", ROBOT);
    bench.write("base.off", &cube_off(0.25));
    bench.write("zero.csv", "j1\n0\n");
    bench
}

/// The pairs that an SRDF file disables, with their reasons.
fn disabled(path: &Path) -> BTreeMap<(String, String), String> {
    let text = std::fs::read_to_string(path).unwrap();
    let attribute =
        |line: &str, name: &str| line.split(&format!("{name}=\"")).nth(1)?.split('"').next().map(str::to_owned);
    let pair = |line: &str| Some(((attribute(line, "link1")?, attribute(line, "link2")?), attribute(line, "reason")?));
    text.lines().filter_map(pair).collect()
}

fn reason<'d>(disabled: &'d BTreeMap<(String, String), String>, a: &str, b: &str) -> Option<&'d str> {
    let either = [(a, b), (b, a)].map(|(a, b)| disabled.get(&(a.to_owned(), b.to_owned())));
    either.into_iter().flatten().next().map(String::as_str)
}

fn written(bench: &Workbench, more: &[&str]) -> (BTreeMap<(String, String), String>, String) {
    let output = bench.run(&[&["robot", "r.urdf", "--write-srdf", "r.srdf"], more].concat());
    let report = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}");
    (disabled(&bench.path("r.srdf")), report)
}

fn colliding(bench: &Workbench) -> Value {
    let answers =
        bench.json(&["check", "r.urdf", "--srdf", "r.srdf", "--configs", "zero.csv", "--query", "collide", "--json"]);
    answers[0]["colliding"].clone()
}

#[test]
fn pairs_that_always_collide_are_disabled_on_demand_and_named_otherwise() {
    let bench = bench();
    let (certain, report) = written(&bench, &[]);
    assert_eq!(reason(&certain, "base", "arm"), None);
    assert_eq!(reason(&certain, "base", "post"), Some("Adjacent"));
    assert!(report.contains("pairs that always collide are left enabled"), "{report}");
    assert!(report.contains("base – arm") && report.contains("--disable-always"), "{report}");
    assert_eq!(colliding(&bench), json!(true));
    let (more, report) = written(&bench, &["--disable-always"]);
    assert_eq!(reason(&more, "base", "arm"), Some("Always"));
    assert!(report.contains("1 Always") && !report.contains("left enabled"), "{report}");
    assert_eq!(more.len(), certain.len() + 1);
    // The hand hits the post in the default configuration, which is not free by itself.
    assert_eq!((reason(&more, "hand", "post"), colliding(&bench)), (None, json!(true)));
    let (all, report) = written(&bench, &["--disable-always", "--disable-at", "zero.csv"]);
    assert_eq!(reason(&all, "hand", "post"), Some("Default"));
    assert_eq!((all.len(), colliding(&bench)), (more.len() + 1, json!(false)));
    assert!(report.contains("1 Default"), "{report}");
    let message = bench.refused(&["robot", "r.urdf", "--disable-always"]);
    assert!(message.contains("--write-srdf"), "{message}");
}

#[test]
fn positions_that_look_like_degrees_are_noted_once_and_leave_the_answers_alone() {
    let bench = bench();
    bench.write("degrees.csv", "j1,j2\n0,0\n45,30\n50,40\n");
    let output = bench.run(&["check", "r.urdf", "--configs", "degrees.csv", "--query", "collide", "--json"]);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert_eq!(notes.matches("looks like degrees").count(), 1, "{notes}");
    assert!(notes.contains("column j1: 45 looks like degrees"), "{notes}");
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 3);
}

#[test]
fn talos_is_free_in_its_half_sitting_configuration_once_always_colliding_pairs_are_disabled() {
    let data = std::env::var_os("CLEARANCE_DATA")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")), PathBuf::from);
    let folder = data.join("robots/example-robot-data/robots/talos_data");
    let Ok(srdf) = std::fs::read_to_string(folder.join("srdf/talos.srdf")) else {
        eprintln!("skipped: no reference data");
        return;
    };
    let (bench, urdf) = (Workbench::new(), folder.join("robots/talos_reduced.urdf"));
    let urdf = urdf.to_str().unwrap();
    bench.write("half_sitting.csv", &half_sitting(&srdf));
    let check = || {
        let options =
            ["--srdf", "t.srdf", "--configs", "half_sitting.csv", "--query", "collide", "--pairs", "all", "--json"];
        let answers = bench.json(&[&["check", urdf], &options[..]].concat());
        answers[0]["self"]["pairs"].as_array().unwrap().len()
    };
    // Six pairs always collide; torso_2_link touches the base there and in other configurations,
    // but not in all.
    for (more, expected) in
        [(&[][..], 7), (&["--disable-always"], 1), (&["--disable-always", "--disable-at", "half_sitting.csv"], 0)]
    {
        let output = bench.run(&[&["robot", urdf, "--effort", "100", "--write-srdf", "t.srdf"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let disabled = disabled(&bench.path("t.srdf"));
        let always = disabled.values().filter(|reason| *reason == "Always").count();
        assert_eq!((always, check()), (if more.is_empty() { 0 } else { 6 }, expected), "{more:?}");
    }
}

/// The group state of this name as a CSV file, of the joints that the reduced robot has.
fn half_sitting(srdf: &str) -> String {
    let state =
        srdf.split("<group_state name=\"half_sitting\"").nth(1).unwrap().split("</group_state>").next().unwrap();
    let (mut names, mut values) = (Vec::new(), Vec::new());
    for joint in state.split("<joint name=\"").skip(1) {
        let mut parts = joint.split('"');
        let (name, value) = (parts.next().unwrap(), parts.nth(1).unwrap());
        let kept = ["arm_", "leg_", "torso_", "head_"].iter().any(|kind| name.starts_with(kind));
        if kept {
            names.push(name);
            values.push(value);
        }
    }
    format!("{}\n{}\n", names.join(","), values.join(","))
}

#[cfg(target_os = "linux")]
#[test]
fn progress_shows_on_a_terminal_and_nowhere_else() {
    let bench = bench();
    let command = format!("{} robot r.urdf", env!("CARGO_BIN_EXE_clearance"));
    let on_terminal =
        std::process::Command::new("script").args(["-qec", &command, "/dev/null"]).current_dir(bench.path("")).output();
    let Ok(on_terminal) = on_terminal else {
        eprintln!("skipped: no script(1), which makes a terminal");
        return;
    };
    let shown = String::from_utf8_lossy(&on_terminal.stdout);
    assert!(shown.contains("pairs of bodies") && shown.contains('%'), "{shown}");
    let elsewhere = bench.run(&["robot", "r.urdf"]);
    let told = [elsewhere.stdout, elsewhere.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(told.iter().all(|text| !text.contains("pairs of bodies")), "{told:?}");
}
