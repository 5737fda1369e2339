"""Open3D's RaycastingScene (Embree) on one thread, measured. Reads commands on standard input, answers each with one line:
  load FILE            a mesh: its counts of vertices and triangles (u64), then vertices (f64) and indices (u32)  -> ok
  rays FILE            rays: origin and direction (f32) each  -> microseconds for all
  points FILE RESULTS  points (f32)  -> microseconds for all; their signed distances (f32) go to RESULTS
Times are CPU time of the process, of one call for all."""
import sys
import time

import numpy as np
import open3d as o3d


def load(path):
    with open(path, "rb") as file:
        vertices, triangles = np.fromfile(file, "<u8", 2).astype(int)
        points = np.fromfile(file, "<f8", 3 * vertices).reshape(-1, 3).astype(np.float32)
        indices = np.fromfile(file, "<u4", 3 * triangles).reshape(-1, 3)
    scene = o3d.t.geometry.RaycastingScene(nthreads=1)
    scene.add_triangles(o3d.core.Tensor(points), o3d.core.Tensor(indices))
    return scene


def timed(work):
    start = time.process_time()
    result = work()
    return (time.process_time() - start) * 1e6, result


scene = None
for line in sys.stdin:
    command, *words = line.split()
    if command == "load":
        scene = load(words[0])
        print("ok", flush=True)
    elif command == "rays":
        rays = o3d.core.Tensor(np.fromfile(words[0], "<f4").reshape(-1, 6))
        print(timed(lambda: scene.cast_rays(rays, nthreads=1))[0], flush=True)
    else:
        points = o3d.core.Tensor(np.fromfile(words[0], "<f4").reshape(-1, 3))
        took, distances = timed(lambda: scene.compute_signed_distance(points, nthreads=1))
        distances.numpy().astype("<f4").tofile(words[1])
        print(took, flush=True)
