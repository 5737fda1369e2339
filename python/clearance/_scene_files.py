"""Scene files: JSON that lists objects, with meshes, clouds and maps in files beside it."""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

import numpy as np

from . import _clearance as c
from ._arrays import Floats
from ._errors import Error, FormatError, MissingFileError, UnsupportedError


def load(path: pathlib.Path) -> c.Scene:
    """Reads a scene; what is wrong with a file is said in the engine's words."""
    path = pathlib.Path(path)
    if path.suffix.lower() != ".json":
        scene = c.Scene()
        scene.add(path.name, c.Mesh.load(path))
        return scene
    if not path.exists():
        raise MissingFileError(f"{path}: there is no such file; correct the path")
    # The engine reads the file too: it checks every field and has the words for what is wrong.
    c.Scene._check(path)
    made: dict[tuple[Any, ...], c.Geometry] = {}
    scene = c.Scene()
    for one in json.loads(path.read_text(encoding="utf-8"))["objects"]:
        geometry = _geometry(one, path.parent, made)
        scene.add(one["name"], geometry, one.get("pose"), quat="wxyz")
    return scene


def _scale(one: dict[str, Any]) -> Floats:
    return np.broadcast_to(np.asarray(one.get("scale", 1.0), dtype=np.float64), (3,))


def _geometry(
    one: dict[str, Any], folder: pathlib.Path, made: dict[tuple[Any, ...], c.Geometry]
) -> c.Geometry:
    scale = _scale(one)
    x, _, z = (float(factor) for factor in scale)
    if "box" in one:
        return c.Box(np.asarray(one["box"], dtype=np.float64) * scale)
    if "sphere" in one:
        return c.Sphere(one["sphere"] * x)
    if "cylinder" in one:
        return c.Cylinder(one["cylinder"]["radius"] * x, one["cylinder"]["length"] * z)
    if "capsule" in one:
        return c.Capsule(one["capsule"]["radius"] * x, one["capsule"]["length"] * x)
    if "cone" in one:
        return c.Cone(one["cone"]["radius"] * x, one["cone"]["length"] * z)
    if "ellipsoid" in one:
        return c.Ellipsoid(np.asarray(one["ellipsoid"], dtype=np.float64) * scale)
    if "halfspace" in one:
        return c.HalfSpace(one["halfspace"]["normal"], one["halfspace"]["offset"])
    kind = next((kind for kind in ("mesh", "points", "octomap") if kind in one), None)
    if kind is None:
        raise FormatError(f"object '{one['name']}' is of no known kind")
    key = (kind, one[kind], *scale, one.get("solid"), one.get("radius"))
    if key not in made:
        file = folder / one[kind]
        if kind == "mesh":
            made[key] = c.Mesh.load(file, one.get("solid", False), scale=scale)
        elif kind == "octomap":
            made[key] = c.VoxelMap.load(file).obstacles()
        else:
            cloud = c.PointCloud.load(file, one["radius"])
            same = np.all(scale == 1.0)
            made[key] = cloud if same else c.PointCloud(cloud.points * scale, one["radius"])
    return made[key]


def _quaternion(m: Floats) -> list[float]:
    """The unit quaternion w, x, y, z of a rotation, by its largest part."""
    t = np.array([1 + m[0, 0] - m[1, 1] - m[2, 2], 1 - m[0, 0] + m[1, 1] - m[2, 2]])
    t = np.append(t, [1 - m[0, 0] - m[1, 1] + m[2, 2], 1 + m[0, 0] + m[1, 1] + m[2, 2]])
    yz, zx, xy = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    sxy, sxz, syz = m[0, 1] + m[1, 0], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1]
    rows = {
        0: [yz, t[0], sxy, sxz],
        1: [zx, sxy, t[1], syz],
        2: [xy, sxz, syz, t[2]],
        3: [t[3], yz, zx, xy],
    }
    q = np.array(rows[int(np.argmax(t))])
    return [float(x) for x in q / np.linalg.norm(q)]


def save(scene: c.Scene, path: pathlib.Path) -> None:
    """Writes a scene, and files beside it named after the scene and the object."""
    path = pathlib.Path(path)
    if path.suffix.lower() != ".json":
        raise FormatError(f"{path}: a scene is saved as a file whose name ends in .json")
    objects = []
    files: dict[int, str] = {}
    for name in scene:
        geometry, pose = scene[name]
        one: dict[str, Any] = {"name": name, **_saved(name, geometry, path, files)}
        if not np.array_equal(pose, np.eye(4)):
            one["pose"] = [*(float(x) for x in pose[:3, 3]), *_quaternion(pose[:3, :3])]
        objects.append(one)
    path.write_text(json.dumps({"objects": objects}, indent=1), encoding="utf-8")


def _saved(name: str, g: c.Geometry, path: pathlib.Path, files: dict[int, str]) -> dict[str, Any]:
    if isinstance(g, c.Box):
        return {"box": g.size.tolist()}
    if isinstance(g, c.Sphere):
        return {"sphere": g.radius}
    if isinstance(g, (c.Cylinder, c.Capsule, c.Cone)):
        return {type(g).__name__.lower(): {"radius": g.radius, "length": g.length}}
    if isinstance(g, c.Ellipsoid):
        return {"ellipsoid": g.half_axes.tolist()}
    if isinstance(g, c.HalfSpace):
        return {"halfspace": {"normal": g.normal.tolist(), "offset": g.offset}}

    def beside(suffix: str) -> pathlib.Path:
        plain = re.sub(r"[^A-Za-z0-9_.-]+", "-", name)
        return path.with_name(f"{path.stem}-{len(files)}-{plain}{suffix}")

    def once(suffix: str, write: Any) -> str:
        if id(g) not in files:
            file = beside(suffix)
            write(file)
            files[id(g)] = file.name
        return files[id(g)]

    if isinstance(g, c.Convex):
        return {"mesh": once(".obj", lambda file: _write_obj(g.surface(), file)), "solid": True}
    if isinstance(g, c.Mesh):
        return {"mesh": once(".obj", lambda file: _write_obj(g, file)), "solid": g.is_solid}
    if isinstance(g, c.PointCloud):
        return {"points": once(".xyz", lambda file: _write_xyz(g, file)), "radius": g.radius}
    if type(g) is c.Geometry:
        return {"octomap": once(".bt", lambda file: file.write_bytes(_octomap(g)))}
    raise UnsupportedError(f"object '{name}': a scene file cannot hold a {type(g).__name__}")


def _octomap(geometry: c.Geometry) -> bytes:
    try:
        made = geometry.__reduce__()[1][0]
    except TypeError as error:
        raise Error(str(error)) from None
    assert isinstance(made, bytes)
    return made


def _write_obj(mesh: c.Mesh, file: pathlib.Path) -> None:
    with file.open("w", encoding="utf-8") as out:
        for x, y, z in mesh.vertices.tolist():
            out.write(f"v {x!r} {y!r} {z!r}\n")
        for i, j, k in (mesh.faces.astype(np.int64) + 1).tolist():
            out.write(f"f {i} {j} {k}\n")


def _write_xyz(cloud: c.PointCloud, file: pathlib.Path) -> None:
    with file.open("w", encoding="utf-8") as out:
        for x, y, z in cloud.points.tolist():
            out.write(f"{x!r} {y!r} {z!r}\n")
