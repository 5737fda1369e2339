//! pinocchio with coal as an engine of the robots' races: a process of its own (`robots.py`, as a
//! script called like the module would hide it) that is asked through pipes.
//!
//! It reads the robot's URDF for the kinematics, but gets the geometries from us, so that both
//! sides have the same triangles: a JSON file with names, poses, pairs and configurations, and
//! beside it the vertices (f64) and indices (u32) of one mesh after the other, little-endian.

use crate::process::Process;
use clearance_bench::engines::{Answers, Sweep};
use clearance_bench::robots::{RobotEngine, RobotQuery, RobotScene};
use clearance_bench::{Error, Result};
use clearance_engine::{Pose, TriMesh};
use clearance_robot::{LinkGeometry, LinkShape};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How far distances may differ, in metres.
const ALLOWED: f64 = 1e-6;

/// The process with pinocchio.
pub struct Pinocchio {
    process: Process,
    /// Where scenes are handed over.
    folder: PathBuf,
}

impl Pinocchio {
    /// Starts `script` with the interpreter `python`; scenes pass through `folder`.
    pub fn start(python: &Path, script: &Path, folder: &Path) -> Result<Self> {
        let process = Process::start("pinocchio", Command::new(python).arg(script))?;
        Ok(Self { process, folder: folder.to_owned() })
    }
}

impl RobotEngine for Pinocchio {
    fn name(&self) -> &str {
        "pinocchio+coal"
    }

    fn load(&mut self, scene: &RobotScene) -> Result<()> {
        let (json, meshes) = (self.folder.join("robot.json"), self.folder.join("robot.bin"));
        let mut file = BufWriter::new(File::create(&meshes)?);
        let description = describe(scene, &mut file)?;
        file.flush()?;
        std::fs::write(&json, description.to_string())?;
        let (pairs, ours) = (self.process.number(&format!("load {}", json.display()))?, scene.checker.pairs().count());
        if pairs == ours as f64 {
            return Ok(());
        }
        Err(Error::other(format!("{}: pinocchio has {pairs} pairs instead of {ours}", scene.name)))
    }

    fn sweep(&mut self, scene: &RobotScene, query: RobotQuery) -> Result<Sweep> {
        let us = self.process.number(&format!("sweep {}", query.name()))?;
        Ok(Sweep { us, n: scene.configurations.len() })
    }

    fn answers(&mut self, _scene: &RobotScene, query: RobotQuery) -> Result<Answers> {
        let values = self.process.numbers(&format!("answers {}", query.name()))?;
        Ok(Answers { poses: (0..values.len()).collect(), values, allowed: ALLOWED })
    }
}

/// All but the meshes, which go to `meshes`.
fn describe(scene: &RobotScene, meshes: &mut impl Write) -> Result<Value> {
    let mut geometries = Vec::new();
    // The order of the parts.
    for link in scene.checker.robot().links() {
        for geometry in link.geometries() {
            let mut described = shape(geometry, meshes)?;
            described["link"] = json!(link.name());
            geometries.push(described);
        }
    }
    let mut room = scene.room.objects.iter().map(|object| shape(object, meshes)).collect::<Result<Vec<_>>>()?;
    if let Some((centers, edge)) = &scene.room.cubes {
        for coordinate in centers.iter().flat_map(|center| center.to_array()) {
            meshes.write_all(&coordinate.to_le_bytes())?;
        }
        room.push(json!({"pose": pose(&Pose::IDENTITY), "kind": "cubes", "size": [centers.len() as f64, edge]}));
    }
    let joints: Vec<Vec<(&str, f64)>> = scene.configurations.iter().map(|q| scene.joint_values(q)).collect();
    let names: Vec<&str> = joints.first().into_iter().flatten().map(|(name, _)| *name).collect();
    let values: Vec<Vec<f64>> = joints.iter().map(|row| row.iter().map(|(_, value)| *value).collect()).collect();
    Ok(json!({
        "urdf": scene.urdf,
        "geometries": geometries,
        "room": room,
        "pairs": scene.checker.pairs().map(|(a, b)| [a.number(), b.number()]).collect::<Vec<_>>(),
        "joints": names,
        "configurations": values,
        "bases": scene.bases.iter().map(pose).collect::<Vec<_>>(),
    }))
}

fn shape(geometry: &LinkGeometry, meshes: &mut impl Write) -> Result<Value> {
    let (kind, size) = match &geometry.shape {
        LinkShape::Mesh(mesh) => ("mesh", append(meshes, mesh)?),
        LinkShape::Box { size } => ("box", json!(size.to_array())),
        LinkShape::Sphere { radius } => ("sphere", json!([radius])),
        LinkShape::Cylinder { radius, length } => ("cylinder", json!([radius, length])),
        LinkShape::Capsule { radius, length } => ("capsule", json!([radius, length])),
        other => return Err(Error::other(format!("{other:?} has no counterpart"))),
    };
    Ok(json!({"pose": pose(&geometry.origin), "kind": kind, "size": size}))
}

/// The rows of the 3×4 matrix.
fn pose(pose: &Pose) -> Vec<f64> {
    (0..3).flat_map(|row| pose.rotation().row(row).to_array().into_iter().chain([pose.translation()[row]])).collect()
}

/// Its counts of vertices and triangles.
fn append(file: &mut impl Write, mesh: &TriMesh) -> Result<Value> {
    crate::harness::write_mesh(file, mesh)?;
    Ok(json!([mesh.vertices().len(), mesh.len()]))
}
