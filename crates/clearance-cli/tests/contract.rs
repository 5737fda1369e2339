//! The command line's contract: what scripts rely on. Runs the built binary on files that it writes
//! itself.

mod bench;

use bench::Workbench;
use serde_json::Value;
use std::path::Path;

const PAIR: [&str; 6] = ["pair", "big.off", "small.off", "--poses", "poses.csv", "--json"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    PAIR.iter().chain(more).copied().collect()
}

#[test]
fn distance_prints_one_object_per_pose_with_the_contracted_fields() {
    let answers = Workbench::new().json(&PAIR);
    assert_eq!(answers.len(), 3);
    let keys: Vec<&String> = answers[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["i", "colliding", "distance", "lower", "status", "point_a", "point_b", "leaf_a", "leaf_b"]);
    assert_eq!(answers[0]["colliding"], false);
    assert!((answers[0]["distance"].as_f64().unwrap() - 1.75).abs() < 1e-12);
    assert_eq!(answers[0]["status"], "exact");
    assert_eq!(answers[0]["point_a"].as_array().unwrap().len(), 3);
    assert_eq!((&answers[1]["colliding"], &answers[1]["distance"]), (&Value::from(true), &Value::from(0.0)));
    // The small cube floats inside of the big one's surface.
    assert_eq!(answers[2]["colliding"], false);
    assert!((answers[2]["distance"].as_f64().unwrap() - 0.75).abs() < 1e-12);
}

#[test]
fn a_solid_contains_and_has_no_leaves() {
    let answers = Workbench::new().json(&with(&["--solid-a"]));
    assert_eq!(answers[2]["colliding"], true);
    assert_eq!(answers[2]["distance"], 0.0);
    assert_eq!((&answers[2]["leaf_a"], &answers[2]["leaf_b"]), (&Value::Null, &Value::Null));
}

#[test]
fn whether_meshes_collide_is_decided_where_the_distance_is_lost_in_rounding() {
    let bench = Workbench::new();
    let face = |x: f64| format!("OFF\n3 1 0\n{x:?} 0 0\n{x:?} 1 0\n{x:?} 0 1\n3 0 1 2\n");
    // A few units of the last place apart.
    bench.write("near.off", &face(1048576.5));
    bench.write("far.off", &face(1048576.500000001));
    let answer = &bench.json(&["pair", "near.off", "far.off", "--json"])[0];
    assert_eq!((&answer["colliding"], answer["lower"].as_f64()), (&Value::from(false), Some(0.0)), "{answer}");
}

#[test]
fn range_and_tolerance_show_in_the_status() {
    let bench = Workbench::new();
    let beyond = &bench.json(&with(&["--max-d", "0.5"]))[0];
    assert_eq!(beyond["status"], "beyond_max");
    assert!(beyond["distance"].is_null() && beyond["point_a"].is_null() && beyond["lower"] == 0.5);
    let below = &bench.json(&with(&["--min-d", "2"]))[0];
    assert_eq!(below["status"], "below_min");
    assert!(below["distance"].as_f64().unwrap() <= 2.0);
    let tolerance = &bench.json(&with(&["--rel-err", "0.1"]))[0];
    assert_eq!(tolerance["status"], "tolerance");
    let (lower, upper) = (tolerance["lower"].as_f64().unwrap(), tolerance["distance"].as_f64().unwrap());
    assert!(lower <= 1.75 && 1.75 <= upper && upper - lower <= 0.1 * upper + 1e-12);
}

#[test]
fn a_gradient_is_that_of_the_distance_by_the_pose_of_b() {
    let bench = Workbench::new();
    // A vertex of the small cube points at the big one's face: the nearest points are the only ones.
    bench.write("tilted.csv", "x,y,z,qw,qx,qy,qz\n3,0.1,0.2,0.9,0.1,0.3,0.3\n0.9,0,0,1,0,0,0\n3,0,0,1,0,0,0\n");
    let tilted = ["pair", "big.off", "small.off", "--poses", "tilted.csv", "--json", "--gradient"];
    let answers = bench.json(&tilted);
    let gradient: Vec<f64> = answers[0]["gradient"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
    assert!(gradient.len() == 6 && (gradient[0] - 1.0).abs() < 1e-12, "{gradient:?}");
    assert_eq!(answers[0]["unique"], true);
    // The same by moving the vertex: its arm from the origin of B, times the normal.
    let arm = |k: usize| answers[0]["point_b"][k].as_f64().unwrap() - [3.0, 0.1, 0.2][k];
    for (found, expected) in gradient[3..].iter().zip([0.0, arm(2), -arm(1)]) {
        assert!((found - expected).abs() < 1e-12, "{gradient:?}");
    }
    assert!(answers[1]["gradient"].is_null() && answers[1]["unique"].is_null(), "they overlap");
    assert_eq!(answers[2]["unique"], false, "faces are parallel");
    assert!(answers[2]["gradient"].is_array());
    assert!(bench.refused(&with(&["--gradient", "--query", "collide"])).contains("--gradient"));
}

#[test]
fn collide_and_contacts_print_their_fields() {
    let bench = Workbench::new();
    let answers = bench.json(&with(&["--query", "collide"]));
    let keys: Vec<&String> = answers[1].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["i", "colliding", "leaf_a", "leaf_b"]);
    assert!(answers[1]["leaf_a"].is_u64() && answers[0]["leaf_a"].is_null());
    let answers = bench.json(&with(&["--query", "contacts", "--max-contacts", "4"]));
    assert_eq!(answers[1]["contacts"].as_array().unwrap().len(), 4);
    let contact = &answers[1]["contacts"][0];
    assert!(contact["leaf_a"].is_u64() && contact["points"][0].as_array().unwrap().len() == 3);
    assert!(answers[0]["contacts"].as_array().unwrap().is_empty());
}

#[test]
fn signed_distances_are_negative_inside_and_need_solids() {
    let bench = Workbench::new();
    let answers = bench.json(&with(&["--query", "signed", "--solid-a", "--solid-b"]));
    let keys: Vec<&String> = answers[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["i", "signed", "lower", "upper", "normal", "point_a", "point_b", "status"]);
    assert!((answers[0]["signed"].as_f64().unwrap() - 1.75).abs() < 1e-12);
    for answer in &answers {
        let [lower, signed, upper] = ["lower", "signed", "upper"].map(|key| answer[key].as_f64().unwrap());
        assert!(lower <= signed && signed <= upper, "{answer}");
    }
    // The small cube touches or overlaps the big one, then lies inside of it: 0.75 from its surface, and
    // 0.5 thick.
    assert!(answers[1]["signed"].as_f64().unwrap() <= 0.0);
    let [lower, upper] = ["lower", "upper"].map(|key| answers[2][key].as_f64().unwrap());
    assert!(lower <= -1.25 && -1.25 <= upper && upper - lower < 0.01, "{}", answers[2]);
    let refused = bench.refused(&with(&["--query", "signed", "--solid-a"]));
    assert!(refused.contains("second mesh") && refused.contains("--solid-b"), "{refused}");
}

#[test]
fn a_signed_distance_has_a_gradient_apart_and_in_overlap() {
    let bench = Workbench::new();
    let places = [[3.0, 0.1, 0.2], [1.1, 0.1, 0.2]];
    bench.write("tilted.csv", "x,y,z,qw,qx,qy,qz\n3,0.1,0.2,0.9,0.1,0.3,0.3\n1.1,0.1,0.2,1,0,0,0\n");
    let ask = |query: &'static str| {
        let of_pair =
            ["pair", "big.off", "small.off", "--poses", "tilted.csv", "--json", "--gradient", "--query", query];
        bench.json(&[&of_pair[..], &["--solid-a", "--solid-b"]].concat())
    };
    let answers = ask("signed");
    let row = |value: &Value| value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect::<Vec<f64>>();
    for (answer, place) in answers.iter().zip(places) {
        let (gradient, normal, point) = (row(&answer["gradient"]), row(&answer["normal"]), row(&answer["point_b"]));
        assert!(gradient.len() == 6 && gradient[0] > 0.99, "{answer}");
        // By the translation it is the normal, by the rotation about B's origin the arm times that.
        let arm: Vec<f64> = point.iter().zip(place).map(|(x, origin)| x - origin).collect();
        let cross = |i: usize, j: usize| arm[i] * normal[j] - arm[j] * normal[i];
        let expected = [normal[0], normal[1], normal[2], cross(1, 2), cross(2, 0), cross(0, 1)];
        assert!(gradient.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-9), "{answer}");
    }
    assert!(answers[0]["signed"].as_f64() > Some(0.0) && answers[1]["signed"].as_f64() < Some(0.0), "{answers:?}");
    let apart = row(&ask("distance")[0]["gradient"]);
    assert!(apart.iter().zip(row(&answers[0]["gradient"])).all(|(x, y)| (x - y).abs() < 1e-9), "{apart:?}");
}

#[test]
fn a_limit_on_contacts_leaves_the_verdict_alone() {
    let bench = Workbench::new();
    for more in [&["--max-contacts", "0"][..], &["--max-contacts", "0", "--margin", "5"]] {
        let answers = bench.json(&with(&[&["--query", "contacts"], more].concat()));
        let colliding: Vec<&Value> = answers.iter().map(|answer| &answer["colliding"]).collect();
        assert_eq!(colliding, [&Value::from(false), &Value::from(true), &Value::from(false)], "{more:?}");
        assert!(answers.iter().all(|answer| answer["contacts"].as_array().unwrap().is_empty()));
    }
}

#[test]
fn without_poses_there_is_one_query_with_both_as_they_are() {
    let bench = Workbench::new();
    let answers = bench.json(&["pair", "big.off", "small.off", "--json"]);
    let at_identity = &bench.json(&PAIR)[2];
    assert_eq!(answers.len(), 1);
    assert_eq!((&answers[0]["i"], &answers[0]["distance"]), (&Value::from(0), &at_identity["distance"]));
}

#[test]
fn text_shows_points_triangles_and_contacts() {
    let bench = Workbench::new();
    let lines = |more: &[&str]| -> Vec<String> {
        let arguments = [&["pair", "big.off", "small.off", "--poses", "poses.csv"], more].concat();
        let text = String::from_utf8(bench.run(&arguments).stdout).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let distances = lines(&[]);
    assert!(distances[0].contains("distance 1.75") && distances[0].contains("[1, "), "{distances:?}");
    assert!(distances[0].contains(" – [2.75, ") && distances[0].contains(", triangles "), "{distances:?}");
    assert!(distances[1].contains("colliding at [1, ") && distances[1].contains(", triangles "), "{distances:?}");
    let contacts = lines(&["--query", "contacts", "--max-contacts", "2"]);
    assert_eq!((contacts[0].trim(), contacts[1].trim()), ("0  free, 0 contacts", "1  colliding, 2 contacts or more"));
    assert!(contacts[2].trim().starts_with("triangles ") && contacts[3].contains(", normal ["), "{contacts:?}");
    let contained = lines(&["--query", "contacts", "--solid-a"]);
    assert!(contained.last().unwrap().contains("colliding, 0 contacts, one inside of the other at ["), "{contained:?}");
}

#[test]
fn huge_coordinates_leave_room_for_the_reason() {
    let bench = Workbench::new();
    bench.write("huge.obj", "v 1e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let message = bench.refused(&["info", "huge.obj"]);
    assert_eq!(message.trim_end(), "error: huge.obj: line 1: 1e300 is beyond 1e100 (the x of a vertex)");
    bench.write("large.obj", "v 1e90 0 0\nv 1 0 0\nv 0 1e-30 0\nf 1 2 3\n");
    let text = String::from_utf8(bench.run(&["info", "large.obj"]).stdout).unwrap();
    assert!(text.contains("box          [0, 0, 0] to [1e90, 1e-30, 0]"), "{text}");
}

#[test]
fn every_volume_and_number_of_threads_gives_the_same_answers() {
    let bench = Workbench::new();
    let mut poses = String::from("qz,x,qw,y,qx,z,qy\n");
    for i in 0..300 {
        let t = f64::from(i) * 0.02;
        poses += &format!("{},{},{},{},0,{},0\n", t.sin(), 2.5 * t.cos(), t.cos(), t, 0.3 * t);
    }
    bench.write("poses.csv", &poses);
    let expected = bench.json(&PAIR);
    assert_eq!(expected, bench.json(&with(&["--jobs", "2"])));
    for volume in ["auto", "sphere", "aabb", "obb", "rss", "kdop16", "kdop18", "kdop24", "kios"] {
        for (a, b) in expected.iter().zip(&bench.json(&with(&["--volume", volume]))) {
            assert_eq!(a["colliding"], b["colliding"], "{volume}");
            let [x, y] = [a, b].map(|answer| answer["distance"].as_f64().unwrap());
            assert!((x - y).abs() < 1e-12, "{volume}: {x} {y}");
        }
    }
}

#[test]
fn bad_poses_are_refused_with_file_line_and_reason_before_any_answer() {
    let bench = Workbench::new();
    let cases = [
        ("x,y,z,qw,qx,qy\n", "qz is missing"),
        ("x,y,z,qw,qx,qy,qz,w\n", "unknown column \"w\""),
        ("x,x,z,qw,qx,qy,qz\n", "x is there twice"),
        (
            "0,0,0,1,0,0,0\n",
            "line 1: the header is missing: before these numbers must stand a line with the names of the columns, x,y,z,qw,qx,qy,qz",
        ),
        ("1,2,3,4,5,6,7\n", "line 1: the header is missing"),
        ("1e300,0,0,1,0,0,0\n", "the header is missing"),
        ("x,y,z,qw,qx,qy,qz\n\n0,0,zero,1,0,0,0\n", "line 3: column z: \"zero\" is not a number"),
        ("x,y,z,qw,qx,qy,qz\n0,0,nan,1,0,0,0\n", "not finite"),
        ("x,y,z,qw,qx,qy,qz\n0,0,0,1.1,0,0,0\n", "length 1.1"),
        ("x,y,z,qw,qx,qy,qz\n0,0,0,1,0,0\n", "fields"),
    ];
    for (text, reason) in cases {
        bench.write("poses.csv", text);
        let message = bench.refused(&PAIR);
        assert!(message.contains(reason) && message.contains("poses.csv"), "{text:?}: {message}");
    }
    std::fs::remove_file(bench.path("poses.csv")).unwrap();
    assert!(bench.refused(&PAIR).contains("poses.csv"));
}

#[test]
fn poses_are_answered_as_they_come_until_a_bad_one() {
    let bench = Workbench::new();
    let expected = bench.json(&PAIR);
    let text = std::fs::read_to_string(bench.path("poses.csv")).unwrap();
    bench.write("poses.csv", &format!("{text}0,0,0,1.1,0,0,0\n0,0,0,1,0,0,0\n"));
    let (answers, message) = bench.broken_off(&PAIR);
    assert_eq!(answers, expected);
    assert!(message.contains("poses.csv: line 5: ") && message.contains("length 1.1"), "{message}");
    let mut talk = bench.start(&["pair", "big.off", "small.off", "--poses", "-", "--json"]);
    let mut lines = text.lines().map(|line| format!("{line}\n"));
    talk.say(&lines.next().unwrap());
    for (line, answer) in lines.zip(&expected) {
        talk.say(&line);
        assert_eq!(serde_json::from_str::<Value>(&talk.hear()).unwrap(), *answer);
    }
    assert_eq!(talk.end(), (Some(0), String::new()));
}

#[test]
fn bad_files_and_options_are_refused_with_one_line() {
    let bench = Workbench::new();
    let broken = bench.write("broken.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 7\n");
    let message = bench.refused(&["info", name(&broken)]);
    assert!(message.contains("broken.off") && message.contains('7'), "{message}");
    assert!(bench.refused(&["pair", "big.off", "none.stl", "--poses", "poses.csv"]).contains("none.stl"));
    assert!(
        bench.refused(&["pair", "big.off", "sheet.off", "--poses", "poses.csv", "--solid-b"]).contains("not closed")
    );
    assert!(bench.refused(&with(&["--volume", "cube"])).contains("cube"));
    assert!(bench.refused(&with(&["--query", "collide", "--max-d", "1"])).contains("--max-d"));
    assert!(bench.refused(&["fly"]).contains("fly"));
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap()
}

#[test]
fn info_tells_what_a_mesh_holds() {
    let bench = Workbench::new();
    let about = &bench.json(&["info", "big.off", "sheet.off", "--json"]);
    assert_eq!((&about[0]["triangles"], &about[0]["closed"]), (&Value::from(12), &Value::from(true)));
    assert_eq!((&about[1]["triangles"], &about[1]["closed"]), (&Value::from(1), &Value::from(false)));
    let text = String::from_utf8(bench.run(&["info", "sheet.off"]).stdout).unwrap();
    assert!(text.contains("closed       no: the mesh is not closed: the edge"), "{text}");
}

#[test]
fn the_bench_prints_a_row_per_scene_query_and_engine_in_the_form_of_the_races() {
    let rows = Workbench::new().json(&["bench", "20k-overlapping", "--rounds", "1", "--json"]);
    let keys: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["scene", "query", "engine", "us", "n"]);
    let engines: Vec<&str> = rows.iter().map(|row| row["engine"].as_str().unwrap()).collect();
    let ours = ["clearance", "clearance-cold", "sphere", "aabb", "obb", "rss", "kdop16", "kdop18", "kdop24", "kios"];
    let parry: &[&str] = if cfg!(feature = "parry") { &["parry-f32", "parry-f64"] } else { &[] };
    assert_eq!(engines, [&ours, parry].concat());
    assert!(rows.iter().all(|row| row["scene"] == "20k-overlapping" && row["us"].as_f64().unwrap() > 0.0));
}

#[test]
fn unknown_scenes_and_papers_are_refused_with_the_names_that_there_are() {
    let bench = Workbench::new();
    let message = bench.refused(&["bench", "falling", "moon"]);
    assert!(message.contains("moon") && message.contains("20k-near") && message.contains("volumes"), "{message}");
    let message = bench.refused(&["reproduce", "moon"]);
    assert!(message.contains("moon") && message.contains("kios"), "{message}");
    assert!(bench.refused(&["bench", "--json", "--markdown"]).contains("--markdown"));
    assert!(bench.refused(&["bench", "--rounds", "many"]).contains("many"));
}

#[test]
fn the_demo_reports_and_writes_its_picture_and_plot() {
    let bench = Workbench::new();
    let output = bench.run(&["demo", "--picture", "kitchen.png", "--plot", "plot.svg"]);
    assert_eq!(output.status.code(), Some(0));
    let report = String::from_utf8(output.stdout).unwrap();
    for part in
        ["23 joints and 16440 triangles", "never touch", "At 0 of 401 moments", "10.6 mm  right_hand – counter cup 1"]
    {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert!(std::fs::read(bench.path("kitchen.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(std::fs::read_to_string(bench.path("plot.svg")).unwrap().contains("<svg"));
}

#[test]
fn an_exploration_tells_each_iteration_draws_it_and_records_the_run() {
    let bench = Workbench::new();
    let output = bench.run(&["explore", "--out", "run", "--json"]);
    assert_eq!(output.status.code(), Some(0));
    let report = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> = report.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (outcome, iterations) = lines.split_last().unwrap();
    assert_eq!(outcome["outcome"], "reached");
    assert_eq!(outcome["iterations"], iterations.len());
    assert!(iterations[0]["cells"]["unknown"].as_u64() > iterations[1]["cells"]["unknown"].as_u64());
    for number in 1..=iterations.len() {
        let picture = bench.path(&format!("run/clearance-explore-{number}.png"));
        assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
    }
    let recording = std::fs::read_to_string(bench.path("run/clearance-explore.json")).unwrap();
    let recording: serde_json::Value = serde_json::from_str(&recording).unwrap();
    assert_eq!(recording["iterations"].as_array().unwrap().len(), iterations.len());
}

const RAYS: &str = "ox,oy,oz,dx,dy,dz\n3,0.25,0.5,-1,0,0\n3,0.25,0.5,0,1,0\n0,0,0,0,0,4\n";

#[test]
fn rays_print_one_object_each_with_the_contracted_fields() {
    let bench = Workbench::new();
    bench.write("rays.csv", RAYS);
    let ray = ["ray", "big.off", "--rays", "rays.csv", "--json"];
    let answers = bench.json(&ray);
    let keys: Vec<&String> = answers[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["i", "hit", "t", "point", "normal", "leaf"]);
    assert_eq!((&answers[0]["hit"], &answers[0]["t"]), (&Value::from(true), &Value::from(2.0)));
    assert_eq!(answers[0]["point"], serde_json::json!([1.0, 0.25, 0.5]));
    assert_eq!(answers[0]["normal"], serde_json::json!([1.0, 0.0, 0.0]));
    assert!(answers[0]["leaf"].is_u64());
    assert!(answers[1]["hit"] == false && answers[1]["t"].is_null() && answers[1]["leaf"].is_null());
    // From inside, in lengths of the direction.
    assert_eq!(answers[2]["t"], 0.25);
    let short = bench.json(&[&ray[..], &["--max-t", "0.5", "--jobs", "2"]].concat());
    assert_eq!(short.iter().map(|answer| answer["hit"] == true).collect::<Vec<_>>(), [false, false, true]);
    let text = String::from_utf8(bench.run(&ray[..4]).stdout).unwrap();
    assert!(text.starts_with("     0  t 2 at [1, 0.25, 0.5], normal [1, 0, 0], triangle"), "{text}");
    assert!(text.contains("no hit"), "{text}");
}

#[test]
fn a_bad_ray_ends_the_run_after_the_answers_before_it() {
    let bench = Workbench::new();
    bench.write("rays.csv", "ox,oy,oz,dx,dy,dz\n3,0,0,-1,0,0\n3,0,0,0,0,0\n");
    let (answers, message) = bench.broken_off(&["ray", "big.off", "--rays", "rays.csv", "--json"]);
    assert_eq!(answers.len(), 1);
    assert!(message.contains("rays.csv: line 3: the direction of a ray is zero"), "{message}");
    bench.write("rays.csv", "ox,oy,oz,dx,dy\n");
    let message = bench.refused(&["ray", "big.off", "--rays", "rays.csv"]);
    assert!(message.contains("the column dz is missing"), "{message}");
}
