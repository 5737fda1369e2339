//! `clearance view`, what commands record, and the report.

mod bench;

use bench::Workbench;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A robot of one arm that turns into a wall.
const ARM: &str = r#"<robot name="arm"><link name="base"/><link name="rod"><collision><origin xyz="0.5 0 0"/>
<geometry><box size="1 0.1 0.1"/></geometry></collision></link><joint name="turn" type="revolute">
<parent link="base"/><child link="rod"/><axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="1"/>
</joint></robot>"#;
const ROOM: &str = r#"{"objects":[{"name":"wall","pose":[0,0.9,0,1,0,0,0],"box":[2,0.2,1]}]}"#;

fn bench_with_arm() -> Workbench {
    let bench = Workbench::new();
    bench.write("arm.urdf", ARM);
    bench.write("room.json", ROOM);
    bench.write("motion.csv", "turn\n-1.5\n0\n1.5\n");
    bench
}

fn succeeds(bench: &Workbench, arguments: &[&str]) {
    let output = bench.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// The one line that a refused command says.
fn refusal(bench: &Workbench, arguments: &[&str]) -> String {
    let output = bench.run(arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

/// What a recording says besides glTF.
fn facts(bench: &Workbench, name: &str) -> Value {
    let glb = std::fs::read(bench.path(name)).unwrap();
    assert!(clearance::viewer::is_recording(&glb), "{name}");
    let length = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let gltf: Value = serde_json::from_slice(&glb[20..20 + length]).unwrap();
    gltf["extras"]["clearance"].clone()
}

#[test]
fn files_become_a_page_and_a_recording_that_is_shown_again() {
    let bench = bench_with_arm();
    bench.write("cloud.xyz", "0 0 0\n1 0 0\n0 1 0\n");
    let files = ["arm.urdf", "room.json", "big.off", "cloud.xyz", "big.off"];
    succeeds(&bench, &[&["view"], &files[..], &["--html", "page.html", "--glb", "all.glb"]].concat());
    let all = facts(&bench, "all.glb");
    let names: Vec<&str> =
        all["bodies"].as_array().unwrap().iter().map(|body| body["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["wall", "big.off", "cloud.xyz", "big.off (2)", "base", "rod"]);
    assert_eq!(all["bodies"][2]["cells"], 3);
    assert_eq!(all["bodies"][5]["triangles"], 12);
    // The rod lies 0.75 m from the wall's near side, and within the cube around the origin.
    assert_eq!(all["clearances"][0]["upper"][0], 0.0);
    succeeds(&bench, &["view", "all.glb", "--html", "again.html"]);
    let page = std::fs::read_to_string(bench.path("again.html")).unwrap();
    assert!(page.contains("id=\"recording\"") && !page.contains("<!-- recording -->"));
}

#[test]
fn commands_record_what_they_answer() {
    let bench = bench_with_arm();
    succeeds(&bench, &["check", "arm.urdf", "--configs", "motion.csv", "--scene", "room.json", "--record", "rows.glb"]);
    let rows = facts(&bench, "rows.glb");
    assert_eq!(rows["timeline"]["times"], serde_json::json!([0.0, 1.0, 2.0]));
    assert_eq!(rows["timeline"]["step"], true);
    let room = &rows["clearances"][0];
    assert_eq!(room["name"], "to the surroundings");
    assert!((room["upper"][1].as_f64().unwrap() - 0.75).abs() < 1e-12 && room["upper"][2] == 0.0, "{room}");
    assert_eq!(rows["near"][2], serde_json::json!([{ "a": 2, "b": 0, "colliding": true }]));
    assert_eq!(rows["near"][1], serde_json::json!([]));

    succeeds(
        &bench,
        &["check", "arm.urdf", "--motion", "motion.csv", "--scene", "room.json", "--record", "motion.glb"],
    );
    let motion = facts(&bench, "motion.glb");
    let verdicts: Vec<&Value> = motion["segments"].as_array().unwrap().iter().map(|one| &one["verdict"]).collect();
    assert_eq!(verdicts, ["free", "contact"]);
    assert_eq!(motion["timeline"]["step"], false);

    succeeds(&bench, &["pair", "big.off", "small.off", "--poses", "poses.csv", "--record", "pair.glb"]);
    let pair = facts(&bench, "pair.glb");
    for (found, expected) in pair["clearances"][0]["upper"].as_array().unwrap().iter().zip([1.75, 0.0, 0.75]) {
        assert!((found.as_f64().unwrap() - expected).abs() < 1e-9, "{found} {expected}");
    }
    assert_eq!(pair["near"][1], serde_json::json!([{ "a": 0, "b": 1, "colliding": true }]));
    assert_eq!(pair["bodies"][1]["poses"][0][0], 3.0);
    succeeds(
        &bench,
        &["pair", "big.off", "small.off", "--poses", "poses.csv", "--query", "contacts", "--record", "c.html"],
    );
    assert!(std::fs::read_to_string(bench.path("c.html")).unwrap().starts_with("<!doctype html>"));
}

#[test]
fn the_report_has_verdicts_pictures_and_assumptions() {
    let bench = bench_with_arm();
    let arguments = ["check", "arm.urdf", "--motion", "motion.csv", "--scene", "room.json", "--margin", "0.01"];
    succeeds(&bench, &[&arguments[..], &["--clearance", "--report", "report.html"]].concat());
    let report = std::fs::read_to_string(bench.path("report.html")).unwrap();
    for part in [
        "1 of 2 segments touch something",
        "Segment 0: collision-free, proven; clearance at least 7",
        "Segment 1: rod",
        "rod – wall",
        "10.000 mm",
        "data:image/png;base64,",
        "<svg",
        "SHA-256",
        "arm.urdf",
    ] {
        assert!(report.contains(part), "{part} is not in the report");
    }
    assert!(
        !report.contains("http://") || report.matches("http://").count() == report.matches("http://www.w3.org").count()
    );
    let text = refusal(&bench, &["check", "arm.urdf", "--configs", "motion.csv", "--report", "report.html"]);
    assert!(text.contains("--report"), "{text}");
}

#[test]
fn bad_files_and_options_are_refused_in_one_line() {
    let bench = bench_with_arm();
    succeeds(&bench, &["view", "big.off", "--glb", "whole.glb"]);
    let bytes = std::fs::read(bench.path("whole.glb")).unwrap();
    std::fs::write(bench.path("cut.glb"), &bytes[..bytes.len() / 2]).unwrap();
    assert!(refusal(&bench, &["view", "cut.glb", "--html", "p.html"]).contains("cut.glb"));
    assert!(refusal(&bench, &["view", "whole.glb", "big.off", "--html", "p.html"]).contains("alone"));
    assert!(refusal(&bench, &["view", "poses.tar", "--html", "p.html"]).contains("poses.tar"));
    assert!(refusal(&bench, &["view", "missing.stl", "--html", "p.html"]).contains("missing.stl"));
    assert!(refusal(&bench, &["view", "big.off", "--srdf", "a.srdf", "--html", "p.html"]).contains("--srdf"));
    assert!(refusal(&bench, &["view", "big.off", "--html", "no/such/folder.html"]).contains("folder"));
    assert!(!bench.path("p.html").exists());
}

/// Ends with the test, however that ends.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_server_answers_its_own_page_alone() {
    let bench = bench_with_arm();
    let mut server = Served(
        Command::new(env!("CARGO_BIN_EXE_clearance"))
            .args(["view", "arm.urdf", "--no-open"])
            .current_dir(bench.path(""))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split_whitespace().find(|word| word.starts_with("http://")).unwrap().to_owned();
    let (host, path) = address.trim_start_matches("http://").split_once('/').unwrap();
    let ask = |head: &str| {
        let mut stream = TcpStream::connect(host).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned()
    };
    let get = |path: &str, more: &str| ask(&format!("GET /{path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n"));
    let answers = [
        (get(path, ""), "200"),
        (get(&format!("{path}recording.glb"), &format!("Origin: http://{host}\r\n")), "200"),
        (get("", ""), "403"),
        (get(&"0".repeat(33), ""), "403"),
        (get(path, "Origin: http://elsewhere.example\r\n"), "403"),
        (get(path, "Host: elsewhere.example\r\n"), "403"),
        (ask(&format!("GET /{path} HTTP/1.1\r\n\r\n")), "403"),
        (get(&format!("{path}other"), ""), "404"),
        (ask(&format!("POST /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n")), "405"),
        (ask("nonsense\r\n\r\n"), "400"),
        (ask(&format!("GET /{path} HTTP/1.1\r\nX: {}\r\n", "a".repeat(20_000))), "431"),
    ];
    for (i, (answer, expected)) in answers.iter().enumerate() {
        assert!(answer.starts_with(&format!("HTTP/1.1 {expected}")), "{i}: {answer}");
    }
}
