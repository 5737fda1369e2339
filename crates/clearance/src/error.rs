//! The one error type of the engine: opaque, with a [`kind`](Error::kind) to match on and a message that names the culprit.

use std::fmt;

/// `Result` with the engine's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, with a message that names the offending index, value or name.
///
/// ```
/// use clearance::{ErrorKind, TriMesh};
/// let error = TriMesh::new(vec![], vec![]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Empty);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The classes of [`Error`] a caller may want to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A coordinate, pose or request value is NaN or infinite.
    NotFinite,
    /// An index points outside of the array it indexes.
    OutOfRange,
    /// A geometry without any element.
    Empty,
    /// A rotation or quaternion that is too far from a rotation.
    NotARotation,
    /// A mesh declared solid that has an open edge.
    NotClosed,
    /// Points that enclose no volume.
    Flat,
    /// Faces of a polyhedron that is not convex.
    NotConvex,
    /// No test is registered for this pair of geometries.
    Unsupported,
    /// A request whose values contradict each other.
    BadRequest,
    /// A saved hierarchy that is damaged, of another version, or of another mesh.
    BadData,
}

impl Error {
    /// An error of `kind` whose message says what is wrong and where.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
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

impl std::error::Error for Error {}
