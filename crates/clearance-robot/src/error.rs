//! The one error type of this crate: which file, which line, which element, and what to fix there,
//! on one line.

use clearance_io::{OneLine, shortened};
use std::fmt;
use std::path::{Path, PathBuf};

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Reasons and names of elements are cut after this many characters.
const LONGEST_REASON: usize = 400;
const LONGEST_ELEMENT: usize = 100;

/// What is wrong with a robot, its files or a configuration. Its text is one line:
/// `path: line: element: reason`.
///
/// ```
/// use clearance_robot::{ErrorKind, JointSpec, RobotBuilder};
/// let error = RobotBuilder::new("r").link("a", []).joint(JointSpec::fixed("j", "a", "b")).build().unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Unknown);
/// assert_eq!(error.to_string(), "joint 'j': its child link 'b' does not exist; add the link or correct the name");
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Details>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Details {
    kind: ErrorKind,
    path: Option<PathBuf>,
    line: Option<usize>,
    /// On one line, like the reason.
    element: Option<String>,
    reason: String,
}

/// The classes of [`Error`] a caller may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system could not open or read a file.
    Io,
    /// A file contradicts its format: no XML, no number where one should be, an element twice.
    Malformed,
    /// A required element, attribute, name or limit is missing.
    Missing,
    /// A number is NaN, infinite or beyond 1e100.
    NotFinite,
    /// A number is finite, but not allowed there: a negative radius, limits in the wrong order, an
    /// axis of length zero.
    OutOfRange,
    /// Two elements have the same name.
    Repeated,
    /// A name refers to nothing.
    Unknown,
    /// The joints do not make a tree: a cycle, two parents, several roots; or mimic joints follow
    /// each other in a circle.
    Structure,
    /// A mesh file does not exist where it was looked for.
    MissingMesh,
    /// A mesh file exists, but cannot be read as one.
    BadMesh,
    /// A correct file asks for something that is not supported here.
    Unsupported,
    /// A configuration does not fit the robot: its length, a column, or a mimic joint against its
    /// rule.
    BadConfiguration,
    /// A file of proven gaps belongs to another robot, to other options or to another version.
    Stale,
    /// The file repeats or holds more than is read here, or its meshes exceed
    /// [`UrdfOptions::max_mesh_elements`](crate::UrdfOptions::max_mesh_elements).
    TooLarge,
}

impl Error {
    /// An error in words, for those who build on this crate.
    pub fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        let reason = shortened(OneLine(reason.into()).to_string(), LONGEST_REASON);
        Self(Box::new(Details { kind, path: None, line: None, element: None, reason }))
    }

    /// Names the element, such as `joint 'elbow'`, unless an inner one has been named already.
    pub(crate) fn of(mut self, element: impl fmt::Display) -> Self {
        self.0.element.get_or_insert_with(|| shortened(OneLine(element).to_string(), LONGEST_ELEMENT));
        self
    }

    /// Names the line, unless an inner one is known already.
    pub(crate) fn at_line(mut self, line: impl Into<Option<usize>>) -> Self {
        self.0.line = self.0.line.or(line.into());
        self
    }

    /// Names the file, unless it has been named already.
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

    /// The line in the file, from 1, where it is known.
    pub fn line(&self) -> Option<usize> {
        self.0.line
    }

    /// The element, such as `joint 'elbow'`, where there is one.
    pub fn element(&self) -> Option<&str> {
        self.0.element.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", OneLine(path.display()))?;
        }
        if let Some(line) = self.0.line {
            write!(f, "line {line}: ")?;
        }
        if let Some(element) = &self.0.element {
            write!(f, "{element}: ")?;
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
