//! Tables of numbers: CSV with a header line.

use crate::scan::without_byte_order_mark;
use crate::{Error, ErrorKind, Place, Result};
use std::collections::HashSet;
use std::io::Read;
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

    /// An error where all names are numbers: then the first line is a row, and the header is
    /// missing.
    ///
    /// ```
    /// let table = clearance_io::read_table(b"0.5,1\n2,3\n")?;
    /// assert_eq!(table.check_header().unwrap_err().kind(), clearance_io::ErrorKind::MissingHeader);
    /// # Ok::<(), clearance_io::Error>(())
    /// ```
    pub fn check_header(&self) -> Result<()> {
        check_header(&self.columns)
    }

    /// The rows with the lines they stand on.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = (usize, &[f64])> {
        self.lines.iter().copied().zip(self.numbers.chunks_exact(self.columns.len().max(1)))
    }
}

/// Reads a CSV file whose first line names the columns and whose other values are numbers.
pub fn load_table(path: &Path) -> Result<Table> {
    let file = std::fs::File::open(path).map_err(|error| Error::io(path, &error))?;
    TableReader::new(file).and_then(TableReader::into_table).map_err(|error| error.in_file(path))
}

/// [`load_table`] from the bytes of a file.
pub fn read_table(bytes: &[u8]) -> Result<Table> {
    TableReader::new(bytes)?.into_table()
}

/// Lines are refused beyond this length: a source without line ends must not fill the memory.
const LONGEST_LINE: usize = 1 << 20;

/// Reads a CSV table row by row in constant memory: a file of any length, a pipe, standard input.
///
/// Fields may stand in double quotes, which end on their line. Empty lines are skipped.
///
/// ```
/// let mut reader = clearance_io::TableReader::new(&b"x,y\n1,2\n\n3,4\n"[..])?;
/// assert_eq!(reader.columns(), ["x", "y"]);
/// let mut row = Vec::new();
/// assert_eq!((reader.read_row(&mut row)?, row.as_slice()), (Some(2), &[1.0, 2.0][..]));
/// // The second row is on line 4, and nothing has to be waited for until it can be read.
/// assert!(reader.has_row_at_hand());
/// assert_eq!((reader.read_row(&mut row)?, row.as_slice()), (Some(4), &[3.0, 4.0][..]));
/// assert_eq!(reader.read_row(&mut row)?, None);
/// # Ok::<(), clearance_io::Error>(())
/// ```
#[derive(Debug)]
pub struct TableReader<R> {
    lines: Lines<R>,
    columns: Vec<String>,
}

impl<R: Read> TableReader<R> {
    /// Reads the names of the columns; waits until they are there.
    pub fn new(source: R) -> Result<Self> {
        let mut lines = Lines::new(source);
        let Some((line, text)) = lines.next()? else {
            let reason = "there is no line with the names of the columns";
            return Err(Error::new(ErrorKind::Empty, Place::Whole, reason));
        };
        let columns: Vec<String> = fields(utf8(without_byte_order_mark(text), line)?, line)?;
        let mut known = HashSet::new();
        if let Some(name) = columns.iter().find(|name| !known.insert(name.as_str())) {
            check_header(&columns)?;
            let reason = format!("the column {name} is there twice");
            return Err(Error::new(ErrorKind::Malformed, Place::Line(line), reason));
        }
        Ok(Self { lines, columns })
    }

    /// The names of the columns, all different.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// As [`Table::check_header`].
    pub fn check_header(&self) -> Result<()> {
        check_header(&self.columns)
    }

    /// Reads the next row and returns its line; `None` after the last one. Waits for the source
    /// where it has to.
    ///
    /// After an error the row is passed over.
    pub fn read_row(&mut self, row: &mut Vec<f64>) -> Result<Option<usize>> {
        row.clear();
        let Some((line, text)) = self.lines.next()? else { return Ok(None) };
        let text = utf8(text, line)?;
        let columns = &self.columns;
        let mut add = |field: &str| {
            // A row that is too long is refused below; its fields have no column.
            let value = columns.get(row.len()).map_or(Ok(f64::NAN), |column| number(field, column, line));
            row.push(value?);
            Ok(())
        };
        let count = if text.contains('"') {
            let all = fields(text, line)?;
            all.iter().take(columns.len()).try_for_each(|field| add(field))?;
            all.len()
        } else {
            let mut all = text.split(',');
            all.by_ref().take(columns.len()).try_for_each(|field| add(field.trim()))?;
            row.len() + all.count()
        };
        if count != columns.len() {
            let reason = format!("{count} fields stand where there are {} columns", columns.len());
            return Err(Error::new(ErrorKind::Malformed, Place::Line(line), reason));
        }
        Ok(Some(line))
    }

    /// Whether [`read_row`](Self::read_row) returns without waiting for the source.
    pub fn has_row_at_hand(&mut self) -> bool {
        self.lines.is_at_hand()
    }

    fn into_table(mut self) -> Result<Table> {
        let (mut numbers, mut lines, mut row) = (Vec::new(), Vec::new(), Vec::new());
        while let Some(line) = self.read_row(&mut row)? {
            numbers.extend_from_slice(&row);
            lines.push(line);
        }
        Ok(Table { columns: self.columns, numbers, lines })
    }
}

/// The lines of a source that are not empty, with their numbers.
#[derive(Debug)]
struct Lines<R> {
    source: R,
    buffer: Box<[u8]>,
    /// What of the buffer is not used yet; the first `searched` bytes of it have no line end.
    begin: usize,
    end: usize,
    searched: usize,
    source_ended: bool,
    /// The last line ended with a carriage return, to which a line feed belongs.
    after_return: bool,
    /// The number of the line that begins at `begin`.
    line: usize,
}

impl<R: Read> Lines<R> {
    fn new(source: R) -> Self {
        let buffer = vec![0; LONGEST_LINE].into_boxed_slice();
        Self { source, buffer, begin: 0, end: 0, searched: 0, source_ended: false, after_return: false, line: 1 }
    }

    fn next(&mut self) -> Result<Option<(usize, &[u8])>> {
        while !self.is_at_hand() {
            self.fill()?;
        }
        let length = self.line_end().unwrap_or(self.end - self.begin);
        if length == 0 {
            return Ok(None);
        }
        let (line, start) = (self.line, self.begin);
        self.pass(length);
        Ok(Some((line, &self.buffer[start..start + length])))
    }

    /// Passes empty lines over; whether a whole line follows, or nothing.
    fn is_at_hand(&mut self) -> bool {
        loop {
            if self.after_return && self.begin < self.end {
                self.after_return = false;
                self.begin += usize::from(self.buffer[self.begin] == b'\n');
            }
            match self.line_end() {
                Some(0) => self.pass(0),
                Some(_) => return true,
                None => return self.source_ended,
            }
        }
    }

    /// How long the first line is, if it has an end.
    fn line_end(&mut self) -> Option<usize> {
        let rest = &self.buffer[self.begin + self.searched..self.end];
        match rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(found) => {
                self.searched += found;
                Some(self.searched)
            }
            None => {
                self.searched = self.end - self.begin;
                None
            }
        }
    }

    /// Passes the first line over, which is so long, and its end.
    fn pass(&mut self, length: usize) {
        self.begin += length;
        if self.begin < self.end {
            self.after_return = self.buffer[self.begin] == b'\r';
            self.begin += 1;
        }
        self.line += 1;
        self.searched = 0;
    }

    fn fill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        if self.end == self.buffer.len() {
            let reason = format!("the line is longer than {LONGEST_LINE} bytes");
            return Err(Error::new(ErrorKind::TooLarge, Place::Line(self.line), reason));
        }
        let count = loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::new(ErrorKind::Io, Place::Line(self.line), error.to_string())),
                Ok(count) => break count,
            }
        };
        self.end += count;
        self.source_ended = count == 0;
        Ok(())
    }
}

fn utf8(bytes: &[u8], line: usize) -> Result<&str> {
    let refused = |_| Error::new(ErrorKind::Malformed, Place::Line(line), "the text is not UTF-8");
    std::str::from_utf8(bytes).map_err(refused)
}

/// The fields of a line, without the space around them and without quotes.
fn fields(line_text: &str, line: usize) -> Result<Vec<String>> {
    let mut all = Vec::new();
    let mut rest = line_text;
    loop {
        let Some(quoted) = rest.trim_start().strip_prefix('"') else {
            let (field, more) = rest.split_once(',').map_or((rest, None), |(field, more)| (field, Some(more)));
            all.push(field.trim().to_owned());
            let Some(more) = more else { return Ok(all) };
            rest = more;
            continue;
        };
        let (field, more) = closed(quoted).ok_or_else(|| {
            Error::new(ErrorKind::Malformed, Place::Line(line), "a quoted field has no end on its line")
        })?;
        all.push(field.trim().to_owned());
        rest = match more.trim_start() {
            "" => return Ok(all),
            more => more.strip_prefix(',').ok_or_else(|| {
                Error::new(ErrorKind::Malformed, Place::Line(line), "text stands between a quoted field and the comma")
            })?,
        };
    }
}

/// What stands before a closing quote, and what after it; two quotes are one that does not close.
fn closed(text: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (before, after) = rest.split_once('"')?;
        field.push_str(before);
        let Some(more) = after.strip_prefix('"') else { return Some((field, after)) };
        field.push('"');
        rest = more;
    }
}

/// Refuses names of columns that are numbers, all of them: they are a row.
fn check_header(columns: &[String]) -> Result<()> {
    if columns.iter().any(|name| name.parse::<f64>().is_err()) {
        return Ok(());
    }
    let reason = "the header is missing: before these numbers must stand a line with the names of the columns";
    Err(Error::new(ErrorKind::MissingHeader, Place::Line(1), reason))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_table_is_named_with_line_and_column() {
        let cases: [(&[u8], &str); 14] = [
            (
                b"0,0,1\n",
                "line 1: the header is missing: before these numbers must stand a line with the names of the columns",
            ),
            (b"", "there is no line with the names of the columns"),
            (b"a,b,a\n", "line 1: the column a is there twice"),
            (b"a,b\n1,2\n\n3\n", "line 4: 1 fields stand where there are 2 columns"),
            (b"a,b\n1,2\n1,2,3\n", "line 3: 3 fields stand where there are 2 columns"),
            (b"a,b\n1,x\n", "line 2: column b: \"x\" is not a number"),
            (b"a,b\n1,nan\n", "line 2: column b: \"nan\" is not finite"),
            (b"a,b\n1,\xff\n", "line 2: the text is not UTF-8"),
            (b"a,b\n1,\"2\n3\"\n", "line 2: a quoted field has no end on its line"),
            (b"a,b\n1,\"2\" 3\n", "line 2: text stands between a quoted field and the comma"),
            (b"a,b\n1,\"2\"3\n", "line 2: text stands between a quoted field and the comma"),
            (b"a,b\n1,\"2\"\n3,\"4\n5,6\n", "line 3: a quoted field has no end on its line"),
            (b"a,b\n1,2,,\n", "line 2: 4 fields stand where there are 2 columns"),
            (b"a\n\"\"\n", "line 2: column a: \"\" is not a number"),
        ];
        for (text, message) in cases {
            assert_eq!(read_table(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn rows_know_their_lines_after_empty_ones_with_any_line_end() {
        for text in ["a,b\n\n1,2\n3,4", "\u{feff}a,b\r\n\r\n1,2\r\n3,4\r\n", "a,b\r\r1,2\r3,4\r"] {
            let lines: Vec<usize> = read_table(text.as_bytes()).unwrap().rows().map(|(line, _)| line).collect();
            assert_eq!(lines, [3, 4], "{text:?}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_name() {
        assert_eq!(read_table(b"\xef\xbb\xbfx,y\n").unwrap().columns(), ["x", "y"]);
    }

    #[test]
    fn fields_may_be_quoted_and_padded() {
        let table = read_table(b" \"a, \"\"b\"\"\" ,c\n\"1\", 2 \n").unwrap();
        assert_eq!(table.columns(), ["a, \"b\"", "c"]);
        assert_eq!(table.rows().next(), Some((2, &[1.0, 2.0][..])));
    }

    /// A source that yields one byte at a time, and counts how often it was asked.
    struct Drops<'b>(&'b [u8], usize);

    impl Read for Drops<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.1 += 1;
            let count = self.0.len().min(1);
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn rows_are_read_as_soon_as_their_line_has_ended_and_not_later() {
        let text = b"a,b\r\n1,2\r\n\r\n3,4";
        let (mut reader, mut row) = (TableReader::new(Drops(text, 0)).unwrap(), Vec::new());
        assert!(!reader.has_row_at_hand());
        assert_eq!(reader.read_row(&mut row).unwrap(), Some(2));
        // `a,b`, its two line ends, `1,2` and one of its line ends.
        assert_eq!(reader.lines.source.1, 9);
        assert!(!reader.has_row_at_hand());
        assert_eq!((reader.read_row(&mut row).unwrap(), row.as_slice()), (Some(4), &[3.0, 4.0][..]));
        assert!(reader.has_row_at_hand());
        assert_eq!(reader.read_row(&mut row).unwrap(), None);
    }

    #[test]
    fn tables_and_lines_of_any_length_take_constant_memory() {
        let mut reader = TableReader::new(b"a\n".chain(std::io::repeat(b'1'))).unwrap();
        let error = reader.read_row(&mut Vec::new()).unwrap_err();
        assert_eq!((error.kind(), error.place()), (ErrorKind::TooLarge, &Place::Line(2)));
        let text = "1.5,2.5\n".repeat(400_000);
        let mut reader = TableReader::new(b"a,b\n".chain(text.as_bytes())).unwrap();
        let (mut row, mut last) = (Vec::new(), None);
        while let Some(line) = reader.read_row(&mut row).unwrap() {
            assert_eq!(row, [1.5, 2.5]);
            last = Some(line);
        }
        assert_eq!(last, Some(400_001));
    }
}
