"""The Python of the guide and of the READMEs runs, chapter by chapter, on files that are there."""

import pathlib
import sys

import numpy as np
import pytest
from conftest import box_mesh

import clearance

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python" / "examples" / "programs"))

import data  # noqa: E402

CHAPTERS = sorted((ROOT / "docs" / "guide" / "src").glob("*.md")) + [ROOT / "README.md", ROOT / "python" / "README.md"]
WITH_PYTHON = [path for path in CHAPTERS if "```python" in path.read_text()]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["test"])
    corners, faces = box_mesh()
    stl = ["solid gripper"]
    for a, b, c in corners[faces] * 200:
        stl += ["facet normal 0 0 0", "outer loop", *(f"vertex {x} {y} {z}" for x, y, z in (a, b, c)), "endloop", "endfacet"]
    pathlib.Path("gripper.stl").write_text("\n".join([*stl, "endsolid"]))
    lines = [f"v {x} {y} {z}" for x, y, z in corners * 0.1] + [f"f {a} {b} {c}" for a, b, c in faces + 1]
    pathlib.Path("part.obj").write_text("\n".join(lines))
    pathlib.Path("panda.urdf").write_text(data.arm())
    pathlib.Path("panda.srdf").write_text("<robot name='arm'><disable_collisions link1='base' link2='upper_arm'/></robot>")
    pathlib.Path("room.json").write_text(data.scene_file().read_text())


@pytest.mark.parametrize("path", WITH_PYTHON, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_blocks_run(path, files):
    # What a reader has at hand: a robot and configurations of it.
    robot = clearance.Robot.load("panda.urdf")
    known = {"q": robot.default, "configurations": np.zeros((10, robot.dof)), "np": np}
    for block in path.read_text().split("```python\n")[1:]:
        exec(compile(block.split("```")[0], str(path), "exec"), known)  # noqa: S102


def test_every_topic_has_its_python():
    names = {path.stem for path in WITH_PYTHON}
    assert {"start-here", "concepts", "meshes", "robots", "scenes", "motions", "voxel-maps", "worlds", "extending"} <= names
