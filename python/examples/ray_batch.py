"""Many configurations with Ray Data: an actor holds the checker."""

from __future__ import annotations

import sys
import time

import numpy as np
import numpy.typing as npt
import ray

import clearance


class Collides:
    """Called with batches of rows; made once in each actor."""

    def __init__(self, robot: clearance.Robot) -> None:
        self.checker = clearance.Checker(robot)

    def __call__(self, batch: dict[str, npt.NDArray[np.float64]]) -> dict[str, npt.NDArray[np.generic]]:
        rows = batch["data"]
        return {"id": rows[:, 0], "hit": self.checker.collides(rows[:, 1:])}


def main(count: int = 1_000_000) -> tuple[bool, float]:
    """Whether the answers are those of one process, and how many there are in a second."""
    robot = clearance.humanoid()
    low, high = np.maximum(robot.lower, -1), np.minimum(robot.upper, 1)
    q = np.random.default_rng(0).uniform(low, high, (count, robot.dof))
    start = time.monotonic()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    # The number of each row travels with it: Ray Data keeps no order.
    rows = ray.data.from_numpy(np.column_stack([np.arange(count), q]))
    found = rows.map_batches(
        Collides, fn_constructor_args=(robot,), concurrency=1, batch_size=50_000
    ).sort("id")
    hits = np.concatenate([batch["hit"] for batch in found.iter_batches(batch_size=None)])
    ray.shutdown()
    rate = count / (time.monotonic() - start)
    return bool(np.array_equal(hits, clearance.Checker(robot).collides(q))), rate


if __name__ == "__main__":
    same, speed = main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    print(f"{'the same as' if same else 'other answers than'} in one process, {speed:.0f} configurations/s")
