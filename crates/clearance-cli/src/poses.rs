//! Poses from CSV: columns x,y,z,qw,qx,qy,qz by name, in any order; every row is checked before any is used.

use anyhow::{Context, Result, anyhow, bail};
use clearance::Pose;
use clearance::math::{DQuat, DVec3};
use clearance_io::ErrorKind;
use std::path::Path;

const COLUMNS: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];

/// The poses of B in A's frame, one per line of the file.
pub fn read(path: &Path) -> Result<Vec<Pose>> {
    let name = path.display();
    let at = |error: clearance_io::Error| match error.kind() {
        ErrorKind::MissingHeader => anyhow!("{name}: line 1: {}, {}", error.reason(), COLUMNS.join(",")),
        _ => error.into(),
    };
    let table = clearance_io::load_table(path).map_err(at)?;
    table.check_header().map_err(at)?;
    let order = columns(table.columns()).with_context(|| format!("{name}: line 1"))?;
    table.rows().map(|(line, row)| pose(row, &order).with_context(|| format!("{name}: line {line}"))).collect()
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
