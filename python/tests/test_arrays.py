"""Arrays of all kinds: shapes, types, strides, numbers that are none, other packages."""

import resource
import tracemalloc

import numpy as np
import pytest
from conftest import arm
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clearance
from clearance import pose

ROBOT = arm()
CHECKER = clearance.Checker(ROBOT)
CHECKER.scene.add("wall", clearance.Box([0.1, 2, 2]), pose([0.6, 0, 0.5]))
PAIR = clearance.Pair(clearance.Box([1, 1, 1]), clearance.Sphere(0.5))
Q = np.random.default_rng(5).uniform(-2.5, 2.5, (70, 3))
EXPECTED = CHECKER.collides(Q)
POSES = np.stack([pose(xyz, rpy=xyz[::-1]) for xyz in Q])
TOUCHING = PAIR.collides(POSES)


def some(package):
    return pytest.importorskip(package, reason=f"SKIPPED: {package} is not installed")


def test_layouts_and_types():
    assert 0 < EXPECTED.sum() < 70 and 0 < TOUCHING.sum() < 70
    wide = np.zeros((140, 6))
    wide[::2, ::2] = Q
    backwards = Q[::-1, ::-1].copy()[::-1, ::-1]
    unaligned = np.frombuffer(b"x" + Q.tobytes(), np.uint8)[1:].view(np.float64).reshape(Q.shape)
    assert not unaligned.flags.aligned
    swapped = Q.astype(">f8")
    fixed = Q.copy()
    fixed.flags.writeable = False
    for given_q in (wide[::2, ::2], np.asfortranarray(Q), backwards, unaligned, swapped, fixed, Q.tolist()):
        assert np.array_equal(CHECKER.collides(given_q), EXPECTED)
    single = Q.astype(np.float32)
    assert np.array_equal(CHECKER.collides(single), CHECKER.collides(single.astype(np.float64)))
    whole = np.array([[0, 1, 2], [2, 2, 2]])
    assert np.array_equal(CHECKER.collides(whole), CHECKER.collides(whole.astype(float)))


def test_float64_is_not_copied():
    q = np.zeros((2_000_000, 3))
    before = peak_memory()
    with pytest.raises(ValueError, match=r"q has the shape \(3000000, 2\); expected \(3,\) or \(n, 3\)"):
        CHECKER.collides(q.reshape(-1, 2))
    CHECKER.robot.link_poses(q[:10])
    tracemalloc.start()
    CHECKER.collides(q[:200_000])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # NumPy reports its own memory here; the answer takes 0.2 MB, a copy would take 4.8 MB.
    assert peak < 1_000_000 and peak_memory() - before < 40_000_000


def peak_memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@given(shape=hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=8))
@settings(max_examples=60, deadline=None)
def test_any_shape_is_answered_or_refused_with_its_name(shape):
    array = np.zeros(shape)
    fits = len(shape) in (1, 2) and shape[-1] == 3
    if fits:
        answer = CHECKER.collides(array)
        assert np.shape(answer) == shape[:-1]
    else:
        with pytest.raises(ValueError, match="q has the shape"):
            CHECKER.collides(array)
    if shape in [(7,), (4, 4)] or shape[1:] in [(7,), (4, 4)] and shape[0] != 0:
        with pytest.raises(ValueError, match=r"quaternion|last row|rotation"):
            PAIR.collides(array)
    elif shape[1:] not in [(7,), (4, 4)]:
        with pytest.raises(ValueError, match="pose has the shape"):
            PAIR.collides(array)


@given(
    dtype=st.sampled_from(["f2", "f4", "f8", ">f8", "i1", "i4", "u2", "bool"]),
    stride=st.sampled_from([1, 2, -1]),
    rows=st.integers(0, 5),
)
@settings(max_examples=60, deadline=None)
def test_dtypes_and_strides(dtype, stride, rows):
    base = (np.arange(rows * 3).reshape(rows, 3) % 3 * 0.8).astype(dtype)[::stride]
    plain = np.ascontiguousarray(base, dtype=np.float64)
    assert np.array_equal(CHECKER.collides(base), CHECKER.collides(plain))


@given(
    values=hnp.arrays(np.float64, (2, 3), elements=st.floats(allow_nan=True, allow_infinity=True)),
)
@settings(max_examples=100, deadline=None)
def test_numbers_that_are_none_are_errors_never_answers(values):
    try:
        answers = CHECKER.distance(values)
    except clearance.Error:
        return
    assert np.isfinite(values).all()
    assert not np.isnan(answers.lower).any() and np.all(answers.lower <= answers.upper)


@given(where=st.integers(0, 15), bad=st.sampled_from([np.nan, np.inf, -np.inf, 1e300]))
@settings(max_examples=40, deadline=None)
def test_poses_that_are_none(where, bad):
    matrix = np.eye(4)
    matrix[divmod(where, 4)] = bad
    for ask in (PAIR.collides, PAIR.distance, PAIR.signed_distance):
        with pytest.raises(ValueError):
            ask(matrix)
        with pytest.raises(ValueError, match=r"pose\[1\]"):
            ask(np.stack([np.eye(4), matrix]))


@given(
    vertices=hnp.arrays(np.float64, st.tuples(st.integers(0, 6), st.just(3)),
                        elements=st.floats(-10, 10) | st.just(np.nan)),
    faces=hnp.arrays(np.int64, st.tuples(st.integers(0, 4), st.just(3)), elements=st.integers(-2, 8)),
)
@settings(max_examples=100, deadline=None)
def test_meshes_of_anything(vertices, faces):
    try:
        mesh = clearance.Mesh(vertices, faces)
    except (clearance.Error, ValueError):
        return
    found = clearance.Pair(mesh, clearance.Sphere(0.1)).distance(pose([20, 0, 0]))
    assert 0 < found.lower <= found.upper


def test_what_is_no_number_is_a_type_error():
    for given_q in (["a", "b", "c"], None, object(), [[0, 0, None]], np.zeros(3, complex), {"q": 1}):
        with pytest.raises((TypeError, ValueError)):
            CHECKER.collides(given_q)
    with pytest.raises(ValueError):
        CHECKER.collides([[0, 0, 0], [0, 0]])
    with pytest.raises(TypeError, match="expected a clearance geometry"):
        clearance.Pair(1, 2)
    with pytest.raises(ValueError, match=r"faces names vertex 3; there are 3"):
        clearance.Mesh(np.eye(3), [[0, 1, 3]])
    with pytest.raises(ValueError, match="not whole"):
        clearance.Mesh(np.eye(3), [[0, 1, 1.5]])
    with pytest.raises(ValueError, match="quat is 'abcd'"):
        PAIR.collides(np.zeros(7), quat="abcd")


def test_pose_forms():
    transform = some("scipy.spatial.transform")
    rotations = transform.Rotation.from_matrix(POSES[:, :3, :3])
    sevens = np.hstack([POSES[:, :3, 3], rotations.as_quat()])
    first = np.hstack([POSES[:, :3, 3], np.roll(rotations.as_quat(), 1, axis=1)])
    assert np.array_equal(PAIR.collides(sevens), TOUCHING)
    assert np.array_equal(PAIR.collides(first, quat="wxyz"), TOUCHING)
    rigid = transform.RigidTransform.from_matrix(POSES)
    assert np.array_equal(PAIR.collides(rigid), TOUCHING)
    assert PAIR.collides(rigid[3]) == TOUCHING[3]
    assert PAIR.collides(POSES.tolist()).tolist() == TOUCHING.tolist()
    drake = [type("T", (), {"GetAsMatrix4": lambda self, m=m: m})() for m in POSES]
    assert np.array_equal(PAIR.collides(drake), TOUCHING)


def test_pinocchio_poses():
    pin = some("pinocchio")
    poses = [pin.SE3(matrix) for matrix in POSES]
    assert PAIR.collides(poses[0]) == TOUCHING[0]
    assert np.array_equal(PAIR.collides(poses), TOUCHING)


def test_jax():
    jnp = some("jax.numpy")
    single = jnp.asarray(Q)
    assert np.array_equal(CHECKER.collides(single), CHECKER.collides(np.asarray(single, np.float64)))


def test_torch():
    torch = some("torch")
    assert np.array_equal(CHECKER.collides(torch.from_numpy(Q)), EXPECTED)


def test_arrow_in():
    pa = some("pyarrow")
    array = pa.FixedSizeListArray.from_arrays(pa.array(Q.reshape(-1)), 3)
    assert np.array_equal(CHECKER.collides(array), EXPECTED)
    assert np.array_equal(CHECKER.collides(array[10:20]), EXPECTED[10:20])
    table = pa.table({"q": array})
    assert np.array_equal(CHECKER.collides(table["q"]), EXPECTED)
    with pytest.raises(ValueError, match="nulls"):
        CHECKER.collides(pa.array([[0.0, 0, 0], None], pa.list_(pa.float64(), 3)))


def test_tables_out():
    found = CHECKER.distance(Q)
    frame = some("pandas") and found.to_pandas()
    assert list(frame.columns[:3]) == ["lower", "upper", "signed"] and len(frame) == 70
    assert frame["b"][3] == found.b[3] and np.array_equal(frame["gradient_2"], found.gradient[:, 2], equal_nan=True)
    table = some("pyarrow") and found.to_arrow()
    assert table.num_rows == 70 and table["point_a"].type.list_size == 3
    polars = some("polars") and found.to_polars()
    assert polars.shape[0] == 70
    assert CHECKER.edges(Q[:-1], Q[1:]).to_pandas().shape == (69, 7)


def test_joint_order():
    order = clearance.JointMap(ROBOT, ["joint3", "x", "joint1", "joint2"])
    given_q = np.array([[3.0, 9, 1, 2]])
    assert order(given_q).tolist() == [[1, 2, 3]] and order(given_q[0]).tolist() == [1, 2, 3]
    assert order.columns.tolist() == [2, 3, 0]
    with pytest.raises(clearance.NamingError, match="joint2"):
        clearance.JointMap(ROBOT, ["joint1", "joint3"])
    with pytest.raises(ValueError, match=r"expected \(4,\) or \(n, 4\)"):
        order(np.zeros(3))
