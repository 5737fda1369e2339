// What is drawn over bodies: the shortest lines with their lengths, and where surfaces cross.

import {
  BufferGeometry,
  ConeGeometry,
  Float32BufferAttribute,
  Mesh,
  MeshBasicMaterial,
  Points,
  PointsMaterial,
  Vector2,
  Vector3,
} from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";
import { type Facts, type Moment, length } from "./facts";
import type { Stage } from "./stage";

/** The colours of clearances, one after the other; white text is readable on them. */
export const SERIES = ["#c2255c", "#0b7285", "#5f3dc4", "#2b8a3e"];
/** The same for thin lines on dark ground. */
export const SERIES_ON_DARK = ["#ff8cb0", "#3bc9db", "#b197fc", "#69db7c"];

/** Overlaps that are no deeper, in metres, are touching for the eye. */
const SHALLOW = 1e-6;
/** The way out of an overlap. */
const DEPTH = "#a63d00";
/** How long arrow heads are, in pixels. */
const HEAD = 16;

interface Lines {
  object: LineSegments2;
  material: LineMaterial;
  /** Dots at the ends; curves have none. */
  ends: Points | null;
}

/** The halo of curves, lines, their ends, and arrow heads are drawn in this order. */
const ORDER = { halo: 10, line: 11, end: 12, head: 13 };

function curves(stage: Stage, color: string, width: number, order: number): Lines {
  const material = new LineMaterial({ color, linewidth: width, depthTest: false, transparent: true });
  const object = new LineSegments2(new LineSegmentsGeometry(), material);
  add(stage, object, order);
  return { object, material, ends: null };
}

function lines(stage: Stage, color: string, width: number): Lines {
  const dots = new PointsMaterial({ color, size: 2.2 * width, sizeAttenuation: false, depthTest: false, transparent: true });
  const ends = new Points(new BufferGeometry(), dots);
  add(stage, ends, ORDER.end);
  return { ...curves(stage, color, width, ORDER.line), ends };
}

function add(stage: Stage, object: LineSegments2 | Points, order: number): void {
  object.renderOrder = order;
  object.frustumCulled = false;
  object.visible = false;
  stage.scene.add(object);
}

function set({ object, ends }: Lines, numbers: number[]): void {
  const there = numbers.length > 0;
  object.visible = there;
  if (ends) ends.visible = there;
  if (!there) return;
  object.geometry.dispose();
  object.geometry = new LineSegmentsGeometry().setPositions(numbers);
  if (!ends) return;
  ends.geometry.dispose();
  ends.geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(numbers, 3));
}

export class Overlay {
  private witnesses: Lines[] = [];
  /** Curves are seen on any colour by what is around them. */
  private readonly contacts: Lines[];
  private readonly depths: Lines;
  /** Arrow heads, which show the way out of overlaps. */
  private heads: Mesh[] = [];
  private readonly head = new ConeGeometry(0.35, 1, 20).translate(0, -0.5, 0);
  private readonly headMaterial = new MeshBasicMaterial({ color: DEPTH, depthTest: false, transparent: true });
  private labels: { at: Vector3; element: HTMLElement }[] = [];

  constructor(
    private readonly stage: Stage,
    facts: Facts,
    private readonly holder: HTMLElement,
  ) {
    this.witnesses = facts.clearances.map((_, i) => lines(stage, SERIES[i % SERIES.length], 3));
    this.contacts = [curves(stage, "#ffffff", 6, ORDER.halo), curves(stage, "#d6006c", 3, ORDER.line)];
    this.depths = lines(stage, DEPTH, 5);
  }

  /** Shows what is known of a moment; nothing if there is none. */
  show(moment: Moment | null): void {
    this.holder.replaceChildren();
    this.labels = [];
    this.witnesses.forEach((lines, i) => {
      const { witness = null, upper = null } = moment?.clearances[i] ?? {};
      set(lines, witness ? witness.points.flat() : []);
      if (!witness || upper === null) return;
      const [a, b] = witness.points.map((point) => new Vector3(...point));
      this.label(length(upper), SERIES[i % SERIES.length], a.add(b).multiplyScalar(0.5));
    });
    const depths = (moment?.depths ?? []).filter(({ shift }) => Math.hypot(...shift) > SHALLOW);
    const ends = depths.map(({ point, shift }) => [new Vector3(...point), new Vector3(...point).add(new Vector3(...shift))]);
    set(this.depths, ends.flatMap(([from, to]) => [...from.toArray(), ...to.toArray()]));
    ends.forEach(([from, to]) => this.label(`${length(from.distanceTo(to))} deep`, DEPTH, to));
    this.stage.scene.remove(...this.heads);
    this.heads = ends.map(([from, to]) => this.arrowHead(from, to));
    this.contacts.forEach((one) => set(one, moment?.contacts ?? []));
    this.stage.request();
  }

  /** A cone at the end of a line, as large as the view wants it, whatever the line's length. */
  private arrowHead(from: Vector3, to: Vector3): Mesh {
    const head = new Mesh(this.head, this.headMaterial);
    const along = to.clone().sub(from).normalize();
    head.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), along);
    head.renderOrder = ORDER.head;
    head.frustumCulled = false;
    head.onBeforeRender = () => {
      const size = HEAD * this.stage.pixel(to);
      head.scale.setScalar(size);
      // The line ends in the middle of its head.
      head.position.copy(to).addScaledVector(along, size / 2);
      head.updateMatrixWorld();
    };
    this.stage.scene.add(head);
    return head;
  }

  private label(text: string, color: string, at: Vector3): void {
    const element = document.createElement("span");
    element.textContent = text;
    element.style.setProperty("--series", color);
    this.holder.append(element);
    this.labels.push({ at, element });
  }

  /** The ends of a clearance's line as it is drawn: six numbers; none where it is not. */
  ends(clearance: number): number[] {
    const { object } = this.witnesses[clearance];
    if (!object.visible) return [];
    const [start, end] = ["instanceStart", "instanceEnd"].map((name) => object.geometry.getAttribute(name));
    return [start.getX(0), start.getY(0), start.getZ(0), end.getX(0), end.getY(0), end.getZ(0)];
  }

  /** Puts labels where their lines are now. */
  place(width: number, height: number): void {
    const resolution = new Vector2(width, height);
    [...this.witnesses, ...this.contacts, this.depths].forEach(({ material }) => material.resolution.copy(resolution));
    const taken: { x: number; y: number }[] = [];
    for (const { at, element } of this.labels) {
      const place = this.stage.project(at);
      element.hidden = !place;
      if (!place) continue;
      // Labels do not cover each other.
      while (taken.some((other) => Math.abs(other.x - place.x) < 90 && Math.abs(other.y - place.y) < 24)) place.y += 6;
      taken.push(place);
      element.style.transform = `translate(${place.x.toFixed(1)}px, ${place.y.toFixed(1)}px)`;
    }
  }

  remove(): void {
    for (const { object, ends } of [...this.witnesses, ...this.contacts, this.depths]) this.stage.scene.remove(object, ...(ends ? [ends] : []));
    this.stage.scene.remove(...this.heads);
    this.holder.replaceChildren();
  }
}
