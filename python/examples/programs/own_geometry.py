"""A geometry of your own inside a robot's scene: a fence of 64 posts, made of what there is."""

import clearance as cl
import data


def main() -> None:
    posts = [(cl.Capsule(0.02, 1.0), cl.pose([0, 0.1 * i, 0.5])) for i in range(64)]
    checker = cl.Checker(cl.Robot.load(data.robot_file()))
    checker.scene.add("fence", cl.Compound(posts), cl.pose([0.8, -3, 0]))
    d = checker.scene_distance(checker.robot.default)
    print(f"{d.a} is {d.upper:.3f} m from {d.b}")


if __name__ == "__main__":
    main()
