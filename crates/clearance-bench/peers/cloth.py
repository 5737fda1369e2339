"""ipctk's continuous self-collision on one thread, measured. Reads commands on standard input, answers each with one line:
  step MESH END BROAD TOLERANCE  MESH: counts of vertices and triangles (u64), then vertices (f64) and indices (u32); END:
                                 vertices (f64); BROAD: the name of a broad phase
                                 -> milliseconds, and the part of the step that is free: 1 for all of it
Times are CPU time of the process, of one call of compute_collision_free_stepsize."""
import sys
import time

import ipctk
import numpy as np

ipctk.set_num_threads(1)
meshes = {}


def load(path):
    with open(path, "rb") as file:
        vertices, triangles = np.fromfile(file, "<u8", 2).astype(int)
        points = np.fromfile(file, "<f8", 3 * vertices).reshape(-1, 3)
        faces = np.fromfile(file, "<u4", 3 * triangles).reshape(-1, 3).astype(np.int32)
    return ipctk.CollisionMesh(points, ipctk.edges(faces), faces), points


for line in sys.stdin:
    _, path, end, broad, tolerance = line.split()
    if path not in meshes:
        meshes[path] = load(path)
    mesh, start = meshes[path]
    moved = np.fromfile(end, "<f8").reshape(-1, 3)
    narrow = ipctk.TightInclusionCCD(tolerance=float(tolerance), conservative_rescaling=1.0)
    phase = getattr(ipctk, broad)()
    began = time.process_time()
    free = ipctk.compute_collision_free_stepsize(mesh, start, moved, broad_phase=phase, narrow_phase_ccd=narrow)
    print((time.process_time() - began) * 1e3, free, flush=True)
