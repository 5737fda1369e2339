"""What Python costs, and how fast pinocchio with coal is, measured in one run.

``python -m clearance.bench`` takes the Panda of the package `example-robot-data` where it is
installed, the file of ``--urdf``, or the built-in humanoid. Both sides of a comparison take turns,
and the least time counts.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from . import Checker, JointMap, Robot, humanoid
from ._arrays import Floats


def panda_files() -> tuple[pathlib.Path, pathlib.Path, pathlib.Path] | None:
    """URDF file, SRDF file and package folder of the Panda of `example-robot-data`."""
    for folder in map(pathlib.Path, sys.path):
        share = folder / "cmeel.prefix" / "share"
        panda = share / "example-robot-data" / "robots" / "panda_description"
        if (panda / "urdf" / "panda.urdf").exists():
            return panda / "urdf" / "panda.urdf", panda / "srdf" / "panda.srdf", share
    return None


def least(repeats: int, *calls: Callable[[], float]) -> list[float]:
    """The least of what calls return, which take turns."""
    times = [[call() for call in calls] for _ in range(repeats)]
    return [min(column) for column in zip(*times, strict=True)]


def timed(call: Callable[[], Any]) -> float:
    """The processor's seconds of a call on this thread: others on the machine do not count."""
    start = time.thread_time()
    call()
    return time.thread_time() - start


def sample(robot: Robot, count: int) -> Floats:
    """Configurations within the limits; within ±π where there are none."""
    low, high = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    return np.random.default_rng(0).uniform(low, high, (count, robot.dof))


def overhead(robot: Robot, count: int) -> dict[str, float]:
    """Microseconds for one configuration: one by one and in a batch, in Rust and in Python."""
    checker = Checker(robot)
    q = sample(robot, count)
    few = q[: min(count, 10_000)]
    rows = list(few)

    def loop() -> None:
        collides = checker.collides
        for row in rows:
            collides(row)

    one_rust, one_python = least(
        15, lambda: timed(lambda: checker._engine(few, batch=False)), lambda: timed(loop)
    )
    batch_rust, batch_python = least(
        9, lambda: timed(lambda: checker._engine(q, batch=True)), lambda: timed(lambda: checker.collides(q))
    )
    return {
        "one_rust": one_rust / len(few) * 1e6,
        "one_python": one_python / len(few) * 1e6,
        "batch_rust": batch_rust / count * 1e6,
        "batch_python": batch_python / count * 1e6,
    }


def against_pinocchio(
    files: tuple[pathlib.Path, pathlib.Path, pathlib.Path], count: int
) -> dict[str, float] | None:
    """The same configurations by pinocchio with coal; None where it is not installed."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    urdf, srdf, share = files
    model = pin.buildModelFromUrdf(str(urdf))
    geometry = pin.buildGeomFromUrdf(model, str(urdf), pin.GeometryType.COLLISION, str(share))
    geometry.addAllCollisionPairs()
    pin.removeCollisionPairs(model, geometry, str(srdf))
    data, geometry_data = model.createData(), geometry.createData()
    robot = Robot.load(urdf, srdf, [share])
    checker = Checker(robot)
    order = JointMap.from_pinocchio(robot, model)
    low, high = model.lowerPositionLimit, model.upperPositionLimit
    rows = np.random.default_rng(0).uniform(low, high, (count, model.nq))
    # The fingers move together here: one variable of ours is two of pinocchio's.
    ours = order(rows)
    following = [i for i in range(model.nq) if i not in set(order.columns.tolist())]
    for column in following:
        rows[:, column] = rows[:, int(order.columns[-1])]
    verdicts: list[bool] = []

    def theirs() -> None:
        verdicts.clear()
        for row in rows:
            verdicts.append(pin.computeCollisions(model, data, geometry, geometry_data, row, True))

    mine: list[bool] = []

    def one_by_one() -> None:
        mine.clear()
        for row in ours:
            mine.append(checker.collides(row))

    seconds, single, batch = least(
        5, lambda: timed(theirs), lambda: timed(one_by_one), lambda: timed(lambda: checker.collides(ours))
    )
    columns = np.asfortranarray(rows.T)
    kinds = ["BroadPhaseManagerPool", "TreeBroadPhaseManagerPool"]
    makers = [pin.GeometryPool] + [getattr(pin, f"{kind}_DynamicAABBTreeCollisionManager") for kind in kinds]
    pools = [maker(model, geometry, 1) for maker in makers]

    def pooled(pool: Any) -> Callable[[], float]:
        return lambda: timed(lambda: pin.computeCollisionsInParallel(1, pool, columns, True, False))

    best = min(least(3, *map(pooled, pools)))
    return {
        "pinocchio": seconds / count * 1e6,
        "pinocchio_batch": best / count * 1e6,
        "one": single / count * 1e6,
        "batch": batch / count * 1e6,
        "disagreements": float(np.sum(np.array(verdicts) != checker.collides(ours))),
        "colliding": float(np.sum(verdicts)),
    }


def main(arguments: list[str] | None = None) -> int:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m clearance.bench", description=__doc__)
    parser.add_argument("--urdf", type=pathlib.Path, help="another robot")
    parser.add_argument("--srdf", type=pathlib.Path)
    parser.add_argument("--packages", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--count", type=int, default=100_000, help="configurations of a batch")
    options = parser.parse_args(arguments)
    files = panda_files()
    if options.urdf is not None:
        robot = Robot.load(options.urdf, options.srdf, options.packages)
    elif files is not None:
        robot = Robot.load(files[0], files[1], [files[2]])
    else:
        print("SKIPPED: example-robot-data is not installed; the built-in humanoid instead")
        robot = humanoid()
    print(f"{robot!r}, {options.count} configurations, one thread, least times")
    found = overhead(robot, options.count)
    extra = found["one_python"] - found["one_rust"]
    share = found["batch_python"] / found["batch_rust"] - 1
    print(f"collides(q)  Rust {found['one_rust']:.2f} µs  Python {found['one_python']:.2f} µs  +{extra:.2f} µs")
    print(f"collides(Q)  Rust {found['batch_rust']:.2f} µs  Python {found['batch_python']:.2f} µs  {share:+.1%}")
    peer = None if files is None or options.urdf is not None else against_pinocchio(files, 3000)
    if peer is None:
        print("SKIPPED: pinocchio or example-robot-data is not installed")
        return 0
    print(
        f"pinocchio + coal {peer['pinocchio']:.1f} µs one by one, {peer['pinocchio_batch']:.1f} µs in its "
        f"batch; here {peer['one']:.2f} and {peer['batch']:.2f} µs: "
        f"{peer['pinocchio'] / peer['one']:.0f}× and {peer['pinocchio_batch'] / peer['batch']:.0f}×; "
        f"{peer['disagreements']:.0f} disagreements, {peer['colliding']:.0f} collide"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
