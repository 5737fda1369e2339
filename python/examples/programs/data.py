"""Files and numbers of the programs: those that the command line names, or small ones written for
the run. They are those of the Rust examples."""

from __future__ import annotations

import json
import pathlib
import sys
import tempfile

import numpy as np
import numpy.typing as npt

import clearance as cl

Floats = npt.NDArray[np.float64]
FOLDER = pathlib.Path(tempfile.gettempdir()) / "clearance-examples"
WAYPOINTS = np.array(
    [[0.0, 0.3, 0.6, 0.0, 0.0], [1.0, 0.5, 0.9, 0.2, 0.0], [1.5, 0.9, 0.9, 0.2, 1.0], [1.5, 1.5, 0.2, 0.0, 1.0]]
)
CARRYING = np.array([[-0.6, 0.6, 0.9, 0.2, 0.0], [0.6, 0.6, 0.9, 0.2, 0.0]])
ENDS = np.array([[-0.9, 1.3, 0.5, 0.2, 0.0], [0.9, 1.3, 0.5, 0.2, 0.0]])
IN_THE_SHELF = np.array([0.2, 1.1, 1.2, 0.3, 0.0])


def given(number: int) -> pathlib.Path | None:
    """A file that the command line names."""
    return pathlib.Path(sys.argv[number]) if len(sys.argv) > number else None


def write(name: str, text: str) -> pathlib.Path:
    """A file of the run."""
    path = output(name)
    path.write_text(text)
    return path


def output(name: str) -> pathlib.Path:
    """Where a file of the run is."""
    FOLDER.mkdir(exist_ok=True)
    return FOLDER / name


def mesh_files() -> tuple[pathlib.Path, pathlib.Path]:
    """Two mesh files: the arguments, or two rings."""
    a, b = given(1), given(2)
    return (a, b) if a and b else (write("ring_a.off", ring()), write("ring_b.off", ring()))


def robot_file() -> pathlib.Path:
    """A URDF file: the first argument, or an arm of five joints."""
    return given(1) or write("arm.urdf", arm())


def scene_file() -> pathlib.Path:
    """A scene file: the second argument, or a floor, a wall and a shelf."""
    objects = [
        {"name": "floor", "halfspace": {"normal": [0, 0, 1], "offset": -0.01}},
        {"name": "wall", "pose": [-0.8, 0, 1, 1, 0, 0, 0], "box": [0.1, 3, 2]},
        {"name": "shelf", "pose": [0.75, 0, 0.3, 1, 0, 0, 0], "box": [0.3, 0.8, 0.02]},
    ]
    return given(2) or write("room.json", json.dumps({"objects": objects}))


def configurations(robot: cl.Robot, count: int) -> Floats:
    """Configurations within the joint limits."""
    low, high = np.maximum(robot.lower, -3), np.minimum(robot.upper, 3)
    return np.random.default_rng(0).uniform(low, high, (count, robot.dof))


def depth_image() -> tuple[Floats, list[float], Floats]:
    """What a camera 2 m in front of the arm sees of a wall behind it: image, intrinsics, pose."""
    world_from_camera = cl.pose([2, 0, 0.8], rpy=[-np.pi / 2, 0, np.pi / 2])
    return np.full((120, 160), 2.7), [120, 120, 79.5, 59.5], world_from_camera


def orbit(number: int, tick: int) -> Floats:
    """Where a crate is on its orbit, which passes through the arm."""
    angle = 0.3 * number + 0.02 * tick
    return cl.pose([0.4 + 0.5 * np.cos(angle), 0.5 * np.sin(angle), 0.1 * number])


def ring(radius: float = 0.12, tube: float = 0.04, around: int = 64, across: int = 32) -> str:
    """A torus about z as an OFF file."""
    lines = ["OFF", f"{around * across} {2 * around * across} 0"]
    for i in range(around):
        for j in range(across):
            a, b = 2 * np.pi * i / around, 2 * np.pi * j / across
            out = radius + tube * np.cos(b)
            lines.append(f"{np.cos(a) * out} {np.sin(a) * out} {tube * np.sin(b)}")
    for i in range(around):
        for j in range(across):
            a, b, c, d = (
                (i + k) % around * across + (j + m) % across for k, m in ((0, 0), (1, 0), (1, 1), (0, 1))
            )
            lines += [f"3 {a} {b} {c}", f"3 {a} {c} {d}"]
    return "\n".join(lines)


def arm() -> str:
    """An arm with a turning base, a shoulder, an elbow, a wrist and a turning hand."""

    def link(name: str, radius: float, length: float) -> str:
        shape = f"<cylinder radius='{radius}' length='{length}'/>"
        return (
            f"<link name='{name}'><collision><origin xyz='0 0 {length / 2}'/>"
            f"<geometry>{shape}</geometry></collision></link>"
        )

    def joint(name: str, parent: str, child: str, height: float, axis: str, limit: float) -> str:
        return (
            f"<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/>"
            f"<origin xyz='0 0 {height}'/><axis xyz='{axis}'/>"
            f"<limit lower='-{limit}' upper='{limit}' effort='1' velocity='1'/></joint>"
        )

    parts = [
        link("base", 0.1, 0.2),
        link("shoulder", 0.07, 0.15),
        link("upper_arm", 0.05, 0.4),
        link("forearm", 0.045, 0.35),
        link("wrist", 0.035, 0.1),
        link("hand", 0.03, 0.08),
        joint("turn", "base", "shoulder", 0.2, "0 0 1", 2.9),
        joint("lift", "shoulder", "upper_arm", 0.15, "0 1 0", 1.7),
        joint("elbow", "upper_arm", "forearm", 0.4, "0 1 0", 2.4),
        joint("bend", "forearm", "wrist", 0.35, "0 1 0", 1.9),
        joint("roll", "wrist", "hand", 0.1, "0 0 1", 2.9),
    ]
    return f"<robot name='arm'>{''.join(parts)}</robot>"
