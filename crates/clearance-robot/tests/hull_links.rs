//! Links with the hulls of their meshes: an L whose notch is free as a mesh and filled as a hull.

use clearance_engine::Pose;
use clearance_engine::assembly::PartId;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::Cuboid;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Solid;
use clearance_robot::{
    CheckOptions, CollisionModel, ErrorKind, GapOptions, HullLinks, LinkShape, Object, Placement, Robot, Scene,
    UrdfOptions, load_urdf, read_urdf,
};
use std::path::PathBuf;
use std::sync::Arc;

#[path = "../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;
use random::Random;

/// Both legs are 2 long and 0.5 wide; the notch is where x and y are beyond 0.5, and 0.5 high and
/// low.
fn l_shape() -> String {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 0.5), (0.5, 0.5), (0.5, 2.0), (0.0, 2.0)];
    let mut text = "OFF\n12 20 0\n".to_owned();
    for z in [-0.5, 0.5] {
        outline.iter().for_each(|(x, y)| text += &format!("{x} {y} {z}\n"));
    }
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        text += &format!("3 {a} {c} {b}\n3 {} {} {}\n", a + 6, b + 6, c + 6);
    }
    for i in 0..6 {
        let j = (i + 1) % 6;
        text += &format!("3 {i} {j} {}\n3 {i} {} {}\n", j + 6, j + 6, i + 6);
    }
    text
}

/// A post in the notch of a hook, two joints away, that slides off it along x.
const HOOK: &str = "<robot name='hook'>
<link name='post'><collision><origin xyz='0.9 0.9 0'/><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>
<link name='turn'/>
<link name='hook'><collision><geometry><mesh filename='l.off'/></geometry></collision></link>
<joint name='a' type='revolute'><parent link='post'/><child link='turn'/><axis xyz='0 0 1'/><limit lower='-0.1' upper='0.1'/></joint>
<joint name='b' type='prismatic'><parent link='turn'/><child link='hook'/><axis xyz='1 0 0'/><limit lower='-5' upper='5'/></joint>
</robot>";

/// Four hooks in a row, each turning a little against the one before.
const ROW: &str = "<robot name='row'>
<link name='h0'><collision><geometry><mesh filename='l.off'/></geometry></collision></link>
<link name='h1'><collision><geometry><mesh filename='l.off'/></geometry></collision></link>
<link name='h2'><collision><geometry><mesh filename='l.off'/></geometry></collision></link>
<link name='h3'><collision><geometry><mesh filename='l.off'/></geometry></collision></link>
<joint name='a' type='revolute'><parent link='h0'/><child link='h1'/><origin xyz='1.6 1.6 0'/><axis xyz='0 0 1'/><limit lower='-0.3' upper='0.3'/></joint>
<joint name='b' type='revolute'><parent link='h1'/><child link='h2'/><origin xyz='0.9 0.9 0'/><axis xyz='0 0 1'/><limit lower='-0.3' upper='0.3'/></joint>
<joint name='c' type='revolute'><parent link='h2'/><child link='h3'/><origin xyz='1.6 1.6 0'/><axis xyz='0 1 0'/><limit lower='-0.3' upper='0.3'/></joint>
</robot>";

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(tempfile::tempdir().unwrap());
        files.write("l.off", &l_shape());
        files
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn robot(&self, urdf: &str, hulls: HullLinks) -> clearance_robot::Result<Robot> {
        let path = self.write("robot.urdf", urdf);
        load_urdf(&path, &UrdfOptions { hulls, ..UrdfOptions::default() })
    }

    fn checker(&self, urdf: &str, hulls: HullLinks) -> CollisionModel {
        CollisionModel::new(Arc::new(self.robot(urdf, hulls).unwrap()), &CheckOptions::default()).unwrap()
    }
}

fn named(names: &[&str]) -> HullLinks {
    HullLinks::Named(names.iter().map(|name| (*name).to_owned()).collect())
}

fn placed(checker: &CollisionModel, base: &Pose, configuration: &[f64]) -> Placement {
    let mut placement = checker.placement().unwrap();
    checker.place(&mut placement, base, configuration).unwrap();
    placement
}

fn post() -> Scene {
    let mut scene = Scene::default();
    let geometry = Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::splat(0.1)).unwrap()));
    let pose = Pose::from_translation(DVec3::new(0.9, 0.9, 0.0)).unwrap();
    scene.insert(Object { name: "post".into(), geometry, pose }).unwrap();
    scene
}

#[test]
fn a_notch_is_free_of_the_mesh_and_filled_by_the_hull_for_every_question() {
    let files = Files::new();
    let mut workspace = Workspace::default();
    let request = DistanceRequest::default();
    let scene = post();
    for (hulls, filled) in
        [(HullLinks::None, false), (HullLinks::All, true), (named(&["hook"]), true), (named(&["post"]), false)]
    {
        let mut checker = files.checker(HOOK, hulls);
        // Away from its own post, for the questions about others.
        let (home, away) = ([0.0, 0.0], [0.0, -4.0]);
        let base = Pose::IDENTITY;
        let moved = Pose::from_translation(DVec3::X * 4.0).unwrap();
        for proven in [false, true] {
            if proven {
                checker.prove(&GapOptions::default()).unwrap();
            }
            let placement = placed(&checker, &base, &home);
            let own = checker.self_distance(&placement, &request, &mut workspace, None).unwrap();
            assert_eq!(own.upper == 0.0, filled);
            assert!(filled || (own.upper - 0.3).abs() < 1e-9, "{own:?}");
            let hit = checker.self_collision(&placement, &mut workspace, None).unwrap();
            assert_eq!(hit.is_some(), filled);
            assert_eq!(checker.self_collisions(&placement, &mut workspace).unwrap().len(), usize::from(filled));
            let pairs = checker.self_distances(&placement, &request, &mut workspace).unwrap();
            assert!(pairs.len() == 1 && (pairs[0].1.upper == 0.0) == filled, "{pairs:?}");
            // The scene's post is in the notch after the robot has moved there; its own is far.
            let there = placed(&checker, &moved, &away);
            assert!(checker.self_collision(&there, &mut workspace, None).unwrap().is_none());
            let room = checker.scene_distance(&there, &scene, &request, &mut workspace, None).unwrap();
            assert_eq!(room.upper == 0.0, filled, "{room:?}");
            assert_eq!(checker.scene_collision(&there, &scene, &mut workspace, None).unwrap().is_some(), filled);
            // And the hook of a robot over there reaches around the post of this one, whose own
            // hook is elsewhere.
            let (here, others) = (placed(&checker, &base, &[0.0, -5.0]), (&checker, &there));
            let between = checker.robot_distance(&here, others, &request, &mut workspace, None).unwrap();
            assert_eq!(between.upper == 0.0, filled, "{between:?}");
            assert!(filled || (between.upper - 0.3).abs() < 1e-9, "{between:?}");
            let hit = checker.robot_collision(&here, others, &mut workspace, None).unwrap();
            assert_eq!(hit.is_some(), filled);
        }
    }
}

#[test]
fn a_hull_is_never_farther_than_its_mesh_and_no_proof_contradicts_a_sample() {
    let files = Files::new();
    let (meshes, mut hulls) = (files.checker(ROW, HullLinks::None), files.checker(ROW, HullLinks::All));
    let proven = hulls.prove(&GapOptions::default()).unwrap().clone();
    assert!(proven.pairs().iter().any(|pair| pair.gap > 0.0), "something must be proven: {:?}", proven.pairs());
    let body = |part: PartId| hulls.robot().body_of(hulls.part(part).unwrap().link);
    let (mut random, mut workspace, request) = (Random(5), Workspace::default(), DistanceRequest::default());
    let mut nearer = 0;
    for _ in 0..400 {
        let q: Vec<f64> = (0..3).map(|_| random.between(-0.3, 0.3)).collect();
        let [by_mesh, by_hull] = [&meshes, &hulls].map(|checker| {
            let placement = placed(checker, &Pose::IDENTITY, &q);
            checker.self_distances(&placement, &request, &mut workspace).unwrap()
        });
        assert_eq!(by_mesh.len(), 3);
        for ((_, mesh), (pair, hull)) in by_mesh.iter().zip(&by_hull) {
            assert!(hull.lower <= mesh.upper, "{q:?} {pair:?}");
            nearer += usize::from(hull.upper < mesh.upper - 1e-3);
            let (a, b) = (body(pair.0), body(pair.1));
            assert!(hull.upper >= proven.gap(a, b), "{q:?} {pair:?} {hull:?} {}", proven.gap(a, b));
        }
    }
    assert!(nearer > 100, "{nearer}");
}

#[test]
fn a_gap_that_the_meshes_keep_is_not_proven_for_their_hulls() {
    let files = Files::new();
    let nearly_still = HOOK.replace("'-5' upper='5'", "'-0.05' upper='0.05'");
    let gap = |hulls: HullLinks| {
        let mut checker = files.checker(&nearly_still, hulls);
        checker.prove(&GapOptions::default()).unwrap().gap(0, 2)
    };
    assert!(gap(HullLinks::None) > 0.05);
    assert_eq!(gap(named(&["hook"])), 0.0);
}

#[test]
fn hulls_are_shared_and_only_where_they_are_asked_for() {
    let files = Files::new();
    let robot = files.robot(ROW, named(&["h1", "h3"])).unwrap();
    let kinds: Vec<&str> = robot
        .links()
        .iter()
        .map(|link| match &link.geometries()[0].shape {
            LinkShape::Hull(hull) if hull.vertex_count() == 10 => "hull",
            LinkShape::Mesh(_) => "mesh",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["mesh", "hull", "mesh", "hull"]);
    assert!(robot.notes().is_empty(), "{:?}", robot.notes());
    let robot = files.robot(HOOK, named(&["post"])).unwrap();
    assert!(robot.notes()[0].contains("'post' has no mesh"), "{:?}", robot.notes());
}

#[test]
fn a_link_that_is_not_there_and_a_flat_mesh_are_errors_that_name_them() {
    let files = Files::new();
    let error = files.robot(HOOK, named(&["hook", "hock"])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unknown);
    assert!(error.to_string().contains("there is no link 'hock'"), "{error}");
    files.write("flat.off", "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n");
    let flat = HOOK.replace("l.off", "flat.off");
    assert!(files.robot(&flat, HullLinks::None).is_ok());
    for hulls in [HullLinks::All, named(&["hook"])] {
        let error = files.robot(&flat, hulls).unwrap_err();
        assert_eq!((error.kind(), error.line(), error.element()), (ErrorKind::BadMesh, Some(4), Some("link 'hook'")));
        let text = error.to_string();
        assert!(text.contains("flat.off") && text.contains("all points are in one plane"), "{text}");
    }
    let missing = UrdfOptions { hulls: named(&["x"]), ..UrdfOptions::default() };
    assert!(read_urdf("<robot name='r'><link name='a'/></robot>", &missing).is_err());
}
