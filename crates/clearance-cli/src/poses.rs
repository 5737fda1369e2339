//! Poses from CSV: columns x,y,z,qw,qx,qy,qz by name, in any order; every row is checked before it
//! is used.

use anyhow::{Context, Result, anyhow, bail};
use clearance_engine::Pose;
use clearance_engine::math::{DQuat, DVec3};
use clearance_io::{ErrorKind, TableReader};
use std::io::Read;
use std::path::{Path, PathBuf};

const COLUMNS: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// The file of one query with both bodies as they are.
pub const IDENTITY: &str = "x,y,z,qw,qx,qy,qz\n0,0,0,1,0,0,0\n";

/// Reads the poses of B in A's frame, one per line.
pub struct PoseReader {
    table: TableReader<Box<dyn Read + Send>>,
    order: [usize; 7],
    name: PathBuf,
    row: Vec<f64>,
}

impl PoseReader {
    /// Reads the header line.
    pub fn new(read: Box<dyn Read + Send>, name: &Path) -> Result<Self> {
        let name = name.to_path_buf();
        let at = |error: clearance_io::Error| match error.kind() {
            ErrorKind::MissingHeader => anyhow!("line 1: {}, {}", error.reason(), COLUMNS.join(",")),
            _ => error.into(),
        };
        let in_file = || name.display().to_string();
        let table = TableReader::new(read).map_err(at).with_context(in_file)?;
        table.check_header().map_err(at).with_context(in_file)?;
        let order = columns(table.columns()).with_context(|| format!("{}: line 1", name.display()))?;
        Ok(Self { table, order, name, row: Vec::new() })
    }

    /// Replaces `poses` by the next ones, `max_rows` at most; waits for the first alone. An error
    /// comes after the poses before it.
    pub fn read(&mut self, max_rows: usize, poses: &mut Vec<Pose>) -> Result<()> {
        poses.clear();
        while poses.len() < max_rows && (poses.is_empty() || self.table.has_row_at_hand()) {
            let name = self.name.display();
            let Some(line) = self.table.read_row(&mut self.row).with_context(|| name.to_string())? else { break };
            poses.push(pose(&self.row, &self.order).with_context(|| format!("{name}: line {line}"))?);
        }
        Ok(())
    }
}

/// A pose from seven numbers in one text, in the order x y z qw qx qy qz.
pub fn parse(text: &str) -> Result<Pose> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let number = |word: &&str| word.parse().ok().with_context(|| format!("{word:?} is no number"));
    let numbers: Vec<f64> = words.iter().map(number).collect::<Result<_>>()?;
    let expected = || format!("a pose is 7 numbers, {}, not {}", COLUMNS.join(" "), words.len());
    let row: [f64; 7] = numbers.try_into().ok().with_context(expected)?;
    pose(&row, &[0, 1, 2, 3, 4, 5, 6])
}

/// Where in a row each of [`COLUMNS`] is.
fn columns(header: &[String]) -> Result<[usize; 7]> {
    if let Some(name) = header.iter().find(|name| !COLUMNS.contains(&name.as_str())) {
        bail!("unknown column {name:?}; the columns are {}", COLUMNS.join(","));
    }
    let mut order = [0; 7];
    for (at, column) in order.iter_mut().zip(COLUMNS) {
        let Some(found) = header.iter().position(|name| name == column) else {
            bail!("the column {column} is missing; the columns are {}", COLUMNS.join(","));
        };
        *at = found;
    }
    Ok(order)
}

fn pose(row: &[f64], order: &[usize; 7]) -> Result<Pose> {
    let [x, y, z, qw, qx, qy, qz] = order.map(|at| row[at]);
    Ok(Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))?)
}
