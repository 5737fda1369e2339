"""Pictures of geometries, scenes and robots, as PNG: what notebooks show."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _clearance as c
from ._arrays import Floats
from ._builder import rows_of
from ._errors import UnsupportedError
from ._results import Contacts
from ._types import ArrayLike, Shown

_SOLID, _ROBOT, _HIT = (170, 180, 190), (90, 130, 180), (220, 60, 50)
_Part = tuple[Any, Any, Any, tuple[int, int, int]]


def _round(radius: float, length: float, ends: str) -> Floats:
    """Points of a cylinder, capsule or cone along z, whose hull is drawn."""
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    ring = np.stack([np.cos(turn), np.sin(turn), np.zeros_like(turn)], axis=1)
    up = np.array([0.0, 0.0, length / 2])
    if ends == "cone":
        return np.vstack([ring * radius - up, up[None]])
    if ends == "flat":
        return np.vstack([ring * radius + up, ring * radius - up])
    rings = []
    for angle in np.linspace(0, np.pi / 2, 7):
        height = np.array([0.0, 0.0, radius * np.sin(angle)])
        flat = ring * radius * np.cos(angle)
        rings += [flat + up + height, flat - up - height]
    return np.unique(np.vstack(rings), axis=0)


def _triangles(g: Any) -> tuple[Any, Any] | None:
    """Vertices and faces of a bounded geometry; None of one without bounds or thickness."""
    if isinstance(g, c.Mesh):
        return g.vertices, g.faces
    points: Floats
    if isinstance(g, c.Box):
        points = np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T * g.size
    elif isinstance(g, c.Sphere):
        points = _round(g.radius, 0.0, "round")
    elif isinstance(g, c.Ellipsoid):
        points = _round(1.0, 0.0, "round") * g.half_axes
    elif isinstance(g, (c.Cylinder, c.Capsule, c.Cone)):
        ends = {"Cylinder": "flat", "Capsule": "round", "Cone": "cone"}[type(g).__name__]
        points = _round(g.radius, g.length, ends)
    elif isinstance(g, c.Convex):
        points = g.vertices
    else:
        return None
    try:
        mesh = c.Convex(points).surface()
    except ValueError:
        return None
    return mesh.vertices, mesh.faces


def _parts(g: Any, pose: Any, color: tuple[int, int, int]) -> list[_Part]:
    if isinstance(g, c.Compound):
        place = np.vstack([rows_of(pose), [0, 0, 0, 1]])
        return [p for part, local in g.parts for p in _parts(part, place @ local, color)]
    if isinstance(g, c.PointCloud):
        cubes = _triangles(c.Box([max(2 * g.radius, 0.004)] * 3))
        assert cubes is not None
        step = max(1, len(g.points) // 5000)
        shown = g.points[::step]
        vertices = (shown[:, None, :] + cubes[0][None]).reshape(-1, 3)
        faces = (np.arange(len(shown))[:, None, None] * 8 + cubes[1][None]).reshape(-1, 3)
        return [(vertices, faces, rows_of(pose), color)]
    found = _triangles(g)
    return [] if found is None else [(*found, rows_of(pose), color)]


def _robot(robot: c.Robot, poses: Floats, hit: set[str]) -> list[_Part]:
    parts = []
    kinds = {"box": c.Box, "sphere": c.Sphere, "hull": c.Convex}
    round_kinds = {"cylinder": c.Cylinder, "capsule": c.Capsule}
    for (name, shapes), world in zip(robot._spec()["links"], poses, strict=True):
        color = _HIT if name in hit else _ROBOT
        for _, rows, (kind, numbers) in shapes:
            place = world @ np.vstack([rows, [0, 0, 0, 1]])
            if kind == "mesh":
                parts.append((*numbers, rows_of(place), color))
                continue
            geometry = kinds[kind](numbers) if kind in kinds else round_kinds[kind](*numbers)
            parts += _parts(geometry, place, color)
    return parts


def _lines(marks: Any) -> list[list[list[float]]]:
    """The outlines of contacts, or the line between two witness points."""
    if isinstance(marks, Contacts):
        lines = []
        for outline in marks.points:
            ends = [*outline.tolist(), outline[0].tolist()] if len(outline) > 2 else outline.tolist()
            lines += [list(line) for line in zip(ends[:-1], ends[1:], strict=True)]
        return lines
    return [] if marks is None or marks.point_a is None else [[marks.point_a.tolist(), marks.point_b.tolist()]]


def picture(
    shown: Shown,
    q: ArrayLike | None = None,
    *,
    marks: Contacts | c.Distance | None = None,
    eye: ArrayLike | None = None,
    target: ArrayLike | None = None,
    size: tuple[int, int] = (640, 480),
) -> bytes:
    """A picture as the bytes of a PNG file.

    Args:
        shown: a geometry, a scene, a robot, a checker, or a list of geometries and pairs
            `(geometry, pose)`.
        q: the configuration of the robot; links that touch something are red in a checker's.
        marks: contacts, or a distance, that are drawn as red lines.
        eye, target: from where to where the camera looks; from aside and above by default.

    >>> import clearance
    >>> clearance.picture(clearance.Box([1, 1, 1]))[:4]
    b'\\x89PNG'
    """
    parts: list[_Part] = []
    if isinstance(shown, (c.Robot, c.Checker)):
        robot = shown if isinstance(shown, c.Robot) else shown.robot
        q = robot.default if q is None else q
        poses, hit = shown.link_poses(q), set[str]()
        if isinstance(shown, c.Checker):
            hit = {name for found in shown.collisions(q) for name in (found.a, found.b)}
            for name in shown.scene:
                parts += _parts(*shown.scene[name], _HIT if name in hit else _SOLID)
        parts += _robot(robot, poses, hit)
    elif isinstance(shown, c.Scene):
        for name in shown:
            parts += _parts(*shown[name], _SOLID)
    elif isinstance(shown, (list, tuple)):
        for number, one in enumerate(shown):
            geometry, place = one if isinstance(one, tuple) else (one, None)
            parts += _parts(geometry, place, _ROBOT if number == 0 else _SOLID)
    else:
        parts = _parts(shown, None, _SOLID)
    if not parts:
        raise UnsupportedError(f"there is nothing to draw in {shown!r}")
    corners = np.vstack([np.vstack([v.min(0), v.max(0)]) @ np.array(p)[:, :3].T + np.array(p)[:, 3]
                         for v, _, p, _ in parts])
    low, high = corners.min(0), corners.max(0)
    middle = (low + high) / 2 if target is None else np.asarray(target, dtype=np.float64)
    away = np.array([0.9, -1.2, 0.8]) * max(float(np.linalg.norm(high - low)), 1e-6)
    return c._draw(parts, _lines(marks), middle + away if eye is None else eye, middle, size)
