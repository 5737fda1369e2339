//! Mesh files without a scene, and points.

use crate::bounded;
use clearance_io::{
    ErrorKind, LoadOptions, MeshFormat, PointFormat, PointOptions, read_mesh, read_points, read_points_with,
};

fn mesh(what: &str, bytes: &[u8], format: MeshFormat, per_byte: u64) -> Result<usize, ErrorKind> {
    let read = bounded(what, bytes.len(), per_byte, || read_mesh(bytes, format, &LoadOptions::default()));
    read.map(|mesh| mesh.len()).map_err(|error| error.kind())
}

fn points(what: &str, bytes: &[u8], format: PointFormat, per_byte: u64) -> Result<usize, ErrorKind> {
    let read = bounded(what, bytes.len(), per_byte, || read_points(bytes, format));
    read.map(|cloud| cloud.points.len()).map_err(|error| error.kind())
}

#[test]
fn counts_that_a_file_cannot_hold_take_no_memory() {
    let mut stl = vec![b' '; 80];
    stl.extend(u32::MAX.to_le_bytes());
    stl.extend([0; 50]);
    assert_eq!(mesh("stl", &stl, MeshFormat::Stl, 20), Err(ErrorKind::Truncated));
    for (format, text) in [
        (MeshFormat::Off, "OFF\n4000000000 4000000000 0\n0 0 0\n"),
        (MeshFormat::Tris, "4000000000\n0 0 0 1 0 0 0 1 0\n"),
        (
            MeshFormat::Ply,
            "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
        ),
    ] {
        assert_eq!(mesh("counts", text.as_bytes(), format, 20), Err(ErrorKind::Truncated));
    }
    let list = b"ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint uchar vertex_indices\nend_header\n\xff\xff\xff\xff\0\0";
    assert_eq!(mesh("list", list, MeshFormat::Ply, 20), Err(ErrorKind::Truncated));
    let pcd =
        "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 4000000000\nHEIGHT 4000000000\nDATA binary\n0000";
    assert_eq!(points("pcd", pcd.as_bytes(), PointFormat::Pcd, 20), Err(ErrorKind::Truncated));
}

#[test]
fn very_long_lines_are_read_once() {
    let blank = " ".repeat(2_000_000);
    let stl = format!(
        "solid{blank}\nfacet normal 0 0 1{blank}outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet endsolid"
    );
    assert_eq!(mesh("stl", stl.as_bytes(), MeshFormat::Stl, 1), Ok(1));
    let obj = format!("v 0 0 0{blank}\nv 1 0 0\nv 0 1 0\nf 1{blank}2 3\n");
    assert_eq!(mesh("obj", obj.as_bytes(), MeshFormat::Obj, 1), Ok(1));
    let off = format!("OFF{blank}3 1 0\n0 0 0{blank}\n1 0 0\n0 1 0\n3 0 1 2\n");
    assert_eq!(mesh("off", off.as_bytes(), MeshFormat::Off, 1), Ok(1));
    let xyz = format!("1{blank}2 3\n4 5 6 {}\n", "7 ".repeat(1_000_000));
    assert_eq!(points("xyz", xyz.as_bytes(), PointFormat::Xyz, 1), Ok(2));
    let names = format!("{}\n1 2 3\n", "x ".repeat(1_000_000));
    assert_eq!(points("xyz names", names.as_bytes(), PointFormat::Xyz, 1), Ok(1));
}

#[test]
fn lines_that_are_joined_are_joined_once() {
    // One face of 200,000 vertices, each on a line of its own, and as many statements of one
    // continued line.
    let mut obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_owned();
    obj.push_str("f \\\n");
    for i in 0..200_000 {
        obj.push_str(["1\\\n", "2\\\n", "3\\\n"][i % 3]);
    }
    obj.push_str("1\n");
    for _ in 0..200_000 {
        obj.push_str("g\\\n\n");
    }
    assert_eq!(mesh("obj", obj.as_bytes(), MeshFormat::Obj, 40), Ok(199_999));
}

#[test]
fn elements_of_a_ply_header_are_compared_once() {
    let mut ply = "ply\nformat ascii 1.0\n".to_owned();
    for i in 0..100_000 {
        ply.push_str(&format!("element e{i} 0\n"));
    }
    ply.push_str("element vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n");
    assert_eq!(points("ply points", ply.as_bytes(), PointFormat::Ply, 40), Ok(1));
    assert_eq!(mesh("ply", ply.as_bytes(), MeshFormat::Ply, 40), Err(ErrorKind::Empty));
    let twice = ply.replace("element e7 0", "element e5 0");
    assert_eq!(points("ply twice", twice.as_bytes(), PointFormat::Ply, 40), Err(ErrorKind::Malformed));
}

#[test]
fn properties_and_rows_of_a_ply_file_cost_what_they_are_long() {
    let mut ply = "ply\nformat ascii 1.0\nelement vertex 3\n".to_owned();
    for i in 0..50_000 {
        ply.push_str(&format!("property float p{i}\n"));
    }
    ply.push_str("property float x\nproperty float y\nproperty float z\nend_header\n");
    for _ in 0..3 {
        ply.push_str(&"0 ".repeat(50_003));
        ply.push('\n');
    }
    assert_eq!(points("ply", ply.as_bytes(), PointFormat::Ply, 40), Ok(3));
}

/// LZF of `count` zero bytes: three bytes stand for up to 264.
fn zeros(count: usize) -> Vec<u8> {
    let mut packed = vec![0, 0];
    let mut rest = count - 1;
    while rest > 0 {
        let run = rest.min(264);
        assert!(run >= 9, "the last run is a long one");
        packed.extend([7 << 5, (run - 9) as u8, 0]);
        rest -= run;
    }
    packed
}

fn compressed(points: usize) -> Vec<u8> {
    let packed = zeros(3 * points);
    let mut file = format!(
        "VERSION 0.7\nFIELDS x y z\nSIZE 1 1 1\nTYPE U U U\nWIDTH {points}\nHEIGHT 1\nPOINTS {points}\nDATA binary_compressed\n"
    )
    .into_bytes();
    file.extend((packed.len() as u32).to_le_bytes());
    file.extend((3 * points as u32).to_le_bytes());
    file.extend(packed);
    file
}

#[test]
fn compressed_points_unpack_to_what_the_data_holds() {
    // The same point many times is legal; 88 bytes for each are the most that the compression
    // allows.
    let file = compressed(880_000);
    assert_eq!(points("pcd", &file, PointFormat::Pcd, 88 * (1 + 8 + 16)), Ok(880_000));
    // A header that promises more than the data can hold is refused before anything is unpacked.
    let mut file = compressed(880_000);
    let header = file.windows(18).position(|window| window == b"binary_compressed\n").unwrap() + 18;
    let text = String::from_utf8(file[..header].to_vec()).unwrap().replace("880000", "2300000");
    file.splice(..header, text.into_bytes());
    let header = file.windows(18).position(|window| window == b"binary_compressed\n").unwrap() + 18;
    file[header + 4..header + 8].copy_from_slice(&6_900_000_u32.to_le_bytes());
    assert_eq!(points("pcd promises", &file, PointFormat::Pcd, 4), Err(ErrorKind::Malformed));
    // Who reads files of strangers sets a limit of his own.
    let file = compressed(880_000);
    let few = PointOptions { max_points: 879_999 };
    let read = bounded("pcd limit", file.len(), 1, || read_points_with(&file, PointFormat::Pcd, &few));
    let error = read.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    assert_eq!(error.to_string(), "line 8: there are 880000 points, more than the allowed 879999");
}
