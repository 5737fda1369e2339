//! Real robots against the answers of other libraries: with themselves, in rooms, two of a kind,
//! among boxes and cylinders.
//!
//! The data folder is `CLEARANCE_DATA`, or `../shared/data` beside the workspace; without it these
//! tests only say so. The reference read the mesh of the Panda's `link6` wrongly (see
//! `robot_files.rs` of clearance-io), so no pair with that link is compared: neither side looks at
//! it. Distances of meshes agree to 1e-7 (files are read in single precision by both), those of
//! cylinders to 1e-5. Of 2,709 distances to boxes and cylinders 3 of the reference's are up to
//! 1.4e-6 too large: there the box as twelve triangles decides.

mod robots;

use clearance_engine::assembly::{PartDistance, PartId};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::DVec3;
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Cuboid, Cylinder};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, Mesh, Solid};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{CheckOptions, CollisionModel, Object, Placement, Scene};
use ndarray::{Array1, Array2, Array3};
use ndarray_npy::{NpzReader, read_npy};
use robots::{Reference, array, configuration, data_folder, pose, reference, text};
use serde_json::Value;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

const TOLERANCE: f64 = 1e-7;

/// How exact the reference's iterative search is, which it uses for cylinders (and for a few
/// boxes).
const ITERATED: f64 = 1e-5;

/// The link whose mesh the reference read wrongly.
const SCRAMBLED: &str = "panda_link6";

/// A robot that is asked as the reference was.
struct Judged {
    reference: Reference,
    checker: CollisionModel,
    q: Array2<f64>,
    /// The part of each geometry of the reference.
    parts: Vec<u32>,
    /// Pairs of geometries by the reference's number.
    pairs: Vec<[usize; 2]>,
    /// Which of them are looked at.
    looked_at: Vec<usize>,
}

fn numbers(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap() as usize).collect()
}

impl Judged {
    fn new(data: &Path, name: &str) -> Self {
        let reference = reference(data, data.join("ref").join(name));
        let (robot, model) = (&reference.robot, &reference.model);
        let q = read_npy(reference.folder.join("q.npy")).unwrap();
        let pairs: Vec<[usize; 2]> = array(model, "pairs").iter().map(|p| numbers(p).try_into().unwrap()).collect();
        let links = |pair: usize| pairs[pair].map(|geometry| reference.geometries[geometry].0);
        let scrambled = robot.link_index(SCRAMBLED);
        let mut looked_at = numbers(&model["pair_eval"]);
        looked_at.retain(|&pair| !links(pair).iter().any(|link| Some(*link) == scrambled));
        // Everything else is disabled, as by an SRDF file: pairs that always touch, and the
        // scrambled link's.
        let kept: Vec<[usize; 2]> =
            looked_at.iter().map(|&pair| links(pair)).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let mut options = CheckOptions::default();
        let name = |link: usize| robot.links()[link].name();
        for [a, b] in robot.checked_link_pairs(&options.disabled).into_iter().filter(|pair| !kept.contains(pair)) {
            options.disabled.insert(name(a), name(b));
        }
        let only = (0..robot.links().len()).filter(|link| Some(*link) != scrambled);
        options.only = Some(only.map(|link| name(link).to_owned()).collect());
        let checker = CollisionModel::new(Arc::new(robot.clone()), &options).unwrap();
        let part = |&(link, number): &(usize, usize)| {
            let parts = checker.parts().iter().enumerate().filter(|(_, part)| part.link == link);
            parts.map(|(part, _)| part as u32).nth(number).unwrap()
        };
        let parts = reference.geometries.iter().map(part).collect();
        Self { reference, checker, q, parts, pairs, looked_at }
    }

    fn configuration(&self, row: usize) -> Vec<f64> {
        configuration(&self.reference, &self.q.row(row).to_vec())
    }

    /// The pair of parts of a pair of the reference.
    fn parts_of(&self, pair: usize) -> (u32, u32) {
        let [a, b] = self.pairs[pair].map(|geometry| self.parts[geometry]);
        (a.min(b), a.max(b))
    }

    /// How exact the reference is for a pair.
    fn tolerance(&self, pair: usize) -> f64 {
        let geometries = array(&self.reference.model, "geometries");
        let round = self.pairs[pair].iter().any(|&geometry| geometries[geometry]["type"] == "cylinder");
        if round { ITERATED } else { TOLERANCE }
    }

    fn npz(&self, file: &str) -> NpzReader<File> {
        NpzReader::new(File::open(self.reference.folder.join(file)).unwrap()).unwrap()
    }

    fn is_scrambled(&self, geometry: usize) -> bool {
        self.reference.robot.links()[self.reference.geometries[geometry].0].name() == SCRAMBLED
    }
}

/// Least of some distances with where it is; `None` where another one is as near.
fn least(distances: impl Iterator<Item = (usize, f64)>) -> (f64, Option<usize>) {
    distances.fold((f64::INFINITY, None), |(least, at), (number, distance)| match distance - least {
        closer if closer < -TOLERANCE => (distance, Some(number)),
        closer if closer <= TOLERANCE => (distance.min(least), None),
        _ => (least, at),
    })
}

fn numbers_of((a, b): (PartId, PartId)) -> (u32, u32) {
    (a.number(), b.number())
}

fn judge_self(data: &Path, name: &str, every: usize) {
    let judged = Judged::new(data, name);
    let folder = &judged.reference.folder;
    let dist: Array2<f64> = read_npy(folder.join("self_dist.npy")).unwrap();
    let coll: Array2<u8> = read_npy(folder.join("self_coll.npy")).unwrap();
    let checked: Array2<u8> = read_npy(folder.join("self_checked.npy")).unwrap();
    let number_of: HashMap<(u32, u32), usize> = judged.looked_at.iter().map(|&n| (judged.parts_of(n), n)).collect();
    assert_eq!(judged.checker.pairs().count(), number_of.len());
    let (checker, mut workspace) = (&judged.checker, Workspace::default());
    let mut placement = checker.placement().unwrap();
    let (mut colliding, mut free) = (0, 0);
    for i in (0..judged.q.nrows()).step_by(every) {
        checker.place(&mut placement, &Pose::IDENTITY, &judged.configuration(i)).unwrap();
        let ambiguous = |pair: usize| checked[[i, pair]] & 2 != 0;
        let request = DistanceRequest::default();
        let all = checker.self_distances(&placement, &request, &mut workspace).unwrap();
        for (parts, distance) in &all {
            let pair = number_of[&numbers_of(*parts)];
            let expected = dist[[i, pair]];
            let tolerance = judged.tolerance(pair);
            assert!((distance.upper - expected).abs() <= tolerance, "{name} {i}: pair {pair}: {expected} {distance:?}");
            let decided = !ambiguous(pair);
            assert!(!decided || distance.colliding() == Some(coll[[i, pair]] != 0), "{name} {i}: pair {pair}");
        }
        let mut hits: Vec<usize> = Vec::new();
        for parts in checker.self_collisions(&placement, &mut workspace).unwrap() {
            hits.push(number_of[&numbers_of(parts)]);
        }
        for &pair in &judged.looked_at {
            assert!(ambiguous(pair) || hits.contains(&pair) == (coll[[i, pair]] != 0), "{name} {i}: pair {pair}");
        }
        let one = checker.self_collision(&placement, &mut workspace, None).unwrap();
        assert_eq!(one.is_some(), !hits.is_empty(), "{name} {i}");
        let nearest = checker.self_distance(&placement, &request, &mut workspace, None).unwrap();
        let (expected, at) = least(judged.looked_at.iter().map(|&pair| (pair, dist[[i, pair]])));
        let tolerance = at.map_or(ITERATED, |pair| judged.tolerance(pair));
        assert!((nearest.upper - expected).abs() <= tolerance, "{name} {i}: {expected} {nearest:?}");
        assert_eq!(nearest.colliding(), Some(one.is_some()), "{name} {i}");
        let witness = nearest.witness.unwrap();
        let found = (witness.part_a.min(witness.part_b), witness.part_a.max(witness.part_b));
        if expected > TOLERANCE
            && let Some(at) = at
        {
            assert_eq!(numbers_of(found), judged.parts_of(at), "{name} {i}");
        }
        colliding += usize::from(one.is_some());
        free += usize::from(one.is_none());
    }
    eprintln!("{name}: {colliding} colliding and {free} free configurations, {} pairs each", judged.looked_at.len());
    assert!(colliding > 0 && free > 0);
}

#[test]
fn arms_are_as_far_from_themselves_as_the_reference_says() {
    let Some(data) = data_folder("self-collision") else { return };
    judge_self(&data, "panda", 1);
    judge_self(&data, "ur5", 3);
}

// Odd steps: configurations just free and just colliding alternate in the data.
#[test]
fn humanoids_are_as_far_from_themselves_as_the_reference_says() {
    let Some(data) = data_folder("self-collision") else { return };
    judge_self(&data, "jvrc1", 7);
    judge_self(&data, "talos", 19);
    judge_self(&data, "armar3", 11);
}

/// Distances beyond this are not in the reference of octrees.
const WINDOW: f64 = 0.3;

fn judge_room(data: &Path, name: &str, room: &str, scene: &Scene) {
    let judged = Judged::new(data, name);
    let mut npz = judged.npz(&format!("{room}.npz"));
    let base: Array2<f64> = npz.by_name("base_pose").unwrap();
    let index: Array1<i32> = npz.by_name("config_index").unwrap();
    let dist: Array2<f64> = npz.by_name("dist").unwrap();
    let coll: Array2<u8> = npz.by_name("coll").unwrap();
    let (checker, mut workspace) = (&judged.checker, Workspace::default());
    let mut placement = checker.placement().unwrap();
    // The reference of octrees leaves cylinders out.
    let evaluated = |geometry: &usize| !dist.column(*geometry).iter().all(|distance| distance.is_nan());
    let sound = (0..judged.parts.len()).filter(|&geometry| !judged.is_scrambled(geometry));
    let geometries: Vec<usize> = sound.filter(evaluated).collect();
    assert!(!geometries.is_empty(), "{name}");
    let parts: Vec<u32> = geometries.iter().map(|&geometry| judged.parts[geometry]).collect();
    for i in 0..base.nrows() {
        let base = pose(base.row(i).iter().copied());
        checker.place(&mut placement, &base, &judged.configuration(index[i] as usize)).unwrap();
        let near = |geometry: usize| dist[[i, geometry]] > 0.0 && dist[[i, geometry]] < TOLERANCE;
        let hits = checker.scene_collisions(&placement, scene, &mut workspace).unwrap();
        for &geometry in geometries.iter().filter(|&&geometry| !near(geometry)) {
            let hit = hits.iter().any(|hit| hit.0.number() == judged.parts[geometry]);
            assert_eq!(hit, coll[[i, geometry]] != 0, "{name} {i}: geometry {geometry}");
        }
        let one = checker.scene_collision(&placement, scene, &mut workspace, None).unwrap();
        assert_eq!(one.is_some(), !hits.is_empty());
        let nearest =
            checker.scene_distance(&placement, scene, &DistanceRequest::default(), &mut workspace, None).unwrap();
        let known = geometries.iter().map(|&geometry| (geometry, dist[[i, geometry]])).filter(|(_, d)| !d.is_nan());
        let (expected, at) = least(known);
        if nearest.witness.is_some_and(|witness| !parts.contains(&witness.part_a.number())) {
            assert!(nearest.upper <= expected + TOLERANCE, "{name} {i}: {expected} {nearest:?}");
            continue;
        }
        if geometries.iter().any(|&geometry| dist[[i, geometry]].is_nan()) && expected >= WINDOW {
            assert!(nearest.upper >= WINDOW && nearest.upper <= expected + TOLERANCE, "{name} {i}: {nearest:?}");
            continue;
        }
        assert!((nearest.upper - expected).abs() <= TOLERANCE, "{name} {i}: {expected} {nearest:?}");
        if expected > TOLERANCE
            && let Some(at) = at
        {
            assert_eq!(nearest.witness.unwrap().part_a.number(), judged.parts[at], "{name} {i}");
        }
    }
}

#[test]
fn robots_are_as_far_from_an_octree_as_the_reference_says() {
    let Some(data) = data_folder("octrees") else { return };
    let scene = Scene::read(r#"{"objects":[{"name":"map","octomap":"geb079.bt"}]}"#, &data.join("env")).unwrap();
    for name in ["talos", "jvrc1", "armar3"] {
        judge_room(&data, name, "octo_geb079", &scene);
    }
}

#[test]
fn robots_are_as_far_from_rooms_as_the_reference_says() {
    let Some(data) = data_folder("rooms") else { return };
    for (name, room) in [("panda", "env_iai_apartment"), ("jvrc1", "env_iai_apartment"), ("armar3", "env_kit_kitchen")]
    {
        let file = data.join(format!("env/{}.obj", room.trim_start_matches("env_")));
        judge_room(&data, name, room, &Scene::load(&file).unwrap());
    }
}

#[test]
fn two_pandas_are_as_far_apart_as_the_reference_says() {
    let Some(data) = data_folder("two robots") else { return };
    let judged = Judged::new(&data, "panda");
    let mut npz = judged.npz("two.npz");
    let config_a: Array1<i32> = npz.by_name("config_a").unwrap();
    let config_b: Array1<i32> = npz.by_name("config_b").unwrap();
    let base_b: Array2<f64> = npz.by_name("base_b").unwrap();
    let dist: Array3<f64> = npz.by_name("dist").unwrap();
    let (checker, mut workspace) = (&judged.checker, Workspace::default());
    let (mut a, mut b) = (checker.placement().unwrap(), checker.placement().unwrap());
    let count = judged.parts.len();
    let pairs: Vec<[usize; 2]> = (0..count * count)
        .map(|n| [n / count, n % count])
        .filter(|pair| !pair.iter().any(|&geometry| judged.is_scrambled(geometry)))
        .collect();
    let mut colliding = 0;
    for i in 0..base_b.nrows() {
        checker.place(&mut a, &Pose::IDENTITY, &judged.configuration(config_a[i] as usize)).unwrap();
        let base = pose(base_b.row(i).iter().copied());
        checker.place(&mut b, &base, &judged.configuration(config_b[i] as usize)).unwrap();
        let request = DistanceRequest::default();
        let nearest = checker.robot_distance(&a, (checker, &b), &request, &mut workspace, None).unwrap();
        let (expected, at) = least(pairs.iter().enumerate().map(|(n, &[x, y])| (n, dist[[i, x, y]])));
        assert!((nearest.upper - expected).abs() <= TOLERANCE, "{i}: {expected} {nearest:?}");
        if expected > TOLERANCE
            && let Some(at) = at
        {
            let witness = nearest.witness.unwrap();
            let parts = [witness.part_a, witness.part_b].map(PartId::number);
            assert_eq!(parts, pairs[at].map(|geometry| judged.parts[geometry]), "{i}");
        }
        let hit = checker.robot_collision(&a, (checker, &b), &mut workspace, None).unwrap();
        assert!(hit.is_some() == (expected == 0.0) || (0.0..TOLERANCE).contains(&expected), "{i}: {expected} {hit:?}");
        colliding += usize::from(hit.is_some());
    }
    assert!((1..base_b.nrows()).contains(&colliding));
}

/// The boxes and cylinders of a problem of MotionBenchMaker.
fn scene_of(problem: &Value) -> Scene {
    let mut scene = Scene::default();
    for object in array(problem, "objects") {
        let list = |name: &str| array(object, name).iter().map(|x| x.as_f64().unwrap()).collect::<Vec<_>>();
        let size = list("dims");
        let solid = match text(object, "type") {
            "box" => Solid::new(Cuboid::from_half_extents(DVec3::from_slice(&size) * 0.5).unwrap()),
            "cylinder" => Solid::new(Cylinder::from_half_length(size[1], 0.5 * size[0]).unwrap()),
            other => panic!("a {other}"),
        };
        let geometry: Arc<dyn Geometry> = Arc::new(solid);
        scene.insert(Object { name: text(object, "name").to_owned(), geometry, pose: pose(list("pose")) }).unwrap();
    }
    scene
}

/// The distance of the nearest part from the nearest object, a box, as its twelve triangles: by
/// other arithmetic than the box's.
fn distance_to_triangles(
    checker: &CollisionModel,
    placement: &Placement,
    scene: &Scene,
    nearest: &PartDistance,
    objects: &[Value],
) -> f64 {
    let witness = nearest.witness.unwrap();
    let object = &objects[witness.part_b.number() as usize];
    assert_eq!(text(object, "type"), "box");
    let half: Vec<f64> = array(object, "dims").iter().map(|edge| 0.5 * edge.as_f64().unwrap()).collect();
    let sign = |vertex: usize, axis: usize| if vertex >> axis & 1 == 1 { half[axis] } else { -half[axis] };
    let vertices = (0..8).map(|vertex| DVec3::from([0, 1, 2].map(|axis| sign(vertex, axis)))).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh: Mesh = Mesh::new(TriMesh::new(vertices, triangles).unwrap()).unwrap();
    let part = checker.part(witness.part_a).unwrap();
    let world_from_part = placement.link_poses()[part.link].then(&part.link_from_part);
    let part_from_box = world_from_part.inverse().then(scene.assembly().pose(witness.part_b.number()));
    let dispatcher = Dispatcher::standard();
    let plan = dispatcher.plan(&*part.geometry, &mesh).unwrap();
    plan.distance(&part_from_box, &DistanceRequest::default(), &mut Workspace::default(), None).unwrap().upper
}

#[test]
fn the_panda_is_as_far_from_boxes_and_cylinders_as_the_reference_says() {
    let Some(data) = data_folder("MotionBenchMaker") else { return };
    let judged = Judged::new(&data, "panda");
    let file = std::fs::read(judged.reference.folder.join("mbm.json")).unwrap();
    let file: Value = serde_json::from_slice(&file).unwrap();
    let (checker, robot) = (&judged.checker, &judged.reference.robot);
    let (mut workspace, mut placement) = (Workspace::default(), checker.placement().unwrap());
    let mut counts = [0; 3];
    let mut overruled = 0;
    for problem in array(&file, "problems") {
        let (scene, objects) = (scene_of(problem), array(problem, "objects"));
        for state in ["start", "goal", "line_0.2", "line_0.4", "line_0.6", "line_0.8"].map(|name| &problem[name]) {
            let Some(q) = state["q"].as_array() else { continue };
            let mut configuration = robot.default_configuration();
            for (name, value) in array(&file, "joints").iter().zip(q) {
                let joint = robot.joint_index(name.as_str().unwrap()).unwrap();
                configuration[robot.joints()[joint].variables().start] = value.as_f64().unwrap();
            }
            checker.place(&mut placement, &Pose::IDENTITY, &configuration).unwrap();
            let hits = checker.scene_collisions(&placement, &scene, &mut workspace).unwrap();
            let expected: Vec<[usize; 2]> =
                array(state, "env_hits").iter().map(|hit| numbers(hit).try_into().unwrap()).collect();
            let expected: Vec<&[usize; 2]> = expected.iter().filter(|hit| !judged.is_scrambled(hit[0])).collect();
            let label = format!("{} {}", problem["scene"], problem["index"]);
            for hit in &expected {
                let parts = (judged.parts[hit[0]], hit[1] as u32);
                assert!(hits.iter().any(|&hit| numbers_of(hit) == parts), "{label}: {hit:?}");
            }
            assert_eq!(hits.len(), expected.len(), "{label}");
            counts[usize::from(!hits.is_empty())] += 1;
            let nearest = checker.scene_distance(&placement, &scene, &DistanceRequest::default(), &mut workspace, None);
            let nearest = nearest.unwrap();
            assert_eq!(nearest.colliding(), Some(!hits.is_empty()), "{label}");
            if let Some(distance) = state["env_min_distance"].as_f64()
                && state["env_collision"] == false
                && let [geometry, object] = numbers(&state["env_min"])[..]
                && !judged.is_scrambled(geometry)
            {
                let round = objects[object]["type"] == "cylinder" || distance < 1e-6;
                if (nearest.upper - distance).abs() > if round { ITERATED } else { TOLERANCE } {
                    let triangles = distance_to_triangles(checker, &placement, &scene, &nearest, objects);
                    assert!((nearest.upper - triangles).abs() < 1e-12, "{label}: {distance} {triangles} {nearest:?}");
                    assert!((0.0..2e-6).contains(&(distance - nearest.upper)), "{label}: {distance} {nearest:?}");
                    overruled += 1;
                }
                counts[2] += 1;
            }
            let own = checker.self_collision(&placement, &mut workspace, None).unwrap();
            let expected = numbers(&state["self_pairs"]).into_iter().any(|pair| judged.looked_at.contains(&pair));
            assert_eq!(own.is_some(), expected, "{label}");
        }
    }
    eprintln!("{} free, {} colliding, {} distances", counts[0], counts[1], counts[2]);
    assert!(overruled <= 3, "{overruled}");
    assert!(counts.iter().all(|&count| count > 100), "{counts:?}");
}
