"""Obstacles that move, tick by tick: nothing is rebuilt."""

import clearance as cl
import data


def main() -> None:
    checker = cl.Checker(cl.Robot.load(data.robot_file()))
    q, scene = checker.robot.default, checker.scene
    for i in range(20):
        scene.add(f"crate {i}", cl.Box([0.2, 0.2, 0.2]), data.orbit(i, 0))
    for tick in range(100):
        for i in range(20):
            scene.move(f"crate {i}", data.orbit(i, tick))
        if hit := checker.collision(q):
            print(f"tick {tick}: {hit.a} touches {hit.b}")


if __name__ == "__main__":
    main()
