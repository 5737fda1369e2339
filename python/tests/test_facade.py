"""Every name of the Rust facade is reachable from Python, or a line here says why not."""

import pathlib
import re

import clearance

FACADE = pathlib.Path(__file__).parents[2] / "crates" / "clearance" / "src" / "lib.rs"

# Rust's name: what Python has, from `clearance.` on. An argument is named behind its function.
PYTHON = {
    "BoundingVolume": None,  # It changes times, never answers; the default is the fastest.
    "Capsule": "Capsule",
    "Cell": "VoxelMap.set(cell)",
    "CheckOptions": "Checker.set_options",
    "Checker": "Checker",
    "Cone": "Cone",
    "Contacts": "Contacts",
    "ContactsRequest": "Pair.contacts(max_contacts)",
    "ConvexPolyhedron": "Convex",
    "Cuboid": "Box",
    "Cylinder": "Cylinder",
    "DepthCamera": "VoxelMap.integrate_depth(intrinsics)",
    "Dispatcher": None,  # Pair tests of one's own are Rust: a callback would wait for the interpreter.
    "Distance": "Distance",
    "DistanceRequest": "Pair.distance(max_distance)",
    "Edge": "Edges",
    "Ellipsoid": "Ellipsoid",
    "Error": "Error",
    "ErrorKind": "InvalidValueError",
    "Geometry": "Geometry",
    "HalfSpace": "HalfSpace",
    "HeightField": "HeightField",
    "Hit": "Hit",
    "IntoGeometry": "Scene.add(geometry)",
    "JointSpec": "RobotBuilder.joint",
    "LinkGeometry": "RobotBuilder.link",
    "LinkShape": "RobotBuilder.link(geometries)",
    "Mesh": "Mesh",
    "MeshOptions": "Mesh.load(scale)",
    "Motion": "Motion",
    "MotionRequest": "Checker.edges(tolerance)",
    "Pair": "Pair",
    "Penetration": "Penetration",
    "PenetrationRequest": "Pair.penetration(rel_err)",
    "Plane": "Plane",
    "PointCloud": "PointCloud",
    "Pose": "pose",
    "Quat": "pose(quat)",
    "Ray": "Geometry.rays",
    "Result": "Error",
    "Robot": "Robot",
    "RobotBuilder": "RobotBuilder",
    "RobotDistance": "Distance.gradient",
    "Scene": "Scene",
    "SignedDistance": "Distance.signed",
    "Sphere": "Sphere",
    "Status": "Distance.status",
    "Threads": "Checker.collides(threads)",
    "TimeOfImpact": "Impact.status",
    "UrdfOptions": "Robot.load(package_dirs)",
    "Vec3": "Distance.point_a",
    "VoxelMap": "VoxelMap",
    "World": "World",
    # Modules: the same names, and the crates below with what few programs name.
    "prelude": None,
    "engine": "Pair.time_of_impact(tolerance)",
    "io": "PointCloud.load",
    "robot": "Checker.prepare_for_planning(table_cells)",
    "scene": "picture(eye)",
    "viewer": "Viewer",
    "NearPair": "NearPairs",
}


def names_of_the_facade():
    text = re.sub(r"(?m)^\s*//.*$", "", FACADE.read_text())
    # The prelude repeats names.
    text = re.sub(r"pub mod prelude \{.*?\n\}", "pub mod prelude;", text, flags=re.DOTALL)
    names = set(re.findall(r"pub mod (\w+)", text))
    for path in re.findall(r"pub use ([^;]+);", text):
        group = re.search(r"\{(.*)\}", path, re.DOTALL)
        for item in (group.group(1) if group else path.rsplit("::", 1)[-1]).split(","):
            if item.strip():
                names.add(item.split(" as ")[-1].strip())
    return names


def test_every_name_has_its_place():
    found = names_of_the_facade()
    assert 50 < len(found) <= 60
    assert found - PYTHON.keys() == set(), "the facade has names that Python lacks"
    assert PYTHON.keys() - found == set(), "the facade has these no more"
    left_out = [name for name, place in PYTHON.items() if place is None]
    assert len(left_out) <= 3


def test_what_stands_there_exists():
    for place in filter(None, PYTHON.values()):
        name, _, argument = place.removesuffix(")").partition("(")
        thing = clearance
        for part in name.split("."):
            # Fields of answers without a default are annotations.
            fields = getattr(thing, "__dataclass_fields__", {})
            thing = fields[part] if part in fields else getattr(thing, part)
        if argument:
            assert argument in accepted(thing), place


def accepted(thing):
    import inspect

    if inspect.isclass(thing):
        return (thing.__doc__ or "") + str(thing.__text_signature__)
    return str(inspect.signature(thing))
