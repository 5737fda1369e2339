//! Scenes from files: what each kind of object becomes, and what is said about mistakes.

use clearance_engine::Pose;
use clearance_engine::math::IVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::voxel_map::{Cell, VoxelMap};
use clearance_io::{Keep, OctoFormat, OctoMap, save_octomap};
use clearance_robot::{CheckOptions, CollisionModel, ErrorKind, LinkGeometry, LinkShape, RobotBuilder, Scene};
use jsonschema::Validator;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

fn refused(text: &str) -> (ErrorKind, String) {
    let error = Scene::read(text, Path::new("folder")).err().unwrap_or_else(|| panic!("{text} was read"));
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
    (error.kind(), error.to_string())
}

/// How far a sphere of radius 1 at the origin is from the scene.
fn distance(scene: &Scene) -> f64 {
    let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 1.0 });
    let robot = Arc::new(RobotBuilder::new("ball").link("ball", [sphere]).build().unwrap());
    let checker = CollisionModel::new(robot, &CheckOptions::default()).unwrap();
    let placement = checker.placement().unwrap();
    let answer =
        checker.scene_distance(&placement, scene, &DistanceRequest::default(), &mut Workspace::default(), None);
    answer.unwrap().upper
}

const CUBE: &str = "v -9 -9 -9\nv 9 -9 -9\nv -9 9 -9\nv 9 9 -9\nv -9 -9 9\nv 9 -9 9\nv -9 9 9\nv 9 9 9\n\
    f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n";

/// A folder with a mesh, a point cloud and an OctoMap file of these names.
fn folder_with(mesh: &str, points: &str, octomap: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(mesh), CUBE).unwrap();
    std::fs::write(folder.path().join(points), "5 0 0\n0 6 0\n0 0 -7\n").unwrap();
    let mut map = VoxelMap::new(1.0).unwrap();
    map.set(IVec3::new(5, 0, 0), Cell::Obstacle).unwrap();
    let map = OctoMap::from_voxel_map(&map, Keep::Kinds).unwrap();
    save_octomap(&folder.path().join(octomap), &map, OctoFormat::Binary).unwrap();
    folder
}

/// The schema of scene files, against which editors check them too.
fn schema() -> Validator {
    let schema: Value = serde_json::from_str(include_str!("../schema/scene.schema.json")).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
}

/// Reads a scene that the schema must allow.
fn read(text: &str, folder: &Path, schema: &Validator) -> Scene {
    let value = serde_json::from_str(text).unwrap();
    schema.validate(&value).unwrap_or_else(|error| panic!("{text}: {} at {}", error, error.instance_path()));
    Scene::read(text, folder).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn objects_have_their_kind_size_and_pose() {
    let (folder, schema) = (folder_with("cube.obj", "scan.xyz", "map.bt"), schema());
    let half_turn = "0.7071067811865476,0,0.7071067811865476,0";
    for (object, expected) in [
        (r#""pose":[5,0,0,1,0,0,0],"box":[2,4,6]"#.to_owned(), 3.0),
        (r#""pose":[0,5,0,1,0,0,0],"box":[2,4,6]"#.to_owned(), 2.0),
        (format!(r#""pose":[5,0,0,{half_turn}],"box":[2,4,6]"#), 1.0),
        (r#""pose":[0,0,5,1,0,0,0],"sphere":0.5"#.to_owned(), 3.5),
        (r#""pose":[0,0,5,1,0,0,0],"cylinder":{"radius":0.5,"length":2}"#.to_owned(), 3.0),
        (r#""pose":[5,0,0,1,0,0,0],"cylinder":{"radius":0.5,"length":2}"#.to_owned(), 3.5),
        (r#""pose":[0,0,5,1,0,0,0],"capsule":{"radius":0.5,"length":2}"#.to_owned(), 2.5),
        (r#""octomap":"map.bt""#.to_owned(), 4.0),
        (r#""octomap":"map.bt","pose":[0,0,-4,1,0,0,0]"#.to_owned(), 34.0_f64.sqrt() - 1.0),
        (r#""points":"scan.xyz","radius":0.5"#.to_owned(), 3.5),
        (r#""points":"scan.xyz","radius":0,"pose":[0,-3,0,1,0,0,0]"#.to_owned(), 2.0),
        (r#""pose":[0,0,5,1,0,0,0],"cone":{"radius":0.5,"length":2}"#.to_owned(), 3.0),
        (r#""pose":[0,0,-5,1,0,0,0],"cone":{"radius":0.5,"length":2}"#.to_owned(), 3.0),
        (r#""pose":[0,5,0,1,0,0,0],"ellipsoid":[0.5,1,2]"#.to_owned(), 3.0),
        (r#""halfspace":{"normal":[0,0,2],"offset":-6}"#.to_owned(), 2.0),
        (r#""pose":[0,0,-5,1,0,0,0],"halfspace":{"normal":[0,0,1],"offset":1}"#.to_owned(), 3.0),
        (format!(r#""pose":[3,0,0,{half_turn}],"halfspace":{{"normal":[0,0,-1],"offset":0}}"#), 2.0),
        (r#""halfspace":{"normal":[1,1,1],"offset":0}"#.to_owned(), 0.0),
        // The sphere floats inside of a surface, but collides with a solid.
        (r#""mesh":"cube.obj""#.to_owned(), 8.0),
        (r#""mesh":"cube.obj","solid":false"#.to_owned(), 8.0),
        (r#""mesh":"cube.obj","solid":true"#.to_owned(), 0.0),
        (r#""mesh":"cube.obj","pose":[20,0,0,1,0,0,0]"#.to_owned(), 10.0),
        // Scaled along the object's axes, before it is placed.
        (r#""mesh":"cube.obj","pose":[20,0,0,1,0,0,0],"scale":0.5"#.to_owned(), 14.5),
        (r#""mesh":"cube.obj","pose":[20,0,0,1,0,0,0],"scale":[2,0.1,0.1]"#.to_owned(), 1.0),
        (format!(r#""mesh":"cube.obj","pose":[20,0,0,{half_turn}],"scale":[0.1,0.1,2]"#), 1.0),
        // A mirrored solid still holds the sphere.
        (r#""mesh":"cube.obj","solid":true,"scale":[-1,1,1]"#.to_owned(), 0.0),
        (r#""pose":[5,0,0,1,0,0,0],"box":[2,4,6],"scale":[0.5,1,1]"#.to_owned(), 3.5),
        (r#""pose":[0,0,5,1,0,0,0],"sphere":0.5,"scale":[3,3,3]"#.to_owned(), 2.5),
        (r#""pose":[0,0,5,1,0,0,0],"cylinder":{"radius":0.5,"length":2},"scale":[2,2,3]"#.to_owned(), 1.0),
        (r#""pose":[5,0,0,1,0,0,0],"cylinder":{"radius":0.5,"length":2},"scale":[2,2,3]"#.to_owned(), 3.0),
        (r#""pose":[0,0,5,1,0,0,0],"capsule":{"radius":0.5,"length":2},"scale":2"#.to_owned(), 1.0),
        (r#""pose":[0,0,5,1,0,0,0],"cone":{"radius":0.5,"length":2},"scale":[1,1,2]"#.to_owned(), 2.0),
        (r#""pose":[0,5,0,1,0,0,0],"ellipsoid":[0.5,1,2],"scale":[1,3,1]"#.to_owned(), 1.0),
        (r#""points":"scan.xyz","radius":0.5,"scale":[2,1,-1]"#.to_owned(), 4.5),
    ] {
        let text = format!(r#"{{"objects":[{{"name":"it",{object}}}]}}"#);
        let scene = read(&text, folder.path(), &schema);
        assert_eq!(scene.names().collect::<Vec<_>>(), ["it"]);
        assert!((distance(&scene) - expected).abs() < 1e-9, "{object}: {} instead of {expected}", distance(&scene));
    }
    let file = folder.path().join("scene.JSON");
    std::fs::write(&file, r#"{"objects":[{"name":"a","mesh":"cube.obj"},{"name":"b","sphere":1}]}"#).unwrap();
    assert_eq!(Scene::load(&file).unwrap().names().collect::<Vec<_>>(), ["a", "b"]);
    let mesh = Scene::load(folder.path().join("cube.obj")).unwrap();
    assert_eq!(mesh.names().collect::<Vec<_>>(), ["cube.obj"]);
    assert!((distance(&mesh) - 8.0).abs() < 1e-9);
    assert!(read(r#"{"objects":[]}"#, folder.path(), &schema).is_empty());
}

#[test]
fn mistakes_are_named_with_the_object_and_what_to_fix() {
    use ErrorKind::{Malformed, MissingMesh, OutOfRange, Repeated, Unsupported};
    let schema = schema();
    let missing = format!("there is no file {}; correct the path", Path::new("folder").join("none.stl").display());
    for (object, kind, message) in [
        (r#"7"#, Malformed, "object 0: it is no JSON object"),
        (r#"{"sphere":1}"#, Malformed, "object 0: it has no \"name\"; add one, a text"),
        (r#"{"name":7,"sphere":1}"#, Malformed, "object 0: it has no \"name\"; add one, a text"),
        (
            r#"{"name":"x"}"#,
            Malformed,
            "object 0 'x': it must have one of mesh, box, sphere, cylinder, capsule, cone, ellipsoid, halfspace, octomap, points, not 0",
        ),
        (
            r#"{"name":"x","sphere":1,"box":[1,1,1]}"#,
            Malformed,
            "object 0 'x': it must have one of mesh, box, sphere, cylinder, capsule, cone, ellipsoid, halfspace, octomap, points, not 2",
        ),
        (r#"{"name":"x","box":[1,2]}"#, Malformed, "object 0 'x': \"box\" must be a list of 3 numbers"),
        (r#"{"name":"x","box":[1,2,"3"]}"#, Malformed, "object 0 'x': \"box\" must be a list of 3 numbers"),
        (r#"{"name":"x","sphere":[1]}"#, Malformed, "object 0 'x': \"sphere\" must be a number"),
        (r#"{"name":"x","cylinder":{"radius":1}}"#, Malformed, "object 0 'x': there is no \"length\"; add it"),
        (
            r#"{"name":"x","cylinder":2}"#,
            Malformed,
            "object 0 'x': \"cylinder\" must be an object with radius and length",
        ),
        (
            r#"{"name":"x","capsule":{"radius":1,"length":2,"height":2}}"#,
            Malformed,
            "object 0 'x': unknown field \"height\" of \"capsule\"; there are radius and length",
        ),
        (r#"{"name":"x","octomap":3}"#, Malformed, "object 0 'x': \"octomap\" must be a path"),
        (r#"{"name":"x","octomap":"none.stl"}"#, MissingMesh, &format!("object 0 'x': {missing}")),
        (r#"{"name":"x","points":3,"radius":1}"#, Malformed, "object 0 'x': \"points\" must be a path"),
        (r#"{"name":"x","points":"a.xyz"}"#, Malformed, "object 0 'x': \"points\" needs a \"radius\"; add it"),
        (r#"{"name":"x","points":"none.stl","radius":1}"#, MissingMesh, &format!("object 0 'x': {missing}")),
        (
            r#"{"name":"x","sphere":1,"radius":1}"#,
            Malformed,
            "object 0 'x': \"radius\" beside the kind is for points only",
        ),
        (r#"{"name":"x","ellipsoid":2}"#, Malformed, "object 0 'x': \"ellipsoid\" must be a list of 3 numbers"),
        (
            r#"{"name":"x","halfspace":[0,0,1]}"#,
            Malformed,
            "object 0 'x': \"halfspace\" must be an object with normal and offset",
        ),
        (
            r#"{"name":"x","halfspace":{"normal":[0,0,1],"d":1}}"#,
            Malformed,
            "object 0 'x': unknown field \"d\" of \"halfspace\"; there are normal and offset",
        ),
        (
            r#"{"name":"x","halfspace":{"normal":[0,1],"offset":1}}"#,
            Malformed,
            "object 0 'x': \"normal\" must be a list of 3 numbers",
        ),
        (r#"{"name":"x","halfspace":{"normal":[0,0,1]}}"#, Malformed, "object 0 'x': there is no \"offset\"; add it"),
        (
            r#"{"name":"x","halfspace":{"normal":[0,0,0],"offset":1}}"#,
            OutOfRange,
            "object 0 'x': the normal of a plane is zero",
        ),
        (r#"{"name":"x","cone":{"radius":0,"length":1}}"#, OutOfRange, "object 0 'x': the radius of a cone is zero"),
        (r#"{"name":"x","mesh":3}"#, Malformed, "object 0 'x': \"mesh\" must be a path"),
        (r#"{"name":"x","mesh":"none.stl"}"#, MissingMesh, &format!("object 0 'x': {missing}")),
        (
            r#"{"name":"x","sphere":1,"solid":true}"#,
            Malformed,
            "object 0 'x': \"solid\" is true or false, and for meshes only",
        ),
        (
            r#"{"name":"x","mesh":"a.stl","solid":1}"#,
            Malformed,
            "object 0 'x': \"solid\" is true or false, and for meshes only",
        ),
        (
            r#"{"name":"x","sphere":1,"scale":"big"}"#,
            Malformed,
            "object 0 'x': \"scale\" must be a number or a list of 3 numbers",
        ),
        (
            r#"{"name":"x","sphere":1,"scale":[1,2]}"#,
            Malformed,
            "object 0 'x': \"scale\" must be a number or a list of 3 numbers",
        ),
        (
            r#"{"name":"x","sphere":1,"scale":[1,1,2]}"#,
            OutOfRange,
            "object 0 'x': \"scale\" of a sphere is one number; an ellipsoid takes three",
        ),
        (
            r#"{"name":"x","capsule":{"radius":1,"length":1},"scale":[1,1,2]}"#,
            OutOfRange,
            "object 0 'x': \"scale\" of a capsule is one number: its ends are round",
        ),
        (
            r#"{"name":"x","cone":{"radius":1,"length":1},"scale":[1,2,2]}"#,
            OutOfRange,
            "object 0 'x': \"scale\" of a cone has two equal numbers first: its cross-section is round",
        ),
        (
            r#"{"name":"x","box":[1,1,1],"scale":[1,-1,1]}"#,
            OutOfRange,
            "object 0 'x': \"scale\" must be above 0: only meshes and points can be mirrored",
        ),
        (
            r#"{"name":"x","mesh":"a.stl","scale":0}"#,
            OutOfRange,
            "object 0 'x': \"scale\" must not be 0, which leaves nothing of the object",
        ),
        (
            r#"{"name":"x","halfspace":{"normal":[0,0,1],"offset":1},"scale":2}"#,
            OutOfRange,
            "object 0 'x': \"scale\" is not for a half-space, which has no size; remove it",
        ),
        (
            r#"{"name":"x","octomap":"a.bt","scale":2}"#,
            OutOfRange,
            "object 0 'x': \"scale\" is not for an OctoMap file, whose cells have their size; remove it",
        ),
        (r#"{"name":"x","sphere":1,"pose":[0,0,0]}"#, Malformed, "object 0 'x': \"pose\" must be a list of 7 numbers"),
        (
            r#"{"name":"x","sphere":1,"pose":[0,0,0,2,0,0,0]}"#,
            OutOfRange,
            "object 0 'x': the quaternion of a pose has length 2, which is not within 1e-3 of 1",
        ),
        (
            r#"{"name":"x","sphere":1,"pose":[0,0,0,0,0,0,0]}"#,
            OutOfRange,
            "object 0 'x': the quaternion of a pose has length 0, which is not within 1e-3 of 1",
        ),
        (
            r#"{"name":"x","sphere":1,"colour":"red"}"#,
            Unsupported,
            "object 0 'x': unknown field \"colour\"; there are name, pose, scale, solid, radius and one of mesh, box, sphere, cylinder, capsule, cone, \
             ellipsoid, halfspace, octomap, points",
        ),
        (
            r#"{"name":"x","sphere":1},{"name":"x","sphere":2}"#,
            Repeated,
            "object 1 'x': the scene has an object 'x' already; give it another name",
        ),
    ] {
        let text = format!(r#"{{"objects":[{object}]}}"#);
        assert_eq!(refused(&text), (kind, message.to_owned()));
        // A schema knows neither other files nor other objects, nor relations between numbers.
        let beyond_schemas = matches!(kind, MissingMesh | Repeated)
            || ["one number", "two equal numbers", "has length 0,"].iter().any(|words| message.contains(words));
        assert_eq!(schema.is_valid(&serde_json::from_str(&text).unwrap()), beyond_schemas, "{text}");
    }
}

#[test]
fn sizes_that_the_engine_refuses_are_refused_with_the_object() {
    let schema = schema();
    for (object, allowed_by_schema) in [
        (r#""sphere":-1"#, false),
        (r#""box":[1,-1,1]"#, false),
        (r#""cylinder":{"radius":-1,"length":1}"#, false),
        (r#""cone":{"radius":1,"length":0}"#, false),
        (r#""ellipsoid":[1,0,1]"#, false),
        (r#""sphere":1,"pose":[2e100,0,0,1,0,0,0]"#, false),
        // The limit is one on the product of size and scale.
        (r#""sphere":1e200"#, true),
        (r#""sphere":1,"scale":1e200"#, true),
    ] {
        let text = format!(r#"{{"objects":[{{"name":"it",{object}}}]}}"#);
        let (kind, message) = refused(&text);
        assert!(kind == ErrorKind::OutOfRange && message.starts_with("object 0 'it': "), "{message}");
        assert_eq!(schema.is_valid(&serde_json::from_str(&text).unwrap()), allowed_by_schema, "{text}");
    }
}

#[test]
fn texts_that_are_no_scene_are_refused() {
    let schema = schema();
    for text in ["[]", r#"{"objects":{}}"#, r#"{"objects":[],"units":"mm"}"#] {
        assert!(!schema.is_valid(&serde_json::from_str(text).unwrap()), "{text}");
    }
    assert_eq!(refused("[]"), (ErrorKind::Malformed, "there is no list \"objects\"; add it".into()));
    assert_eq!(refused(r#"{"objects":{}}"#), (ErrorKind::Malformed, "there is no list \"objects\"; add it".into()));
    let unknown = refused(r#"{"objects":[],"units":"mm"}"#);
    assert_eq!(unknown, (ErrorKind::Malformed, "unknown field \"units\"; there is \"objects\" only".into()));
    let (kind, message) = refused("{\n\"objects\": [}");
    assert!(
        kind == ErrorKind::Malformed && message.starts_with("no JSON: ") && message.contains("line 2"),
        "{message}"
    );
}

#[test]
fn examples_of_the_guide_are_scenes() {
    let page = include_str!("../../../docs/guide/src/scene-files.md");
    let (folder, schema) = (folder_with("cup.obj", "scan.xyz", "room.bt"), schema());
    let mut kinds: Vec<String> = Vec::new();
    for example in page.split("```json\n").skip(1) {
        let (text, _) = example.split_once("```").unwrap();
        let scene = read(text, folder.path(), &schema);
        let value: Value = serde_json::from_str(text).unwrap();
        let objects = value["objects"].as_array().unwrap();
        assert_eq!(scene.names().count(), objects.len(), "{text}");
        kinds.extend(objects.iter().flat_map(|object| object.as_object().unwrap().keys().cloned()));
    }
    // Each field of the format has an example.
    let format: Value = serde_json::from_str(include_str!("../schema/scene.schema.json")).unwrap();
    for field in format["$defs"]["object"]["properties"].as_object().unwrap().keys() {
        assert!(kinds.contains(field), "{field} has no example in the guide");
    }
}

#[test]
fn files_are_named_in_messages() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("none.json");
    let error = Scene::load(&absent).err().unwrap();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Io, Some(absent.as_path())));
    let error = Scene::load(folder.path().join("none.stl")).err().unwrap();
    assert!(error.kind() == ErrorKind::MissingMesh && error.to_string().contains("none.stl"), "{error}");
    let broken = folder.path().join("scene.json");
    std::fs::write(&broken, r#"{"objects":[{"name":"a\nb","sphere":0}, 5]}"#).unwrap();
    let error = Scene::load(&broken).err().unwrap();
    assert_eq!(error.path(), Some(broken.as_path()));
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
    std::fs::write(folder.path().join("bad.off"), "OFF\n3 1 0\n0 0 0\n").unwrap();
    std::fs::write(&broken, r#"{"objects":[{"name":"a","mesh":"bad.off"}]}"#).unwrap();
    let error = Scene::load(&broken).err().unwrap();
    let message = error.to_string();
    assert!(
        error.kind() == ErrorKind::BadMesh && message.contains("object 0 'a'") && message.contains("bad.off"),
        "{message}"
    );
    std::fs::write(folder.path().join("open.off"), "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").unwrap();
    std::fs::write(&broken, r#"{"objects":[{"name":"a","mesh":"open.off","solid":true}]}"#).unwrap();
    let message = Scene::load(&broken).err().unwrap().to_string();
    assert!(message.contains("object 0 'a'") && message.contains("not closed"), "{message}");
}
