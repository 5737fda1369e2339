//! FCL's continuous collision as an engine of the race of motions, in a Python process of its own
//! (`motions.py`, which says what files hold).

use crate::harness::write_mesh;
use crate::process::Process;
use clearance_bench::casts::{Cast, Caster, Course};
use clearance_bench::{Error, Result};
use clearance_engine::Pose;
use clearance_engine::math::DQuat;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;

/// FCL's solvers that take meshes along such motions: samples (its default), and conservative
/// advancement.
const SOLVERS: [&str; 2] = ["naive", "advancement"];

/// One solver.
struct Fcl {
    solver: &'static str,
    process: Rc<RefCell<Process>>,
    file: PathBuf,
}

/// Starts Python with FCL.
pub fn start(python: &Path, script: &Path) -> Result<Rc<RefCell<Process>>> {
    let process = Process::start("FCL", Command::new(python).arg(script).stderr(std::process::Stdio::null()))?;
    Ok(Rc::new(RefCell::new(process)))
}

/// Both solvers, with the meshes of a course; files pass through `folder`.
pub fn casters(process: &Rc<RefCell<Process>>, folder: &Path, course: &Course) -> Result<Vec<Box<dyn Caster>>> {
    let path = folder.join("course.bin");
    let mut file = BufWriter::new(File::create(&path)?);
    for mesh in course.tri_meshes() {
        for count in [mesh.vertices().len(), mesh.triangles().len()] {
            file.write_all(&(count as u64).to_le_bytes())?;
        }
    }
    course.tri_meshes().iter().try_for_each(|mesh| write_mesh(&mut file, mesh))?;
    file.flush()?;
    process.borrow_mut().ask(&format!("load {}", path.display()))?;
    let caster = |solver| {
        let (process, file) = (process.clone(), folder.join("flights.bin"));
        Box::new(Fcl { solver, process, file }) as Box<dyn Caster>
    };
    Ok(SOLVERS.into_iter().map(caster).collect())
}

impl Caster for Fcl {
    fn name(&self) -> String {
        format!("FCL, {}", self.solver)
    }

    fn cast(&mut self, course: &Course, hitting: bool, limit: Duration) -> Result<Cast> {
        let mut ends = Vec::new();
        for flight in course.flights(hitting) {
            ends.push(flight.ends()?);
        }
        let mut file = BufWriter::new(File::create(&self.file)?);
        file.write_all(&(ends.len() as u64).to_le_bytes())?;
        for number in ends.iter().flatten().flat_map(numbers) {
            file.write_all(&number.to_le_bytes())?;
        }
        file.flush()?;
        let motion = if course.turning() { "interpolation" } else { "translation" };
        let command = format!("cast {} {motion} {} {}", self.solver, limit.as_secs_f64(), self.file.display());
        let reply = self.process.borrow_mut().numbers(&command)?;
        let [us, hits @ ..] = &reply[..] else { return Err(Error::other("FCL did not answer with a time")) };
        let wrong = hits.iter().filter(|&&hit| (hit > 0.0) != hitting).count();
        Ok(Cast { us: *us, asked: hits.len(), wrong })
    }
}

/// A pose as x, y, z, qw, qx, qy, qz.
fn numbers(pose: &Pose) -> [f64; 7] {
    let ([x, y, z], [qx, qy, qz, qw]) = (pose.translation().to_array(), DQuat::from_mat3(pose.rotation()).to_array());
    [x, y, z, qw, qx, qy, qz]
}
