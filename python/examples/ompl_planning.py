"""OMPL plans for a robot; its motion validator proves every edge free."""

from __future__ import annotations

from typing import Any

import numpy as np
from arm import arm
from ompl import base as ob
from ompl import geometric as og

import clearance


class ProvenMotions(ob.MotionValidator):  # type: ignore[misc]
    """Edges that are free at every time, not at samples."""

    def __init__(self, information: Any, checker: clearance.Checker) -> None:
        super().__init__(information)
        self.checker, self.dof = checker, checker.robot.dof

    def configuration(self, state: Any) -> list[float]:
        """The numbers of an OMPL state."""
        return [state[i] for i in range(self.dof)]

    def checkMotion(self, first: Any, second: Any, *_: Any) -> bool:
        """What OMPL calls."""
        answer: bool = self.checker.edges_free(self.configuration(first), self.configuration(second))
        return answer


def main(seconds: float = 10.0) -> tuple[int, bool]:
    """The number of states of a path, and whether all of it is proven free."""
    checker = arm()
    # Verdicts get several times as fast, and stay the same.
    checker.prepare_for_planning(threads=0)
    robot = checker.robot
    space = ob.RealVectorStateSpace(robot.dof)
    bounds = ob.RealVectorBounds(robot.dof)
    for i in range(robot.dof):
        bounds.setLow(i, float(robot.lower[i]))
        bounds.setHigh(i, float(robot.upper[i]))
    space.setBounds(bounds)
    information = ob.SpaceInformation(space)

    def is_valid(state: Any) -> bool:
        answer: bool = checker.is_free([state[i] for i in range(robot.dof)])
        return answer

    information.setStateValidityChecker(is_valid)
    validator = ProvenMotions(information, checker)
    information.setMotionValidator(validator)
    information.setup()
    start, goal = space.allocState(), space.allocState()
    for i, (a, b) in enumerate(zip([-0.7, 0.9, 0.9, 0.2, 0.0], [0.7, 0.9, 0.9, 0.2, 0.0], strict=True)):
        start[i], goal[i] = a, b
    problem = ob.ProblemDefinition(information)
    problem.setStartAndGoalStates(start, goal)
    planner = og.RRTConnect(information)
    planner.setProblemDefinition(problem)
    planner.setup()
    if not planner.solve(ob.timedPlannerTerminationCondition(seconds)):
        return 0, False
    states = problem.getSolutionPath().getStates()
    q = np.array([validator.configuration(state) for state in states])
    return len(q), bool(np.all(checker.edges_free(q[:-1], q[1:])))


if __name__ == "__main__":
    count, proven = main()
    print(f"a path of {count} states, {'proven free' if proven else 'not proven'}")
