//! Every pair of "made by X, used with Y" among the public types: impossible, refused, or right.
//!
//! | made by X | used with another Y | |
//! | --- | --- | --- |
//! | `PairQuery` of a dispatcher and two geometries; `AssemblyPair`; `VoxelView`; `MotionChecker` of a checker and a scene | | impossible: they borrow both |
//! | `Workspace` | any query | right: scratch memory |
//! | `WarmStart` | another pair, the same pair after a refit | right: by revisions and bodies |
//! | `AssemblyWarmStart`, `WarmStarts` | other assemblies, checkers, scenes, changed scenes | right: by `PartId` |
//! | `PartId` of an assembly, scene or placement | another one, or after its removal | refused |
//! | seeds (`NodePair` of nodes) of an assembly | a smaller one | refused |
//! | `BodyId` of a world | another world, or after its removal | refused |
//! | `Placement` of a checker | another checker of the same robot | refused |
//! | `Gaps` of a robot | `Tables` of another robot | refused |
//! | `DisabledPairs`, `CheckOptions` | another robot | right: by names; unknown names of paddings and groups are refused |
//! | saved hierarchy of a mesh | another mesh | refused |
//! | configuration, `JointCurve` of a robot | a robot of another number of variables | refused |

use clearance_engine::assembly::{Assembly, AssemblyBuilder, AssemblyPair, AssemblyWarmStart, Everything, PartId};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::{Distance, DistanceRequest};
use clearance_engine::shape::{ConvexPolyhedron, Cuboid, Sphere};
use clearance_engine::traversal::{NodePair, WarmStart, Workspace};
use clearance_engine::tree::{Geometry, Mesh, PointCloud, Solid};
use clearance_engine::world::{FinderOptions, Groups, World};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{
    Attachment, CheckOptions, CollisionModel, DisabledPairs, ErrorKind, GapOptions, JointCurve, JointSpec,
    LinkGeometry, LinkShape, MotionChecker, MotionRequest, Object, Robot, RobotBuilder, Scene, Tables, WarmStarts,
};
use std::collections::HashMap;
use std::sync::Arc;

#[path = "../../clearance-engine/src/random.rs"]
#[allow(dead_code)]
mod random;
use random::Random;

fn vector(random: &mut Random) -> DVec3 {
    DVec3::from([0, 1, 2].map(|_| random.between(-1.0, 1.0)))
}

fn rotation(random: &mut Random) -> DQuat {
    DQuat::from_scaled_axis(vector(random) * 3.0)
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z)).unwrap()
}

fn sphere(radius: f64) -> Arc<dyn Geometry> {
    Arc::new(Solid::new(Sphere::new(radius).unwrap()))
}

/// A chain of `count` turning limbs of 0.3 m.
fn chain(count: usize) -> Arc<Robot> {
    let limb = || LinkGeometry::new(at(0.15, 0.0, 0.0), LinkShape::Box { size: DVec3::new(0.25, 0.05, 0.05) });
    let mut builder = RobotBuilder::new("chain").link("l0", [limb()]);
    for i in 1..count {
        let joint = JointSpec::revolute(format!("j{i}"), format!("l{}", i - 1), format!("l{i}"), DVec3::Z, [-2.0, 2.0]);
        builder = builder.link(format!("l{i}"), [limb()]).joint(joint.at(at(0.3, 0.0, 0.0)));
    }
    Arc::new(builder.build().unwrap())
}

/// The chain with a sphere at its last link.
fn carrying(robot: &Arc<Robot>, radius: f64) -> CollisionModel {
    let attachment = Attachment {
        name: "ball".into(),
        link: format!("l{}", robot.links().len() - 1),
        geometry: sphere(radius),
        link_from_object: at(0.3, 0.0, 0.0),
        touch_links: Vec::new(),
    };
    CollisionModel::new(robot.clone(), &CheckOptions { attached: vec![attachment], ..CheckOptions::default() }).unwrap()
}

fn scene_of(objects: &[(&str, Pose)]) -> Scene {
    let mut scene = Scene::default();
    for (name, pose) in objects {
        let geometry = Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::splat(0.1)).unwrap()));
        scene.insert(Object { name: (*name).into(), geometry, pose: *pose }).unwrap();
    }
    scene
}

#[test]
fn a_placement_is_refused_by_every_other_checker() {
    let robot = chain(4);
    let (small, large) = (carrying(&robot, 0.01), carrying(&robot, 0.3));
    // The sphere of 0.3 m touches the box, that of 0.01 m does not.
    let (scene, mut workspace) = (scene_of(&[("box", at(1.35, 0.35, 0.0))]), Workspace::default());
    let (mut of_small, of_large) = (small.placement().unwrap(), large.placement().unwrap());
    assert!(large.scene_collision(&of_large, &scene, &mut workspace, None).unwrap().is_some());
    let request = DistanceRequest::default();
    let w = &mut workspace;
    let refused = [
        large.place(&mut of_small, &Pose::IDENTITY, &[0.0; 3]).err(),
        large.self_collision(&of_small, w, None).err(),
        large.self_collisions(&of_small, w).err(),
        large.self_distance(&of_small, &request, w, None).err(),
        large.self_distances(&of_small, &request, w).err(),
        large.scene_collision(&of_small, &scene, w, None).err(),
        large.scene_collisions(&of_small, &scene, w).err(),
        large.scene_distance(&of_small, &scene, &request, w, None).err(),
        large.robot_collision(&of_small, (&small, &of_small), w, None).err(),
        large.robot_collision(&of_large, (&large, &of_small), w, None).err(),
        large.robot_distance(&of_small, (&small, &of_small), &request, w, None).err(),
        large.robot_distance(&of_large, (&large, &of_small), &request, w, None).err(),
    ];
    for (i, error) in refused.into_iter().enumerate() {
        let error = error.unwrap_or_else(|| panic!("question {i} took it"));
        assert_eq!(error.kind(), ErrorKind::BadConfiguration);
        assert_eq!(error.to_string(), "the placement belongs to another checker; make one with `placement`");
    }
    // A copy of a placement is one of the same checker.
    assert!(large.scene_collision(&of_large.clone(), &scene, w, None).unwrap().is_some());
}

#[test]
fn parts_are_refused_by_all_that_they_do_not_belong_to() {
    let robot = chain(4);
    let (one, other) = (carrying(&robot, 0.3), carrying(&robot, 0.3));
    let mut scene = scene_of(&[("box", at(1.35, 0.35, 0.0)), ("far", at(9.0, 0.0, 0.0))]);
    let placement = one.placement().unwrap();
    let hit = one.scene_collision(&placement, &scene, &mut Workspace::default(), None).unwrap().unwrap();
    assert_eq!((one.name(hit.0).unwrap(), scene.name(hit.1).unwrap()), ("ball", "box"));
    assert!(other.name(hit.0).is_err() && other.part(hit.0).is_err() && one.name(hit.1).is_err());
    assert!(scene.name(hit.0).is_err() && Scene::default().name(hit.1).is_err());
    // The number of what was removed is used again, but it is no longer meant.
    scene.remove("box").unwrap();
    assert!(scene.name(hit.1).is_err());
    scene.insert(Object { name: "new".into(), geometry: sphere(0.1), pose: Pose::IDENTITY }).unwrap();
    assert_eq!(scene.part("new").unwrap().number(), hit.1.number());
    assert_eq!(scene.name(hit.1).unwrap_err().kind(), ErrorKind::Unknown);
    let mut assembly = Assembly::default();
    assembly.insert(sphere(1.0), Pose::IDENTITY);
    assert!(assembly.remove(hit.1).is_none() && !assembly.set_pose(hit.1, at(1.0, 0.0, 0.0)));
    let meet = AssemblyPair::new(&DISPATCHER, &assembly, &assembly, &Everything);
    let pair = meet.pair_distance((hit.1, hit.1), &DistanceRequest::default(), &mut Workspace::default(), None);
    assert!(pair.unwrap().is_none());
}

static DISPATCHER: std::sync::LazyLock<Dispatcher> = std::sync::LazyLock::new(Dispatcher::standard);

#[test]
fn seeds_of_a_larger_assembly_are_refused() {
    let mut builder = AssemblyBuilder::default();
    let nodes = [0.0, 1.0, 2.0].map(|x| builder.part(sphere(0.1), at(x, 0.0, 0.0)));
    let root = builder.group(&nodes);
    let large = builder.build(root);
    let mut small = Assembly::default();
    small.insert(sphere(0.1), Pose::IDENTITY);
    let seeds = [NodePair::new(nodes[0], nodes[2])];
    let mut workspace = Workspace::default();
    assert!(AssemblyPair::within(&DISPATCHER, &large, &seeds, &Everything).collide(&mut workspace, None).is_ok());
    let meet = AssemblyPair::within(&DISPATCHER, &small, &seeds, &Everything);
    let text = "the seeds name nodes that the assembly does not have";
    assert_eq!(meet.collide(&mut workspace, None).unwrap_err().to_string(), text);
    assert!(meet.distance(&DistanceRequest::default(), &mut workspace, None).is_err());
}

#[test]
fn bodies_are_refused_by_other_worlds_and_after_their_removal() {
    let mut worlds = [(); 2].map(|_| World::new(FinderOptions::default()).unwrap());
    let [a, b] = [0, 1].map(|i| worlds[i].insert(sphere(0.5), Pose::IDENTITY, Groups::default()).unwrap());
    let c = worlds[0].insert(sphere(0.5), at(2.0, 0.0, 0.0), Groups::default()).unwrap();
    let removed = worlds[0].insert(sphere(0.5), Pose::IDENTITY, Groups::default()).unwrap();
    worlds[0].remove(removed).unwrap();
    worlds[0].step();
    let new = worlds[0].insert(sphere(0.5), at(0.0, 9.0, 0.0), Groups::default()).unwrap();
    assert_eq!((a.slot(), removed.slot()), (b.slot(), new.slot()));
    let (world, request, mut workspace) = (&mut worlds[0], DistanceRequest::default(), Workspace::default());
    for wrong in [b, removed] {
        assert!(world.pose(wrong).is_err() && world.geometry(wrong).is_err() && world.gap([c, wrong]).is_err());
        assert!(world.set_pose(wrong, &Pose::IDENTITY).is_err() && world.remove(wrong).is_err());
        assert!(world.set_groups(wrong, Groups::default()).is_err() && world.exclude(a, wrong, true).is_err());
        assert!(world.distance(&DISPATCHER, [a, wrong], &request, &mut workspace, None).is_err());
        assert!(world.nearest(&DISPATCHER, wrong, 1, 9.0, &mut workspace).is_err());
        assert!(!world.finder().may_touch(a, wrong) && !world.finder().contains(wrong));
        assert!(world.finder().bounds(wrong).is_err());
    }
    assert!(world.distance(&DISPATCHER, [a, c], &request, &mut workspace, None).is_ok());
    assert_eq!(world.pose(new).unwrap(), at(0.0, 9.0, 0.0));
}

/// Geometries of all kinds of memory: meshes, polyhedra, spheres, trees of solids.
fn geometries(random: &mut Random) -> Vec<Arc<dyn Geometry>> {
    let mut list: Vec<Arc<dyn Geometry>> =
        vec![sphere(0.4), Arc::new(Solid::new(Cuboid::from_half_extents(DVec3::splat(0.4)).unwrap()))];
    for _ in 0..3 {
        let points: Vec<DVec3> = (0..40).map(|_| vector(random) * 0.5).collect();
        let hull = ConvexPolyhedron::hull_of(&points).unwrap();
        let mesh: Mesh = Mesh::new(hull.surface().unwrap()).unwrap();
        list.push(Arc::new(Solid::new(hull)));
        list.push(Arc::new(mesh));
        list.push(Arc::new(PointCloud::new(points, 0.05).unwrap()));
    }
    list
}

fn is_same(a: &Distance, b: &Distance) -> bool {
    a.lower <= b.upper && b.lower <= a.upper && (a.upper == 0.0) == (b.upper == 0.0) && a.status == b.status
}

#[test]
fn memories_of_other_pairs_change_no_answer() {
    let mut random = Random(11);
    let list = geometries(&mut random);
    let (mut warm_start, mut shared, mut whole) =
        (WarmStart::default(), Workspace::default(), AssemblyWarmStart::default());
    for _ in 0..4000 {
        let [a, b] = [random.below(list.len()), random.below(list.len())];
        let place = Pose::new(rotation(&mut random), vector(&mut random) * 1.5).unwrap();
        let plan = DISPATCHER.plan(&*list[a], &*list[b]).unwrap();
        let request = DistanceRequest::default();
        let fresh = plan.distance(&place, &request, &mut Workspace::default(), None).unwrap();
        let warm = plan.distance(&place, &request, &mut shared, Some(&mut warm_start)).unwrap();
        assert!(is_same(&fresh, &warm), "{a} {b} {place:?}: {fresh:?} {warm:?}");
        let [fresh, warm] = [
            plan.collide(&place, &mut Workspace::default(), None),
            plan.collide(&place, &mut shared, Some(&mut warm_start)),
        ];
        assert_eq!(fresh.colliding, warm.colliding, "{a} {b} {place:?}");
        let (mut one, mut other) = (Assembly::default(), Assembly::default());
        one.insert(list[a].clone(), Pose::IDENTITY);
        other.insert(list[b].clone(), place);
        let meet = AssemblyPair::new(&DISPATCHER, &one, &other, &Everything);
        let hit = meet.collide(&mut shared, Some(&mut whole)).unwrap().0;
        assert_eq!(hit.is_some(), meet.collide(&mut Workspace::default(), None).unwrap().0.is_some());
    }
}

#[test]
fn a_memory_of_another_state_of_a_mesh_changes_no_answer() {
    let mut random = Random(12);
    let points: Vec<DVec3> = (0..30).map(|_| vector(&mut random)).collect();
    let surface = ConvexPolyhedron::hull_of(&points).unwrap().surface().unwrap();
    let (mut mesh, other): (Mesh, Mesh) = (Mesh::new(surface.clone()).unwrap(), Mesh::new(surface.clone()).unwrap());
    let (mut warm_start, mut workspace) = (WarmStart::default(), Workspace::default());
    for step in 0..40 {
        let place = Pose::new(DQuat::from_rotation_z(0.1 * f64::from(step)), DVec3::X * 2.0).unwrap();
        let warm = {
            let plan = DISPATCHER.plan(&mesh, &other).unwrap();
            plan.distance(&place, &DistanceRequest::default(), &mut workspace, Some(&mut warm_start)).unwrap()
        };
        let plan = DISPATCHER.plan(&mesh, &other).unwrap();
        let fresh = plan.distance(&place, &DistanceRequest::default(), &mut workspace, None).unwrap();
        assert!(is_same(&fresh, &warm), "{step}");
        mesh.refit(mesh.tri_mesh().vertices().iter().map(|vertex| *vertex * 0.97).collect()).unwrap();
    }
}

#[test]
fn caches_of_other_checkers_and_scenes_change_no_answer() {
    let mut random = Random(14);
    let robot = chain(6);
    let checkers = [0.01, 0.1, 0.3].map(|radius| carrying(&robot, radius));
    let mut scenes = [1.0, 1.5].map(|x| scene_of(&[("a", at(x, 0.4, 0.0)), ("b", at(-x, 0.3, 0.0))]));
    let (mut caches, mut workspace, request) =
        (WarmStarts::default(), Workspace::default(), DistanceRequest::default());
    let mut placements = [0, 1, 2].map(|i: usize| checkers[i].placement().unwrap());
    for step in 0..2000 {
        let (i, j, other) = (random.below(3), random.below(2), random.below(3));
        if step % 7 == 0 {
            let object = scenes[j].remove(["a", "b"][random.below(2)]).unwrap();
            scenes[j]
                .insert(Object { pose: at(random.between(-2.0, 2.0), random.between(-2.0, 2.0), 0.0), ..object })
                .unwrap();
        }
        let q: Vec<f64> = (0..5).map(|_| random.between(-2.0, 2.0)).collect();
        let (checker, scene) = (&checkers[i], &scenes[j]);
        checker.place(&mut placements[i], &Pose::IDENTITY, &q).unwrap();
        let (placement, twin) = (&placements[i], (&checkers[other], &placements[other]));
        let mut ask = |caches: Option<&mut WarmStarts>| {
            let (own, room, robot) = match caches {
                Some(WarmStarts { own, scene, robot }) => (Some(own), Some(scene), Some(robot)),
                None => (None, None, None),
            };
            let own = checker.self_distance(placement, &request, &mut workspace, own).unwrap();
            let room = checker.scene_distance(placement, scene, &request, &mut workspace, room).unwrap();
            let robot = checker.robot_distance(placement, twin, &request, &mut workspace, robot).unwrap();
            [own, room, robot].map(|answer| (answer.upper, answer.colliding()))
        };
        let (fresh, warm) = (ask(None), ask(Some(&mut caches)));
        for (fresh, warm) in fresh.iter().zip(&warm) {
            assert!((fresh.0 - warm.0).abs() < 1e-12 && fresh.1 == warm.1, "{step}: {fresh:?} {warm:?}");
        }
        let cached = checker.scene_collision(placement, scene, &mut workspace, Some(&mut caches.scene)).unwrap();
        assert_eq!(Some(cached.is_some()), fresh[1].1);
        assert!(cached.is_none_or(|(part, object)| checker.name(part).is_ok() && scene.name(object).is_ok()));
    }
}

#[test]
fn names_mean_the_same_for_every_robot_and_unknown_ones_are_refused() {
    // The other robot has the same links in another order: numbers would mean others.
    let sphere = || LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.2 });
    let star = |names: [&str; 4]| {
        let mut builder = RobotBuilder::new("star").link("hub", []);
        for (i, name) in names.into_iter().enumerate() {
            let joint = JointSpec::revolute(format!("to_{name}"), "hub", name, DVec3::Z, [-1.0, 1.0]);
            builder = builder.link(name, [sphere()]).joint(joint.at(at(0.3 * i as f64, 0.0, 0.0)));
        }
        Arc::new(builder.build().unwrap())
    };
    let mut disabled = DisabledPairs::default();
    disabled.insert("b", "a");
    for robot in [star(["a", "b", "c", "d"]), star(["c", "b", "d", "a"])] {
        let options = CheckOptions { disabled: disabled.clone(), ..CheckOptions::default() };
        let checker = CollisionModel::new(robot, &options).unwrap();
        let mut names = checker.pairs().map(|(a, b)| {
            let mut names = [a, b].map(|part: PartId| checker.name(part).unwrap());
            names.sort_unstable();
            names
        });
        assert!(names.all(|names| names != ["a", "b"]));
        assert_eq!(checker.pairs().count(), 5);
    }
    let robot = star(["a", "b", "c", "d"]);
    let refused = |options: CheckOptions| CollisionModel::new(robot.clone(), &options).err().expect("refused");
    let wrong = refused(CheckOptions { only: Some(vec!["z".into()]), ..CheckOptions::default() });
    assert_eq!(
        (wrong.kind(), wrong.to_string().as_str()),
        (ErrorKind::Unknown, "no link is called 'z'; correct the name")
    );
    let wrong = refused(CheckOptions { paddings: HashMap::from([("z".into(), 0.1)]), ..CheckOptions::default() });
    let text = "a padding is given for 'z', but no link or attached object is called so";
    assert_eq!((wrong.kind(), wrong.to_string().as_str()), (ErrorKind::Unknown, text));
}

#[test]
fn gaps_of_another_robot_are_refused() {
    let robots = [chain(4), chain(4)];
    let gaps = robots.each_ref().map(|robot| {
        let mut checker = carrying(robot, 0.1);
        checker.prove(&GapOptions { evaluations: 10, ..GapOptions::default() }).unwrap().clone()
    });
    assert!(Tables::new(&robots[0], &gaps[0]).is_ok() && Tables::new(&robots[0].as_ref().clone(), &gaps[0]).is_ok());
    assert_eq!(Tables::new(&robots[0], &gaps[1]).unwrap_err().to_string(), "the gaps were proven for another robot");
}

#[test]
fn what_was_saved_of_another_mesh_is_refused() {
    let tetrahedron = |z: f64| {
        let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z * z];
        TriMesh::new(vertices, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap()
    };
    let mesh: Mesh = Mesh::new(tetrahedron(1.0)).unwrap();
    let saved = mesh.save_hierarchy();
    assert!(Mesh::<clearance_engine::tree::Bvh8>::from_saved(tetrahedron(1.0), &saved).is_ok());
    assert!(Mesh::<clearance_engine::tree::Bvh8>::from_saved(tetrahedron(1.0_f64.next_up()), &saved).is_err());
}

#[test]
fn configurations_and_curves_of_other_robots_are_refused_by_their_length() {
    let checker = carrying(&chain(4), 0.1);
    let mut placement = checker.placement().unwrap();
    assert!(checker.place(&mut placement, &Pose::IDENTITY, &[0.0; 4]).is_err());
    let mut motions = MotionChecker::new(&checker, None).unwrap();
    assert!(motions.segment(&Pose::IDENTITY, &[0.0; 3], &[0.0; 4], &MotionRequest::default()).is_err());
    let curve = JointCurve::through(&[&[0.0; 4], &[1.0; 4]]).unwrap();
    assert!(motions.curve(&Pose::IDENTITY, &curve[0], &MotionRequest::default()).is_err());
}
