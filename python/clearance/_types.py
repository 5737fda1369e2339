"""What arguments may be."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ._clearance import Geometry, VoxelMap

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
ArrayLike: TypeAlias = Any
PoseLike: TypeAlias = "npt.ArrayLike | HasMatrix | HasHomogeneous | Sequence[HasHomogeneous]"
GeometryLike: TypeAlias = "Geometry | VoxelMap | HasFaces"
