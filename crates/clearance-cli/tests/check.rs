//! The contract of `clearance check`: a small robot of boxes, written by the tests, against itself,
//! scenes and a second robot.

mod bench;

use bench::{Workbench, cube_off};
use serde_json::{Value, json};

/// `base – l1 – l2 – hand`: cubes in a row along x, 1 apart, each turning about z; three with edges
/// of 0.25, and a smaller one of the hand, a mesh. Sizes are exact in single precision, in which
/// the meshes of robots are kept.
const ROBOT: &str = r#"<robot name="row">
  <link name="base"><collision><geometry><box size="0.25 0.25 0.25"/></geometry></collision></link>
  <link name="l1"><collision><geometry><box size="0.25 0.25 0.25"/></geometry></collision></link>
  <link name="l2"><collision><geometry><box size="0.25 0.25 0.25"/></geometry></collision></link>
  <link name="hand"><collision><geometry><mesh filename="hand.off"/></geometry></collision></link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-4" upper="4" effort="1" velocity="1"/></joint>
  <joint name="j2" type="continuous"><parent link="l1"/><child link="l2"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="j3" type="continuous"><parent link="l2"/><child link="hand"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
</robot>
"#;

/// Stretched (base and l2 are 1.75 apart); folded so that l2 lies on base; folded so that the hand
/// lies in l1.
const CONFIGS: &str = "j1,j2\n0,0\n3.141592653589793,0\n0,3.141592653589793\n";

/// A sphere above the stretched robot's l1, and a box far away.
const SCENE: &str = r#"{"objects":[{"name":"ball","pose":[1,0,1.125,1,0,0,0],"sphere":0.5},
    {"name":"wall","pose":[0,9,0,1,0,0,0],"box":[9,0.1,9]}]}"#;

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("row.urdf", ROBOT);
    bench.write("hand.off", &cube_off(0.0625));
    bench.write("q.csv", CONFIGS);
    bench.write("scene.json", SCENE);
    bench
}

fn check<'a>(more: &[&'a str]) -> Vec<&'a str> {
    ["check", "row.urdf", "--configs", "q.csv", "--json"].iter().chain(more).copied().collect()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn close(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value - expected).abs() < 1e-9)
}

/// A vertex of which a cube is the hull: three plates of the cube's six, each of them two
/// triangles.
const PLATES: &str = "OFF\n7 6 0\n-1 -1 -1\n1 -1 -1\n-1 1 -1\n-1 -1 1\n1 1 -1\n1 -1 1\n-1 1 1\n\
    3 0 2 4\n3 0 4 1\n3 0 1 5\n3 0 5 3\n3 0 3 6\n3 0 6 2\n";

const FIELDS: [&str; 7] = ["distance", "lower", "status", "link_a", "link_b", "point_a", "point_b"];

#[test]
fn distance_prints_one_object_per_configuration_with_the_contracted_fields() {
    let answers = bench().json(&check(&["--scene", "scene.json"]));
    assert_eq!(answers.len(), 3);
    for (i, answer) in answers.iter().enumerate() {
        assert_eq!(keys(answer), ["i", "colliding", "self", "environment", "robot_b"]);
        assert_eq!(answer["i"], i);
        assert_eq!((keys(&answer["self"]), keys(&answer["environment"])), (FIELDS.to_vec(), FIELDS.to_vec()));
        assert!(answer["robot_b"].is_null());
    }
    let (own, around) = (&answers[0]["self"], &answers[0]["environment"]);
    assert_eq!((&answers[0]["colliding"], &own["status"]), (&json!(false), &json!("exact")));
    assert!(close(&own["distance"], 1.75) && own["lower"].as_f64().unwrap() <= 1.75, "{own}");
    assert!(close(&around["distance"], 0.5), "{around}");
    // The robot's link first, then the object.
    assert_eq!((&around["link_a"], &around["link_b"]), (&json!("l1"), &json!("ball")));
    let point = |name: &str| [0, 1, 2].map(|k| around[name][k].as_f64().unwrap());
    let apart = point("point_a").iter().zip(point("point_b")).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    assert!((apart - 0.5).abs() < 1e-9 && (point("point_b")[2] - 0.625).abs() < 1e-9, "{around}");
    for (i, pair) in [(1, ["base", "l2"]), (2, ["hand", "l1"])] {
        let own = &answers[i]["self"];
        assert_eq!((&answers[i]["colliding"], &own["distance"]), (&json!(true), &json!(0.0)));
        let mut found = ["link_a", "link_b"].map(|name| own[name].as_str().unwrap());
        found.sort_unstable();
        assert_eq!(found, pair);
    }
}

#[test]
fn collide_prints_whether_and_which() {
    let answers = bench().json(&check(&["--scene", "scene.json", "--query", "collide"]));
    for part in ["self", "environment"] {
        assert_eq!(keys(&answers[0][part]), ["colliding", "link_a", "link_b"]);
        assert_eq!(answers[0][part], json!({"colliding": false, "link_a": null, "link_b": null}));
    }
    assert_eq!((&answers[1]["colliding"], &answers[1]["self"]["colliding"]), (&json!(true), &json!(true)));
    assert_eq!(answers[1]["environment"]["colliding"], false);
}

#[test]
fn parts_that_are_not_asked_for_are_null_and_colliding_speaks_of_the_others() {
    let bench = bench();
    let own = bench.json(&check(&["--scene", "scene.json", "--self"]));
    assert!(own[1]["environment"].is_null() && own[1]["self"].is_object() && own[1]["colliding"] == true);
    let around = bench.json(&check(&["--scene", "scene.json", "--environment"]));
    assert!(around[1]["self"].is_null() && around[1]["environment"].is_object());
    assert_eq!(around[1]["colliding"], false, "the robot collides with itself, which was not asked");
    let both = bench.json(&check(&["--scene", "scene.json", "--both"]));
    assert_eq!(both, bench.json(&check(&["--scene", "scene.json"])));
    assert!(bench.json(&check(&[]))[0]["environment"].is_null());
    // Colliding with the scene alone.
    bench.write("scene.json", r#"{"objects":[{"name":"ball","pose":[3,0,0,1,0,0,0],"sphere":0.1}]}"#);
    let answer = &bench.json(&check(&["--scene", "scene.json"]))[0];
    assert_eq!((&answer["colliding"], &answer["environment"]["link_a"]), (&json!(true), &json!("hand")));
    assert!(close(&answer["self"]["distance"], 1.75));
}

#[test]
fn a_scene_may_be_one_mesh_that_is_called_by_its_file() {
    let bench = bench();
    // A surface of half edge 1 around the base: l1's cube crosses it, the base floats inside.
    let answer = &bench.json(&check(&["--scene", "big.off"]))[0];
    let around = &answer["environment"];
    assert_eq!((&around["link_a"], &around["link_b"]), (&json!("l1"), &json!("big.off")));
    assert_eq!((&answer["colliding"], &around["distance"]), (&json!(true), &json!(0.0)));
}

#[test]
fn the_base_moves_the_robot_and_points_are_in_the_world() {
    let bench = bench();
    // A quarter turn about z, 0.3 up: l1 is at (0, 1, 0.3).
    let base = "0 0 0.3 0.7071067811865476 0 0 0.7071067811865476";
    bench.write("scene.json", r#"{"objects":[{"name":"ball","pose":[0,1,1.425,1,0,0,0],"sphere":0.5}]}"#);
    let around = &bench.json(&check(&["--scene", "scene.json", "--base", base]))[0]["environment"];
    assert!(close(&around["distance"], 0.5) && around["link_a"] == "l1", "{around}");
    assert!((around["point_a"][2].as_f64().unwrap() - 0.425).abs() < 1e-9, "{around}");
    let negative = bench.json(&check(&["--scene", "scene.json", "--base", "-1 1 0.3 1 0 0 0"]));
    assert_eq!(negative[0]["environment"]["link_a"], "l1");
}

#[test]
fn a_second_robot_has_one_configuration_or_as_many_as_the_first() {
    let bench = bench();
    let far = ["--robot-b", "row.urdf", "--base-b", "0 0.5 0 1 0 0 0"];
    let answers = bench.json(&check(&far));
    assert_eq!(keys(&answers[0]["robot_b"]), FIELDS);
    assert!(close(&answers[0]["robot_b"]["distance"], 0.25), "{}", answers[0]);
    assert_eq!(answers[0]["colliding"], false);
    let mut same = far.to_vec();
    same.extend(["--configs-b", "q.csv", "--query", "collide"]);
    let answers = bench.json(&check(&same));
    assert!(answers.iter().all(|answer| answer["robot_b"]["colliding"] == false));
    let touching = bench.json(&check(&["--robot-b", "row.urdf", "--base-b", "0 0.15 0 1 0 0 0"]));
    assert_eq!((&touching[0]["colliding"], &touching[0]["robot_b"]["distance"]), (&json!(true), &json!(0.0)));
    bench.write("two.csv", "j1\n0\n0\n");
    same[5] = "two.csv";
    let (answers, message) = bench.broken_off(&check(&same));
    assert!(answers.len() == 2 && message.contains("two.csv: 2 configurations"), "{message}");
    bench.write("four.csv", "j1\n0\n0\n0\n0\n");
    same[5] = "four.csv";
    let (answers, message) = bench.broken_off(&check(&same));
    assert!(answers.len() == 3 && message.contains("four.csv: line 5: "), "{message}");
    bench.write("none.csv", "j1\n");
    same[5] = "none.csv";
    assert!(bench.refused(&check(&same)).contains("none.csv: 0 configurations"));
    assert!(bench.refused(&check(&["--base-b", "0 0 0 1 0 0 0"])).contains("--robot-b"));
}

#[test]
fn all_pairs_are_listed_on_demand() {
    let bench = bench();
    let answers = bench.json(&check(&["--pairs", "all"]));
    let pairs = answers[1]["self"]["pairs"].as_array().unwrap();
    let names: Vec<[&str; 2]> =
        pairs.iter().map(|pair| ["link_a", "link_b"].map(|name| pair[name].as_str().unwrap())).collect();
    assert_eq!(names, [["base", "l2"], ["base", "hand"], ["l1", "hand"]]);
    assert_eq!(keys(&pairs[0]), ["link_a", "link_b", "colliding", "distance", "lower", "status"]);
    assert_eq!((&pairs[0]["colliding"], &pairs[0]["distance"]), (&json!(true), &json!(0.0)));
    assert!(pairs[2]["colliding"] == false && close(&pairs[2]["distance"], 1.8125));
    let answers = bench.json(&check(&["--pairs", "all", "--query", "collide"]));
    assert_eq!(answers[1]["self"]["pairs"], json!([{"link_a": "base", "link_b": "l2"}]));
    assert_eq!(answers[0]["self"]["pairs"], json!([]));
}

#[test]
fn an_srdf_switches_pairs_off() {
    let bench = bench();
    let pair = |a: &str, b: &str| format!("<disable_collisions link1='{a}' link2='{b}'/>");
    bench.write("row.srdf", &format!("<robot name='row'>{}</robot>", pair("l2", "base")));
    let answers = bench.json(&check(&["--srdf", "row.srdf"]));
    assert_eq!((&answers[1]["colliding"], &answers[2]["colliding"]), (&json!(false), &json!(true)));
    let none =
        format!("<robot name='row'>{}{}{}</robot>", pair("l2", "base"), pair("hand", "base"), pair("hand", "l1"));
    bench.write("row.srdf", &none);
    let own = &bench.json(&check(&["--srdf", "row.srdf"]))[0];
    assert_eq!((&own["colliding"], &own["self"]["status"]), (&json!(false), &json!("beyond_max")));
    assert!(own["self"]["distance"].is_null() && own["self"]["lower"].is_null() && own["self"]["point_a"].is_null());
}

#[test]
fn range_tolerance_padding_and_margin_are_obeyed() {
    let bench = bench();
    let own = |more: &[&str]| bench.json(&check(more))[0].clone();
    let below = own(&["--min-d", "2"]);
    assert_eq!(below["self"]["status"], "below_min");
    assert!(below["self"]["distance"].as_f64().unwrap() <= 2.0);
    // Free is told only where it is proven, and unknown otherwise.
    let decided = below["self"]["lower"].as_f64().unwrap() > 0.0;
    assert_eq!(below["colliding"], if decided { json!(false) } else { Value::Null });
    let beyond = own(&["--max-d", "1"]);
    assert_eq!((&beyond["self"]["status"], &beyond["colliding"]), (&json!("beyond_max"), &json!(false)));
    assert!(
        beyond["self"]["distance"].is_null() && beyond["self"]["lower"] == 1.0 && beyond["self"]["link_a"].is_null()
    );
    let near = &own(&["--rel-err", "0.1"])["self"];
    let [lower, upper] = ["lower", "distance"].map(|name| near[name].as_f64().unwrap());
    assert!(lower <= 1.75 && 1.75 <= upper + 1e-12 && upper - lower <= 0.1 * upper + 1e-12, "{near}");
    assert!(close(&own(&["--padding", "0.25"])["self"]["distance"], 1.25));
    assert!(close(&own(&["--margin", "0.25"])["self"]["distance"], 1.5));
    let colliding = own(&["--padding", "0.9", "--margin", "0.01", "--query", "collide"]);
    assert_eq!(colliding["colliding"], true);
    assert!(bench.refused(&check(&["--query", "collide", "--max-d", "1"])).contains("--max-d"));
    assert!(bench.refused(&check(&["--padding=-1"])).contains("padding"));
    assert!(bench.refused(&check(&["--margin", "nan"])).contains("margin"));
}

#[test]
fn any_number_of_threads_gives_the_same_answers_in_the_same_order() {
    let bench = bench();
    let rows: String =
        (0..300).map(|i| f64::from(i) * 0.021).map(|t| format!("{},{},{}\n", t.sin(), 3.0 * t, -t)).collect();
    bench.write("q.csv", &format!("j3,j2,j1\n{rows}"));
    let more = ["--scene", "scene.json", "--robot-b", "row.urdf", "--base-b", "0 2 0.3 1 0 0 0", "--jobs"];
    let jobs = |count| bench.json(&check(&[&more[..], &[count]].concat()));
    let expected = jobs("1");
    assert_eq!(expected.len(), 300);
    assert!(expected.iter().any(|answer| answer["colliding"] == true));
    assert!(expected.iter().any(|answer| answer["colliding"] == false));
    for count in ["2", "0"] {
        assert_eq!(jobs(count), expected);
    }
}

#[test]
fn text_names_what_is_near_and_the_summary_goes_to_standard_error() {
    let bench = bench();
    let output = bench.run(&["check", "row.urdf", "--configs", "q.csv", "--scene", "scene.json"]);
    assert_eq!(output.status.code(), Some(0));
    let (text, summary) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].contains("self: 1.750000") && lines[0].contains("environment: 0.500000 (l1 – ball)"), "{text}");
    assert!(lines[1].contains("self: colliding ("), "{text}");
    assert!(summary.contains("3 configurations, 2 colliding"), "{summary}");
    let output = bench.run(&["check", "row.urdf", "--configs", "q.csv", "--query", "collide"]);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("     0  self: free\n"));
    let output = bench.run(&["check", "row.urdf", "--configs", "q.csv", "--max-d", "1"]);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("     0  self: beyond 1\n"));
}

#[test]
fn configurations_outside_of_the_limits_are_answered_and_noted() {
    let bench = bench();
    bench.write("q.csv", "j1\n0\n6.283185307179586\n");
    let output = bench.run(&check(&[]));
    let (text, notes) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((output.status.code(), text.lines().count()), (Some(0), 2));
    assert!(notes.contains("note: ") && notes.contains("j1") && notes.contains("limits"), "{notes}");
}

#[test]
fn bad_input_is_refused_with_one_line_before_any_answer() {
    let bench = bench();
    for (text, reason) in [
        ("j1,elbow\n0,0\n", "elbow"),
        ("j1,j1\n0,0\n", "j1"),
        ("j1\nx\n0\n", "line 2"),
        ("j1\nnan\n", "line 2"),
        ("j1,j2\n0\n", "q.csv"),
    ] {
        bench.write("q.csv", text);
        let message = bench.refused(&check(&[]));
        assert!(message.contains("q.csv") && message.contains(reason), "{text:?}: {message}");
    }
    bench.write("q.csv", CONFIGS);
    for (base, reason) in [("0 0 0 1 0 0", "7 numbers"), ("0 0 0 2 0 0 0", "length 2"), ("0 0 zero 1 0 0 0", "zero")] {
        let message = bench.refused(&check(&["--base", base]));
        assert!(message.contains("base") && message.contains(reason), "{message}");
    }
    assert!(bench.refused(&check(&["--environment"])).contains("--scene"));
    assert!(bench.refused(&check(&["--self", "--environment", "--scene", "scene.json"])).contains("--environment"));
    assert!(bench.refused(&check(&["--scene", "none.json"])).contains("none.json"));
    assert!(bench.refused(&check(&["--scene", "none.stl"])).contains("none.stl"));
    bench.write("scene.json", r#"{"objects":[{"name":"shelf","mesh":"none.obj"}]}"#);
    let message = bench.refused(&check(&["--scene", "scene.json"]));
    assert!(["scene.json", "object 0 'shelf'", "none.obj"].iter().all(|part| message.contains(part)), "{message}");
    assert!(bench.refused(&check(&["--srdf", "none.srdf"])).contains("none.srdf"));
    assert!(bench.refused(&["check", "none.urdf", "--configs", "q.csv"]).contains("none.urdf"));
    assert!(bench.refused(&["check", "row.urdf"]).contains("--configs"));
    std::fs::remove_file(bench.path("hand.off")).unwrap();
    let message = bench.refused(&check(&[]));
    assert!(message.contains("row.urdf") && message.contains("hand.off"), "{message}");
}

#[test]
fn a_mistake_is_one_line_also_where_there_would_be_notes() {
    let bench = bench();
    // The SRDF and the limits give notes; the scene is missing.
    bench.write("row.srdf", "<robot name='other'><disable_collisions link1='l2' link2='nobody'/></robot>");
    bench.write("q.csv", "j1\n6.283185307179586\n");
    assert!(bench.refused(&check(&["--srdf", "row.srdf", "--scene", "none.json"])).contains("none.json"));
}

#[test]
fn no_configurations_give_no_answers() {
    let bench = bench();
    bench.write("q.csv", "j1\n");
    assert!(bench.json(&check(&["--robot-b", "row.urdf"])).is_empty());
    assert!(bench.json(&check(&["--robot-b", "row.urdf", "--configs-b", "q.csv"])).is_empty());
}

#[test]
fn info_tells_what_a_robot_holds_and_what_is_wrong_with_it() {
    let bench = bench();
    let about = &bench.json(&["info", "row.urdf", "--json"])[0];
    let counts = ["links", "joints", "variables", "unlimited_variables", "geometries", "meshes", "triangles"];
    assert_eq!(counts.map(|key| about[key].as_u64().unwrap()), [4, 3, 3, 2, 4, 1, 12], "{about}");
    assert_eq!(about["notes"], json!([]));
    bench.write("hand.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    let text = String::from_utf8(bench.run(&["info", "row.urdf"]).stdout).unwrap();
    assert!(text.contains("row: 4 links, 3 joints, 3 variables"), "{text}");
    assert!(text.contains("note         link 'hand', geometry 0: not closed"), "{text}");
    let message = bench.refused(&["info", "row.urdf", "nothing.urdf"]);
    assert!(message.contains("nothing.urdf"), "{message}");
}

#[test]
fn hulls_of_links_are_asked_about_where_they_are_named_and_names_must_exist() {
    let bench = bench();
    bench.write("hand.off", PLATES);
    bench.write("one.csv", "j1\n0\n");
    // In the middle of the plates' cube, which is at x = 3.
    bench.write("grain.json", r#"{"objects":[{"name":"grain","pose":[3,0.25,0.25,1,0,0,0],"sphere":0.125}]}"#);
    let ask = |more: &[&'static str]| {
        let given = ["check", "row.urdf", "--configs", "one.csv", "--scene", "grain.json", "--json", "--environment"];
        given.iter().chain(more).copied().collect::<Vec<_>>()
    };
    for (more, colliding) in [
        (&[][..], false),
        (&["--hull", "hand"], true),
        (&["--hull", "l1", "--hull", "hand"], true),
        (&["--hull", "all"], true),
        (&["--hull", "l1"], false),
    ] {
        assert_eq!(bench.json(&ask(more))[0]["colliding"], colliding, "{more:?}");
    }
    let error = bench.refused(&ask(&["--hull", "hnad"]));
    assert!(error.contains("there is no link 'hnad'"), "{error}");
    bench.write("hand.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    let error = bench.refused(&ask(&["--hull", "hand"]));
    assert!(error.contains("link 'hand'") && error.contains("hand.off") && error.contains("one plane"), "{error}");
    let second = ["--robot-b", "row.urdf", "--base-b", "0 0 9 1 0 0 0"];
    bench.write("hand.off", PLATES);
    let with_b = ask(&[&second[..], &["--hull-b", "hand"]].concat());
    assert_eq!(bench.json(&with_b)[0]["colliding"], false);
    assert!(bench.refused(&ask(&[&second[..], &["--hull-b", "x"]].concat())).contains("no link 'x'"));
    bench.refused(&ask(&["--hull-b", "hand"]));
}

#[test]
fn a_motion_is_proven_segment_by_segment_or_its_first_contact_named() {
    let bench = bench();
    // Up to folded on base; turned aside; nothing; and past the wall's height, where nothing is.
    bench.write("way.csv", "j1,j2\n0,0\n3.141592653589793,0\n0,0\n0.5,0.25\n0.5,0.25\n");
    let answers = bench.json(&["check", "row.urdf", "--motion", "way.csv", "--json", "--scene", "scene.json"]);
    assert_eq!(answers.len(), 4);
    for (i, answer) in answers.iter().enumerate() {
        let expected = ["i", "colliding", "margin", "t_lower", "t_upper", "gap", "with", "link_a", "link_b", "proven"];
        assert_eq!((keys(answer), &answer["i"]), ([&expected[..], &["clearance"]].concat(), &json!(i)));
        assert!(answer["clearance"].is_null());
    }
    // l2 turns about (1, 0) at distance 1 towards base, whose vertex is at (0.125, ±0.125).
    let number = |i: usize, name: &str| answers[i][name].as_f64().unwrap();
    assert_eq!((&answers[0]["colliding"], &answers[0]["with"]), (&json!(true), &json!("self")));
    let mut links = ["link_a", "link_b"].map(|name| answers[0][name].as_str().unwrap());
    links.sort_unstable();
    assert_eq!(links, ["base", "l2"]);
    assert!(number(0, "t_lower") > 0.85 && number(0, "t_upper") < 0.95, "{}", answers[0]);
    assert!(number(0, "t_upper") - number(0, "t_lower") < 1e-4, "{}", answers[0]);
    // Backwards it starts in contact.
    assert_eq!((number(1, "t_lower"), number(1, "t_upper")), (0.0, 0.0));
    for i in [2, 3] {
        assert_eq!((&answers[i]["colliding"], &answers[i]["gap"]), (&json!(false), &Value::Null));
        assert!(number(i, "margin") > 0.0);
    }
}

#[test]
fn a_motion_that_takes_too_many_evaluations_is_undecided_and_says_what_is_proven() {
    let bench = bench();
    bench.write("way.csv", "j1,j2\n0,0\n2.5,0.25\n");
    let ask = |most: &str| {
        let arguments =
            ["check", "row.urdf", "--motion", "way.csv", "--json", "--scene", "scene.json", "--max-evaluations"];
        bench.json(&[&arguments[..], &[most]].concat()).remove(0)
    };
    let answer = ask("1");
    assert_eq!(
        (&answer["colliding"], &answer["margin"], &answer["t_upper"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!((answer["t_lower"].as_f64(), answer["proven"].as_f64()), (Some(0.0), Some(0.0)));
    let answer = ask("100000");
    assert_eq!((&answer["colliding"], &answer["proven"]), (&json!(false), &Value::Null));
}

#[test]
fn a_spline_through_equal_steps_is_the_straight_motion_and_through_others_it_is_not() {
    let bench = bench();
    let ask = |file: &str, spline: bool| {
        let arguments = ["check", "row.urdf", "--motion", file, "--json", "--scene", "scene.json", "--spline"];
        bench.json(&arguments[..arguments.len() - usize::from(!spline)])
    };
    bench.write("line.csv", "j1,j2\n0,0\n1,0\n2,0\n3,0\n");
    let (straight, curved) = (ask("line.csv", false), ask("line.csv", true));
    assert_eq!(straight.len(), 3);
    for (a, b) in straight.iter().zip(&curved) {
        assert_eq!((&a["colliding"], &a["link_a"], &a["link_b"]), (&b["colliding"], &b["link_a"], &b["link_b"]));
        for name in ["t_lower", "t_upper", "margin"] {
            let [a, b] = [a, b].map(|answer| answer[name].as_f64().unwrap_or(-1.0));
            assert!((a - b).abs() < 1e-4, "{name}: {a} {b}");
        }
    }
    assert_eq!(straight[2]["colliding"], json!(true), "the arm folds onto its base");
    // Fast through the second waypoint, the curve overshoots before it comes to the third: the
    // contact is there, and not on the straight way.
    bench.write("turn.csv", "j1,j2\n-2,0\n2.6,0\n2.6,0.001\n");
    let overshoot = [ask("turn.csv", false), ask("turn.csv", true)].map(|answers| answers[1]["colliding"].clone());
    assert_eq!(overshoot, [json!(false), json!(true)]);
    assert!(bench.refused(&["check", "row.urdf", "--configs", "q.csv", "--spline"]).contains("--configs"));
    assert!(bench.refused(&["check", "row.urdf", "--spline"]).contains("--motion"));
}

#[test]
fn a_motion_of_one_waypoint_and_options_that_are_not_for_motions_are_refused() {
    let bench = bench();
    bench.write("one.csv", "j1\n0\n");
    let refused = |arguments: &[&str], words: &[&str]| {
        let message = bench.refused(arguments);
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    };
    refused(&["check", "row.urdf", "--motion", "one.csv", "--json"], &["one.csv", "two waypoints"]);
    refused(&["check", "row.urdf", "--motion", "q.csv", "--max-d", "1"], &["--max-d"]);
    refused(&["check", "row.urdf", "--motion", "q.csv", "--configs", "q.csv"], &["--configs"]);
    refused(&["check", "row.urdf"], &["--configs"]);
}

#[test]
fn numbers_and_folders_that_make_no_sense_are_refused() {
    let bench = bench();
    let motion = |more: &[&'static str]| {
        ["check", "row.urdf", "--motion", "q.csv", "--json"].iter().chain(more).copied().collect::<Vec<_>>()
    };
    for tolerance in ["--tolerance=-1", "--tolerance=0", "--tolerance=nan", "--tolerance=inf"] {
        let message = bench.refused(&motion(&[tolerance]));
        assert!(message.contains("--tolerance") && message.contains("above 0"), "{message}");
    }
    assert!(bench.refused(&motion(&["--max-evaluations", "0"])).contains("--max-evaluations"));
    for option in ["--padding=inf", "--padding=nan", "--margin=-1", "--margin=inf"] {
        let message = bench.refused(&check(&[option]));
        assert!(message.contains(&option[2..8]), "{message}");
    }
    // A pool of so many threads took minutes to come to nothing.
    assert!(bench.refused(&check(&["--jobs", "100000000"])).contains("--jobs"));
    assert!(bench.refused(&check(&["--package", "nowhere"])).contains("nowhere"));
    assert!(bench.refused(&check(&["--package", "row.urdf"])).contains("row.urdf"));
}

#[test]
fn a_urdf_is_no_srdf_and_other_files_are_none_either() {
    let bench = bench();
    let message = bench.refused(&check(&["--srdf", "row.urdf"]));
    assert!(["row.urdf", "line 2", "<link>", "URDF"].iter().all(|part| message.contains(part)), "{message}");
    bench.write("other.srdf", "<sdf version='1.6'><model name='row'/></sdf>");
    assert!(bench.refused(&check(&["--srdf", "other.srdf"])).contains("<sdf>"));
    let second = ["--robot-b", "row.urdf", "--base-b", "0 0 9 1 0 0 0", "--srdf-b", "row.urdf"];
    assert!(bench.refused(&check(&second)).contains("URDF"));
    // What an SRDF says that nobody understands is noted.
    bench.write("odd.srdf", "<robot name='row'><disable_colisions link1='base' link2='l2'/></robot>");
    let notes = String::from_utf8(bench.run(&check(&["--srdf", "odd.srdf"])).stderr).unwrap();
    assert!(notes.contains("odd.srdf") && notes.contains("disable_colisions"), "{notes}");
    // And an SRDF is no robot.
    bench.write("empty.srdf", "<robot name='row'><disable_collisions link1='base' link2='l2'/></robot>");
    assert!(bench.refused(&["check", "empty.srdf", "--configs", "q.csv"]).contains("empty.srdf"));
}

#[test]
fn a_bad_row_ends_the_run_after_all_earlier_answers() {
    let bench = bench();
    let expected = bench.json(&check(&[]));
    for (row, reason) in [("x,0", "\"x\" is not a number"), ("0", "1 fields"), ("inf,0", "not finite")] {
        bench.write("q.csv", &format!("{CONFIGS}\n{row}\n0,0\n"));
        let (answers, message) = bench.broken_off(&check(&[]));
        assert_eq!(answers, expected);
        assert!(message.contains("q.csv: line 6: ") && message.contains(reason), "{message}");
        assert_eq!(message.trim_end().lines().count(), 1, "{message}");
    }
    bench.write("way.csv", "j1\n0\n0.5\n1\nx\n");
    for spline in [&[][..], &["--spline"]] {
        let motion = [&["check", "row.urdf", "--motion", "way.csv", "--json"], spline].concat();
        let (answers, message) = bench.broken_off(&motion);
        // Of a spline the last segment is not known without the waypoint after it.
        assert_eq!(answers.len(), 2 - spline.len());
        assert!(message.contains("way.csv: line 5: "), "{message}");
    }
}

#[test]
fn a_dash_reads_rows_from_standard_input() {
    let bench = bench();
    let ask = |arguments: &[&str], input: &str| {
        let output = bench.run_with_input(arguments, input);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let from_file = |arguments: &[&str]| String::from_utf8(bench.run(arguments).stdout).unwrap();
    let given = ["check", "row.urdf", "--configs", "-", "--json"];
    assert_eq!(ask(&given, CONFIGS), from_file(&check(&[])));
    bench.write("way.csv", "j1,j2\n0,0\n3.141592653589793,0\n0,0\n0.5,0.25\n");
    let motion = |file| ["check", "row.urdf", "--motion", file, "--spline"];
    let text = std::fs::read_to_string(bench.path("way.csv")).unwrap();
    assert_eq!(ask(&motion("-"), &text), from_file(&motion("way.csv")));
    let second = |file| check(&["--robot-b", "row.urdf", "--base-b", "0 0.5 0 1 0 0 0", "--configs-b", file]);
    assert_eq!(ask(&second("-"), CONFIGS), from_file(&second("q.csv")));
    let twice = ["check", "row.urdf", "--configs", "-", "--robot-b", "row.urdf", "--configs-b", "-"];
    assert!(bench.refused(&twice).contains("standard input"));
    let output = bench.run_with_input(&given, "j1\n0\nx\n");
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && message.contains("standard input: line 3: "), "{message}");
}

#[test]
fn an_answer_comes_as_soon_as_its_row_is_there() {
    let bench = bench();
    for (option, jobs) in [("--configs", "1"), ("--configs", "2"), ("--motion", "1")] {
        let mut talk = bench.start(&["check", "row.urdf", option, "-", "--json", "--jobs", jobs]);
        talk.say("j1,j2\n0,0\n");
        if option == "--motion" {
            talk.say("0.25,0\n");
        }
        for i in 0..3 {
            let answer: Value = serde_json::from_str(&talk.hear()).unwrap();
            assert_eq!((&answer["i"], &answer["colliding"]), (&json!(i), &json!(false)));
            talk.say("0.5,0\n");
        }
        let (code, rest) = talk.end();
        assert_eq!((code, rest.lines().count()), (Some(0), 1));
    }
}

#[test]
fn answers_do_not_depend_on_how_rows_come_in() {
    let bench = bench();
    let rows: Vec<String> =
        (0..200).map(|i| f64::from(i) * 0.021).map(|t| format!("{},{},{}\n", t.sin(), 3.0 * t, -t)).collect();
    bench.write("q.csv", &format!("j3,j2,j1\n{}", rows.concat()));
    for (option, count) in [("--configs", 200), ("--motion", 199)] {
        let arguments = |file| ["check", "row.urdf", option, file, "--scene", "scene.json", "--json", "--jobs", "2"];
        let whole = String::from_utf8(bench.run(&arguments("q.csv")).stdout).unwrap();
        assert_eq!(whole.lines().count(), count);
        let mut talk = bench.start(&arguments("-"));
        talk.say("j3,j2,j1\n");
        let mut heard = String::new();
        for (i, rows) in rows.chunks(7).enumerate() {
            // In the middle of rows, too.
            let (text, cut) = (rows.concat(), 11 + i);
            talk.say(&text[..cut]);
            talk.say(&text[cut..]);
            let first = i == 0 && option == "--motion";
            (0..rows.len() - usize::from(first)).for_each(|_| heard += &talk.hear());
        }
        assert_eq!(talk.end(), (Some(0), String::new()));
        assert_eq!(heard, whole);
    }
}

#[test]
fn a_reader_that_stops_reading_ends_the_run_quietly() {
    let bench = bench();
    let rows: String = (0..20_000).map(|i| format!("{}\n", f64::from(i) * 1e-4)).collect();
    bench.write("q.csv", &format!("j1\n{rows}"));
    for option in ["--configs", "--motion"] {
        let mut talk = bench.start(&["check", "row.urdf", option, "q.csv", "--json"]);
        assert!(talk.hear().starts_with("{\"i\":0,"));
        let (code, errors) = talk.stop_reading();
        assert_eq!((code, errors.as_str()), (Some(0), ""));
    }
}

#[test]
fn a_collision_free_motion_says_so_and_tells_its_clearance_on_demand() {
    let bench = bench();
    // l1 passes below the sphere, 0.5 away at the start; the second segment collides.
    bench.write("way.csv", "j1,j2\n0,0\n0.5,0.25\n3.141592653589793,0\n");
    let arguments = ["check", "row.urdf", "--motion", "way.csv", "--scene", "scene.json", "--json", "--clearance"];
    let text = |count: usize| String::from_utf8(bench.run(&arguments[..count]).stdout).unwrap();
    assert_eq!(text(6).lines().next(), Some("     0  collision-free (proven)"));
    let answers = bench.json(&arguments);
    let found = &answers[0]["clearance"];
    assert_eq!(keys(found), ["lower", "upper", "t", "with", "link_a", "link_b"]);
    let [lower, upper] = ["lower", "upper"].map(|name| found[name].as_f64().unwrap());
    assert!(lower <= 0.5 && upper >= 0.5 - 1e-9 && upper - lower <= 0.01 * upper && lower > 0.49, "{found}");
    assert_eq!(
        (&found["with"], &found["link_a"], &found["link_b"]),
        (&json!("environment"), &json!("l1"), &json!("ball"))
    );
    assert_eq!((&answers[1]["colliding"], &answers[1]["clearance"]), (&json!(true), &Value::Null));
    let coarse = bench.json(&[&arguments[..], &["--rel-err", "0.5"]].concat());
    assert!(coarse[0]["clearance"]["lower"].as_f64().unwrap() <= 0.5);
    let plain = [&arguments[..6], &arguments[7..]].concat();
    let line = String::from_utf8(bench.run(&plain).stdout).unwrap();
    assert!(line.starts_with("     0  collision-free (proven); clearance at least 0.4"), "{line}");
    let alone = ["check", "row.urdf", "--motion", "way.csv", "--environment", "--scene", "none.json", "--clearance"];
    bench.write("none.json", r#"{"objects":[]}"#);
    let line = String::from_utf8(bench.run(&alone).stdout).unwrap();
    assert!(line.starts_with("     0  collision-free (proven); nothing to come near to"), "{line}");
    for (more, word) in [(["--rel-err", "0"], "--rel-err"), (["--max-d", "1"], "--max-d")] {
        assert!(bench.refused(&[&arguments[..], &more].concat()).contains(word));
    }
    assert!(bench.refused(&check(&["--clearance"])).contains("--clearance"));
}

#[test]
fn proofs_are_made_once_kept_beside_the_robot_and_change_no_answer() {
    let bench = bench();
    let gaps = || {
        let entries = std::fs::read_dir(bench.path(".")).unwrap().map(|entry| entry.unwrap().path());
        let mut found: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "gaps")).collect();
        found.sort();
        found
    };
    let ask = |more: &[&'static str]| {
        let output = bench.run(&check(&[&["--prove"], more].concat()));
        let (text, notes) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        assert_eq!(output.status.code(), Some(0), "{notes}");
        (text, notes)
    };
    let expected = String::from_utf8(bench.run(&check(&[])).stdout).unwrap();
    let (text, notes) = ask(&[]);
    assert_eq!(text, expected);
    let found = gaps();
    let [file] = &found[..] else { panic!("{found:?}") };
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(name.starts_with("row-") && notes.contains(&format!("proofs kept in {name}")), "{notes}");
    let (text, notes) = ask(&["--jobs", "2"]);
    assert!(text == expected && notes.contains(&format!("proofs read from {name}")), "{notes}");
    // Damage is noted, and mended.
    let right = std::fs::read(file).unwrap();
    std::fs::write(file, &right[..right.len() / 2]).unwrap();
    let (text, notes) = ask(&[]);
    assert!(text == expected && notes.contains("proven again") && notes.contains("proofs kept in"), "{notes}");
    assert_eq!(std::fs::read(file).unwrap(), right);
    // Another robot has other proofs: those of the first are not used, also under their name.
    bench.write("hand.off", &cube_off(0.125));
    let expected = String::from_utf8(bench.run(&check(&[])).stdout).unwrap();
    assert_eq!(ask(&[]).0, expected);
    let both = gaps();
    let [first, second] = &both[..] else { panic!("{both:?}") };
    std::fs::write(if first == file { second } else { first }, &right).unwrap();
    let (text, notes) = ask(&[]);
    assert!(text == expected && notes.contains("another robot") && notes.contains("proven again"), "{notes}");
    // Elsewhere; and where nothing can be written it goes on without.
    std::fs::create_dir(bench.path("cache")).unwrap();
    assert!(ask(&["--prove-cache", "cache"]).1.contains("cache/row-"));
    let kept = std::fs::read_dir(bench.path("cache")).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(&kept).unwrap();
    std::fs::create_dir_all(kept.join("full")).unwrap();
    let (text, notes) = ask(&["--prove-cache", "cache"]);
    assert!(text == expected && notes.contains("not kept"), "{notes}");
    assert!(bench.refused(&check(&["--prove", "--prove-cache", "nowhere"])).contains("nowhere"));
    assert!(bench.refused(&check(&["--prove-cache", "cache"])).contains("--prove"));
    let motion = ["check", "row.urdf", "--motion", "q.csv", "--prove"];
    assert_eq!(bench.run(&motion).status.code(), Some(0));
}

#[test]
fn near_lists_every_pair_below_the_distance_with_its_row() {
    let bench = bench();
    // Stretched, base and l2 are 1.75 apart, l1 and the hand 1.84375; the ball is 0.5 above l1.
    bench.write("q.csv", "j1,j2,j3\n0,0,0\n0,3.141592653589793,0.2\n");
    let near = |more: &[&str]| bench.json(&check(&[&["--query", "near"], more].concat()));
    let answers = near(&["--scene", "scene.json", "--max-d", "1.8", "--gradient"]);
    assert_eq!(keys(&answers[0]), ["i", "near"]);
    let list = answers[0]["near"].as_array().unwrap();
    let names: Vec<[&str; 3]> = list.iter().map(|p| ["kind", "a", "b"].map(|key| p[key].as_str().unwrap())).collect();
    let scene = |link| ["scene", link, "ball"];
    assert_eq!(names, [["self", "base", "l2"], scene("base"), scene("l1"), scene("l2"), scene("hand")]);
    let mut fields = keys(&list[0]);
    fields.sort_unstable();
    let expected =
        ["a", "b", "gradient", "kind", "lower", "normal", "point_a", "point_b", "signed", "status", "unique", "upper"];
    assert_eq!(fields, expected);
    // Faces are parallel: the turn of l2 about j1 is a kink, and the list says so.
    assert!(close(&list[0]["signed"], 1.75) && list[0]["unique"] == json!(false), "{}", list[0]);
    assert_eq!(list[0]["gradient"].as_array().unwrap().len(), 3);
    assert!(close(&list[2]["signed"], 0.5) && close(&list[2]["normal"][2], 1.0) && list[2]["unique"] == json!(true));
    // Folded, the hand lies in l1: its mesh is a surface, which has a bound that says so.
    let folded = answers[1]["near"].as_array().unwrap();
    let deep = folded.iter().find(|pair| pair["a"] == "l1" && pair["b"] == "hand").unwrap();
    assert!(deep["signed"].as_f64().unwrap() < 0.0 && deep["status"] == "inexact", "{deep}");
    // Without --gradient there is none, and --self and --environment take their part.
    let own = near(&["--scene", "scene.json", "--max-d", "1.8", "--self"]);
    assert!(own[0]["near"].as_array().unwrap().len() == 1 && own[0]["near"][0].get("gradient").is_none());
    assert_eq!(
        near(&["--scene", "scene.json", "--max-d", "1.8", "--environment"])[0]["near"].as_array().unwrap().len(),
        4
    );
    assert_eq!(near(&["--max-d", "1"])[0]["near"], json!([]));
}

#[test]
fn near_pairs_of_two_robots_have_a_row_for_each() {
    let bench = bench();
    let arguments =
        ["--query", "near", "--max-d", "0.3", "--gradient", "--robot-b", "row.urdf", "--base-b", "0 0.5 0 1 0 0 0"];
    let answers = bench.json(&check(&arguments));
    let robots: Vec<&Value> =
        answers[0]["near"].as_array().unwrap().iter().filter(|pair| pair["kind"] == "robot_b").collect();
    assert!(robots.len() >= 3 && robots.iter().all(|pair| pair["gradient_b"].as_array().unwrap().len() == 3));
    let l1 = robots.iter().find(|pair| pair["a"] == "l1" && pair["b"] == "l1").unwrap();
    assert!(close(&l1["signed"], 0.25) && close(&l1["normal"][1], 1.0), "{l1}");
}

#[test]
fn options_that_near_cannot_use_are_refused() {
    let bench = bench();
    let refused = |more: &[&str]| bench.refused(&check(more));
    assert!(refused(&["--query", "near"]).contains("--max-d"));
    assert!(refused(&["--query", "near", "--max-d", "1", "--rel-err", "0.1"]).contains("--rel-err"));
    assert!(refused(&["--query", "near", "--max-d", "1", "--pairs", "all"]).contains("--pairs"));
    assert!(refused(&["--query", "near", "--max-d", "-1"]).contains("--max-d"));
    assert!(refused(&["--gradient"]).contains("--gradient"));
}
