//! The one error type of the engine.
//!
//! It is opaque. [`kind`](Error::kind) gives a value to match on, and the message names the
//! culprit.

use crate::math::DVec3;
use std::fmt;

/// `Result` with the engine's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the engine; its message names the offending index, value or name.
///
/// ```
/// use clearance_engine::{ErrorKind, TriMesh};
/// let error = TriMesh::new(vec![], vec![]).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Empty);
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: String,
}

/// The classes of [`Error`], for callers that handle them differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A coordinate, a pose or a value of a request is NaN or infinite.
    NotFinite,
    /// An index points outside of the array it indexes.
    OutOfRange,
    /// A geometry has no element.
    Empty,
    /// A matrix or quaternion is too far from a rotation.
    NotARotation,
    /// A mesh has an open edge but must be closed.
    NotClosed,
    /// A convex hull has no volume: its points lie in one plane, on one line or at one place.
    Degenerate,
    /// The faces of a polyhedron are not convex.
    NotConvex,
    /// The dispatcher has no test for this pair of geometries.
    Unsupported,
    /// The values of a request contradict each other.
    BadRequest,
    /// A saved hierarchy is damaged, has another version, or belongs to another mesh.
    BadData,
    /// What is asked for would take more memory than its limit.
    TooLarge,
}

impl Error {
    /// Creates an error; the message says what is wrong and where.
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

/// As [`Display`](fmt::Display): `unwrap`, and `main` with any error type, print the sentence.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

/// Formats a number or a point for messages, with an exponent for very large and very small values.
///
/// ```
/// use clearance_engine::{Readable, math::DVec3};
/// assert_eq!(Readable(0.25).to_string(), "0.25");
/// assert_eq!(Readable(-1e300).to_string(), "-1e300");
/// assert_eq!(Readable(DVec3::new(1.0, 2e-9, f64::NAN)).to_string(), "[1, 2e-9, NaN]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Readable<T>(pub T);

impl fmt::Display for Readable<f64> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_number(f, &self.0)
    }
}

impl fmt::Display for Readable<f32> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_number(f, &self.0)
    }
}

/// Formats by `{:?}`, which has an exponent below 1e-5 and from 1e16 on, where `{}` has none. Whole
/// numbers end in `.0` there.
fn write_number(f: &mut fmt::Formatter<'_>, number: &dyn fmt::Debug) -> fmt::Result {
    let text = format!("{number:?}");
    f.write_str(text.strip_suffix(".0").unwrap_or(&text))
}

impl fmt::Display for Readable<DVec3> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0.to_array().map(Readable);
        write!(f, "[{x}, {y}, {z}]")
    }
}
