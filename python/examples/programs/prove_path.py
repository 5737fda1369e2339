"""Is a path through joint space collision-free? Proven, not sampled."""

import clearance as cl
import data


def main() -> None:
    checker = cl.Checker(cl.Robot.load(data.robot_file()), cl.Scene.load(data.scene_file()))
    edges = checker.edges(data.WAYPOINTS[:-1], data.WAYPOINTS[1:])
    for i, status in enumerate(edges.status):
        print(f"segment {i}: {status}, {edges.clearance[i]:.3f} m of clearance")


if __name__ == "__main__":
    main()
