//! What robots plan among: furniture at random about them between walls, as primitives, as one mesh,
//! as points on it and as voxels; and recorded problems.

use crate::{Error, Result};
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::shape::{Cuboid, Cylinder};
use clearance_engine::tree::voxel_map::{Cell, Filling, VoxelMap};
use clearance_engine::tree::{Bvh8, Geometry, Mesh, PointCloud};
use clearance_engine::{Pose, TriMesh};
use clearance_io::load_mesh;
use clearance_plan::Random;
use clearance_robot::{Checker, Object, Scene};
use serde_json::Value;
use std::f64::consts::TAU;
use std::path::Path;
use std::sync::Arc;

/// The edges of a room's triangles, in metres, about.
const EDGE: f64 = 0.04;
/// Points on the surfaces of a room, and their radius.
const POINTS: usize = 100_000;
const RADIUS: f64 = 0.01;
/// Of a cylinder.
const SIDES: u32 = 24;
/// The edge of a voxel.
const VOXEL: f64 = 0.025;

/// How far above a floor robots stand, and how many configurations are tried where they stand.
const HEIGHT: f64 = 0.02;
const TRIED: usize = 200;

/// How a room is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Primitives,
    Mesh,
    Points,
    Voxels,
}

/// Where furniture stands about a robot.
pub(super) struct Room {
    near: f64,
    far: f64,
    high: f64,
    /// The height of the floor and half the length of the walls.
    floor: f64,
    wall: f64,
}

/// A box, or a cylinder of a radius and a length.
enum Thing {
    Box(DVec3),
    Cylinder(f64, f64),
}

impl Room {
    pub(super) fn around_an_arm() -> Self {
        Self { near: 0.35, far: 0.9, high: 1.0, floor: -0.06, wall: 1.1 }
    }

    pub(super) fn around_a_body() -> Self {
        Self { near: 0.5, far: 1.5, high: 1.6, floor: -0.06, wall: 1.8 }
    }

    fn things(&self, seed: u64) -> Result<Vec<(Thing, Pose)>> {
        let mut random = Random(seed);
        let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
        let mut things = Vec::new();
        for number in 0..14 {
            let (distance, angle) = (between(self.near, self.far), between(0.0, TAU));
            let place = DVec3::new(distance * angle.cos(), distance * angle.sin(), between(0.0, self.high));
            let turn = DQuat::from_rotation_z(between(0.0, 3.0)) * DQuat::from_rotation_x(between(0.0, 0.6));
            let mut size = || between(0.05, 0.4);
            let thing = if number % 3 == 0 {
                Thing::Cylinder(0.4 * size(), 2.0 * size())
            } else {
                Thing::Box(DVec3::new(size(), size(), size()))
            };
            things.push((thing, Pose::new(turn, place)?));
        }
        let (wall, height) = (self.wall, self.high + 0.6);
        let slab =
            |size: DVec3, x: f64, y: f64, z: f64| Ok::<_, crate::Error>((Thing::Box(size), Pose::from_xyz(x, y, z)?));
        things.push(slab(DVec3::new(2.0 * wall, 2.0 * wall, 0.02), 0.0, 0.0, self.floor)?);
        for side in [-1.0, 1.0] {
            things.push(slab(DVec3::new(0.05, 2.0 * wall, height), side * wall, 0.0, 0.5 * height)?);
            things.push(slab(DVec3::new(2.0 * wall, 0.05, height), 0.0, side * wall, 0.5 * height)?);
        }
        Ok(things)
    }

    pub(super) fn scene(&self, seed: u64, kind: Kind) -> Result<Scene> {
        let mut scene = Scene::new();
        let things = self.things(seed)?;
        if kind == Kind::Primitives {
            for (number, (thing, pose)) in things.into_iter().enumerate() {
                let name = format!("object {number}");
                match thing {
                    Thing::Box(size) => scene.add(name, Cuboid::new(size.x, size.y, size.z)?, pose)?,
                    Thing::Cylinder(radius, length) => scene.add(name, Cylinder::new(radius, length)?, pose)?,
                }
            }
            return Ok(scene);
        }
        let mut mesh = (Vec::new(), Vec::new());
        for (thing, pose) in &things {
            let part = match thing {
                Thing::Box(size) => cuboid(*size)?,
                Thing::Cylinder(radius, length) => cylinder(*radius, *length)?,
            };
            let first = mesh.0.len() as u32;
            mesh.0.extend(part.vertices().iter().map(|&vertex| pose.transform_point(vertex)));
            mesh.1.extend(part.triangles().iter().map(|triangle| triangle.map(|vertex| vertex + first)));
        }
        let mesh = TriMesh::new(mesh.0, mesh.1)?;
        match kind {
            Kind::Points => scene.add("room", PointCloud::new(points(&mesh, seed), RADIUS)?, Pose::IDENTITY)?,
            Kind::Voxels => {
                let mut map = VoxelMap::new(VOXEL)?;
                map.rasterize_mesh(&mesh, &Pose::IDENTITY, Filling::Surface, Cell::Obstacle)?;
                scene.replace("room", map.obstacles()?)?;
            }
            _ => {
                let mesh: Mesh = Mesh::new(mesh)?;
                scene.add("room", mesh, Pose::IDENTITY)?;
            }
        }
        Ok(scene)
    }
}

/// Points at random on the surface.
fn points(mesh: &TriMesh, seed: u64) -> Vec<DVec3> {
    let mut random = Random(seed ^ 1);
    let mut sum = 0.0;
    let areas: Vec<f64> = (0..mesh.len() as u32)
        .map(|number| {
            sum += mesh.triangle(number).scaled_normal().length();
            sum
        })
        .collect();
    let point = |random: &mut Random| {
        let at = random.unit() * sum;
        let number = areas.partition_point(|&area| area < at).min(areas.len() - 1);
        let [a, b, c] = mesh.triangle(number as u32).0;
        let (s, t) = (random.unit(), random.unit());
        let (s, t) = if s + t > 1.0 { (1.0 - s, 1.0 - t) } else { (s, t) };
        a + (b - a) * s + (c - a) * t
    };
    (0..POINTS).map(|_| point(&mut random)).collect()
}

/// A grid of triangles over two edges from a corner.
fn sheet(corner: DVec3, e: DVec3, f: DVec3, vertices: &mut Vec<DVec3>, triangles: &mut Vec<[u32; 3]>) {
    let count = |edge: DVec3| (edge.length() / EDGE).ceil().max(1.0) as u32;
    let (columns, rows) = (count(e), count(f));
    let first = vertices.len() as u32;
    for row in 0..=rows {
        for column in 0..=columns {
            let (s, t) = (f64::from(column) / f64::from(columns), f64::from(row) / f64::from(rows));
            // Sheets share the vertices of their common edges.
            vertices.push(((corner + e * s + f * t) * 1e9).round() / 1e9);
        }
    }
    let at = |column: u32, row: u32| first + row * (columns + 1) + column;
    for row in 0..rows {
        for column in 0..columns {
            let [a, b, c, d] = [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| at(column + i, row + j));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
}

fn cuboid(size: DVec3) -> Result<TriMesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for axis in 0..3 {
        let edge = |k: usize| DVec3::AXES[(axis + k) % 3] * size[(axis + k) % 3];
        sheet(-0.5 * size, edge(2), edge(1), &mut vertices, &mut triangles);
        sheet(edge(0) - 0.5 * size, edge(1), edge(2), &mut vertices, &mut triangles);
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

fn cylinder(radius: f64, length: f64) -> Result<TriMesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let around = |i: u32| DQuat::from_rotation_z(f64::from(i % SIDES) / f64::from(SIDES) * TAU) * DVec3::X * radius;
    let up = DVec3::Z * (0.5 * length);
    for i in 0..SIDES {
        let (p, q) = (around(i), around(i + 1));
        sheet(p - up, q - p, 2.0 * up, &mut vertices, &mut triangles);
        let first = vertices.len() as u32;
        vertices.extend([-up, q - up, p - up, up, p + up, q + up].map(|vertex| (vertex * 1e9).round() / 1e9));
        triangles.extend([[first, first + 1, first + 2], [first + 3, first + 4, first + 5]]);
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

/// A large mesh about a robot that stands upright on its floor, at random where a quarter to three
/// quarters of its configurations touch it.
pub(super) fn around(path: &Path, exact: &mut Checker) -> Result<Scene> {
    let mesh: Arc<dyn Geometry> = Arc::new(Mesh::<Bvh8>::new(load_mesh(path)?)?);
    let (low, high) = mesh.bounding_box();
    let mut random = Random(3);
    for _ in 0..1000 {
        let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
        let place = DVec3::new(between(low.x, high.x), between(low.y, high.y), HEIGHT);
        let stands = Pose::new(DQuat::from_rotation_z(between(0.0, TAU)), place)?;
        let mut scene = Scene::new();
        scene.insert(Object { name: "apartment".to_owned(), geometry: mesh.clone(), pose: stands.inverse() })?;
        exact.set_scene(scene.clone());
        let robot = exact.robot().clone();
        let mut hits = 0;
        for _ in 0..TRIED {
            hits += usize::from(exact.scene_collision(&super::draw(&robot, &mut random))?.is_some());
        }
        if (TRIED / 4..=TRIED * 3 / 4).contains(&hits) {
            return Ok(scene);
        }
    }
    Err(Error::other(format!("{}: a robot has no place in it", path.display())))
}

/// Problems of MotionBenchMaker: `count` of them, with start and goal for a robot of so many
/// variables.
pub(super) fn recorded(path: &Path, variables: usize, count: usize) -> Result<Vec<super::Problem>> {
    let bad = |reason: &str| Error::other(format!("{}: {reason}", path.display()));
    let text = std::fs::read(path).map_err(|error| bad(&error.to_string()))?;
    let file: Value = serde_json::from_slice(&text).map_err(|error| bad(&error.to_string()))?;
    let problems = file["problems"].as_array().ok_or_else(|| bad("no problems"))?;
    let mut read = Vec::new();
    for problem in problems.iter().step_by((problems.len() / count).max(1)) {
        let numbers =
            |value: &Value| -> Vec<f64> { value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect() };
        let mut scene = Scene::new();
        for (number, object) in problem["objects"].as_array().ok_or_else(|| bad("no objects"))?.iter().enumerate() {
            let pose: [f64; 7] = numbers(&object["pose"]).try_into().map_err(|_| bad("a pose has 7 numbers"))?;
            let [x, y, z, turn @ ..] = pose;
            let pose = Pose::new(DQuat::from_array(turn), DVec3::new(x, y, z))?;
            let name = format!("object {number}");
            match numbers(&object["dims"])[..] {
                [x, y, z] => scene.add(name, Cuboid::new(x, y, z)?, pose)?,
                [length, radius] => scene.add(name, Cylinder::new(radius, length)?, pose)?,
                _ => return Err(bad("an object is neither a box nor a cylinder")),
            }
        }
        let ends = ["start", "goal"].map(|end| numbers(&problem[end]["q"]));
        let ends = if ends.iter().all(|end| end.len() == variables) { ends.to_vec() } else { Vec::new() };
        read.push((scene, ends));
    }
    Ok(read)
}
