//! What pages are answered: the same by a robot that was saved and read again, and what checkers say.

use clearance_engine::math::{DQuat, DVec3, IVec3};
use clearance_engine::shape::{
    Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, HalfSpace, Primitive, Sphere,
};
use clearance_engine::tree::voxel_map::{Cell, Cells, VoxelMap, VoxelOptions};
use clearance_engine::tree::{Assembly, HalfSpaceGeometry, HeightField, Mesh, PointCloud, Solid};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{CheckOptions, Checker, JointSpec, LinkGeometry, LinkShape, RobotBuilder};
use clearance_view::{Live, Recording, Viewer};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn tetrahedron(size: f64) -> TriMesh {
    let vertices = vec![DVec3::ZERO, DVec3::X * size, DVec3::Y * size, DVec3::Z * size];
    TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap()
}

fn turned(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(DQuat::from_euler(Default::default(), 0.3, -0.7, 1.1), DVec3::new(x, y, z)).unwrap()
}

/// A robot and a scene with every kind of geometry that a page can hold.
fn everything() -> (Checker, Recording, Live) {
    let hull = ConvexPolyhedron::hull_of(tetrahedron(0.2).vertices()).unwrap();
    let shape = |shape| LinkGeometry::new(turned(0.01, 0.02, 0.03), shape);
    let robot = RobotBuilder::new("all")
        .link("base", [shape(LinkShape::Mesh(Arc::new(tetrahedron(0.3)))), shape(LinkShape::Sphere { radius: 0.1 })])
        .link("a", [shape(LinkShape::Hull(hull.clone())), shape(LinkShape::Box { size: DVec3::new(0.1, 0.2, 0.3) })])
        .link("b", [shape(LinkShape::Cylinder { radius: 0.05, length: 0.3 })])
        .link("c", [shape(LinkShape::Capsule { radius: 0.05, length: 0.3 })])
        .link("d", [shape(LinkShape::Mesh(Arc::new(tetrahedron(0.15))))])
        .link("e", [shape(LinkShape::Sphere { radius: 0.04 })])
        .joint(JointSpec::revolute("ja", "base", "a", DVec3::new(1.0, 2.0, 3.0), [-1.0, 1.0]).at(turned(0.5, 0.0, 0.1)))
        .joint(
            JointSpec::prismatic("jb", "a", "b", DVec3::X, [-0.5, 0.5]).at(turned(0.5, 0.1, 0.0)).mimic("ja", 0.3, 0.1),
        )
        .joint(JointSpec::continuous("jc", "b", "c", DVec3::Y).at(turned(0.0, 0.5, 0.0)))
        .joint(JointSpec::planar("jd", "base", "d", DVec3::Z).at(turned(-0.5, 0.0, 0.0)))
        .joint(JointSpec::fixed("je", "d", "e").at(turned(0.0, 0.0, 0.4)))
        .build()
        .unwrap();
    let mut options = CheckOptions { padding: 0.001, margin: 0.002, ..CheckOptions::default() };
    options.paddings.insert("a".into(), 0.003);
    options.margins.insert(["a".into(), "d".into()], 0.004);
    options.allowed.push(["base".into(), "floor".into()]);
    options.disabled.insert("c", "e");
    let mut checker = Checker::with_options(robot, options).unwrap();
    checker.set_base(turned(0.1, 0.2, 0.3)).unwrap();
    let scene = checker.scene_mut();
    let solids: [Primitive; 7] = [
        Sphere::new(0.1).unwrap().into(),
        Capsule::new(0.1, 0.3).unwrap().into(),
        Cuboid::new(0.1, 0.2, 0.3).unwrap().into(),
        Cylinder::new(0.1, 0.3).unwrap().into(),
        Cone::new(0.1, 0.3).unwrap().into(),
        Ellipsoid::new(DVec3::new(0.1, 0.2, 0.3)).unwrap().into(),
        hull.into(),
    ];
    for (i, solid) in solids.into_iter().enumerate() {
        let x = i as f64 * 0.4 - 1.0;
        scene.add(format!("solid {i}"), Solid::new(solid.clone()), turned(x, 1.0, 0.5)).unwrap();
        let moved = solid.transformed(&turned(0.02, 0.03, 0.05));
        scene.add(format!("moved solid {i}"), Solid::new(moved), turned(x, -1.0, 0.5)).unwrap();
    }
    let mesh: Mesh = Mesh::new(tetrahedron(0.4)).unwrap();
    let mut parts = Assembly::default();
    parts.insert(Arc::new(Mesh::<clearance_engine::tree::Bvh8>::new(tetrahedron(0.1)).unwrap()), turned(0.1, 0.0, 0.0));
    parts.insert(Arc::new(Solid::new(Sphere::new(0.1).unwrap())), turned(-0.1, 0.0, 0.0));
    scene.add("mesh", mesh.into_solid().unwrap(), turned(1.0, 0.2, 0.9)).unwrap();
    scene.add("parts", parts, turned(0.3, 0.3, 1.4)).unwrap();
    scene.add("cloud", PointCloud::new(vec![DVec3::X, DVec3::Y, DVec3::Z], 0.03).unwrap(), Pose::IDENTITY).unwrap();
    let floor = HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, -0.5).unwrap());
    scene.add("floor", floor, Pose::IDENTITY).unwrap();
    let options = VoxelOptions { origin: DVec3::new(0.013, 0.0, 0.2), ..VoxelOptions::new(0.06) };
    let mut map = VoxelMap::with_options(&options).unwrap();
    map.fill(IVec3::new(-3, 4, 2), IVec3::new(9, 12, 5), Cell::Obstacle).unwrap();
    map.set(IVec3::new(-20, 4, 2), Cell::Unknown).unwrap();
    map.set(IVec3::new(-21, 4, -2), Cell::Obstacle).unwrap();
    for (name, cells) in [("map", Cells::OBSTACLE), ("unknown", Cells::UNKNOWN), ("all cells", Cells::NOT_FREE)] {
        scene.add(name, map.snapshot().geometry(cells).unwrap(), turned(0.0, 2.0, 0.0)).unwrap();
    }
    let terrain = HeightField::new(3, 2, [0.5, 1.0], vec![0.0, 0.25, 0.1, 0.3, 0.25, 0.0]).unwrap();
    scene.add("terrain", terrain.clone(), turned(-2.0, 0.0, 0.0)).unwrap();
    scene.add("ground", terrain.into_solid(-0.5).unwrap(), turned(-3.0, 0.0, 0.0)).unwrap();
    checker.attach("cup", Cylinder::new(0.04, 0.1).unwrap(), "b", turned(0.0, 0.1, 0.2), &["c"]).unwrap();
    let mut recording = Recording::new("everything");
    let robot = recording.add_robot(checker.robot(), &checker.base(), None).unwrap();
    let bodies = recording.add_scene(checker.scene()).unwrap();
    let live = Live::new(checker.clone(), &recording, robot, Some(bodies), 0.02);
    (checker, recording, live)
}

fn ask(live: &mut Live, question: &Value) -> Value {
    serde_json::from_str(&live.answer(&question.to_string()).unwrap()).unwrap()
}

/// All numbers in an answer.
fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Number(number) => found.extend(number.as_f64()),
        Value::Array(list) => list.iter().for_each(|one| numbers(one, found)),
        Value::Object(named) => named.values().for_each(|one| numbers(one, found)),
        _ => {}
    }
}

#[test]
fn a_robot_that_was_saved_answers_as_before() {
    let (mut checker, recording, mut live) = everything();
    let mut read = Live::load(&live.save().unwrap()).unwrap();
    let count = checker.robot().variables().len();
    let lamp = (0..).find(|&body| recording.body_name(body) == "solid 0").unwrap();
    for step in 0..20 {
        let row: Vec<f64> = (0..count).map(|i| (f64::from(step) * 0.7 + i as f64).sin() * 0.9).collect();
        let moved = if step % 2 == 0 { json!([[lamp, [0.3, 0.2, 0.4, 1, 0, 0, 0]]]) } else { json!([]) };
        let question = json!({ "row": row, "moved": moved });
        let answer = ask(&mut live, &question);
        assert_eq!(answer, ask(&mut read, &question), "row {row:?}");
        let place = if step % 2 == 0 { Pose::from_xyz(0.3, 0.2, 0.4).unwrap() } else { turned(-1.0, 1.0, 0.5) };
        checker.scene_mut().set_pose("solid 0", place).unwrap();
        for (i, expected) in [checker.self_distance(&row), checker.scene_distance(&row)].into_iter().enumerate() {
            let expected = expected.unwrap().unwrap();
            let upper = answer["clearances"][i]["upper"][0].as_f64().unwrap();
            assert!((upper - expected.upper).abs() <= 1e-12, "{upper} {}", expected.upper);
            // Paddings make a distance 0 before surfaces touch.
            let gradient = answer["gradients"][i][0].as_array().unwrap();
            if upper == 0.0 {
                continue;
            }
            assert_eq!(gradient.len(), count);
            for (found, expected) in gradient.iter().zip(&expected.gradient) {
                assert!((found.as_f64().unwrap() - expected).abs() < 1e-6);
            }
        }
    }
    for kind in ["spheres", "boxes"] {
        for level in [0, 1, 9] {
            let question = json!({ "volumes": kind, "level": level });
            // A primitive that is turned in its own frame is turned once more when it is read.
            let [mut before, mut after] = [Vec::new(), Vec::new()];
            numbers(&ask(&mut live, &question), &mut before);
            numbers(&ask(&mut read, &question), &mut after);
            assert_eq!(before.len(), after.len());
            assert!(before.iter().zip(&after).all(|(a, b)| (a - b).abs() < 1e-14), "{kind}, level {level}");
        }
    }
}

#[test]
fn bounding_volumes_contain_their_triangles_at_every_level() {
    let (checker, recording, mut live) = everything();
    let mesh = tetrahedron(0.4);
    let body = (0..).find(|&body| recording.body_name(body) == "mesh").unwrap();
    assert_eq!(checker.robot().links().len(), 6);
    for kind in ["spheres", "boxes"] {
        let levels = ask(&mut live, &json!({ "volumes": kind, "level": 0 }))["levels"].as_u64().unwrap();
        for level in 0..levels {
            let answer = ask(&mut live, &json!({ "volumes": kind, "level": level }));
            let shown = answer["bodies"].as_array().unwrap().iter().find(|one| one["body"] == body).unwrap();
            let volumes: Vec<Vec<f64>> = serde_json::from_value(shown["volumes"].clone()).unwrap();
            for &vertex in mesh.vertices() {
                let within = |numbers: &Vec<f64>| {
                    let vector = |k: usize| DVec3::new(numbers[k], numbers[k + 1], numbers[k + 2]);
                    let from = vertex - vector(0);
                    if numbers.len() == 4 {
                        return from.length() <= numbers[3] * (1.0 + 1e-6);
                    }
                    let along = |half: DVec3| from.dot(half.normalize_or_zero()).abs() <= half.length() + 1e-6;
                    [3, 6, 9].map(vector).into_iter().all(along)
                };
                assert!(volumes.iter().any(within), "{kind}, level {level}, {vertex}");
            }
        }
    }
}

#[test]
fn questions_and_models_without_sense_are_errors() {
    let (checker, _, mut live) = everything();
    let count = checker.robot().variables().len();
    for question in [
        "",
        "{}",
        "[1]",
        "{\"row\": [0]}",
        "{\"row\": [null]}",
        "{\"reach\": 9999}",
        "{\"volumes\": \"cubes\", \"level\": 0}",
    ] {
        assert!(live.answer(question).is_err(), "{question}");
    }
    let huge = json!({ "row": vec![0.0; count], "moved": [[6, [1e300, 0, 0, 1, 0, 0, 0]]] });
    assert!(live.answer(&huge.to_string()).is_err());
    let model = live.save().unwrap();
    for end in [0, 3, 4, 50, model.len() / 2, model.len() - 1] {
        assert!(Live::load(&model[..end]).is_err(), "{end} bytes");
    }
    assert!(Live::load(&[&model[..], &[0]].concat()).is_err());
}

#[test]
fn a_viewer_sends_the_newest_poses_and_ends() {
    let (checker, recording, _) = everything();
    let viewer = Viewer::serve(&recording, None).unwrap();
    let row = checker.robot().default_configuration();
    assert!(
        viewer.show(0, &row[1..]).is_err()
            && viewer.show(1, &row).is_err()
            && viewer.place(999, &Pose::IDENTITY).is_err()
    );
    let address = viewer.address().strip_prefix("http://").unwrap().to_owned();
    let (host, path) = address.split_once('/').unwrap();
    let mut connection = TcpStream::connect(host).unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    write!(connection, "GET /{path}stream HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut lines = BufReader::new(connection).lines().map(Result::unwrap);
    let mut state = || -> Value {
        let line = lines.find(|line| line.starts_with("data: ")).unwrap();
        serde_json::from_str(&line["data: ".len()..]).unwrap_or(Value::Null)
    };
    assert_eq!(state()["rows"][0], json!(row));
    assert_eq!(viewer.watching(), 1);
    let mut moved = row.clone();
    moved[0] += 0.25;
    // Faster than the page is told: it gets the newest.
    let start = Instant::now();
    for _ in 0..1000 {
        viewer.show(0, &row).unwrap();
    }
    assert!(start.elapsed() < Duration::from_secs(5));
    viewer.show(0, &moved).unwrap();
    viewer.place(6, &Pose::from_xyz(1.0, 2.0, 3.0).unwrap()).unwrap();
    let newest = std::iter::repeat_with(&mut state)
        .take(10)
        .find(|state| state["rows"][0] == json!(moved) && state["moved"]["6"] != Value::Null);
    assert_eq!(newest.unwrap()["moved"]["6"], json!([1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0]));
    drop(viewer);
    assert_eq!(std::iter::repeat_with(state).take(10).find(Value::is_null), Some(Value::Null));
    assert!(TcpStream::connect(host).is_err(), "the port is free again");
}
