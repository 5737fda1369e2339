//! Writes recordings into a folder, and what the engine says about them, for the tests of the page:
//! `cargo run -p clearance-view --example page_truth -- FOLDER`.
//!
//! * `kitchen.json`: link poses and distances of the built-in scene, at some frames of `clearance demo`
//! * `kinds.glb`, `kinds.json`: a robot with every kind of joint, one that follows another among them
//! * `voxels.glb`: a million cells

use clearance_engine::Pose;
use clearance_engine::math::{DVec3, IVec3};
use clearance_engine::query::DistanceRequest;
use clearance_engine::traversal::Workspace;
use clearance_engine::tree::Mesh;
use clearance_engine::tree::voxel_map::{Cell, VoxelMap};
use clearance_robot::{
    CheckOptions, CollisionModel, JointSpec, LinkGeometry, LinkShape, Object, Robot, RobotBuilder, Scene,
};
use clearance_view::{Recording, Timeline};
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).ok_or("a folder is needed")?;
    let folder = Path::new(&folder);
    std::fs::write(folder.join("kitchen.json"), kitchen()?.to_string())?;
    let (glb, truth) = kinds()?;
    std::fs::write(folder.join("kinds.glb"), glb)?;
    std::fs::write(folder.join("kinds.json"), truth.to_string())?;
    std::fs::write(folder.join("voxels.glb"), voxels()?)?;
    Ok(())
}

/// The matrix of a pose, column by column.
fn matrix(pose: &Pose) -> Vec<f64> {
    let (turn, place) = (pose.rotation().to_cols_array_2d(), pose.translation());
    let columns = turn.iter().map(|column| [column[0], column[1], column[2], 0.0]);
    columns.chain([[place.x, place.y, place.z, 1.0]]).flatten().collect()
}

fn link_poses(robot: &Robot, base: &Pose, row: &[f64]) -> Result<Value> {
    let mut poses = Vec::new();
    robot.link_poses(base, row, &mut poses)?;
    let named = robot.links().iter().zip(&poses).map(|(link, pose)| (link.name().to_owned(), json!(matrix(pose))));
    Ok(Value::Object(named.collect()))
}

fn kitchen() -> Result<Value> {
    let (humanoid, motion) = (clearance_scene::humanoid()?, clearance_scene::motion());
    let mut scene = Scene::new();
    let mut triangles = 0;
    for object in clearance_scene::kitchen()? {
        triangles += object.mesh.len();
        let geometry: Mesh = Mesh::new(object.mesh.clone())?;
        scene.insert(Object { name: object.name.clone(), geometry: Arc::new(geometry), pose: object.pose })?;
    }
    let allowed = vec![["platform".to_owned(), clearance_scene::FLOOR.to_owned()]];
    let robot = Arc::new(humanoid.robot);
    let model = CollisionModel::new(robot.clone(), &CheckOptions { allowed, ..CheckOptions::default() })?;
    let (mut placement, mut workspace) = (model.placement()?, Workspace::default());
    let mut frames = Vec::new();
    for frame in [0, 57, 200, 256, 400] {
        model.place(&mut placement, &Pose::IDENTITY, &motion[frame])?;
        let request = DistanceRequest::default();
        let own = model.self_distance(&placement, &request, &mut workspace, None)?;
        let room = model.scene_distance(&placement, &scene, &request, &mut workspace, None)?;
        let distances = [own, room].map(|distance| json!({ "lower": distance.lower, "upper": distance.upper }));
        let poses = link_poses(&robot, &Pose::IDENTITY, &motion[frame])?;
        frames.push(json!({ "frame": frame, "poses": poses, "distances": distances }));
    }
    let links: usize = robot.links().iter().flat_map(|link| link.geometries()).map(size).sum();
    Ok(json!({ "frames": frames, "links": robot.links().len(), "objects": scene.names().count(),
        "triangles": triangles + links }))
}

fn size(geometry: &LinkGeometry) -> usize {
    if let LinkShape::Mesh(mesh) = &geometry.shape { mesh.len() } else { 0 }
}

fn kinds() -> Result<(Vec<u8>, Value)> {
    let rod = || LinkGeometry::new(Pose::IDENTITY, LinkShape::Capsule { radius: 0.03, length: 0.2 });
    let at = |x: f64| Pose::from_xyz_rpy([x, 0.1, 0.2], [0.3, -0.2, 0.5]);
    let axis = DVec3::new(1.0, 2.0, 3.0).normalize();
    let robot = RobotBuilder::new("kinds")
        .link("root", [rod()])
        .link("slid", [rod()])
        .link("turned", [rod()])
        .link("follower", [rod()])
        .link("spun", [rod()])
        .link("glider", [rod()])
        .link("flyer", [rod()])
        .link("fixed", [rod()])
        .joint(JointSpec::prismatic("slide", "root", "slid", axis, [-0.5, 0.5]).at(at(0.1)?))
        .joint(JointSpec::revolute("turn", "slid", "turned", axis, [-2.0, 2.0]).at(at(0.2)?))
        .joint(
            JointSpec::revolute("follow", "turned", "follower", DVec3::X, [-9.0, 9.0])
                .at(at(0.1)?)
                .mimic("turn", -0.5, 0.25),
        )
        .joint(JointSpec::continuous("spin", "follower", "spun", DVec3::Y).at(at(0.1)?))
        .joint(JointSpec::planar("glide", "root", "glider", axis).at(at(-0.3)?))
        .joint(JointSpec::floating("fly", "root", "flyer").at(at(-0.6)?))
        .joint(JointSpec::fixed("weld", "flyer", "fixed").at(at(0.1)?))
        .build()?;
    let robot = Arc::new(robot);
    let mut row = robot.default_configuration();
    let mut rows = vec![row.clone()];
    for (i, value) in row.iter_mut().enumerate() {
        *value += 0.1 + 0.13 * i as f64;
    }
    // The last four are a quaternion.
    let first = row.len() - 4;
    row[first..].copy_from_slice(&[0.5, -0.5, 0.1, 0.7]);
    rows.push(row);
    let base = Pose::from_xyz_rpy([1.0, -2.0, 0.5], [0.1, 0.2, -0.4])?;
    let mut recording = Recording::new("every kind of joint");
    let number = recording.add_robot(&robot, &base, None)?;
    recording.set_timeline(Timeline { unit: "s".into(), step: false, times: vec![0.0, 1.0] })?;
    let poses = rows.iter().map(|row| link_poses(&robot, &base, row)).collect::<Result<Vec<Value>>>()?;
    // As the slider of one joint leaves it.
    let mut moved = rows[0].clone();
    let place = robot.variables().iter().position(|variable| variable.name == "turn").ok_or("no turn")?;
    moved[place] = 1.25;
    let moved = link_poses(&robot, &base, &moved)?;
    recording.set_motion(number, rows)?;
    Ok((recording.glb()?, json!({ "poses": poses, "turn": place, "moved": moved })))
}

/// A surface of a million cells that hides none of them.
fn voxels() -> Result<Vec<u8>> {
    let mut map = VoxelMap::new(0.01)?;
    let height = |x: i32, y: i32| ((f64::from(x) * 0.02).sin() * (f64::from(y) * 0.015).cos() * 60.0) as i32;
    let cells = (0..1000).flat_map(|x| (0..1000).map(move |y| (IVec3::new(x, y, height(x, y)), Cell::Obstacle)));
    map.set_all(cells)?;
    let mut recording = Recording::new("a million cells");
    recording.add_object("hills", &*map.obstacles()?, &Pose::IDENTITY)?;
    Ok(recording.glb()?)
}
