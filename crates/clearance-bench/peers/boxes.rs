//! coal's dynamic tree of boxes as a broad phase of the races, in a process of its own
//! (`coal.cpp`).
//!
//! A file of boxes is their number (u64), their half edges and their centres (f64 each); a file of
//! ticks their number and the centres of each, all little-endian. Handing them over is not part of
//! the time.

use crate::process::Process;
use clearance_bench::many::{Follower, Swarm};
use clearance_bench::{Error, Result};
use clearance_engine::math::DVec3;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How coal takes up moved boxes: `update()`, which fits all of its tree anew, or
/// `update(objects)`, which takes each out and puts it back.
const UPDATES: [&str; 2] = ["refit", "reinsert"];

/// coal's tree, updated in one of two ways.
struct CoalBoxes {
    update: &'static str,
    process: Process,
    file: PathBuf,
}

/// Both ways, each in a process of its own.
pub fn coal_boxes(program: &Path, folder: &Path, swarm: &Swarm) -> Result<Vec<Box<dyn Follower>>> {
    let mut followers: Vec<Box<dyn Follower>> = Vec::new();
    for update in UPDATES {
        let mut process = Process::start("coal", &mut Command::new(program))?;
        let file = folder.join("boxes.bin");
        write(&file, swarm.centers().len(), [swarm.halves(), swarm.centers()].into_iter())?;
        process.ask(&format!("boxes {}", file.display()))?;
        followers.push(Box::new(CoalBoxes { update, process, file }));
    }
    Ok(followers)
}

impl Follower for CoalBoxes {
    fn name(&self) -> String {
        format!("coal, {}", self.update)
    }

    fn follow(&mut self, ticks: &[Swarm]) -> Result<(f64, usize)> {
        write(&self.file, ticks.len(), ticks.iter().map(Swarm::centers))?;
        match self.process.numbers(&format!("follow {} {}", self.update, self.file.display()))?[..] {
            [us, pairs] => Ok((us, pairs as usize)),
            _ => Err(Error::other("coal did not answer with a time and a number of pairs")),
        }
    }
}

fn write<'v>(path: &Path, count: usize, lists: impl Iterator<Item = &'v [DVec3]>) -> Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    file.write_all(&(count as u64).to_le_bytes())?;
    for number in lists.flatten().flat_map(|vector| vector.to_array()) {
        file.write_all(&number.to_le_bytes())?;
    }
    Ok(file.flush()?)
}
