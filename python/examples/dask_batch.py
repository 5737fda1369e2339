"""Many configurations with Dask: a callable travels to the workers, each makes its checker once."""

from __future__ import annotations

import sys
import time

import dask
import dask.array
import numpy as np
import numpy.typing as npt

import clearance


class Collides:
    """The verdicts of blocks of configurations; it is pickled as the robot alone."""

    def __init__(self, robot: clearance.Robot) -> None:
        self.robot = robot
        self.checker: clearance.Checker | None = None

    def __call__(self, q: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        if self.checker is None:
            self.checker = clearance.Checker(self.robot)
        answer: npt.NDArray[np.bool_] = self.checker.collides(q)
        return answer

    def __getstate__(self) -> dict[str, object]:
        return {"robot": self.robot, "checker": None}


def main(count: int = 1_000_000) -> tuple[bool, float]:
    """Whether the answers are those of one process, and how many there are in a second."""
    robot = clearance.humanoid()
    low, high = np.maximum(robot.lower, -1), np.minimum(robot.upper, 1)
    q = np.random.default_rng(0).uniform(low, high, (count, robot.dof))
    blocks = dask.array.from_array(q, chunks=(max(count // 8, 1), robot.dof))
    start = time.monotonic()
    with dask.config.set(scheduler="processes", num_workers=2):
        answers = blocks.map_blocks(Collides(robot), dtype=bool, drop_axis=1).compute()
    rate = count / (time.monotonic() - start)
    return bool(np.array_equal(answers, clearance.Checker(robot).collides(q))), rate


if __name__ == "__main__":
    same, speed = main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    print(f"{'the same as' if same else 'other answers than'} in one process, {speed:.0f} configurations/s")
