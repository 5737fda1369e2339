"""A MuJoCo model becomes a robot and a scene; its contacts and ours agree."""

from __future__ import annotations

import mujoco
import numpy as np

import clearance
from clearance.mujoco import load

MJCF = """
<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <geom name="post" type="box" size="0.05 0.05 0.4" pos="0.6 0 0.4"/>
    <body name="base" pos="0 0 0.1">
      <joint name="yaw" type="hinge" axis="0 0 1" range="-170 170"/>
      <geom type="cylinder" size="0.08 0.05"/>
      <body name="upper" pos="0 0 0.15">
        <joint name="shoulder" type="hinge" axis="0 1 0" pos="0 0 0.02" range="-120 120" ref="10"/>
        <geom type="capsule" fromto="0 0 0.05 0 0 0.4" size="0.04"/>
        <body name="fore" pos="0 0 0.45">
          <joint name="elbow" type="hinge" axis="0 1 0" range="-150 150"/>
          <joint name="reach" type="slide" axis="0 0 1" range="0 0.2"/>
          <geom type="capsule" fromto="0 0 0.05 0 0 0.3" size="0.03"/>
          <body name="tool" pos="0 0 0.35" euler="0 0 30">
            <geom type="box" size="0.05 0.02 0.02"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def main(count: int = 2000) -> tuple[int, int]:
    """How many configurations collide, and in how many MuJoCo says otherwise."""
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    robot, scene = load(model)
    # MuJoCo checks no body against the world that it is fixed to; nothing here is.
    checker = clearance.Checker(robot, scene)
    order = clearance.JointMap.from_mujoco(robot, model)
    rng = np.random.default_rng(0)
    low, high = model.jnt_range[:, 0], model.jnt_range[:, 1]
    qpos = rng.uniform(low, high, (count, model.nq))
    distances = checker.distance(order(qpos)).upper
    disagreements = 0
    for number, (one, distance) in enumerate(zip(qpos, distances, strict=True)):
        data.qpos[:] = one
        mujoco.mj_forward(model, data)
        touching = any(contact.dist < 0 for contact in data.contact)
        # MuJoCo's narrow phase has a tolerance; ours is exact.
        if touching != (distance == 0) and not 0 < distance < 1e-5:
            disagreements += 1
        if number < 20:
            poses = checker.link_poses(order(one))
            for body in range(1, model.nbody):
                place = robot.link_names.index(model.body(body).name)
                assert np.allclose(poses[place][:3, :3], data.xmat[body].reshape(3, 3), atol=1e-9)
    return int((distances == 0).sum()), disagreements


if __name__ == "__main__":
    colliding, different = main()
    print(f"{colliding} of 2000 configurations collide, MuJoCo disagrees about {different}")
