"""A checker that is prepared for planning gives the same verdicts."""

import copy
import pickle

import numpy as np
import pytest
from conftest import arm

import clearance
from clearance import pose

RNG = np.random.default_rng(9)


@pytest.fixture(scope="module")
def two():
    """A plain checker and a prepared one, of one scene."""
    scene = clearance.Scene()
    scene.add("wall", clearance.Box([0.1, 2, 2]), pose([0.6, 0, 0.5]))
    scene.add("ball", clearance.Sphere(0.2), pose([-0.5, 0.1, 0.9]))
    plain, prepared = (clearance.Checker(arm(), scene) for _ in range(2))
    prepared.prepare_for_planning()
    assert prepared.is_prepared and not plain.is_prepared
    return plain, prepared


def sample(count):
    return RNG.uniform(-2.5, 2.5, (count, 3))


def test_verdicts_are_the_same(two):
    plain, prepared = two
    q = sample(3000)
    expected = plain.collides(q)
    assert 300 < expected.sum() < 2700
    for threads in (1, 2):
        assert np.array_equal(prepared.collides(q, threads=threads), expected)
        assert np.array_equal(prepared.is_free(q, threads=threads), ~expected)
        assert np.array_equal(plain.is_free(q, threads=threads), ~expected)
    assert [prepared.collides(one) for one in q[:200]] == expected[:200].tolist()
    assert prepared.is_free(np.zeros((0, 3))).shape == (0,)


def test_edges_are_the_same(two):
    plain, prepared = two
    q = sample(200)
    ends = q + RNG.uniform(-0.5, 0.5, q.shape)
    expected = plain.edges_free(q, ends)
    assert 20 < expected.sum() < 180
    assert np.array_equal(prepared.edges_free(q, ends), expected)
    assert np.array_equal(prepared.edges_free(q, ends, threads=2), expected)
    assert [prepared.edges_free(a, b) for a, b in zip(q[:20], ends[:20], strict=True)] == expected[:20].tolist()
    # Another tolerance is not what was prepared for; the exact search answers.
    assert np.array_equal(prepared.edges_free(q, ends, tolerance=2e-5), plain.edges_free(q, ends, tolerance=2e-5))


def test_changes_of_the_scene_are_seen(two):
    plain, prepared = two
    q = sample(500)
    for place in ([0.3, 0, 0.9], [0, 0.2, 1.4]):
        plain.scene.move("ball", pose(place))
        assert np.array_equal(prepared.collides(q), plain.collides(q))
        assert [prepared.collides(one) for one in q[:50]] == plain.collides(q[:50]).tolist()
    plain.scene.remove("ball")
    assert np.array_equal(prepared.collides(q), plain.collides(q))
    plain.scene.add("ball", clearance.Sphere(0.2), pose([-0.5, 0.1, 0.9]))
    for checker in two:
        checker.set_options(padding=0.05)
    assert np.array_equal(prepared.collides(q), plain.collides(q))
    for checker in two:
        checker.set_options(padding=0.0)


def test_detach_puts_down_where_collides_saw_it(two):
    _, prepared = two
    prepared.attach("cup", clearance.Cylinder(0.03, 0.1), "link3", pose([0, 0, 0.45]))
    q = np.array([0.3, 0.2, -0.1])
    prepared.collides(q)
    prepared.collides(sample(10))
    _, place = prepared.detach("cup")
    assert np.allclose(place, prepared.link_poses(q)[-1] @ pose([0, 0, 0.45]))
    prepared.attach("cup", clearance.Cylinder(0.03, 0.1), "link3", pose([0, 0, 0.45]))
    prepared.collides(np.zeros(3))
    prepared.distance(q)
    _, place = prepared.detach("cup")
    assert np.allclose(place, prepared.link_poses(q)[-1] @ pose([0, 0, 0.45]))


def test_copies_share_it_and_pickles_keep_the_proofs(two):
    plain, prepared = two
    q = sample(300)
    assert copy.copy(prepared).is_prepared and copy.deepcopy(prepared).is_prepared
    again = pickle.loads(pickle.dumps(prepared))
    assert not again.is_prepared and again.never_pairs == prepared.never_pairs
    for checker in (copy.copy(prepared), again):
        assert np.array_equal(checker.collides(q), plain.collides(q))
    quick = clearance.Checker(arm())
    quick.prepare_for_planning(prove=False, table_cells=0, threads=2)
    assert quick.is_prepared and quick.never_pairs is None
    assert np.array_equal(quick.collides(q), clearance.Checker(arm()).collides(q))


def test_panda(panda):
    plain, prepared = clearance.Checker(panda), clearance.Checker(panda)
    prepared.prepare_for_planning(evaluations=200, threads=0)
    for checker in (plain, prepared):
        checker.scene.add("table", clearance.Box([1, 1, 0.1]), pose([0.6, 0, 0.2]))
    q = RNG.uniform(panda.lower, panda.upper, (2000, 7))
    assert np.array_equal(prepared.collides(q), plain.collides(q))


def test_saved_preparations_are_read_again(tmp_path):
    first, again = (clearance.Checker(arm()) for _ in range(2))
    with pytest.raises(clearance.Error, match="ready for planning"):
        first.save_planning(tmp_path / "planning")
    first.prepare_for_planning()
    first.save_proofs(tmp_path / "proofs")
    first.save_planning(tmp_path / "planning")
    again.load_proofs(tmp_path / "proofs")
    again.load_planning(tmp_path / "planning")
    q = sample(500)
    assert again.is_prepared and np.array_equal(again.is_free(q), first.is_free(q))
    with pytest.raises(FileNotFoundError):
        again.load_planning(tmp_path / "nothing")
    with pytest.raises(clearance.Error):
        clearance.Checker(clearance.humanoid()).load_planning(tmp_path / "planning")
