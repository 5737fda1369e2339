"""Rays, points and depth images of geometries, scenes and robots, on several threads."""

import numpy as np
import pytest
from conftest import box_mesh

import clearance
from clearance import pose

RNG = np.random.default_rng(6)


@pytest.fixture
def room():
    scene = clearance.Scene()
    scene.add("wall", clearance.Box([0.2, 4, 4]), pose([2, 0, 0]))
    scene.add("ball", clearance.Sphere(0.5), pose([1, 1, 0]))
    scene.add("block", clearance.Mesh(*box_mesh(), solid=True), pose([0, -2, 0]))
    return scene


def test_scenes_name_what_rays_hit(room):
    hits = room.rays([0, 0, 0], [[1, 0, 0], [1, 1, 0], [0, -1, 0], [0, 0, 1]])
    assert hits.name.tolist() == ["wall", "ball", "block", None]
    assert np.allclose(hits.t[:3], [1.9, (np.sqrt(2) - 0.5) / np.sqrt(2), 1.5]) and np.isinf(hits.t[3])
    assert "name" in hits.to_dict() and room.rays([0, 0, 9], [[0, 0, 1]]).name is None


def test_threads_change_no_answer(room):
    directions, points = RNG.normal(size=(500, 3)), RNG.uniform(-3, 3, (500, 3))
    for thing in (room, clearance.Mesh(*box_mesh(), solid=True), clearance.Sphere(1)):
        assert thing.rays([0, 0, 0], directions) == thing.rays(np.zeros((500, 3)), directions, threads=2)
        assert thing.signed_distance(points) == thing.signed_distance(points, threads=0)
    with pytest.raises(ValueError, match="threads"):
        room.rays([0, 0, 0], directions, threads=100_000)


def test_points_know_the_nearest_object(room):
    found = room.signed_distance([[1, 1, 0.1], [1.5, 0, 0], [0, -1, 0]])
    assert found.name.tolist() == ["ball", "wall", "block"]
    assert np.allclose(found.distance, [-0.4, 0.4, 0.5], atol=1e-9)
    with pytest.raises(clearance.Error):
        clearance.Scene().signed_distance([[0, 0, 0]])
    with pytest.raises(ValueError, match=r"points has the shape \(2, 2\); expected \(n, 3\)"):
        room.signed_distance(np.zeros((2, 2)))


def test_depth_images_are_what_maps_take(room):
    camera, ahead = [40, 40, 31.5, 23.5], pose(rpy=[-np.pi / 2, 0, -np.pi / 2])
    image = room.depth_image((48, 64), camera, ahead)
    assert image.shape == (48, 64) and image.dtype == np.float32
    assert np.isclose(image[24, 32], 1.9, atol=1e-3) and np.array_equal(image, room.depth_image((48, 64), camera, ahead, threads=2))
    grid = clearance.VoxelMap(0.05)
    grid.integrate_depth(image, camera, ahead)
    assert clearance.Pair(grid, clearance.Sphere(0.1)).collides(pose([1.9, 0, 0]))
    with pytest.raises(ValueError, match="intrinsics has the shape"):
        room.depth_image((48, 64), [1, 2], ahead)


def test_robots_are_hit_by_rays(checker):
    hits = checker.rays(np.zeros(3), [-1, 0, 0.4], [[1, 0, 0], [0, 0, 1]])
    assert hits.name.tolist() == ["link1", None] and np.isclose(hits.t[0], 0.95)
    above = checker.rays(np.zeros(3), [-1, 0, 1.45], [[1, 0, 0]])
    assert above.name[0] == "link3" or above.name[0] == "wall"
    with pytest.raises(ValueError, match="q is a batch"):
        checker.rays(np.zeros((2, 3)), [0, 0, 0], [[1, 0, 0]])


def test_worlds_measure():
    world = clearance.World()
    for i, x in enumerate((0, 2, 5)):
        world.add(str(i), clearance.Sphere(0.5), pose([x, 0, 0]))
    world.step()
    assert [(name, round(upper, 9)) for name, _, upper in world.nearest("0", 5)] == [("1", 1.0), ("2", 4.0)]
    assert world.nearest("0", 1)[0][0] == "1" and world.nearest("0", 5, max_distance=2) == world.nearest("0", 1)
    found = world.distance("1", "2")
    assert found.lower <= 2.0 <= found.upper + 1e-12 and np.allclose(found.gradient[:3], [1, 0, 0])
    world.exclude("0", "1")
    world.step()
    assert world.nearest("0", 1)[0][0] == "2"


def test_motions():
    pair = clearance.Pair(clearance.Box([1, 1, 1]), clearance.Sphere(0.5))
    way = clearance.Motion.through([0, 1, 2], np.stack([pose([5, 0, 0]), pose([3, 0, 0]), pose([-3, 0, 0])]))
    assert way.duration == 2 and np.allclose(way.pose(1.5), pose())
    assert np.isclose(pair.time_of_impact(way).t[1], 1 + 2 / 6, atol=1e-5)
    # Both come nearer: the same as one with the sum of their speeds.
    left, right = clearance.Motion.moving(pose([-2, 0, 0]), [1, 0, 0]), clearance.Motion.moving(pose([1, 0, 0]), [-1, 0, 0])
    both = pair.time_of_impact(right, motion_a=left)
    assert np.isclose(both.t[1], 1.0, atol=1e-5) or both.status == "free"
    turn = clearance.Motion.screw(pose([2, 0, 0]), [0, 0, 0], [0, 0, np.pi])
    assert np.allclose(turn.pose(1)[:2, 3], [-2, 0], atol=1e-12)
    for bad in (dict(end=np.eye(4)), dict(linear=[1, 0, 0])):
        with pytest.raises(ValueError, match="a Motion has its"):
            pair.time_of_impact(way, **bad)
    with pytest.raises(ValueError, match=r"times has the shape \(1,\)"):
        clearance.Motion.through([0], np.stack([np.eye(4)] * 2))
    with pytest.raises(ValueError):
        clearance.Motion.between(np.eye(4), np.eye(4), -1)
