"""What Python costs, and how fast pinocchio with coal is, measured in one run.

``python -m clearance.bench`` takes the Panda of the package `example-robot-data` where it is
installed, the file of ``--urdf``, or the built-in humanoid. Both sides of a comparison take turns,
and the least time counts.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from . import Checker, JointMap, Mesh, Robot, humanoid
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


def clock(call: Callable[[], Any]) -> float:
    """The seconds of a call on a clock: for several threads."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def sample(robot: Robot, count: int) -> Floats:
    """Configurations within the limits; within ±π where there are none."""
    low, high = np.maximum(robot.lower, -np.pi), np.minimum(robot.upper, np.pi)
    return np.random.default_rng(0).uniform(low, high, (count, robot.dof))


def overhead(checker: Checker, count: int) -> dict[str, float]:
    """Microseconds for one configuration: one by one and in a batch, in Rust and in Python."""
    q = sample(checker.robot, count)
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


def torus(around: int = 200, across: int = 50) -> Mesh:
    """A closed mesh of 20,000 triangles, 2 m wide."""
    u, v = np.meshgrid(np.arange(around), np.arange(across), indexing="ij")
    a, b = u * (2 * np.pi / around), v * (2 * np.pi / across)
    radius = 0.7 + 0.3 * np.cos(b)
    vertices = np.stack([radius * np.cos(a), radius * np.sin(a), 0.3 * np.sin(b)], axis=-1).reshape(-1, 3)

    def number(i: Any, j: Any) -> Any:
        return i % around * across + j % across

    quad = [number(u, v), number(u + 1, v), number(u + 1, v + 1), number(u, v + 1)]
    faces = np.concatenate([np.stack([quad[0], quad[i], quad[i + 1]], axis=-1).reshape(-1, 3) for i in (1, 2)])
    return Mesh(vertices, faces, solid=True)


def points(count: int) -> dict[str, float]:
    """Microseconds for the signed distance of one point of many from a mesh, in Rust and in Python."""
    mesh = torus()
    cloud = np.random.default_rng(0).uniform(-1.5, 1.5, (count, 3))
    rust, python = least(
        5, lambda: timed(lambda: mesh._engine(cloud)), lambda: timed(lambda: mesh.signed_distance(cloud))
    )
    return {"rust": rust / count * 1e6, "python": python / count * 1e6}


def against_pinocchio(
    files: tuple[pathlib.Path, pathlib.Path, pathlib.Path], count: int
) -> dict[str, float] | None:
    """The same configurations by pinocchio with coal, and here by a plain checker and by one that
    is prepared for planning; None where pinocchio is not installed."""
    try:
        import pinocchio as pin
    except ImportError:
        return None
    urdf, srdf, share = files
    model = pin.buildModelFromUrdf(str(urdf))
    geometry = pin.buildGeomFromUrdf(model, str(urdf), pin.GeometryType.COLLISION, package_dirs=[str(share)])
    geometry.addAllCollisionPairs()
    pin.removeCollisionPairs(model, geometry, str(srdf))
    data, geometry_data = model.createData(), geometry.createData()
    robot = Robot.load(urdf, srdf, [share])
    checker, prepared = Checker(robot), Checker(robot)
    prepared.prepare_for_planning(threads=0)
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

    def one_by_one(checker: Checker) -> Callable[[], float]:
        def loop() -> None:
            for row in ours:
                checker.collides(row)

        return lambda: timed(loop)

    seconds, single, fast = least(5, lambda: timed(theirs), one_by_one(checker), one_by_one(prepared))
    # Batches are ten times as many: on several threads a few milliseconds are mostly starts.
    columns, many = np.asfortranarray(np.tile(rows, (10, 1)).T), np.tile(ours, (10, 1))
    kinds = ["BroadPhaseManagerPool", "TreeBroadPhaseManagerPool"]
    makers = [pin.GeometryPool] + [getattr(pin, f"{kind}_DynamicAABBTreeCollisionManager") for kind in kinds]
    threads = os.cpu_count() or 1

    def batches(count: int) -> list[float]:
        """Seconds: theirs at its best, plain, prepared."""
        measure = timed if count == 1 else clock

        def pooled(pool: Any) -> Callable[[], Any]:
            return lambda: pin.computeCollisionsInParallel(count, pool, columns, True, False)

        calls = [pooled(maker(model, geometry, count)) for maker in makers]
        calls += [lambda: checker.collides(many, threads=count), lambda: prepared.collides(many, threads=count)]
        *pools, plain, ready = least(7, *(lambda call=call: measure(call) for call in calls))
        return [min(pools), plain, ready]

    one, several = batches(1), batches(threads)
    expected = checker.collides(ours)
    return {
        "pinocchio": seconds / count * 1e6,
        "one": single / count * 1e6,
        "one_prepared": fast / count * 1e6,
        "pinocchio_batch": one[0] / len(many) * 1e6,
        "batch": one[1] / len(many) * 1e6,
        "batch_prepared": one[2] / len(many) * 1e6,
        "threads": float(threads),
        "pinocchio_threads": several[0] / len(many) * 1e6,
        "batch_threads": several[1] / len(many) * 1e6,
        "batch_threads_prepared": several[2] / len(many) * 1e6,
        "disagreements": float(np.sum(np.array(verdicts) != expected) + np.sum(prepared.collides(ours) != expected)),
        "colliding": float(np.sum(verdicts)),
    }


def compared(what: str, rust: float, python: float) -> None:
    """Prints one line: what Python costs."""
    extra = f"+{python - rust:.2f} µs" if python > rust else "no more"
    print(f"{what:34} Rust {rust:7.3f} µs   Python {python:7.3f} µs   {extra}, {python / rust - 1:+.1%}")


def main(arguments: list[str] | None = None) -> int:
    """Prints the tables."""
    parser = argparse.ArgumentParser(prog="python -m clearance.bench", description=__doc__)
    parser.add_argument("--urdf", type=pathlib.Path, help="another robot")
    parser.add_argument("--srdf", type=pathlib.Path)
    parser.add_argument("--packages", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--count", type=int, default=100_000, help="configurations of a batch")
    parser.add_argument("--points", type=int, default=1_000_000, help="points of a batch")
    options = parser.parse_args(arguments)
    files = panda_files()
    if options.urdf is not None:
        robot = Robot.load(options.urdf, options.srdf, options.packages)
    elif files is not None:
        robot = Robot.load(files[0], files[1], [files[2]])
    else:
        print("SKIPPED: example-robot-data is not installed; the built-in humanoid instead")
        robot = humanoid()
    print(f"{robot!r}, {options.count} configurations, {options.points} points, one thread, least times")
    checker = Checker(robot)
    for words in ("", ", prepared"):
        found = overhead(checker, options.count)
        compared(f"collides(q){words}", found["one_rust"], found["one_python"])
        compared(f"collides(Q){words}", found["batch_rust"], found["batch_python"])
        if not words:
            start = time.monotonic()
            checker.prepare_for_planning(threads=0)
            print(f"prepare_for_planning takes {time.monotonic() - start:.1f} s")
    measured = points(options.points)
    compared("mesh.signed_distance(points)", measured["rust"], measured["python"])
    peer = None if files is None or options.urdf is not None else against_pinocchio(files, 3000)
    if peer is None:
        print("SKIPPED: pinocchio or example-robot-data is not installed")
        return 0
    print(f"against pinocchio + coal: {peer['disagreements']:.0f} disagreements, {peer['colliding']:.0f} of 3000 collide")
    for what, theirs, *ours in (
        ("one by one", "pinocchio", "one", "one_prepared"),
        ("best batch, 1 thread", "pinocchio_batch", "batch", "batch_prepared"),
        (f"best batch, {peer['threads']:.0f} threads", "pinocchio_threads", "batch_threads", "batch_threads_prepared"),
    ):
        here = ", ".join(f"{peer[name]:.3f} µs ({peer[theirs] / peer[name]:.1f}×)" for name in ours)
        print(f"{what:24} {peer[theirs]:7.2f} µs   here, plain and prepared: {here}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
