"""The programs that the guide is written for, each as short as it can be, on files that are there."""

import concurrent.futures
import copy
import pathlib

import numpy as np
import pytest
from conftest import arm, box_mesh

import clearance as cl


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    corners, faces = box_mesh()
    for name, size in (("gripper.obj", 0.2), ("part.obj", 0.1)):
        lines = [f"v {x} {y} {z}" for x, y, z in corners * size]
        lines += [f"f {a} {b} {c}" for a, b, c in faces + 1]
        pathlib.Path(name).write_text("\n".join(lines))
    pathlib.Path("room.json").write_text('{"objects": [{"name": "lamp", "sphere": 0.1, "pose": [0, 0, 3, 1, 0, 0, 0]}]}')


def test_1_distance():
    d = cl.Pair(cl.Mesh.load("gripper.obj"), cl.Mesh.load("part.obj")).distance(cl.pose([0.3, 0, 0]))
    assert np.isclose(d.upper, 0.15) and np.isclose(d.point_a[0], 0.1) and np.isclose(d.point_b[0], 0.25)


def test_2_many_poses_on_all_cores():
    a, b = cl.Mesh.load("gripper.obj"), cl.Mesh.load("part.obj")
    poses = np.stack([cl.pose([x, 0, 0]) for x in np.linspace(0, 0.3, 100)])
    hits = cl.Pair(a, b).collides(poses, threads=0)
    assert hits.dtype == bool and hits[40] and not hits[-1]


def test_3_signed_distance():
    s = cl.Pair(cl.Box([1, 1, 1]), cl.Convex(box_mesh()[0])).signed_distance(cl.pose([0.9, 0, 0]))
    assert np.isclose(s.upper, -0.1) and np.allclose(s.normal, [1, 0, 0])


def test_4_robot_against_itself():
    checker = cl.Checker(arm())
    if hit := checker.self_collision([0, 2.5, 2.5]):
        assert f"{hit.a} touches {hit.b}" == "base touches link3" or hit.against == "itself"
    else:
        pytest.fail("it folds onto itself")


def test_5_robot_in_a_room():
    scene = cl.Scene.load("room.json")
    scene.add("table", cl.Box([1.2, 0.8, 0.05]), cl.pose([0.8, 0, 0.4]))
    nearest = cl.Checker(arm(), scene).distance([0, 0, 0])
    assert nearest.a and nearest.b == "table" and nearest.point_a.shape == (3,)


def test_6_ten_thousand_configurations():
    robot = arm()
    q = np.random.default_rng(0).uniform(robot.lower, robot.upper, (10_000, robot.dof))
    free = ~cl.Checker(robot).collides(q, threads=0)
    assert 0 < free.sum() < 10_000


def test_7_a_path_proven():
    checker = cl.Checker(arm())
    q = np.array([[0, 0, 0], [0.5, 0.2, 0.1], [0.6, 0.6, 0.3]])
    assert checker.edges_free(q[:-1], q[1:]).all()


def test_8_first_contact():
    pair = cl.Pair(cl.Mesh.load("gripper.obj"), cl.Mesh.load("part.obj"))
    toi = pair.time_of_impact(cl.pose([1, 0, 0]), linear=[-1, 0, 0], duration=1)
    assert np.isclose(toi.t[1], 0.85, atol=1e-5)


def test_9_a_depth_camera():
    grid, checker = cl.VoxelMap(0.05), cl.Checker(arm())
    grid.integrate_depth(np.full((48, 64), 0.5), [60, 60, 31.5, 23.5], cl.pose([-0.5, 0, 0.5], rpy=[0, np.pi / 2, 0]))
    checker.scene.replace("map", grid)
    assert checker.collision([0, 0, 0]).b == "map"


def test_10_pick_and_place():
    checker = cl.Checker(arm())
    checker.attach("cup", cl.Cylinder(0.03, 0.1), "link3", cl.pose([0, 0, 0.45]))
    checker.collides([0.3, 0, 0])
    checker.scene.add("cup", *checker.detach("cup"))
    assert "cup" in checker.scene


def test_11_moving_obstacles():
    checker = cl.Checker(arm())
    checker.scene.add("crate", cl.Box([0.2, 0.2, 0.2]))
    hits = []
    for x in np.linspace(1, 0, 20):
        checker.scene.move("crate", cl.pose([x, 0, 0.8]))
        hits.append(checker.collides([0, 0, 0]))
    assert not hits[0] and hits[-1]


def test_12_a_checker_for_each_thread():
    checker = cl.Checker(arm())
    q = np.random.default_rng(0).uniform(-2, 2, (4, 500, 3))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda rows: copy.copy(checker).collides(rows), q))
    assert np.array_equal(np.stack(answers), checker.collides(q.reshape(-1, 3)).reshape(4, 500))
