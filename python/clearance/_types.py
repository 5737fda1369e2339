"""What arguments may be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._clearance import Checker, Geometry, Robot, Scene, VoxelMap

Floats: TypeAlias = npt.NDArray[np.float64]
Path: TypeAlias = "str | os.PathLike[str]"
Quat: TypeAlias = Literal["xyzw", "wxyz"]
Cell: TypeAlias = Literal["free", "unknown", "obstacle"]
Pairs: TypeAlias = Sequence[tuple[str, str]]


class HasMatrix(Protocol):
    """A pose such as SciPy's `RigidTransform`."""

    def as_matrix(self) -> Any:
        """The 4×4 matrix."""


class HasHomogeneous(Protocol):
    """A pose such as `pinocchio.SE3`."""

    @property
    def homogeneous(self) -> Any:
        """The 4×4 matrix."""


class HasFaces(Protocol):
    """A mesh such as `trimesh.Trimesh`."""

    @property
    def vertices(self) -> Any:
        """Coordinates, `(n, 3)`."""

    @property
    def faces(self) -> Any:
        """Triangles, `(m, 3)`."""


# Numbers: NumPy, lists, JAX, PyTorch on the CPU, Arrow's FixedSizeList.
ArrayLike: TypeAlias = npt.ArrayLike
PoseLike: TypeAlias = (
    "npt.ArrayLike | HasMatrix | HasHomogeneous | Sequence[HasMatrix] | Sequence[HasHomogeneous]"
)

# Whether an answer is one or many follows from the argument's shape, as far as it is known to the
# type checker. It takes an array of unknown shape for one of any number of axes, so that what fits
# this one, of nine, is unknown: no array that we take has nine.
Unknown: TypeAlias = "np.ndarray[tuple[int, int, int, int, int, int, int, int, int], np.dtype[Any]]"
Vector: TypeAlias = "np.ndarray[tuple[int], np.dtype[Any]]"
Matrix: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[Any]]"
One: TypeAlias = "Vector | Sequence[float]"
Many: TypeAlias = "Matrix | Sequence[Sequence[float]] | Sequence[Vector]"
# A matrix of two axes may be one pose or many of seven numbers, unless it is known to be 4×4.
PoseMatrix: TypeAlias = "np.ndarray[tuple[Literal[4], Literal[4]], np.dtype[np.float64]]"
OnePose: TypeAlias = "PoseMatrix | Vector | Sequence[float] | HasHomogeneous"
ManyPoses: TypeAlias = (
    "np.ndarray[tuple[int, int, int], np.dtype[Any]] | Sequence[PoseMatrix] | Sequence[HasHomogeneous]"
)
Bools: TypeAlias = npt.NDArray[np.bool_]
GeometryLike: TypeAlias = "Geometry | VoxelMap | HasFaces"
# What pictures and pages are of.
Shown: TypeAlias = (
    "GeometryLike | Scene | Robot | Checker | Sequence[GeometryLike | tuple[GeometryLike, PoseLike | None]]"
)
