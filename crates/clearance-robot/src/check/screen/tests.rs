//! The bounds of the screen, driven to their edges on every SIMD level.

use super::cover::{Cover, Fine, Group};
use super::forward::{Chain, Frame8, LANES, U, sin_cos};
use super::kernel::{END, Kernel, START, Scratch};
use super::model::{Covers, ScreenModel};
use super::obstacles::Obstacles;
use crate::check::CheckOptions;
use crate::check::collision_model::CollisionModel;
use crate::{JointSpec, LinkGeometry, LinkShape, Robot, RobotBuilder, Scene};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::lanes::{Lanes8, V8, Vectorized, vectorized};
use clearance_engine::math::{DQuat, DVec3, SimdLevel};
use clearance_engine::query::DistanceRequest;
use clearance_engine::shape::{Capsule, Cone, Cuboid, Cylinder, HalfSpace, Sphere};
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Mesh, Solid};
use clearance_engine::volume::BoundingSphere;
use clearance_engine::{Pose, TriMesh};
use std::sync::Arc;

/// A sequence that fills [-1, 1] evenly.
struct Draw(f64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 += 0.618_033_988_749_894_9;
        2.0 * self.0.fract() - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        // Not on few planes, as thirds of one sequence are.
        let (a, b) = (self.next(), self.next());
        DVec3::new(a, (1e4 * b).sin(), (1e4 * self.next()).cos())
    }
}

struct SinCos([f64; LANES]);

impl Vectorized for SinCos {
    type Output = [[f32; LANES]; 2];

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Self::Output {
        let (sin, cos) = sin_cos(simd, &self.0);
        [sin.into(), cos.into()]
    }
}

#[test]
fn sines_and_cosines_are_within_two_roundings_at_any_angle() {
    let (mut draw, mut worst) = (Draw(0.0), 0.0_f64);
    for level in SimdLevel::available() {
        for case in 0..40_000 {
            let size = [0.8, 3.2, 1e3, 1e6][case % 4];
            let angles: [f64; LANES] = std::array::from_fn(|_| size * draw.next());
            let [sin, cos] = vectorized(level, SinCos(angles));
            for lane in 0..LANES {
                let allowed = 2.0 * U + 8.0 * f64::EPSILON * size;
                for (found, real) in [(sin[lane], angles[lane].sin()), (cos[lane], angles[lane].cos())] {
                    let off = (f64::from(found) - real).abs();
                    assert!(off <= allowed, "{level:?}: {off} at {}", angles[lane]);
                    worst = worst.max(off / allowed);
                }
            }
        }
    }
    assert!(worst > 0.5, "the bound is of no use: {worst}");
}

struct Place<'p>(&'p Chain, &'p [[f64; LANES]], &'p mut [Frame8]);

impl Vectorized for Place<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) {
        self.0.place(simd, self.1, self.2);
    }
}

fn joint(number: usize, draw: &mut Draw) -> JointSpec {
    let (name, parent, child) = (format!("j{number}"), format!("l{}", number - 1), format!("l{number}"));
    let axis = draw.vector().normalize();
    let joint = match number % 7 {
        0 => JointSpec::continuous(name, parent, child, axis),
        1 => JointSpec::prismatic(name, parent, child, axis, [-14.0, 15.0]),
        2 => JointSpec::planar(name, parent, child, axis),
        3 => JointSpec::floating(name, parent, child),
        4 => JointSpec::revolute(name, parent, child, DVec3::Z, [-3.0, 3.0]),
        5 => JointSpec::fixed(name, parent, child),
        _ => JointSpec::revolute(name, parent, child, axis, [-90.0, 90.0]).mimic("j4", 31.0, -2.0),
    };
    let turn = DQuat::from_scaled_axis(draw.vector() * 2.0);
    joint.at(Pose::new(turn, draw.vector() * 0.7).unwrap())
}

/// A chain of joints of all kinds, or of those that turn alone.
fn chain(count: usize, turning: bool, draw: &mut Draw) -> Robot {
    let mut builder = RobotBuilder::new("chain").link("l0", []);
    for number in 1..=count {
        builder = builder.link(format!("l{number}"), []);
        let mut made = joint(number, draw);
        if turning {
            let (parent, child) = (format!("l{}", number - 1), format!("l{number}"));
            made = JointSpec::continuous(format!("j{number}"), parent, child, draw.vector().normalize());
            made = made.at(Pose::new(DQuat::from_scaled_axis(draw.vector()), draw.vector()).unwrap());
        }
        builder = builder.joint(made);
    }
    builder.build().unwrap()
}

fn draw_configuration(robot: &Robot, draw: &mut Draw, size: f64) -> Vec<f64> {
    let value = |variable: &crate::Variable, draw: &mut Draw| match variable.limits {
        Some(limits) => 0.5 * (limits.lower + limits.upper) + 0.5 * (limits.upper - limits.lower) * draw.next(),
        None if variable.name.ends_with(".x") || variable.name.ends_with(".y") || variable.name.ends_with(".z") => {
            15.0 * draw.next()
        }
        None => size * draw.next(),
    };
    let mut configuration: Vec<f64> = robot.variables().iter().map(|variable| value(variable, draw)).collect();
    for first in Chain::new(robot).quaternions().to_vec() {
        let turn = DQuat::from_scaled_axis(draw.vector() * 3.0);
        configuration[first..first + 4].copy_from_slice(&[turn.w, turn.x, turn.y, turn.z]);
    }
    configuration
}

#[test]
fn no_point_is_farther_off_than_the_error_of_its_body() {
    let (mut draw, mut worst) = (Draw(0.3), 0.0_f64);
    let robots =
        [(8, false), (30, false), (12, true), (60, true)].map(|(count, turning)| chain(count, turning, &mut draw));
    for robot in &robots {
        let chain = Chain::new(robot);
        let mut frames = vec![Frame8::default(); robot.bodies().len()];
        for case in 0..200 {
            let size = [3.0, 700.0, 9e5][case % 3];
            let lanes: [Vec<f64>; LANES] = std::array::from_fn(|_| draw_configuration(robot, &mut draw, size));
            assert!(lanes.iter().all(|lane| chain.usable(lane)));
            let rows: Vec<[f64; LANES]> =
                (0..lanes[0].len()).map(|variable| std::array::from_fn(|lane| lanes[lane][variable])).collect();
            let levels = SimdLevel::available();
            vectorized(levels[case % levels.len()], Place(&chain, &rows, &mut frames));
            let mut poses = Vec::new();
            for (lane, configuration) in lanes.iter().enumerate() {
                robot.link_poses(&Pose::IDENTITY, configuration, &mut poses).unwrap();
                for (body, frame) in frames.iter().enumerate() {
                    let point = draw.vector();
                    let column = |k: usize| DVec3::from_array([0, 1, 2].map(|row| f64::from(frame.0[k][row][lane])));
                    let found = column(3) + column(0) * point.x + column(1) * point.y + column(2) * point.z;
                    let real = robot.body_pose(&poses, body).transform_point(*chain.body_from_frame(body) * point);
                    let (off, allowed) = (found.distance(real), chain.error(body, point.length()));
                    assert!(off <= allowed, "body {body}: {off}, not {allowed}");
                    worst = worst.max(off / allowed);
                }
            }
        }
    }
    assert!(worst > 0.02, "the bound is of no use: {worst}");
}

/// An L of triangles, closed or without some of them.
fn bent(closed: bool) -> TriMesh {
    let outline = [[0.0, 0.0], [0.5, 0.0], [0.5, 0.1], [0.1, 0.1], [0.1, 0.4], [0.0, 0.4]];
    let vertices = [-0.06, 0.06].iter().flat_map(|&z| outline.map(|[x, y]| DVec3::new(x, y, z))).collect();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for [a, b, c] in [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]] {
        triangles.extend([[c, b, a], [a + 6, b + 6, c + 6]]);
    }
    for i in 0..6 {
        let next = (i + 1) % 6;
        triangles.extend([[i, next, next + 6], [i, next + 6, i + 6]]);
    }
    triangles.truncate(if closed { triangles.len() } else { 15 });
    TriMesh::new(vertices, triangles).unwrap()
}

fn holds(sphere: &BoundingSphere, point: DVec3) -> bool {
    sphere.center.distance(point) <= sphere.radius
}

/// Whether spheres of all levels hold a point, each under the one before.
fn is_covered(cover: &Cover, point: DVec3) -> bool {
    let finest = |fine: &Fine| {
        fine.below.is_empty() || fine.below.iter().any(|&number| holds(&cover.finest[number as usize], point))
    };
    let fine = |group: &Group| group.fine.iter().any(|fine| holds(&fine.sphere, point) && finest(fine));
    cover.groups.iter().any(|group| holds(&group.sphere, point) && fine(group))
}

#[test]
fn covers_hold_every_point_and_spheres_inside_none_of_the_surface() {
    let mut draw = Draw(0.1);
    for closed in [true, false] {
        let tri_mesh = bent(closed);
        let mesh: Mesh = Mesh::new(tri_mesh.clone()).unwrap();
        let cover = Cover::of(&mesh).unwrap();
        let fine = cover.fine().count();
        assert!(cover.groups.len() > 1 && fine > 10 && fine <= 24, "{fine}");
        assert_eq!((cover.components.len(), !cover.points.is_empty()), (usize::from(closed), !closed));
        for number in 0..tri_mesh.len() as u32 {
            for case in 0..400 {
                // Edges and vertices too.
                let (a, b) = (0.5 + 0.5 * draw.next(), 0.5 + 0.5 * (1e4 * draw.next()).sin());
                let (a, b) = if a + b > 1.0 { (1.0 - a, 1.0 - b) } else { (a, b) };
                let [a, b] = match case {
                    0 => [0.0, 0.0],
                    1 => [1.0, 0.0],
                    2 => [0.0, b],
                    _ => [a, b],
                };
                let [p, q, r] = tri_mesh.triangle(number).0;
                let point = p * (1.0 - a - b) + q * a + r * b;
                assert!(holds(&cover.whole, point));
                assert!(is_covered(&cover, point), "{point}");
                for inner in
                    cover.components.iter().flat_map(|component| component.inner.iter().chain(&component.inner_dense))
                {
                    assert!(inner.center.distance(point) >= inner.radius, "{point} {inner:?}");
                }
            }
        }
        // As tight as a link of that size needs.
        let largest = cover.fine().map(|sphere| sphere.radius).fold(0.0, f64::max);
        assert!(largest < 0.13, "{largest}");
        let finest = cover.finest.iter().map(|sphere| sphere.radius).fold(0.0, f64::max);
        assert!(finest < largest && (2 * fine..=96).contains(&cover.finest.len()), "{finest}, not {largest}");
    }
}

#[test]
fn covers_of_solids_hold_their_insides() {
    let mut draw = Draw(0.2);
    let solids = [
        Solid::new(Capsule::new(0.05, 0.7).unwrap()),
        Solid::new(Capsule::new(0.3, 0.01).unwrap()),
        Solid::new(Cylinder::new(0.05, 0.9).unwrap()),
        Solid::new(Cylinder::new(0.4, 0.05).unwrap()),
        Solid::new(Cuboid::new(0.1, 0.4, 0.02).unwrap()),
        Solid::new(Cone::new(0.2, 0.5).unwrap()),
        Solid::new(Sphere::new(0.2).unwrap()),
    ];
    let point_test = Solid::new(Sphere::new(0.0).unwrap());
    let mut workspace = Workspace::default();
    for solid in &solids {
        let cover = Cover::of(solid).unwrap();
        let test = Dispatcher::shared().plan(solid, &point_test).unwrap();
        let (low, high) = solid.bounding_box();
        let mut inside = 0;
        for _ in 0..4000 {
            let point = 0.5 * (low + high) + draw.vector() * 0.5 * (high - low);
            let pose = Pose::from_translation(point).unwrap();
            let is_inside = test.collide(&pose, &mut workspace, None).colliding;
            inside += usize::from(is_inside);
            assert!(!is_inside || is_covered(&cover, point) && holds(&cover.whole, point), "{} {point}", solid.kind());
            let inner = cover.components[0].inner.iter().any(|sphere| holds(sphere, point));
            assert!(!inner || is_inside, "{} {point}", solid.kind());
        }
        assert!(inside > 100 && !cover.components[0].inner.is_empty(), "{}", solid.kind());
    }
}

struct Distances<'d>(&'d Obstacles, usize, [[f32; LANES]; 3], f32);

impl Vectorized for Distances<'_> {
    type Output = ([f32; LANES], u32);

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Self::Output {
        let point = V8::load(simd, &self.2);
        let obstacle = &self.0.list[self.1];
        (obstacle.squared_distance(simd, point).into(), obstacle.contains(simd, point, self.3))
    }
}

#[test]
fn distances_from_obstacles_are_never_too_long_and_what_is_called_inside_is() {
    let mut draw = Draw(0.7);
    let link = LinkGeometry::new(Pose::IDENTITY, LinkShape::Sphere { radius: 0.1 });
    let robot = RobotBuilder::new("r").link("a", []).link("b", [link]);
    let robot = robot.joint(JointSpec::prismatic("j", "a", "b", DVec3::X, [-3.0, 3.0])).build().unwrap();
    let model = CollisionModel::new(Arc::new(robot), &CheckOptions::default()).unwrap();
    let screen = ScreenModel::new(&model, &Covers::default(), &[]).unwrap();
    let (mut worst, mut contained) = (0.0_f64, 0);
    for case in 0..60 {
        let far = [0.3, 3.0, 200.0][case % 3];
        let mut scene = Scene::new();
        let mut pose = || Pose::new(DQuat::from_scaled_axis(draw.vector() * 3.0), draw.vector() * far).unwrap();
        scene.add("box", Cuboid::new(0.4, 0.2, 0.7).unwrap(), pose()).unwrap();
        scene.add("can", Cylinder::new(0.3, 0.5).unwrap(), pose()).unwrap();
        scene.add("pole", Capsule::new(0.1, 0.5).unwrap(), pose()).unwrap();
        let floor = HalfSpaceGeometry::new(HalfSpace::new(draw.vector().normalize(), far * draw.next()).unwrap());
        scene.add("floor", floor, Pose::IDENTITY).unwrap();
        let base = Pose::new(DQuat::from_scaled_axis(draw.vector()), draw.vector() * 5.0).unwrap();
        let obstacles = Obstacles::new(&model, &screen, &scene, &base, None);
        let point_test = Solid::new(Sphere::new(0.0).unwrap());
        let mut workspace = Workspace::default();
        for _ in 0..40 {
            let lanes: [DVec3; LANES] = std::array::from_fn(|_| draw.vector() * 2.5);
            let rows: [[f32; LANES]; 3] =
                std::array::from_fn(|axis| std::array::from_fn(|lane| lanes[lane][axis] as f32));
            for place in 0..obstacles.list.len() {
                let number = obstacles.list[place].number;
                let levels = SimdLevel::available();
                let (squares, inside) =
                    vectorized(levels[case % levels.len()], Distances(&obstacles, place, rows, 0.0));
                let geometry = scene.assembly().geometry(number);
                let test = Dispatcher::shared().plan(&**geometry, &point_test).unwrap();
                let grown = f64::from(obstacles.around(0, place));
                for lane in 0..LANES {
                    let point = DVec3::from_array([0, 1, 2].map(|axis| f64::from(rows[axis][lane])));
                    let world = base.transform_point(point);
                    let object_from_point =
                        scene.assembly().pose(number).inverse().then(&Pose::from_translation(world).unwrap());
                    let request = DistanceRequest { rel_err: 1e-9, abs_err: 1e-12, ..DistanceRequest::default() };
                    let real = test.distance(&object_from_point, &request, &mut workspace, None).unwrap();
                    let found = f64::from(squares[lane]).sqrt() * (1.0 - 4.0 * U) - grown;
                    assert!(found <= real.upper, "case {case} obstacle {place}: {found}, not {}", real.upper);
                    worst = worst.max(if real.upper > 0.1 { found / real.upper } else { 0.0 });
                    let is_inside = inside >> lane & 1 == 1;
                    assert!(!is_inside || real.upper == 0.0, "case {case} obstacle {place}");
                    contained += usize::from(is_inside);
                }
            }
        }
    }
    assert!(worst > 0.9999 && contained > 100, "{worst} {contained}");
}

/// Places a robot at both ends of intervals and returns a sphere's way in the world, and that of a
/// pair's second part seen from the first.
struct Ways<'w> {
    screen: &'w ScreenModel,
    obstacles: &'w Obstacles,
    scratch: &'w mut Scratch,
    part: usize,
    pair: usize,
}

type Way = ([[f32; LANES]; 3], [f32; LANES]);

impl Vectorized for Ways<'_> {
    type Output = [Way; 2];

    #[inline(always)]
    fn run<S: Lanes8>(self, simd: S) -> Self::Output {
        let Self { screen, obstacles, scratch, part, pair } = self;
        let mut kernel = Kernel { simd, model: screen, obstacles, scratch, guess: false, by_lane: false };
        kernel.place(START);
        kernel.place(END);
        kernel.ways(part, pair)
    }
}

#[test]
fn spheres_hold_the_ways_of_parts_over_intervals_in_the_world_and_seen_from_other_parts() {
    let mut draw = Draw(0.45);
    let limb =
        || LinkGeometry::new(Pose::from_xyz(0.2, 0.0, 0.1).unwrap(), LinkShape::Capsule { radius: 0.05, length: 0.4 });
    let at = |draw: &mut Draw| Pose::new(DQuat::from_scaled_axis(draw.vector()), draw.vector() * 0.4).unwrap();
    let names = ["ground", "base", "a1", "a2", "a3", "b1", "b2"];
    let builder = names.iter().fold(RobotBuilder::new("r"), |builder, name| builder.link(*name, [limb()]));
    let robot = builder
        .joint(JointSpec::planar("drive", "ground", "base", draw.vector().normalize()))
        .joint(JointSpec::revolute("a1", "base", "a1", DVec3::Z, [-3.0, 3.0]).at(at(&mut draw)))
        .joint(JointSpec::prismatic("a2", "a1", "a2", DVec3::X, [-1.0, 1.0]).at(at(&mut draw)))
        .joint(JointSpec::revolute("a3", "a2", "a3", draw.vector().normalize(), [-3.0, 3.0]).at(at(&mut draw)))
        .joint(JointSpec::revolute("b1", "base", "b1", DVec3::Y, [-3.0, 3.0]).at(at(&mut draw)))
        .joint(JointSpec::continuous("b2", "b1", "b2", DVec3::X).at(at(&mut draw)).mimic("a1", -2.0, 0.3))
        .build()
        .unwrap();
    let model = CollisionModel::new(Arc::new(robot), &CheckOptions::default()).unwrap();
    let screen = ScreenModel::new(&model, &Covers::default(), &[]).unwrap();
    let obstacles = Obstacles::default();
    let robot = model.robot();
    let (mut scratch, mut rates, mut tightest) = (Scratch::default(), Vec::new(), [0.0_f64; 2]);
    scratch.fit(&screen);
    for case in 0..120 {
        let from = draw_configuration(robot, &mut draw, 3.0);
        let to = draw_configuration(robot, &mut draw, 3.0);
        let length = [1.0, 0.2, 0.02][case % 3];
        let to: Vec<f64> = from.iter().zip(&to).map(|(a, b)| a + length * (b - a)).collect();
        screen.chain.rates(&from, &to, &mut rates);
        let count = LANES as f64;
        let bend = |bend: f32, error: f32| bend / (count * count) as f32 + error;
        scratch.part_growth =
            (0..screen.parts.len()).map(|i| bend(screen.part_bend(i, &rates), screen.parts[i].edge_error)).collect();
        scratch.pair_growth =
            (0..screen.pairs.len()).map(|i| bend(screen.pair_bend(i, &rates), screen.pairs[i].edge_error)).collect();
        let at = |t: f64| -> Vec<f64> { from.iter().zip(&to).map(|(a, b)| a + (b - a) * t).collect() };
        for slot in [START, END] {
            let lanes: [Vec<f64>; LANES] = std::array::from_fn(|lane| at((lane + slot) as f64 / count));
            scratch.configurations[slot] =
                (0..from.len()).map(|variable| std::array::from_fn(|lane| lanes[lane][variable])).collect();
        }
        let (part, pair) = (1 + case % 6, case % screen.pairs.len());
        let ways = vectorized(
            SimdLevel::Best,
            Ways { screen: &screen, obstacles: &obstacles, scratch: &mut scratch, part, pair },
        );
        let [first, second] = screen.pairs[pair].parts;
        let mut poses = Vec::new();
        for sample in 0..160 {
            let lane = sample % LANES;
            let t = (lane as f64 + 0.5 + 0.5 * draw.next()) / count;
            robot.link_poses(&Pose::IDENTITY, &at(t), &mut poses).unwrap();
            for (which, (center, radius)) in ways.iter().enumerate() {
                let moving = &model.parts()[if which == 0 { part } else { second }];
                let sphere = moving.geometry.sphere();
                let direction = draw.vector().normalize();
                let world =
                    moving.placed(&poses[moving.link]).transform_point(sphere.center + direction * sphere.radius);
                let point = if which == 0 {
                    world
                } else {
                    let body = screen.parts[first].body;
                    let seen = robot.body_pose(&poses, body).inverse().transform_point(world);
                    screen.chain.body_from_frame(body).transpose() * seen
                };
                let center = DVec3::from_array([0, 1, 2].map(|axis| f64::from(center[axis][lane])));
                let (off, allowed) = (point.distance(center), f64::from(radius[lane]));
                assert!(off <= allowed, "case {case} way {which}: {off}, not {allowed}");
                tightest[which] = tightest[which].max(off / allowed);
            }
        }
    }
    assert!(tightest.iter().all(|share| *share > 0.95), "the bounds are of no use: {tightest:?}");
}
