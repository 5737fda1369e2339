"""A point cloud, of Open3D or a plain array, as an obstacle of the built-in humanoid."""

from __future__ import annotations

import numpy as np

import clearance


def main() -> tuple[float, float]:
    """The distance of the humanoid from a cloud, and from the plane that it samples."""
    rng = np.random.default_rng(0)
    points = rng.uniform([1.2, -1, 0.2], [1.2, 1, 2], (50_000, 3))
    try:
        import open3d

        cloud = open3d.geometry.PointCloud(open3d.utility.Vector3dVector(points))
        points = np.asarray(cloud.points)
    except (ImportError, OSError):
        pass  # NumPy's array will do.
    robot = clearance.humanoid()
    checker = clearance.Checker(robot)
    checker.scene.add("cloud", clearance.PointCloud(points, 0.01))
    sampled = checker.scene_distance(robot.default).upper
    checker.scene.remove("cloud")
    checker.scene.add("sheet", clearance.Box([0.02, 2.02, 1.82]), clearance.pose([1.2, 0, 1.1]))
    return sampled, checker.scene_distance(robot.default).upper


if __name__ == "__main__":
    print("{:.4f} m from the cloud, {:.4f} m from the sheet that it samples".format(*main()))
