"""The examples run against the packages that they are about."""

import importlib.util
import os
import pathlib

import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def example(name, *packages):
    for package in packages:
        pytest.importorskip(package, reason=f"SKIPPED: {package} is not installed")
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ompl_plans_with_proven_edges():
    count, proven = example("ompl_planning", "ompl").main()
    assert count >= 2 and proven


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


def test_trimesh_manager():
    names, distance = example("trimesh_manager", "trimesh").main()
    assert names == {"ball 0", "ball 2"} and 1.0 < distance < 1.2


def test_point_cloud():
    sampled, exact = example("point_cloud").main()
    assert exact <= sampled < exact + 0.05


# A million configurations are the examples' own; the tests take fewer unless asked.
COUNT = int(os.environ.get("CLEARANCE_CLUSTER_COUNT", "20000"))


def test_dask_gives_the_answers_of_one_process():
    # Worker processes import the module by its name.
    pytest.importorskip("dask", reason="SKIPPED: dask is not installed")
    import subprocess
    import sys

    code = f"import dask_batch; assert dask_batch.main({COUNT})"
    subprocess.run([sys.executable, "-c", code], cwd=EXAMPLES, check=True)


def test_ray_gives_the_answers_of_one_process():
    assert example("ray_batch", "ray", "pandas").main(COUNT)


def test_every_example_is_run():
    tested = pathlib.Path(__file__).read_text()
    for path in EXAMPLES.glob("*.py"):
        assert path.stem in tested, path.name
    assert np
