"""FCL's continuous collision, measured. Reads commands on standard input, answers each with one line:
  load FILE                    two meshes: their counts of vertices and triangles (u64), then vertices (f64) and indices (u32) of each  -> ok
  cast SOLVER MOTION SECONDS FILE   the second mesh along motions: their number (u64), then two poses each (x, y, z, qw, qx, qy, qz)
                               -> microseconds a motion, then 1 or 0 for each motion that was asked about: whether it hits
  overhead                     -> microseconds of a call about two triangles that are far apart: what Python takes, and hardly more
SOLVER: naive (samples, FCL's default: 10) | advancement (conservative advancement, FCL's tolerance of 1e-4).
MOTION: translation | interpolation. A motion is one call into C++; times are CPU time of the thread."""
import sys
import time

import fcl
import numpy as np

SOLVERS = {"naive": fcl.CCDSolverType.CCDC_NAIVE, "advancement": fcl.CCDSolverType.CCDC_CONSERVATIVE_ADVANCEMENT}
MOTIONS = {"translation": fcl.CCDMotionType.CCDM_TRANS, "interpolation": fcl.CCDMotionType.CCDM_LINEAR}


def model(vertices, triangles):
    made = fcl.BVHModel()
    made.beginModel(len(triangles), len(vertices))
    made.addSubModel(vertices, triangles)
    made.endModel()
    return made


def load(path):
    with open(path, "rb") as file:
        counts = np.fromfile(file, "<u8", 4).astype(int)
        models = []
        for vertices, triangles in (counts[:2], counts[2:]):
            corners = np.fromfile(file, "<f8", 3 * vertices).reshape(-1, 3)
            models.append(model(corners, np.fromfile(file, "<u4", 3 * triangles).reshape(-1, 3).astype(np.int64)))
        return models


def transform(row):
    return fcl.Transform(row[3:].copy(), row[:3].copy())


def cast(models, solver, motion, begin, end):
    """Whether it hits, and the seconds that took."""
    still, moving = fcl.CollisionObject(models[0], fcl.Transform()), fcl.CollisionObject(models[1], transform(begin))
    request = fcl.ContinuousCollisionRequest(ccd_solver_type=SOLVERS[solver], ccd_motion_type=MOTIONS[motion])
    result, stays, goal = fcl.ContinuousCollisionResult(), fcl.Transform(), transform(end)
    start = time.thread_time()
    fcl.continuousCollide(still, stays, moving, goal, request, result)
    return result.is_collide, time.thread_time() - start


def casts(models, solver, motion, seconds, path):
    with open(path, "rb") as file:
        count = int(np.fromfile(file, "<u8", 1)[0])
        poses = np.fromfile(file, "<f8", 14 * count).reshape(count, 2, 7)
    spent, hits = 0.0, []
    for begin, end in poses:
        if hits and spent > seconds:
            break
        hit, took = cast(models, solver, motion, begin, end)
        spent += took
        hits.append(int(hit))
    return [spent * 1e6 / max(len(hits), 1)] + hits


def overhead():
    triangle = model(np.eye(3), np.array([[0, 1, 2]]))
    begin, end = np.array([9.0, 0, 0, 1, 0, 0, 0]), np.array([10.0, 0, 0, 1, 0, 0, 0])
    return 1e6 * min(cast([triangle, triangle], "naive", "translation", begin, end)[1] for _ in range(100))


def main():
    models = None
    for line in sys.stdin:
        words = line.split()
        if words[0] == "load":
            models, reply = load(words[1]), ["ok"]
        elif words[0] == "cast":
            reply = casts(models, words[1], words[2], float(words[3]), words[4])
        else:
            reply = [overhead()]
        print(*reply, flush=True)


main()
