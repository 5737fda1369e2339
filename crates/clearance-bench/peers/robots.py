"""pinocchio with coal, measured. Reads commands on standard input, answers each with one line:
  load FILE      a robot: JSON, and the meshes in the file beside it (see pinocchio.rs)   -> number of pairs
  sweep QUERY    QUERY: self-collide | self-distances | self-distance | environment | verdict | near | near-gradients -> microseconds a configuration
  answers QUERY                                                                            -> a number for each configuration (or pair)
A configuration is one call into C++, which does the kinematics too. Times are CPU time of the thread, the least of three repeats,
of those that fit into 50 ms, or of as many as fit into 2 s. There is no minimum over pairs in pinocchio: self-distance computes
all distances, as self-distances does. There is no limit of the distance either: near computes all of them, and near-gradients
the joints' Jacobians and, for pairs nearer than 10 cm, the row of each; the rows' Python is a small part of that. Meshes get the volumes that pinocchio gives to those it loads, OBBRSS."""
import json
import os
import sys
import time

import coal
import numpy as np
import pinocchio as pin

# How near counts as near, in metres.
NEAR = 0.1


def pose(rows):
    rows = np.array(rows).reshape(3, 4)
    return pin.SE3(rows[:, :3].copy(), rows[:, 3].copy())


def read_mesh(file, counts):
    vertices = np.fromfile(file, "<f8", 3 * counts[0]).reshape(-1, 3)
    triangles = np.fromfile(file, "<u4", 3 * counts[1]).reshape(-1, 3)
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(triangles), len(vertices))
    model.addVertices(vertices)
    model.addTriangles(triangles.astype(np.int64))
    model.endModel()
    # pinocchio's loader does so, too.
    model.computeLocalAABB()
    assert (model.num_vertices, model.num_tris) == tuple(counts)
    return model


def read_geometry(file, kind, size):
    if kind == "mesh":
        return read_mesh(file, size)
    if kind == "cubes":
        count, edge = size
        return coal.makeOctree(np.fromfile(file, "<f8", 3 * int(count)).reshape(-1, 3), edge)
    return {"box": coal.Box, "sphere": coal.Sphere, "cylinder": coal.Cylinder, "capsule": coal.Capsule}[kind](*size)


class Robot:
    """A model, its geometries and configurations; with a base that moves, if there are bases."""

    def __init__(self, scene, geometries, bases=None):
        root = [] if bases is None else [pin.JointModelFreeFlyer()]
        self.model = pin.buildModelFromUrdf(scene["urdf"], *root)
        self.data = self.model.createData()
        self.geometry = pin.GeometryModel()
        for number, (described, shape) in enumerate(zip(scene["geometries"], geometries)):
            frame = self.model.frames[self.model.getFrameId(described["link"], pin.FrameType.BODY)]
            placement = frame.placement * pose(described["pose"])
            self.geometry.addGeometryObject(pin.GeometryObject(f"{number}", frame.parentJoint, placement, shape))
        self.names = {number: described["link"] for number, described in enumerate(scene["geometries"])}
        self.configurations = [self.configuration(scene["joints"], values) for values in scene["configurations"]]
        if bases is not None:
            for q, base in zip(self.configurations, bases):
                q[:7] = pin.SE3ToXYZQUAT(pose(base))

    def configuration(self, names, values):
        q = pin.neutral(self.model)
        for name, value in zip(names, values):
            joint = self.model.joints[self.model.getJointId(name)]
            # A joint without limits has a cosine and a sine.
            q[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
        return q

    def look_at(self, pairs):
        self.links = [tuple(self.names.get(part, part) for part in pair) for pair in pairs]
        for a, b in pairs:
            self.geometry.addCollisionPair(pin.CollisionPair(a, b))
        self.answers = pin.GeometryData(self.geometry)

    def collide(self, q):
        return pin.computeCollisions(self.model, self.data, self.geometry, self.answers, q, True)

    def distances(self, q):
        pin.computeDistances(self.model, self.data, self.geometry, self.answers, q)

    def near(self):
        """The numbers of the pairs that are near, and their distances: of each two links the nearest."""
        least = {}
        for number, (links, result) in enumerate(zip(self.links, self.answers.distanceResults)):
            distance = max(result.min_distance, 0.0)
            if distance < NEAR and distance < least.get(links, (0, NEAR))[1]:
                least[links] = (number, distance)
        return least.values()

    def gradients(self, q):
        self.distances(q)
        pin.computeJointJacobians(self.model, self.data)
        return [self.row(number) for number, _ in self.near()]

    def row(self, number):
        """The derivative of a distance by the joints' velocities."""
        pair, result = self.geometry.collisionPairs[number], self.answers.distanceResults[number]
        points = [result.getNearestPoint1(), result.getNearestPoint2()]
        row = 0.0
        for sign, part, point in [(-1, pair.first, points[0]), (1, pair.second, points[1])]:
            joint = self.geometry.geometryObjects[part].parentJoint
            jacobian = pin.getJointJacobian(self.model, self.data, joint, pin.LOCAL_WORLD_ALIGNED)
            arm = point - self.data.oMi[joint].translation
            row = row + sign * (result.normal @ jacobian[:3] + np.cross(arm, result.normal) @ jacobian[3:])
        return row


class Scene:
    def __init__(self, path):
        with open(path) as file:
            scene = json.load(file)
        with open(os.path.splitext(path)[0] + ".bin", "rb") as file:
            geometries = [read_geometry(file, part["kind"], part["size"]) for part in scene["geometries"]]
            room = [read_geometry(file, part["kind"], part["size"]) for part in scene["room"]]
        self.kept = None
        self.alone = Robot(scene, geometries)
        self.alone.look_at(scene["pairs"])
        self.placed, self.both = Robot(scene, geometries, scene["bases"]), Robot(scene, geometries, scene["bases"])
        for robot, pairs in [(self.placed, []), (self.both, scene["pairs"])]:
            walls = [
                robot.geometry.addGeometryObject(pin.GeometryObject(f"room{n}", 0, pose(described["pose"]), shape))
                for n, (described, shape) in enumerate(zip(scene["room"], room))
            ]
            robot.look_at(pairs + [(part, wall) for part in range(len(geometries)) for wall in walls])

    def work(self, query):
        both = {"verdict": self.both, "near": self.both, "near-gradients": self.both}
        robot = {"environment": self.placed, **both}.get(query, self.alone)
        asks = {"self-collide": robot.collide, "verdict": robot.collide, "near-gradients": robot.gradients}
        return robot, asks.get(query, robot.distances)

    def sweep(self, query):
        robot, ask = self.work(query)
        shortest, runs, start = float("inf"), 0, time.perf_counter()
        while True:
            before = time.thread_time_ns()
            for q in robot.configurations:
                ask(q)
            shortest = min(shortest, time.thread_time_ns() - before)
            runs, spent = runs + 1, time.perf_counter() - start
            if spent > 2 or (runs >= 3 and spent > 0.05):
                return [shortest / 1e3 / len(robot.configurations)]

    def all_distances(self, query):
        """A row of distances for each configuration; those of the robot alone are kept, as they serve two queries."""
        robot, ask = self.work(query)
        if robot is self.alone and self.kept is not None:
            return self.kept
        rows = []
        for q in robot.configurations:
            ask(q)
            rows.append([max(result.min_distance, 0.0) for result in robot.answers.distanceResults])
        if robot is self.alone:
            self.kept = rows
        return rows

    def all_answers(self, query):
        robot, ask = self.work(query)
        if ask == robot.collide:
            return [float(ask(q)) for q in robot.configurations]
        if query.startswith("near"):
            values = []
            for q in robot.configurations:
                ask(q)
                # A pair at the edge of the range counts for nothing: it may be in one list alone.
                values.append(sum(NEAR - distance for _, distance in robot.near()))
            return values
        rows = self.all_distances(query)
        return [d for row in rows for d in row] if query == "self-distances" else [min(row) for row in rows]


def main():
    scene = None
    for line in sys.stdin:
        command, _, rest = line.strip().partition(" ")
        if command == "load":
            scene = Scene(rest)
            numbers = [len(scene.alone.geometry.collisionPairs)]
        else:
            numbers = {"sweep": scene.sweep, "answers": scene.all_answers}[command](rest)
        print(*numbers, flush=True)


main()
