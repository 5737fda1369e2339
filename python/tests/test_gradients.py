"""Gradients are derivatives: of pairs by poses, of robots by joints, against differences."""

import numpy as np
import pytest
from conftest import arm, box_mesh

import clearance
from clearance import pose

STEP = 1e-6
RNG = np.random.default_rng(4)


def moved(place, twist):
    """B after a small translation and a rotation about its origin, both in A's frame."""
    angle = np.linalg.norm(twist[3:])
    turned = np.eye(3)
    if angle > 0:
        x, y, z = twist[3:] / angle
        k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        turned = np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
    made = place.copy()
    made[:3, :3] = turned @ place[:3, :3]
    made[:3, 3] += twist[:3]
    return made


def differences(value, place):
    sides = [[value(moved(place, sign * STEP * axis)) for sign in (1, -1)] for axis in np.eye(6)]
    return np.array([(high - low) / (2 * STEP) for high, low in sides])


PAIRS = {
    "ellipsoid and capsule": (clearance.Ellipsoid([0.5, 0.3, 0.2]), clearance.Capsule(0.1, 0.4)),
    "mesh and sphere": (clearance.Mesh(*box_mesh(), solid=True), clearance.Sphere(0.2)),
    "convex and convex": (clearance.Convex(box_mesh()[0]), clearance.Convex(RNG.uniform(-0.5, 0.5, (20, 3)))),
}


@pytest.mark.parametrize("name", PAIRS)
def test_gradients_of_pairs(name):
    pair = clearance.Pair(*PAIRS[name])
    for _ in range(5):
        place = pose(RNG.uniform(1.2, 1.6, 3), rpy=RNG.uniform(-3, 3, 3))
        expected = differences(lambda at: pair.distance(at).upper, place)
        found = pair.gradient(place)
        assert np.allclose(found.by_b, expected, atol=1e-5)
        assert np.allclose(pair.distance(place).gradient, expected, atol=1e-4)
        assert np.allclose(pair.signed_distance(place).gradient, expected, atol=1e-4)
        assert np.allclose(found.by_a[:3], -found.by_b[:3]) and found.unique is not False
    batch = pair.distance(np.stack([place, np.eye(4)]))
    assert batch.gradient.shape == (2, 6) and np.allclose(batch.gradient[0], expected, atol=1e-4)
    assert np.isnan(batch.gradient[1]).all() and pair.distance(np.eye(4)).gradient is None
    assert pair.gradient(np.eye(4)) is None


def test_gradients_of_depths():
    pair = clearance.Pair(clearance.Box([1, 1, 1]), clearance.Sphere(0.3))
    sunk = pose([0.7, 0.1, 0.05])
    expected = differences(lambda at: pair.signed_distance(at).signed, sunk)
    assert np.allclose(pair.signed_distance(sunk).gradient, expected, atol=1e-4)
    assert np.allclose(pair.penetration(sunk).gradient, expected, atol=1e-4)
    faces = clearance.Pair(clearance.Box([1, 1, 1]), clearance.Box([1, 1, 1]))
    assert faces.gradient(pose([1.5, 0, 0])).unique is False


def test_signed_batches_on_threads():
    pair = clearance.Pair(clearance.Mesh(*box_mesh(), solid=True), clearance.Box([0.6, 0.6, 0.6]))
    poses = np.stack([pose(xyz, rpy=xyz[::-1]) for xyz in RNG.uniform(-1, 1, (150, 3))])
    one = pair.signed_distance(poses)
    assert one == pair.signed_distance(poses, threads=2) and 10 < (one.signed < 0).sum() < 140
    assert np.all(one.lower <= one.signed) and np.all(one.signed <= one.upper)
    coarse = pair.signed_distance(poses, rel_err=0.5)
    assert np.all(coarse.lower <= one.upper) and np.all(one.lower <= coarse.upper)
    deep = int(np.argmin(one.signed))
    assert pair.penetration(poses[deep], rel_err=0.5).upper >= pair.penetration(poses[deep]).lower
    with pytest.raises(ValueError):
        pair.signed_distance(poses, rel_err=float("nan"))


def test_gradients_of_robots(checker):
    checker.scene.add("ball", clearance.Sphere(0.1), pose([0.2, 0.1, 1.7]))
    for q in RNG.uniform(-0.6, 0.6, (10, 3)):
        near = checker.near(q, 0.5)
        assert len(near) and near.gradient.shape == (len(near), 3)
        assert set(near.against) <= {"itself", "scene"} and np.all(near.signed < 0.5)
        pairs = list(zip(near.a, near.b, strict=True))
        for axis in range(3):
            ahead, behind = (checker.near(q + sign * STEP * np.eye(3)[axis], 0.6) for sign in (1, -1))
            for i, names in enumerate(pairs):
                if near.unique[i] is not True:
                    continue
                sides = [side.signed[list(zip(side.a, side.b, strict=True)).index(names)] for side in (ahead, behind)]
                assert np.isclose((sides[0] - sides[1]) / (2 * STEP), near.gradient[i, axis], atol=1e-4)
        nearest = checker.distance(q)
        if nearest.upper > 0:
            i = int(np.argmin(near.signed))
            assert np.isclose(near.signed[i], nearest.upper, atol=1e-9)
            assert np.allclose(near.gradient[i], nearest.gradient, atol=1e-5)


def test_near_pairs_of_many_configurations(checker):
    q = RNG.uniform(-1.5, 1.5, (130, 3))
    many = checker.near(q, 0.3)
    assert many == checker.near(q, 0.3, threads=2) and many.row.max() <= 129
    for i in (0, 64, 129):
        one, rows = checker.near(q[i], 0.3), many.row == i
        assert np.array_equal(one.signed, many.signed[rows]) and one.a.tolist() == many.a[rows].tolist()
    # Overlaps are listed with their depths.
    touching = checker.collides(q)
    assert all((many.signed[many.row == i] <= 0).any() for i in np.nonzero(touching)[0])
    assert list(many.to_dict())[-2:] == ["gradient_2", "unique"] or "gradient_0" in many.to_dict()
    assert len(checker.near(np.zeros((0, 3)), 0.3)) == 0
    with pytest.raises(ValueError):
        checker.near(q[0], float("nan"))


def test_gradients_of_two_robots(robot):
    one, other = clearance.Checker(robot), clearance.Checker(robot, base=pose([1.4, 0.05, 0.1]))
    q, p = np.array([0.3, 0.4, 0.1]), np.array([-0.2, -0.3, 0.2])
    near = one.robot_near(q, other, p, 2.0)
    assert near.gradient.shape == near.gradient_b.shape == (len(near), 3) and set(near.against) == {"robot"}
    nearest = one.robot_distance(q, other, p)
    for axis in np.eye(3):
        value = [one.robot_distance(q + s * STEP * axis, other, p).upper for s in (1, -1)]
        assert np.isclose((value[0] - value[1]) / (2 * STEP), nearest.gradient @ axis, atol=1e-4)
        value = [one.robot_distance(q, other, p + s * STEP * axis).upper for s in (1, -1)]
        assert np.isclose((value[0] - value[1]) / (2 * STEP), nearest.gradient_b @ axis, atol=1e-4)
    assert arm().dof == 3 and clearance.Checker(robot).distance(q).gradient_b is None
