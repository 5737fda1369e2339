"""What tests share: models of the data folder, robots made in code."""

import os
import pathlib

import numpy as np
import pytest
from hypothesis import settings

import clearance

# A machine that judges a change draws the same examples each time; elsewhere each run draws new ones.
settings.register_profile("repeatable", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("repeatable")

DATA = pathlib.Path(
    os.environ.get("CLEARANCE_DATA", pathlib.Path(__file__).parents[3] / "shared" / "data")
)


def data(path):
    """A file of the data folder; the test is skipped without it."""
    found = DATA / path
    if not found.exists():
        pytest.skip(f"SKIPPED: {path} is not in the data folder (CLEARANCE_DATA)")
    return found


def box_mesh(size=1.0):
    """Vertices and outward faces of a cube."""
    corners = np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * size / 2
    quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    faces = [[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)]
    return corners, np.array(faces)


def arm(dof=3):
    """A chain of capsules that turn about y, one above the other."""
    builder = clearance.RobotBuilder("arm").link("base", [clearance.Box([0.2, 0.2, 0.1])])
    parent, up = "base", clearance.pose([0, 0, 0.2])
    for i in range(1, dof + 1):
        shape = (clearance.Capsule(0.05, 0.3), clearance.pose([0, 0, 0.2]))
        builder.link(f"link{i}", [shape])
        builder.joint(
            f"joint{i}", parent, f"link{i}", "revolute", axis=[0, 1, 0], limits=(-2.5, 2.5), origin=up
        )
        parent, up = f"link{i}", clearance.pose([0, 0, 0.45])
    return builder.group("all", [f"link{i}" for i in range(1, dof + 1)]).build()


@pytest.fixture
def robot():
    return arm()


@pytest.fixture
def checker(robot):
    made = clearance.Checker(robot)
    made.scene.add("wall", clearance.Box([0.1, 2, 2]), clearance.pose([0.6, 0, 0.5]))
    return made


@pytest.fixture(scope="session")
def panda():
    folder = data("robots/vamp/panda")
    return clearance.Robot.load(
        folder / "panda.urdf", srdf=folder / "panda.srdf", package_dirs=[folder, folder.parent]
    )
