"""An arm of five joints beside a post and under a shelf: what several examples plan for."""

from __future__ import annotations

import clearance

AXES = [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]
LENGTHS = [0.1, 0.4, 0.35, 0.12, 0.08]


def arm() -> clearance.Checker:
    """The checker of the arm in its scene."""
    builder = clearance.RobotBuilder("arm").link("base", [(clearance.Cylinder(0.1, 0.2), clearance.pose([0, 0, 0.1]))])
    parent, origin = "base", clearance.pose([0, 0, 0.2])
    for i, (axis, length) in enumerate(zip(AXES, LENGTHS, strict=True), start=1):
        shape = (clearance.Capsule(0.04, length), clearance.pose([0, 0, length / 2]))
        builder.link(f"link{i}", [shape] if i not in (1, 5) else [])
        builder.joint(
            f"joint{i}", parent, f"link{i}", "revolute", axis=axis, limits=(-2.6, 2.6), origin=origin
        )
        parent, origin = f"link{i}", clearance.pose([0, 0, length])
    builder.link("tool").joint("flange", parent, "tool", "fixed", origin=origin)
    checker = clearance.Checker(builder.build())
    checker.scene.add("floor", clearance.HalfSpace([0, 0, 1], -0.05))
    checker.scene.add("post", clearance.Cylinder(0.06, 0.6), clearance.pose([0.45, 0, 0.25]))
    checker.scene.add("shelf", clearance.Box([0.5, 1, 0.04]), clearance.pose([0.5, 0, 1.1]))
    return checker
