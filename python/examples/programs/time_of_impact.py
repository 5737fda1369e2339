"""When does a falling, turning mesh first touch another one?"""

import clearance as cl
import data


def main() -> None:
    a, b = map(cl.Mesh.load, data.mesh_files())
    falling = cl.Motion.moving(cl.pose([0, 0, 1]), linear=[0, 0, -2], angular=[3, 1, 0])
    print(cl.Pair(a, b).time_of_impact(cl.Motion.still(), motion_a=falling))


if __name__ == "__main__":
    main()
