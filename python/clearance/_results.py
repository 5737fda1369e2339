"""Answers about many poses or configurations: one array for each field."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from ._arrays import as_floats, same
from ._clearance import Compound, Convex, Geometry, Sphere, VoxelMap

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

Floats = npt.NDArray[np.float64]
Names = npt.NDArray[np.object_]


def _objects(values: Any) -> Names | None:
    if values is None:
        return None
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return cast(Names, made)


class _Answer:
    """Equal answers have equal fields; they are compared, not hashed."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        names = (field.name for field in dataclasses.fields(cast(Any, self)))
        return all(same(getattr(self, name), getattr(other, name)) for name in names)

    __hash__ = None  # type: ignore[assignment]


class _Table(_Answer):
    """Conversions of arrays of one length to tables of other packages."""

    # Vectors of numbers, not of x, y and z.
    _numbered: ClassVar[tuple[str, ...]] = ()

    def to_dict(self) -> dict[str, npt.NDArray[Any]]:
        """One array for each column; vectors become columns `_x`, `_y`, `_z`."""
        columns: dict[str, npt.NDArray[Any]] = {}
        for field in dataclasses.fields(cast(Any, self)):
            value = getattr(self, field.name)
            if not isinstance(value, np.ndarray):
                continue
            if value.ndim == 1:
                columns[field.name] = value
            elif value.shape[1] == 3 and field.name not in self._numbered:
                for axis, letter in enumerate("xyz"):
                    columns[f"{field.name}_{letter}"] = value[:, axis]
            else:
                for number in range(value.shape[1]):
                    columns[f"{field.name}_{number}"] = value[:, number]
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.to_dict())

    def to_polars(self) -> polars.DataFrame:
        """A polars DataFrame."""
        import polars

        columns = self.to_dict()
        return polars.DataFrame(
            {name: list(c) if c.dtype == object else c for name, c in columns.items()}
        )

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table; vectors stay whole, as FixedSizeList."""
        import pyarrow

        columns: dict[str, Any] = {}
        for field in dataclasses.fields(cast(Any, self)):
            value = getattr(self, field.name)
            if not isinstance(value, np.ndarray):
                continue
            if value.ndim == 2:
                flat = pyarrow.array(np.ascontiguousarray(value).reshape(-1))
                columns[field.name] = pyarrow.FixedSizeListArray.from_arrays(flat, value.shape[1])
            elif value.dtype == object:
                columns[field.name] = pyarrow.array(value.tolist(), pyarrow.string())
            else:
                columns[field.name] = pyarrow.array(value)
        return pyarrow.table(columns)


@dataclasses.dataclass(frozen=True, eq=False)
class Distances(_Table):
    """Certified distances at many poses or configurations: ``lower <= distance <= upper``.

    >>> import clearance, numpy as np
    >>> poses = np.stack([clearance.pose([x, 0, 0]) for x in (2, 3)])
    >>> found = clearance.Pair(clearance.Sphere(0.5), clearance.Sphere(0.5)).distance(poses)
    >>> found.upper
    array([1., 2.])
    >>> found.point_b.shape, len(found)
    ((2, 3), 2)
    """

    lower: Floats
    """At most the distances, `(n,)`."""
    upper: Floats
    """At least the distances; realised by the points."""
    signed: Floats
    """The values that the points realise: `upper`, but for signed distances."""
    point_a: Floats
    """The witness points on the first, `(n, 3)`; NaN where nothing is near."""
    point_b: Floats
    """The witness points on the second."""
    normal: Floats
    """Unit vectors from the first to the second; NaN where a pair touches or nothing is near."""
    status: Names
    """Why each search ended."""
    gradient: Floats
    """The derivatives as in :class:`Distance`, `(n, 6)` or `(n, dof)`; NaN where there is none."""
    a: Names | None = None
    """The names of the first, for robots; None where nothing is near."""
    b: Names | None = None
    """The names of the second."""

    _numbered = ("gradient",)

    def __post_init__(self) -> None:
        for name in ("status", "a", "b"):
            object.__setattr__(self, name, _objects(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.lower)


@dataclasses.dataclass(frozen=True, eq=False)
class NearPairs(_Table):
    """All pairs that are near or overlap: what an optimiser linearises.

    A link of several geometries counts as one. Paddings and margins are taken off.
    """

    a: Names
    """The links of the robot, or the objects that they carry."""
    b: Names
    """The other links, attached objects or objects of the scene."""
    against: Names
    """What each `b` is: 'itself', 'scene' or 'robot'."""
    signed: Floats
    """The signed distances `(pairs,)`, less than 0 in overlap."""
    lower: Floats
    """At most the signed distances."""
    upper: Floats
    """At least the signed distances."""
    point_a: Floats
    """On `a`, in the world: nearest to `b`, or deepest in it, `(pairs, 3)`."""
    point_b: Floats
    """On `b`, in the world."""
    normal: Floats
    """Unit vectors from `a` to `b`: moved this way, `b` gets farther from `a`."""
    gradient: Floats
    """The derivatives of `signed` by the joint variables, `(pairs, dof)`."""
    unique: Names
    """Whether the gradient is a derivative: True, False where `signed` has a kink, None where it is
    not known."""
    status: Names
    """'exact', or 'inexact' where the interval is wide: surfaces that overlap have no depth."""
    row: npt.NDArray[np.int64]
    """The number of the configuration that each pair belongs to."""
    gradient_b: Floats | None = None
    """The derivatives by the joint variables of the other robot."""

    _numbered = ("gradient", "gradient_b")

    def __post_init__(self) -> None:
        for name in ("a", "b", "against", "unique", "status"):
            object.__setattr__(self, name, _objects(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.signed)


@dataclasses.dataclass(frozen=True, eq=False)
class Gradient(_Answer):
    """How a distance changes with the pose of either geometry.

    Three numbers are for a translation, three for a rotation about the geometry's own origin, both
    in A's frame.
    """

    by_a: Floats
    """By the pose of A, `(6,)`."""
    by_b: Floats
    """By the pose of B, `(6,)`."""
    unique: bool | None
    """Whether the nearest points are the only ones, so that this is the derivative; None where it
    is not known."""


@dataclasses.dataclass(frozen=True, eq=False)
class Contacts(_Table):
    """Pairs of triangles (or other leaves) that touch or are within the margin."""

    leaf_a: npt.NDArray[np.uint32]
    """The triangles of the first."""
    leaf_b: npt.NDArray[np.uint32]
    """The triangles of the second."""
    distance: Floats
    """0 where they overlap."""
    normal: Floats
    """Unit vectors from the first to the second, `(n, 3)`."""
    points: list[Floats]
    """The points of each contact, in A's frame: a point, a segment's ends, or a polygon."""
    colliding: bool
    """Whether the two touch, however many contacts were asked for."""
    truncated: bool
    """Whether `max_contacts` cut the list short."""

    def __len__(self) -> int:
        return len(self.leaf_a)

    def __bool__(self) -> bool:
        return self.colliding


@dataclasses.dataclass(frozen=True, eq=False)
class Penetration(_Answer):
    """A certified penetration depth: ``lower <= depth <= upper``."""

    lower: float
    """A shift by less, in any direction, does not separate the two."""
    upper: float
    """A shift of B by this much along `normal` does."""
    normal: Floats
    """Where B leaves A soonest."""
    point_a: Floats
    """The point of A that is deepest in B."""
    point_b: Floats
    """The point of B that is deepest in A."""
    gradient: Floats
    """The derivative of minus the depth by the pose of B, `(6,)`, as in :class:`Gradient`."""
    status: str
    """Whether the interval is as narrow as asked for: 'exact' or 'inexact'."""


@dataclasses.dataclass(frozen=True, eq=False)
class Impact(_Answer):
    """The first contact of a moving body."""

    status: str
    """'free', 'contact' or 'undecided'."""
    free_until: float
    """Nothing touches before this time: proven."""
    t: tuple[float, float] | None = None
    """The time of contact lies between these."""
    margin: float = 0.0
    """A free motion keeps at least this clearance."""
    gap: float = 0.0
    """How far the bodies may be apart at `t[1]`; 0 if contact is proven."""
    point: Floats | None = None
    """A point of A at contact."""
    normal: Floats | None = None
    """From A to B."""
    leaves: tuple[int, int] | None = None
    """The triangles that come together."""

    @property
    def free(self) -> bool:
        """Whether the whole motion is proven free."""
        return self.status == "free"


@dataclasses.dataclass(frozen=True, eq=False)
class Edges(_Table):
    """What becomes of motions; times go from 0 to 1."""

    status: Names
    """'free' (proven), 'contact' or 'undecided'."""
    free: npt.NDArray[np.bool_]
    """Which are proven free."""
    t: Floats
    """Nothing touches before the first time; the pair touches at the second, `(n, 2)`."""
    clearance: Floats
    """All pairs of a free motion keep at least this distance."""
    a: Names
    """The part of the robot that touches."""
    b: Names
    """What it touches."""

    def __post_init__(self) -> None:
        for name in ("status", "a", "b"):
            object.__setattr__(self, name, _objects(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.free)

    def __bool__(self) -> bool:
        return bool(np.all(self.free))


@dataclasses.dataclass(frozen=True, eq=False)
class Clearances(_Table):
    """How near motions come to anything: ``lower <= clearance <= upper``; times go from 0 to 1."""

    lower: Floats
    """At most the clearances at any time; infinite where there is nothing to come near to."""
    upper: Floats
    """At least the least clearances."""
    t: Floats
    """When `a` and `b` are as near as `upper`."""
    a: Names
    """The links of the robot, or the objects that they carry."""
    b: Names
    """What they come near to."""
    against: Names
    """What each `b` is: 'itself' or 'scene'."""

    def __post_init__(self) -> None:
        for name in ("a", "b", "against"):
            object.__setattr__(self, name, _objects(getattr(self, name)))

    def __len__(self) -> int:
        return len(self.lower)


@dataclasses.dataclass(frozen=True, eq=False)
class Verdict(_Answer):
    """Whether two things can touch at all within the joint limits."""

    status: str
    """'never' (proven), 'sometimes' (`q` touches), 'always' (proven) or 'undecided'."""
    gap: float
    """They never come nearer than this: proven; 0 where nothing is."""
    nearest: float
    """The smallest distance that was met; the largest possible gap lies between."""
    q: Floats | None
    """A configuration that touches, or the nearest one of those that were looked at."""


@dataclasses.dataclass(frozen=True, eq=False)
class Reach(_Answer):
    """Spheres, in the world, that a link never leaves while all joints stay within their limits."""

    centers: Floats
    """The centres, `(n, 3)`; none for a link without geometry."""
    radii: Floats
    """The radii, `(n,)`."""
    voxels: VoxelMap | None = None
    """A voxel map whose obstacles cover it, where a resolution was asked for: a safety zone."""

    def contains(self, points: Any) -> npt.NDArray[np.bool_]:
        """Which points `(n, 3)` lie in it. The link never gets to the others."""
        rows = as_floats(points, "points").reshape(-1, 3)
        apart = np.linalg.norm(rows[:, None] - self.centers[None], axis=2) - self.radii
        # Rounding may only add points.
        reach = np.abs(rows).max(axis=1, initial=0.0) + np.abs(self.centers).max(initial=0.0)
        return np.asarray((apart <= 1e-14 * reach[:, None]).any(axis=1), dtype=np.bool_)

    @property
    def bounding_box(self) -> Floats:
        """The lowest and the highest coordinates, `(2, 3)`."""
        if len(self.radii) == 0:
            return np.full((2, 3), np.nan)
        low, high = self.centers - self.radii[:, None], self.centers + self.radii[:, None]
        return np.stack([low.min(axis=0), high.max(axis=0)])

    def geometry(self) -> Geometry:
        """The spheres as one geometry: its distance from an obstacle is one that the link keeps."""
        parts = []
        for center, radius in zip(self.centers, self.radii, strict=True):
            place = np.eye(4)
            place[:3, 3] = center
            parts.append((Sphere(radius), place))
        return Compound(parts)


@dataclasses.dataclass(frozen=True, eq=False)
class RayHits(_Table):
    """Where rays meet a surface first."""

    t: Floats
    """The hit is at ``origin + t * direction``; infinite where there is none."""
    point: Floats
    """That point, `(n, 3)`; NaN where there is none."""
    normal: Floats
    """The surface's outward unit normals."""
    leaf: npt.NDArray[np.int64]
    """The triangles that are hit; -1 where there is none."""
    name: Names | None = None
    """The names of the objects or links that are hit, in scenes and of robots."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _objects(self.name))

    def __len__(self) -> int:
        return len(self.t)

    @property
    def hit(self) -> npt.NDArray[np.bool_]:
        """Which rays hit something."""
        return np.isfinite(self.t)


@dataclasses.dataclass(frozen=True, eq=False)
class PointDistances(_Table):
    """Signed distances of points, negative inside: ``lower <= true distance <= upper``."""

    distance: Floats
    """The distance of the nearest point, rounded."""
    lower: Floats
    """Certified lower bounds."""
    upper: Floats
    """Certified upper bounds."""
    point: Floats
    """The nearest points of the surface, `(n, 3)`."""
    gradient: Floats
    """The directions of steepest ascent, `(n, 3)`."""
    leaf: npt.NDArray[np.int64]
    """The nearest triangles."""
    name: Names | None = None
    """The names of the nearest objects of a scene."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", _objects(self.name))

    def __len__(self) -> int:
        return len(self.distance)


@dataclasses.dataclass(frozen=True, eq=False)
class Decomposition(_Answer):
    """Convex parts of a mesh, with certified bounds."""

    parts: tuple[Convex, ...]
    """The parts; they touch or overlap at the cuts."""
    error: float
    """No point of a part is farther from the solid than this."""
    gap: float
    """No point of the solid is farther from all parts than this."""
    status: str
    """Why there are no more or better parts."""

    def geometry(self) -> Geometry:
        """The parts as one geometry."""
        return Compound(list(self.parts))
