"""RRT-Connect on two threads, with a planner of your own: each thread has a copy of the checker, and
every edge of the path that comes back is proven collision-free."""

from __future__ import annotations

import copy
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import clearance as cl
import data

Tree = list[tuple[data.Floats, int]]


def main() -> None:
    checker = cl.Checker(cl.Robot.load(data.robot_file()), cl.Scene.load(data.scene_file()))
    done = threading.Event()
    with ThreadPoolExecutor(2) as pool:
        paths = list(pool.map(lambda seed: plan(copy.copy(checker), seed, done), [1, 2]))
    for path in filter(None, paths):
        q = np.array(path)
        free = checker.edges_free(q[:-1], q[1:]).all()
        print(f"a path of {len(q)} configurations, proven collision-free: {free}")


def plan(checker: cl.Checker, seed: int, done: threading.Event) -> list[data.Floats] | None:
    """Grows a tree from either end until they meet, or another thread has a path."""
    random, robot = np.random.default_rng(seed), checker.robot
    trees: list[Tree] = [[(end, 0)] for end in data.ENDS]
    for turn in range(20_000):
        if done.is_set():
            return None
        grown, other = trees[turn % 2], trees[1 - turn % 2]
        if extend(checker, grown, random.uniform(robot.lower, robot.upper)):
            while extend(checker, other, grown[-1][0]):
                if np.array_equal(other[-1][0], grown[-1][0]):
                    done.set()
                    return branch(trees[0])[::-1] + branch(trees[1])[1:]
    return None


def extend(checker: cl.Checker, tree: Tree, target: data.Floats) -> bool:
    """Adds a step of at most 0.3 from the nearest configuration of the tree, if it is free."""
    far = [float(np.linalg.norm(target - q)) for q, _ in tree]
    nearest = int(np.argmin(far))
    at = tree[nearest][0]
    to = target if far[nearest] <= 0.3 else at + (target - at) * (0.3 / far[nearest])
    if free := bool(checker.edges_free(at, to)):
        tree.append((to, nearest))
    return free


def branch(tree: Tree) -> list[data.Floats]:
    """From the last configuration of a tree to its root."""
    path, at = [tree[-1][0]], len(tree) - 1
    while at != 0:
        at = tree[at][1]
        path.append(tree[at][0])
    return path


if __name__ == "__main__":
    main()
