//! Poses from CSV: columns x,y,z,qw,qx,qy,qz by name, in any order; every row is checked before any is used.

use anyhow::{Context, Result, bail};
use clearance::Pose;
use clearance::math::{DQuat, DVec3};
use std::path::Path;

const COLUMNS: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// The poses of B in A's frame, one per line of the file.
pub fn read(path: &Path) -> Result<Vec<Pose>> {
    let name = path.display();
    let file = std::fs::File::open(path).with_context(|| format!("{name}: cannot open"))?;
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(std::io::BufReader::new(file));
    let header = reader.headers().with_context(|| format!("{name}: line 1"))?.clone();
    let order = columns(&header).with_context(|| format!("{name}: line 1"))?;
    let mut poses = Vec::new();
    for record in reader.records() {
        let record = record.with_context(|| format!("{name}: row {}", poses.len() + 1))?;
        let line = record.position().map_or(0, csv::Position::line);
        poses.push(pose(&record, &order).with_context(|| format!("{name}: line {line}"))?);
    }
    Ok(poses)
}

/// Where in a record each of [`COLUMNS`] is.
fn columns(header: &csv::StringRecord) -> Result<[usize; 7]> {
    let mut order = [usize::MAX; 7];
    for (at, name) in header.iter().enumerate() {
        let Some(k) = COLUMNS.iter().position(|column| *column == name) else {
            bail!("unknown column {name:?}; the columns are {}", COLUMNS.join(","));
        };
        if order[k] != usize::MAX {
            bail!("the column {name} is there twice");
        }
        order[k] = at;
    }
    match order.iter().position(|&at| at == usize::MAX) {
        Some(k) => bail!("the column {} is missing; the columns are {}", COLUMNS[k], COLUMNS.join(",")),
        None => Ok(order),
    }
}

fn pose(record: &csv::StringRecord, order: &[usize; 7]) -> Result<Pose> {
    let mut numbers = [0.0; 7];
    for (k, &at) in order.iter().enumerate() {
        let text = record.get(at).unwrap_or_default();
        numbers[k] = match text.parse::<f64>() {
            Ok(number) if number.is_finite() => number,
            Ok(_) => bail!("column {}: {text:?} is not finite", COLUMNS[k]),
            Err(_) => bail!("column {}: {text:?} is not a number", COLUMNS[k]),
        };
    }
    let [x, y, z, qw, qx, qy, qz] = numbers;
    Ok(Pose::new(DQuat::from_xyzw(qx, qy, qz, qw), DVec3::new(x, y, z))?)
}
