"""A `CollisionManager` with the interface of `trimesh.collision`, without python-fcl.

>>> import clearance.trimesh
>>> manager = clearance.trimesh.CollisionManager()

To use it everywhere in a program: ``trimesh.collision.CollisionManager = CollisionManager``.
Convex meshes are solids, as there; other meshes are surfaces.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _clearance as c
from ._arrays import Floats, as_poses
from ._errors import UnsupportedError

_EXTERNAL = "__external"
_GEOMETRIES: weakref.WeakValueDictionary[Any, c.Geometry] = weakref.WeakValueDictionary()


class ContactData:
    """A point where two objects touch."""

    def __init__(
        self, names: tuple[str, str], leaves: tuple[int, int], point: Floats, normal: Floats, depth: float
    ) -> None:
        self.names = set(names)
        self._leaves = dict(zip(names, leaves, strict=True))
        self._point, self._normal, self._depth = point, normal, depth

    @property
    def point(self) -> Floats:
        """Where, in the world."""
        return self._point

    @property
    def normal(self) -> Floats:
        """The unit vector along which they separate."""
        return self._normal

    @property
    def depth(self) -> float:
        """The penetration depth; 0 between surfaces."""
        return self._depth

    def index(self, name: str) -> int:
        """The triangle of the object with this name."""
        return self._leaves[name]


class DistanceData:
    """The nearest points of two objects."""

    def __init__(self, names: tuple[str, str], found: c.Distance, points: tuple[Floats, Floats]) -> None:
        self.names = set(names)
        self._points = dict(zip(names, points, strict=True))
        self._leaves = dict(zip(names, found.leaves or (-1, -1), strict=True))
        self._distance = found.upper

    @property
    def distance(self) -> float:
        """The distance; negative where they overlap."""
        return self._distance

    def index(self, name: str) -> int:
        """The triangle of the object with this name."""
        return self._leaves[name]

    def point(self, name: str) -> Floats:
        """The nearest point of the object with this name, in the world."""
        return self._points[name]


def _geometry(mesh: Any) -> c.Geometry:
    if isinstance(mesh, c.Geometry):
        return mesh
    key = (hash(mesh), len(mesh.vertices), len(mesh.faces))
    made = _GEOMETRIES.get(key)
    if made is None:
        made = c.Convex(mesh.vertices) if mesh.is_convex else c.Mesh(mesh.vertices, mesh.faces)
        _GEOMETRIES[key] = made
    return made


class _Object:
    """A geometry at its place, with its box in the world."""

    def __init__(self, geometry: c.Geometry, transform: Any) -> None:
        self.geometry = geometry
        self.place(transform)

    def place(self, transform: Any) -> None:
        self.pose = np.eye(4) if transform is None else as_poses(transform, "transform").copy()
        if self.pose.shape != (4, 4):
            raise ValueError("transform must be (4,4)!")
        low, high = self.geometry.bounding_box
        center = self.pose[:3, :3] @ (low + high) / 2 + self.pose[:3, 3]
        half = np.abs(self.pose[:3, :3]) @ (high - low) / 2
        # Boxes only sort out what is far away: rounding must not make them smaller.
        half += 1e-9 * (np.abs(center) + half)
        self.box = np.concatenate([center - half, center + half])


class CollisionManager:
    """Named meshes that are checked against each other, against others, or against one mesh."""

    def __init__(self) -> None:
        self._objs: dict[str, _Object] = {}
        self._pairs: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()

    def add_object(self, name: str, mesh: Any, transform: Any = None) -> None:
        """Adds an object, or replaces the one of that name."""
        self._objs[name] = _Object(_geometry(mesh), transform)

    def remove_object(self, name: str) -> None:
        """Removes an object."""
        if name not in self._objs:
            raise ValueError(f"{name} not in collision manager!")
        del self._objs[name]

    def set_transform(self, name: str, transform: Any) -> None:
        """Moves an object."""
        if name not in self._objs:
            raise ValueError(f"{name} not in collision manager!")
        self._objs[name].place(transform)

    def in_collision_single(
        self, mesh: Any, transform: Any = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether a mesh touches any object; with the set of their names, with contacts."""
        other = {_EXTERNAL: _Object(_geometry(mesh), transform)}
        found = self._touching(other, return_names or return_data, return_data)
        names = {name for (name, _), _ in found}
        return _answer(bool(found), names, found, return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Whether any two objects touch; with the set of pairs of names, with contacts."""
        found = self._touching(None, return_names or return_data, return_data)
        names = {(min(pair), max(pair)) for pair, _ in found}
        return _answer(bool(found), names, found, return_names, return_data)

    def in_collision_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Whether any object touches one of another manager."""
        found = self._touching(other_manager._objs, return_names or return_data, return_data)
        names = {pair for pair, _ in found}
        return _answer(bool(found), names, found, return_names, return_data)

    def min_distance_single(
        self, mesh: Any, transform: Any = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """The distance of the nearest object from a mesh; negative where they overlap."""
        other = {_EXTERNAL: _Object(_geometry(mesh), transform)}
        distance, names, data = self._nearest(other, None)
        return _answer(distance, names[0], data, return_name, return_data, listed=False)

    def min_distance_internal(
        self, name: str | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The distance of the nearest two objects, or of one object and its nearest."""
        distance, names, data = self._nearest(None, name)
        ordered = (min(names), max(names))
        return _answer(distance, ordered, data, return_names, return_data, listed=False)

    def min_distance_other(
        self, other_manager: CollisionManager, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """The distance of the nearest two objects, one of each manager."""
        distance, names, data = self._nearest(other_manager._objs, None)
        return _answer(distance, names, data, return_names, return_data, listed=False)

    def _pair(self, a: c.Geometry, b: c.Geometry) -> c.Pair:
        partners = self._pairs.setdefault(a, weakref.WeakKeyDictionary())
        pair: c.Pair | None = partners.get(b)
        if pair is None:
            pair = partners[b] = c.Pair(a, b)
        return pair

    def _gaps(self, other: dict[str, _Object] | None) -> tuple[list[str], list[str], Floats]:
        """The names on either side, and lower bounds of their distances by their boxes."""
        ours = list(self._objs)
        theirs = ours if other is None else list(other)
        a = np.array([self._objs[name].box for name in ours]).reshape(-1, 6)
        b = a if other is None else np.array([other[name].box for name in theirs]).reshape(-1, 6)
        apart = np.maximum(a[:, None, :3] - b[None, :, 3:], b[None, :, :3] - a[:, None, 3:])
        gaps: Floats = np.linalg.norm(np.maximum(apart, 0.0), axis=2)
        if other is None:
            gaps[np.tril_indices(len(ours))] = np.inf
        return ours, theirs, gaps

    def _touching(
        self, other: dict[str, _Object] | None, every: bool, contacts: bool
    ) -> list[tuple[tuple[str, str], list[ContactData]]]:
        ours, theirs, gaps = self._gaps(other)
        objects = self._objs if other is None else other
        found = []
        for i, j in zip(*np.nonzero(gaps == 0.0), strict=True):
            names = (ours[i], theirs[j])
            a, b = self._objs[names[0]], objects[names[1]]
            pair, pose = self._pair(a.geometry, b.geometry), np.linalg.inv(a.pose) @ b.pose
            if pair.collides(pose):
                data = list(_contacts(names, a, pair, pose)) if contacts else []
                found.append((names, data))
                if not every:
                    break
        return found

    def _nearest(
        self, other: dict[str, _Object] | None, only: str | None
    ) -> tuple[float, tuple[str, str], DistanceData | None]:
        ours, theirs, gaps = self._gaps(other)
        objects = self._objs if other is None else other
        best: tuple[float, tuple[str, str], DistanceData | None] = (np.inf, ("", ""), None)
        for place in np.argsort(gaps, axis=None, kind="stable"):
            i, j = np.unravel_index(place, gaps.shape)
            if not gaps[i, j] < np.inf or gaps[i, j] > max(best[0], 0.0):
                break
            names = (ours[i], theirs[j])
            if only is not None and only not in names:
                continue
            a, b = self._objs[names[0]], objects[names[1]]
            pair, pose = self._pair(a.geometry, b.geometry), np.linalg.inv(a.pose) @ b.pose
            try:
                found = pair.signed_distance(pose)
            except UnsupportedError:
                # Surfaces that touch have no depth.
                found = pair.distance(pose)
            if found.upper < best[0]:
                points = _in_world(a.pose, found.point_a), _in_world(a.pose, found.point_b)
                best = (found.upper, names, DistanceData(names, found, points))
        return best


def _in_world(pose: Floats, point: Floats) -> Floats:
    moved: Floats = pose[:3, :3] @ point + pose[:3, 3]
    return moved


def _contacts(names: tuple[str, str], a: _Object, pair: c.Pair, pose: Floats) -> Iterator[ContactData]:
    turn = a.pose[:3, :3]
    if isinstance(pair.a, c.Convex) and isinstance(pair.b, c.Convex):
        deep = pair.penetration(pose)
        if deep is not None:
            middle = _in_world(a.pose, _middle(pair, pose, deep))
            # From the second to the first, as FCL has it for the manager's objects.
            yield ContactData(names, (-1, -1), middle, -(turn @ deep.normal), deep.upper)
            return
    found = pair.contacts(pose)
    for leaf_a, leaf_b, points, normal in zip(
        found.leaf_a.tolist(), found.leaf_b.tolist(), found.points, found.normal, strict=True
    ):
        point = _in_world(a.pose, points.mean(axis=0))
        yield ContactData(names, (leaf_a, leaf_b), point, turn @ normal, 0.0)


def _middle(pair: c.Pair, pose: Floats, deep: Any) -> Floats:
    """The middle of the overlap along the normal; where corners of both face each other there, that
    of the first of these, as FCL takes it."""
    assert isinstance(pair.a, c.Convex) and isinstance(pair.b, c.Convex)
    corners, others = pair.a.vertices, pair.b.vertices @ pose[:3, :3].T + pose[:3, 3]
    size = float(np.abs(corners).max() + np.abs(others).max())
    facing = corners - deep.upper * deep.normal
    gaps = np.abs(facing[:, None] - others[None]).max(axis=2).min(axis=1)
    found = corners[gaps <= 1e-9 * size]
    if len(found) == 0:
        middle: Floats = (deep.point_a + deep.point_b) / 2
        return middle
    x, y, z = found.T.round(9)
    first: Floats = found[np.lexsort((-z, y, x))[0]]
    shifted: Floats = first - deep.normal * deep.upper / 2
    return shifted


def _answer(
    first: Any, names: Any, found: Any, return_names: bool, return_data: bool, listed: bool = True
) -> Any:
    data = list(itertools.chain.from_iterable(some for _, some in found)) if listed else found
    answer = [first]
    if return_names:
        answer.append(names)
    if return_data:
        answer.append(data)
    return first if len(answer) == 1 else tuple(answer)
