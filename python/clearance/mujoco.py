"""Robots and scenes of MuJoCo models (MJCF)."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from . import _clearance as c
from ._arrays import Floats
from ._builder import RobotBuilder
from ._errors import UnsupportedError
from ._poses import pose

_PLANE, _HEIGHTS, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(8)
_FREE, _BALL, _SLIDE, _HINGE = range(4)


def _compiled(model: Any) -> Any:
    """An `MjModel` of a model, an `MjSpec`, MJCF text or the path of a file."""
    if hasattr(model, "nbody"):
        return model
    if hasattr(model, "compile"):
        return model.compile()
    import mujoco

    if isinstance(model, str) and model.lstrip().startswith("<"):
        return mujoco.MjModel.from_xml_string(model)
    return mujoco.MjModel.from_xml_path(os.fspath(model))


def _shape(model: Any, geom: int) -> c.Geometry:
    kind, size = int(model.geom_type[geom]), [float(x) for x in model.geom_size[geom]]
    if kind == _SPHERE:
        return c.Sphere(size[0])
    if kind == _CAPSULE:
        return c.Capsule(size[0], 2 * size[1])
    if kind == _CYLINDER:
        return c.Cylinder(size[0], 2 * size[1])
    if kind == _BOX:
        return c.Box([2 * x for x in size])
    if kind == _ELLIPSOID:
        return c.Ellipsoid(size)
    if kind == _PLANE:
        return c.HalfSpace([0, 0, 1])
    if kind == _MESH:
        mesh = int(model.geom_dataid[geom])
        first, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        # MuJoCo collides the convex hulls of meshes.
        return c.Convex(model.mesh_vert[first : first + count].astype(np.float64))
    if kind == _HEIGHTS:
        field = int(model.geom_dataid[geom])
        wide, deep, high, base = (float(x) for x in model.hfield_size[field])
        rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
        first = int(model.hfield_adr[field])
        heights = model.hfield_data[first : first + rows * columns].astype(np.float64).reshape(rows, columns)
        spacing = (2 * wide / (columns - 1), 2 * deep / (rows - 1))
        # MuJoCo's lies around its origin, ours begins there.
        return c.Compound([(c.HeightField(high * heights, spacing, -base), pose([-wide, -deep, 0]))])
    raise UnsupportedError(f"geom {geom} of the MuJoCo model is of type {kind}, which has no geometry here")


def _place(position: Any, quaternion: Any) -> Floats:
    return pose(position, quat=quaternion, order="wxyz")


def _turned(axis: Any, angle: float) -> Floats:
    x, y, z = np.asarray(axis, dtype=np.float64) / np.linalg.norm(axis) * np.sin(angle / 2)
    return pose(quat=[x, y, z, np.cos(angle / 2)])


def _name(model: Any, kind: str, number: int) -> str:
    return str(getattr(model, kind)(number).name) or f"{kind}{number}"


def _collides(model: Any, geom: int) -> bool:
    return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])


def load(model: Any) -> tuple[c.Robot, c.Scene]:
    """The moving bodies of a MuJoCo model as a robot, and what is fixed in its world as a scene.

    Args:
        model: an `MjModel`, an `MjSpec`, MJCF text, or the path of an MJCF file.

    Geoms that collide with nothing are left out. Meshes become their convex hulls, as in MuJoCo.
    Bodies that MuJoCo does not check against each other are not checked here.
    `JointMap.from_mujoco` turns `qpos` into configurations.
    """
    model = _compiled(model)
    builder, scene = RobotBuilder("mujoco").link("world"), c.Scene()
    names = ["world"] + [_name(model, "body", body) for body in range(1, model.nbody)]
    geoms: list[list[int]] = [[] for _ in range(model.nbody)]
    for geom in range(model.ngeom):
        if _collides(model, geom):
            geoms[int(model.geom_bodyid[geom])].append(geom)
    # Where the body's frame is in the link that stands for it.
    shift = [np.eye(4) for _ in range(model.nbody)]
    for body in range(1, model.nbody):
        parent = int(model.body_parentid[body])
        frame = shift[parent] @ _place(model.body_pos[body], model.body_quat[body])
        link, offset = names[parent], np.eye(4)
        first = int(model.body_jntadr[body])
        joints = range(first, first + int(model.body_jntnum[body]))
        for joint in joints:
            last = joint == joints[-1]
            child = names[body] if last else f"{names[body]}/{_name(model, 'joint', joint)}"
            if not last:
                builder.link(child)
            offset = _joint(builder, model, joint, (link, child), frame @ offset)
            link, frame = child, np.eye(4)
        if not joints:
            builder.joint(f"{names[body]}/fixed", link, names[body], "fixed", origin=frame)
        shift[body] = offset
        shapes = []
        for geom in geoms[body]:
            local = _place(model.geom_pos[geom], model.geom_quat[geom])
            shapes.append((_shape(model, geom), offset @ local))
        if int(model.body_weldid[body]) == 0:
            _add_fixed(scene, model, body, geoms[body])
            shapes = []
        builder.link(names[body], shapes)
    _add_fixed(scene, model, 0, geoms[0])
    for a, b in _filtered(model, geoms):
        builder.disable(names[a], names[b])
    return builder.build(), scene


def _joint(builder: RobotBuilder, model: Any, joint: int, ends: tuple[str, str], frame: Floats) -> Floats:
    """Adds a joint; returns where the body's frame is in the child link."""
    name, kind = _name(model, "joint", joint), int(model.jnt_type[joint])
    start = float(model.qpos0[int(model.jnt_qposadr[joint])])
    if kind == _FREE:
        builder.joint(name, *ends, "floating")
        return np.eye(4)
    if kind == _BALL:
        raise UnsupportedError(f"joint '{name}' of the MuJoCo model is a ball joint")
    axis, anchor = model.jnt_axis[joint], pose(model.jnt_pos[joint])
    limits = tuple(float(x) for x in model.jnt_range[joint]) if model.jnt_limited[joint] else None
    if kind == _SLIDE:
        origin = frame @ anchor @ pose(-start * np.asarray(axis))
        bounds = (-1e6, 1e6) if limits is None else (limits[0], limits[1])
        builder.joint(name, *ends, "prismatic", axis=axis, limits=bounds, origin=origin)
    else:
        origin = frame @ anchor @ _turned(axis, -start)
        if limits is None:
            builder.joint(name, *ends, "continuous", axis=axis, origin=origin)
        else:
            bounds = (limits[0], limits[1])
            builder.joint(name, *ends, "revolute", axis=axis, limits=bounds, origin=origin)
    return pose(-np.asarray(model.jnt_pos[joint]))


def _add_fixed(scene: c.Scene, model: Any, body: int, geoms: list[int]) -> None:
    world = np.eye(4)
    while body:
        world = _place(model.body_pos[body], model.body_quat[body]) @ world
        body = int(model.body_parentid[body])
    for geom in geoms:
        local = _place(model.geom_pos[geom], model.geom_quat[geom])
        scene.add(_name(model, "geom", geom), _shape(model, geom), world @ local)


def _filtered(model: Any, geoms: list[list[int]]) -> list[tuple[int, int]]:
    """Pairs of bodies that MuJoCo does not check."""
    excluded = {(int(s) >> 16, int(s) & 0xFFFF) for s in model.exclude_signature}
    pairs = []
    for a in range(1, model.nbody):
        for b in range(a + 1, model.nbody):
            weld_a, weld_b = int(model.body_weldid[a]), int(model.body_weldid[b])
            above = [int(model.body_weldid[int(model.body_parentid[w])]) for w in (weld_a, weld_b)]
            related = 0 not in (weld_a, weld_b) and (weld_a == above[1] or weld_b == above[0])
            bits = any(
                int(model.geom_contype[g]) & int(model.geom_conaffinity[h])
                or int(model.geom_contype[h]) & int(model.geom_conaffinity[g])
                for g in geoms[a]
                for h in geoms[b]
            )
            if weld_a == weld_b or related or not bits or {(a, b), (b, a)} & excluded:
                pairs.append((a, b))
    return pairs
