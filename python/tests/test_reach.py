"""What a robot can reach, how near its motions come, and what budgets leave open."""

import numpy as np
import pytest
from conftest import arm, box_mesh

import clearance
from clearance import pose

RNG = np.random.default_rng(11)


def sample(robot, count):
    return RNG.uniform(robot.lower, robot.upper, (count, robot.dof))


def test_links_stay_within_their_reach():
    checker = clearance.Checker(arm(), base=pose([1, 0, 0]))
    whole, hand = checker.reach(), checker.reach("link3", resolution=0.1)
    assert whole.voxels is None and len(hand.radii) == len(hand.centers) > 0
    poses = checker.link_poses(sample(checker.robot, 500))
    # The tip of the last capsule.
    tips = poses[:, 3] @ [0, 0, 0.39, 1]
    assert hand.contains(tips[:, :3]).all() and whole.contains(tips[:, :3]).all()
    assert set(hand.voxels.cells(tips[:, :3])) == {"obstacle"}
    low, high = hand.bounding_box
    assert np.all(tips[:, :3] > low) and np.all(tips[:, :3] < high) and high[2] < 3
    assert hand.contains([[1, 0, 50]]).tolist() == [False]
    # A fence that the reach never comes to is a fence that the link never comes to.
    fence = clearance.Box([0.1, 4, 4])
    gap = clearance.Pair(hand.geometry(), fence).distance(pose([4, 0, 0])).lower
    checker.scene.add("fence", fence, pose([4, 0, 0]))
    found = checker.can_touch("link3", "fence")
    assert found.status == "never" and 0 < gap <= found.nearest and found.gap <= found.nearest
    measured = checker.scene_distance(sample(checker.robot, 300)).upper.min()
    assert found.gap <= measured
    with pytest.raises(clearance.NamingError, match="no link is called 'nose'"):
        checker.reach("nose")


def test_what_can_touch_has_a_configuration():
    checker = clearance.Checker(arm())
    checker.scene.add("post", clearance.Sphere(0.1), pose([0.4, 0, 0.8]))
    found = checker.can_touch("link3", "post")
    assert found.status == "sometimes" and checker.scene_collision(found.q) is not None
    checker.scene.add("foot", clearance.Sphere(0.5))
    assert checker.can_touch("base", "foot").status == "always"
    with pytest.raises(clearance.NamingError, match="nothing"):
        checker.can_touch("link3", "nothing")


def test_verdicts_of_links():
    checker = clearance.Checker(arm())
    assert checker.link_verdict("base", "link2") is None and checker.branch_gap("base", "link2") == 0
    checker.prove()
    verdict = checker.link_verdict("base", "link3")
    assert verdict.status == "sometimes" and checker.self_collision(verdict.q) is not None
    assert checker.self_collisions(verdict.q) == checker.collisions(verdict.q) != []
    # Neighbours are never checked.
    assert checker.link_verdict("link1", "link2") is None
    both = clearance.RobotBuilder("two").link("torso").link("left", [clearance.Sphere(0.1)])
    both.link("right", [clearance.Sphere(0.1)])
    for name, x in (("left", -0.5), ("right", 0.5)):
        both.joint(name, "torso", name, "revolute", axis=[0, 0, 1], limits=(-1, 1), origin=pose([x, 0, 0]))
    checker = clearance.Checker(both.build())
    checker.prove()
    assert 0.7 < checker.branch_gap("left", "right") <= 0.8
    assert checker.link_verdict("left", "right").status == "never"


def test_clearance_of_motions_is_that_of_samples():
    checker = clearance.Checker(arm())
    checker.scene.add("ball", clearance.Sphere(0.1), pose([0.9, 0, 0.9]))
    q = sample(checker.robot, 21)
    found = checker.edge_clearance(q[:-1], q[1:], rel_err=0.05, threads=2)
    assert len(found) == 20 and np.all(found.lower <= found.upper)
    times = np.linspace(0, 1, 60)[:, None]
    for i in range(20):
        along = checker.distance(q[i] + (q[i + 1] - q[i]) * times)
        assert found.lower[i] <= along.upper.min()
        at = checker.distance(q[i] + (q[i + 1] - q[i]) * found.t[i])
        assert at.lower <= found.upper[i] + 1e-9 and found.a[i] and found.against[i] in ("itself", "scene")
    one = checker.edge_clearance(q[0], q[1])
    assert len(one) == 1 and one.lower[0] <= found.upper[0]
    assert len(checker.edge_clearance(np.zeros((0, 3)), np.zeros((0, 3)))) == 0
    with pytest.raises(ValueError, match="tolerance"):
        checker.edge_clearance(q[0], q[1], tolerance=-1)
    assert list(found.to_dict()) == ["lower", "upper", "t", "a", "b", "against"]


def test_near_pairs_are_those_of_itself_and_of_the_scene():
    checker = clearance.Checker(arm())
    checker.scene.add("wall", clearance.Box([0.1, 2, 2]), pose([0.6, 0, 0.5]))
    q = sample(checker.robot, 30)
    own, around, near = (ask(q, 0.3) for ask in (checker.self_near, checker.scene_near, checker.near))
    assert len(own) > 0 and len(around) > 0 and len(own) + len(around) == len(near)
    assert set(own.against) == {"itself"} and set(around.against) == {"scene"}
    quick = checker.near(q, 0.3, examine_ties=False, max_steps=100_000)
    assert np.allclose(quick.signed, near.signed, atol=1e-9)
    with pytest.raises(ValueError):
        checker.near(q, -1.0)


def test_ranges_and_tolerances_of_robots():
    checker = clearance.Checker(arm())
    checker.scene.add("ball", clearance.Sphere(0.1), pose([0.9, 0, 0.9]))
    q = sample(checker.robot, 100)
    for ask in (checker.distance, checker.self_distance, checker.scene_distance):
        exact = ask(q)
        coarse = ask(q, rel_err=0.2)
        assert np.all(coarse.lower <= exact.upper) and np.all(exact.lower <= coarse.upper)
        near = ask(q, max_distance=0.1)
        far = exact.lower > 0.1
        assert far.any() and np.all(near.lower[far] == 0.1) and np.all(np.isinf(near.upper[far]))
        assert set(near.status[far]) == {"beyond_max"} and near.a[far].tolist() == [None] * far.sum()
        one = ask(q[np.argmax(far)], max_distance=0.1)
        assert one.lower == 0.1 and one.a is None and one.status == "beyond_max"
        enough = ask(q, min_distance=10.0)
        assert np.all(enough.upper <= 10) and np.all(enough.lower <= exact.upper)
        plain = ask(q, gradients=False)
        assert np.allclose(plain.upper, exact.upper) and np.isnan(plain.gradient).all() and np.isnan(plain.normal).all()
        assert ask(q[0], gradients=False).gradient is None and ask(q[0]).gradient is not None
        with pytest.raises(ValueError, match="min_d"):
            ask(q, min_distance=1.0, max_distance=0.5)
    other = clearance.Checker(arm(), base=pose([5, 0, 0]))
    assert checker.robot_distance(q[0], other, q[0], max_distance=0.5).lower == 0.5


def test_budgets_leave_intervals_open_and_never_wrong():
    u = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    ring = np.array([[(2 + np.cos(b)) * np.cos(a), (2 + np.cos(b)) * np.sin(a), np.sin(b)] for a in u for b in u])
    at = np.arange(3600).reshape(60, 60)
    right, up = np.roll(at, -1, axis=0), np.roll(at, -1, axis=1)
    both = np.roll(right, -1, axis=1)
    faces = np.concatenate([np.stack([at, right, both], -1), np.stack([at, both, up], -1)]).reshape(-1, 3)
    mesh = clearance.Mesh(ring, faces, solid=True)
    pair, place = clearance.Pair(mesh, mesh), pose([6.3, 0.2, 0.1], rpy=[0.3, 0.2, 0.1])
    exact = pair.distance(place)
    widths = []
    for steps in (0, 10, 100, 10_000):
        found = pair.distance(place, max_steps=steps)
        many = clearance.Pair(mesh, mesh).distance(np.stack([place] * 3), max_steps=steps)
        for one in (found.lower, *many.lower):
            assert one <= exact.upper
        for one in (found.upper, *many.upper):
            assert exact.lower <= one
        widths.append(found.upper - found.lower)
    assert widths[0] > widths[-1] and found.status == "exact"
    assert clearance.Pair(mesh, mesh).distance(place, max_steps=0).status == "budget"
    # What a budget leaves open counts as colliding.
    near = pose([5.9, 0.2, 0.1], rpy=[0.3, 0.2, 0.1])
    fresh = clearance.Pair(mesh, mesh)
    assert fresh.collides(near, max_steps=1) is True
    assert fresh.collides(np.stack([near] * 3), max_steps=1).any()
    assert fresh.collides(near) == (fresh.distance(near).upper == 0)
    cut = pair.contacts(pose([1, 0, 0.3]), max_steps=5)
    assert cut.truncated and len(cut) <= len(pair.contacts(pose([1, 0, 0.3])))
    late = pair.time_of_impact(pose([9, 0, 0]), pose([3, 0, 0], rpy=[0.4, 0.1, 0]), max_evaluations=1)
    assert late.status == "undecided" and late.free_until >= 0
    assert pair.time_of_impact(pose([9, 0, 0]), pose([3, 0, 0]), max_steps=1).status in ("undecided", "contact")


def test_a_depth_of_large_meshes_keeps_its_warm_start_and_its_place():
    corners, faces = box_mesh(1.0)
    for _ in range(3):
        ends = corners[faces]
        middle = (ends + np.roll(ends, -1, axis=1)) / 2
        quarters = [np.stack([ends[:, i], middle[:, i], middle[:, i - 1]], axis=1) for i in range(3)]
        corners = np.concatenate([*quarters, middle]).reshape(-1, 3)
        corners, inverse = np.unique(corners.round(12), axis=0, return_inverse=True)
        faces = inverse.reshape(-1, 3)
    mesh = clearance.Mesh(corners, faces, solid=True)
    assert len(mesh.faces) == 768
    pair, place = clearance.Pair(mesh, mesh), pose([0.9, 0, 0])
    found, again = pair.signed_distance(place), pair.signed_distance(np.stack([place, pose([2, 0, 0])]))
    assert found.lower <= -0.1 <= found.upper + 1e-9 and again.lower[0] <= -0.1 <= again.upper[0] + 1e-9
    assert np.isclose(again.signed[1], 1.0)
    depth = pair.penetration(place)
    assert depth.lower <= 0.1 + 1e-9 and 0.1 <= depth.upper + 1e-9 and len(pair.contacts(place)) > 0
