"""How near is a robot to the things around it?"""

import clearance as cl
import data


def main() -> None:
    checker = cl.Checker(cl.Robot.load(data.robot_file()), cl.Scene.load(data.scene_file()))
    checker.scene.add("table", cl.Box([1.2, 0.8, 0.05]), cl.pose([0.9, 0, 0.4]))
    d = checker.distance(checker.robot.default)
    print(f"{d.a} is {d.upper * 1e3:.1f} mm from {d.b}")


if __name__ == "__main__":
    main()
