// Forward kinematics as the engine has it, in double precision: from a configuration to the pose of
// every link in its parent.

import { Quaternion, Vector3 } from "three";
import type { JointFacts, Pose7, RobotFacts } from "./facts";

export interface Placed {
  position: Vector3;
  quaternion: Quaternion;
}

export function placed([x, y, z, qw, qx, qy, qz]: Pose7): Placed {
  return { position: new Vector3(x, y, z), quaternion: new Quaternion(qx, qy, qz, qw).normalize() };
}

function then(a: Placed, b: Placed): Placed {
  return {
    position: b.position.clone().applyQuaternion(a.quaternion).add(a.position),
    quaternion: a.quaternion.clone().multiply(b.quaternion),
  };
}

/** The positions of a joint: none for a fixed one, its rule applied where it follows another. */
export function positions(joint: JointFacts, row: number[]): number[] {
  if (joint.variable === null) return [];
  const size = joint.kind === "planar" ? 3 : joint.kind === "floating" ? 7 : 1;
  if (size === 1) return [joint.multiplier * row[joint.variable] + joint.offset];
  return row.slice(joint.variable, joint.variable + size);
}

/** The pose of a joint's child in its parent link. */
export function jointPose(joint: JointFacts, row: number[]): Placed {
  const [origin, at] = [placed(joint.origin), positions(joint, row)];
  const axis = new Vector3(...joint.axis);
  const turned = (angle: number) => new Quaternion().setFromAxisAngle(axis, angle);
  switch (joint.kind) {
    case "revolute":
    case "continuous":
      return then(origin, { position: new Vector3(), quaternion: turned(at[0]) });
    case "prismatic":
      return then(origin, { position: axis.multiplyScalar(at[0]), quaternion: new Quaternion() });
    case "planar": {
      const plane = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), axis);
      return then(origin, { position: new Vector3(at[0], at[1], 0).applyQuaternion(plane), quaternion: turned(at[2]) });
    }
    case "floating":
      return then(origin, placed(at as Pose7));
    default:
      return origin;
  }
}

/** The pose of each link in its parent, of the root in the world. */
export function linkPoses(robot: RobotFacts, row: number[]): Placed[] {
  return [placed(robot.base), ...robot.joints.map((joint) => jointPose(joint, row))];
}
