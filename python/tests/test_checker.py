"""Robots, scenes and checkers."""

import copy
import threading
import time

import numpy as np
import pytest
from conftest import arm, box_mesh, data

import clearance
from clearance import pose

RNG = np.random.default_rng(2)


def sample(robot, count):
    return RNG.uniform(robot.lower, robot.upper, (count, robot.dof))


def test_robot(robot):
    assert robot.joint_names == ["joint1", "joint2", "joint3"]
    assert robot.dof == 3 and robot.link_names[0] == "base"
    assert robot.lower.tolist() == [-2.5] * 3 and robot.upper.tolist() == [2.5] * 3
    assert robot.default.tolist() == [0, 0, 0]
    poses = robot.link_poses(np.zeros(3))
    assert poses.shape == (4, 4, 4) and np.allclose(poses[:, 2, 3], [0, 0.2, 0.65, 1.1])
    many = robot.link_poses(np.zeros((5, 3)), base=pose([1, 0, 0]))
    assert many.shape == (5, 4, 4, 4) and np.allclose(many[3, :, 0, 3], 1)
    assert robot.group("all")[0] == ["link1", "link2", "link3"]
    with pytest.raises(clearance.NamingError, match="no group 'legs'"):
        robot.group("legs")


def test_builder_says_what_is_wrong():
    builder = clearance.RobotBuilder("r").link("a").link("b")
    with pytest.raises(clearance.Error):
        builder.build()
    with pytest.raises(ValueError, match=r"revolute; give it limits"):
        builder.joint("j", "a", "b", "revolute").build()
    with pytest.raises(TypeError, match="a link takes Mesh"):
        clearance.RobotBuilder("r").link("a", [clearance.Cone(1, 1)]).build()


def test_mimic_and_kinds():
    builder = clearance.RobotBuilder("r").link("a").link("b").link("c").link("d")
    builder.joint("j", "a", "b", "prismatic", axis=[1, 0, 0], limits=(0, 1))
    builder.joint("k", "b", "c", "prismatic", axis=[1, 0, 0], limits=(0, 5), mimic=("j", 2, 0.5))
    robot = builder.joint("f", "c", "d", "floating").build()
    assert robot.joint_names[0] == "j" and robot.dof == 8
    at = robot.link_poses([1, 0, 0, 0, 1, 0, 0, 0])
    assert np.isclose(at[2, 0, 3], 1 + 2.5)


def test_single_and_batch_agree(checker):
    q = sample(checker.robot, 400)
    singles = [checker.collides(one) for one in q]
    assert 20 < sum(singles) < 380
    for threads in (1, 2, 0):
        assert checker.collides(q, threads=threads).tolist() == singles
    hits = checker.collision(q)
    assert [hit is not None for hit in hits] == singles
    found = checker.distance(q, threads=2)
    assert np.array_equal(found.upper == 0, singles)
    for i in range(0, 400, 37):
        one = checker.distance(q[i])
        assert one.upper == found.upper[i] and one.a == found.a[i] and one.b == found.b[i]
        own, around = checker.self_distance(q[i]), checker.scene_distance(q[i])
        assert one.upper == min(own.upper, around.upper)
        assert bool(checker.collisions(q[i])) == singles[i]
    alone = checker.self_collision(q)
    outside = checker.scene_collision(q)
    assert [bool(a or b) for a, b in zip(alone, outside)] == singles
    assert checker.collides(np.zeros((0, 3))).shape == (0,)


def test_scenes_are_shared_and_change(robot):
    scene = clearance.Scene()
    one, other = clearance.Checker(robot, scene), clearance.Checker(robot, scene)
    q = np.zeros(3)
    assert one.scene is scene and not one.collides(q)
    assert one.scene_distance(q).upper == np.inf
    scene.add("ball", clearance.Sphere(0.1), pose([0, 0, 1]))
    assert one.collides(q) and other.collides(q)
    assert one.collision(q).b == "ball" and one.collision(q).against == "scene"
    scene.move("ball", pose([1, 0, 1]))
    assert not one.collides(q)
    scene.replace("ball", clearance.Sphere(1.0))
    assert other.collides(q) and "ball" in scene and len(scene) == 1
    scene.remove("ball")
    assert not other.collides(q)
    with pytest.raises(clearance.NamingError, match="no object 'ball'"):
        scene.remove("ball")
    scene.add("a", clearance.Sphere(1))
    with pytest.raises(clearance.NamingError, match="'a' already"):
        scene.add("a", clearance.Sphere(1))
    one.scene = clearance.Scene()
    assert not one.collides(q) and other.collides(q)


def test_options(robot):
    q = np.array([0.0, 1.2, 1.2])
    plain = clearance.Checker(robot)
    distance = plain.distance(q).upper
    assert 0 < distance < 1
    padded = clearance.Checker(robot, padding=0.01)
    assert np.isclose(padded.distance(q).upper, distance - 0.02)
    assert clearance.Checker(robot, margin=distance + 1e-6).collides(q)
    padded.set_options(padding=0.0, paddings={"link3": 0.02})
    assert np.isclose(padded.distance(q).upper, distance - 0.02)
    assert padded.options["paddings"] == {"link3": 0.02}
    pairs = [(plain.distance(q).a, plain.distance(q).b)]
    allowed = clearance.Checker(robot, allowed=pairs, margin=distance + 1e-6)
    assert not allowed.collides(q)
    assert clearance.Checker(robot, only=["base"]).self_distance(q).upper >= distance
    assert clearance.Checker(robot, only="all").self_distance(q).upper == distance
    with pytest.raises(clearance.NamingError, match="padding is given for 'nose'"):
        padded.set_options(paddings={"nose": 1})
    with pytest.raises(ValueError):
        clearance.Checker(robot, padding=float("nan"))


def test_base(checker):
    q = np.zeros(3)
    before = checker.scene_distance(q).upper
    checker.base = pose([0.1, 0, 0])
    assert np.isclose(checker.scene_distance(q).upper, before - 0.1)
    assert np.allclose(checker.link_poses(q)[0], checker.base)


def test_attach_and_detach(checker):
    q = np.zeros(3)
    cup = clearance.Cylinder(0.03, 0.1)
    checker.attach("cup", cup, "link3", pose([0.54, 0, 0.4]), ["link2"])
    assert checker.attached == ["cup"]
    hit = checker.collision(q)
    assert {hit.a, hit.b} == {"cup", "wall"}
    geometry, place = checker.detach("cup")
    assert geometry is cup and np.allclose(place[:3, 3], [0.54, 0, 1.5])
    assert not checker.collides(q)
    checker.scene.add("cup", geometry, place)
    assert checker.scene["cup"][0] is cup
    with pytest.raises(clearance.NamingError, match="no attached object"):
        checker.detach("cup")
    with pytest.raises(clearance.NamingError):
        checker.attach("cup", cup, "nose")


def test_edges_are_proven(checker):
    q0, q1 = np.zeros(3), np.array([1.4, 0, 0])
    assert checker.edges_free(q0, [0.1, 0.1, 0.1]) is True
    assert checker.edges_free(q0, q1) is False
    q = sample(checker.robot, 60)
    free = checker.edges_free(q[:-1], q[1:], threads=2)
    assert free.tolist() == checker.edges_free(q[:-1], q[1:]).tolist()
    found = checker.edges(q[:-1], q[1:])
    assert found.free.tolist() == free.tolist() and len(found) == 59
    for i, one in enumerate(free):
        times = np.linspace(0, 1, 50)[:, None]
        sampled = checker.collides(q[i] + (q[i + 1] - q[i]) * times)
        if one:
            assert not sampled.any() and found.clearance[i] > 0
        else:
            assert found.status[i] == "contact" and found.a[i] and found.b[i]
            at = q[i] + (q[i + 1] - q[i]) * found.t[i, 1]
            assert checker.distance(at).upper < 1e-4
            assert not checker.collides(q[i] + (q[i + 1] - q[i]) * max(found.t[i, 0] - 1e-9, 0)) or found.t[i, 0] == 0
    spline = checker.spline([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0]])
    assert spline and len(spline) == 2
    with pytest.raises(ValueError, match="q0 has 2 rows and q1 has 1"):
        checker.edges_free(np.zeros((2, 3)), np.zeros((1, 3)))


def test_two_robots(robot):
    one, other = clearance.Checker(robot), clearance.Checker(robot, base=pose([1, 0, 0]))
    q = np.zeros(3)
    assert one.robot_collision(q, other, q) is None
    apart = one.robot_distance(q, other, q)
    assert np.isclose(apart.upper, 0.8) and apart.a == "base" == apart.b
    other.base = pose([0.05, 0, 0])
    assert one.robot_collision(q, other, q).against == "robot"
    with pytest.raises(ValueError, match="a checker of its own"):
        one.robot_collision(q, one, q)


def test_proofs(tmp_path, robot):
    narrow = clearance.RobotBuilder("r")
    narrow.link("a", [clearance.Sphere(0.1)]).link("b", []).link("c", [clearance.Sphere(0.1)])
    narrow.joint("j", "a", "b", "revolute", limits=(-0.2, 0.2))
    narrow.joint("k", "b", "c", "revolute", limits=(-0.2, 0.2), origin=pose([1, 0, 0]))
    checker = clearance.Checker(narrow.build())
    assert checker.never_pairs is None
    (pair,) = checker.prove()
    assert pair[:2] == ("a", "c") and 0.5 < pair[2] <= 0.8
    checker.save_proofs(tmp_path / "proofs")
    fresh = clearance.Checker(checker.robot)
    fresh.load_proofs(tmp_path / "proofs")
    assert fresh.never_pairs == [pair]
    with pytest.raises(clearance.Error):
        clearance.Checker(robot).load_proofs(tmp_path / "proofs")
    with pytest.raises(FileNotFoundError):
        fresh.load_proofs(tmp_path / "nothing")


def test_scene_files(tmp_path):
    scene = clearance.Scene()
    turned = pose([1, 2, 3], rpy=[0.1, 0.2, 0.3])
    grid = clearance.VoxelMap(0.1)
    grid.set([[0, 0, 0]])
    mesh = clearance.Mesh(*box_mesh(), solid=True)
    things = {
        "box": clearance.Box([1, 2, 3]),
        "sphere": clearance.Sphere(1),
        "cylinder": clearance.Cylinder(1, 2),
        "capsule": clearance.Capsule(1, 2),
        "cone": clearance.Cone(1, 2),
        "ellipsoid": clearance.Ellipsoid([1, 2, 3]),
        "floor": clearance.HalfSpace([0, 0, 1], -1),
        "mesh": mesh,
        "same mesh": mesh,
        "cloud": clearance.PointCloud([[0, 0, 0.5]], 0.01),
        "map": grid.obstacles(),
    }
    for name, thing in things.items():
        scene.add(name, thing, turned if name != "floor" else None)
    scene.save(tmp_path / "room.json")
    again = clearance.Scene.load(tmp_path / "room.json")
    assert again.names == scene.names
    for name in scene:
        assert again[name][0] == scene[name][0], name
        assert np.allclose(again[name][1], scene[name][1], atol=1e-15), name
    assert again["mesh"][0] is again["same mesh"][0]
    with pytest.raises(clearance.UnsupportedError, match="cannot hold a Plane"):
        scene.add("plane", clearance.Plane([0, 0, 1]))
        scene.save(tmp_path / "room.json")
    (tmp_path / "bad.json").write_text('{"objects": [{"name": "x", "box": [1, 2]}]}')
    with pytest.raises(clearance.FormatError, match="must be a list of 3 numbers"):
        clearance.Scene.load(tmp_path / "bad.json")
    with pytest.raises(FileNotFoundError):
        clearance.Scene.load(tmp_path / "none.json")


def test_built_in_scene():
    robot, scene = clearance.humanoid(), clearance.kitchen()
    assert len(scene) >= 40 and robot.dof >= 20
    checker = clearance.Checker(robot, scene, allowed=[("platform", "floor")])
    found = checker.distance(robot.default)
    assert np.isfinite(found.upper)
    assert checker._repr_png_().startswith(b"\x89PNG")


def test_urdf_text_and_srdf():
    urdf = """<robot name='r'><link name='a'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
      <link name='m'/><link name='b'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>
      <joint name='j' type='prismatic'><parent link='a'/><child link='m'/><limit lower='0' upper='1' effort='1' velocity='1'/></joint>
      <joint name='k' type='prismatic'><parent link='m'/><child link='b'/><limit lower='0' upper='1' effort='1' velocity='1'/></joint>
      </robot>"""
    assert clearance.Checker(clearance.Robot.load(urdf)).collides([0, 0])
    srdf = "<robot name='r'><group name='g'><link name='b'/></group><disable_collisions link1='a' link2='b'/></robot>"
    robot = clearance.Robot.load(urdf, srdf)
    assert not clearance.Checker(robot).collides([0, 0])
    assert robot.groups == ["g"] and robot.disabled_pairs == [("a", "b")]
    with pytest.raises(clearance.FormatError):
        clearance.Robot.load("<robot name='r'><link/></robot>")
    with pytest.raises(FileNotFoundError):
        clearance.Robot.load("nothing/here.urdf")


def test_panda(panda):
    assert panda.dof == 7 and panda.joint_names[0] == "panda_joint1"
    checker = clearance.Checker(panda)
    q = RNG.uniform(panda.lower, panda.upper, (500, 7))
    hits = checker.collides(q)
    assert 0 < hits.sum() < 500
    assert np.array_equal(hits, [checker.collides(one) for one in q])


def test_threads_share_a_checker(checker):
    q = sample(checker.robot, 20_000)
    expected = checker.collides(q)
    answers, ticks = [], 0

    def work():
        answers.append(checker.collides(q))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        # The interpreter goes on meanwhile.
        ticks += 1
        time.sleep(0.001)
    assert ticks > 5 and all(np.array_equal(one, expected) for one in answers)


def test_copies(checker):
    shallow, deep = copy.copy(checker), copy.deepcopy(checker)
    assert shallow.scene is checker.scene and deep.scene is not checker.scene
    assert deep.scene == checker.scene and deep.robot is checker.robot
    checker.scene.remove("wall")
    assert shallow.scene_distance(np.zeros(3)).upper == np.inf
    assert deep.scene_distance(np.zeros(3)).upper < 1
    assert arm() == arm() and arm() != arm(4)
