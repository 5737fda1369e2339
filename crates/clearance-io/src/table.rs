//! Tables of numbers: CSV with a header line.

use crate::scan::without_byte_order_mark;
use crate::{Error, ErrorKind, Place, Result};
use std::collections::HashSet;
use std::path::Path;

/// Named columns of finite numbers, all of them checked.
///
/// ```
/// let table = clearance_io::read_table(b"x, y\n1, 2\n3, 4\n")?;
/// assert_eq!(table.columns(), ["x", "y"]);
/// assert_eq!(table.rows().nth(1), Some((3, &[3.0, 4.0][..])));
/// # Ok::<(), clearance_io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    columns: Vec<String>,
    numbers: Vec<f64>,
    /// The line that each row begins on.
    lines: Vec<usize>,
}

impl Table {
    /// The names of the columns, all different.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows with the lines they stand on.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (usize, &[f64])> {
        self.lines.iter().copied().zip(self.numbers.chunks_exact(self.columns.len().max(1)))
    }
}

/// Reads a CSV file whose first line names the columns and whose other values are numbers.
pub fn load_table(path: &Path) -> Result<Table> {
    let bytes = std::fs::read(path).map_err(|error| Error::io(path, &error))?;
    read_table(&bytes).map_err(|error| error.in_file(path))
}

/// [`load_table`] from the bytes of a file.
pub fn read_table(bytes: &[u8]) -> Result<Table> {
    let bytes = without_byte_order_mark(bytes);
    let csv_error = |error: csv::Error| csv_error(&error, bytes);
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(bytes);
    let columns: Vec<String> = reader.headers().map_err(csv_error)?.iter().map(str::to_owned).collect();
    if columns.is_empty() {
        return Err(Error::new(ErrorKind::Empty, Place::Whole, "there is no line with the names of the columns"));
    }
    let mut met = HashSet::new();
    for name in &columns {
        if !met.insert(name) {
            return Err(Error::new(ErrorKind::Malformed, Place::Line(1), format!("the column {name} is there twice")));
        }
    }
    let mut table = Table { columns, numbers: Vec::new(), lines: Vec::new() };
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(csv_error)? {
        let line = record.position().map_or(0, |position| line_of(position, bytes));
        for (column, text) in table.columns.iter().zip(&record) {
            table.numbers.push(number(text, column, line)?);
        }
        table.lines.push(line);
    }
    Ok(table)
}

fn number(text: &str, column: &str, line: usize) -> Result<f64> {
    let error = |kind, problem: &str| {
        let reason = format!("column {column}: {text:?} is not {problem}");
        Err(Error::new(kind, Place::Line(line), reason))
    };
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(_) => error(ErrorKind::NotFinite, "finite"),
        Err(_) => error(ErrorKind::Malformed, "a number"),
    }
}

/// The line of a record; the parser counts the empty lines before it as its own.
fn line_of(position: &csv::Position, bytes: &[u8]) -> usize {
    let record = bytes.get(position.byte() as usize..).unwrap_or_default();
    let empty =
        record.iter().take_while(|&&byte| byte == b'\n' || byte == b'\r').filter(|&&byte| byte == b'\n').count();
    position.line() as usize + empty
}

fn csv_error(error: &csv::Error, bytes: &[u8]) -> Error {
    let place = error.position().map_or(Place::Whole, |position| Place::Line(line_of(position, bytes)));
    match error.kind() {
        csv::ErrorKind::Io(error) => Error::new(ErrorKind::Io, place, error.to_string()),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let reason = format!("{len} fields stand where there are {expected_len} columns");
            Error::new(ErrorKind::Malformed, place, reason)
        }
        csv::ErrorKind::Utf8 { .. } => Error::new(ErrorKind::Malformed, place, "the text is not UTF-8"),
        _ => Error::new(ErrorKind::Malformed, place, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_table_is_named_with_line_and_column() {
        let cases: [(&[u8], &str); 7] = [
            (b"", "there is no line with the names of the columns"),
            (b"a,b,a\n", "line 1: the column a is there twice"),
            (b"a,b\n1,2\n\n3\n", "line 4: 1 fields stand where there are 2 columns"),
            (b"a,b\n1,2\n1,2,3\n", "line 3: 3 fields stand where there are 2 columns"),
            (b"a,b\n1,x\n", "line 2: column b: \"x\" is not a number"),
            (b"a,b\n1,nan\n", "line 2: column b: \"nan\" is not finite"),
            (b"a,b\n1,\xff\n", "line 2: the text is not UTF-8"),
        ];
        for (text, message) in cases {
            assert_eq!(read_table(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn rows_know_their_lines_after_empty_ones_with_any_line_end() {
        for text in ["a,b\n\n1,2\n3,4", "\u{feff}a,b\r\n\r\n1,2\r\n3,4\r\n"] {
            let lines: Vec<usize> = read_table(text.as_bytes()).unwrap().rows().map(|(line, _)| line).collect();
            assert_eq!(lines, [3, 4], "{text:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_name() {
        assert_eq!(read_table(b"\xef\xbb\xbfx,y\n").unwrap().columns(), ["x", "y"]);
    }
}
