//! Open3D's `RaycastingScene` as a peer of rays and points, in a Python process of its own
//! (`sensing.py`, which says what files hold).

use crate::harness::write_mesh;
use crate::process::Process;
use clearance_bench::Result;
use clearance_bench::sensing::Peer;
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use clearance_engine::shape::Ray;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Open3D with a mesh; files pass through a folder.
pub struct Open3d {
    process: Process,
    folder: PathBuf,
}

impl Open3d {
    /// Starts Python, and loads a mesh.
    pub fn start(python: &Path, script: &Path, folder: &Path, mesh: &TriMesh) -> Result<Self> {
        let process = Process::start("Open3D", Command::new(python).arg(script).stderr(std::process::Stdio::null()))?;
        let path = folder.join("scene.bin");
        let mut file = BufWriter::new(File::create(&path)?);
        for count in [mesh.vertices().len(), mesh.triangles().len()] {
            file.write_all(&(count as u64).to_le_bytes())?;
        }
        write_mesh(&mut file, mesh)?;
        file.flush()?;
        let mut open3d = Self { process, folder: folder.to_owned() };
        open3d.process.ask(&format!("load {}", path.display()))?;
        Ok(open3d)
    }

    fn write(&self, vectors: impl Iterator<Item = DVec3>) -> Result<PathBuf> {
        let path = self.folder.join("sensing.bin");
        let bytes = vectors.flat_map(|v| v.as_vec3().to_array()).flat_map(f32::to_le_bytes);
        fs::write(&path, bytes.collect::<Vec<u8>>())?;
        Ok(path)
    }
}

impl Peer for Open3d {
    fn name(&self) -> &'static str {
        "Open3D"
    }

    fn rays(&mut self, rays: &[Ray]) -> Result<f64> {
        let path = self.write(rays.iter().flat_map(|ray| [ray.origin(), ray.direction()]))?;
        self.process.number(&format!("rays {}", path.display()))
    }

    fn points(&mut self, points: &[DVec3]) -> Result<(f64, Vec<f64>)> {
        let (path, results) = (self.write(points.iter().copied())?, self.folder.join("distances.bin"));
        let us = self.process.number(&format!("points {} {}", path.display(), results.display()))?;
        let bytes = fs::read(results)?;
        let numbers = bytes.as_chunks().0.iter().map(|&bytes| f64::from(f32::from_le_bytes(bytes)));
        Ok((us, numbers.collect()))
    }
}
