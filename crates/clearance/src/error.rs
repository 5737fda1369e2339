//! The one error type of the facade.

use std::fmt;

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What is wrong, in one line that says where: file, line, element, value.
///
/// Its `Debug` reads like its `Display`, so that `fn main() -> clearance::Result<()>` prints a
/// sentence.
///
/// ```
/// use clearance::prelude::*;
/// let error: Error = Cuboid::new(1.0, -2.0, 1.0).unwrap_err().into();
/// assert_eq!(error.kind(), ErrorKind::Value);
/// assert_eq!(format!("{error:?}"), format!("{error}"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The classes of [`Error`] that a caller may want to tell apart.
///
/// ```
/// use clearance::prelude::*;
/// assert_eq!(Mesh::load("nothing/here.stl").unwrap_err().kind(), ErrorKind::Io);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system could not open, read or write a file.
    Io,
    /// A file contradicts its format, or is of no known format.
    Format,
    /// A number or a list of them is not allowed there: NaN, a negative radius, a wrong length.
    Value,
    /// Triangles or points do not make what was asked for: an open mesh as a solid, a flat hull.
    Geometry,
    /// A name refers to nothing, or is used twice.
    Name,
    /// No test exists for this pair, or a file asks for something that is not supported.
    Unsupported,
    /// A file holds more than the limits in its options allow, or what is asked for would take more
    /// memory than its limit.
    TooLarge,
    /// A saved hierarchy or proof belongs to something else.
    Stale,
}

impl Error {
    fn new(kind: ErrorKind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string() }
    }

    /// The same error, with the file that it is about.
    #[cfg(feature = "files")]
    pub(crate) fn of_file(self, path: &std::path::Path) -> Self {
        Self { message: format!("{}: {}", path.display(), self.message), ..self }
    }

    /// The class of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<clearance_engine::Error> for Error {
    fn from(error: clearance_engine::Error) -> Self {
        use clearance_engine::ErrorKind as From;
        let kind = match error.kind() {
            From::Empty | From::NotClosed | From::Degenerate | From::NotConvex => ErrorKind::Geometry,
            From::Unsupported => ErrorKind::Unsupported,
            From::BadData => ErrorKind::Stale,
            From::TooLarge => ErrorKind::TooLarge,
            _ => ErrorKind::Value,
        };
        Self::new(kind, error)
    }
}

#[cfg(feature = "files")]
impl From<clearance_io::Error> for Error {
    fn from(error: clearance_io::Error) -> Self {
        use clearance_io::ErrorKind as From;
        let kind = match error.kind() {
            From::Io => ErrorKind::Io,
            From::Unsupported => ErrorKind::Unsupported,
            From::TooLarge => ErrorKind::TooLarge,
            _ => ErrorKind::Format,
        };
        Self::new(kind, error)
    }
}

#[cfg(feature = "robots")]
impl From<clearance_robot::Error> for Error {
    fn from(error: clearance_robot::Error) -> Self {
        use clearance_robot::ErrorKind as From;
        let kind = match error.kind() {
            From::Io | From::MissingMesh => ErrorKind::Io,
            From::Malformed | From::Missing | From::BadMesh | From::Structure => ErrorKind::Format,
            From::Repeated | From::Unknown => ErrorKind::Name,
            From::Unsupported => ErrorKind::Unsupported,
            From::TooLarge => ErrorKind::TooLarge,
            From::Stale => ErrorKind::Stale,
            _ => ErrorKind::Value,
        };
        Self::new(kind, error)
    }
}

#[cfg(feature = "pictures")]
impl From<clearance_scene::Error> for Error {
    fn from(error: clearance_scene::Error) -> Self {
        Self::new(ErrorKind::Value, error)
    }
}

#[cfg(feature = "viewer")]
impl From<clearance_view::Error> for Error {
    fn from(error: clearance_view::Error) -> Self {
        use clearance_view::Error as From;
        match error {
            From::Engine(error) => error.into(),
            From::Robot(error) => error.into(),
            From::Io(error) => error.into(),
            other => Self::new(ErrorKind::Value, other),
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::new(ErrorKind::Io, error)
    }
}
