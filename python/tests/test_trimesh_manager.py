"""The drop-in for `trimesh.collision.CollisionManager` passes trimesh's own tests of it."""

import importlib.util
import subprocess
import sys
import tarfile
import types
import unittest

import numpy as np
import pytest

trimesh = pytest.importorskip("trimesh", reason="SKIPPED: trimesh is not installed")

import clearance.trimesh  # noqa: E402


@pytest.fixture(scope="module")
def their_tests(tmp_path_factory):
    """trimesh's module, from the source package of the installed version."""
    folder = tmp_path_factory.mktemp("trimesh")
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
    run = subprocess.run([*command, f"trimesh=={trimesh.__version__}", "-d", str(folder)], capture_output=True)
    if run.returncode != 0:
        pytest.skip("SKIPPED: pip cannot fetch trimesh's source package")
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        name = next(n for n in archive.getnames() if n.endswith("tests/test_collision.py"))
        (folder / "test_collision.py").write_bytes(archive.extractfile(name).read())
    # What their tests share is not in the package, nor are the models.
    generic = types.ModuleType("generic")
    generic.unittest, generic.np, generic.trimesh = unittest, np, trimesh
    generic.log = trimesh.util.log
    generic.random = np.random.default_rng(0).random

    def get_mesh(name):
        if name == "unit_cube.STL":
            return trimesh.creation.box()
        raise unittest.SkipTest(f"SKIPPED: {name} is not in trimesh's source package")

    generic.get_mesh = get_mesh
    # They run where FCL is; it is not called.
    saved = {name: sys.modules.get(name) for name in ("generic", "fcl")}
    sys.modules["generic"] = generic
    sys.modules["fcl"] = types.ModuleType("fcl")
    spec = importlib.util.spec_from_file_location("their_test_collision", folder / "test_collision.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, old in saved.items():
        if old is None:
            del sys.modules[name]
        else:
            sys.modules[name] = old
    return module


def test_their_tests_pass(their_tests, monkeypatch):
    monkeypatch.setattr(trimesh.collision, "CollisionManager", clearance.trimesh.CollisionManager)
    suite = unittest.defaultTestLoader.loadTestsFromModule(their_tests)
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    assert result.wasSuccessful() and result.testsRun >= 5
    assert [test.id().rsplit(".", 1)[1] for test, _ in result.skipped] == ["test_scene"]


def test_agreement_with_fcl():
    fcl = pytest.importorskip("fcl", reason="SKIPPED: python-fcl is not installed")
    assert fcl
    rng = np.random.default_rng(3)
    shapes = [trimesh.creation.box(), trimesh.creation.torus(1.0, 0.3), trimesh.creation.icosphere(2)]
    theirs, ours = trimesh.collision.CollisionManager(), clearance.trimesh.CollisionManager()
    for i in range(30):
        turned = trimesh.transformations.random_rotation_matrix(rng.random(3))
        turned[:3, 3] = rng.uniform(-3, 3, 3)
        for manager in (theirs, ours):
            manager.add_object(f"o{i}", shapes[i % 3], turned)
    one, names = theirs.in_collision_internal(return_names=True)
    other, our_names = ours.in_collision_internal(return_names=True)
    assert one == other and names == our_names and len(names) > 3
    for _ in range(20):
        at = np.eye(4)
        at[:3, 3] = rng.uniform(-6, 6, 3)
        their, our = theirs.min_distance_single(shapes[1], at), ours.min_distance_single(shapes[1], at)
        assert np.isclose(max(their, 0), max(our, 0), atol=1e-4)
        assert ours.in_collision_single(shapes[1], at) == theirs.in_collision_single(shapes[1], at)
