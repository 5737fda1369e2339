"""A hand picks up a cup, carries it, and puts it down."""

import clearance as cl
import data


def main() -> None:
    checker = cl.Checker(cl.Robot.load(data.robot_file()), cl.Scene.load(data.scene_file()))
    checker.attach("cup", cl.Cylinder(0.04, 0.1), "hand", cl.pose([0, 0, 0.12]), ["wrist"])
    start, end = data.CARRYING
    print(f"carrying is proven free: {checker.edges_free(start, end)}")
    print(f"held above the shelf: {checker.collision(end)}")
    checker.scene.add("cup", *checker.detach("cup"))


if __name__ == "__main__":
    main()
