"""Property tests over every function that takes a batch: empty, strided, of any type, not finite."""

import numpy as np
import pytest
from conftest import arm, box_mesh
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clearance
from clearance import pose

SCENE = clearance.Scene()
SCENE.add("wall", clearance.Box([0.1, 2, 2]), pose([0.6, 0, 0.5]))
CHECKER, PREPARED = clearance.Checker(arm(), SCENE), clearance.Checker(arm(), SCENE)
PREPARED.prepare_for_planning()
MESH = clearance.Mesh(*box_mesh(), solid=True)
PAIR = clearance.Pair(MESH, clearance.Sphere(0.2))
GRID = clearance.VoxelMap(0.1)
GRID.set([[0, 0, 0]])

# Functions of rows of three numbers, and what of their answers counts rows.
CONFIGURATIONS = {
    "collides": CHECKER.collides,
    "is_free": PREPARED.is_free,
    "distance": CHECKER.distance,
    "self_distance": CHECKER.self_distance,
    "scene_distance": CHECKER.scene_distance,
    "collision": CHECKER.collision,
    "edges_free": lambda q: CHECKER.edges_free(q, q),
    "prepared edges": lambda q: PREPARED.edges_free(q, q),
    "edges": lambda q: CHECKER.edges(q, q),
    "edge_clearance": lambda q: CHECKER.edge_clearance(q, q, rel_err=0.5),
    "quick distance": lambda q: CHECKER.distance(q, max_distance=0.2, rel_err=0.1, gradients=False),
    "link_poses": CHECKER.link_poses,
}
POINTS = {
    "mesh": MESH.signed_distance,
    "scene": SCENE.signed_distance,
    "rays": lambda p: MESH.rays(p, np.asarray(p, dtype=np.float64) + [0, 0, 1e3]),
    "scene rays": lambda p: SCENE.rays(p, np.asarray(p, dtype=np.float64) + [0, 0, 1e3]),
    "cells": GRID.cells,
}
POSES = {
    "collides": PAIR.collides,
    "distance": PAIR.distance,
    "signed": PAIR.signed_distance,
}


@pytest.mark.parametrize("ask", [*CONFIGURATIONS.values(), *POINTS.values()], ids=[*CONFIGURATIONS, *POINTS])
def test_empty_batches_have_empty_answers(ask):
    assert len(ask(np.zeros((0, 3)))) == 0


@pytest.mark.parametrize("ask", POSES.values(), ids=POSES)
def test_empty_batches_of_poses(ask):
    assert len(ask(np.zeros((0, 4, 4)))) == len(ask(np.zeros((0, 7)))) == 0
    assert len(CHECKER.near(np.zeros((0, 3)), 0.1)) == 0


@given(
    name=st.sampled_from([*CONFIGURATIONS]),
    dtype=st.sampled_from(["f2", "f4", ">f8", "i2", "u1", "bool"]),
    stride=st.sampled_from([1, 2, -1]),
    fortran=st.booleans(),
    rows=st.integers(0, 9),
)
@settings(max_examples=80, deadline=None)
def test_layouts_change_no_answer(name, dtype, stride, fortran, rows):
    base = (np.arange(rows * 3).reshape(rows, 3) % 3 * 0.8).astype(dtype)[::stride]
    given_q = np.asfortranarray(base) if fortran else base
    plain = np.ascontiguousarray(base, dtype=np.float64)
    one, other = CONFIGURATIONS[name](given_q), CONFIGURATIONS[name](plain)
    assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


ANY = st.floats(allow_nan=True, allow_infinity=True)


@given(q=hnp.arrays(np.float64, (2, 3), elements=ANY))
@settings(max_examples=150, deadline=None)
def test_configurations_that_are_none_are_errors(q):
    for ask in (*CONFIGURATIONS.values(), lambda q: CHECKER.near(q, 0.1)):
        try:
            answer = ask(q)
        except clearance.Error:
            continue
        assert np.isfinite(q).all()
        if isinstance(answer, (clearance.Distances, clearance.NearPairs)):
            assert not np.isnan(answer.lower).any() and np.all(answer.lower <= answer.upper)
    if np.isfinite(q).all() and np.abs(q).max() < 1e6:
        assert np.array_equal(PREPARED.collides(q), CHECKER.collides(q))


@given(points=hnp.arrays(np.float64, (2, 3), elements=ANY))
@settings(max_examples=100, deadline=None)
def test_points_that_are_none_are_errors(points):
    for ask in POINTS.values():
        try:
            answer = ask(points)
        except (clearance.Error, ValueError):
            continue
        assert np.isfinite(points).all()
        if isinstance(answer, clearance.PointDistances):
            assert not np.isnan(answer.lower).any() and np.all(answer.lower <= answer.upper)


@given(
    xyz=hnp.arrays(np.float64, 3, elements=st.floats(-2, 2)),
    rpy=hnp.arrays(np.float64, 3, elements=st.floats(-4, 4)),
    threads=st.sampled_from([1, 2]),
)
@settings(max_examples=60, deadline=None)
def test_answers_of_a_pair_fit_together(xyz, rpy, threads):
    place = pose(xyz, rpy=rpy)
    hit, apart, signed = (ask(place) for ask in POSES.values())
    assert hit == (apart.upper == 0) and apart.lower <= apart.upper
    if hit:
        assert signed.lower <= 0
    else:
        assert signed.lower <= apart.upper and apart.lower <= signed.upper and signed.signed > 0
    many = PAIR.signed_distance(np.stack([place] * 3), threads=threads)
    # The same pose again starts warm and may round otherwise: the intervals have a point in common.
    assert max(*many.lower, signed.lower) <= min(*many.upper, signed.upper)


@given(shape=hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5))
@settings(max_examples=60, deadline=None)
def test_wrong_shapes_say_what_was_expected(shape):
    array = np.zeros(shape)
    if len(shape) == 2 and shape[1] == 3:
        assert len(MESH.signed_distance(array)) == shape[0]
    elif shape != (0,):
        with pytest.raises(ValueError, match=r"points has the shape \(.*\); expected \(n, 3\)"):
            MESH.signed_distance(array)
    if len(shape) not in (1, 2) or shape[-1] != 3:
        with pytest.raises(ValueError, match="q has the shape"):
            CHECKER.near(array, 0.1)
