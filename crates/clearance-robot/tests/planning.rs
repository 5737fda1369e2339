//! A checker that is ready for planning has the verdicts of one that is not: of configurations and
//! edges, random and next to contact, for generated robots and real ones.

mod robots;

use clearance_engine::dispatch::Threads;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Capsule, Cone, Cuboid, Cylinder, HalfSpace, Plane, Sphere};
use clearance_engine::tree::voxel_map::{Cell, Filling, VoxelMap};
use clearance_engine::tree::{HalfSpaceGeometry, HeightField, Mesh, PointCloud, Solid};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{
    CheckOptions, Checker, ErrorKind, Find, JointSpec, LinkGeometry, LinkShape, MotionRequest, PlanningOptions, Robot,
    RobotBuilder, Scene,
};
use std::sync::Arc;

struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 29);
        (x.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn vector(&mut self, size: f64) -> DVec3 {
        DVec3::new(self.between(-size, size), self.between(-size, size), self.between(-size, size))
    }

    fn pose(&mut self, size: f64) -> Pose {
        let turn = DQuat::from_scaled_axis(self.vector(2.0));
        Pose::new(turn, self.vector(size)).unwrap()
    }
}

/// A closed box of triangles.
fn box_mesh(half: DVec3) -> TriMesh {
    let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    TriMesh::new((0..8).map(|i| vertex(i) * half).collect(), triangles).unwrap()
}

fn shape(random: &mut Random, kind: usize) -> LinkShape {
    let half = DVec3::new(random.between(0.02, 0.15), random.between(0.02, 0.1), random.between(0.1, 0.2));
    match kind % 6 {
        0 => LinkShape::Mesh(Arc::new(box_mesh(half))),
        1 => LinkShape::Capsule { radius: half.y, length: 2.0 * half.z },
        2 => LinkShape::Box { size: 2.0 * half },
        3 => LinkShape::Sphere { radius: half.z },
        4 => LinkShape::Cylinder { radius: half.y, length: 2.0 * half.z },
        _ => {
            // Open, in two parts.
            let mut mesh = box_mesh(half);
            let triangles = mesh.triangles()[2..9].to_vec();
            mesh = TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap();
            LinkShape::Mesh(Arc::new(mesh))
        }
    }
}

/// A tree of links with joints of all kinds.
fn tree(random: &mut Random, links: usize, floating: bool) -> Robot {
    let mut builder = RobotBuilder::new("tree");
    for link in 0..links {
        let kind = (random.unit() * 6.0) as usize;
        let geometry = LinkGeometry::new(random.pose(0.1), shape(random, kind));
        builder = builder.link(format!("l{link}"), if link == 1 { vec![] } else { vec![geometry] });
    }
    for child in 1..links {
        let parent = if child < 4 { child - 1 } else { child - 1 - (random.unit() * 3.0) as usize };
        let (name, parent, link) = (format!("j{child}"), format!("l{parent}"), format!("l{child}"));
        let axis = random.vector(1.0).normalize();
        let joint = match child {
            1 if floating => JointSpec::floating(&name, &parent, &link),
            1 => JointSpec::planar(&name, &parent, &link, axis),
            2 => JointSpec::continuous(&name, &parent, &link, axis),
            3 => JointSpec::prismatic(&name, &parent, &link, axis, [-0.3, 0.4]),
            5 => JointSpec::revolute(&name, &parent, &link, axis, [-3.0, 3.0]).mimic("j2", -0.7, 0.2),
            7 => JointSpec::fixed(&name, &parent, &link),
            _ => JointSpec::revolute(&name, &parent, &link, axis, [-2.5, 2.5]),
        };
        builder = builder.joint(joint.at(random.pose(0.35)));
    }
    builder.build().unwrap()
}

/// Something of every kind.
fn scene(random: &mut Random) -> Scene {
    let mut scene = Scene::new();
    let place = |random: &mut Random| loop {
        let pose = random.pose(1.6);
        if pose.translation().length() > 0.5 {
            return pose;
        }
    };
    scene.add("box", Cuboid::new(0.3, 0.5, 0.2).unwrap(), place(random)).unwrap();
    scene.add("crate", Cuboid::new(0.1, 0.1, 0.9).unwrap(), place(random)).unwrap();
    scene.add("ball", Sphere::new(0.15).unwrap(), place(random)).unwrap();
    scene.add("pea", Sphere::new(0.01).unwrap(), place(random)).unwrap();
    scene.add("pole", Capsule::new(0.05, 0.8).unwrap(), place(random)).unwrap();
    scene.add("can", Cylinder::new(0.12, 0.4).unwrap(), place(random)).unwrap();
    scene.add("hat", Cone::new(0.2, 0.4).unwrap(), place(random)).unwrap();
    let mesh: Mesh = Mesh::new(box_mesh(DVec3::new(0.2, 0.1, 0.3))).unwrap();
    scene.add("chest", mesh, place(random)).unwrap();
    let points: Vec<DVec3> = (0..40).map(|_| random.vector(0.15)).collect();
    scene.add("dust", PointCloud::new(points, 0.01).unwrap(), place(random)).unwrap();
    let floor = HalfSpace::new(DVec3::new(0.1, 0.0, 1.0).normalize(), -1.7).unwrap();
    scene.add("floor", HalfSpaceGeometry::new(floor), Pose::IDENTITY).unwrap();
    let curtain = Plane::new(DVec3::Y, 1.9).unwrap();
    scene.add("curtain", HalfSpaceGeometry::new(curtain), Pose::IDENTITY).unwrap();
    scene
}

fn draw(random: &mut Random, robot: &Robot) -> Vec<f64> {
    let value = |variable: &clearance_robot::Variable, random: &mut Random| match variable.limits {
        Some(limits) => random.between(limits.lower, limits.upper),
        None if variable.name.ends_with(".x") || variable.name.ends_with(".y") || variable.name.ends_with(".z") => {
            random.between(-0.6, 0.6)
        }
        None => random.between(-4.0, 4.0),
    };
    let mut configuration: Vec<f64> = robot.variables().iter().map(|variable| value(variable, random)).collect();
    for joint in robot.joints().iter().filter(|joint| joint.kind().variable_count() == 7) {
        let first = joint.variables().start + 3;
        let turn = DQuat::from_scaled_axis(random.vector(3.0));
        configuration[first..first + 4].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
    }
    configuration
}

/// Two checkers of the same robot and scene, one of them ready for planning.
struct Both {
    exact: Checker,
    ready: Checker,
    configurations: usize,
    edges: usize,
    seen: [usize; 2],
}

fn quick() -> PlanningOptions {
    PlanningOptions { table_cells: 48, ..PlanningOptions::default() }
}

impl Both {
    fn new(robot: Robot, options: CheckOptions, planning: &PlanningOptions) -> Self {
        let mut exact = Checker::with_options(robot, options).unwrap();
        exact.set_threads(Threads::One);
        let mut ready = exact.clone();
        ready.prepare_for_planning(planning).unwrap();
        Self { exact, ready, configurations: 0, edges: 0, seen: [0; 2] }
    }

    fn set_scene(&mut self, scene: &Scene) {
        self.exact.set_scene(scene.clone());
        self.ready.set_scene(scene.clone());
    }

    /// Holds verdicts of configurations against each other, one at a time and in blocks.
    fn configurations(&mut self, configurations: &[Vec<f64>]) {
        let expected: Vec<bool> = configurations.iter().map(|c| !self.exact.collides(c).unwrap()).collect();
        let found = self.ready.are_free(configurations).unwrap();
        for ((configuration, expected), found) in configurations.iter().zip(&expected).zip(&found) {
            assert_eq!(expected, found, "{configuration:?}: {:?}", self.exact.collisions(configuration));
            self.seen[usize::from(*expected)] += 1;
        }
        for (configuration, expected) in configurations.iter().zip(&expected).step_by(3) {
            assert_eq!(self.ready.is_free(configuration).unwrap(), *expected, "{configuration:?}");
        }
        self.configurations += configurations.len();
    }

    fn edge(&mut self, from: &[f64], to: &[f64]) -> bool {
        let request = MotionRequest { find: Find::Any, ..MotionRequest::default() };
        let expected = self.exact.edge_with(from, to, &request).unwrap();
        let found = self.ready.is_edge_free(from, to).unwrap();
        assert_eq!(expected.is_free(), found, "{expected:?}\n{from:?}\n{to:?}");
        self.edges += 1;
        found
    }

    /// Configurations next to contact, by bisection between a free and a colliding one.
    fn near_contact(&mut self, random: &mut Random, count: usize) {
        let robot = self.exact.robot().clone();
        let floating = robot.joints().iter().any(|joint| joint.kind().variable_count() == 7);
        let mut found = 0;
        for _ in 0..40 * count {
            let (mut free, mut hit) = (draw(random, &robot), draw(random, &robot));
            if floating {
                let first = robot.joints()[0].variables().start + 3;
                let turn = free[first..first + 4].to_vec();
                hit[first..first + 4].copy_from_slice(&turn);
            }
            if self.exact.collides(&free).unwrap() || !self.exact.collides(&hit).unwrap() {
                continue;
            }
            let mut steps = Vec::new();
            for _ in 0..34 {
                let middle: Vec<f64> = free.iter().zip(&hit).map(|(a, b)| 0.5 * (a + b)).collect();
                let collides = self.exact.collides(&middle).unwrap();
                steps.push(middle.clone());
                if collides { hit = middle } else { free = middle }
            }
            self.configurations(&steps);
            found += 1;
            if found == count {
                return;
            }
        }
    }
}

fn check(both: &mut Both, random: &mut Random, configurations: usize, edges: usize) {
    let robot = both.exact.robot().clone();
    let drawn: Vec<Vec<f64>> = (0..configurations).map(|_| draw(random, &robot)).collect();
    both.configurations(&drawn);
    let free: Vec<Vec<f64>> = drawn.into_iter().filter(|c| !both.exact.collides(c).unwrap()).take(edges).collect();
    for from in free {
        let to = draw(random, &robot);
        let length = random.between(0.02, 0.6);
        let mut to: Vec<f64> = from.iter().zip(&to).map(|(a, b)| a + length * (b - a)).collect();
        if robot.joints().first().is_some_and(|joint| joint.kind().variable_count() == 7) && random.unit() < 0.7 {
            to[3..7].copy_from_slice(&from[3..7]);
        } else if to.len() > 6 && robot.joints()[0].kind().variable_count() == 7 {
            let length = to[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
            to[3..7].iter_mut().for_each(|x| *x /= length);
        }
        both.edge(&from, &to);
    }
}

fn options(random: &mut Random, case: usize) -> CheckOptions {
    let mut options = CheckOptions::default();
    if case % 3 == 1 {
        options.padding = 0.01;
        options.paddings.insert("l2".into(), 0.03);
        options.margin = 0.005;
        options.margins.insert(["l2".into(), "box".into()], 0.08);
    }
    if case % 4 == 2 {
        options.allowed = vec![["l2".into(), "floor".into()], ["l0".into(), "l4".into()]];
        options.only = Some(vec!["l2".into(), "l4".into(), "l5".into()]);
    }
    if case % 2 == 1 {
        options.attached.push(clearance_robot::Attachment {
            name: "tool".into(),
            link: "l4".into(),
            geometry: Arc::new(Solid::new(Cylinder::new(0.03, 0.3).unwrap())),
            link_from_object: random.pose(0.2),
            touch_links: vec!["l3".into()],
        });
    }
    options
}

fn generated(cases: std::ops::Range<usize>, configurations: usize, edges: usize) {
    let mut seen = [0; 2];
    for case in cases {
        let mut random = Random(1000 + case as u64);
        let robot = tree(&mut random, 6 + case % 6, case % 5 == 4);
        let options = options(&mut random, case);
        let mut both = Both::new(robot, options, &quick());
        both.set_scene(&scene(&mut random));
        check(&mut both, &mut random, configurations, edges);
        both.near_contact(&mut random, configurations / 100);
        // The scene moves, and so does the base; what is prepared lasts.
        let pose = random.pose(1.5);
        for checker in [&mut both.exact, &mut both.ready] {
            checker.scene_mut().set_pose("box", pose).unwrap();
            checker.scene_mut().remove("ball").unwrap();
            checker.set_base(Pose::from_xyz(0.3, -0.2, 0.1).unwrap()).unwrap();
        }
        check(&mut both, &mut random, configurations / 4, edges / 4);
        for checker in [&mut both.exact, &mut both.ready] {
            checker.attach("rod", Capsule::new(0.02, 0.4).unwrap(), "l2", Pose::IDENTITY, &["l3"]).unwrap();
        }
        check(&mut both, &mut random, configurations / 4, edges / 4);
        // Anything may be asked, also outside of what is screened.
        let mut odd = draw(&mut random, both.exact.robot());
        let last = odd.len() - 1;
        odd[last] = 7.0;
        both.configurations(std::slice::from_ref(&odd));
        odd[0] = 40.0;
        both.configurations(std::slice::from_ref(&odd));
        seen = [seen[0] + both.seen[0], seen[1] + both.seen[1]];
    }
    assert!(seen[0] > configurations / 10 && seen[1] > configurations / 10, "{seen:?}");
}

#[test]
fn generated_robots_have_the_verdicts_of_exact_checks() {
    generated(0..10, 400, 30);
}

/// How much of the long tests runs: so many cases, or as many as `CLEARANCE_PLANNING_CASES` says.
fn times(cases: usize) -> usize {
    std::env::var("CLEARANCE_PLANNING_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(cases)
}

#[test]
#[ignore = "10⁷ configurations: cargo test --release -p clearance-robot --test planning -- --ignored generated"]
fn generated_robots_have_the_verdicts_of_exact_checks_at_length() {
    generated(100..100 + times(500), 14_000, 1_400);
}

fn real(names: &[&str], configurations: usize, edges: usize) {
    let Some(data) = robots::data_folder("planning of real robots") else { return };
    for name in names {
        let reference = robots::reference(&data, data.join("ref").join(name));
        let urdf = data.join(robots::text(&reference.model, "urdf"));
        let robot = match robots::srdf_beside(&urdf) {
            Some(srdf) => reference.robot.with_srdf(srdf).unwrap(),
            None => reference.robot,
        };
        let mut both = Both::new(robot, CheckOptions::default(), &PlanningOptions { prove: None, ..quick() });
        let mut random = Random(5);
        for _ in 0..3 {
            both.set_scene(&scene(&mut random));
            check(&mut both, &mut random, configurations, edges);
        }
        both.near_contact(&mut random, configurations / 100);
        assert!(both.configurations > configurations && both.edges > 0, "{name}");
    }
}

#[test]
fn real_arms_have_the_verdicts_of_exact_checks() {
    real(&["panda", "ur5"], 300, 20);
}

/// `cargo test --release -p clearance-robot --test planning -- --ignored real`
#[test]
#[ignore = "10⁶ configurations and 10⁵ edges of five robots"]
fn real_robots_have_the_verdicts_of_exact_checks_at_length() {
    real(&["panda", "ur5", "talos", "jvrc1", "armar3"], 70_000, 7_000);
}

#[test]
fn edges_next_to_contact_are_free_or_not_as_exact_checks_say() {
    let limb = LinkGeometry::new(
        Pose::from_xyz(0.5, 0.0, 0.0).unwrap(),
        LinkShape::Mesh(Arc::new(box_mesh(DVec3::new(0.4, 0.05, 0.05)))),
    );
    let robot = RobotBuilder::new("crank").link("base", []).link("arm", [limb]);
    let robot = robot.joint(JointSpec::continuous("hub", "base", "arm", DVec3::Z)).build().unwrap();
    let mut both = Both::new(robot, CheckOptions::default(), &quick());
    let mut verdicts = [0; 2];
    for step in 0..60 {
        // A post that the arm's end passes or meets, by ever less.
        let gap = if step % 2 == 0 { 1.0 } else { -1.0 } * 0.1 * 0.5_f64.powi(step / 2);
        if (0.0..1.3e-5).contains(&gap) {
            continue;
        }
        let corner = 0.9_f64.hypot(0.05);
        let mut scene = Scene::new();
        let pose = Pose::from_xyz(0.0, corner + gap + 0.1, 0.0).unwrap();
        scene.add("post", Cylinder::new(0.1, 1.0).unwrap(), pose).unwrap();
        both.set_scene(&scene);
        for (from, to) in [(0.2, 2.9), (1.0, 1.9), (-2.0, 4.0), (1.2, 1.2)] {
            verdicts[usize::from(both.edge(&[from], &[to]))] += 1;
        }
    }
    assert!(verdicts[0] > 40 && verdicts[1] > 30, "{verdicts:?}");
}

#[test]
fn batches_of_edges_are_those_of_single_ones_and_bad_input_is_refused() {
    let mut random = Random(77);
    let robot = tree(&mut random, 8, false);
    let mut both = Both::new(robot.clone(), CheckOptions::default(), &quick());
    both.set_scene(&scene(&mut random));
    let edges: Vec<(Vec<f64>, Vec<f64>)> =
        (0..40).map(|_| (draw(&mut random, &robot), draw(&mut random, &robot))).collect();
    let single: Vec<bool> = edges.iter().map(|(a, b)| both.ready.is_edge_free(a, b).unwrap()).collect();
    assert_eq!(both.ready.are_edges_free(&edges).unwrap(), single);
    assert_eq!(both.exact.are_edges_free(&edges).unwrap(), single);
    let good = robot.default_configuration();
    let nan = vec![f64::NAN; good.len()];
    for bad in [&good[1..], &[], &nan] {
        assert!(both.ready.is_free(bad).is_err() && both.ready.are_free(&[bad]).is_err(), "{bad:?}");
        assert!(both.ready.is_edge_free(bad, &good).is_err() && both.ready.is_edge_free(&good, bad).is_err());
    }
}

/// A robot of a sphere at its root and of two joints that slide along x and y, between which there
/// is nothing.
fn sliding(geometry: Vec<LinkGeometry>) -> Robot {
    let sphere = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.05 });
    let builder = RobotBuilder::new("sliding").link("a", vec![sphere]).link("b", vec![]).link("c", geometry);
    let along_x = JointSpec::prismatic("x", "a", "b", DVec3::X, [-0.1, 0.1]);
    builder.joint(along_x).joint(JointSpec::prismatic("y", "b", "c", DVec3::Y, [-0.1, 0.1])).build().unwrap()
}

/// Surfaces, clouds and maps that are larger than the robot, and small ones.
fn room(random: &mut Random, kind: usize) -> Scene {
    let mut scene = Scene::new();
    let mut vertices = Vec::new();
    let mut add = |mesh: &TriMesh, pose: &Pose| {
        let moved = |triangle: u32| mesh.triangle(triangle).map(|vertex| pose.transform_point(vertex)).0;
        vertices.extend((0..mesh.len() as u32).flat_map(moved));
    };
    add(&box_mesh(DVec3::new(1.9, 1.9, 1.4)), &Pose::IDENTITY);
    for _ in 0..5 {
        let (half, pose) = (random.vector(0.2).abs() + 0.02, random.pose(1.5));
        if pose.translation().length() > 0.5 {
            add(&box_mesh(half), &pose);
        }
    }
    let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let mesh = TriMesh::new(vertices, triangles).unwrap();
    let place = random.pose(0.1);
    match kind % 4 {
        0 => scene.add("room", Mesh::<clearance_engine::tree::Bvh8>::new(mesh).unwrap(), place).unwrap(),
        1 => {
            let mut points = Vec::new();
            for number in 0..mesh.len() as u32 {
                let [a, b, c] = mesh.triangle(number).0;
                let count = (60.0 * (b - a).cross(c - a).length()) as usize;
                points.extend((0..count.max(3)).map(|_| {
                    let (s, t) = (random.unit(), random.unit());
                    let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
                    a + (b - a) * s + (c - a) * t
                }));
            }
            scene.add("room", PointCloud::new(points, 0.012).unwrap(), place).unwrap();
        }
        2 => {
            let mut map = VoxelMap::new(0.04).unwrap();
            map.rasterize_mesh(&mesh, &Pose::IDENTITY, Filling::Surface, Cell::Obstacle).unwrap();
            scene.replace("room", map.obstacles().unwrap()).unwrap();
            scene.set_pose("room", place).unwrap();
        }
        _ => {
            let heights: Vec<f64> = (0..400).map(|_| random.between(-1.2, -0.7)).collect();
            let ground = HeightField::new(20, 20, [0.25, 0.25], heights).unwrap();
            let corner = Pose::from_xyz(-2.4, -2.4, 0.0).unwrap();
            scene.add("room", ground.clone(), corner).unwrap();
            scene
                .add("ceiling", ground.into_solid(-1.5).unwrap(), place.then(&Pose::from_xyz(-2.4, -2.4, 2.9).unwrap()))
                .unwrap();
        }
    }
    scene
}

fn rooms(cases: std::ops::Range<usize>, configurations: usize, edges: usize) {
    let mut seen = [0; 2];
    for case in cases {
        let mut random = Random(5000 + case as u64);
        let robot = tree(&mut random, 5 + case % 4, false);
        let options = options(&mut random, case / 4);
        let mut both = Both::new(robot, options, &quick());
        both.set_scene(&room(&mut random, case));
        check(&mut both, &mut random, configurations, edges);
        both.near_contact(&mut random, configurations / 100);
        // It moves a little, far, and then something small comes.
        for size in [0.02, 0.9] {
            let pose = random.pose(size);
            for checker in [&mut both.exact, &mut both.ready] {
                checker.scene_mut().set_pose("room", pose).unwrap();
            }
            check(&mut both, &mut random, configurations / 4, edges / 4);
        }
        let pose = random.pose(0.8);
        let chest: Mesh = Mesh::new(box_mesh(DVec3::new(0.1, 0.15, 0.05))).unwrap();
        for checker in [&mut both.exact, &mut both.ready] {
            checker.scene_mut().add("chest", chest.clone(), pose).unwrap();
            checker.set_base(Pose::from_xyz(0.1, -0.2, 0.1).unwrap()).unwrap();
        }
        check(&mut both, &mut random, configurations / 4, edges / 4);
        seen = [seen[0] + both.seen[0], seen[1] + both.seen[1]];
    }
    assert!(seen[0] > configurations / 10 && seen[1] > configurations / 10, "{seen:?}");
}

#[test]
fn rooms_of_surfaces_clouds_and_maps_have_the_verdicts_of_exact_checks() {
    rooms(0..8, 300, 20);
}

/// `cargo test --release -p clearance-robot --test planning -- --ignored rooms`
#[test]
#[ignore = "10⁶ configurations and 10⁵ edges in all"]
fn rooms_have_the_verdicts_of_exact_checks_at_length() {
    rooms(100..100 + times(60), 10_000, 1_000);
}

#[test]
fn what_is_prepared_can_be_kept_and_anything_else_is_refused() {
    let mut random = Random(9);
    let robot = Arc::new(tree(&mut random, 8, false));
    let mut checker = Checker::new(robot.clone()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (file, other) = (folder.path().join("a.plan"), folder.path().join("b.plan"));
    assert_eq!(checker.save_planning(&file).unwrap_err().kind(), ErrorKind::Unsupported);
    checker.prove(&Default::default()).unwrap();
    let proven = checker.clone();
    checker.prepare_for_planning(&quick()).unwrap();
    checker.save_planning(&file).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    // The same, whoever made it, with any number of threads.
    let mut again = proven.clone();
    again.prepare_for_planning(&PlanningOptions { threads: 2, ..quick() }).unwrap();
    again.save_planning(&other).unwrap();
    assert_eq!(std::fs::read(&other).unwrap(), bytes);
    let mut loaded = proven.clone();
    loaded.load_planning(&file, &quick()).unwrap();
    let scene = scene(&mut random);
    [&mut checker, &mut loaded].into_iter().for_each(|checker| checker.set_scene(scene.clone()));
    let configurations: Vec<Vec<f64>> = (0..800).map(|_| draw(&mut random, &robot)).collect();
    assert_eq!(checker.are_free(&configurations).unwrap(), loaded.are_free(&configurations).unwrap());
    loaded.save_planning(&other).unwrap();
    assert_eq!(std::fs::read(&other).unwrap(), bytes);
    // Other cells, another robot, another byte, fewer bytes.
    let kind =
        |checker: &mut Checker, options: &PlanningOptions| checker.load_planning(&other, options).unwrap_err().kind();
    let mut fresh = proven.clone();
    assert_eq!(kind(&mut fresh, &PlanningOptions { table_cells: 47, ..quick() }), ErrorKind::Stale);
    let mut stranger = Checker::new(tree(&mut random, 8, false)).unwrap();
    assert_eq!(kind(&mut stranger, &quick()), ErrorKind::Stale);
    for place in (0..bytes.len()).step_by(bytes.len() / 40) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1;
        std::fs::write(&other, &damaged).unwrap();
        assert_eq!(kind(&mut fresh, &quick()), ErrorKind::Malformed, "byte {place}");
        std::fs::write(&other, &bytes[..place]).unwrap();
        assert_eq!(kind(&mut fresh, &quick()), ErrorKind::Malformed, "{place} bytes");
    }
    assert_eq!(fresh.save_planning(&other).unwrap_err().kind(), ErrorKind::Unsupported, "nothing changed");
}

#[test]
fn a_solid_in_the_place_of_its_surface_is_not_taken_for_it() {
    let mut checker = Checker::new(sliding(vec![])).unwrap();
    let shell: Mesh = Mesh::new(box_mesh(DVec3::ONE)).unwrap();
    checker.attach("s", shell.clone(), "c", Pose::IDENTITY, &[]).unwrap();
    checker.prepare_for_planning(&PlanningOptions::default()).unwrap();
    assert!(checker.is_free(&[0.0, 0.0]).unwrap(), "the sphere is inside of a surface");
    checker.detach("s").unwrap();
    checker.attach("s", shell.into_solid().unwrap(), "c", Pose::IDENTITY, &[]).unwrap();
    assert!(checker.collides(&[0.0, 0.0]).unwrap() && !checker.is_free(&[0.0, 0.0]).unwrap());
}

#[test]
fn what_has_no_end_can_be_carried() {
    let mut checker = Checker::new(sliding(vec![])).unwrap();
    let floor = HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, -1.0).unwrap());
    checker.attach("floor", floor, "c", Pose::IDENTITY, &[]).unwrap();
    checker
        .scene_mut()
        .add("box", Cuboid::new(0.1, 0.1, 0.1).unwrap(), Pose::from_xyz(2.0, 0.0, 0.0).unwrap())
        .unwrap();
    checker.prepare_for_planning(&PlanningOptions::default()).unwrap();
    assert!(!checker.collides(&[0.0, 0.0]).unwrap() && checker.is_free(&[0.0, 0.0]).unwrap());
}

#[test]
fn vertices_of_no_triangle_touch_nothing() {
    let vertices = [DVec3::ZERO, DVec3::X * 0.1, DVec3::Y * 0.1, DVec3::X * 5.0];
    let mesh = TriMesh::new(vertices.to_vec(), vec![[0, 1, 2]]).unwrap();
    let geometry = LinkGeometry::new(Pose::from_xyz(0.0, 0.0, 1.0).unwrap(), LinkShape::Mesh(Arc::new(mesh)));
    let mut checker = Checker::new(sliding(vec![geometry])).unwrap();
    let far = Pose::from_xyz(5.0, 0.0, 1.0).unwrap();
    checker.scene_mut().add("box", Cuboid::new(1.0, 1.0, 1.0).unwrap(), far).unwrap();
    checker.prepare_for_planning(&PlanningOptions::default()).unwrap();
    assert!(!checker.collides(&[0.0, 0.0]).unwrap() && checker.is_free(&[0.0, 0.0]).unwrap());
}
