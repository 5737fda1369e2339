// Bounding volumes and range-of-motion hulls, drawn see-through over what they bound.

import { BoxGeometry, type BufferGeometry, DoubleSide, IcosahedronGeometry, InstancedMesh, Matrix4, MeshBasicMaterial, type Object3D, Vector3 } from "three";
import type { Stage } from "./stage";

export type Kind = "spheres" | "boxes";

/** A sphere is centre and radius, a box centre and three half-edges. */
export interface BodyVolumes {
  body: number;
  volumes: number[][];
}

function matrix(numbers: number[]): Matrix4 {
  const vector = (at: number) => new Vector3(numbers[at], numbers[at + 1], numbers[at + 2]);
  if (numbers.length === 4) return new Matrix4().makeScale(numbers[3], numbers[3], numbers[3]).setPosition(vector(0));
  return new Matrix4().makeBasis(vector(3), vector(6), vector(9)).setPosition(vector(0));
}

export class Shapes {
  private drawn: InstancedMesh[] = [];
  private readonly material: MeshBasicMaterial;
  private readonly lines: MeshBasicMaterial;

  constructor(
    private readonly stage: Stage,
    color: string,
  ) {
    const look = { color, transparent: true, depthWrite: false, side: DoubleSide };
    this.material = new MeshBasicMaterial({ ...look, opacity: 0.1 });
    this.lines = new MeshBasicMaterial({ ...look, opacity: 0.35, wireframe: true });
  }

  /** Shows volumes on the nodes of their bodies; nothing for an empty list. */
  show(volumes: { on: Object3D; numbers: number[][] }[]): void {
    this.clear();
    for (const { on, numbers } of volumes) {
      if (!numbers.length) continue;
      // Many spheres are drawn with fewer facets each.
      const geometry: BufferGeometry = numbers[0].length === 4 ? new IcosahedronGeometry(1, numbers.length > 200 ? 1 : 3) : new BoxGeometry(2, 2, 2);
      for (const material of [this.material, this.lines]) {
        const mesh = new InstancedMesh(geometry, material, numbers.length);
        numbers.forEach((one, i) => mesh.setMatrixAt(i, matrix(one)));
        mesh.frustumCulled = false;
        mesh.renderOrder = 5;
        on.add(mesh);
        this.drawn.push(mesh);
      }
    }
    this.stage.request();
  }

  /** How many volumes are drawn. */
  count(): number {
    return this.drawn.reduce((sum, mesh) => sum + mesh.count, 0) / 2;
  }

  clear(): void {
    for (const mesh of this.drawn) {
      mesh.removeFromParent();
      mesh.geometry.dispose();
      mesh.dispose();
    }
    this.drawn = [];
    this.stage.request();
  }
}
