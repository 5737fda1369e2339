//! CoACD and V-HACD as engines of the race of decompositions, in a Python process of its own
//! (`decompose.py`, which says what files hold).

use crate::harness::write_mesh;
use crate::process::Process;
use clearance_bench::decompositions::{Decomposer, Parts};
use clearance_bench::{Error, Result};
use clearance_engine::TriMesh;
use clearance_engine::math::DVec3;
use std::cell::RefCell;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// What the process is asked, and what the engine is called: both peers with their defaults, and
/// CoACD with a coarse threshold.
const ENGINES: [(&str, &str); 3] =
    [("coacd 0.05", "CoACD 0.05"), ("coacd 0.2", "CoACD 0.2"), ("vhacd 64", "V-HACD 64")];

/// One engine with its settings.
struct Acd {
    command: &'static str,
    name: &'static str,
    process: Rc<RefCell<Process>>,
    folder: PathBuf,
}

/// Starts Python with both; files pass through `folder`.
pub fn engines(python: &Path, script: &Path, folder: &Path) -> Result<Vec<Box<dyn Decomposer>>> {
    let process = Process::start("the peers'", Command::new(python).arg(script).stderr(std::process::Stdio::null()))?;
    let process = Rc::new(RefCell::new(process));
    let engine = |(command, name)| {
        Box::new(Acd { command, name, process: process.clone(), folder: folder.into() }) as Box<dyn Decomposer>
    };
    Ok(ENGINES.into_iter().map(engine).collect())
}

impl Decomposer for Acd {
    fn name(&self) -> String {
        self.name.into()
    }

    fn decompose(&mut self, mesh: &TriMesh) -> Result<Parts> {
        let (from, to) = (self.folder.join("mesh.bin"), self.folder.join("parts.bin"));
        let mut file = BufWriter::new(File::create(&from)?);
        for count in [mesh.vertices().len(), mesh.triangles().len()] {
            file.write_all(&(count as u64).to_le_bytes())?;
        }
        write_mesh(&mut file, mesh)?;
        file.flush()?;
        let command = format!("{} {} {}", self.command, from.display(), to.display());
        let reply = self.process.borrow_mut().numbers(&command)?;
        let [seconds, counts @ ..] = &reply[..] else {
            return Err(Error::other("the peers did not answer with a time"));
        };
        let bytes = std::fs::read(&to)?;
        let mut numbers = bytes.chunks_exact(8).map(|eight| f64::from_le_bytes(eight.try_into().unwrap_or_default()));
        let mut vertex = || DVec3::from_array([(); 3].map(|()| numbers.next().unwrap_or(f64::NAN)));
        let points = counts.iter().map(|&count| (0..count as usize).map(|_| vertex()).collect()).collect();
        Ok(Parts { seconds: *seconds, points })
    }
}
