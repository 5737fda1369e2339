//! Robots that are placed link by link, scaled links, margins of many pairs, scenes that are saved.

use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, HalfSpace, Plane, Sphere};
use clearance_engine::tree::voxel_map::{Cell, VoxelMap};
use clearance_engine::tree::{Mesh, PointCloud};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{
    CheckOptions, Checker, ErrorKind, GapOptions, JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder, Scene,
};
use std::sync::Arc;

fn tetrahedron() -> Arc<TriMesh> {
    let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z].map(|vertex| vertex * 0.2);
    Arc::new(TriMesh::new(vertices.to_vec(), vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap())
}

/// An arm of four links on three turning joints, the last of which is a mesh.
fn arm() -> Robot {
    let capsule = || {
        let shape = LinkShape::Capsule { radius: 0.05, length: 0.3 };
        [LinkGeometry::new(Pose::from_xyz(0.0, 0.0, 0.2).unwrap(), shape)]
    };
    let up = Pose::from_xyz(0.0, 0.0, 0.45).unwrap();
    let turn = |name, parent, child, axis| JointSpec::revolute(name, parent, child, axis, [-2.5, 2.5]);
    let tip = [LinkGeometry::new(Pose::IDENTITY, LinkShape::Mesh(tetrahedron()))];
    let robot = RobotBuilder::new("arm").link("base", capsule()).link("upper", capsule()).link("lower", capsule());
    let robot = robot.link("tip", tip).joint(turn("a", "base", "upper", DVec3::X).at(up));
    let robot =
        robot.joint(turn("b", "upper", "lower", DVec3::Y).at(up)).joint(turn("c", "lower", "tip", DVec3::X).at(up));
    robot.build().unwrap()
}

fn configurations(count: usize) -> Vec<[f64; 3]> {
    let mut state = 9_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5) * 5.0
    };
    (0..count).map(|_| [next(), next(), next()]).collect()
}

fn in_a_room(robot: Robot) -> Checker {
    let mut checker = Checker::new(robot).unwrap();
    checker
        .scene_mut()
        .add("wall", Cuboid::new(0.1, 2.0, 2.0).unwrap(), Pose::from_xyz(0.5, 0.0, 0.9).unwrap())
        .unwrap();
    checker
}

/// The link poses that a configuration has give its answers, with proofs and without.
#[test]
fn placed_links_answer_as_their_configuration() {
    let mut by_joints = in_a_room(arm());
    by_joints.prove(&GapOptions::default()).unwrap();
    let mut by_links = by_joints.clone();
    let (mut colliding, request) = (0, DistanceRequest::default());
    for q in configurations(200) {
        let poses = by_joints.link_poses(&q).unwrap().to_vec();
        let mut placed = by_links.place_links(&poses).unwrap();
        assert_eq!(placed.link_poses(), poses);
        assert_eq!(placed.collides().unwrap(), by_joints.collides(&q).unwrap());
        colliding += usize::from(placed.collides().unwrap());
        assert_eq!(placed.collisions().unwrap(), by_joints.collisions(&q).unwrap());
        let (found, expected) = (placed.distance(&request).unwrap().unwrap(), by_joints.distance(&q).unwrap().unwrap());
        assert!(found.lower <= expected.upper && expected.lower <= found.upper, "{found:?} {expected:?}");
        assert!(found.gradient.is_empty() && expected.gradient.len() == 3);
        let (near, expected) = (placed.near(0.3).unwrap(), by_joints.near(&q, 0.3).unwrap());
        let names = |near: &[clearance_robot::NearPair]| -> Vec<[String; 2]> {
            near.iter().map(|pair| [pair.a.clone(), pair.b.clone()]).collect()
        };
        assert_eq!(names(&near), names(&expected));
        assert!(near.iter().zip(&expected).all(|(one, two)| one.lower <= two.upper && two.lower <= one.upper));
    }
    assert!((20..180).contains(&colliding), "{colliding} of 200 collide: the test is one-sided");
}

/// Links may be where no joint can put them: what was proven about the joints must not hide it.
#[test]
fn what_joints_cannot_reach_is_seen() {
    let mut checker = in_a_room(arm());
    checker.prove(&GapOptions::default()).unwrap();
    // All links at the origin: the base and the lower arm, which joints may keep apart, overlap.
    let placed = checker.place_links(&[Pose::IDENTITY; 4]).unwrap().self_collisions().unwrap();
    assert!(placed.iter().any(|hit| (hit.a.as_str(), hit.b.as_str()) == ("base", "lower")), "{placed:?}");
}

/// A configuration that equals the last one is placed anew where links were placed meanwhile.
#[test]
fn a_known_configuration_is_placed_again() {
    let mut checker = in_a_room(arm());
    let q = [0.1, 0.2, 0.3];
    let poses = checker.link_poses(&q).unwrap().to_vec();
    let elsewhere = [Pose::from_xyz(3.0, 0.0, 0.0).unwrap(); 4];
    checker.place_links(&elsewhere).unwrap();
    assert_eq!(checker.placed_last().link_poses(), elsewhere);
    // Neither the base nor options move links that a host has placed.
    checker.set_base(Pose::from_xyz(0.0, 1.0, 0.0).unwrap()).unwrap();
    checker.set_options(CheckOptions { padding: 0.01, ..CheckOptions::default() }).unwrap();
    assert_eq!(checker.placed_last().link_poses(), elsewhere);
    checker.set_base(Pose::IDENTITY).unwrap();
    assert_eq!(checker.link_poses(&q).unwrap(), poses);
    // A robot without joints has one configuration, which is empty.
    let ball = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    let mut stone = Checker::new(RobotBuilder::new("stone").link("stone", [ball]).build().unwrap()).unwrap();
    stone.place_links(&elsewhere[..1]).unwrap();
    assert_eq!(stone.link_poses(&[]).unwrap(), [Pose::IDENTITY]);
}

#[test]
fn a_wrong_number_of_links_is_an_error() {
    let mut checker = in_a_room(arm());
    let error = checker.place_links(&[Pose::IDENTITY; 3]).err().unwrap();
    assert_eq!(
        (error.kind(), error.to_string().contains("3 link poses")),
        (ErrorKind::BadConfiguration, true),
        "{error}"
    );
}

/// Scaled about their own centres, links keep their centres and change their distances.
#[test]
fn links_are_scaled_about_their_centres() {
    let robot = arm();
    let scaled = robot.clone().with_scaled_links(&[("upper", 2.0), ("tip", 0.5)]).unwrap();
    let LinkShape::Capsule { radius, length } = scaled.links()[1].geometries()[0].shape else { panic!("a capsule") };
    assert_eq!((radius, length), (0.1, 0.6));
    assert_eq!(scaled.links()[1].geometries()[0].origin, robot.links()[1].geometries()[0].origin);
    let LinkShape::Mesh(mesh) = &scaled.links()[3].geometries()[0].shape else { panic!("a mesh") };
    let mean = |mesh: &TriMesh| mesh.vertices().iter().sum::<DVec3>() / 4.0;
    assert!(mean(mesh).distance(mean(&tetrahedron())) < 1e-15);
    assert!((mesh.vertices()[1].distance(mesh.vertices()[0]) - 0.1).abs() < 1e-15);
    for (name, scale, kind) in [("nobody", 1.0, ErrorKind::Unknown), ("tip", 0.0, ErrorKind::OutOfRange)] {
        assert_eq!(robot.clone().with_scaled_links(&[(name, scale)]).unwrap_err().kind(), kind);
    }
    let nan = robot.clone().with_scaled_links(&[("tip", f64::NAN)]).unwrap_err();
    assert_eq!(nan.kind(), ErrorKind::OutOfRange);
    // What was proven of one is not believed of the other.
    let folder = tempfile::tempdir().unwrap();
    let (file, effort) = (folder.path().join("proofs"), GapOptions::default());
    let mut checker = Checker::new(robot).unwrap();
    checker.prove(&effort).unwrap();
    checker.save_proofs(&file).unwrap();
    assert_eq!(Checker::new(scaled).unwrap().load_proofs(&file, &effort).unwrap_err().kind(), ErrorKind::Stale);
}

#[test]
fn margins_come_as_a_matrix() {
    let mut options = CheckOptions::default();
    options.margins.insert(["wall".into(), "tip".into()], 0.5);
    let nan = f64::NAN;
    options.set_margins(&["wall", "tip", "upper"], &[0.0, 0.2, nan, 0.2, 0.0, 0.1, nan, 0.1, 0.0]).unwrap();
    assert_eq!(options.margins.len(), 2);
    let mut plain = in_a_room(arm());
    let mut margined = in_a_room(arm());
    margined.set_options(options.clone()).unwrap();
    let signed = |checker: &mut Checker| {
        let near = checker.scene_near(&[0.3, 0.2, 0.1], 5.0).unwrap();
        near.into_iter().find(|pair| pair.a == "tip").unwrap().signed
    };
    assert!((signed(&mut plain) - signed(&mut margined) - 0.2).abs() < 1e-12);
    for wrong in [vec![0.0; 3], vec![0.0, 0.1, 0.2, 0.0]] {
        let before = options.margins.clone();
        assert_eq!(options.set_margins(&["a", "b"], &wrong).unwrap_err().kind(), ErrorKind::OutOfRange);
        assert_eq!(options.margins, before);
    }
}

/// All that a file can hold comes back as it was.
#[test]
fn scenes_are_saved_and_read_back() {
    let mut scene = Scene::new();
    let at = |i: f64| Pose::from_xyz_rpy([i, 0.5 * i, -i], [0.1 * i, 0.2, 0.3]).unwrap();
    scene.add("a box", Cuboid::new(0.1, 0.2, 0.3).unwrap(), at(1.0)).unwrap();
    scene.add("sphere", Sphere::new(0.1).unwrap(), at(2.0)).unwrap();
    scene.add("cylinder", Cylinder::new(0.1, 0.4).unwrap(), at(3.0)).unwrap();
    scene.add("capsule", Capsule::between(DVec3::X, DVec3::new(1.0, 0.5, 0.5), 0.1).unwrap(), at(4.0)).unwrap();
    scene.add("cone", Cone::new(0.1, 0.4).unwrap(), at(5.0)).unwrap();
    scene.add("ellipsoid", Ellipsoid::new(DVec3::new(0.1, 0.2, 0.3)).unwrap(), at(6.0)).unwrap();
    let turned = Cuboid::new(0.3, 0.1, 0.1).unwrap().transformed(&at(0.5));
    scene.add("turned", turned, at(7.0)).unwrap();
    let mesh: Mesh = Mesh::new(tetrahedron()).unwrap();
    let mesh: Arc<dyn clearance_engine::tree::Geometry> = Arc::new(mesh);
    scene.add("mesh/one", &mesh, at(8.0)).unwrap();
    scene.add("mesh/two", &mesh, at(9.0)).unwrap();
    scene.add("hull", ConvexPolyhedron::hull_of(tetrahedron().vertices()).unwrap(), at(10.0)).unwrap();
    scene.add("floor", HalfSpace::new(DVec3::Z, -20.0).unwrap(), Pose::IDENTITY).unwrap();
    scene.add("cloud", PointCloud::new(vec![DVec3::ZERO, DVec3::ONE], 0.05).unwrap(), at(11.0)).unwrap();
    let mut map = VoxelMap::new(0.1).unwrap();
    map.set_at(DVec3::new(0.25, 0.0, 0.3), Cell::Obstacle).unwrap();
    scene.add("map", map.obstacles().unwrap(), at(12.0)).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("room.json");
    scene.save(&file).unwrap();
    let meshes = std::fs::read_dir(folder.path()).unwrap().flatten();
    let meshes = meshes.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "off")).count();
    assert_eq!(meshes, 2, "objects that share a mesh share its file");
    let read = Scene::load(&file).unwrap();
    let names: Vec<_> = scene.names().map(str::to_owned).collect();
    assert_eq!(read.names().collect::<Vec<_>>(), names);
    // The same points are as far from the same objects.
    let direction = DQuat::from_rotation_y(0.3) * DVec3::X;
    for i in 0..60 {
        let point = direction * (0.3 * f64::from(i)) + DVec3::new(0.0, 0.02, 0.05) * f64::from(i);
        let ((name, found), (other, expected)) =
            (read.signed_distance(point).unwrap(), scene.signed_distance(point).unwrap());
        assert_eq!(name, other);
        assert!((found.distance - expected.distance).abs() < 1e-5, "{name}: {} {}", found.distance, expected.distance);
    }
    scene.add("sheet", Plane::new(DVec3::Z, 0.0).unwrap(), Pose::IDENTITY).unwrap();
    let error = scene.save(&file).unwrap_err();
    assert!(error.kind() == ErrorKind::Unsupported && error.to_string().contains("sheet"), "{error}");
    assert_eq!(scene.save(folder.path().join("room.yaml")).unwrap_err().kind(), ErrorKind::Unsupported);
}
