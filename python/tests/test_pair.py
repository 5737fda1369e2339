"""Geometries and pairs against numbers known in advance."""

import math

import numpy as np
import pytest
from conftest import box_mesh, data

import clearance
from clearance import pose

CUBE = box_mesh()
SHAPES = {
    "mesh": clearance.Mesh(*CUBE),
    "solid": clearance.Mesh(*CUBE, solid=True),
    "box": clearance.Box([1, 1, 1]),
    "sphere": clearance.Sphere(0.5),
    "cylinder": clearance.Cylinder(0.5, 1),
    "capsule": clearance.Capsule(0.5, 1),
    "cone": clearance.Cone(0.5, 1),
    "ellipsoid": clearance.Ellipsoid([0.5, 0.5, 0.5]),
    "convex": clearance.Convex(CUBE[0]),
    "cloud": clearance.PointCloud(CUBE[0], 0.0),
    "compound": clearance.Compound([clearance.Box([1, 1, 1])]),
    "height field": clearance.HeightField(np.zeros((3, 3)), 0.5, base=-1),
    "half-space": clearance.HalfSpace([1, 0, 0], 0.5),
}


@pytest.mark.parametrize("a", [n for n in SHAPES if n not in ("height field", "half-space", "cone", "cloud")])
@pytest.mark.parametrize("b", ["mesh", "box", "sphere", "cylinder", "capsule", "convex"])
def test_things_of_width_one_are_as_far_apart_as_their_centres_less_one(a, b):
    pair = clearance.Pair(SHAPES[a], SHAPES[b])
    found = pair.distance(pose([3, 0, 0]))
    assert found.lower <= 2.0 <= found.upper + 1e-12
    assert found.upper - found.lower < 1e-9
    assert math.isclose(np.linalg.norm(found.point_b - found.point_a), found.upper, abs_tol=1e-9)
    assert np.allclose(found.normal, [1, 0, 0], atol=1e-6)
    assert pair.collides(pose([0.9, 0, 0]))
    assert not pair.collides(pose([1.1, 0, 0]))
    assert pair.is_within(pose([3, 0, 0]), 2.1) and not pair.is_within(pose([3, 0, 0]), 1.9)


def test_what_is_inside_touches_solids_alone():
    inside = clearance.Sphere(0.1)
    assert not clearance.Pair(SHAPES["mesh"], inside).collides(np.eye(4))
    assert clearance.Pair(SHAPES["solid"], inside).collides(np.eye(4))
    assert clearance.Pair(SHAPES["mesh"].solid(), inside).collides(np.eye(4))
    assert SHAPES["solid"].is_solid and not SHAPES["mesh"].is_solid


def test_batches_are_the_single_answers():
    pair = clearance.Pair(SHAPES["mesh"], SHAPES["sphere"])
    rng = np.random.default_rng(1)
    poses = np.stack([pose(xyz, rpy=rpy) for xyz, rpy in rng.uniform(-1.5, 1.5, (300, 2, 3))])
    singles = [pair.collides(one) for one in poses]
    assert 30 < sum(singles) < 270
    for threads in (1, 2, 0):
        assert pair.collides(poses, threads=threads).tolist() == singles
        found = pair.distance(poses, threads=threads)
        assert len(found) == 300 and found.point_a.shape == (300, 3)
        assert np.array_equal(found.upper == 0, singles)
        for i in (0, 17, 299):
            one = pair.distance(poses[i])
            assert (one.lower, one.upper) == (found.lower[i], found.upper[i])
    assert pair.collides(np.zeros((0, 4, 4))).shape == (0,)
    assert len(pair.distance(np.zeros((0, 7)))) == 0


def test_signed_distance_of_convex_pairs():
    pair = clearance.Pair(SHAPES["box"], SHAPES["sphere"])
    apart, deep = pair.signed_distance(pose([2, 0, 0])), pair.signed_distance(pose([0.75, 0, 0]))
    assert apart.lower <= 1.0 <= apart.upper + 1e-12
    assert deep.lower - 1e-9 <= -0.25 <= deep.upper + 1e-9
    assert np.allclose(deep.normal, [1, 0, 0], atol=1e-6)
    both = pair.signed_distance(np.stack([pose([2, 0, 0]), pose([0.75, 0, 0])]))
    assert both.upper.tolist() == [apart.upper, deep.upper]
    depth = pair.penetration(pose([0.75, 0, 0]))
    assert depth.lower - 1e-9 <= 0.25 <= depth.upper + 1e-9
    assert pair.penetration(pose([2, 0, 0])) is None


def test_contacts_and_their_table():
    pair = clearance.Pair(SHAPES["mesh"], SHAPES["mesh"])
    found = pair.contacts(pose([0.5, 0.3, 0.2]))
    assert found and found.colliding and len(found) == len(found.points) > 4
    assert np.allclose(np.linalg.norm(found.normal, axis=1), 1)
    assert pair.contacts(pose([0.5, 0.3, 0.2]), max_contacts=2).truncated
    near = pair.contacts(pose([1.05, 0, 0]), margin=0.1)
    assert not near.colliding and len(near) > 0 and np.all(near.distance > 0.049)


def test_time_of_impact():
    pair = clearance.Pair(SHAPES["box"], SHAPES["sphere"])
    hit = pair.time_of_impact(pose([5, 0, 0]), pose([-5, 0, 0]))
    assert hit.status == "contact" and hit.t[0] <= 0.4 + 1e-9 and abs(hit.t[1] - 0.4) < 1e-5
    assert np.allclose(hit.normal, [1, 0, 0], atol=1e-3)
    free = pair.time_of_impact(pose([5, 0, 0]), linear=[0, 1, 0], duration=2)
    assert free.free and free.free_until == 2 and free.margin > 0
    with pytest.raises(ValueError, match="not both"):
        pair.time_of_impact(np.eye(4), np.eye(4), linear=[1, 0, 0])


def test_hulls_and_decompositions():
    mesh = SHAPES["solid"]
    assert mesh.convex_hull() == clearance.Convex(mesh.vertices)
    corners, faces = CUBE
    two = clearance.Mesh(
        np.vstack([corners, corners + [3, 0, 0]]), np.vstack([faces, faces + 8]), solid=True
    )
    made = two.decompose(0.01)
    assert len(made.parts) == 2 and made.error < 0.01 and made.status == "ErrorMet"
    assert clearance.Pair(made.geometry(), clearance.Sphere(0.1)).collides(pose([3, 0, 0]))
    assert not clearance.Pair(made.geometry(), clearance.Sphere(0.1)).collides(pose([1.5, 0, 0]))
    with pytest.raises(clearance.GeometryError):
        clearance.Mesh(corners, faces[:-1]).decompose(0.01)


def test_voxel_maps(tmp_path):
    grid = clearance.VoxelMap(0.1)
    rays, hits, misses = grid.insert_rays([0, 0, 0], [[1.05, 0.05, 0.05], [0.05, 1.05, 0.05]])
    assert (rays, hits) == (2, 2) and misses > 10
    assert grid.cells([[1.05, 0.05, 0.05], [0.55, 0.05, 0.05]]) == ["obstacle", "free"]
    before = grid.obstacles()
    assert clearance.Pair(grid, clearance.Sphere(0.2)).collides(pose([1, 0, 0]))
    grid.set([[1.05, 0.05, 0.05]], "free")
    assert not clearance.Pair(grid, clearance.Sphere(0.2)).collides(pose([1, 0, 0]))
    assert clearance.Pair(before, clearance.Sphere(0.2)).collides(pose([1, 0, 0]))
    for name in ("map.bt", "map.ot"):
        grid.save(tmp_path / name)
        again = clearance.VoxelMap.load(tmp_path / name)
        assert again.resolution == 0.1
        assert np.array_equal(again.boxes()["center"], grid.boxes()["center"])
    depth = np.full((3, 4), 2.0, np.float32)
    seen = clearance.VoxelMap(0.05)
    for intrinsics in ([4, 4, 1.5, 1], [[4, 0, 1.5], [0, 4, 1], [0, 0, 1]]):
        seen.clear()
        assert seen.integrate_depth(depth, intrinsics, pose())[1] == 12
        assert clearance.Pair(seen, clearance.Sphere(0.1)).collides(pose([0.25, 0, 2]))
    with pytest.raises(ValueError, match=r"depth has the shape \(2, 3, 4\)"):
        seen.integrate_depth(np.zeros((2, 3, 4)), [4, 4, 1, 1])


def test_octomap_file():
    grid = clearance.VoxelMap.load(data("env/geb079.bt"))
    boxes = grid.boxes()
    assert len(boxes["size"]) > 1000
    assert clearance.Pair(grid, clearance.Sphere(0.01)).collides(pose(boxes["center"][0]))


def test_files_and_trimesh(tmp_path):
    trimesh = pytest.importorskip("trimesh", reason="SKIPPED: trimesh is not installed")
    shape = trimesh.creation.icosphere(subdivisions=2)
    shape.export(tmp_path / "ball.stl")
    loaded = clearance.Mesh.load(tmp_path / "ball.stl", solid=True, scale=0.5)
    direct = clearance.Pair(shape, loaded).distance(pose([3, 0, 0]))
    assert direct.lower <= 1.5 + 1e-6 and direct.upper >= 1.5 - 1e-6
    cloud = tmp_path / "points.xyz"
    np.savetxt(cloud, np.eye(3))
    assert clearance.PointCloud.load(cloud, 0.1).points.tolist() == np.eye(3).tolist()


def test_worlds():
    world = clearance.World(margin=0.1)
    for i in range(10):
        world.add(str(i), clearance.Sphere(0.5), pose([2 * i, 0, 0]))
    world.step()
    assert world.pairs == [] and len(world) == 10
    world.move("3", pose([4.5, 0, 0]))
    world.step()
    assert world.began == [("2", "3")]
    world.exclude("2", "3")
    world.remove("9")
    world.step()
    assert world.pairs == [] and world.ended == [("2", "3")] and "9" not in world.names
    with pytest.raises(clearance.NamingError, match="no body '9'"):
        world.move("9", np.eye(4))


def test_pictures():
    assert clearance.picture(SHAPES["mesh"]).startswith(b"\x89PNG")
    assert SHAPES["half-space"]._repr_png_() is None
    assert SHAPES["capsule"]._repr_png_().startswith(b"\x89PNG")


def test_signed_distance_of_solid_meshes():
    solid = SHAPES["solid"]
    pair = clearance.Pair(solid, solid)
    deep, apart = pair.signed_distance(pose([0.9, 0.2, 0.1])), pair.signed_distance(pose([1.5, 0, 0]))
    assert deep.lower - 1e-9 <= -0.1 <= deep.upper + 1e-9 and deep.normal[0] > 0.9
    assert apart.lower <= 0.5 <= apart.upper + 1e-12
    with pytest.raises(clearance.UnsupportedError, match="surface without an inside"):
        clearance.Pair(SHAPES["mesh"], solid).signed_distance(np.eye(4))


@pytest.mark.parametrize("name", ["mesh", "solid", "box", "sphere", "convex", "compound"])
def test_rays_and_points(name):
    shape = SHAPES[name]
    hits = shape.rays([-3, 0.05, 0.02], [[1, 0, 0], [2, 0, 0], [-1, 0, 0]])
    edge = -0.5 if name != "sphere" else -np.sqrt(0.25 - 0.05**2 - 0.02**2)
    assert np.allclose(hits.t[:2], [3 + edge, (3 + edge) / 2]) and hits.hit.tolist() == [True, True, False]
    assert np.allclose(hits.point[0], [edge, 0.05, 0.02]) and hits.normal[0, 0] < -0.9
    assert not shape.rays([-3, 0, 0], [[1, 0, 0]], max_t=1).hit[0] and hits.leaf[2] == -1
    found = shape.signed_distance([[2, 0.01, 0.02], [0.4, 0.01, 0.02]])
    assert np.all(found.lower <= found.upper) and np.all(found.lower <= found.distance + 1e-12)
    assert np.isclose(found.distance[0], 1.5, atol=1e-3) and np.isclose(found.distance[1], -0.1, atol=1e-3)
    assert np.allclose(found.gradient[0], [1, 0, 0], atol=0.02)
    assert len(shape.signed_distance(np.zeros((0, 3)))) == 0 and len(found.to_dict()) == 10
    with pytest.raises(ValueError, match="origins has 2 rows and directions has 1"):
        shape.rays(np.zeros((2, 3)), [[1, 0, 0]])
    with pytest.raises(ValueError, match="direction"):
        shape.rays([0, 0, 0], [[0, 0, 0]])
