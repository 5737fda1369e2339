//! One race for each way a query goes through the engine: to count instructions, and to hold the
//! answers of two versions against each other.
//!
//! `cargo run --release -p clearance-bench --example query_instructions [RACE…]` prints a hash of
//! the answers, their statistics included, of each race that begins with one of the words.
//! `valgrind --tool=callgrind --toggle-collect=query_instructions::asked
//! --dump-after=query_instructions::asked` of the same writes the instructions of each race into a
//! file of its own, in the order that is printed.

use clearance_bench::{Result, models, scenes};
use clearance_engine::assembly::{Assembly, AssemblyPair, AssemblyWarmStart, Everything};
use clearance_engine::dispatch::Dispatcher;
use clearance_engine::math::{DQuat, DVec3};
use clearance_engine::query::{Distance, DistanceRequest};
use clearance_engine::shape::{Capsule, ConvexPolyhedron, Cuboid, HalfSpace, Sphere};
use clearance_engine::traversal::{Stats, WarmStart, Workspace};
use clearance_engine::tree::voxel_map::{Cell, VoxelMap};
use clearance_engine::tree::{Geometry, HalfSpaceGeometry, Mesh, PointCloud, Solid};
use clearance_engine::volume::{Aabb, Obb};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{CheckOptions, CollisionModel, Object, Scene, Srdf, UrdfOptions, WarmStarts, load_urdf};
use std::path::PathBuf;
use std::sync::Arc;

/// A hash of numbers, bit by bit.
struct Hash(u64);

impl Hash {
    fn number(&mut self, number: u64) {
        self.0 = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
    }

    fn numbers(&mut self, numbers: &[f64]) {
        numbers.iter().for_each(|number| self.number(number.to_bits()));
    }

    fn stats(&mut self, stats: &Stats) {
        for count in [stats.volume_tests, stats.leaf_tests, stats.opened, stats.leaf_pairs] {
            self.number(count);
        }
    }

    fn distance(&mut self, distance: &Distance) {
        self.numbers(&[distance.lower, distance.upper]);
        if let Some(witness) = distance.witness {
            self.numbers(&witness.point_a.to_array());
            self.numbers(&witness.point_b.to_array());
            let (a, b) = witness.leaves.unwrap_or_default();
            self.number(u64::from(a) << 32 | u64::from(b));
        }
        self.stats(&distance.stats);
    }
}

/// Asks once, and adds the answer to the hash.
type Ask<'r> = Box<dyn FnMut(&mut Hash) -> Result<()> + 'r>;

/// What is asked in a race.
struct Race<'r> {
    name: String,
    ask: Ask<'r>,
}

impl<'r> Race<'r> {
    fn new(name: impl Into<String>, ask: impl FnMut(&mut Hash) -> Result<()> + 'r) -> Self {
        Self { name: name.into(), ask: Box::new(ask) }
    }
}

/// The part of the program whose instructions count.
#[inline(never)]
fn asked(race: &mut Race<'_>, hash: &mut Hash) -> Result<()> {
    let answered = (race.ask)(hash);
    // A last step of its own, so that the call above is no jump: callgrind would not see the end.
    hash.number(1);
    answered
}

/// Distances, collisions and the rest of two geometries at poses; the first two warm, too.
fn races_of<'r>(
    name: &str,
    dispatcher: &'r Dispatcher,
    (a, b): (&'r dyn Geometry, &'r dyn Geometry),
    poses: &'r [Pose],
) -> Result<Vec<Race<'r>>> {
    let plan = dispatcher.plan(a, b)?;
    let mut races = Vec::new();
    for warm in [true, false] {
        let temperature = if warm { "warm" } else { "cold" };
        let (mut workspace, mut memory) = (Workspace::default(), WarmStart::default());
        races.push(Race::new(format!("{name} distance {temperature}"), move |hash| {
            poses.iter().try_for_each(|pose| {
                let memory = warm.then_some(&mut memory);
                hash.distance(&plan.distance(pose, &DistanceRequest::default(), &mut workspace, memory)?);
                Ok(())
            })
        }));
        let (mut workspace, mut memory) = (Workspace::default(), WarmStart::default());
        races.push(Race::new(format!("{name} collide {temperature}"), move |hash| {
            poses.iter().for_each(|pose| {
                let collision = plan.collide(pose, &mut workspace, warm.then_some(&mut memory));
                let (a, b) = collision.leaves.unwrap_or_default();
                hash.number(u64::from(collision.colliding) | u64::from(a) << 32 | u64::from(b) << 1);
                hash.stats(&collision.stats);
            });
            Ok(())
        }));
    }
    let mut workspace = Workspace::default();
    races.push(Race::new(format!("{name} within"), move |hash| {
        poses.iter().try_for_each(|pose| {
            let (near, stats) = plan.within(pose, 0.01, &mut workspace)?;
            hash.number(u64::from(near));
            hash.stats(&stats);
            Ok(())
        })
    }));
    Ok(races)
}

/// Poses whose rotations and directions are spread by golden ratios, at distances up to `far`.
fn poses(count: usize, far: f64) -> Result<Vec<Pose>> {
    let part = |i: usize, step: f64| (i as f64 * step).fract();
    (0..count)
        .map(|i| {
            let direction = DVec3::new(part(i, 0.618_034) - 0.5, part(i, 0.754_878) - 0.5, part(i, 0.569_84) - 0.5);
            let turn = DVec3::new(part(i, 0.819_173), part(i, 0.671_044), part(i, 0.549_7)) * 6.0;
            let offset = direction.normalize_or(DVec3::X) * far * (0.3 + 0.7 * part(i, 0.381_966));
            Ok(Pose::new(DQuat::from_scaled_axis(turn), offset)?)
        })
        .collect()
}

/// Points of a room: the vertices of a large body, seen from inside.
fn room() -> Result<TriMesh> {
    Ok(models::icosphere(5, 0.3)?)
}

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let dispatcher = Dispatcher::standard();
    let falling = scenes::make("falling")?;
    let along: Vec<Pose> = falling.poses.iter().step_by(4).copied().collect();
    let near = poses(150, 2.4)?;
    let small = poses(150, 1.0)?;
    let (first, second): (Mesh, Mesh) = (Mesh::new(falling.a.clone())?, Mesh::new(falling.b.clone())?);
    let (large, other): (Mesh, Mesh) = (Mesh::new(models::icosphere(4, 0.1)?)?, Mesh::new(models::icosphere(4, 0.2)?)?);
    let (obb_a, obb_b): (Mesh<Obb>, Mesh<Obb>) = (Mesh::new(falling.a.clone())?, Mesh::new(falling.b.clone())?);
    let aabb: Mesh<Aabb> = Mesh::new(falling.b.clone())?;
    let solid_mesh: Mesh = Mesh::new(models::icosphere(4, 0.1)?)?.into_solid()?;
    let capsule = Solid::new(Capsule::new(0.1, 0.4)?);
    let (cuboid, sphere) = (Solid::new(Cuboid::new(0.5, 0.4, 0.3)?), Solid::new(Sphere::new(0.3)?));
    let hull = Solid::new(ConvexPolyhedron::hull_of(models::icosphere(2, 0.1)?.vertices())?);
    let floor = HalfSpaceGeometry::new(HalfSpace::new(DVec3::Z, -0.5)?);
    let room = room()?;
    let cloud = PointCloud::new(room.vertices().to_vec(), 0.01)?;
    let clusters =
        PointCloud::new(models::icosphere(3, 0.1)?.vertices().iter().map(|point| *point * 0.3).collect(), 0.02)?;
    let mut map = VoxelMap::new(0.05)?;
    for point in room.vertices() {
        map.set((*point / 0.05).floor().as_ivec3(), Cell::Obstacle)?;
    }
    let cells = map.obstacles()?;
    let body: Mesh = Mesh::new(models::torus(0.3, 0.1, 50, 20)?)?;
    let mut parts = Assembly::default();
    let body = Arc::new(body);
    for pose in poses(12, 1.5)? {
        parts.insert(body.clone(), pose);
    }
    let panda = panda(&body, &cells);
    let mut races = Vec::new();
    races.extend(races_of("falling", &dispatcher, (&first, &second), &along)?);
    races.extend(races_of("near", &dispatcher, (&large, &other), &near)?);
    races.extend(races_of("solid-meshes", &dispatcher, (&solid_mesh, &other), &small)?);
    races.extend(races_of("obb-meshes", &dispatcher, (&obb_a, &obb_b), &along)?);
    races.extend(races_of("mixed-meshes", &dispatcher, (&obb_a, &aabb), &along)?);
    races.extend(races_of("mesh-capsule", &dispatcher, (&large, &capsule), &near)?);
    races.extend(races_of("mesh-box", &dispatcher, (&solid_mesh, &cuboid), &near)?);
    races.extend(races_of("obb-capsule", &dispatcher, (&obb_a, &capsule), &near)?);
    races.extend(races_of("mesh-floor", &dispatcher, (&large, &floor), &near)?);
    races.extend(races_of("mesh-points", &dispatcher, (&*body, &cloud), &small)?);
    races.extend(races_of("mesh-voxels", &dispatcher, (&*body, &*cells), &small)?);
    races.extend(races_of("obb-points", &dispatcher, (&obb_a, &cloud), &small)?);
    races.extend(races_of("points-sphere", &dispatcher, (&cloud, &sphere), &small)?);
    races.extend(races_of("voxels-box", &dispatcher, (&*cells, &cuboid), &small)?);
    races.extend(races_of("points-points", &dispatcher, (&cloud, &clusters), &small)?);
    races.extend(races_of("points-floor", &dispatcher, (&cloud, &floor), &small)?);
    races.extend(races_of("sphere-box", &dispatcher, (&sphere, &cuboid), &near)?);
    races.extend(races_of("box-box", &dispatcher, (&cuboid, &cuboid), &small)?);
    races.extend(races_of("convex", &dispatcher, (&hull, &hull), &near)?);
    races.extend(races_of("box-floor", &dispatcher, (&cuboid, &floor), &small)?);
    races.extend(races_of("assembly-mesh", &dispatcher, (&parts, &large), &near)?);
    races.extend(races_of("assembly-assembly", &dispatcher, (&parts, &parts), &near)?);
    let mut two = parts.clone();
    let ids: Vec<_> = two.parts().collect();
    let starts: Vec<Pose> = ids.iter().map(|part| *two.pose(part.number())).collect();
    let (mut workspace, mut memory) = (Workspace::default(), AssemblyWarmStart::default());
    let (dispatcher, one, moved) = (&dispatcher, &parts, &near);
    races.push(Race::new("assembly-pair", move |hash| {
        for pose in moved {
            for (part, start) in ids.iter().zip(&starts) {
                two.set_pose(*part, pose.then(start));
            }
            let meet = AssemblyPair::new(dispatcher, one, &two, &Everything);
            let found = meet.distance(&DistanceRequest::default(), &mut workspace, Some(&mut memory))?;
            hash.numbers(&[found.lower, found.upper]);
            let witness = found.witness.map_or(DVec3::ZERO, |witness| witness.point_a + witness.point_b);
            hash.numbers(&witness.to_array());
            hash.stats(&found.stats);
            let (hit, stats) = meet.collide(&mut workspace, None)?;
            hash.number(hit.map_or(0, |(a, b)| u64::from(a.number()) << 32 | u64::from(b.number())));
            hash.stats(&stats);
        }
        Ok(())
    }));
    match &panda {
        Ok(panda) => races.extend(races_of_panda(panda)?),
        Err(error) => report(&format!("SKIPPED the Panda: {error}")),
    }
    for mut race in races {
        if words.is_empty() || words.iter().any(|word| race.name.starts_with(word)) {
            let mut hash = Hash(0);
            asked(&mut race, &mut hash)?;
            report(&format!("{}: {:016x}", race.name, hash.0));
        }
    }
    Ok(())
}

#[allow(clippy::print_stdout)]
fn report(line: &str) {
    println!("{line}");
}

struct Panda {
    model: CollisionModel,
    scene: Scene,
    configurations: Vec<Vec<f64>>,
}

fn panda(body: &Arc<Mesh>, cells: &Arc<dyn Geometry>) -> Result<Panda> {
    let data = std::env::var_os("CLEARANCE_DATA").map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let folder = data.join("robots/vamp/panda");
    let robot = Arc::new(load_urdf(&folder.join("panda.urdf"), &UrdfOptions::default())?);
    let disabled = Srdf::load(folder.join("panda.srdf"))?.disabled_pairs(&robot);
    let model = CollisionModel::new(robot.clone(), &CheckOptions { disabled, ..CheckOptions::default() })?;
    let mut scene = Scene::default();
    let solid = |edge: f64| -> Result<Arc<dyn Geometry>> { Ok(Arc::new(Solid::new(Cuboid::new(edge, edge, edge)?))) };
    for (i, pose) in poses(12, 1.2)?.into_iter().enumerate() {
        let geometry: Arc<dyn Geometry> = if i % 3 == 0 { body.clone() } else { solid(0.1 + 0.01 * i as f64)? };
        scene.insert(Object { name: format!("object {i}"), geometry, pose })?;
    }
    scene.insert(Object { name: "map".into(), geometry: cells.clone(), pose: Pose::IDENTITY })?;
    let part = |i: usize, step: f64| (i as f64 * step).fract();
    let configuration = |i: usize| {
        let variables = robot.variables().iter().enumerate();
        let value = |(k, variable): (usize, &clearance_robot::Variable)| {
            let (low, high) = variable.limits.map_or((-3.0, 3.0), |limits| (limits.lower, limits.upper));
            low + (high - low) * part(i + 7 * k, 0.618_034 + 0.01 * k as f64)
        };
        variables.map(value).collect()
    };
    Ok(Panda { model, scene, configurations: (0..100).map(configuration).collect() })
}

fn races_of_panda(panda: &Panda) -> Result<Vec<Race<'_>>> {
    let Panda { model, scene, configurations } = panda;
    let mut races = Vec::new();
    for question in ["self-collide", "self-distance", "scene-collide", "scene-distance"] {
        let (mut placement, mut workspace, mut memory) =
            (model.placement()?, Workspace::default(), WarmStarts::default());
        races.push(Race::new(format!("panda {question}"), move |hash| {
            for configuration in configurations {
                model.place(&mut placement, &Pose::IDENTITY, configuration)?;
                let request = DistanceRequest::default();
                let (own, around) = (Some(&mut memory.own), Some(&mut memory.scene));
                let hit = match question {
                    "self-collide" => model.self_collision(&placement, &mut workspace, own)?,
                    "scene-collide" => model.scene_collision(&placement, scene, &mut workspace, around)?,
                    _ => {
                        let found = if question == "self-distance" {
                            model.self_distance(&placement, &request, &mut workspace, own)?
                        } else {
                            model.scene_distance(&placement, scene, &request, &mut workspace, around)?
                        };
                        hash.numbers(&[found.lower, found.upper]);
                        hash.stats(&found.stats);
                        None
                    }
                };
                hash.number(hit.map_or(0, |(a, b)| (u64::from(a.number()) << 32) | (u64::from(b.number()) + 1)));
            }
            Ok(())
        }));
    }
    Ok(races)
}
