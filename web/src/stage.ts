// The three-dimensional view: what is drawn, the camera, and how bodies are coloured.
//
// Pictures are drawn when something has changed, and not otherwise.

import {
  Box3,
  Color,
  DirectionalLight,
  DoubleSide,
  HemisphereLight,
  type Material,
  Mesh,
  MeshLambertMaterial,
  type MeshStandardMaterial,
  type Object3D,
  PerspectiveCamera,
  Points,
  Raycaster,
  Scene,
  type ShaderMaterial,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { type Cells, cells, sample } from "./cells";
import type { Model } from "./load";

export type State = "plain" | "near" | "colliding" | "selected";

/** Red where something touches, amber where it is near, blue where it is chosen. */
export const COLORS: Record<Exclude<State, "plain">, string> = {
  near: "#f5a524",
  colliding: "#e5383b",
  selected: "#3b82f6",
};

/** Where the camera looks from, at first. */
const OUTLOOK = new Vector3(-0.72, -0.62, 0.42).normalize();
/** Frames that take longer, in milliseconds, show fewer cells while things move; shorter ones more. */
const FRAME_TIME = 50;
/** All cells are drawn again when nothing has moved for so long, in milliseconds. */
const REST = 250;

interface Part {
  object: Mesh | Points;
  plain: Material;
  body: number;
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(40, 1, 0.01, 100);
  readonly controls: OrbitControls;
  /** Called after every picture. */
  drawn: () => void = () => {};
  /** The number of pictures so far. */
  pictures = 0;
  private readonly renderer: WebGLRenderer;
  private parts: Part[] = [];
  private cells: Cells[] = [];
  private materials: Material[] = [];
  private readonly states: Record<Exclude<State, "plain">, MeshLambertMaterial>;
  private model: Model | null = null;
  private due = false;
  private moving = false;
  private share = 1;
  /** When the last picture was drawn, while things move. */
  private last: number | null = null;
  private rest = 0;
  private size = 1;
  /** What the camera was moved to show, until somebody moves it: it fills views of other sizes too. */
  private fitted: Box3 | null = null;

  /** Smooth edges cost a multiple; very many cells do without. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    antialias: boolean,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.camera.up.set(0, 0, 1);
    const sun = new DirectionalLight(0xffffff, 1.6);
    sun.position.set(-0.55, -0.35, 1);
    this.scene.add(new HemisphereLight(0xffffff, 0x9aa3b0, 1.9), sun);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener("start", () => {
      this.fitted = null;
      this.setMoving(true);
    });
    this.controls.addEventListener("end", () => this.settle());
    this.controls.addEventListener("change", () => this.request());
    const plain = (color: string) => new MeshLambertMaterial({ color, side: DoubleSide });
    this.states = { near: plain(COLORS.near), colliding: plain(COLORS.colliding), selected: plain(COLORS.selected) };
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement ?? canvas);
  }

  show(model: Model): void {
    if (this.model) this.scene.remove(this.model.root);
    this.model = model;
    [this.parts, this.cells] = [[], []];
    this.scene.add(model.root);
    const softened = new Map<Material, Material>();
    model.nodes.forEach((node, body) => {
      // Links hang on each other: what belongs to a body are the nodes right below it that draw.
      for (const object of [...node.children]) {
        if (object instanceof Points) {
          const { size, round } = object.userData as { size: number; round: boolean };
          const color = (object.material as { color?: Color }).color ?? new Color("#8899aa");
          const made = cells(object, size, round, color);
          this.cells.push(made);
          this.parts.push({ object: made.object, plain: made.material, body });
        } else if (object instanceof Mesh) {
          const given = object.material as MeshStandardMaterial;
          const plain = softened.get(given) ?? matt(given);
          softened.set(given, plain);
          object.material = plain;
          this.parts.push({ object, plain, body });
        }
      }
    });
    this.materials = [...softened.values(), ...Object.values(this.states), ...this.cells.map((one) => one.material)];
    model.root.updateMatrixWorld(true);
    this.resize();
  }

  /** How many triangles, cells and objects are drawn. */
  counts(): { triangles: number; cells: number; meshes: number } {
    const meshes = this.parts.filter(({ object }) => object instanceof Mesh && object.geometry.index && !this.isCells(object));
    const triangles = meshes.reduce((sum, { object }) => sum + (object.geometry.index?.count ?? 0) / 3, 0);
    return { triangles, cells: this.cells.reduce((sum, one) => sum + one.count, 0), meshes: meshes.length };
  }

  private isCells(object: Object3D): boolean {
    return this.cells.some((one) => one.object === object);
  }

  /** Colours and shows all bodies. */
  paint(state: (body: number) => State, visible: (body: number) => boolean): void {
    for (const { object, plain, body } of this.parts) {
      const now = state(body);
      object.visible = visible(body);
      if (this.isCells(object)) {
        const material = object.material as ShaderMaterial;
        material.userData.base ??= (material.uniforms.base.value as Color).clone();
        (material.uniforms.base.value as Color).copy(now === "plain" ? material.userData.base : new Color(COLORS[now]));
      } else {
        object.material = now === "plain" ? plain : this.states[now];
      }
    }
    this.request();
  }

  setBackground(color: string): void {
    this.scene.background = new Color(color);
    this.request();
  }

  /** How long a pixel is at a place of the world. */
  pixel(at: Vector3): number {
    const depth = at.clone().applyMatrix4(this.camera.matrixWorldInverse).z;
    return (2 * Math.abs(depth) * Math.tan((this.camera.fov * Math.PI) / 360)) / this.canvas.clientHeight;
  }

  /** Everything can be seen through, or not. */
  setXray(on: boolean): void {
    for (const material of this.materials) {
      material.transparent = on;
      material.depthWrite = !on;
      if ("uniforms" in material) (material as ShaderMaterial).uniforms.opacity.value = on ? 0.35 : 1;
      else material.opacity = on ? 0.3 : 1;
      material.needsUpdate = true;
    }
    this.request();
  }

  /** The box around these bodies as they are now, where they are visible. */
  bounds(bodies: (body: number) => boolean): Box3 {
    this.scene.updateMatrixWorld(true);
    const box = new Box3();
    for (const { object, body } of this.parts) {
      if (!object.visible || !bodies(body)) continue;
      object.geometry.boundingBox ?? object.geometry.computeBoundingBox();
      if (object.geometry.boundingBox) box.union(object.geometry.boundingBox.clone().applyMatrix4(object.matrixWorld));
    }
    return box;
  }

  /** Moves the camera so that a box fills the view. */
  fit(box: Box3): void {
    this.fitted = box.isEmpty() ? null : box;
    this.resize();
  }

  private moveTo(box: Box3): void {
    const center = box.getCenter(new Vector3());
    const radius = Math.max(box.getSize(new Vector3()).length() / 2, 1e-6);
    const direction = this.pictures ? this.camera.position.clone().sub(this.controls.target).normalize() : OUTLOOK;
    const right = new Vector3().crossVectors(this.camera.up, direction).normalize();
    const upward = new Vector3().crossVectors(direction, right);
    const tangent = Math.tan((this.camera.fov * Math.PI) / 360);
    // From here every vertex of the box is just within the view.
    let distance = radius / 10;
    for (let i = 0; i < 8; i++) {
      const vertex = new Vector3(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z);
      vertex.sub(center);
      const wide = Math.abs(vertex.dot(right)) / (tangent * this.camera.aspect);
      const high = Math.abs(vertex.dot(upward)) / tangent;
      distance = Math.max(distance, vertex.dot(direction) + 1.05 * Math.max(wide, high));
    }
    this.size = Math.max(this.size, radius);
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.camera.near = radius / 200;
    this.camera.far = 200 * radius;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.update();
    this.request();
  }

  /** The body under a place of the canvas, in pixels. */
  pick(x: number, y: number): number | null {
    return this.hit(x, y)?.body ?? null;
  }

  /** The body under a place of the canvas, in pixels, and where in the world. */
  hit(x: number, y: number): { body: number; point: Vector3 } | null {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2((2 * x) / width - 1, 1 - (2 * y) / height), this.camera);
    ray.params.Points.threshold = this.size / 500;
    const objects = this.parts.filter(({ object }) => object.visible).map(({ object }) => object);
    const hit = ray.intersectObjects(objects, false)[0];
    const part = hit && this.parts.find(({ object }) => object === hit.object);
    return part ? { body: part.body, point: hit.point } : null;
  }

  /** Where a point of the world is on the canvas, in pixels; none behind the camera. */
  project(point: Vector3): { x: number; y: number } | null {
    const at = point.clone().project(this.camera);
    if (at.z > 1) return null;
    return { x: ((at.x + 1) / 2) * this.canvas.clientWidth, y: ((1 - at.y) / 2) * this.canvas.clientHeight };
  }

  /** Whether things move by themselves, so that speed counts more than detail. */
  setMoving(moving: boolean): void {
    window.clearTimeout(this.rest);
    if (moving) this.moving = true;
    else this.settle();
  }

  private settle(): void {
    const rest = () => {
      this.moving = false;
      this.request();
    };
    this.rest = window.setTimeout(rest, this.cells.length ? REST : 0);
  }

  request(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame((now) => {
      this.due = false;
      this.draw(now);
    });
  }

  private draw(now: number): void {
    const took = this.last === null ? FRAME_TIME : now - this.last;
    this.last = this.moving ? now : null;
    if (this.cells.length) {
      if (this.moving) this.share = Math.min(1, Math.max(0.01, this.share * Math.min(1.2, Math.max(0.1, FRAME_TIME / took))));
      this.cells.forEach((one) => sample(one, this.moving ? this.share : 1));
    }
    this.renderer.render(this.scene, this.camera);
    this.pictures += 1;
    this.drawn();
  }

  private resize(): void {
    const box = this.canvas.parentElement ?? this.canvas;
    const [width, height] = [Math.max(1, box.clientWidth), Math.max(1, box.clientHeight)];
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    const pixels = (height * this.renderer.getPixelRatio()) / 2;
    this.cells.forEach((one) => (one.material.uniforms.pixels.value = pixels));
    if (this.fitted) this.moveTo(this.fitted);
    this.request();
  }
}

/** A material without reflections, which every machine draws quickly. */
function matt(given: MeshStandardMaterial): MeshLambertMaterial {
  return new MeshLambertMaterial({ color: given.color, vertexColors: given.vertexColors, side: DoubleSide });
}
