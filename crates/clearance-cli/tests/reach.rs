//! `clearance robot --reach` and `--picture` of `pair` and `check`.

mod bench;

use bench::{Workbench, cube_off};
use serde_json::Value;

const CRANE: &str = r#"<robot name="crane">
  <link name="base"/>
  <link name="arm"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="hook"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>
  <joint name="drop" type="prismatic"><parent link="arm"/><child link="hook"/><origin xyz="1 0 -0.3"/><axis xyz="0 0 -1"/>
    <limit lower="0" upper="0.5" effort="1" velocity="1"/></joint>
</robot>
"#;

const SCENE: &str = r#"{"objects":[
  {"name":"fence","pose":[1.3,0,0,1,0,0,0],"box":[0.1,4,2]},
  {"name":"post","pose":[0.95,0.4,0,1,0,0,0],"box":[0.1,0.1,2]}]}"#;

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("crane.urdf", CRANE);
    bench.write("scene.json", SCENE);
    bench.write("a.off", &cube_off(0.5));
    bench.write("q.csv", "turn,drop\n0,0\n0.3,0.1\n");
    bench
}

fn is_png(bench: &Workbench, name: &str) {
    let bytes = std::fs::read(bench.path(name)).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 5000, "{name}: {} bytes", bytes.len());
}

#[test]
fn reach_says_where_links_can_be_and_what_they_can_touch() {
    let bench = bench();
    let arguments = ["robot", "crane.urdf", "--reach", "--scene", "scene.json", "--picture", "reach.png", "--json"];
    let output = bench.run(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let hook = &json["reach"].as_array().unwrap().iter().find(|reach| reach["link"] == "hook").unwrap();
    // It hangs from 0.3 to 0.8 m below the arm's end.
    assert!(hook["low"][2].as_f64().unwrap() <= -0.85 && hook["high"][2].as_f64().unwrap() < -0.1, "{hook}");
    assert!(!hook["spheres"].as_array().unwrap().is_empty());
    let verdict = |link: &str, object: &str| {
        let all = json["touch"].as_array().unwrap();
        all.iter().find(|touch| touch["link"] == link && touch["object"] == object).unwrap().clone()
    };
    let fence = verdict("arm", "fence");
    assert_eq!(fence["verdict"], "never");
    let gap = fence["gap"].as_f64().unwrap();
    assert!(gap > 0.1 && gap <= 0.15, "{gap}");
    let post = verdict("hook", "post");
    assert_eq!((&post["verdict"], post["configuration"].as_array().unwrap().len()), (&"sometimes".into(), 2));
    is_png(&bench, "reach.png");
    let text = bench.run(&["robot", "crane.urdf", "--reach", "--scene", "scene.json"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(
        text.contains("can arm touch fence? never, proven") && text.contains("can hook touch post? yes, at"),
        "{text}"
    );
    // Without a reach there is nothing to ask the scene about.
    assert_eq!(bench.run(&["robot", "crane.urdf", "--scene", "scene.json"]).status.code(), Some(2));
}

#[test]
fn pictures_show_the_nearest_moment() {
    let bench = bench();
    let check = ["check", "crane.urdf", "--configs", "q.csv", "--scene", "scene.json", "--picture", "check.png"];
    let output = bench.run(&check);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Picture: check.png"));
    is_png(&bench, "check.png");
    bench.write("poses.csv", "x,y,z,qw,qx,qy,qz\n3,0,0,1,0,0,0\n1.2,0.1,0,1,0,0,0\n");
    let output = bench.run(&["pair", "a.off", "a.off", "--poses", "poses.csv", "--picture", "pair.png"]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    is_png(&bench, "pair.png");
    // A folder that is not there is told before the work.
    let output = bench.run(&["pair", "a.off", "a.off", "--picture", "nowhere/pair.png"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("nowhere"));
}
