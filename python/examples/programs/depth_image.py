"""A depth camera's voxel map, and the robot in it."""

import clearance as cl
import data


def main() -> None:
    checker, grid = cl.Checker(cl.Robot.load(data.robot_file())), cl.VoxelMap(0.05)
    grid.integrate_depth(*data.depth_image())
    checker.scene.replace("map", grid)
    d = checker.scene_distance(checker.robot.default)
    print(f"the robot is {d.upper} m from what the camera saw")


if __name__ == "__main__":
    main()
