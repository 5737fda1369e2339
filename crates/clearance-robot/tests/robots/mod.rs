//! The reference data's robots, as its tests share them.
#![allow(dead_code)]

#[path = "../../../clearance-io/tests/data/mod.rs"]
mod data;

use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};
use clearance_robot::{GeometrySource, Robot, UrdfOptions, load_urdf};
pub use data::data_folder;
use serde_json::Value;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A robot with what another library says about it.
pub struct Reference {
    pub folder: PathBuf,
    pub model: Value,
    pub robot: Robot,
    /// Link and number on the link of each geometry of the reference.
    pub geometries: Vec<(usize, usize)>,
}

pub fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

pub fn array<'a>(value: &'a Value, name: &str) -> &'a Vec<Value> {
    value[name].as_array().unwrap()
}

/// Pose from `tx ty tz qx qy qz qw`.
pub fn pose(numbers: impl IntoIterator<Item = f64>) -> Pose {
    let n: Vec<f64> = numbers.into_iter().collect();
    Pose::new(DQuat::from_xyzw(n[3], n[4], n[5], n[6]), DVec3::new(n[0], n[1], n[2])).unwrap()
}

pub fn references(data: &Path) -> Vec<Reference> {
    let folders = std::fs::read_dir(data.join("ref")).unwrap().map(|entry| entry.unwrap().path());
    let references: Vec<Reference> = folders.map(|folder| reference(data, folder)).collect();
    assert!(references.len() >= 5);
    references
}

pub fn reference(data: &Path, folder: PathBuf) -> Reference {
    let model: Value = serde_json::from_slice(&std::fs::read(folder.join("model.json")).unwrap()).unwrap();
    let geometry = match text(&model, "geometry_type") {
        "VISUAL" => GeometrySource::Visual,
        _ => GeometrySource::Collision,
    };
    let packages = vec![data.join(text(&model, "package_dir"))];
    let options = UrdfOptions { geometry, packages, ..UrdfOptions::default() };
    let robot = load_urdf(&data.join(text(&model, "urdf")), &options).unwrap();
    let mut met = HashMap::new();
    let geometries = array(&model, "geometries").iter().map(|geometry| {
        let link = robot.link_index(text(geometry, "link")).unwrap();
        let count = met.entry(link).or_insert(0);
        *count += 1;
        (link, *count - 1)
    });
    let geometries: Vec<_> = geometries.collect();
    assert_eq!(geometries.len(), robot.links().iter().map(|link| link.geometries().len()).sum::<usize>());
    Reference { folder, model, robot, geometries }
}

/// The reference's row as a configuration; its mimic joints are left out.
pub fn configuration(reference: &Reference, row: &[f64]) -> Vec<f64> {
    let robot = &reference.robot;
    let mut configuration = robot.default_configuration();
    for (joint, &value) in array(&reference.model, "joints").iter().zip(row) {
        let joint = &robot.joints()[robot.joint_index(text(joint, "name")).unwrap()];
        for variable in joint.variables() {
            configuration[variable] = value;
        }
    }
    configuration
}

/// The robot's SRDF: beside the URDF, or in `srdf/` of the robot's folder.
pub fn srdf_beside(urdf: &Path) -> Option<PathBuf> {
    let beside = urdf.with_extension("srdf");
    let talos = urdf.parent()?.parent()?.join("srdf/talos.srdf");
    [beside, talos].into_iter().find(|file| file.is_file())
}
