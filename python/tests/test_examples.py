"""The examples run against the packages that they are about."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import clearance
import clearance.mujoco

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def example(name, *packages):
    for package in packages:
        pytest.importorskip(package, reason=f"SKIPPED: {package} is not installed")
    if str(EXAMPLES) not in sys.path:
        sys.path.insert(0, str(EXAMPLES))
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ompl_plans_with_proven_edges():
    count, proven = example("ompl_planning", "ompl").main()
    assert count >= 3 and proven


def test_scipy_inverse_kinematics_ends_collision_free():
    without, with_it, off = example("scipy_inverse_kinematics", "scipy").main()
    assert without < 0 and with_it > 0.0199 and off < 1e-6


def test_scipy_trajectory_ends_collision_free():
    before, after, kept = example("scipy_trajectory", "scipy").main()
    assert not before and after and kept > 0.02


def test_pinocchio_agrees():
    module = example("pinocchio_verdicts", "pinocchio")
    if module.panda_files() is None:
        pytest.skip("SKIPPED: example-robot-data is not installed")
    found = module.main(1000)
    assert found["disagreements"] == 0 and 20 < found["colliding"] < 980
    assert found["difference"] < 1e-6 and found["pinocchio"] > found["one"]


def test_mujoco_agrees():
    colliding, disagreements = example("mujoco_model", "mujoco").main(1000)
    assert 100 < colliding < 900 and disagreements == 0


def test_mujoco_specs_files_and_meshes(tmp_path):
    mujoco = pytest.importorskip("mujoco", reason="SKIPPED: mujoco is not installed")
    spec = mujoco.MjSpec()
    corners = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (-0.2, 0.2) for z in (-0.3, 0.3)])
    spec.add_mesh(name="block", uservert=corners.ravel())
    body = spec.worldbody.add_body(name="sled", pos=[0, 0, 1])
    body.add_joint(name="slide", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0], range=[0, 2])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname="block")
    spec.worldbody.add_geom(name="stop", type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.5, 0, 0], pos=[2, 0, 1])
    model = spec.compile()
    path = tmp_path / "model.xml"
    path.write_text(spec.to_xml())
    for given in (spec, model, path, spec.to_xml()):
        robot, scene = clearance.mujoco.load(given)
        checker = clearance.Checker(robot, scene)
        # Half of the block's width, and the sphere's radius, are less than the way between them.
        assert np.isclose(checker.distance([0.0]).upper, 2 - 0.1 - 0.5, atol=1e-6)
        assert checker.collides([1.5]) and not checker.collides([1.3])


def test_mujoco_height_fields():
    mujoco = pytest.importorskip("mujoco", reason="SKIPPED: mujoco is not installed")
    spec = mujoco.MjSpec()
    # Flat, with one corner of height 1: at the ends of x and y.
    spec.add_hfield(name="ground", size=[2, 3, 0.5, 0.1], nrow=4, ncol=3, userdata=[0.0] * 11 + [1.0])
    spec.worldbody.add_geom(name="ground", type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground")
    body = spec.worldbody.add_body(name="ball", pos=[0, 0, 1])
    body.add_joint(name="x", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[1, 0, 0], range=[-2, 2])
    body.add_joint(name="y", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 1, 0], range=[-3, 3])
    body.add_joint(name="z", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1], range=[-2, 2])
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0])
    checker = clearance.Checker(*clearance.mujoco.load(spec))
    assert np.isclose(checker.distance([-1.5, -2.5, 0.0]).upper, 0.9, atol=1e-9)
    assert checker.collides([2.0, 3.0, -0.45]) and not checker.collides([-2.0, 3.0, -0.45])
    assert not checker.collides([2.0, -3.0, -0.45])


def test_trimesh_manager():
    names, distance = example("trimesh_manager", "trimesh").main()
    assert names == {"ball 0", "ball 2"} and 1.0 < distance < 1.2


def test_point_cloud():
    sampled, exact = example("point_cloud").main()
    assert exact <= sampled < exact + 0.05


# A million configurations are the examples' own; the tests take fewer unless asked.
COUNT = int(os.environ.get("CLEARANCE_CLUSTER_COUNT", "20000"))


@pytest.mark.slow
@pytest.mark.parametrize("name, packages", [("dask_batch", ["dask"]), ("ray_batch", ["ray", "pandas"])])
def test_clusters_give_the_answers_of_one_process(name, packages):
    for package in packages:
        pytest.importorskip(package, reason=f"SKIPPED: {package} is not installed")
    # Worker processes import the module by its name, and are not forks of this one with its threads.
    code = f"import {name}; assert {name}.main({COUNT})[0]"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=EXAMPLES, check=True)


# What each program prints, with numbers left open.
PROGRAMS = {
    "mesh_distance": r"between 0\.\d+ and 0\.\d+ m",
    "mesh_collision": "in collision",
    "contacts_picture": r"[1-9]\d+ contacts in .*contacts\.png",
    "self_collision": "collision-free",
    "robot_in_room": r"\w+ is \d+\.\d mm from \w+",
    "move_clear": r"(step \d+: \w+ is -?\d+\.\d mm from \w+\s+)+clear at",
    "ten_thousand": r"\d{4} of 10000 are collision-free",
    "time_of_impact": r"Impact\(status='contact', free_until=0\.\d+",
    "prove_path": r"segment 0: free, 0\.\d+ m of clearance(.|\n)*segment 2: free",
    "depth_image": r"the robot is 0\.\d+ m from",
    "moving_obstacles": r"tick \d+: \w+ touches crate \d+",
    "pick_and_place": r"carrying is proven free: (True|False)\s+held above the shelf: (Hit|None)",
    "rrt_connect": r"a path of \d+ configurations, proven collision-free: True",
    "own_geometry": r"\w+ is 0\.\d+ m from fence",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_run_and_are_no_longer_than_in_rust(name):
    path = EXAMPLES / "programs" / f"{name}.py"
    run = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    assert re.match(PROGRAMS[name], run.stdout), run.stdout
    rust = pathlib.Path(__file__).parents[2] / "crates" / "clearance" / "examples" / f"{name}.rs"
    assert statements(path.read_text(), r"def main\(\) -> None:\n", r"\n\n\n") <= statements(
        rust.read_text(), r"fn main\(\) -> clearance::Result<\(\)> \{\n", r"\n\}"
    )
    # With imports and functions, without comments, documentation and empty lines.
    whole = [sum(map(is_code, file.read_text().splitlines())) for file in (path, rust)]
    assert whole[0] <= whole[1]


def is_code(line):
    return bool(line.strip()) and not line.strip().startswith(("//", "#", '"""'))


def statements(text, start, end):
    """The lines of `main`, without comments and what only ends a block."""
    lines = re.split(end, re.split(start, text)[1])[0].splitlines()
    counted = [line.strip() for line in lines if re.search(r"\w", line)]
    return sum(line != "Ok(())" and not line.startswith(("//", "#")) for line in counted)


def test_every_example_is_run():
    tested = pathlib.Path(__file__).read_text()
    for path in EXAMPLES.rglob("*.py"):
        assert path.stem in tested or path.stem in ("arm", "data"), path.name
