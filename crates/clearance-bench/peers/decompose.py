"""CoACD and V-HACD, measured. Reads commands on standard input, answers each with one line:
  coacd THRESHOLD FROM TO      -> seconds of CPU time, then the count of vertices of each part
  vhacd MAX_HULLS FROM TO      -> the same
FROM: the counts of vertices and triangles (u64), then vertices (f64) and indices (u32). TO: the parts' vertices (f64).
All other settings are the engines' defaults. CPU time is that of the process, all of its threads together."""
import os
import sys
import time

import numpy as np

# The engines write to standard output: answers go to a copy of it.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)

import coacd
import vhacdx

coacd.set_log_level("error")


def load(path):
    with open(path, "rb") as file:
        vertices, triangles = np.fromfile(file, "<u8", 2).astype(int)
        corners = np.fromfile(file, "<f8", 3 * vertices).reshape(-1, 3)
        return corners, np.fromfile(file, "<u4", 3 * triangles).reshape(-1, 3)


def decompose(engine, setting, vertices, triangles):
    if engine == "coacd":
        return coacd.run_coacd(coacd.Mesh(vertices, triangles.astype(np.int32)), threshold=float(setting))
    faces = np.hstack([np.full((len(triangles), 1), 3, np.uint32), triangles]).ravel()
    return vhacdx.compute_vhacd(vertices, faces, maxConvexHulls=int(setting))


for line in sys.stdin:
    engine, setting, source, target = line.split()
    mesh = load(source)
    start = time.process_time()
    parts = decompose(engine, setting, *mesh)
    seconds = time.process_time() - start
    with open(target, "wb") as file:
        for vertices, _ in parts:
            np.asarray(vertices, "<f8").tofile(file)
    print(seconds, *(len(vertices) for vertices, _ in parts), file=answers, flush=True)
