"""The names that programs of others rely on, called as they are promised: one by one and in batches."""

import inspect
import pathlib

import numpy as np
import pytest
from conftest import arm, box_mesh

import clearance
from clearance import (
    Box,
    Capsule,
    Checker,
    Convex,
    Cylinder,
    Mesh,
    Pair,
    PointCloud,
    Robot,
    Scene,
    Sphere,
    VoxelMap,
)

URDF = """
<robot name="lift">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="mast"/>
  <link name="hand"><collision><geometry><mesh filename="package://parts/cube.obj"/></geometry></collision></link>
  <joint name="up" type="prismatic">
    <parent link="base"/><child link="mast"/><axis xyz="0 0 1"/><limit lower="0" upper="2" effort="1" velocity="1"/>
  </joint>
  <joint name="turn" type="revolute">
    <parent link="mast"/><child link="hand"/><axis xyz="0 0 1"/><origin xyz="0.5 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
</robot>
"""
SRDF = '<robot name="lift"><disable_collisions link1="base" link2="hand" reason="Never"/></robot>'


@pytest.fixture
def folder(tmp_path):
    corners, faces = box_mesh(0.2)
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [f"f {a} {b} {c}" for a, b, c in faces + 1]
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "cube.obj").write_text("\n".join(lines))
    (tmp_path / "lift.urdf").write_text(URDF)
    (tmp_path / "lift.srdf").write_text(SRDF)
    return tmp_path


def parameters(call):
    return [str(one) for one in inspect.signature(call).parameters.values()]


def test_signatures_are_as_promised():
    assert parameters(Mesh)[:3] == ["vertices", "faces", "solid=False"]
    assert parameters(Mesh.load)[0] == "path"
    assert parameters(Box) == ["size"] and parameters(Convex) == ["points"]
    # An argument by position or by its name.
    assert Sphere(1.5) == Sphere(radius=1.5)
    assert parameters(Cylinder) == parameters(Capsule) == ["radius", "length"]
    assert parameters(PointCloud) == ["points", "radius"] and parameters(VoxelMap) == ["resolution"]
    assert parameters(Pair) == ["a", "b"]
    for call in (Pair.collides, Pair.distance, Pair.signed_distance):
        assert parameters(call)[:2] == ["self", "pose"]
    assert [one.split("=")[0] for one in parameters(Robot.load)[:3]] == ["urdf", "srdf", "package_dirs"]
    assert parameters(Scene) == [] and parameters(Checker)[:2] == ["robot", "scene=None"]
    assert parameters(Scene.add)[:4] == ["self", "name", "geometry", "pose=None"]
    assert parameters(Scene.move)[:3] == ["self", "name", "pose"] and parameters(Scene.remove) == ["self", "name"]
    for call in (Checker.collides, Checker.distance):
        assert parameters(call)[:2] == ["self", "q"]
    assert parameters(Checker.near)[:3] == ["self", "q", "max_distance"]
    assert parameters(Checker.edges_free)[:3] == ["self", "q0", "q1"]


def geometries(folder):
    corners, faces = box_mesh(0.2)
    voxels = VoxelMap(0.05)
    voxels.set([[0.08, 0.0, 0.0]])
    return [
        Mesh(corners, faces),
        Mesh(corners, faces, solid=True),
        Mesh(corners, faces, True),
        Mesh.load(folder / "parts" / "cube.obj"),
        Mesh.load(str(folder / "parts" / "cube.obj")),
        Box([0.2, 0.2, 0.2]),
        Box(size=(0.2, 0.2, 0.2)),
        Sphere(0.1),
        Cylinder(0.1, 0.2),
        Cylinder(radius=0.1, length=0.2),
        Capsule(0.1, 0.2),
        Convex(corners),
        Convex(points=corners),
        PointCloud([*corners, [0.1, 0.0, 0.0]], 0.01),
        PointCloud(points=np.zeros((1, 3)), radius=0.06),
        voxels,
    ]


def test_every_geometry_stands_in_pairs_and_scenes(folder):
    scene = Scene()
    apart, together = np.eye(4), np.eye(4)
    apart[0, 3], together[0, 3] = 2.0, 0.1
    for i, geometry in enumerate(geometries(folder)):
        pair = Pair(geometry, Sphere(0.05))
        assert pair.collides(together) is True and pair.collides(apart) is False
        assert pair.collides(np.stack([together, apart])).tolist() == [True, False]
        scene.add(f"object {i}", geometry, apart)
        scene.move(f"object {i}", together)
    for name in list(scene):
        scene.remove(name)
    assert len(scene) == 0


def fits(one, axes, width):
    """Whether an answer has all fields, of these shapes."""
    for name in ("lower", "upper"):
        assert np.shape(getattr(one, name)) == axes, name
    for name in ("point_a", "point_b", "normal"):
        assert np.shape(getattr(one, name)) == (*axes, 3), name
    assert np.shape(one.gradient) == (*axes, width)
    assert hasattr(one, "a") and hasattr(one, "b")
    assert np.all(one.lower <= np.asarray(one.upper) + 1e-12)
    if len(axes) == 0:
        assert np.isclose(np.linalg.norm(one.normal), 1.0)


def test_answers_of_a_pair_have_all_fields():
    corners, faces = box_mesh(1.0)
    solid, pose = Mesh(corners, faces, solid=True), np.eye(4)
    pose[:3, 3] = [2.0, 0.1, 0.2]
    deep = np.eye(4)
    deep[:3, 3] = [0.9, 0.1, 0.05]
    for a, b in ((Box([1, 1, 1]), Sphere(0.5)), (solid, solid), (Convex(corners), solid)):
        pair = Pair(a, b)
        for ask, poses in ((pair.distance, [pose, pose]), (pair.signed_distance, [pose, deep])):
            for place in poses:
                fits(ask(place), (), 6)
            many = ask(np.stack([*poses, pose]))
            fits(many, (3,), 6)
            assert len(many) == 3 and many.a is None and ask(pose).a is None
            seven = [*pose[:3, 3], 0, 0, 0, 1]
            assert ask(seven).upper == ask(pose).upper == many.upper[0]
    assert Pair(solid, solid).signed_distance(deep).upper < 0


def test_answers_of_a_checker_have_all_fields(folder):
    robot = Robot.load(folder / "lift.urdf", srdf=folder / "lift.srdf", package_dirs=[folder])
    assert robot.joint_names == ["up", "turn"]
    assert robot.lower.tolist() == [0, -1] and robot.upper.tolist() == [2, 1]
    also = Robot.load(str(folder / "lift.urdf"), SRDF, (str(folder),))
    assert also == robot != Robot.load(URDF, package_dirs=[folder])
    scene = Scene()
    scene.add("shelf", Box([1.0, 1.0, 0.1]), clearance.pose([0.9, 0, 1.5]))
    checker = Checker(robot, scene)
    q = np.array([1.0, 0.3])
    many = np.array([[1.0, 0.3], [0.0, 0.0], [1.5, 0.0]])
    assert checker.collides(q) is False and checker.collides(many).tolist() == [False, False, True]
    one, rows = checker.distance(q), checker.distance(many)
    fits(one, (), 2)
    fits(rows, (3,), 2)
    assert (one.a, one.b) == ("hand", "shelf") == (rows.a[0], rows.b[0])
    assert np.isclose(one.gradient[0], -1.0) and rows.upper[2] == 0
    near, all_near = checker.near(q, 0.5), checker.near(many, 0.5)
    fits(near, (1,), 2)
    fits(all_near, (2,), 2)
    assert near.a[0] == "hand" and near.b[0] == "shelf" and all_near.row.tolist() == [0, 2]
    assert all_near.signed[1] < 0
    assert checker.edges_free(q, q) is True
    free = checker.edges_free(many[:-1], many[1:])
    assert free.tolist() == [True, False]


def test_a_robot_from_files_without_anything_else():
    assert Checker(arm()).collides(np.zeros(3)) is False
    assert isinstance(pathlib.Path(clearance.__file__).parent / "py.typed", pathlib.Path)
    assert (pathlib.Path(clearance.__file__).parent / "py.typed").exists()
    assert (pathlib.Path(clearance.__file__).parent / "_clearance.pyi").exists()
