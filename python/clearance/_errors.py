"""Exceptions by kind: each is a :class:`Error`, and the built-in class that fits."""

from __future__ import annotations


class Error(Exception):
    """The base class of all errors of this package; their words say what is wrong and where."""


class FileError(Error, OSError):
    """The operating system could not open, read or write a file."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class FormatError(Error, ValueError):
    """A file contradicts its format, or is of no known format."""


class InvalidValueError(Error, ValueError):
    """A number, an array or its shape is not allowed there."""


class GeometryError(Error, ValueError):
    """Triangles or points do not make what was asked for: an open mesh as a solid, a flat hull."""


class NamingError(Error, LookupError, ValueError):
    """A name refers to nothing, or is used twice."""


class UnsupportedError(Error, NotImplementedError):
    """No test exists for this pair, or a file asks for something that is not supported."""


class TooLargeError(Error, ValueError):
    """A file holds more than its reader allows."""


class StaleError(Error, ValueError):
    """A saved proof belongs to something else."""


class InternalError(Error, RuntimeError):
    """A bug in this package."""
