//! Writes a few small files of every format into `seeds/<target>`: what the fuzzer starts from.
//! They are part of the repository; run this after a change of it.

use std::path::Path;

const OBJ: &str = "mtllib a.mtl\no a\nv 0 0 0\nv 1 0 0 1 1 1\nv 1 1e0 0\nv 0 1 .5\nvn 0 0 1\nvt 0 0\ng b\nl 1 2\nf 1 2 3 4\nf 1/1 2/1/1 3//1\nf -4 -3 \\\n -1 # c\n";
const OFF: &str = "OFF\n# c\n4 2 0\n0 0 0\n1 0 0\n1 1e0 0\n0 1 .5\n4 0 1 2 3\n3 0 1 2 255 0 0\n";
const COFF: &str = "STCNOFF 3 2\n0 0 0 1 1 1\n1 0 0 1 1 1\n1 1 0 1 1 1\n3 0 1 2\n2 0 1\n";
const TRIS: &str = "2\n0 0 0\n1 0 0\n0 1 0\n\n0 0 0 1 0 0 0 0 -1e-3\n";
const STL: &str = "solid a b\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1e0 0\nendloop\nendfacet\nendsolid a b\n";
const PLY: &str = "ply\nformat ascii 1.0\ncomment c\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nelement tristrips 1\nproperty list int int vertex_index\nend_header\n";
const DAE_HEAD: &str = "<?xml version=\"1.0\"?><COLLADA version=\"1.4.1\"><asset><unit meter=\"0.01\"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh><source id=\"s\"><float_array id=\"a\" count=\"12\">0 0 0 1 0 0 1 1 0 0 1 0</float_array><technique_common><accessor source=\"#a\" count=\"4\" stride=\"3\" offset=\"0\"><param name=\"X\"/><param name=\"Y\"/><param name=\"Z\"/></accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#s\"/></vertices>";
const DAE_TAIL: &str = "</mesh></geometry></library_geometries><library_nodes><node id=\"n\"><scale>1 2 3</scale><instance_geometry url=\"#g\"/></node></library_nodes><library_visual_scenes><visual_scene id=\"w\"><node><matrix>1 0 0 1 0 1 0 2 0 0 1 3 0 0 0 1</matrix><translate>1 2 3</translate><rotate>0 0 1 90</rotate><node><instance_node url=\"#n\"/></node><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene><instance_visual_scene url=\"#w\"/></scene></COLLADA>";
const DAE_PRIMITIVES: [&str; 5] = [
    "<triangles count=\"2\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><input semantic=\"NORMAL\" source=\"#s\" offset=\"1\"/><p>0 0 1 0 2 0 0 0 2 0 3 0</p></triangles>",
    "<polylist count=\"2\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><vcount>4 3</vcount><p>0 1 2 3 0 1 2</p></polylist>",
    "<polygons count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2 3</p></polygons>",
    "<trifans count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2 3</p></trifans>",
    "<tristrips count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2 3</p></tristrips><lines count=\"0\"/>",
];
const GLTF_REST: &str = "\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"children\":[1],\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,1,2,3,1]},{\"mesh\":0,\"translation\":[1,0,0],\"rotation\":[0,0,0,1],\"scale\":[1,2,-1]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1},{\"attributes\":{\"POSITION\":0},\"mode\":5}]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},{\"bufferView\":1,\"byteOffset\":0,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6}]}";
const GLTF_DATA: &str = "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAAAAABAAIA";
const URDF: &str = "<?xml version='1.0'?><robot name='r'><material name='m'/><link name='a'><inertial/><visual><geometry><box size='1 1 1'/></geometry></visual><collision name='c'><origin xyz='1 0 -1' rpy='0 .5 0'/><geometry><cylinder radius='0.5' length='2'/></geometry></collision><collision><geometry><sphere radius='1'/></geometry></collision></link><link name='b'/><link name='c'/><link name='d'/><joint name='i' type='revolute'><parent link='a'/><child link='b'/><origin rpy='1 2 3'/><axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='1' velocity='1'/></joint><joint name='j' type='prismatic'><parent link='b'/><child link='c'/><limit lower='0' upper='1'/><mimic joint='i' multiplier='-1' offset='0.5'/></joint><joint name='k' type='floating'><parent link='a'/><child link='d'/></joint></robot>";
const SRDF: &str = "<robot name='r'><group name='g'><link name='a'/><joint name='j'/></group><group name='h'><chain base_link='a' tip_link='c'/><group name='g'/></group><virtual_joint name='v' type='floating' parent_frame='w' child_link='a'/><disable_collisions link1='a' link2='c' reason='Never'/><disable_default_collisions link='d'/><enable_collisions link1='d' link2='c'/><other/></robot>";

const SCENE: &str = "{\"objects\":[{\"name\":\"a\",\"pose\":[0,0,1,1,0,0,0],\"box\":[1,0.3,2e-2]},{\"name\":\"b\",\"sphere\":1},{\"name\":\"c\",\"cylinder\":{\"radius\":1,\"length\":2}},{\"name\":\"d\",\"capsule\":{\"radius\":1,\"length\":2}},{\"name\":\"e\",\"ellipsoid\":[1,2,3]},{\"name\":\"f\",\"halfspace\":{\"normal\":[0,0,1],\"offset\":-1}}]}";

const PCD: &str = "# .PCD v.7\nVERSION .7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA ";

fn main() -> std::io::Result<()> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let write = |target: &str, name: &str, bytes: &[u8]| {
        std::fs::create_dir_all(corpus.join(target))?;
        std::fs::write(corpus.join(target).join(name), bytes)
    };
    write("obj", "quad", OBJ.as_bytes())?;
    write("off", "quad", OFF.as_bytes())?;
    write("off", "normals", COFF.as_bytes())?;
    write("urdf", "tree", URDF.as_bytes())?;
    write("urdf", "planar", URDF.replace("floating", "planar").as_bytes())?;
    write("srdf", "all", SRDF.as_bytes())?;
    write("table", "quoted", b"i,\"j\",k\n1,2,3\n\n-1e-3, .5 ,4\r\n")?;
    write("table", "one", b"\xef\xbb\xbfj\n7\n-7\n")?;
    write("scene", "solids", SCENE.as_bytes())?;
    write("scene", "files", b"{\"objects\":[{\"name\":\"a\",\"mesh\":\"a.stl\",\"solid\":true}]}")?;
    write("tris", "two", TRIS.as_bytes())?;
    write("xyz", "four", b"x y z\n1 2 3\n4,5,6,7 # c\n\n-1e-3;0;.5\n")?;
    write("pcd", "text", format!("{PCD}ascii\n1 2 3\nnan 5 6\n7 8e0 -9\n").as_bytes())?;
    write("pcd", "binary", &binary_pcd("binary\n", &[]))?;
    // Two literal runs.
    write("pcd", "compressed", &binary_pcd("binary_compressed\n", &[31, 3]))?;
    write("ply_points", "text", format!("{PLY}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n7 0 1 2 -1 2 1 0\n").as_bytes())?;
    write("ply_points", "little", &binary_ply("binary_little_endian", f32::to_le_bytes, i32::to_le_bytes))?;
    write("stl", "text", STL.as_bytes())?;
    write("stl", "binary", &binary_stl())?;
    write("ply", "text", format!("{PLY}0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n7 0 1 2 -1 2 1 0\n").as_bytes())?;
    write("ply", "little", &binary_ply("binary_little_endian", f32::to_le_bytes, i32::to_le_bytes))?;
    write("ply", "big", &binary_ply("binary_big_endian", f32::to_be_bytes, i32::to_be_bytes))?;
    for (i, primitive) in DAE_PRIMITIVES.iter().enumerate() {
        write("collada", &format!("primitive{i}"), format!("{DAE_HEAD}{primitive}{DAE_TAIL}").as_bytes())?;
    }
    let uri = format!("\"uri\":\"data:application/octet-stream;base64,{GLTF_DATA}\",");
    write("gltf", "json", gltf_json(&uri).as_bytes())?;
    write("gltf", "glb", &glb(&gltf_json("")))?;
    // A leaf of each kind and a node below; the same with log-odds.
    let deeper = [0b0000_0000_1110_0111_u16, 0b11, 0b0110, 0b11, 0b1001].map(u16::to_le_bytes);
    write("octomap", "binary", &octomap("binary ", 9, deeper.as_flattened()))?;
    let values = [(1.0_f32, 5), (-2.0, 0), (3.5, 128), (0.25, 0)];
    let values: Vec<u8> =
        values.iter().flat_map(|(value, children)| [&value.to_le_bytes()[..], &[*children]].concat()).collect();
    write("octomap", "full", &octomap("", 4, &values))?;
    for what in 0..6 {
        write("gaps", &format!("changed{what}"), &[what, 11, 0, 3, 0, 0, 0])?;
    }
    for kind in 0..6 {
        write("hierarchy", &format!("unchanged{kind}"), &[kind])?;
        for what in 0..6 {
            let place = u16::from(kind) * 97 + 11;
            let [low, high] = place.to_le_bytes();
            write("hierarchy", &format!("changed{kind}{what}"), &[kind, what, low, high, 3, 0, 0, 0])?;
        }
    }
    // What was derived: numbers of a grid's points at the end, then polyhedra, spheres and the grid.
    for (number, place) in [3_500_u16, 6_000, 10_000, 20_000, 30_000].into_iter().enumerate() {
        let [low, high] = place.to_le_bytes();
        write("hierarchy", &format!("derived{number}"), &[4, 2, low, high, 0, 0, 0x40, 0])?;
    }
    Ok(())
}

fn octomap(kind: &str, size: usize, nodes: &[u8]) -> Vec<u8> {
    let head = format!("# Octomap OcTree {kind}file\n# c\nid OcTree\nsize {size}\nres 0.1\ndata\n");
    [head.as_bytes(), nodes].concat()
}

const TRIANGLE: [f32; 9] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];

fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(2_u32.to_le_bytes());
    for _ in 0..2 {
        bytes.extend([0; 12]);
        bytes.extend(TRIANGLE.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

/// Three points; with runs, each one less than the bytes that it takes literally, they are packed.
fn binary_pcd(data: &str, runs: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{PCD}{data}").into_bytes();
    let points: Vec<u8> = TRIANGLE.iter().flat_map(|x| x.to_le_bytes()).collect();
    if runs.is_empty() {
        bytes.extend(points);
        return bytes;
    }
    bytes.extend(((points.len() + runs.len()) as u32).to_le_bytes());
    bytes.extend((points.len() as u32).to_le_bytes());
    let mut rest = &points[..];
    for &run in runs {
        let (literal, after) = rest.split_at(usize::from(run) + 1);
        bytes.push(run);
        bytes.extend(literal);
        rest = after;
    }
    bytes
}

fn binary_ply(format: &str, float: fn(f32) -> [u8; 4], int: fn(i32) -> [u8; 4]) -> Vec<u8> {
    let mut bytes = PLY.replace("ascii", format).into_bytes();
    bytes.extend(TRIANGLE.iter().flat_map(|&x| float(x)));
    bytes.push(3);
    bytes.extend([0, 1, 2].iter().flat_map(|&x| int(x)));
    bytes.extend([7, 0, 1, 2, -1, 2, 1, 0].iter().flat_map(|&x| int(x)));
    bytes
}

fn gltf_json(uri: &str) -> String {
    format!("{{\"asset\":{{\"version\":\"2.0\"}},\"buffers\":[{{{uri}\"byteLength\":42}}],{GLTF_REST}")
}

fn glb(json: &str) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut data: Vec<u8> = TRIANGLE.iter().flat_map(|x| x.to_le_bytes()).collect();
    data.extend([0, 0, 1, 0, 2, 0, 0, 0]);
    let length = 12 + 8 + json.len() + 8 + data.len();
    let mut bytes = b"glTF".to_vec();
    bytes.extend([2, length as u32, json.len() as u32].iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend(b"JSON");
    bytes.extend(json);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}
