//! `clearance plan`: its paths go round what stands in the way, are proven, and are read by
//! `clearance check --motion`.

mod bench;

use bench::Workbench;
use serde_json::Value;

const GANTRY: &str = r#"<robot name="gantry">
  <link name="base"/><link name="beam"/>
  <link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="x" type="prismatic"><parent link="base"/><child link="beam"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="y" type="prismatic"><parent link="beam"/><child link="hand"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"#;

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("gantry.urdf", GANTRY);
    bench.write("wall.json", r#"{"objects":[{"name":"wall","box":[0.1,1.5,1]}]}"#);
    bench.write("closed.json", r#"{"objects":[{"name":"wall","box":[0.1,2.1,1]}]}"#);
    bench
}

fn plan(bench: &Workbench, scene: &str, from: &str, to: &str, others: &[&str]) -> Value {
    let mut arguments = vec!["plan", "gantry.urdf", "--scene", scene, "--from", from, "--to", to, "--json"];
    arguments.extend(others);
    bench.json(&arguments).remove(0)
}

#[test]
fn a_path_goes_round_a_wall_and_is_the_same_on_any_number_of_threads() {
    let bench = bench();
    let found = plan(&bench, "wall.json", "-0.5,0", "0.5 0", &[]);
    assert_eq!((&found["verdict"], &found["columns"]), (&"found".into(), &serde_json::json!(["x", "y"])));
    let path: Vec<Vec<f64>> = serde_json::from_value(found["path"].clone()).unwrap();
    assert_eq!((&path[0][..], &path[path.len() - 1][..]), (&[-0.5, 0.0][..], &[0.5, 0.0][..]));
    assert!(path.iter().any(|at| at[1].abs() > 0.85), "{path:?}");
    assert!(found["margin"].as_f64().unwrap() > 0.0);
    assert_eq!(plan(&bench, "wall.json", "-0.5,0", "0.5 0", &["--jobs", "2"]), found);
    assert_ne!(plan(&bench, "wall.json", "-0.5,0", "0.5 0", &["--seed", "2"])["path"], found["path"]);
    let kept = plan(&bench, "wall.json", "-0.5,0", "0.5,0", &["--margin", "0.04"]);
    assert!(kept["path"].as_array().unwrap().iter().any(|at| at[1].as_f64().unwrap().abs() > 0.89));
}

#[test]
fn the_csv_is_a_motion_that_check_proves() {
    let bench = bench();
    let output = bench.run(&[
        "plan",
        "gantry.urdf",
        "--scene",
        "wall.json",
        "--from",
        "-0.5,0",
        "--to",
        "0.5,0",
        "--record",
        "plan.glb",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    bench.write("path.csv", &String::from_utf8(output.stdout).unwrap());
    let segments = bench.json(&["check", "gantry.urdf", "--scene", "wall.json", "--motion", "path.csv", "--json"]);
    assert!(segments.len() >= 2 && segments.iter().all(|segment| segment["colliding"] == false), "{segments:?}");
    assert!(std::fs::read(bench.path("plan.glb")).unwrap().starts_with(b"glTF"));
}

#[test]
fn what_has_no_path_says_why_and_bad_numbers_are_refused() {
    let bench = bench();
    let verdict =
        |scene: &str, from: &str, to: &str| plan(&bench, scene, from, to, &["--max-samples", "300"])["verdict"].clone();
    assert_eq!(verdict("closed.json", "-0.5,0", "0.5,0"), "gave-up");
    assert_eq!(verdict("wall.json", "0,0", "0.5,0"), "start-blocked");
    assert_eq!(verdict("wall.json", "0.5,0", "0,0"), "goal-blocked");
    for (from, reason) in [("1", "x, y"), ("1,2,3", "x, y"), ("a,0", "'a'"), ("nan,0", "'nan'")] {
        let message = bench.refused(&["plan", "gantry.urdf", "--from", from, "--to", "0,0"]);
        assert!(message.contains("--from") && message.contains(reason), "{message}");
    }
    let message = bench.refused(&["plan", "gantry.urdf", "--from", "0,0", "--to", "0,0", "--max-time=-1"]);
    assert!(message.contains("--max-time"), "{message}");
}
