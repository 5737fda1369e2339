"""The curve along which two meshes intersect, as a picture."""

import clearance as cl
import data


def main() -> None:
    a, b = map(cl.Mesh.load, data.mesh_files())
    a_from_b, path = cl.pose([0.1, 0.02, 0.01]), data.output("contacts.png")
    contacts = cl.Pair(a, b).contacts(a_from_b)
    path.write_bytes(cl.picture([a, (b, a_from_b)], marks=contacts, eye=[0.5, -0.6, 0.5], size=(800, 600)))
    print(f"{len(contacts)} contacts in {path}")


if __name__ == "__main__":
    main()
