"""Does a robot touch itself?"""

import clearance as cl
import data


def main() -> None:
    checker = cl.Checker(cl.Robot.load(data.robot_file()))
    hit = checker.self_collision(checker.robot.default)
    print(f"{hit.a} touches {hit.b}" if hit else "collision-free")


if __name__ == "__main__":
    main()
