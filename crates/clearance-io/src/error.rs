//! The one error type of this crate: which file, where in it, and what is wrong there, on one line.

use crate::{OneLine, shortened};
use std::fmt;
use std::path::{Path, PathBuf};

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Reasons are cut after this many characters.
const LONGEST_REASON: usize = 200;
/// Names of parts of a file are cut after this many.
const LONGEST_ELEMENT: usize = 100;

/// Why a file could not be read. Its text is one line: `path: place: reason`.
///
/// ```
/// use clearance_io::{ErrorKind, LoadOptions, MeshFormat, Place, read_mesh};
/// let error = read_mesh(b"v 0 0 0\nv 1 0 zero\n", MeshFormat::Obj, &LoadOptions::default()).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Malformed);
/// assert_eq!(error.place(), &Place::Line(2));
/// assert_eq!(error.to_string(), "line 2: 'zero' is not a number (the z of a vertex)");
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Details>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    path: Option<PathBuf>,
    place: Place,
    reason: String,
}

/// The classes of [`Error`] a caller may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system could not open or read the file.
    Io,
    /// The file's extension or first line names no format that is read here.
    UnknownFormat,
    /// The file contradicts its format or itself.
    Malformed,
    /// The file ends before what it promised.
    Truncated,
    /// The file is right, but uses something that is not read here and cannot be left out without
    /// changing the mesh.
    Unsupported,
    /// A face refers to a vertex that does not exist, or an element to another one that does not.
    OutOfRange,
    /// A number is NaN, infinite or beyond 1e100.
    NotFinite,
    /// A table begins with numbers instead of the names of its columns.
    MissingHeader,
    /// The file holds no triangle, or no point.
    Empty,
    /// The mesh is larger than [`LoadOptions::max_elements`](crate::LoadOptions::max_elements),
    /// there are more points than [`PointOptions::max_points`](crate::PointOptions::max_points), or
    /// a file repeats or nests its parts more often than is read here.
    TooLarge,
}

/// Where in a file an error was met.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(usize),
    /// A named or numbered part, such as `accessor 3`.
    Element(String),
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, place: Place, reason: impl Into<String>) -> Self {
        // A control character takes up to six when it is escaped.
        let reason = shortened(OneLine(reason.into()).to_string(), LONGEST_REASON);
        Self(Box::new(Details { kind, path: None, place, reason }))
    }

    pub(crate) fn io(path: &Path, error: &std::io::Error) -> Self {
        Self::new(ErrorKind::Io, Place::Whole, error.to_string()).in_file(path)
    }

    /// Names the file, unless an inner file (a glTF's buffer) has been named already.
    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        self.0.path.get_or_insert_with(|| path.to_path_buf());
        self
    }

    /// The class of this error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The file, where there is one.
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// What is wrong, without file and place.
    pub fn reason(&self) -> &str {
        &self.0.reason
    }

    /// Where in the file.
    pub fn place(&self) -> &Place {
        &self.0.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", OneLine(path.display()))?;
        }
        match &self.0.place {
            Place::Whole => {}
            Place::Line(line) => write!(f, "line {line}: ")?,
            Place::Byte(byte) => write!(f, "byte {byte}: ")?,
            Place::Element(name) => write!(f, "{}: ", shortened(OneLine(name).to_string(), LONGEST_ELEMENT))?,
        }
        f.write_str(&self.0.reason)
    }
}

/// As [`Display`](fmt::Display): `unwrap`, and `main` with any error type, print the sentence.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_even_where_path_and_reason_are_not() {
        let error = Error::new(ErrorKind::Malformed, Place::Line(7), "a\nb\u{1b}c").in_file(Path::new("x\r\ny.obj"));
        assert_eq!(error.to_string(), "x\\r\\ny.obj: line 7: a\\nb\\u{1b}c");
    }

    #[test]
    fn a_long_reason_is_cut_between_characters() {
        for reason in ["é", "\u{7f}"] {
            let error = Error::new(ErrorKind::Malformed, Place::Whole, reason.repeat(1000));
            assert_eq!(error.to_string().chars().count(), LONGEST_REASON + 1);
        }
    }

    #[test]
    fn the_innermost_file_is_the_one_named() {
        let error =
            Error::new(ErrorKind::Io, Place::Whole, "gone").in_file(Path::new("a.bin")).in_file(Path::new("a.gltf"));
        assert_eq!(error.path(), Some(Path::new("a.bin")));
    }
}
