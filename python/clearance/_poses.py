"""Poses as 4×4 matrices."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from ._arrays import as_floats
from ._errors import InvalidValueError
from ._types import ArrayLike, PoseMatrix, Quat


def pose(
    xyz: ArrayLike = (0.0, 0.0, 0.0),
    *,
    rpy: ArrayLike | None = None,
    quat: ArrayLike | None = None,
    order: Quat = "xyzw",
) -> PoseMatrix:
    """A 4×4 matrix of a translation and a rotation.

    Args:
        xyz: the translation.
        rpy: roll, pitch and yaw: rotations about the fixed axes x, y, z, as in URDF files.
        quat: a unit quaternion instead, in the order that `order` names.

    >>> pose([1, 2, 3])[:3, 3]
    array([1., 2., 3.])
    >>> pose(rpy=[0, 0, np.pi / 2])[0].round(12) + 0.0
    array([ 0., -1.,  0.,  0.])
    """
    matrix = cast(PoseMatrix, np.eye(4))
    place = as_floats(xyz, "xyz")
    if place.shape != (3,):
        raise InvalidValueError(f"xyz has the shape {place.shape}; expected (3,)")
    matrix[:3, 3] = place
    if rpy is not None and quat is not None:
        raise InvalidValueError("a pose has rpy or quat, not both")
    if rpy is not None:
        angles = as_floats(rpy, "rpy")
        if angles.shape != (3,):
            raise InvalidValueError(f"rpy has the shape {angles.shape}; expected (3,)")
        roll, pitch, yaw = angles.tolist()
        (sr, cr), (sp, cp), (sy, cy) = (
            (math.sin(angle), math.cos(angle)) for angle in (roll, pitch, yaw)
        )
        matrix[:3, :3] = [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    if quat is not None:
        numbers = as_floats(quat, "quat")
        if numbers.shape != (4,):
            raise InvalidValueError(f"quat has the shape {numbers.shape}; expected (4,)")
        x, y, z, w = numbers if order == "xyzw" else np.roll(numbers, -1)
        length = math.sqrt(x * x + y * y + z * z + w * w)
        if not abs(length - 1.0) <= 1e-3:
            raise InvalidValueError(f"quat has the length {length}; expected 1")
        x, y, z, w = x / length, y / length, z / length, w / length
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    return matrix
