//! What the Collada reader keeps, places and refuses.

use super::*;
use crate::UpAxisPolicy;

const TRIANGLES: &str = r##"<triangles count="1"><input semantic="VERTEX" source="#v" offset="1"/><input semantic="NORMAL" source="#s" offset="0"/>
<p>9 0 9 1
 9 2</p></triangles>"##;
const INPUT: &str = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;

/// A file with four vertices, the given primitives and the given children of the visual scene, on
/// lines of their own.
fn file(primitives: &str, scene: &str) -> String {
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><unit name="cm" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh><source id="s"><float_array id="a" count="12">0 0 0 1 0 0 1 1 0 0 1 0.1</float_array>
<technique_common><accessor source="#a" count="4" stride="3"><param name="X"/><param name="Y"/><param name="Z"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
{primitives}
</mesh></geometry></library_geometries><library_nodes><node id="n"><translate>0 0 5</translate><instance_geometry url="#g"/></node></library_nodes><library_visual_scenes><visual_scene id="w">
{scene}
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"##
    )
}

const PLAIN: &str = r##"<node><instance_geometry url="#g"/></node>"##;

fn parse(text: &str) -> Result<TriMesh> {
    read(text.as_bytes(), &LoadOptions { unit: UnitPolicy::Ignore, ..LoadOptions::default() })
}

fn triangles(primitive: &str) -> Vec<[u32; 3]> {
    parse(&file(primitive, PLAIN)).unwrap().triangles().to_vec()
}

#[test]
fn all_primitives_become_triangles_in_order_and_lines_do_not() {
    assert_eq!(triangles(TRIANGLES), [[0, 1, 2]]);
    let polylist = format!("<polylist count=\"2\">{INPUT}<vcount>4 3</vcount><p>0 1 2 3 2 2 1</p></polylist>");
    assert_eq!(triangles(&polylist), [[0, 1, 2], [0, 2, 3], [2, 2, 1]]);
    let polygons = format!("<polygons count=\"2\">{INPUT}<p>0 1 2 3</p><p>3 2 1</p></polygons>");
    assert_eq!(triangles(&polygons), [[0, 1, 2], [0, 2, 3], [3, 2, 1]]);
    let fans = format!("<trifans count=\"1\">{INPUT}<p>1 2 3 0</p></trifans>");
    assert_eq!(triangles(&fans), [[1, 2, 3], [1, 3, 0]]);
    let strips = format!("<tristrips count=\"1\">{INPUT}<p>0 1 2 3</p></tristrips>");
    assert_eq!(triangles(&strips), [[0, 1, 2], [2, 1, 3]]);
    let lines = format!("<lines count=\"1\">{INPUT}<p>0 1</p></lines>{TRIANGLES}<triangles count=\"0\"/>");
    assert_eq!(triangles(&lines), [[0, 1, 2]]);
}

#[test]
fn the_unit_is_applied_and_the_axis_ignored_by_default() {
    let text = file(TRIANGLES, PLAIN);
    let read_with = |unit, up_axis| {
        let options = LoadOptions { unit, up_axis, ..LoadOptions::default() };
        read(text.as_bytes(), &options).unwrap().vertices()[3]
    };
    assert_eq!(read(text.as_bytes(), &LoadOptions::default()).unwrap().vertices()[3], DVec3::new(0.0, 0.01, 0.001));
    assert_eq!(read_with(UnitPolicy::Ignore, UpAxisPolicy::Ignore), DVec3::new(0.0, 1.0, 0.1));
    assert_eq!(read_with(UnitPolicy::Ignore, UpAxisPolicy::TurnToZ), DVec3::new(0.0, -0.1, 1.0));
}

#[test]
fn transforms_apply_in_their_order_down_the_nodes() {
    let scene = r##"<node><translate>10 0 0</translate><rotate>0 0 2 90</rotate><rotate>0 0 0 0</rotate>
<node><scale>2 3 4</scale><matrix>1 0 0 1  0 1 0 0  0 0 1 0  0 0 0 1</matrix><instance_geometry url="#g"/></node></node>"##;
    let mesh = parse(&file(TRIANGLES, scene)).unwrap();
    // (0, 1, 0.1) → shifted (1, 1, 0.1) → scaled (2, 3, 0.4) → turned (-3, 2, 0.4) → shifted.
    let expected = DVec3::new(7.0, 2.0, 0.4);
    assert!(mesh.vertices()[3].distance(expected) < 1e-15, "{}", mesh.vertices()[3]);
}

#[test]
fn small_transforms_are_not_dropped() {
    let scene = r##"<node><translate>0.003 0 1e-12</translate><instance_geometry url="#g"/></node>"##;
    assert_eq!(parse(&file(TRIANGLES, scene)).unwrap().vertices()[0], DVec3::new(0.003, 0.0, 1e-12));
}

#[test]
fn repeated_instances_repeat_the_triangles_and_mirrored_ones_are_turned_over() {
    let scene = r##"<node><instance_geometry url="#g"/><instance_node url="#n"/><instance_geometry url="#g"/></node>
<node><scale>-1 1 1</scale><instance_node url="#n"/></node>"##;
    let mesh = parse(&file(TRIANGLES, scene)).unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2], [4, 5, 6], [8, 9, 10], [12, 14, 13]]);
    assert_eq!(mesh.vertices()[5], DVec3::new(1.0, 0.0, 5.0));
    assert_eq!(mesh.vertices()[13], DVec3::new(-1.0, 0.0, 5.0));
}

#[test]
fn nodes_that_hold_themselves_or_multiply_without_end_are_errors() {
    let own = r##"<node id="m"><instance_node url="#m"/></node>"##;
    assert_eq!(parse(&file(TRIANGLES, own)).unwrap_err().kind(), ErrorKind::TooLarge);
    let mut doubling = String::from("<node id=\"k0\"/>");
    for i in 1..60 {
        let half = format!("<instance_node url=\"#k{}\"/>", i - 1);
        doubling.push_str(&format!("<node id=\"k{i}\">{half}{half}</node>"));
    }
    assert_eq!(parse(&file(TRIANGLES, &doubling)).unwrap_err().kind(), ErrorKind::TooLarge);
    let text = file(
        TRIANGLES,
        &doubling.replace("<node id=\"k0\"/>", r##"<node id="k0"><instance_geometry url="#g"/></node>"##),
    );
    let options = LoadOptions { max_elements: 100, ..LoadOptions::default() };
    assert_eq!(read(text.as_bytes(), &options).unwrap_err().kind(), ErrorKind::TooLarge);
}

#[test]
fn deep_nesting_is_an_error_and_no_stack_overflow() {
    let deep = format!("{}{}", "<node>".repeat(200_000), "</node>".repeat(200_000));
    assert_eq!(parse(&file(TRIANGLES, &deep)).unwrap_err().kind(), ErrorKind::TooLarge);
}

#[test]
fn text_around_comments_and_in_other_encodings_is_read() {
    let text = file(&TRIANGLES.replace("9 1\n", "9 <!-- c --> 1\n"), PLAIN);
    assert_eq!(parse(&text).unwrap().len(), 1);
    // A Latin-1 byte in a name, as older exporters write.
    let mut bytes = text.into_bytes();
    let name = bytes.windows(2).position(|two| two == b"cm").unwrap();
    bytes[name] = 0xb5;
    assert_eq!(read(&bytes, &LoadOptions::default()).unwrap().len(), 1);
}

#[test]
fn errors_name_the_line() {
    use ErrorKind::*;
    let cases = [
        ("9 2</p>", "9 4</p>", OutOfRange, 8),
        ("9 2</p>", "9</p>", Malformed, 7),
        ("9 2</p>", "9 -1</p>", Malformed, 8),
        ("9 2</p>", "9 2 9 3</p>", Malformed, 7),
        ("<triangles count=\"1\"", "<triangles count=\"2\"", Truncated, 6),
        ("<triangles count=\"1\"", "<triangles count=\"one\"", Malformed, 6),
        ("offset=\"1\"", "offset=\"18446744073709551615\"", Malformed, 7),
        ("semantic=\"VERTEX\"", "semantic=\"VERTICES\"", Malformed, 6),
        ("source=\"#v\"", "source=\"#x\"", OutOfRange, 6),
        ("source=\"#v\"", "source=\"x.dae#v\"", Unsupported, 6),
        ("1 1 0 0 1 0.1", "1 1 0 0 1", Truncated, 3),
        ("1 1 0 0 1 0.1", "1 1 0 0 1 x", Malformed, 3),
        ("1 1 0 0 1 0.1", "1 1 0 0 1 INF", NotFinite, 3),
        ("count=\"4\" stride=\"3\"", "count=\"5\" stride=\"3\"", OutOfRange, 4),
        ("count=\"4\" stride=\"3\"", "count=\"18446744073709551615\" stride=\"3\"", OutOfRange, 4),
        ("count=\"4\" stride=\"3\"", "count=\"4\" stride=\"2\"", OutOfRange, 4),
        ("count=\"4\" stride=\"3\"", "count=\"4\" offset=\"1\" stride=\"3\"", OutOfRange, 4),
        ("\"POSITION\"", "\"PLACE\"", Malformed, 5),
        ("meter=\"0.01\"", "meter=\"0\"", Malformed, 2),
        ("meter=\"0.01\"", "meter=\"nan\"", Malformed, 2),
        ("Y_UP", "UP", Malformed, 2),
        ("<node><instance_g", "<node><matrix>1 0 0</matrix><instance_g", Malformed, 10),
        ("<node><instance_g", "<node><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1</matrix><instance_g", Unsupported, 10),
        ("<node><instance_g", "<node><translate>1 0 1e999</translate><instance_g", NotFinite, 10),
        ("<node><instance_g", "<node><rotate>0 0 0 5</rotate><instance_g", Malformed, 10),
        ("<node><instance_g", "<node><lookat>0 0 0 1 1 1 0 0 1</lookat><instance_g", Unsupported, 10),
        ("<node><instance_g", "<node><skew>0 0 0 1 1 1 0</skew><instance_g", Unsupported, 10),
        ("<node><instance_g", "<node><instance_controller url=\"#c\"/><instance_g", Unsupported, 10),
        ("<node><instance_geometry url=\"#g\"", "<node><instance_geometry url=\"#h\"", OutOfRange, 10),
        ("<node><instance_geometry url=\"#g\"", "<node><instance_geometry", Malformed, 10),
        ("</mesh></geometry>", "</mesh>", Malformed, 9),
        ("<COLLADA", "<collada", Malformed, 11),
    ];
    for (from, to, kind, line) in cases {
        let text = file(TRIANGLES, PLAIN).replacen(from, to, 1);
        let error = read(text.as_bytes(), &LoadOptions::default()).unwrap_err();
        assert_eq!((error.kind(), error.place()), (kind, &Place::Line(line)), "{to}: {error}");
    }
    let hole = "<polygons count=\"1\"><ph><p>0 1 2</p><h>0 1 2</h></ph></polygons>";
    assert_eq!(parse(&file(hole, PLAIN)).unwrap_err().kind(), Unsupported);
    assert_eq!(parse(&file(TRIANGLES, "")).unwrap_err().kind(), Empty);
    let whole = file(TRIANGLES, PLAIN);
    for length in (0..whole.len()).step_by(7) {
        assert!(parse(&whole[..length]).is_err(), "{length}");
    }
}
