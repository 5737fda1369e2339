"""What a type checker knows of answers: mypy reads this, nothing runs it."""

from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import assert_type

import clearance
from clearance import Distance, Distances, Hit, pose

Bools = npt.NDArray[np.bool_]


def one_and_many(checker: clearance.Checker, unknown: npt.NDArray[np.float64]) -> None:
    """One configuration has one answer, rows have many; of an array of unknown shape nothing is known."""
    one, many = np.zeros(3), np.zeros((5, 3))
    assert_type(checker.collides(one), bool)
    assert_type(checker.collides([0.0, 0.0, 0.0]), bool)
    assert_type(checker.collides(many), Bools)
    assert_type(checker.is_free([[0.0, 0.0, 0.0]]), Bools)
    assert_type(checker.is_free(unknown), Any)
    assert_type(checker.collision(one), Hit | None)
    assert_type(checker.collision(many), list[Hit | None])
    assert_type(checker.distance(one), Distance)
    assert_type(checker.scene_distance(many, max_distance=0.1), Distances)
    assert_type(checker.edges_free(one, one), bool)
    assert_type(checker.edges_free(many, many), Bools)


def poses(pair: clearance.Pair) -> None:
    """A 4×4 matrix is known as such where we made it."""
    assert_type(pair.collides(pose([1, 0, 0])), bool)
    assert_type(pair.collides([0.0, 0, 0, 0, 0, 0, 1]), bool)
    assert_type(pair.distance(pose()), Distance)
    assert_type(pair.distance([pose(), pose([1, 0, 0])]), Distances)
    assert_type(pair.signed_distance(np.zeros((5, 4, 4))), Distances)
    assert_type(pair.signed_distance(np.eye(4)), Any)
