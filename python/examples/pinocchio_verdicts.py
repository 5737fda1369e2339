"""The Panda in pinocchio with coal and here: the same verdicts and distances, other times."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

import clearance
from clearance.bench import against_pinocchio, panda_files


def main(count: int = 3000) -> dict[str, float]:
    """Disagreements of verdicts, the largest difference of distances, and times."""
    files = panda_files()
    if files is None:
        raise ImportError("example-robot-data is not installed")
    found = against_pinocchio(files, count)
    assert found is not None
    found["difference"] = largest_difference(files, 100)
    return found


def largest_difference(files: tuple[object, object, object], count: int) -> float:
    """Of the distances of the nearest links."""
    urdf, srdf, share = map(str, files)
    model = pin.buildModelFromUrdf(urdf)
    geometry = pin.buildGeomFromUrdf(model, urdf, pin.GeometryType.COLLISION, package_dirs=[share])
    geometry.addAllCollisionPairs()
    pin.removeCollisionPairs(model, geometry, srdf)
    data, geometry_data = model.createData(), geometry.createData()
    robot = clearance.Robot.load(urdf, srdf, [share])
    checker = clearance.Checker(robot)
    order = clearance.JointMap.from_pinocchio(robot, model)
    rng = np.random.default_rng(1)
    largest = 0.0
    for row in rng.uniform(model.lowerPositionLimit, model.upperPositionLimit, (count, model.nq)):
        row[-1] = row[-2]
        pin.computeDistances(model, data, geometry, geometry_data, row)
        theirs = min(max(one.min_distance, 0.0) for one in geometry_data.distanceResults)
        largest = max(largest, abs(theirs - checker.distance(order(row)).upper))
    return largest


if __name__ == "__main__":
    answer = main()
    print(
        f"{answer['disagreements']:.0f} disagreements, distances within {answer['difference']:.1e} m, "
        f"{answer['pinocchio'] / answer['one']:.0f}× one by one"
    )
