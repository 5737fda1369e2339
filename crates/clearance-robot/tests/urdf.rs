//! What a URDF file says, and where its meshes are found.

use clearance_engine::math::DVec3;
use clearance_robot::{
    ErrorKind, GeometrySource, JointKind, Limits, LinkShape, Robot, UrdfOptions, load_urdf, read_urdf,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MESH: &str = "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

fn write(folder: &Path, path: &str, text: &str) -> PathBuf {
    let file = folder.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, text).unwrap();
    file
}

/// A robot of one link with one mesh, in `src/arm/urdf/robot.urdf` of the folder.
fn one_mesh(folder: &Path, uri: &str) -> PathBuf {
    let mesh = format!("<mesh filename='{uri}' scale='1 2 3'/>");
    let text =
        format!("<robot name='r'>\n<link name='a'><collision><geometry>\n{mesh}</geometry></collision></link></robot>");
    write(folder, "src/arm/urdf/robot.urdf", &text)
}

fn second_vertex(robot: &Robot) -> DVec3 {
    match &robot.links()[0].geometries()[0].shape {
        LinkShape::Mesh(mesh) => mesh.vertices()[1],
        other => panic!("{other:?}"),
    }
}

#[test]
fn meshes_are_found_by_package_file_absolute_and_relative_paths() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = write(folder.path(), "src/arm/meshes/a b.off", MESH);
    let absolute = mesh.to_str().unwrap();
    let encoded = absolute.replace(' ', "%20");
    for uri in [
        "package://arm/meshes/a b.off",
        "package:///arm/meshes/a b.off",
        "../meshes/a b.off",
        "./../meshes/a b.off",
        "file://../meshes/a b.off",
        absolute,
        &format!("file://{absolute}"),
        &format!("file://{encoded}"),
        &format!("file://localhost{encoded}"),
    ] {
        let urdf = one_mesh(folder.path(), uri);
        let robot = load_urdf(&urdf, &UrdfOptions::default()).unwrap_or_else(|error| panic!("{uri}: {error}"));
        assert_eq!(second_vertex(&robot), DVec3::X);
    }
}

#[test]
fn given_package_folders_come_first_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "src/arm/m.off", MESH);
    write(folder.path(), "first/other/m.off", MESH);
    write(folder.path(), "second/arm/m.off", &MESH.replace("\n1 0 0", "\n2 0 0"));
    write(folder.path(), "third/arm/m.off", &MESH.replace("\n1 0 0", "\n3 0 0"));
    let urdf = one_mesh(folder.path(), "package://arm/m.off");
    for (names, x) in
        [(&["first", "second", "third"][..], 2.0), (&["third", "second"], 3.0), (&["first"], 1.0), (&[], 1.0)]
    {
        let packages = names.iter().map(|name| folder.path().join(name)).collect();
        let robot = load_urdf(&urdf, &UrdfOptions { packages, ..UrdfOptions::default() }).unwrap();
        assert_eq!(second_vertex(&robot).x, x, "{names:?}");
    }
}

#[test]
fn a_mesh_that_is_missing_or_broken_is_named_with_the_line_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "src/arm/broken.off", "OFF\n3 1 0\n0 0 x\n1 0 0\n0 1 0\n3 0 1 2\n");
    for (uri, kind, reason) in [
        (
            "package://leg/m.stl",
            ErrorKind::MissingMesh,
            "no folder 'leg' in the folders above the URDF file; name the folder that holds it (--package DIR)",
        ),
        ("package://arm/m.stl", ErrorKind::MissingMesh, "has no 'm.stl'"),
        ("m.stl", ErrorKind::MissingMesh, "the mesh 'm.stl' does not exist: there is no file"),
        ("$(find arm)/m.stl", ErrorKind::MissingMesh, "expand the file with xacro first"),
        ("http://arm/m.stl", ErrorKind::Unsupported, "has the scheme 'http', which is not read"),
        ("../broken.off", ErrorKind::BadMesh, "line 3: 'x' is not a number"),
        ("robot.urdf", ErrorKind::BadMesh, "the extension 'urdf' names no mesh format"),
    ] {
        let urdf = one_mesh(folder.path(), uri);
        let error = load_urdf(&urdf, &UrdfOptions::default()).unwrap_err();
        assert_eq!((error.kind(), error.line(), error.path()), (kind, Some(3), Some(&*urdf)), "{error}");
        assert!(error.element() == Some("link 'a'") && error.to_string().contains(reason), "{error}");
        let nothing = UrdfOptions { geometry: GeometrySource::Nothing, ..UrdfOptions::default() };
        assert!(load_urdf(&urdf, &nothing).is_ok());
    }
    let error = load_urdf(&folder.path().join("none.urdf"), &UrdfOptions::default()).unwrap_err();
    assert!(error.kind() == ErrorKind::Io && error.to_string().contains("none.urdf"), "{error}");
    let latin = folder.path().join("latin.urdf");
    std::fs::write(&latin, b"<robot>\n<link name='\xe9'/></robot>").unwrap();
    let error = load_urdf(&latin, &UrdfOptions::default()).unwrap_err();
    assert!(error.to_string().ends_with("line 2: the text is not UTF-8; save it in that encoding"), "{error}");
}

#[test]
fn collision_or_visual_geometry_is_read_with_all_shapes_and_equal_meshes_are_shared() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "m.off", MESH);
    let shape = |tag: &str, name: &str, shape: &str| {
        format!(
            "<{tag} name='{name}'><origin xyz='1 2 3' rpy='0 0 1.5707963267948966'/><geometry>{shape}</geometry></{tag}>"
        )
    };
    let text = [
        "<robot name='r'><link name='a'>".to_owned(),
        shape("collision", "one", "<mesh filename='m.off'/>"),
        shape("visual", "seen", "<sphere radius='2'/>"),
        shape("collision", "two", "<mesh filename='./m.off'/>"),
        shape("collision", "mirrored", "<mesh filename='m.off' scale='1 -1 1'/>"),
        shape("collision", "again", "<mesh filename='m.off'/>"),
        shape("collision", "box", "<box size='1 2 3'/>"),
        shape("collision", "cylinder", "<cylinder radius='0.5' length='2'/>"),
        shape("collision", "capsule", "<capsule radius='0.5' length='2'/>"),
        "</link></robot>".to_owned(),
    ];
    let urdf = write(folder.path(), "r.urdf", &text.concat());
    let robot = load_urdf(&urdf, &UrdfOptions::default()).unwrap();
    let shapes = robot.links()[0].geometries();
    let names: Vec<&str> = shapes.iter().map(|shape| shape.name.as_str()).collect();
    assert_eq!(names, ["one", "two", "mirrored", "again", "box", "cylinder", "capsule"]);
    let mesh = |i: usize| match &shapes[i].shape {
        LinkShape::Mesh(mesh) => mesh,
        other => panic!("{other:?}"),
    };
    assert!(Arc::ptr_eq(mesh(0), mesh(3)) && !Arc::ptr_eq(mesh(0), mesh(2)));
    assert_eq!((mesh(2).triangles(), mesh(2).vertices()[2]), (&[[0, 2, 1]][..], DVec3::NEG_Y));
    assert_eq!(shapes[4].shape, LinkShape::Box { size: DVec3::new(1.0, 2.0, 3.0) });
    assert_eq!(shapes[5].shape, LinkShape::Cylinder { radius: 0.5, length: 2.0 });
    assert_eq!(shapes[6].shape, LinkShape::Capsule { radius: 0.5, length: 2.0 });
    assert!(shapes[4].origin.transform_point(DVec3::X).distance(DVec3::new(1.0, 3.0, 3.0)) < 1e-15);
    let options = UrdfOptions { geometry: GeometrySource::Visual, ..UrdfOptions::default() };
    let robot = load_urdf(&urdf, &options).unwrap();
    assert_eq!(robot.links()[0].geometries()[0].shape, LinkShape::Sphere { radius: 2.0 });
    assert_eq!(robot.links()[0].geometries().len(), 1);
}

#[test]
fn roll_pitch_and_yaw_turn_about_fixed_axes_in_this_order() {
    let text = "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/>
        <child link='b'/><origin rpy='0.3 -0.5 1.1'/></joint></robot>";
    let robot = read_urdf(text, &UrdfOptions::default()).unwrap();
    let turn = |angle: f64, [x, y]: [usize; 2], vector: DVec3| {
        let mut turned = vector.to_array();
        turned[x] = angle.cos() * vector[x] - angle.sin() * vector[y];
        turned[y] = angle.sin() * vector[x] + angle.cos() * vector[y];
        DVec3::from_array(turned)
    };
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let expected = turn(1.1, [0, 1], turn(-0.5, [2, 0], turn(0.3, [1, 2], axis)));
        assert!(robot.joints()[0].origin().transform_vector(axis).distance(expected) < 1e-15);
    }
}

#[test]
fn defaults_are_those_of_the_specification_and_oddities_are_noted() {
    let text = "<robot name='r'>
        <link name='a'><colision/></link><link name='b'/><link name='c'/><link name='d'/>
        <joint name='j' type='revolute'><parent link='a'/><child link='b'/><limit upper='2' effort='1' velocity='1'/></joint>
        <joint name='k' type='planar'><parent link='b'/><child link='c'/></joint>
        <joint name='l' type='fixed'><parent link='c'/><child link='d'/><mimic joint='j'/></joint>
        <gazebo/><transmission/><motor/>
        </robot>";
    let robot = read_urdf(text, &UrdfOptions::default()).unwrap();
    let limits = Limits { lower: 0.0, upper: 2.0 };
    assert_eq!(*robot.joints()[0].kind(), JointKind::Revolute { axis: DVec3::X, limits });
    assert_eq!(*robot.joints()[1].kind(), JointKind::Planar { normal: DVec3::Z });
    assert_eq!(
        robot.notes(),
        [
            "line 6: robot: the element <motor> is unknown and ignored",
            "line 2: link 'a': the element <colision> is unknown and ignored",
            "line 3: joint 'j': <limit> has no 'lower', which means 0",
            "line 4: joint 'k' is planar without an <axis>: it moves in the xy plane",
            "line 5: joint 'l' is fixed, its <mimic> is ignored",
        ]
    );
}
