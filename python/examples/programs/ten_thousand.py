"""Ten thousand configurations on all cores."""

import clearance as cl
import data


def main() -> None:
    checker = cl.Checker(cl.Robot.load(data.robot_file()), cl.Scene.load(data.scene_file()))
    free = checker.is_free(data.configurations(checker.robot, 10_000), threads=0)
    print(f"{free.sum()} of {len(free)} are collision-free")


if __name__ == "__main__":
    main()
