//! Rows of a CSV file with known columns: by name, in any order; every row is checked before it is
//! used.

use anyhow::{Context, Result, anyhow, bail};
use clearance::io::{ErrorKind, TableReader};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads rows of `N` numbers and makes a value of each.
pub struct RowReader<T, const N: usize> {
    table: TableReader<Box<dyn Read + Send>>,
    order: [usize; N],
    name: PathBuf,
    row: Vec<f64>,
    make: fn([f64; N]) -> Result<T>,
}

impl<T, const N: usize> RowReader<T, N> {
    /// Reads the header line, which must have these columns. `make` gets the numbers in their
    /// order.
    pub fn new(
        read: Box<dyn Read + Send>,
        name: &Path,
        columns: [&str; N],
        make: fn([f64; N]) -> Result<T>,
    ) -> Result<Self> {
        let name = name.to_path_buf();
        let at = |error: clearance::io::Error| match error.kind() {
            ErrorKind::MissingHeader => anyhow!("line 1: {}, {}", error.reason(), columns.join(",")),
            _ => error.into(),
        };
        let in_file = || name.display().to_string();
        let table = TableReader::new(read).map_err(at).with_context(in_file)?;
        table.check_header().map_err(at).with_context(in_file)?;
        let order = places(table.columns(), columns).with_context(|| format!("{}: line 1", name.display()))?;
        Ok(Self { table, order, name, row: Vec::new(), make })
    }

    /// Replaces `values` by the next ones, `max_rows` at most; waits for the first alone. An error
    /// comes after the values before it.
    pub fn read(&mut self, max_rows: usize, values: &mut Vec<T>) -> Result<()> {
        values.clear();
        while values.len() < max_rows && (values.is_empty() || self.table.has_row_at_hand()) {
            let name = self.name.display();
            let Some(line) = self.table.read_row(&mut self.row).with_context(|| name.to_string())? else { break };
            let value = (self.make)(self.order.map(|at| self.row[at]));
            values.push(value.with_context(|| format!("{name}: line {line}"))?);
        }
        Ok(())
    }
}

/// Where in a row each of the columns is.
fn places<const N: usize>(header: &[String], columns: [&str; N]) -> Result<[usize; N]> {
    if let Some(name) = header.iter().find(|name| !columns.contains(&name.as_str())) {
        bail!("unknown column {name:?}; the columns are {}", columns.join(","));
    }
    let mut order = [0; N];
    for (at, column) in order.iter_mut().zip(columns) {
        let Some(found) = header.iter().position(|name| name == column) else {
            bail!("the column {column} is missing; the columns are {}", columns.join(","));
        };
        *at = found;
    }
    Ok(order)
}
