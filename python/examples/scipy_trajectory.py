"""A trajectory that SciPy bends around obstacles, by gradients of signed distances; then proven."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from arm import arm
from scipy.optimize import minimize

import clearance

Floats = npt.NDArray[np.float64]
START, GOAL = np.array([-0.7, 0.9, 0.9, 0.2, 0.0]), np.array([0.7, 0.9, 0.9, 0.2, 0.0])
MARGIN = 0.06


def optimise(checker: clearance.Checker, path: Floats, weight: float) -> Floats:
    """A smoother path with fewer and shallower collisions: its ends stay."""
    inner = path[1:-1].shape

    def cost(numbers: Floats) -> tuple[float, Floats]:
        q = np.vstack([path[:1], numbers.reshape(inner), path[-1:]])
        steps = np.diff(q, axis=0)
        gradient = np.zeros_like(q)
        gradient[:-1] -= 2 * steps
        gradient[1:] += 2 * steps
        # One call for all waypoints; `row` says to which of them a pair belongs.
        near = checker.near(q, MARGIN)
        short = MARGIN - near.signed
        np.add.at(gradient, near.row, -2 * weight * short[:, None] * near.gradient)
        return float(np.sum(steps**2) + weight * np.sum(short**2)), gradient[1:-1].ravel()

    limits = list(zip(checker.robot.lower, checker.robot.upper, strict=True)) * inner[0]
    found = minimize(cost, path[1:-1].ravel(), jac=True, bounds=limits, method="L-BFGS-B")
    return np.vstack([path[:1], found.x.reshape(inner), path[-1:]])


def main(count: int = 24) -> tuple[bool, bool, float]:
    """Whether the straight path and the optimised one are proven free, and the latter's clearance."""
    checker = arm()
    straight = START + np.linspace(0, 1, count)[:, None] * (GOAL - START)
    # A push to one side: straight through a post is as far from either.
    path = straight + np.sin(np.linspace(0, np.pi, count))[:, None] * [0, -0.5, 0.3, 0, 0]
    for weight in (10.0, 100.0, 1000.0):
        path = optimise(checker, path, weight)
    free = [bool(np.all(checker.edges_free(way[:-1], way[1:]))) for way in (straight, path)]
    return free[0], free[1], float(checker.distance(path).lower.min())


if __name__ == "__main__":
    before, after, clearance_kept = main()
    print(f"free before: {before}, proven free after: {after}, {clearance_kept:.3f} m of clearance")
