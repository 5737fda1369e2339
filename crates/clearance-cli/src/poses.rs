//! Poses as seven numbers: rows of CSV, or one text.

use crate::rows::RowReader;
use anyhow::{Context, Result};
use clearance::{Pose, Quat, Vec3};
use std::io::Read;
use std::path::Path;

const COLUMNS: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// The file of one query with both bodies as they are.
pub const IDENTITY: &str = "x,y,z,qw,qx,qy,qz\n0,0,0,1,0,0,0\n";

/// Reads the poses of B in A's frame, one per line.
pub fn reader(read: Box<dyn Read + Send>, name: &Path) -> Result<RowReader<Pose, 7>> {
    RowReader::new(read, name, COLUMNS, pose)
}

/// A pose from seven numbers in one text, in the order x y z qw qx qy qz.
pub fn parse(text: &str) -> Result<Pose> {
    let words: Vec<&str> = text.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let number = |word: &&str| word.parse().ok().with_context(|| format!("{word:?} is no number"));
    let numbers: Vec<f64> = words.iter().map(number).collect::<Result<_>>()?;
    let expected = || format!("a pose is 7 numbers, {}, not {}", COLUMNS.join(" "), words.len());
    pose(numbers.try_into().ok().with_context(expected)?)
}

fn pose([x, y, z, qw, qx, qy, qz]: [f64; 7]) -> Result<Pose> {
    Ok(Pose::new(Quat::from_xyzw(qx, qy, qz, qw), Vec3::new(x, y, z))?)
}
