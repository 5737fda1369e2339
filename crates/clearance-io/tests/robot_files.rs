//! Real mesh files against the same meshes as another loader (assimp, through coal) read them.
//!
//! The data folder is `CLEARANCE_DATA`, or `../shared/data` beside the workspace; without it these
//! tests only say so. Comparing every file showed what that loader does: it keeps ALL triangles
//! (degenerate ones too, so the counts agree in every file), but reorders them for vertex caches,
//! merges equal vertices and rounds coordinates to `f32` along the way. So triangles are matched
//! one to one in any order, to a few units of `f32` rounding. One file it read wrongly: see
//! [`LINK6_MATERIALS`].

mod data;

use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use clearance_io::{LoadOptions, MeshFormat, UnitPolicy, load_mesh, load_mesh_with};
use data::data_folder;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A few roundings to `f32`: parsing, then a node's transform.
const ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

/// Triangles and vertices of each material of the Panda's `link6.obj`, in order.
///
/// The other loader makes one mesh per material and joins them without shifting the indices: all 17
/// refer to the first vertices, so that the joined mesh uses only 345 of its 942 vertices and 1,134
/// of its 1,308 triangles are wrong. With each material's indices shifted by the vertices before
/// it, it is the mesh of the file.
const LINK6_MATERIALS: [(usize, u32); 17] = [
    (174, 162),
    (116, 90),
    (122, 113),
    (654, 345),
    (90, 73),
    (4, 10),
    (25, 29),
    (2, 4),
    (2, 4),
    (2, 4),
    (2, 4),
    (3, 5),
    (12, 12),
    (53, 42),
    (33, 27),
    (4, 6),
    (10, 12),
];

/// The reference for `link6.obj` with its indices shifted.
fn repaired_link6(broken: &TriMesh) -> TriMesh {
    let mut first_vertex = 0;
    let mut triangles = broken.triangles().to_vec();
    let mut rest = &mut triangles[..];
    for (count, vertices) in LINK6_MATERIALS {
        let (material, after) = rest.split_at_mut(count);
        material.as_flattened_mut().iter_mut().for_each(|index| *index += first_vertex);
        first_vertex += vertices;
        rest = after;
    }
    TriMesh::new(broken.vertices().to_vec(), triangles).unwrap()
}

fn mesh_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            mesh_files(&path, found);
        } else if MeshFormat::from_path(&path).is_ok() {
            found.push(path);
        }
    }
}

/// A mesh of the reference data with the file it was read from.
struct Reference {
    file: String,
    scale: DVec3,
    mesh: TriMesh,
}

fn references(data: &Path) -> Vec<Reference> {
    let mut found = Vec::new();
    for robot in std::fs::read_dir(data.join("ref")).unwrap() {
        let folder = robot.unwrap().path();
        let model: Value = serde_json::from_slice(&std::fs::read(folder.join("model.json")).unwrap()).unwrap();
        let bytes = std::fs::read(folder.join("geometry.bin")).unwrap();
        let geometries = model["geometries"].as_array().unwrap();
        found.extend(geometries.iter().filter(|geometry| geometry["type"] == "mesh").map(|geometry| {
            let number = |name: &str| geometry[name].as_u64().unwrap() as usize;
            let (start, middle) = (number("offset"), number("offset") + 24 * number("n_vertices"));
            let doubles = bytes[start..middle].as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes));
            let ints = bytes[middle..middle + 12 * number("n_triangles")].as_chunks().0;
            let ints: Vec<u32> = ints.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect();
            let vertices = doubles.collect::<Vec<_>>().as_chunks().0.iter().map(|&v| DVec3::from_array(v)).collect();
            let scale = geometry["mesh_scale"].as_array().unwrap().iter().map(|s| s.as_f64().unwrap());
            Reference {
                file: geometry["mesh_file"].as_str().unwrap().to_owned(),
                scale: DVec3::from_slice(&scale.collect::<Vec<_>>()),
                mesh: TriMesh::new(vertices, ints.as_chunks().0.to_vec()).unwrap(),
            }
        }));
    }
    found
}

/// The first triangle of `a` for which `b` has no equal one left, within `tolerance` and up to the
/// first vertex.
fn unmatched(a: &TriMesh, b: &TriMesh, tolerance: f64) -> Option<u32> {
    let vertices = |mesh: &TriMesh, i| mesh.triangle(i).0;
    let middle = |t: [DVec3; 3]| (t[0].x + t[1].x + t[2].x) / 3.0;
    let mut left: Vec<(f64, u32)> = (0..b.len() as u32).map(|i| (middle(vertices(b, i)), i)).collect();
    left.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut taken = vec![false; left.len()];
    (0..a.len() as u32).find(|&i| {
        let triangle = vertices(a, i);
        let first = left.partition_point(|&(x, _)| x < middle(triangle) - 2.0 * tolerance);
        let same = |&k: &usize| {
            let other: [DVec3; 3] = vertices(b, left[k].1);
            let close = |turn: usize| {
                (0..3).all(|c: usize| (triangle[c] - other[(c + turn) % 3]).abs().max_element() <= tolerance)
            };
            !taken[k] && (0..3).any(close)
        };
        let near = (first..left.len()).take_while(|&k| left[k].0 <= middle(triangle) + 2.0 * tolerance);
        match near.into_iter().find(same) {
            Some(k) => {
                taken[k] = true;
                false
            }
            None => true,
        }
    })
}

#[test]
fn every_mesh_file_loads() {
    let Some(data) = data_folder("robot files") else { return };
    let mut files = Vec::new();
    for folder in ["robots", "env", "meshes", "pqp"] {
        mesh_files(&data.join(folder), &mut files);
    }
    assert!(files.len() >= 150, "only {} mesh files", files.len());
    for file in files {
        if let Err(error) = load_mesh(&file) {
            panic!("{error}");
        }
    }
}

#[test]
fn robot_meshes_have_the_triangles_of_the_reference() {
    let Some(data) = data_folder("robot files") else { return };
    let references = references(&data);
    assert!(references.len() >= 150, "only {} reference meshes", references.len());
    for mut reference in references {
        let file = &reference.file;
        if file.ends_with("panda/meshes/collision/link6.obj") {
            reference.mesh = repaired_link6(&reference.mesh);
        }
        let mesh = load_mesh(&data.join(file)).unwrap();
        let mesh = mesh.with_vertices(mesh.vertices().iter().map(|&v| v * reference.scale).collect()).unwrap();
        assert_eq!(mesh.len(), reference.mesh.len(), "{file}");
        let ((low, high), (low_b, high_b)) = (mesh.bounding_box(), reference.mesh.bounding_box());
        let tolerance = ROUNDING * low.abs().max(high.abs()).max_element();
        assert!((low - low_b).abs().max((high - high_b).abs()).max_element() <= tolerance, "{file}");
        assert_eq!(unmatched(&mesh, &reference.mesh, tolerance), None, "{file}");
    }
}

#[test]
fn the_unit_of_the_robots_collada_files_is_the_metre() {
    let Some(data) = data_folder("robot files") else { return };
    let ignore = LoadOptions { unit: UnitPolicy::Ignore, ..LoadOptions::default() };
    let mut files = Vec::new();
    mesh_files(&data.join("robots"), &mut files);
    files.retain(|file| MeshFormat::from_path(file) == Ok(MeshFormat::Collada));
    assert!(!files.is_empty());
    for file in files {
        assert_eq!(load_mesh(&file), load_mesh_with(&file, &ignore), "{}", file.display());
    }
}
