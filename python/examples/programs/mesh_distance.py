"""How far apart are two meshes?"""

import clearance as cl
import data


def main() -> None:
    a, b = map(cl.Mesh.load, data.mesh_files())
    d = cl.Pair(a, b).distance(cl.pose([0.3, 0, 0.1]))
    print(f"between {d.lower} and {d.upper} m, at {d.point_a} and {d.point_b}")


if __name__ == "__main__":
    main()
