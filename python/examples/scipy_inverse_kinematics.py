"""Inverse kinematics with SciPy that keeps clear of everything: signed distances and gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from arm import arm
from scipy.optimize import minimize

import clearance

Floats = npt.NDArray[np.float64]
MARGIN = 0.02


def solve(checker: clearance.Checker, target: Floats, start: Floats, *, clear: bool) -> Floats:
    """The configuration nearest to `start` whose tool is at `target`."""
    robot = checker.robot
    tool = robot.link_names.index("tool")

    def reach(q: Floats) -> Floats:
        offset: Floats = robot.link_poses(q)[tool, :3, 3] - target
        return offset

    constraints: list[dict[str, Any]] = [{"type": "eq", "fun": reach}]
    if clear:
        # Within 10 m all pairs are near, so that there are always as many rows, in one order.
        constraints.append(
            {
                "type": "ineq",
                "fun": lambda q: checker.near(q, 10.0).signed - MARGIN,
                "jac": lambda q: checker.near(q, 10.0).gradient,
            }
        )
    found = minimize(
        lambda q: float(np.sum((q - start) ** 2)),
        start,
        jac=lambda q: 2 * (q - start),
        bounds=list(zip(robot.lower, robot.upper, strict=True)),
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 300},
    )
    answer: Floats = found.x
    return answer


def main() -> tuple[float, float, float]:
    """The clearances without and with the constraint, and how far the tool is from its target."""
    checker = arm()
    target = np.array([0.62, 0.02, 0.45])
    start = np.array([0.0, 0.6, 0.8, 0.3, 0.0])
    careless = solve(checker, target, start, clear=False)
    careful = solve(checker, target, start, clear=True)
    tool = checker.link_poses(careful)[-1][:3, 3]
    clearances = [float(checker.near(q, 10.0).signed.min()) for q in (careless, careful)]
    return clearances[0], clearances[1], float(np.linalg.norm(tool - target))


if __name__ == "__main__":
    without, with_it, off = main()
    print(f"without the constraint {without:.3f} m of clearance, with it {with_it:.3f} m, {off:.1e} m off")
