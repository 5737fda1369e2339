//! The engine's errors as Python's, with the engine's words.

use clearance::ErrorKind;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// An error of the package: its class in `clearance._errors`, and the words.
pub fn error(py: Python<'_>, class: &str, message: impl ToString) -> PyErr {
    static MODULE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = MODULE
        .get_or_try_init(py, || Ok(py.import("clearance._errors")?.into_any().unbind()))
        .and_then(|module| Ok(module.bind(py).getattr(class)?.cast_into::<PyType>()?));
    match found {
        Ok(class) => PyErr::from_type(class, message.to_string()),
        Err(error) => error,
    }
}

/// A number or an array is not allowed there: a `ValueError`.
pub fn bad_value(py: Python<'_>, message: impl ToString) -> PyErr {
    error(py, "InvalidValueError", message)
}

/// What the engine returned, with its error as Python's.
pub trait OrRaise<T> {
    /// The value, or an exception by the error's kind.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T, E: Into<clearance::Error>> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|e| {
            let e: clearance::Error = e.into();
            let class = match e.kind() {
                ErrorKind::Io => "FileError",
                ErrorKind::Format => "FormatError",
                ErrorKind::Value => "InvalidValueError",
                ErrorKind::Geometry => "GeometryError",
                ErrorKind::Name => "NamingError",
                ErrorKind::Unsupported => "UnsupportedError",
                ErrorKind::TooLarge => "TooLargeError",
                ErrorKind::Stale => "StaleError",
                _ => "Error",
            };
            error(py, class, e)
        })
    }
}

/// As [`OrRaise`] for the reading of a file: one that is not there is a `FileNotFoundError`.
pub fn file_error(py: Python<'_>, e: clearance::Error) -> PyErr {
    let message = e.to_string();
    let missing = ["there is no file", "no such file", "not found", "does not exist"];
    let lowered = message.to_lowercase();
    if e.kind() == ErrorKind::Io && missing.iter().any(|words| lowered.contains(words)) {
        return error(py, "MissingFileError", message);
    }
    match Err::<(), _>(e).or_raise(py) {
        Err(error) => error,
        Ok(()) => error(py, "Error", message),
    }
}
