//! Collada and glTF: files whose parts refer to each other.

use crate::bounded;
use clearance_io::{ErrorKind, LoadOptions, MeshFormat, load_mesh, read_mesh};
use std::fmt::Write as _;

fn collada(what: &str, text: &str) -> Result<usize, (ErrorKind, String)> {
    let options = LoadOptions { max_elements: 1 << 13, ..LoadOptions::default() };
    let read = bounded(what, text.len(), 120, || read_mesh(text.as_bytes(), MeshFormat::Collada, &options));
    read.map(|mesh| mesh.len()).map_err(|error| (error.kind(), error.to_string()))
}

fn gltf(what: &str, text: &str) -> Result<usize, (ErrorKind, String)> {
    let read = bounded(what, text.len(), 100, || read_mesh(text.as_bytes(), MeshFormat::Gltf, &LoadOptions::default()));
    read.map(|mesh| mesh.len()).map_err(|error| (error.kind(), error.to_string()))
}

const TRIANGLE: &str = "<geometry id='g'><mesh><source id='s'><float_array id='a' count='9'>0 0 0 1 0 0 0 1 0</float_array>\
    <technique_common><accessor source='#a' count='3' stride='3'/></technique_common></source>\
    <triangles count='1'><input semantic='VERTEX' source='#s' offset='0'/><p>0 1 2</p></triangles></mesh></geometry>";

/// A file with these geometries, nodes outside of the scene, and contents of the scene.
fn document(geometries: &str, nodes: &str, scene: &str) -> String {
    format!(
        "<COLLADA><library_geometries>{geometries}</library_geometries><library_nodes>{nodes}</library_nodes>\
        <library_visual_scenes><visual_scene id='v'>{scene}</visual_scene></library_visual_scenes></COLLADA>"
    )
}

/// Nodes of which each shows the next one twice: 2^`levels` times the last, which holds `last`.
fn doubling(levels: usize, last: &str) -> String {
    let mut nodes = String::new();
    for i in 0..levels {
        let next = format!("<instance_node url='#n{}'/>", i + 1);
        let _ = write!(nodes, "<node id='n{i}'>{next}{next}</node>");
    }
    let _ = write!(nodes, "<node id='n{levels}'>{last}</node>");
    nodes
}

#[test]
fn nodes_that_repeat_each_other_end_with_an_error() {
    let start = "<instance_node url='#n0'/>";
    let show = "<instance_geometry url='#g'/>";
    // 2^40 triangles; and 2^40 times nothing.
    let (kind, _) = collada("triangles", &document(TRIANGLE, &doubling(40, show), start)).unwrap_err();
    assert_eq!(kind, ErrorKind::TooLarge);
    let (kind, message) = collada("nothing", &document(TRIANGLE, &doubling(40, ""), start)).unwrap_err();
    assert_eq!(kind, ErrorKind::TooLarge);
    assert!(message.contains("repeat"), "{message}");
    // 2^19 nodes with 2,000 parts that hold nothing each.
    let empty = "<geometry id='g'><mesh/></geometry>";
    let (kind, _) = collada("empty parts", &document(empty, &doubling(19, &show.repeat(2000)), start)).unwrap_err();
    assert_eq!(kind, ErrorKind::TooLarge);
    // 2^19 times the same transforms, and one that stands behind much white space.
    let moves = "<translate>0 0 0</translate>".repeat(2000);
    assert_eq!(collada("moves", &document(TRIANGLE, &doubling(19, &moves), start)).unwrap_err().0, ErrorKind::Empty);
    let blank = format!("<translate>{}0 0 0</translate>", " ".repeat(20_000));
    assert_eq!(collada("blank", &document(TRIANGLE, &doubling(19, &blank), start)).unwrap_err().0, ErrorKind::Empty);
    // What the walk does not care for is stepped over once.
    let extra = "<extra/>".repeat(5000);
    assert_eq!(collada("extra", &document(TRIANGLE, &doubling(19, &extra), start)).unwrap_err().0, ErrorKind::Empty);
    let itself = "<node id='n'><instance_node url='#n'/></node>";
    assert_eq!(
        collada("itself", &document(TRIANGLE, itself, "<instance_node url='#n'/>")).unwrap_err().0,
        ErrorKind::TooLarge
    );
}

#[test]
fn long_links_are_followed_once() {
    let id = "x".repeat(20_000);
    let last = format!("<instance_geometry url='#{id}'/>");
    let empty = format!("<geometry id='{id}'><mesh/></geometry>");
    let text = document(&empty, &doubling(18, &last), "<instance_node url='#n0'/>");
    assert_eq!(collada("links", &text).unwrap_err().0, ErrorKind::Empty);
}

#[test]
fn an_array_is_read_once_however_many_sources_refer_to_it() {
    let mut geometry = format!(
        "<geometry id='g'><mesh><source id='o'><float_array id='a' count='100000'>{}</float_array></source>",
        "0 ".repeat(100_000)
    );
    for i in 0..1000 {
        let _ = write!(
            geometry,
            "<source id='s{i}'><technique_common><accessor source='#a' count='0' stride='3'/></technique_common></source>\
            <triangles count='0'><input semantic='VERTEX' source='#s{i}' offset='0'/><p></p></triangles>"
        );
    }
    geometry.push_str("</mesh></geometry>");
    let text = document(&geometry, "", "<node><instance_geometry url='#g'/></node>");
    assert_eq!(collada("one geometry", &text).unwrap_err().0, ErrorKind::Empty);
    let mut geometries = format!(
        "<geometry id='h'><mesh><source id='o'><float_array id='a' count='100000'>{}</float_array></source></mesh></geometry>",
        "0 ".repeat(100_000)
    );
    let mut scene = String::new();
    for i in 0..1000 {
        let _ = write!(
            geometries,
            "<geometry id='g{i}'><mesh><source id='s{i}'><technique_common><accessor source='#a' count='0' stride='3'/></technique_common>\
            </source><triangles count='0'><input semantic='VERTEX' source='#s{i}' offset='0'/><p></p></triangles></mesh></geometry>"
        );
        let _ = write!(scene, "<instance_geometry url='#g{i}'/>");
    }
    let text = document(&geometries, "", &format!("<node>{scene}</node>"));
    assert_eq!(collada("many geometries", &text).unwrap_err().0, ErrorKind::Empty);
}

#[test]
fn the_inputs_of_vertices_are_looked_through_once() {
    let mut geometry =
        "<geometry id='g'><mesh><source id='s'><float_array id='a' count='3'>0 0 0</float_array><technique_common>\
        <accessor source='#a' count='1' stride='3'/></technique_common></source><vertices id='v'>"
            .to_owned();
    geometry.push_str(&"<input/>".repeat(60_000));
    geometry.push_str("<input semantic='POSITION' source='#s'/></vertices>");
    geometry.push_str(&"<triangles><input semantic='VERTEX' source='#v'/><p>0 0 0</p></triangles>".repeat(6000));
    geometry.push_str("</mesh></geometry>");
    assert_eq!(collada("inputs", &document(&geometry, "", "<node><instance_geometry url='#g'/></node>")), Ok(6000));
}

#[test]
fn xml_that_a_parser_takes_long_for_is_refused() {
    let mut attributes = String::new();
    let mut namespaces = String::new();
    for i in 0..60_000 {
        let _ = write!(attributes, " a{i}=''");
        let _ = write!(namespaces, " xmlns:a{i}='u{i}'");
    }
    for (what, text) in [
        ("attributes", format!("<COLLADA{attributes}/>")),
        ("quoted", format!("<COLLADA><!-- > \" --><a b='>'{attributes}/></COLLADA>")),
        ("namespaces", format!("<COLLADA{namespaces}/>")),
        ("nested namespaces", {
            let mut text = "<COLLADA>".to_owned();
            (0..30_000).for_each(|i| text.push_str(&format!("<a xmlns:a{i}='u'>")));
            text
        }),
        ("entities", {
            let mut text = "<!DOCTYPE r [<!ENTITY a0 'aaaaaaaaaa'>".to_owned();
            for i in 1..20 {
                let _ = write!(text, "<!ENTITY a{i} '{}'>", format!("&a{};", i - 1).repeat(10));
            }
            text + "]><COLLADA>&a19;</COLLADA>"
        }),
    ] {
        let (kind, message) = collada(what, &text).unwrap_err();
        assert!(matches!(kind, ErrorKind::TooLarge | ErrorKind::Malformed), "{what}: {message}");
    }
    let deep = "<a>".repeat(200_000);
    assert_eq!(collada("deep", &format!("<COLLADA>{deep}")).unwrap_err().0, ErrorKind::Malformed);
    let deep = format!("<COLLADA>{deep}{}</COLLADA>", "</a>".repeat(200_000));
    assert_eq!(collada("deep and whole", &deep).unwrap_err().0, ErrorKind::Empty);
    // Texts and comments may hold what looks like attributes.
    let text = format!("<COLLADA><!--{attributes}--><extra>{attributes}<![CDATA[<a{attributes}>]]></extra></COLLADA>");
    assert_eq!(collada("text", &text).unwrap_err().0, ErrorKind::Empty);
}

#[test]
fn the_weights_of_a_mesh_are_looked_through_once() {
    let nodes = vec!["{\"mesh\":0}"; 40_000].join(",");
    let weights = vec!["0"; 200_000].join(",");
    let text = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{nodes}],\"meshes\":[{{\"primitives\":[],\"weights\":[{weights}]}}]}}"
    );
    assert_eq!(gltf("weights", &text).unwrap_err().0, ErrorKind::Empty);
}

#[test]
fn nested_json_and_accessors_beyond_their_buffer_are_errors() {
    let deep = format!("{{\"asset\":{}", "[".repeat(200_000));
    assert_eq!(gltf("deep", &deep).unwrap_err().0, ErrorKind::Malformed);
    let text = "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],\
        \"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4000000000,\"type\":\"VEC3\"}],\
        \"bufferViews\":[{\"buffer\":0,\"byteLength\":4}],\"buffers\":[{\"uri\":\"data:;base64,AAAAAA==\",\"byteLength\":4}]}";
    assert_eq!(gltf("accessor", text).unwrap_err().0, ErrorKind::OutOfRange);
    // No stride makes rows overlap, so that an accessor has no more rows than its buffer has bytes.
    let strided = text
        .replace("4000000000", "4")
        .replace("\"byteLength\":4}],\"buffers\"", "\"byteLength\":4,\"byteStride\":0}],\"buffers\"");
    assert_eq!(gltf("stride", &strided).unwrap_err().0, ErrorKind::OutOfRange);
    let twice = "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"children\":[1,1]},{}]}";
    assert_eq!(gltf("twice", twice).unwrap_err().0, ErrorKind::Malformed);
}

#[test]
fn a_file_beside_the_document_is_read_once_however_many_buffers_name_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("data.bin"), vec![0; 1_000_000]).unwrap();
    let count = 400;
    let list = |item: &dyn Fn(usize) -> String| (0..count).map(item).collect::<Vec<_>>().join(",");
    let primitives = list(&|i| format!("{{\"attributes\":{{\"POSITION\":{i}}}}}"));
    let accessors = list(&|i| format!("{{\"bufferView\":{i},\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}}"));
    let views = list(&|i| format!("{{\"buffer\":{i},\"byteLength\":36}}"));
    let buffers = list(&|i| format!("{{\"uri\":\"{}data.bin\",\"byteLength\":36}}", "./".repeat(i % 3)));
    let text = format!(
        "{{\"asset\":{{\"version\":\"2.0\"}},\"nodes\":[{{\"mesh\":0}}],\"meshes\":[{{\"primitives\":[{primitives}]}}],\
        \"accessors\":[{accessors}],\"bufferViews\":[{views}],\"buffers\":[{buffers}]}}"
    );
    let file = folder.path().join("scene.gltf");
    std::fs::write(&file, &text).unwrap();
    let mesh = bounded("buffers", text.len() + 1_000_000, 4, || load_mesh(&file)).unwrap();
    assert_eq!(mesh.len(), count);
}
