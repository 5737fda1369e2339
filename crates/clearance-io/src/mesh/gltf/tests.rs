//! What the glTF reader keeps, places and refuses.

use super::*;
use crate::{UpAxisPolicy, load_mesh};
use base64::Engine as _;

/// Four vertices as f32, then the indices 0 1 2 3 as u16, then as u8.
fn buffer() -> Vec<u8> {
    let vertices = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.25_f32];
    let mut bytes: Vec<u8> = vertices.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0, 0, 1, 0, 2, 0, 3, 0, 0, 1, 2, 3]);
    bytes
}

const NODES: &str = r#"[{"mesh":0}]"#;
const TRIANGLE: &str = r#"{"attributes":{"POSITION":0},"indices":1}"#;

fn json(uri: &str, nodes: &str, primitives: &str) -> String {
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":{nodes},
"meshes":[{{"primitives":[{primitives}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":3,"type":"SCALAR"}},
{{"bufferView":1,"byteOffset":8,"componentType":5121,"count":4,"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":48}},{{"buffer":0,"byteOffset":48,"byteLength":12}}],
"buffers":[{{{uri}"byteLength":60}}]}}"#
    )
}

fn embedded(nodes: &str, primitives: &str) -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(buffer());
    json(&format!(r#""uri":"data:application/octet-stream;base64,{data}","#), nodes, primitives)
}

fn glb(json: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + data.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json.as_bytes());
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

fn parse(text: &str) -> Result<TriMesh> {
    read(text.as_bytes(), &LoadOptions::default())
}

#[test]
fn json_with_data_glb_and_an_external_buffer_give_the_same_mesh() {
    let mesh = parse(&embedded(NODES, TRIANGLE)).unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2]]);
    assert_eq!(mesh.vertices()[3], DVec3::new(0.0, 1.0, 0.25));
    assert_eq!(read(&glb(&json("", NODES, TRIANGLE), &buffer()), &LoadOptions::default()).unwrap(), mesh);
    let folder = std::env::temp_dir().join(format!("clearance-io-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("a b.bin"), buffer()).unwrap();
    std::fs::write(folder.join("part.GLTF"), json(r#""uri":"a%20b.bin","#, NODES, TRIANGLE)).unwrap();
    let loaded = load_mesh(&folder.join("part.GLTF"));
    std::fs::remove_file(folder.join("a b.bin")).unwrap();
    let missing = load_mesh(&folder.join("part.GLTF")).unwrap_err();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(loaded.unwrap(), mesh);
    assert_eq!((missing.kind(), missing.path()), (ErrorKind::Io, Some(&*folder.join("a b.bin"))));
}

#[test]
fn modes_are_triangulated_and_primitives_with_the_same_positions_share_vertices() {
    let primitives = r#"{"attributes":{"POSITION":0},"indices":2,"mode":5},{"attributes":{"POSITION":0},"mode":6},
{"attributes":{"POSITION":0},"indices":2,"mode":1},{"attributes":{"POSITION":0},"indices":1,"mode":4},{"attributes":{}}"#;
    let mesh = parse(&embedded(NODES, primitives)).unwrap();
    assert_eq!(mesh.vertices().len(), 4);
    assert_eq!(mesh.triangles(), [[0, 1, 2], [2, 1, 3], [0, 1, 2], [0, 2, 3], [0, 1, 2]]);
}

#[test]
fn nodes_place_and_repeat_meshes_depth_first() {
    let nodes = r#"[{"children":[2,1],"matrix":[1,0,0,0,0,1,0,0,0,0,1,0,10,0,0,1]},
{"mesh":0,"scale":[1,1,-1]},{"mesh":0,"translation":[0,0,1e-9],"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,2,2]}]"#;
    let mesh = parse(&embedded(nodes, TRIANGLE)).unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2], [4, 6, 5]]);
    assert!(mesh.vertices()[2].distance(DVec3::new(8.0, 2.0, 1e-9)) < 1e-14, "{}", mesh.vertices()[2]);
    assert_eq!(mesh.vertices()[7], DVec3::new(10.0, 1.0, -0.25));
}

#[test]
fn y_becomes_z_only_if_asked() {
    let options = LoadOptions { up_axis: UpAxisPolicy::TurnToZ, ..LoadOptions::default() };
    let mesh = read(embedded(NODES, TRIANGLE).as_bytes(), &options).unwrap();
    assert_eq!(mesh.vertices()[3], DVec3::new(0.0, -0.25, 1.0));
}

#[test]
fn without_scenes_every_root_is_shown() {
    let text = embedded(r#"[{"mesh":0},{"children":[0]},{"mesh":0}]"#, TRIANGLE)
        .replace(r#""scene":0,"scenes":[{"nodes":[0]}],"#, "");
    assert_eq!(parse(&text).unwrap().len(), 2);
}

/// The file with other words in place of those that describe the positions.
fn with_positions(accessor: &str) -> String {
    let usual = r#""bufferView":0,"componentType":5126,"count":4"#;
    embedded(NODES, r#"{"attributes":{"POSITION":0}}"#).replacen(usual, accessor, 1)
}

#[test]
fn quantised_positions_are_read() {
    let mesh = parse(&with_positions(r#""bufferView":1,"componentType":5121,"normalized":true,"count":3"#)).unwrap();
    assert_eq!(mesh.vertices()[0], DVec3::new(0.0, 0.0, 1.0 / 255.0));
    let mesh = parse(&with_positions(r#""bufferView":1,"componentType":5121,"count":3"#)).unwrap();
    assert_eq!(mesh.vertices()[0], DVec3::new(0.0, 0.0, 1.0));
}

#[test]
fn strides_are_obeyed_and_may_not_be_below_the_size_of_a_row() {
    let text = with_positions(r#""bufferView":1,"componentType":5121,"count":3"#);
    let strided = |stride| text.replacen(r#""byteLength":12"#, &format!(r#""byteLength":12,"byteStride":{stride}"#), 1);
    assert_eq!(parse(&strided("4")).unwrap().vertices()[1], DVec3::new(2.0, 0.0, 3.0));
    assert_eq!(parse(&strided("2")).unwrap_err().kind(), ErrorKind::OutOfRange);
    assert_eq!(parse(&strided("0")).unwrap_err().kind(), ErrorKind::OutOfRange);
}

#[test]
fn errors_name_the_element() {
    use ErrorKind::*;
    let element = |name: &str| Place::Element(name.into());
    let cases = [
        (r#""version":"2.0""#, r#""version":"1.0""#, Unsupported, element("asset")),
        (r#""scene":0"#, r#""scene":1"#, OutOfRange, element("scene 1")),
        (r#""nodes":[0]"#, r#""nodes":[7]"#, OutOfRange, element("node 7")),
        (r#""nodes":[0]"#, r#""nodes":[0,0]"#, Malformed, element("node 0")),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"children":[0]}"#, Malformed, element("node 0")),
        (r#"{"mesh":0}"#, r#"{"mesh":1}"#, OutOfRange, element("mesh 1")),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"skin":0}"#, Unsupported, element("node 0")),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"weights":[0,0.5]}"#, Unsupported, element("node 0")),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"rotation":[0,0,0,0]}"#, Malformed, element("node 0")),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"scale":[1e300,1,1]}"#, NotFinite, element("node 0")),
        (r#"{"mesh":0}"#, r#"{"mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{}}}"#, Unsupported, element("node 0")),
        (r#""POSITION":0"#, r#""POSITION":1"#, Malformed, element("accessor 1")),
        (r#""POSITION":0"#, r#""POSITION":9"#, OutOfRange, element("accessor 9")),
        (r#""indices":1"#, r#""indices":2"#, Malformed, element("primitive 0 of mesh 0")),
        (r#""indices":1"#, r#""indices":1,"mode":7"#, Malformed, element("primitive 0 of mesh 0")),
        (r#""count":4,"type":"VEC3""#, r#""count":2,"type":"VEC3""#, OutOfRange, element("primitive 0 of mesh 0")),
        (r#""count":4,"type":"VEC3""#, r#""count":5,"type":"VEC3""#, OutOfRange, element("accessor 0")),
        (
            r#""count":4,"type":"VEC3""#,
            r#""count":18446744073709551615,"type":"VEC3""#,
            OutOfRange,
            element("accessor 0"),
        ),
        (r#""count":4,"type":"VEC3""#, r#""sparse":{},"count":4,"type":"VEC3""#, Unsupported, element("accessor 0")),
        (r#"5126"#, r#"5124"#, Malformed, element("accessor 0")),
        (r#"{"bufferView":0,"#, r#"{"#, Unsupported, element("accessor 0")),
        (r#"{"bufferView":0,"#, r#"{"bufferView":2,"#, OutOfRange, element("bufferView 2")),
        (r#""byteLength":48"#, r#""byteLength":61"#, OutOfRange, element("bufferView 0")),
        (r#""buffer":0"#, r#""buffer":1"#, OutOfRange, element("buffer 1")),
        (r#""byteLength":60"#, r#""byteLength":61"#, Truncated, element("buffer 0")),
        (r#";base64,"#, r#";base64,?"#, Malformed, element("buffer 0")),
        (r#";base64,"#, r#","#, Unsupported, element("buffer 0")),
        (r#"data:"#, r#"https://"#, Unsupported, element("buffer 0")),
        (r#"data:"#, r#"/etc/"#, Unsupported, element("buffer 0")),
        (r#"data:"#, r#"beside"#, Unsupported, element("buffer 0")),
        (
            r#""scene":0"#,
            r#""extensionsRequired":["KHR_draco_mesh_compression"]"#,
            Unsupported,
            element("extensionsRequired"),
        ),
        (r#""primitives":["#, r#""primitives":[{"#, Malformed, Place::Line(2)),
    ];
    for (from, to, kind, place) in cases {
        let error = parse(&embedded(NODES, TRIANGLE).replacen(from, to, 1)).unwrap_err();
        assert_eq!((error.kind(), error.place()), (kind, &place), "{to}: {error}");
    }
    let evaluations =
        embedded(NODES, TRIANGLE).replace(r#""scene":0"#, r#""extensionsRequired":["KHR_materials_unlit"]"#);
    assert!(parse(&evaluations).is_ok());
}

#[test]
fn a_truncated_file_is_an_error_at_every_length() {
    let whole = glb(&json("", NODES, TRIANGLE), &buffer());
    for length in 0..whole.len() {
        assert!(read(&whole[..length], &LoadOptions::default()).is_err(), "{length}");
    }
    let mut longer = whole.clone();
    longer.push(0);
    assert_eq!(read(&longer, &LoadOptions::default()).unwrap_err().place(), &Place::Byte(8));
    let mut infinite = whole;
    let start = infinite.len() - 60;
    infinite[start..start + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(read(&infinite, &LoadOptions::default()).unwrap_err().kind(), ErrorKind::NotFinite);
}
