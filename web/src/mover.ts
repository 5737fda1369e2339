// Moves objects by the pointer and by keys: along the floor, or up and down.

import { Plane, Quaternion, Raycaster, Vector2, Vector3 } from "three";
import type { App } from "./app";
import type { Pose7 } from "./facts";
import type { Stage } from "./stage";

/** The steps of keys: metres and radians, and a tenth of them with shift. */
const STEP = 0.01;
const TURN = Math.PI / 36;
/** Where the camera sees the floor from the side, a drag moves in the plane that it faces. */
const FLAT = 0.2;

const ALONG: Record<string, [number, number, number]> = {
  ArrowRight: [1, 0, 0],
  ArrowLeft: [-1, 0, 0],
  ArrowUp: [0, 1, 0],
  ArrowDown: [0, -1, 0],
  PageUp: [0, 0, 1],
  PageDown: [0, 0, -1],
};

export class Mover {
  on = false;
  private drag: { app: App; body: number; plane: Plane; from: Vector3; start: Pose7; up: boolean } | null = null;

  /** `app` is who is asked for what is shown now. */
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly app: () => { app: App; stage: Stage } | null,
  ) {
    // Before the camera's own listener, which is on the same element.
    canvas.addEventListener("pointerdown", (event) => this.start(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event), { capture: true });
    for (const end of ["pointerup", "pointercancel"] as const) {
      canvas.addEventListener(end, (event) => this.end(event), { capture: true });
    }
  }

  private ray(stage: Stage, event: PointerEvent): Raycaster {
    const ray = new Raycaster();
    const { clientWidth: width, clientHeight: height } = this.canvas;
    ray.setFromCamera(new Vector2((2 * event.offsetX) / width - 1, 1 - (2 * event.offsetY) / height), stage.camera);
    return ray;
  }

  private start(event: PointerEvent): void {
    const shown = this.app();
    if (!this.on || !shown || event.button !== 0) return;
    const { app, stage } = shown;
    const hit = stage.hit(event.offsetX, event.offsetY);
    if (!hit || !app.canMove(hit.body)) return;
    event.stopImmediatePropagation();
    this.canvas.setPointerCapture(event.pointerId);
    const view = stage.camera.getWorldDirection(new Vector3());
    const up = event.shiftKey || Math.abs(view.z) < FLAT;
    const normal = up ? view.setZ(0).normalize() : new Vector3(0, 0, 1);
    const plane = new Plane().setFromNormalAndCoplanarPoint(normal, hit.point);
    this.drag = { app, body: hit.body, plane, from: hit.point, start: app.poseOf(hit.body), up };
    app.select([hit.body]);
  }

  private move(event: PointerEvent): void {
    const stage = this.app()?.stage;
    if (!this.drag || !stage) return;
    event.stopImmediatePropagation();
    const at = this.ray(stage, event).ray.intersectPlane(this.drag.plane, new Vector3());
    if (!at) return;
    const by = at.sub(this.drag.from);
    const [x, y, z, ...turn] = this.drag.start;
    this.drag.app.moveObject(this.drag.body, [x + by.x, y + by.y, z + by.z, ...turn]);
  }

  private end(event: PointerEvent): void {
    if (!this.drag) return;
    event.stopImmediatePropagation();
    this.canvas.releasePointerCapture(event.pointerId);
    this.drag = null;
  }

  /** Moves what is chosen; whether the key was one of these. */
  key(event: KeyboardEvent): boolean {
    const app = this.app()?.app;
    const body = app && [...app.selected].find((one) => app.canMove(one));
    if (!this.on || !app || body === undefined) return false;
    const [x, y, z, qw, qx, qy, qz] = app.poseOf(body);
    const share = event.shiftKey ? 0.1 : 1;
    const along = ALONG[event.key];
    if (along) {
      const [dx, dy, dz] = along.map((one) => one * STEP * share);
      app.moveObject(body, [x + dx, y + dy, z + dz, qw, qx, qy, qz]);
      return true;
    }
    const turn = event.key === "[" || event.key === "{" ? 1 : event.key === "]" || event.key === "}" ? -1 : 0;
    if (!turn) return false;
    const turned = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), turn * TURN * share).multiply(new Quaternion(qx, qy, qz, qw)).normalize();
    app.moveObject(body, [x, y, z, turned.w, turned.x, turned.y, turned.z]);
    return true;
  }
}
