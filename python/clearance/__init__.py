"""Certified proximity queries for robots.

Do these collide, how far apart are they, how deep, where, and until when? A :class:`Pair` answers
questions about two geometries, a :class:`Checker` about a robot in its :class:`Scene`.

>>> import clearance, numpy as np
>>> pair = clearance.Pair(clearance.Box([1, 1, 1]), clearance.Sphere(0.5))
>>> round(pair.distance(clearance.pose(xyz=[2, 0, 0])).upper, 12)
1.0

A distance is an interval ``lower <= distance <= upper``, certified against rounding. A motion that
is called free is proven free at every time. Poses are named ``a_from_b``: they map coordinates of
frame B to frame A. Lengths are in metres.
"""

from ._builder import RobotBuilder
from ._clearance import (
    Box,
    Capsule,
    Checker,
    Compound,
    Cone,
    Convex,
    Cylinder,
    Distance,
    Ellipsoid,
    Geometry,
    HalfSpace,
    HeightField,
    Hit,
    Mesh,
    Motion,
    Pair,
    Plane,
    PointCloud,
    Robot,
    Scene,
    Sphere,
    VoxelMap,
    World,
    humanoid,
    kitchen,
)
from ._errors import (
    Error,
    FileError,
    FormatError,
    GeometryError,
    InternalError,
    InvalidValueError,
    MissingFileError,
    NamingError,
    StaleError,
    TooLargeError,
    UnsupportedError,
)
from ._joints import JointMap
from ._pictures import picture
from ._poses import pose
from ._results import (
    Clearances,
    Contacts,
    Decomposition,
    Distances,
    Edges,
    Gradient,
    Impact,
    NearPairs,
    Penetration,
    PointDistances,
    RayHits,
    Reach,
    Verdict,
)
from ._viewer import Viewer, page, recording, show

__all__ = [
    "Box",
    "Capsule",
    "Checker",
    "Clearances",
    "Compound",
    "Cone",
    "Contacts",
    "Convex",
    "Cylinder",
    "Decomposition",
    "Distance",
    "Distances",
    "Edges",
    "Ellipsoid",
    "Error",
    "FileError",
    "FormatError",
    "Geometry",
    "GeometryError",
    "Gradient",
    "HalfSpace",
    "HeightField",
    "Hit",
    "Impact",
    "InternalError",
    "InvalidValueError",
    "JointMap",
    "Mesh",
    "MissingFileError",
    "Motion",
    "NamingError",
    "NearPairs",
    "Pair",
    "Penetration",
    "Plane",
    "PointCloud",
    "PointDistances",
    "RayHits",
    "Reach",
    "Robot",
    "RobotBuilder",
    "Scene",
    "Sphere",
    "StaleError",
    "TooLargeError",
    "UnsupportedError",
    "Verdict",
    "Viewer",
    "VoxelMap",
    "World",
    "humanoid",
    "kitchen",
    "page",
    "picture",
    "pose",
    "recording",
    "show",
]
