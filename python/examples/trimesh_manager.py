"""trimesh's CollisionManager without python-fcl."""

from __future__ import annotations

import trimesh

import clearance
from clearance.trimesh import CollisionManager


def main() -> tuple[set[str], float]:
    """What a torus touches, and how far a box is from the nearest object."""
    manager = CollisionManager()
    for i in range(5):
        manager.add_object(f"ball {i}", trimesh.creation.icosphere(radius=0.4), clearance.pose([i, 0, 0]))
    torus = trimesh.creation.torus(major_radius=1.0, minor_radius=0.1)
    _, names = manager.in_collision_single(torus, clearance.pose([1, 0, 0]), return_names=True)
    distance = manager.min_distance_single(trimesh.creation.box(), clearance.pose([2, 2, 0]))
    return names, distance


if __name__ == "__main__":
    touched, apart = main()
    print(f"the torus touches {sorted(touched)}; the box is {apart:.3f} m away")
