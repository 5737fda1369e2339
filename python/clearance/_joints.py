"""Joint orders of other packages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import Floats, as_floats
from ._clearance import Robot
from ._errors import InvalidValueError, NamingError


class JointMap:
    """Turns configurations of another package into those of a robot, by the names of joints.

    Joints that follow others (mimic) have no number of their own here, and continuous joints have
    one; pinocchio gives the first a number and the second a cosine and a sine.

    >>> import clearance
    >>> robot = (
    ...     clearance.RobotBuilder("r").link("a").link("b").link("c")
    ...     .joint("j1", "a", "b", "revolute", limits=(-1, 1))
    ...     .joint("j2", "b", "c", "revolute", limits=(-1, 1)).build()
    ... )
    >>> order = clearance.JointMap(robot, ["j2", "other", "j1"])
    >>> order([0.2, 9, 0.1])
    array([0.1, 0.2])
    """

    def __init__(self, robot: Robot, names: Sequence[str]) -> None:
        places = {name: place for place, name in enumerate(names)}
        missing = [name for name in robot.joint_names if name not in places]
        if missing:
            raise NamingError(f"no joint is called {', '.join(missing)}; there are {list(names)}")
        self._width = len(names)
        self._columns: list[tuple[str, int]] = [("", places[name]) for name in robot.joint_names]

    @classmethod
    def from_pinocchio(cls, robot: Robot, model: Any) -> JointMap:
        """From a `pinocchio.Model`: of its `nq` numbers."""
        self = cls.__new__(cls)
        self._width, self._columns = int(model.nq), []
        joints = {name: model.joints[i] for i, name in enumerate(model.names)}
        for name in robot.joint_names:
            joint = joints.get(name)
            if joint is None:
                raise NamingError(f"the pinocchio model has no joint '{name}'")
            if joint.nq == 1:
                self._columns.append(("", joint.idx_q))
            elif joint.nq == 2:
                self._columns.append(("angle", joint.idx_q))
            else:
                raise NamingError(f"joint '{name}' of the pinocchio model has {joint.nq} numbers")
        return self

    @classmethod
    def from_mujoco(cls, robot: Robot, model: Any) -> JointMap:
        """From a `mujoco.MjModel`: of its `nq` numbers."""
        self = cls.__new__(cls)
        self._width, self._columns = int(model.nq), []
        places = {model.joint(i).name: int(model.jnt_qposadr[i]) for i in range(model.njnt)}
        for name in robot.joint_names:
            # A floating joint has seven variables: its name, a dot, and which one.
            joint, part = (name, "") if name in places else name.rsplit(".", 1) if "." in name else (name, "")
            offset = {"": 0, "x": 0, "y": 1, "z": 2, "qw": 3, "qx": 4, "qy": 5, "qz": 6}.get(part)
            if joint not in places or offset is None:
                raise NamingError(f"the MuJoCo model has no joint '{name}'")
            self._columns.append(("", places[joint] + offset))
        return self

    def __call__(self, q: Any) -> Floats:
        """The robot's configuration, or rows of them, of one or rows of the other package's."""
        array = as_floats(q, "q")
        if array.ndim not in (1, 2) or array.shape[-1] != self._width:
            expected = f"({self._width},) or (n, {self._width})"
            raise InvalidValueError(f"q has the shape {array.shape}; expected {expected}")
        made = np.empty((*array.shape[:-1], len(self._columns)))
        for column, (kind, place) in enumerate(self._columns):
            if kind == "angle":
                made[..., column] = np.arctan2(array[..., place + 1], array[..., place])
            else:
                made[..., column] = array[..., place]
        return made

    def __eq__(self, other: object) -> bool:
        return type(other) is JointMap and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<JointMap from {self._width} numbers to {len(self._columns)}>"

    @property
    def columns(self) -> npt.NDArray[np.intp]:
        """The place of each joint variable in the other package's configuration."""
        return np.array([place for _, place in self._columns], dtype=np.intp)
