"""Do two meshes touch?"""

import clearance as cl
import data


def main() -> None:
    a, b = map(cl.Mesh.load, data.mesh_files())
    print("in collision" if cl.Pair(a, b).collides(cl.pose([0.1, 0, 0])) else "collision-free")


if __name__ == "__main__":
    main()
