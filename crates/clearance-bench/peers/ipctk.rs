//! The IPC Toolkit's continuous collision (Tight Inclusion) as a peer of cloth, in a Python process
//! of its own (`cloth.py`, which says what files hold).

use crate::harness::write_mesh;
use crate::process::Process;
use clearance_bench::cloth::{Peer, Step};
use clearance_bench::{Error, Result};
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

/// The toolkit with one of its broad phases; files pass through a folder.
pub struct Ipctk {
    process: Rc<RefCell<Process>>,
    folder: PathBuf,
    broad_phase: &'static str,
}

/// Starts Python, with its default broad phase and one that often is faster.
pub fn peers(python: &Path, script: &Path, folder: &Path) -> Result<Vec<Box<dyn Peer>>> {
    let process = Rc::new(RefCell::new(Process::start("ipctk", Command::new(python).arg(script))?));
    let peer = |broad_phase| {
        Box::new(Ipctk { process: process.clone(), folder: folder.to_owned(), broad_phase }) as Box<dyn Peer>
    };
    Ok(["LBVH", "HashGrid"].into_iter().map(peer).collect())
}

impl Peer for Ipctk {
    fn name(&self) -> &'static str {
        if self.broad_phase == "LBVH" { "ipctk (LBVH), ms" } else { "ipctk (hash grid), ms" }
    }

    fn first(&mut self, step: &Step, tolerance: f64) -> Result<(f64, f64)> {
        let name: String = step.name.chars().filter(char::is_ascii_alphanumeric).collect();
        let (mesh, end) =
            (self.folder.join(format!("cloth-{name}.bin")), self.folder.join(format!("cloth-{name}-end.bin")));
        let mut file = BufWriter::new(File::create(&mesh)?);
        for count in [step.mesh.vertices().len(), step.mesh.triangles().len()] {
            file.write_all(&(count as u64).to_le_bytes())?;
        }
        write_mesh(&mut file, &step.mesh)?;
        file.flush()?;
        let bytes = step.end.iter().flat_map(|v| v.to_array()).flat_map(f64::to_le_bytes);
        fs::write(&end, bytes.collect::<Vec<u8>>())?;
        let question = format!("step {} {} {} {tolerance:e}", mesh.display(), end.display(), self.broad_phase);
        match self.process.borrow_mut().numbers(&question)?[..] {
            [ms, free] => Ok((ms, if free < 1.0 { free } else { f64::INFINITY })),
            _ => Err(Error::other("ipctk did not answer with two numbers")),
        }
    }
}
