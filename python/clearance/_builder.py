"""Robots in code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from ._arrays import Floats, as_floats, as_poses, same
from ._clearance import Geometry, Robot
from ._errors import InvalidValueError
from ._poses import pose as make_pose

JointKind = Literal["fixed", "revolute", "continuous", "prismatic", "planar", "floating"]


def rows_of(pose: Any) -> list[list[float]]:
    """The upper three rows of a pose; the identity of None."""
    matrix: Floats = make_pose()
    if pose is not None:
        matrix = as_poses(pose, "pose")
        if matrix.shape == (7,):
            matrix = make_pose(matrix[:3], quat=matrix[3:])
        if matrix.shape != (4, 4):
            raise InvalidValueError(f"pose has the shape {matrix.shape}; expected (4, 4) or (7,)")
    rows: list[list[float]] = matrix[:3].tolist()
    return rows


class RobotBuilder:
    """Makes a robot link by link.

    >>> import clearance
    >>> arm = clearance.Capsule(0.1, 1.0)
    >>> robot = (
    ...     clearance.RobotBuilder("pendulum")
    ...     .link("ceiling")
    ...     .link("arm", [(arm, clearance.pose([0, 0, 0.5]))])
    ...     .joint("hinge", "ceiling", "arm", "revolute", axis=[0, 1, 0], limits=(-1, 1))
    ...     .build()
    ... )
    >>> robot.joint_names, robot.upper
    (['hinge'], array([1.]))
    """

    def __init__(self, name: str) -> None:
        self._spec: dict[str, Any] = {
            "name": name,
            "links": [],
            "joints": [],
            "disabled": [],
            "groups": [],
        }

    def link(
        self, name: str, geometries: Iterable[Geometry | tuple[Geometry, Any]] = ()
    ) -> RobotBuilder:
        """Adds a link with its geometries, each alone or with its pose in the link's frame.

        Links take Mesh (as a surface), Convex, Box, Sphere, Cylinder and Capsule.
        """
        shapes = []
        for one in geometries:
            geometry, place = one if isinstance(one, tuple) else (one, None)
            shapes.append(("", rows_of(place), geometry))
        self._spec["links"].append((name, shapes))
        return self

    def joint(
        self,
        name: str,
        parent: str,
        child: str,
        kind: JointKind = "fixed",
        *,
        axis: Any = (0.0, 0.0, 1.0),
        limits: tuple[float, float] | None = None,
        origin: Any = None,
        mimic: tuple[str, float, float] | None = None,
    ) -> RobotBuilder:
        """Connects two links.

        Args:
            axis: of rotation or motion, or the normal of a planar joint, in the joint's frame.
            limits: the lowest and the highest position; for revolute and prismatic joints.
            origin: the joint's frame in the parent link.
            mimic: another joint, a factor and an offset that this joint follows.
        """
        direction = [float(x) for x in as_floats(axis, "axis").reshape(-1)]
        bounds = None if limits is None else (float(limits[0]), float(limits[1]))
        self._spec["joints"].append(
            ((name, parent, child), kind, direction, bounds, rows_of(origin), mimic)
        )
        return self

    def disable(self, link_a: str, link_b: str) -> RobotBuilder:
        """Leaves a pair of links out of all checks."""
        self._spec["disabled"].append((link_a, link_b))
        return self

    def group(self, name: str, links: Iterable[str]) -> RobotBuilder:
        """Names a group of links."""
        self._spec["groups"].append((name, list(links)))
        return self

    def __eq__(self, other: object) -> bool:
        return type(other) is RobotBuilder and same(self._spec, other._spec)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        counts = len(self._spec["links"]), len(self._spec["joints"])
        return f"<RobotBuilder '{self._spec['name']}' of {counts[0]} links and {counts[1]} joints>"

    def build(self) -> Robot:
        """The robot; an error says what is missing or contradicts itself."""
        return Robot._of(self._spec)
