//! All reference pairs and degenerate cases of the data folder, under every volume of the engine.
//!
//! Needs `CLEARANCE_DATA` (default `../shared/data` beside the repository); says so and passes
//! where it is absent.

mod data;

use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::query::{DistanceRequest, Status};
use clearance_engine::traversal::{WarmStart, Workspace};
use clearance_engine::tree::{Bvh8, Geometry, Mesh};
use clearance_engine::volume::{Aabb, KIos, Kdop16, Kdop18, Kdop24, Obb, Rss, Sphere};
use clearance_engine::{Pose, TriMesh};
use clearance_io::load_mesh;
use data::data_folder;
use ndarray::{Array1, Array3};
use ndarray_npy::NpzReader;
use serde_json::Value;
use std::fs::File;
use std::sync::Arc;

fn all_volumes(tri_mesh: TriMesh) -> Vec<Box<dyn Geometry>> {
    let tri_mesh = Arc::new(tri_mesh);
    vec![
        Box::new(Mesh::<Bvh8>::new(tri_mesh.clone()).unwrap()),
        Box::new(Mesh::<Sphere>::new(tri_mesh.clone()).unwrap()),
        Box::new(Mesh::<Aabb>::new(tri_mesh.clone()).unwrap()),
        Box::new(Mesh::<Obb>::new(tri_mesh.clone()).unwrap()),
        Box::new(Mesh::<Rss>::new(tri_mesh.clone()).unwrap()),
        Box::new(Mesh::<Kdop16>::new(tri_mesh.clone()).unwrap()),
        Box::new(Mesh::<Kdop18>::new(tri_mesh.clone()).unwrap()),
        Box::new(Mesh::<Kdop24>::new(tri_mesh.clone()).unwrap()),
        Box::new(Mesh::<KIos>::new(tri_mesh).unwrap()),
    ]
}

/// Row i of [n, 3, 4] as a pose.
fn pose(poses: &Array3<f64>, i: usize) -> Pose {
    let column = |k: usize| DVec3::new(poses[[i, 0, k]], poses[[i, 1, k]], poses[[i, 2, k]]);
    Pose::from_matrix(DMat3::from_cols(column(0), column(1), column(2)), column(3)).unwrap()
}

#[test]
fn every_volume_agrees_with_the_reference_answers_of_all_pairs() {
    let Some(folder) = data_folder("reference pairs") else { return };
    let dispatcher = Dispatcher::standard();
    let mut workspace = Workspace::default();
    let mut checked = 0;
    let mut names: Vec<_> =
        std::fs::read_dir(folder.join("pairs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    for path in names.iter().filter(|path| path.extension().is_some_and(|extension| extension == "npz")) {
        let about: Value = serde_json::from_reader(File::open(path.with_extension("json")).unwrap()).unwrap();
        let [a, b] = ["mesh_a", "mesh_b"].map(|key| load_mesh(&folder.join(about[key].as_str().unwrap())).unwrap());
        let mut npz = NpzReader::new(File::open(path).unwrap()).unwrap();
        let pose_a: Array3<f64> = npz.by_name("pose_a").unwrap();
        let pose_b: Array3<f64> = npz.by_name("pose_b").unwrap();
        let distance: Array1<f64> = npz.by_name("distance").unwrap();
        let collide: Array1<u8> = npz.by_name("collide").unwrap();
        let ambiguous: Array1<u8> = npz.by_name("ambiguous").unwrap();
        let size = |mesh: &TriMesh| mesh.bounding_box().0.abs().max(mesh.bounding_box().1.abs()).max_element();
        let sizes = size(&a) + size(&b);
        let (a, b) = (all_volumes(a), all_volumes(b));
        for i in 0..distance.len() {
            let a_from_b = pose(&pose_a, i).inverse().then(&pose(&pose_b, i));
            // Every volume takes its turn; all of them on every tenth pose.
            let turn = i % a.len();
            for (k, (a, b)) in a.iter().zip(&b).enumerate() {
                if k != turn && i % 10 != 0 {
                    continue;
                }
                let label = format!("{} pose {i} with {}", path.display(), a.kind());
                let plan = dispatcher.plan(&**a, &**b).unwrap();
                let mut cache = WarmStart::default();
                let answer = plan.distance(&a_from_b, &DistanceRequest::default(), &mut workspace, None).unwrap();
                let collision = plan.collide(&a_from_b, &mut workspace, Some(&mut cache));
                checked += 1;
                if ambiguous[i] != 0 {
                    continue;
                }
                let expected = collide[i] != 0;
                assert_eq!((answer.colliding(), collision.colliding), (Some(expected), expected), "{label}");
                if !expected {
                    let largest = sizes + a_from_b.translation().abs().max_element();
                    let allowed = 1e-9 * distance[i] + 1e-12 * largest;
                    assert!((answer.upper - distance[i]).abs() <= allowed, "{label}: {answer:?} {}", distance[i]);
                    assert!(answer.lower <= distance[i] + allowed, "{label}: {answer:?} {}", distance[i]);
                    let witness = answer.witness.unwrap();
                    assert!((witness.point_a.distance(witness.point_b) - answer.upper).abs() <= allowed, "{label}");
                }
            }
        }
    }
    assert!(checked > 5000, "only {checked} answers were there to check");
}

fn degenerate_mesh(value: &Value, scale: f64, rotation: DMat3, translation: DVec3) -> TriMesh {
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let vertices = value["v"].as_array().unwrap().iter().map(|v| {
        let v = numbers(v);
        rotation * (DVec3::new(v[0], v[1], v[2]) * scale) + translation
    });
    let triangles = value["t"].as_array().unwrap().iter().map(|t| {
        let t = numbers(t);
        [t[0] as u32, t[1] as u32, t[2] as u32]
    });
    TriMesh::new(vertices.collect(), triangles.collect()).unwrap()
}

#[test]
fn every_volume_agrees_with_the_degenerate_cases() {
    let Some(folder) = data_folder("degenerate cases") else { return };
    let dispatcher = Dispatcher::standard();
    let mut workspace = Workspace::default();
    let file = File::open(folder.join("degenerate/degenerate.json")).unwrap();
    let all: Value = serde_json::from_reader(std::io::BufReader::new(file)).unwrap();
    for query in all["queries"].as_array().unwrap() {
        let case = query["case"].as_str().unwrap();
        let mesh = all["meshes"].as_array().unwrap().iter().find(|mesh| mesh["case"] == case).unwrap();
        let numbers =
            |key: &str| -> Vec<f64> { query[key].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
        let (r, t) = (numbers("R"), numbers("t"));
        let rotation = DMat3::from_cols_slice(&r).transpose();
        let scale = query["scale"].as_f64().unwrap();
        let translation = DVec3::new(t[0], t[1], t[2]);
        let [a, b] = ["a", "b"].map(|side| all_volumes(degenerate_mesh(&mesh[side], scale, rotation, translation)));
        for (a, b) in a.iter().zip(&b) {
            let plan = dispatcher.plan(&**a, &**b).unwrap();
            let answer = plan.distance(&Pose::IDENTITY, &DistanceRequest::default(), &mut workspace, None).unwrap();
            let colliding = plan.collide(&Pose::IDENTITY, &mut workspace, None).colliding;
            let (expected, allowed) = (query["distance"].as_f64().unwrap(), query["tol"].as_f64().unwrap());
            let label = format!("{case} {} with {}", query["variant"], a.kind());
            assert!((answer.upper - expected).abs() <= allowed, "{label}: {answer:?} {expected}");
            match answer.colliding() {
                Some(decided) => assert_eq!(decided, colliding, "{label}"),
                // A gap that is as small as the last digits of coordinates: no distance proves it.
                None => assert!(answer.status == Status::Inexact && answer.lower == 0.0, "{label}: {answer:?}"),
            }
            match query["cls"].as_str().unwrap() {
                "free" => assert!(!colliding, "{label}"),
                "cross" => assert!(colliding, "{label}"),
                _ => {}
            }
        }
    }
}
