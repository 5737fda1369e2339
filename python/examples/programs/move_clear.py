"""Moves a robot until it is 5 cm clear of everything: it follows the gradient of the nearest pair."""

import numpy as np

import clearance as cl
import data


def main() -> None:
    checker = cl.Checker(cl.Robot.load(data.robot_file()), cl.Scene.load(data.scene_file()))
    q = data.IN_THE_SHELF.copy()
    for step in range(100):
        near = checker.near(q, 0.05)
        # What no joint moves stays where it is.
        signed = np.where(np.abs(near.gradient).max(axis=1, initial=0) > 0.01, near.signed, np.inf)
        if not np.isfinite(signed).any():
            break
        i = int(np.argmin(signed))
        print(f"step {step}: {near.a[i]} is {signed[i] * 1e3:.1f} mm from {near.b[i]}")
        q += (0.051 - signed[i]) / (near.gradient[i] @ near.gradient[i]) * near.gradient[i]
    print(f"clear at {q.round(3)}")


if __name__ == "__main__":
    main()
