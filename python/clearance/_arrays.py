"""What becomes a NumPy array: lists, float32, JAX, PyTorch, Arrow, objects that are poses."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import InvalidValueError

Floats = npt.NDArray[np.float64]


def _plain(obj: Any, what: str) -> npt.NDArray[Any]:
    """The object as an array of numbers of any type."""
    if hasattr(obj, "combine_chunks") and hasattr(obj, "type"):
        obj = obj.combine_chunks()
    size = getattr(getattr(obj, "type", None), "list_size", None)
    if size is not None and hasattr(obj, "flatten"):
        # Arrow's FixedSizeList: its numbers lie one after the other.
        if getattr(obj, "null_count", 0):
            raise InvalidValueError(f"{what} has {obj.null_count} nulls; expected numbers")
        return np.asarray(obj.flatten().to_numpy(zero_copy_only=False)).reshape(-1, size)
    try:
        array = np.asarray(obj)
    except ValueError as error:
        raise InvalidValueError(f"{what} is no array of numbers: {error}") from None
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{what} is no array of numbers: {error}") from None
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{what} has the type {array.dtype}; expected real numbers")
    return array


def as_floats(obj: Any, what: str) -> Floats:
    """The object as float64, in C order and aligned."""
    return np.require(_plain(obj, what), np.float64, ["C", "A"])


def as_poses(obj: Any, what: str) -> Floats:
    """One pose or many: arrays, `pinocchio.SE3`, SciPy's and Drake's `RigidTransform`, lists."""
    if hasattr(obj, "homogeneous"):
        return as_floats(obj.homogeneous, what)
    for name in ("as_matrix", "GetAsMatrix4"):
        if hasattr(obj, name):
            return as_floats(getattr(obj, name)(), what)
    if isinstance(obj, (list, tuple)) and obj and not np.isscalar(obj[0]):
        first = obj[0]
        if any(hasattr(first, name) for name in ("homogeneous", "as_matrix", "GetAsMatrix4")):
            return np.require(np.stack([as_poses(one, what) for one in obj]), np.float64, ["C", "A"])
    return as_floats(obj, what)


def as_faces(obj: Any, vertex_count: int) -> npt.NDArray[np.uint32]:
    """Triangles `(m, 3)` of vertex numbers that exist."""
    array = _plain(obj, "faces")
    if array.size == 0:
        return np.zeros((0, 3), np.uint32)
    if array.ndim != 2 or array.shape[1] != 3:
        raise InvalidValueError(f"faces has the shape {array.shape}; expected (m, 3)")
    if array.dtype.kind == "f" and not np.all(np.isfinite(array) & (np.floor(array) == array)):
        raise InvalidValueError("faces holds numbers that are not whole; expected numbers of vertices")
    low, high = array.min(), array.max()
    if low < 0 or high >= vertex_count:
        worst = low if low < 0 else high
        raise InvalidValueError(f"faces names vertex {worst:.0f}; there are {vertex_count} vertices")
    return np.require(array, np.uint32, ["C", "A"])


def _content(obj: Any) -> Any:
    return obj.__reduce__()[1]


def same(a: Any, b: Any) -> bool:
    """Whether values are equal, arrays element by element; NaN equals itself."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if np.shape(a) != np.shape(b):
            return False
        numbers = all(getattr(one, "dtype", np.dtype(object)).kind == "f" for one in (a, b))
        return bool(np.array_equal(a, b, equal_nan=numbers))
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    return bool(a == b or (a != a and b != b))


def same_content(a: Any, b: Any) -> bool:
    """Whether two objects of one class are made of the same."""
    return same(_content(a), _content(b))


def _hashed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return (value.shape, hash(value.tobytes()))
    if isinstance(value, (tuple, list)):
        return tuple(map(_hashed, value))
    return value


def content_hash(obj: Any) -> int:
    """A hash that equal objects share."""
    return hash((type(obj).__name__, _hashed(_content(obj))))


def describe(obj: Any) -> str:
    """What the constructor took; large arrays by their sizes."""
    name = type(obj).__name__
    if name == "Mesh":
        solid = ", solid=True" if obj.is_solid else ""
        return f"Mesh(<{len(obj.vertices)} vertices>, <{len(obj.faces)} faces>{solid})"
    if name == "Convex":
        return f"Convex(<{len(obj.vertices)} vertices>)"
    if name == "PointCloud":
        return f"PointCloud(<{len(obj.points)} points>, {obj.radius})"
    if name == "HeightField":
        rows, columns = obj.heights.shape
        base = "" if obj.base is None else f", base={obj.base}"
        return f"HeightField(<{rows} x {columns} heights>, {obj.spacing}{base})"
    if name == "Compound":
        return f"Compound(<{len(obj.parts)} parts>)"
    if name == "Geometry":
        return f"<Geometry: {obj.kind}>"
    return f"{name}({', '.join(map(str, _content(obj)))})"
