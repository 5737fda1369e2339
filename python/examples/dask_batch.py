"""Many configurations on a Dask cluster: each worker makes the checker once."""

from __future__ import annotations

import dask
import dask.array
import numpy as np
import numpy.typing as npt

import clearance

CHECKERS: dict[str, clearance.Checker] = {}


def collides(q: npt.NDArray[np.float64], robot: clearance.Robot) -> npt.NDArray[np.bool_]:
    """The verdicts of a block; the robot travels with the task."""
    if robot.name not in CHECKERS:
        CHECKERS[robot.name] = clearance.Checker(robot)
    answer: npt.NDArray[np.bool_] = CHECKERS[robot.name].collides(q)
    return answer


def main(count: int = 1_000_000) -> bool:
    """Whether the answers are those of one process."""
    robot = clearance.humanoid()
    low, high = np.maximum(robot.lower, -1), np.minimum(robot.upper, 1)
    q = np.random.default_rng(0).uniform(low, high, (count, robot.dof))
    blocks = dask.array.from_array(q, chunks=(max(count // 8, 1), robot.dof))
    lazy = blocks.map_blocks(collides, robot, dtype=bool, drop_axis=1)
    with dask.config.set(scheduler="processes", num_workers=2):
        answers = lazy.compute()
    return bool(np.array_equal(answers, clearance.Checker(robot).collides(q)))


if __name__ == "__main__":
    print("the same as in one process" if main() else "other answers than in one process")
